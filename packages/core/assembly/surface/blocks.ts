import {
  ANYWHERE,
  BLOCK_AROUND,
  BLOCK_BEGIN,
  BLOCK_COUNT,
  BLOCK_END,
  BLOCK_MEMBERS,
  BLOCK_MIXED,
  BLOCK_PARTS,
  BLOCK_REACHED,
  BLOCK_STORED,
  BLOCK_STRIDE,
  BLOCK_WHERE,
  BLOCK_X,
  BLOCK_Y,
  BLOCK_Z,
  BLOCKS,
  CELL,
  COUNT,
  GIVEN,
  HASH,
  HASH_MASK,
  HASH_STRIDE,
  HOME,
  HOME_COUNT,
  KERNEL_CENTRE,
  KERNEL_REACH,
  KERNEL_STRIDE,
  KERNELS,
  KEYS,
  KEYS_ALTERNATE,
  KERNEL_MIXED,
  LIQUID,
  NONE,
  ORDER,
  ORDER_ALTERNATE,
  OTHERS,
  OWN,
  OWN_ONES,
  RANK,
  SELF,
  SHARED,
  SIDE,
  STORED,
  STORED_COUNT,
  WELL_INSIDE,
  WELL_OUTSIDE,
  X,
  Y,
  YIELDING,
  Z,
} from '../../src/particles/liquid-surface-layout';
import { w, x, y, z } from '../math/simd';
import { BEFORE, BEHIND, sideOfWalls } from './walls';

/**
 * The sparse grid: cubic blocks of nodes that exist only where kernels reach, found by a hash table. Blocks
 * are also the cells that particles are sorted by: one is at least as wide as the reach of a kernel, so all
 * that concerns a block is in the 27 around it.
 */

// @ts-ignore: decorator
@inline
function keyOf(bx: i32, by: i32, bz: i32): u64 {
  return (<u64>bz << 42) | (<u64>by << 21) | <u64>bx;
}

// @ts-ignore: decorator
@inline
function slotOf(key: u64, mask: u32): usize {
  const h = key * 0x9e3779b97f4a7c15;
  return <usize>(<u32>(h >> 32) & mask);
}

/** The next place of the table, the first behind the last. */
// @ts-ignore: decorator
@inline
function following(at: usize, table: usize, mask: u32): usize {
  return at == table + <usize>mask * HASH_STRIDE ? table : at + HASH_STRIDE;
}

/** Block at a position, or NONE. */
function find(context: usize, bx: i32, by: i32, bz: i32): u32 {
  if ((bx | by | bz) < 0) return NONE;
  const table = <usize>load<u32>(context + HASH);
  const mask = load<u32>(context + HASH_MASK);
  const key = keyOf(bx, by, bz);
  let at = table + slotOf(key, mask) * HASH_STRIDE;
  while (load<u32>(at, 8) != NONE && load<u64>(at) != key) at = following(at, table, mask);
  return load<u32>(at, 8);
}

/** The block at a position, which is made when it is not there. */
function obtain(context: usize, bx: i32, by: i32, bz: i32): usize {
  const blocks = <usize>load<u32>(context + BLOCKS);
  const table = <usize>load<u32>(context + HASH);
  const mask = load<u32>(context + HASH_MASK);
  const key = keyOf(bx, by, bz);
  let at = table + slotOf(key, mask) * HASH_STRIDE;
  while (load<u32>(at, 8) != NONE && load<u64>(at) != key) at = following(at, table, mask);
  const there = load<u32>(at, 8);
  if (there != NONE) return blocks + <usize>there * BLOCK_STRIDE;
  const number = load<u32>(context + BLOCK_COUNT);
  store<u32>(context + BLOCK_COUNT, number + 1);
  store<u64>(at, key);
  store<u32>(at, number, 8);
  const block = blocks + <usize>number * BLOCK_STRIDE;
  store<i32>(block + BLOCK_X, bx);
  store<i32>(block + BLOCK_Y, by);
  store<i32>(block + BLOCK_Z, bz);
  return block;
}

// @ts-ignore: decorator
@inline
export function blockSide(context: usize): f32 {
  return <f32>load<u32>(context + SIDE) * load<f32>(context + CELL);
}

/** Corner of a block. */
// @ts-ignore: decorator
@inline
export function cornerOf(block: usize, context: usize): v128 {
  const corner = f32x4.mul(f32x4.convert_i32x4_s(v128.load(block + BLOCK_X)), f32x4.splat(blockSide(context)));
  return f32x4.replace_lane(corner, 3, 0);
}

/** Keys of the particles' cells. */
export function computeSurfaceCells(begin: u32, end: u32, context: usize): void {
  const given = <usize>load<u32>(context + GIVEN);
  const keys = <usize>load<u32>(context + KEYS);
  const order = <usize>load<u32>(context + ORDER);
  const scale = f32x4.splat(<f32>1 / blockSide(context));
  for (let i = <usize>begin; i < <usize>end; i++) {
    const cell = i32x4.trunc_sat_f32x4_s(f32x4.mul(v128.load(given + (i << 4)), scale));
    const key = keyOf(i32x4.extract_lane(cell, 0), i32x4.extract_lane(cell, 1), i32x4.extract_lane(cell, 2));
    store<u64>(keys + (i << 3), key);
    store<u32>(order + (i << 2), <u32>i);
  }
}

/** Sorts particles by their cells, eleven bits at a time, and keeps their order within a cell; one thread. */
export function sortSurfaceParticles(begin: u32, end: u32, context: usize): void {
  const count = <usize>load<u32>(context + COUNT);
  // The table is not in use yet: it has room for the counts.
  const counts = <usize>load<u32>(context + HASH);
  let all: u64 = 0;
  const first = load<u64>(<usize>load<u32>(context + KEYS));
  for (let i: usize = 0; i < count; i++) all |= load<u64>(<usize>load<u32>(context + KEYS) + (i << 3)) ^ first;
  for (let shift: u64 = 0; shift < 64; shift += 11) {
    if (((all >> shift) & 2047) == 0) continue;
    const keys = <usize>load<u32>(context + KEYS);
    const order = <usize>load<u32>(context + ORDER);
    const toKeys = <usize>load<u32>(context + KEYS_ALTERNATE);
    const toOrder = <usize>load<u32>(context + ORDER_ALTERNATE);
    memory.fill(counts, 0, 2048 << 2);
    for (let i: usize = 0; i < count; i++) {
      const at = counts + (<usize>((load<u64>(keys + (i << 3)) >> shift) & 2047) << 2);
      store<u32>(at, load<u32>(at) + 1);
    }
    let sum: u32 = 0;
    for (let k: usize = 0; k < 2048; k++) {
      const own = load<u32>(counts + (k << 2));
      store<u32>(counts + (k << 2), sum);
      sum += own;
    }
    for (let i: usize = 0; i < count; i++) {
      const key = load<u64>(keys + (i << 3));
      const at = counts + (<usize>((key >> shift) & 2047) << 2);
      const slot = <usize>load<u32>(at);
      store<u32>(at, <u32>slot + 1);
      store<u64>(toKeys + (slot << 3), key);
      store<u32>(toOrder + (slot << 2), load<u32>(order + (i << 2)));
    }
    store<u32>(context + KEYS, <u32>toKeys);
    store<u32>(context + KEYS_ALTERNATE, <u32>keys);
    store<u32>(context + ORDER, <u32>toOrder);
    store<u32>(context + ORDER_ALTERNATE, <u32>order);
  }
  const keys = <usize>load<u32>(context + KEYS);
  let homes: u32 = 0;
  for (let i: usize = 0; i < count; i++) {
    if (i == 0 || load<u64>(keys + (i << 3)) != load<u64>(keys + ((i - 1) << 3))) homes++;
  }
  store<u32>(context + HOME_COUNT, homes);
}

/** Makes the blocks that hold particles; one thread. */
export function makeHomeBlocks(begin: u32, end: u32, context: usize): void {
  const count = <usize>load<u32>(context + COUNT);
  const keys = <usize>load<u32>(context + KEYS);
  const homes = <usize>load<u32>(context + HOME);
  store<u32>(context + BLOCK_COUNT, 0);
  let block: usize = 0;
  for (let i: usize = 0; i < count; i++) {
    const key = load<u64>(keys + (i << 3));
    if (i == 0 || key != load<u64>(keys + ((i - 1) << 3))) {
      block = obtain(context, <i32>(key & 0x1fffff), <i32>((key >> 21) & 0x1fffff), <i32>(key >> 42));
      store<u32>(block + BLOCK_BEGIN, <u32>i);
    }
    store<u32>(homes + (i << 2), load<u32>(context + BLOCK_COUNT) - 1);
    store<u32>(block + BLOCK_END, <u32>i + 1);
  }
}

export function arrangeSurfaceParticles(begin: u32, end: u32, context: usize): void {
  const given = <usize>load<u32>(context + GIVEN);
  const order = <usize>load<u32>(context + ORDER);
  const xs = <usize>load<u32>(context + X);
  const ys = <usize>load<u32>(context + Y);
  const zs = <usize>load<u32>(context + Z);
  const liquids = <usize>load<u32>(context + LIQUID);
  const ranks = <usize>load<u32>(context + RANK);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const number = <usize>load<u32>(order + (i << 2));
    store<u32>(ranks + (number << 2), <u32>i);
    const position = v128.load(given + (number << 4));
    store<f32>(xs + (i << 2), x(position));
    store<f32>(ys + (i << 2), y(position));
    store<f32>(zs + (i << 2), z(position));
    store<f32>(liquids + (i << 2), w(position));
  }
}

/** Finds the blocks around each block. */
export function linkSurfaceBlocks(begin: u32, end: u32, context: usize): void {
  const blocks = <usize>load<u32>(context + BLOCKS);
  for (let b = <usize>begin; b < <usize>end; b++) {
    const block = blocks + b * BLOCK_STRIDE;
    const bx = load<i32>(block + BLOCK_X);
    const by = load<i32>(block + BLOCK_Y);
    const bz = load<i32>(block + BLOCK_Z);
    let at = block + BLOCK_AROUND;
    for (let k = bz - 1; k <= bz + 1; k++) {
      for (let j = by - 1; j <= by + 1; j++) {
        for (let i = bx - 1; i <= bx + 1; i++) {
          store<u32>(at, find(context, i, j, k));
          at += 4;
        }
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function part(coordinate: f32, corner: f32, scale: f32): i32 {
  return min(max(<i32>((coordinate - corner) * scale), 0), 2);
}

/** Which parts of a block have particles, and which blocks their kernels reach; on blocks with particles. */
export function measureSurfaceBlocks(begin: u32, end: u32, context: usize): void {
  const blocks = <usize>load<u32>(context + BLOCKS);
  const kernels = <usize>load<u32>(context + KERNELS);
  const xs = <usize>load<u32>(context + X);
  const ys = <usize>load<u32>(context + Y);
  const zs = <usize>load<u32>(context + Z);
  const side = blockSide(context);
  const cell = load<f32>(context + CELL);
  for (let b = <usize>begin; b < <usize>end; b++) {
    const block = blocks + b * BLOCK_STRIDE;
    const low = f32x4.mul(f32x4.convert_i32x4_s(v128.load(block + BLOCK_X)), f32x4.splat(side));
    const high = f32x4.add(low, f32x4.splat(side));
    const scale = <f32>3 / side;
    let parts: u32 = 0;
    let reached: u32 = 0;
    const last = <usize>load<u32>(block + BLOCK_END);
    for (let i = <usize>load<u32>(block + BLOCK_BEGIN); i < last; i++) {
      const px = part(load<f32>(xs + (i << 2)), x(low), scale);
      const py = part(load<f32>(ys + (i << 2)), y(low), scale);
      const pz = part(load<f32>(zs + (i << 2)), z(low), scale);
      parts |= 1 << ((pz * 3 + py) * 3 + px);
      const kernel = kernels + i * KERNEL_STRIDE;
      const centre = v128.load(kernel + KERNEL_CENTRE);
      const reach = v128.load(kernel + KERNEL_REACH);
      // The cells before the first node that a kernel reaches belong to it too.
      const before = <u32>i32x4.bitmask(f32x4.le(f32x4.sub(f32x4.sub(centre, reach), f32x4.splat(cell)), low));
      const after = <u32>i32x4.bitmask(f32x4.ge(f32x4.add(centre, reach), high));
      for (let k: u32 = 0; k < 3; k++) {
        if (!isReached(k, before >> 2, after >> 2)) continue;
        for (let j: u32 = 0; j < 3; j++) {
          if (!isReached(j, before >> 1, after >> 1)) continue;
          for (let n: u32 = 0; n < 3; n++) {
            if (isReached(n, before, after)) reached |= 1 << ((k * 3 + j) * 3 + n);
          }
        }
      }
    }
    store<u32>(block + BLOCK_PARTS, parts);
    store<u32>(block + BLOCK_REACHED, reached);
  }
}

// @ts-ignore: decorator
@inline
function isReached(step: u32, before: u32, after: u32): bool {
  return step == 1 || ((step == 0 ? before : after) & 1) != 0;
}

/** How many blocks there can be at the most, into BLOCK_COUNT; one thread. */
export function boundSurfaceBlocks(begin: u32, end: u32, context: usize): void {
  const blocks = <usize>load<u32>(context + BLOCKS);
  const homes = <usize>load<u32>(context + HOME_COUNT);
  let bound: u32 = 0;
  for (let b: usize = 0; b < homes; b++) {
    const block = blocks + b * BLOCK_STRIDE;
    let missing: u32 = 1;
    const reached = load<u32>(block + BLOCK_REACHED);
    for (let k: u32 = 0; k < 27; k++) {
      const around = load<u32>(block + BLOCK_AROUND + (<usize>k << 2));
      if (((reached >> k) & 1) != 0 && around == NONE) missing++;
    }
    bound += missing;
  }
  store<u32>(context + BLOCK_COUNT, bound);
}

/** Puts the blocks that hold particles into a new hash table and makes those that kernels reach; one thread. */
export function touchSurfaceBlocks(begin: u32, end: u32, context: usize): void {
  const blocks = <usize>load<u32>(context + BLOCKS);
  const homes = <usize>load<u32>(context + HOME_COUNT);
  store<u32>(context + BLOCK_COUNT, 0);
  for (let b: usize = 0; b < homes; b++) {
    const block = blocks + b * BLOCK_STRIDE;
    obtain(context, load<i32>(block + BLOCK_X), load<i32>(block + BLOCK_Y), load<i32>(block + BLOCK_Z));
  }
  for (let b: usize = 0; b < homes; b++) {
    const block = blocks + b * BLOCK_STRIDE;
    const reached = load<u32>(block + BLOCK_REACHED);
    for (let k: i32 = 0; k < 27; k++) {
      if (((reached >> k) & 1) == 0 || k == SELF) continue;
      // Reaching past the corner of the grid is not possible: there is a block of room.
      obtain(
        context, load<i32>(block + BLOCK_X) + (k % 3) - 1, load<i32>(block + BLOCK_Y) + ((k / 3) % 3) - 1,
        load<i32>(block + BLOCK_Z) + k / 9 - 1,
      );
    }
  }
}

/** Is a part of the blocks around one, from -1 to 3 along each axis, occupied? */
// @ts-ignore: decorator
@inline
function isOccupied(blocks: usize, block: usize, px: i32, py: i32, pz: i32): bool {
  const bx = px < 0 ? 0 : px > 2 ? 2 : 1;
  const by = py < 0 ? 0 : py > 2 ? 2 : 1;
  const bz = pz < 0 ? 0 : pz > 2 ? 2 : 1;
  const around = load<u32>(block + BLOCK_AROUND + (<usize>((bz * 3 + by) * 3 + bx) << 2));
  if (around == NONE) return false;
  const parts = load<u32>(blocks + <usize>around * BLOCK_STRIDE + BLOCK_PARTS);
  const bit = ((pz - 3 * (bz - 1)) * 3 + py - 3 * (by - 1)) * 3 + px - 3 * (bx - 1);
  return ((parts >> bit) & 1) != 0;
}

/**
 * Chooses the liquid whose surface is made, on blocks with particles: tells its kernels from those of others. Those of
 * liquids with lower numbers may count less, so that the surface lies a little within them.
 */
export function chooseSurfaceLiquid(begin: u32, end: u32, context: usize): void {
  const blocks = <usize>load<u32>(context + BLOCKS);
  const kernels = <usize>load<u32>(context + KERNELS);
  const liquids = <usize>load<u32>(context + LIQUID);
  const own = load<f32>(context + OWN);
  const yielding = load<f32>(context + YIELDING);
  for (let b = <usize>begin; b < <usize>end; b++) {
    const block = blocks + b * BLOCK_STRIDE;
    const last = <usize>load<u32>(block + BLOCK_END);
    let members: u32 = 0;
    for (let i = <usize>load<u32>(block + BLOCK_BEGIN); i < last; i++) {
      const liquid = load<f32>(liquids + (i << 2));
      members |= liquid == own ? OWN_ONES : OTHERS;
      const side: f32 = liquid == own ? 1 : liquid < own ? -yielding : -1;
      store<f32>(kernels + i * KERNEL_STRIDE + KERNEL_MIXED, side, 12);
    }
    store<u32>(block + BLOCK_MEMBERS, members);
  }
}

/** Whose particles are in a block and those around it. */
function membersAround(blocks: usize, block: usize): u32 {
  let members: u32 = 0;
  for (let k: usize = 0; k < 27; k++) {
    const around = load<u32>(block + BLOCK_AROUND + (k << 2));
    if (around != NONE) members |= load<u32>(blocks + <usize>around * BLOCK_STRIDE + BLOCK_MEMBERS);
  }
  return members;
}

/**
 * Blocks are well inside when all their parts are occupied, and those next to them, by one liquid; and well outside
 * when that liquid does not reach them, or when they are behind a wall.
 */
export function classifySurfaceBlocks(begin: u32, end: u32, context: usize): void {
  const blocks = <usize>load<u32>(context + BLOCKS);
  const shared = load<u32>(context + SHARED) != 0;
  for (let b = <usize>begin; b < <usize>end; b++) {
    const block = blocks + b * BLOCK_STRIDE;
    const side = sideOfWalls(cornerOf(block, context), context);
    if (shared) {
      const members = membersAround(blocks, block);
      const mixed = members == (OWN_ONES | OTHERS);
      store<u32>(block + BLOCK_MIXED, mixed ? 1 : 0);
      if (mixed || (members & OWN_ONES) == 0) {
        store<u32>(block + BLOCK_WHERE, mixed && side != BEHIND ? ANYWHERE : WELL_OUTSIDE);
        continue;
      }
    }
    if (side == BEHIND) {
      store<u32>(block + BLOCK_WHERE, WELL_OUTSIDE);
      continue;
    }
    let full = side == BEFORE && load<u32>(block + BLOCK_PARTS) == (1 << 27) - 1;
    for (let k = -1; full && k < 4; k++) {
      for (let j = -1; full && j < 4; j++) {
        for (let i = -1; full && i < 4; i++) full = isOccupied(blocks, block, i, j, k);
      }
    }
    store<u32>(block + BLOCK_WHERE, full ? WELL_INSIDE : ANYWHERE);
  }
}

/**
 * Lists the blocks that need nodes: those that may be anywhere, and others before them along some axis, whose
 * last cells have corners in both. One thread.
 */
export function listSurfaceBlocks(begin: u32, end: u32, context: usize): void {
  const blocks = <usize>load<u32>(context + BLOCKS);
  const stored = <usize>load<u32>(context + STORED);
  const count = <usize>load<u32>(context + BLOCK_COUNT);
  let n: u32 = 0;
  for (let b: usize = 0; b < count; b++) {
    const block = blocks + b * BLOCK_STRIDE;
    const where = load<u32>(block + BLOCK_WHERE);
    let needed = where == ANYWHERE;
    for (let k: usize = 1; !needed && k < 8; k++) {
      const around = load<u32>(block + BLOCK_AROUND + ((<usize>SELF + (k & 1) + 3 * ((k >> 1) & 1) + 9 * (k >> 2)) << 2));
      needed = around == NONE ? where == WELL_INSIDE : load<u32>(blocks + <usize>around * BLOCK_STRIDE + BLOCK_WHERE) != where;
    }
    store<u32>(block + BLOCK_STORED, needed ? n : NONE);
    if (needed) {
      store<u32>(stored + (<usize>n << 2), <u32>b);
      n++;
    }
  }
  store<u32>(context + STORED_COUNT, n);
}
