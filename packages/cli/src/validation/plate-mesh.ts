/** The mesh of a plate with a round hole, of validation/meshes. */
import type { TriangleMesh } from 'phyxel';

export interface Plate {
  /** Along x, y and z. */
  readonly length: number;
  readonly width: number;
  readonly thickness: number;
  readonly holeRadius: number;
}

/** Corners of the polygon that stands for the hole: its edge is within 0.06 % of a circle. */
const SEGMENTS = 96;

/** A closed mesh: two faces between the hole and the rim, the hole's wall and the rim's. */
export function plateMesh({ length, width, thickness, holeRadius }: Plate): TriangleMesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  const corner = Math.atan2(width, length);
  const corners = [corner, Math.PI - corner, Math.PI + corner, 2 * Math.PI - corner].map((angle) =>
    Math.round((angle / (2 * Math.PI)) * SEGMENTS),
  );
  const step = (2 * Math.PI) / SEGMENTS;
  for (let k = 0; k < SEGMENTS; k++) {
    const [c, s] = [Math.cos(k * step), Math.sin(k * step)];
    const reach = Math.min(length / 2 / Math.abs(c), width / 2 / Math.abs(s));
    const rim = corners.includes(k)
      ? [(Math.sign(c) * length) / 2, (Math.sign(s) * width) / 2]
      : [reach * c, reach * s];
    for (const z of [-thickness / 2, thickness / 2]) {
      positions.push(holeRadius * c, holeRadius * s, z, rim[0]!, rim[1]!, z);
    }
  }
  const quad = (a: number, b: number, c: number, d: number) => triangles.push(a, b, c, a, c, d);
  for (let k = 0; k < SEGMENTS; k++) {
    const [i, j] = [4 * k, 4 * ((k + 1) % SEGMENTS)];
    // Per angle: hole below, rim below, hole above, rim above.
    quad(i + 2, i + 3, j + 3, j + 2);
    quad(i, j, j + 1, i + 1);
    quad(i + 1, j + 1, j + 3, i + 3);
    quad(i, i + 2, j + 2, j);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

export function toObj({ positions, triangles }: TriangleMesh): string {
  const rows = ['# A plate with a round hole, written by plate-mesh.ts.'];
  const digits = (x: number) => String(Number(x.toFixed(6)) + 0);
  for (let k = 0; k < positions.length; k += 3) {
    rows.push(`v ${[...positions.subarray(k, k + 3)].map(digits).join(' ')}`);
  }
  for (let k = 0; k < triangles.length; k += 3) {
    rows.push(`f ${[...triangles.subarray(k, k + 3)].map((vertex) => vertex + 1).join(' ')}`);
  }
  return `${rows.join('\n')}\n`;
}
