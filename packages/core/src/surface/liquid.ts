import { Context } from '../memory/context.js';
import { Engine, type PassName } from '../memory/engine.js';
import { BLOCK } from '../particles/layout.js';
import * as layout from '../particles/liquid-surface-layout.js';
import { surfaceCalibration } from './calibration.js';
import { trianglePatterns } from './patterns.js';
import { simplifySurface } from './simplify.js';

/** Numbers for each particle or vertex. */
export interface SurfaceAttribute {
  readonly components: number;
  readonly values: Float32Array;
}

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
}

/** A closed surface: every edge has two triangles, which run along it in opposite directions. */
export interface SurfaceMesh {
  /** xyz per vertex [m]. */
  readonly positions: Float32Array;
  /** Directions out of the liquid, of length one. */
  readonly normals: Float32Array;
  /** Three vertices per triangle, anticlockwise as seen from outside. */
  readonly indices: Uint32Array;
  readonly attributes: Readonly<Record<string, SurfaceAttribute>>;
}

export const CELL_RANGE = [0.1, 1.5] as const;
export const TOLERANCE_RANGE = [0, 0.5] as const;
const DEFAULT_CELL = 0.5;
/** Longest edges where there may be fewer triangles [spacings]. */
const LONGEST_EDGE = 6;
/** Blocks along an axis that a key has place for, and that float32 places are good enough for. */
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
  const cell = checkedCell(options.cell);
  const tolerance = checkedTolerance(options.tolerance);
  checkParticles(particles);
  const { arena } = engine;
  const mark = arena.mark();
  try {
    const mesh = new SurfaceWork(engine, particles, cell).mesh();
    return simplifySurface(mesh, tolerance * particles.spacing, LONGEST_EDGE * particles.spacing);
  } finally {
    arena.release(mark);
  }
}

function checkedCell(cell = DEFAULT_CELL): number {
  const [low, high] = CELL_RANGE;
  if (cell >= low && cell <= high) return cell;
  throw new SurfaceError(`cell must be from ${low} to ${high} spacings, got ${cell}`);
}

function checkedTolerance(tolerance = 0): number {
  const [low, high] = TOLERANCE_RANGE;
  if (tolerance >= low && tolerance <= high) return tolerance;
  throw new SurfaceError(`tolerance must be from ${low} to ${high} spacings, got ${tolerance}`);
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
  layout.CROWD,
  layout.LEAN_X,
  layout.LEAN_Y,
  layout.LEAN_Z,
  layout.SHIFT_X,
  layout.SHIFT_Y,
  layout.SHIFT_Z,
];
const EMPTY: readonly number[] = [];

/** One surface in the making. */
class SurfaceWork extends Context {
  readonly #particles: SurfaceParticles;
  readonly #count: number;
  readonly #cell: number;
  readonly #side: number;
  /** Corner of the grid [m]: a multiple of its blocks, so that nodes keep their places from frame to frame. */
  readonly #origin: readonly [number, number, number];
  readonly #channels: number;
  #grain = BLOCK;

  constructor(engine: Engine, particles: SurfaceParticles, cell: number) {
    super(engine, layout.CONTEXT_SIZE);
    this.#particles = particles;
    this.#count = particles.positions.length / 3;
    this.#cell = cell;
    // A block and its neighbours hold all that a kernel reaches, and one cell before it.
    this.#side = 4 * Math.ceil((layout.REACH / cell + 1) / 4);
    this.#origin = this.#findOrigin();
    this.#channels = Object.values(particles.attributes ?? {}).reduce((sum, { components }) => sum + components, 0);
  }

  mesh(): SurfaceMesh {
    if (this.#count === 0) return this.#result(0, 0);
    this.#layOut();
    this.#sort();
    this.#shapeKernels();
    this.#makeBlocks();
    return this.#triangulate();
  }

  #findOrigin(): readonly [number, number, number] {
    const { positions, spacing } = this.#particles;
    const block = this.#side * this.#cell * spacing;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < positions.length; i++) {
      low[i % 3] = Math.min(low[i % 3]!, positions[i]!);
      high[i % 3] = Math.max(high[i % 3]!, positions[i]!);
    }
    if (this.#count > 0 && low.some((x, a) => (high[a]! - x) / block > MOST_BLOCKS)) {
      const far = Math.max(...low.map((x, a) => high[a]! - x));
      throw new SurfaceError(`particles are ${far} m apart, too far for a spacing of ${spacing} m`);
    }
    return low.map((x) => (Math.floor(x / block) - 1) * block) as unknown as readonly [number, number, number];
  }

  #layOut(): void {
    const { positions, spacing, attributes = {} } = this.#particles;
    const n = this.#count;
    const { arena } = this.engine;
    this.setInteger(layout.COUNT, n);
    this.setInteger(layout.SIDE, this.#side);
    this.setFloat(layout.CELL, this.#cell);
    this.#writeCalibration();
    const given = arena.f32(this.allocate(layout.GIVEN, 16 * n), 4 * n);
    for (let i = 0; i < n; i++) {
      for (let a = 0; a < 3; a++) given[4 * i + a] = (positions[3 * i + a]! - this.#origin[a]!) / spacing;
    }
    for (const slot of [layout.KEYS, layout.KEYS_ALTERNATE]) this.allocate(slot, 8 * n);
    for (const slot of [layout.ORDER, layout.ORDER_ALTERNATE, layout.HOME]) this.allocate(slot, 4 * n);
    for (const slot of BY_AXIS) this.allocate(slot, 4 * (n + PADDING));
    this.allocate(layout.COVARIANCE, 32 * n);
    this.allocate(layout.KERNELS, layout.KERNEL_STRIDE * n);
    const values = arena.f32(this.allocate(layout.VALUES, 4 * this.#channels * n), this.#channels * n);
    this.setInteger(layout.CHANNELS, this.#channels);
    let channel = 0;
    for (const { components, values: from } of Object.values(attributes)) {
      for (let i = 0; i < n; i++) {
        for (let c = 0; c < components; c++) values[i * this.#channels + channel + c] = from[i * components + c]!;
      }
      channel += components;
    }
    const patterns = trianglePatterns();
    const at = this.allocate(layout.PATTERNS, patterns.length);
    new Uint8Array(arena.memory.buffer, at, patterns.length).set(patterns);
  }

  #writeCalibration(): void {
    const c = surfaceCalibration(this.#cell);
    const floats: readonly (readonly [slot: number, value: number])[] = [
      [layout.LEVEL, c.level],
      [layout.BULK_WEIGHT, c.bulkWeight],
      [layout.BULK_VARIANCE, c.bulkVariance],
      ...c.forms.flatMap(({ crowd, factor }, k) => [
        [layout.FORM_CROWD + 4 * k, crowd] as const,
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
    this.#run('weighSurfaceParticles', this.#count);
    this.#run('smoothSurfaceParticles', this.#count);
    this.#run('shapeSurfaceKernels', this.#count, this.#grain);
  }

  /** The blocks that kernels reach, and which of them need nodes. */
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
    this.#run('classifySurfaceBlocks', count);
    this.allocate(layout.STORED, 4 * count);
    this.#runSerial('listSurfaceBlocks');
  }

  #triangulate(): SurfaceMesh {
    const stored = this.#integer(layout.STORED_COUNT);
    const nodes = stored * this.#side ** 3;
    this.allocate(layout.NODES, 4 * nodes);
    this.allocate(layout.CROSSINGS, 4 * nodes);
    const most = this.engine.helpers.mostSurfaceCandidates(this.context, this.#integer(layout.BLOCK_COUNT));
    // Nodes with those behind them; then the list of kernels, and the kernels four by four.
    const gathered = 4 * (this.#side + 1) ** 3 + 16;
    this.#prepareScratch(stored, gathered + 4 * most + 16 + 176 * Math.ceil(most / 4));
    this.#run('sampleSurfaceField', stored, this.#grain);
    this.#run('countSurface', stored, this.#grain);
    this.#runSerial('sumSurfaceCounts');
    const vertices = this.#integer(layout.VERTEX_COUNT);
    const triangles = this.#integer(layout.TRIANGLE_COUNT);
    this.allocate(layout.VERTICES, 12 * vertices);
    this.allocate(layout.NORMALS, 12 * vertices);
    this.allocate(layout.VERTEX_VALUES, 4 * this.#channels * vertices);
    this.allocate(layout.TRIANGLES, 12 * triangles);
    this.#run('makeSurfaceVertices', stored, this.#grain);
    this.#run('makeSurfaceTriangles', stored, this.#grain);
    return this.#result(vertices, triangles);
  }

  #result(vertices: number, triangles: number): SurfaceMesh {
    const { spacing, attributes = {} } = this.#particles;
    const places = vertices > 0 ? this.floats(layout.VERTICES, 3 * vertices) : EMPTY;
    const positions = Float32Array.from(places, (x, k) => this.#origin[k % 3]! + x * spacing);
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

  /** A hash table for some blocks, with every place free. */
  #makeTable(blocks: number): void {
    let places = 16;
    while (places < 2 * blocks) places *= 2;
    const at = this.allocate(layout.HASH, layout.HASH_STRIDE * places);
    this.engine.arena.u32(at, (layout.HASH_STRIDE / 4) * places).fill(layout.NONE);
    this.setInteger(layout.HASH_MASK, places - 1);
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
