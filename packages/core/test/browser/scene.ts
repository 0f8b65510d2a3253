import type { createWorld, World } from '../../src/world.js';

/** Two damped bodies, one of them held and pulled, that fall on each other, on a floor and before a moving ball. */
export async function buildScene(create: typeof createWorld, threads: number): Promise<World> {
  const world = await create({ threads });
  const material = { youngsModulus: 5e4, poissonsRatio: 0.35, damping: 0.1 };
  world.addBody({
    name: 'cube',
    shape: { box: { size: [0.4, 0.4, 0.4] } },
    spacing: 0.05,
    material,
    position: [0, 0.25, 0],
    rotation: [10, 20, 30],
  });
  world.addBody({
    name: 'ball',
    shape: { sphere: { radius: 0.25 } },
    spacing: 0.05,
    lattice: 'hcp',
    material,
    position: [0.1, 0.85, 0.05],
    velocity: [0, -1, 0],
  });
  world.addObstacle({ shape: { plane: {} } });
  world.addObstacle({
    name: 'pusher',
    shape: { sphere: { radius: 0.2 } },
    position: [0.7, 0.2, 0],
    keyframes: [{ time: 0 }, { time: 0.3, position: [-0.25, 0, 0], rotation: [0, 90, 0] }],
  });
  world.addConstraint({
    body: 'ball',
    region: { sphere: { center: [0.1, 1.1, 0.05], radius: 0.1 } },
    force: [3, 0, 0],
    end: 0.1,
  });
  world.addConstraint({
    body: 'cube',
    region: { box: { min: [-1, -1, -1], max: [1, 0.05, 1] } },
    fix: ['z'],
    end: 0.15,
  });
  world.addEvent({ time: 0.11, body: 'cube', set: { youngsModulus: 2e5, damping: 0.2 } });
  return world;
}

/** Fingerprints after each of some frames. */
export function runScene(world: World, frames = 6): string[] {
  return Array.from({ length: frames }, () => {
    world.step(1 / 30);
    return world.stateHash();
  });
}

/** Fingerprints of an implicit motion and of an equilibrium: clamps, contact, both fits, every law. */
export async function implicitHashes(create: typeof createWorld, threads: number): Promise<string[]> {
  const hashes: string[] = [];
  for (const integrator of ['implicit', 'midpoint'] as const) {
    const world = await create({ threads, solver: { solid: { integrator }, maxTimeStep: 0.01 } });
    const bar = { box: { size: [0.5, 0.1, 0.1] as const } };
    const clamp = { box: { min: [-1, -1, -1] as const, max: [-0.18, 2, 1] as const } };
    const models = ['stVenantKirchhoff', 'neoHookean', 'corotational'] as const;
    for (const [k, model] of models.entries()) {
      world.addBody({
        name: model,
        shape: bar,
        spacing: 0.025,
        position: [0, 0.3 + 0.2 * k, 0],
        discretisation: k === 1 ? 'quadratic' : 'linear',
        jitter: k === 1 ? 0.2 : 0,
        material: { model, youngsModulus: 1e6, damping: 0.05 },
      });
      world.addConstraint({ body: model, region: clamp, fix: true });
    }
    world.addBody({ name: 'block', shape: { box: { size: [0.1, 0.1, 0.1] } }, spacing: 0.025, position: [0, 0.06, 0] });
    world.addObstacle({ shape: { plane: {} } });
    hashes.push(...runScene(world, 2));
    world.solveStatic();
    hashes.push(world.stateHash());
    await world.dispose();
  }
  return hashes;
}

/** Fingerprints of liquids with all that may be around them: sources, sinks, bodies, moving obstacles, both methods. */
export async function liquidHashes(create: typeof createWorld, threads: number): Promise<string[]> {
  const hashes: string[] = [];
  for (const pressure of ['dfsph', 'wcsph'] as const) {
    const world = await create({ threads, solver: { fluid: { pressure, period: [0, 0, 0.5] } } });
    const spacing = 0.02;
    world.addBody({
      name: 'water',
      kind: 'fluid',
      shape: { box: { size: [0.2, 0.12, 0.16] } },
      spacing,
      position: [0, 0.06, 0],
      material: { surfaceTension: 0.07 },
    });
    world.addBody({
      name: 'syrup',
      kind: 'fluid',
      shape: { sphere: { radius: 0.05 } },
      spacing,
      lattice: 'hcp',
      position: [0.03, 0.25, 0],
      material: { density: 1400, viscosity: 5 },
    });
    const cube = { box: { size: [0.06, 0.06, 0.06] as const } };
    world.addBody({ name: 'cork', kind: 'rigid', shape: cube, spacing, position: [-0.05, 0.17, 0.03] });
    world.addBody({ name: 'jelly', shape: cube, spacing, position: [0.05, 0.17, -0.05], material: { density: 2000 } });
    world.addEmitter({
      name: 'tap',
      position: [-0.04, 0.4, -0.05],
      rotation: [180, 0, 10],
      radius: 0.03,
      rate: 4e-3,
      spacing,
      maxParticles: 200,
    });
    world.addSink({ sphere: { center: [0.12, 0, 0], radius: 0.06 } });
    world.addObstacle({ shape: { plane: {} }, slip: 0.5 });
    for (const side of [-1, 1]) {
      world.addObstacle({ shape: { box: { size: [0.04, 0.4, 0.6] } }, position: [0.12 * side, 0.2, 0] });
    }
    world.addObstacle({
      name: 'paddle',
      shape: { capsule: { radius: 0.02, length: 0.08 } },
      position: [0, 0.05, 0.06],
      keyframes: [{ time: 0 }, { time: 0.2, position: [0.02, 0, 0], rotation: [0, 0, 90] }],
    });
    for (let k = 0; k < 3; k++) {
      world.step(pressure === 'dfsph' ? 0.02 : 0.005);
      hashes.push(world.stateHash());
    }
    await world.dispose();
  }
  return hashes;
}
