/** Whether a scene fits into memory, known before anything is allocated. */
import { actingForces, forcesOf } from '../forces/index.js';
import { meshMeasures } from '../mesh/measures.js';
import { boundsOf } from '../mesh/solid.js';
import { OptionError } from '../options/errors.js';
import { ROOM_TEMPERATURE } from '../options/heat.js';
import { isBasic, isPrepared } from '../options/made-shapes.js';
import { COLDEST } from '../options/material-parameters.js';
import { matterOf } from '../options/phase.js';
import type {
  BodyOptions,
  DescribedBody,
  ObstacleShape,
  Prepared,
  Scene,
  Shape,
  TriangleMesh,
  Vec3,
} from '../options/types.js';
import { FLUID } from '../particles/array-places.js';
import { BODY_STRIDE, SUMS } from '../particles/layout.js';
import { ROW_MARGIN } from '../particles/store.js';
import { surfaceArea } from '../sampling/area.js';
import { estimateSites, type ShapeSize } from '../sampling/lattice.js';
import { coarseBytes } from '../solvers/elastic/coarse.js';
import { IMPLICIT_BYTES } from '../solvers/fluid/elastic-implicit.js';
import { isImplicit, refuseStiff } from '../solvers/fluid/elastic-limits.js';
import { mayBreak, mayFlow } from '../solvers/material.js';
import { distanceGridBytes } from '../world/obstacles.js';

/** What 32-bit WebAssembly can address [bytes]. */
const ADDRESSABLE = 2 ** 32;

export type ReadMesh = (file: string) => Promise<TriangleMesh>;

/** Reads each file once. */
function once(readMesh: ReadMesh): ReadMesh {
  const meshes = new Map<string, Promise<TriangleMesh>>();
  return (file) => {
    const mesh = meshes.get(file) ?? readMesh(file);
    meshes.set(file, mesh);
    return mesh;
  };
}

/** What does not grow with the particles: tables, set-up of solids, grids and tables of liquids, what is elastic there [bytes]. */
const FIXED = 5e3;
const FIXED_OF_SOLIDS = 95e3;
const FIXED_OF_LIQUIDS = 345e3;
const FIXED_OF_MELTS = 95e3;

/**
 * Of a viscoplastic body, with the slots that particles may split into: state, lists of at most 32, offsets of rest vectors
 * as they are and as they are found; beside a liquid; and vectors of implicit steps [bytes].
 */
const VISCOPLASTIC = 5230;
const VISCOPLASTIC_IN_LIQUID = 2 * 650;
const VISCOPLASTIC_ITERATION = 2 * 440;

/** What balancing the forces by iteration takes: vectors, diagonals, linearised stresses, weights, lists, coarse systems [bytes]. */
const LINEAR_ITERATION = 11 * 16 + 32 + 32 + 96 + 64 + 64 + 64;
const QUADRATIC_ITERATION = LINEAR_ITERATION + 192;
const OBSTACLE_ITERATION = 32;
/** Forces of equilibrium in double precision [bytes]. */
const EXACT = 312;

/** In a scene in which something can break, of every particle, and of each of its bonds; with scores that much more [bytes]. */
const BREAKING = 152;
const BREAKING_BOND = 17;
const SCORED = 4;
/** A row for each piece, and its sums. */
const PIECE = BODY_STRIDE + 8 * SUMS;

/** Where a solid has viscosity: velocities and dashpots; vectors of explicit steps, which implicit ones have; obstacles [bytes]. */
const VISCOUS = 36;
const VISCOUS_ITERATION = 64;
const VISCOUS_OBSTACLE = 32;

/** State of a particle of a rigid body, with the list of those that it may touch [bytes]. */
const RIGID = 340;
const CANDIDATES = 128;
/** Forces from outside; of a particle that they reach, and at the surface, who covers it [bytes]. */
const PUSHED = 16;
const FORCED = 56;
const EXPOSED = 144;
/** Springs of friction between a rigid particle and each obstacle, now and before [bytes]. */
const RIGID_WALL = 32;
/** Candidates where there are several bodies, and what touches where several are rigid. */
const RIGID_CONTACT = 560;
const SINGLE_RIGID_CONTACT = 240;
/** The same for implicit steps: tangents of contacts, and vectors that its particles leave at zero. */
const RIGID_CONTACT_ITERATION = 48 * 32;
const RIGID_OBSTACLE_ITERATION = 64;
const SOLID_CONTACT = 190;
/** More of that where solids touch by their surfaces: what contact finds of each, longer lists, and pairs. */
const CONTACT_BY_SURFACE = 400;
/** Of a solid that touches nothing but itself: contact of a particle at its surface. */
const SELF_CONTACT = 165;
/** Of a body in a liquid: particles on its surface, what they weigh and which of the liquid they see. */
const IN_LIQUID = 470;
/** What has flowed, and the law, where a solid may flow for good. */
const PLASTIC = 64;
/**
 * Of a liquid that is elastic, with IMPLICIT_BYTES more in implicit steps: bonds, rest vectors, strains and their
 * pressures. Lists have room for 40 bonds; those of what flows on get longer, mostly up to 70, and up to 90 where a source
 * lets it out, each bond with 36 bytes: these are between.
 */
const ELASTIC_LIQUID = 1940 + 8 * 36;
const ELASTIC_EMITTED = 1940 + 38 * 36;

/**
 * What a particle of a liquid takes: its arrays, those of the state twice, because sorting needs both, the normal, cells
 * of the grid, lists and weights of neighbours; and where the shear stress of the packing is taken away [bytes].
 */
const LIQUID = sum([...FLUID.particle, ...FLUID.state].map(({ bytes }) => bytes)) + 16 + 64 + 8 * 40;
const PACKING = 64;
/** Lists of boundary particles, where something other than planes bounds the liquid: of 64, or about 100 in corners. */
const LIQUID_AT_BOUNDARY = 4 * 80;
/** Particles on an obstacle that bounds a liquid, for each square of the liquid's spacing; planes have none. */
const BOUNDARY = 480;

/** State of a particle in heat, vectors of its implicit steps and cells of its grid; a bond at rest; a pair [bytes]. */
const HEAT = 280;
const HEAT_BOND = 16;
const HEAT_PAIR = 16;
/** Neighbours that heat flows to: on a cubic lattice, elsewhere, and in liquids. */
const HEAT_NEIGHBOURS = { cubic: 6, irregular: 16, liquid: 22 } as const;

/** Share of the particles of a source that are there at a time, about: the others have no pairs. */
const EMITTED = 0.5;

/** What heat adds to a particle [bytes]. */
function heatBytes(scene: Scene, body?: DescribedBody, present = 1): number {
  if (!isThermal(scene)) return 0;
  if (!body || matterOf(body).isFluid) return HEAT + present * HEAT_PAIR * HEAT_NEIGHBOURS.liquid;
  const isCubic = body.lattice === 'cubic' && body.jitter === 0;
  return HEAT + (HEAT_BOND + HEAT_PAIR) * HEAT_NEIGHBOURS[isCubic ? 'cubic' : 'irregular'];
}

/** `present` is the share of the particles that are there at the most. */
function bytesPerLiquidParticle(scene: Scene, present = 1): number {
  const { bodies, obstacles } = scene;
  const isBounded =
    bodies.some((body) => !matterOf(body).isFluid) || obstacles.some(({ shape }) => !('plane' in shape));
  // All liquids have the arrays of those that are elastic.
  const isEmitted = scene.emitters.some((emitter) => matterOf(emitter).phase === 'melt');
  const elastic =
    (isEmitted ? ELASTIC_EMITTED : ELASTIC_LIQUID) + (isImplicit(scene.solver.solid) ? IMPLICIT_BYTES : 0);
  return (
    LIQUID +
    (scene.solver.fluid.isotropy > 0 ? PACKING : 0) +
    (isMelt(scene) ? elastic : 0) +
    (isBounded ? LIQUID_AT_BOUNDARY : 0) +
    heatBytes(scene, undefined, present)
  );
}

/** About what state, neighbour lists and rest shapes of one particle of a body take [bytes]. */
export function bytesPerParticle(scene: Scene, body: DescribedBody): number {
  const size = isBasic(body.shape) && !('mesh' in body.shape) ? primitiveSize(body.shape) : BULKY;
  const own = particleBytes(scene, body, size) + viscousBytes(scene, body);
  return matterOf(body).phase === 'solid' && isIterative(scene) ? own + iterationBytes(scene, body) : own;
}

/** What viscosity of solids adds to every particle beside them. */
function viscousBytes(scene: Scene, body: DescribedBody): number {
  const isViscous = scene.bodies.some(mayBeViscous);
  if (!isViscous || matterOf(body).isFluid) return 0;
  const slots = matterOf(body).isViscoplastic ? 2 : 1;
  if (isImplicit(scene.solver.solid)) return slots * VISCOUS;
  return slots * (VISCOUS + VISCOUS_ITERATION + (scene.obstacles.length > 0 ? VISCOUS_OBSTACLE : 0));
}

/** Has a solid viscosity of its own somewhere? */
function mayBeViscous(body: DescribedBody): boolean {
  const { isSolid, isViscoplastic } = matterOf(body);
  const isGiven = (value: unknown) => value !== undefined && value !== 0;
  const { viscosity, damping, meltingPoint } = body.material;
  if (isViscoplastic) return isGiven(viscosity) || isGiven(damping);
  return isSolid && isGiven(viscosity) && meltingPoint === undefined;
}

function particleBytes(scene: Scene, body: DescribedBody, size: ShapeSize): number {
  // What was viscoplastic has as many slots as before.
  if (matterOf(body).isFluid)
    return (
      (body.discretisation === 'renewed' || body.discretisation === 'embedded' ? 2 : 1) * bytesPerLiquidParticle(scene)
    );
  if (matterOf(body).isViscoplastic) {
    const iteration = isIterative(scene) ? VISCOPLASTIC_ITERATION : 0;
    return VISCOPLASTIC + iteration + (isLiquid(scene) ? VISCOPLASTIC_IN_LIQUID : 0) + 2 * heatBytes(scene, body);
  }
  const isSeveral = scene.bodies.filter((other) => !matterOf(other).isFluid).length > 1;
  const inLiquid = isLiquid(scene) ? IN_LIQUID : 0;
  const breaks = scene.bodies.some(isBreakable);
  const spacing = spacingOf(body, size);
  const outside = Math.min(1, (size.area * spacing) / size.volume);
  const pushed = pushedBytes(scene, outside);
  if (matterOf(body).isRigid) {
    // Rapier touches obstacles and other rigid bodies by shapes.
    const isExact = scene.solver.rigid === 'rapier';
    const isAmongRigid = !isExact && scene.bodies.filter((other) => matterOf(other).isRigid).length > 1;
    const contact = isAmongRigid ? RIGID_CONTACT : isSeveral ? SINGLE_RIGID_CONTACT : 0;
    const walls = isExact ? 0 : scene.obstacles.length;
    const tangents = (isAmongRigid ? RIGID_CONTACT_ITERATION : 48) + RIGID_OBSTACLE_ITERATION * walls;
    const iteration = isIterative(scene) ? iterationBytes(scene, body) + tangents : 0;
    // Nothing looks for their particles unless solids do.
    const unseen = isExact && scene.bodies.every((other) => !matterOf(other).isSolid) ? CANDIDATES : 0;
    const own = RIGID - unseen + RIGID_WALL * walls + (breaks ? BREAKING : 0);
    return own + contact + iteration + inLiquid + pushed + heatBytes(scene, body);
  }
  const isQuadratic = isQuadraticIn(scene, body);
  const isIrregular = body.jitter > 0 || body.lattice === 'octree';
  const radius = scene.solver.solid.support ?? (isQuadratic ? (isIrregular ? 2.6 : 2.4) : 2.1);
  const neighbours = estimateSites(size, body.lattice, spacing).neighbors(radius);
  // Faces of cracks are surface, wherever they come.
  const surface = breaks ? 1 : outside;
  const bySurface = scene.solver.contact.surfaces ? CONTACT_BY_SURFACE : 0;
  const contact = isSeveral ? SOLID_CONTACT + bySurface : (SELF_CONTACT + bySurface) * surface;
  const scored = breaks && scene.bodies.some(({ scores }) => scores.length > 0) ? SCORED * (neighbours + 1) : 0;
  const breaking = breaks ? BREAKING + BREAKING_BOND * neighbours + scored : 0;
  const own = isQuadratic ? 950 + 24 * neighbours : 340 + 20 * neighbours;
  const flows = [body.material, ...body.regions.map(({ set }) => set)].some(mayFlow);
  return own + (flows ? PLASTIC : 0) + breaking + contact + inLiquid + pushed + heatBytes(scene, body);
}

/** What forces from outside take of a particle, of a body with such a share at its surface [bytes]. */
function pushedBytes(scene: Scene, outside: number): number {
  const acting = actingForces(forcesOf(scene));
  if (acting.length === 0) return scene.loads.length > 0 ? PUSHED : 0;
  const reached = acting.some(({ force }) => force.reach === 'all') ? 1 : outside;
  return PUSHED + FORCED * reached + EXPOSED * outside;
}

/** Can a body break? */
function isBreakable({ kind, material, regions }: DescribedBody): boolean {
  return kind === 'solid' && [material, ...regions.map(({ set }) => set)].some(mayBreak);
}

/** What implicit motion and equilibrium add to that [bytes]. */
export function iterationBytes(scene: Scene, body: DescribedBody): number {
  const own = isQuadraticIn(scene, body) ? QUADRATIC_ITERATION : LINEAR_ITERATION;
  return own + (scene.obstacles.length > 0 ? OBSTACLE_ITERATION : 0) + (scene.static ? EXACT : 0);
}

function isQuadraticIn({ solver }: Scene, { discretisation }: DescribedBody): boolean {
  return (discretisation ?? solver.solid.discretisation) === 'quadratic';
}

type MeasureMesh = (mesh: TriangleMesh) => { readonly volume: number; readonly low: Vec3; readonly high: Vec3 };

/** About how many particles a body will have; what is made of other shapes must be made, see `readMeshes`. */
export async function estimateParticles(
  { shape, ...body }: DescribedBody,
  readMesh: ReadMesh,
  measure: MeasureMesh = meshMeasures,
): Promise<number> {
  if (!isBasic(shape)) throw new RangeError('the body has a shape that is not made: use what readMeshes gives');
  return countIn(body, await sizeOf(shape, readMesh, measure));
}

function countIn({ spacing, particles, lattice }: Omit<DescribedBody, 'shape'>, size: ShapeSize): number {
  if (!(size.volume > 0)) return spacing === undefined ? (particles ?? 0) : 0;
  return spacing === undefined ? (particles ?? 0) : estimateSites(size, lattice, spacing).count;
}

/** Cube root of the volume per particle [m]. */
function spacingOf({ spacing, particles }: DescribedBody, { volume }: ShapeSize): number {
  return spacing ?? Math.cbrt(volume / (particles ?? 1));
}

/** A shape whose surface is far away, for where nothing is known. */
const BULKY: ShapeSize = { volume: 1, area: 0, extents: [1, 1, 1], flat: [false, false, false] };

async function sizeOf(shape: Shape, readMesh: ReadMesh, measure: MeasureMesh): Promise<ShapeSize> {
  if (!('mesh' in shape)) return primitiveSize(shape);
  const { file, size } = shape.mesh;
  const mesh = shape.mesh.data ?? (file === undefined ? undefined : await readMesh(file));
  if (!mesh) return { ...BULKY, volume: 0 };
  const { low, high } = boundsOf(mesh);
  // What has no extent cannot be scaled, and says so when it is measured.
  const { volume } = low.every((x, a) => x === high[a]) ? meshMeasures(mesh) : measure(mesh);
  const sides = [high[0] - low[0], high[1] - low[1], high[2] - low[2]] as const;
  const scale = size === undefined ? 1 : size / Math.max(...sides);
  const [x, y, z] = [scale * sides[0], scale * sides[1], scale * sides[2]];
  const area =
    measure === boxMeasures ? 2 * (x * y + y * z + z * x) : surfaceArea({ mesh: { data: mesh } })! * scale * scale;
  const isBox = volume > 0.9999 * sides[0] * sides[1] * sides[2];
  return { volume: volume * scale ** 3, area, extents: [x, y, z], flat: [isBox, isBox, isBox] };
}

/** The box around a mesh: holds at least its volume, and costs nothing to find. */
const boxMeasures: MeasureMesh = (mesh) => {
  const { low, high } = boundsOf(mesh);
  return { volume: (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]), low, high };
};

/** About how many squares of the spacing of liquids the surface of an obstacle has. */
async function estimateBoundary(scene: Prepared, shape: ObstacleShape, readMesh: ReadMesh): Promise<number> {
  if ('plane' in shape) return 0;
  // All liquids have one spacing.
  const liquid = scene.bodies.find((body) => matterOf(body).isFluid);
  let spacing = liquid?.spacing ?? scene.emitters[0]?.spacing;
  if (liquid && spacing === undefined) {
    spacing = spacingOf(liquid, await sizeOf(liquid.shape, readMesh, meshMeasures));
  }
  if (!spacing) return 0;
  const { file, data } = 'mesh' in shape ? shape.mesh : {};
  const mesh = data ?? (file === undefined ? undefined : await readMesh(file));
  const area = surfaceArea('mesh' in shape && mesh ? { mesh: { ...shape.mesh, data: mesh } } : shape);
  return Math.ceil((area ?? 0) / spacing ** 2);
}

function primitiveSize(shape: Exclude<Shape, { mesh: unknown }>): ShapeSize {
  const area = surfaceArea(shape)!;
  if ('box' in shape) {
    const { size } = shape.box;
    return { volume: size[0] * size[1] * size[2], area, extents: size, flat: [true, true, true] };
  }
  const flat = [false, 'cylinder' in shape, false];
  if ('sphere' in shape) {
    const { radius } = shape.sphere;
    const width = 2 * radius;
    return { volume: (4 / 3) * Math.PI * radius ** 3, area, extents: [width, width, width], flat };
  }
  if ('torus' in shape) {
    const { radius, tube } = shape.torus;
    const width = 2 * (radius + tube);
    return { volume: 2 * Math.PI ** 2 * radius * tube ** 2, area, extents: [width, 2 * tube, width], flat };
  }
  const { radius, length } = 'cylinder' in shape ? shape.cylinder : shape.capsule;
  const ends = 'cylinder' in shape ? 0 : 2 * radius;
  const volume = Math.PI * radius ** 2 * (length + (2 / 3) * ends);
  return { volume, area, extents: [2 * radius, length + ends, 2 * radius], flat };
}

/** What takes memory: bodies, sources and what bounds liquids, with the key that says how many particles they have. */
interface Part {
  readonly path: string;
  readonly cure: string;
  measure(measure: MeasureMesh): Promise<{ readonly count: number; readonly bytes: number }>;
}

function partsOf(scene: Prepared, readMesh: ReadMesh): Part[] {
  const bodies = scene.bodies.map((body, k) => ({
    path: `bodies[${k}].${body.spacing === undefined ? 'particles' : 'spacing'}`,
    cure: body.spacing === undefined ? 'use fewer particles' : 'use a larger spacing',
    async measure(measure: MeasureMesh) {
      const size = await sizeOf(body.shape, readMesh, measure);
      const count = countIn(body, size);
      if (count === 0) return { count, bytes: 0 };
      return {
        count,
        bytes:
          count * (particleBytes(scene, body, size) + viscousBytes(scene, body)) + moreBytes(scene, body, size, count),
      };
    },
  }));
  const emitters = scene.emitters.map(({ maxParticles }, k) => ({
    path: `emitters[${k}].maxParticles`,
    cure: 'use fewer particles',
    measure: async () => ({ count: maxParticles, bytes: maxParticles * bytesPerLiquidParticle(scene, EMITTED) }),
  }));
  const walls = isLiquid(scene) ? scene.obstacles : [];
  const obstacles = walls.map(({ shape }, k) => ({
    path: `obstacles[${k}].shape`,
    cure: 'make it smaller, or a plane',
    async measure() {
      const count = await estimateBoundary(scene, shape, readMesh);
      return { count, bytes: count * BOUNDARY };
    },
  }));
  return [...bodies, ...emitters, ...obstacles];
}

/** What setting up a solid takes for a moment, or iteration later [bytes]. */
function moreBytes(scene: Scene, body: BodyOptions, size: ShapeSize, count: number): number {
  if (!matterOf(body).isSolid) return 0;
  const setUp = FIXED_OF_SOLIDS / scene.bodies.filter((other) => matterOf(other).isSolid).length;
  if (matterOf(body).isViscoplastic || !isIterative(scene)) return setUp;
  const spacing = spacingOf(body, size);
  const extents = size.extents.map((extent) => Math.max(0, extent - spacing));
  const share = Math.min(1, size.volume / (size.extents[0] * size.extents[1] * size.extents[2]));
  return Math.max(setUp, count * iterationBytes(scene, body) + coarseBytes(count, extents, spacing, share));
}

function isLiquid({ bodies, emitters }: Scene): boolean {
  return emitters.length > 0 || bodies.some((body) => matterOf(body).isFluid);
}

/** Is some liquid of a scene elastic? */
function isMelt({ bodies, emitters }: Scene): boolean {
  return [...bodies, ...emitters].some((body) => matterOf(body).phase === 'melt');
}

/** What a scene takes whatever the number of its particles [bytes]. */
async function fixedBytes(scene: Prepared, readMesh: ReadMesh): Promise<number> {
  return (
    FIXED +
    (isLiquid(scene) ? FIXED_OF_LIQUIDS : 0) +
    (isMelt(scene) ? FIXED_OF_MELTS : 0) +
    (await gridBytes(scene, readMesh))
  );
}

/** Distances to obstacles that are meshes [bytes]. */
async function gridBytes(scene: Prepared, readMesh: ReadMesh): Promise<number> {
  const meshes = scene.obstacles.filter(({ shape }) => 'mesh' in shape);
  if (meshes.length === 0) return 0;
  const spacings = scene.emitters.map(({ spacing }) => spacing);
  for (const body of scene.bodies) {
    const spacing = body.spacing ?? spacingOf(body, await sizeOf(body.shape, readMesh, meshMeasures));
    spacings.push(spacing);
    if (body.lattice === 'octree') spacings.push(4 * spacing);
  }
  let bytes = 0;
  for (const { shape } of meshes) {
    const { extents } = await sizeOf(shape as Shape, readMesh, boxMeasures);
    bytes += distanceGridBytes(extents, spacings, isLiquid(scene));
  }
  return bytes;
}

/** A scene in all states that its bodies can be in: as it is, and with all solids as melts that can become so. */
function statesOf(scene: Prepared): Prepared[] {
  const bodies = scene.bodies.map(
    (body): BodyOptions =>
      mayMelt(scene, body) ? { ...body, kind: 'fluid', material: { ...body.material, elastic: true } } : body,
  );
  return bodies.every((body, k) => body === scene.bodies[k]) ? [scene] : [scene, { ...scene, bodies }];
}

/** May a solid begin to melt, as far as is known before it has particles? */
function mayMelt(scene: Prepared, body: BodyOptions): boolean {
  const { meltingPoint, orthotropic } = body.material;
  if (!matterOf(body).isSolid || body.lattice === 'octree' || orthotropic) return false;
  // A formula may be as low as it gets.
  const points = [meltingPoint, ...body.regions.map(({ set }) => set.meltingPoint)].flatMap((point) =>
    typeof point === 'string' ? COLDEST : (point ?? []),
  );
  return isThermal(scene) && Math.min(Infinity, ...points) < hottestOf(scene) && !isTooStiff(scene, body);
}

function isTooStiff({ solver }: Scene, { name, material, shape, spacing }: BodyOptions): boolean {
  if (spacing === undefined) return false;
  const longestSide = 'mesh' in shape ? (shape.mesh.size ?? 1) : Math.max(...primitiveSize(shape).extents);
  try {
    refuseStiff([{ name, longestSide, material: { ...material, elastic: true } }], spacing, solver);
    return false;
  } catch {
    return true;
  }
}

/** What parts of a scene begin with, are held at or lie in at the most [degrees C]. */
function hottestOf({ temperature = ROOM_TEMPERATURE, heat, bodies, emitters, obstacles }: Scene): number {
  if (heat.some((source) => source.temperature === undefined)) return Infinity;
  return Math.max(
    temperature,
    ...[...bodies, ...emitters, ...obstacles, ...heat].flatMap(({ temperature }) =>
      typeof temperature === 'string' ? Infinity : (temperature ?? []),
    ),
  );
}

/** The scene with the shapes that are made of others; what makes them is fetched where there are some. */
async function prepare(scene: Scene, readMesh: ReadMesh): Promise<Prepared> {
  if (isPrepared(scene)) return scene;
  const { prepareShapes } = await import('./meshes.js');
  return prepareShapes(scene, readMesh);
}

/** About what a scene will take in memory once it moves [bytes]; within a fifth for every kind of body. */
export async function estimateMemory(scene: Scene, readMesh: ReadMesh): Promise<number> {
  const read = once(readMesh);
  const prepared = await prepare(scene, read);
  return Math.max(await estimateState(prepared, read), await estimateMelted(prepared, read));
}

/** That when the solids that can melt have begun to; nothing where there are none. */
export async function estimateMelted(scene: Scene, readMesh: ReadMesh): Promise<number> {
  const read = once(readMesh);
  const [, melted] = statesOf(await prepare(scene, read));
  return melted ? estimateState(melted, read) : 0;
}

/** What pieces add at the most, when all that can break crumbles to single particles [bytes]. */
export async function estimateCrumbs({ bodies }: Scene, readMesh: ReadMesh): Promise<number> {
  const read = once(readMesh);
  const counts = await Promise.all(bodies.filter(isBreakable).map((body) => estimateParticles(body, read)));
  return ROW_MARGIN * PIECE * sum(counts);
}

async function estimateState(scene: Prepared, readMesh: ReadMesh): Promise<number> {
  const parts = await Promise.all(partsOf(scene, readMesh).map((part) => part.measure(meshMeasures)));
  return (await fixedBytes(scene, readMesh)) + sum(parts.map(({ bytes }) => bytes));
}

/** Refuses a scene that cannot fit into so many bytes, with the cure, before anything is sampled. */
export async function checkMemory(scene: Scene, readMesh: ReadMesh, available = Infinity): Promise<void> {
  const read = once(readMesh);
  for (const state of statesOf(await prepare(scene, read)))
    await checkState(state, read, Math.min(available, ADDRESSABLE));
}

async function checkState(scene: Prepared, readMesh: ReadMesh, limit: number): Promise<void> {
  const parts = partsOf(scene, readMesh);
  let counts: number[] = [];
  let bytes: number[] = [];
  let needed = 0;
  for (const measure of [boxMeasures, meshMeasures]) {
    const measured = await Promise.all(parts.map((part) => part.measure(measure)));
    counts = measured.map(({ count }) => count);
    bytes = measured.map((part) => part.bytes);
    needed = (await fixedBytes(scene, readMesh)) + sum(bytes);
    if (needed <= limit) return;
  }
  // Parts that are too large alone, otherwise the largest.
  const total = sum(counts);
  const largest = Math.max(...bytes);
  const problems = parts.flatMap(({ path, cure }, k) => {
    const count = counts[k]!;
    if (bytes[k]! < largest && bytes[k]! <= limit) return [];
    const share = count === total ? '' : `, of ${total} in the scene`;
    return [
      {
        path,
        message:
          `gives about ${count} particles${share}; the scene needs about ${formatBytes(needed)}, ` +
          `at most ${formatBytes(limit)} can be used here: ${cure}`,
      },
    ];
  });
  throw new OptionError(problems);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Does a scene balance forces by iteration, for implicit motion or for equilibrium? */
function isIterative({ static: isStatic, solver }: Scene): boolean {
  return isStatic || isImplicit(solver.solid);
}

/** Does heat count in a scene? The rule is that of `World.isThermal`. */
function isThermal({ temperature, heat, bodies, emitters, obstacles }: Scene): boolean {
  const named = [...bodies, ...emitters, ...obstacles].some((part) => part.temperature !== undefined);
  return temperature !== undefined || heat.length > 0 || named;
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value >= 100 || power === 0 ? value.toFixed(0) : value.toPrecision(3)} ${units[power]}`;
}
