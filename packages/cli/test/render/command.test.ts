/** Runs the command on small real runs. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { main } from '../../src/main.js';
import { decodePng } from '../../src/render/png.js';

const command = fileURLToPath(new URL('../../bin/phyxel.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'phyxel-render-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SMALL = ['--size', '64x36', '--samples', '2', '--threads', '1'];

function phyxel(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

/** Quicker, for what ends before any thread draws. */
async function inProcess(...args: string[]): Promise<{ code: number; err: string }> {
  let err = '';
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += text;
    return true;
  });
  const code = await main(['node', 'phyxel', ...args]);
  vi.restoreAllMocks();
  return { code, err };
}

const run = join(folder, 'run');

beforeAll(() => {
  writeFileSync(
    join(folder, 'pyramid.obj'),
    'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n',
  );
  writeFileSync(
    join(folder, 'scene.yaml'),
    `phyxel: 1
duration: 0.2
frameRate: 20
bodies:
  - { name: cube, shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [0, 0.15, 0], particles: 200, color: "#33aa55" }
  - { name: peak, kind: rigid, shape: { mesh: { file: pyramid.obj, size: 0.2 } }, position: [0.3, 0.1, 0], particles: 100, look: matte }
  - { name: water, kind: fluid, shape: { box: { size: [0.1, 0.1, 0.1] } }, position: [-0.3, 0.06, 0], spacing: 0.02 }
obstacles:
  - { name: floor, shape: { plane: {} } }
  - { name: post, shape: { cylinder: { radius: 0.03, length: 0.3 } }, position: [0, 0.1, -0.3] }
`,
  );
  const { code, err } = phyxel('run', join(folder, 'scene.yaml'), '--out', run, '--threads', '1');
  if (code !== 0) throw new Error(err);
});

const pictures = (out: string) => readdirSync(out).filter((name) => name.endsWith('.png'));

describe('phyxel render', () => {
  it('draws the same bytes with one thread and with two', () => {
    const [one, two] = ['1', '2'].map((threads) => {
      const out = join(folder, `threads-${threads}`);
      const args = ['--frames', '2:4:2', '--size', '96x54', '--samples', '16', '--threads', threads];
      expect(phyxel('render', run, ...args, '--out', out)).toMatchObject({ code: 0, err: '' });
      expect(pictures(out)).toEqual(['picture-000002.png', 'picture-000004.png']);
      return pictures(out).map((name) => readFileSync(join(out, name)));
    });
    expect(one![0]!.equals(two![0]!)).toBe(true);
    expect(one![1]!.equals(two![1]!)).toBe(true);
    expect(one![0]!.equals(one![1]!)).toBe(false);
    // The green cube is in the picture.
    const { pixels } = decodePng(one![0]!);
    let green = 0;
    for (let i = 0; i < pixels.length; i += 3) if (pixels[i + 1]! > 1.4 * pixels[i]!) green++;
    expect(green).toBeGreaterThan(20);
  });

  it('shows quantities with a legend, particles as balls, and makes a video', () => {
    const out = join(folder, 'speed');
    const video = join(folder, 'speed.apng');
    const args = ['--frames', '0:2', '--color-by', 'speed', '--particles', '--video', video, '--out', out];
    const { code, out: lines } = phyxel('render', run, ...SMALL, ...args);
    expect(code).toBe(0);
    const events = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ event }) => event)).toEqual(['start', 'picture', 'picture', 'picture', 'video', 'done']);
    expect(readFileSync(video).includes('acTL')).toBe(true);
  });

  it('tells how long all pictures will take before it draws the first, and draws drafts of half the size', () => {
    const out = join(folder, 'draft');
    const args = ['--draft', '--frames', '1:2', '--threads', '1', '--out', out];
    const { code, out: lines } = phyxel('render', run, ...args);
    expect(code).toBe(0);
    const events = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ event }) => event)).toEqual(['start', 'estimate', 'picture', 'picture', 'done']);
    expect(events[1]).toMatchObject({ pictures: 2, seconds: expect.any(Number) });
    expect(events[1].seconds).toBeGreaterThan(0);
    const size = (name: string) => decodePng(readFileSync(join(out, name)));
    expect(size('picture-000001.png')).toMatchObject({ width: 640, height: 360 });
    expect(phyxel('render', run, ...args, '--scale', '0.1', '--frames', '1').code).toBe(0);
    expect(size('picture-000001.png')).toMatchObject({ width: 64, height: 36 });
  });

  it('draws the finished frames of a run that was killed, and those of one that has just begun', () => {
    const killed = join(folder, 'killed');
    cpSync(run, killed, { recursive: true });
    for (const frame of [3, 4]) rmSync(join(killed, 'frames', `frame-00000${frame}.phx`));
    writeFileSync(join(killed, 'frames', 'frame-000003.phx.tmp'), 'half a frame');
    rmSync(join(killed, 'run.json'));
    const out = join(folder, 'killed-pictures');
    const meshes = ['--meshes', folder];
    expect(phyxel('render', killed, ...SMALL, ...meshes, '--out', out)).toMatchObject({ code: 0, err: '' });
    expect(pictures(out)).toHaveLength(3);
    rmSync(join(killed, 'frames'), { recursive: true });
    expect(phyxel('render', killed, ...SMALL, ...meshes)).toMatchObject({
      code: 2,
      err: expect.stringContaining('has no finished frame yet'),
    });
  });

  it('keeps finished pictures when it is interrupted, and goes on with --resume', async () => {
    const out = join(folder, 'interrupted');
    const args = ['render', run, '--size', '128x72', '--samples', '8', '--threads', '1', '--out', out];
    const code = await new Promise((resolve) => {
      const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
      child.stdout.once('data', () => child.kill('SIGINT'));
      child.on('close', resolve);
    });
    expect(code).toBe(130);
    const kept = pictures(out);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(5);
    for (const name of kept) decodePng(readFileSync(join(out, name)));
    const { out: lines } = phyxel(...args, '--resume');
    const events = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.filter(({ event, kept: isKept }) => event === 'picture' && isKept)).toHaveLength(kept.length);
    expect(pictures(out)).toHaveLength(5);
  });

  it.each([
    [['nowhere'], 'there is no such run folder'],
    [[command], 'is a file'],
    [[tmpdir()], 'is no run folder'],
    [[run, '--frames', '9'], 'there are no such frames'],
    [[run, '--frames', '4:2'], 'It must be a frame like 12'],
    [[run, '--size', '12'], 'It must be width and height'],
    [[run, '--size', '0x900'], 'each at least 16'],
    [[run, '--size', '9000x9000'], 'at most 33 million'],
    [[run, '--samples', '1000000'], 'It must be at most 65536.'],
    [[run, '--samples', '0'], 'It must be a whole number of at least 1.'],
    [[run, '--scale', '0'], 'It must be a number from 0.01 to 100'],
    [[run, '--scale', '9'], 'more than 33 million pixels'],
    [[run, '--draft', '--final'], 'cannot be had together'],
    [[run, '--camera', '1,2'], 'It must be three numbers'],
    [[run, '--camera', '1,2,x'], 'It must be three numbers'],
    [[run, '--fov', '180'], 'from 1 to 150'],
    [[run, '--view', '0,100'], 'from -90 to 90'],
    [[run, '--color-by', 'taste'], 'they have speed, stress, pressure'],
    [[run, '--range', '0:1'], 'needs --color-by'],
    [[run, '--color-by', 'speed', '--range', '2:1'], 'the second larger'],
    [[run, '--ground', 'grass'], 'grid, plain or none'],
    [[run, '--video', 'film.avi'], 'must end in one of'],
  ])('%j is refused with exit code 2', async (args, message) => {
    const { code, err } = await inProcess('render', ...args);
    expect(err).toContain(message);
    expect(err).not.toContain('    at ');
    expect(code).toBe(2);
    expect(existsSync(join(run, 'pictures'))).toBe(false);
  });

  it('says which mesh is missing or has changed, where the user says that it is', () => {
    const mesh = join(folder, 'pyramid.obj');
    const args = ['render', run, ...SMALL, '--meshes', folder];
    renameSync(mesh, `${mesh}.away`);
    expect(phyxel(...args)).toMatchObject({ code: 2, err: expect.stringContaining('mesh is not there') });
    writeFileSync(mesh, readFileSync(`${mesh}.away`, 'utf8').replace('v 1 0 0', 'v 2 0 0'));
    expect(phyxel(...args)).toMatchObject({ code: 2, err: expect.stringContaining('has changed') });
    renameSync(`${mesh}.away`, mesh);
  });

  it('says which frame is damaged', () => {
    const broken = join(folder, 'broken');
    cpSync(run, broken, { recursive: true });
    const file = join(broken, 'frames', 'frame-000001.phx');
    writeFileSync(file, readFileSync(file).subarray(0, 100));
    const { code, err } = phyxel('render', broken, ...SMALL, '--frames', '1', '--meshes', folder);
    expect(code).toBe(2);
    expect(err).toContain('frame-000001.phx');
  });
});
