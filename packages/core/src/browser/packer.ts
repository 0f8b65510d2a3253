/** Makes descriptions and frames of a world for those who draw it. */

import { subtract, transform, transpose } from '../math/matrix3.js';
import type { Scene } from '../options/types.js';
import { isEmbedded } from '../solvers/embedding/model.js';
import { compose, type Pose } from '../solvers/motion.js';
import {
  obstaclePlane,
  obstaclePose,
  restMesh,
  Skin,
  shapeMesh,
  splitAtCreases,
  vertexNormals,
} from '../surface/index.js';
import { movePoints } from '../surface/rigid-pose.js';
import type { World } from '../world.js';
import {
  ABSENT,
  type BodyDescription,
  type BoundMesh,
  type DisplayMesh,
  type ObstacleDescription,
  type Quantity,
} from './protocol.js';

const CREASE = 40;
/** Edges of drawn curves are at most this share of an obstacle's size. */
const FINENESS = 0.05;
/** Steps across round bodies: those that bend are bound to particles vertex by vertex, which takes its time. */
const STEPS = 20;

/** Numbers per particle of everything that is recorded of a frame. */
export interface Recorded {
  /** xyz per particle. */
  readonly positions: Float32Array;
  readonly quantities: ReadonlyMap<Quantity, Float32Array>;
}

interface Shown {
  readonly begin: number;
  readonly end: number;
  readonly affineBegin: number;
  readonly skin: Skin;
  /** 1 for particles that some vertex follows: the maps of others are not needed. */
  readonly followed: Uint8Array;
}

/** The scene must have its meshes in it, see `readMeshes`. */
export class FramePacker {
  readonly #scene: Scene;
  readonly #shown: Shown[] = [];
  readonly #restParticles: Float32Array;
  readonly affineCount: number;
  readonly bodies: readonly BodyDescription[];
  readonly obstacles: readonly ObstacleDescription[];
  /** What can be measured now; a world that is warmed has more. */
  quantities: readonly Quantity[];

  /** The world must not have moved yet. */
  constructor(world: World, scene: Scene) {
    this.#scene = scene;
    this.#restParticles = withoutFourth(world.positions());
    let affines = 0;
    this.bodies = world.bodies.map((body) => {
      const { name, kind, begin, end, spacing, mass } = body;
      const options = scene.bodies.find((candidate) => candidate.name === name);
      const look = options ?? scene.emitters.find((candidate) => candidate.name === name);
      const flows = !options || kind === 'fluid' || isEmbedded(options);
      const common = { name, kind, begin, end, spacing, mass, flows, color: look?.color, look: look?.look };
      if (flows) return { ...common, affineBegin: undefined };
      const own = restMesh(options, spacing, 1, STEPS);
      const mesh: DisplayMesh = {
        positions: Float32Array.from(own.positions),
        normals: Float32Array.from(own.normals),
        uvs: own.uvs,
        indices: own.indices,
      };
      const skin = new Skin(own.positions, this.#restOf(body));
      const followed = new Uint8Array(end - begin);
      follow(followed, skin);
      this.#shown.push({ begin, end, affineBegin: affines, skin, followed });
      affines += end - begin;
      return { ...common, affineBegin: affines - (end - begin), mesh: bound(mesh, skin) };
    });
    this.affineCount = affines;
    this.obstacles = scene.obstacles.map((obstacle) => {
      const { name, color, look, keyframes } = obstacle;
      const shape = obstacleShape(obstacle);
      const isClear = look === undefined ? this.#holdsLiquid(shape.mesh) : look === 'glass';
      return { name, color, moves: keyframes.length > 0, isClear, ...shape };
    });
    this.quantities = quantitiesOf(world);
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
    return this.bodies.some(({ kind, begin, end }) => {
      let inside = 0;
      for (let i = begin; i < end; i++) {
        const place = this.restPlace(i);
        if (place.every((x, a) => x > low[a]! && x < high[a]!)) inside++;
      }
      return kind === 'fluid' && 2 * inside > end - begin;
    });
  }

  /**
   * Binds another mesh, which stands at the start in the world, to a body that is no liquid. It may follow particles
   * that nothing has followed before: frames that were packed before lack them.
   */
  bind(body: string, mesh: DisplayMesh): BoundMesh {
    const found = this.bodies.find(({ name }) => name === body);
    if (!found || found.affineBegin === undefined) throw new RangeError(`"${body}" flows and has no shape to bind to`);
    const skin = new Skin(mesh.positions, this.#restOf(found));
    follow(this.#shown.find(({ begin }) => begin === found.begin)!.followed, skin);
    return bound(mesh, skin);
  }

  #restOf({ begin, end }: { readonly begin: number; readonly end: number }): Float32Array {
    return this.#restParticles.subarray(3 * begin, 3 * end);
  }

  /** Place of a particle at the start. */
  restPlace(particle: number): [number, number, number] {
    const at = this.#restParticles;
    return [at[3 * particle]!, at[3 * particle + 1]!, at[3 * particle + 2]!];
  }

  record(world: World): Recorded {
    const places = world.positions();
    const positions = withoutFourth(places);
    for (let i = 0; i < places.length / 4; i++) if (places[4 * i + 3] === 0) positions.fill(ABSENT, 3 * i, 3 * i + 3);
    this.quantities = quantitiesOf(world);
    return { positions, quantities: new Map(this.quantities.map((name) => [name, measure(world, name)])) };
  }

  /** Places and values, four numbers per particle. */
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

  /** Maps of the particles that vertices follow; places of others stay as they are. */
  packAffines({ positions }: Recorded, out: Float32Array): void {
    for (const { begin, end, affineBegin, skin, followed } of this.#shown) {
      skin.affines(positions.subarray(3 * begin, 3 * end), out, 12 * affineBegin, followed);
    }
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

function quantitiesOf(world: World): Quantity[] {
  return [
    'speed',
    ...(world.bodies.some(({ kind }) => kind === 'solid') ? (['stress'] as const) : []),
    ...(world.isPlastic ? (['plasticStrain'] as const) : []),
    ...(world.isThermal ? (['temperature'] as const) : []),
    'density',
    ...(world.bodies.some(({ kind }) => kind === 'fluid') ? (['pressure'] as const) : []),
  ];
}

/** The motion that takes one pose to another. */
function sinceStart(start: Pose, now: Pose): Pose {
  const back = transpose(start.rotation);
  const inverse: Pose = { rotation: back, origin: subtract([0, 0, 0], transform(back, start.origin)) };
  return compose(now, inverse);
}

function measure(world: World, quantity: Quantity): Float32Array {
  switch (quantity) {
    case 'stress':
      return world.stresses();
    case 'plasticStrain':
      return world.plasticStrains();
    case 'temperature':
      return world.temperatures();
    case 'density':
      return world.densities();
    case 'pressure':
      return world.pressures();
    case 'speed': {
      const v = world.velocities();
      const speeds = new Float32Array(v.length / 4);
      for (let i = 0; i < speeds.length; i++)
        speeds[i] = Math.sqrt(v[4 * i]! ** 2 + v[4 * i + 1]! ** 2 + v[4 * i + 2]! ** 2);
      return speeds;
    }
  }
}

function withoutFourth(vectors: Float32Array): Float32Array {
  const out = new Float32Array((3 * vectors.length) / 4);
  for (let i = 0; i < vectors.length / 4; i++) for (let a = 0; a < 3; a++) out[3 * i + a] = vectors[4 * i + a]!;
  return out;
}

function follow(followed: Uint8Array, { binding }: Skin): void {
  for (const j of binding.indices) followed[j] = 1;
}

/** Lists of equal length for every vertex. */
function bound(mesh: DisplayMesh, { binding, vertexCount }: Skin): BoundMesh {
  let neighbors = 1;
  for (let v = 0; v < vertexCount; v++) neighbors = Math.max(neighbors, binding.starts[v + 1]! - binding.starts[v]!);
  const particles = new Uint32Array(neighbors * vertexCount);
  const weights = new Float32Array(neighbors * vertexCount);
  for (let v = 0; v < vertexCount; v++) {
    const first = binding.starts[v]!;
    for (let n = first; n < binding.starts[v + 1]!; n++) {
      particles[neighbors * v + n - first] = binding.indices[n]!;
      weights[neighbors * v + n - first] = binding.weights[n]!;
    }
  }
  return { ...mesh, neighbors, particles, weights };
}

function obstacleShape(obstacle: Scene['obstacles'][number]): Pick<ObstacleDescription, 'mesh' | 'plane'> {
  const plane = obstaclePlane(obstacle, 0);
  const { shape } = obstacle;
  if (plane || 'plane' in shape) return { plane };
  const own = shapeMesh(shape, 'mesh' in shape ? 1 : FINENESS * sizeOf(shape));
  const { positions: split, triangles } = splitAtCreases(own, CREASE);
  const positions = new Float32Array(split.length);
  movePoints(obstaclePose(obstacle, 0), split, positions);
  return { mesh: { positions, normals: Float32Array.from(vertexNormals(positions, triangles)), indices: triangles } };
}

/** A length that tells how large a basic shape is. */
function sizeOf(shape: object): number {
  const numbers = Object.values(Object.values(shape)[0] as Record<string, number | readonly number[]>).flat();
  return Math.max(...numbers.filter((x): x is number => typeof x === 'number'));
}
