import { CANDIDATE_BYTES } from '../../src/particles/fluid-layout';

/**
 * What can be a neighbour of the particles of one cell: all that is within reach of the box around them, put side by
 * side, so that each of them looks through one short list. Four at a time: of four, those that are wanted are put to
 * the front by a table of orders, without a branch for each. Loops test at their end: what does not change in them is then
 * kept in registers, by engines that would make it anew in every turn otherwise.
 */

/** As many as there is place for; where there are more, particles are searched for one by one. */
const MOST_CANDIDATES: u32 = 1024;
/** Coordinates, numbers and what one particle finds: arrays of this many bytes; not a power of two, which caches dislike. */
const STRIDE: usize = CANDIDATE_BYTES / 5;
const RESULT: usize = 4 * STRIDE;
/** Farther away than anything; its square is a number. */
const NOWHERE: f32 = 1e18;
/** The box is a little larger, so that rounding leaves nobody out. */
const MARGIN: f32 = 1.00001;

let scratch: usize = 0;
let orders: usize = 0;
let count: u32 = 0;
let reach2: v128 = i32x4(0, 0, 0, 0);
let low: v128 = i32x4(0, 0, 0, 0);
let high: v128 = i32x4(0, 0, 0, 0);
// The points to choose from, and what their numbers are multiplied by.
let xs: usize = 0;
let ys: usize = 0;
let zs: usize = 0;
let unit: u32 = 1;

/** Points to choose from. */
// @ts-ignore: decorator
@inline
export function chooseFrom(px: usize, py: usize, pz: usize, times: u32): void {
  xs = px;
  ys = py;
  zs = pz;
  unit = times;
}

/** Begins a choice around a box, into memory that is free. */
// @ts-ignore: decorator
@inline
export function beginCandidates(free: usize, table: usize, boxLow: v128, boxHigh: v128, support: f32): void {
  scratch = free;
  orders = table;
  low = boxLow;
  high = boxHigh;
  reach2 = f32x4.splat(support * support);
  count = 0;
}

/** How far coordinates are from an interval. */
// @ts-ignore: decorator
@inline
function beyond(a: v128, from: v128, to: v128): v128 {
  return f32x4.pmax(f32x4.pmax(f32x4.sub(from, a), f32x4.sub(a, to)), f32x4.splat(0));
}

/** Adds those of the points [begin, end) that are near the box when they are shifted; false when there is no place. */
export function addCandidates(begin: u32, end: u32, shiftX: f32, shiftY: f32, shiftZ: f32): bool {
  if (begin == end) return true;
  if (count + (end - begin) > MOST_CANDIDATES) return false;
  // Globals are read once.
  const table = orders;
  const reach = f32x4.mul(reach2, f32x4.splat(MARGIN));
  const lowX = f32x4.splat(f32x4.extract_lane(low, 0));
  const lowY = f32x4.splat(f32x4.extract_lane(low, 1));
  const lowZ = f32x4.splat(f32x4.extract_lane(low, 2));
  const highX = f32x4.splat(f32x4.extract_lane(high, 0));
  const highY = f32x4.splat(f32x4.extract_lane(high, 1));
  const highZ = f32x4.splat(f32x4.extract_lane(high, 2));
  const sx = f32x4.splat(shiftX);
  const sy = f32x4.splat(shiftY);
  const sz = f32x4.splat(shiftZ);
  const toY = ys - xs;
  const toZ = zs - xs;
  const four = i32x4.splat(4 * unit);
  let numbers = i32x4.add(i32x4.splat(begin * unit), i32x4.mul(i32x4.splat(unit), i32x4(0, 1, 2, 3)));
  let cursor = scratch + (<usize>count << 2);
  const first = cursor;
  const last = xs + (<usize>end << 2);
  let at = xs + (<usize>begin << 2);
  do {
    const px = f32x4.add(v128.load(at), sx);
    const py = f32x4.add(v128.load(at + toY), sy);
    const pz = f32x4.add(v128.load(at + toZ), sz);
    const dx = beyond(px, lowX, highX);
    const dy = beyond(py, lowY, highY);
    const dz = beyond(pz, lowZ, highZ);
    const r2 = f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(dz, dz));
    let near = <usize>i32x4.bitmask(f32x4.lt(r2, reach));
    if (last - at < 16) near &= ((<usize>1 << ((last - at) >> 2)) - 1);
    const order = v128.load(table + (near << 4));
    v128.store(cursor, i8x16.swizzle(px, order));
    v128.store(cursor, i8x16.swizzle(py, order), STRIDE);
    v128.store(cursor, i8x16.swizzle(pz, order), 2 * STRIDE);
    v128.store(cursor, i8x16.swizzle(numbers, order), 3 * STRIDE);
    cursor += popcnt(near) << 2;
    numbers = i32x4.add(numbers, four);
    at += 16;
  } while (at < last);
  count += <u32>((cursor - first) >> 2);
  return true;
}

/** Ends the choice: how many there are. */
// @ts-ignore: decorator
@inline
export function endCandidates(): u32 {
  // What is read past the end is never near.
  v128.store(scratch + (<usize>count << 2), f32x4.splat(NOWHERE));
  return count;
}

/**
 * Puts the numbers of the candidates around a position into a list, but for one of them; how many there are. Up to three
 * positions behind them are written too.
 */
// @ts-ignore: decorator
@inline
export function seek(list: usize, position: v128, self: u32): u32 {
  const table = orders;
  const reach = reach2;
  const px = v128.shuffle<f32>(position, position, 0, 0, 0, 0);
  const py = v128.shuffle<f32>(position, position, 1, 1, 1, 1);
  const pz = v128.shuffle<f32>(position, position, 2, 2, 2, 2);
  const own = i32x4.splat(self);
  let cursor = list;
  const last = scratch + (<usize>count << 2);
  if (count == 0) return 0;
  let at = scratch;
  do {
    const dx = f32x4.sub(v128.load(at), px);
    const dy = f32x4.sub(v128.load(at, STRIDE), py);
    const dz = f32x4.sub(v128.load(at, 2 * STRIDE), pz);
    const numbers = v128.load(at, 3 * STRIDE);
    const r2 = f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(dz, dz));
    const near = <usize>i32x4.bitmask(v128.andnot(f32x4.lt(r2, reach), i32x4.eq(numbers, own)));
    v128.store(cursor, i8x16.swizzle(numbers, v128.load(table + (near << 4))));
    cursor += popcnt(near) << 2;
    at += 16;
  } while (at < last);
  return <u32>((cursor - list) >> 2);
}

/** The same into memory behind the candidates, of which as many as a list has room for are copied to it. */
export function seekInto(list: usize, capacity: u32, position: v128, self: u32): u32 {
  const found = seek(scratch + RESULT, position, self);
  memory.copy(list, scratch + RESULT, <usize>min(found, capacity) << 2);
  return found;
}
