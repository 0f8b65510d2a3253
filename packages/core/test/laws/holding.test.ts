/** Constraints and grabs on every phase, from any time on. */
import { describe, expect, test } from 'vitest';
import type { BodyInput, ConstraintInput, MaterialInput, WorldInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { createWorld, World } from '../../src/world.js';
import { block, SOME_BOX } from './support.js';

const SPACING = 0.05;
const WATER = { density: 1000, viscosity: 0.001 } as const;
const JELLY = { density: 1000, youngsModulus: 1e5, poissonsRatio: 0.3 } as const;
const PHASES = {
  solid: { material: JELLY },
  implicit: { material: JELLY },
  melt: { kind: 'fluid', material: { ...JELLY, elastic: true, viscosity: 0 } },
  dough: {
    kind: 'fluid',
    material: { ...JELLY, youngsModulus: 1e4, elastic: true, yieldStress: 0, creepRate: 40, viscosity: 5 },
  },
  liquid: { kind: 'fluid', material: WATER },
  honey: { kind: 'fluid', material: { density: 1400, viscosity: 50 } },
  viscoplastic: { discretisation: 'embedded', material: { ...JELLY, yieldStress: 1e3 } },
} as const satisfies Record<string, Partial<BodyInput>>;
type Phase = keyof typeof PHASES;

async function worldOf(phase: Phase, options: WorldInput = {}, body: Partial<BodyInput> = {}): Promise<World> {
  const solver = phase === 'implicit' ? { solid: { integrator: 'implicit' as const } } : {};
  const world = await createWorld({ threads: 1, gravity: [0, -9.81, 0], solver, ...options });
  const input = { name: 'b', shape: SOME_BOX, spacing: SPACING, ...PHASES[phase], ...body } as BodyInput;
  world.addBody(input, block([6, 4, 4], SPACING));
  return world;
}

const all = Object.keys(PHASES) as Phase[];
const LEFT = { box: { min: [-1, -1, -1], max: [-0.05, 1, 1] } } as const;
const isLeft = (x: number) => x <= -0.05 + 1e-6;

/** Steps that are short beside what happens, for the implicit solver. */
function run(world: World, seconds: number): void {
  for (let k = 1, start = world.time; k <= 100 * seconds + 1e-9; k++) world.stepTo(start + k / 100);
}

/** Largest distance of the chosen particles between two states. */
function moved(before: Float32Array, after: Float32Array, chosen: (x: Vec3) => boolean): number {
  let most = 0;
  for (let i = 0; i < before.length; i += 4) {
    const at: Vec3 = [before[i]!, before[i + 1]!, before[i + 2]!];
    if (before[i + 3] === 0 || !chosen(at)) continue;
    most = Math.max(most, Math.hypot(after[i]! - at[0], after[i + 1]! - at[1], after[i + 2]! - at[2]));
  }
  return most;
}

describe.each(all)('%s', (phase) => {
  test('held from the start stays, and falls when it is released', async () => {
    const world = await worldOf(phase);
    const start = world.positions();
    const hold = world.addConstraint({ body: 'b', fix: true });
    run(world, 0.2);
    expect(moved(start, world.positions(), () => true)).toBeLessThan(1e-6);
    hold.release();
    run(world, 0.2);
    const fall = start[1]! - world.positions()[1]!;
    // Free fall; backward Euler with steps of 0.01 s falls 5 % farther.
    expect(Math.abs(fall / ((9.81 * 0.2 ** 2) / 2) - 1)).toBeLessThan(0.06);
    await world.dispose();
  });

  test('held from a later time on stays where it is then', async () => {
    const world = await worldOf(phase, { gravity: [0, 0, 0] }, { velocity: [1, 0, 0] });
    world.addConstraint({ body: 'b', fix: true, start: 0.1, end: 0.3 });
    const start = world.positions();
    run(world, 0.1);
    const caught = world.positions();
    expect(caught[0]! - start[0]!).toBeCloseTo(0.1, 4);
    run(world, 0.2);
    expect(moved(caught, world.positions(), () => true)).toBeLessThan(1e-6);
    run(world, 0.1);
    // It was stopped: nothing moves it again.
    expect(moved(caught, world.positions(), () => true)).toBeLessThan(1e-4);
    await world.dispose();
  });

  test('one end is held while the other one falls', async () => {
    const world = await worldOf(phase);
    const start = world.positions();
    world.addConstraint({ body: 'b', region: LEFT, fix: true });
    run(world, 0.15);
    const now = world.positions();
    expect(moved(start, now, ([x]) => isLeft(x))).toBeLessThan(1e-6);
    expect(moved(start, now, ([x]) => x > 0.1)).toBeGreaterThan(1e-3);
    await world.dispose();
  });

  test('is moved along keyframes that begin later', async () => {
    const world = await worldOf(phase, { gravity: [0, 0, 0] });
    const start = world.positions();
    const move = [{ time: 0.1 }, { time: 0.3, position: [0.1, 0.2, 0] as Vec3, rotation: [0, 0, 90] as Vec3 }];
    world.addConstraint({ body: 'b', move, start: 0.1 });
    run(world, 0.35);
    const now = world.positions();
    // A quarter turn about the centre; velocities follow the arc in steps.
    for (const i of [0, 4 * 95]) {
      const [x, y] = [start[i]!, start[i + 1]!];
      expect(now[i]!).toBeCloseTo(-y + 0.1, 2);
      expect(now[i + 1]!).toBeCloseTo(x + 0.2, 2);
    }
    await world.dispose();
  });

  test('a force from a later time on gives it the momentum F t', async () => {
    const world = await worldOf(phase, { gravity: [0, 0, 0] });
    world.addConstraint({ body: 'b', force: [0, 0, 3], start: 0.05, end: 0.15 });
    run(world, 0.2);
    expect(world.momentum()[2]).toBeCloseTo(0.3, 4);
    await world.dispose();
  });

  test('particles are chosen by where they are when the constraint begins', async () => {
    const world = await worldOf(phase, { gravity: [0, 0, 0] }, { velocity: [1, 0, 0] });
    // At 0.1 s the body reaches from -0.05 to 0.25; at time 0 half of it would be in the region.
    const region: ConstraintInput['region'] = { box: { min: [0.2, -1, -1], max: [1, 1, 1] } };
    world.addConstraint({ body: 'b', region, regionTime: 'start', fix: true, start: 0.1 });
    run(world, 0.1);
    const caught = world.positions();
    run(world, 0.05);
    const now = world.positions();
    const stopped = [];
    for (let i = 0; i < now.length; i += 4)
      if (now[i + 3] === 1 && Math.abs(now[i]! - caught[i]!) < 1e-6) stopped.push(caught[i]!);
    expect(stopped.length).toBeGreaterThanOrEqual(16);
    expect(Math.min(...stopped)).toBeGreaterThan(0.19);
    await world.dispose();
  });

  test('follows a grab, and lets go of it', async () => {
    const world = await worldOf(phase, { gravity: [0, 0, 0] });
    const before = world.positions();
    const grab = world.grab('b', [0.125, 0, 0], { radius: 1 });
    grab.target = [0.325, 0, 0];
    run(world, 0.5);
    const now = world.positions();
    let mean = 0;
    for (let i = 0; i < now.length; i += 4) mean += (now[i]! - before[i]!) / 96;
    expect(mean).toBeCloseTo(0.2, 2);
    grab.release();
    const momentum = world.momentum()[0];
    run(world, 0.05);
    expect(world.momentum()[0]).toBeCloseTo(momentum!, 4);
    await world.dispose();
  });

  test('constraints that begin at different times hold along their own axes, whatever their order', async () => {
    const world = await worldOf(phase, { gravity: [0, 0, 0] }, { velocity: [1, 1, 0] });
    const start = world.positions();
    world.addConstraint({ body: 'b', fix: ['y'], start: 0.1 });
    world.addConstraint({ body: 'b', fix: ['x'], start: 0.05 });
    run(world, 0.15);
    const now = world.positions();
    expect(now[0]! - start[0]!).toBeCloseTo(0.05, 4);
    expect(now[1]! - start[1]!).toBeCloseTo(0.1, 4);
    await world.dispose();
  });

  test('a motion goes on beside a force and beside what holds another axis', async () => {
    const world = await worldOf(phase, { gravity: [0, 0, 0] });
    const start = world.positions();
    world.addConstraint({ body: 'b', move: [{ time: 0 }, { time: 0.2, position: [0.2, 0, 0] }] });
    world.addConstraint({ body: 'b', regionTime: 'start', force: [0, 1, 0], start: 0.1 });
    world.addConstraint({ body: 'b', fix: ['y'], start: 0.1 });
    run(world, 0.25);
    const now = world.positions();
    expect(now[0]! - start[0]!).toBeCloseTo(0.2, 4);
    expect(now[1]! - start[1]!).toBeCloseTo(0, 4);
    await world.dispose();
  });

  test('is held and let go again and again', async () => {
    const world = await worldOf(phase, { gravity: [0, 0, 0] });
    const bytes = world.save().length;
    for (let k = 0; k < 40; k++) {
      const hold = world.addConstraint({ body: 'b', fix: true });
      run(world, 0.01);
      hold.release();
    }
    run(world, 0.01);
    // Only what was asked for is kept.
    expect(world.save().length).toBeLessThan(bytes + 40 * 300 + 20_000);
    await world.dispose();
  });

  test('a force gives half the velocity after the density is doubled', async () => {
    const world = await worldOf(phase, { gravity: [0, 0, 0] });
    world.addConstraint({ body: 'b', force: [0, 0, 3] });
    run(world, 0.05);
    const before = world.momentum()[2]!;
    expect(before).toBeCloseTo(0.15, 4);
    if (phase === 'viscoplastic') return world.dispose();
    world.setMaterial('b', { density: 2 * PHASES[phase].material.density });
    const after = world.momentum()[2]!;
    run(world, 0.05);
    expect(world.momentum()[2]! - after).toBeCloseTo(0.15, 4);
    await world.dispose();
  });

  test('what is added within a frame begins on time, also after a save', async () => {
    const world = await worldOf(phase, { gravity: [0, 0, 0] }, { velocity: [1, 0, 0] });
    const start = world.positions();
    let bytes: Uint8Array | undefined;
    for (const time of world.stepsTo(0.05)) {
      if (bytes || time < 0.01) continue;
      world.addConstraint({ body: 'b', fix: true, start: 0.02 });
      bytes = world.save();
    }
    // Implicit steps are as long as the frame.
    if (!bytes) return world.dispose();
    expect(world.positions()[0]! - start[0]!).toBeCloseTo(0.02, 4);
    const loaded = await World.load(bytes, { threads: 1 });
    loaded.stepTo(0.05);
    expect(loaded.stateHash()).toBe(world.stateHash());
    await loaded.dispose();
    await world.dispose();
  });

  test('a save within a hold goes on to the same bits', async () => {
    const world = await worldOf(phase);
    world.addConstraint({ body: 'b', region: LEFT, fix: ['x', 'y'], start: 0.05, end: 0.15 });
    world.addConstraint({ body: 'b', region: { all: true }, regionTime: 'start', force: [1, 0, 0], start: 0.1 });
    for (const time of [0.03, 0.08, 0.12]) world.stepTo(time);
    const loaded = await World.load(world.save(), { threads: 2 });
    for (const time of [0.14, 0.2]) {
      world.stepTo(time);
      loaded.stepTo(time);
    }
    expect(loaded.stateHash()).toBe(world.stateHash());
    await loaded.dispose();
    await world.dispose();
  });
});

test('a region in which nothing is when the constraint begins is told, and does nothing', async () => {
  const world = await worldOf('liquid', { gravity: [0, 0, 0] });
  const region = { box: { min: [5, 5, 5], max: [6, 6, 6] } } as const;
  world.addConstraint({ body: 'b', region, regionTime: 'start', fix: true, start: 0.01 });
  const { warnings } = world.step(0.02);
  expect(warnings).toEqual(['constraints[0]: no particle of "b" was in its region when it began, at 0.01 s']);
  await world.dispose();
});

test('what comes out of a source has no positions at time 0, and can be chosen later', async () => {
  const world = await createWorld({ threads: 1, gravity: [0, 0, 0] });
  const material = WATER as MaterialInput;
  world.addEmitter({ name: 'jet', radius: 0.1, speed: 1, spacing: SPACING, maxParticles: 400, material, stop: 0.15 });
  expect(() => world.addConstraint({ body: 'jet', fix: true })).toThrow('must be "start"');
  world.addConstraint({ body: 'jet', fix: true, regionTime: 'start', start: 0.2 });
  run(world, 0.2);
  const before = world.positions();
  run(world, 0.1);
  const now = world.positions();
  expect(world.liquidCount).toBeGreaterThan(20);
  expect(moved(before, now, () => true)).toBeLessThan(1e-6);
  await world.dispose();
});

test('a plastic melt that is held and bent keeps its bend: among held particles there is no pressure', async () => {
  const d = 0.01;
  const world = await createWorld({ threads: 1 });
  const material = {
    density: 900,
    youngsModulus: 1e6,
    poissonsRatio: 0.3,
    elastic: true,
    yieldStress: 6e4,
    damping: 0.2,
  };
  world.addBody({ name: 'b', kind: 'fluid', shape: SOME_BOX, spacing: d, material }, block([25, 5, 5], d));
  world.addConstraint({ body: 'b', region: { box: { min: [-1, -1, -1], max: [-0.08, 1, 1] } }, fix: true });
  const region = { box: { min: [0.08, -1, -1] as Vec3, max: [1, 1, 1] as Vec3 } };
  const move = [{ time: 0 }, { time: 0.2, position: [-0.03, -0.07, 0] as Vec3, rotation: [0, 0, -50] as Vec3 }];
  world.addConstraint({ body: 'b', region, move, end: 0.25 });
  const start = world.positions();
  run(world, 0.2);
  const pressures = world.pressures();
  for (let i = 0; i < pressures.length; i++)
    if (start[4 * i]! < -0.101) expect(Math.abs(pressures[i]!)).toBeLessThan(1e-6);
  const bent = world.positions().at(-3)!;
  run(world, 0.3);
  // It springs back by its elastic part only.
  const sunk = start.at(-3)! - world.positions().at(-3)!;
  expect(sunk).toBeGreaterThan(0.3 * (start.at(-3)! - bent));
  expect(sunk).toBeLessThan(start.at(-3)! - bent);
  await world.dispose();
});

test('an equilibrium is found with what is held on the way', async () => {
  const world = await worldOf('solid');
  run(world, 0.01);
  world.addConstraint({ body: 'b', region: LEFT, fix: true });
  world.solveStatic();
  expect(world.energy().kinetic).toBe(0);
  expect(world.positions().every(Number.isFinite)).toBe(true);
  await world.dispose();
});
