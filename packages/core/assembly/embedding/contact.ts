import { ELASTIC, SURFACE_POSITION, SURFACE_VELOCITY, VELOCITY } from '../../src/particles/layout';
import { POSITION, REMAINDER } from '../../src/particles/embedding-layout';
import { w } from '../math/simd';

/**
 * Places and velocities of all particles as the passes of contact/particles.ts read them, which do the rest: in the
 * place of rest positions they get those in embedded space, so parts of one body touch when they are far apart there.
 */
export function computeEmbeddedSurface(begin: u32, end: u32, context: usize): void {
  const places = <usize>load<u32>(context + SURFACE_POSITION);
  const speeds = <usize>load<u32>(context + SURFACE_VELOCITY);
  const positions = <usize>load<u32>(context + POSITION);
  const remainders = <usize>load<u32>(context + REMAINDER);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const elastic = <usize>load<u32>(context + ELASTIC);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const radius = w(v128.load(remainders + (i << 4)));
    // A cell of the material, pressed, as for other solids.
    const stiffness = <f32>4 * load<f32>(elastic + (i << 4), 4) * radius;
    v128.store(places + (i << 4), f32x4.replace_lane(v128.load(positions + (i << 4)), 3, radius));
    v128.store(speeds + (i << 4), f32x4.replace_lane(v128.load(velocities + (i << 4)), 3, stiffness));
  }
}
