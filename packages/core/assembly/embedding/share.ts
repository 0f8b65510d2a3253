import {
  BODIES,
  BODY_BEGIN,
  BODY_FRAME,
  BODY_OF,
  BODY_STRIDE,
  DISPLACEMENT,
  ELASTIC,
  GRADIENT_SUM,
  REST,
  VELOCITY,
} from '../../src/particles/layout';
import { EMBEDDED, ID, POSITION, REMAINDER, SOLID_CONTEXT } from '../../src/particles/embedding-layout';
import { vector, w } from '../math/simd';

/**
 * Puts every particle into its slot among the solids, where contact, liquids, heat and readings see it: the rest position
 * is that in embedded space, so that parts of a body are far apart when they are far apart there; the body's frame
 * stands still.
 */
export function shareEmbedded(begin: u32, end: u32, context: usize): void {
  const solids = <usize>load<u32>(context + SOLID_CONTEXT);
  const positions = <usize>load<u32>(context + POSITION);
  const remainders = <usize>load<u32>(context + REMAINDER);
  const embedded = <usize>load<u32>(context + EMBEDDED);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const ids = <usize>load<u32>(context + ID);
  const rest = <usize>load<u32>(solids + REST);
  const displacements = <usize>load<u32>(solids + DISPLACEMENT);
  const sharedVelocities = <usize>load<u32>(solids + VELOCITY);
  const sharedElastic = <usize>load<u32>(solids + ELASTIC);
  const sums = <usize>load<u32>(solids + GRADIENT_SUM);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const slot = <usize>(load<u32>(body + BODY_BEGIN) + load<u32>(ids + (i << 2))) << 4;
    const origin = vector(load<f32>(body + BODY_FRAME, 12), load<f32>(body + BODY_FRAME, 28), load<f32>(body + BODY_FRAME, 44), 0);
    const position = v128.load(positions + (i << 4));
    const remainder = v128.load(remainders + (i << 4));
    const m = v128.load(embedded + (i << 4));
    const u = f32x4.add(f32x4.sub(f32x4.sub(position, origin), m), remainder);
    v128.store(rest + slot, f32x4.replace_lane(m, 3, w(remainder)));
    v128.store(displacements + slot, f32x4.replace_lane(u, 3, 0));
    v128.store(sharedVelocities + slot, v128.load(velocities + (i << 4)));
    v128.store(sharedElastic + slot, v128.load(elastic + (i << 4)));
    store<f32>(sums + slot, w(position), 12);
  }
}
