/**
 * What the vertex shader of deformed meshes computes, on the processor: for rays, which must meet a body where it is
 * seen, and for files. Done when somebody asks, at most once for every frame.
 */
import type { BoundMesh, WorldDescription, WorldFrame } from 'phyxel/browser';
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  type DataTexture,
  type Intersection,
  Matrix4,
  Mesh,
  Ray,
  type Raycaster,
  Sphere,
  Vector3,
  Vector4,
} from 'three';

/**
 * Vertices and normals as the affine maps of their particles put them: 12 numbers each, from `firstAffine` on. What is a
 * little below planes, which are unit normals and offsets along them, is laid on them.
 */
export function deformVertices(
  mesh: BoundMesh,
  affines: ArrayLike<number>,
  firstAffine: number,
  positions: Float32Array,
  normals: Float32Array,
  planes: readonly Vector4[] = [],
): void {
  const { neighbors, particles, weights, positions: rest, normals: restNormals, reach = 0 } = mesh;
  const a = new Float64Array(12);
  for (let v = 0; v < rest.length / 3; v++) {
    a.fill(0);
    for (let n = neighbors * v; n < neighbors * (v + 1); n++) {
      const weight = weights[n]!;
      if (weight === 0) continue;
      const at = 12 * (firstAffine + particles[n]!);
      for (let k = 0; k < 12; k++) a[k]! += weight * affines[at + k]!;
    }
    moveVertex(a, rest, restNormals, v, positions, normals);
    for (const plane of reach > 0 ? planes : []) lay(plane, reach, positions, 3 * v);
  }
}

function lay({ x, y, z, w }: Vector4, reach: number, p: Float32Array, i: number): void {
  const depth = w - x * p[i]! - y * p[i + 1]! - z * p[i + 2]!;
  if (!(depth > 0 && depth < reach)) return;
  p[i]! += depth * x;
  p[i + 1]! += depth * y;
  p[i + 2]! += depth * z;
}

/** The planes among the obstacles of a world, where they are in a frame; at most as many as shaders take. */
export function framePlanes({ obstacles }: WorldDescription, frame: WorldFrame): Vector4[] {
  const planes = obstacles.flatMap(({ plane }, k) => {
    if (!plane) return [];
    const motion = matrixOf(frame.obstacles, 12 * k);
    const point = new Vector3(...plane.point).applyMatrix4(motion);
    const normal = new Vector3(...plane.normal).transformDirection(motion);
    return [new Vector4(normal.x, normal.y, normal.z, point.dot(normal))];
  });
  return planes.slice(0, MOST_PLANES);
}

/** Three rows of an affine map. */
export function matrixOf(rows: Float32Array, at: number): Matrix4 {
  const r = (k: number) => rows[at + k]!;
  return new Matrix4().set(r(0), r(1), r(2), r(3), r(4), r(5), r(6), r(7), r(8), r(9), r(10), r(11), 0, 0, 0, 1);
}

/** What is needed of the uniforms of a deformed material. */
interface Sources {
  readonly phyxelAffines: { readonly value: DataTexture };
  readonly phyxelPlanes?: { readonly value: readonly Vector4[] };
  readonly phyxelPlaneCount?: { readonly value: number };
}

/** Planes that shaders take, at the most. */
export const MOST_PLANES = 8;

/** One vertex by the three rows of an affine map; its normal by their cofactors. */
export function moveVertex(
  a: ArrayLike<number>,
  rest: Float32Array,
  restNormals: Float32Array,
  v: number,
  positions: Float32Array,
  normals: Float32Array,
): void {
  const [x, y, z] = [rest[3 * v]!, rest[3 * v + 1]!, rest[3 * v + 2]!];
  const [nx, ny, nz] = [restNormals[3 * v]!, restNormals[3 * v + 1]!, restNormals[3 * v + 2]!];
  for (let r = 0; r < 3; r++) {
    positions[3 * v + r] = a[4 * r]! * x + a[4 * r + 1]! * y + a[4 * r + 2]! * z + a[4 * r + 3]!;
    const [p, q] = [4 * ((r + 1) % 3), 4 * ((r + 2) % 3)];
    normals[3 * v + r] =
      (a[p + 1]! * a[q + 2]! - a[p + 2]! * a[q + 1]!) * nx +
      (a[p + 2]! * a[q]! - a[p]! * a[q + 2]!) * ny +
      (a[p]! * a[q + 1]! - a[p + 1]! * a[q]!) * nz;
  }
  const length = Math.sqrt(normals[3 * v]! ** 2 + normals[3 * v + 1]! ** 2 + normals[3 * v + 2]! ** 2);
  // A normal without a direction points up.
  if (length > 0) for (let r = 0; r < 3; r++) normals[3 * v + r]! /= length;
  else normals.set([0, 1, 0], 3 * v);
}

/** A bound mesh as it is in the frame that was uploaded last. */
export class DeformedShape {
  readonly #mesh: BoundMesh;
  readonly #sources: Sources;
  readonly #firstAffine: number;
  /** The particles that vertices follow, and the boxes of those vertices at rest: low xyz, high xyz. */
  readonly #followed: Uint32Array;
  readonly #boxes: Float32Array;
  readonly #box = new Box3();
  #boxVersion = -1;
  #version = -1;
  #probe: Mesh<BufferGeometry> | undefined;

  constructor(mesh: BoundMesh, sources: Sources, firstAffine: number) {
    this.#mesh = mesh;
    this.#sources = sources;
    this.#firstAffine = firstAffine;
    const { particles, weights, neighbors, positions } = mesh;
    const most = particles.reduce((high, j) => Math.max(high, j), 0);
    const boxes = new Float32Array(6 * (most + 1));
    for (let k = 0; k < boxes.length; k++) boxes[k] = k % 6 < 3 ? Infinity : -Infinity;
    for (let n = 0; n < particles.length; n++) {
      if (weights[n] === 0) continue;
      const at = 6 * particles[n]!;
      const v = 3 * Math.floor(n / neighbors);
      for (let k = 0; k < 3; k++) {
        boxes[at + k] = Math.min(boxes[at + k]!, positions[v + k]!);
        boxes[at + 3 + k] = Math.max(boxes[at + 3 + k]!, positions[v + k]!);
      }
    }
    this.#boxes = boxes;
    this.#followed = Uint32Array.from({ length: most + 1 }, (_, j) => j).filter((j) => boxes[6 * j]! < Infinity);
  }

  /** The box around it. A vertex is a mean of where its particles would put it, so it is inside of theirs. */
  get box(): Box3 {
    const { version, image } = this.#sources.phyxelAffines.value;
    if (version === this.#boxVersion) return this.#box;
    this.#boxVersion = version;
    const a = image.data as Float32Array;
    const boxes = this.#boxes;
    const [low, high] = [this.#box.makeEmpty().min, this.#box.max];
    for (const j of this.#followed) {
      const at = 12 * (this.#firstAffine + j);
      for (let r = 0; r < 3; r++) {
        let least = a[at + 4 * r + 3]!;
        let most = least;
        for (let k = 0; k < 3; k++) {
          const s = a[at + 4 * r + k]!;
          const [from, to] = [s * boxes[6 * j + k]!, s * boxes[6 * j + 3 + k]!];
          least += Math.min(from, to);
          most += Math.max(from, to);
        }
        low.setComponent(r, Math.min(low.getComponent(r), least));
        high.setComponent(r, Math.max(high.getComponent(r), most));
      }
    }
    return this.#box.expandByScalar(this.#mesh.reach ?? 0);
  }

  /** Vertices and normals of now; valid until the next frame. */
  get geometry(): BufferGeometry {
    return this.#deformed().geometry;
  }

  /** The hits of a ray on the triangles of an index, as those of an object, which has been given the frame. */
  raycast(object: Mesh, index: BufferAttribute, raycaster: Raycaster, intersections: Intersection[]): void {
    // Before the first frame there is nothing.
    if (this.#sources.phyxelAffines.value.version === 0) return;
    ray.copy(raycaster.ray).applyMatrix4(inverse.copy(object.matrixWorld).invert());
    if (!ray.intersectsBox(this.box)) return;
    const probe = this.#deformed();
    probe.material = object.material;
    probe.matrixWorld = object.matrixWorld;
    probe.geometry.setIndex(index);
    const hits: Intersection[] = [];
    Mesh.prototype.raycast.call(probe, raycaster, hits);
    for (const hit of hits) intersections.push({ ...hit, object });
  }

  get #planes(): readonly Vector4[] {
    const { phyxelPlanes, phyxelPlaneCount } = this.#sources;
    return phyxelPlanes?.value.slice(0, phyxelPlaneCount?.value) ?? [];
  }

  #deformed(): Mesh<BufferGeometry> {
    const { version, image } = this.#sources.phyxelAffines.value;
    this.#probe ??= this.#makeProbe();
    if (version === this.#version) return this.#probe;
    this.#version = version;
    const { geometry } = this.#probe;
    deformVertices(
      this.#mesh,
      image.data as Float32Array,
      this.#firstAffine,
      geometry.getAttribute('position').array as Float32Array,
      geometry.getAttribute('normal').array as Float32Array,
      this.#planes,
    );
    geometry.boundingSphere = this.box.getBoundingSphere(new Sphere());
    return this.#probe;
  }

  /** Never drawn: three's own tests of rays need a mesh. */
  #makeProbe(): Mesh<BufferGeometry> {
    const { positions, uvs, indices } = this.#mesh;
    const geometry = new BufferGeometry();
    for (const name of ['position', 'normal']) {
      geometry.setAttribute(name, new BufferAttribute(new Float32Array(positions.length), 3));
    }
    if (uvs) geometry.setAttribute('uv', new BufferAttribute(uvs, 2));
    geometry.setIndex(new BufferAttribute(indices, 1));
    return new Mesh(geometry);
  }
}

const inverse = new Matrix4();
const ray = new Ray();
