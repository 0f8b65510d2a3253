/** Meshes of shapes that are made of others, drawn out of polygons, or between heights. */

import { add, rotationFromDegrees, transform } from '../math/matrix3.js';
import { closedMesh, combineMeshes, type MeshOperation } from '../mesh/boolean.js';
import { meshClosedness } from '../mesh/closedness.js';
import { signedArea, triangulatePolygon } from '../mesh/polygon.js';
import { parseExpression } from '../options/expression.js';
import { isBasic } from '../options/made-shapes.js';
import type { CompositeShape, DrawnShape, Shape, ShapePart, TriangleMesh, Vec2, Vec3 } from '../options/types.js';
import { cubeRoot } from './cube-root.js';
import { SamplingError } from './error.js';
import { type Primitive, triangulatePrimitive } from './primitive-surface.js';
import { scaleMesh, solidShape } from './solid-shape.js';

/** Straight pieces of circles in shapes that others are made of. */
const AROUND = 96;
/** Corrections of a radius; each leaves a tenth of the error in volume or less. */
const CORRECTIONS = 12;

/** The shape that bodies and obstacles are made of: basic ones as they are, others as meshes. Files have been read. */
export function basicShape(shape: CompositeShape): Shape {
  return isBasic(shape) ? shape : { mesh: { data: { ...triangulateShape(shape), isSimple: !hasMesh(shape) } } };
}

/** Are parts of it meshes, of which nothing is known? */
function hasMesh(shape: CompositeShape): boolean {
  if ('mesh' in shape) return true;
  return Object.values(shape).some(
    (parts) => Array.isArray(parts) && parts.some((part: { shape: CompositeShape }) => hasMesh(part.shape)),
  );
}

/** The closed surface of a shape, with the volume that it has: circles are polygons of the same area. */
export function triangulateShape(shape: CompositeShape): TriangleMesh {
  if ('extrusion' in shape) return extrude(shape.extrusion);
  if ('heightfield' in shape) return raise(shape.heightfield);
  if ('union' in shape) return combined('union', shape.union);
  if ('difference' in shape) return combined('difference', shape.difference);
  if ('intersection' in shape) return combined('intersection', shape.intersection);
  if (!('mesh' in shape)) return triangulateRound(shape);
  const { data, size } = shape.mesh;
  if (!data) throw new SamplingError('mesh has no data: read its file first');
  return closedMesh(size === undefined ? data : scaleMesh(data, size), shape.mesh.file ?? 'mesh');
}

/** A mesh turned, then moved. */
export function placeMesh(
  { positions, triangles }: TriangleMesh,
  rotation: readonly number[],
  origin: Vec3,
): TriangleMesh {
  const placed = new Float64Array(positions.length);
  for (let v = 0; v < positions.length; v += 3) {
    placed.set(add(transform(rotation as never, [positions[v]!, positions[v + 1]!, positions[v + 2]!]), origin), v);
  }
  return { positions: placed, triangles };
}

function combined(operation: MeshOperation, parts: readonly ShapePart[]): TriangleMesh {
  const [first, ...others] = parts.map(({ shape, position, rotation }) =>
    placeMesh(triangulateShape(shape), rotationFromDegrees(rotation), position),
  );
  const made = others.reduce((whole, part) => combineMeshes(operation, whole, part), first!);
  if (made.triangles.length === 0) throw new SamplingError(`${operation} has no volume: nothing is left of its parts`);
  return made;
}

/** A basic shape with radii that make up for what straight pieces cut off. */
function triangulateRound(shape: Primitive): TriangleMesh {
  if ('box' in shape) return triangulatePrimitive(shape, 1);
  const { volume } = solidShape(shape).measures;
  let factor = 1;
  let mesh: TriangleMesh;
  for (let n = 0; ; n++) {
    mesh = triangulatePrimitive(withRadius(shape, factor), 2 * ((2 * Math.PI * widthOf(shape)) / AROUND));
    if (n === CORRECTIONS) break;
    // Volumes grow with a power of the radius between the second and the third.
    factor *= cubeRoot(volume / meshClosedness(mesh.positions, mesh.triangles).volume);
  }
  return closedMesh(mesh, 'shape');
}

type Round = Exclude<Primitive, { readonly box: unknown }>;

function widthOf(shape: Round): number {
  if ('sphere' in shape) return shape.sphere.radius;
  if ('cylinder' in shape) return shape.cylinder.radius;
  return 'capsule' in shape ? shape.capsule.radius : shape.torus.radius + shape.torus.tube;
}

function withRadius(shape: Round, factor: number): Round {
  if ('sphere' in shape) return { sphere: { radius: factor * shape.sphere.radius } };
  if ('cylinder' in shape) return { cylinder: { ...shape.cylinder, radius: factor * shape.cylinder.radius } };
  if ('capsule' in shape) return { capsule: { ...shape.capsule, radius: factor * shape.capsule.radius } };
  return { torus: { ...shape.torus, tube: factor * shape.torus.tube } };
}

type Extrusion = Extract<DrawnShape, { readonly extrusion: unknown }>['extrusion'];

function extrude({ polygon, holes, length }: Extrusion): TriangleMesh {
  const rings = [polygon, ...holes];
  const corners: Vec2[] = rings.flat();
  refuseCrossings(rings);
  const places = new Map(corners.map((corner, k) => [k, corner] as const));
  let begin = 0;
  // The outer one anticlockwise, holes clockwise: what is inside is to the left.
  const turned = rings.map((ring, r) => {
    const own = ring.map((_, k) => begin + k);
    begin += ring.length;
    return signedArea(own, places) > 0 === (r === 0) ? own : own.reverse();
  });
  const front = triangulatePolygon({ outer: turned[0]!, holes: turned.slice(1) }, places);
  const count = corners.length;
  const positions = new Float64Array(6 * count);
  for (const [k, [x, y]] of corners.entries()) {
    positions.set([x, y, length / 2], 3 * k);
    positions.set([x, y, -length / 2], 3 * (count + k));
  }
  const triangles = [...front];
  for (let t = 0; t < front.length; t += 3) {
    triangles.push(count + front[t]!, count + front[t + 2]!, count + front[t + 1]!);
  }
  for (const ring of turned) {
    for (const [k, a] of ring.entries()) {
      const b = ring[(k + 1) % ring.length]!;
      triangles.push(a, count + a, b, b, count + a, count + b);
    }
  }
  const mesh = { positions, triangles: Uint32Array.from(triangles) };
  const area = turned.reduce((sum, ring) => sum + signedArea(ring, places) / 2, 0);
  const { volume } = meshClosedness(positions, mesh.triangles);
  if (!(area > 0) || !(Math.abs(volume / (area * length) - 1) < 1e-6)) {
    throw new SamplingError('extrusion must have holes that are within its polygon and apart from each other');
  }
  return closedMesh(mesh, 'extrusion');
}

/** Sides that cross or touch, but for those that follow each other. */
function refuseCrossings(rings: readonly (readonly Vec2[])[]): void {
  const sides = rings.flatMap((ring, r) =>
    ring.map((a, k) => ({ r, k, n: ring.length, a, b: ring[(k + 1) % ring.length]! })),
  );
  // By where they begin along x, those that end before another begins cannot cross it.
  const low = ({ a, b }: { a: Vec2; b: Vec2 }) => Math.min(a[0], b[0]);
  sides.sort((p, q) => low(p) - low(q));
  for (const [i, p] of sides.entries()) {
    if (p.a[0] === p.b[0] && p.a[1] === p.b[1])
      throw new SamplingError(`extrusion has two corners at (${p.a.join(', ')}) m`);
    const end = Math.max(p.a[0], p.b[0]);
    for (let j = i + 1; j < sides.length && low(sides[j]!) <= end; j++) {
      const q = sides[j]!;
      const follow = p.r === q.r && ((p.k + 1) % p.n === q.k || (q.k + 1) % q.n === p.k);
      if (follow ? !foldsBack(p, q) : !meet(p.a, p.b, q.a, q.b)) continue;
      throw new SamplingError(
        `extrusion has sides that cross or touch: (${p.a.join(', ')}) to (${p.b.join(', ')}) m and (${q.a.join(', ')}) to (${q.b.join(', ')}) m`,
      );
    }
  }
}

const turn = (a: Vec2, b: Vec2, c: Vec2) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

function foldsBack(p: { a: Vec2; b: Vec2 }, q: { a: Vec2; b: Vec2 }): boolean {
  const [from, middle, to] = p.b === q.a ? [p.a, p.b, q.b] : [q.a, q.b, p.b];
  const [u, v] = [0, 1].map((k) => (from[k]! - middle[k]!) * (to[k]! - middle[k]!)) as [number, number];
  return turn(from, middle, to) === 0 && u + v > 0;
}

function meet(a: Vec2, b: Vec2, c: Vec2, d: Vec2): boolean {
  for (const k of [0, 1] as const) {
    if (Math.max(a[k], b[k]) < Math.min(c[k], d[k]) || Math.min(a[k], b[k]) > Math.max(c[k], d[k])) return false;
  }
  return turn(a, b, c) * turn(a, b, d) <= 0 && turn(c, d, a) * turn(c, d, b) <= 0;
}

type Heightfield = Extract<DrawnShape, { readonly heightfield: unknown }>['heightfield'];

function raise({ size, heights, base, cells }: Heightfield): TriangleMesh {
  const rows = typeof heights === 'object' ? heights : undefined;
  const [nx, nz] = rows ? [rows[0]!.length - 1, rows.length - 1] : [cells, cells];
  const formula = typeof heights === 'string' ? parseExpression(heights).evaluate : undefined;
  const count = (nx + 1) * (nz + 1);
  const positions = new Float64Array(6 * count);
  for (let j = 0; j <= nz; j++) {
    for (let i = 0; i <= nx; i++) {
      const [x, z] = [size[0] * (i / nx - 0.5), size[1] * (j / nz - 0.5)];
      const y = rows ? rows[j]![i]! : (formula?.(x, 0, z, 0) ?? (heights as number));
      if (!(y > base && y < Infinity)) {
        throw new SamplingError(
          `heightfield must be above its base of ${base} m everywhere, got ${y} at (${x}, ${z}) m`,
        );
      }
      const v = j * (nx + 1) + i;
      positions.set([x, y, z], 3 * v);
      positions.set([x, base, z], 3 * (count + v));
    }
  }
  const triangles: number[] = [];
  for (let j = 0; j < nz; j++) {
    for (let i = 0; i < nx; i++) {
      const a = j * (nx + 1) + i;
      const [b, c, d] = [a + 1, a + nx + 1, a + nx + 2];
      triangles.push(a, c, b, b, c, d, count + a, count + b, count + c, count + b, count + d, count + c);
    }
  }
  const wall = (a: number, b: number) => triangles.push(a, b, count + a, b, count + b, count + a);
  for (let i = 0; i < nx; i++) {
    wall(i, i + 1);
    wall(nz * (nx + 1) + i + 1, nz * (nx + 1) + i);
  }
  for (let j = 0; j < nz; j++) {
    wall((j + 1) * (nx + 1), j * (nx + 1));
    wall(j * (nx + 1) + nx, (j + 1) * (nx + 1) + nx);
  }
  return closedMesh({ positions, triangles: Uint32Array.from(triangles) }, 'heightfield');
}
