/** Bodies that flow touch each other, and far parts of themselves. */
import { describe, expect, it } from 'vitest';
import type { MaterialInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { createWorld, World } from '../../src/world.js';
import { block, SOME_BOX } from './support.js';

const SPACING = 0.04;
const FLOOR = { name: 'floor', shape: { plane: { normal: [0, 1, 0] as Vec3, offset: 0 } } };
const soft = { youngsModulus: 1e5, poissonsRatio: 0.4, density: 1000, friction: 0 };

/** Positions of a body's particles, or of one range of them. */
function positionsOf(world: World, first: number, last: number): Vec3[] {
  const p = world.positions();
  const list: Vec3[] = [];
  for (let i = first; i < last; i++) if (p[4 * i + 3] === 1) list.push([p[4 * i]!, p[4 * i + 1]!, p[4 * i + 2]!]);
  return list;
}

function distance(one: readonly Vec3[], other: readonly Vec3[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const a of one) {
    for (const b of other) least = Math.min(least, Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
  }
  return least;
}

/** Two cubes that fly at each other, a little off centre. */
async function collision(speed: number, material: MaterialInput = {}) {
  const world = await createWorld({ threads: 1, gravity: [0, 0, 0], solver: { maxTimeStep: 1e-3 } });
  for (const [name, side] of [
    ['left', -1],
    ['right', 1],
  ] as const) {
    world.addBody({
      name,
      shape: { box: { size: [0.2, 0.2, 0.2] } },
      spacing: SPACING,
      position: [0.13 * side, 0.013 * side, 0],
      velocity: [-speed * side, 0, 0],
      discretisation: 'embedded',
      material: { ...soft, ...material },
    });
  }
  return world;
}

/** Spacings that the upper cube of a stack is above its position. */
const DROP = 2.5;

/** A cube of 3^3 above one of 4^3, whose hollows it comes down into: two bodies, or two parts of one. */
async function stack(bodies: 1 | 2) {
  const world = await createWorld({ threads: 1, solver: { maxTimeStep: 1e-3 } });
  world.addObstacle({ ...FLOOR, friction: 0.5 });
  const options = {
    shape: SOME_BOX,
    discretisation: 'embedded' as const,
    material: { ...soft, friction: 0.5, viscosity: 60 },
    position: [0, 2 * SPACING, 0] as Vec3,
  };
  const low = block([4, 4, 4], SPACING);
  const high = block([3, 3, 3], SPACING);
  // Top of one and bottom of the other, and 1 / sqrt(2) where balls of one layer rest between those of the other.
  for (let k = 1; k < high.positions.length; k += 3) high.positions[k]! += (2.5 + Math.SQRT1_2 + DROP) * SPACING;
  if (bodies === 2) {
    world.addBody({ ...options, name: 'low' }, low);
    world.addBody({ ...options, name: 'high' }, high);
  } else {
    const join = (key: 'positions' | 'volumes' | 'spacings') => new Float64Array([...low[key], ...high[key]]);
    const both = { positions: join('positions'), volumes: join('volumes'), spacings: join('spacings') };
    world.addBody({ ...options, name: 'both' }, both);
  }
  return world;
}

describe('bodies that flow', () => {
  it('bounce off each other: momentum is kept, energy does not grow, nothing gets inside', async () => {
    const world = await collision(2);
    const positions = world.particleCount / 2;
    const total = () => world.energy().kinetic + world.energy().elastic;
    const [energy, momentum, spin] = [total(), world.masses().reduce((sum, m) => sum + m, 0), world.angularMomentum()];
    let nearest = Number.POSITIVE_INFINITY;
    for (let frame = 0; frame < 20; frame++) {
      world.step(0.01);
      nearest = Math.min(
        nearest,
        distance(positionsOf(world, 0, positions), positionsOf(world, positions, 2 * positions)) / SPACING,
      );
      // Held steps let elastic energy swing by half a per cent.
      expect(total(), `frame ${frame}`).toBeLessThan(1.005 * energy);
      // Of either body's momentum, to the rounding of float32 velocities.
      expect(Math.hypot(...world.momentum()) / (momentum * 2)).toBeLessThan(1e-6);
    }
    // Pressed to rho c v over 2 mu, a tenth, and some by inertia.
    expect(nearest).toBeGreaterThan(0.6);
    expect(nearest).toBeLessThan(1);
    // They part again: nothing sticks.
    expect(distance(positionsOf(world, 0, positions), positionsOf(world, positions, 2 * positions))).toBeGreaterThan(
      2 * SPACING,
    );
    // Contact is central; the fit of stress is not quite, see embedding.test.ts.
    const change = world.angularMomentum().map((l, a) => l - spin[a]!);
    expect(Math.hypot(...change) / Math.hypot(...spin)).toBeLessThan(1e-3);
    await world.dispose();
  });

  it('that yield flatten each other and do not stick', async () => {
    const world = await collision(4, { yieldStress: 500, creepRate: 200 });
    const positions = world.particleCount / 2;
    const gap = () =>
      distance(positionsOf(world, 0, positions), positionsOf(world, positions, 2 * positions)) / SPACING;
    let [nearest, resampled] = [Number.POSITIVE_INFINITY, 0];
    for (let frame = 0; frame < 15; frame++) {
      const { splits, merges } = world.step(0.01).flow!;
      resampled += splits + merges;
      nearest = Math.min(nearest, gap());
    }
    expect(Math.max(...world.plasticStrains())).toBeGreaterThan(0.3);
    expect(resampled).toBeGreaterThan(0);
    expect(nearest).toBeGreaterThan(0.5);
    expect(Math.hypot(...world.momentum())).toBeLessThan(1e-5);
    // What is left of the bounce drives them apart.
    const then = gap();
    world.step(0.1);
    expect(gap()).toBeGreaterThan(then);
    await world.dispose();
  });

  it.each([2, 1] as const)('rest on each other, as parts of %d bodies', async (bodies) => {
    const world = await stack(bodies);
    // Twice as many positions as particles.
    const first = bodies === 2 ? 2 * 64 : 64;
    const high = () => positionsOf(world, first, first + 27);
    const height = () => high().reduce((sum, [, y]) => sum + y / 27, 0) / SPACING;
    const start = height();
    world.step(1);
    const gap = distance(positionsOf(world, 0, 64), high()) / SPACING;
    // Three layers on four springs each of 2 mu, and twice that where they are pressed by the landing.
    expect(gap).toBeGreaterThan(0.98);
    expect(gap).toBeLessThan(1);
    // It came down as far as it could, and both are pressed together a little by their weight.
    expect(start - DROP - height()).toBeGreaterThan(0);
    expect(start - DROP - height()).toBeLessThan(0.1);
    const resting = height();
    world.step(0.3);
    expect(Math.abs(height() - resting)).toBeLessThan(1e-3);
    expect(world.energy().kinetic).toBeLessThan(1e-5);
    await world.dispose();
  });

  it('collide as other solids do', async () => {
    const run = async (discretisation: 'linear' | 'embedded') => {
      const world = await createWorld({ threads: 1, gravity: [0, 0, 0], solver: { maxTimeStep: 5e-4 } });
      const cube = { shape: { box: { size: [0.2, 0.2, 0.2] as Vec3 } }, spacing: SPACING, material: soft };
      world.addBody({ ...cube, name: 'a', discretisation });
      world.addBody({ ...cube, name: 'b', discretisation, position: [0.22, 0.05, 0.03], velocity: [-1, 0, 0] });
      world.step(0.1);
      const range = world.particleCount / 2;
      const positions = [...positionsOf(world, 0, range), ...positionsOf(world, range, 2 * range)];
      await world.dispose();
      return positions;
    };
    const [one, other] = [await run('linear'), await run('embedded')];
    const apart = Math.max(...one.map((a, i) => Math.hypot(...a.map((x, k) => x - other[i]![k]!))));
    // Of a way of 0.05 m after the impact, in float32.
    expect(apart).toBeLessThan(1e-3 * SPACING);
  });

  it('do not touch when they are told not to', async () => {
    const world = await createWorld({
      threads: 1,
      gravity: [0, 0, 0],
      solver: { contact: { bodies: false } },
    });
    const cube = { shape: { box: { size: [0.2, 0.2, 0.2] as Vec3 } }, spacing: SPACING, material: soft };
    world.addBody({ ...cube, name: 'a', discretisation: 'embedded' });
    world.addBody({ ...cube, name: 'b', discretisation: 'embedded', position: [0.3, 0, 0], velocity: [-2, 0, 0] });
    world.step(0.1);
    expect(world.energy().elastic).toBeLessThan(1e-8);
    await world.dispose();
  });

  it('are refused inside each other', async () => {
    const world = await createWorld({ threads: 1 });
    const cube = { shape: { box: { size: [0.2, 0.2, 0.2] as Vec3 } }, spacing: SPACING, material: soft };
    world.addBody({ ...cube, name: 'a', discretisation: 'embedded' });
    world.addBody({ ...cube, name: 'b', discretisation: 'embedded', position: [0.15, 0, 0] });
    expect(() => world.step(0.01)).toThrow(/bodies\[1\]\.position lets it overlap "a" at the start/);
    await world.dispose();
  });

  it('have the same hash for any number of threads, and go on from a save, as they fall on each other', async () => {
    const hashes: string[] = [];
    for (const threads of [1, 2]) {
      const world = await createWorld({ threads, solver: { maxTimeStep: 1e-3 } });
      world.addObstacle({ ...FLOOR, friction: 0.3 });
      const dough = { ...soft, yieldStress: 150, creepRate: 150, friction: 0.3 };
      for (const [k, height] of [0.11, 0.36].entries()) {
        world.addBody({
          name: `dough ${k}`,
          shape: { box: { size: [0.24, 0.2, 0.2] } },
          position: [0.03 * k, height, 0.02 * k],
          spacing: SPACING,
          discretisation: 'embedded',
          material: dough,
        });
      }
      let resampled = 0;
      for (let frame = 0; frame < 12; frame++) {
        const { splits, merges } = world.step(1 / 30).flow!;
        resampled += splits + merges;
      }
      expect(resampled).toBeGreaterThan(3);
      const bytes = world.save();
      for (let frame = 0; frame < 3; frame++) world.step(1 / 30);
      hashes.push(world.stateHash());
      await world.dispose();
      const resumed = await World.load(bytes, { threads });
      for (let frame = 0; frame < 3; frame++) resumed.step(1 / 30);
      hashes.push(resumed.stateHash());
      await resumed.dispose();
    }
    expect(new Set(hashes).size).toBe(1);
  });
});
