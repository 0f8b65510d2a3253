/** Bodies of a world: made of particles, and as users see them. */
import { add, rotationFromDegrees, transform } from '../math/matrix3.js';
import type { Engine } from '../memory/engine.js';
import { LONGEST_SPACING, SHORTEST_LENGTH } from '../options/declare.js';
import { OptionError, resolveBody } from '../options/index.js';
import { type Matter, matterOf } from '../options/phase.js';
import type { BodyOptions, EmitterOptions } from '../options/types.js';
import { withFreeSlots } from '../particles/free-slots.js';
import * as layout from '../particles/layout.js';
import { type BodySamples, toSamples } from '../particles/samples.js';
import { surfaceArea } from '../sampling/area.js';
import { cubeRoot } from '../sampling/cube-root.js';
import { type SamplingQuality, sampleShape } from '../sampling/index.js';
import { materialsOf, mayBreak, mayFlow } from '../solvers/material.js';
import type { BodyRecord } from './model.js';

/** Nearest neighbours whose mean distance gives the spacing of a program's particles ([M04] 3.2 takes ten). */
const NEAREST = 6;

/** A body in the world; particle numbers are [begin, end). */
export interface Body {
  readonly name: string;
  /** A solid that has begun to melt is a fluid from then on. */
  readonly kind: BodyOptions['kind'];
  /** What it is made of, and what follows from that. */
  readonly matter: Matter;
  /** Was it a solid that has begun to melt? */
  readonly melted?: boolean | undefined;
  readonly begin: number;
  readonly end: number;
  /** Smallest distance of neighbouring particles [m]. */
  readonly spacing: number;
  /** [kg] */
  readonly mass: number;
  readonly warnings: readonly string[];
  /** Numbers of particles, from `begin` on, at which parts of a solid end that air separates, where there are several. */
  readonly parts?: readonly number[] | undefined;
  /** How well the particles stand for the shape; not known of particles that a program gave. */
  readonly quality?: SamplingQuality | undefined;
}

/** Particles given by a program instead of a lattice. */
export interface PointSamples {
  /** xyz per particle in the body's own coordinates [m]. */
  readonly positions: Float64Array;
  /** [m3] */
  readonly volumes: Float64Array;
  /** Edge of each particle's cell [m]; from the nearest neighbours when left out. */
  readonly spacings?: Float64Array;
}

/** A body of particles on its lattice, or of those given. */
export function makeBody(engine: Engine, options: BodyOptions, seed: number, points?: PointSamples): BodyRecord {
  const { samples, warnings, quality } = points
    ? { samples: samplesOf(engine, options, points), warnings: [], quality: undefined }
    : sampled(options, seed);
  const rotation = rotationFromDegrees(options.rotation);
  const matter = matterOf(options);
  return {
    options,
    matter,
    samples: matter.isViscoplastic ? withFreeSlots(samples) : samples,
    initial: { rotation, origin: add(options.position, transform(rotation, samples.center)) },
    material: options.material,
    longestSide: longestSide(samples),
    plastic: matter.isSolid && [options.material, ...options.regions.map(({ set }) => set)].some(mayFlow),
    breaks: matter.isSolid && [options.material, ...options.regions.map(({ set }) => set)].some(mayBreak),
    warnings,
    quality,
    surfaceArea: points ? undefined : surfaceArea(options.shape),
  };
}

/** The body of a source's liquid: slots for particles, all of them empty. */
export function makeSource(emitter: EmitterOptions): BodyRecord {
  const { name, position, rotation, maxParticles, spacing, material, radius } = emitter;
  const shape = { cylinder: { radius, length: spacing } };
  const samples = toSamples(
    new Float64Array(3 * maxParticles),
    new Float64Array(maxParticles).fill(spacing * spacing * spacing),
    new Float64Array(maxParticles).fill(spacing),
  );
  return {
    options: { ...resolveBody({ name, kind: 'fluid', shape, position, rotation, spacing }), shape },
    matter: matterOf(emitter),
    samples,
    initial: { rotation: rotationFromDegrees(rotation), origin: position },
    material,
    longestSide: radius,
    warnings: [],
    plastic: false,
    breaks: false,
    emitter,
  };
}

function sampled(
  options: BodyOptions,
  seed: number,
): { samples: BodySamples; warnings: readonly string[]; quality: SamplingQuality } {
  const { shape, spacing, particles, lattice, jitter } = options;
  const { phase, isRigid, isSolid, isFluid } = matterOf(options);
  const advisedLayers = isRigid ? 1 : undefined;
  // Bonds of what can melt reach as far as the neighbours of most solids; those of quadratic fits are farther apart.
  const reach = !isRigid && phase !== 'liquid' ? (options.discretisation === 'quadratic' ? 2.4 : 2.1) : undefined;
  // Melts find their neighbours anew.
  const separates = isSolid;
  const found = sampleShape(shape, { spacing, particles, lattice, jitter, seed, advisedLayers, reach, separates });
  const samples = toSamples(found.positions, found.volumes, found.spacings, found);
  return {
    samples: isFluid ? evenly(samples, spacing ?? found.spacings[0]!) : samples,
    warnings: found.warnings,
    quality: found.quality,
  };
}

function samplesOf(engine: Engine, options: BodyOptions, points: PointSamples): BodySamples {
  checkPoints(points);
  const { positions, volumes, spacings } = points;
  const samples = toSamples(positions, volumes, spacings ?? nearestSpacings(engine, positions));
  if (!matterOf(options).isFluid) return samples;
  const mean = volumes.reduce((sum, v) => sum + v, 0) / volumes.length;
  return evenly(samples, options.spacing ?? cubeRoot(mean));
}

/** Particles of a liquid are all alike. */
function evenly(samples: BodySamples, spacing: number): BodySamples {
  const rest = samples.rest.slice();
  for (let i = 3; i < rest.length; i += 4) rest[i] = spacing;
  return {
    ...samples,
    rest,
    volume: samples.volume.map(() => spacing * spacing * spacing),
    offset: new Float32Array(),
  };
}

function longestSide({ rest, count }: BodySamples): number {
  const low = [0, 0, 0];
  const high = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    for (let a = 0; a < 3; a++) {
      low[a] = Math.min(low[a]!, rest[4 * i + a]! - rest[4 * i + 3]! / 2);
      high[a] = Math.max(high[a]!, rest[4 * i + a]! + rest[4 * i + 3]! / 2);
    }
  }
  return Math.max(high[0]! - low[0]!, high[1]! - low[1]!, high[2]! - low[2]!);
}

/** Mean distance to the nearest neighbours, by the kd-tree. */
function nearestSpacings(engine: Engine, positions: Float64Array): Float64Array {
  const { arena } = engine;
  const count = positions.length / 3;
  const nearest = Math.min(NEAREST, count - 1);
  if (nearest < 1) throw new OptionError([{ path: 'points', message: 'of one particle need their spacing' }]);
  const mark = arena.mark();
  const context = arena.allocate(layout.CONTEXT_SIZE);
  const points = arena.allocate(16 * count);
  const slots: [number, number][] = [
    [layout.POINTS, points],
    [layout.POINT_COUNT, count],
    [layout.SORTED, arena.allocate(4 * count)],
    [layout.TREE_AXIS, arena.allocate(count)],
    [layout.NEAREST_DISTANCE, arena.allocate(4 * nearest * count)],
    [layout.NEAREST_COUNT, nearest],
  ];
  const block = arena.u32(context, layout.CONTEXT_SIZE / 4);
  for (const [slot, value] of slots) block[slot / 4] = value;
  const at = arena.f32(points, 4 * count);
  for (let i = 0; i < count; i++) {
    for (let a = 0; a < 3; a++) at[4 * i + a] = positions[3 * i + a]!;
  }
  engine.runSerial('buildTree', context);
  engine.run('computeNearestDistances', count, context);
  const distances = arena.f32(block[layout.NEAREST_DISTANCE / 4]!, nearest * count);
  const spacings = Float64Array.from({ length: count }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < nearest; k++) sum += distances[nearest * i + k]!;
    return sum / nearest;
  });
  arena.release(mark);
  return spacings;
}

/** What the float32 state can hold. */
const VOLUMES = `must be from ${(SHORTEST_LENGTH ** 3).toExponential(0)} to ${(LONGEST_SPACING ** 3).toExponential(0)} m3`;

function checkPoints({ positions, volumes, spacings }: PointSamples): void {
  const refuse = (path: string, message: string): never => {
    throw new OptionError([{ path: `points.${path}`, message }]);
  };
  const count = volumes.length;
  if (count === 0) refuse('volumes', 'must not be empty');
  if (positions.length !== 3 * count)
    refuse('positions', `must have three numbers for each of ${count} volumes, got ${positions.length}`);
  if (spacings && spacings.length !== count)
    refuse('spacings', `must have one number for each of ${count} volumes, got ${spacings.length}`);
  const bad = (list: Float64Array, good: (x: number) => boolean) =>
    list.findIndex((x) => !(Number.isFinite(x) && good(x)));
  const checks: [string, Float64Array | undefined, (x: number) => boolean, string][] = [
    ['positions', positions, () => true, 'must be finite'],
    ['volumes', volumes, (x) => x > 0, 'must be > 0 m3'],
    ['volumes', volumes, (x) => x >= SHORTEST_LENGTH ** 3 && x <= LONGEST_SPACING ** 3, VOLUMES],
    ['spacings', spacings, (x) => x > 0, 'must be > 0 m'],
  ];
  for (const [name, list, good, rule] of checks) {
    const index = list ? bad(list, good) : -1;
    if (index >= 0) refuse(`${name}[${index}]`, `${rule}, got ${list![index]}`);
  }
}

/** The bodies as users see them; `present` counts the particles of the liquids that are there. */
export function describeBodies(records: readonly BodyRecord[], present: readonly number[] | undefined): Body[] {
  let begin = 0;
  let liquids = 0;
  return records.map((body) => {
    const { options, matter, samples, warnings, quality } = body;
    const { count, rest, volume } = samples;
    const materials = materialsOf(body);
    let spacing = Number.POSITIVE_INFINITY;
    let total = 0;
    for (let i = 0; i < count; i++) {
      spacing = Math.min(spacing, rest[4 * i + 3]!);
      total += volume[i]! * materials[i]!.density;
    }
    if (matter.isFluid) {
      const there = present?.[liquids++] ?? (body.emitter ? 0 : count);
      // Free slots of what was viscoplastic have no volume.
      const began = body.melted ? volume.reduce((sum, own) => sum + (own > 0 ? 1 : 0), 0) : count;
      total = body.melted ? total * (there / began) : there * spacing * spacing * spacing * body.material.density;
    }
    begin += count;
    return {
      name: options.name,
      kind: options.kind,
      matter,
      ...(body.melted && { melted: true }),
      begin: begin - count,
      end: begin,
      spacing,
      mass: total,
      warnings,
      ...(samples.parts && { parts: samples.parts }),
      quality,
    };
  });
}
