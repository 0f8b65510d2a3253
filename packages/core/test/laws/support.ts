import { ReferenceSolid } from '../../reference/index.js';
import { rotationFromDegrees, transform } from '../../src/math/matrix3.js';
import { Engine } from '../../src/memory/engine.js';
import {
  type BodyInput,
  type ObstacleInput,
  resolveBody,
  resolveObstacle,
  resolveWorldOptions,
  type WorldInput,
} from '../../src/options/index.js';
import { matterOf } from '../../src/options/phase.js';
import type { BodyOptions, ObstacleOptions, Vec3 } from '../../src/options/types.js';
import { withFreeSlots } from '../../src/particles/free-slots.js';
import * as layout from '../../src/particles/layout.js';
import { toSamples } from '../../src/particles/samples.js';
import { NO_RENEWAL } from '../../src/solvers/elastic/renewal-effort.js';
import { mayFlow } from '../../src/solvers/material.js';
import { NO_SUBSTEPS } from '../../src/solvers/step-limit.js';
import { type BodyRecord, buildModel, type WorldModel } from '../../src/world/model.js';
import { loadFurther } from '../../src/world/on-demand.js';
import { NO_EFFORT } from '../../src/world/reports.js';
import { readSave, writeSave } from '../../src/world/save.js';
import { createWorld, type PointSamples, World } from '../../src/world.js';

/** A seeded generator of numbers in [0, 1) (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** nx x ny x nz particles about the origin, displaced by up to `jitter` spacings. */
export function block(sides: Vec3, spacing: number, jitter = 0, seed = 1): Required<PointSamples> {
  const random = randomNumbers(seed);
  const positions: number[] = [];
  for (let x = 0; x < sides[0]; x++) {
    for (let y = 0; y < sides[1]; y++) {
      for (let z = 0; z < sides[2]; z++) {
        for (const [a, k] of [x, y, z].entries()) {
          positions.push(spacing * (k - (sides[a]! - 1) / 2 + (jitter > 0 ? jitter * (2 * random() - 1) : 0)));
        }
      }
    }
  }
  const count = positions.length / 3;
  return {
    positions: Float64Array.from(positions),
    volumes: new Float64Array(count).fill(spacing ** 3),
    spacings: new Float64Array(count).fill(spacing),
  };
}

/** A shape for bodies whose particles are given: only its being there matters. */
export const SOME_BOX = { box: { size: [1, 1, 1] as Vec3 } };

/** What the passes work on, without a world around it. */
export interface Bench {
  readonly model: WorldModel;
  readonly bodies: readonly BodyRecord[];
  readonly dispose: () => Promise<void>;
}

/** Bodies laid out in the engine's memory. */
export async function buildBench(
  bodies: readonly { input?: Partial<BodyInput>; points: Required<PointSamples> }[],
  options: WorldInput = {},
  obstacles: readonly ObstacleInput[] = [],
): Promise<Bench> {
  const { gravity, solver, threads } = resolveWorldOptions({ gravity: [0, 0, 0], threads: 1, ...options });
  await loadFurther();
  const engine = await Engine.create(threads);
  const records = bodies.map(({ input, points }, k): BodyRecord => {
    const body = resolveBody({ name: `body${k}`, shape: SOME_BOX, ...input }) as BodyOptions;
    const samples = toSamples(points.positions, points.volumes, points.spacings);
    const rotation = rotationFromDegrees(body.rotation);
    const shift = transform(rotation, samples.center);
    const origin: Vec3 = [body.position[0] + shift[0], body.position[1] + shift[1], body.position[2] + shift[2]];
    let longestSide = 0;
    for (let a = 0; a < 3; a++) {
      const along = Array.from({ length: samples.count }, (_, i) => samples.rest[4 * i + a]!);
      const edge = samples.rest[3]!;
      longestSide = Math.max(longestSide, Math.max(...along) - Math.min(...along) + edge);
    }
    return {
      options: body,
      matter: matterOf(body),
      samples: matterOf(body).isViscoplastic ? withFreeSlots(samples) : samples,
      initial: { rotation, origin },
      material: body.material,
      longestSide,
      warnings: [],
      plastic: mayFlow(body.material),
      breaks: false,
    };
  });
  const model = buildModel(
    {
      engine,
      gravity,
      solver,
      bodies: records,
      obstacles: obstacles.map((obstacle) => ({ options: resolveObstacle(obstacle) as ObstacleOptions })),
      constraints: [],
      sinks: [],
      renewalEffort: { ...NO_RENEWAL },
      solidEffort: { newtonIterations: 0, iterations: 0, retries: 0 },
      substeps: { ...NO_SUBSTEPS },
      fluidEffort: { ...NO_EFFORT },
      time: 0,
      seed: 1,
    },
    engine.arena.mark(),
  );
  return { model, bodies: records, dispose: () => engine.dispose() };
}

/** The double-precision twin of a body, from the same float32 rest positions and volumes. */
export function twinOf({ samples, material }: BodyRecord, solid: { support?: number; stabilisation?: number } = {}) {
  const { count, rest, volume } = samples;
  const positions = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) for (let a = 0; a < 3; a++) positions[3 * i + a] = rest[4 * i + a]!;
  return new ReferenceSolid({
    ...material,
    ...solid,
    positions,
    volumes: Float64Array.from(volume),
    spacings: Float64Array.from({ length: count }, (_, i) => rest[4 * i + 3]!),
  });
}

/** Writes the same displacements into memory and twin, rounded to float32. */
export function displace(
  { model, bodies }: Bench,
  twins: readonly ReferenceSolid[],
  at: (position: Vec3, body: number) => Vec3,
): void {
  const u = model.store.vectors(layout.DISPLACEMENT);
  for (const [b, { begin }] of model.ranges.entries()) {
    const { rest, count } = bodies[b]!.samples;
    for (let i = 0; i < count; i++) {
      const value = at([rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!], b);
      for (let a = 0; a < 3; a++) {
        u[4 * (begin + i) + a] = value[a]!;
        const twin = twins[b];
        if (twin) twin.displacement[3 * i + a] = Math.fround(value[a]!);
      }
    }
  }
}

/** Largest difference of two lists over the largest size in the second. */
export function relativeDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let difference = 0;
  let size = 0;
  for (let k = 0; k < a.length; k++) {
    const d = Math.abs(a[k]! - b[k]!);
    if (!(d <= difference)) difference = d;
    size = Math.max(size, Math.abs(b[k]!));
  }
  return size > 0 ? difference / size : difference;
}

/** xyz of every particle, out of four floats each. */
export function threes(vectors: Float32Array): Float64Array {
  return Float64Array.from({ length: (vectors.length / 4) * 3 }, (_, k) => vectors[4 * Math.floor(k / 3) + (k % 3)]!);
}

/** Particle masses [kg] in a bench. */
export function massesOf({ model }: Bench): Float64Array {
  const sums = model.store.vectors(layout.GRADIENT_SUM);
  return Float64Array.from({ length: model.store.count }, (_, i) => 1 / sums[4 * i + 3]!);
}

/** Centre of mass of some numbered particles of equal mass. */
export function centerOf(positions: Float32Array, begin: number, end: number): Vec3 {
  const sum: [number, number, number] = [0, 0, 0];
  for (let i = begin; i < end; i++) for (let a = 0; a < 3; a++) sum[a]! += positions[4 * i + a]!;
  return [sum[0] / (end - begin), sum[1] / (end - begin), sum[2] / (end - begin)];
}

/** The same world with other velocities, in the axes of the body frames, by way of a save. */
export async function withState(
  world: World,
  change: (state: { displacement: Float32Array; velocity: Float32Array; acceleration: Float32Array }) => void,
): Promise<World> {
  const saved = readSave(world.save());
  const [displacement, velocity, acceleration] = saved.attributes as [Float32Array, Float32Array, Float32Array];
  change({ displacement, velocity, acceleration });
  // A frequency of zero says that forces are not known: they are found anew from the displacements.
  return World.load(writeSave({ ...saved, solverState: { ...saved.solverState, elasticFrequency: 0 } }), {
    threads: 1,
  });
}

/** A world that is given back at the end of the test. */
export async function withWorld<T>(options: WorldInput, use: (world: World) => T | Promise<T>): Promise<T> {
  const world = await createWorld({ threads: 1, ...options });
  try {
    return await use(world);
  } finally {
    await world.dispose();
  }
}

export function norm(v: readonly number[]): number {
  return Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
}

/** Floor and four walls, as planes. */
export function tank(low: Vec3, high: Vec3, options: Partial<ObstacleInput> = {}): ObstacleInput[] {
  const plane = (normal: Vec3, offset: number): ObstacleInput => ({ shape: { plane: { normal, offset } }, ...options });
  return [
    plane([0, 1, 0], low[1]),
    plane([1, 0, 0], low[0]),
    plane([-1, 0, 0], -high[0]),
    plane([0, 0, 1], low[2]),
    plane([0, 0, -1], -high[2]),
  ];
}

/** Positions and velocities of the particles that are in the world. */
export function present(world: World): { position: Vec3; velocity: Vec3 }[] {
  const x = world.positions();
  const v = world.velocities();
  const at = (of: Float32Array, k: number): Vec3 => [of[k]!, of[k + 1]!, of[k + 2]!];
  const list: { position: Vec3; velocity: Vec3 }[] = [];
  for (let k = 0; k < x.length; k += 4) if (x[k + 3] === 1) list.push({ position: at(x, k), velocity: at(v, k) });
  return list;
}
