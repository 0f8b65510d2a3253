import {
  ALIKE,
  ASTRAY,
  BLOCK_MIXED,
  KERNEL_CENTRE,
  KERNEL_DIAGONAL,
  KERNEL_MIXED,
  KERNEL_REACH,
  KERNEL_STRIDE,
  KERNELS,
} from '../../src/particles/liquid-surface-layout';
import { sumOfLanes, transposed0, transposed1, transposed2, transposed3 } from '../kernels/lanes';
import { dot, vector } from '../math/simd';
import { listKernels } from './field';
import { rise } from './kernels';

/** The field at points that are not nodes, its slope and what particles carry there, from the kernels around a block. */

// The kernels around the vertices of a block, four by four: twelve rows of numbers each. Behind those that the field is of
// come those that only the normals follow from.
const GROUP: usize = 192;
let group: usize = 0;
let groupEnd: usize = 0;
let widerEnd: usize = 0;
let list: usize = 0;
/** Do other liquids reach the block too? */
let mixed = false;

// What an evaluation leaves.
let slope: v128 = i32x4(0, 0, 0, 0);

/** Prepares evaluations between two corners of a box around a block, in some room. */
export function gatherKernels(scratch: usize, block: usize, low: v128, high: v128, context: usize): void {
  list = scratch;
  const count = listKernels(list, block, low, high, context);
  // Both parts have room of their own: lists begin with whole groups.
  const others = list + (((count + 3) & ~3) << 2);
  const more = listKernels(others, block, low, high, context, true);
  group = (others + (more << 2) + 15) & ~15;
  groupEnd = packKernels(list, count, group, context);
  widerEnd = packKernels(others, more, groupEnd, context);
  mixed = load<u32>(block + BLOCK_MIXED) != 0;
}

/** Do several liquids reach the block that kernels were gathered for? */
// @ts-ignore: decorator
@inline
export function isShared(): bool {
  return mixed;
}

/** Slope of the field where it was interpolated last. */
// @ts-ignore: decorator
@inline
export function lastSlope(): v128 {
  return slope;
}

/** Puts listed kernels side by side, and returns where they end; the last group is filled up with kernels of no height. */
function packKernels(list: usize, count: usize, target: usize, context: usize): usize {
  const kernels = <usize>load<u32>(context + KERNELS);
  let at = target;
  for (let n: usize = 0; n < count; n += 4) {
    const a = kernels + <usize>load<u32>(list + (n << 2)) * KERNEL_STRIDE;
    const b = n + 1 < count ? kernels + <usize>load<u32>(list + (n << 2), 4) * KERNEL_STRIDE : 0;
    const c = n + 2 < count ? kernels + <usize>load<u32>(list + (n << 2), 8) * KERNEL_STRIDE : 0;
    const d = n + 3 < count ? kernels + <usize>load<u32>(list + (n << 2), 12) * KERNEL_STRIDE : 0;
    packRows(a, b, c, d, KERNEL_CENTRE, at);
    packRows(a, b, c, d, KERNEL_DIAGONAL, at + 64);
    // The fourth row of the forms is empty: the next one may take its position.
    packRows(a, b, c, d, KERNEL_MIXED, at + 112);
    const narrowness = vector(
      load<f32>(a + KERNEL_REACH, 12), b == 0 ? 1 : load<f32>(b + KERNEL_REACH, 12),
      c == 0 ? 1 : load<f32>(c + KERNEL_REACH, 12), d == 0 ? 1 : load<f32>(d + KERNEL_REACH, 12),
    );
    v128.store(at, narrowness, 176);
    at += GROUP;
  }
  return at;
}

// @ts-ignore: decorator
@inline
function packRows(a: usize, b: usize, c: usize, d: usize, part: usize, target: usize): void {
  const zero = f32x4.splat(0);
  const ra = v128.load(a + part);
  const rb = b == 0 ? zero : v128.load(b + part);
  const rc = c == 0 ? zero : v128.load(c + part);
  const rd = d == 0 ? zero : v128.load(d + part);
  v128.store(target, transposed0(ra, rb, rc, rd));
  v128.store(target, transposed1(ra, rb, rc, rd), 16);
  v128.store(target, transposed2(ra, rb, rc, rd), 32);
  v128.store(target, transposed3(ra, rb, rc, rd), 48);
}

/** 1 - q of four kernels at a point, not below zero. */
// @ts-ignore: decorator
@inline
function closeness(at: usize, dx: v128, dy: v128, dz: v128): v128 {
  return f32x4.max(f32x4.sub(f32x4.splat(1), squaredDistance(at, dx, dy, dz)), f32x4.splat(0));
}

/** q of four kernels at a point. */
// @ts-ignore: decorator
@inline
function squaredDistance(at: usize, dx: v128, dy: v128, dz: v128): v128 {
  const square = f32x4.add(
    f32x4.add(f32x4.mul(v128.load(at, 64), f32x4.mul(dx, dx)), f32x4.mul(v128.load(at, 80), f32x4.mul(dy, dy))),
    f32x4.mul(v128.load(at, 96), f32x4.mul(dz, dz)),
  );
  const mixed = f32x4.add(
    f32x4.add(f32x4.mul(v128.load(at, 112), f32x4.mul(dy, dz)), f32x4.mul(v128.load(at, 128), f32x4.mul(dx, dz))),
    f32x4.mul(v128.load(at, 144), f32x4.mul(dx, dy)),
  );
  return f32x4.add(square, f32x4.add(mixed, mixed));
}

/** The field at a point. */
// @ts-ignore: decorator
@inline
export function fieldAt(px: f32, py: f32, pz: f32, level: f32): f32 {
  return mixed ? sharedFieldAt(px, py, pz, level) : plainFieldAt(px, py, pz);
}

function plainFieldAt(px: f32, py: f32, pz: f32): f32 {
  let sum = f32x4.splat(0);
  for (let at = group; at < groupEnd; at += GROUP) {
    const dx = f32x4.sub(f32x4.splat(px), v128.load(at));
    const dy = f32x4.sub(f32x4.splat(py), v128.load(at, 16));
    const dz = f32x4.sub(f32x4.splat(pz), v128.load(at, 32));
    const p = closeness(at, dx, dy, dz);
    sum = f32x4.add(sum, f32x4.mul(v128.load(at, 48), f32x4.mul(p, f32x4.mul(p, p))));
  }
  return sumOfLanes(sum);
}

/** Is the field at the last point that of the own colour's lead? */
let leads = false;

function sharedFieldAt(px: f32, py: f32, pz: f32, level: f32): f32 {
  let sum = f32x4.splat(0);
  let lead = f32x4.splat(0);
  for (let at = group; at < groupEnd; at += GROUP) {
    const dx = f32x4.sub(f32x4.splat(px), v128.load(at));
    const dy = f32x4.sub(f32x4.splat(py), v128.load(at, 16));
    const dz = f32x4.sub(f32x4.splat(pz), v128.load(at, 32));
    const p = closeness(at, dx, dy, dz);
    const color = f32x4.mul(v128.load(at, 48), f32x4.mul(p, f32x4.mul(p, p)));
    sum = f32x4.add(sum, color);
    lead = f32x4.add(lead, f32x4.mul(v128.load(at, 160), color));
  }
  const all = sumOfLanes(sum);
  const ahead = level + sumOfLanes(lead);
  leads = ahead < all;
  return leads ? ahead : all;
}

/** The slope of the field at a point, and what the particles carry there. */
export function interpolate(
  px: f32, py: f32, pz: f32, level: f32, target: usize, channels: usize, values: usize, order: usize,
): void {
  if (mixed) sharedFieldAt(px, py, pz, level);
  let gx = f32x4.splat(0);
  let gy = f32x4.splat(0);
  let gz = f32x4.splat(0);
  let total: f32 = 0;
  for (let c: usize = 0; c < channels; c++) store<f32>(target + (c << 2), 0);
  let first = list;
  for (let at = group; at < groupEnd; at += GROUP, first += 16) {
    const dx = f32x4.sub(f32x4.splat(px), v128.load(at));
    const dy = f32x4.sub(f32x4.splat(py), v128.load(at, 16));
    const dz = f32x4.sub(f32x4.splat(pz), v128.load(at, 32));
    const p = closeness(at, dx, dy, dz);
    const height = v128.load(at, 48);
    const near = f32x4.mul(height, f32x4.mul(p, p));
    if (!v128.any_true(near)) continue;
    const side = v128.load(at, 160);
    const steep = mixed && leads ? f32x4.mul(side, near) : near;
    const xx = f32x4.mul(v128.load(at, 64), dx);
    const yy = f32x4.mul(v128.load(at, 80), dy);
    const zz = f32x4.mul(v128.load(at, 96), dz);
    const yz = v128.load(at, 112);
    const xz = v128.load(at, 128);
    const xy = v128.load(at, 144);
    gx = f32x4.sub(gx, f32x4.mul(steep, f32x4.add(xx, f32x4.add(f32x4.mul(xz, dz), f32x4.mul(xy, dy)))));
    gy = f32x4.sub(gy, f32x4.mul(steep, f32x4.add(yy, f32x4.add(f32x4.mul(yz, dz), f32x4.mul(xy, dx)))));
    gz = f32x4.sub(gz, f32x4.mul(steep, f32x4.add(zz, f32x4.add(f32x4.mul(yz, dy), f32x4.mul(xz, dx)))));
    if (channels == 0) continue;
    const weights = f32x4.mul(near, p);
    let some = <u32>i32x4.bitmask(f32x4.gt(mixed ? f32x4.mul(side, weights) : weights, f32x4.splat(0)));
    while (some != 0) {
      const lane = <usize>ctz(some);
      some &= some - 1;
      const weight = lane < 2 ? (lane == 0 ? f32x4.extract_lane(weights, 0) : f32x4.extract_lane(weights, 1)) : lane == 2 ? f32x4.extract_lane(weights, 2) : f32x4.extract_lane(weights, 3);
      const particle = <usize>load<u32>(order + (<usize>load<u32>(first + (lane << 2)) << 2));
      const from = values + ((particle * channels) << 2);
      total += weight;
      for (let c: usize = 0; c < channels; c++) {
        const at = target + (c << 2);
        store<f32>(at, load<f32>(at) + weight * load<f32>(from + (c << 2)));
      }
    }
  }
  slope = vector(sumOfLanes(gx), sumOfLanes(gy), sumOfLanes(gz), 0);
  if (total > 0) for (let c: usize = 0; c < channels; c++) store<f32>(target + (c << 2), load<f32>(target + (c << 2)) / total);
}


/**
 * Direction out of the liquid where it was interpolated last: against the slope of wider kernels, which do not follow the
 * unevenness of single particles and the steps of a lattice. Where that slope leads astray, as between surfaces that
 * are close, against the slope of the field.
 */
export function outwards(px: f32, py: f32, pz: f32): v128 {
  let gx = f32x4.splat(0);
  let gy = f32x4.splat(0);
  let gz = f32x4.splat(0);
  for (let at = group; at < widerEnd; at += GROUP) {
    const dx = f32x4.sub(f32x4.splat(px), v128.load(at));
    const dy = f32x4.sub(f32x4.splat(py), v128.load(at, 16));
    const dz = f32x4.sub(f32x4.splat(pz), v128.load(at, 32));
    const q = f32x4.mul(squaredDistance(at, dx, dy, dz), v128.load(at, 176));
    const p = f32x4.max(f32x4.sub(f32x4.splat(1), q), f32x4.splat(0));
    const near = f32x4.mul(v128.load(at, 48), f32x4.mul(p, p));
    if (!v128.any_true(near)) continue;
    const steep = mixed && leads ? f32x4.mul(v128.load(at, 160), near) : near;
    const yz = v128.load(at, 112);
    const xz = v128.load(at, 128);
    const xy = v128.load(at, 144);
    const ax = f32x4.add(f32x4.mul(v128.load(at, 64), dx), f32x4.add(f32x4.mul(xz, dz), f32x4.mul(xy, dy)));
    const ay = f32x4.add(f32x4.mul(v128.load(at, 80), dy), f32x4.add(f32x4.mul(yz, dz), f32x4.mul(xy, dx)));
    const az = f32x4.add(f32x4.mul(v128.load(at, 96), dz), f32x4.add(f32x4.mul(yz, dy), f32x4.mul(xz, dx)));
    gx = f32x4.add(gx, f32x4.mul(steep, ax));
    gy = f32x4.add(gy, f32x4.mul(steep, ay));
    gz = f32x4.add(gz, f32x4.mul(steep, az));
  }
  const wide = vector(sumOfLanes(gx), sumOfLanes(gy), sumOfLanes(gz), 0);
  const narrow = f32x4.neg(slope);
  const lengths = sqrt(<f64>dot(wide, wide)) * sqrt(<f64>dot(narrow, narrow));
  if (!(lengths > 0)) return narrow;
  const share = <f32>rise(<f64>dot(wide, narrow) / lengths, ASTRAY, ALIKE);
  const scaled = f32x4.mul(wide, f32x4.splat(share / <f32>sqrt(<f64>dot(wide, wide))));
  return f32x4.add(scaled, f32x4.mul(narrow, f32x4.splat((<f32>1 - share) / <f32>sqrt(<f64>dot(narrow, narrow)))));
}
