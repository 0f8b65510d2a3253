/** Kills real runs at random instants and finishes them: everything must be as if nothing had happened. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { decodeCheckpoint } from '../src/run/checkpoint.js';
import { decodeFrame } from '../src/run/frame-file.js';

const KILLS = Number(process.env.PHYXEL_KILLS ?? 5);
const command = fileURLToPath(new URL('../bin/phyxel.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'phyxel-resume-'));
afterAll(() => rmSync(folder, { recursive: true }));

const scene = join(folder, 'drop.yaml');
writeFileSync(
  scene,
  `phyxel: 1
duration: 1
frameRate: 100
materials: { jelly: { youngsModulus: 4e4, damping: 0.1 } }
bodies:
  - { name: cube, shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [0, 0.15, 0], rotation: [20, 0, 30], material: jelly, particles: 1000 }
  - { name: ball, shape: { sphere: { radius: 0.08 } }, position: [0, 0.45, 0], material: jelly, particles: 300 }
obstacles: [{ name: floor, shape: { plane: {} } }]
events: [{ time: 0.3, body: ball, set: { youngsModulus: 8e4 } }]
probes:
  - { name: cube, body: cube, quantity: position }
  - { name: total, quantity: energy }
`,
);

function phyxel(
  args: string[],
  options: { killAfter?: number; interruptAtFrame?: number } = {},
): Promise<{ code: number | null; err: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let err = '';
    child.stderr.on('data', (text) => {
      err += text;
    });
    let interrupted = false;
    createInterface(child.stdout).on('line', (line) => {
      const { event, frame } = JSON.parse(line);
      if (interrupted || event !== 'frame' || frame !== options.interruptAtFrame) return;
      interrupted = child.kill('SIGINT');
    });
    const timer =
      options.killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), options.killAfter);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, err });
    });
  });
}

function results(out: string) {
  const { status, frames, steps, drift } = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
  const names = readdirSync(join(out, 'frames')).sort();
  const hashes = names.map((name) => decodeFrame(readFileSync(join(out, 'frames', name)), name).stateHash);
  return { status, frames, steps, drift, names, hashes, probes: readFileSync(join(out, 'probes.csv'), 'utf8') };
}

describe('a killed run', () => {
  it(`finishes to the same bits after ${KILLS} kills`, async () => {
    const whole = join(folder, 'whole');
    const started = performance.now();
    expect(await phyxel(['run', scene, '--out', whole, '--checkpoint', '0.03'])).toMatchObject({ code: 0 });
    const duration = performance.now() - started;
    const expected = results(whole);
    expect(expected.frames).toHaveLength(101);

    const out = join(folder, 'killed');
    for (let kill = 0; kill < KILLS; kill++) {
      // Anywhere from the start of the process to its end; now and then a new run instead of a longer one.
      const fresh = kill % 5 === 0;
      await phyxel(['run', scene, '--out', out, '--checkpoint', '0.03', fresh ? '--force' : '--resume'], {
        killAfter: Math.random() * duration,
      });
      if (kill % 5 === 4 || kill === KILLS - 1) {
        expect(await phyxel(['run', scene, '--out', out, '--resume'])).toMatchObject({ code: 0, err: '' });
        expect(results(out)).toEqual(expected);
      }
    }
  });

  it('that is asked to stop has a checkpoint after its last frame', async () => {
    const out = join(folder, 'stopped');
    // Far more frames than can be done before the signal arrives.
    const { code, err } = await phyxel(['run', scene, '--out', out, '--frames', '1000000'], { interruptAtFrame: 20 });
    expect(code).toBe(130);
    expect(err).toContain('stopping;');
    const { status, frames, names } = results(out);
    expect(status).toBe('interrupted');
    expect(frames.length).toBeGreaterThan(20);
    expect(names).toHaveLength(frames.length);
    const { progress } = decodeCheckpoint(readFileSync(join(out, 'checkpoint')));
    expect(progress.records.at(-1)).toMatchObject({ frame: frames.at(-1).frame, stateHash: frames.at(-1).stateHash });
    const more = ['--frames', String(frames.length + 20)];
    expect(await phyxel(['run', scene, '--out', out, '--resume', ...more])).toMatchObject({ code: 0 });
    const whole = join(folder, 'not-stopped');
    expect(await phyxel(['run', scene, '--out', whole, ...more])).toMatchObject({ code: 0 });
    expect(results(out)).toEqual(results(whole));
  });
});
