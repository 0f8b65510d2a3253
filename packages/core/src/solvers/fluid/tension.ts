import * as layout from '../../particles/fluid-layout.js';
import { SUPPORT_RATIO } from './calibration.js';
import { cubicSpline } from './kernels.js';

/**
 * T and A, over those of a lattice and of a continuum that would give the tension alone: the rest is due to how particles
 * stand at a surface. Measured by the period of drops that swing and the pressure in drops at rest, of radii of 3 to 12
 * spacings, and A by how steep drops stand on walls.
 */
const SURFACE = 0.3;
const ATTRACTION = 0.76;

/**
 * T [N/m] of the surface energy for a liquid's tension [N/m]: that over the energy per area of a flat surface of a
 * cubic lattice, in whose layers C is what the layers that are missing would have had.
 */
export function surfaceConstant(tension: number, volume: number, spacing: number): number {
  const h = SUPPORT_RATIO * spacing;
  const layers = Math.ceil(SUPPORT_RATIO);
  const faint = layout.FAINT / h;
  let energy = 0;
  for (let depth = 0; depth < layers; depth++) {
    let missing = 0;
    for (let k = depth + 1; k <= layers; k++) {
      for (let x = -layers; x <= layers; x++) {
        for (let y = -layers; y <= layers; y++) {
          const r = spacing * Math.sqrt(x * x + y * y + k * k);
          missing += volume * cubicSpline.slopeOverR(r, h) * k * spacing;
        }
      }
    }
    energy += spacing * (Math.sqrt(missing * missing + faint * faint) - faint);
  }
  return (SURFACE * tension) / energy;
}

/**
 * Strength A [N] of the attraction A c(r / h): ATTRACTION of that with which it would take twice the tension [N/m] per
 * area to part what attracts so throughout, R. H. Fowler's pi/8 n^2 A integral of c(r / h) r^4 dr for n particles per volume, and the
 * integral of 64 q^3 (1 - q)^3 q^4 is 8/165.
 */
export function attractionStrength(tension: number, spacing: number): number {
  const h = SUPPORT_RATIO * spacing;
  const n = 1 / (spacing * spacing * spacing);
  return (ATTRACTION * tension) / ((Math.PI / 8) * n * n * h * h * h * h * h * (8 / 165));
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
