import { countingSort } from './edges.js';
import type { TriangleMesh } from './types.js';
import { weldVertices } from './weld.js';

/** Vertices nearer than this share of the mesh's diagonal count as one: seams of rounded coordinates. */
const WELD_SHARE = 1e-6;

/** Opposite copies beyond this share of all triangles mean a mesh drawn from both sides. */
const TWO_SIDED_SHARE = 0.4;

/**
 * Makes the mesh fit for counting crossings: one vertex per place, no triangle without area, and no
 * copies. Where a triangle occurs with both orientations it is the wall between two parts that touch
 * and is dropped, unless the whole mesh is drawn from both sides. Vertices nearer than `tolerance` [m] are one.
 */
export function cleanMesh(mesh: TriangleMesh, tolerance = WELD_SHARE * diagonal(mesh.positions)): TriangleMesh {
  const { positions, triangles } = weldVertices(mesh, tolerance);
  const proper: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const a = triangles[t]!;
    const b = triangles[t + 1]!;
    const c = triangles[t + 2]!;
    if (a !== b && b !== c && c !== a) proper.push(a, b, c);
  }
  return { positions, triangles: dropCopies(Uint32Array.from(proper), positions.length / 3) };
}

function dropCopies(triangles: Uint32Array, vertexCount: number): Uint32Array {
  const count = triangles.length / 3;
  const keys = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)] as const;
  const parity = new Int8Array(count);
  for (let t = 0; t < count; t++) {
    const a = triangles[3 * t]!;
    const b = triangles[3 * t + 1]!;
    const c = triangles[3 * t + 2]!;
    const low = Math.min(a, b, c);
    const high = Math.max(a, b, c);
    keys[0][t] = low;
    keys[1][t] = a + b + c - low - high;
    keys[2][t] = high;
    parity[t] = (a === low ? b < c : b === low ? c < a : a < b) ? 1 : -1;
  }
  const order = countingSort(
    keys[0],
    vertexCount,
    countingSort(keys[1], vertexCount, countingSort(keys[2], vertexCount)),
  );
  // 0 drop, 1 keep, 2 keep only in a two-sided mesh.
  const fate = new Uint8Array(count);
  let opposed = 0;
  for (let i = 0; i < count; ) {
    const t = order[i]!;
    let end = i + 1;
    let both = false;
    while (end < count && isSame(keys, order[end]!, t)) {
      if (parity[order[end]!] !== parity[t]) both = true;
      end++;
    }
    fate[t] = both ? 2 : 1;
    if (both) opposed += end - i;
    i = end;
  }
  const keepFrom = opposed > TWO_SIDED_SHARE * count ? 2 : 1;
  const kept: number[] = [];
  for (let t = 0; t < count; t++) {
    if (fate[t] === 0 || fate[t]! > keepFrom) continue;
    kept.push(triangles[3 * t]!, triangles[3 * t + 1]!, triangles[3 * t + 2]!);
  }
  return Uint32Array.from(kept);
}

type Keys = readonly [Uint32Array, Uint32Array, Uint32Array];

function isSame([low, middle, high]: Keys, t: number, u: number): boolean {
  return low[t] === low[u] && middle[t] === middle[u] && high[t] === high[u];
}

function diagonal(positions: Float64Array): number {
  let d2 = 0;
  for (let axis = 0; axis < 3; axis++) {
    let low = Infinity;
    let high = -Infinity;
    for (let i = axis; i < positions.length; i += 3) {
      low = Math.min(low, positions[i]!);
      high = Math.max(high, positions[i]!);
    }
    if (high > low) d2 += (high - low) * (high - low);
  }
  return Math.sqrt(d2);
}
