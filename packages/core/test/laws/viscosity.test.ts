/** Laws of the viscosity of solids. */
import { describe, expect, it } from 'vitest';
import { dashpotForces } from '../../reference/index.js';
import type { BodyInput, WorldInput } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import * as layout from '../../src/particles/layout.js';
import { createWorld, World } from '../../src/world.js';
import { block, buildBench, massesOf, relativeDifference, SOME_BOX, threes, withWorld } from './support.js';

const SPACING = 0.05;
const soft = { youngsModulus: 1e5, poissonsRatio: 0.25, density: 1000 };
const far = (a: Vec3, b: Vec3) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / Math.hypot(...b);

async function blockWorld(body: Partial<BodyInput>, world: WorldInput = {}, sides: Vec3 = [4, 6, 4], jitter = 0) {
  const made = await createWorld({ threads: 1, gravity: [0, 0, 0], ...world });
  made.addBody({ name: 'block', shape: SOME_BOX, ...body }, block(sides, SPACING, jitter));
  return made;
}

/** Elapsed positions of a world that is given back. */
async function positionsOf(world: World, seconds: number): Promise<Float32Array> {
  world.step(seconds);
  const positions = world.positions().slice();
  await world.dispose();
  return positions;
}

const furthest = (a: Float32Array, b: Float32Array) => a.reduce((most, x, k) => Math.max(most, Math.abs(x - b[k]!)), 0);

describe('viscosity of solids', () => {
  it.each(['linear', 'renewed', 'quadratic'] as const)(
    'dissipates what a liquid of that viscosity does, explicitly and implicitly: %s',
    async (discretisation) => {
      // A bar that is twisted, w = W sin(pi/2 y/L): the power is eta times the integral of (r w')^2.
      const [n, length, side, rate, viscosity] = [8, 16, 8, 2, 20];
      const [l, a] = [length * SPACING, side * SPACING];
      const polar = a ** 4 / 6;
      const power = viscosity * polar * rate ** 2 * (Math.PI / (2 * l)) ** 2 * (l / 2);
      const dt = 1e-4;
      for (const [integrator, how] of [
        ['explicit', 'explicit'],
        ['explicit', 'implicit'],
        ['implicit', 'implicit'],
        ['midpoint', 'implicit'],
      ] as const) {
        const material = { ...soft, youngsModulus: 1, yieldStress: 1e9, viscosity };
        const solver = { maxTimeStep: dt, solid: { integrator }, embedding: { viscosity: how } };
        const world = await blockWorld({ material, discretisation, twist: [0, rate, 0] }, { solver }, [n, length, n]);
        const before = world.energy().kinetic;
        world.step(10 * dt);
        const lost = (before - world.energy().kinetic) / (10 * dt);
        // Shear along the planes of a cubic lattice meets 0.95 of the viscosity; particles at faces, with half the
        // neighbours, some more.
        expect(Math.abs(lost / power - 0.98)).toBeLessThan(0.04);
        await world.dispose();
      }
    },
  );

  it('acts as a twin in double precision does', async () => {
    const material = { ...soft, viscosity: 7 };
    const bench = await buildBench([{ input: { material }, points: block([5, 5, 5], SPACING, 0.25) }]);
    const { store, elastic } = bench.model;
    const { count } = store;
    const [u, v] = [store.vectors(layout.DISPLACEMENT), store.vectors(layout.VELOCITY)];
    for (let k = 0; k < u.length; k++) {
      if (k % 4 === 3) continue;
      u[k] = 0.2 * SPACING * Math.sin(k);
      v[k] = Math.cos(2 * k);
    }
    store.setFloat(layout.KICK, 0);
    elastic.viscosity!.rate = 0;
    const [before, rest] = [threes(v), store.vectors(layout.REST)];
    const dt = 1e-3;
    elastic.viscosity!.act(dt);
    const masses = massesOf(bench);
    const found = threes(v).map((now, k) => ((now - before[k]!) * masses[Math.floor(k / 3)]!) / dt);
    const begins = store.integers(layout.NEIGHBOR_BEGIN, count + 1);
    const neighbors = store.integers(layout.NEIGHBORS, begins[count]!);
    const pairs = store.floats(layout.PAIRS, 4 * begins[count]!);
    const forces = dashpotForces({
      positions: threes(rest.map((m, k) => m + u[k]!)),
      velocities: before,
      shares: Array.from({ length: count }, (_, i) => 15 * 7 * store.vectors(layout.ELASTIC)[4 * i + 3]!),
      neighborsOf: (i) =>
        Array.from({ length: begins[i + 1]! - begins[i]! }, (_, k) => {
          const at = begins[i]! + k;
          return [neighbors[at]!, Math.hypot(pairs[4 * at]!, pairs[4 * at + 1]!, pairs[4 * at + 2]!)];
        }),
    });
    // Velocities of 1 m/s that change by a hundredth, in float32.
    expect(relativeDifference(found, forces)).toBeLessThan(1e-5);
    await bench.dispose();
  });

  it('keeps momentum and angular momentum to rounding, however strong it is and however far the body has flowed', async () => {
    for (const [discretisation, viscosity] of [
      ['linear', 20],
      ['linear', 1e5],
      ['renewed', 20],
      ['renewed', 1e3],
    ] as const) {
      const material = { ...soft, yieldStress: discretisation === 'renewed' ? 500 : 1e9, viscosity };
      const motion = { twist: [0, 30, 0] as Vec3, angularVelocity: [2, 0, 1] as Vec3, velocity: [1, 2, 3] as Vec3 };
      const solver = { embedding: { resampling: false } };
      const world = await blockWorld({ discretisation, material, ...motion }, { solver }, [4, 6, 4], 0.1);
      const [p, l] = [world.momentum(), world.angularMomentum()];
      world.step(0.1);
      expect(far(world.momentum(), p)).toBeLessThan(1e-6);
      // What flows has an elastic stress that is symmetric only as far as the fit is the gradient.
      expect(far(world.angularMomentum(), l)).toBeLessThan(discretisation === 'renewed' ? 1e-3 : 3e-6);
      await world.dispose();
    }
  });

  it('feels nothing of a rotation', async () => {
    for (const [integrator, dt] of [
      ['explicit', 1e-3],
      ['verlet', 1e-3],
      ['midpoint', 5e-3],
    ] as const) {
      const run = async (viscosity: number) => {
        const motion = { velocity: [1, 0, 0] as Vec3, angularVelocity: [1, 2, -3] as Vec3 };
        const solver = { maxTimeStep: dt, solid: { integrator } };
        return positionsOf(await blockWorld({ material: { ...soft, viscosity }, ...motion }, { solver }), 0.5);
      };
      // Turned by two radians. What is left is the swing by centrifugal forces, 7e-4 of a side of 0.3 m, which it damps.
      expect(furthest(await run(100), await run(0))).toBeLessThan(1.5e-4);
    }
    const bench = await buildBench([
      { input: { material: { ...soft, viscosity: 100 } }, points: block([5, 5, 5], SPACING, 0.25) },
    ]);
    const { store, elastic } = bench.model;
    const [rest, v] = [store.vectors(layout.REST), store.vectors(layout.VELOCITY)];
    for (let k = 0; k < v.length; k += 4) {
      const [x, y, z] = [rest[k]!, rest[k + 1]!, rest[k + 2]!];
      v.set([1 + 2 * z + 3 * y, -3 * x - z, y - 2 * x], k);
    }
    const before = v.slice();
    store.setFloat(layout.KICK, 0);
    elastic.viscosity!.act(1e-4);
    // Velocities of 1 m/s in float32; a shear at that rate would be braked by 1e-2 m/s.
    expect(furthest(v, before)).toBeLessThan(5e-7);
    await bench.dispose();
  });

  it('damps a torsional wave by eta k^2 / (2 rho)', async () => {
    // A round bar, free at both ends: k = pi / L, and its energy falls twice as fast.
    const [length, radius, viscosity] = [0.8, 0.1, 40];
    await withWorld({ gravity: [0, 0, 0] }, (world) => {
      world.addBody({
        name: 'bar',
        shape: { cylinder: { radius, length } },
        spacing: 0.02,
        lattice: 'hcp',
        velocity: [`2 * z * sin(pi * y / ${length})`, 0, `-2 * x * sin(pi * y / ${length})`],
        material: { ...soft, viscosity },
      });
      const before = world.energy().total;
      // Two periods of 2 L sqrt(rho / mu).
      const seconds = 2 * 2 * length * Math.sqrt(1000 / 4e4);
      world.step(seconds);
      const rate = Math.log(before / world.energy().total) / (2 * seconds);
      const theory = (viscosity * (Math.PI / length) ** 2) / (2 * 1000);
      // Ten particles across: at faces, where they have half the neighbours, it is too strong.
      expect(Math.abs(rate / theory - 1)).toBeLessThan(0.09);
    });
  });

  it('lets a hanging bar creep to where it hangs without, alike in explicit and implicit steps', async () => {
    const times = [0.5, 1, 2];
    const hang = async (
      integrator: 'explicit' | 'implicit',
      dt: number,
      viscosity: number,
      until: readonly number[],
    ) => {
      const solver = { maxTimeStep: dt, solid: { integrator } };
      const world = await createWorld({ threads: 1, gravity: [0, -1, 0], solver });
      const material = { ...soft, youngsModulus: 1e4, viscosity };
      world.addBody({
        name: 'bar',
        shape: { box: { size: [0.2, 0.4, 0.2] } },
        spacing: 0.04,
        lattice: 'hcp',
        material,
      });
      const region = { box: { min: [-1, 0.12, -1] as Vec3, max: [1, 1, 1] as Vec3 } };
      world.addConstraint({ body: 'bar', region, fix: true });
      const start = world.positions().slice();
      const lowest = start.reduce((low, y, k) => (k % 4 === 1 && y < start[low]! ? k : low), 1);
      const found = until.map((time) => {
        world.stepTo(time);
        return start[lowest]! - world.positions()[lowest]!;
      });
      await world.dispose();
      return found;
    };
    const long = await hang('implicit', 1 / 60, 4e3, [...times, 10]);
    const [last, dry] = [long[3]!, (await hang('implicit', 1 / 60, 200, [5]))[0]!];
    expect(Math.abs(last / dry - 1)).toBeLessThan(2e-3);
    for (const [k, u] of (await hang('explicit', 2e-3, 4e3, times)).entries()) {
      expect(Math.abs(long[k]! / u - 1)).toBeLessThan(0.01);
      // With nu = 1/4 all motions creep with the same time, eta / mu, which is a second. Five particles across, of which most
      // are at faces: 15, 11 and 10 % more; ten across 8, 4 and 2 %.
      const tau = -times[k]! / Math.log(1 - u / last);
      expect(tau).toBeGreaterThan(1);
      expect(tau).toBeLessThan(1.18);
    }
  });

  it('takes any strength implicitly', async () => {
    const material = { ...soft, viscosity: 1e6 };
    const world = await blockWorld({ material, twist: [0, 20, 0] }, { solver: { maxTimeStep: 1e-3 } });
    const spin = world.angularMomentum()[1];
    world.step(0.02);
    // It turns as one piece. Positions go along tangents, by which it grows by 0.7e-4 in a step of 1/80 of a radian until its
    // stiffness takes that back.
    expect(Math.abs(world.angularMomentum()[1] / spin - 1)).toBeLessThan(1e-5);
    const rigid = spin ** 2 / (2 * 96 * SPACING ** 3 * 1000 * ((2 * (4 * SPACING) ** 2 * (1 - 1 / 16)) / 12));
    expect(Math.abs(world.energy().kinetic / rigid - 1)).toBeLessThan(5e-3);
    await world.dispose();
  });

  it('shortens steps where it is asked to be explicit', async () => {
    const solver = { embedding: { viscosity: 'explicit' as const } };
    const world = await blockWorld({ material: { ...soft, viscosity: 1e4 }, twist: [0, 5, 0] }, { solver });
    const report = world.step(1e-3);
    expect(report.limitedBy).toBe('viscosity');
    expect(report.limitedByBody).toBe('block');
    expect(report.steps).toBeGreaterThan(20);
    expect(world.energy().total).toBeLessThan(1);
    await world.dispose();
  });
});

describe('viscous solids on obstacles', () => {
  /** Heights of the top of a block that lies on a floor and sinks by its weight. */
  async function settle(integrator: 'explicit' | 'implicit', dt: number, viscosity: number): Promise<number[]> {
    return withWorld({ solver: { maxTimeStep: dt, solid: { integrator } } }, (world) => {
      world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } }, friction: 0.5 });
      world.addBody({
        name: 'block',
        shape: { box: { size: [0.2, 0.2, 0.2] } },
        position: [0, 0.1, 0],
        spacing: 0.025,
        material: { ...soft, youngsModulus: 2e4, viscosity },
      });
      return [0.05, 0.2, 0.5].map((time) => {
        world.stepTo(time);
        return 0.1875 - world.positions().reduce((top, y, k) => (k % 4 === 1 ? Math.max(top, y) : top), 0);
      });
    });
  }

  it.each([1e3, 1e5])('sink alike in explicit and implicit steps, with %s Pa s', async (viscosity) => {
    const [a, b] = [await settle('explicit', 1, viscosity), await settle('implicit', 1 / 960, viscosity)];
    // Steps of 4 ms: what lies on the floor may come late by one of them.
    for (const [k, u] of a.entries()) expect(Math.abs(u / b[k]! - 1)).toBeLessThan(0.04);
  });

  it.each([
    [20, 0],
    [35, 9.81 * (Math.sin((35 * Math.PI) / 180) - 0.5 * Math.cos((35 * Math.PI) / 180))],
  ])('stay on an incline of %s degrees or slide down, as friction has it', async (angle, acceleration) => {
    const tilt = (angle * Math.PI) / 180;
    await withWorld({ gravity: [9.81 * Math.sin(tilt), -9.81 * Math.cos(tilt), 0] }, (world) => {
      world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } }, friction: 0.5 });
      world.addBody({
        name: 'block',
        shape: { box: { size: [0.2, 0.1, 0.2] } },
        position: [0, 0.05, 0],
        spacing: 0.025,
        material: { ...soft, viscosity: 1e4, friction: 0.5 },
      });
      world.step(0.1);
      const before = world.momentum()[0] / 4;
      world.step(0.3);
      // Momentum over 4 kg; of what stays, the creep of a block that leans.
      expect(Math.abs((world.momentum()[0] / 4 - before) / 0.3 - acceleration)).toBeLessThan(0.05);
    });
  });

  it('leave a floor that they are thrown up from', async () => {
    await withWorld({}, (world) => {
      world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } }, friction: 0.5 });
      world.addBody({
        name: 'block',
        shape: { box: { size: [0.2, 0.1, 0.2] } },
        position: [0, 0.05, 0],
        spacing: 0.025,
        velocity: [0, 1, 0],
        material: { ...soft, viscosity: 1e4 },
      });
      world.step(0.05);
      expect(Math.abs(world.momentum()[1] / 4 - (1 - 9.81 * 0.05))).toBeLessThan(1e-4);
    });
  });
});

describe('a world with viscous solids', () => {
  /** A bar that is held at its top, flows and touches the floor. */
  async function hung(threads: number, viscosity: number, solver: WorldInput['solver'] = {}) {
    const world = await createWorld({ threads, solver });
    world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } }, friction: 0.5 });
    for (const [name, x, discretisation] of [
      ['bar', 0, 'renewed'],
      ['block', 0.3, 'linear'],
    ] as const) {
      const material = { ...soft, yieldStress: 200, creepRate: 100, viscosity };
      const shape = { box: { size: [0.12, 0.36, 0.12] as Vec3 } };
      world.addBody({ name, shape, position: [x, 0.18, 0], spacing: 0.03, discretisation, material });
    }
    const region = { box: { min: [-1, 0.25, -1] as Vec3, max: [0.1, 1, 1] as Vec3 } };
    world.addConstraint({ body: 'bar', region, move: [{ time: 0 }, { time: 0.2, position: [0, 0.03, 0] }] });
    return world;
  }

  it.each([
    ['strong', 500, {}],
    ['mild', 2, {}],
    ['faint', 1e-2, {}],
    ['implicit', 500, { solid: { integrator: 'implicit' as const }, maxTimeStep: 1 / 240 }],
  ])(
    'has the same hash for any number of threads, and goes on from a save to the same bits: %s',
    async (_, viscosity, solver) => {
      const hashes: string[] = [];
      for (const threads of [1, 2]) {
        const world = await hung(threads, viscosity, solver);
        for (let frame = 0; frame < 5; frame++) world.step(1 / 30);
        world.step(0.001);
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
    },
  );

  it('is to the bit what it was where there is no viscosity, or only that of what it melts to', async () => {
    const thermal = { meltingPoint: 60, latentHeat: 100 };
    const run = async (material: object) =>
      positionsOf(await blockWorld({ material: { ...soft, ...material }, twist: [0, 5, 0] }), 0.02);
    const plain = await run({});
    for (const other of [{ viscosity: 0 }, { viscosity: 50, ...thermal }]) expect(await run(other)).toEqual(plain);
    expect(await run({ viscosity: 50 })).not.toEqual(plain);
  });

  it('has another viscosity from an event on', async () => {
    const energyAfter = async (viscosity: number) => {
      const world = await blockWorld({ material: { ...soft, viscosity: 0 }, twist: [0, 5, 0] });
      const start = world.energy().total;
      world.step(0.02);
      expect(world.energy().total / start).toBeGreaterThan(0.99);
      world.setMaterial('block', { viscosity });
      world.step(0.02);
      const end = world.energy().total / start;
      await world.dispose();
      return end;
    };
    expect(await energyAfter(0)).toBeGreaterThan(0.99);
    expect(await energyAfter(100)).toBeLessThan(0.98);
  });

  it.each(['explicit', 'implicit'] as const)(
    'tells what clamps and floors give: momentum is theirs and gravity, %s',
    async (integrator) => {
      const solver = integrator === 'implicit' ? { solid: { integrator }, maxTimeStep: 1 / 480 } : {};
      const world = await createWorld({ threads: 1, solver });
      world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: -0.3 } } });
      const shape = { box: { size: [0.2, 0.4, 0.2] as Vec3 } };
      for (const [name, x] of [
        ['hung', 0],
        ['lying', 1],
      ] as const) {
        const position: Vec3 = [x, name === 'hung' ? 0 : -0.1, 0];
        world.addBody({
          name,
          shape,
          position,
          spacing: 0.04,
          material: { ...soft, youngsModulus: 2e4, viscosity: 2e3 },
        });
      }
      const region = { box: { min: [-1, 0.08, -1] as Vec3, max: [1, 1, 1] as Vec3 } };
      world.addConstraint({ name: 'top', body: 'hung', region, fix: true });
      const measure = () => [
        world.probe({ name: 'p', quantity: 'reaction', body: 'hung' }) as unknown as Vec3,
        world.probe({ name: 'p', quantity: 'contactForce', body: 'lying' }) as unknown as Vec3,
        world.momentum(),
      ];
      measure();
      world.step(0.02);
      const before = measure()[2]!;
      world.step(0.1);
      const [reaction, contact, after] = measure();
      const weight = 9.81 * 1000 * 0.2 * 0.4 * 0.2;
      const forces = reaction![1] + contact![1] - 2 * weight;
      // Still creeping, so that viscosity carries most of the weight.
      expect(Math.abs((after![1] - before[1]) / 0.1 - forces) / weight).toBeLessThan(1e-3);
      expect(Math.abs(reaction![1] / weight - 1)).toBeLessThan(0.1);
      await world.dispose();
    },
  );
});
