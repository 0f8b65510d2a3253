/** Steep planes as panels: a plane has no end, so it is drawn as far as what stands before it reaches. */
import { add, cross, dot, length, scale, subtract, type Vec3 } from '../math/matrix3.js';
import type { PlaneAt } from './shape-mesh.js';

export interface WallBounds {
  readonly low: Vec3;
  readonly high: Vec3;
}

export interface WallMesh {
  readonly positions: Float64Array;
  readonly normals: Float64Array;
  readonly triangles: Uint32Array;
}

/** How far a panel goes beyond what it holds, and how thick it is, over the largest side of that. */
const RIM = 0.04;
const THICKNESS = 0.012;
/** Planes whose normals point this far up are ground; as far down, ceilings, which would keep the light out. */
export const FLATTEST = 0.3;

export function isWall({ normal }: PlaneAt): boolean {
  return Math.abs(normal[1]) <= FLATTEST;
}

export function boundsOf(points: ArrayLike<number>): WallBounds {
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i++) {
    low[i % 3] = Math.min(low[i % 3]!, points[i]!);
    high[i % 3] = Math.max(high[i % 3]!, points[i]!);
  }
  return { low, high };
}

/**
 * The panel of a wall: what other planes leave of it within some bounds, and its thickness behind it, so that
 * panels meet at their corners. Undefined where the wall is farther away.
 */
export function wallMesh(wall: PlaneAt, others: readonly PlaneAt[], bounds: WallBounds): WallMesh | undefined {
  const outline = outlineOf(wall, others, bounds);
  return outline && slab(outline, wall.normal, thicknessOf(bounds));
}

/** The same without a thickness: a face that is seen from the free side. */
export function planeMesh(plane: PlaneAt, others: readonly PlaneAt[], bounds: WallBounds): WallMesh | undefined {
  const outline = outlineOf(plane, others, bounds);
  return outline && facesMesh([outline]);
}

const sizeOf = ({ low, high }: WallBounds) => Math.max(...high.map((h, k) => h - low[k]!));

const thicknessOf = (bounds: WallBounds) => THICKNESS * sizeOf(bounds);

/** What other planes leave of a plane within some bounds, and a rim around them. */
function outlineOf(plane: PlaneAt, others: readonly PlaneAt[], bounds: WallBounds): Vec3[] | undefined {
  const size = sizeOf(bounds);
  if (!(size > 0 && size < Infinity)) return undefined;
  const rim = RIM * size;
  let outline = square(plane, bounds, 4 * size);
  for (const [axis, [low, high]] of [0, 1, 2].map((k) => [k, [bounds.low[k]!, bounds.high[k]!]] as const)) {
    const along: [number, number, number] = [0, 0, 0];
    along[axis] = 1;
    outline = clip(outline, along, low - rim);
    outline = clip(outline, scale(along, -1), -high - rim);
  }
  for (const other of others) {
    if (other !== plane) outline = clip(outline, other.normal, dot(other.point, other.normal) - thicknessOf(bounds));
  }
  return outline.length < 3 ? undefined : outline;
}

/** A square of the plane around the middle of the bounds, anticlockwise as seen from the free side. */
function square({ point, normal: n }: PlaneAt, { low, high }: WallBounds, half: number): Vec3[] {
  const middle: Vec3 = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2];
  const away = dot(middle, n) - dot(point, n);
  const centre = plus(middle, n, -away);
  const side = unit(Math.abs(n[1]) > 0.9 ? [0, n[2], -n[1]] : [n[2], 0, -n[0]]);
  const up = cross(n, side);
  return [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([a, b]) => plus(plus(centre, side, a! * half), up, b! * half));
}

/** What of a convex outline has x . n >= offset. */
function clip(outline: readonly Vec3[], n: Vec3, offset: number): Vec3[] {
  const kept: Vec3[] = [];
  for (const [k, p] of outline.entries()) {
    const q = outline[(k + 1) % outline.length]!;
    const [a, b] = [dot(p, n) - offset, dot(q, n) - offset];
    if (a >= 0) kept.push(p);
    if (a >= 0 !== b >= 0) kept.push(plus(p, subtract(q, p), a / (a - b)));
  }
  return kept;
}

/** A convex outline with a thickness behind it; faces have vertices of their own, since all edges are sharp. */
function slab(outline: readonly Vec3[], n: Vec3, thickness: number): WallMesh {
  const back = outline.map((p) => plus(p, n, -thickness));
  const sides = outline.map((p, k) => {
    const next = (k + 1) % outline.length;
    return [p, back[k]!, back[next]!, outline[next]!];
  });
  return facesMesh([outline, [...back].reverse(), ...sides]);
}

/** Convex faces in triangles. */
function facesMesh(faces: readonly (readonly Vec3[])[]): WallMesh {
  const positions: number[] = [];
  const normals: number[] = [];
  const triangles: number[] = [];
  for (const face of faces) {
    const first = positions.length / 3;
    const [a, b, c] = face as readonly [Vec3, Vec3, Vec3];
    const normal = unit(cross(subtract(b, a), subtract(c, a)));
    for (const p of face) {
      positions.push(...p);
      normals.push(...normal);
    }
    for (let k = 2; k < face.length; k++) triangles.push(first, first + k - 1, first + k);
  }
  return {
    positions: Float64Array.from(positions),
    normals: Float64Array.from(normals),
    triangles: Uint32Array.from(triangles),
  };
}

function plus(a: Vec3, b: Vec3, s: number): Vec3 {
  return add(a, scale(b, s));
}

function unit(a: Vec3): Vec3 {
  return scale(a, 1 / length(a));
}
