/**
 * Smoothing kernels of SPH in three dimensions, with support h: zero from r = h on, and of integral one.
 * The gradient with respect to the position x of a particle, x = x_i - x_j and r = |x|, is slope x / r; the
 * Hessian is slope / r I + (curvature - slope / r) x x^T / r^2.
 */
export interface Kernel {
  /** W(r) [1/m3]. */
  value(r: number, h: number): number;
  /** dW/dr [1/m4]. */
  slope(r: number, h: number): number;
  /** d2W/dr2 [1/m5]. */
  curvature(r: number, h: number): number;
  /** 1/r dW/dr [1/m5]: the gradient is this times x. Kernels with a cusp at the centre have 0 there. */
  slopeOverR(r: number, h: number): number;
}

/** Cubic spline, J. J. Monaghan and J. C. Lattanzio 1985, with half of their support per knot: q = r/h, knots at 1/2 and 1. */
export const cubicSpline: Kernel = {
  value(r, h) {
    const q = r / h;
    const norm = 8 / (Math.PI * h ** 3);
    if (q >= 1) return 0;
    return norm * (q < 0.5 ? 1 - 6 * q * q * (1 - q) : 2 * (1 - q) ** 3);
  },
  slope(r, h) {
    return cubicSpline.slopeOverR(r, h) * r;
  },
  curvature(r, h) {
    const q = r / h;
    const norm = 8 / (Math.PI * h ** 5);
    if (q >= 1) return 0;
    return norm * (q < 0.5 ? 36 * q - 12 : 12 * (1 - q));
  },
  slopeOverR(r, h) {
    const q = r / h;
    const norm = 8 / (Math.PI * h ** 5);
    if (q >= 1) return 0;
    return norm * (q < 0.5 ? 18 * q - 12 : (-6 * (1 - q) ** 2) / q);
  },
};

/** Polynomial kernel, [K06] eq. 4.9, [M04] eq. 9. */
export const poly6: Kernel = {
  value(r, h) {
    return r < h ? (315 / (64 * Math.PI * h ** 9)) * (h * h - r * r) ** 3 : 0;
  },
  slope(r, h) {
    return poly6.slopeOverR(r, h) * r;
  },
  curvature(r, h) {
    return r < h ? (-945 / (32 * Math.PI * h ** 9)) * (h * h - r * r) * (h * h - 5 * r * r) : 0;
  },
  slopeOverR(r, h) {
    return r < h ? (-945 / (32 * Math.PI * h ** 9)) * (h * h - r * r) ** 2 : 0;
  },
};

/** Spiky kernel, [K06] eq. 4.10: its gradient does not vanish at the centre. */
export const spiky: Kernel = {
  value(r, h) {
    return r < h ? (15 / (Math.PI * h ** 6)) * (h - r) ** 3 : 0;
  },
  slope(r, h) {
    return r < h ? (-45 / (Math.PI * h ** 6)) * (h - r) ** 2 : 0;
  },
  curvature(r, h) {
    return r < h ? (90 / (Math.PI * h ** 6)) * (h - r) : 0;
  },
  slopeOverR(r, h) {
    return r > 0 ? spiky.slope(r, h) / r : 0;
  },
};

/**
 * Viscosity kernel. Departs from [K06] eq. 4.11: the third term is h/(2r), not r/(2h). The value is
 * infinite at the centre, and its integral is one all the same.
 */
export const viscosityKernel: Kernel = {
  value(r, h) {
    const q = r / h;
    return q < 1 ? (15 / (2 * Math.PI * h ** 3)) * (-0.5 * q ** 3 + q * q + 0.5 / q - 1) : 0;
  },
  slope(r, h) {
    const q = r / h;
    return q < 1 ? (15 / (2 * Math.PI * h ** 4)) * (-1.5 * q * q + 2 * q - 0.5 / (q * q)) : 0;
  },
  curvature(r, h) {
    const q = r / h;
    return q < 1 ? (15 / (2 * Math.PI * h ** 5)) * (-3 * q + 2 + 1 / q ** 3) : 0;
  },
  slopeOverR(r, h) {
    return r > 0 ? viscosityKernel.slope(r, h) / r : 0;
  },
};

/** Laplacian of the viscosity kernel [1/m5]. Departs from [K06] eq. 4.12, which is a second derivative in one dimension. */
export function viscosityLaplacian(r: number, h: number): number {
  return r < h ? (45 / (Math.PI * h ** 6)) * (h - r) : 0;
}

/** C2 kernel of H. Wendland 1995. */
export const wendland: Kernel = {
  value(r, h) {
    const q = r / h;
    return q < 1 ? (21 / (2 * Math.PI * h ** 3)) * (1 - q) ** 4 * (1 + 4 * q) : 0;
  },
  slope(r, h) {
    return wendland.slopeOverR(r, h) * r;
  },
  curvature(r, h) {
    const q = r / h;
    return q < 1 ? (21 / (2 * Math.PI * h ** 5)) * -20 * (1 - q) ** 2 * (1 - 4 * q) : 0;
  },
  slopeOverR(r, h) {
    const q = r / h;
    return q < 1 ? (21 / (2 * Math.PI * h ** 5)) * -20 * (1 - q) ** 3 : 0;
  },
};
