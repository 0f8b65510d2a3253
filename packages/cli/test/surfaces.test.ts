/** Surfaces that a run keeps beside its frames. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LiquidSurfacer, meshClosedness, parseScene, serializeScene } from 'phyxel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { core } from '../src/core.js';
import type { ExportMesh } from '../src/export/geometry.js';
import { RunSource } from '../src/export/source.js';
import { openRun } from '../src/render/run-source.js';
import type { Fineness } from '../src/run/liquid-surface.js';
import { simulate } from '../src/run/simulate.js';
import { decodeSurfaces, encodeSurfaces, prepareSurfaceFiles } from '../src/run/surface-file.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-surfaces-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SPACING = 0.02;
const SCENE = `phyxel: 1
frameRate: 40
duration: 0.1
temperature: 20
bodies:
  - { name: water, kind: fluid, shape: { box: { size: [0.12, 0.16, 0.12] } }, position: [0, 0.09, 0], spacing: ${SPACING} }
  - { name: cube, shape: { box: { size: [0.1, 0.1, 0.1] } }, position: [0.5, 0.06, 0], spacing: 0.03 }
emitters:
  - { name: jet, position: [-0.5, 0.3, 0], rotation: [0, 0, -60], radius: 0.03, speed: 1.5, spacing: ${SPACING}, maxParticles: 200 }
obstacles:
  - { name: floor, shape: { plane: {} } }
`;

/** Runs some frames; with `stopAt` it is interrupted there, and goes on with `resume`. */
async function run(name: string, surfaces: Fineness | undefined, stopAt?: number, resume = false): Promise<string> {
  const out = join(folder, name);
  writeFileSync(join(folder, 'scene.yaml'), SCENE);
  const { scene } = parseScene(SCENE, 'scene.yaml');
  const files = { sceneFile: join(folder, 'scene.yaml'), sceneFolder: folder, out };
  let done = 0;
  await simulate(
    {
      scene,
      sceneText: serializeScene(scene),
      ...files,
      frames: 4,
      threads: 1,
      resume,
      surfaces,
      checkpointInterval: 60,
    },
    core,
    (event) => {
      if (event.event === 'frame') done = event.frame;
    },
    () => done === stopAt,
  );
  return out;
}

const kept = (path: string) => readdirSync(join(path, 'surfaces')).sort();
const bytesOf = (path: string, name: string) => readFileSync(join(path, 'surfaces', name));

let surfacer: LiquidSurfacer;
let plain: string;
let cached: string;
beforeAll(async () => {
  surfacer = await LiquidSurfacer.create({ threads: 1 });
  plain = await run('plain', undefined);
  cached = await run('cached', {});
});
afterAll(() => surfacer.dispose());

/** Coordinates along an axis in their order: no two of them are farther apart than the vertices are. */
const ordered = ({ positions }: Pick<ExportMesh, 'positions'>, axis: number) =>
  positions.filter((_, k) => k % 3 === axis).sort();

describe('surfaces that a run keeps', () => {
  it('are there for every frame, and none without being asked for', () => {
    expect(kept(cached)).toEqual([0, 1, 2, 3, 4].map((n) => `surface-00000${n}.phs`));
    expect(existsSync(join(plain, 'surfaces'))).toBe(false);
  });

  it('change nothing in the run', () => {
    const hashes = (path: string) =>
      JSON.parse(readFileSync(join(path, 'run.json'), 'utf8')).frames.map((f: { stateHash: string }) => f.stateHash);
    expect(hashes(cached)).toEqual(hashes(plain));
  });

  it('are those that are made of the frames, to what 16 bits hold', async () => {
    const [a, b] = [await RunSource.open(plain), await RunSource.open(cached)];
    for (const number of a.frames) {
      const [made, read] = [a.frame(number, surfacer, {}), b.frame(number, surfacer, {})];
      expect(read.meshes.map(({ name }) => name)).toEqual(['water', 'jet', 'cube']);
      for (const k of [0, 1]) {
        const [fresh, stored] = [made.meshes[k]!, read.meshes[k]!];
        const [f, s] = [fresh, stored].map(({ positions, indices }) => meshClosedness(positions, indices)) as [
          ReturnType<typeof meshClosedness>,
          ReturnType<typeof meshClosedness>,
        ];
        expect(s).toMatchObject({ openEdges: 0, nonManifoldEdges: 0, turnedEdges: 0, pieces: f.pieces });
        expect(stored.indices.length).toBe(fresh.indices.length);
        if (f.volume > 0) expect(Math.abs(s.volume / f.volume - 1)).toBeLessThan(1e-4);
        for (const axis of [0, 1, 2]) {
          const there = ordered(stored, axis);
          for (const [v, x] of ordered(fresh, axis).entries())
            expect(Math.abs(x - there[v]!)).toBeLessThan(SPACING / 2000);
        }
        expect(Object.keys(stored.attributes)).toEqual(Object.keys(fresh.attributes));
      }
    }
  });

  it('are used only for what is asked for', async () => {
    const source = await openRun(cached, undefined);
    const frame = source.readFrame(2);
    expect([...source.readSurfaces(frame, {})!.keys()]).toEqual(['water', 'jet']);
    expect(source.readSurfaces(frame, { cell: 0.5, tolerance: 0 })).toBeDefined();
    expect(source.readSurfaces(frame, { cell: 0.4 })).toBeUndefined();
    expect(source.readSurfaces(frame, { tolerance: 0.1 })).toBeUndefined();
    expect(source.readSurfaces({ ...frame, stateHash: 'of another run' }, {})).toBeUndefined();
    expect((await openRun(plain, undefined)).readSurfaces(frame, {})).toBeUndefined();
    const coarse = await openRun(await run('coarse', { cell: 1, tolerance: 0.05 }), undefined);
    expect(coarse.readSurfaces(coarse.readFrame(1), { cell: 1, tolerance: 0.05 })).toBeDefined();
    expect(coarse.readSurfaces(coarse.readFrame(1), { cell: 1, tolerance: 0 })).toBeUndefined();
  });

  it('are the same bytes after an interruption', async () => {
    const broken = await run('broken', {}, 2);
    expect(kept(broken)).toHaveLength(3);
    // As if it had been killed while it wrote, and had come further than its checkpoint.
    writeFileSync(join(broken, 'surfaces', 'surface-000003.phs'), 'half');
    writeFileSync(join(broken, 'surfaces', 'surface-000004.phs.part'), 'less');
    const source = await RunSource.open(broken);
    expect(source.frames).toEqual([0, 1, 2]);
    expect(source.frame(2, surfacer, {}).meshes[0]!.indices.length).toBeGreaterThan(0);
    await run('broken', {}, undefined, true);
    expect(kept(broken)).toEqual(kept(cached));
    for (const name of kept(cached)) expect(Buffer.compare(bytesOf(broken, name), bytesOf(cached, name))).toBe(0);
  });

  it('are made anew where they are damaged or missing', async () => {
    const hurt = await run('hurt', {});
    const number = (n: number) => join(hurt, 'surfaces', `surface-00000${n}.phs`);
    truncateSync(number(1), 300);
    rmSync(number(2));
    writeFileSync(number(3), readFileSync(number(4)));
    const [a, b] = [await RunSource.open(plain), await RunSource.open(hurt)];
    for (const n of [1, 2, 3]) expect(b.frame(n, surfacer, {}).meshes[0]).toEqual(a.frame(n, surfacer, {}).meshes[0]);
  });
});

describe('a file of surfaces', () => {
  it('holds places to a thousandth of a spacing, normals and values to 16 bits', async () => {
    await prepareSurfaceFiles();
    const spacing = 0.01;
    const positions = Float32Array.from({ length: 600 }, (_, k) => 3 + Math.sin(12.9 * k) * 2);
    const temperature = { components: 1, values: Float32Array.from({ length: 200 }, (_, k) => 20 + k) };
    const made = surfacer.surface({ positions: positions, spacing: 0.3, attributes: { temperature } });
    const surfaces = { frame: 7, stateHash: 'abc', cell: 0.5, tolerance: 0 };
    const bytes = encodeSurfaces({ ...surfaces, meshes: [{ ...made, name: 'cloud', spacing }] });
    const { meshes, ...rest } = decodeSurfaces(bytes);
    expect(rest).toEqual(surfaces);
    const [read] = meshes as [(typeof meshes)[number]];
    expect(read).toMatchObject({ name: 'cloud', spacing });
    // Far below what the numbers themselves take.
    const raw =
      made.positions.byteLength + made.normals.byteLength + made.indices.byteLength + (4 * made.positions.length) / 3;
    expect(bytes.length).toBeLessThan(0.4 * raw);
    // Vertices are in another order: each finds its own by its position.
    const cellOf = (p: Float32Array, v: number) => [0, 1, 2].map((k) => Math.round(p[3 * v + k]! / (spacing / 200)));
    const known = new Map<string, number[]>();
    for (let v = 0; v < read.positions.length / 3; v++) {
      const key = cellOf(read.positions, v)
        .map((n) => n >> 2)
        .join();
      known.set(key, [...(known.get(key) ?? []), v]);
    }
    let missing = 0;
    for (let v = 0; v < made.positions.length / 3; v++) {
      const [i, j, k] = cellOf(made.positions, v).map((n) => n >> 2) as [number, number, number];
      const near = [-1, 0, 1].flatMap((a) =>
        [-1, 0, 1].flatMap((b) => [-1, 0, 1].flatMap((c) => known.get([i + a, j + b, k + c].join()) ?? [])),
      );
      const isSame = (w: number) =>
        [0, 1, 2].every((c) => Math.abs(made.positions[3 * v + c]! - read.positions[3 * w + c]!) < spacing / 2000) &&
        [0, 1, 2].every((c) => Math.abs(made.normals[3 * v + c]! - read.normals[3 * w + c]!) < 1e-4) &&
        Math.abs(made.attributes.temperature!.values[v]! - read.attributes.temperature!.values[w]!) < 200 / 65535;
      if (!near.some(isSame)) missing++;
    }
    expect(missing).toBe(0);
  });

  it('may hold an empty surface, or none', async () => {
    await prepareSurfaceFiles();
    const empty = surfacer.surface({ positions: new Float32Array(), spacing: 1 });
    const surfaces = { frame: 0, stateHash: '', cell: 1, tolerance: 0 };
    expect(decodeSurfaces(encodeSurfaces({ ...surfaces, meshes: [] })).meshes).toEqual([]);
    const [read] = decodeSurfaces(
      encodeSurfaces({ ...surfaces, meshes: [{ ...empty, name: 'e', spacing: 1 }] }),
    ).meshes;
    expect(read!.indices).toHaveLength(0);
  });

  it('says what is wrong with it', () => {
    const bytes = encodeSurfaces({ frame: 0, stateHash: '', cell: 1, tolerance: 0, meshes: [] });
    expect(() => decodeSurfaces(bytes.slice(0, 10), 'a.phs')).toThrow('a.phs: is cut off: 10 bytes');
    expect(() => decodeSurfaces(bytes.slice(0, -1))).toThrow('checksum');
    expect(() => decodeSurfaces(new Uint8Array(40))).toThrow('is not a file of surfaces');
    expect(() => decodeSurfaces(Uint8Array.from(bytes, (x, k) => (k === 8 ? 9 : x)))).toThrow('version 9');
  });
});
