import { MeshError } from '../mesh/error.js';
import { forEachMeshLayer, isInside } from '../mesh/inside.js';
import { type Measures, measureSolid } from '../mesh/measures.js';
import type { PointGrid } from '../mesh/rows.js';
import { boundsOf, type MeshSolid, prepareSolid } from '../mesh/solid.js';
import type { Shape, TriangleMesh, Vec3 } from '../options/types.js';
import { SamplingError } from './error.js';

/** Steps in which a line is looked at for where it leaves a basic shape. */
const STEPS = 64;

/** A mesh ends in planes where this share of what faces there does, and is this much off them [extents]. */
const MOSTLY = 0.5;
const FLATNESS = 1e-5;

/** What sampling needs to know of a shape, in the shape's own coordinates. */
export interface SolidShape {
  /** For messages: 'box', 'mesh', ... */
  readonly name: string;
  readonly low: Vec3;
  readonly high: Vec3;
  readonly measures: Measures;
  /** How thick it is where it is thin [m]; for meshes an estimate. */
  readonly thickness: number;
  /** Axes along which the shape ends in planes across its whole bounds: there the lattice is fitted. */
  readonly flat: readonly [boolean, boolean, boolean];
  readonly warnings: readonly string[];
  /** Classifies the points of a grid by layers of constant z: 1 inside, x fastest; the array is reused. */
  forEachLayer(grid: PointGrid, visit: (k: number, inside: Uint8Array) => void): void;
  /** Whether one point is inside; slower than by layers. */
  contains(point: Vec3): boolean;
  /** At least how far the surface is from a point inside, `limit` at the most [m]. */
  depth(point: Vec3, limit: number): number;
  /** The nearest point of the surface to a point inside; undefined for one that is farther than `limit` [m], or any. */
  nearest(point: Vec3, limit: number): Vec3 | undefined;
  /** Where the line from one point to another crosses the surface, as shares of the way. */
  crossings(from: Vec3, to: Vec3): number[];
}

export function solidShape(shape: Shape): SolidShape {
  if ('box' in shape) return boxShape(shape.box.size);
  if ('sphere' in shape) return sphereShape(shape.sphere.radius);
  if ('cylinder' in shape) return cylinderShape(shape.cylinder.radius, shape.cylinder.length);
  if ('capsule' in shape) return capsuleShape(shape.capsule.radius, shape.capsule.length);
  if ('torus' in shape) return torusShape(shape.torus.radius, shape.torus.tube);
  if (!shape.mesh.data) throw new SamplingError('mesh has no data: read its file first');
  return meshShape(shape.mesh.data, shape.mesh.size);
}

function boxShape(size: Vec3): SolidShape {
  for (const s of size) positive(s, 'box size');
  const [x, y, z] = size;
  const volume = x * y * z;
  return primitive(
    'box',
    [x / 2, y / 2, z / 2],
    volume,
    [(volume * x * x) / 12, (volume * y * y) / 12, (volume * z * z) / 12],
    Math.min(x, y, z),
    [true, true, true],
    (px, py, pz) => Math.abs(px) <= x / 2 && Math.abs(py) <= y / 2 && Math.abs(pz) <= z / 2,
    (point) => {
      const gaps = point.map((p, a) => size[a]! / 2 - Math.abs(p));
      const axis = gaps.indexOf(Math.min(...gaps));
      return point.map((p, a) => (a === axis ? (Math.sign(p) * size[a]!) / 2 : p)) as unknown as Vec3;
    },
  );
}

/** Moves a point away from another, to this distance of it; undefined where they are the same. */
function awayFrom([x, y, z]: Vec3, [a, b, c]: Vec3, distance: number): Vec3 | undefined {
  const far = Math.sqrt((x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2);
  if (far === 0) return undefined;
  const s = distance / far;
  return [a + s * (x - a), b + s * (y - b), c + s * (z - c)];
}

function sphereShape(radius: number): SolidShape {
  positive(radius, 'sphere radius');
  const volume = (4 / 3) * Math.PI * radius * radius * radius;
  const second = (volume * radius * radius) / 5;
  return primitive(
    'sphere',
    [radius, radius, radius],
    volume,
    [second, second, second],
    2 * radius,
    [false, false, false],
    (x, y, z) => x * x + y * y + z * z <= radius * radius,
    (point) => awayFrom(point, [0, 0, 0], radius),
  );
}

function cylinderShape(radius: number, length: number): SolidShape {
  positive(radius, 'cylinder radius');
  positive(length, 'cylinder length');
  const volume = Math.PI * radius * radius * length;
  const across = (volume * radius * radius) / 4;
  return primitive(
    'cylinder',
    [radius, length / 2, radius],
    volume,
    [across, (volume * length * length) / 12, across],
    Math.min(2 * radius, length),
    [false, true, false],
    (x, y, z) => x * x + z * z <= radius * radius && Math.abs(y) <= length / 2,
    ([x, y, z]) => {
      const toCap = length / 2 - Math.abs(y);
      if (toCap < radius - Math.sqrt(x * x + z * z)) return [x, (Math.sign(y) * length) / 2, z];
      return awayFrom([x, y, z], [0, y, 0], radius);
    },
  );
}

function capsuleShape(radius: number, length: number): SolidShape {
  positive(radius, 'capsule radius');
  if (!(length >= 0) || !Number.isFinite(length))
    throw new SamplingError(`capsule length must be >= 0 m, got ${length}`);
  const straight = Math.PI * radius * radius * length;
  const ends = (4 / 3) * Math.PI * radius * radius * radius;
  const across = (straight * radius * radius) / 4 + (ends * radius * radius) / 5;
  // A half sphere's centroid is 3/8 of the radius above its base.
  const along =
    (straight * length * length) / 12 +
    ends * ((radius * radius) / 5 + (length * length) / 4 + (3 * radius * length) / 8);
  return primitive(
    'capsule',
    [radius, length / 2 + radius, radius],
    straight + ends,
    [across, along, across],
    2 * radius,
    [false, false, false],
    (x, y, z) => {
      const beyond = Math.max(Math.abs(y) - length / 2, 0);
      return x * x + beyond * beyond + z * z <= radius * radius;
    },
    (point) => awayFrom(point, [0, Math.min(Math.max(point[1], -length / 2), length / 2), 0], radius),
  );
}

function torusShape(radius: number, tube: number): SolidShape {
  positive(radius, 'torus radius');
  positive(tube, 'torus tube');
  if (tube > radius) throw new SamplingError(`torus tube must be <= its radius ${radius} m, got ${tube}`);
  const volume = 2 * Math.PI * Math.PI * radius * tube * tube;
  const across = volume * ((radius * radius) / 2 + (3 * tube * tube) / 8);
  return primitive(
    'torus',
    [radius + tube, tube, radius + tube],
    volume,
    [across, (volume * tube * tube) / 4, across],
    2 * tube,
    [false, false, false],
    (x, y, z) => {
      const ring = Math.sqrt(x * x + z * z) - radius;
      return ring * ring + y * y <= tube * tube;
    },
    ([x, y, z]) => {
      const ring = Math.sqrt(x * x + z * z);
      return ring === 0 ? undefined : awayFrom([x, y, z], [(x * radius) / ring, 0, (z * radius) / ring], tube);
    },
    true,
  );
}

function meshShape(mesh: TriangleMesh, size: number | undefined): SolidShape {
  const solid = prepare(size === undefined ? mesh : scaleMesh(mesh, size));
  const measures = measureSolid(solid, mesh.isSimple);
  if (measures.sheet) {
    throw new SamplingError('mesh is an open sheet without an inside: close its surface, or give it a thickness');
  }
  if (!(measures.volume > 0))
    throw new SamplingError(`mesh has no volume: it must enclose some, got ${measures.volume} m3`);
  return {
    name: 'mesh',
    low: solid.low,
    high: solid.high,
    measures,
    thickness: measures.thickness,
    flat: [isFlat(solid, 0), isFlat(solid, 1), isFlat(solid, 2)],
    warnings: measures.warnings,
    forEachLayer: (grid, visit) => forEachMeshLayer(solid, grid, visit),
    contains: (point) => isInside(solid, point),
    nearest: (point, limit) => solid.bvh.closestPoint(point, limit)?.point,
    depth: (point, limit) => solid.bvh.closestPoint(point, limit)?.distance ?? limit,
    crossings(from, to) {
      const found: number[] = [];
      const offset: Vec3 = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
      solid.bvh.crossings(from, offset, (_, t) => t > 0 && t < 1 && found.push(t), [0, 1]);
      return found;
    },
  };
}

/** Does most of what faces along an axis, either way, lie in the planes at the ends? */
function isFlat({ mesh, low, high }: MeshSolid, axis: number): boolean {
  const { positions, triangles } = mesh;
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  const near = FLATNESS * (high[axis]! - low[axis]!);
  const [faces, ends] = [
    [0, 0],
    [0, 0],
  ];
  for (let t = 0; t < triangles.length; t += 3) {
    const at = (k: number, along: number) => positions[3 * triangles[t + k]! + along]!;
    const across = (k: number, along: number) => at(k, along) - at(0, along);
    const area = across(1, u) * across(2, v) - across(1, v) * across(2, u);
    const side = area > 0 ? 1 : 0;
    const end = side === 1 ? high[axis]! : low[axis]!;
    faces[side]! += Math.abs(area);
    if ([0, 1, 2].every((k) => Math.abs(at(k, axis) - end) < near)) ends[side]! += Math.abs(area);
  }
  return ends.every((area, side) => area > MOSTLY * faces[side]!);
}

function prepare(mesh: TriangleMesh): MeshSolid {
  try {
    return prepareSolid(mesh);
  } catch (error) {
    if (error instanceof MeshError) throw new SamplingError(`mesh has no volume: it ${error.rule}`);
    throw error;
  }
}

/** Scales about the origin, so that the longest side of the bounds is `size` [m]. */
export function scaleMesh(mesh: TriangleMesh, size: number): TriangleMesh {
  positive(size, 'mesh size');
  const { positions, triangles, finish } = mesh;
  const { low, high } = boundsOf(mesh);
  const longest = Math.max(0, high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  if (!(longest > 0)) throw new SamplingError('mesh has no extent, so that it cannot be scaled to a size');
  const factor = size / longest;
  return { positions: positions.map((x) => x * factor), triangles, ...(finish && { finish }) };
}

function primitive(
  name: string,
  half: Vec3,
  volume: number,
  second: Vec3,
  thickness: number,
  flat: readonly [boolean, boolean, boolean],
  inside: (x: number, y: number, z: number) => boolean,
  nearest: (point: Vec3) => Vec3 | undefined,
  isConcave = false,
): SolidShape {
  return {
    name,
    low: [-half[0], -half[1], -half[2]],
    high: half,
    measures: { volume, centroid: [0, 0, 0], secondMoments: [second[0], second[1], second[2], 0, 0, 0] },
    thickness,
    flat,
    warnings: [],
    forEachLayer({ origin, step, size }, visit) {
      const [nx, ny, nz] = size;
      const layer = new Uint8Array(nx * ny);
      for (let k = 0; k < nz; k++) {
        const z = origin[2] + k * step[2];
        for (let j = 0; j < ny; j++) {
          const y = origin[1] + j * step[1];
          for (let i = 0; i < nx; i++) layer[j * nx + i] = inside(origin[0] + i * step[0], y, z) ? 1 : 0;
        }
        visit(k, layer);
      }
    },
    contains: ([x, y, z]) => inside(x, y, z),
    nearest,
    depth: (_, limit) => (isConcave ? 0 : limit),
    crossings(from, to) {
      const isInsideAt = (t: number) =>
        inside(from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1]), from[2] + t * (to[2] - from[2]));
      const found: number[] = [];
      for (let k = 1; k <= STEPS; k++) {
        if (isInsideAt((k - 1) / STEPS) !== isInsideAt(k / STEPS)) found.push((k - 0.5) / STEPS);
      }
      return found;
    },
  };
}

function positive(value: number, what: string): void {
  if (!(value > 0) || !Number.isFinite(value)) throw new SamplingError(`${what} must be > 0 m, got ${value}`);
}
