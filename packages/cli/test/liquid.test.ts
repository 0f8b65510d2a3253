import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseScene, serializeScene } from 'phyxel';
import { afterAll, describe, expect, it } from 'vitest';
import { type LiquidResult, liquidGrowth, measureLiquids } from '../src/bench/liquid.js';
import { examine, meanParticles } from '../src/commands/check.js';
import { core } from '../src/core.js';
import { bytesPerParticle, checkMemory } from '../src/memory.js';
import { frameFileName } from '../src/run/folder.js';
import { decodeFrame } from '../src/run/frame-file.js';
import { type RunEvent, simulate } from '../src/run/simulate.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-liquid-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A tank with a block on the water, a jet into it, and an outlet at the far end. */
const SCENE = `phyxel: 1
frameRate: 40
duration: 0.25
materials: { water: { density: 1000, viscosity: 0.001 }, wood: { density: 500, youngsModulus: 1e6 } }
bodies:
  - { name: tank, kind: fluid, shape: { box: { size: [0.4, 0.12, 0.2] } }, position: [0, 0.06, 0], material: water, spacing: 0.02 }
  - { name: block, kind: rigid, shape: { box: { size: [0.08, 0.06, 0.08] } }, position: [-0.1, 0.18, 0], material: wood, spacing: 0.02 }
emitters:
  - { name: jet, position: [0.1, 0.2, 0], rotation: [180, 0, 0], radius: 0.02, speed: 1, stop: 0.2, spacing: 0.02, maxParticles: 60, material: water }
sinks: [{ box: { min: [0.15, -1, -1], max: [1, 0.1, 1] } }]
obstacles:
  - { name: floor, shape: { plane: {} } }
  - { name: west, shape: { plane: { normal: [1, 0, 0], offset: -0.2 } } }
  - { name: north, shape: { plane: { normal: [0, 0, 1], offset: -0.1 } } }
  - { name: south, shape: { plane: { normal: [0, 0, -1], offset: -0.1 } } }
`;
const { scene } = parseScene(SCENE, 'tank.yaml');
const noFiles = { threads: 1, readFile: async () => new Uint8Array() } as const;

async function run(out: string, options: { resume?: boolean; stopAt?: number } = {}) {
  const events: RunEvent[] = [];
  const job = {
    scene,
    sceneFile: 'tank.yaml',
    sceneText: serializeScene(scene),
    sceneFolder: folder,
    out: join(folder, out),
    frames: 10,
    threads: 1,
    resume: options.resume ?? false,
    checkpointInterval: 0,
  };
  let frame = -1;
  await simulate(
    job,
    core,
    (event) => {
      events.push(event);
      if (event.event === 'frame') frame = event.frame;
    },
    () => frame === options.stopAt,
  );
  const text = readFileSync(join(job.out, 'run.json'), 'utf8');
  return { events, document: JSON.parse(text), out: job.out };
}

function readFrame(out: string, frame: number) {
  const { arrays, ...header } = decodeFrame(readFileSync(join(out, 'frames', frameFileName(frame))));
  return { ...header, arrays: Object.fromEntries(arrays.map(({ name, values }) => [name, values])) };
}

describe('a run with liquids', () => {
  it('tells which places are taken, how pressures were found and what came and went', async () => {
    const { document, events, out } = await run('whole');
    expect(document.status).toBe('finished');
    for (const record of document.frames) {
      const { arrays, bodies } = readFrame(out, record.frame);
      const taken = arrays.present!.reduce((sum, x) => sum + x, 0);
      const block = bodies.find(({ name }) => name === 'block')!;
      expect(taken).toBe(record.liquidParticles + block.end - block.begin);
      expect(arrays.present!.slice(block.begin, block.end).every((x) => x === 1)).toBe(true);
      expect(arrays.pressure!.every((p, i) => p === 0 || arrays.present![i] === 1)).toBe(true);
    }
    const [first, ...rest] = document.frames;
    expect(first.fluid).toBeUndefined();
    for (const { fluid } of rest) expect(fluid).toMatchObject({ velocityIterations: expect.any(Number) });
    const frames = events.filter((event) => event.event === 'frame');
    expect(frames.map(({ particles }) => particles)).not.toContain(document.particles);
    expect(frames.every(({ pressureIterations }) => pressureIterations! >= 1)).toBe(true);
    expect(document.liquid.removed).toBeGreaterThan(0);
    // A particle has 8 g. What is still there accounts for what came and went.
    const { added, removed } = document.liquid.flow;
    expect(added - removed).toBeCloseTo(0.008 * (rest.at(-1).liquidParticles - first.liquidParticles), 6);
    expect(removed).toBeGreaterThan(0);
    // Masses are rounded to nine digits.
    expect(Math.abs(document.drift.mass)).toBeLessThan(1e-8);
    expect(document.liquid.mostParticles).toBeLessThan(document.particles);
  });

  it('that is interrupted and resumed equals one that is not', async () => {
    const whole = await run('uninterrupted');
    await run('halves', { stopAt: 4 });
    const halves = await run('halves', { resume: true });
    expect(halves.document.frames).toEqual(whole.document.frames);
    expect(halves.document.drift).toEqual(whole.document.drift);
    expect(readFrame(halves.out, 10)).toEqual(readFrame(whole.out, 10));
  });
});

describe('what is said before a run with liquids', () => {
  it('counts sources as what they may become, and tries the scene out', async () => {
    const world = await core.loadScene(scene, noFiles);
    const report = examine(scene, world);
    expect(report.bodies.map(({ name, kind, emitted }) => [name, kind, emitted])).toEqual([
      ['tank', 'fluid', undefined],
      ['block', 'rigid', undefined],
      ['jet', 'fluid', true],
    ]);
    // 20 x 6 x 10 particles less the ones that the sink takes later.
    expect(report.bodies[0]).toMatchObject({ particles: 1200, mass: expect.closeTo(9.6, 5) });
    expect(report.bodies[2]).toMatchObject({ particles: 60, mass: 0 });
    expect(report.neighbours).toBeGreaterThan(10);
    expect(report.trial.liquidParticles).toBeGreaterThan(0);
    expect(report.trial.pressureIterations).toBeGreaterThanOrEqual(1);
    // The grid has a least size, which this small scene feels: 2 x 2^15 cells of 4 bytes.
    const estimate = report.bodies.reduce((sum, { name, particles }) => {
      const body = scene.bodies.find((own) => own.name === name) ?? scene.bodies[0]!;
      return sum + particles * bytesPerParticle(scene, body);
    }, 2 ** 18);
    expect(report.memoryBytes / estimate).toBeGreaterThan(0.75);
    expect(report.memoryBytes / estimate).toBeLessThan(1.25);
    await world.dispose();
  });

  it('foresees how sources fill the world', () => {
    const emitters = scene.emitters.map((emitter) => ({ ...emitter, rate: 1e-3, stop: 0.2, spacing: 0.02 }));
    const bodies = [{ particles: 100 }, { particles: 60, emitted: true }] as unknown as Parameters<
      typeof meanParticles
    >[1]['bodies'];
    // 125 particles a second, 60 at the most; it stops after 25.
    expect(meanParticles({ emitters }, { bodies }, 0, 0.2)).toBeCloseTo(112.5, 6);
    expect(meanParticles({ emitters }, { bodies }, 0.2, 1)).toBeCloseTo(125, 6);
  });

  it('refuses sources that cannot fit into memory', async () => {
    const text = SCENE.replace('maxParticles: 60', 'maxParticles: 8000000');
    const noMesh = () => Promise.reject(new Error('no mesh'));
    await expect(checkMemory(parseScene(text, 'tank.yaml').scene, noMesh, 1e9)).rejects.toThrow(
      'emitters[0].maxParticles gives about 8000000 particles',
    );
  });
});

describe('the liquid benchmark', () => {
  it('times steps, the search for neighbours apart', async () => {
    const dam = { name: 'dam', pressure: 'dfsph', from: 0.01, to: 0.06, threads: [1] } as const;
    const results = await measureLiquids([
      { ...dam, spacing: 0.11, otherMilliseconds: { 1: 10 } },
      { ...dam, spacing: 0.08 },
    ]);
    const [result, larger] = results;
    expect(larger!.particles).toBeGreaterThan(1000);
    expect(larger!.comparison).toBeNull();
    expect(result).toMatchObject({ scene: 'dam', particles: 495, threads: 1, simulatedSeconds: expect.closeTo(0.05) });
    expect(result!.searchMsPerStep).toBeGreaterThan(0);
    expect(result!.searchMsPerStep).toBeLessThan(result!.msPerSimulatedSecond);
    expect(result!.pressureIterationsPerStep).toBeGreaterThanOrEqual(2);
    expect(result!.timeStep * result!.steps).toBeCloseTo(0.05, 9);
    expect(result!.comparison!.ratio).toBeCloseTo(10 / result!.msPerStep, 9);
  });

  it('says how the cost of a particle grows', () => {
    const of = (particles: number, msPerStep: number, threads = 1) => {
      const neighbours = particles === 1000 ? 25 : 30;
      return {
        scene: 'dam',
        particles,
        neighbours,
        threads,
        msPerStep,
        searchMsPerStep: msPerStep / 4,
        pressureIterationsPerStep: particles === 1000 ? 4 : 3,
      } as LiquidResult;
    };
    expect(liquidGrowth([of(1000, 1), of(8000, 12), of(8000, 6, 2)])).toEqual([
      {
        scene: 'dam',
        particles: [1000, 8000],
        perParticle: 1.5,
        neighbours: 1.2,
        iterations: 0.75,
        searchPerParticle: 1.5,
      },
    ]);
    expect(liquidGrowth([of(1000, 1)])).toEqual([]);
  });
});
