/**
 * What viscosity and small eddies make of four pairs, see viscosity.ts: by what to multiply their g_ij.
 */

/** 10 over 0.78, what softening and the few neighbours leave of the integral in layers that slide. */
export const FACTOR: f32 = 12.8;
export const SOFTENING: f32 = 0.01;
/** Differences of velocity count in eddies up to this many spacings per step, so that they damp and do not overshoot. */
export const EDDY_PATH: f32 = 0.15;

/** Harmonic means of viscosities, one of which is not zero. */
// @ts-ignore: decorator
@inline
export function harmonicMeans(a: v128, b: v128): v128 {
  const product = f32x4.mul(a, b);
  return f32x4.div(f32x4.add(product, product), f32x4.add(a, b));
}

/**
 * From v_ij . x_ij, |x_ij|^2 softened, the sum of both over their masses, and a viscosity for each pair; the eddies have
 * the harmonic mean of the densities.
 */
// @ts-ignore: decorator
@inline
export function viscousScales(along: v128, r2: v128, perMasses: v128, viscosities: v128, eddies: v128, fastest: v128): v128 {
  const approach = f32x4.div(along, r2);
  const speed = f32x4.pmin(f32x4.mul(f32x4.abs(approach), f32x4.sqrt(r2)), fastest);
  const eddy = f32x4.mul(f32x4.div(eddies, perMasses), speed);
  return f32x4.mul(f32x4.add(eddy, viscosities), approach);
}
