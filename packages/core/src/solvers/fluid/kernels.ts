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
  /** C2 kernel of Wendland: 21 / (2 pi h^3) [1/m3]. */
  readonly wendland: number;
  /** Its gradient and second derivative: 21 / (2 pi h^5) [1/m5]. */
  readonly wendlandDerivative: number;
  /** Gradient of the spiky kernel and Laplacian of the viscosity kernel: 45 / (pi h^6) [1/m6]. */
  readonly spikyDerivative: number;
}

/** Of the support h [m]. */
export function kernelNorms(h: number): KernelNorms {
  const h2 = h * h;
  const h3 = h2 * h;
  return {
    wendland: 21 / (2 * Math.PI * h3),
    wendlandDerivative: 21 / (2 * Math.PI * h3 * h2),
    spikyDerivative: 45 / (Math.PI * h3 * h3),
  };
}

/**
 * C2 kernel of H. Wendland 1995. Its Fourier transform is positive, so that particles do not pair (W. Dehnen and
 * H. Aly 2012): that of the cubic spline is negative where neighbours are, and water in which its particles have paired
 * up is 1.2 % too dense.
 */
export const wendland: RadialKernel = {
  value(r, h) {
    const p = 1 - r / h;
    return p > 0 ? kernelNorms(h).wendland * p * p * p * p * (5 - 4 * p) : 0;
  },
  slopeOverR(r, h) {
    const p = 1 - r / h;
    return p > 0 ? -20 * kernelNorms(h).wendlandDerivative * p * p * p : 0;
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
