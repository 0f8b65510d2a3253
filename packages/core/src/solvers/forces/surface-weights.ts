/** Points of a surface as linear combinations of the particles below it. */
import { invert } from '../../math/matrix3.js';

/** Support of the weights, in spacings: two layers below a face, and their neighbours. */
const SUPPORT = 2.3;
/** What this share of the moments is added to leaves directions out along which there is only one layer. */
const RIDGE = 1e-9;

/** Entries of point k are [starts[k], starts[k + 1]). */
export interface SurfaceWeights {
  readonly starts: Uint32Array;
  readonly particles: Uint32Array;
  readonly weights: Float64Array;
}

/**
 * Moving least squares weights: they add up to one, and a linear field is continued to the point exactly, so that forces
 * on points that are shared out by them keep their sum, their moment and their power. `rest` has four floats for each
 * particle, the last its spacing; points are xyz triples [m].
 */
export function surfaceWeights(rest: Float32Array, count: number, points: ArrayLike<number>): SurfaceWeights {
  let largest = 0;
  for (let i = 0; i < count; i++) largest = Math.max(largest, rest[4 * i + 3]!);
  const near = cellsOf(rest, count, SUPPORT * largest);
  const number = points.length / 3;
  const starts = new Uint32Array(number + 1);
  const particles: number[] = [];
  const weights: number[] = [];
  for (let k = 0; k < number; k++) {
    const at = [points[3 * k]!, points[3 * k + 1]!, points[3 * k + 2]!] as const;
    let support = SUPPORT;
    let found = near(at, support);
    // Where the surface is far from all particles, as at a sharp tip.
    while (found.length < 4 && support < 20) {
      support *= 1.3;
      found = near(at, support);
    }
    for (const { particle, weight } of linearWeights(rest, at, found)) {
      particles.push(particle);
      weights.push(weight);
    }
    starts[k + 1] = particles.length;
  }
  return { starts, particles: Uint32Array.from(particles), weights: Float64Array.from(weights) };
}

interface Weighted {
  readonly particle: number;
  readonly weight: number;
}
type Point = readonly [number, number, number];

/** phi_i = w_i (1 + b (x_i - c)) / sum w about the weighted centre c, with b from the second moments about it. */
function linearWeights(rest: Float32Array, at: Point, found: readonly Weighted[]): Weighted[] {
  let sum = 0;
  const centre = [0, 0, 0];
  for (const { particle: i, weight } of found) {
    sum += weight;
    for (let a = 0; a < 3; a++) centre[a]! += weight * rest[4 * i + a]!;
  }
  for (let a = 0; a < 3; a++) centre[a]! /= sum;
  const moment = new Array<number>(9).fill(0);
  for (const { particle: i, weight } of found) {
    const d = [0, 1, 2].map((a) => rest[4 * i + a]! - centre[a]!);
    for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) moment[3 * a + b]! += weight * d[a]! * d[b]!;
  }
  const ridge = RIDGE * (moment[0]! + moment[4]! + moment[8]!) + Number.MIN_VALUE;
  for (const k of [0, 4, 8]) moment[k]! += ridge;
  const inverse = invert(moment as never);
  const arm = at.map((x, a) => x - centre[a]!);
  const slope = [0, 1, 2].map(
    (a) => inverse[3 * a]! * arm[0]! + inverse[3 * a + 1]! * arm[1]! + inverse[3 * a + 2]! * arm[2]!,
  );
  return found.map(({ particle: i, weight }) => {
    let along = 0;
    for (let a = 0; a < 3; a++) along += slope[a]! * (rest[4 * i + a]! - centre[a]!);
    return { particle: i, weight: weight * (1 / sum + along) };
  });
}

/** Particles around a point with their weights (1 - r^2 / h^2)^3, in rising order of their numbers. */
function cellsOf(rest: Float32Array, count: number, edge: number) {
  const cells = new Map<string, number[]>();
  const cell = (x: number) => Math.floor(x / edge);
  for (let i = 0; i < count; i++) {
    const key = [0, 1, 2].map((a) => cell(rest[4 * i + a]!)).join();
    const list = cells.get(key);
    if (list) list.push(i);
    else cells.set(key, [i]);
  }
  return (at: Point, support: number): Weighted[] => {
    const reach = Math.ceil(support / SUPPORT);
    const [cx, cy, cz] = at.map(cell) as [number, number, number];
    const found: Weighted[] = [];
    for (let x = cx - reach; x <= cx + reach; x++) {
      for (let y = cy - reach; y <= cy + reach; y++) {
        for (let z = cz - reach; z <= cz + reach; z++) {
          for (const i of cells.get(`${x},${y},${z}`) ?? []) {
            const h = support * rest[4 * i + 3]!;
            let r2 = 0;
            for (let a = 0; a < 3; a++) r2 += (rest[4 * i + a]! - at[a]!) ** 2;
            const left = 1 - r2 / (h * h);
            if (left > 0) found.push({ particle: i, weight: left * left * left });
          }
        }
      }
    }
    return found.sort((a, b) => a.particle - b.particle);
  };
}
