/**
 * What points follow, found once at rest: the nearest particles of a position by a grid of cells, nearest first and ties
 * by number, their weights, and the vectors that fit a gradient to them. The same numbers as in
 * src/surface/neighborhoods.ts, which says what they are for.
 */
import {
  AXES,
  CELL,
  CELL_BEGIN,
  CELLS,
  COUNTS,
  FIRST,
  FITTED,
  INDICES,
  LOW,
  MEMBERS,
  MOMENTS,
  NORMALISED,
  OWN,
  PAIR_COUNT,
  POSITION_COUNT,
  POSITIONS,
  POINT_COUNT,
  POINTS,
  RANKS,
  VECTORS,
  WANTED,
  WEIGHTS,
} from '../../src/particles/binding-layout';
import { jacobi } from '../math/jacobi';

/** Directions with a smaller share of the largest moment are not spanned by the neighbours. */
const SPANNED: f64 = 1e-4;
/** Smallest number above zero. */
const LEAST: f64 = 4.9406564584124654e-324;

// @ts-ignore: decorator
@inline
function cellAlong(context: usize, value: f64, axis: usize): i32 {
  const cell = floor((value - load<f64>(context + LOW + (axis << 3))) / load<f64>(context + CELL));
  return <i32>min<f64>(<f64>(load<i32>(context + CELLS + (axis << 2)) - 1), max<f64>(0, cell));
}

/** Sorts the particles into cells; one thread. CELL_BEGIN must be zero. */
export function arrangeFollowed(_begin: u32, _end: u32, context: usize): void {
  const points = <usize>load<u32>(context + POINTS);
  const count = <usize>load<u32>(context + POINT_COUNT);
  const begins = <usize>load<u32>(context + CELL_BEGIN);
  const members = <usize>load<u32>(context + MEMBERS);
  const nx = load<i32>(context + CELLS);
  const ny = load<i32>(context + CELLS, 4);
  const cells = <usize>(nx * ny * load<i32>(context + CELLS, 8));
  // Counts two positions up become where the next particle of a cell goes, one place up, and at last where cells begin.
  for (let pass = 0; pass < 2; pass++) {
    for (let i: usize = 0; i < count; i++) {
      const at = points + i * 24;
      const x = cellAlong(context, load<f64>(at), 0);
      const y = cellAlong(context, load<f64>(at, 8), 1);
      const z = cellAlong(context, load<f64>(at, 16), 2);
      const slot = begins + (<usize>((z * ny + y) * nx + x) << 2);
      if (pass == 0) store<u32>(slot, load<u32>(slot, 8) + 1, 8);
      else {
        const entry = load<u32>(slot, 4);
        store<u32>(members + (<usize>entry << 2), <u32>i);
        store<u32>(slot, entry + 1, 4);
      }
    }
    if (pass == 1) return;
    for (let c: usize = 1; c < cells; c++) {
      const slot = begins + (c << 2);
      store<u32>(slot, load<u32>(slot, 8) + load<u32>(slot, 4), 8);
    }
  }
}

/** Least distance along an axis to cells `ring` cells away. */
// @ts-ignore: decorator
@inline
function gap(context: usize, value: f64, c: i32, axis: usize, ring: i32): f64 {
  const low = load<f64>(context + LOW + (axis << 3));
  const cell = load<f64>(context + CELL);
  return max<f64>(0, min(value - (low + <f64>(c - ring + 1) * cell), low + <f64>(c + ring) * cell - value));
}

/** The `wanted` nearest particles of a position, and their squared distances in place of the weights. Returns how many. */
function findNearest(context: usize, x: f64, y: f64, z: f64, wanted: usize, indices: usize, squares: usize): usize {
  const points = <usize>load<u32>(context + POINTS);
  const begins = <usize>load<u32>(context + CELL_BEGIN);
  const members = <usize>load<u32>(context + MEMBERS);
  const nx = load<i32>(context + CELLS);
  const ny = load<i32>(context + CELLS, 4);
  const nz = load<i32>(context + CELLS, 8);
  const cx = cellAlong(context, x, 0);
  const cy = cellAlong(context, y, 1);
  const cz = cellAlong(context, z, 2);
  const rings = max(nx, max(ny, nz));
  let found: usize = 0;
  for (let ring = 0; ring <= rings; ring++) {
    // Particles in this ring and beyond are at least so far away, also from positions outside the grid.
    if (found == wanted && ring > 0) {
      const reach = min(gap(context, x, cx, 0, ring), min(gap(context, y, cy, 1, ring), gap(context, z, cz, 2, ring)));
      if (reach * reach > load<f64>(squares + ((wanted - 1) << 3))) break;
    }
    for (let iz = max(0, cz - ring); iz <= min(nz - 1, cz + ring); iz++) {
      for (let iy = max(0, cy - ring); iy <= min(ny - 1, cy + ring); iy++) {
        const whole = abs(iz - cz) == ring || abs(iy - cy) == ring || ring == 0;
        for (let ix = cx - ring; ix <= cx + ring; ix += whole ? 1 : 2 * ring) {
          if (ix < 0 || ix >= nx) continue;
          const cell = begins + (<usize>((iz * ny + iy) * nx + ix) << 2);
          const last = members + (<usize>load<u32>(cell, 4) << 2);
          for (let m = members + (<usize>load<u32>(cell) << 2); m < last; m += 4) {
            const i = load<u32>(m);
            const at = points + <usize>i * 24;
            const dx = load<f64>(at) - x;
            const dy = load<f64>(at, 8) - y;
            const dz = load<f64>(at, 16) - z;
            const square = dx * dx + dy * dy + dz * dz;
            let slot = found;
            if (found == wanted) {
              slot = wanted - 1;
              const farthest = load<f64>(squares + (slot << 3));
              if (square > farthest || (square == farthest && i > load<u32>(indices + (slot << 2)))) continue;
            } else found++;
            for (; slot > 0; slot--) {
              const before = load<f64>(squares + ((slot - 1) << 3));
              const number = load<u32>(indices + ((slot - 1) << 2));
              if (before < square || (before == square && number < i)) break;
              store<f64>(squares + (slot << 3), before);
              store<u32>(indices + (slot << 2), number);
            }
            store<f64>(squares + (slot << 3), square);
            store<u32>(indices + (slot << 2), i);
          }
        }
      }
    }
  }
  return found;
}

/** Which particles each position follows, and how much. On the positions. */
export function findFollowed(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITIONS);
  const wanted = <usize>load<u32>(context + WANTED);
  const own = load<u32>(context + OWN) != 0;
  const first = load<u32>(context + FIRST);
  const normalised = load<u32>(context + NORMALISED) != 0;
  const counts = <usize>load<u32>(context + COUNTS);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const at = positions + k * 24;
    const indices = <usize>load<u32>(context + INDICES) + ((k * wanted) << 2);
    const weights = <usize>load<u32>(context + WEIGHTS) + ((k * wanted) << 3);
    const found = findNearest(context, load<f64>(at), load<f64>(at, 8), load<f64>(at, 16), wanted, indices, weights);
    const farthest = load<f64>(weights + ((found - 1) << 3));
    // A cloud with no particle beyond its neighbours, or only equally far ones, weighs all of them.
    const complete = found < wanted || !(farthest > load<f64>(weights));
    const support = complete ? 2 * farthest + LEAST : farthest;
    let count: usize = 0;
    let sum: f64 = 0;
    for (let n: usize = 0; n < found; n++) {
      const j = load<u32>(indices + (n << 2));
      if (own && j == first + <u32>k) continue;
      const weight = 1 - load<f64>(weights + (n << 3)) / support;
      if (!(weight > 0)) continue;
      const cubed = weight * weight * weight;
      store<u32>(indices + (count << 2), j);
      store<f64>(weights + (count << 3), cubed);
      sum += cubed;
      count++;
    }
    store<u32>(counts + (k << 2), <u32>count);
    if (!normalised) continue;
    for (let n: usize = 0; n < count; n++) {
      store<f64>(weights + (n << 3), load<f64>(weights + (n << 3)) / sum);
    }
  }
}

// @ts-ignore: decorator
@inline
function swapRows(moments: usize, axes: usize, a: usize, b: usize): void {
  const va = moments + (a << 5);
  const vb = moments + (b << 5);
  const value = load<f64>(va);
  store<f64>(va, load<f64>(vb));
  store<f64>(vb, value);
  for (let k: usize = 0; k < 24; k += 8) {
    const x = load<f64>(axes + a * 24 + k);
    store<f64>(axes + a * 24 + k, load<f64>(axes + b * 24 + k));
    store<f64>(axes + b * 24 + k, x);
  }
}

/** Eigenvalues on the diagonal at `moments`, ascending, and their axes as rows. */
function principalAxes(moments: usize, axes: usize): void {
  jacobi(3, moments, axes);
  for (let r: usize = 0; r < 3; r++) {
    for (let c = r + 1; c < 3; c++) {
      const a = axes + ((3 * r + c) << 3);
      const b = axes + ((3 * c + r) << 3);
      const x = load<f64>(a);
      store<f64>(a, load<f64>(b));
      store<f64>(b, x);
    }
  }
  if (load<f64>(moments) > load<f64>(moments, 32)) swapRows(moments, axes, 0, 1);
  if (load<f64>(moments, 32) > load<f64>(moments, 64)) swapRows(moments, axes, 1, 2);
  if (load<f64>(moments) > load<f64>(moments, 32)) swapRows(moments, axes, 0, 1);
}

/** g_jk = w_jk M_j^-1 r_jk with M_j = sum_k w_jk r_jk r_jk^T, inverted in what the neighbours span. On the positions. */
export function fitFollowed(begin: u32, end: u32, context: usize): void {
  const points = <usize>load<u32>(context + POINTS);
  const positions = <usize>load<u32>(context + POSITIONS);
  const wanted = <usize>load<u32>(context + WANTED);
  const counts = <usize>load<u32>(context + COUNTS);
  const ranks = <usize>load<u32>(context + RANKS);
  for (let j = <usize>begin; j < <usize>end; j++) {
    const px = load<f64>(positions + j * 24);
    const py = load<f64>(positions + j * 24, 8);
    const pz = load<f64>(positions + j * 24, 16);
    const count = <usize>load<u32>(counts + (j << 2));
    const indices = <usize>load<u32>(context + INDICES) + ((j * wanted) << 2);
    const weights = <usize>load<u32>(context + WEIGHTS) + ((j * wanted) << 3);
    const vectors = <usize>load<u32>(context + VECTORS) + j * wanted * 24;
    const moments = <usize>load<u32>(context + MOMENTS) + j * 72;
    const axes = <usize>load<u32>(context + AXES) + j * 72;
    let xx: f64 = 0, xy: f64 = 0, xz: f64 = 0, yy: f64 = 0, yz: f64 = 0, zz: f64 = 0;
    for (let n: usize = 0; n < count; n++) {
      const at = points + <usize>load<u32>(indices + (n << 2)) * 24;
      const x = load<f64>(at) - px;
      const y = load<f64>(at, 8) - py;
      const z = load<f64>(at, 16) - pz;
      const weight = load<f64>(weights + (n << 3));
      const wx = weight * x;
      const wy = weight * y;
      xx += wx * x;
      xy += wx * y;
      xz += wx * z;
      yy += wy * y;
      yz += wy * z;
      zz += weight * z * z;
    }
    store<f64>(moments, xx);
    store<f64>(moments, xy, 8);
    store<f64>(moments, xz, 16);
    store<f64>(moments, xy, 24);
    store<f64>(moments, yy, 32);
    store<f64>(moments, yz, 40);
    store<f64>(moments, xz, 48);
    store<f64>(moments, yz, 56);
    store<f64>(moments, zz, 64);
    principalAxes(moments, axes);
    const largest = load<f64>(moments, 64);
    // Unspanned directions come first.
    let unspanned: usize = 0;
    for (let a: usize = 0; a < 3; a++) {
      const value = load<f64>(moments + (a << 5));
      if (!(value > SPANNED * largest && value > 0)) unspanned++;
    }
    store<u32>(ranks + (j << 2), <u32>(3 - unspanned));
    for (let n: usize = 0; n < count; n++) {
      const at = points + <usize>load<u32>(indices + (n << 2)) * 24;
      const x = load<f64>(at) - px;
      const y = load<f64>(at, 8) - py;
      const z = load<f64>(at, 16) - pz;
      const weight = load<f64>(weights + (n << 3));
      let gx: f64 = 0, gy: f64 = 0, gz: f64 = 0;
      for (let a = unspanned; a < 3; a++) {
        const axis = axes + a * 24;
        const ax = load<f64>(axis);
        const ay = load<f64>(axis, 8);
        const az = load<f64>(axis, 16);
        const share = (weight * (ax * x + ay * y + az * z)) / load<f64>(moments + (a << 5));
        gx += share * ax;
        gy += share * ay;
        gz += share * az;
      }
      store<f64>(vectors + n * 24, gx);
      store<f64>(vectors + n * 24, gy, 8);
      store<f64>(vectors + n * 24, gz, 16);
    }
  }
}

/** Moves the lists of all positions together and notes how many pairs there are; one thread. */
export function listFollowed(_begin: u32, _end: u32, context: usize): void {
  const positionCount = <usize>load<u32>(context + POSITION_COUNT);
  const wanted = <usize>load<u32>(context + WANTED);
  const counts = <usize>load<u32>(context + COUNTS);
  const indices = <usize>load<u32>(context + INDICES);
  const weights = <usize>load<u32>(context + WEIGHTS);
  const vectors = load<u32>(context + FITTED) != 0 ? <usize>load<u32>(context + VECTORS) : 0;
  let end: usize = 0;
  for (let k: usize = 0; k < positionCount; k++) {
    const count = <usize>load<u32>(counts + (k << 2));
    const from = k * wanted;
    memory.copy(indices + (end << 2), indices + (from << 2), count << 2);
    memory.copy(weights + (end << 3), weights + (from << 3), count << 3);
    if (vectors != 0) memory.copy(vectors + end * 24, vectors + from * 24, count * 24);
    end += count;
  }
  store<u32>(context + PAIR_COUNT, <u32>end);
}
