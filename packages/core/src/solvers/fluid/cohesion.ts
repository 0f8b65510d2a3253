import * as layout from '../../particles/fluid-layout.js';
import { SUPPORT_RATIO } from './calibration.js';

/**
 * What the particles' distances make of R. H. Fowler's integral, which takes them to be anywhere: measured on
 * drops whose radius and tension were varied, see docs/validation.
 */
const STRUCTURE = 1;

/**
 * Strength A [N] of the attraction A c(r / h) that gives a liquid its surface tension [N/m]: with n particles
 * per volume the tension is pi/8 n^2 A integral of c(r / h) r^4 dr, and the integral of 64 q^3 (1 - q)^3 q^4
 * is 8/165.
 */
export function attractionStrength(tension: number, spacing: number): number {
  const h = SUPPORT_RATIO * spacing;
  const n = 1 / (spacing * spacing * spacing);
  return tension / (STRUCTURE * (Math.PI / 8) * n * n * h * h * h * h * h * (8 / 165));
}

/**
 * Pull of a half-space full of particles over A, at distances from 0 to h: n times the integral of c along the
 * normal. On a sphere of radius r equal steps of height have equal areas, so it is
 * 2 pi n integral of r c(r/h) (integral of z/r dz from d to r) dr = pi n integral of c(r/h) (r^2 - d^2) dr.
 */
export function halfSpaceAttraction(spacing: number): Float32Array {
  const h = SUPPORT_RATIO * spacing;
  const n = 1 / (spacing * spacing * spacing);
  const cells = layout.HALF_SPACE_ENTRIES - 1;
  const steps = 200;
  return Float32Array.from({ length: cells + 1 }, (_, k) => {
    const d = (k / cells) * h;
    let sum = 0;
    for (let s = 0; s < steps; s++) {
      const r = d + ((s + 0.5) / steps) * (h - d);
      const p = (r / h) * (1 - r / h);
      sum += 64 * p * p * p * (r * r - d * d);
    }
    return Math.PI * n * sum * ((h - d) / steps);
  });
}
