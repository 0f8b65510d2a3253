import {
  BOUNDARY_CELL_BEGIN,
  BOUNDARY_COUNT,
  BOUNDARY_FOUND,
  BOUNDARY_FOUND_COUNT,
  BOUNDARY_ROOM,
  BOUNDARY_X,
  BOUNDARY_Y,
  BOUNDARY_Z,
  CELL_BEGIN,
  COUNT,
  FOUND,
  FOUND_COUNT,
  GRID_ORIGIN,
  GRID_SCALE,
  GRID_X,
  GRID_Y,
  GRID_Z,
  ORDERS,
  PAIR_BEGIN,
  PERIOD,
  POSITION,
  ROOM,
  SUPPORT,
  X,
  Y,
  Z,
} from '../../src/particles/fluid-layout';
import { x, y, z } from '../math/simd';
import { cellCoordinates, highestCell } from './grid';

/**
 * Neighbours of the liquid particles: in the rows of cells around each, four candidates at a time. Lists
 * run in the order of the cells, which is the order in memory.
 */

/** Sides of cells are where rounding puts them, to this share of their width. */
const CELL_TOLERANCE: f32 = 1e-3;

// Where the search looks and what it has found.
let xs: usize = 0;
let ys: usize = 0;
let zs: usize = 0;
let begins: usize = 0;
let list: usize = 0;
let room: u32 = 0;
let found: u32 = 0;
let reach2: v128 = i32x4(0, 0, 0, 0);
/** Table of orders that put chosen ones of four numbers first; 0 where lists may be short. */
let orders: usize = 0;
/** From the seeker to the sides of its cell, below and above, a little less: cells beyond the reach are left out. */
let below: v128 = i32x4(0, 0, 0, 0);
let above: v128 = i32x4(0, 0, 0, 0);

/** Which of four candidates are near enough. */
// @ts-ignore: decorator
@inline
function nearOnes(atX: usize, atY: usize, atZ: usize, qx: v128, qy: v128, qz: v128, reach: v128): v128 {
  const dx = f32x4.sub(v128.load(atX), qx);
  const dy = f32x4.sub(v128.load(atY), qy);
  const dz = f32x4.sub(v128.load(atZ), qz);
  const r2 = f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(dz, dz));
  return f32x4.lt(r2, reach);
}

/** Adds the particles of a row of cells that are near enough; counts on when the list is full. */
// @ts-ignore: decorator
@inline
function scanCells(first: usize, last: usize, self: u32, px: f32, py: f32, pz: f32): void {
  const begin = <usize>load<u32>(begins + (first << 2));
  const end = <usize>load<u32>(begins + (last << 2), 4);
  const qx = f32x4.splat(px);
  const qy = f32x4.splat(py);
  const qz = f32x4.splat(pz);
  // Globals are read once.
  const reach = reach2;
  let atX = xs + (begin << 2);
  const toY = ys - xs;
  const toZ = zs - xs;
  let n = found;
  const table = orders;
  if (table != 0 && n + <u32>(end - begin) + 4 <= room) {
    // Those that are near are put to the front of four places, without a branch for each.
    const own = i32x4.splat(self);
    let numbers = i32x4.add(i32x4.splat(<i32>begin), i32x4(0, 1, 2, 3));
    let place = list + (<usize>n << 2);
    const last4 = xs + (end << 2) - 16;
    for (; <isize>atX <= <isize>last4; atX += 16) {
      const close = nearOnes(atX, atX + toY, atX + toZ, qx, qy, qz, reach);
      const near = <usize>i32x4.bitmask(v128.andnot(close, i32x4.eq(numbers, own)));
      v128.store(place, i8x16.swizzle(numbers, v128.load(table + (near << 4))));
      place += popcnt(near) << 2;
      numbers = i32x4.add(numbers, i32x4.splat(4));
    }
    const rest = (<usize>1 << ((last4 + 16 - atX) >> 2)) - 1;
    const close = nearOnes(atX, atX + toY, atX + toZ, qx, qy, qz, reach);
    const near = rest & <usize>i32x4.bitmask(v128.andnot(close, i32x4.eq(numbers, own)));
    v128.store(place, i8x16.swizzle(numbers, v128.load(table + (near << 4))));
    found = <u32>((place - list) >> 2) + <u32>popcnt(near);
    return;
  }
  for (let k = begin; k < end; k += 4) {
    let near = <u32>i32x4.bitmask(nearOnes(atX, atX + toY, atX + toZ, qx, qy, qz, reach));
    atX += 16;
    if (end - k < 4) near &= (1 << <u32>(end - k)) - 1;
    while (near != 0) {
      const j = <u32>k + ctz(near);
      near &= near - 1;
      if (j != self) {
        if (n < room) store<u32>(list + (<usize>n << 2), j);
        n++;
      }
    }
  }
  found = n;
}

/** Cells of one axis that a search visits, wrapped where space repeats; `shift` is what is added to the seeker. */
// @ts-ignore: decorator
@inline
function wrap(cell: i32, count: i32): i32 {
  return cell < 0 ? cell + count : cell >= count ? cell - count : cell;
}

// @ts-ignore: decorator
@inline
function shiftOf(cell: i32, count: i32, period: f32): f32 {
  return cell < 0 ? period : cell >= count ? -period : 0;
}

function scanAround(self: u32, position: v128, cell: v128, nx: i32, ny: i32, nz: i32, period: v128): void {
  const cx = i32x4.extract_lane(cell, 0);
  const cy = i32x4.extract_lane(cell, 1);
  const cz = i32x4.extract_lane(cell, 2);
  const reach = x(reach2);
  const low2 = f32x4.mul(below, below);
  const high2 = f32x4.mul(above, above);
  const periodX = x(period);
  const periodY = y(period);
  const periodZ = z(period);
  for (let k = cz - 1; k <= cz + 1; k++) {
    if ((k < 0 || k >= nz) && periodZ == 0) continue;
    const pz = z(position) + shiftOf(k, nz, periodZ);
    const far: f32 = k < cz ? z(low2) : k > cz ? z(high2) : 0;
    for (let j = cy - 1; j <= cy + 1; j++) {
      if ((j < 0 || j >= ny) && periodY == 0) continue;
      const farther = far + (j < cy ? y(low2) : j > cy ? y(high2) : <f32>0);
      if (farther >= reach) continue;
      const py = y(position) + shiftOf(j, ny, periodY);
      const row = (wrap(k, nz) * ny + wrap(j, ny)) * nx;
      const first = farther + x(low2) < reach ? max(cx - 1, 0) : cx;
      const last = farther + x(high2) < reach ? min(cx + 1, nx - 1) : cx;
      scanCells(row + first, row + last, self, x(position), py, pz);
      if (periodX > 0) {
        if (cx == 0) scanCells(row + nx - 1, row + nx - 1, self, x(position) + periodX, py, pz);
        if (cx == nx - 1) scanCells(row, row, self, x(position) - periodX, py, pz);
      }
    }
  }
}

/** Lets the search look among these points. */
export function prepare(px: usize, py: usize, pz: usize, cells: usize, support: f32): void {
  xs = px;
  ys = py;
  zs = pz;
  begins = cells;
  reach2 = f32x4.splat(support * support);
}

/** Puts the points around a position into a list; how many there are, also when the list has no room for all. */
export function collect(target: usize, places: u32, position: v128, cell: v128, nx: i32, ny: i32, nz: i32, period: v128): u32 {
  list = target;
  room = places;
  found = 0;
  orders = 0;
  below = above = f32x4.splat(0);
  scanAround(0xffffffff, position, cell, nx, ny, nz, period);
  return found;
}

export function findLiquidNeighbors(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const lists = <usize>load<u32>(context + FOUND);
  const counts = <usize>load<u32>(context + FOUND_COUNT);
  const boundaryLists = <usize>load<u32>(context + BOUNDARY_FOUND);
  const boundaryCounts = <usize>load<u32>(context + BOUNDARY_FOUND_COUNT);
  const boundary = load<u32>(context + BOUNDARY_COUNT) > 0;
  const liquidRoom = load<u32>(context + ROOM);
  const boundaryRoom = load<u32>(context + BOUNDARY_ROOM);
  const origin = v128.load(context + GRID_ORIGIN);
  const scale = v128.load(context + GRID_SCALE);
  const period = v128.load(context + PERIOD);
  const highest = highestCell(context);
  const nx = load<i32>(context + GRID_X);
  const ny = load<i32>(context + GRID_Y);
  const nz = load<i32>(context + GRID_Z);
  const support = load<f32>(context + SUPPORT);
  reach2 = f32x4.splat(support * support);
  orders = <usize>load<u32>(context + ORDERS);
  const edge = f32x4.div(f32x4.splat(1), f32x4.replace_lane(scale, 3, 1));
  const tolerance = f32x4.mul(edge, f32x4.splat(CELL_TOLERANCE));
  for (let i = <usize>begin; i < <usize>end; i++) {
    const position = v128.load(positions + (i << 4));
    const cell = cellCoordinates(position, origin, scale, highest);
    const within = f32x4.sub(f32x4.sub(position, origin), f32x4.mul(f32x4.convert_i32x4_s(cell), edge));
    below = f32x4.max(f32x4.sub(within, tolerance), f32x4.splat(0));
    above = f32x4.max(f32x4.sub(f32x4.sub(edge, within), tolerance), f32x4.splat(0));
    xs = <usize>load<u32>(context + X);
    ys = <usize>load<u32>(context + Y);
    zs = <usize>load<u32>(context + Z);
    begins = <usize>load<u32>(context + CELL_BEGIN);
    room = liquidRoom;
    list = lists + i * (<usize>liquidRoom << 2);
    found = 0;
    scanAround(<u32>i, position, cell, nx, ny, nz, period);
    store<u32>(counts + (i << 2), found);
    if (boundary) {
      xs = <usize>load<u32>(context + BOUNDARY_X);
      ys = <usize>load<u32>(context + BOUNDARY_Y);
      zs = <usize>load<u32>(context + BOUNDARY_Z);
      begins = <usize>load<u32>(context + BOUNDARY_CELL_BEGIN);
      room = boundaryRoom;
      list = boundaryLists + i * (<usize>boundaryRoom << 2);
      found = 0;
      scanAround(0xffffffff, position, cell, nx, ny, nz, period);
      store<u32>(boundaryCounts + (i << 2), found);
    }
  }
}

/** Where the pairs of each particle begin; one thread. */
export function sumLiquidNeighbors(begin: u32, end: u32, context: usize): void {
  const counts = <usize>load<u32>(context + FOUND_COUNT);
  const pairBegins = <usize>load<u32>(context + PAIR_BEGIN);
  const count = <usize>load<u32>(context + COUNT);
  let sum: u32 = 0;
  for (let i: usize = 0; i < count; i++) {
    store<u32>(pairBegins + (i << 2), sum);
    sum += load<u32>(counts + (i << 2));
  }
  store<u32>(pairBegins + (count << 2), sum);
}

/** Largest of some counts. */
export function largestCount(counts: usize, count: u32): u32 {
  let result: u32 = 0;
  for (let k: usize = 0; k < <usize>count; k++) result = max(result, load<u32>(counts + (k << 2)));
  return result;
}
