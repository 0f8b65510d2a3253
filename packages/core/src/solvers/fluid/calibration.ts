import * as layout from '../../particles/fluid-layout.js';
import { integrateHalfSpace } from './half-space.js';
import type { RadialKernel } from './kernels.js';

/** Support of the kernels, in spacings. */
export const SUPPORT_RATIO = 2;

/** Most that a wall may exaggerate a difference of velocities by: the linear profile from half a spacing on. */
const VELOCITY_CAP = 3;

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
  /** Volume per area of one layer of boundary particles that holds liquid half a spacing off [m]. */
  readonly depth: number;
}

/**
 * A continuous wall is too dense for particles that stand in layers (3.8 % at half a spacing), so walls
 * are moved back until the first layer has the density of the lattice: liquid fills space up to the wall.
 * Densities and gradients may have kernels of their own, as in [K06].
 */
export function calibrate(kernel: RadialKernel, gradient: RadialKernel, spacing: number): Calibration {
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
    const { share } = integrateHalfSpace(kernel, h, distance + near);
    const { slope } = integrateHalfSpace(gradient, h, distance + near);
    const { tangential, normal } = integrateHalfSpace(gradient, h, distance, VELOCITY_CAP);
    halfSpace.set([share, slope, tangential, normal], 4 * k);
  }
  return {
    volume,
    below,
    halfSpace,
    depth: -below / integrateHalfSpace(kernel, h, spacing / 2).slope,
  };
}
