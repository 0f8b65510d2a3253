/**
 * Which particles belong together, [K06] 6.6.5: a component is what hangs together by links between particles.
 *
 * Departs from [K06] in where it is decided. Flood fill over surfels finds sheets, of which a body with a cavity has
 * two; links between particles find bodies, and need no test of inside and outside. Links break when particles are
 * farther apart than a neck can be; other bodies are joined when cells of particles overlap, not before: drops that
 * only come near do not blend.
 */

/** Particles of one component hold together up to this distance, those of two join below the other [spacings]. */
const HOLD = 1.7;
const JOIN = 1;

/** Particles with as many neighbours on all sides are within matter: on a lattice they have 18, at a plane 13. */
const CLUSTERING = 17;
/** Mean way to the neighbours that is still none [spacings]. */
const LEAN = 0.15;

export interface Components {
  /** For every particle the lowest number in its component. */
  readonly labels: Int32Array;
  /** 1 for particles that may be at the surface. */
  readonly exposed: Uint8Array;
}

/** `before` has the labels of last time; those of new particles are -1. */
export function findComponents(positions: Float32Array, before: Int32Array): Components {
  const count = positions.length / 4;
  const sizes = new Uint16Array(count);
  const leans = new Float64Array(3 * count);
  const parents = Int32Array.from({ length: count }, (_, i) => i);
  const root = (i: number): number => {
    let r = i;
    while (parents[r] !== r) r = parents[r]!;
    for (let k = i; parents[k] !== r; ) [k, parents[k]] = [parents[k]!, r];
    return r;
  };
  forPairs(positions, HOLD, (i, j, square) => {
    for (const [one, other] of [
      [i, j],
      [j, i],
    ] as const) {
      sizes[one]!++;
      for (let a = 0; a < 3; a++) leans[3 * one + a]! += positions[4 * other + a]! - positions[4 * one + a]!;
    }
    const known = before[i]! >= 0 && before[j]! >= 0 && before[i] !== before[j];
    if (known && square >= JOIN * JOIN) return;
    const [a, b] = [root(i), root(j)];
    if (a !== b) parents[Math.max(a, b)] = Math.min(a, b);
  });
  const exposed = Uint8Array.from({ length: count }, (_, i) => {
    const lean = Math.sqrt(leans[3 * i]! ** 2 + leans[3 * i + 1]! ** 2 + leans[3 * i + 2]! ** 2);
    return sizes[i]! < CLUSTERING || lean > LEAN * sizes[i]! ? 1 : 0;
  });
  return { labels: parents.map((_, i) => root(i)), exposed };
}

/** Calls `visit` with every pair of positions (quadruples) nearer than `reach`, the higher number first. */
function forPairs(positions: Float32Array, reach: number, visit: (i: number, j: number, square: number) => void): void {
  const cells = new Map<number, number[]>();
  // Exact for a million cells along each axis.
  const key = (x: number, y: number, z: number) => (x * 1_048_583 + y) * 1_048_583 + z;
  for (let i = 0; 4 * i < positions.length; i++) {
    const [x, y, z] = [positions[4 * i]!, positions[4 * i + 1]!, positions[4 * i + 2]!];
    if (Number.isNaN(x)) continue;
    const [cx, cy, cz] = [Math.floor(x / reach), Math.floor(y / reach), Math.floor(z / reach)];
    for (let a = cx - 1; a <= cx + 1; a++) {
      for (let b = cy - 1; b <= cy + 1; b++) {
        for (let c = cz - 1; c <= cz + 1; c++) {
          const cell = cells.get(key(a, b, c));
          if (!cell) continue;
          for (const j of cell) {
            const dx = positions[4 * j]! - x;
            const dy = positions[4 * j + 1]! - y;
            const dz = positions[4 * j + 2]! - z;
            const square = dx * dx + dy * dy + dz * dz;
            if (square < reach * reach) visit(i, j, square);
          }
        }
      }
    }
    const own = cells.get(key(cx, cy, cz));
    if (own) own.push(i);
    else cells.set(key(cx, cy, cz), [i]);
  }
}

/** Numbers of the sheets of a surface by flood fill: surfels that are near and face the same way hang together. */
export function findSheets(
  positions: Float32Array,
  normals: Float32Array,
  labels: ArrayLike<number>,
  reach: number,
): Int32Array {
  const count = positions.length / 4;
  const parents = Int32Array.from({ length: count }, (_, i) => i);
  const root = (i: number): number => {
    let r = i;
    while (parents[r] !== r) r = parents[r]!;
    for (let k = i; parents[k] !== r; ) [k, parents[k]] = [parents[k]!, r];
    return r;
  };
  forPairs(positions, reach, (i, j) => {
    if (labels[i] !== labels[j]) return;
    const cosine =
      normals[4 * i]! * normals[4 * j]! +
      normals[4 * i + 1]! * normals[4 * j + 1]! +
      normals[4 * i + 2]! * normals[4 * j + 2]!;
    if (cosine < 0) return;
    const [a, b] = [root(i), root(j)];
    if (a !== b) parents[Math.max(a, b)] = Math.min(a, b);
  });
  return parents.map((_, i) => root(i));
}
