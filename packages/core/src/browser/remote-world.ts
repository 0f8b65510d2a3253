/** The page's side of a world that runs in a worker. Nothing here waits for a simulation. */
import { explainFailure } from '../memory/worker-failure.js';
import type { MaterialChangeInput, ProbeInput } from '../options/inputs.js';
import type { Vec3 } from '../options/types.js';
import type { Contact } from '../world/pushes.js';
import type {
  BoundMesh,
  BrokenMesh,
  DisplayMesh,
  Failure,
  FromWorker,
  OpenRequest,
  OpenSceneRequest,
  Quantity,
  RequestName,
  Requests,
  WorldDescription,
  WorldFrame,
} from './protocol.js';

/** How long a worker may take to look at a scene that is to be opened [ms]. */
const PATIENCE = 1000;

const CURE =
  'copy the folder "web" of the package phyxel beside your page and name it, connectWorld({ assets: "engine/" }); with ' +
  'Vite in development, optimizeDeps: { exclude: ["phyxel"] }';

export interface ConnectOptions {
  /** Folder with the files of the package's folder `web`, for bundlers that do not follow them. */
  readonly assets?: string | URL;
  /** A worker of your own, when it cannot be started from an address. */
  readonly worker?: Worker;
}

/** Thrown for what the worker refuses; `problems` tell where in the scene. */
export class RemoteError extends Error {
  override name = 'RemoteError';
  readonly kind: string;
  readonly problems: Failure['problems'];

  constructor({ name, message, problems }: Failure) {
    super(message);
    this.kind = name;
    this.problems = problems;
  }
}

interface Events {
  frame: (frame: WorldFrame) => void;
  /** Of a frame that takes long: which, and the share of it that is done. */
  progress: (progress: { readonly frame: number; readonly share: number }) => void;
  /** Of a scene that is being opened: what is done now, and the share of the work that is behind. */
  opening: (progress: { readonly step: string; readonly share: number }) => void;
  state: (state: { readonly playing: boolean; readonly finished: boolean }) => void;
  warning: (message: string) => void;
  /** The simulation broke down, or the worker did. */
  stopped: (error: RemoteError, lastGoodFrame: number) => void;
}

interface Opening {
  readonly request: OpenRequest | OpenSceneRequest;
  readonly signal: AbortSignal | undefined;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** A body that is held by a hand; see `World.grab`. */
export interface RemoteGrab {
  move(target: Vec3): void;
  release(): void;
}

/** Starts a worker for a world. */
export function connectWorld(options: ConnectOptions = {}): RemoteWorld {
  if (options.worker) return new RemoteWorld(options.worker);
  let start: () => Worker;
  if (options.assets !== undefined) {
    const folder = String(options.assets);
    const base = new URL(folder.endsWith('/') ? folder : `${folder}/`, globalThis.location?.href);
    start = () => new Worker(new URL('world.js', base), { type: 'module' });
  } else {
    // The literal form is what bundlers recognise.
    start = () => new Worker(new URL('../../web/world.js', import.meta.url), { type: 'module' });
  }
  return new RemoteWorld(start(), start);
}

export class RemoteWorld {
  #worker!: Worker;
  /** Starts another worker in place of one that does not answer. */
  readonly #restart: (() => Worker) | undefined;
  /** Has this worker ever said something? */
  #isUp = false;
  /** What a worker keeps that scenes do not bring along. */
  readonly #settings = new Map<'setQuantity' | 'setLiquidSurface', unknown>();
  /** Scenes that are being opened. The timer runs out for those that the worker has not begun with. */
  readonly #openings = new Map<number, Opening>();
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  readonly #listeners: { [K in keyof Events]: Set<Events[K]> } = {
    frame: new Set(),
    progress: new Set(),
    opening: new Set(),
    state: new Set(),
    warning: new Set(),
    stopped: new Set(),
  };
  #next = 1;
  #broken: RemoteError | undefined;
  #shown: WorldFrame | undefined;
  /** The last meshes of bodies in pieces, by the names of the bodies. */
  readonly #pieces = new Map<string, BrokenMesh>();
  description: WorldDescription | undefined;

  constructor(worker: Worker, restart?: () => Worker) {
    this.#restart = restart;
    this.#use(worker);
  }

  #use(worker: Worker): void {
    this.#worker = worker;
    this.#isUp = false;
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => this.#receive(data));
    worker.addEventListener('error', (event) => void this.#explain(worker, event));
    worker.addEventListener('messageerror', () => this.#break('a message of the worker could not be read'));
  }

  /** The last frame that came; valid until the next. */
  get frame(): WorldFrame | undefined {
    return this.#shown;
  }

  /** Calls a listener from now on; the result takes it away again. */
  on<K extends keyof Events>(event: K, listener: Events[K]): () => void {
    const listeners = this.#listeners[event] as Set<Events[K]>;
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /**
   * Opens a scene, given as an object (`scene`) or as the text of a file (`text`, `fileName`). A worker that is lost in what cannot be interrupted, one endless step or the making of a scene that
   * is far too large, is given up for another one.
   *
   * A `signal` that aborts ends it with a RemoteError of kind `Cancelled`. What was open before stays, unless the
   * worker does not look up from its work within a second: then another one takes its position, and `description` is
   * undefined.
   */
  async open(
    request: OpenRequest | OpenSceneRequest,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<WorldDescription> {
    const { signal } = options;
    if (signal?.aborted) throw cancelled();
    const { id, answer } = this.#send('open', request);
    const timer = setTimeout(() => this.#giveUp(id), PATIENCE);
    this.#openings.set(id, { request, signal, timer });
    let late: ReturnType<typeof setTimeout> | undefined;
    const cancel = () => {
      clearTimeout(timer);
      this.#worker.postMessage({ cancel: id });
      late = setTimeout(() => this.#replaceWorker(cancelled()), PATIENCE);
    };
    signal?.addEventListener('abort', cancel);
    try {
      this.description = await answer;
      return this.description;
    } finally {
      signal?.removeEventListener('abort', cancel);
      clearTimeout(late);
      clearTimeout(timer);
      this.#openings.delete(id);
    }
  }

  /**
   * Takes on names, colours, looks and duration of a scene that is the same otherwise, materials aside; the
   * simulation goes on.
   */
  async relabel(text: string): Promise<WorldDescription> {
    const { bodies, obstacles, ...labels } = await this.#ask('relabel', text);
    const before = this.description!;
    this.description = {
      ...before,
      ...labels,
      bodies: before.bodies.map((body, k) => ({ ...body, ...bodies[k] })),
      obstacles: before.obstacles.map((obstacle, k) => ({ ...obstacle, ...obstacles[k] })),
    };
    return this.description;
  }

  /** Starts another worker, and asks that for the scene. */
  #giveUp(id: number): void {
    if (!this.#isUp) return;
    this.#replaceWorker(
      new RemoteError({ name: 'Superseded', message: 'another scene was opened meanwhile', problems: [] }),
      id,
    );
  }

  /**
   * Another worker, with what was set, for the scenes that are still to be opened, from one on; those who wait for
   * something else of the old one get a reason.
   */
  #replaceWorker(reason: RemoteError, from = 0): void {
    if (!this.#restart) return;
    this.#worker.terminate();
    const asked = [...this.#waiting].filter(([id]) => {
      const opening = this.#openings.get(id);
      return opening && id >= from && !opening.signal?.aborted;
    });
    for (const [id] of asked) this.#waiting.delete(id);
    this.#fail(reason);
    this.#shown = undefined;
    this.description = undefined;
    this.#use(this.#restart());
    for (const [setting, value] of this.#settings) this.#send(setting, value as never).answer.catch(() => {});
    for (const [id, waiting] of asked) {
      this.#waiting.set(id, waiting);
      this.#worker.postMessage({ id, request: 'open', argument: this.#openings.get(id)!.request });
    }
  }

  /** `speed` 1 is real time, if the machine is fast enough; Infinity as fast as it can. */
  play(options: { readonly speed?: number; readonly until?: number } = {}): Promise<void> {
    return this.#ask('play', { speed: options.speed ?? 1, until: options.until });
  }

  pause(): Promise<void> {
    return this.#ask('pause');
  }

  step(): Promise<void> {
    return this.#ask('step');
  }

  reset(): Promise<void> {
    return this.#ask('reset');
  }

  seek(frame: number): Promise<void> {
    return this.#ask('seek', frame);
  }

  rewind(frame: number): Promise<number> {
    return this.#ask('rewind', frame);
  }

  /** Takes hold of a body near a point; follow the pointer with `move`. */
  grab(body: string, point: Vec3, radius?: number): RemoteGrab {
    const id = this.#ask('grab', { body, point, radius });
    // What a move or release says about a grab that failed is nobody's concern.
    id.catch(() => {});
    let latest: Vec3 | undefined;
    let released = false;
    const send = (held: number) => {
      if (latest && !released) void this.#ask('moveGrab', { id: held, target: latest });
      latest = undefined;
    };
    return {
      move: (target) => {
        const idle = latest === undefined;
        latest = target;
        // One message for all moves until the grab is known.
        if (idle) id.then(send, () => {});
      },
      release: () => {
        released = true;
        id.then((held) => this.#ask('release', held)).catch(() => {});
      },
    };
  }

  setMaterial(body: string, set: MaterialChangeInput): Promise<void> {
    return this.#ask('setMaterial', { body, set });
  }

  setTemperature(change: Parameters<Requests['setTemperature']>[0]): Promise<void> {
    return this.#ask('setTemperature', change);
  }

  setQuantity(quantity: Quantity | undefined): Promise<void> {
    this.#settings.set('setQuantity', quantity);
    return this.#ask('setQuantity', quantity);
  }

  setLiquidSurface(shown: boolean): Promise<void> {
    this.#settings.set('setLiquidSurface', shown);
    return this.#ask('setLiquidSurface', shown);
  }

  /** Lets a mesh of yours, as it stands at the start, follow a body's particles. */
  bind(body: string, mesh: DisplayMesh): Promise<BoundMesh> {
    return this.#ask('bind', { body, mesh });
  }

  /** What a probe reads of the state that is simulated now, as `World.probe` does. */
  probe(probe: ProbeInput): Promise<number[]> {
    return this.#ask('probe', probe);
  }

  /** Bodies that touched in the last frame, as `World.contacts` tells them; noted from the first call on. */
  contacts(): Promise<Contact[]> {
    return this.#ask('contacts');
  }

  save(): Promise<Uint8Array> {
    return this.#ask('save');
  }

  load(state: Uint8Array): Promise<void> {
    return this.#ask('load', state);
  }

  hash(): Promise<string> {
    return this.#ask('hash');
  }

  dispose(): void {
    this.#worker.terminate();
    this.#broken = new RemoteError({
      name: 'Disposed',
      message: 'the world was disposed of: connect another one with connectWorld()',
      problems: [],
    });
    this.#fail(this.#broken);
  }

  /** Gives the buffers of a frame that is no longer shown back; listeners need not call this. */
  recycle({ particles, affines, obstacles }: WorldFrame): void {
    const buffers = [particles.buffer, affines.buffer, obstacles.buffer] as ArrayBuffer[];
    this.#worker.postMessage({ recycle: buffers }, buffers);
  }

  #ask<K extends RequestName>(request: K, argument?: Parameters<Requests[K]>[0]): Promise<ReturnType<Requests[K]>> {
    return this.#send(request, argument).answer;
  }

  #send<K extends RequestName>(
    request: K,
    argument?: Parameters<Requests[K]>[0],
  ): { readonly id: number; readonly answer: Promise<ReturnType<Requests[K]>> } {
    const id = this.#next++;
    if (this.#broken) return { id, answer: Promise.reject(this.#broken) };
    const answer = new Promise<ReturnType<Requests[K]>>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: never) => void, reject });
      this.#worker.postMessage({ id, request, argument });
    });
    return { id, answer };
  }

  #receive(message: FromWorker): void {
    this.#isUp = true;
    if ('begun' in message) {
      clearTimeout(this.#openings.get(message.id)?.timer);
      return;
    }
    if ('id' in message) {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if ('failure' in message) waiting?.reject(new RemoteError(message.failure));
      else waiting?.resolve(message.answer as never);
      return;
    }
    if (message.event === 'frame') {
      const frame = this.#withPieces(message.frame);
      try {
        for (const listener of this.#listeners.frame) listener(frame);
      } finally {
        // The worker waits for this, whatever listeners do.
        this.#keepLast(frame);
      }
    } else if (message.event === 'progress') {
      for (const listener of this.#listeners.progress) listener(message);
    } else if (message.event === 'opening') {
      for (const listener of this.#listeners.opening) listener(message);
    } else if (message.event === 'state') {
      for (const listener of this.#listeners.state) listener(message);
    } else if (message.event === 'warning') {
      for (const listener of this.#listeners.warning) listener(message.message);
    } else {
      const error = new RemoteError(message.failure);
      for (const listener of this.#listeners.stopped) listener(error, message.lastGoodFrame);
    }
  }

  /** Puts the meshes of bodies in pieces in, which are sent once. */
  #withPieces(frame: WorldFrame): WorldFrame {
    if (!frame.broken?.length) return frame;
    const broken = frame.broken.map((sent) => {
      if (sent.mesh) this.#pieces.set(sent.body, sent);
      return sent.mesh ? sent : (this.#pieces.get(sent.body) ?? sent);
    });
    return { ...frame, broken };
  }

  /** The last frame stays whole for those who look at it; the one before goes back to the worker. */
  #keepLast(frame: WorldFrame): void {
    if (this.#shown) this.recycle(this.#shown);
    else this.#worker.postMessage({ recycle: [] });
    this.#shown = frame;
  }

  /** Says what became of a worker, with the address of its script where it is known. */
  async #explain(worker: Worker, event: ErrorEvent): Promise<void> {
    const text = this.#restart
      ? await explainFailure(this.#restart, event, CURE)
      : `the worker failed: ${event.message || 'its script did not load'}`;
    if (worker === this.#worker) this.#break(text);
  }

  #break(message: string): void {
    const error = new RemoteError({ name: 'WorkerError', message, problems: [] });
    this.#broken = error;
    this.#fail(error);
    for (const listener of this.#listeners.stopped) listener(error, 0);
  }

  #fail(error: RemoteError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function cancelled(): RemoteError {
  return new RemoteError({ name: 'Cancelled', message: 'the scene was not opened: it was cancelled', problems: [] });
}
