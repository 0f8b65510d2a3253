/** Stress, strain and velocity gradient of every particle, in world axes. */
import { symmetricEigen } from '../math/eigen.js';
import { logarithm } from '../math/elementary.js';
import { type Matrix3, multiply, transpose, type Vec3 } from '../math/matrix3.js';
import * as fluidLayout from '../particles/fluid-layout.js';
import * as layout from '../particles/layout.js';
import type { BodyRecord, WorldModel } from './model.js';
import type { Readings } from './readings.js';

/** Components of a symmetric tensor, and the places of a matrix in it. */
export const SYMMETRIC = 6;
const PLACES = [0, 3, 5, 3, 1, 4, 5, 4, 2] as const;
/** Of a matrix, row by row. */
export const MATRIX = 9;
/** Particles within so many spacings tell how velocities differ from place to place. */
const REACH = 2;
/** Neighbours that span less than this of space, det M over the cube of its mean eigenvalue, say nothing of the rest. */
const LEAST_SPAN = 1e-3;
const NONE: Vec3 = [0, 0, 0];
/** Cells that are farther apart than this along an axis may share a number. */
const FAR = 2 ** 17;

/**
 * Cauchy stress [Pa], xx, yy, zz, xy, yz, xz of every particle, tension positive: of solids and the elastic part of
 * melts from their laws, of liquids minus pressure and what viscosity adds. Zero for rigid bodies and free slots.
 */
export function stressTensors(
  model: WorldModel,
  bodies: readonly BodyRecord[],
  read: Readings,
  period: Vec3,
): Float32Array {
  const result = new Float32Array(SYMMETRIC * model.locations.at(-1)!.end);
  const lanes = Array.from({ length: SYMMETRIC }, (_, c) => read.measure(3 + c));
  const rotationOf = rotations(model);
  const isPresent = model.store.presence();
  for (const location of model.locations) {
    const { liquid, index } = location;
    if (!liquid && model.solids[index]!.matter.isRigid) continue;
    const first = liquid ? 0 : model.ranges[index]!.begin - location.begin;
    for (let i = location.begin; i < location.end; i++) {
      if (!liquid && !isPresent(first + i)) continue;
      const own = lanes.map((lane) => lane[i]!);
      const rotation = location.liquid ? undefined : rotationOf(location, i);
      const six = rotation ? turned(own, rotation) : own;
      for (let c = 0; c < SYMMETRIC; c++) result[SYMMETRIC * i + c] = six[c]!;
    }
  }
  const { fluid } = model;
  if (!fluid) return result;
  const pressures = read.pressures();
  const viscosities = read.liquidLane(fluidLayout.VELOCITY, 3);
  const gradients = viscosities.some((mu) => mu > 0) ? velocityGradients(model, bodies, read, period) : undefined;
  for (const { liquid, begin, end } of model.locations) {
    if (!liquid) continue;
    for (let i = begin; i < end; i++) {
      for (let c = 0; c < 3; c++) result[SYMMETRIC * i + c]! -= pressures[i]!;
      if (!gradients) continue;
      for (let e = 0; e < MATRIX; e++) {
        const [row, column] = [Math.floor(e / 3), e % 3];
        if (row > column) continue;
        const rate = gradients[MATRIX * i + e]! + gradients[MATRIX * i + 3 * column + row]!;
        result[SYMMETRIC * i + PLACES[e]!]! += viscosities[i]! * rate;
      }
    }
  }
  return result;
}

/**
 * Logarithmic strain [1], xx, yy, zz, xy, yz, xz of every particle of a solid in present axes: ln V of F = V R since
 * rest, plastic strain included; what is elastic of it where neighbours are renewed. Zero for all else.
 */
export function strainTensors(model: WorldModel, read: Readings): Float32Array {
  const result = new Float32Array(SYMMETRIC * model.locations.at(-1)!.end);
  if (model.store.count === 0) return result;
  const rows = read.gradients();
  const rotationOf = rotations(model);
  for (const location of model.locations) {
    if (location.liquid) continue;
    const first = model.ranges[location.index]!.begin - location.begin;
    for (let i = location.begin; i < location.end; i++) {
      const at = 12 * (first + i);
      const g = [0, 1, 2].flatMap((row) => [0, 1, 2].map((k) => rows[at + 4 * row + k]!)) as unknown as Matrix3;
      if (g.every((x) => x === 0)) continue;
      // F F^T - 1, so that small strains keep their digits.
      const square = multiply(g, transpose(g));
      const excess = square.map((x, e) => x + g[e]! + g[3 * (e % 3) + Math.floor(e / 3)]!);
      const { values, vectors } = symmetricEigen(excess, 3);
      const logs = values.map((x) => 0.5 * logarithm(Math.max(1 + x, Number.MIN_VALUE)));
      const own = new Array<number>(SYMMETRIC).fill(0);
      for (let e = 0; e < MATRIX; e++) {
        const [row, column] = [Math.floor(e / 3), e % 3];
        if (row > column) continue;
        for (let k = 0; k < 3; k++) own[PLACES[e]!]! += logs[k]! * vectors[3 * k + row]! * vectors[3 * k + column]!;
      }
      const six = turned(own, rotationOf(location, i));
      for (let c = 0; c < SYMMETRIC; c++) result[SYMMETRIC * i + c] = six[c]!;
    }
  }
  return result;
}

/**
 * Velocity gradient [1/s] of every particle, dv_i/dx_j row by row, by a linear fit to particles of the same body and
 * piece, or of all liquids, within two spacings.
 */
export function velocityGradients(
  model: WorldModel,
  bodies: readonly BodyRecord[],
  read: Readings,
  period: Vec3,
): Float32Array {
  const { locations } = model;
  const result = new Float32Array(MATRIX * locations.at(-1)!.end);
  const [x, v, masses, pieces] = [read.positions(), read.velocities(), read.masses(), read.pieces()];
  const liquids = locations.flatMap(({ liquid }, b) => (liquid ? [b] : []));
  const groups = [...locations.flatMap(({ liquid }, b) => (liquid ? [] : [[b]])), liquids];
  for (const group of groups) {
    if (group.length === 0) continue;
    const members = group.flatMap((b) => {
      const { begin, end } = locations[b]!;
      return Array.from({ length: end - begin }, (_, k) => begin + k).filter((i) => masses[i]! > 0);
    });
    const spacings = group.map((b) =>
      bodies[b]!.samples.rest.reduce((most, s, k) => (k % 4 === 3 ? Math.max(most, s) : most), 0),
    );
    const own = group === liquids ? period : NONE;
    fitGradients(members, x, v, pieces, REACH * Math.max(...spacings), own, result);
  }
  return result;
}

/** Values along the axes in which there is no shear, the largest first, of six components. */
export function principalValues([xx, yy, zz, xy, yz, xz]: readonly number[]): [number, number, number] {
  const { values } = symmetricEigen([xx!, xy!, xz!, xy!, yy!, yz!, xz!, yz!, zz!], 3);
  return [values[2]!, values[1]!, values[0]!];
}

/** The largest principal value of every particle. */
export function largestPrincipal(tensors: ArrayLike<number>): Float32Array {
  return Float32Array.from(
    { length: tensors.length / SYMMETRIC },
    (_, i) => principalValues([0, 1, 2, 3, 4, 5].map((c) => tensors[SYMMETRIC * i + c]!))[0],
  );
}

/** sqrt(2 D : D) of every particle [1/s], D the symmetric part of the velocity gradient. */
export function shearRates(gradients: ArrayLike<number>): Float32Array {
  return Float32Array.from({ length: gradients.length / MATRIX }, (_, i) => {
    let sum = 0;
    for (let e = 0; e < MATRIX; e++) {
      const rate = (gradients[MATRIX * i + e]! + gradients[MATRIX * i + 3 * (e % 3) + Math.floor(e / 3)]!) / 2;
      sum += 2 * rate * rate;
    }
    return Math.sqrt(sum);
  });
}

/** Where the axes of the row are that a particle belongs to. */
function rotations({ store, elastic, ranges }: WorldModel) {
  const rows = store.count > 0 ? store.integers(layout.BODY_OF, store.count) : new Uint32Array();
  return ({ index, begin }: WorldModel['locations'][number], i: number): Matrix3 =>
    elastic.frames[rows[ranges[index]!.begin + i - begin]!]!.rotation;
}

function turned(six: readonly number[], rotation: Matrix3): number[] {
  const full = PLACES.map((place) => six[place]!) as unknown as Matrix3;
  const made = multiply(multiply(rotation, full), transpose(rotation));
  return [made[0], made[4], made[8], made[1], made[5], made[2]];
}

function fitGradients(
  members: readonly number[],
  x: Float32Array,
  v: Float32Array,
  pieces: Uint32Array,
  reach: number,
  period: Vec3,
  result: Float32Array,
): void {
  const cells = new Map<number, number[]>();
  const keyOf = (a: number, b: number, c: number) => ((a & (FAR - 1)) * FAR + (b & (FAR - 1))) * FAR + (c & (FAR - 1));
  const counts = [0, 1, 2].map((k) => (period[k]! > 0 ? Math.max(1, Math.floor(period[k]! / reach)) : 0));
  const cellOf = (i: number, k: number) => {
    const n = counts[k]!;
    if (n === 0) return Math.floor(x[4 * i + k]! / reach);
    return ((Math.floor((x[4 * i + k]! * n) / period[k]!) % n) + n) % n;
  };
  for (const i of members) {
    const key = keyOf(cellOf(i, 0), cellOf(i, 1), cellOf(i, 2));
    const list = cells.get(key);
    if (list) list.push(i);
    else cells.set(key, [i]);
  }
  const around = (i: number, k: number) => {
    const own = cellOf(i, k);
    const n = counts[k]!;
    return n === 0 ? [own - 1, own, own + 1] : [...new Set([-1, 0, 1].map((d) => (own + d + n) % n))];
  };
  const moments = new Float64Array(MATRIX);
  const sums = new Float64Array(MATRIX);
  const d = new Float64Array(3);
  for (const i of members) {
    moments.fill(0);
    sums.fill(0);
    for (const a of around(i, 0)) {
      for (const b of around(i, 1)) {
        for (const c of around(i, 2)) {
          for (const j of cells.get(keyOf(a, b, c)) ?? []) {
            if (pieces[j] !== pieces[i]) continue;
            let r2 = 0;
            for (let k = 0; k < 3; k++) {
              d[k] = x[4 * j + k]! - x[4 * i + k]!;
              if (period[k]! > 0) d[k]! -= period[k]! * Math.round(d[k]! / period[k]!);
              r2 += d[k]! * d[k]!;
            }
            const share = 1 - r2 / (reach * reach);
            if (!(share > 0)) continue;
            const weight = share * share;
            for (let e = 0; e < MATRIX; e++) {
              const [row, column] = [Math.floor(e / 3), e % 3];
              moments[e]! += weight * d[row]! * d[column]!;
              sums[e]! += weight * (v[4 * j + row]! - v[4 * i + row]!) * d[column]!;
            }
          }
        }
      }
    }
    const inverse = spanInverse(moments);
    for (let e = 0; e < MATRIX; e++) {
      let value = 0;
      for (let k = 0; k < 3; k++) value += sums[3 * Math.floor(e / 3) + k]! * inverse[3 * k + (e % 3)]!;
      result[MATRIX * i + e] = value;
    }
  }
}

/** The inverse of a symmetric matrix in the directions that it spans. */
function spanInverse(m: ArrayLike<number>): Float64Array {
  const inverse = new Float64Array(MATRIX);
  const { values, vectors } = symmetricEigen(m, 3);
  for (let k = 0; k < 3; k++) {
    if (!(values[k]! > LEAST_SPAN * values[2]!)) continue;
    for (let e = 0; e < MATRIX; e++) {
      inverse[e]! += (vectors[3 * k + Math.floor(e / 3)]! * vectors[3 * k + (e % 3)]!) / values[k]!;
    }
  }
  return inverse;
}
