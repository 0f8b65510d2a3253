/** How much light surfaces reflect. */
import type { Ray, Surface } from './surface.js';

/** Reflectance of a coat, or of glass in air, seen straight on. */
const COAT = 0.04;

/** Reflectance of a coat. */
export function schlick(cosine: number): number {
  const c = 1 - cosine;
  const c2 = c * c;
  return COAT + (1 - COAT) * c2 * c2 * c;
}

/** Reflectance of a boundary between media of two indices, about: whichever side the light comes from. */
export function boundary(cosine: number, index: number, other: number): number {
  const straight = ((index - other) / (index + other)) ** 2;
  const c = 1 - cosine;
  const c2 = c * c;
  // Towards grazing angles everything is reflected, but by media that do not differ.
  return straight + (index === other ? 0 : (1 - straight) * c2 * c2 * c);
}

/** Reflectance of a boundary between media; eta is the index on this side over the one beyond. */
export function fresnel(cosine: number, inner: number, eta: number): number {
  const s = (eta * cosine - inner) / (eta * cosine + inner);
  const p = (cosine - eta * inner) / (cosine + eta * inner);
  return (s * s + p * p) / 2;
}

/** Reflectance of the coat for light from l, times pi: microfacets of Trowbridge and Reitz. */
export function gloss(
  roughness: number,
  ray: Ray,
  at: Surface,
  lx: number,
  ly: number,
  lz: number,
  facing: number,
): number {
  const hx = lx - ray.dx;
  const hy = ly - ray.dy;
  const hz = lz - ray.dz;
  const length = Math.sqrt(hx * hx + hy * hy + hz * hz);
  const nh = (hx * at.nx + hy * at.ny + hz * at.nz) / length;
  const lh = (hx * lx + hy * ly + hz * lz) / length;
  const seen = -(ray.dx * at.nx + ray.dy * at.ny + ray.dz * at.nz);
  const a2 = roughness ** 4;
  const d = nh * nh * (a2 - 1) + 1;
  const both = facing * Math.sqrt(a2 + (1 - a2) * seen * seen) + seen * Math.sqrt(a2 + (1 - a2) * facing * facing);
  return (schlick(lh) * a2) / (d * d) / (2 * both);
}

/** Two unit vectors across a third one. */
export function tangents(
  x: number,
  y: number,
  z: number,
): readonly [readonly [number, number, number], readonly [number, number, number]] {
  const sign = z < 0 ? -1 : 1;
  const a = -1 / (sign + z);
  const b = x * y * a;
  return [
    [1 + sign * x * x * a, sign * b, -sign * x],
    [b, sign + y * y * a, -y],
  ];
}
