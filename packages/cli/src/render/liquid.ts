/** How liquids are shown. */
import type { BallsPart, Color, MeshPart } from './geometry.js';

export interface Liquid {
  /** Of the particles that are in the world, xyz. */
  readonly positions: Float32Array;
  /** Distance of neighbouring particles [m]. */
  readonly spacing: number;
}

/** A surface of a liquid in triangles. */
export interface LiquidSurface {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly indices: Uint32Array;
}

/**
 * The one place where a surface of liquids is plugged in: while it is undefined, liquids are shown as balls.
 * With a surface they are drawn as water, clear and tinted.
 */
export const liquidSurface: ((liquid: Liquid) => LiquidSurface) | undefined = undefined as
  | ((liquid: Liquid) => LiquidSurface)
  | undefined;

/** Radius over the spacing: neighbours touch, and balls at walls do not show through them. */
const BALL = 0.5;

export function liquidBalls(liquid: Liquid, material: number, color: Color | Float32Array): BallsPart {
  return { centers: liquid.positions, radius: BALL * liquid.spacing, material, color };
}

export function liquidMesh(surface: LiquidSurface, material: number, color: Color): MeshPart {
  return { positions: surface.positions, normals: surface.normals, triangles: surface.indices, material, color };
}
