import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadScene, parseScene } from 'phyxel';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { type CheckReport, examine } from '../src/commands/check.js';
import { frameCount } from '../src/commands/run.js';
import { describeFailure, describeFileError } from '../src/errors.js';
import { bytesPerParticle, checkMemory, estimateParticles, formatBytes } from '../src/memory.js';
import { formatDuration, formatNumber } from '../src/progress.js';
import { openScene, readInside, readMeshInside } from '../src/scene-file.js';
import { phyxel } from './command-line.js';
import { FakeWorld } from './fake-world.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-command-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The corner of a cube, 3 m along each axis. */
const PYRAMID = 'v 0 0 0\nv 3 0 0\nv 0 3 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n';
const GOOD = 'phyxel: 1\nbodies: [{ name: cube, shape: { box: { size: [1, 1, 1] } } }]\n';

describe('the command line', () => {
  it.each([
    [['run'], "missing required argument 'scene'"],
    [['fly'], "unknown command 'fly'"],
    [['run', 'x.yaml', '--frames', '0'], 'It must be a whole number of at least 1.'],
    [['run', 'x.yaml', '--frames', 'many'], 'It must be a whole number of at least 1.'],
    [['run', 'x.yaml', '--threads', '-1'], 'It must be "auto" or a whole number from 1 to 1024.'],
    [['run', 'x.yaml', '--speed', '2'], "unknown option '--speed'"],
    [['run', 'nowhere.yaml'], 'cannot read nowhere.yaml: no such file or folder'],
    [['check', '.'], 'cannot read .: it is a folder'],
    [['check', folder], 'cannot read'],
  ])('%j is refused with exit code 2', async (args, message) => {
    const { code, err } = await phyxel(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(err.trimEnd()).not.toContain('\n    at ');
  });

  it('helps', async () => {
    expect(await phyxel('--help')).toMatchObject({ code: 0, out: expect.stringContaining('run [options] <scene>') });
    expect((await phyxel('--version')).out).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('prints the JSON Schema', async () => {
    const { out } = await phyxel('schema');
    expect(JSON.parse(out).$defs.Material.properties.density).toMatchObject({ default: 1000, exclusiveMinimum: 0 });
  });

  it('writes nothing for bad input and says one line for each problem', async () => {
    const path = write('bad.yaml', 'phyxel: 1\nseed: -1\nbodies: [{ shape: { box: { size: [1, 1, 0] } } }]\n');
    const out = join(folder, 'bad-run');
    const { code, err } = await phyxel('run', path, '--out', out);
    expect(code).toBe(2);
    expect(err.trimEnd().split('\n')).toEqual([
      `${path}:2:7: seed must be from 0 to 4294967295, got -1`,
      `${path}:3:41: bodies[0].shape.box.size[2] must be > 0 m, got 0`,
    ]);
    expect(readdirSync(folder)).not.toContain('bad-run');
    expect((await phyxel('run', path, '--verbose')).err).toContain('    at ');
  });

  it('refuses what is no text', async () => {
    const path = join(folder, 'bytes.yaml');
    writeFileSync(path, Uint8Array.of(0xff, 0xfe, 0x00));
    expect((await phyxel('check', path)).err).toBe(`${path}: is not a text in UTF-8\n`);
  });
});

describe('mesh files of a scene', () => {
  it('must be there, with the line that names them', () => {
    const path = write('mesh.yaml', 'phyxel: 1\nbodies:\n  - shape: { mesh: { file: no.ply } }\n');
    expect(() => openScene(path)).toThrow(
      `${path}:3:28: bodies[0].shape.mesh.file names a file that is not there: no.ply`,
    );
  });

  it('are blamed by the line that names them when they are damaged', async () => {
    write('broken.obj', 'v 0 0 0\nv 1 0 zero\n');
    write('point.obj', 'v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n');
    const box = '{ shape: { box: { size: [1, 1, 1] } }, particles: 100 }';
    const cases = [
      ['bodies:\n  - { shape: { mesh: { file: broken.obj } }, spacing: 0.1 }', '3:30: bodies[0]'],
      [`bodies:\n  - ${box}\n  - { shape: { mesh: { file: broken.obj } }, position: [3, 0, 0] }`, '4:30: bodies[1]'],
      [`bodies: [${box}]\nobstacles:\n  - shape: { mesh: { file: broken.obj } }`, '4:28: obstacles[0]'],
      ['bodies:\n  - { shape: { mesh: { file: point.obj, size: 1 } }, spacing: 0.1 }', '3:30: bodies[0]'],
    ] as const;
    for (const [text, place] of cases) {
      const path = write('broken.yaml', `phyxel: 1\n${text}\n`);
      const { code, err } = await phyxel('check', path);
      expect(code).toBe(2);
      const mesh = text.includes('point') ? 'mesh: has no triangle with an area' : 'broken.obj: line 2: ';
      expect(err).toContain(`${path}:${place}.shape.mesh.file names a mesh that cannot be used: ${mesh}`);
      expect(err.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  it('bring the buffers beside them', async () => {
    const positions = new Float32Array([0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3]);
    const indices = new Uint16Array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]);
    mkdirSync(join(folder, 'meshes'), { recursive: true });
    writeFileSync(
      join(folder, 'meshes', 'a b.bin'),
      Buffer.concat([Buffer.from(positions.buffer), Buffer.from(indices.buffer)]),
    );
    const gltf = {
      asset: { version: '2.0' },
      buffers: [{ uri: 'a%20b.bin', byteLength: 72 }],
      bufferViews: [
        { buffer: 0, byteOffset: 0, byteLength: 48 },
        { buffer: 0, byteOffset: 48, byteLength: 24 },
      ],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3' },
        { bufferView: 1, componentType: 5123, count: 12, type: 'SCALAR' },
      ],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
      nodes: [{ mesh: 0 }],
      scenes: [{ nodes: [0] }],
      scene: 0,
    };
    write('meshes/pyramid.gltf', JSON.stringify(gltf));
    expect((await readMeshInside(folder, 'meshes/pyramid.gltf')).triangles).toHaveLength(12);
  });

  it('must not lead out of the folder through links', async () => {
    mkdirSync(join(folder, 'inner'), { recursive: true });
    write('secret.ply', 'secret');
    symlinkSync(join(folder, 'secret.ply'), join(folder, 'inner', 'link.ply'));
    const path = write('inner/link.yaml', 'phyxel: 1\nbodies: [{ shape: { mesh: { file: link.ply } } }]\n');
    expect(() => openScene(path)).toThrow("must stay inside the scene's folder, link.ply leads out of it");
    await expect(readInside(join(folder, 'inner'), 'link.ply')).rejects.toThrow('leads out of it');
    await expect(readInside(join(folder, 'inner'), '../secret.ply')).rejects.toThrow('leads out of it');
    expect(Buffer.from(await readInside(folder, 'inner/link.ply')).toString()).toBe('secret');
  });
});

describe('what is said before a run', () => {
  const scene = (changes: string) => parseScene(GOOD.replace('} }]', `} , ${changes} }]`), 'x.yaml').scene;

  const noMesh = () => expect.fail('there is no mesh');
  const readMesh = (file: string) => readMeshInside(folder, file);

  it('counts particles from volume and spacing', async () => {
    const count = (changes: string) => estimateParticles(scene(changes).bodies[0]!, noMesh);
    expect(await count('spacing: 0.1')).toBe(1000);
    expect(await count('particles: 123')).toBe(123);
    // Whole layers: 9 x 10 x 11.
    expect(await count('spacing: 0.1, lattice: hcp')).toBe(990);
  });

  it('counts particles of meshes', async () => {
    write('pyramid.obj', PYRAMID);
    const count = (mesh: string) =>
      estimateParticles(
        parseScene(`phyxel: 1\nbodies: [{ shape: { mesh: { ${mesh} } }, spacing: 0.1 }]`, 'x').scene.bodies[0]!,
        readMesh,
      );
    // A corner of a cube of 3 m: 27/6 m3.
    expect(await count('file: pyramid.obj')).toBeCloseTo(4500, -1);
    expect(await count('file: pyramid.obj, size: 6')).toBeCloseTo(36000, -2);
  });

  it.each([
    ['', ''],
    ['jitter: 0.3', ''],
    ['', 'support: 3'],
    ['discretisation: quadratic', ''],
    ['jitter: 0.3', 'discretisation: quadratic'],
    ['lattice: hcp', ''],
    ['', 'integrator: implicit'],
    ['', 'integrator: midpoint, discretisation: quadratic'],
  ])('knows what a particle takes: %j, %j', async (body, solid) => {
    const { scene: cube } = parseScene(
      `phyxel: 1
bodies: [{ shape: { box: { size: [1, 1, 1] } }, spacing: 0.0625, ${body} }]
solver: { solid: { ${solid} } }`,
      'x',
    );
    const world = await loadScene(cube, { threads: 1 });
    if (solid.includes('integrator')) world.step(1e-4);
    // The coarse grid of one body is a few megabytes at the most, which matters only in small worlds like this.
    const grid = solid.includes('integrator') ? 400 : 0;
    const measured = world.memoryBytes / world.particleCount;
    const estimate = bytesPerParticle(cube, cube.bodies[0]!);
    expect(measured).toBeGreaterThan(0.85 * estimate);
    expect(measured).toBeLessThan(1.15 * estimate + grid);
    await world.dispose();
  });

  it('refuses what cannot fit into memory', async () => {
    await expect(checkMemory(scene('spacing: 0.0001'), noMesh, 1e9)).rejects.toThrow(
      /^bodies\[0\]\.spacing gives about 10{12} particles; the scene needs about 980 TB, at most 1.00 GB .* larger spacing$/,
    );
    await checkMemory(scene('spacing: 0.1'), noMesh);
    await expect(checkMemory(scene('particles: 8000000'), noMesh, 1e9)).rejects.toThrow(
      /^bodies\[0\]\.particles gives about 8000000 .*: use fewer particles$/,
    );
  });

  it('says where in the file the memory goes, before anything is sampled', async () => {
    write('pyramid.obj', PYRAMID);
    const path = write(
      'large.yaml',
      `phyxel: 1
bodies:
  - { shape: { box: { size: [1, 1, 1] } }, spacing: 0.02 }
  - { shape: { mesh: { file: pyramid.obj, size: 1 } }, position: [3, 0, 0], spacing: 0.0001 }
  - { shape: { box: { size: [1, 1, 1] } }, position: [6, 0, 0], spacing: 0.001 }
`,
    );
    for (const name of ['check', 'run']) {
      const { code, err } = await phyxel(name, path, ...(name === 'run' ? ['--out', join(folder, 'large')] : []));
      expect(code).toBe(2);
      const lines = err.trimEnd().split('\n');
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(
        new RegExp(`^${path}:4:86: bodies\\[1\\].spacing gives about 16\\d{10} particles, of 16\\d{10} in the scene; `),
      );
      expect(lines[1]).toMatch(new RegExp(`^${path}:5:74: bodies\\[2\\].spacing gives about 1000000000 particles`));
    }
    expect(readdirSync(folder)).not.toContain('large');
  });

  it('measures meshes only where the box around them would not fit', async () => {
    write('pyramid.obj', PYRAMID);
    const { scene: large } = parseScene(
      'phyxel: 1\nbodies: [{ shape: { mesh: { file: pyramid.obj } }, spacing: 0.1 }]',
      'x',
    );
    // 27000 particles would fill the box, 4500 the pyramid.
    await checkMemory(large, readMesh, 30_000 * 945);
    await checkMemory(large, readMesh, 5_000 * 945);
    await expect(checkMemory(large, readMesh, 4_000 * 945)).rejects.toThrow('gives about 4500 particles');
  });

  it('tries the scene out and says what it saw', async () => {
    const path = write(
      'drop.yaml',
      `phyxel: 1
duration: 0.4
materials: { jelly: { youngsModulus: 4e4 } }
bodies: [{ shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [0, 0.15, 0], material: jelly, particles: 200 }]
obstacles: [{ shape: { plane: {} } }]
`,
    );
    const report = JSON.parse((await phyxel('check', path, '--json', '--threads', '1')).out) as CheckReport;
    const { scene: drop } = openScene(path);
    const world = await loadScene(drop, { threads: 1 });
    expect(report.timeStep).toBe(world.stableTimeStep().timeStep);
    expect(report.memoryBytes).toBe(world.memoryBytes);
    for (let k = 1; k <= report.frames; k++) world.stepTo(k / drop.frameRate);
    // The whole scene fits into the trial on any machine that is not very busy.
    const margin = report.trial.seconds >= 0.4 ? 0.05 : 0.5;
    expect(Math.abs(report.steps / world.stepCount - 1)).toBeLessThan(margin);
    await world.dispose();
    expect(report.trial.shortestTimeStep).toBeLessThanOrEqual(report.timeStep);
    expect(report.wallSeconds).toBeCloseTo((report.steps * report.millisecondsPerStep) / 1000, 6);
    expect((await phyxel('check', path)).out).toMatch(
      /frames: 12, about \d+ steps \(time step now \S+ s; shortest seen in a trial of \S+ s: \S+ s\)\nestimated time: /,
    );
  });

  const FINITE = (key: string, value: unknown) => {
    // The second moments of a sampling may be unknown; nothing else is.
    if (value === null && key !== 'secondMomentError') expect.fail(`${key} is null`);
    return value;
  };

  it.each(['implicit', 'midpoint'])('tries %s motion out in steps of a frame', async (integrator) => {
    const path = write(
      'implicit.yaml',
      `phyxel: 1
duration: 0.2
bodies: [{ shape: { box: { size: [0.2, 0.1, 0.1] } }, spacing: 0.025, material: { youngsModulus: 1e8 } }]
constraints: [{ body: body1, region: { box: { min: [-1, -1, -1], max: [-0.05, 1, 1] } }, fix: true }]
solver: { solid: { integrator: ${integrator} } }
`,
    );
    const report = JSON.parse(
      (await phyxel('check', path, '--json', '--threads', '1', '--trial', '60')).out,
      FINITE,
    ) as CheckReport;
    expect(report).toMatchObject({ timeStep: expect.closeTo(1 / 30, 12), limitedBy: 'frame', frames: 6, steps: 6 });
    expect(report.trial).toMatchObject({ steps: 6, shortestTimeStep: expect.closeTo(1 / 30, 6) });
    expect(report.trial.iterations).toBeGreaterThanOrEqual(report.trial.newtonIterations!);
    expect(report.trial.newtonIterations).toBeGreaterThan(0);
    expect(report.warnings).toEqual([]);
    const { out } = await phyxel('check', path, '--threads', '1');
    expect(out).toContain('time step: 0.0333 s, limited by frame\n');
    expect(out).toMatch(/each step: \S+ Newton and \S+ conjugate gradient iterations\nestimated time: /);
    expect(out).not.toMatch(/Infinity|NaN|undefined|null/);
  });

  const SHELF = (spacing: number) => `phyxel: 1
static: true
bodies: [{ shape: { box: { size: [0.4, 0.1, 0.1] } }, spacing: ${spacing} }]
constraints: [{ body: body1, region: { box: { min: [-1, -1, -1], max: [-0.15, 1, 1] } }, fix: true }]
`;

  it('tries an equilibrium out, with fewer particles when there are many', async () => {
    for (const [spacing, particles, tried] of [
      [0.025, 256, 256],
      [0.01, 4000, 4000],
      [0.0083333, 6912, 2048],
    ] as const) {
      const path = write('shelf.yaml', SHELF(spacing));
      const report = JSON.parse((await phyxel('check', path, '--json', '--threads', '1')).out, FINITE) as CheckReport;
      expect(report).toMatchObject({ static: true, timeStep: 0, limitedBy: 'balance', frames: 1, steps: 1, particles });
      expect(report.trial).toMatchObject({ seconds: 0, steps: 1, shortestTimeStep: 0 });
      expect(report.trial.particles / tried).toBeCloseTo(1, 0);
      expect(report.trial.newtonIterations).toBeGreaterThan(0);
      expect(report.wallSeconds).toBeGreaterThan(0);
      expect(report.warnings).toEqual([]);
    }
    const { out } = await phyxel('check', write('shelf.yaml', SHELF(0.025)), '--threads', '1');
    expect(out).toMatch(
      /memory: .*\nequilibrium: \d+ Newton and \d+ conjugate gradient iterations in a trial with 256/,
    );
    expect(out).not.toMatch(/Infinity|NaN|undefined|null|time step/);
  });

  it('warns when the trial finds no equilibrium', async () => {
    const path = write('loose.yaml', SHELF(0.05).replace(/constraints.*\n/, ''));
    const report = JSON.parse((await phyxel('check', path, '--json', '--threads', '1')).out, FINITE) as CheckReport;
    expect(report.warnings.at(-1)).toMatch(/^no equilibrium was found: particle \d+ /);
    expect(report.steps).toBe(1);
  });

  it('tells when the trial breaks down, and warns of each kind once', () => {
    const world = new FakeWorld(0.3, (time) => [`${Math.ceil(100 * time)} contacts found no room`]);
    const { scene: plain } = parseScene(GOOD, 'x.yaml');
    const report = examine(plain, world);
    expect(report.warnings).toHaveLength(3);
    expect(report.warnings[1]).toMatch(/^\d+ contacts found no room$/);
    expect(report.warnings[2]).toMatch(/^the simulation breaks down after 0\.3\d* s: a position is not finite$/);
    expect(report.steps).toBeGreaterThan(report.trial.steps);
    expect(report.wallSeconds).toBeGreaterThan(0);
  });

  it('covers the duration with frames', () => {
    const frames = (duration: number, frameRate: number) => frameCount({ static: false, duration, frameRate });
    expect(frames(0.1, 30)).toBe(3);
    expect(frames(2, 30)).toBe(60);
    expect(frames(0.05, 30)).toBe(2);
    expect(frames(1e-9, 1)).toBe(1);
    expect(frameCount({ static: true, duration: 2, frameRate: 30 })).toBe(1);
  });

  it('writes numbers for people', () => {
    expect([0.000123456, 12.3456, 1e7].map(formatNumber)).toEqual(['1.23e-4', '12.3', '1.00e+7']);
    expect([0.5, 59, 61, 4000, 1e6].map(formatDuration)).toEqual([
      '0.5 s',
      '59 s',
      '1 min 1 s',
      '1 h 6 min',
      '12 days',
    ]);
    expect([0, 999, 1234, 5e9].map(formatBytes)).toEqual(['0 B', '999 B', '1.23 kB', '5.00 GB']);
  });
});

describe('errors', () => {
  it('become one line', () => {
    const full = Object.assign(new Error('x'), { code: 'ENOSPC', path: 'runs/a/checkpoint', syscall: 'write' });
    expect(describeFileError(full)).toBe('cannot write runs/a/checkpoint: the disk is full');
    expect(describeFailure(full)).toMatchObject({ exitCode: 1 });
    expect(describeFailure(new Error('oops'))).toMatchObject({
      exitCode: 1,
      message: 'unexpected error: oops (--verbose shows where)',
    });
    expect(describeFailure('thrown text').message).toBe('unexpected error: thrown text');
    expect(describeFileError(new Error('x'))).toBeUndefined();
  });
});
