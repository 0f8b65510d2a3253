import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import pc from 'picocolors';
import { describeMachine } from '../bench/machine.js';
import { type BenchResult, measureScene } from '../bench/measure.js';
import { BENCH_SCENES } from '../bench/scenes.js';
import { formatBytes } from '../memory.js';

export function registerBench(program: Command): void {
  program
    .command('bench')
    .description('measure speed, beside the double-precision passes in the same run')
    .option('--full', 'larger scenes too')
    .option('--json', 'print JSON')
    .action(async (flags: { full?: true; json?: true }) => {
      const machine = describeMachine();
      if (!flags.json) {
        const bandwidth = (machine.bandwidth / 1e9).toFixed(1);
        process.stdout.write(
          `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, copies ${bandwidth} GB/s\n\n`,
        );
        process.stdout.write(`${pc.bold(row(HEADINGS))}\n`);
      }
      const results: BenchResult[] = [];
      for (const scene of BENCH_SCENES) {
        if (scene.full && !flags.full) continue;
        const threads = scene.threads.filter((n) => n <= availableParallelism());
        for (const result of await measureScene({ ...scene, threads }, machine)) {
          results.push(result);
          if (!flags.json) process.stdout.write(`${row(cells(result))}\n`);
        }
      }
      if (flags.json) process.stdout.write(`${JSON.stringify({ machine, results }, null, 2)}\n`);
      else process.stdout.write(summary(results));
    });
}

const HEADINGS = [
  'scene',
  'particles',
  'neighbours',
  'threads',
  'ms/step',
  'ns/pair',
  'x f64 twin',
  'x 1 thread',
  'bandwidth',
  'memory',
  'others',
];
const WIDTHS = [22, 9, 10, 7, 8, 7, 10, 10, 9, 8, 24];

function row(texts: readonly string[]): string {
  return texts.map((text, k) => (k === 0 ? text.padEnd(WIDTHS[k]!) : text.padStart(WIDTHS[k]!))).join('  ');
}

function cells(r: BenchResult): string[] {
  const ratio = (x: number | null) => (x === null ? '' : x.toFixed(2));
  return [
    r.scene,
    String(r.particles),
    r.neighbours.toFixed(1),
    String(r.threads),
    r.msPerStep.toFixed(3),
    r.nsPerPair.toFixed(2),
    ratio(r.speedupOverReference),
    ratio(r.speedupOverOneThread),
    `${(100 * r.bandwidthShare).toFixed(0)} %`,
    formatBytes(r.bytesPerParticle),
    r.comparison ? `${r.comparison.milliseconds.toFixed(1)} ms, ${r.comparison.ratio.toFixed(0)} x` : '',
  ];
}

function summary(results: readonly BenchResult[]): string {
  const cubes = results.filter((r) => /^cube \d+$/.test(r.scene) && r.threads === 1);
  const first = cubes[0];
  const last = cubes.at(-1);
  const lines = results
    .filter((r) => r.comparison && r.threads === 1)
    .map((r) => `${r.scene}: ours ${(1000 / r.msPerStep).toFixed(0)} steps/s; ${r.comparison!.source}`);
  if (first && last && first !== last) {
    const growth = last.nsPerPair / first.nsPerPair;
    lines.unshift(
      `cost per pair grows ${growth.toFixed(2)} times from ${first.particles} to ${last.particles} particles`,
    );
  }
  return `\n${lines.join('\n')}\n`;
}
