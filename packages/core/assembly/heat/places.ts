import {
  ABSENT,
  BLOCK_SUMS,
  IN_LIQUID,
  LIQUID_CONTEXT,
  NETWORK,
  POSITIONS_AT_SEARCH,
  POSITION,
  SOLID_CONTEXT,
  SOLID_COUNT,
  SUMS,
} from '../../src/particles/heat-layout';
import { BLOCK, BODIES, BODY_FRAME, BODY_OF, BODY_STRIDE, DISPLACEMENT, REST } from '../../src/particles/layout';
import { ID, POSITION as LIQUID_POSITION } from '../../src/particles/fluid-layout';
import { dot, matrixTimes, vector, w } from '../math/simd';

/** World positions of the particles of bodies; the first sum of a block is how far any has moved, squared [m2]. */
export function placeHeatSolids(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLID_CONTEXT);
  const rest = <usize>load<u32>(solids + REST);
  const displacements = <usize>load<u32>(solids + DISPLACEMENT);
  const bodyOf = <usize>load<u32>(solids + BODY_OF);
  const bodies = <usize>load<u32>(solids + BODIES);
  const positions = <usize>load<u32>(context + POSITION);
  const placed = <usize>load<u32>(context + POSITIONS_AT_SEARCH);
  const sums = <usize>load<u32>(context + BLOCK_SUMS);
  for (let first = <usize>begin; first < <usize>end; first += BLOCK) {
    const last = min(first + BLOCK, <usize>end);
    let farthest: f32 = 0;
    for (let i = first; i < last; i++) {
      const frame = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE + BODY_FRAME;
      const r0 = v128.load(frame);
      const r1 = v128.load(frame, 16);
      const r2 = v128.load(frame, 32);
      const local = f32x4.add(v128.load(rest + (i << 4)), v128.load(displacements + (i << 4)));
      const position = f32x4.add(matrixTimes(r0, r1, r2, local), vector(w(r0), w(r1), w(r2), 0));
      const at = positions + (i << 4);
      v128.store(at, f32x4.replace_lane(position, 3, load<f32>(at, 12)));
      const displacement = f32x4.sub(position, v128.load(placed + (i << 4)));
      const moved = dot(displacement, displacement);
      // Also true for what is not a number.
      if (!(moved <= farthest)) farthest = moved;
    }
    store<f64>(sums + (first / BLOCK) * (SUMS << 3), <f64>farthest);
  }
}

/** Takes all liquid particles out; those that are there come back. On the positions of liquids. */
export function clearHeatLiquids(begin: u32, end: u32, context: usize): void {
  const first = <usize>load<u32>(context + SOLID_COUNT);
  const networks = <usize>load<u32>(context + NETWORK);
  const positions = <usize>load<u32>(context + POSITION);
  for (let k = first + <usize>begin; k < first + <usize>end; k++) {
    store<u32>(networks + (k << 2), ABSENT);
    const at = positions + (k << 4);
    // Out of everybody's way.
    v128.store(at, f32x4.replace_lane(f32x4.splat(1e30), 3, load<f32>(at, 12)));
  }
}

/** World positions of liquid particles. On the liquid particles in their present order. */
export function placeHeatLiquids(begin: u32, end: u32, context: usize): void {
  const liquids = <usize>load<u32>(context + LIQUID_CONTEXT);
  const first = <usize>load<u32>(context + SOLID_COUNT);
  const ids = <usize>load<u32>(liquids + ID);
  const from = <usize>load<u32>(liquids + LIQUID_POSITION);
  const networks = <usize>load<u32>(context + NETWORK);
  const positions = <usize>load<u32>(context + POSITION);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const k = first + <usize>load<u32>(ids + (i << 2));
    const at = positions + (k << 4);
    v128.store(at, f32x4.replace_lane(v128.load(from + (i << 4)), 3, load<f32>(at, 12)));
    store<u32>(networks + (k << 2), IN_LIQUID);
  }
}
