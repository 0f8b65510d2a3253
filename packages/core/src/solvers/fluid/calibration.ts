import * as layout from '../../particles/fluid-layout.js';
import { integrateHalfSpace, tabulateHalfSpace } from './half-space.js';
import { cubicSpline, type RadialKernel } from './kernels.js';

/** Support of the kernels, in spacings. */
export const SUPPORT_RATIO = 2;

/**
 * A liquid in which every particle of a lattice had its whole density could not flow where it fills a vessel:
 * layers that pass each other come 0.1 % too near. So it has this much of it.
 */
const CAPACITY = 0.997;

/** Most that a wall may exaggerate a difference of velocities by: the linear profile from half a spacing on. */
const VELOCITY_CAP = 3;

/** What the sums of a kernel over a cubic lattice make of its integrals. */
export interface Calibration {
  /** Particle volume that makes the density of the lattice one, or nearly [m3]. */
  readonly volume: number;
  /** Share of the density that all layers below the first have in it [1]. */
  readonly below: number;
  /** Squared gradient of the colour in the first layer of a lattice that ends [1/m2]. */
  readonly opening: number;
  /** What makes continuous layers those of the lattice [1]. */
  readonly scale: number;
  /** Rows of the half-space table that the passes read, see fluid-layout.ts. */
  readonly halfSpace: Float32Array;
  /** Volume per area of one layer on the surface that has as much of a kernel as the wall behind it [m]. */
  readonly depth: number;
}

/**
 * A wall is filled with the mirror images of the liquid: at the distance z of a particle, layers of images
 * are 2 z, 2 z + spacing, ... away. So the first layer of a lattice that ends at the wall, half a spacing
 * from it, has the density of the lattice, and its images push back as much as the liquid behind pushes on:
 * the derivative is twice that of a wall that stands still. (A continuous half-space that stands still is
 * 3.8 % too dense there and pushes half as much; a column of water on it never comes to rest.)
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
  const volume = CAPACITY / (layerSum(0) + 2 * lower);
  let missing = 0;
  for (let k = 1; k <= layers; k++) {
    for (let x = -layers; x <= layers; x++) {
      for (let y = -layers; y <= layers; y++) {
        missing += volume * kernel.slopeOverR(spacing * Math.sqrt(x * x + y * y + k * k), h) * k * spacing;
      }
    }
  }
  const below = volume * lower;

  // A layer at a distance, evenly spread: the kernel over a plane is the slope of that over a half-space.
  const layer = (x: number) => (Math.abs(x) >= h ? 0 : -spacing * integrateHalfSpace(kernel, h, Math.abs(x)).slope);
  const images = (z: number) => {
    let sum = 0;
    for (let k = 0; 2 * z + k * spacing < h; k++) sum += layer(2 * z + k * spacing);
    return sum;
  };
  const scale = below / images(spacing / 2);
  const cells = layout.HALF_SPACE_ENTRIES - 1;
  const step = h / cells / 8;
  const halfSpace = new Float32Array(4 * (cells + 1));
  const { tangential, normal } = tabulateHalfSpace(cubicSpline, h, cells, VELOCITY_CAP);
  for (let k = 0; k <= cells; k++) {
    const z = ((2 * k) / cells - 1) * h;
    const slope = (images(z + step) - images(z - step)) / (2 * step);
    halfSpace.set([scale * images(z), scale * slope, tangential[k]!, normal[k]!], 4 * k);
  }
  return {
    volume,
    below,
    opening: missing * missing,
    scale,
    halfSpace,
    depth: -below / integrateHalfSpace(cubicSpline, h, spacing / 2).slope,
  };
}

/** Nearer than this many depths a boundary kernel goes on in a straight line: it would fall off again. */
const STRAIGHT = 1.7;

/**
 * The kernel of boundary particles that lie at a depth below the surface they stand for, as pairs of k and
 * 1/r dk/dr at distances from 0 to h. Spread evenly over a plane, with a weight of spacing * area each, they add
 * up to the images of the first layer: the integral of k over the plane at a distance z below is
 * L(2 (z - depth)) / spacing with L(x) a layer at the distance x, so k(r) = 4 (r - depth)/r W(2 (r - depth)).
 */
export function boundaryKernel(kernel: RadialKernel, scale: number, spacing: number, depth: number): Float32Array {
  const h = SUPPORT_RATIO * spacing;
  const value = (r: number) => (4 * scale * (r - depth) * kernel.value(2 * (r - depth), h)) / r;
  const slope = (r: number) => {
    const t = 2 * (r - depth);
    const steep = 2 * t * kernel.slopeOverR(t, h);
    return scale * ((4 * depth * kernel.value(t, h)) / (r * r) + (4 * (r - depth) * steep) / r);
  };
  const cells = layout.BOUNDARY_KERNEL_ENTRIES - 1;
  const table = new Float32Array(2 * (cells + 1));
  const nearest = Math.max(STRAIGHT * depth, h / cells);
  for (let k = 0; k <= cells; k++) {
    const r = Math.max((k / cells) * h, 1e-3 * h);
    const inside = Math.max(0, nearest - r);
    const at = r + inside;
    table[2 * k] = value(at) - inside * slope(at);
    table[2 * k + 1] = slope(at) / r;
  }
  return table;
}
