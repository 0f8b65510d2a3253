/**
 * Surfels as triangles, to be drawn: each an ellipse of eight corners. Corners are moved onto the smooth surface that
 * all surfels around define ([K06] 2.5.1), so that ellipses that overlap lie in each other and leave no steps, and have
 * its normals.
 */
import { NearestPoints } from './nearest.js';

export interface Discs {
  /** xyz of the centres [m], and unit normals. */
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  /** Two half axes each, xyz xyz [m]; or the radius of all. */
  readonly axes: Float32Array | number;
}

export interface DiscMesh {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly triangles: Uint32Array;
  /** The disc of every vertex. */
  readonly discs: Uint32Array;
}

const CORNERS = 8;
/** So that the sides of the polygon, not its corners, are on the ellipse. */
const OUTWARDS = 1.0824;
/** Surfels that a corner is moved by, at the most. */
const NEAR = 14;
/** Those that face another way by more than this cosine are of another sheet. */
const SAME_SHEET = 0.7;
/** How often it is asked which surfels face as the surface does at a corner. */
const TURNS = 3;
/** Surfels that face another way by more than this cosine have an edge between them. */
const EDGE = 0.7;
const FAR_SIDE = 0.95;
/** A surfel between two that faces half way between them to this cosine says that the surface is round there. */
const HALF_WAY = 0.95;
/** Discs that end at an edge reach as far as it, up to this many half axes: none may be nearer to it. */
const TO_EDGE = 1.6;

export function discMesh({ positions, normals, axes }: Discs): DiscMesh {
  const count = positions.length / 3;
  const per = CORNERS + 1;
  const out = new Float32Array(3 * per * count);
  const outNormals = new Float32Array(3 * per * count);
  const triangles = new Uint32Array(3 * CORNERS * count);
  const discs = Uint32Array.from({ length: per * count }, (_, v) => Math.floor(v / per));
  const search = new NearestPoints(positions);
  const near = new Int32Array(NEAR);
  const around = new Int32Array(NEAR);
  const squares = new Float64Array(NEAR);
  const circle = Array.from({ length: CORNERS }, (_, k) => (2 * Math.PI * k) / CORNERS);
  for (let i = 0; i < count; i++) {
    const t = typeof axes === 'number' ? roundAxes(normals, i, axes) : axes.subarray(6 * i, 6 * i + 6);
    const beside = search.find(positions[3 * i]!, positions[3 * i + 1]!, positions[3 * i + 2]!, NEAR, around, squares);
    out.set(positions.subarray(3 * i, 3 * i + 3), 3 * per * i);
    outNormals.set(normals.subarray(3 * i, 3 * i + 3), 3 * per * i);
    for (let k = 0; k < CORNERS; k++) {
      const [c, s] = [OUTWARDS * Math.cos(circle[k]!), OUTWARDS * Math.sin(circle[k]!)];
      const at = 3 * (per * i + 1 + k);
      const reach = (times: number) => {
        for (let a = 0; a < 3; a++) out[at + a] = positions[3 * i + a]! + times * (c * t[a]! + s * t[3 + a]!);
        // By those beside the disc first: a long one may reach beyond all that are over the edge.
        return cut(out, at, positions, normals, i, around.subarray(0, beside));
      };
      if (!reach(TO_EDGE)) reach(1);
      const found = search.find(out[at]!, out[at + 1]!, out[at + 2]!, NEAR, near, squares);
      cut(out, at, positions, normals, i, near.subarray(0, found));
      settle(out, outNormals, at, positions, normals, i, near.subarray(0, found), squares);
      triangles.set([per * i, per * i + 1 + k, per * i + 1 + ((k + 1) % CORNERS)], 3 * (CORNERS * i + k));
    }
  }
  return { positions: out, normals: outNormals, triangles, discs };
}

/**
 * Takes a corner back that reaches over an edge: onto the plane of a surfel beyond it, within its own disc's plane. So
 * edges are sharp, as with the intersections of [K06] 6.8. Tells whether it did.
 */
function cut(
  out: Float32Array,
  at: number,
  positions: Float32Array,
  normals: Float32Array,
  own: number,
  near: Int32Array,
): boolean {
  let isCut = false;
  for (const j of near) {
    let [cosine, above, beyond] = [0, 0, 0];
    for (let a = 0; a < 3; a++) {
      cosine += normals[3 * own + a]! * normals[3 * j + a]!;
      above += (out[at + a]! - positions[3 * j + a]!) * normals[3 * j + a]!;
      beyond += (positions[3 * j + a]! - positions[3 * own + a]!) * normals[3 * own + a]!;
    }
    // Only where the surface bends away, and not the far side of a sheet.
    if (cosine > EDGE || cosine < -FAR_SIDE || !(above > 0) || beyond > 0) continue;
    if (isRound(positions, normals, own, j, near)) continue;
    const along = 1 - cosine * cosine;
    for (let a = 0; a < 3; a++) {
      out[at + a]! -= (above / along) * (normals[3 * j + a]! - cosine * normals[3 * own + a]!);
    }
    isCut = true;
  }
  return isCut;
}

/** Is the surface round between two surfels, with others there that face as it does? */
function isRound(positions: Float32Array, normals: Float32Array, i: number, j: number, near: Int32Array): boolean {
  const both = [0, 1, 2].map((a) => normals[3 * i + a]! + normals[3 * j + a]!);
  const length = Math.hypot(...both);
  const middle = [0, 1, 2].map((a) => (positions[3 * i + a]! + positions[3 * j + a]!) / 2);
  let span = 0;
  for (let a = 0; a < 3; a++) span += (positions[3 * j + a]! - middle[a]!) ** 2;
  for (const k of near) {
    let [cosine, away] = [0, 0];
    for (let a = 0; a < 3; a++) {
      cosine += normals[3 * k + a]! * both[a]!;
      away += (positions[3 * k + a]! - middle[a]!) ** 2;
    }
    if (cosine > HALF_WAY * length && away < span) return true;
  }
  return false;
}

/**
 * Moves a corner along the mean normal of its neighbours, onto the mean of their planes and of the plane through their
 * mean: the first lies over a round surface, the second as much under it, and corners above centres show as dimples.
 * Neighbours are those that face as the disc does, then those that face as the surface does at the corner: around a tight
 * bend these are others.
 */
function settle(
  out: Float32Array,
  outNormals: Float32Array,
  at: number,
  positions: Float32Array,
  normals: Float32Array,
  own: number,
  near: Int32Array,
  squares: Float64Array,
): void {
  const support = 1.05 * squares[near.length - 1]! + Number.MIN_VALUE;
  const up = [normals[3 * own]!, normals[3 * own + 1]!, normals[3 * own + 2]!];
  let rise = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    let [total, height] = [0, 0];
    const n = [0, 0, 0];
    const middle = [0, 0, 0];
    for (const [k, j] of near.entries()) {
      let [cosine, above] = [0, 0];
      for (let a = 0; a < 3; a++) {
        cosine += up[a]! * normals[3 * j + a]!;
        above += (out[at + a]! - positions[3 * j + a]!) * normals[3 * j + a]!;
      }
      if (cosine < SAME_SHEET) continue;
      const w = (1 - squares[k]! / support) ** 2;
      total += w;
      height += w * above;
      for (let a = 0; a < 3; a++) {
        n[a]! += w * normals[3 * j + a]!;
        middle[a]! += w * (out[at + a]! - positions[3 * j + a]!);
      }
    }
    const length = Math.sqrt(n[0]! ** 2 + n[1]! ** 2 + n[2]! ** 2);
    if (!(total > 0 && length > 0)) break;
    const common = (middle[0]! * n[0]! + middle[1]! * n[1]! + middle[2]! * n[2]!) / length;
    rise = (height + common) / (2 * total);
    for (let a = 0; a < 3; a++) up[a] = n[a]! / length;
  }
  for (let a = 0; a < 3; a++) {
    outNormals[at + a] = up[a]!;
    out[at + a]! -= rise * up[a]!;
  }
}

function roundAxes(normals: Float32Array, i: number, radius: number): number[] {
  const [x, y, z] = [normals[3 * i]!, normals[3 * i + 1]!, normals[3 * i + 2]!];
  const sign = z < 0 ? -1 : 1;
  const a = -1 / (sign + z);
  const b = x * y * a;
  return [1 + sign * x * x * a, sign * b, -sign * x, b, sign + y * y * a, -y].map((c) => radius * c);
}
