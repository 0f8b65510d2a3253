import { describe, expect, test } from 'vitest';
import type { BodyInput, WorldInput } from '../../src/options/index.js';
import { parseScene, serializeScene } from '../../src/scene/index.js';
import { loadScene } from '../../src/scene/load.js';
import { resolveScene } from '../../src/scene/schema.js';
import { createWorld, World } from '../../src/world.js';

const RADIUS = 0.1;
const GRAVITY = 9.81;
const AIR = { density: 1.2, drag: 0.5 };
const AREA = Math.PI * RADIUS * RADIUS;

/** A ball of 5 kg/m3, so that it falls at its terminal velocity, 4.7 m/s, within two seconds. */
const PHASES: Record<string, Partial<BodyInput>> = {
  solid: { material: { density: 5, youngsModulus: 2e4 } },
  rigid: { kind: 'rigid', material: { density: 5 } },
  // Tension keeps the drop round: its Weber number is 1.
  drop: { kind: 'fluid', material: { density: 5, viscosity: 0.1, surfaceTension: 5 } },
  melt: { kind: 'fluid', material: { density: 5, elastic: true, youngsModulus: 2e4 } },
  viscoplastic: { discretisation: 'embedded', material: { density: 5, youngsModulus: 2e4 } },
};
/** The same of 0.01 kg/m3, a hundredth of the air: still bodies would be thrown back and forth by a force held too long. */
const LIGHT: Record<string, Partial<BodyInput>> = {
  solid: { material: { density: 0.01, youngsModulus: 100 } },
  rigid: { material: { density: 0.01 } },
  drop: { material: { density: 0.01 } },
  melt: { material: { density: 0.01, elastic: true, youngsModulus: 100 } },
  viscoplastic: { material: { density: 0.01, youngsModulus: 100 } },
};
const NAMES = Object.keys(PHASES);

async function ball(phase: string, across: number, options: WorldInput, more: Partial<BodyInput> = {}): Promise<World> {
  const world = await createWorld({ threads: 1, ...options });
  const shape = { sphere: { radius: RADIUS } };
  world.addBody({ name: 'ball', shape, spacing: (2 * RADIUS) / across, ...PHASES[phase], ...more } as BodyInput);
  return world;
}

const massOf = (world: World) => world.masses().reduce((sum, mass) => sum + mass, 0);

/** Velocity of the centre of mass [m/s]. */
function velocityOf(world: World): [number, number, number] {
  const mass = massOf(world);
  return world.momentum().map((p) => p / mass) as [number, number, number];
}

describe.each(NAMES)('a ball in air: %s', (phase) => {
  // The area that particles stand for is that of the ball within 6 %, and speed goes by its root. The drop also
  // flattens a little.
  test.each([6, 10])('falls at sqrt(2 m g / (rho C A)), %i particles across', async (across) => {
    const world = await ball(phase, across, { gravity: [0, -GRAVITY, 0], wind: AIR });
    world.step(2);
    const terminal = Math.sqrt((2 * massOf(world) * GRAVITY) / (AIR.density * AIR.drag * AREA));
    const [x, y, z] = velocityOf(world);
    expect(-y / terminal).toBeGreaterThan(phase === 'drop' ? 0.93 : 0.96);
    expect(-y / terminal).toBeLessThan(1.04);
    expect(Math.hypot(x, z)).toBeLessThan(0.02 * terminal);
    await world.dispose();
  });

  test('is slowed by still air as v / (1 + k v t / m), and carried along by wind', async () => {
    const still = await ball(phase, 6, { gravity: [0, 0, 0], wind: AIR }, { velocity: [4, 0, 0] });
    const windy = await ball(phase, 6, { gravity: [0, 0, 0], wind: { ...AIR, velocity: [4, 0, 0] } });
    const rate = (0.5 * AIR.density * AIR.drag * AREA * 4) / massOf(still);
    let last = 4;
    for (let k = 1; k <= 4; k++) {
      still.step(0.1);
      windy.step(0.1);
      const [slowed] = velocityOf(still);
      const left = 4 / (1 + rate * 0.1 * k);
      expect(Math.abs(slowed / left - 1)).toBeLessThan(phase === 'drop' ? 0.05 : 0.03);
      expect(slowed).toBeLessThan(last);
      last = slowed;
      // The same, seen from the wind; the areas of its lee are those of the other's front.
      expect(Math.abs(velocityOf(windy)[0] - (4 - slowed))).toBeLessThan(0.12);
    }
    await Promise.all([still.dispose(), windy.dispose()]);
  });

  test('never flies faster than the wind, however light it is', async () => {
    const fit = LIGHT[phase]!;
    const world = await ball(phase, 6, { gravity: [0, 0, 0], wind: { velocity: [10, 0, 0] } }, fit);
    for (let k = 0; k < 5; k++) {
      world.step(0.02);
      expect(velocityOf(world)[0]).toBeGreaterThan(0);
      // Particles of a drop that bursts fly on by their own pressure, and a soft ball swings.
      expect(velocityOf(world)[0]).toBeLessThan(['drop', 'solid', 'viscoplastic'].includes(phase) ? 10.2 : 10.05);
    }
    expect(velocityOf(world)[0]).toBeGreaterThan(9);
    await world.dispose();
  });

  test('moves to the same bits with 1 and 2 threads, and after a save', async () => {
    const wind = { velocity: [6, 1, 0], gusts: { strength: 0.5, period: 0.3 } } as const;
    const one = await ball(phase, 10, { threads: 1, wind });
    const two = await ball(phase, 10, { threads: 2, wind });
    one.step(0.05);
    two.step(0.05);
    const loaded = await World.load(one.save(), { threads: 2 });
    expect(loaded.forces).toEqual(one.forces);
    for (const world of [one, two, loaded]) world.step(0.05);
    expect(two.stateHash()).toBe(one.stateHash());
    expect(loaded.stateHash()).toBe(one.stateHash());
    await Promise.all([one.dispose(), two.dispose(), loaded.dispose()]);
  });

  test('moves to the same bits without wind and in air that does not drag', async () => {
    // Forces do not let rigid bodies take longer steps than this from rest.
    const solver = { maxTimeStep: 1e-3 };
    const without = await ball(phase, 6, { solver });
    const dragless = await ball(phase, 6, { solver, wind: { velocity: [5, 0, 0], drag: 0 } });
    without.step(0.1);
    dragless.step(0.1);
    expect(dragless.stateHash()).toBe(without.stateHash());
    await Promise.all([without.dispose(), dragless.dispose()]);
  });
});

describe('wind on a sheet', () => {
  /** Momentum that a sheet across the wind takes on, over 1/2 rho C A v^2 t. */
  async function share(
    kind: 'solid' | 'rigid',
    layers: number,
    velocity: readonly [number, number, number],
    area: number,
  ) {
    const world = await createWorld({ threads: 1, gravity: [0, 0, 0], wind: { velocity } });
    const spacing = 0.02;
    const shape = { box: { size: [layers * spacing, 0.4, 0.3] as const } };
    world.addBody({ name: 'sheet', kind, shape, spacing, material: { density: 500, youngsModulus: 1e6 } });
    world.step(0.01);
    const speed = Math.hypot(...velocity);
    const gained = world.momentum().reduce((sum, p, a) => sum + (p * velocity[a]!) / speed, 0);
    await world.dispose();
    return gained / (0.5 * 1.2 * area * speed * speed * 0.01);
  }

  // Corrected by the divergence theorem, the areas of a flat face are exact but for its rim.
  test.each([2, 3, 5])('pushes its face, and hardly its edge, with %i layers of particles', async (layers) => {
    expect(await share('rigid', layers, [8, 0, 0], 0.4 * 0.3)).toBeCloseTo(1, 1);
    expect(await share('solid', layers, [8, 0, 0], 0.4 * 0.3)).toBeCloseTo(1, 1);
    expect(await share('rigid', layers, [0, 0, 8], layers * 0.02 * 0.4)).toBeCloseTo(1, 0);
  });

  test('goes by the cosine of the angle', async () => {
    const across = await share('rigid', 2, [8, 0, 0], 0.12);
    const slanted = await share('rigid', 2, [4, 0, 4 * Math.sqrt(3)], 0.12);
    // The edge counts too, 0.04 m by 0.4 m.
    expect(slanted - across * 0.5).toBeLessThan(0.15);
    expect(slanted - across * 0.5).toBeGreaterThan(0.02);
  });
});

describe('wind on what is within', () => {
  test('leaves liquid in a box alone but for its surface', async () => {
    const world = await createWorld({ threads: 1, gravity: [0, 0, 0], wind: { velocity: [10, 0, 0] } });
    // The floor and the windward wall cover it.
    world.addObstacle({ shape: { plane: { normal: [1, 0, 0], offset: -0.1 } } });
    world.addObstacle({ shape: { plane: { normal: [-1, 0, 0], offset: -0.1 } } });
    world.addBody({
      name: 'water',
      kind: 'fluid',
      shape: { box: { size: [0.2, 0.2, 0.2] } },
      spacing: 0.02,
      material: {},
    });
    world.step(0.02);
    const free = 0.5 * 1.2 * 100 * 0.04 * 0.02;
    expect(Math.abs(world.momentum()[0])).toBeLessThan(0.2 * free);
    await world.dispose();
  });

  test('drags every particle of spray as a ball of its own', async () => {
    const world = await createWorld({ threads: 1, gravity: [0, 0, 0], wind: { velocity: [10, 0, 0] } });
    const rest = Float32Array.from({ length: 8 }, (_, k) => 0.2 * k);
    const shape = { sphere: { radius: 0.011 } };
    for (const [k, x] of rest.entries()) {
      world.addBody({ name: `drop${k}`, kind: 'fluid', shape, spacing: 0.02, position: [x, 0, 0], material: {} });
    }
    world.step(0.05);
    expect(velocityOf(world)[0]).toBeGreaterThan(0.05);
    await world.dispose();
  });
});

describe('wind in a scene', () => {
  const scene = {
    phyxel: 1 as const,
    bodies: [{ shape: { box: { size: [0.1, 0.1, 0.1] as const } }, particles: 100 }],
  };

  test('has defaults, is written and read again, and reaches the world', async () => {
    const resolved = resolveScene({ ...scene, wind: { velocity: [5, 0, 0], gusts: {} } });
    expect(resolved.wind).toEqual({
      velocity: [5, 0, 0],
      density: 1.2,
      drag: 1,
      gusts: { strength: 0.5, period: 2 },
    });
    expect(parseScene(serializeScene(resolved), 'windy.json').scene.wind).toEqual(resolved.wind);
    const world = await loadScene(resolved, { threads: 1 });
    expect(world.forces).toEqual({ wind: resolved.wind });
    await world.dispose();
  });

  test.each([
    [{ velocity: 5 }, 'wind.velocity must be three numbers [m/s], got 5'],
    [{ density: 0 }, 'wind.density must be > 0 kg/m3, got 0'],
    [{ drag: -1 }, 'wind.drag must be from 0 to 1e+6, got -1'],
    [{ speed: 5 }, 'wind.speed is not a known key'],
    [{ gusts: { period: 0 } }, 'wind.gusts.period must be > 0'],
    [{ gusts: { strength: 2 } }, 'wind.gusts.strength must be from 0 to 1, got 2'],
    [5, 'wind must be an object with velocity, density, drag, gusts, got 5'],
  ])('refuses %j', async (wind, message) => {
    expect(() => resolveScene({ ...scene, wind } as never)).toThrow(message);
    await expect(createWorld({ wind } as never)).rejects.toThrow(message);
  });

  test('is refused where nothing moves', async () => {
    const still = { ...scene, static: true, wind: {} };
    expect(() => resolveScene(still)).toThrow('wind acts on what moves');
    const world = await createWorld({ threads: 1, wind: {} });
    world.addBody(scene.bodies[0]!);
    expect(() => world.solveStatic()).toThrow('wind acts on what moves');
    await world.dispose();
  });
});

test.each([{ kind: 'solid' }, { kind: 'rigid' }, { kind: 'fluid' }] as const)(
  'still air leaves a $kind body at rest where it is, without gravity',
  async ({ kind }) => {
    const world = await createWorld({ threads: 1, gravity: [0, 0, 0], wind: {} });
    world.addBody({ name: 'b', kind, shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05 });
    const start = world.positions();
    world.step(0.1);
    const now = world.positions();
    for (let i = 0; i < now.length; i++) expect(Math.abs(now[i]! - start[i]!)).toBeLessThan(1e-6);
    await world.dispose();
  },
);
