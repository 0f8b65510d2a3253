import { describe, expect, it } from 'vitest';
import { createWorld, Skinner, shapeMesh, vertexNormals, World } from '../../src/index.js';

const QUADS = [
  0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
];

/** Boxes as one mesh, by their lowest and highest corners. */
function boxes(...corners: (readonly [number, number, number, number, number, number])[]) {
  const positions = corners.flatMap((c) =>
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) => [0, 1, 2].map((axis) => c[axis + (((k >> axis) & 1) === 1 ? 3 : 0)]!)),
  );
  const triangles = corners.flatMap((_, n) => QUADS.map((k) => k + 8 * n));
  return { mesh: { data: { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) } } };
}

const SPACING = 0.1;
const GAPS = [0.02, 0.2, 0.5, 0.8, 1.5];
const pair = (gap: number) => boxes([0, 0, 0, 0.5, 0.5, 0.5], [0.5 + gap, 0, 0, 1 + gap, 0.5, 0.5]);
const MATERIAL = { youngsModulus: 1e5, damping: 0.1 };

/** Mean of one coordinate over particles. */
function mean(positions: Float32Array, axis: number, begin: number, end: number): number {
  let sum = 0;
  for (let i = begin; i < end; i++) sum += positions[4 * i + axis]!;
  return sum / (end - begin);
}

describe('two cubes in one mesh, with air between them', () => {
  it.each(GAPS)('fall apart when one is held: %d spacings', async (gap) => {
    const world = await createWorld({ threads: 1, gravity: [0, -9.81, 0], solver: { contact: { self: false } } });
    world.addBody({ name: 'two', shape: pair(gap * SPACING), spacing: SPACING, material: MATERIAL });
    world.addConstraint({ body: 'two', region: { box: { min: [-1, -1, -1], max: [0.3, 2, 2] } }, fix: true });
    const [first, last] = world.bodies[0]!.parts!;
    expect(last).toBe(world.particleCount);
    for (let frame = 0; frame < 6; frame++) world.step(1 / 30);
    const positions = world.positions();
    expect(mean(positions, 1, first!, last!)).toBeCloseTo(0.25 - (9.81 / 2) * 0.04, 3);
    expect(mean(positions, 1, 0, first!)).toBeGreaterThan(0.24);
    // Saves know the parts.
    const loaded = await World.load(world.save(), { threads: 1 });
    expect(loaded.bodies[0]!.parts).toEqual([first, last]);
    world.step(1 / 30);
    loaded.step(1 / 30);
    expect(loaded.stateHash()).toBe(world.stateHash());
    await world.dispose();
    await loaded.dispose();
  });

  it.each(GAPS)('fall apart also while they flow: %d spacings', async (gap) => {
    const world = await createWorld({ threads: 1, gravity: [0, -9.81, 0], solver: { contact: { self: false } } });
    const material = { ...MATERIAL, yieldStress: 100, creepRate: 1000 };
    world.addBody({ name: 'two', shape: pair(gap * SPACING), spacing: SPACING, discretisation: 'renewed', material });
    world.addConstraint({ body: 'two', region: { box: { min: [-1, -1, -1], max: [0.3, 2, 2] } }, fix: true });
    const particles = world.particleCount / 2;
    let renewals = 0;
    for (let frame = 0; frame < 6; frame++) renewals += world.step(1 / 30).flow!.renewals;
    expect(renewals).toBeGreaterThan(3);
    const positions = world.positions();
    expect(mean(positions, 1, particles / 2, particles)).toBeCloseTo(0.25 - (9.81 / 2) * 0.04, 3);
    expect(mean(positions, 1, 0, particles / 2)).toBeGreaterThan(0.2);
    await world.dispose();
  });

  it.each(GAPS)('do not pass through each other: %d spacings', async (gap) => {
    const world = await createWorld({ threads: 1 });
    world.addBody({ name: 'two', shape: pair(gap * SPACING), spacing: SPACING, material: MATERIAL });
    const [first, last] = world.bodies[0]!.parts!;
    // Pressed together, which takes 6 % of two bodies; their middles are half a metre apart when they touch.
    world.addConstraint({ body: 'two', region: { box: { min: [0.9, -1, -1], max: [3, 2, 2] } }, force: [-50, 0, 0] });
    world.addConstraint({ body: 'two', region: { box: { min: [-1, -1, -1], max: [0.1, 2, 2] } }, fix: true });
    for (let frame = 0; frame < 15; frame++) world.step(1 / 30);
    const positions = world.positions();
    const apart = mean(positions, 0, first!, last!) - mean(positions, 0, 0, first!);
    expect(apart).toBeGreaterThan(0.44);
    expect(apart).toBeLessThan(0.56);
    await world.dispose();
  });

  it.each(GAPS)('exchange no heat: %d spacings', async (gap) => {
    const world = await createWorld({ threads: 1, temperature: 20, heatTransfer: 0 });
    world.addBody({
      name: 'two',
      shape: pair(gap * SPACING),
      spacing: SPACING,
      material: { ...MATERIAL, thermalConductivity: 1e4 },
    });
    world.addHeat({ body: 'two', region: { box: { min: [-1, -1, -1], max: [0.3, 2, 2] } }, temperature: 90 });
    const [first, last] = world.bodies[0]!.parts!;
    for (let frame = 0; frame < 10; frame++) world.step(1 / 30);
    const temperatures = world.temperatures();
    expect(temperatures[0]).toBeGreaterThan(80);
    for (let i = first!; i < last!; i++) expect(temperatures[i]).toBeCloseTo(20, 3);
    await world.dispose();
  });

  it.each(GAPS)('carry the skins on their own side: %d spacings', async (gap) => {
    const world = await createWorld({ threads: 1 });
    const shape = pair(gap * SPACING);
    world.addBody({ name: 'two', shape, spacing: SPACING, material: MATERIAL });
    const { parts, spacing } = world.bodies[0]!;
    const particles = Float32Array.from({ length: 3 * world.particleCount }, (_, k) => {
      return world.positions()[4 * Math.floor(k / 3) + (k % 3)]!;
    });
    // The second goes down by a metre, as a whole.
    const moved = particles.map((x, k) => (k % 3 === 1 && k >= 3 * parts![0]! ? x - 1 : x));
    const mesh = shapeMesh(shape, SPACING);
    const skinner = await Skinner.create({ threads: 1 });
    const normals = vertexNormals(mesh.positions, mesh.triangles);
    const skin = skinner.skin(mesh.positions, particles, { ends: parts, normals, spacing });
    const out = new Float32Array(mesh.positions.length);
    skin.deform(moved, out);
    for (let v = 0; v < out.length; v += 3) {
      const isSecond = mesh.positions[v]! > 0.5 + (gap * SPACING) / 2;
      expect(out[v + 1]! - mesh.positions[v + 1]!).toBeCloseTo(isSecond ? -1 : 0, 5);
    }
    const { cloud } = world.surfels('two');
    const before = cloud.positions().slice();
    cloud.update(moved);
    const after = cloud.positions();
    for (let k = 0; k < after.length; k += 3) {
      const isSecond = before[k]! > 0.5 + (gap * SPACING) / 2;
      expect(after[k + 1]! - before[k + 1]!).toBeCloseTo(isSecond ? -1 : 0, 4);
    }
    await skinner.dispose();
    await world.dispose();
  });

  it('stay apart when they melt', async () => {
    const world = await createWorld({ threads: 1, temperature: 20, gravity: [0, -9.81, 0] });
    const material = { ...MATERIAL, meltingPoint: 60, latentHeat: 1e6 };
    world.addBody({ name: 'two', shape: pair(0.5 * SPACING), spacing: SPACING, material });
    world.addConstraint({ body: 'two', region: { box: { min: [-1, -1, -1], max: [0.3, 2, 2] } }, fix: true });
    world.addHeat({ body: 'two', region: { box: { min: [-1, 0.4, -1], max: [0.1, 2, 2] } }, temperature: 70 });
    const [first, last] = world.bodies[0]!.parts!;
    for (let frame = 0; frame < 6; frame++) world.step(1 / 30);
    expect(world.bodies[0]!.melted).toBe(true);
    const positions = world.positions();
    expect(mean(positions, 1, first!, last!)).toBeLessThan(0.15);
    expect(mean(positions, 1, 0, first!)).toBeGreaterThan(0.22);
    await world.dispose();
  });
});
