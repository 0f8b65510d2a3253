import { describe, expect, test } from 'vitest';
import type { BodyInput } from '../../src/options/index.js';
import type { TriangleMesh, Vec3 } from '../../src/options/types.js';
import { parseScene, serializeScene } from '../../src/scene/index.js';
import { loadScene } from '../../src/scene/load.js';
import { createWorld, World } from '../../src/world.js';
import { withWorld } from './support.js';

const GRAVITY = [0, 0, 0] as const;
const material = { youngsModulus: 1e5, poissonsRatio: 0.3, density: 1000 };

const sphere: BodyInput = { name: 'body', shape: { sphere: { radius: 0.2 } }, spacing: 0.05, material };

describe('a constant pressure all around', () => {
  test('has no resultant and no moment, at rest and deformed', async () => {
    const PHASES: Partial<BodyInput>[] = [
      { displacement: ['0.2 * x + 0.1 * y', '0.3 * z * y', '-0.1 * z'] },
      { kind: 'rigid', shape: { box: { size: [0.3, 0.2, 0.4] } }, angularVelocity: [1, 2, 3] },
    ];
    for (const more of PHASES) {
      await withWorld({ gravity: GRAVITY, solver: { maxTimeStep: 2e-4 } }, (world) => {
        world.addBody({ ...sphere, ...more } as BodyInput);
        world.add('loads', { body: 'body', pressure: 1e4 });
        const before = world.angularMomentum();
        world.step(0.02);
        // 1.3e3 N push on each side: 25 N s in this time, at arms of 0.2 m. Forces are found where the surface will be at
        // the end of the step but for its acceleration, so moments are left of second order in the step.
        for (const p of world.momentum()) expect(Math.abs(p)).toBeLessThan(1e-3);
        for (const [a, l] of world.angularMomentum().entries()) expect(Math.abs(l - before[a]!)).toBeLessThan(5e-4);
      });
    }
  });

  test('presses a ball together by p / K', async () => {
    const bulk = 1e5 / (3 * (1 - 2 * 0.3));
    await withWorld({ gravity: GRAVITY }, (world) => {
      world.addBody({ ...sphere, spacing: 0.04, material: { ...material, model: 'corotational' } });
      world.add('loads', { body: 'body', pressure: 100 });
      world.solveStatic();
      const ratios = world.volumeRatios();
      const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
      expect((1 - mean) / (100 / bulk)).toBeGreaterThan(0.95);
      expect((1 - mean) / (100 / bulk)).toBeLessThan(1.05);
    });
  });
});

describe('a beam', () => {
  /** Ten by two by two; held at x < 0. */
  const beam: BodyInput = {
    name: 'body',
    shape: { box: { size: [1.2, 0.2, 0.2] } },
    position: [0.4, 0, 0],
    spacing: 0.04,
    material,
  };
  const held = { body: 'body', region: { box: { min: [-1, -1, -1], max: [0, 1, 1] } }, fix: true } as const;
  const top = { box: { min: [-1, 0.099, -1], max: [2, 1, 1] } } as const;
  async function tip(gravity: Vec3, ...loads: object[]): Promise<number> {
    const world = await createWorld({ threads: 1, gravity });
    world.addBody(beam);
    world.addConstraint(held);
    for (const load of loads) world.add('loads', { body: 'body', ...load });
    const report = world.solveStatic();
    expect(report.warnings).toEqual([]);
    const region = { box: { min: [0.95, -1, -1], max: [2, 1, 1] } } as const;
    const [, y] = world.probe({ name: 'tip', region, quantity: 'displacement' });
    await world.dispose();
    return y!;
  }

  test('bends by a load on its top as by the same weight', async () => {
    // rho g h = 1000 * 0.02 * 0.2 = 4 Pa; the same beam, so what its fit lacks is in both.
    const byWeight = await tip([0, -0.02, 0]);
    for (const load of [
      { region: top, pressure: 4 },
      { region: top, pressure: '2 + 2', following: false },
      { region: top, traction: [0, -4, 0] },
      { region: top, force: [0, -4 * 0.24, 0] },
    ]) {
      const y = await tip(GRAVITY, load);
      expect(y / byWeight).toBeGreaterThan(0.99);
      expect(y / byWeight).toBeLessThan(1.01);
    }
  });

  test('bends by a line load at its end as theory has it', async () => {
    const edge = { box: { min: [0.979, 0.099, -1], max: [1.1, 1, 1] } } as const;
    const y = await tip(GRAVITY, { region: edge, force: [0, -0.05, 0] });
    // Of Timoshenko: P L^3 / 3 E I + 6/5 P L / G A; the tip region's middle is 0.0125 before the line.
    const inertia = 0.2 ** 4 / 12;
    const theory = (0.05 * 0.99 ** 3) / (3 * 1e5 * inertia) + (1.2 * 0.05 * 0.99) / ((1e5 / 2.6) * 0.04);
    expect(-y / theory).toBeGreaterThan(0.95);
    expect(-y / theory).toBeLessThan(1.08);
  });

  test('is balanced with a pressure where that has followed it to', async () => {
    const along = async (following: boolean) => {
      const world = await createWorld({ threads: 1, gravity: GRAVITY });
      world.addBody({ ...beam, spacing: 0.0667 });
      world.addConstraint(held);
      world.add('loads', { body: 'body', region: top, pressure: 150, following });
      expect(world.solveStatic().warnings).toEqual([]);
      const end = { box: { min: [0.9, -1, -1], max: [2, 1, 1] } } as const;
      const [, y] = world.probe({ name: 'tip', region: end, quantity: 'displacement' });
      await world.dispose();
      return y!;
    };
    // A fifth of its length: the directions of the two differ by 0.3 rad at the tip.
    const [dead, live] = [await along(false), await along(true)];
    expect(dead).toBeLessThan(-0.2);
    expect(Math.abs(live / dead - 1)).toBeGreaterThan(0.001);
    expect(Math.abs(live / dead - 1)).toBeLessThan(0.1);
  });
});

test.each([true, false])('on a face of a box that spins, following %s', async (following) => {
  await withWorld({ gravity: GRAVITY, solver: { maxTimeStep: 1e-3 } }, (world) => {
    const omega = 3;
    world.addBody({
      name: 'box',
      kind: 'rigid',
      shape: { box: { size: [0.2, 0.2, 0.2] } },
      spacing: 0.05,
      angularVelocity: [0, 0, omega],
      material,
    });
    world.add('loads', {
      body: 'box',
      region: { box: { min: [0.099, -1, -1], max: [1, 1, 1] } },
      pressure: 50,
      following,
    });
    world.stepTo(0.5);
    // 2 N, along -x of the box: the integral of their direction. The one that keeps it exerts no moment at first, and
    // none of those that follow does.
    const [x, y] = world.momentum();
    const angle = omega * 0.5;
    if (following) {
      expect(x).toBeCloseTo((-2 * Math.sin(angle)) / omega, 3);
      expect(y).toBeCloseTo((-2 * (1 - Math.cos(angle))) / omega, 3);
    } else {
      expect(x).toBeCloseTo(-2 * 0.5, 3);
      expect(y).toBeCloseTo(0, 6);
    }
  });
});

/** A tube along z: `sides` corners around. */
function tube(inner: number, outer: number, length: number, sides: number): TriangleMesh {
  const positions: number[] = [];
  for (const [r, z] of [
    [inner, -length / 2],
    [outer, -length / 2],
    [outer, length / 2],
    [inner, length / 2],
  ] as const) {
    for (let k = 0; k < sides; k++) {
      const angle = (2 * Math.PI * k) / sides;
      positions.push(r * Math.cos(angle), r * Math.sin(angle), z);
    }
  }
  const triangles: number[] = [];
  for (let ring = 0; ring < 4; ring++) {
    for (let k = 0; k < sides; k++) {
      const [a, b] = [ring * sides + k, ring * sides + ((k + 1) % sides)];
      const [c, d] = [((ring + 1) % 4) * sides + k, ((ring + 1) % 4) * sides + ((k + 1) % sides)];
      triangles.push(a, b, d, a, d, c);
    }
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

test("a thick tube under pressure inside widens as Lame's does", async () => {
  const [a, b, nu, E, p] = [0.5, 1, 0.3, 1e6, 1e3];
  await withWorld({ gravity: GRAVITY }, (world) => {
    const spacing = 0.05;
    world.addBody({
      name: 'tube',
      shape: { mesh: { data: tube(a, b, 0.15, 96) } },
      spacing,
      material: { density: 1000, youngsModulus: E, poissonsRatio: nu },
    });
    // Plane strain, and what symmetry keeps.
    world.addConstraint({ body: 'tube', fix: ['z'] });
    const bar = (axis: 0 | 1) =>
      ({
        box: { min: axis === 0 ? [-2, -0.03, -1] : [-0.03, -2, -1], max: axis === 0 ? [2, 0.03, 1] : [0.03, 2, 1] },
      }) as const;
    world.addConstraint({ body: 'tube', region: bar(0) as never, fix: ['y', 'z'] });
    world.addConstraint({ body: 'tube', region: bar(1) as never, fix: ['x', 'z'] });
    const from = world.positions();
    // A sphere that reaches into the wall and not through it holds the inner surface only.
    world.add('loads', {
      body: 'tube',
      region: { sphere: { center: [0, 0, 0], radius: 0.6 } },
      pressure: `sqrt(x*x + y*y) < 0.51 ? ${p} : 0`,
    });
    world.solveStatic();
    const to = world.positions();
    for (const [low, high] of [
      [0.5, 0.57],
      [0.7, 0.8],
      [0.93, 1],
    ] as const) {
      let [ours, theirs] = [0, 0];
      for (let i = 0; i < from.length; i += 4) {
        const [x, y] = [from[i]!, from[i + 1]!];
        const r = Math.hypot(x, y);
        if (r < low || r > high) continue;
        ours += ((to[i]! - x) * x + (to[i + 1]! - y) * y) / r;
        theirs += ((p * a * a * (1 + nu)) / (E * (b * b - a * a))) * ((1 - 2 * nu) * r + (b * b) / r);
      }
      expect(ours / theirs).toBeGreaterThan(0.97);
      expect(ours / theirs).toBeLessThan(1.03);
    }
  });
});

const SCENE = `phyxel: 1
name: loads
gravity: [0, 0, 0]
duration: 0.1
bodies:
  - { name: block, shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05, velocity: [0, 1, 0] }
  - { name: pool, kind: fluid, shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [1, 0, 0], spacing: 0.05 }
loads:
  - { body: block, region: { box: { min: [-1, -1, -1], max: [-0.09, 1, 1] } }, pressure: "1000 * sin(20 * t) * (1 + y)", end: 0.06 }
  - { body: block, traction: ["100 * y", 0, 0], force: [0, "t", 0], start: 0.02 }
`;

describe('in scenes', () => {
  test('they are the same for all threads, after a save, and in the text that is written', async () => {
    const hashes: string[] = [];
    for (const threads of [1, 2]) {
      const { scene } = parseScene(SCENE, 'loads.yaml');
      expect(parseScene(serializeScene(scene), 'again.json').scene).toEqual(scene);
      const world = await loadScene(scene, { threads });
      world.stepTo(0.05);
      const saved = await World.load(world.save(), { threads: 1 });
      for (const each of [world, saved]) {
        each.stepTo(0.1);
        hashes.push(each.stateHash());
        await each.dispose();
      }
    }
    expect(new Set(hashes).size).toBe(1);
  });

  test.each([
    ['body: block, traction', 'body: pool, traction', /loads\[1\].body must be a solid or a rigid body/],
    ['max: [-0.09, 1, 1]', 'max: [-0.5, 1, 1]', /loads\[0\].region holds no part of the surface of "block"/],
    [
      'traction: ["100 * y", 0, 0], force: [0, "t", 0], start: 0.02',
      'start: 0.02',
      /loads\[1\] does nothing: give it pressure/,
    ],
    ['[0, "t", 0]', '[0, "y", 0]', /force\[1\] "y" must be a formula of t only/],
    ['end: 0.06', 'end: 0', /loads\[0\].end must be a finite number > 0 s/],
  ])('%s as %s is refused', async (from, to, message) => {
    expect(SCENE).toContain(from);
    await expect(async () => {
      const { scene } = parseScene(SCENE.replace(from, to), 'loads.yaml');
      await (await loadScene(scene, { threads: 1 })).dispose();
    }).rejects.toThrow(message);
  });
});
