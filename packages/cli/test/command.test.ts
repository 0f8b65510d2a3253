import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseScene } from 'phyxel';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { frameCount } from '../src/commands/run.js';
import { describeFailure, describeFileError } from '../src/errors.js';
import { main } from '../src/main.js';
import { checkMemory, estimateParticles, formatBytes } from '../src/memory.js';
import { formatDuration, formatNumber } from '../src/progress.js';
import { openScene, readInside } from '../src/scene-file.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-command-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

async function phyxel(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += text;
    return true;
  });
  const code = await main(['node', 'phyxel', ...args]);
  vi.restoreAllMocks();
  return { code, out, err };
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

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

  it('counts particles from volume and spacing', () => {
    expect(estimateParticles(scene('spacing: 0.1'))).toBe(1000);
    expect(estimateParticles(scene('particles: 123'))).toBe(123);
    expect(estimateParticles(scene('spacing: 0.1, lattice: hcp'))).toBe(1415);
  });

  it('refuses what cannot fit into memory', () => {
    expect(() => checkMemory(scene('spacing: 0.0001'))).toThrow(
      /needs about 900 TB for 10{12} particles.*larger spacing/,
    );
    expect(() => checkMemory(scene('spacing: 0.1'))).not.toThrow();
  });

  it('covers the duration with frames', () => {
    expect(frameCount({ duration: 0.1, frameRate: 30 })).toBe(3);
    expect(frameCount({ duration: 2, frameRate: 30 })).toBe(60);
    expect(frameCount({ duration: 0.05, frameRate: 30 })).toBe(2);
    expect(frameCount({ duration: 1e-9, frameRate: 1 })).toBe(1);
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
