/**
 * Cells of surfels: what of the surface is nearer to each than to the others around, in its tangent plane. Their areas
 * give the area and the volume of the surface, their corners the positions where a surfel is missing: this takes the position
 * of the counts of neighbours of [K06] 6.6.3.
 */
import {
  ACTIVE,
  AREAS,
  CORNERS,
  GAPS,
  GRAIN,
  MOST_CORNERS,
  MOST_NEAR,
  NORMALS,
  POSITIONS,
  SCRATCH,
  SCRATCH_BYTES,
  SPACING,
  STATES,
  SURFEL_GRID,
  SURFEL_LABELS,
  SURFEL_REACH,
  TOUCHING,
} from '../../src/particles/points-layout';
import { addMul, dot, vector, x, y, z } from '../math/simd';
import { collectNear, indexOf } from './point-grid';
import { findWalls, heightOver, wallAt } from './point-walls';

/** Surfels that face the same way to this cosine share the surface: not those on the other side of a sheet. */
const SAME_SIDE: f32 = 0.1;
/** Cells reach this many distances of surfels at the most: what is nearer to another one is then known from those around. */
const WIDEST: f32 = <f32>0.5 * <f32>SURFEL_REACH;
/** Planes that meet at less than this cosine meet at an edge. */
const EDGE: f32 = 0.75;
/** What of a free surface is nearer to a surfel on a wall than this many distances of surfels tells where the wall is dry. */
const EDGE_REACH: f32 = 1.3;

/** Cuts a polygon by dx * u + dy * v <= limit, in place; `spare` has room for it. Returns how many corners it has. */
function cutPolygon(polygon: usize, spare: usize, corners: u32, dx: f32, dy: f32, limit: f32): u32 {
  let outside = false;
  for (let c: usize = 0; c < <usize>corners; c++) {
    if (dx * load<f32>(polygon + (c << 3)) + dy * load<f32>(polygon + (c << 3), 4) > limit) outside = true;
  }
  if (!outside) return corners;
  let kept: u32 = 0;
  let u = load<f32>(polygon + (<usize>(corners - 1) << 3));
  let v = load<f32>(polygon + (<usize>(corners - 1) << 3), 4);
  let before = dx * u + dy * v - limit;
  for (let c: usize = 0; c < <usize>corners; c++) {
    const nu = load<f32>(polygon + (c << 3));
    const nv = load<f32>(polygon + (c << 3), 4);
    const now = dx * nu + dy * nv - limit;
    if (before > 0 != now > 0) {
      const t = before / (before - now);
      store<f32>(spare + (<usize>kept << 3), u + t * (nu - u));
      store<f32>(spare + (<usize>kept << 3), v + t * (nv - v), 4);
      kept++;
    }
    if (!(now > 0)) {
      store<f32>(spare + (<usize>kept << 3), nu);
      store<f32>(spare + (<usize>kept << 3), nv, 4);
      kept++;
    }
    u = nu;
    v = nv;
    before = now;
  }
  memory.copy(polygon, spare, <usize>kept << 3);
  return kept;
}

/**
 * Area, farthest corner and nearest neighbour of every cell. Cells end at walls, and those on walls at the free surface,
 * so that they close up at edges: else the volume is off by what they lack there. On ACTIVE.
 */
export function measureCells(begin: u32, end: u32, context: usize): void {
  const grid = <usize>load<u32>(context + SURFEL_GRID);
  const active = <usize>load<u32>(context + ACTIVE);
  const positions = <usize>load<u32>(context + POSITIONS);
  const normals = <usize>load<u32>(context + NORMALS);
  const labels = <usize>load<u32>(context + SURFEL_LABELS);
  const states = <usize>load<u32>(context + STATES);
  const corners = <usize>load<u32>(context + CORNERS);
  const areas = <usize>load<u32>(context + AREAS);
  const gaps = <usize>load<u32>(context + GAPS);
  const spacing = load<f32>(context + SPACING);
  const scratch = <usize>load<u32>(context + SCRATCH) + <usize>(begin / GRAIN) * SCRATCH_BYTES;
  const polygon = scratch + (MOST_NEAR << 4);
  const spare = polygon + (MOST_CORNERS << 3);
  const wide = WIDEST * spacing;
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(active + (k << 2));
    const position = v128.load(positions + (i << 4));
    const n = v128.load(normals + (i << 4));
    // Two directions along the surface.
    const sign: f32 = z(n) < 0 ? -1 : 1;
    const a = <f32>-1 / (sign + z(n));
    const b = x(n) * y(n) * a;
    const t1 = vector(<f32>1 + sign * x(n) * x(n) * a, sign * b, -sign * x(n), 0);
    const t2 = vector(b, sign + y(n) * y(n) * a, -y(n), 0);
    // An octagon.
    const part = <f32>0.70710678 * wide;
    for (let c: u32 = 0; c < 8; c++) {
      const size = c & 1 ? part : wide;
      const isUp = c > 0 && c < 4;
      const isRight = c < 2 || c > 6;
      store<f32>(polygon + (<usize>c << 3), c == 2 || c == 6 ? 0 : isRight ? size : -size);
      store<f32>(polygon + (<usize>c << 3), c == 0 || c == 4 ? 0 : isUp ? size : -size, 4);
    }
    let count: u32 = 8;
    let gap: f32 = Infinity;
    const touching = load<u32>(states + (i << 2)) == TOUCHING;
    const walls = findWalls(context, position, <f32>1.5 * wide, scratch);
    for (let m: u32 = 0; m < walls; m++) {
      const wall = wallAt(scratch, m);
      const u = dot(wall, t1);
      const v = dot(wall, t2);
      if (u * u + v * v < <f32>1 - EDGE * EDGE) continue;
      count = cutPolygon(polygon, spare, count, -u, -v, max(<f32>0, heightOver(wall, position)));
    }
    const found = collectNear(grid, position, <f32>SURFEL_REACH * spacing, scratch);
    for (let m: u32 = 0; m < found && count > 0 && count < <u32>MOST_CORNERS - 2; m++) {
      const offset = v128.load(scratch + (<usize>m << 4));
      const j = indexOf(offset);
      if (j == i || load<u32>(labels + (j << 2)) != load<u32>(labels + (i << 2))) continue;
      const other = v128.load(normals + (j << 4));
      const cosine = dot(n, other);
      if (touching && abs(cosine) < EDGE && load<u32>(states + (j << 2)) != TOUCHING) {
        const near = EDGE_REACH * spacing;
        if (dot(offset, offset) > near * near) continue;
        count = cutPolygon(polygon, spare, count, dot(other, t1), dot(other, t2), dot(other, offset));
        continue;
      }
      if (cosine < SAME_SIDE) continue;
      let u = dot(offset, t1);
      let v = dot(offset, t2);
      const square = dot(offset, offset);
      const flat = u * u + v * v;
      // As far in the plane as it is in space: the surface bends away from the plane.
      if (!(flat > <f32>0.1 * square)) continue;
      if (j < i) gap = min(gap, square);
      const stretch = sqrt(square / flat);
      u *= stretch;
      v *= stretch;
      count = cutPolygon(polygon, spare, count, u, v, <f32>0.5 * square);
    }
    let area: f32 = 0;
    let farthest: f32 = 0;
    let fu: f32 = 0;
    let fv: f32 = 0;
    for (let c: usize = 0; c < <usize>count; c++) {
      const next: usize = c + 1 < <usize>count ? c + 1 : 0;
      const u = load<f32>(polygon + (c << 3));
      const v = load<f32>(polygon + (c << 3), 4);
      area += u * load<f32>(polygon + (next << 3), 4) - v * load<f32>(polygon + (next << 3));
      const square = u * u + v * v;
      if (square > farthest) {
        farthest = square;
        fu = u;
        fv = v;
      }
    }
    store<f32>(areas + (i << 2), <f32>0.5 * area);
    store<f32>(gaps + (i << 2), sqrt(gap));
    const at = addMul(addMul(position, t1, f32x4.splat(fu)), t2, f32x4.splat(fv));
    v128.store(corners + (i << 4), f32x4.replace_lane(at, 3, sqrt(farthest)));
  }
}
