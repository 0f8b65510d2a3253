import {
  ANYWHERE,
  BLOCK_AROUND,
  BLOCK_BEGIN,
  BLOCK_END,
  BLOCK_MIXED,
  BLOCK_STRIDE,
  BLOCK_WHERE,
  BLOCKS,
  CELL,
  KERNEL_CENTRE,
  KERNEL_DIAGONAL,
  KERNEL_MIXED,
  KERNEL_REACH,
  KERNEL_STRIDE,
  KERNELS,
  LEVEL,
  NODES,
  NONE,
  SIDE,
  STORED,
  WELL_INSIDE,
} from '../../src/particles/liquid-surface-layout';
import { vector, w, x, y, z } from '../math/simd';
import { cornerOf } from './blocks';
import { scratchOf } from './kernels';
import { cutAtWalls } from './walls';

/**
 * The liquid's colour: the sum of the kernels, h (1 - q)^3 with q the kernel's form, about 1 inside and 0
 * outside. Sums run in the order of the particles.
 *
 * Where liquids meet, a point belongs to the one with the strongest colour, and to one at all where all colours together
 * are above the level: the field is the lesser of that sum and of the level plus the lead of the own colour. So there
 * is neither gap nor overlap between their surfaces.
 */

/** Most particles in the blocks around one. */
export function mostSurfaceCandidates(context: usize, count: u32): u32 {
  const blocks = <usize>load<u32>(context + BLOCKS);
  let most: u32 = 0;
  for (let b: usize = 0; b < <usize>count; b++) {
    const block = blocks + b * BLOCK_STRIDE;
    let sum: u32 = 0;
    for (let k: usize = 0; k < 27; k++) {
      const around = load<u32>(block + BLOCK_AROUND + (k << 2));
      if (around == NONE) continue;
      const other = blocks + <usize>around * BLOCK_STRIDE;
      sum += load<u32>(other + BLOCK_END) - load<u32>(other + BLOCK_BEGIN);
    }
    most = max(most, sum);
  }
  return most;
}

/** Lists the particles whose kernels reach into a box; how many. With `wider`, those that only do so as wider kernels. */
export function listKernels(list: usize, block: usize, low: v128, high: v128, context: usize, wider: bool = false): usize {
  const blocks = <usize>load<u32>(context + BLOCKS);
  const kernels = <usize>load<u32>(context + KERNELS);
  let n: usize = 0;
  for (let k: usize = 0; k < 27; k++) {
    const around = load<u32>(block + BLOCK_AROUND + (k << 2));
    if (around == NONE) continue;
    const other = blocks + <usize>around * BLOCK_STRIDE;
    const end = <usize>load<u32>(other + BLOCK_END);
    for (let i = <usize>load<u32>(other + BLOCK_BEGIN); i < end; i++) {
      const kernel = kernels + i * KERNEL_STRIDE;
      const centre = v128.load(kernel + KERNEL_CENTRE);
      const reach = v128.load(kernel + KERNEL_REACH);
      const isNear = reaches(centre, reach, low, high);
      if (wider ? isNear || !reaches(centre, f32x4.mul(reach, f32x4.splat(<f32>1 / sqrt(w(reach)))), low, high) : !isNear) continue;
      store<u32>(list + (n << 2), <u32>i);
      n++;
    }
  }
  return n;
}

/** Does a box around a centre touch another one? */
// @ts-ignore: decorator
@inline
function reaches(centre: v128, reach: v128, low: v128, high: v128): bool {
  const apart = v128.or(f32x4.lt(f32x4.add(centre, reach), low), f32x4.gt(f32x4.sub(centre, reach), high));
  return (i32x4.bitmask(apart) & 7) == 0;
}

/** The field at the nodes of stored blocks. */
export function sampleSurfaceField(begin: u32, end: u32, context: usize): void {
  const stored = <usize>load<u32>(context + STORED);
  const blocks = <usize>load<u32>(context + BLOCKS);
  const kernels = <usize>load<u32>(context + KERNELS);
  const side = <usize>load<u32>(context + SIDE);
  const cell = load<f32>(context + CELL);
  const list = scratchOf(begin, context);
  const nodeBytes = (side * side * side) << 2;
  for (let s = <usize>begin; s < <usize>end; s++) {
    const block = blocks + <usize>load<u32>(stored + (s << 2)) * BLOCK_STRIDE;
    const nodes = <usize>load<u32>(context + NODES) + s * nodeBytes;
    const where = load<u32>(block + BLOCK_WHERE);
    if (where != ANYWHERE) {
      const value: f32 = where == WELL_INSIDE ? 1 : 0;
      for (let at = nodes; at < nodes + nodeBytes; at += 16) v128.store(at, f32x4.splat(value));
      continue;
    }
    const corner = cornerOf(block, context);
    const count = listKernels(list, block, corner, f32x4.add(corner, f32x4.splat(<f32>(side - 1) * cell)), context);
    for (let n: usize = 0; n < count; n++) {
      addKernel(kernels + <usize>load<u32>(list + (n << 2)) * KERNEL_STRIDE, 1, nodes, corner, side, cell);
    }
    if (load<u32>(block + BLOCK_MIXED) != 0) limitToLead(list, count, nodes, corner, context);
    cutAtWalls(nodes, corner, context);
  }
}

/** Where several liquids are, the field at nodes is at most the lead of the own. */
function limitToLead(list: usize, count: usize, nodes: usize, corner: v128, context: usize): void {
  const kernels = <usize>load<u32>(context + KERNELS);
  const side = <usize>load<u32>(context + SIDE);
  const cell = load<f32>(context + CELL);
  const nodeBytes = (side * side * side) << 2;
  const leads = (list + (count << 2) + 15) & ~15;
  memory.fill(leads, 0, nodeBytes);
  for (let n: usize = 0; n < count; n++) {
    const kernel = kernels + <usize>load<u32>(list + (n << 2)) * KERNEL_STRIDE;
    addKernel(kernel, w(v128.load(kernel + KERNEL_MIXED)), leads, corner, side, cell);
  }
  const level = f32x4.splat(load<f32>(context + LEVEL));
  for (let at: usize = 0; at < nodeBytes; at += 16) {
    v128.store(nodes + at, f32x4.min(v128.load(nodes + at), f32x4.add(level, v128.load(leads + at))));
  }
}

// @ts-ignore: decorator
@inline
function addKernel(kernel: usize, share: f32, nodes: usize, corner: v128, side: usize, cell: f32): void {
  const whole = v128.load(kernel + KERNEL_CENTRE);
  const centre = f32x4.sub(whole, corner);
  const reach = v128.load(kernel + KERNEL_REACH);
  const diagonal = v128.load(kernel + KERNEL_DIAGONAL);
  const mixed = v128.load(kernel + KERNEL_MIXED);
  const inverse = f32x4.splat(<f32>1 / cell);
  const first = i32x4.max_s(
    i32x4.trunc_sat_f32x4_s(f32x4.ceil(f32x4.mul(f32x4.sub(centre, reach), inverse))), i32x4.splat(0),
  );
  const last = i32x4.min_s(
    i32x4.trunc_sat_f32x4_s(f32x4.floor(f32x4.mul(f32x4.add(centre, reach), inverse))), i32x4.splat(<i32>side - 1),
  );
  const xx = f32x4.splat(x(diagonal));
  const height = f32x4.splat(share * w(whole));
  const steps = f32x4.mul(vector(0, 1, 2, 3), f32x4.splat(cell));
  const quadBegin = i32x4.extract_lane(first, 0) >> 2;
  const quadEnd = i32x4.extract_lane(last, 0) >> 2;
  for (let k = i32x4.extract_lane(first, 2); k <= i32x4.extract_lane(last, 2); k++) {
    const dz = <f32>k * cell - z(centre);
    for (let j = i32x4.extract_lane(first, 1); j <= i32x4.extract_lane(last, 1); j++) {
      const dy = <f32>j * cell - y(centre);
      const linear = f32x4.splat(<f32>2 * (z(mixed) * dy + y(mixed) * dz));
      const constant = f32x4.splat(<f32>1 - (y(diagonal) * dy * dy + z(diagonal) * dz * dz + <f32>2 * x(mixed) * dy * dz));
      const row = nodes + (((<usize>k * side + <usize>j) * side) << 2);
      for (let quad = quadBegin; quad <= quadEnd; quad++) {
        const dx = f32x4.add(f32x4.splat(<f32>(quad << 2) * cell - x(centre)), steps);
        const p = f32x4.max(f32x4.sub(constant, f32x4.mul(f32x4.add(f32x4.mul(xx, dx), linear), dx)), f32x4.splat(0));
        const at = row + (<usize>quad << 4);
        v128.store(at, f32x4.add(v128.load(at), f32x4.mul(height, f32x4.mul(p, f32x4.mul(p, p)))));
      }
    }
  }
}
