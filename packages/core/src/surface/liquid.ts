import { Context } from '../memory/context.js';
import { Engine, type PassName } from '../memory/engine.js';
import { BLOCK } from '../particles/layout.js';
import * as layout from '../particles/liquid-surface-layout.js';
import { surfaceCalibration } from './calibration.js';
import { type MirrorImages, mirrorImages } from './liquid-walls.js';
import { trianglePatterns } from './patterns.js';
import type { PlaneAt } from './shape-mesh.js';
import { simplifySurface } from './simplify.js';
import type { SurfaceAttribute, SurfaceMesh } from './surface-mesh.js';

export type { SurfaceAttribute, SurfaceMesh } from './surface-mesh.js';

/** The particles of a liquid. */
export interface SurfaceParticles {
  /** xyz per particle [m]. */
  readonly positions: Float32Array;
  /** Distance of neighbouring particles at rest, whose cube is a particle's volume [m]. */
  readonly spacing: number;
  /** What is to be known on the surface, such as velocities and temperatures. */
  readonly attributes?: Readonly<Record<string, SurfaceAttribute>>;
}

export interface SurfaceOptions {
  /** Distance of the grid's nodes, in spacings of the particles; 0.5 when left out. Beyond 0.7 single drops have their volume only on average. */
  readonly cell?: number;
  /** How far the surface may be from the fine one, in spacings, so that it has fewer triangles where it is flat; 0 when left out. */
  readonly tolerance?: number;
  /**
   * By how much the liquids before it in a list count less for each liquid, from 0 to 0.9. 0, when left out, makes
   * surfaces meet; with more a surface reaches into those before it, for renderers that rank what overlaps.
   */
  readonly overlap?: number;
  /**
   * Planes that the liquids do not go through, such as the floor and the sides of a tank. Surfaces lie on them where liquid
   * does, and meet them in a clean edge; without, bumps of particles are there, and edges are round.
   */
  readonly walls?: readonly PlaneAt[];
}

const CELL_RANGE = [0.1, 1.5] as const;
const TOLERANCE_RANGE = [0, 0.5] as const;
const OVERLAP_RANGE = [0, 0.9] as const;
const DEFAULT_CELL = 0.5;
/** Longest edges where there may be fewer triangles [spacings]. */
const LONGEST_EDGE = 6;
/** Blocks along an axis that a key has place for, and that float32 positions are good enough for. */
const MOST_BLOCKS = 1 << 20;
/** Pieces of work with room of their own, and bytes of that room, at the most. */
const PIECES = 64;
const MOST_SCRATCH = 1 << 26;
/** Reading four at a time goes past the end by up to three. */
const PADDING = 4;
/** Blocks that are worth a thread's while. */
const SMALL = 16;

/** Thrown for particles that no surface can be made of; the message names what is wrong. */
export class SurfaceError extends Error {
  override name = 'SurfaceError';
}

/** Makes surfaces of particles that are in no world, on threads of its own. */
export class LiquidSurfacer {
  readonly #engine: Engine;

  private constructor(engine: Engine) {
    this.#engine = engine;
  }

  static async create(options: { threads?: 'auto' | number } = {}): Promise<LiquidSurfacer> {
    return new LiquidSurfacer(await Engine.create(options.threads ?? 'auto'));
  }

  surface(particles: SurfaceParticles, options: SurfaceOptions = {}): SurfaceMesh {
    return liquidSurface(this.#engine, particles, options);
  }

  /** Surfaces of several liquids: those of the same spacing that touch share what is between them. */
  surfaces(liquids: readonly SurfaceParticles[], options: SurfaceOptions = {}): SurfaceMesh[] {
    return liquidSurfaces(this.#engine, liquids, options);
  }

  get threads(): number {
    return this.#engine.threads;
  }

  /** Most bytes of WASM memory that a surface has taken so far. */
  get memoryBytes(): number {
    return this.#engine.arena.bytes;
  }

  passTimings() {
    return Object.fromEntries(this.#engine.timings);
  }

  /** Stops the threads. */
  async dispose(): Promise<void> {
    await this.#engine.dispose();
  }
}

/** The surface of a liquid, after [Y13]; memory is taken from the engine's and given back. */
export function liquidSurface(engine: Engine, particles: SurfaceParticles, options: SurfaceOptions): SurfaceMesh {
  return liquidSurfaces(engine, [particles], options)[0]!;
}

/** The surfaces of liquids; a point where several are belongs to the one whose colour is strongest there. */
function liquidSurfaces(engine: Engine, liquids: readonly SurfaceParticles[], options: SurfaceOptions): SurfaceMesh[] {
  const cell = checked('cell', options.cell ?? DEFAULT_CELL, CELL_RANGE, ' spacings');
  const tolerance = checked('tolerance', options.tolerance ?? 0, TOLERANCE_RANGE, ' spacings');
  const overlap = checked('overlap', options.overlap ?? 0, OVERLAP_RANGE, '');
  const walls = options.walls ?? [];
  checkWalls(walls);
  for (const liquid of liquids) checkParticles(liquid);
  const meshes = new Map<SurfaceParticles, SurfaceMesh>();
  for (const spacing of new Set(liquids.map((liquid) => liquid.spacing))) {
    const alike = liquids.filter((liquid) => liquid.spacing === spacing);
    const { arena } = engine;
    const mark = arena.mark();
    try {
      for (const [k, mesh] of new SurfaceWork(engine, alike, cell, overlap, walls).meshes().entries()) {
        meshes.set(alike[k]!, simplifySurface(mesh, tolerance * spacing, LONGEST_EDGE * spacing));
      }
    } finally {
      arena.release(mark);
    }
  }
  return liquids.map((liquid) => meshes.get(liquid)!);
}

function checked(name: string, value: number, [low, high]: readonly [number, number], unit: string): number {
  if (value >= low && value <= high) return value;
  throw new SurfaceError(`${name} must be from ${low} to ${high}${unit}, got ${value}`);
}

function checkWalls(walls: readonly PlaneAt[]): void {
  if (walls.length > layout.MOST_WALLS) {
    throw new SurfaceError(`walls must be at most ${layout.MOST_WALLS}, got ${walls.length}`);
  }
  for (const [k, { point, normal }] of walls.entries()) {
    if (![...point, ...normal].every(Number.isFinite) || Math.abs(Math.hypot(...normal) - 1) > 1e-6) {
      throw new SurfaceError(
        `walls[${k}] must have a finite point and a normal of length 1, got ${point} and ${normal}`,
      );
    }
  }
}

function checkParticles({ positions, spacing, attributes = {} }: SurfaceParticles): void {
  if (!(spacing > 0 && spacing < Infinity)) throw new SurfaceError(`spacing must be > 0 m, got ${spacing}`);
  if (positions.length % 3 !== 0) {
    throw new SurfaceError(`positions must be three numbers for each particle, got ${positions.length} numbers`);
  }
  const count = positions.length / 3;
  for (const [k, value] of positions.entries()) {
    if (!Number.isFinite(value)) throw new SurfaceError(`position of particle ${Math.floor(k / 3)} is ${value}`);
  }
  for (const [name, { components, values }] of Object.entries(attributes)) {
    if (!(Number.isInteger(components) && components > 0)) {
      throw new SurfaceError(`attribute "${name}" must have a whole number of components, got ${components}`);
    }
    if (values.length !== components * count) {
      throw new SurfaceError(
        `attribute "${name}" must have ${components * count} values for ${count} particles, got ${values.length}`,
      );
    }
  }
}

/** Arrays of a number per particle that are read four at a time. */
const BY_AXIS = [
  layout.X,
  layout.Y,
  layout.Z,
  layout.LIQUID,
  layout.CLUSTERING,
  layout.LEAN_X,
  layout.LEAN_Y,
  layout.LEAN_Z,
  layout.SHIFT_X,
  layout.SHIFT_Y,
  layout.SHIFT_Z,
];
const EMPTY: readonly number[] = [];

/** Surfaces in the making, of liquids with one spacing. */
class SurfaceWork extends Context {
  readonly #liquids: readonly SurfaceParticles[];
  readonly #spacing: number;
  readonly #walls: readonly PlaneAt[];
  readonly #ghosts: MirrorImages;
  /** Of particles and ghosts. */
  readonly #count: number;
  readonly #cell: number;
  readonly #side: number;
  /** Corner of the grid [m]: a multiple of its blocks, so that nodes keep their positions from frame to frame. */
  readonly #origin: readonly [number, number, number];
  readonly #overlap: number;
  #channels = 0;
  #grain = BLOCK;

  constructor(
    engine: Engine,
    liquids: readonly SurfaceParticles[],
    cell: number,
    overlap: number,
    walls: readonly PlaneAt[],
  ) {
    super(engine, layout.CONTEXT_SIZE);
    this.#liquids = liquids;
    this.#spacing = liquids[0]!.spacing;
    this.#walls = walls;
    this.#ghosts = mirrorImages(liquids, walls, layout.NORMAL_REACH * this.#spacing);
    this.#count = this.#realCount + this.#ghosts.sources.length;
    this.#cell = cell;
    this.#overlap = overlap;
    // A block and its neighbours hold all that a kernel reaches, and one cell before it, and all that normals follow from.
    this.#side = 4 * Math.ceil(Math.max(layout.REACH / cell + 1, layout.NORMAL_REACH / cell) / 4);
    this.#origin = this.#findOrigin();
  }

  meshes(): SurfaceMesh[] {
    if (this.#count > 0) {
      this.#layOut();
      this.#sort();
      this.#shapeKernels();
      this.#makeBlocks();
    }
    const { arena } = this.engine;
    const mark = arena.mark();
    let first = 0;
    return this.#liquids.map((liquid, number) => {
      const count = liquid.positions.length / 3;
      this.#choose(liquid, number, first);
      first += count;
      const mesh = count > 0 ? this.#triangulate(liquid) : this.#result(liquid, 0, 0);
      arena.release(mark);
      return mesh;
    });
  }

  #findOrigin(): readonly [number, number, number] {
    const spacing = this.#spacing;
    const block = this.#side * this.#cell * spacing;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const { positions } of [...this.#liquids, this.#ghosts]) {
      for (let i = 0; i < positions.length; i++) {
        low[i % 3] = Math.min(low[i % 3]!, positions[i]!);
        high[i % 3] = Math.max(high[i % 3]!, positions[i]!);
      }
    }
    if (this.#count > 0 && low.some((x, a) => (high[a]! - x) / block > MOST_BLOCKS)) {
      const far = Math.max(...low.map((x, a) => high[a]! - x));
      throw new SurfaceError(`particles are ${far} m apart, too far for a spacing of ${spacing} m`);
    }
    return low.map((x) => (Math.floor(x / block) - 1) * block) as unknown as readonly [number, number, number];
  }

  #layOut(): void {
    const n = this.#count;
    const { arena } = this.engine;
    this.setInteger(layout.COUNT, n);
    this.setInteger(layout.REAL_COUNT, this.#realCount);
    this.setInteger(layout.SIDE, this.#side);
    this.setFloat(layout.CELL, this.#cell);
    this.#writeCalibration();
    const given = arena.f32(this.allocate(layout.GIVEN, 16 * n), 4 * n);
    let at = 0;
    for (const [number, { positions }] of this.#liquids.entries()) {
      for (let i = 0; i < positions.length; i += 3, at += 4) {
        for (let a = 0; a < 3; a++) given[at + a] = (positions[i + a]! - this.#origin[a]!) / this.#spacing;
        given[at + 3] = number;
      }
    }
    this.#layOutWalls(given.subarray(at));
    for (const slot of [layout.KEYS, layout.KEYS_ALTERNATE]) this.allocate(slot, 8 * n);
    for (const slot of [layout.ORDER, layout.ORDER_ALTERNATE, layout.HOME, layout.RANK]) this.allocate(slot, 4 * n);
    for (const slot of BY_AXIS) this.allocate(slot, 4 * (n + PADDING));
    this.allocate(layout.COVARIANCE, 32 * (n + PADDING));
    this.allocate(layout.KERNELS, layout.KERNEL_STRIDE * n);
    const patterns = trianglePatterns();
    const table = this.allocate(layout.PATTERNS, patterns.length);
    new Uint8Array(arena.memory.buffer, table, patterns.length).set(patterns);
    this.setInteger(layout.SHARED, this.#liquids.length > 1 ? 1 : 0);
    this.setFloat(layout.YIELDING, 1 - this.#overlap);
  }

  /** Walls in the grid's coordinates, and the ghosts beyond them. */
  #layOutWalls(given: Float32Array): void {
    const { positions, liquids, sources, mirrors } = this.#ghosts;
    const { arena } = this.engine;
    const walls = arena.f32(this.allocate(layout.WALLS, 16 * this.#walls.length), 4 * this.#walls.length);
    for (const [k, { point, normal }] of this.#walls.entries()) {
      const height = normal.reduce((sum, n, a) => sum + n * (point[a]! - this.#origin[a]!), 0);
      walls.set([...normal, height / this.#spacing], 4 * k);
    }
    this.setInteger(layout.WALL_COUNT, this.#walls.length);
    for (let i = 0; i < sources.length; i++) {
      for (let a = 0; a < 3; a++) given[4 * i + a] = (positions[3 * i + a]! - this.#origin[a]!) / this.#spacing;
      given[4 * i + 3] = liquids[i]!;
    }
    arena.u32(this.allocate(layout.SOURCES, 4 * sources.length), sources.length).set(sources);
    arena.u32(this.allocate(layout.MIRRORS, 4 * mirrors.length), mirrors.length).set(mirrors);
  }

  /** Makes one of the liquids the own: its number, its first particle, and what its particles carry. */
  #choose({ positions, attributes = {} }: SurfaceParticles, number: number, first: number): void {
    const channels = Object.values(attributes).reduce((sum, { components }) => sum + components, 0);
    this.#channels = channels;
    this.setInteger(layout.CHANNELS, channels);
    this.setFloat(layout.OWN, number);
    this.setInteger(layout.FIRST, first);
    const n = positions.length / 3;
    const values = this.engine.arena.f32(this.allocate(layout.VALUES, 4 * channels * n), channels * n);
    let channel = 0;
    for (const { components, values: from } of Object.values(attributes)) {
      for (let i = 0; i < n; i++) {
        for (let c = 0; c < components; c++) values[i * channels + channel + c] = from[i * components + c]!;
      }
      channel += components;
    }
  }

  #writeCalibration(): void {
    const c = surfaceCalibration(this.#cell);
    const floats: readonly (readonly [slot: number, value: number])[] = [
      [layout.LEVEL, c.level],
      [layout.BULK_WEIGHT, c.bulkWeight],
      [layout.BULK_VARIANCE, c.bulkVariance],
      ...c.forms.flatMap(({ clustering, factor }, k) => [
        [layout.FORM_CLUSTERING + 4 * k, clustering] as const,
        [layout.FORM_FACTOR + 4 * k, factor] as const,
      ]),
    ];
    for (const [slot, value] of floats) this.setFloat(slot, value);
  }

  /** Sorts the particles by blocks, and makes the blocks that hold some. */
  #sort(): void {
    this.#run('computeSurfaceCells', this.#count);
    this.allocate(layout.HASH, 4 * 2048);
    this.#runSerial('sortSurfaceParticles');
    const homes = this.#integer(layout.HOME_COUNT);
    this.allocate(layout.BLOCKS, layout.BLOCK_STRIDE * homes);
    this.#makeTable(homes);
    this.#runSerial('makeHomeBlocks');
    this.#run('arrangeSurfaceParticles', this.#count);
    this.#run('linkSurfaceBlocks', homes);
  }

  #shapeKernels(): void {
    this.#prepareScratch(this.#count, 256);
    const ghosts = this.#ghosts.sources.length;
    this.#run('weighSurfaceParticles', this.#count);
    this.#run('mirrorSurfaceWeights', ghosts);
    this.#run('smoothSurfaceParticles', this.#count);
    this.#run('mirrorSurfaceShifts', ghosts);
    this.#run('shapeSurfaceKernels', this.#count, this.#grain);
    this.#run('mirrorSurfaceKernels', ghosts);
  }

  /** The blocks that kernels reach. */
  #makeBlocks(): void {
    const homes = this.#integer(layout.HOME_COUNT);
    this.#run('measureSurfaceBlocks', homes);
    this.#runSerial('boundSurfaceBlocks');
    const bound = this.#integer(layout.BLOCK_COUNT);
    const { arena } = this.engine;
    const before = this.address(layout.BLOCKS);
    const words = (layout.BLOCK_STRIDE / 4) * homes;
    const after = this.allocate(layout.BLOCKS, layout.BLOCK_STRIDE * bound);
    arena.u32(after, words).set(arena.u32(before, words));
    this.#makeTable(bound);
    this.#runSerial('touchSurfaceBlocks');
    const count = this.#integer(layout.BLOCK_COUNT);
    this.#run('linkSurfaceBlocks', count);
  }

  #triangulate(liquid: SurfaceParticles): SurfaceMesh {
    if (this.#liquids.length > 1) this.#run('chooseSurfaceLiquid', this.#integer(layout.HOME_COUNT));
    const count = this.#integer(layout.BLOCK_COUNT);
    this.#run('classifySurfaceBlocks', count);
    this.allocate(layout.STORED, 4 * count);
    this.#runSerial('listSurfaceBlocks');
    const stored = this.#integer(layout.STORED_COUNT);
    const nodes = stored * this.#side ** 3;
    this.allocate(layout.NODES, 4 * nodes);
    this.allocate(layout.CROSSINGS, 4 * nodes);
    const most = this.engine.helpers.mostSurfaceCandidates(this.context, count);
    // Nodes with those behind them; then the list of kernels, and the kernels four by four. Or the list, and leads at nodes.
    const gathered = 4 * (this.#side + 1) ** 3 + 16;
    this.#prepareScratch(stored, gathered + 4 * (most + 4) + 16 + 192 * (Math.ceil(most / 4) + 1));
    this.#run('sampleSurfaceField', stored, this.#grain);
    this.#run('countSurface', stored, this.#grain);
    this.#runSerial('sumSurfaceCounts');
    const vertices = this.#integer(layout.VERTEX_COUNT);
    const triangles = this.#integer(layout.TRIANGLE_COUNT);
    this.allocate(layout.VERTICES, 12 * vertices);
    this.allocate(layout.NORMALS, 12 * vertices);
    this.allocate(layout.VERTEX_VALUES, 4 * this.#channels * vertices);
    this.allocate(layout.TRIANGLES, 12 * triangles);
    if (this.#walls.length > 0) {
      this.allocate(layout.VERTEX_WALL, 4 * vertices);
      this.allocate(layout.CREASES, 8 * vertices);
    }
    this.#run('makeSurfaceVertices', stored, this.#grain);
    this.#run('makeSurfaceTriangles', stored, this.#grain);
    if (this.#walls.length > 0) {
      this.#runSerial('findSurfaceCreases');
      this.#run('sharpenSurface', stored, this.#grain);
    }
    return this.#result(liquid, vertices, triangles);
  }

  #result({ spacing, attributes = {} }: SurfaceParticles, vertices: number, triangles: number): SurfaceMesh {
    const points = vertices > 0 ? this.floats(layout.VERTICES, 3 * vertices) : EMPTY;
    const positions = Float32Array.from(points, (x, k) => this.#origin[k % 3]! + x * spacing);
    const values = vertices > 0 ? this.floats(layout.VERTEX_VALUES, this.#channels * vertices) : EMPTY;
    let channel = 0;
    const carried = Object.entries(attributes).map(([name, { components }]) => {
      const first = channel;
      channel += components;
      const own = new Float32Array(components * vertices);
      for (let i = 0; i < vertices; i++) {
        for (let c = 0; c < components; c++) own[i * components + c] = values[i * this.#channels + first + c]!;
      }
      return [name, { components, values: own }] as const;
    });
    return {
      positions,
      normals: vertices > 0 ? this.floats(layout.NORMALS, 3 * vertices).slice() : new Float32Array(),
      indices: triangles > 0 ? this.integers(layout.TRIANGLES, 3 * triangles).slice() : new Uint32Array(),
      attributes: Object.fromEntries(carried),
    };
  }

  /** A hash table for some blocks, with every position free. */
  #makeTable(blocks: number): void {
    let positions = 16;
    while (positions < 2 * blocks) positions *= 2;
    const at = this.allocate(layout.HASH, layout.HASH_STRIDE * positions);
    this.engine.arena.u32(at, (layout.HASH_STRIDE / 4) * positions).fill(layout.NONE);
    this.setInteger(layout.HASH_MASK, positions - 1);
  }

  /** Room for pieces of work on `count` things; how large the pieces are follows from the bytes that one needs. */
  #prepareScratch(count: number, bytes: number): void {
    const stride = Math.ceil(bytes / 64) * 64;
    const pieces = Math.max(1, Math.min(PIECES, Math.floor(MOST_SCRATCH / stride), count));
    this.#grain = Math.ceil(count / pieces);
    this.allocate(layout.SCRATCH, stride * pieces);
    this.setInteger(layout.SCRATCH_STRIDE, stride);
    this.setInteger(layout.GRAIN, this.#grain);
  }

  get #realCount(): number {
    return this.#liquids.reduce((sum, { positions }) => sum + positions.length / 3, 0);
  }

  #integer(slot: number): number {
    return this.address(slot);
  }

  #run(pass: PassName, count: number, grain = count < SMALL * BLOCK ? SMALL : BLOCK): void {
    if (count > 0) this.engine.run(pass, count, this.context, grain);
  }

  #runSerial(pass: PassName): void {
    this.engine.runSerial(pass, this.context);
  }
}
