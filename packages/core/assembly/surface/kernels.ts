import {
  BLOCK_AROUND,
  BLOCK_BEGIN,
  BLOCK_END,
  BLOCK_STRIDE,
  BLOCKS,
  BULK_VARIANCE,
  BULK_WEIGHT,
  COVARIANCE,
  CLUSTERING,
  FAR_SIDE,
  FARTHEST,
  FILLED,
  FORM_CLUSTERING,
  FORM_FACTOR,
  FORMS,
  GRAIN,
  HOME,
  INNER,
  INSIDE,
  KERNEL_CENTRE,
  KERNEL_DIAGONAL,
  KERNEL_MIXED,
  KERNEL_REACH,
  KERNEL_STRIDE,
  KERNELS,
  LAYER,
  LEAN_X,
  LEAN_Y,
  LEAN_Z,
  LIQUID,
  NARROWEST,
  NEAR_SIDE,
  NONE,
  OPEN,
  OUTER,
  RESTORED,
  SCRATCH,
  SCRATCH_STRIDE,
  SHIFT_X,
  SHIFT_Y,
  SHIFT_Z,
  SIMILAR,
  SUPPORT,
  WIDER,
  WIDEST,
  WIDEST_OF_ALL,
  X,
  Y,
  Z,
} from '../../src/particles/liquid-surface-layout';
import { sumOfLanes } from '../kernels/lanes';
import { jacobiEigen } from '../math/symmetric';
import { dot, vector, x, y, z } from '../math/simd';
import { blockSide, cornerOf } from './blocks';
import { isGhost } from './walls';

/**
 * The kernels that make up the liquid's colour: ellipsoids as wide as the liquid is around a particle, after
 * Yu and Turk 2013 [Y13]. Where they count neighbours to tell drops from the rest, the extents here follow
 * from the neighbours' weights without a jump, so that nothing pops as particles meet and part.
 *
 * Departs from [Y13] eq. 6: the mean is over particles whose surroundings lie the same way as the particle's
 * own, which are those of its layer: not those beneath, nor those on the other side of a sheet. The surface of a flat liquid then stays in its place. A curved layer is
 * drawn to its inner side; this is taken back by the mean of the layer's shifts.
 *
 * Departs from [Y13] eq. 9: extents follow from the mean covariance of neighbours with a similar sum of weights, so that
 * they change slowly along the surface. Where they jump, as at edges of a block, the sum of the kernels has ridges.
 */

/**
 * How clustered each particle is: the sum of the weights around it, (1 - r^2 / h^2)^2, itself included, over that
 * inside the liquid. With it the mean of all around it and their covariance ([Y13] eq. 9).
 */
export function weighSurfaceParticles(begin: u32, end: u32, context: usize): void {
  const xs = <usize>load<u32>(context + X);
  const ys = <usize>load<u32>(context + Y);
  const zs = <usize>load<u32>(context + Z);
  const liquids = <usize>load<u32>(context + LIQUID);
  const homes = <usize>load<u32>(context + HOME);
  const blocks = <usize>load<u32>(context + BLOCKS);
  const covariances = <usize>load<u32>(context + COVARIANCE);
  const bulk = load<f32>(context + BULK_WEIGHT);
  const zero = f32x4.splat(0);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (isGhost(i, context)) continue;
    const px = f32x4.splat(load<f32>(xs + (i << 2)));
    const py = f32x4.splat(load<f32>(ys + (i << 2)));
    const pz = f32x4.splat(load<f32>(zs + (i << 2)));
    const own = f32x4.splat(load<f32>(liquids + (i << 2)));
    const around = blocks + <usize>load<u32>(homes + (i << 2)) * BLOCK_STRIDE + BLOCK_AROUND;
    const position = vector(load<f32>(xs + (i << 2)), load<f32>(ys + (i << 2)), load<f32>(zs + (i << 2)), 0);
    let total = zero;
    let sx = zero;
    let sy = zero;
    let sz = zero;
    let xx = zero;
    let yy = zero;
    let zz = zero;
    let yz = zero;
    let xz = zero;
    let xy = zero;
    for (let n: usize = 0; n < 27; n++) {
      const number = load<u32>(around + (n << 2));
      if (number == NONE) continue;
      const block = blocks + <usize>number * BLOCK_STRIDE;
      if (isFar(block, position, context)) continue;
      const last = <usize>load<u32>(block + BLOCK_END);
      for (let j = <usize>load<u32>(block + BLOCK_BEGIN); j < last; j += 4) {
        const dx = f32x4.sub(v128.load(xs + (j << 2)), px);
        const dy = f32x4.sub(v128.load(ys + (j << 2)), py);
        const dz = f32x4.sub(v128.load(zs + (j << 2)), pz);
        const w = v128.and(weights(dx, dy, dz, last - j), f32x4.eq(v128.load(liquids + (j << 2)), own));
        if (!v128.any_true(w)) continue;
        const wx = f32x4.mul(w, dx);
        const wy = f32x4.mul(w, dy);
        const wz = f32x4.mul(w, dz);
        total = f32x4.add(total, w);
        sx = f32x4.add(sx, wx);
        sy = f32x4.add(sy, wy);
        sz = f32x4.add(sz, wz);
        xx = f32x4.add(xx, f32x4.mul(wx, dx));
        yy = f32x4.add(yy, f32x4.mul(wy, dy));
        zz = f32x4.add(zz, f32x4.mul(wz, dz));
        yz = f32x4.add(yz, f32x4.mul(wy, dz));
        xz = f32x4.add(xz, f32x4.mul(wx, dz));
        xy = f32x4.add(xy, f32x4.mul(wx, dy));
      }
    }
    // The particle itself is there, so the sum is not zero.
    const sum = sumOfLanes(total);
    const inverse = <f32>1 / sum;
    const mx = sumOfLanes(sx) * inverse;
    const my = sumOfLanes(sy) * inverse;
    const mz = sumOfLanes(sz) * inverse;
    store<f32>(<usize>load<u32>(context + CLUSTERING) + (i << 2), sum / bulk);
    store<f32>(<usize>load<u32>(context + LEAN_X) + (i << 2), mx);
    store<f32>(<usize>load<u32>(context + LEAN_Y) + (i << 2), my);
    store<f32>(<usize>load<u32>(context + LEAN_Z) + (i << 2), mz);
    const at = covariances + (i << 5);
    store<f32>(at, sumOfLanes(xx) * inverse - mx * mx);
    store<f32>(at, sumOfLanes(yy) * inverse - my * my, 4);
    store<f32>(at, sumOfLanes(zz) * inverse - mz * mz, 8);
    store<f32>(at, sumOfLanes(yz) * inverse - my * mz, 16);
    store<f32>(at, sumOfLanes(xz) * inverse - mx * mz, 20);
    store<f32>(at, sumOfLanes(xy) * inverse - mx * my, 24);
  }
}

/** Is a block farther from a position than weights reach? */
// @ts-ignore: decorator
@inline
function isFar(block: usize, position: v128, context: usize): bool {
  const low = cornerOf(block, context);
  const high = f32x4.add(low, f32x4.splat(blockSide(context)));
  const nearest = f32x4.min(f32x4.max(position, low), high);
  const d = f32x4.sub(position, nearest);
  // A little more, for particles that rounding has put outside their block.
  return dot(d, d) > <f32>(SUPPORT * SUPPORT * 1.01);
}

// @ts-ignore: decorator
@inline
function weights(dx: v128, dy: v128, dz: v128, left: usize): v128 {
  const r2 = f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(dz, dz));
  const p = f32x4.max(f32x4.sub(f32x4.splat(1), f32x4.mul(r2, f32x4.splat(<f32>(1 / (SUPPORT * SUPPORT))))), f32x4.splat(0));
  const there = i32x4.gt_s(i32x4.splat(<i32>left), i32x4(0, 1, 2, 3));
  return v128.and(f32x4.mul(p, p), there);
}

// What the sums over a layer are taken of and leave: f32 arrays by axis and of a number, then the means.
let firsts: usize = 0;
let seconds: usize = 0;
let thirds: usize = 0;
let meanX: f32 = 0;
let meanY: f32 = 0;
let meanZ: f32 = 0;
let meanClustering: f32 = 0;
/** Mean of the covariances of neighbours with a similar sum of weights, as they are stored. */
let meanDiagonal: v128 = i32x4(0, 0, 0, 0);
let meanMixed: v128 = i32x4(0, 0, 0, 0);

/**
 * Means over the layer of a particle: of those around it whose surroundings lie the same way as its own. With
 * `relative` they are of positions, from the particle; without, sums of weights and covariances of the neighbours are
 * averaged too.
 */
// @ts-ignore: decorator
@inline
function averageLayer(i: usize, relative: bool, context: usize): void {
  const xs = <usize>load<u32>(context + X);
  const ys = <usize>load<u32>(context + Y);
  const zs = <usize>load<u32>(context + Z);
  const leanX = <usize>load<u32>(context + LEAN_X);
  const leanY = <usize>load<u32>(context + LEAN_Y);
  const leanZ = <usize>load<u32>(context + LEAN_Z);
  const clustering = <usize>load<u32>(context + CLUSTERING);
  const blocks = <usize>load<u32>(context + BLOCKS);
  const home = <usize>load<u32>(<usize>load<u32>(context + HOME) + (i << 2));
  const around = blocks + home * BLOCK_STRIDE + BLOCK_AROUND;
  const liquids = <usize>load<u32>(context + LIQUID);
  const own = f32x4.splat(load<f32>(liquids + (i << 2)));
  const zero = f32x4.splat(0);
  const px = f32x4.splat(load<f32>(xs + (i << 2)));
  const py = f32x4.splat(load<f32>(ys + (i << 2)));
  const pz = f32x4.splat(load<f32>(zs + (i << 2)));
  const position = vector(load<f32>(xs + (i << 2)), load<f32>(ys + (i << 2)), load<f32>(zs + (i << 2)), 0);
  const ownX = f32x4.splat(load<f32>(leanX + (i << 2)));
  const ownY = f32x4.splat(load<f32>(leanY + (i << 2)));
  const ownZ = f32x4.splat(load<f32>(leanZ + (i << 2)));
  let total = zero;
  let sx = zero;
  let sy = zero;
  let sz = zero;
  let clusterings = zero;
  let all = zero;
  const covariances = <usize>load<u32>(context + COVARIANCE);
  const ownClustering = f32x4.splat(load<f32>(clustering + (i << 2)));
  let similar = zero;
  let diagonal = zero;
  let mixed = zero;
  for (let n: usize = 0; n < 27; n++) {
    const number = load<u32>(around + (n << 2));
    if (number == NONE) continue;
    const block = blocks + <usize>number * BLOCK_STRIDE;
    if (isFar(block, position, context)) continue;
    const last = <usize>load<u32>(block + BLOCK_END);
    for (let j = <usize>load<u32>(block + BLOCK_BEGIN); j < last; j += 4) {
      const at = j << 2;
      const dx = f32x4.sub(v128.load(xs + at), px);
      const dy = f32x4.sub(v128.load(ys + at), py);
      const dz = f32x4.sub(v128.load(zs + at), pz);
      const w = v128.and(weights(dx, dy, dz, last - j), f32x4.eq(v128.load(liquids + at), own));
      if (!v128.any_true(w)) continue;
      const nx = f32x4.sub(v128.load(leanX + at), ownX);
      const ny = f32x4.sub(v128.load(leanY + at), ownY);
      const nz = f32x4.sub(v128.load(leanZ + at), ownZ);
      const n2 = f32x4.add(f32x4.add(f32x4.mul(nx, nx), f32x4.mul(ny, ny)), f32x4.mul(nz, nz));
      const p = f32x4.max(f32x4.sub(f32x4.splat(1), f32x4.mul(n2, f32x4.splat(<f32>(1 / (LAYER * LAYER))))), zero);
      const u = f32x4.mul(w, f32x4.mul(p, p));
      total = f32x4.add(total, u);
      sx = f32x4.add(sx, f32x4.mul(u, relative ? dx : v128.load(firsts + at)));
      sy = f32x4.add(sy, f32x4.mul(u, relative ? dy : v128.load(seconds + at)));
      sz = f32x4.add(sz, f32x4.mul(u, relative ? dz : v128.load(thirds + at)));
      if (!relative) {
        const sums = v128.load(clustering + at);
        clusterings = f32x4.add(clusterings, f32x4.mul(w, sums));
        all = f32x4.add(all, w);
        const d = f32x4.sub(sums, ownClustering);
        const s = f32x4.max(f32x4.sub(f32x4.splat(1), f32x4.mul(f32x4.mul(d, d), f32x4.splat(<f32>(1 / (SIMILAR * SIMILAR))))), zero);
        const v = f32x4.mul(w, f32x4.mul(s, s));
        similar = f32x4.add(similar, v);
        const from = covariances + (j << 5);
        const v0 = f32x4.splat(f32x4.extract_lane(v, 0));
        const v1 = f32x4.splat(f32x4.extract_lane(v, 1));
        const v2 = f32x4.splat(f32x4.extract_lane(v, 2));
        const v3 = f32x4.splat(f32x4.extract_lane(v, 3));
        diagonal = f32x4.add(
          f32x4.add(diagonal, f32x4.add(f32x4.mul(v0, v128.load(from)), f32x4.mul(v1, v128.load(from, 32)))),
          f32x4.add(f32x4.mul(v2, v128.load(from, 64)), f32x4.mul(v3, v128.load(from, 96))),
        );
        mixed = f32x4.add(
          f32x4.add(mixed, f32x4.add(f32x4.mul(v0, v128.load(from, 16)), f32x4.mul(v1, v128.load(from, 48)))),
          f32x4.add(f32x4.mul(v2, v128.load(from, 80)), f32x4.mul(v3, v128.load(from, 112))),
        );
      }
    }
  }
  const inverse = <f32>1 / sumOfLanes(total);
  meanX = sumOfLanes(sx) * inverse;
  meanY = sumOfLanes(sy) * inverse;
  meanZ = sumOfLanes(sz) * inverse;
  if (relative) return;
  meanClustering = sumOfLanes(clusterings) / sumOfLanes(all);
  const share = f32x4.splat(<f32>1 / sumOfLanes(similar));
  meanDiagonal = f32x4.mul(diagonal, share);
  meanMixed = f32x4.mul(mixed, share);
}

/** From each particle to the mean of its layer. */
export function smoothSurfaceParticles(begin: u32, end: u32, context: usize): void {
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (isGhost(i, context)) continue;
    averageLayer(i, true, context);
    store<f32>(<usize>load<u32>(context + SHIFT_X) + (i << 2), meanX);
    store<f32>(<usize>load<u32>(context + SHIFT_Y) + (i << 2), meanY);
    store<f32>(<usize>load<u32>(context + SHIFT_Z) + (i << 2), meanZ);
  }
}

/** Where kernels are and what form they have. */
export function shapeSurfaceKernels(begin: u32, end: u32, context: usize): void {
  const xs = <usize>load<u32>(context + X);
  const ys = <usize>load<u32>(context + Y);
  const zs = <usize>load<u32>(context + Z);
  const clustering = <usize>load<u32>(context + CLUSTERING);
  const kernels = <usize>load<u32>(context + KERNELS);
  const matrix = scratchOf(begin, context);
  firsts = <usize>load<u32>(context + SHIFT_X);
  seconds = <usize>load<u32>(context + SHIFT_Y);
  thirds = <usize>load<u32>(context + SHIFT_Z);
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (isGhost(i, context)) continue;
    const at = i << 2;
    averageLayer(i, false, context);
    const share = <f32>(1 - rise(<f64>load<f32>(clustering + at), OUTER, INNER));
    const dx = share * (load<f32>(firsts + at) - <f32>RESTORED * meanX);
    const dy = share * (load<f32>(seconds + at) - <f32>RESTORED * meanY);
    const dz = share * (load<f32>(thirds + at) - <f32>RESTORED * meanZ);
    const kernel = kernels + i * KERNEL_STRIDE;
    const offset = shape(i, kernel, meanClustering, vector(dx, dy, dz, 0), context, matrix);
    const far = sqrt(dot(offset, offset));
    const shorter: f32 = far > <f32>FARTHEST ? <f32>FARTHEST / far : 1;
    const position = vector(load<f32>(xs + at), load<f32>(ys + at), load<f32>(zs + at), 0);
    const height = load<f32>(kernel + KERNEL_CENTRE, 12);
    v128.store(kernel + KERNEL_CENTRE, f32x4.replace_lane(f32x4.add(position, f32x4.mul(offset, f32x4.splat(shorter))), 3, height));
  }
}

/** Room for the piece of work that begins at a number. */
// @ts-ignore: decorator
@inline
export function scratchOf(begin: u32, context: usize): usize {
  return <usize>load<u32>(context + SCRATCH) + <usize>(begin / load<u32>(context + GRAIN)) * load<u32>(context + SCRATCH_STRIDE);
}

/** From 0 to 1 between two values, with no kink at either. */
// @ts-ignore: decorator
@inline
export function rise(value: f64, from: f64, to: f64): f64 {
  const t = min(max((value - from) / (to - from), 0), 1);
  return t * t * (3 - 2 * t);
}

/**
 * The form of a kernel, and its height by how clustered it is around it. Returns what is left of a way to the mean of the
 * layer when the parts along directions that the liquid fills are taken out: beside an edge the layer lies to one side, and
 * kernels that were moved along it would be a ridge.
 */
function shape(i: usize, kernel: usize, clusteringAround: f32, offset: v128, context: usize, matrix: usize): v128 {
  const clustering = <f64>load<f32>(<usize>load<u32>(context + CLUSTERING) + (i << 2));
  const bulk = <f64>load<f32>(context + BULK_VARIANCE);
  store<f64>(matrix, <f64>x(meanDiagonal));
  store<f64>(matrix, <f64>z(meanMixed), 8);
  store<f64>(matrix, <f64>y(meanMixed), 16);
  store<f64>(matrix, <f64>y(meanDiagonal), 24);
  store<f64>(matrix, <f64>x(meanMixed), 32);
  store<f64>(matrix, <f64>z(meanDiagonal), 40);
  const vectors = matrix + 64;
  jacobiEigen(matrix, vectors);
  const at = i << 2;
  const leanX = <f64>load<f32>(<usize>load<u32>(context + LEAN_X) + at);
  const leanY = <f64>load<f32>(<usize>load<u32>(context + LEAN_Y) + at);
  const leanZ = <f64>load<f32>(<usize>load<u32>(context + LEAN_Z) + at);
  const lean = sqrt(leanX * leanX + leanY * leanY + leanZ * leanZ);
  const company =
    rise(clustering, <f64>load<f32>(context + FORM_CLUSTERING), <f64>load<f32>(context + FORM_CLUSTERING, 4)) *
    (1 - rise(lean, NEAR_SIDE, FAR_SIDE)) / bulk;
  const shares = matrix + 136;
  let least: f64 = 1;
  let most: f64 = 0;
  for (let k: usize = 0; k < 3; k++) {
    const share = min(max(load<f64>(matrix + (k == 0 ? 0 : k == 1 ? 24 : 40)) * company, 0), 1);
    store<f64>(shares + (k << 3), share);
    least = min(least, share);
    most = max(most, share);
  }
  // Along a surface kernels may be wide, where they smooth it; across and inside they would blur it.
  const widest = <f64>INSIDE + <f64>(WIDEST - INSIDE) * (most - least);
  let determinant: f64 = 1;
  let longest: f64 = 0;
  // The form, and the squares of the sides of the box around the ellipsoid.
  let xx: f64 = 0;
  let yy: f64 = 0;
  let zz: f64 = 0;
  let yz: f64 = 0;
  let xz: f64 = 0;
  let xy: f64 = 0;
  let across = f32x4.splat(0);
  let boxX: f64 = 0;
  let boxY: f64 = 0;
  let boxZ: f64 = 0;
  for (let k: usize = 0; k < 3; k++) {
    const extent = <f64>NARROWEST + (widest - <f64>NARROWEST) * load<f64>(shares + (k << 3));
    determinant *= extent;
    longest = max(longest, extent);
    const square = 1 / (extent * extent);
    const vx = load<f64>(vectors + (k << 3));
    const vy = load<f64>(vectors + (k << 3), 24);
    const vz = load<f64>(vectors + (k << 3), 48);
    xx += square * vx * vx;
    yy += square * vy * vy;
    zz += square * vz * vz;
    yz += square * vy * vz;
    xz += square * vx * vz;
    xy += square * vx * vy;
    const along = vector(<f32>vx, <f32>vy, <f32>vz, 0);
    const open = 1 - rise(load<f64>(matrix + (k == 0 ? 0 : k == 1 ? 24 : 40)) / bulk, OPEN, FILLED);
    across = f32x4.add(across, f32x4.mul(along, f32x4.splat(<f32>open * dot(offset, along))));
    boxX += extent * extent * vx * vx;
    boxY += extent * extent * vy * vy;
    boxZ += extent * extent * vz * vz;
  }
  const height = 315 / (64 * Math.PI) / determinant * max(fullness(<f32>clustering, context, true), fullness(clusteringAround, context, false));
  store<f32>(kernel + KERNEL_CENTRE, <f32>height, 12);
  v128.store(kernel + KERNEL_DIAGONAL, vector(<f32>xx, <f32>yy, <f32>zz, 0));
  v128.store(kernel + KERNEL_MIXED, vector(<f32>yz, <f32>xz, <f32>xy, 1));
  v128.store(kernel + KERNEL_REACH, vector(<f32>sqrt(boxX), <f32>sqrt(boxY), <f32>sqrt(boxZ), <f32>narrowness(longest)));
  return across;
}

/** Square of an extent over that of the wider kernel that normals follow from. */
// @ts-ignore: decorator
@inline
function narrowness(extent: f64): f64 {
  const wider = min(<f64>WIDER, <f64>WIDEST_OF_ALL / extent);
  return 1 / (wider * wider);
}

/**
 * By how much kernels of drops, threads and sheets are higher, so that these keep their volume. Sheets are told
 * from edges of much liquid by how clustered it is around them; drops near a surface from that surface by how
 * clustered they are themselves, `alone`, which says nothing about sheets.
 */
function fullness(clustering: f32, context: usize, alone: bool): f64 {
  const clusterings = context + FORM_CLUSTERING;
  const factors = context + FORM_FACTOR;
  const forms: usize = alone ? FORMS - 1 : FORMS;
  if (clustering <= load<f32>(clusterings)) return <f64>load<f32>(factors);
  for (let k: usize = 1; k < forms; k++) {
    const high = <f64>load<f32>(clusterings + (k << 2));
    if (<f64>clustering > high) continue;
    const low = <f64>load<f32>(clusterings + (k << 2) - 4);
    const t = (high - <f64>clustering) / (high - low);
    const factor: f64 = k == forms - 1 ? 1 : <f64>load<f32>(factors + (k << 2));
    // No kink at the last, where liquids with smooth surfaces begin.
    return factor + (k == forms - 1 ? t * t : t) * (<f64>load<f32>(factors + (k << 2) - 4) - factor);
  }
  return 1;
}
