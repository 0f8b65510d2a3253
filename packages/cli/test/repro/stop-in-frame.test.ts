/** Signals stop real runs in the middle of a frame, with a checkpoint that goes on to the same bits. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const command = fileURLToPath(new URL('../../bin/phyxel.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'phyxel-stop-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** One frame of some 700,000 steps of eight particles: longer than it takes to tell how far it is, on fast machines too. */
const scene = join(folder, 'long.yaml');
writeFileSync(
  scene,
  `phyxel: 1
duration: 1
frameRate: 1
materials: { steel: { youngsModulus: 1.0e+12, damping: 0.1 } }
bodies: [{ name: cube, shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [0, 0.11, 0], spacing: 0.1, material: steel }]
obstacles: [{ name: floor, shape: { plane: {} } }]
probes: [{ name: total, quantity: energy }]
`,
);

/** Runs; a signal it gets at the first event of a kind. */
function phyxel(args: string[], signal?: NodeJS.Signals, at?: string) {
  return new Promise<{ code: number | null; err: string; events: Record<string, unknown>[] }>((resolve) => {
    const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const events: Record<string, unknown>[] = [];
    let err = '';
    child.stderr.on('data', (text) => {
      err += text;
    });
    createInterface(child.stdout).on('line', (line) => {
      events.push(JSON.parse(line));
      if (signal && events.at(-1)!.event === at) child.kill(signal);
    });
    child.on('close', (code) => resolve({ code, err, events }));
  });
}

function results(out: string) {
  const { frames, steps, drift } = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
  return { frames, steps, drift, probes: readFileSync(join(out, 'probes.csv'), 'utf8') };
}

describe('a run within a long frame', () => {
  it('stops by SIGINT, SIGTERM and SIGHUP, says what takes so long, and goes on to the same bits', async () => {
    const whole = join(folder, 'whole');
    expect(await phyxel(['run', scene, '--out', whole])).toMatchObject({ code: 0, err: '' });
    const out = join(folder, 'stopped');
    const times: number[] = [];
    for (const [signal, exitCode, at] of [
      ['SIGINT', 130, 'progress'],
      ['SIGTERM', 143, 'start'],
      ['SIGHUP', 129, 'start'],
    ] as const) {
      const resume = times.length === 0 ? [] : ['--resume'];
      const { code, err, events } = await phyxel(['run', scene, '--out', out, ...resume], signal, at);
      expect({ code, err }).toEqual({ code: exitCode, err: 'stopping; once more to quit at once\n' });
      if (at === 'progress') {
        const told = events.find(({ event }) => event === at)!;
        expect(told).toMatchObject({ frame: 1, frames: 1, limitedBy: 'elastic wave', body: 'cube' });
        const [warning] = events.filter(({ message }) => String(message).includes('steps'));
        expect(warning!.message).toMatch(/a frame takes about \d+ steps, down to \S+ s by elastic wave of "cube"/);
      }
      expect(events.at(-1)).toMatchObject({ event: 'interrupted', frame: 0 });
      const { status, frames } = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
      expect({ status, frames: frames.length }).toEqual({ status: 'interrupted', frames: 1 });
      const log = readFileSync(join(out, 'log.jsonl'), 'utf8').trimEnd().split('\n');
      times.push(JSON.parse(log.at(-1)!).time);
    }
    // Each went on where the one before had stopped.
    expect(times[0]).toBeGreaterThan(0);
    expect(times[1]).toBeGreaterThan(times[0]!);
    expect(times[2]).toBeGreaterThan(times[1]!);
    expect(await phyxel(['run', scene, '--out', out, '--resume'])).toMatchObject({ code: 0, err: '' });
    expect(results(out)).toEqual(results(whole));
  });
});
