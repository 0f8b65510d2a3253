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
  surfaces(liquids: readonly Liquid[], options: { readonly overlap: number }): LiquidSurface[];
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
/** How far a surface goes into a plane, so that no film of air is between them [spacings]. */
const SUNK = 0.02;
/** Within this a vertex is on a plane [spacings]. */
const ON = 0.001;
/** Normals that point into a plane by more than this are its own. */
const FACING = 0.3;

/**
 * Lays a surface onto the planes that its liquid touches: bumps of particles at walls would refract as such. Where two
 * planes meet, each side has vertices of its own: a normal in common would be a mark on both.
 */
export function layOnPlanes(surface: LiquidSurface, planes: readonly Floor[], spacing: number): LiquidSurface {
  const positions = surface.positions.slice();
  const normals = surface.normals.slice();
  const touching = TOUCHING * spacing;
  const sunk = -SUNK * spacing;
  for (const { point, normal: n } of planes) {
    for (let i = 0; i < positions.length; i += 3) {
      const away = distance(positions, i, point, n);
      if (away >= 2 * touching) continue;
      const to = Math.max(sunk, 2 * (away - touching));
      for (let k = 0; k < 3; k++) positions[i + k]! += (to - away) * n[k]!;
      const facing = normals[i]! * n[0] + normals[i + 1]! * n[1] + normals[i + 2]! * n[2];
      if (away < touching && facing < -FACING) for (let k = 0; k < 3; k++) normals[i + k] = -n[k]!;
    }
  }
  return splitAtEdges({ ...surface, positions, normals }, planes, sunk, ON * spacing);
}

function distance(positions: Float32Array, i: number, point: readonly number[], n: readonly number[]): number {
  let away = 0;
  for (let k = 0; k < 3; k++) away += (positions[i + k]! - point[k]!) * n[k]!;
  return away;
}

/** Gives triangles that lie on a plane normals of it at the vertices that lie on another plane as well. */
function splitAtEdges(
  surface: LiquidSurface,
  planes: readonly Floor[],
  rest: number,
  tolerance: number,
): LiquidSurface {
  const { positions, normals } = surface;
  const count = positions.length / 3;
  const lies = planes.map((plane) => {
    const on = new Uint8Array(count);
    for (let v = 0; v < count; v++) {
      if (Math.abs(distance(positions, 3 * v, plane.point, plane.normal) - rest) < tolerance) on[v] = 1;
    }
    return on;
  });
  const isAtEdge = new Uint8Array(count);
  for (let v = 0; v < count; v++) isAtEdge[v] = lies.reduce((sum, on) => sum + on[v]!, 0) > 1 ? 1 : 0;
  const indices = surface.indices.slice();
  /** Vertices that are there twice, and their other normals. */
  const copied: number[] = [];
  const turned: number[] = [];
  for (const [p, on] of lies.entries()) {
    const { normal: n } = planes[p]!;
    const copyOf = new Map<number, number>();
    for (let t = 0; t < indices.length; t += 3) {
      const corners = surface.indices.subarray(t, t + 3);
      if (!corners.every((v) => on[v]) || !corners.some((v) => isAtEdge[v])) continue;
      for (const [k, v] of corners.entries()) {
        if (!isAtEdge[v]) continue;
        if (!copyOf.has(v)) {
          copyOf.set(v, count + copied.length);
          copied.push(v);
          turned.push(-n[0], -n[1], -n[2]);
        }
        indices[t + k] = copyOf.get(v)!;
      }
    }
  }
  const attributes = Object.entries(surface.attributes).map(([name, { components, values }]) => [
    name,
    { components, values: withCopies(values, components, copied) },
  ]);
  return {
    positions: withCopies(positions, 3, copied),
    normals: joined(normals, Float32Array.from(turned)),
    indices,
    attributes: Object.fromEntries(attributes),
  };
}

function withCopies(values: Float32Array, components: number, copied: readonly number[]): Float32Array {
  const copies = new Float32Array(components * copied.length);
  for (const [k, v] of copied.entries()) {
    copies.set(values.subarray(components * v, components * (v + 1)), components * k);
  }
  return joined(values, copies);
}

function joined(a: Float32Array, b: Float32Array): Float32Array {
  const both = new Float32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
