import type { SurfaceMesh } from 'phyxel';

/** Mean height of what faces up of a surface, over the area seen from above; of triangles whose middle is wanted [m]. */
export function meanHeight(
  { positions, indices }: Pick<SurfaceMesh, 'positions' | 'indices'>,
  wanted: (x: number, y: number, z: number) => boolean,
): number {
  let [area, volume] = [0, 0];
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [3 * indices[t]!, 3 * indices[t + 1]!, 3 * indices[t + 2]!];
    const of = (axis: number) => [positions[a + axis]!, positions[b + axis]!, positions[c + axis]!] as const;
    const [x, y, z] = [of(0), of(1), of(2)];
    const mean = (v: readonly [number, number, number]) => (v[0] + v[1] + v[2]) / 3;
    const seen = ((z[1] - z[0]) * (x[2] - x[0]) - (x[1] - x[0]) * (z[2] - z[0])) / 2;
    if (seen <= 0 || !wanted(mean(x), mean(y), mean(z))) continue;
    area += seen;
    volume += seen * mean(y);
  }
  return volume / area;
}
