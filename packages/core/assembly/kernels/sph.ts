/**
 * Smoothing kernels of SPH in three dimensions, zero from r = h on. Constants that depend on the support
 * only are given as `norm`: see KernelNorms in src/solvers/fluid/kernels.ts. A gradient is a factor of
 * x_i - x_j, so that no pair is divided by its distance where the kernel does not ask for it.
 */

/** Cubic spline, W(r); norm = 8 / (pi h^3). */
// @ts-ignore: decorator
@inline
export function cubicSpline(r: f32, inverseH: f32, norm: f32): f32 {
  const q = r * inverseH;
  const p = max<f32>(<f32>1 - q, 0);
  // 2 (1 - q)^3 - 8 (1/2 - q)^3 is 1 - 6 q^2 + 6 q^3: no branch.
  const s = max<f32>(<f32>0.5 - q, 0);
  return norm * (<f32>2 * p * p * p - <f32>8 * s * s * s);
}

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

/** Wendland C2, W(r); norm = 21 / (2 pi h^3). */
// @ts-ignore: decorator
@inline
export function wendland(r: f32, inverseH: f32, norm: f32): f32 {
  const q = r * inverseH;
  const p = max<f32>(<f32>1 - q, 0);
  const p2 = p * p;
  return norm * p2 * p2 * (<f32>1 + <f32>4 * q);
}

/** Wendland C2, 1/r dW/dr <= 0; norm = 210 / (pi h^5). */
// @ts-ignore: decorator
@inline
export function wendlandGradient(r: f32, inverseH: f32, norm: f32): f32 {
  const p = max<f32>(<f32>1 - r * inverseH, 0);
  return -norm * p * p * p;
}

/** Wendland C2, d2W/dr2; norm = 210 / (pi h^5). */
// @ts-ignore: decorator
@inline
export function wendlandCurvature(r: f32, inverseH: f32, norm: f32): f32 {
  const q = r * inverseH;
  const p = max<f32>(<f32>1 - q, 0);
  return norm * p * p * (<f32>4 * q - <f32>1);
}

/** Polynomial kernel of the squared distance, [K06] eq. 4.9; norm = 315 / (64 pi h^9). */
// @ts-ignore: decorator
@inline
export function poly6(r2: f32, h2: f32, norm: f32): f32 {
  const d = max<f32>(h2 - r2, 0);
  return norm * d * d * d;
}

/** Polynomial kernel, 1/r dW/dr <= 0; norm = 945 / (32 pi h^9). */
// @ts-ignore: decorator
@inline
export function poly6Gradient(r2: f32, h2: f32, norm: f32): f32 {
  const d = max<f32>(h2 - r2, 0);
  return -norm * d * d;
}

/** Spiky kernel, 1/r dW/dr <= 0, [K06] eq. 4.10, and 0 where particles coincide; norm = 45 / (pi h^6). */
// @ts-ignore: decorator
@inline
export function spikyGradient(r: f32, h: f32, norm: f32): f32 {
  const d = max<f32>(h - r, 0);
  return r > 0 ? (-norm * d * d) / r : 0;
}

/** Laplacian of the viscosity kernel; norm = 45 / (pi h^6). Departs from [K06] eq. 4.12, see REFERENCES.md. */
// @ts-ignore: decorator
@inline
export function viscosityLaplacian(r: f32, h: f32, norm: f32): f32 {
  return norm * max<f32>(h - r, 0);
}
