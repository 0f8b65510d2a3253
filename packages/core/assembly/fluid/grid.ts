import {
  ALTERNATE,
  BOUNDARY_TRAITS,
  BOUNDARY_CELL_BEGIN,
  BOUNDARY_CELL_OF,
  BOUNDARY_COUNT,
  BOUNDARY_INPUT_TRAITS,
  BOUNDARY_INPUT_POSITION,
  BOUNDARY_INPUT_VELOCITY,
  BOUNDARY_ORIGIN,
  BOUNDARY_POSITION,
  BOUNDARY_VELOCITY,
  BOUNDARY_X,
  BOUNDARY_Y,
  BOUNDARY_Z,
  CELL_BEGIN,
  CELL_OF,
  COUNT,
  DIRECTION_POSITION,
  GRID_CUT,
  GRID_FIRST,
  GRID_ORDER,
  GRID_ORIGIN,
  GRID_SCALE,
  GRID_SECOND,
  GRID_THIRD,
  ID,
  CONSTRAINED,
  PRESCRIBED_UNTIL,
  VACANCY,
  LIQUID_OF,
  ORIGIN,
  PERIOD,
  POSITION,
  PRESSURE,
  SINK_COUNT,
  SINK_HIGH,
  SINK_KIND,
  SINK_LOW,
  SINK_STRIDE,
  SINKS,
  VELOCITY,
  X,
  Y,
  Z,
} from '../../src/particles/fluid-layout';
import { dot, w, x, y, z } from '../math/simd';

/**
 * Cells as wide as the support, in which particles are sorted: neighbours along the first axis of the grid stand side by
 * side in memory. The grid is bounded; what lies outside counts to the cells at its border, which keeps every two
 * neighbours in cells that touch. Within a cell particles keep their order.
 */

/** Coordinates of the cell of a position in the order of the grid's axes, as integers in lanes 0 to 2, also outside the grid. */
// @ts-ignore: decorator
@inline
function cellOutside(position: v128, origin: v128, scale: v128, order: v128): v128 {
  return i8x16.swizzle(i32x4.trunc_sat_f32x4_s(f32x4.floor(f32x4.mul(f32x4.sub(position, origin), scale))), order);
}

// @ts-ignore: decorator
@inline
function clampCell(cell: v128, highest: v128): v128 {
  return i32x4.min_s(i32x4.max_s(cell, i32x4.splat(0)), highest);
}

/** The same of the cell that it counts to. */
// @ts-ignore: decorator
@inline
export function cellCoordinates(position: v128, origin: v128, scale: v128, order: v128, highest: v128): v128 {
  return clampCell(cellOutside(position, origin, scale, order), highest);
}

// @ts-ignore: decorator
@inline
export function highestCell(context: usize): v128 {
  let highest = i32x4.splat(load<i32>(context + GRID_FIRST) - 1);
  highest = i32x4.replace_lane(highest, 1, load<i32>(context + GRID_SECOND) - 1);
  return i32x4.replace_lane(highest, 2, load<i32>(context + GRID_THIRD) - 1);
}

// @ts-ignore: decorator
@inline
export function cellNumber(cell: v128, first: i32, second: i32): u32 {
  return (i32x4.extract_lane(cell, 2) * second + i32x4.extract_lane(cell, 1)) * first + i32x4.extract_lane(cell, 0);
}

/** Into the period, where there is one. */
// @ts-ignore: decorator
@inline
function wrapped(position: v128, period: v128): v128 {
  const there = f32x4.gt(period, f32x4.splat(0));
  const turns = f32x4.nearest(f32x4.div(position, v128.bitselect(period, f32x4.splat(1), there)));
  return f32x4.sub(position, v128.bitselect(f32x4.mul(turns, period), f32x4.splat(0), there));
}

function isSunk(position: v128, sinks: usize, end: usize): bool {
  for (let sink = sinks; sink < end; sink += SINK_STRIDE) {
    const low = v128.load(sink + SINK_LOW);
    if (load<u32>(sink + SINK_KIND) == 0) {
      const inside = v128.and(f32x4.ge(position, low), f32x4.le(position, v128.load(sink + SINK_HIGH)));
      if ((i32x4.bitmask(inside) & 7) == 7) return true;
    } else {
      const d = f32x4.sub(position, low);
      if (dot(d, d) <= w(low) * w(low)) return true;
    }
  }
  return false;
}

/** Cells of the liquid particles; those in a sink get the last one. */
export function computeLiquidCells(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const cells = <usize>load<u32>(context + CELL_OF);
  const origin = v128.load(context + GRID_ORIGIN);
  const scale = v128.load(context + GRID_SCALE);
  const period = v128.load(context + PERIOD);
  const order = v128.load(context + GRID_ORDER);
  const highest = highestCell(context);
  const along = load<i32>(context + GRID_FIRST);
  const across = load<i32>(context + GRID_SECOND);
  const last = along * across * load<i32>(context + GRID_THIRD);
  const sinks = <usize>load<u32>(context + SINKS);
  const sinkEnd = sinks + <usize>load<u32>(context + SINK_COUNT) * SINK_STRIDE;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const given = v128.load(positions + (i << 4));
    const position = f32x4.replace_lane(wrapped(given, period), 3, w(given));
    v128.store(positions + (i << 4), position);
    const cell = isSunk(position, sinks, sinkEnd) ? last : cellNumber(cellCoordinates(position, origin, scale, order, highest), along, across);
    store<u32>(cells + (i << 2), cell);
  }
}

export function computeBoundaryCells(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + BOUNDARY_INPUT_POSITION);
  const cells = <usize>load<u32>(context + BOUNDARY_CELL_OF);
  const origin = v128.load(context + GRID_ORIGIN);
  const scale = v128.load(context + GRID_SCALE);
  const period = v128.load(context + PERIOD);
  const order = v128.load(context + GRID_ORDER);
  const highest = highestCell(context);
  const along = load<i32>(context + GRID_FIRST);
  const across = load<i32>(context + GRID_SECOND);
  const last = along * across * load<i32>(context + GRID_THIRD);
  // Where some of the liquid is outside the grid, its boundary may be too.
  const reach: i32 = load<u32>(context + GRID_CUT) != 0 ? i32.MAX_VALUE : 1;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const given = v128.load(positions + (i << 4));
    const position = f32x4.replace_lane(wrapped(given, period), 3, w(given));
    v128.store(positions + (i << 4), position);
    // What is out of the liquid's reach is left out.
    const ownCell = cellOutside(position, origin, scale, order);
    const cell = clampCell(ownCell, highest);
    const far = i32x4.gt_s(i32x4.abs(i32x4.sub(ownCell, cell)), i32x4.splat(reach));
    store<u32>(cells + (i << 2), (i32x4.bitmask(far) & 7) != 0 ? last : cellNumber(cell, along, across));
  }
}

/** Counting sort by cell; one thread. */
// @ts-ignore: decorator
@inline
function sort(cells: usize, origins: usize, begins: usize, count: usize, cellCount: usize): void {
  memory.fill(begins, 0, (cellCount + 2) << 2);
  for (let i: usize = 0; i < count; i++) {
    const at = begins + (<usize>load<u32>(cells + (i << 2)) << 2);
    store<u32>(at, load<u32>(at, 4) + 1, 4);
  }
  let sum: u32 = 0;
  for (let cell: usize = 0; cell < cellCount + 2; cell++) {
    sum += load<u32>(begins + (cell << 2));
    store<u32>(begins + (cell << 2), sum);
  }
  // Every begin is moved on to the next while its cell is filled, and put back afterwards.
  for (let i: usize = 0; i < count; i++) {
    const at = begins + (<usize>load<u32>(cells + (i << 2)) << 2);
    const slot = load<u32>(at);
    store<u32>(at, slot + 1);
    store<u32>(origins + (<usize>slot << 2), <u32>i);
  }
  memory.copy(begins + 4, begins, (cellCount + 1) << 2);
  store<u32>(begins, 0);
}

export function sortLiquid(begin: u32, end: u32, context: usize): void {
  sort(
    <usize>load<u32>(context + CELL_OF), <usize>load<u32>(context + ORIGIN), <usize>load<u32>(context + CELL_BEGIN),
    <usize>load<u32>(context + COUNT), cellCountOf(context),
  );
}

export function sortBoundary(begin: u32, end: u32, context: usize): void {
  sort(
    <usize>load<u32>(context + BOUNDARY_CELL_OF), <usize>load<u32>(context + BOUNDARY_ORIGIN),
    <usize>load<u32>(context + BOUNDARY_CELL_BEGIN), <usize>load<u32>(context + BOUNDARY_COUNT), cellCountOf(context),
  );
}

// @ts-ignore: decorator
@inline
function cellCountOf(context: usize): usize {
  return <usize>load<u32>(context + GRID_FIRST) * load<u32>(context + GRID_SECOND) * load<u32>(context + GRID_THIRD);
}

/** Carries the liquid's arrays over to the alternate ones in the order of the cells. */
export function arrangeLiquid(begin: u32, end: u32, context: usize): void {
  const origins = <usize>load<u32>(context + ORIGIN);
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const ids = <usize>load<u32>(context + ID);
  const liquids = <usize>load<u32>(context + LIQUID_OF);
  const pressures = <usize>load<u32>(context + PRESSURE);
  const prescribedUntils = <usize>load<u32>(context + PRESCRIBED_UNTIL);
  const constrained = <usize>load<u32>(context + CONSTRAINED);
  const toConstrained = <usize>load<u32>(context + CONSTRAINED + ALTERNATE);
  const vacancies = <usize>load<u32>(context + VACANCY);
  const toVacancies = <usize>load<u32>(context + VACANCY + ALTERNATE);
  const toPositions = <usize>load<u32>(context + POSITION + ALTERNATE);
  const toVelocities = <usize>load<u32>(context + VELOCITY + ALTERNATE);
  const toIds = <usize>load<u32>(context + ID + ALTERNATE);
  const toLiquids = <usize>load<u32>(context + LIQUID_OF + ALTERNATE);
  const toPressures = <usize>load<u32>(context + PRESSURE + ALTERNATE);
  const toLeds = <usize>load<u32>(context + PRESCRIBED_UNTIL + ALTERNATE);
  const directionPositions = <usize>load<u32>(context + DIRECTION_POSITION);
  const xs = <usize>load<u32>(context + X);
  const ys = <usize>load<u32>(context + Y);
  const zs = <usize>load<u32>(context + Z);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const from = <usize>load<u32>(origins + (i << 2));
    const position = v128.load(positions + (from << 4));
    v128.store(toPositions + (i << 4), position);
    v128.store(directionPositions + (i << 4), position);
    v128.store(toVelocities + (i << 4), v128.load(velocities + (from << 4)));
    store<u32>(toIds + (i << 2), load<u32>(ids + (from << 2)));
    store<u32>(toLiquids + (i << 2), load<u32>(liquids + (from << 2)));
    store<f32>(toPressures + (i << 2), load<f32>(pressures + (from << 2)));
    store<f32>(toLeds + (i << 2), load<f32>(prescribedUntils + (from << 2)));
    store<u32>(toConstrained + (i << 2), load<u32>(constrained + (from << 2)));
    store<f32>(toVacancies + (i << 2), load<f32>(vacancies + (from << 2)));
    store<f32>(xs + (i << 2), x(position));
    store<f32>(ys + (i << 2), y(position));
    store<f32>(zs + (i << 2), z(position));
  }
}

export function arrangeBoundary(begin: u32, end: u32, context: usize): void {
  const origins = <usize>load<u32>(context + BOUNDARY_ORIGIN);
  const positions = <usize>load<u32>(context + BOUNDARY_INPUT_POSITION);
  const velocities = <usize>load<u32>(context + BOUNDARY_INPUT_VELOCITY);
  const toPositions = <usize>load<u32>(context + BOUNDARY_POSITION);
  const toVelocities = <usize>load<u32>(context + BOUNDARY_VELOCITY);
  const traits = <usize>load<u32>(context + BOUNDARY_INPUT_TRAITS);
  const toTraits = <usize>load<u32>(context + BOUNDARY_TRAITS);
  const xs = <usize>load<u32>(context + BOUNDARY_X);
  const ys = <usize>load<u32>(context + BOUNDARY_Y);
  const zs = <usize>load<u32>(context + BOUNDARY_Z);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const from = <usize>load<u32>(origins + (i << 2));
    const position = v128.load(positions + (from << 4));
    v128.store(toPositions + (i << 4), position);
    v128.store(toVelocities + (i << 4), v128.load(velocities + (from << 4)));
    v128.store(toTraits + (i << 4), v128.load(traits + (from << 4)));
    store<f32>(xs + (i << 2), x(position));
    store<f32>(ys + (i << 2), y(position));
    store<f32>(zs + (i << 2), z(position));
  }
}

/**
 * Where the liquid is, for the size of the grid: into `out`, as f64 each, the lowest and highest coordinates,
 * their sums and sums of squares, axis by axis.
 */
export function measureExtent(positions: usize, count: u32, out: usize): void {
  for (let a: usize = 0; a < 3; a++) {
    let low: f32 = f32.MAX_VALUE;
    let high: f32 = -f32.MAX_VALUE;
    let sum: f64 = 0;
    let squares: f64 = 0;
    for (let at = positions + (a << 2); at < positions + (<usize>count << 4); at += 16) {
      const coordinate = load<f32>(at);
      low = min(low, coordinate);
      high = max(high, coordinate);
      sum += <f64>coordinate;
      squares += <f64>coordinate * <f64>coordinate;
    }
    store<f64>(out + a * 32, <f64>low);
    store<f64>(out + a * 32, <f64>high, 8);
    store<f64>(out + a * 32, sum, 16);
    store<f64>(out + a * 32, squares, 24);
  }
}
