/** Shapes of bodies and obstacles as those of Rapier, and the mass of what is in them. */
import type { ColliderDesc, Shape as RapierShape } from '@dimforge/rapier3d-deterministic-compat';
import { scale } from '../../../math/matrix3.js';
import { sineCosine } from '../../../math/trigonometry.js';
import type { ObstacleShape, Shape, TriangleMesh, Vec3 } from '../../../options/types.js';
import { SamplingError } from '../../../sampling/error.js';
import { scaleMesh, solidShape } from '../../../sampling/solid-shape.js';
import type { MassProperties } from '../inertia.js';

/** The module, which is loaded where a scene asks for it. */
export type Rapier = typeof import('@dimforge/rapier3d-deterministic-compat');

/** Capsules around the ring of a torus: chords are within 0.25 % of its radius. */
const RING = 32;
/** Convex parts of a mesh at the most, and cells along its longest side in which they are looked for. */
const MOST_PARTS = 32;
const PART_CELLS = 64;

/** A shape in its own coordinates: box, ball, cylinder and capsule exactly, a ring as capsules. */
function primitiveOf(rapier: Rapier, shape: Exclude<Shape, { mesh: unknown }>): ColliderDesc {
  const { ColliderDesc } = rapier;
  if ('box' in shape) return ColliderDesc.cuboid(...scale(shape.box.size, 0.5));
  if ('sphere' in shape) return ColliderDesc.ball(shape.sphere.radius);
  if ('cylinder' in shape) return ColliderDesc.cylinder(shape.cylinder.length / 2, shape.cylinder.radius);
  if ('capsule' in shape) return ColliderDesc.capsule(shape.capsule.length / 2, shape.capsule.radius);
  const { radius, tube } = shape.torus;
  const { sine, cosine } = sineCosine(Math.PI / RING);
  // Ends of the chords are as far outside of the ring as their middles are inside.
  const end = (2 * radius) / (1 + cosine);
  const ring = Array.from({ length: RING }, (_, k) => {
    const turn = sineCosine((2 * Math.PI * k) / RING);
    const half = sineCosine((Math.PI * k) / RING);
    return {
      shape: new rapier.Capsule(end * sine, tube) as RapierShape,
      position: { x: end * cosine * turn.cosine, y: 0, z: end * cosine * turn.sine },
      // From y to the tangent: about x onto z, then about y with the ring.
      rotation: {
        x: half.cosine * Math.SQRT1_2,
        y: -half.sine * Math.SQRT1_2,
        z: half.sine * Math.SQRT1_2,
        w: half.cosine * Math.SQRT1_2,
      },
    };
  });
  return ColliderDesc.compound(
    ring.map((part) => part.shape),
    ring.map((part) => part.position),
    ring.map((part) => part.rotation),
  );
}

/** Convex parts of meshes, by size: many bodies may have the same. */
const decomposed = new WeakMap<TriangleMesh, Map<number | undefined, RapierShape>>();

/** The shape of a body; that of a mesh is an approximate convex decomposition. */
export function bodyShape(rapier: Rapier, shape: Shape): ColliderDesc {
  if (!('mesh' in shape)) return primitiveOf(rapier, shape);
  const { data, size } = shape.mesh;
  if (!data) throw new SamplingError('mesh has no data: read its file first');
  const known = decomposed.get(data)?.get(size);
  if (known) return new rapier.ColliderDesc(known);
  const mesh = size === undefined ? data : scaleMesh(data, size);
  const options = { maxConvexHulls: MOST_PARTS, resolution: PART_CELLS };
  const parts = rapier.ColliderDesc.convexDecomposition(Float32Array.from(mesh.positions), mesh.triangles, options);
  if (!parts) throw new SamplingError('mesh has no convex parts');
  decomposed.set(data, (decomposed.get(data) ?? new Map()).set(size, parts.shape));
  return parts;
}

/** The shape of an obstacle: planes are half spaces, meshes their triangles. */
export function obstacleShape(rapier: Rapier, shape: ObstacleShape, mesh: TriangleMesh | undefined): ColliderDesc {
  if ('plane' in shape) return new rapier.ColliderDesc(new rapier.HalfSpace({ x: 0, y: 1, z: 0 }));
  if (!('mesh' in shape)) return primitiveOf(rapier, shape);
  if (!mesh) throw new SamplingError('mesh has no data: read its file first');
  const { ColliderDesc, TriMeshFlags } = rapier;
  return ColliderDesc.trimesh(Float32Array.from(mesh.positions), mesh.triangles, TriMeshFlags.FIX_INTERNAL_EDGES);
}

/** Shortest side of a shape's bounds [m]. */
export function shortestSide(shape: Shape): number {
  const { low, high } = solidShape(shape);
  return Math.min(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

/** Centre [m] and inertia [m2] of a unit of mass that fills a shape, in coordinates whose origin is at `origin`. */
export function unitProperties(shape: Shape, origin: Vec3): MassProperties {
  const { volume, centroid, secondMoments } = solidShape(shape).measures;
  const [xx, yy, zz, xy, yz, zx] = secondMoments.map((moment) => moment / volume) as [number, ...number[]] & number[];
  return {
    mass: 1,
    centre: [centroid[0] - origin[0], centroid[1] - origin[1], centroid[2] - origin[2]],
    inertia: [yy! + zz!, -xy!, -zx!, -xy!, xx + zz!, -yz!, -zx!, -yz!, xx + yy!],
  };
}

/** How far a shape reaches from its origin along a unit vector of its own axes [m]. */
export function reachAlong(shape: Shape, [x, y, z]: Vec3): number {
  if ('box' in shape) {
    const [a, b, c] = shape.box.size;
    return (a * Math.abs(x) + b * Math.abs(y) + c * Math.abs(z)) / 2;
  }
  const across = Math.sqrt(x * x + z * z);
  if ('sphere' in shape) return shape.sphere.radius;
  if ('cylinder' in shape) return shape.cylinder.radius * across + (shape.cylinder.length / 2) * Math.abs(y);
  if ('capsule' in shape) return shape.capsule.radius + (shape.capsule.length / 2) * Math.abs(y);
  if ('torus' in shape) return shape.torus.radius * across + shape.torus.tube;
  const { data, size } = shape.mesh;
  const { positions } = size === undefined ? data! : scaleMesh(data!, size);
  let farthest = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < positions.length; k += 3) {
    farthest = Math.max(farthest, x * positions[k]! + y * positions[k + 1]! + z * positions[k + 2]!);
  }
  return farthest;
}
