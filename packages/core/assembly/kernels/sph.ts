/**
 * Smoothing kernels of SPH in three dimensions, zero from r = h on. Constants that depend on the support
 * only are given as `norm`: see KernelNorms in src/solvers/fluid/kernels.ts. A gradient is a factor of
 * x_i - x_j, so that no pair is divided by its distance where the kernel does not ask for it.
 */

/** Cubic spline, 1/r dW/dr <= 0, finite at r = 0; norm = 8 / (pi h^5). */
// @ts-ignore: decorator
@inline
export function cubicSplineGradient(r: f32, inverseH: f32, norm: f32): f32 {
  const q = r * inverseH;
  const p = max<f32>(<f32>1 - q, 0);
  return norm * (q < <f32>0.5 ? <f32>18 * q - <f32>12 : (<f32>-6 * p * p) / q);
}

/** Cubic spline, d2W/dr2; norm = 8 / (pi h^5). */
// @ts-ignore: decorator
@inline
export function cubicSplineCurvature(r: f32, inverseH: f32, norm: f32): f32 {
  const q = r * inverseH;
  // 12 (1 - q) - 48 (1/2 - q) is 36 q - 12.
  return norm * (<f32>12 * max<f32>(<f32>1 - q, 0) - <f32>48 * max<f32>(<f32>0.5 - q, 0));
}

/** Laplacian of the viscosity kernel; norm = 45 / (pi h^6). Departs from [K06] eq. 4.12, see REFERENCES.md. */
// @ts-ignore: decorator
@inline
export function viscosityLaplacian(r: f32, h: f32, norm: f32): f32 {
  return norm * max<f32>(h - r, 0);
}
