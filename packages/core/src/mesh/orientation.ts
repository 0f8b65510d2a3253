/** Sides of planes, exactly, for points with whole coordinates of up to 26 bits. */

/** Relative rounding error of the determinant in doubles, over the sum of the sizes of its terms. */
const ROUNDING = 8 * 2 ** -53;

/**
 * (b - a) x (c - a) . (d - a) of points of a list, xyz: above zero where d is in front of the triangle abc. The sign
 * is exact, the number is rounded.
 */
export function sideOf(points: Float64Array, a: number, b: number, c: number, d: number): number {
  const [i, j, k, l] = [3 * a, 3 * b, 3 * c, 3 * d];
  const [ax, ay, az] = [points[i]!, points[i + 1]!, points[i + 2]!];
  const bx = points[j]! - ax;
  const by = points[j + 1]! - ay;
  const bz = points[j + 2]! - az;
  const cx = points[k]! - ax;
  const cy = points[k + 1]! - ay;
  const cz = points[k + 2]! - az;
  const dx = points[l]! - ax;
  const dy = points[l + 1]! - ay;
  const dz = points[l + 2]! - az;
  const [p, q] = [by * cz, bz * cy];
  const [r, s] = [bz * cx, bx * cz];
  const [t, u] = [bx * cy, by * cx];
  const det = (p - q) * dx + (r - s) * dy + (t - u) * dz;
  const size =
    (Math.abs(p) + Math.abs(q)) * Math.abs(dx) +
    (Math.abs(r) + Math.abs(s)) * Math.abs(dy) +
    (Math.abs(t) + Math.abs(u)) * Math.abs(dz);
  return Math.abs(det) > ROUNDING * size ? det : Number(exactSide(points, a, b, c, d));
}

/** The same as a whole number. */
export function exactSide(points: Float64Array, a: number, b: number, c: number, d: number): bigint {
  const from = (v: number, axis: number) => BigInt(points[3 * v + axis]! - points[3 * a + axis]!);
  const [bx, by, bz] = [from(b, 0), from(b, 1), from(b, 2)];
  const [cx, cy, cz] = [from(c, 0), from(c, 1), from(c, 2)];
  return (by * cz - bz * cy) * from(d, 0) + (bz * cx - bx * cz) * from(d, 1) + (bx * cy - by * cx) * from(d, 2);
}
