/** A body's own mesh where it stands at the start, with what its file says of its looks. */
import { matterOf } from '../options/phase.js';
import type { BodyOptions, CornerValues, MeshMaterial, Shape, TriangleMesh } from '../options/types.js';
import type { Pose } from '../solvers/motion.js';
import { splitAtCreases, vertexNormals } from './normals.js';
import { refineMesh } from './refine.js';
import { movePoints } from './rigid-pose.js';
import { bodyPose, shapeMesh } from './shape-mesh.js';

/** Faces that meet at more than this have an edge between them [degrees], where a file has no normals. */
const CREASE = 40;
/** Curved shapes have at least so many steps across, unless others are asked for. */
const STEPS = 40;

export interface RestMesh {
  readonly positions: Float64Array;
  readonly normals: Float64Array;
  readonly uvs: Float32Array | undefined;
  /** Red, green, blue and alpha of vertices, linear: they multiply the colour of the material. */
  readonly colors: Float32Array | undefined;
  readonly indices: Uint32Array;
  /** Indices [begin, end) of each material; a shape without materials is one part. */
  readonly parts: readonly { readonly material: MeshMaterial | undefined; begin: number; end: number }[];
}

/**
 * Meshes of files keep their triangles, unless edges longer than `refine` spacings are to be halved. Basic shapes
 * that deform have triangles of the size of the particles' spacing, so that they can bend.
 */
export function restMesh(body: BodyOptions, spacing: number, refine?: number, steps = STEPS): RestMesh {
  const own = shapeMesh(body.shape, edgeFor(body.shape, spacing, steps));
  const longest = 'mesh' in body.shape ? refine : 1;
  const mesh = !matterOf(body).isRigid && longest !== undefined ? refineMesh(own, longest * spacing) : own;
  return dressedMesh(mesh, bodyPose(body));
}

/** A mesh where a pose puts it, with normals, and the looks that its file gives it. */
export function dressedMesh(mesh: TriangleMesh, pose: Pose): RestMesh {
  const positions = new Float64Array(mesh.positions.length);
  movePoints(pose, mesh.positions, positions);
  const given = mesh.finish?.normals;
  const normals = given ? turned(given, pose.rotation) : creaseNormals({ positions, triangles: mesh.triangles });
  return withParts(oneVertexPerLook(positions, mesh, normals), mesh);
}

function turned({ values, of }: CornerValues, rotation: Pose['rotation']): CornerValues {
  const out = new Float32Array(values.length);
  movePoints({ rotation, origin: [0, 0, 0] }, values, out);
  return { values: out, of };
}

function creaseNormals(mesh: TriangleMesh): CornerValues {
  const { positions, triangles } = splitAtCreases(mesh, CREASE);
  const values = Float32Array.from(vertexNormals(positions, triangles));
  return { values, of: triangles };
}

/** Vertices with one normal, one pair of texture coordinates and one colour each: seams have several at one place. */
function oneVertexPerLook(positions: Float64Array, mesh: TriangleMesh, normals: CornerValues) {
  const { triangles, finish } = mesh;
  const uvs = finish?.uvs;
  const colors = finish?.colors;
  const shaded = pairUp(triangles, normals.of, normals.values.length / 3);
  const mapped = uvs ? pairUp(shaded, uvs.of, uvs.values.length / 2) : shaded;
  const corners = colors ? pairUp(mapped, colors.of, colors.values.length / 4) : mapped;
  let vertices = 0;
  for (let c = 0; c < corners.length; c++) vertices = Math.max(vertices, corners[c]! + 1);
  const out = {
    positions: new Float64Array(3 * vertices),
    normals: new Float64Array(3 * vertices),
    uvs: uvs && new Float32Array(2 * vertices),
    colors: colors && new Float32Array(4 * vertices),
    indices: corners,
  };
  // A vertex is written once: by the first corner that has it, and they are numbered in that order.
  let written = 0;
  for (let c = 0; c < corners.length; c++) {
    if (corners[c]! < written) continue;
    const at = 3 * triangles[c]!;
    const normal = 3 * normals.of[c]!;
    for (let k = 0; k < 3; k++) {
      out.positions[3 * written + k] = positions[at + k]!;
      out.normals[3 * written + k] = normals.values[normal + k]!;
    }
    for (let k = 0; k < 2; k++) if (uvs) out.uvs![2 * written + k] = uvs.values[2 * uvs.of[c]! + k]!;
    for (let k = 0; k < 4; k++) if (colors) out.colors![4 * written + k] = colors.values[4 * colors.of[c]! + k]!;
    written++;
  }
  return out;
}

/** A number for every different pair, in the order in which they come up. */
function pairUp(first: Uint32Array, second: Uint32Array, seconds: number): Uint32Array {
  const known = new Map<number, number>();
  const numbers = new Uint32Array(first.length);
  for (let c = 0; c < first.length; c++) {
    const key = first[c]! * seconds + second[c]!;
    let number = known.get(key);
    if (number === undefined) {
      number = known.size;
      known.set(key, number);
    }
    numbers[c] = number;
  }
  return numbers;
}

/** Triangles of one material after those of another. */
function withParts(mesh: Omit<RestMesh, 'parts'>, { finish }: TriangleMesh): RestMesh {
  const materials = finish?.materials;
  if (!materials) return { ...mesh, parts: [{ material: undefined, begin: 0, end: mesh.indices.length }] };
  const indices = new Uint32Array(mesh.indices.length);
  const parts: { material: MeshMaterial; begin: number; end: number }[] = [];
  let end = 0;
  for (const [m, material] of materials.list.entries()) {
    const begin = end;
    for (let t = 0; t < materials.of.length; t++) {
      if (materials.of[t] !== m) continue;
      indices.set(mesh.indices.subarray(3 * t, 3 * t + 3), end);
      end += 3;
    }
    if (end > begin) parts.push({ material, begin, end });
  }
  return { ...mesh, indices, parts };
}

/** Steps along curves: fine enough to look round, and to bend with the particles. */
function edgeFor(shape: Shape, spacing: number, steps: number): number {
  if ('sphere' in shape) return Math.min(spacing, (2 * shape.sphere.radius) / steps);
  if ('cylinder' in shape) return Math.min(spacing, (2 * shape.cylinder.radius) / steps);
  if ('capsule' in shape) return Math.min(spacing, (2 * shape.capsule.radius) / steps);
  if ('torus' in shape) return Math.min(spacing, (4 * shape.torus.tube) / steps);
  return spacing;
}
