/** What vessels hold. */
import { add, dot, length, type Matrix3, scale, type Vec3 } from '../math/matrix3.js';
import { combineMeshes, withoutUnused } from '../mesh/boolean.js';
import { DisjointSets } from '../mesh/edges.js';
import { MeshError } from '../mesh/error.js';
import { isInside } from '../mesh/inside.js';
import { boundsOf, prepareSolid, signedVolumes } from '../mesh/solid.js';
import { describeValue, OptionError, suggest } from '../options/errors.js';
import type { BodyOptions, FillOptions, ObstacleOptions, TriangleMesh } from '../options/types.js';
import { placeMesh, triangulateShape } from '../sampling/composite.js';
import { SamplingError } from '../sampling/error.js';
import { triangulatePrimitive } from '../sampling/primitive-surface.js';
import { bodyPose, obstaclePlane, obstaclePose } from '../surface/shape-mesh.js';

/** How far around a vessel is looked whether liquid runs out [sides of its bounds]. */
const MARGIN = 0.05;

export interface Surroundings {
  readonly obstacles: readonly ObstacleOptions[];
  /** Those that are there, or have been filled in before. */
  readonly bodies: readonly BodyOptions[];
}

/**
 * The space below a level that obstacles shut off from what is around the vessel, in the world at time 0: a block around
 * the vessel less all obstacles, of that the parts that do not reach the block's sides or bottom, less all bodies.
 */
function fillVessel({ vessel, level }: FillOptions, { obstacles, bodies }: Surroundings): TriangleMesh {
  const names = typeof vessel === 'string' ? [vessel] : vessel;
  const known = [...obstacles, ...bodies];
  for (const name of names) {
    if (known.some((other) => other.name === name)) continue;
    const list = known.map((other) => other.name);
    throw problem(
      `.vessel`,
      `names no obstacle and no body that is there, got ${describeValue(name)}${suggest(name, list)}`,
    );
  }
  const isVessel = ({ name }: { readonly name: string }) => names.includes(name);
  const meshes = new Map<unknown, TriangleMesh>();
  for (const body of bodies) {
    const { rotation, origin } = bodyPose(body);
    meshes.set(body, placeMesh(triangulateShape(body.shape), rotation, origin));
  }
  for (const obstacle of obstacles) {
    if ('plane' in obstacle.shape) continue;
    const { rotation, origin } = obstaclePose(obstacle, 0);
    meshes.set(obstacle, placeMesh(triangulateShape(obstacle.shape), rotation, origin));
  }
  const own = known.filter(isVessel).flatMap((part) => meshes.get(part) ?? []);
  if (own.length === 0) throw problem('.vessel', 'must name more than planes: they have no sides');
  const bounds = own.map(boundsOf);
  const low = axes((k) => Math.min(...bounds.map((b) => b.low[k]!)));
  const high = axes((k) => Math.max(...bounds.map((b) => b.high[k]!)));
  if (!(level > low[1])) throw problem('.level', `must be > ${low[1]} m, the lowest point of the vessel, got ${level}`);
  const margin = MARGIN * Math.max(...axes((k) => high[k]! - low[k]!));
  const block = { low: axes((k) => low[k]! - margin), high: axes((k) => (k === 1 ? level : high[k]! + margin)) };
  let space = blockMesh(block.low, block.high);
  for (const obstacle of [...obstacles, ...bodies.filter(isVessel)]) {
    const mesh = meshes.get(obstacle) ?? beyondPlane(obstacle as ObstacleOptions, block.low, block.high);
    space = combineMeshes('difference', space, mesh);
  }
  space = shutOff(
    space,
    (v, k) => v <= block.low[k]! + 0.01 * margin || (k !== 1 && v >= block.high[k]! - 0.01 * margin),
  );
  if (space.triangles.length === 0) {
    throw problem(
      '',
      `holds nothing: what is below ${level} m runs out of the vessel; lower the level, or name all that it is made of`,
    );
  }
  for (const body of bodies) if (!isVessel(body)) space = combineMeshes('difference', space, meshes.get(body)!);
  if (space.triangles.length === 0) throw problem('', 'holds nothing: bodies take all of the space');
  return withoutUnused(space);
}

/** Bodies whose shape is what a vessel holds are put in the world as they are. */
export function filledBody<B extends { readonly position: Vec3; readonly rotation: Vec3 }>(
  { position, rotation }: B,
  fill: FillOptions,
  around: Surroundings,
): TriangleMesh {
  if ([...position, ...rotation].some((x) => x !== 0)) {
    throw problem('', 'is where the vessel is: leave out position and rotation');
  }
  try {
    return fillVessel(fill, around);
  } catch (error) {
    if (!(error instanceof MeshError || error instanceof SamplingError)) throw error;
    throw new OptionError([{ path: '.fill', message: `cannot be found: ${error.message}` }], { cause: error });
  }
}

function problem(key: string, message: string): OptionError {
  return new OptionError([{ path: `.fill${key}`, message }]);
}

function axes(of: (k: number) => number): Vec3 {
  return [of(0), of(1), of(2)];
}

function blockMesh(low: Vec3, high: Vec3): TriangleMesh {
  const { positions, triangles } = triangulatePrimitive({ box: { size: axes((k) => high[k]! - low[k]!) } }, 1);
  return { positions: positions.map((x, c) => x + (low[c % 3]! + high[c % 3]!) / 2), triangles };
}

/** What of the surroundings of a block is behind the plane of an obstacle. */
function beyondPlane(obstacle: ObstacleOptions, low: Vec3, high: Vec3): TriangleMesh {
  const { point, normal } = obstaclePlane(obstacle, 0)!;
  const middle = scale(add(low, high), 0.5);
  const side = 1.01 * length(axes((k) => high[k]! - low[k]!));
  // The nearest point of the plane to the middle.
  const height = dot(normal, middle) - dot(normal, point);
  const origin = add(middle, scale(normal, -height - side / 2));
  return placeMesh(triangulatePrimitive({ box: { size: [side, side, side] } }, 1), rotationTo(normal), origin);
}

/** A rotation that turns y to a unit vector. */
function rotationTo([x, y, z]: Vec3): Matrix3 {
  // About the axis between both.
  if (y < -0.999999) return [1, 0, 0, 0, -1, 0, 0, 0, -1];
  const s = 1 / (1 + y);
  return [1 - x * x * s, x, -x * z * s, -x, y, -z, -x * z * s, z, 1 - z * z * s];
}

/** The parts of a mesh none of whose vertices are at a border, with what is hollow in them. */
function shutOff(mesh: TriangleMesh, isAtBorder: (coordinate: number, axis: number) => boolean): TriangleMesh {
  const { positions, triangles } = mesh;
  const sets = new DisjointSets(positions.length / 3);
  for (let c = 0; c < triangles.length; c += 3) {
    sets.join(triangles[c]!, triangles[c + 1]!);
    sets.join(triangles[c]!, triangles[c + 2]!);
  }
  const numbers = new Map<number, number>();
  const shellOf = Int32Array.from({ length: triangles.length / 3 }, (_, t) => {
    const root = sets.find(triangles[3 * t]!);
    if (!numbers.has(root)) numbers.set(root, numbers.size);
    return numbers.get(root)!;
  });
  const volumes = signedVolumes(mesh, shellOf, numbers.size);
  const outside = new Uint8Array(numbers.size);
  for (const [c, v] of triangles.entries()) {
    if ([0, 1, 2].some((k) => isAtBorder(positions[3 * v + k]!, k))) outside[shellOf[Math.floor(c / 3)]!] = 1;
  }
  const of = (shells: (shell: number) => boolean): TriangleMesh => ({
    positions,
    triangles: triangles.filter((_, c) => shells(shellOf[Math.floor(c / 3)]!)),
  });
  const isBody = (shell: number) => volumes[shell]! > 0 && outside[shell] === 0;
  const bodies = of(isBody);
  if (bodies.triangles.length === 0) return bodies;
  const solid = prepareSolid(bodies);
  const pointOf = (shell: number): Vec3 => {
    const v = triangles[3 * shellOf.indexOf(shell)]!;
    return axes((k) => positions[3 * v + k]!);
  };
  return of((shell) => isBody(shell) || (volumes[shell]! <= 0 && isInside(solid, pointOf(shell))));
}
