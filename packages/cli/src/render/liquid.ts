/** How liquids are shown: by their surface, or as balls. */
import { LiquidSurfacer } from 'phyxel';
import type { BallsPart, Color } from './geometry.js';
import type { Floor } from './view.js';

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
  surface(liquid: Liquid): LiquidSurface;
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

/** Surfaces nearer than this to a plane lie on it; up to twice as far they are drawn towards it [spacings]. */
const TOUCHING = 0.5;
/** How far a surface goes below the ground, so that no film of air is between them [spacings]. */
const SUNK = 0.02;

/** Lays a surface onto the planes that its liquid touches: bumps of particles at walls would refract as such. */
export function layOnPlanes(surface: LiquidSurface, planes: readonly Floor[], spacing: number): LiquidSurface {
  const positions = surface.positions.slice();
  const normals = surface.normals.slice();
  const touching = TOUCHING * spacing;
  for (const { point, normal: n } of planes) {
    for (let i = 0; i < positions.length; i += 3) {
      let away = 0;
      for (let k = 0; k < 3; k++) away += (positions[i + k]! - point[k]!) * n[k]!;
      if (away >= 2 * touching) continue;
      const to = Math.max(-SUNK * spacing, 2 * (away - touching));
      for (let k = 0; k < 3; k++) positions[i + k]! += (to - away) * n[k]!;
      const facing = normals[i]! * n[0] + normals[i + 1]! * n[1] + normals[i + 2]! * n[2];
      if (away < touching && facing < -0.3) for (let k = 0; k < 3; k++) normals[i + k] = -n[k]!;
    }
  }
  return { ...surface, positions, normals };
}
