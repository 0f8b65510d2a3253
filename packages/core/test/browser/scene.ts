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

const WAX = {
  elastic: true,
  density: 900,
  youngsModulus: 5e4,
  damping: 0.1,
  viscosity: 2,
  surfaceTension: 0.05,
  heatCapacity: 1000,
  thermalConductivity: 400,
  latentHeat: 1e4,
  meltingPoint: 60,
  meltingRange: 4,
} as const;

/** Fingerprints of what melts on a plate, of one that flows by stress and by temperature, and of heat in solids. */
export async function meltingHashes(create: typeof createWorld, threads: number): Promise<string[]> {
  const world = await create({ threads, temperature: 20, heatTransfer: 50 });
  const cube = { box: { size: [0.08, 0.08, 0.08] as const } };
  const liquid = { kind: 'fluid', shape: cube, spacing: 0.02 } as const;
  const { meltingPoint: _, ...dough } = WAX;
  world.addBody({ ...liquid, name: 'wax', position: [0, 0.045, 0], material: WAX });
  world.addBody({
    ...liquid,
    name: 'dough',
    position: [0.12, 0.06, 0.01],
    rotation: [0, 20, 10],
    material: {
      ...dough,
      model: 'neoHookean',
      yieldStress: 50,
      creepRate: 100,
      byTemperature: {
        youngsModulus: [
          [20, 1],
          [150, 0.1],
        ],
        density: [
          [20, 1],
          [150, 0.9],
        ],
        surfaceTension: [
          [20, 1],
          [150, 0.5],
        ],
      },
    },
  });
  world.addBody({
    name: 'iron',
    shape: cube,
    spacing: 0.02,
    position: [-0.12, 0.06, 0],
    material: { youngsModulus: 1e6, thermalConductivity: 50, heatCapacity: 400, meltingPoint: 90, latentHeat: 1e3 },
    temperature: 120,
  });
  world.addObstacle({ name: 'plate', shape: { plane: {} }, temperature: 150, contactConductance: 5000 });
  const hashes: string[] = [];
  for (let k = 0; k < 4; k++) {
    // Freezes again, all at once.
    if (k === 3) world.setTemperature('wax', 10);
    world.step(0.04);
    hashes.push(world.stateHash());
  }
  await world.dispose();
  return hashes;
}

/** Fingerprints of a bar that hits the floor and flows. */
export async function embeddedHashes(create: typeof createWorld, threads: number): Promise<string[]> {
  const world = await create({ threads, solver: { maxTimeStep: 1e-3 } });
  world.addBody({
    name: 'bar',
    shape: { box: { size: [0.1, 0.2, 0.1] } },
    spacing: 0.02,
    position: [0, 0.12, 0],
    velocity: [0, -1, 0],
    discretisation: 'embedded',
    material: { density: 1000, youngsModulus: 1e5, poissonsRatio: 0.4, yieldStress: 60, creepRate: 150, friction: 0.3 },
  });
  world.addObstacle({ shape: { plane: {} }, friction: 0.3 });
  const hashes = runScene(world, 3);
  await world.dispose();
  return hashes;
}

/** Fingerprints of rigid bodies of all shapes that Rapier moves, on a mesh and a soft cube. */
export async function rapierHashes(create: typeof createWorld, threads: number): Promise<string[]> {
  const world = await create({ threads, solver: { rigid: 'rapier' } });
  // A wedge, as an obstacle and as a body.
  const data = {
    positions: Float64Array.of(-0.3, 0, -0.3, 0.3, 0, -0.3, -0.3, 0.2, -0.3, -0.3, 0, 0.3, 0.3, 0, 0.3, -0.3, 0.2, 0.3),
    triangles: Uint32Array.of(0, 2, 1, 3, 4, 5, 0, 1, 4, 0, 4, 3, 0, 3, 5, 0, 5, 2, 1, 2, 5, 1, 5, 4),
  };
  const shapes = [
    { sphere: { radius: 0.04 } },
    { cylinder: { radius: 0.04, length: 0.08 } },
    { capsule: { radius: 0.03, length: 0.06 } },
    { torus: { radius: 0.04, tube: 0.015 } },
    { box: { size: [0.06, 0.08, 0.1] as [number, number, number] } },
    { mesh: { data, size: 0.12 } },
  ];
  for (const [k, shape] of shapes.entries()) {
    const position = { position: [0.02 * k - 0.1, 0.32 + 0.13 * k, 0.01 * k] as [number, number, number] };
    world.addBody({ name: `body${k}`, kind: 'rigid', shape, spacing: 0.015, ...position, rotation: [20 * k, 30, 10] });
  }
  world.addObstacle({ shape: { mesh: { data } }, friction: 0.4 });
  world.addObstacle({ shape: { plane: {} }, restitution: 0.3 });
  const material = { youngsModulus: 3e4 };
  world.addBody({
    name: 'soft',
    shape: { box: { size: [0.2, 0.1, 0.2] } },
    spacing: 0.04,
    position: [0.45, 0.05, 0],
    material,
  });
  const hashes: string[] = [];
  for (let k = 0; k < 6; k++) {
    world.step(0.1);
    hashes.push(world.stateHash());
  }
  await world.dispose();
  return hashes;
}

/** Fingerprints of all but the first scene. */
export async function allHashes(create: typeof createWorld, threads: number): Promise<string[]> {
  const hashes: string[] = [];
  for (const scene of [implicitHashes, liquidHashes, meltingHashes, embeddedHashes, rapierHashes]) {
    hashes.push(...(await scene(create, threads)));
  }
  return hashes;
}
