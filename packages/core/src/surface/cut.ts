import { PATTERN_STRIDE } from '../particles/liquid-surface-layout.js';
import { cubeRoot } from '../sampling/cube-root.js';
import { trianglePatterns } from './patterns.js';

/**
 * Triangles cut the roundings off what is only a few cells wide. So that single particles and threads of them
 * keep their volume, they are made wider by as much: here by how much that is, on average over all positions that
 * they may have in the grid.
 */

/** Positions in a cell along each axis that averages are taken over. */
const CORNERS = 3;
/** Corrections of the radius: each leaves a fifth of the error or less. */
const CORRECTIONS = 4;
/** Cells from this share of the radius on are fine: what they cut off falls with their square. */
const FINE = 0.4;
/** Widest that anything gets, over its true radius: there are no kernels farther out. */
const MOST = 1.35;

type Triple = [number, number, number];

/** Crossing of an edge of the grid by a ball, or by a cylinder along x, about the origin. */
function crossing(low: Triple, axis: number, cell: number, radius: number, axes: readonly number[]): Triple {
  const others = axes.reduce((sum, a) => (a === axis ? sum : sum + low[a]! * low[a]!), 0);
  const along = Math.sqrt(Math.max(0, radius * radius - others));
  const position: Triple = [...low];
  position[axis] = low[axis]! + cell / 2 > 0 ? along : -along;
  return position;
}

/** Volume within the triangles of a ball, or of a cylinder over its length, with the grid's nodes `shift` off its centre. */
function cutVolume(radius: number, cell: number, shift: Triple, dimensions: 2 | 3, patterns: Uint8Array): number {
  const axes = dimensions === 3 ? [0, 1, 2] : [1, 2];
  const reach = Math.ceil(radius / cell) + 1;
  const nodes = Array.from({ length: 2 * reach + 1 }, (_, k) => k - reach);
  // Squares of the coordinates of nodes by axis; a cylinder has none along x.
  const squares = [0, 1, 2].map((a) =>
    Array.from({ length: 2 * reach + 2 }, (_, k) => (axes.includes(a) ? ((k - reach) * cell + shift[a]!) ** 2 : 0)),
  ) as [number[], number[], number[]];
  let volume = 0;
  for (const i of dimensions === 3 ? nodes : [0]) {
    for (const j of nodes) {
      for (const k of nodes) {
        let pattern = 0;
        for (let c = 0; c < 8; c++) {
          const x2 = squares[0][i + reach + (c & 1)]!;
          const y2 = squares[1][j + reach + ((c >> 1) & 1)]!;
          const z2 = squares[2][k + reach + (c >> 2)]!;
          if (x2 + y2 + z2 <= radius * radius) pattern |= 1 << c;
        }
        if (pattern === 0 || pattern === 255) continue;
        const corner = [i, j, k].map((n, a) => n * cell + shift[a]!) as Triple;
        const at = (c: number) => corner.map((x, a) => x + ((c >> a) & 1) * cell) as Triple;
        const begin = pattern * PATTERN_STRIDE + 1;
        for (let t = 0; t < patterns[begin - 1]!; t++) {
          const [p, q, r] = [0, 1, 2].map((n) => {
            const edge = patterns[begin + 3 * t + n]!;
            const axis = edge >> 2;
            const [u, v] = [0, 1, 2].filter((a) => a !== axis) as [number, number];
            const low = at(((edge & 1) << u) | (((edge >> 1) & 1) << v));
            return crossing(low, axis, cell, radius, axes);
          }) as [Triple, Triple, Triple];
          // The flux of the position itself, at the middle of the triangle.
          for (const a of axes) {
            const [b, c] = [(a + 1) % 3, (a + 2) % 3] as [number, number];
            const area = ((q[b]! - p[b]!) * (r[c]! - p[c]!) - (q[c]! - p[c]!) * (r[b]! - p[b]!)) / 2;
            volume += (area * (p[a]! + q[a]! + r[a]!)) / 3 / dimensions;
          }
        }
      }
    }
  }
  return dimensions === 3 ? volume : volume / cell;
}

/** Radius with which the triangles of a ball, or of a long cylinder, have the volume of one with a radius. */
export function widened(radius: number, cell: number, dimensions: 2 | 3): number {
  const fine = FINE * radius;
  if (cell < fine) return radius + (widened(radius, fine, dimensions) - radius) * (cell / fine) * (cell / fine);
  const patterns = trianglePatterns();
  const wanted = dimensions === 3 ? (4 / 3) * Math.PI * radius * radius * radius : Math.PI * radius * radius;
  const offsets = Array.from({ length: CORNERS }, (_, k) => ((k + 0.5) / CORNERS - 0.5) * cell);
  let wider = radius;
  for (let n = 0; n < CORRECTIONS; n++) {
    let sum = 0;
    for (const x of offsets) {
      for (const y of offsets) for (const z of offsets) sum += cutVolume(wider, cell, [x, y, z], dimensions, patterns);
    }
    const ratio = wanted / (sum / (CORNERS * CORNERS * CORNERS));
    const factor = dimensions === 3 ? cubeRoot(Math.min(ratio, 8)) : Math.sqrt(Math.min(ratio, 8));
    wider = Math.min(wider * factor, MOST * radius);
  }
  return wider;
}
