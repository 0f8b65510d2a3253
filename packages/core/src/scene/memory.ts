/** Whether a scene fits into memory, known before anything is allocated. */
import { meshMeasures } from '../mesh/index.js';
import { boundsOf } from '../mesh/solid.js';
import { OptionError } from '../options/errors.js';
import { matterOf } from '../options/phase.js';
import type { BodyOptions, MeshShape, ObstacleShape, Scene, Shape, TriangleMesh, Vec3 } from '../options/types.js';
import { surfaceArea } from '../sampling/area.js';
import { IMPLICIT_BYTES } from '../solvers/fluid/elastic-implicit.js';
import { isImplicit } from '../solvers/fluid/elastic-limits.js';
import { mayFlow } from '../solvers/material.js';

/** What 32-bit WebAssembly can address [bytes]. */
const ADDRESSABLE = 2 ** 32;

export type ReadMesh = (file: string) => Promise<TriangleMesh>;

/**
 * Neighbours over the volume of the support's ball in cells. Particles at the surface have fewer; and lattices
 * have their shells of neighbours inside or outside of the linear support.
 */
const LINEAR_FILL = { cubic: 0.78, bcc: 0.6, hcp: 0.9, octree: 0.9 } as const;
const QUADRATIC_FILL = 0.87;

/** What does not grow with the particles: tables, grids of searches, of deformable solids, liquids and iterations [bytes]. */
const FIXED = 5e3;
const FIXED_OF_SOLIDS = 95e3;
const FIXED_OF_LIQUIDS = 240e3;
const FIXED_OF_ITERATION = 150e3;

/** What balancing the forces by iteration takes: vectors, diagonals, linearised stresses, weights, lists, coarse systems [bytes]. */
const LINEAR_ITERATION = 11 * 16 + 32 + 32 + 96 + 64 + 64 + 64;
const QUADRATIC_ITERATION = LINEAR_ITERATION + 192;
const OBSTACLE_ITERATION = 32;

/** State of a particle of a rigid body [bytes]. */
const RIGID = 340;
/** Candidates where there are several bodies, and what touches where several are rigid. */
const RIGID_CONTACT = 1470;
const SINGLE_RIGID_CONTACT = 240;
/** The same for implicit steps: tangents of contacts, and vectors that its particles leave at zero. */
const RIGID_CONTACT_ITERATION = 48 * 32;
const RIGID_OBSTACLE_ITERATION = 64;
const SOLID_CONTACT = 90;
/** Of a body in a liquid: particles on its surface, what they weigh and which of the liquid they see. */
const IN_LIQUID = 470;
/** What has flowed, and the law, where a solid may flow for good. */
const PLASTIC = 64;
/** Of a liquid that is elastic, with IMPLICIT_BYTES more in implicit steps: bonds, rest vectors, strains and their pressures. */
const ELASTIC_LIQUID = 1940;

/**
 * What a particle of a liquid takes: state twice, because sorting needs both, what a step makes, vectors of implicit
 * viscosity, cells of the grid, lists and weights of neighbours [bytes].
 */
const LIQUID = 2 * 52 + 148 + 52 + 64 + 8 * 40;
/** Lists of boundary particles, where something other than planes bounds the liquid. */
const LIQUID_AT_BOUNDARY = 4 * 64;
/** Particles on an obstacle that bounds a liquid, for each square of the liquid's spacing; planes have none. */
const BOUNDARY = 480;

/** Of a body that flows: rest vectors twice, weights and links of 32 neighbours, and the rest; twice the places. */
const EMBEDDED = 2 * (40 * 32 + 990);
/** Of such a body in a liquid, where everything may become surface. */
const EMBEDDED_IN_LIQUID = 2 * 650;

/** State of a particle in heat, vectors of its implicit steps and cells of its grid; a bond at rest; a pair [bytes]. */
const HEAT = 264;
const HEAT_BOND = 16;
const HEAT_PAIR = 16;
/** Neighbours that heat flows to: on a cubic lattice, elsewhere, and in liquids. */
const HEAT_NEIGHBOURS = { cubic: 6, irregular: 16, liquid: 26 } as const;

/** What heat adds to a particle [bytes]. */
function heatBytes(scene: Scene, body?: BodyOptions): number {
  if (!isThermal(scene)) return 0;
  if (!body || matterOf(body).isFluid) return HEAT + HEAT_PAIR * HEAT_NEIGHBOURS.liquid;
  const isCubic = body.lattice === 'cubic' && body.jitter === 0;
  return HEAT + (HEAT_BOND + HEAT_PAIR) * HEAT_NEIGHBOURS[isCubic ? 'cubic' : 'irregular'];
}

function bytesPerLiquidParticle(scene: Scene): number {
  const { bodies, emitters, obstacles } = scene;
  // All liquids have the arrays of those that are elastic.
  const isElastic = [...bodies, ...emitters].some((body) => matterOf(body).phase === 'melt');
  const isBounded =
    bodies.some((body) => !matterOf(body).isFluid) || obstacles.some(({ shape }) => !('plane' in shape));
  const elastic = ELASTIC_LIQUID + (isImplicit(scene.solver.solid) ? IMPLICIT_BYTES : 0);
  return LIQUID + (isElastic ? elastic : 0) + (isBounded ? LIQUID_AT_BOUNDARY : 0) + heatBytes(scene);
}

/** About what state, neighbour lists and rest shapes of one particle of a body take [bytes]. */
export function bytesPerParticle(scene: Scene, body: BodyOptions): number {
  const { isFluid, isViscoplastic, isRigid } = matterOf(body);
  if (isFluid) return bytesPerLiquidParticle(scene);
  if (isViscoplastic) return EMBEDDED + (isLiquid(scene) ? EMBEDDED_IN_LIQUID : 0) + 2 * heatBytes(scene, body);
  const all = scene.bodies.map(matterOf);
  const isSeveral = all.filter((matter) => !matter.isFluid).length > 1;
  const inLiquid = isLiquid(scene) ? IN_LIQUID : 0;
  if (isRigid) {
    const isAmongRigid = all.filter((matter) => matter.isRigid).length > 1;
    const contact = isAmongRigid ? RIGID_CONTACT : isSeveral ? SINGLE_RIGID_CONTACT : 0;
    const { length: walls } = scene.obstacles;
    const tangents = (isAmongRigid ? RIGID_CONTACT_ITERATION : 48) + RIGID_OBSTACLE_ITERATION * walls;
    const iteration = isIterative(scene) ? iterationBytes(scene, body) + tangents : 0;
    return RIGID + 16 * walls + contact + iteration + inLiquid + heatBytes(scene, body);
  }
  const isQuadratic = isQuadraticIn(scene, body);
  const isIrregular = body.jitter > 0 || body.lattice === 'octree';
  const radius = scene.solver.solid.support ?? (isQuadratic ? (isIrregular ? 2.6 : 2.4) : 2.1);
  const fill = isQuadratic ? QUADRATIC_FILL : Math.max(LINEAR_FILL[body.lattice], body.jitter > 0 ? 0.85 : 0);
  const neighbours = (4 / 3) * Math.PI * radius ** 3 * fill;
  const own = isQuadratic ? 950 + 24 * neighbours : 340 + 20 * neighbours;
  const flows = [body.material, ...body.regions.map(({ set }) => set)].some(mayFlow);
  return (
    own +
    (flows ? PLASTIC : 0) +
    (isSeveral ? SOLID_CONTACT : 0) +
    inLiquid +
    (isIterative(scene) ? iterationBytes(scene, body) : 0) +
    heatBytes(scene, body)
  );
}

/** What implicit motion and equilibrium add to that [bytes]. */
export function iterationBytes(scene: Scene, body: BodyOptions): number {
  const own = isQuadraticIn(scene, body) ? QUADRATIC_ITERATION : LINEAR_ITERATION;
  return own + (scene.obstacles.length > 0 ? OBSTACLE_ITERATION : 0);
}

function isQuadraticIn({ solver }: Scene, { discretisation }: BodyOptions): boolean {
  return (discretisation ?? solver.solid.discretisation) === 'quadratic';
}

type MeasureMesh = (mesh: TriangleMesh) => { readonly volume: number; readonly low: Vec3; readonly high: Vec3 };

/** About how many particles a body will have. */
export async function estimateParticles(
  { shape, spacing, particles, lattice }: BodyOptions,
  readMesh: ReadMesh,
  measure: MeasureMesh = meshMeasures,
): Promise<number> {
  if (spacing === undefined) return particles ?? 0;
  const volume = 'mesh' in shape ? await meshVolume(shape.mesh, readMesh, measure) : primitiveVolume(shape);
  return Math.ceil(volume / (spacing ** 3 * CELL_SHARE[lattice]));
}

async function meshVolume({ file, data, size }: MeshShape, readMesh: ReadMesh, measure: MeasureMesh): Promise<number> {
  const mesh = data ?? (file === undefined ? undefined : await readMesh(file));
  if (!mesh) return 0;
  const { volume, low, high } = measure(mesh);
  const longestSide = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  return size === undefined ? volume : volume * (size / longestSide) ** 3;
}

/** The box around a mesh: holds at least its volume, and costs nothing to find. */
const boxMeasures: MeasureMesh = (mesh) => {
  const { low, high } = boundsOf(mesh);
  return { volume: (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]), low, high };
};

/** Volume of a particle's cell, in cubes of the spacing; cells inside an octree are larger. */
const CELL_SHARE = { cubic: 1, bcc: 1, hcp: 1, octree: 1.8 } as const;

/** About how many squares of the spacing of liquids the surface of an obstacle has. */
async function estimateBoundary(scene: Scene, shape: ObstacleShape, readMesh: ReadMesh): Promise<number> {
  if ('plane' in shape) return 0;
  // All liquids have one spacing.
  const liquid = scene.bodies.find((body) => matterOf(body).isFluid);
  let spacing = liquid?.spacing ?? scene.emitters[0]?.spacing;
  if (liquid && spacing === undefined) {
    const volume =
      'mesh' in liquid.shape
        ? await meshVolume(liquid.shape.mesh, readMesh, meshMeasures)
        : primitiveVolume(liquid.shape);
    spacing = Math.cbrt(volume / (liquid.particles ?? 1));
  }
  if (!spacing) return 0;
  const { file, data } = 'mesh' in shape ? shape.mesh : {};
  const mesh = data ?? (file === undefined ? undefined : await readMesh(file));
  const area = surfaceArea('mesh' in shape && mesh ? { mesh: { ...shape.mesh, data: mesh } } : shape);
  return Math.ceil((area ?? 0) / spacing ** 2);
}

function primitiveVolume(shape: Exclude<Shape, { mesh: unknown }>): number {
  if ('box' in shape) return shape.box.size[0] * shape.box.size[1] * shape.box.size[2];
  if ('sphere' in shape) return (4 / 3) * Math.PI * shape.sphere.radius ** 3;
  if ('cylinder' in shape) return Math.PI * shape.cylinder.radius ** 2 * shape.cylinder.length;
  if ('capsule' in shape) {
    const { radius, length } = shape.capsule;
    return Math.PI * radius ** 2 * (length + (4 / 3) * radius);
  }
  return 2 * Math.PI ** 2 * shape.torus.radius * shape.torus.tube ** 2;
}

/** What takes memory: bodies, sources and what bounds liquids, with the key that says how many particles they have. */
interface Part {
  readonly path: string;
  readonly cure: string;
  readonly bytes: number;
  count(measure: MeasureMesh): Promise<number>;
}

function partsOf(scene: Scene, readMesh: ReadMesh): Part[] {
  const bodies = scene.bodies.map((body, k) => ({
    path: `bodies[${k}].${body.spacing === undefined ? 'particles' : 'spacing'}`,
    cure: body.spacing === undefined ? 'use fewer particles' : 'use a larger spacing',
    bytes: bytesPerParticle(scene, body),
    count: (measure: MeasureMesh) => estimateParticles(body, readMesh, measure),
  }));
  const emitters = scene.emitters.map(({ maxParticles }, k) => ({
    path: `emitters[${k}].maxParticles`,
    cure: 'use fewer particles',
    bytes: bytesPerLiquidParticle(scene),
    count: async () => maxParticles,
  }));
  const walls = isLiquid(scene) ? scene.obstacles : [];
  const obstacles = walls.map(({ shape }, k) => ({
    path: `obstacles[${k}].shape`,
    cure: 'make it smaller, or a plane',
    bytes: BOUNDARY,
    count: () => estimateBoundary(scene, shape, readMesh),
  }));
  return [...bodies, ...emitters, ...obstacles];
}

function isLiquid({ bodies, emitters }: Scene): boolean {
  return emitters.length > 0 || bodies.some((body) => matterOf(body).isFluid);
}

/** What a scene takes whatever the number of its particles [bytes]. */
function fixedBytes(scene: Scene): number {
  const isSolid = scene.bodies.some((body) => matterOf(body).isSolid);
  return (
    FIXED +
    (isSolid ? FIXED_OF_SOLIDS : 0) +
    (isLiquid(scene) ? FIXED_OF_LIQUIDS : 0) +
    (isIterative(scene) ? FIXED_OF_ITERATION : 0)
  );
}

/** About what a scene will take in memory once it moves [bytes]; within a fifth for every kind of body. */
export async function estimateMemory(scene: Scene, readMesh: ReadMesh): Promise<number> {
  let bytes = fixedBytes(scene);
  for (const part of partsOf(scene, readMesh)) bytes += part.bytes * (await part.count(meshMeasures));
  return bytes;
}

/** Refuses a scene that cannot fit into so many bytes, with the cure, before anything is sampled. */
export async function checkMemory(scene: Scene, readMesh: ReadMesh, available = Infinity): Promise<void> {
  const limit = Math.min(available, ADDRESSABLE);
  const parts = partsOf(scene, readMesh);
  let counts: number[] = [];
  let bytes: number[] = [];
  let needed = 0;
  for (const measure of [boxMeasures, meshMeasures]) {
    counts = [];
    for (const part of parts) counts.push(await part.count(measure));
    bytes = counts.map((count, k) => count * parts[k]!.bytes);
    needed = fixedBytes(scene) + sum(bytes);
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
