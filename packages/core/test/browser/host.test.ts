import { afterEach, describe, expect, test } from 'vitest';
import { WorldHost } from '../../src/browser/host.js';
import { renameBody } from '../../src/browser/labels.js';
import type { FromWorker, RequestName, Requests, WorldFrame } from '../../src/browser/protocol.js';
import { RemoteError, RemoteWorld } from '../../src/browser/remote-world.js';
import { meshClosedness, weldMap } from '../../src/mesh/index.js';
import type { SceneInput } from '../../src/options/index.js';
import { parseScene, serializeScene } from '../../src/scene/index.js';
import { loadScene } from '../../src/scene/load.js';
import type { Contact } from '../../src/world/pushes.js';

const SCENE = `
phyxel: 1
name: drop
duration: 1
frameRate: 30
bodies:
  - name: cube
    shape: { box: { size: [0.2, 0.2, 0.2] } }
    position: [0, 0.3, 0]
    spacing: 0.05
    material: { youngsModulus: 5.0e+4 }
obstacles: [{ name: floor, shape: { plane: {} } }]
`;

/** A worker without a thread: both sides in this process, with messages copied as real ones are. */
class LocalWorker {
  readonly host: WorldHost;
  readonly #listeners: ((event: { data: FromWorker }) => void)[] = [];

  constructor() {
    this.host = new WorldHost((message, transfer) => {
      const data = structuredClone(message, { transfer });
      setTimeout(() => {
        for (const listener of this.#listeners) listener({ data });
      });
    });
  }

  addEventListener(type: string, listener: (event: { data: FromWorker }) => void): void {
    if (type === 'message') this.#listeners.push(listener);
  }

  postMessage(message: never, transfer: Transferable[] = []): void {
    this.host.receive(structuredClone(message, { transfer }));
  }

  terminate(): void {
    void this.host.dispose();
  }
}

let remote: RemoteWorld;
afterEach(() => remote?.dispose());

function connect(): RemoteWorld {
  remote = new RemoteWorld(new LocalWorker() as unknown as Worker);
  return remote;
}

const open = (world: RemoteWorld, text = SCENE) => world.open({ text, fileName: 'drop.yaml', files: {}, threads: 1 });

/** The next frame for which something holds; its arrays are copied, because the last but one is recycled. */
function frameWhere(world: RemoteWorld, holds: (frame: WorldFrame) => boolean): Promise<WorldFrame> {
  return new Promise((resolve) => {
    const stop = world.on('frame', (frame) => {
      if (!holds(frame)) return;
      stop();
      resolve(structuredClone(frame));
    });
  });
}

async function hashAfter(frames: number): Promise<string> {
  const { scene } = parseScene(SCENE, 'drop.yaml');
  const world = await loadScene(scene, { threads: 1 });
  for (let k = 1; k <= frames; k++) world.stepTo(k / scene.frameRate);
  const hash = world.stateHash();
  await world.dispose();
  return hash;
}

const height = ({ particles }: WorldFrame) => {
  let sum = 0;
  for (let i = 1; i < particles.length; i += 4) sum += particles[i]!;
  return sum / (particles.length / 4);
};

test('a scene that is an object is opened as its text is, and its mistakes are told by their paths', async () => {
  const world = connect();
  const cube = {
    name: 'cube',
    shape: { box: { size: [0.2, 0.2, 0.2] } },
    position: [0, 0.3, 0],
    spacing: 0.05,
    material: { youngsModulus: 5e4 },
  } as const;
  const scene: SceneInput = {
    phyxel: 1,
    name: 'drop',
    duration: 1,
    bodies: [cube],
    obstacles: [{ name: 'floor', shape: { plane: {} } }],
  };
  expect((await world.open({ scene, threads: 1 })).name).toBe('drop');
  await world.step();
  expect(await world.hash()).toBe(await hashAfter(1));
  const wrong = { ...scene, bodies: [{ ...cube, spacing: -1 }] };
  const error: RemoteError = await world.open({ scene: wrong }).catch((caught) => caught);
  expect(error.problems).toEqual([{ path: 'bodies[0].spacing', message: 'must be > 0 m, got -1' }]);
});

describe('a world in a worker', () => {
  test('tells what is in it and shows the first frame', async () => {
    const world = connect();
    const first = frameWhere(world, () => true);
    const description = await open(world);
    expect(description).toMatchObject({
      name: 'drop',
      particles: 64,
      frames: 30,
      quantities: ['speed', 'stress', 'principalStress', 'principalStrain', 'density'],
    });
    expect(description.bodies[0]!.mesh!.weights.length).toBeGreaterThan(0);
    expect(height(await first)).toBeCloseTo(0.3, 5);
  });

  test('points that are bound later follow at once, also where no surface is near', async () => {
    const world = connect();
    // Ten particles across: those around the middle carry nothing of the surface.
    await open(world, SCENE.replace('spacing: 0.05', 'spacing: 0.02'));
    const done = frameWhere(world, ({ frame }) => frame === 3);
    await world.play({ speed: Infinity, until: 3 });
    const before = await done;
    const again = frameWhere(world, ({ frame }) => frame === 3);
    const middle = Float32Array.of(0.003, 0.302, 0.001);
    const mesh = { positions: middle, normals: Float32Array.of(0, 1, 0), indices: new Uint32Array() };
    const bound = await world.bind('cube', mesh);
    const placeIn = ({ affines }: WorldFrame) =>
      [0, 1, 2].map((row) => {
        let sum = 0;
        for (const [n, j] of bound.particles.entries()) {
          const at = 12 * j + 4 * row;
          const [a, b, c, d] = affines.subarray(at, at + 4) as unknown as [number, number, number, number];
          sum += bound.weights[n]! * (a * middle[0]! + b * middle[1]! + c * middle[2]! + d);
        }
        return sum;
      });
    expect(placeIn(before)).toEqual([0, 0, 0]);
    // Nothing has touched the floor yet: everything has fallen alike.
    const fallen = height(before) - 0.3;
    const [x, y, z] = placeIn(await again) as [number, number, number];
    expect(x).toBeCloseTo(middle[0]!, 5);
    expect(y).toBeCloseTo(middle[1]! + fallen, 5);
    expect(z).toBeCloseTo(middle[2]!, 5);
    expect(fallen).toBeLessThan(-0.02);
  });

  test('plays to the same bits as a program that steps the scene', async () => {
    const world = connect();
    await open(world);
    const done = frameWhere(world, ({ frame }) => frame === 10);
    await world.play({ speed: Infinity, until: 10 });
    await done;
    expect(await world.hash()).toBe(await hashAfter(10));
  });

  test('goes back to a cached frame, shows it, and computes on from it to the same bits', async () => {
    const world = connect();
    await open(world);
    const done = frameWhere(world, ({ frame }) => frame === 20);
    await world.play({ speed: Infinity, until: 20 });
    const last = await done;
    const shown = frameWhere(world, ({ frame }) => frame === 5);
    await world.seek(5);
    expect(height(await shown)).toBeGreaterThan(height(last));
    expect((await shown).lastFrame).toBe(20);
    expect(await world.rewind(17)).toBe(17);
    expect(await world.hash()).toBe(await hashAfter(17));
    await world.reset();
    expect(await world.hash()).toBe(await hashAfter(0));
    await world.step();
    expect(await world.hash()).toBe(await hashAfter(1));
  });

  test('lets a body be lifted, and states be saved and loaded', async () => {
    const world = connect();
    await open(world);
    const state = await world.save();
    const grab = world.grab('cube', [0, 0.4, 0]);
    grab.move([0, 1, 0]);
    const lifted = frameWhere(world, ({ frame }) => frame === 20);
    await world.play({ speed: Infinity, until: 20 });
    expect(height(await lifted)).toBeGreaterThan(0.8);
    // A frame in which somebody interfered is not computed again: the state of that very frame is kept.
    expect(await world.rewind(12)).toBe(12);
    await world.load(state);
    expect(await world.hash()).toBe(await hashAfter(0));
  });

  test('changes materials while it runs', async () => {
    const world = connect();
    await open(world);
    await world.setMaterial('cube', { youngsModulus: 1e6 });
    await world.step();
    expect(await world.hash()).not.toBe(await hashAfter(1));
    await expect(world.setMaterial('cube', { youngsModulus: -1 })).rejects.toThrow(/youngsModulus must be > 0 Pa/);
  });

  test.each([
    ['phyxel: 1\nbodies: [{ name: a, shape: { box: { size: [1, -1, 1] } } }]\n', /size/, 2],
    [
      'phyxel: 1\nbodies:\n  - name: a\n    shape: { mesh: { file: a.ply } }\n',
      /"a.ply", which is not there/,
      undefined,
    ],
    [
      'phyxel: 1\nbodies:\n  - { name: a, shape: { box: { size: [1, 1, 1] } }, spacing: 0.2 }\n  - { name: b, shape: { box: { size: [1, 1, 1] } }, spacing: 0.2 }\n',
      /overlap/,
      4,
    ],
    ['{{{', /./, 1],
  ])('says what is wrong with %j and where', async (text, message, line) => {
    const world = connect();
    const error = await open(world, text).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(RemoteError);
    expect((error as RemoteError).message).toMatch(message);
    if (line !== undefined) expect((error as RemoteError).problems[0]?.line).toBe(line);
  });

  test('keeps the scene that is open when another one is refused', async () => {
    const world = connect();
    await open(world);
    await expect(open(world, 'phyxel: 2')).rejects.toThrow();
    await world.step();
    expect(await world.hash()).toBe(await hashAfter(1));
  });

  test('refuses what is no request, and requests before a scene', async () => {
    const world = connect();
    await expect(world.step()).rejects.toThrow('no scene is open');
    const strange = 'fly' as RequestName & keyof Requests;
    const answer = new Promise((resolve) => {
      new WorldHost((message) => resolve(message)).receive({ id: 1, request: strange, argument: 0 });
    });
    expect(await answer).toMatchObject({ id: 1, failure: { message: 'there is no request "fly"' } });
  });
});

test('a body that melts keeps its triangles where it is solid, also under another name', async () => {
  const text = `
phyxel: 1
frameRate: 50
duration: 1
gravity: [0, 0, 0]
temperature: 20
bodies:
  - name: bar
    shape: { box: { size: [0.1, 0.3, 0.1] } }
    spacing: 0.02
    material: { youngsModulus: 1.0e+5, viscosity: 5, thermalConductivity: 0, heatCapacity: 2000, meltingPoint: 60 }
heat: [{ body: bar, region: { box: { min: [-1, 0.05, -1], max: [1, 1, 1] } }, temperature: 90, start: 0.03 }]
`;
  const world = connect();
  const { scene, bodies } = await open(world, text);
  const { mesh, begin } = bodies[0]!;
  const stepTo = async (count: number) => {
    const shown = frameWhere(world, ({ frame }) => frame === count);
    await world.play({ speed: Infinity, until: count });
    return shown;
  };
  const whole = await stepTo(1);
  expect(whole.remains).toEqual([]);
  expect(whole.liquids![0]!.indices).toHaveLength(0);
  await world.relabel(serializeScene(renameBody(scene, 'bar', 'candle')));
  const { remains, liquids, particles } = await stepTo(4);
  expect(remains!.map(({ body }) => body)).toEqual(['candle']);
  const { indices } = remains![0]!;
  expect(indices).toHaveLength(mesh!.indices.length);
  // Triangles stay below the middle, where it is cold, and none have an area above.
  const corners = (t: number) => [0, 1, 2].map((k) => indices[3 * t + k]!);
  const left = Array.from({ length: indices.length / 3 }, (_, t) => corners(t)).filter((v) => new Set(v).size === 3);
  expect(left.length).toBeGreaterThan(indices.length / 3 / 4);
  expect(left.length).toBeLessThan((3 * indices.length) / 3 / 4);
  for (const v of left.flat()) expect(mesh!.positions[3 * v + 1]).toBeLessThan(0.07);
  // The rest has the surface of a liquid, from the top to two neighbourhoods, four spacings, under the mesh.
  const heights = liquids![0]!.positions.filter((_, k) => k % 3 === 1);
  const top = Math.max(...particles.filter((_, k) => k % 4 === 1 && k >= 4 * begin));
  expect(Math.max(...heights)).toBeGreaterThan(top);
  expect(Math.min(...heights)).toBeGreaterThan(0.05 - 7 * 0.02);
});

describe('a scene that is being opened', () => {
  const bodies = ['a', 'b', 'c'].map(
    (name, k) =>
      `  - { name: ${name}, shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [${k}, 0, 0], spacing: 0.1 }`,
  );
  const text = `phyxel: 1\nbodies:\n${bodies.join('\n')}\n`;

  test('tells its steps in order, by name', async () => {
    const world = connect();
    const steps: { step: string; share: number }[] = [];
    world.on('opening', ({ step, share }) => steps.push({ step, share }));
    await open(world, text);
    expect(steps.map(({ step }) => step)).toEqual([
      ...['a', 'b', 'c'].map((name) => `Filling ${name} with particles`),
      ...['a', 'b', 'c'].map((name) => `Binding the surface of ${name}`),
      'Making the first frame',
    ]);
    const shares = steps.map(({ share }) => share);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.every((share) => share >= 0 && share < 1)).toBe(true);
  });

  test('can be cancelled, and what was open stays', async () => {
    const world = connect();
    await open(world);
    await world.step();
    const hash = await world.hash();
    const abort = new AbortController();
    const opening = world.open({ text, fileName: 'many.yaml', files: {}, threads: 1 }, { signal: abort.signal });
    abort.abort();
    await expect(opening).rejects.toMatchObject({ kind: 'Cancelled' });
    expect(world.description!.name).toBe('drop');
    expect(await world.hash()).toBe(hash);
  });
});

test('a scene that is asked for while another one, which was cancelled, is stuck goes to the next worker', async () => {
  /** Says that it is there, and nothing after. */
  class StuckWorker extends LocalWorker {
    override postMessage(): void {}
  }
  const stuck = new StuckWorker();
  remote = new RemoteWorld(stuck as unknown as Worker, () => new LocalWorker() as unknown as Worker);
  stuck.host.receive({ id: 0, request: 'pause' } as never);
  await new Promise((resolve) => setTimeout(resolve, 10));
  const abort = new AbortController();
  const first = remote.open({ text: SCENE, fileName: 'a.yaml', files: {}, threads: 1 }, { signal: abort.signal });
  abort.abort();
  const others = ['second', 'third'].map((name) => open(remote, SCENE.replace('name: drop', `name: ${name}`)));
  await expect(first).rejects.toMatchObject({ kind: 'Cancelled' });
  expect((await Promise.all(others)).map(({ name }) => name)).toEqual(['second', 'third']);
});

describe('names, colours and looks', () => {
  const text = `phyxel: 1
name: drop
bodies:
  - { name: cube, shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [0, 0.3, 0], spacing: 0.05, material: { youngsModulus: 5.0e+4 } }
obstacles: [{ name: floor, shape: { plane: {} } }]
events: [{ time: 0.05, body: cube, set: { damping: 0.3 } }]
`;

  test('change while the simulation goes on to the same bits, back and forth', async () => {
    const steps = async (world: RemoteWorld, count: number) => {
      for (let k = 0; k < count; k++) await world.step();
    };
    const plain = connect();
    await open(plain, text);
    await steps(plain, 6);
    const expected = await plain.hash();
    plain.dispose();
    const world = connect();
    await open(world, text);
    await steps(world, 3);
    const { scene, particles } = world.description!;
    const renamed = renameBody({ ...scene, duration: 5 }, 'cube', 'dice');
    const red = { ...renamed, bodies: renamed.bodies.map((body) => ({ ...body, color: '#ff0000' })) };
    const described = await world.relabel(serializeScene(red));
    expect(described).toMatchObject({ frames: 150, particles, bodies: [{ name: 'dice', color: '#ff0000' }] });
    expect(described.scene.events[0]!.body).toBe('dice');
    expect(described.bodies[0]!.mesh!.positions.length).toBeGreaterThan(0);
    expect(world.frame).toMatchObject({ frame: 3, world: described.id, lastFrame: 3 });
    // By its new name, with a state from before.
    await world.setMaterial('dice', { damping: 0.5 });
    await world.rewind(2);
    await steps(world, 4);
    expect(await world.hash()).toBe(expected);
  });

  test('are all that may change so', async () => {
    const world = connect();
    await open(world, text);
    await expect(world.relabel(text.replace('0.3, 0]', '0.4, 0]'))).rejects.toThrow(/differs in more/);
  });
});

describe('bodies that break', () => {
  const bar = `
phyxel: 1
name: bar
gravity: [0, 0, 0]
frameRate: 50
bodies:
  - name: bar
    shape: { box: { size: [0.4, 0.1, 0.1] } }
    spacing: 0.05
    insideColor: "#ff8800"
    material: { density: 1000, youngsModulus: 1.0e+6, damping: 0.3, tensileStrength: 3.0e+4 }
    regions: [{ region: { box: { min: [-0.03, -1, -1], max: [0.03, 1, 1] } }, set: { tensileStrength: 1.0e+4 } }]
constraints:
  - { body: bar, region: { box: { min: [-1, -1, -1], max: [-0.14, 1, 1] } }, fix: true }
  - { body: bar, region: { box: { min: [0.14, -1, -1], max: [1, 1, 1] } }, move: [{ time: 0, position: [0, 0, 0] }, { time: 0.2, position: [0.02, 0, 0] }] }
`;

  test('are shown as closed meshes, each of which follows its own particles', async () => {
    const world = connect();
    await open(world, bar);
    await world.play({ speed: Infinity, until: 10 });
    const broken = await frameWhere(world, ({ broken }) => broken?.length === 1);
    const { mesh, body } = broken.broken![0]!;
    expect(body).toBe('bar');
    expect(mesh!.insideColor).toBe('#ff8800');
    expect(mesh!.pieceParts.map(({ part }) => part)).toEqual([0, 'inside']);
    // Closed, and no larger than the bar.
    const positions = Float64Array.from(mesh!.positions);
    const { openEdges, volume } = meshClosedness(positions, mesh!.indices, weldMap(positions, 1e-6));
    expect(openEdges).toBe(0);
    expect(volume).toBeCloseTo(0.4 * 0.1 * 0.1, 6);
    // Two sides, which follow particles on their own side.
    const rest = world.description!.restPositions;
    const { neighbors, particles, weights, indices } = mesh!;
    const sideOf = (v: number) => {
      const sides = new Set<boolean>();
      for (let n = neighbors * v; n < neighbors * (v + 1); n++) {
        if (weights[n]! > 0) sides.add(rest[3 * particles[n]!]! > 0);
      }
      return sides;
    };
    for (let c = 0; c < indices.length; c += 3) {
      const sides = [0, 1, 2].flatMap((k) => [...sideOf(indices[c + k]!)]);
      expect(new Set(sides).size).toBe(1);
    }
    // Sent once, and there in every frame.
    const { version } = broken.broken![0]!;
    const last = await frameWhere(world, ({ frame }) => frame === 10);
    expect(last.broken![0]).toMatchObject({ version });
    expect(last.broken![0]!.mesh!.positions).toEqual(mesh!.positions);
    // By its maps a vertex is where its particles have gone: the bar is pulled 2 cm longer.
    const reach = (frame: WorldFrame) => {
      let [low, high] = [Infinity, -Infinity];
      for (let v = 0; 3 * v < mesh!.positions.length; v++) {
        let x = 0;
        for (let n = neighbors * v; n < neighbors * (v + 1); n++) {
          const at = 12 * particles[n]!;
          const m = (k: number) => mesh!.positions[3 * v + k]!;
          const a = (k: number) => frame.affines[at + k]!;
          x += weights[n]! * (a(0) * m(0) + a(1) * m(1) + a(2) * m(2) + a(3));
        }
        [low, high] = [Math.min(low, x), Math.max(high, x)];
      }
      return high - low;
    };
    expect(reach(last)).toBeCloseTo(0.42, 2);
    // Whole again before.
    await world.seek(0);
    expect(world.frame!.broken).toEqual([]);
    await world.seek(10);
    expect(world.frame!.broken![0]!.mesh!.positions.length).toBeGreaterThan(0);
  });
});

test('a page can ask for probes and contacts', async () => {
  const world = connect();
  await open(world);
  expect(await world.contacts()).toEqual([]);
  // It falls for six frames.
  let contact: Contact | undefined;
  for (let k = 0; k < 12 && !contact; k++) {
    await world.step();
    [contact] = await world.contacts();
  }
  expect(contact).toMatchObject({ body: 'cube', other: 'floor', isObstacle: true });
  const force = await world.probe({ name: 'f', quantity: 'contactForce', body: 'cube' });
  expect(force).toEqual(contact!.force);
});
