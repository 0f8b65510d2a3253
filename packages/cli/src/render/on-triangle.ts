/** Values on triangles between those at their corners. */
import type { TriangleMesh, Vec3 } from 'phyxel';

type Vector = [number, number, number];

/** Of the rounded surface that triangles with normals at their vertices stand for, at a point of one of them. */
export function roundedNormal(
  { positions: p, triangles }: TriangleMesh,
  normals: ArrayLike<number>,
  triangle: number,
  point: Vec3,
): Vector {
  const corners = [0, 1, 2].map((k) => triangles[3 * triangle + k]!) as Vector;
  const areas = corners.map((_, k) => {
    const [b, c] = [3 * corners[(k + 1) % 3]!, 3 * corners[(k + 2) % 3]!];
    const u = [0, 1, 2].map((a) => p[b + a]! - point[a]!) as Vector;
    const v = [0, 1, 2].map((a) => p[c + a]! - point[a]!) as Vector;
    return Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
  });
  const sum = [0, 1, 2].map((a) => corners.reduce((total, v, k) => total + areas[k]! * normals[3 * v + a]!, 0));
  const length = Math.hypot(...sum) || 1;
  return sum.map((x) => x / length) as Vector;
}
