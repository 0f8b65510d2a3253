/** Makes descriptions and frames of a world for those who draw it. */

import { subtract, transform, transpose } from '../math/matrix3.js';
import { Engine } from '../memory/engine.js';
import { isPrepared } from '../options/made-shapes.js';
import { matterOf } from '../options/phase.js';
import type { BodyOptions, Prepared, Scene, Vec3 } from '../options/types.js';
import { compose, type Pose } from '../solvers/motion.js';
import { Carriers, insideOf } from '../surface/carry.js';
// One by one: what the page does not need, as what cuts meshes, stays out of the worker's first file.
import { DEEPEST, ObstacleClearance } from '../surface/clearance.js';
import type { Neighborhoods } from '../surface/neighborhoods.js';
import { dressedMesh, type RestMesh, restMesh } from '../surface/rest-mesh.js';
import { fitRigidPose, movePoints } from '../surface/rigid-pose.js';
import { obstaclePlane, obstaclePose, type PlaneAt, shapeMesh } from '../surface/shape-mesh.js';
import type { Readings } from '../world/readings.js';
import { largestPrincipal, shearRates } from '../world/tensors.js';
import type { World } from '../world.js';
import { bound } from './bound.js';
import type { BreakableBody } from './broken-meshes.js';
import {
  ABSENT,
  type BodyDescription,
  type BoundMesh,
  type DisplayMesh,
  type ObstacleDescription,
  type Quantity,
} from './protocol.js';

/** Edges of drawn curves are at most this share of an obstacle's size. */
const FINENESS = 0.05;
/** Steps across round bodies: those that bend are bound to particles vertex by vertex, which takes its time. */
const STEPS = 20;

/** Numbers per particle of everything that is recorded of a frame. */
export interface Recorded {
  /** xyz per particle. */
  readonly positions: Float32Array;
  readonly quantities: ReadonlyMap<Quantity, Float32Array>;
  /** First particles of solids that have begun to melt, and the molten shares of all particles where there are some. */
  readonly melted: readonly number[];
  readonly molten?: Float32Array | undefined;
  /** Of bodies in pieces, by their first particles: the piece of every particle. */
  readonly broken: ReadonlyMap<number, Uint32Array>;
}

interface Shown {
  readonly begin: number;
  readonly end: number;
  readonly affineBegin: number;
  readonly carriers: Carriers;
  /** 1 for particles that some vertex follows: the maps of others are not needed. */
  readonly followed: Uint8Array;
  readonly spacing: number;
  /** Of a rigid body, which is kept out of planes as a whole. */
  readonly rigid: RestMesh | undefined;
}

/** The scene must have its meshes in it, see `readMeshes`. */
export class FramePacker {
  #scene: Prepared;
  readonly #shown: Shown[] = [];
  /** Of planes only, which take no time. */
  readonly #clearance: ObstacleClearance | undefined;
  readonly #restParticles: Float32Array;
  readonly affineCount: number;
  bodies: readonly BodyDescription[];
  obstacles: readonly ObstacleDescription[];
  /** What can be measured now; a world that is warmed has more. */
  quantities: readonly Quantity[];
  #broken: Recorded['broken'] = new Map();

  /** The world must not have moved yet. `onBody` is called before each body whose mesh is bound. */
  static async create(world: World, scene: Scene | Prepared, onBody?: (body: string) => void): Promise<FramePacker> {
    if (!isPrepared(scene)) throw new RangeError('the scene has shapes that are not made: use what readMeshes gives');
    // One thread: what a frame takes here is less than waking another.
    return new FramePacker(world, scene, await Engine.create(1), onBody);
  }

  private constructor(world: World, scene: Prepared, engine: Engine, onBody?: (body: string) => void) {
    this.#scene = scene;
    const planes = scene.obstacles.filter(({ shape }) => 'plane' in shape);
    this.#clearance = planes.length > 0 ? new ObstacleClearance(planes) : undefined;
    this.#restParticles = withoutFourth(world.positions());
    let affines = 0;
    this.bodies = world.bodies.map((body) => {
      const { name, kind, begin, end, spacing, mass } = body;
      const options = scene.bodies.find((candidate) => candidate.name === name);
      const look = options ?? scene.emitters.find((candidate) => candidate.name === name);
      // What has melted already was a solid in its scene.
      const matter = options ? matterOf(options) : body.matter;
      const { flows } = matter;
      const common = {
        name,
        kind,
        isFluid: body.matter.isFluid,
        begin,
        end,
        spacing,
        mass,
        flows,
        color: look?.color,
        look: look?.look,
      };
      if (!options || flows) return { ...common, affineBegin: undefined };
      onBody?.(name);
      const own = restMesh(options, spacing, 1, STEPS);
      const carriers = new Carriers(engine, this.#restOf(body), body.parts);
      const near = carriers.near(own.positions, insideOf(own.positions, own.normals, spacing));
      const shown: Shown = {
        begin,
        end,
        affineBegin: affines,
        carriers,
        followed: new Uint8Array(end - begin),
        spacing,
        rigid: matter.isRigid ? own : undefined,
      };
      follow(shown, near);
      this.#shown.push(shown);
      affines += end - begin;
      const melts = matter.isSolid && materialsIn(options).some(({ meltingPoint }) => meltingPoint !== undefined);
      return {
        ...common,
        ...(melts && { melts }),
        affineBegin: shown.affineBegin,
        mesh: bound(displayMesh(own), near, reachOf(shown)),
      };
    });
    this.affineCount = affines;
    this.obstacles = scene.obstacles.map((obstacle) => {
      const { name, color, look, keyframes, motion } = obstacle;
      const shape = obstacleShape(obstacle);
      const isClear = look === undefined ? this.#holdsLiquid(shape.mesh) : look === 'glass';
      return { name, color, moves: keyframes.length > 0 || motion !== undefined, isClear, ...shape };
    });
    this.quantities = quantitiesOf(world);
  }

  /** Names, colours and looks of a scene that is the same otherwise. */
  relabel(scene: Prepared): void {
    this.#scene = scene;
    const labels = [...scene.bodies, ...scene.emitters].map(({ name, color, look }) => ({ name, color, look }));
    this.bodies = this.bodies.map((body, k) => ({ ...body, ...labels[k] }));
    this.obstacles = this.obstacles.map((obstacle, k) => {
      const { name, color, look } = scene.obstacles[k]!;
      const isClear = look === undefined ? this.#holdsLiquid(obstacle.mesh) : look === 'glass';
      return { ...obstacle, name, color, isClear };
    });
  }

  get restPositions(): Float32Array {
    return this.#restParticles;
  }

  /** Is most of something that flows inside the box around a mesh? */
  #holdsLiquid(mesh: DisplayMesh | undefined): boolean {
    if (!mesh) return false;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const [k, x] of mesh.positions.entries()) {
      low[k % 3] = Math.min(low[k % 3]!, x);
      high[k % 3] = Math.max(high[k % 3]!, x);
    }
    return this.bodies.some(({ isFluid, begin, end }) => {
      let inside = 0;
      for (let i = begin; i < end; i++) {
        const position = this.restPosition(i);
        if (position.every((x, a) => x > low[a]! && x < high[a]!)) inside++;
      }
      return isFluid && 2 * inside > end - begin;
    });
  }

  /**
   * Binds another mesh, which stands at the start in the world, to a body that is no liquid. It may follow particles
   * that nothing has followed before: frames that were packed before lack them.
   */
  bind(body: string, mesh: DisplayMesh): BoundMesh {
    const found = this.bodies.find(({ name }) => name === body);
    if (!found || found.affineBegin === undefined) throw new RangeError(`"${body}" flows and has no shape to bind to`);
    const shown = this.#shown.find(({ begin }) => begin === found.begin)!;
    const near = shown.carriers.near(mesh.positions, insideOf(mesh.positions, mesh.normals, shown.spacing));
    follow(shown, near);
    return bound(mesh, near, reachOf(shown));
  }

  #restOf({ begin, end }: { readonly begin: number; readonly end: number }): Float32Array {
    return this.#restParticles.subarray(3 * begin, 3 * end);
  }

  /** Bodies with meshes of their own that may break. */
  get breakable(): BreakableBody[] {
    return this.bodies.flatMap((body, k) => {
      const { begin, end, affineBegin, spacing, mesh } = body;
      const options = this.#scene.bodies[k];
      if (affineBegin === undefined || !mesh || !options) return [];
      return [{ options, begin, end, affineBegin, spacing, rest: this.#restOf({ begin, end }) }];
    });
  }

  /** Position of a particle at the start. */
  restPosition(particle: number): [number, number, number] {
    const at = this.#restParticles;
    return [at[3 * particle]!, at[3 * particle + 1]!, at[3 * particle + 2]!];
  }

  record(world: World): Recorded {
    const read = world.readings();
    this.quantities = quantitiesOf(world);
    const quantities = new Map(this.quantities.map((name) => [name, measure(world, read, name)]));
    const melted = world.bodies.filter((body) => body.melted).map(({ begin }) => begin);
    const molten = melted.length > 0 ? read.liquidFractions() : undefined;
    this.#broken = world.isBreakable ? brokenIn(world.bodies, world.pieces(), this.#broken) : this.#broken;
    const broken = this.#broken;
    return { positions: read.positionsOr(ABSENT), quantities, melted, molten, broken };
  }

  /** Positions and values, four numbers per particle. */
  packParticles(
    { positions, quantities }: Recorded,
    quantity: Quantity | undefined,
    out: Float32Array,
  ): { readonly range: [number, number]; readonly present: number } {
    const values = quantity === undefined ? undefined : quantities.get(quantity);
    let [low, high] = [Infinity, -Infinity];
    let present = 0;
    for (let i = 0; i < positions.length / 3; i++) {
      out[4 * i] = positions[3 * i]!;
      out[4 * i + 1] = positions[3 * i + 1]!;
      out[4 * i + 2] = positions[3 * i + 2]!;
      const value = values?.[i] ?? 0;
      out[4 * i + 3] = value;
      if (positions[3 * i] === ABSENT) continue;
      present++;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return { range: low <= high ? [low, high] : [0, 0], present };
  }

  /**
   * Maps of the particles that vertices follow; others have zeros. Rigid bodies are kept out of planes, where these are
   * at a time [s]: contact of theirs is a spring that gives way.
   */
  packAffines({ positions }: Recorded, out: Float32Array, time = 0): void {
    for (const shown of this.#shown) {
      const { begin, end, affineBegin, carriers } = shown;
      carriers.update(positions.subarray(3 * begin, 3 * end));
      carriers.affines(out, 12 * affineBegin);
      if (!shown.rigid || !this.#clearance) continue;
      const offset = this.#offsetOutOf(shown, shown.rigid, positions, time);
      if (!offset) continue;
      for (let j = 0; j < end - begin; j++) {
        if (shown.followed[j] === 0) continue;
        for (let k = 0; k < 3; k++) out[12 * (affineBegin + j) + 4 * k + 3]! += offset[k]!;
      }
    }
  }

  #offsetOutOf(
    { begin, end, spacing }: Shown,
    { positions: rest, normals }: RestMesh,
    positions: Float32Array,
    time: number,
  ): Vec3 | undefined {
    const pose = fitRigidPose(this.#restOf({ begin, end }), positions.subarray(3 * begin, 3 * end));
    const vertices = new Float64Array(rest.length);
    movePoints(pose, rest, vertices);
    const offset = this.#clearance!.lift(vertices, normals, { time, spacing });
    return offset.some((x) => x !== 0) ? offset : undefined;
  }

  /** Where the planes among the obstacles are. */
  planes(time: number): PlaneAt[] {
    return this.#scene.obstacles.flatMap((obstacle) => obstaclePlane(obstacle, time) ?? []);
  }

  /** How the obstacles have moved since time 0, three rows each. */
  packObstacles(time: number, out: Float32Array): void {
    for (const [k, obstacle] of this.#scene.obstacles.entries()) {
      const { rotation: r, origin: o } = sinceStart(obstaclePose(obstacle, 0), obstaclePose(obstacle, time));
      for (let row = 0; row < 3; row++) {
        out.set([r[3 * row]!, r[3 * row + 1]!, r[3 * row + 2]!, o[row]!], 12 * k + 4 * row);
      }
    }
  }
}

/** Pieces of the particles of bodies of which some are in another one than the first; lists of `before` where they are the same. */
export function brokenIn(
  bodies: readonly { readonly begin: number; readonly end: number }[],
  pieces: ArrayLike<number>,
  before: Recorded['broken'] = new Map(),
): Map<number, Uint32Array> {
  const broken = new Map<number, Uint32Array>();
  for (const { begin, end } of bodies) {
    let isBroken = false;
    for (let i = begin; i < end && !isBroken; i++) isBroken = pieces[i] !== pieces[begin];
    if (!isBroken) continue;
    const own = Uint32Array.from({ length: end - begin }, (_, k) => pieces[begin + k]!);
    const last = before.get(begin);
    broken.set(begin, last && own.every((piece, k) => piece === last[k]) ? last : own);
  }
  return broken;
}

function materialsIn({ material, regions }: BodyOptions) {
  return [material, ...regions.map(({ set }) => set)];
}

function quantitiesOf(world: World): Quantity[] {
  return [
    'speed',
    ...(world.bodies.some(({ matter }) => matter.isSolid)
      ? (['stress', 'principalStress', 'principalStrain'] as const)
      : []),
    ...(world.isPlastic ? (['plasticStrain'] as const) : []),
    ...(world.isBreakable ? (['damage'] as const) : []),
    ...(world.isThermal ? (['temperature'] as const) : []),
    'density',
    ...(world.bodies.some(({ matter }) => matter.isFluid) ? (['pressure', 'shearRate'] as const) : []),
  ];
}

/** The motion that takes one pose to another. */
function sinceStart(start: Pose, now: Pose): Pose {
  const back = transpose(start.rotation);
  const inverse: Pose = { rotation: back, origin: subtract([0, 0, 0], transform(back, start.origin)) };
  return compose(now, inverse);
}

function measure(world: World, read: Readings, quantity: Quantity): Float32Array {
  switch (quantity) {
    case 'stress':
      return read.measure(1);
    case 'principalStress':
      return largestPrincipal(world.stressTensors());
    case 'principalStrain':
      return largestPrincipal(world.strainTensors());
    case 'shearRate':
      return shearRates(world.velocityGradients());
    case 'plasticStrain':
      return read.plasticStrains();
    case 'damage':
      return read.damages();
    case 'temperature':
      return world.temperatures();
    case 'density':
      return read.densities();
    case 'pressure':
      return read.pressures();
    case 'speed':
      return read.speeds();
  }
}

function withoutFourth(vectors: Float32Array): Float32Array {
  const out = new Float32Array((3 * vectors.length) / 4);
  for (let i = 0; i < vectors.length / 4; i++) for (let a = 0; a < 3; a++) out[3 * i + a] = vectors[4 * i + a]!;
  return out;
}

function follow({ carriers, followed }: Shown, { indices }: Neighborhoods): void {
  for (let n = 0; n < indices.length; n++) followed[indices[n]!] = 1;
  const list = new Uint32Array(followed.length);
  let count = 0;
  for (let j = 0; j < followed.length; j++) if (followed[j] === 1) list[count++] = j;
  carriers.follow(list.subarray(0, count));
}

/** How deep in a plane a vertex is laid on it [m]. */
function reachOf({ spacing, rigid }: Shown): number {
  return rigid ? 0 : DEEPEST * spacing;
}

function obstacleShape(obstacle: Prepared['obstacles'][number]): Pick<ObstacleDescription, 'mesh' | 'plane'> {
  const plane = obstaclePlane(obstacle, 0);
  const { shape } = obstacle;
  if (plane || 'plane' in shape) return { plane };
  const own = shapeMesh(shape, 'mesh' in shape ? 1 : FINENESS * sizeOf(shape));
  return { mesh: displayMesh(dressedMesh(own, obstaclePose(obstacle, 0))) };
}

function displayMesh({ positions, normals, ...looks }: RestMesh): DisplayMesh {
  return { positions: Float32Array.from(positions), normals: Float32Array.from(normals), ...looks };
}

/** A length that tells how large a basic shape is. */
function sizeOf(shape: object): number {
  const numbers = Object.values(Object.values(shape)[0] as Record<string, number | readonly number[]>).flat();
  return Math.max(...numbers.filter((x): x is number => typeof x === 'number'));
}
