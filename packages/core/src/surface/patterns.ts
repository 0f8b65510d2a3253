import { PATTERN_STRIDE } from '../particles/liquid-surface-layout.js';

/**
 * The triangles of marching cubes, derived instead of listed. Corner c of a cell is at (c & 1, c >> 1 & 1,
 * c >> 2); edges are numbered 4 axis + u + 2 v, with u and v where the edge is along the other two axes.
 *
 * On every face the surface cuts off each run of inside corners, also where two of them are opposite: both
 * cells at the face see the same corners and cut alike, so no gap is possible. The cuts of all faces join to
 * loops, which are filled with triangles. No diagonal of a loop lies in a face, where the loop of the other
 * cell might have the same one: every edge then has exactly two triangles.
 */

const AXES = [0, 1, 2] as const;

/** Edge between two neighbouring corners. */
function edgeOf(a: number, b: number): number {
  const axis = AXES.find((k) => (a ^ b) === 1 << k)!;
  const [p, q] = AXES.filter((k) => k !== axis) as [number, number];
  const low = Math.min(a, b);
  return 4 * axis + ((low >> p) & 1) + 2 * ((low >> q) & 1);
}

/** Corners of the six faces, anticlockwise as seen from outside the cell. */
const FACES = AXES.flatMap((axis) => {
  const [p, q] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)];
  const far = 1 << axis;
  return [
    [far, far | p, far | p | q, far | q],
    [0, q, p | q, p],
  ];
});

/** The faces that an edge is on, as bits. */
const FACES_OF_EDGE = Array.from({ length: 12 }, (_, edge) =>
  FACES.reduce(
    (bits, face, f) => (face.some((c, k) => edgeOf(c, face[(k + 1) % 4]!) === edge) ? bits | (1 << f) : bits),
    0,
  ),
);

/** Loops of crossed edges, anticlockwise as seen from outside the liquid. */
export function loopsOf(inside: (corner: number) => boolean): number[][] {
  const next = new Map<number, number>();
  for (const face of FACES) {
    for (let k = 0; k < 4; k++) {
      // A run of inside corners begins at k.
      if (!inside(face[k]!) || inside(face[(k + 3) % 4]!)) continue;
      let end = k;
      while (inside(face[(end + 1) % 4]!)) end++;
      next.set(edgeOf(face[(k + 3) % 4]!, face[k]!), edgeOf(face[end % 4]!, face[(end + 1) % 4]!));
    }
  }
  const loops: number[][] = [];
  while (next.size > 0) {
    const loop: number[] = [];
    let edge = next.keys().next().value!;
    while (next.has(edge)) {
      loop.push(edge);
      const following = next.get(edge)!;
      next.delete(edge);
      edge = following;
    }
    loops.push(loop);
  }
  return loops;
}

/** Triangles that fill a loop, with no diagonal in a face; none when that is not possible. */
export function fill(loop: readonly number[]): number[][] | undefined {
  if (loop.length < 3) return [];
  const isDiagonal = (a: number, b: number) =>
    (b - a + loop.length) % loop.length !== 1 && (a - b + loop.length) % loop.length !== 1;
  const allowed = (a: number, b: number) =>
    !isDiagonal(a, b) || (FACES_OF_EDGE[loop[a]!]! & FACES_OF_EDGE[loop[b]!]!) === 0;
  const between = (a: number, b: number): number[][] | undefined => {
    if (b - a < 2) return [];
    for (let c = a + 1; c < b; c++) {
      if (!allowed(a, c) || !allowed(c, b)) continue;
      const [first, second] = [between(a, c), between(c, b)];
      if (first && second) return [...first, [loop[a]!, loop[c]!, loop[b]!], ...second];
    }
    return undefined;
  };
  return between(0, loop.length - 1);
}

/** The triangles of all 256 patterns: how many, then three edges each, PATTERN_STRIDE bytes a pattern. */
export function trianglePatterns(): Uint8Array {
  const table = new Uint8Array(256 * PATTERN_STRIDE);
  for (let pattern = 0; pattern < 256; pattern++) {
    const triangles = loopsOf((corner) => ((pattern >> corner) & 1) === 1).flatMap((loop) => {
      const filled = fill(loop);
      if (!filled) throw new Error(`pattern ${pattern} has a loop that triangles cannot fill`);
      return filled;
    });
    table[pattern * PATTERN_STRIDE] = triangles.length;
    table.set(triangles.flat(), pattern * PATTERN_STRIDE + 1);
  }
  return table;
}
