import type { ForceOptions } from '../forces/index.js';
import { crc32 } from '../math/crc32.js';
import { matterOf } from '../options/phase.js';
import type { ObstacleOptions, SolverOptions, Vec3 } from '../options/types.js';
import type { Frame } from '../particles/frame.js';
import type { Obstacle } from '../solvers/contact/obstacles.js';
import type { FractureState } from '../solvers/elastic/fracture.js';
import type { RenewalState } from '../solvers/elastic/renewal.js';
import type { RenewalEffort } from '../solvers/elastic/renewal-effort.js';
import type { Askers, SolidEffort } from '../solvers/elastic/step.js';
import type { ViscosityState } from '../solvers/elastic/viscosity.js';
import type { FluidState } from '../solvers/fluid/model.js';
import type { FluidEffort } from '../solvers/fluid/step.js';
import type { HeatState } from '../solvers/heat/model.js';
import type { HeatEffort } from '../solvers/heat/step.js';
import type { ForceState } from '../solvers/pushes.js';
import type { RigidState } from '../solvers/rigid/motion.js';
import type { RapierState } from '../solvers/rigid/rapier/state.js';
import type { StepLimit } from '../solvers/step-limit.js';
import type { BodyRecord, Penetration } from './model.js';
import type { OpenFrame } from './open-frame.js';
import type { SavedSurface } from './surfaces.js';

/** Thrown for bytes that are not a whole, undamaged save of this version. */
export class SaveError extends Error {
  override name = 'SaveError';
}

export interface SavedWorld {
  readonly gravity: Vec3;
  readonly solver: SolverOptions;
  readonly seed: number;
  readonly frame: number;
  /** The frame that is not finished yet, and what everything took so far, which its report is counted from. */
  readonly open?: OpenFrame | undefined;
  readonly efforts?:
    | { readonly solid: SolidEffort; readonly fluid: FluidEffort; readonly renewal: RenewalEffort }
    | undefined;
  readonly eventsDone: number;
  /** What `saveItems` gave, by key. */
  readonly items: Readonly<Record<string, unknown>>;
  readonly bodies: readonly BodyRecord[];
  readonly obstacles: readonly Obstacle[];
  /** The liquids; their arrays come after the attributes. */
  readonly fluid?: FluidState | undefined;
  /** What has broken; its arrays come after those. */
  readonly fracture?: FractureState | undefined;
  /** Neighbours that have been renewed; its arrays come after those. */
  readonly renewal?: RenewalState | undefined;
  /** Heat, where there is any; its arrays come last. */
  readonly temperature?: number | undefined;
  readonly heatTransfer: number;
  /** Forces from outside. */
  readonly forces: ForceOptions;
  readonly heated: boolean;
  readonly heatEffort: HeatEffort;
  readonly heatState?: HeatState | undefined;
  /** Surfaces of points; their arrays come after all others. */
  readonly surfaces: readonly SavedSurface[];
  /** Who pushes whom, where somebody has asked for it. */
  readonly forceState?: ForceState | undefined;
  readonly solverState: {
    readonly time: number;
    readonly stepCount: number;
    readonly lastStep: number;
    readonly elasticFrequency: number;
    readonly contactFrequency: number;
    readonly maximumSpeed: number;
    readonly heldStep: StepLimit;
    readonly frames: readonly Frame[];
    readonly rigid: readonly RigidState[];
    /** One over the longest step before a contact of rigid bodies gets too deep [1/s]. */
    readonly impactRate: number;
    /** Bodies and obstacles in Rapier's world, where there is one. */
    readonly rapier?: RapierState | undefined;
    /** Of solids that obstacles push, see BODY_IMPACT_SPEED [m/s]. */
    readonly impactSpeeds: readonly number[];
    readonly askers: Askers;
    /** Of solids, where some have it. */
    readonly viscosity?: ViscosityState | undefined;
  };
  /** The state of all particles, and what touches in rigid bodies, or Rapier's bytes. */
  readonly attributes: Float32Array[];
}

/** "PHYX" and the version; then lengths, checksum, a JSON header, and float32 arrays in its order. */
const MAGIC = 0x58594850;
const VERSION = 20;
const PREFIX = 24;

/** Entries of `items` stand in it by their keys. Infinity is null, as JSON has it. */
interface Header
  extends Omit<
    SavedWorld,
    'bodies' | 'obstacles' | 'attributes' | 'items' | 'fluid' | 'fracture' | 'renewal' | 'heatState' | 'surfaces'
  > {
  readonly surfaces?: { readonly name: string; readonly arrays: number }[];
  readonly heatState?: (Omit<HeatState, 'arrays'> & { arrays: number }) | undefined;
  readonly fluid?: (Omit<FluidState, 'arrays'> & { arrays: number }) | undefined;
  readonly fracture?: (Omit<FractureState, 'arrays'> & { arrays: number }) | undefined;
  readonly renewal?: (Omit<RenewalState, 'arrays'> & { arrays: number }) | undefined;
  readonly bodies: (Omit<BodyRecord, 'samples' | 'penetration' | 'matter'> & {
    center: Vec3;
    count: number;
    parts?: readonly number[] | undefined;
    penetration?: Omit<Penetration, 'depths'> | undefined;
  })[];
  readonly obstacles: {
    options: ObstacleOptions;
    grid: { origin: Vec3; cell: number; size: readonly [number, number, number] } | null;
    boundary: { spacing: number } | null;
  }[];
  readonly arrays: number[];
}

/** Meshes are not needed again: a body has its particles, an obstacle its distance grid. */
function withoutMesh<T extends { shape: object }>(options: T): T {
  if (!('mesh' in options.shape)) return options;
  const { file, size } = options.shape.mesh as { file?: string; size?: number };
  return { ...options, shape: { mesh: { file, size } } };
}

/** The depths are one of the arrays. */
function withoutDepths({ depths: _, ...penetration }: Penetration): Omit<Penetration, 'depths'> {
  return penetration;
}

/**
 * A world as it was, which becomes the bytes of a save when somebody wants them. Until then it is a copy of the state
 * and of little else: samples and distance grids are never changed, so they are shared.
 */
export class Snapshot {
  readonly #header: string;
  readonly #constant: readonly Float32Array[];
  readonly #state: readonly Float32Array[];

  constructor(world: SavedWorld) {
    const constant: Float32Array[] = [];
    for (const { samples, penetration } of world.bodies) {
      constant.push(samples.rest, samples.volume, samples.offset, samples.contactRadius, samples.normal);
      if (penetration) constant.push(penetration.depths);
    }
    for (const { grid, boundary } of world.obstacles) {
      if (grid) constant.push(grid.values);
      if (boundary) constant.push(boundary.points);
    }
    this.#constant = constant;
    this.#state = [
      ...world.attributes.map((array) => array.slice()),
      // These are copies already.
      ...(world.fluid?.arrays ?? []),
      ...(world.fracture?.arrays ?? []),
      ...(world.renewal?.arrays ?? []),
      ...(world.heatState?.arrays ?? []),
      ...world.surfaces.flatMap((surface) => surface.arrays.map((array) => array.slice())),
    ];
    const lengths = [...this.#constant, ...this.#state].map((array) => array.length);
    this.#header = JSON.stringify(headerOf(world, lengths));
  }

  /** Bytes that it alone keeps in memory. */
  get ownBytes(): number {
    return this.#state.reduce((sum, array) => sum + array.byteLength, this.#header.length);
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    const arrays = [...this.#constant, ...this.#state];
    const text = new TextEncoder().encode(this.#header);
    const padded = Math.ceil(text.length / 4) * 4;
    const total = PREFIX + padded + arrays.reduce((sum, array) => sum + array.byteLength, 0);
    const bytes = new Uint8Array(total);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, MAGIC, true);
    view.setUint32(4, VERSION, true);
    view.setUint32(8, text.length, true);
    view.setUint32(12, total % 2 ** 32, true);
    bytes.set(text, PREFIX);
    let at = PREFIX + padded;
    for (const array of arrays) {
      bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
      at += array.byteLength;
    }
    view.setUint32(16, crc32(bytes.subarray(PREFIX)), true);
    view.setUint32(20, crc32(bytes.subarray(0, 20)), true);
    return bytes;
  }
}

function headerOf(world: SavedWorld, arrays: number[]): Header {
  const { attributes: _, items, ...rest } = world;
  return {
    ...items,
    ...rest,
    fluid: world.fluid && { ...world.fluid, arrays: world.fluid.arrays.length },
    fracture: world.fracture && { ...world.fracture, arrays: world.fracture.arrays.length },
    renewal: world.renewal && { ...world.renewal, arrays: world.renewal.arrays.length },
    heatState: world.heatState && { ...world.heatState, arrays: world.heatState.arrays.length },
    surfaces: world.surfaces.map((surface) => ({ name: surface.name, arrays: surface.arrays.length })),
    bodies: world.bodies.map(({ samples, penetration, matter: __, ...body }) => ({
      ...body,
      options: withoutMesh(body.options),
      center: samples.center,
      count: samples.count,
      parts: samples.parts,
      penetration: penetration && withoutDepths(penetration),
    })),
    obstacles: world.obstacles.map(({ options, grid, boundary }) => ({
      options: withoutMesh(options),
      grid: grid ? { origin: grid.origin, cell: grid.cell, size: grid.size } : null,
      boundary: boundary ? { spacing: boundary.spacing } : null,
    })),
    arrays,
  };
}

/** The only nulls that are no Infinity. */
const ABSENT = ['grid', 'boundary'];
const revive = (key: string, value: unknown) =>
  value === null && !ABSENT.includes(key) ? Number.POSITIVE_INFINITY : value;

export function writeSave(world: SavedWorld): Uint8Array {
  return new Snapshot(world).toBytes();
}

export function readSave(bytes: Uint8Array): SavedWorld {
  if (bytes.length < PREFIX)
    throw new SaveError(`the save is truncated: ${bytes.length} bytes, less than its ${PREFIX} byte prefix`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== MAGIC)
    throw new SaveError('these bytes are not a Phyxel save: the magic number is wrong');
  if (view.getUint32(20, true) !== crc32(bytes.subarray(0, 20)))
    throw new SaveError('the save is damaged: its prefix does not match its checksum');
  const version = view.getUint32(4, true);
  if (version !== VERSION) throw new SaveError(`the save has version ${version}, this build reads version ${VERSION}`);
  const total = view.getUint32(12, true);
  if (total !== bytes.length % 2 ** 32)
    throw new SaveError(`the save is truncated or grown: ${bytes.length} bytes where ${total} were written`);
  if (view.getUint32(16, true) !== crc32(bytes.subarray(PREFIX)))
    throw new SaveError('the save is damaged: its contents do not match their checksum');
  const textLength = view.getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(PREFIX, PREFIX + textLength)), revive) as Header;
  let at = PREFIX + Math.ceil(textLength / 4) * 4;
  const lengths = [...header.arrays];
  const next = (): Float32Array => {
    const length = lengths.shift()!;
    // Not bytes.slice: that of a Buffer of Node is a view.
    const array = new Float32Array(length);
    new Uint8Array(array.buffer).set(bytes.subarray(at, at + 4 * length));
    at += 4 * length;
    return array;
  };
  const bodies = header.bodies.map(({ center, count, parts, penetration, ...body }): BodyRecord => {
    const rest = next();
    const volume = next();
    const offset = next();
    const contactRadius = next();
    const normal = next();
    const inside = penetration && { ...penetration, depths: next() };
    const matter = matterOf({ ...body.options, material: body.material });
    const samples = { count, rest, volume, offset, contactRadius, normal, center, ...(parts && { parts }) };
    return { ...body, matter, penetration: inside, samples };
  });
  const obstacles = header.obstacles.map(
    ({ options, grid, boundary }): Obstacle => ({
      options,
      grid: grid ? { ...grid, values: next() } : undefined,
      boundary: boundary ? { ...boundary, points: next() } : undefined,
    }),
  );
  const attributes: Float32Array[] = [];
  const surfaceArrayCount = (header.surfaces ?? []).reduce((sum, surface) => sum + surface.arrays, 0);
  const heatArrayCount = surfaceArrayCount + (header.heatState?.arrays ?? 0);
  const afterFracture = (header.renewal?.arrays ?? 0) + heatArrayCount;
  const afterFluid = (header.fracture?.arrays ?? 0) + afterFracture;
  while (lengths.length > (header.fluid?.arrays ?? 0) + afterFluid) attributes.push(next());
  const fluidArrays: Float32Array[] = [];
  while (lengths.length > afterFluid) fluidArrays.push(next());
  const fractureArrays: Float32Array[] = [];
  while (lengths.length > afterFracture) fractureArrays.push(next());
  const renewalArrays: Float32Array[] = [];
  while (lengths.length > heatArrayCount) renewalArrays.push(next());
  const heatArrays: Float32Array[] = [];
  while (lengths.length > surfaceArrayCount) heatArrays.push(next());
  const surfaces = (header.surfaces ?? []).map(({ name, arrays }) => ({
    name,
    arrays: Array.from({ length: arrays }, next),
  }));
  return {
    ...header,
    // Saves from before there were any have none.
    forces: header.forces ?? {},
    fluid: header.fluid && { ...header.fluid, arrays: fluidArrays },
    fracture: header.fracture && { ...header.fracture, arrays: fractureArrays },
    renewal: header.renewal && { ...header.renewal, arrays: renewalArrays },
    heatState: header.heatState && { ...header.heatState, arrays: heatArrays },
    items: header as unknown as SavedWorld['items'],
    bodies,
    obstacles,
    attributes,
    surfaces,
  };
}
