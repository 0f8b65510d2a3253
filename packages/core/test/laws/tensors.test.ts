import { describe, expect, test } from 'vitest';
import { createWorld, loadScene, principalValues, type SceneInput, type World } from '../../src/index.js';
import { resolveScene } from '../../src/scene/schema.js';

const E = 1e5;
const NU = 0.3;
const load = (scene: Omit<SceneInput, 'phyxel'>) => loadScene(resolveScene({ phyxel: 1, ...scene }), { threads: 1 });

/** Reads six components at the particle nearest to the middle. */
function middle(world: World, tensors: Float32Array, stride = 6): number[] {
  const x = world.positions();
  let [best, nearest] = [0, Infinity];
  for (let i = 0; i < world.particleCount; i++) {
    const distance = Math.hypot(x[4 * i]!, x[4 * i + 1]!, x[4 * i + 2]!);
    if (distance < nearest) [best, nearest] = [i, distance];
  }
  return Array.from(tensors.subarray(stride * best, stride * best + stride));
}

/** A cube that begins deformed, as a field of the positions at rest says. */
const deformed = (displacement: [string, string, string], more: object = {}, turn = 0): Omit<SceneInput, 'phyxel'> => ({
  gravity: [0, 0, 0],
  bodies: [
    {
      shape: { box: { size: [1, 1, 1] } },
      spacing: 0.1,
      rotation: [0, 0, turn],
      displacement,
      material: { density: 1000, youngsModulus: E, poissonsRatio: NU },
      ...more,
    },
  ],
});

describe.each(['linear', 'quadratic'] as const)('stress and strain of a solid, %s fit', (discretisation) => {
  // Float32 displacements of 1e-2 over 0.2 have 1e-6 of rounding; laws of St. Venant-Kirchhoff differ by the strain.
  test.each([0, 30])('stretched along x, turned at rest by %i degrees: in world axes', async (turn) => {
    const world = await load(deformed(['0.01 * x', '-0.003 * y', '-0.003 * z'], { discretisation }, turn));
    const [sx, sy, sz, ...shears] = middle(world, world.stressTensors());
    expect(sx! / (0.01 * E)).toBeCloseTo(1, 1);
    for (const s of [sy!, sz!, ...shears]) expect(Math.abs(s)).toBeLessThan(0.02 * 0.01 * E);
    const [ex, ey, ez, ...angles] = middle(world, world.strainTensors());
    expect(ex).toBeCloseTo(Math.log(1.01), 5);
    expect(ey).toBeCloseTo(Math.log(0.997), 5);
    expect(ez).toBeCloseTo(Math.log(0.997), 5);
    for (const angle of angles) expect(Math.abs(angle)).toBeLessThan(1e-5);
    await world.dispose();
  });

  test('sheared: principal values lie along the diagonals, and are opposite', async () => {
    const world = await load(deformed(['0.001 * y', '0.001 * x', '0'], { discretisation }));
    const six = middle(world, world.stressTensors());
    const shear = (E / (2 * (1 + NU))) * 0.002;
    expect(six[3]! / shear).toBeCloseTo(1, 2);
    const [first, second, third] = principalValues(six);
    expect(first / shear).toBeCloseTo(1, 2);
    expect(second / shear).toBeCloseTo(0, 2);
    expect(third / shear).toBeCloseTo(-1, 2);
    await world.dispose();
  });

  test('turned as a whole there is none, and von Mises is that of the tensor', async () => {
    const angle = 0.4;
    const [c, s] = [Math.cos(angle) - 1, Math.sin(angle)];
    const turned = await load(deformed([`${c} * x - ${s} * y`, `${s} * x + ${c} * y`, '0'], { discretisation }));
    for (const value of middle(turned, turned.stressTensors())) expect(Math.abs(value)).toBeLessThan(1e-4 * E);
    for (const value of middle(turned, turned.strainTensors())) expect(Math.abs(value)).toBeLessThan(1e-5);
    await turned.dispose();
    const world = await load(deformed(['0.02 * y', '0.01 * z', '0.03 * x * x'], { discretisation }));
    const [tensors, mises] = [world.stressTensors(), world.stresses()];
    for (let i = 0; i < world.particleCount; i += 37) {
      const [xx, yy, zz, xy, yz, xz] = tensors.subarray(6 * i, 6 * i + 6) as unknown as number[];
      const normal = (xx! - yy!) ** 2 + (yy! - zz!) ** 2 + (zz! - xx!) ** 2;
      expect(Math.sqrt(normal / 2 + 3 * (xy! ** 2 + yz! ** 2 + xz! ** 2)) / mises[i]!).toBeCloseTo(1, 4);
    }
    await world.dispose();
  });
});

test('a velocity gradient is that of the field: in solids, in liquids, and the spin of a rigid body', async () => {
  const velocity: [string, string, string] = ['0.1 * x + 0.3 * y', '-0.2 * z', '0.1 * y'];
  const wanted = [0.1, 0.3, 0, 0, 0, -0.2, 0, 0.1, 0];
  for (const kind of ['solid', 'fluid'] as const) {
    const world = await load({
      gravity: [0, 0, 0],
      bodies: [{ kind, shape: { box: { size: [0.5, 0.5, 0.5] } }, spacing: 0.05, velocity }],
    });
    for (const [e, value] of middle(world, world.velocityGradients(), 9).entries()) {
      expect(value).toBeCloseTo(wanted[e]!, 5);
    }
    await world.dispose();
  }
  const rigid = await load({
    gravity: [0, 0, 0],
    bodies: [{ kind: 'rigid', shape: { box: { size: [0.5, 0.5, 0.5] } }, spacing: 0.1, angularVelocity: [0, 0, 2] }],
  });
  const spin = [0, -2, 0, 2, 0, 0, 0, 0, 0];
  for (const [e, value] of middle(rigid, rigid.velocityGradients(), 9).entries())
    expect(value).toBeCloseTo(spin[e]!, 4);
  expect(rigid.stressTensors().every((value) => value === 0)).toBe(true);
  await rigid.dispose();
});

test('a liquid that is sheared has the stress of its viscosity, one at rest minus its pressure', async () => {
  const world = await load({
    gravity: [0, 0, 0],
    bodies: [
      {
        kind: 'fluid',
        shape: { box: { size: [0.5, 0.5, 0.5] } },
        spacing: 0.05,
        velocity: ['0.3 * y', 0, 0],
        material: { viscosity: 2 },
      },
    ],
  });
  const six = middle(world, world.stressTensors());
  expect(six[3]).toBeCloseTo(0.6, 4);
  const pressures = world.pressures();
  const tensors = world.stressTensors();
  for (let i = 0; i < world.particleCount; i += 17) {
    expect((tensors[6 * i]! + tensors[6 * i + 1]! + tensors[6 * i + 2]!) / 3).toBeCloseTo(-pressures[i]!, 3);
  }
  await world.dispose();
});

test('probes have columns for components and principal values, and mean what arrays say', async () => {
  const world = await createWorld({ gravity: [0, 0, 0], threads: 1 });
  world.addBody({
    name: 'bar',
    shape: { box: { size: [1, 1, 1] } },
    spacing: 0.2,
    displacement: ['0.01 * x', '-0.003 * y', '-0.003 * z'],
    material: { youngsModulus: E, poissonsRatio: NU },
  });
  const read = (quantity: 'stressTensor' | 'principalStress' | 'principalStrain' | 'velocityGradient') =>
    world.probe({ name: 'p', body: 'bar', quantity });
  expect(read('stressTensor')).toHaveLength(6);
  expect(read('velocityGradient')).toEqual(new Array(9).fill(0));
  expect(read('principalStress')[0]).toBeCloseTo(read('stressTensor')[0]!, 2);
  expect(read('principalStrain')[0]).toBeCloseTo(Math.log(1.01), 4);
  await world.dispose();
});
