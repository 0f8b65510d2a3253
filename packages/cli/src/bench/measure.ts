import { createWorld, sampleShape, type World } from 'phyxel';
import { ReferenceSolid } from 'phyxel/reference';
import type { Machine } from './machine.js';
import type { BenchScene } from './scenes.js';

export interface BenchResult {
  readonly scene: string;
  readonly particles: number;
  /** Neighbour relations: each pair counts for both of its particles. */
  readonly pairs: number;
  readonly neighbours: number;
  readonly threads: number;
  readonly msPerStep: number;
  readonly nsPerPair: number;
  /** Time of the double-precision TypeScript twin over ours, in the same run. */
  readonly speedupOverReference: number | null;
  /** Time on one thread over ours, in the same run. */
  readonly speedupOverOneThread: number | null;
  /** Bytes that a step must move, over what the machine copies in that time. */
  readonly bandwidthShare: number;
  readonly bytesPerParticle: number;
  readonly comparison: { readonly source: string; readonly milliseconds: number; readonly ratio: number } | null;
}

/** Compulsory traffic: the lists are read once in each of the two passes over pairs, the attributes about so. */
const BYTES_PER_PAIR = 2 * (16 + 4);
const BYTES_PER_PARTICLE = 560;

/** Batches of steps; the best counts, because on a shared machine the others measure the neighbours. */
const BATCHES = 9;
const BATCH_MILLISECONDS = 60;

async function prepare(scene: BenchScene, threads: number): Promise<World> {
  const world = await createWorld({
    threads,
    gravity: [0, 0, 0],
    solver: {
      solid: { discretisation: scene.discretisation ?? 'linear', ...(scene.support ? { support: scene.support } : {}) },
      contact: { self: false, bodies: false },
    },
  });
  world.addBody(scene.body);
  return world;
}

/** Milliseconds per step of one batch, about BATCH_MILLISECONDS long. */
function timeBatch(step: () => void, estimate: number): number {
  const steps = Math.max(2, Math.ceil(BATCH_MILLISECONDS / estimate));
  const started = performance.now();
  for (let k = 0; k < steps; k++) step();
  return (performance.now() - started) / steps;
}

export async function measureScene(scene: BenchScene, machine: Machine): Promise<BenchResult[]> {
  const subjects: { threads: number; world: World | undefined; step: () => void; best: number }[] = [];
  for (const threads of scene.threads) {
    const world = await prepare(scene, threads);
    const dt = world.stableTimeStep().timeStep * 0.9;
    subjects.push({ threads, world, step: () => void world.step(dt), best: Number.POSITIVE_INFINITY });
  }
  if (scene.withReference) {
    const { shape, spacing, material } = scene.body;
    const samples = sampleShape(shape as Parameters<typeof sampleShape>[0], { spacing, lattice: 'cubic' });
    const solid = new ReferenceSolid({
      positions: samples.positions,
      volumes: samples.volumes,
      spacings: samples.spacings,
      density: material!.density!,
      youngsModulus: material!.youngsModulus!,
      poissonsRatio: material!.poissonsRatio!,
      support: scene.support ?? 2.1,
    });
    const dt = subjects[0]!.world!.stableTimeStep().timeStep * 0.9;
    subjects.push({ threads: 0, world: undefined, step: () => solid.step(dt), best: Number.POSITIVE_INFINITY });
  }
  // In turns, so that a busy moment of the machine falls on all of them.
  for (const subject of subjects) subject.best = timeBatch(subject.step, BATCH_MILLISECONDS);
  for (let batch = 0; batch < BATCHES; batch++) {
    for (const subject of subjects) subject.best = Math.min(subject.best, timeBatch(subject.step, subject.best));
  }
  const reference = subjects.find((subject) => subject.threads === 0)?.best;
  const single = subjects.find((subject) => subject.threads === 1)?.best;
  const results: BenchResult[] = [];
  for (const { threads, world, best } of subjects) {
    if (!world) continue;
    const { particleCount: particles, pairCount: pairs } = world;
    const traffic = pairs * BYTES_PER_PAIR + particles * BYTES_PER_PARTICLE;
    const other = scene.comparison?.milliseconds[threads];
    results.push({
      scene: scene.name,
      particles,
      pairs,
      neighbours: pairs / particles,
      threads,
      msPerStep: best,
      nsPerPair: (best * 1e6) / pairs,
      speedupOverReference: reference === undefined ? null : reference / best,
      speedupOverOneThread: threads > 1 && single !== undefined ? single / best : null,
      bandwidthShare: traffic / (best / 1000) / machine.bandwidth,
      bytesPerParticle: world.memoryBytes / particles,
      comparison:
        other === undefined ? null : { source: scene.comparison!.source, milliseconds: other, ratio: other / best },
    });
    await world.dispose();
  }
  return results;
}
