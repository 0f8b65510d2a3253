import { BLOCK } from '../../src/particles/layout';
import {
  BOUNDARY_CELL_BEGIN,
  BOUNDARY_COUNT,
  BOUNDARY_FOUND,
  BOUNDARY_FOUND_COUNT,
  BOUNDARY_CAPACITY,
  BOUNDARY_X,
  BOUNDARY_Y,
  BOUNDARY_Z,
  CELL_BEGIN,
  COEFFICIENTS,
  GRID_FIRST,
  GRID_ORDER,
  GRID_ORIGIN,
  GRID_SCALE,
  GRID_SECOND,
  GRID_THIRD,
  NEIGHBORS,
  ORDERS,
  PAIR_BEGIN,
  PAIR_COUNT,
  PAIR_CAPACITY,
  PERIOD,
  POSITION,
  SUPPORT,
  X,
  Y,
  Z,
} from '../../src/particles/fluid-layout';
import { x, y, z } from '../math/simd';
import { addCandidates, beginCandidates, chooseFrom, endCandidates, seek, seekInto } from './candidates';
import { cellCoordinates, cellNumber, highestCell } from './grid';
import { sumsOf } from './pressure';

/**
 * Neighbours of the liquid particles: of all that are in one cell at a time, in the rows of cells around it. Lists run in
 * the order of the cells, which is the order in memory.
 */

// Where a search looks.
let xs: usize = 0;
let ys: usize = 0;
let zs: usize = 0;
let begins: usize = 0;
let support: f32 = 0;
// Cells along the axes of the grid, which are x, y and z where space repeats.
let nx: i32 = 0;
let ny: i32 = 0;
let nz: i32 = 0;
let period: v128 = i32x4(0, 0, 0, 0);
/** What numbers are multiplied by in lists. */
let unit: u32 = 1;

/** Lets the search look among points that are sorted by the cells of the grid. */
export function prepare(context: usize, px: usize, py: usize, pz: usize, cells: usize, times: u32): void {
  xs = px;
  ys = py;
  zs = pz;
  begins = cells;
  unit = times;
  support = load<f32>(context + SUPPORT);
  nx = load<i32>(context + GRID_FIRST);
  ny = load<i32>(context + GRID_SECOND);
  nz = load<i32>(context + GRID_THIRD);
  period = v128.load(context + PERIOD);
}

/** Cells of one axis that a search visits, wrapped where space repeats; `shift` is what is added to the points there. */
// @ts-ignore: decorator
@inline
function wrap(cell: i32, count: i32): i32 {
  return cell < 0 ? cell + count : cell >= count ? cell - count : cell;
}

// @ts-ignore: decorator
@inline
function shiftOf(cell: i32, count: i32, length: f32): f32 {
  return cell < 0 ? -length : cell >= count ? length : 0;
}

/** Candidates of one row of cells. */
// @ts-ignore: decorator
@inline
function choose(first: i32, last: i32, shiftX: f32, shiftY: f32, shiftZ: f32): bool {
  return addCandidates(load<u32>(begins + (<usize>first << 2)), load<u32>(begins + (<usize>last << 2), 4), shiftX, shiftY, shiftZ);
}

/** Candidates of the cells around one; false when they are too many. */
function chooseAround(cell: v128): bool {
  const cx = i32x4.extract_lane(cell, 0);
  const cy = i32x4.extract_lane(cell, 1);
  const cz = i32x4.extract_lane(cell, 2);
  chooseFrom(xs, ys, zs, unit);
  for (let k = cz - 1; k <= cz + 1; k++) {
    if ((k < 0 || k >= nz) && z(period) == 0) continue;
    const shiftZ = shiftOf(k, nz, z(period));
    for (let j = cy - 1; j <= cy + 1; j++) {
      if ((j < 0 || j >= ny) && y(period) == 0) continue;
      const shiftY = shiftOf(j, ny, y(period));
      const row = (wrap(k, nz) * ny + wrap(j, ny)) * nx;
      if (!choose(row + max(cx - 1, 0), row + min(cx + 1, nx - 1), 0, shiftY, shiftZ)) return false;
      if (x(period) > 0) {
        if (cx == 0 && !choose(row + nx - 1, row + nx - 1, -x(period), shiftY, shiftZ)) return false;
        if (cx == nx - 1 && !choose(row, row, x(period), shiftY, shiftZ)) return false;
      }
    }
  }
  return true;
}

// A search without candidates, for one point at a time: what it has found.
let list: usize = 0;
let capacity: u32 = 0;
let found: u32 = 0;

/** Adds the points of a row of cells that are near enough; counts on when the list is full. */
function scanCells(first: i32, last: i32, self: u32, px: f32, py: f32, pz: f32): void {
  const end = load<u32>(begins + (<usize>last << 2), 4);
  const reach = f32x4.splat(support * support);
  const qx = f32x4.splat(px);
  const qy = f32x4.splat(py);
  const qz = f32x4.splat(pz);
  let n = found;
  for (let k = load<u32>(begins + (<usize>first << 2)); k < end; k += 4) {
    const at = <usize>k << 2;
    const dx = f32x4.sub(v128.load(xs + at), qx);
    const dy = f32x4.sub(v128.load(ys + at), qy);
    const dz = f32x4.sub(v128.load(zs + at), qz);
    const r2 = f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(dz, dz));
    let near = <u32>i32x4.bitmask(f32x4.lt(r2, reach));
    if (end - k < 4) near &= (1 << (end - k)) - 1;
    for (; near != 0; near &= near - 1) {
      const j = k + ctz(near);
      if (j == self) continue;
      if (n < capacity) store<u32>(list + (<usize>n << 2), j * unit);
      n++;
    }
  }
  found = n;
}

/** Puts the points around a position into a list, but for one; how many there are, also when there is no room for all. */
export function collect(target: usize, positions: u32, position: v128, cell: v128, self: u32): u32 {
  list = target;
  capacity = positions;
  found = 0;
  const cx = i32x4.extract_lane(cell, 0);
  const cy = i32x4.extract_lane(cell, 1);
  const cz = i32x4.extract_lane(cell, 2);
  for (let k = cz - 1; k <= cz + 1; k++) {
    if ((k < 0 || k >= nz) && z(period) == 0) continue;
    const pz = z(position) - shiftOf(k, nz, z(period));
    for (let j = cy - 1; j <= cy + 1; j++) {
      if ((j < 0 || j >= ny) && y(period) == 0) continue;
      const py = y(position) - shiftOf(j, ny, y(period));
      const row = (wrap(k, nz) * ny + wrap(j, ny)) * nx;
      scanCells(row + max(cx - 1, 0), row + min(cx + 1, nx - 1), self, x(position), py, pz);
      if (x(period) > 0) {
        if (cx == 0) scanCells(row + nx - 1, row + nx - 1, self, x(position) + x(period), py, pz);
        if (cx == nx - 1) scanCells(row, row, self, x(position) - x(period), py, pz);
      }
    }
  }
  return found;
}

/** Places behind a list that are written too. */
const BEHIND: u32 = 8;

/**
 * Fills the lists. Per block how many pairs it needs place for (0), how many it has (1), the longest list of boundary
 * neighbours (2), and how far from a particle its neighbours stand in memory (3), where space does not repeat. Where
 * place is missing, lists are of no use but their lengths are right. Coefficients are made later, so their memory is
 * free for the candidates.
 */
export function findLiquidNeighbors(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const coefficients = <usize>load<u32>(context + COEFFICIENTS);
  const pairBegins = <usize>load<u32>(context + PAIR_BEGIN);
  const pairCounts = <usize>load<u32>(context + PAIR_COUNT);
  const pairCapacity = load<u32>(context + PAIR_CAPACITY);
  const boundaryLists = <usize>load<u32>(context + BOUNDARY_FOUND);
  const boundaryCounts = <usize>load<u32>(context + BOUNDARY_FOUND_COUNT);
  const boundary = load<u32>(context + BOUNDARY_COUNT) > 0;
  const boundaryCapacity = load<u32>(context + BOUNDARY_CAPACITY);
  const liquidX = <usize>load<u32>(context + X);
  const liquidY = <usize>load<u32>(context + Y);
  const liquidZ = <usize>load<u32>(context + Z);
  const liquidCells = <usize>load<u32>(context + CELL_BEGIN);
  const boundaryX = <usize>load<u32>(context + BOUNDARY_X);
  const boundaryY = <usize>load<u32>(context + BOUNDARY_Y);
  const boundaryZ = <usize>load<u32>(context + BOUNDARY_Z);
  const boundaryCells = <usize>load<u32>(context + BOUNDARY_CELL_BEGIN);
  const origin = v128.load(context + GRID_ORIGIN);
  const scale = v128.load(context + GRID_SCALE);
  const order = v128.load(context + GRID_ORDER);
  const highest = highestCell(context);
  const orders = <usize>load<u32>(context + ORDERS);
  prepare(context, liquidX, liquidY, liquidZ, liquidCells, 16);
  for (let block = <usize>begin; block < <usize>end; block += BLOCK) {
    const blockEnd = min(block + BLOCK, <usize>end);
    const from = <u32>(block / BLOCK) * pairCapacity;
    const free = coefficients + (<usize>from << 2);
    // Where the next list begins, and where it would if there were place for all.
    let used: u32 = 0;
    let total: u32 = 0;
    let needed: u32 = 0;
    let pairs: u32 = 0;
    let longest: u32 = 0;
    let reach: i32 = 0;
    let i = block;
    while (i < blockEnd) {
      const first = v128.load(positions + (i << 4));
      const cell = cellCoordinates(first, origin, scale, order, highest);
      const number = cellNumber(cell, nx, ny);
      const last = max(min(<usize>load<u32>(liquidCells + (<usize>number << 2), 4), blockEnd), i + 1);
      let low = first;
      let high = first;
      for (let k = i + 1; k < last; k++) {
        const position = v128.load(positions + (k << 4));
        low = f32x4.min(low, position);
        high = f32x4.max(high, position);
      }
      beginCandidates(free, orders, low, high, support);
      const few = chooseAround(cell);
      const candidates = few ? endCandidates() : 0;
      for (let k = i; k < last; k++) {
        const position = v128.load(positions + (k << 4));
        // Where there is no place, over what is there.
        needed = max(needed, total + candidates + BEHIND);
        if (used + candidates + BEHIND > pairCapacity) used = 0;
        const target = neighbors + (<usize>(from + used) << 2);
        let n: u32 = 0;
        if (few) n = seek(target, position, <u32>k << 4);
        else {
          n = collect(target, pairCapacity - used, position, cell, <u32>k);
          needed = max(needed, total + n + BEHIND);
          if (used + n + BEHIND > pairCapacity) used = n = 0;
        }
        v128.store(target + (<usize>n << 2), i32x4.splat(<u32>k << 4));
        store<u32>(pairBegins + (k << 2), from + used);
        store<u32>(pairCounts + (k << 2), n);
        if (n > 0) {
          // In order, so that the first and the last are the farthest.
          const farthest = target + (<usize>(n - 1) << 2);
          reach = max(reach, max(<i32>k - (load<i32>(target) >> 4), (load<i32>(farthest) >> 4) - <i32>k));
        }
        const filled = (n + 3) & ~3;
        used += filled;
        total += filled;
        pairs += n;
      }
      if (boundary) {
        prepare(context, boundaryX, boundaryY, boundaryZ, boundaryCells, 1);
        beginCandidates(free, orders, low, high, support);
        const some = chooseAround(cell);
        const near = some ? endCandidates() : 1;
        for (let k = i; k < last; k++) {
          const target = boundaryLists + k * (<usize>boundaryCapacity << 2);
          let n: u32 = 0;
          if (near > 0) {
            const position = v128.load(positions + (k << 4));
            n = some ? seekInto(target, boundaryCapacity, position, 0xffffffff) : collect(target, boundaryCapacity, position, cell, 0xffffffff);
          }
          store<u32>(boundaryCounts + (k << 2), n);
          longest = max(longest, n);
        }
        prepare(context, liquidX, liquidY, liquidZ, liquidCells, 16);
      }
      i = last;
    }
    const out = sumsOf(context, block / BLOCK);
    store<f64>(out, <f64>needed);
    store<f64>(out, <f64>pairs, 8);
    store<f64>(out, <f64>longest, 16);
    store<f64>(out, <f64>reach, 24);
  }
}
