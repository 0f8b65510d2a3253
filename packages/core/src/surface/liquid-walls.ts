/** Walls of liquids: mirror images of particles beyond them, and the sharp edges that surfaces have at them. */
import { MOST_MIRRORS, WALL_BITS } from '../particles/liquid-surface-layout.js';
import type { PlaneAt } from './shape-mesh.js';
import type { SurfaceMesh } from './surface-mesh.js';

export interface MirrorImages {
  /** xyz per image [m]. */
  readonly positions: ArrayLike<number>;
  /** Number of the liquid that it is of. */
  readonly liquids: ArrayLike<number>;
  /** Its particle, counted over all liquids. */
  readonly sources: ArrayLike<number>;
  /** The walls that it was mirrored in, the first in the lowest WALL_BITS bits, plus one. */
  readonly mirrors: ArrayLike<number>;
}

/** Particles farther behind a wall than this share of the reach have no image, nor are there images as far before one. */
const BEHIND = 0.1;

/**
 * Images of particles within `reach` [m] of walls. Along an edge images are mirrored again, and in a corner a third time.
 * In corners that are not square an image may come to lie before a wall that it is of: it is left out.
 */
export function mirrorImages(
  liquids: readonly { readonly positions: Float32Array }[],
  walls: readonly PlaneAt[],
  reach: number,
): MirrorImages {
  const images = {
    positions: [] as number[],
    liquids: [] as number[],
    sources: [] as number[],
    mirrors: [] as number[],
  };
  const heights = walls.map(({ point, normal }) => normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2]);
  const over = (k: number, x: number, y: number, z: number) => {
    const [nx, ny, nz] = walls[k]!.normal;
    return nx * x + ny * y + nz * z - heights[k]!;
  };
  const behind = BEHIND * reach;
  const add = (k: number, x: number, y: number, z: number, liquid: number, source: number, mirrors: number) => {
    const height = over(k, x, y, z);
    if (!(height < reach && height > -behind)) return;
    const [nx, ny, nz] = walls[k]!.normal;
    const image = [x - 2 * height * nx, y - 2 * height * ny, z - 2 * height * nz] as const;
    let shift = 0;
    for (let rest = mirrors; rest !== 0; rest >>>= WALL_BITS, shift += WALL_BITS) {
      if (over((rest & ((1 << WALL_BITS) - 1)) - 1, ...image) > behind) return;
    }
    if (shift >= MOST_MIRRORS * WALL_BITS) return;
    images.positions.push(...image);
    images.liquids.push(liquid);
    images.sources.push(source);
    images.mirrors.push(mirrors | ((k + 1) << shift));
  };
  for (const k of walls.keys()) {
    const before = images.sources.length;
    let source = 0;
    for (const [liquid, { positions: p }] of liquids.entries()) {
      for (let i = 0; i < p.length; i += 3, source++) add(k, p[i]!, p[i + 1]!, p[i + 2]!, liquid, source, 0);
    }
    const { positions: p } = images;
    for (let i = 0; i < before; i++) {
      add(k, p[3 * i]!, p[3 * i + 1]!, p[3 * i + 2]!, images.liquids[i]!, images.sources[i]!, images.mirrors[i]!);
    }
  }
  return images;
}

/** Vertices nearer to a wall than this are on it [spacings]. */
const ON = 0.005;
/** Cosine between directions that are one. */
const SAME = 0.9999;

/** Which vertices of a surface are on a wall. */
export function verticesOnWall(
  { positions: p }: Pick<SurfaceMesh, 'positions'>,
  wall: PlaneAt,
  spacing: number,
): Uint8Array {
  const { point, normal: n } = wall;
  const on = new Uint8Array(p.length / 3);
  for (let v = 0; v < on.length; v++) {
    const [x, y, z] = [p[3 * v]! - point[0], p[3 * v + 1]! - point[1], p[3 * v + 2]! - point[2]];
    if (Math.abs(x * n[0] + y * n[1] + z * n[2]) < ON * spacing) on[v] = 1;
  }
  return on;
}

/**
 * The surface with vertices of their own for the triangles on each wall, so that these are shaded flat, and the surface
 * beside them as if they were not there. Seen as numbers of vertices it is not closed any more.
 */
export function splitAtWalls(mesh: SurfaceMesh, walls: readonly PlaneAt[], spacing: number): SurfaceMesh {
  const { normals, indices: given } = mesh;
  const count = mesh.positions.length / 3;
  const indices = given.slice();
  /** Vertices that are there once more, and their other normals. */
  const copied: number[] = [];
  const turned: number[] = [];
  for (const wall of walls) {
    const [x, y, z] = wall.normal;
    const on = verticesOnWall(mesh, wall, spacing);
    const copies = new Map<number, number>();
    for (let t = 0; t < given.length; t += 3) {
      if (!(on[given[t]!] && on[given[t + 1]!] && on[given[t + 2]!])) continue;
      for (let k = t; k < t + 3; k++) {
        const v = given[k]!;
        if (-(normals[3 * v]! * x + normals[3 * v + 1]! * y + normals[3 * v + 2]! * z) > SAME) continue;
        let copy = copies.get(v);
        if (copy === undefined) {
          copy = count + copied.length;
          copies.set(v, copy);
          copied.push(v);
          turned.push(-x, -y, -z);
        }
        indices[k] = copy;
      }
    }
  }
  const attributes = Object.entries(mesh.attributes).map(([name, { components, values }]) => {
    return [name, { components, values: joined(values, copiesOf(values, components, copied)) }] as const;
  });
  return {
    positions: joined(mesh.positions, copiesOf(mesh.positions, 3, copied)),
    normals: joined(normals, turned),
    indices,
    attributes: Object.fromEntries(attributes),
  };
}

function copiesOf(values: Float32Array, components: number, copied: readonly number[]): Float32Array {
  const copies = new Float32Array(components * copied.length);
  for (const [k, v] of copied.entries()) {
    for (let c = 0; c < components; c++) copies[components * k + c] = values[components * v + c]!;
  }
  return copies;
}

function joined(a: Float32Array, b: ArrayLike<number>): Float32Array {
  const both = new Float32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
