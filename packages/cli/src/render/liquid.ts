/** How liquids are shown: by their surface, or as balls. */
import { LiquidSurfacer, type PlaneAt, splitAtWalls, verticesOnWall } from 'phyxel';
import type { BallsPart, Color } from './geometry.js';

export interface Liquid {
  /** Of the particles that are in the world, xyz. */
  readonly positions: Float32Array;
  /** Distance of neighbouring particles [m]. */
  readonly spacing: number;
  /** Numbers of the particles that are wanted on the surface. */
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

interface Attribute {
  readonly components: number;
  readonly values: Float32Array;
}

/** A closed surface in triangles. */
export interface LiquidSurface {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly indices: Uint32Array;
  readonly attributes: Readonly<Record<string, Attribute>>;
}

export interface Surfacer {
  surfaces(
    liquids: readonly Liquid[],
    options: { readonly overlap: number; readonly walls: readonly PlaneAt[] },
  ): LiquidSurface[];
  dispose(): Promise<void>;
}

/** Makes the surfaces of liquids. */
export function openSurfacer(): Promise<Surfacer> {
  return LiquidSurfacer.create({ threads: 1 });
}

/** Radius over the spacing: neighbours touch, and balls at walls do not show through them. */
const BALL = 0.5;

export function liquidBalls(liquid: Liquid, material: number, color: Color | Float32Array): BallsPart {
  return { centers: liquid.positions, radius: BALL * liquid.spacing, material, color };
}

/** How far surfaces go into the planes that they lie on, so that no film of air is between them [spacings]. */
const SUNK = 0.02;

/** A surface that was made with walls, a little inside them, and with sharp edges there. */
export function sinkIntoWalls(surface: LiquidSurface, walls: readonly PlaneAt[], spacing: number): LiquidSurface {
  const split = splitAtWalls(surface, walls, spacing);
  const positions = split.positions.slice();
  for (const wall of walls) {
    const on = verticesOnWall(split, wall, spacing);
    for (let v = 0; v < on.length; v++) {
      for (let k = 0; on[v] && k < 3; k++) positions[3 * v + k]! -= SUNK * spacing * wall.normal[k]!;
    }
  }
  return { ...split, positions };
}
