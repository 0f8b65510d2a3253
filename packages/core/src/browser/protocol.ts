/** What a page and the worker that runs its world say to each other. Types only. */
import type { MaterialChangeInput, ProbeInput, SceneInput } from '../options/inputs.js';
import type { MeshMaterial, Scene, Vec3 } from '../options/types.js';
import type { Energy } from '../world/probes.js';
import type { Contact } from '../world/pushes.js';

/** Coordinates of a position that no particle has taken. */
export const ABSENT = -1e6;

/** What particles can be coloured by. */
export type Quantity =
  | 'speed'
  | 'stress'
  | 'principalStress'
  | 'principalStrain'
  | 'shearRate'
  | 'plasticStrain'
  | 'damage'
  | 'temperature'
  | 'density'
  | 'pressure';

export const QUANTITIES: Readonly<Record<Quantity, { readonly unit: string; readonly label: string }>> = {
  speed: { unit: 'm/s', label: 'Speed' },
  stress: { unit: 'Pa', label: 'Stress' },
  principalStress: { unit: 'Pa', label: 'Largest principal stress' },
  principalStrain: { unit: '1', label: 'Largest principal strain' },
  shearRate: { unit: '1/s', label: 'Shear rate' },
  plasticStrain: { unit: '1', label: 'Plastic strain' },
  damage: { unit: '1', label: 'Damage' },
  temperature: { unit: '°C', label: 'Temperature' },
  density: { unit: 'kg/m³', label: 'Density' },
  pressure: { unit: 'Pa', label: 'Pressure' },
};

/** A mesh where it stands at the start, in the world. */
export interface DisplayMesh {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly uvs?: Float32Array | undefined;
  /** Red, green, blue and alpha of vertices, linear: they multiply the material's. */
  readonly colors?: Float32Array | undefined;
  readonly indices: Uint32Array;
  /** Indices [begin, end) of each material of its file; all without a material when left out. */
  readonly parts?: readonly DisplayPart[] | undefined;
}

export interface DisplayPart {
  readonly begin: number;
  readonly end: number;
  /** As the mesh's file has it. */
  readonly material?: MeshMaterial | undefined;
}

/** A mesh that follows particles: `neighbors` of them for each vertex, those it lacks with weight 0. */
export interface BoundMesh extends DisplayMesh {
  readonly neighbors: number;
  /** Numbers of the particles, counted from the body's first. */
  readonly particles: Uint32Array;
  readonly weights: Float32Array;
  /** Vertices that are less deep in a plane among the obstacles than this are laid on it [m]; none when left out. */
  readonly reach?: number | undefined;
}

export interface BodyDescription {
  readonly name: string;
  readonly kind: 'solid' | 'fluid' | 'rigid';
  /** Is it a liquid or a melt? */
  readonly isFluid: boolean;
  /** Its particles are numbers [begin, end). */
  readonly begin: number;
  readonly end: number;
  /** Position of its first particle among those that have affine maps; undefined for what flows, which has none. */
  readonly affineBegin: number | undefined;
  readonly spacing: number;
  readonly mass: number;
  /** Has no shape of its own, only the surface around its particles: a liquid, or a solid that flows as far. */
  readonly flows: boolean;
  /** Is a solid that has a mesh where it has not molten; the liquids of a frame have the rest of its surface. */
  readonly melts?: boolean | undefined;
  readonly color?: string | undefined;
  readonly look?: 'matte' | 'glossy' | 'glass' | undefined;
  readonly mesh?: BoundMesh | undefined;
}

export interface ObstacleDescription {
  readonly name: string;
  readonly color?: string | undefined;
  /** Planes have none; at time 0 in the world. */
  readonly mesh?: DisplayMesh | undefined;
  readonly plane?: { readonly point: Vec3; readonly normal: Vec3 } | undefined;
  readonly moves: boolean;
  /** To be looked through: it is glass, or what flows is in it at the start. */
  readonly isClear: boolean;
}

export interface WorldDescription {
  /** Another number for every scene that is opened; frames carry it. */
  readonly id: number;
  readonly name: string;
  /** With every default written out; meshes only by their files. */
  readonly scene: Scene;
  readonly bodies: readonly BodyDescription[];
  readonly obstacles: readonly ObstacleDescription[];
  readonly quantities: readonly Quantity[];
  readonly particles: number;
  /** xyz per particle at time 0, which regions select by. */
  readonly restPositions: Float32Array;
  /** Frames that the scene asks for. */
  readonly frames: number;
  readonly threads: number;
  readonly isolated: boolean;
  /** Bytes of WASM memory. */
  readonly memoryBytes: number;
  readonly warnings: readonly string[];
  /** Frames come from a run folder and cannot be changed. */
  readonly isRun: boolean;
}

/** The surface around bodies that flow and look alike, in triangles. */
export interface LiquidMesh {
  readonly bodies: readonly string[];
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly indices: Uint32Array;
  /** Of the chosen quantity, at the vertices. */
  readonly values?: Float32Array | undefined;
  /** Red, green and blue of the vertices, linear, where the body's mesh had them. */
  readonly colors?: Float32Array | undefined;
}

/** What is left of the mesh of a body that melts. */
export interface RemainingMesh {
  readonly body: string;
  /** As many as the mesh has; triangles that have gone have no area. */
  readonly indices: Uint32Array;
}

/** A body in pieces. */
export interface BrokenMesh {
  readonly body: string;
  /** The same as long as the mesh is. */
  readonly version: number;
  /**
   * Cut where pieces meet, closed for every piece, each of which follows its own particles. Frames that a worker sends
   * have it once; those that a RemoteWorld gives to others always.
   */
  readonly mesh?:
    | (BoundMesh & { readonly pieceParts: readonly PiecePart[]; readonly insideColor?: string | undefined })
    | undefined;
}

/** Indices [begin, end) of a part of the body's mesh by its number, or of the faces where it broke. */
export interface PiecePart {
  readonly part: number | 'inside';
  readonly begin: number;
  readonly end: number;
}

export interface FrameStatistics {
  readonly energy: Energy;
  /** Of everything [kg m/s]. */
  readonly momentum: Vec3;
  /** Mean of all particles [degrees C]; undefined where heat does not count. */
  readonly temperature: number | undefined;
  /** Substeps, the shortest of them [s], and what kept it short. */
  readonly steps: number;
  readonly timeStep: number;
  readonly limitedBy: string;
  readonly iterations: number;
  readonly maximumSpeed: number;
  /** Wall time of the simulation, and of packing the frame [ms]. */
  readonly stepMilliseconds: number;
  readonly packMilliseconds: number;
}

export interface WorldFrame {
  /** The `id` of the description that it belongs to: the first frame comes before the answer to `open`. */
  readonly world: number;
  readonly frame: number;
  /** [s] */
  readonly time: number;
  /** Per particle: its position, and the value of the chosen quantity. Places without particle are ABSENT. */
  readonly particles: Float32Array;
  /**
   * Per particle of bodies that keep their shape: three rows of its affine map from rest to here. Those that no bound
   * vertex follows are not filled in.
   */
  readonly affines: Float32Array;
  /** Per obstacle: three rows of its motion since time 0. */
  readonly obstacles: Float32Array;
  /** Undefined when they are shown by their particles alone. */
  readonly liquids?: readonly LiquidMesh[] | undefined;
  /** Meshes of bodies that melt which are not whole any more. */
  readonly remains?: readonly RemainingMesh[] | undefined;
  /** Bodies in pieces, with the meshes of these. */
  readonly broken?: readonly BrokenMesh[] | undefined;
  /** Particles that are there: sources and bodies that flow keep room for more. */
  readonly present: number;
  readonly quantity: Quantity | undefined;
  /** Those that there are. */
  readonly quantities: readonly Quantity[];
  /** Of the quantity. */
  readonly range: readonly [number, number];
  readonly statistics: FrameStatistics;
  /** Last frame that is in the cache, and whether this one is newer than those shown before. */
  readonly lastFrame: number;
  readonly isLive: boolean;
}

/** A run folder of `phyxel run`: its frames in order, as files or addresses, and the text of its run.json. */
export interface RunRequest {
  readonly frames: readonly { readonly name: string; readonly content: Blob | string }[];
  readonly document?: string | undefined;
}

/** What went wrong, and where. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly problems: readonly {
    readonly path: string;
    readonly message: string;
    readonly line?: number | undefined;
    readonly column?: number | undefined;
  }[];
}

export interface OpenOptions {
  /** Files that the scene names, by their path relative to it; none when left out. */
  readonly files?: Readonly<Record<string, Uint8Array>> | undefined;
  /** Threads that share the work: `auto` for all cores up to 8. Results do not depend on it. */
  readonly threads?: 'auto' | number | undefined;
  /** Show liquids as triangles; with false only as particles. */
  readonly liquidSurface?: boolean | undefined;
  /** Scenes that would take more memory than this [bytes] are refused before they are made, as `TooLarge`. */
  readonly memoryLimit?: number | undefined;
  /** Play these frames of the scene instead of simulating it. */
  readonly run?: RunRequest | undefined;
}

/** A scene as the text of its file; messages tell lines. */
export interface OpenRequest extends OpenOptions {
  /** JSON or YAML. */
  readonly text: string;
  /** How messages call the text. */
  readonly fileName: string;
  /** What the text says, where that is known: then it is read only to tell where mistakes are. */
  readonly parsed?: unknown;
}

/** A scene as an object, whose keys the compiler knows. */
export interface OpenSceneRequest extends OpenOptions {
  readonly scene: SceneInput;
}

/** Of a description: what `relabel` changes. */
export interface Labels extends Pick<WorldDescription, 'id' | 'name' | 'scene' | 'frames'> {
  readonly bodies: readonly Pick<BodyDescription, 'name' | 'color' | 'look'>[];
  readonly obstacles: readonly Pick<ObstacleDescription, 'name' | 'color' | 'isClear'>[];
}

/** Every request and its answer. */
export interface Requests {
  open(request: OpenRequest | OpenSceneRequest): WorldDescription;
  play(options: { readonly speed: number; readonly until?: number | undefined }): void;
  pause(): void;
  step(): void;
  /** Back to the first frame, and on from there. */
  reset(): void;
  /** Shows a frame of the cache. */
  seek(frame: number): void;
  /** Goes on from the nearest cached state at or before a frame; later frames are forgotten. Answers which. */
  rewind(frame: number): number;
  grab(hold: { readonly body: string; readonly point: Vec3; readonly radius?: number | undefined }): number;
  moveGrab(hold: { readonly id: number; readonly target: Vec3 }): void;
  release(id: number): void;
  setMaterial(change: { readonly body: string; readonly set: MaterialChangeInput }): void;
  /**
   * Takes on the names, colours, looks and duration of a scene that is the same otherwise, materials aside; the
   * simulation goes on, and frames carry another `id`. Meshes are left out of the answer.
   */
  relabel(text: string): Labels;
  /** Gives what is near a particle of a body another temperature [degrees C]. */
  setTemperature(change: {
    readonly body: string;
    readonly temperature: number;
    readonly particle?: number | undefined;
    readonly radius?: number | undefined;
  }): void;
  setQuantity(quantity: Quantity | undefined): void;
  setLiquidSurface(shown: boolean): void;
  bind(mesh: { readonly body: string; readonly mesh: DisplayMesh }): BoundMesh;
  /** What a probe reads now, and what touched in the last frame. */
  probe(probe: ProbeInput): number[];
  contacts(): Contact[];
  save(): Uint8Array;
  load(state: Uint8Array): void;
  hash(): string;
}

export type RequestName = keyof Requests;

export type ToWorker =
  | { readonly id: number; readonly request: RequestName; readonly argument: unknown }
  /** A frame was shown; its buffers may be used again. */
  | { readonly recycle: readonly ArrayBuffer[] }
  /** The scene that is being opened by this request is not wanted any more. */
  | { readonly cancel: number };

export type FromWorker =
  /** A request that may take long is being looked at: the worker is not stuck. */
  | { readonly id: number; readonly begun: true }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: Failure }
  | { readonly event: 'frame'; readonly frame: WorldFrame }
  /** A frame that takes long: which, and the share of it that is done. */
  | { readonly event: 'progress'; readonly frame: number; readonly share: number }
  /** A scene that is being opened: what is done now, and the share of the work that is behind. */
  | { readonly event: 'opening'; readonly step: string; readonly share: number }
  | { readonly event: 'state'; readonly playing: boolean; readonly finished: boolean }
  | { readonly event: 'warning'; readonly message: string }
  /** The simulation stopped by itself. */
  | { readonly event: 'stopped'; readonly failure: Failure; readonly lastGoodFrame: number };
