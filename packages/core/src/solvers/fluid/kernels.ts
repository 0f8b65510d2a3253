/**
 * Smoothing kernels as far as the set-up of a fluid needs them: three dimensions, support h, zero from
 * r = h on, of integral one. Products instead of powers, so that every engine gives the same bits.
 */
export interface RadialKernel {
  /** W(r) [1/m3]. */
  value(r: number, h: number): number;
  /** 1/r dW/dr [1/m5]: the gradient is this times x_i - x_j. */
  slopeOverR(r: number, h: number): number;
}

/** Constants that the passes' kernels (assembly/kernels/sph.ts) are given: they depend on the support only. */
export interface KernelNorms {
  /** Cubic spline: 8 / (pi h^3) [1/m3]. */
  readonly cubicSpline: number;
  /** Gradient and second derivative of the cubic spline: 8 / (pi h^5) [1/m5]. */
  readonly cubicSplineDerivative: number;
  /** Gradient of the spiky kernel and Laplacian of the viscosity kernel: 45 / (pi h^6) [1/m6]. */
  readonly spikyDerivative: number;
}

/** Of the support h [m]. */
export function kernelNorms(h: number): KernelNorms {
  const h2 = h * h;
  const h3 = h2 * h;
  return {
    cubicSpline: 8 / (Math.PI * h3),
    cubicSplineDerivative: 8 / (Math.PI * h3 * h2),
    spikyDerivative: 45 / (Math.PI * h3 * h3),
  };
}

/** Cubic spline of J. J. Monaghan and J. C. Lattanzio 1985, with q = r/h and knots at 1/2 and 1. */
export const cubicSpline: RadialKernel = {
  value(r, h) {
    const q = r / h;
    if (q >= 1) return 0;
    const p = 1 - q;
    return kernelNorms(h).cubicSpline * (q < 0.5 ? 1 - 6 * q * q * p : 2 * p * p * p);
  },
  slopeOverR(r, h) {
    const q = r / h;
    if (q >= 1) return 0;
    const p = 1 - q;
    return kernelNorms(h).cubicSplineDerivative * (q < 0.5 ? 18 * q - 12 : (-6 * p * p) / q);
  },
};

/** Spiky kernel, [K06] eq. 4.10: gradients. */
export const spiky: RadialKernel = {
  value(r, h) {
    const d = h - r;
    return d <= 0 ? 0 : (kernelNorms(h).spikyDerivative / 3) * d * d * d;
  },
  slopeOverR(r, h) {
    const d = h - r;
    return d <= 0 || r === 0 ? 0 : (-kernelNorms(h).spikyDerivative * d * d) / r;
  },
};
