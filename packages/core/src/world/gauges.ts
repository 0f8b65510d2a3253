/** What probes read at a point of space, from the particles that are around it at the time. */
import { add, cross, length, scale, subtract } from '../math/matrix3.js';
import { sineCosine } from '../math/trigonometry.js';
import type { ProbeOptions, Vec3 } from '../options/types.js';
import { cubicSpline } from '../solvers/fluid/kernels.js';
import type { BodyRecord, WorldModel } from './model.js';

/** Particles within this many of their spacings count. */
const REACH = 2;
/** Steps in which the surface of a column is looked for, in spacings. */
const SEARCH_STEP = 0.125;
/** Share of the liquid of a full column at its surface; beside walls columns are full with half of the particles. */
const SURFACE = 0.5;
const LEAST_FULL = 0.5;
/** A linear fit needs particles to all sides: pivots of its equations over the first [1]. */
const LEAST_PIVOT = 1e-3;

/** The readings of a world that gauges use. */
export interface Gauged {
  readonly gravity: Vec3;
  masses(): ArrayLike<number>;
  positions(): ArrayLike<number>;
  velocities(): ArrayLike<number>;
  pressures(): ArrayLike<number>;
  temperatures(): ArrayLike<number>;
  densities(): ArrayLike<number>;
}

/** Points of a line and rings of a disc for each spacing of the particles, at the least, and most of them. */
const FINENESS = 2;
const MOST_POINTS = 400;
const MOST_RINGS = 24;

/** Measures the mean over a line or a disc of what is there of it, or the flow through a disc. */
export function measureSection(
  world: Gauged,
  model: WorldModel,
  bodies: readonly BodyRecord[],
  probe: ProbeOptions,
): number[] {
  const spacing = Math.min(...bodies.map(({ samples }) => samples.rest[3]!));
  const { along, through, quantity } = probe;
  const points = along ? pointsAlong(along, spacing) : pointsOn(through!, spacing);
  if (quantity === 'massFlow' || quantity === 'volumeFlow') {
    return [flowThrough(world, model, bodies, probe, points)];
  }
  const sums: number[] = [];
  let total = 0;
  for (const { at, weight } of points) {
    const values = measureGauge(world, model, bodies, { ...probe, at });
    if (values.length === 0 || Number.isNaN(values[0]!)) continue;
    total += weight;
    for (const [a, value] of values.entries()) sums[a] = (sums[a] ?? 0) + weight * value;
  }
  if (total > 0) return sums.map((sum) => sum / total);
  return quantity === 'velocity' ? [Number.NaN, Number.NaN, Number.NaN] : [Number.NaN];
}

interface Sampled {
  readonly at: Vec3;
  /** Length or area that it stands for. */
  readonly weight: number;
}

function pointsAlong({ from, to }: { readonly from: Vec3; readonly to: Vec3 }, spacing: number): Sampled[] {
  const offset = subtract(to, from);
  const count = Math.min(MOST_POINTS, Math.max(1, Math.ceil((FINENESS * length(offset)) / spacing)));
  return Array.from({ length: count }, (_, k) => ({ at: add(from, scale(offset, (k + 0.5) / count)), weight: 1 }));
}

/** Rings of points, each for a part of the same size of its ring. */
function pointsOn(
  disc: { readonly center: Vec3; readonly normal: Vec3; readonly radius: number },
  spacing: number,
): Sampled[] {
  const { center, radius } = disc;
  const normal = scale(disc.normal, 1 / length(disc.normal));
  const other: Vec3 = Math.abs(normal[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0];
  const raw = cross(normal, other);
  const one = scale(raw, 1 / length(raw));
  const two = cross(normal, one);
  const rings = Math.min(MOST_RINGS, Math.max(1, Math.ceil((FINENESS * radius) / spacing)));
  const width = radius / rings;
  const points: Sampled[] = [];
  for (let r = 0; r < rings; r++) {
    const middle = (r + 0.5) * width;
    const count = Math.max(4, 6 * r + 3);
    const weight = (2 * Math.PI * middle * width) / count;
    for (let k = 0; k < count; k++) {
      const { sine, cosine } = sineCosine((2 * Math.PI * (k + 0.5)) / count);
      points.push({ at: add(center, add(scale(one, middle * cosine), scale(two, middle * sine))), weight });
    }
  }
  return points;
}

/** The flow of smoothed matter, sum of m v . n W, which is nothing where nothing is. */
function flowThrough(
  world: Gauged,
  model: WorldModel,
  bodies: readonly BodyRecord[],
  { body, quantity, through }: ProbeOptions,
  points: readonly Sampled[],
): number {
  const { center, radius, normal } = through!;
  const [nx, ny, nz] = scale(normal, 1 / length(normal));
  const [masses, x, v] = [world.masses(), world.positions(), world.velocities()];
  const densities = quantity === 'volumeFlow' ? world.densities() : undefined;
  let flow = 0;
  for (const [b, { options, samples }] of bodies.entries()) {
    if (body !== undefined && options.name !== body) continue;
    const { begin, end } = model.locations[b]!;
    const h = REACH * samples.rest[3]!;
    for (let i = begin; i < end; i++) {
      if (!(masses[i]! > 0)) continue;
      const arm: Vec3 = [x[4 * i]! - center[0], x[4 * i + 1]! - center[1], x[4 * i + 2]! - center[2]];
      const height = arm[0] * nx + arm[1] * ny + arm[2] * nz;
      if (Math.abs(height) >= h || length(arm) >= radius + h) continue;
      let share = 0;
      for (const { at, weight } of points) {
        const d: Vec3 = [x[4 * i]! - at[0], x[4 * i + 1]! - at[1], x[4 * i + 2]! - at[2]];
        const distance = length(d);
        if (distance < h) share += weight * cubicSpline.value(distance, h);
      }
      const speed = v[4 * i]! * nx + v[4 * i + 1]! * ny + v[4 * i + 2]! * nz;
      flow += share * speed * (densities ? masses[i]! / densities[i]! : masses[i]!);
    }
  }
  return flow;
}

/** Measures at the point `at`; not a number where there is nothing, heights are 0 there. */
export function measureGauge(
  world: Gauged,
  model: WorldModel,
  bodies: readonly BodyRecord[],
  { body, quantity, at }: ProbeOptions & { readonly at: Vec3 },
): number[] {
  const ofLiquid = quantity === 'pressure' || quantity === 'height';
  const chosen = bodies.flatMap(({ options, samples }, b) => {
    const { liquid, begin, end } = model.locations[b]!;
    if ((body !== undefined && options.name !== body) || (ofLiquid && !liquid)) return [];
    return [{ begin, end, spacing: samples.rest[3]! }];
  });
  const masses = world.masses();
  const positions = world.positions();
  /** Calls `visit` for all particles that are there. */
  const forAll = (visit: (i: number, x: number, y: number, z: number, spacing: number) => void) => {
    for (const { begin, end, spacing } of chosen) {
      for (let i = begin; i < end; i++) {
        if (masses[i]! > 0) visit(i, positions[4 * i]!, positions[4 * i + 1]!, positions[4 * i + 2]!, spacing);
      }
    }
  };
  if (quantity === 'height') return [heightAbove(at, forAll)];
  const data =
    quantity === 'velocity' ? world.velocities() : quantity === 'pressure' ? world.pressures() : world.temperatures();
  const [stride, components] = quantity === 'velocity' ? [4, 3] : [1, 1];
  const near: { weight: number; arm: Vec3; i: number }[] = [];
  forAll((i, x, y, z, spacing) => {
    const arm: Vec3 = [(x - at[0]) / spacing, (y - at[1]) / spacing, (z - at[2]) / spacing];
    const distance2 = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2];
    if (distance2 < REACH * REACH) near.push({ weight: cubicSpline.value(Math.sqrt(distance2), REACH), arm, i });
  });
  return Array.from({ length: components }, (_, a) =>
    valueAtOrigin(near.map(({ weight, arm, i }) => ({ weight, arm, value: data[stride * i + a]! }))),
  );
}

interface Sample {
  readonly weight: number;
  readonly arm: Vec3;
  readonly value: number;
}

/** The moving least squares fit at the point itself, linear where the samples allow it, else their mean. */
function valueAtOrigin(samples: readonly Sample[]): number {
  let [total, sum] = [0, 0];
  for (const { weight, value } of samples) {
    total += weight;
    sum += weight * value;
  }
  if (!(total > 0)) return Number.NaN;
  const mean = sum / total;
  // About the centre of the weights, with the mean taken off: value = mean + slope . (arm - centre).
  const centre = [0, 1, 2].map((a) => samples.reduce((part, s) => part + s.weight * s.arm[a]!, 0) / total);
  const rows = [0, 1, 2].map(() => [0, 0, 0, 0]);
  for (const { weight, arm, value } of samples) {
    const d = arm.map((x, a) => x - centre[a]!);
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) rows[a]![b]! += (weight * d[a]! * d[b]!) / total;
      rows[a]![3]! += (weight * d[a]! * (value - mean)) / total;
    }
  }
  let result = mean;
  // Elimination without exchange: the matrix is symmetric and positive.
  for (let a = 0; a < 3; a++) {
    if (!(rows[a]![a]! > LEAST_PIVOT)) return mean;
    for (let b = a + 1; b < 3; b++) {
      const factor = rows[b]![a]! / rows[a]![a]!;
      for (let c = a; c < 4; c++) rows[b]![c]! -= factor * rows[a]![c]!;
    }
  }
  const slope = [0, 0, 0];
  for (let a = 2; a >= 0; a--) {
    let rest = rows[a]![3]!;
    for (let b = a + 1; b < 3; b++) rest -= rows[a]![b]! * slope[b]!;
    slope[a] = rest / rows[a]![a]!;
    result -= slope[a]! * centre[a]!;
  }
  return result;
}

/**
 * Height of the surface of the liquid above a point [m]: the highest place over it at which the smoothed share of liquid is
 * half of that of a full column; 0 without liquid there.
 */
function heightAbove(
  at: Vec3,
  forAll: (visit: (i: number, x: number, y: number, z: number, spacing: number) => void) => void,
): number {
  const column: { across2: number; y: number }[] = [];
  let spacing = 0;
  forAll((_, x, y, z, own) => {
    spacing = own;
    const across2 = (x - at[0]) * (x - at[0]) + (z - at[2]) * (z - at[2]);
    if (across2 < REACH * REACH * own * own && y > at[1] - REACH * own) column.push({ across2, y });
  });
  if (column.length === 0) return 0;
  column.sort((a, b) => b.y - a.y || a.across2 - b.across2);
  const h = REACH * spacing;
  const volume = spacing * spacing * spacing;
  const step = SEARCH_STEP * spacing;
  const top = column[0]!.y + h;
  const values: number[] = [];
  let first = 0;
  for (let k = 0; top - k * step >= at[1]; k++) {
    const y = top - k * step;
    while (first < column.length && column[first]!.y > y + h) first++;
    let share = 0;
    for (let n = first; n < column.length && column[n]!.y > y - h; n++) {
      const { across2, y: own } = column[n]!;
      share += volume * cubicSpline.value(Math.sqrt(across2 + (own - y) * (own - y)), h);
    }
    values.push(share);
  }
  const full = Math.min(1, Math.max(LEAST_FULL, ...values));
  const found = values.findIndex((share) => share >= SURFACE * full);
  if (found < 0) return 0;
  const before = found > 0 ? values[found - 1]! : 0;
  const beyond = (values[found]! - SURFACE * full) / (values[found]! - before);
  return top - (found - beyond) * step - at[1];
}
