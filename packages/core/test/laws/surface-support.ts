import type { SurfaceMesh } from '../../src/surface/liquid.js';
import { randomNumbers } from './support.js';

/** What a closed mesh is like. */
export interface MeshFacts {
  readonly volume: number;
  readonly area: number;
  readonly euler: number;
  /** Edges that do not have exactly one triangle along each direction. */
  readonly faults: number;
  readonly parts: number;
}

export function meshFacts({ positions: p, indices }: SurfaceMesh): MeshFacts {
  const count = p.length / 3;
  const edges = new Map<number, number>();
  const parent = Uint32Array.from({ length: count }, (_, i) => i);
  const root = (i: number): number => {
    let r = i;
    while (parent[r] !== r) {
      parent[r] = parent[parent[r]!]!;
      r = parent[r]!;
    }
    return r;
  };
  let volume = 0;
  let area = 0;
  for (let k = 0; k < indices.length; k += 3) {
    const corners = [indices[k]!, indices[k + 1]!, indices[k + 2]!];
    for (const [n, i] of corners.entries()) {
      const j = corners[(n + 1) % 3]!;
      const key = i * count + j;
      edges.set(key, (edges.get(key) ?? 0) + 1);
      parent[root(i)] = root(j);
    }
    const [a, b, c] = corners.map((i) => [p[3 * i]!, p[3 * i + 1]!, p[3 * i + 2]!]) as [number[], number[], number[]];
    const [u, v] = [b, c].map((q) => q.map((x, d) => x - a[d]!)) as [number[], number[]];
    const n = [0, 1, 2].map((d) => u[(d + 1) % 3]! * v[(d + 2) % 3]! - u[(d + 2) % 3]! * v[(d + 1) % 3]!);
    area += Math.hypot(...n) / 2;
    volume += n.reduce((sum, x, d) => sum + (x * a[d]!) / 6, 0);
  }
  let faults = 0;
  for (const [key, times] of edges) {
    const [i, j] = [Math.floor(key / count), key % count];
    if (times !== 1 || edges.get(j * count + i) !== 1) faults++;
  }
  const used = new Set(indices);
  if (used.size !== count) faults++;
  return {
    volume,
    area,
    faults,
    euler: count - edges.size / 2 + indices.length / 3,
    parts: new Set([...used].map((i) => root(i))).size,
  };
}

/** Crossings of a ray with the mesh, outwards less inwards: 1 from inside, 0 from outside. */
export function crossings({ positions: p, indices }: SurfaceMesh, from: number[], along: number[]): number {
  const at = (i: number) => [0, 1, 2].map((a) => p[3 * i + a]! - from[a]!) as [number, number, number];
  const triple = (a: number[], b: number[], c: number[]) =>
    a[0]! * (b[1]! * c[2]! - b[2]! * c[1]!) +
    a[1]! * (b[2]! * c[0]! - b[0]! * c[2]!) +
    a[2]! * (b[0]! * c[1]! - b[1]! * c[0]!);
  let sum = 0;
  for (let k = 0; k < indices.length; k += 3) {
    const [a, b, c] = [at(indices[k]!), at(indices[k + 1]!), at(indices[k + 2]!)];
    const sides = [triple(along, a, b), triple(along, b, c), triple(along, c, a)];
    const out = sides.every((s) => s > 0);
    if (!out && !sides.every((s) => s < 0)) continue;
    // The plane of the triangle is met ahead, not behind.
    const height = triple(a, b, c);
    if (out ? height > 0 : height < 0) sum += out ? 1 : -1;
  }
  return sum;
}

/** Positions of a cubic lattice inside a shape; the spacing is 1. */
export function latticeIn(
  inside: (x: number, y: number, z: number) => boolean,
  reach: number,
  jitter = 0,
): Float32Array {
  const random = randomNumbers(5);
  const positions: number[] = [];
  for (let x = -reach; x <= reach; x++) {
    for (let y = -reach; y <= reach; y++) {
      for (let z = -reach; z <= reach; z++) {
        const position = [x + 0.37, y + 0.21, z + 0.13] as const;
        if (inside(...position)) positions.push(...position.map((c) => c + jitter * (2 * random() - 1)));
      }
    }
  }
  return Float32Array.from(positions);
}

export function boxOf(nx: number, ny: number, nz: number, jitter = 0): Float32Array {
  const random = randomNumbers(7);
  const positions: number[] = [];
  for (let x = 0; x < nx; x++) {
    for (let y = 0; y < ny; y++) {
      for (let z = 0; z < nz; z++) positions.push(...[x, y, z].map((c) => c + jitter * (2 * random() - 1)));
    }
  }
  return Float32Array.from(positions);
}

/** A ball of shells one spacing thick, each with as many particles as it has volume; the spacing is 1. */
export function shells(radius: number): Float32Array {
  const golden = Math.PI * (3 - Math.sqrt(5));
  const positions: number[] = [];
  for (let s = 0; s < radius; s++) {
    const cubes = [s ** 3, (s + 1) ** 3] as const;
    const count = Math.round((4 / 3) * Math.PI * (cubes[1] - cubes[0]));
    const middle = Math.cbrt((cubes[0] + cubes[1]) / 2);
    for (let k = 0; k < count; k++) {
      const y = 1 - (2 * (k + 0.5)) / count;
      const r = Math.sqrt(1 - y * y);
      const turn = golden * k + s;
      positions.push(middle * r * Math.cos(turn), middle * y, middle * r * Math.sin(turn));
    }
  }
  return Float32Array.from(positions);
}
