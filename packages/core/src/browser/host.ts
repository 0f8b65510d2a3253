/** The worker's side: owns the world, its clock and its history, and answers the page. Knows no worker globals. */
import { canShareMemory } from '../memory/platform.js';
import { isPrepared, meshFilesOf } from '../options/made-shapes.js';
import type { Material, Prepared, Scene } from '../options/types.js';
import { buildWorld } from '../scene/build.js';
import { nameFromFile } from '../scene/file-name.js';
import { checkMemory } from '../scene/memory.js';
import { readScene, resolveScene } from '../scene/schema.js';
import type { SceneSource } from '../scene/source.js';
import type { Grab } from '../solvers/grab.js';
import { loadFurther } from '../world/on-demand.js';
import { type StepReport, World } from '../world.js';
import type { BrokenMeshes } from './broken-meshes.js';
import { describeError } from './failure.js';
import { History } from './history.js';
import { physicsOf } from './labels.js';
import type { FlowSurfaces } from './liquids.js';
import { MeltingMeshes } from './melting-meshes.js';
import { FramePacker, type Recorded } from './packer.js';
import type {
  BoundMesh,
  BrokenMesh,
  Failure,
  FrameStatistics,
  FromWorker,
  Labels,
  OpenRequest,
  OpenSceneRequest,
  Quantity,
  RequestName,
  Requests,
  ToWorker,
  WorldDescription,
  WorldFrame,
} from './protocol.js';
import { RunFrames } from './run-frames.js';
import { yieldToMessages } from './yield.js';

/** Frames that may be on their way to a page before it has shown one. */
const IN_FLIGHT = 2;
/** After so long others get a turn, within a frame too; frames that take longer than `LONG` tell how far they are [ms]. */
const SLICE = 50;
const LONG = 300;
/** Requests that make it pointless to compute on what was asked for before. */
const URGENT: readonly RequestName[] = ['open', 'pause', 'reset', 'rewind', 'seek'];
/** Files larger than this are refused. */
const LARGEST_FILE = 256e6;

type Post = (message: FromWorker, transfer: Transferable[]) => void;
type Handlers = { [K in RequestName]: (argument: Parameters<Requests[K]>[0]) => Promise<ReturnType<Requests[K]>> };

interface Opened {
  readonly id: number;
  /** With its meshes in it, and as it is written. */
  readonly scene: Prepared;
  readonly written: Scene;
  /** Of a scene that was given as text. */
  readonly source: SceneSource | undefined;
  readonly packer: FramePacker;
  readonly melting: MeltingMeshes;
  readonly frames: number;
  readonly threads: 'auto' | number;
  /** Frames are read from here instead of simulated. */
  readonly run: RunFrames | undefined;
}

/** A frame that is being computed. */
interface Unfinished {
  readonly steps: Generator<number, StepReport, void>;
  readonly begin: number;
  readonly end: number;
  /** Wall time so far [ms]. */
  spent: number;
}

/** Numbers of a frame, which one it is, and whether the simulation goes on from it. */
type Shown = [
  recorded: Recorded,
  frame: { readonly frame: number; readonly time: number; readonly statistics: FrameStatistics },
  isLive: boolean,
];

/** A failure whose positions are those of the text that was to be opened. */
class Refusal extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export class WorldHost {
  readonly #post: Post;
  readonly #history = new History();
  readonly #grabs = new Map<number, Grab>();
  readonly #handlers: Handlers;
  #opened: Opened | undefined;
  #world: World | undefined;
  #surfaces: FlowSurfaces | undefined;
  #quantity: Quantity | undefined;
  #liquidSurface = true;
  #frame = 0;
  #playing = false;
  #speed = 1;
  #until = Infinity;
  /** Wall time [ms] and frame at which playing began, for the pace. */
  #began = { at: 0, frame: 0 };
  #inFlight = 0;
  /** What the page was told last. */
  #shown: Shown | undefined;
  /** Made when something has broken, and the states of bodies that the page has been sent, by their first particles. */
  #broken: BrokenMeshes | undefined;
  readonly #sentPieces = new Map<number, number>();
  /** Requests that wait for their turn. */
  readonly #waiting: RequestName[] = [];
  #unfinished: Unfinished | undefined;
  #isComputing = false;
  #nextGrab = 1;
  #openings = 0;
  /** Number of the request that is being answered. */
  #answering = 0;
  /** Requests to open a scene that were taken back. */
  readonly #cancelled = new Set<number>();
  #spare: ArrayBuffer[] = [];
  #queue: Promise<unknown> = Promise.resolve();
  /** Of the next frame, when that has time; and another number for every frame that is waited for. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;
  #isScheduled = false;
  readonly #told = new Set<string>();

  constructor(post: Post) {
    this.#post = post;
    this.#handlers = {
      open: (request) => this.#open(request),
      relabel: (text) => this.#relabel(text),
      play: async ({ speed, until }) => this.#play(speed, until ?? Infinity),
      pause: async () => this.#stop(),
      step: async () => {
        this.#stop();
        // What was begun is brought to its end, unless somebody says otherwise.
        if (!(await this.#advance())) this.#play(Infinity, this.#frame + 1);
      },
      reset: async () => void (await this.#rewind(0)),
      seek: (frame) => this.#seek(frame),
      rewind: (frame) => this.#rewind(frame),
      grab: async ({ body, point, radius }) => {
        this.#history.touch(this.#frame + 1);
        return this.#grab(this.#simulated().world.grab(this.#nameInWorld(body), point, { ...(radius && { radius }) }));
      },
      moveGrab: async ({ id, target }) => {
        const grab = this.#grabs.get(id);
        if (grab && target.every(Number.isFinite)) grab.target = target;
      },
      release: async (id) => {
        this.#grabs.get(id)?.release();
        this.#grabs.delete(id);
      },
      setMaterial: async ({ body, set }) => {
        await loadFurther();
        this.#simulated().world.setMaterial(this.#nameInWorld(body), set);
        this.#history.touch(this.#frame + 1);
      },
      setTemperature: async (change) => {
        await loadFurther();
        this.#setTemperature(change);
      },
      setQuantity: async (quantity) => {
        this.#quantity = quantity;
        this.#showCached();
      },
      setLiquidSurface: async (shown) => {
        this.#liquidSurface = shown;
        this.#showCached();
      },
      bind: async ({ body, mesh }) => {
        const bound = this.#ready().opened.packer.bind(body, mesh);
        // What is shown, now with the maps of what that follows.
        if (this.#shown) this.#show(...this.#shown);
        return bound;
      },
      probe: async (probe) => (await this.#wholeFrame()).probe(probe),
      contacts: async () => (await this.#wholeFrame()).contacts(),
      save: async () => (await this.#wholeFrame()).save(),
      load: (state) => this.#load(state),
      hash: async () => (await this.#wholeFrame()).stateHash(),
    };
  }

  /** A message of the page. Requests are answered one after the other. */
  receive(message: ToWorker): void {
    if ('recycle' in message) {
      this.#spare.push(...message.recycle);
      if (this.#spare.length > 8) this.#spare.splice(0, this.#spare.length - 8);
      this.#inFlight = Math.max(0, this.#inFlight - 1);
      if (this.#playing) this.#schedule();
      return;
    }
    if ('cancel' in message) {
      this.#cancelled.add(message.cancel);
      return;
    }
    this.#waiting.push(message.request);
    this.#queue = this.#queue.then(() => {
      this.#waiting.shift();
      return this.#answer(message);
    });
  }

  async #answer({ id, request, argument }: Extract<ToWorker, { id: number }>): Promise<void> {
    try {
      const handler = this.#handlers[request] as ((argument: unknown) => Promise<unknown>) | undefined;
      if (!handler) throw new RangeError(`there is no request "${request}"`);
      if (request === 'open') this.#post({ id, begun: true }, []);
      this.#answering = id;
      const answer = await handler(argument);
      this.#post({ id, answer }, transferables(request, answer));
    } catch (error) {
      const failure = error instanceof Refusal ? error.failure : describeError(error, this.#opened?.source);
      this.#post({ id, failure }, []);
    } finally {
      this.#cancelled.delete(id);
    }
  }

  /** A step of opening a scene begins; it is given up if the page does not want it any more. */
  async #step(step: string, share: number): Promise<void> {
    this.#post({ event: 'opening', step, share }, []);
    await yieldToMessages();
    if (!this.#cancelled.has(this.#answering)) return;
    throw new Refusal({ name: 'Cancelled', message: 'the scene was not opened: it was cancelled', problems: [] });
  }

  async #open(request: OpenRequest | OpenSceneRequest): Promise<WorldDescription> {
    this.#stop();
    const { scene: written, source } =
      'scene' in request
        ? { scene: resolveScene(request.scene), source: undefined }
        : (readParsed(request) ?? (await parse(request.text, request.fileName)));
    const run = request.run && new RunFrames(request.run);
    const count = Math.max(1, new Set(meshFilesOf(written).map(({ file }) => file)).size);
    let read = 0;
    let turn = Promise.resolve();
    const readFile = async (path: string): Promise<Uint8Array> => {
      const bytes = request.files?.[path];
      if (!bytes) throw new RangeError(`the scene names the file "${path}", which is not there: drop it in as well`);
      if (bytes.length > LARGEST_FILE)
        throw new RangeError(`"${path}" has ${bytes.length} bytes, more than ${LARGEST_FILE}`);
      turn = turn.then(async () => {
        // The file before is parsed in this pause.
        await yieldToMessages();
        const share = (READ * Math.min(read++, count - 1)) / count;
        await this.#step(`Reading ${path.replace(/^.*\//, '')}`, share);
      });
      await turn;
      return bytes;
    };
    let world: World;
    let scene: Prepared;
    try {
      scene = await withMeshes(written, readFile);
      await this.#checkMemory(scene, source, request.memoryLimit);
      const { length } = scene.bodies;
      world = await buildWorld(scene, scene, {
        threads: request.threads ?? 'auto',
        isLazy: true,
        makesShapes: false,
        onBody: (name, k) =>
          this.#step(`Filling ${name} with particles`, READ + ((FILLED - READ) * k) / Math.max(1, length)),
      });
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const told = source ?? ('text' in request ? (await parse(request.text, request.fileName)).source : undefined);
      throw new Refusal(describeError(error, told));
    }
    await run?.check(world.bodies).catch(async (error: unknown) => {
      await world.dispose();
      throw error;
    });
    let packer: FramePacker;
    let surfaces: FlowSurfaces | undefined;
    let melting: MeltingMeshes;
    try {
      let bound = 0;
      packer = await FramePacker.create(world, scene, (name) => {
        const share = FILLED + ((BOUND - FILLED) * bound++) / scene.bodies.length;
        this.#post({ event: 'opening', step: `Binding the surface of ${name}`, share }, []);
      });
      await this.#step('Making the first frame', BOUND);
      melting = await MeltingMeshes.create(packer.bodies, packer.restPositions);
      surfaces = await surfacesOf(packer, world);
    } catch (error) {
      await world.dispose();
      throw error;
    }
    const before = [this.#world, this.#surfaces, this.#broken];
    this.#forget();
    for (const part of before) await part?.dispose();
    this.#world = world;
    this.#surfaces = surfaces;
    this.#liquidSurface = request.liquidSurface ?? true;
    const frames = run ? run.last : framesOf(scene);
    const threads = request.threads ?? 'auto';
    this.#opened = { id: ++this.#openings, scene, written, source, packer, melting, frames, threads, run };
    if (this.#quantity && !packer.quantities.includes(this.#quantity)) this.#quantity = undefined;
    if (run) await this.#showRun(0);
    else {
      this.#remember(undefined, 0);
      this.#showCached();
    }
    return {
      id: this.#openings,
      name: scene.name,
      scene: written,
      bodies: packer.bodies,
      obstacles: packer.obstacles,
      quantities: packer.quantities,
      particles: world.particleCount,
      restPositions: packer.restPositions,
      frames,
      threads: world.threads,
      isolated: canShareMemory(),
      memoryBytes: world.memoryBytes,
      warnings: world.warnings,
      isRun: run !== undefined,
    };
  }

  async #relabel(text: string): Promise<Labels> {
    const { opened, world } = this.#simulated();
    const { scene: written } = await parse(text, 'scene.json');
    const withoutMaterials = (scene: Scene) =>
      physicsOf({ ...scene, bodies: scene.bodies.map((body) => ({ ...body, material: {} as Material })) });
    if (withoutMaterials(written) !== withoutMaterials(opened.written))
      throw new RangeError('the scene differs in more than names, colours, looks and duration: open it');
    const { name, duration } = written;
    const relabelled = <K extends 'bodies' | 'emitters' | 'obstacles'>(list: K) =>
      opened.scene[list].map((item, k) => {
        const { name: own, color, look } = written[list][k]!;
        return { ...item, name: own, color, look };
      }) as unknown as Prepared[K];
    const scene: Prepared = {
      ...opened.scene,
      name,
      duration,
      bodies: relabelled('bodies'),
      emitters: relabelled('emitters'),
      obstacles: relabelled('obstacles'),
    };
    const { packer } = opened;
    packer.relabel(scene);
    const surfaces = this.#surfaces;
    this.#surfaces = await surfacesOf(packer, world);
    await surfaces?.dispose();
    const [id, frames] = [++this.#openings, framesOf(scene)];
    this.#opened = { ...opened, id, scene, written, frames };
    this.#sentPieces.clear();
    if (this.#shown) this.#show(...this.#shown);
    const bodies = packer.bodies.map(({ name: own, color, look }) => ({ name: own, color, look }));
    const obstacles = packer.obstacles.map(({ name: own, color, isClear }) => ({ name: own, color, isClear }));
    return { id, name, scene: written, frames, bodies, obstacles };
  }

  /** A body keeps the name that its world was made with, so that states of before can be gone back to. */
  #nameInWorld(name: string): string {
    const { world, opened } = this.#ready();
    const index = opened.packer.bodies.findIndex((body) => body.name === name);
    return world.bodies[index]?.name ?? name;
  }

  /** What no memory can hold is refused as well, limit or not. */
  async #checkMemory(scene: Scene, source: SceneSource | undefined, limit = Infinity): Promise<void> {
    const readMesh = () => Promise.reject(new RangeError('a mesh was not read'));
    await checkMemory(scene, readMesh);
    await checkMemory(scene, readMesh, limit).catch((error: unknown) => {
      throw new Refusal({ ...describeError(error, source), name: 'TooLarge' });
    });
  }

  #forget(): void {
    this.#history.clear();
    this.#grabs.clear();
    this.#told.clear();
    this.#frame = 0;
    this.#inFlight = 0;
    this.#shown = undefined;
    this.#broken = undefined;
    this.#sentPieces.clear();
    this.#unfinished = undefined;
    this.#world = undefined;
    this.#surfaces = undefined;
    this.#opened = undefined;
  }

  #ready(): { world: World; opened: Opened } {
    if (!this.#world || !this.#opened) throw new RangeError('no scene is open');
    return { world: this.#world, opened: this.#opened };
  }

  #simulated(): { world: World; opened: Opened } {
    const ready = this.#ready();
    if (ready.opened.run) throw new RangeError('a run is played as it was: open its scene to change something');
    return ready;
  }

  /** Shows a frame of the run that is open. */
  async #showRun(wanted: number): Promise<void> {
    const { opened } = this.#ready();
    const read = await opened.run!.read(wanted);
    this.#frame = Math.min(opened.run!.last, Math.max(0, Math.round(wanted)));
    const { recorded, time, frame } = read;
    await this.#prepareBroken(recorded);
    const statistics = opened.run!.statistics(frame, meanOf(recorded.quantities.get('temperature')));
    this.#show(recorded, { frame: this.#frame, time, statistics }, true);
  }

  #play(speed: number, until: number): void {
    const { opened } = this.#ready();
    // What was played to its end begins again.
    if (opened.run && this.#frame >= opened.run.last) this.#frame = -1;
    this.#speed = speed;
    this.#until = Math.min(until, opened.run?.last ?? Infinity);
    this.#playing = true;
    this.#began = { at: performance.now(), frame: this.#frame };
    this.#tellState();
    this.#schedule();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#turn++;
    this.#isScheduled = false;
    if (!this.#playing) return;
    this.#playing = false;
    this.#tellState();
  }

  #tellState(): void {
    this.#post({ event: 'state', playing: this.#playing, finished: this.#finished }, []);
  }

  get #finished(): boolean {
    return this.#frame >= Math.min(this.#until, this.#opened?.scene.static ? 1 : Infinity);
  }

  /** The next frame when it is due and the page keeps up; other messages come in between. */
  #schedule(): void {
    if (this.#isScheduled || this.#isComputing || this.#inFlight >= IN_FLIGHT) return;
    const rate = this.#opened!.scene.frameRate * this.#speed;
    let due = this.#began.at + (1000 * (this.#frame + 1 - this.#began.frame)) / rate;
    const now = performance.now();
    // What is slower than the clock does not hurry to catch up later.
    if (due < now - 250) {
      this.#began = { at: now, frame: this.#frame };
      due = now;
    }
    this.#isScheduled = true;
    const turn = ++this.#turn;
    const begin = () => {
      if (turn !== this.#turn) return;
      this.#isScheduled = false;
      this.#queue = this.#queue.then(async () => {
        if (!this.#playing) return;
        await this.#advance();
        if (this.#finished) this.#stop();
        else if (this.#playing) this.#schedule();
      });
    };
    if (due > now) this.#timer = setTimeout(begin, due - now);
    else void yieldToMessages().then(begin);
  }

  /**
   * One frame. Answers false when somebody wants something first: it is taken up where it was. A simulation that
   * breaks down stops with its reason; the last good frame stays.
   */
  async #advance(mayWait = () => this.#waiting.length > 0): Promise<boolean> {
    const { world, opened } = this.#ready();
    const started = performance.now();
    if (this.#grabs.size > 0) this.#history.touch(this.#frame + 1);
    try {
      if (opened.run) {
        await this.#showRun(this.#frame + 1);
        return true;
      }
      const frame = opened.scene.static
        ? { report: world.solveStatic(), spent: performance.now() - started }
        : await this.#compute(mayWait);
      if (!frame) return false;
      this.#frame++;
      for (const message of frame.report.warnings) this.#warn(message);
      this.#remember(frame.report, frame.spent);
      await this.#prepareBroken(this.#history.last!.recorded);
      this.#show(this.#history.last!.recorded, this.#history.last!, true);
    } catch (error) {
      this.#unfinished = undefined;
      this.#stop();
      this.#post({ event: 'stopped', failure: describeError(error, opened.source), lastGoodFrame: this.#frame }, []);
    }
    return true;
  }

  /** Steps to the end of the frame, or until somebody waits who counts. */
  async #compute(mayWait: () => boolean): Promise<{ report: StepReport; spent: number } | undefined> {
    const { world, opened } = this.#ready();
    const end = (this.#frame + 1) / opened.scene.frameRate;
    this.#unfinished ??= { steps: world.stepsTo(end), begin: world.time, end, spent: 0 };
    const frame = this.#unfinished;
    this.#isComputing = true;
    try {
      for (let started = performance.now(); ; ) {
        const { done, value } = frame.steps.next();
        const passed = performance.now() - started;
        if (done) {
          this.#unfinished = undefined;
          return { report: value, spent: frame.spent + passed };
        }
        if (passed < SLICE) continue;
        frame.spent += passed;
        const share = (value - frame.begin) / (end - frame.begin);
        if (frame.spent > LONG) {
          this.#post({ event: 'progress', frame: this.#frame + 1, share }, []);
          for (const message of world.openFrame?.warnings ?? []) this.#warn(message);
        }
        await yieldToMessages();
        if (mayWait()) return undefined;
        started = performance.now();
      }
    } finally {
      this.#isComputing = false;
    }
  }

  /** The world at the frame that is shown last, for those who look at its state. */
  async #wholeFrame(): Promise<World> {
    if (this.#unfinished) await this.#advance(() => false);
    return this.#simulated().world;
  }

  #warn(message: string): void {
    // The same trouble with other numbers is told once.
    const kind = message.replace(/[\d.e+-]+/g, '#');
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    this.#post({ event: 'warning', message }, []);
  }

  #remember(report: StepReport | undefined, milliseconds: number): void {
    const { world, opened } = this.#ready();
    const started = performance.now();
    const recorded = opened.packer.record(world);
    const { energy, momentum } = world.sums();
    const statistics: FrameStatistics = {
      energy,
      momentum,
      temperature: meanOf(recorded.quantities.get('temperature')),
      steps: report?.steps ?? 0,
      timeStep: report?.timeStep ?? 0,
      limitedBy: report?.limitedBy ?? '',
      iterations: report?.iterations ?? 0,
      maximumSpeed: report?.maximumSpeed ?? 0,
      stepMilliseconds: milliseconds,
      packMilliseconds: performance.now() - started,
    };
    this.#history.add({ frame: this.#frame, time: world.time, recorded, statistics });
    if (this.#history.wantsState(this.#frame)) this.#history.addState(this.#frame, world.snapshot());
  }

  /** Notes the present state again, after it was changed from outside. */
  #renew(): void {
    const { world, opened } = this.#ready();
    const last = this.#history.last;
    if (!last || last.frame !== this.#frame) return;
    this.#history.replaceLast({ ...last, recorded: opened.packer.record(world) }, world.snapshot());
    this.#showCached();
  }

  #showCached(): void {
    if (this.#opened?.run) {
      this.#queue = this.#queue.then(() => this.#showRun(this.#frame));
      return;
    }
    const cached = this.#history.at(this.#frame);
    if (cached) this.#show(cached.recorded, cached, true);
  }

  async #seek(frame: number): Promise<void> {
    this.#stop();
    if (this.#ready().opened.run) return this.#showRun(frame);
    const cached = this.#history.at(frame);
    if (cached) this.#show(cached.recorded, cached, cached.frame === this.#frame);
  }

  #show(...shown: Shown): void {
    this.#shown = shown;
    const [recorded, { frame, time, statistics }, isLive] = shown;
    const { opened } = this.#ready();
    const { packer, melting } = opened;
    const started = performance.now();
    const particles = this.#array((4 * recorded.positions.length) / 3);
    const affines = this.#array(12 * packer.affineCount);
    const obstacles = this.#array(12 * packer.obstacles.length);
    const { range, present } = packer.packParticles(recorded, this.#quantity, particles);
    packer.packAffines(recorded, affines, time);
    packer.packObstacles(time, obstacles);
    const liquids = this.#liquidSurface
      ? this.#surfaces?.of(recorded, this.#quantity, packer.planes(time), melting)
      : undefined;
    const broken = this.#brokenMeshes(recorded, affines);
    const remains = liquids && melting.of(recorded, packer.bodies);
    const frameData: WorldFrame = {
      world: opened.id,
      frame,
      time,
      particles,
      affines,
      obstacles,
      liquids,
      remains,
      broken,
      present,
      quantity: recorded.quantities.has(this.#quantity!) ? this.#quantity : undefined,
      quantities: [...recorded.quantities.keys()],
      range,
      statistics: { ...statistics, packMilliseconds: statistics.packMilliseconds + performance.now() - started },
      lastFrame: opened.run?.last ?? this.#history.lastFrame,
      isLive,
    };
    const buffers = [particles, affines, obstacles].map(({ buffer }) => buffer);
    for (const { positions, normals, indices, values, colors } of liquids ?? []) {
      for (const part of [positions, normals, indices, values, colors])
        if (part) buffers.push(part.buffer as ArrayBuffer);
    }
    for (const { mesh } of broken) if (mesh) buffers.push(...buffersOf(mesh));
    for (const { indices } of remains ?? []) buffers.push(indices.buffer as ArrayBuffer);
    this.#inFlight++;
    // Numbers of a surface may share one buffer.
    this.#post({ event: 'frame', frame: frameData }, [...new Set(buffers)]);
  }

  /** Bodies in pieces, with the meshes that the page does not have yet; writes the maps that they follow. */
  #brokenMeshes({ broken, positions }: Recorded, affines: Float32Array): BrokenMesh[] {
    if (broken.size === 0 || !this.#broken) return [];
    const versions = this.#broken.update(broken);
    this.#broken.packAffines(versions.keys(), positions, affines);
    return [...versions].map(([begin, version]) => {
      const body = this.#opened!.packer.bodies.find((candidate) => candidate.begin === begin)!.name;
      if (this.#sentPieces.get(begin) === version) return { body, version };
      this.#sentPieces.set(begin, version);
      return { body, version, mesh: this.#broken!.mesh(begin) };
    });
  }

  /** What cuts meshes is fetched when something has broken. */
  async #prepareBroken({ broken }: Recorded): Promise<void> {
    if (broken.size === 0 || this.#broken) return;
    const { packer, run } = this.#ready().opened;
    const finest = run && (await run.read(run.last)).recorded.broken;
    const { BrokenMeshes } = await import('./broken-meshes.js');
    this.#broken = await BrokenMeshes.create(packer.breakable, finest);
  }

  /** Numbers in a buffer that came back from the page, if one fits. */
  #array(length: number): Float32Array<ArrayBuffer> {
    const at = this.#spare.findIndex((buffer) => buffer.byteLength === 4 * length);
    return new Float32Array(at >= 0 ? this.#spare.splice(at, 1)[0]! : new ArrayBuffer(4 * length));
  }

  /** Goes back to a cached state and on to the frame, as far as it can be computed again. */
  async #rewind(frame: number): Promise<number> {
    this.#stop();
    const { opened } = this.#ready();
    if (opened.run) {
      await this.#showRun(frame);
      return this.#frame;
    }
    const found = this.#history.stateBefore(frame);
    if (!found) throw new RangeError(`no state at or before frame ${frame} is kept`);
    await this.#replace(await World.load(found.state.snapshot.toBytes(), { threads: opened.threads }));
    this.#frame = found.state.frame;
    const isOutdated = () => this.#waiting.some((request) => URGENT.includes(request));
    while (this.#frame < found.target && (await this.#compute(isOutdated))) this.#frame++;
    this.#history.truncate(this.#frame);
    this.#showCached();
    this.#tellState();
    return this.#frame;
  }

  async #load(state: Uint8Array): Promise<void> {
    this.#stop();
    const { opened, world: before } = this.#simulated();
    const world = await World.load(state, { threads: opened.threads });
    if (world.particleCount !== before.particleCount) {
      await world.dispose();
      throw new RangeError(
        `the state has ${world.particleCount} particles, the open scene ${before.particleCount}: open its scene first`,
      );
    }
    await this.#replace(world);
    this.#frame = Math.round(world.time * opened.scene.frameRate);
    this.#history.clear();
    this.#remember(undefined, 0);
    await this.#prepareBroken(this.#history.last!.recorded);
    this.#showCached();
  }

  async #replace(world: World): Promise<void> {
    const before = this.#world;
    this.#unfinished = undefined;
    this.#grabs.clear();
    this.#world = world;
    await before?.dispose();
  }

  #grab(grab: Grab): number {
    const id = this.#nextGrab++;
    this.#grabs.set(id, grab);
    return id;
  }

  #setTemperature({ body, temperature, particle, radius }: Parameters<Requests['setTemperature']>[0]): void {
    const { world, opened } = this.#simulated();
    const region =
      particle === undefined || radius === undefined
        ? ({ all: true } as const)
        : { sphere: { center: opened.packer.restPosition(particle), radius } };
    world.setTemperature(this.#nameInWorld(body), temperature, region);
    this.#history.touch(this.#frame + 1);
    if (!this.#playing) this.#renew();
  }

  async dispose(): Promise<void> {
    this.#stop();
    await this.#world?.dispose();
    await this.#surfaces?.dispose();
    await this.#broken?.dispose();
  }
}

/** Shares of the work of opening a scene: meshes are read, bodies filled, surfaces bound; of one large mesh each. */
const READ = 0.3;
const FILLED = 0.6;
const BOUND = 0.95;

/** The scene of a request that says it, if there are no mistakes in it. */
function readParsed({ parsed, fileName }: OpenRequest): { scene: Scene; source: undefined } | undefined {
  if (parsed === undefined) return undefined;
  const read = readScene(parsed, nameFromFile(fileName));
  return 'scene' in read ? { scene: read.scene, source: undefined } : undefined;
}

/** What reads texts is fetched where there is one that has not been read yet: YAML is a tenth of the page. */
async function parse(text: string, fileName: string): Promise<{ scene: Scene; source: SceneSource }> {
  const { parseScene } = await import('../scene/parse.js');
  return parseScene(text, fileName);
}

/** What draws what flows is fetched where something does. */
async function surfacesOf({ bodies }: FramePacker, { threads }: World): Promise<FlowSurfaces | undefined> {
  if (!bodies.some(({ flows, melts }) => flows || melts)) return undefined;
  const { FlowSurfaces } = await import('./liquids.js');
  return FlowSurfaces.create(bodies, threads);
}

/** What reads and makes meshes is fetched where there are some. */
async function withMeshes(scene: Scene, readFile: (path: string) => Promise<Uint8Array>): Promise<Prepared> {
  if (isPrepared(scene) && meshFilesOf(scene).length === 0) return scene;
  const { readMeshes } = await import('../scene/meshes.js');
  return readMeshes(scene, { readFile });
}

function framesOf({ static: isStatic, duration, frameRate }: Scene): number {
  return isStatic ? 1 : Math.max(1, Math.ceil(duration * frameRate - 1e-6));
}

function meanOf(values: Float32Array | undefined): number | undefined {
  return values && values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Large answers are handed over, not copied. */
function transferables(request: RequestName, answer: unknown): Transferable[] {
  if (request === 'save') return [(answer as Uint8Array<ArrayBuffer>).buffer];
  const buffers = new Set<ArrayBuffer>();
  const handMesh = (mesh: BoundMesh | undefined) => {
    if (!mesh) return;
    for (const buffer of buffersOf(mesh)) buffers.add(buffer);
  };
  if (request === 'open') for (const { mesh } of (answer as WorldDescription).bodies) handMesh(mesh);
  if (request === 'bind') handMesh(answer as BoundMesh);
  return [...buffers];
}

function buffersOf({ positions, normals, uvs, colors, indices, particles, weights }: BoundMesh): ArrayBuffer[] {
  const arrays = [positions, normals, uvs, colors, indices, particles, weights];
  return arrays.flatMap((array) => (array ? [array.buffer as ArrayBuffer] : []));
}
