import { AXES, CENTERS, FACING, RECTANGLES, REST_AXES } from '../../src/particles/surfel-layout';
import { POINT_GRADIENTS } from '../../src/particles/carry-layout';
import { addMul, cross, dot, splatX, splatY, splatZ } from '../math/simd';

/**
 * Axes and normals of surfels by the gradients at their centres, and how far their cells reach: for discs the root of
 * the largest eigenvalue of the first fundamental form, [K06] eq. 5.29, for rectangles the longer axis.
 * Departs from [K06] 5.5.1 in that the gradient at the centre moves the axes, not the field at their ends: the same
 * for linear fields, and a third of the work.
 */
export function orientSurfels(begin: u32, end: u32, context: usize): void {
  const gradients = <usize>load<u32>(<usize>load<u32>(context + CENTERS) + POINT_GRADIENTS);
  const rest = <usize>load<u32>(context + REST_AXES);
  const axes = <usize>load<u32>(context + AXES);
  const facing = <usize>load<u32>(context + FACING);
  const rectangles = load<u32>(context + RECTANGLES) != 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = gradients + 48 * i;
    const c0 = v128.load(at);
    const c1 = v128.load(at, 16);
    const c2 = v128.load(at, 32);
    const m1 = v128.load(rest + (i << 5));
    const m2 = v128.load(rest + (i << 5), 16);
    const t1 = addMul(addMul(f32x4.mul(c0, splatX(m1)), c1, splatY(m1)), c2, splatZ(m1));
    const t2 = addMul(addMul(f32x4.mul(c0, splatX(m2)), c1, splatY(m2)), c2, splatZ(m2));
    v128.store(axes + (i << 5), t1);
    v128.store(axes + (i << 5), t2, 16);
    const e = dot(t1, t1);
    const f = dot(t1, t2);
    const g = dot(t2, t2);
    const half = <f32>0.5 * (e - g);
    const reach = rectangles ? max(e, g) : <f32>0.5 * (e + g) + sqrt(half * half + f * f);
    const n = cross(t1, t2);
    const square = dot(n, n);
    const scale: f32 = square > 0 ? <f32>1 / sqrt(square) : 0;
    v128.store(facing + (i << 4), f32x4.replace_lane(f32x4.mul(n, f32x4.splat(scale)), 3, reach));
  }
}
