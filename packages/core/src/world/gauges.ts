/** What probes read at a point of space, from the particles that are around it at the time. */
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
    const { liquid, begin, end } = model.places[b]!;
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
