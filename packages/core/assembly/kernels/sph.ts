/**
 * Smoothing kernels of SPH in three dimensions, zero from r = h on. Constants that depend on the support
 * only are given as `norm`: see KernelNorms in src/solvers/fluid/kernels.ts. A gradient is a factor of
 * x_i - x_j, so that no pair is divided by its distance where the kernel does not ask for it.
 */

/** C2 kernel of Wendland, 1/r dW/dr <= 0; norm = 21 / (2 pi h^5). */
// @ts-ignore: decorator
@inline
export function wendlandGradient(r: f32, inverseH: f32, norm: f32): f32 {
  const p = max<f32>(<f32>1 - r * inverseH, 0);
  return <f32>-20 * norm * p * p * p;
}

/** C2 kernel of Wendland, d2W/dr2; norm = 21 / (2 pi h^5). */
// @ts-ignore: decorator
@inline
export function wendlandCurvature(r: f32, inverseH: f32, norm: f32): f32 {
  const p = max<f32>(<f32>1 - r * inverseH, 0);
  return <f32>20 * norm * p * p * (<f32>3 - <f32>4 * p);
}

/** Laplacian of the viscosity kernel; norm = 45 / (pi h^6). Departs from [K06] eq. 4.12, see REFERENCES.md. */
// @ts-ignore: decorator
@inline
export function viscosityLaplacian(r: f32, h: f32, norm: f32): f32 {
  return norm * max<f32>(h - r, 0);
}
