/** Speed of implicit steps: a clamped beam that swings under gravity. */
import { createWorld, type World } from 'phyxel';

export interface ImplicitScene {
  readonly name: string;
  /** [m] */
  readonly spacing: number;
  /** [s] */
  readonly timeStep: number;
  /** [Pa] */
  readonly youngsModulus: number;
  readonly steps: number;
  /** What others take for a step of as many particles [ms]. */
  readonly otherMilliseconds?: number;
  readonly threads: readonly number[];
}

export interface ImplicitResult {
  readonly scene: string;
  readonly particles: number;
  readonly pairs: number;
  readonly threads: number;
  /** [s] */
  readonly timeStep: number;
  /** Median of the steps after the first. */
  readonly msPerStep: number;
  readonly bestMsPerStep: number;
  readonly newtonIterationsPerStep: number;
  /** Of conjugate gradients. */
  readonly iterationsPerStep: number;
  readonly retries: number;
  /** The first step less a usual one: vectors, stiffness, the coarse grid and its factors. */
  readonly setupMilliseconds: number;
  readonly bytesPerParticle: number;
  readonly comparison: { readonly source: string; readonly milliseconds: number; readonly ratio: number } | null;
}

export const OTHER_SOLVER =
  'SPlisHSPlasH 2.16 (C++, AVX), its fastest elastic solver (Kugelstadt 2021), after factoring for 1 s (5,000) and 38 s (25,000 particles)';

/** 1 x 0.2 x 0.2 m, 5,000 and about 25,000 particles. */
export const IMPLICIT_SCENES: readonly ImplicitScene[] = [
  {
    name: 'beam, 1 ms, 1 MPa',
    spacing: 0.02,
    timeStep: 1e-3,
    youngsModulus: 1e6,
    steps: 60,
    otherMilliseconds: 13,
    threads: [1, 2],
  },
  {
    name: 'beam, 1 ms, 1 MPa',
    spacing: 0.0117,
    timeStep: 1e-3,
    youngsModulus: 1e6,
    steps: 24,
    otherMilliseconds: 116,
    threads: [1, 2],
  },
  { name: 'beam, 1/60 s, 10 MPa', spacing: 0.02, timeStep: 1 / 60, youngsModulus: 1e7, steps: 40, threads: [1, 2] },
];

async function prepare({ spacing, youngsModulus }: ImplicitScene, threads: number): Promise<World> {
  const world = await createWorld({
    threads,
    solver: { solid: { integrator: 'implicit' }, contact: { self: false, bodies: false } },
  });
  world.addBody({
    name: 'beam',
    shape: { box: { size: [1, 0.2, 0.2] } },
    position: [0.5, 0, 0],
    spacing,
    material: { density: 1000, youngsModulus, poissonsRatio: 0.3 },
  });
  world.addConstraint({ body: 'beam', region: { box: { min: [-1, -1, -1], max: [0.04, 1, 1] } }, fix: true });
  // Lays the world out.
  void world.pairCount;
  return world;
}

/** One result for each number of threads. */
export async function measureImplicit(scene: ImplicitScene): Promise<ImplicitResult[]> {
  const subjects = [];
  for (const threads of scene.threads) {
    subjects.push({
      threads,
      world: await prepare(scene, threads),
      times: [] as number[],
      newton: 0,
      cg: 0,
      retries: 0,
    });
  }
  // In turns, so that a busy moment of the machine falls on all of them.
  for (let k = 0; k <= scene.steps; k++) {
    for (const subject of subjects) {
      const started = performance.now();
      const { newtonIterations, iterations, retries } = subject.world.step(scene.timeStep);
      subject.times.push(performance.now() - started);
      if (k === 0) continue;
      subject.newton += newtonIterations / scene.steps;
      subject.cg += iterations / scene.steps;
      subject.retries += retries;
    }
  }
  const results: ImplicitResult[] = [];
  for (const { threads, world, times, newton, cg, retries } of subjects) {
    const [first, ...rest] = times;
    rest.sort((a, b) => a - b);
    const median = rest[rest.length >> 1]!;
    const { otherMilliseconds: other } = scene;
    results.push({
      scene: scene.name,
      particles: world.particleCount,
      pairs: world.pairCount,
      threads,
      timeStep: scene.timeStep,
      msPerStep: median,
      bestMsPerStep: rest[0]!,
      newtonIterationsPerStep: newton,
      iterationsPerStep: cg,
      retries,
      setupMilliseconds: Math.max(0, first! - median),
      bytesPerParticle: world.memoryBytes / world.particleCount,
      comparison: other === undefined ? null : { source: OTHER_SOLVER, milliseconds: other, ratio: other / median },
    });
    await world.dispose();
  }
  return results;
}
