import * as layout from '../../particles/fluid-layout.js';
import { integrateHalfSpace } from './half-space.js';
import type { RadialKernel } from './kernels.js';

/** Support of the kernels, in spacings. */
export const SUPPORT_RATIO = 2;

/** Halvings in the search for the shift of walls. */
const BISECTIONS = 40;

/** What the sums of a kernel over a cubic lattice make of its integrals. */
export interface Calibration {
  /** Particle volume that makes the density of the lattice one [m3]. */
  readonly volume: number;
  /** Share of the density that all layers below the first have in it [1]. */
  readonly below: number;
  /** Rows of the half-space table that the passes read, see fluid-layout.ts. */
  readonly halfSpace: Float32Array;
  /** Energy per area of a flat surface over kappa of the surface energy, on the lattice [1/m]. */
  readonly surfaceEnergy: number;
  /** Volume per area of one layer of boundary particles that holds liquid half a spacing off [m]. */
  readonly depth: number;
}

/**
 * A continuous wall is too dense for particles that stand in layers (3.8 % at half a spacing), so walls
 * are moved back until the first layer has the density of the lattice: liquid fills space up to the wall.
 */
export function calibrate(kernel: RadialKernel, spacing: number): Calibration {
  const h = SUPPORT_RATIO * spacing;
  const layers = Math.ceil(SUPPORT_RATIO);
  const layerSum = (k: number) => {
    let sum = 0;
    for (let x = -layers; x <= layers; x++) {
      for (let y = -layers; y <= layers; y++) sum += kernel.value(spacing * Math.sqrt(x * x + y * y + k * k), h);
    }
    return sum;
  };
  let lower = 0;
  for (let k = 1; k <= layers; k++) lower += layerSum(k);
  const volume = 1 / (layerSum(0) + 2 * lower);
  const below = volume * lower;

  let [near, far] = [-0.5 * spacing, 0.5 * spacing];
  for (let k = 0; k < BISECTIONS; k++) {
    const middle = (near + far) / 2;
    if (integrateHalfSpace(kernel, h, spacing / 2 + middle).share > below) near = middle;
    else far = middle;
  }
  const cells = layout.HALF_SPACE_ENTRIES - 1;
  const halfSpace = new Float32Array(4 * (cells + 1));
  for (let k = 0; k <= cells; k++) {
    const distance = ((2 * k) / cells - 1) * h;
    const { share, slope } = integrateHalfSpace(kernel, h, distance + near);
    const { tangential, normal } = integrateHalfSpace(kernel, h, distance);
    halfSpace.set([share, slope, tangential, normal], 4 * k);
  }
  return {
    volume,
    below,
    halfSpace,
    surfaceEnergy: latticeSurfaceEnergy(kernel, spacing, volume),
    depth: -below / integrateHalfSpace(kernel, h, spacing / 2).slope,
  };
}

/** Sum over the layers below a flat surface of spacing / 2 |C|^2, C the gradient of the colour there. */
function latticeSurfaceEnergy(kernel: RadialKernel, spacing: number, volume: number): number {
  const h = SUPPORT_RATIO * spacing;
  const layers = Math.ceil(SUPPORT_RATIO);
  let energy = 0;
  for (let depth = 0; depth < layers; depth++) {
    // What is missing above: layers farther up than the surface.
    let missing = 0;
    for (let k = depth + 1; k <= layers; k++) {
      for (let x = -layers; x <= layers; x++) {
        for (let y = -layers; y <= layers; y++) {
          const r = spacing * Math.sqrt(x * x + y * y + k * k);
          missing += volume * kernel.slopeOverR(r, h) * k * spacing;
        }
      }
    }
    energy += (spacing / 2) * missing * missing;
  }
  return energy;
}
