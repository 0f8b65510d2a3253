import { afterEach, expect, test, vi } from 'vitest';
import { WorldHost } from '../../src/browser/host.js';
import type { FromWorker, RequestName, ToWorker } from '../../src/browser/protocol.js';
import { RemoteWorld } from '../../src/browser/remote-world.js';
import { parseScene } from '../../src/scene/index.js';
import { loadScene } from '../../src/scene/load.js';
import { SimulationError } from '../../src/solvers/error.js';
import { World } from '../../src/world.js';

/** One frame has some ten thousand steps, so that it takes seconds. */
const SCENE = `
phyxel: 1
name: long
duration: 4
frameRate: 1
bodies:
  - name: cube
    shape: { box: { size: [0.2, 0.2, 0.2] } }
    position: [0, 0.3, 0]
    spacing: 0.034
    material: { youngsModulus: 3.0e+8, damping: 0.2 }
obstacles: [{ name: floor, shape: { plane: {} } }]
`;

/** A host and everything that it says, in order. */
class Talk {
  readonly said: FromWorker[] = [];
  readonly host: WorldHost;
  readonly #wake = new Set<() => void>();
  #next = 1;

  constructor() {
    this.host = new WorldHost((message) => {
      this.said.push(message);
      if ('event' in message && message.event === 'frame') this.host.receive({ recycle: [] });
      for (const wake of this.#wake) wake();
    });
  }

  /** What is said next that fits. */
  heard<T>(find: (message: FromWorker) => T | undefined, from = this.said.length): Promise<T> {
    return new Promise((resolve) => {
      const look = () => {
        for (const message of this.said.slice(from)) {
          const found = find(message);
          if (found === undefined) continue;
          this.#wake.delete(look);
          resolve(found);
          return;
        }
      };
      this.#wake.add(look);
      look();
    });
  }

  ask(request: RequestName, argument?: unknown): Promise<unknown> {
    const id = this.#next++;
    const answer = this.heard((message) => {
      if (!('id' in message) || message.id !== id || 'begun' in message) return undefined;
      return { value: 'answer' in message ? message.answer : message.failure };
    });
    this.host.receive({ id, request, argument });
    return answer.then(({ value }) => value);
  }

  progress(): Promise<number> {
    return this.heard((message) => ('event' in message && message.event === 'progress' ? message.share : undefined));
  }

  get frames(): number {
    return this.said.filter((message) => 'event' in message && message.event === 'frame').length;
  }
}

let talk: Talk;
afterEach(() => talk?.host.dispose());

async function open(text = SCENE): Promise<Talk> {
  talk = new Talk();
  await talk.ask('open', { text, fileName: 'long.yaml', files: {}, threads: 1 });
  return talk;
}

/** Of the frame as it is without an interruption. */
const expectedHash = once(async () => {
  const { scene } = parseScene(SCENE, 'long.yaml');
  const world = await loadScene(scene, { threads: 1 });
  world.stepTo(1);
  const hash = world.stateHash();
  await world.dispose();
  return hash;
});

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

test('a frame that is interrupted goes on to the same bits', async () => {
  await open();
  void talk.ask('play', { speed: Infinity, until: 1 });
  await talk.progress();
  const heard = talk.said.length;
  await talk.ask('pause');
  // After the slice that was under way, hundreds of which make the frame.
  const slices = talk.said.slice(heard).filter((message) => 'event' in message && message.event === 'progress');
  expect(slices.length).toBeLessThanOrEqual(1);
  expect(talk.frames).toBe(1);
  // Once more, by other requests.
  void talk.ask('step');
  await talk.progress();
  await talk.ask('setQuantity', 'stress');
  await talk.heard((message) =>
    'event' in message && message.event === 'frame' && message.frame.frame === 1 ? true : undefined,
  );
  expect(await talk.ask('hash')).toBe(await expectedHash());
});

test('shares of a long frame rise from 0 to 1', async () => {
  await open();
  await talk.ask('step');
  const shares = talk.said.flatMap((message) =>
    'event' in message && message.event === 'progress' ? message.share : [],
  );
  expect(shares.length).toBeGreaterThan(2);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
  expect(shares[0]).toBeGreaterThan(0);
  expect(shares.at(-1)).toBeLessThanOrEqual(1);
  const told = talk.said.flatMap((message) =>
    'event' in message && message.event === 'warning' ? message.message : [],
  );
  expect(told.filter((message) => /a frame takes about \d+ steps, .* of "cube"/.test(message))).toHaveLength(1);
});

test('who asks for the state gets that of a whole frame', async () => {
  await open();
  void talk.ask('play', { speed: Infinity, until: 1 });
  await talk.progress();
  await talk.ask('pause');
  expect(await talk.ask('hash')).toBe(await expectedHash());
});

test('another scene is opened in the middle of a frame, and what was begun is forgotten', async () => {
  await open();
  void talk.ask('play', { speed: Infinity });
  await talk.progress();
  await talk.ask('open', { text: SCENE, fileName: 'long.yaml', files: {}, threads: 1 });
  await talk.ask('step');
  expect(await talk.ask('hash')).toBe(await expectedHash());
});

test('a material that is changed within a frame counts from there on', async () => {
  await open();
  void talk.ask('play', { speed: Infinity, until: 1 });
  await talk.progress();
  await talk.ask('setMaterial', { body: 'cube', set: { youngsModulus: 1e5 } });
  await talk.heard((message) =>
    'event' in message && message.event === 'frame' && message.frame.frame === 1 ? true : undefined,
  );
  expect(await talk.ask('hash')).not.toBe(await expectedHash());
});

test('a simulation that breaks down stops at its last good frame, from which it goes on', async () => {
  await open(SCENE.replace('frameRate: 1', 'frameRate: 100'));
  for (let k = 0; k < 3; k++) await talk.ask('step');
  const good = await talk.ask('hash');
  const steps = vi.spyOn(World.prototype, 'stepsTo').mockImplementation(function* () {
    yield 0.031;
    throw new SimulationError(7, 'computeForces', 0.031, 'speed');
  });
  void talk.ask('play', { speed: Infinity });
  const { failure, lastGoodFrame } = await talk.heard((message) =>
    'event' in message && message.event === 'stopped' ? message : undefined,
  );
  expect(failure.message).toMatch(/particle 7 .*computeForces.*0\.031/);
  expect(lastGoodFrame).toBe(3);
  steps.mockRestore();
  expect(await talk.ask('rewind', 3)).toBe(3);
  expect(await talk.ask('hash')).toBe(good);
  await talk.ask('step');
  expect(
    talk.said.some((message) => 'event' in message && message.event === 'frame' && message.frame.frame === 4),
  ).toBe(true);
});

/** A worker that opens its first scene and says nothing any more. */
class StuckWorker {
  static started = 0;
  readonly #listeners: ((event: { data: FromWorker }) => void)[] = [];
  readonly #number = StuckWorker.started++;
  isGone = false;
  #opened = 0;

  addEventListener(type: string, listener: (event: { data: FromWorker }) => void): void {
    if (type === 'message') this.#listeners.push(listener);
  }

  postMessage(message: ToWorker): void {
    if (!('id' in message) || (this.#number === 0 && this.#opened > 0)) return;
    if (message.request === 'open') this.#opened++;
    setTimeout(() => {
      for (const listener of this.#listeners) listener({ data: { id: message.id, answer: { name: this.#number } } });
    });
  }

  terminate(): void {
    this.isGone = true;
  }
}

test('a worker that does not answer is given up for another one when a scene is opened', async () => {
  const workers: StuckWorker[] = [];
  const start = () => {
    workers.push(new StuckWorker());
    return workers.at(-1) as unknown as Worker;
  };
  const world = new RemoteWorld(start(), start);
  const request = { text: SCENE, fileName: 'long.yaml', files: {} };
  expect((await world.open(request)).name).toBe(0);
  world.setQuantity('speed').catch(() => {});
  const step = world.step();
  step.catch(() => {});
  expect((await world.open(request)).name).toBe(1);
  await expect(step).rejects.toThrow(/another scene/);
  expect(workers.map(({ isGone }) => isGone)).toEqual([true, false]);
});
