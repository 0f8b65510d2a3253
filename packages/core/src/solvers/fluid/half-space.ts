import type { RadialKernel } from './kernels.js';

/** Nodes and weights of Gauss and Legendre's rule with eight points on [-1, 1], the positive half. */
const NODES = [0.1834346424956498, 0.525532409916329, 0.7966664774136267, 0.9602898564975363];
const WEIGHTS = [0.362683783378362, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763];

/** Longest piece for one application of the rule [1/h]: the integrands have poles 0.1 h off the axis. */
const PIECE = 1 / 16;

/** Keeps the viscous operator finite where particles meet, as a share of h^2 [1]. */
const SOFTENING = 0.01;

/** 2 (dimensions + 2), Monaghan's viscous operator. */
const VISCOUS_FACTOR = 10;

export interface HalfSpaceTables {
  /** Entry k belongs to the distance d = (2 k / cells - 1) h; there are cells + 1. */
  readonly cells: number;
  /** lambda: the share of the kernel within the wall [1]. It falls from 1 at d = -h to 0 at d = h. */
  readonly share: Float32Array;
  /** d lambda / dd <= 0 [1/m]; the gradient of the share is this times the wall's outward normal. */
  readonly slope: Float32Array;
  /** T >= 0 [1/m2]: see tabulateHalfSpace. */
  readonly tangential: Float32Array;
  /** N >= 0 [1/m2]. */
  readonly normal: Float32Array;
}

/**
 * What a wall that fills a half-space does to a fluid particle at the signed distance d of its plane
 * (negative: the particle is in the wall), with the wall as a continuum instead of boundary particles:
 * sum_b V_b becomes an integral, and an infinite plane needs no particles.
 *
 * Viscous force: F_i = V_i mu integral 10 (v_ib . x_ib) / (x_ib^2 + 0.01 h^2) grad W_ib dV_b over the wall,
 * Monaghan's operator. The fluid in the wall continues the profile that is v_w at the plane:
 * v_b = v_w - (v_i - v_w) depth / d, so that v_ib = beta (v_i - v_w), beta = min(`velocityCap`, 1 + depth / d),
 * J. P. Morris, P. J. Fox, Y. Zhu 1997 (their cap is 1.5); beta is the cap for d <= 0. With u = v_i - v_w,
 * F_i = -V_i mu (T u_t + N u_n): u_n the part of u along the normal, u_t the rest, so that both parts resist.
 *
 * Linear interpolation between the entries of 128 cells errs by less than 3e-4 of the greatest entry, and by
 * 7e-4 / h for the slope. The cap must be finite: without one the force grows without bound at the plane.
 */
export function tabulateHalfSpace(
  kernel: RadialKernel,
  support: number,
  cells = 128,
  velocityCap = 1.5,
): HalfSpaceTables {
  const entries = Array.from({ length: cells + 1 }, (_, k) =>
    integrateHalfSpace(kernel, support, ((2 * k) / cells - 1) * support, velocityCap),
  );
  return {
    cells,
    share: Float32Array.from(entries, (e) => e.share),
    slope: Float32Array.from(entries, (e) => e.slope),
    tangential: Float32Array.from(entries, (e) => e.tangential),
    normal: Float32Array.from(entries, (e) => e.normal),
  };
}

/** The entries of the tables at one distance d [m]. */
export interface HalfSpaceIntegrals {
  readonly share: number;
  readonly slope: number;
  readonly tangential: number;
  readonly normal: number;
}

/**
 * The integrals at one distance, in double precision. Let z be how far a point of the wall is from the
 * particle along the normal. On the sphere of radius r equal steps of z have equal areas (Archimedes), so
 * the integral of f(r) g(z) over the wall is 2 pi integral of r f(r) G(r) dr, G = integral of g(z) from
 * max(d, -r) to r. G is a polynomial; the integral over r is done by Gauss's rule between its kinks.
 */
export function integrateHalfSpace(
  kernel: RadialKernel,
  support: number,
  distance: number,
  velocityCap = 1.5,
): HalfSpaceIntegrals {
  const h = support;
  const d = Math.min(Math.max(distance, -h), h);
  // Where beta = z / d reaches its cap.
  const capped = d > 0 ? Math.min(velocityCap * d, h) : d;
  let share = 0;
  let slope = 0;
  let tangential = 0;
  let normal = 0;
  forEachPoint(h, [Math.abs(d), capped], (r, weight) => {
    const shell = 2 * Math.PI * r * weight;
    if (r > Math.abs(d)) slope -= shell * kernel.value(r, h);
    if (r <= d) return;
    const from = Math.max(d, -r);
    share += shell * kernel.value(r, h) * (r - from);
    // Integrals of beta and beta z^2 over z.
    const middle = Math.max(Math.min(capped, r), from);
    let beta = 0;
    let betaZ2 = 0;
    if (d > 0) {
      beta = (middle * middle - from * from) / (2 * d);
      betaZ2 = (middle * middle * middle * middle - from * from * from * from) / (4 * d);
    }
    if (r > middle) {
      beta += velocityCap * (r - middle);
      betaZ2 += (velocityCap * (r * r * r - middle * middle * middle)) / 3;
    }
    // 10 x x^T / (r^2 + 0.01 h^2) dW/dr / r: along the normal x^2 is z^2, across it (r^2 - z^2) / 2 on average.
    const operator = (shell * VISCOUS_FACTOR * kernel.slopeOverR(r, h)) / (r * r + SOFTENING * h * h);
    tangential -= operator * 0.5 * (r * r * beta - betaZ2);
    normal -= operator * betaZ2;
  });
  return { share, slope, tangential, normal };
}

/** Points and weights of an integral from 0 to h, in pieces that end at h/2 (knot of the spline) and at `kinks`. */
function forEachPoint(h: number, kinks: readonly number[], visit: (r: number, weight: number) => void): void {
  const ends = [0, h / 2, h, ...kinks.filter((k) => k > 0 && k < h)].sort((a, b) => a - b);
  for (let e = 0; e + 1 < ends.length; e++) {
    const length = ends[e + 1]! - ends[e]!;
    const pieces = Math.ceil(length / (PIECE * h));
    for (let p = 0; p < pieces; p++) {
      const half = (0.5 * length) / pieces;
      const middle = ends[e]! + (2 * p + 1) * half;
      for (let k = 0; k < NODES.length; k++) {
        visit(middle - half * NODES[k]!, half * WEIGHTS[k]!);
        visit(middle + half * NODES[k]!, half * WEIGHTS[k]!);
      }
    }
  }
}
