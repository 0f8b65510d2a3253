import type { Command } from 'commander';
import type { Scene } from 'phyxel';
import pc from 'picocolors';
import { parseThreads } from '../arguments.js';
import { core, type SimulationWorld } from '../core.js';
import { checkMemory, formatBytes } from '../memory.js';
import { formatDuration, formatNumber } from '../progress.js';
import { openScene, readInside, withLocations } from '../scene-file.js';
import { frameCount } from './run.js';

/** What a scene would do. */
export interface CheckReport {
  readonly scene: string;
  readonly bodies: readonly {
    readonly name: string;
    readonly particles: number;
    /** [kg] */
    readonly mass: number;
    /** [m] */
    readonly spacing: number;
    /** Largest relative error of the shape's second moments with particles as points; null when not known [1]. */
    readonly secondMomentError: number | null;
    readonly warnings: readonly string[];
  }[];
  readonly warnings: readonly string[];
  readonly particles: number;
  readonly mass: number;
  /** Mean number of neighbours of a particle. */
  readonly neighbours: number;
  readonly timeStep: number;
  readonly limitedBy: string;
  readonly memoryBytes: number;
  readonly frames: number;
  readonly steps: number;
  readonly threads: number;
  readonly millisecondsPerStep: number;
  readonly wallSeconds: number;
}

/** Steps are timed for about this long [ms]. */
const TIMING = 1000;

export function registerCheck(program: Command): void {
  program
    .command('check')
    .description('validate a scene and say what running it would take')
    .argument('<scene>', 'scene file, JSON or YAML')
    .option('--threads <n>', 'threads, or auto', parseThreads, 'auto')
    .option('--json', 'print JSON')
    .action(async (path: string, flags: { threads: 'auto' | number; json?: true }) => {
      const { scene, folder } = openScene(path);
      checkMemory(scene);
      const world = await withLocations(path, () =>
        core.loadScene(scene, { threads: flags.threads, readFile: (file) => readInside(folder, file) }),
      );
      try {
        const report = examine(scene, world);
        process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : describe(report));
      } finally {
        await world.dispose();
      }
    });
}

function examine(scene: Scene, world: SimulationWorld): CheckReport {
  const { timeStep, limitedBy } = world.stableTimeStep();
  const bodies = world.bodies.map(({ name, begin, end, mass, spacing, warnings, quality }) => ({
    name,
    particles: end - begin,
    mass,
    spacing,
    secondMomentError: quality ? Math.max(...quality.secondMomentError.map(Math.abs)) : null,
    warnings: [...warnings],
  }));
  const frames = frameCount(scene);
  const steps = Math.ceil(frames / scene.frameRate / timeStep);
  const millisecondsPerStep = timeSteps(world, Math.min(timeStep, 1 / scene.frameRate));
  return {
    scene: scene.name,
    bodies,
    warnings: [...world.warnings],
    particles: world.particleCount,
    mass: world.mass,
    neighbours: world.particleCount === 0 ? 0 : world.pairCount / world.particleCount,
    timeStep,
    limitedBy,
    memoryBytes: world.memoryBytes,
    frames,
    steps,
    threads: world.threads,
    millisecondsPerStep,
    wallSeconds: (steps * millisecondsPerStep) / 1000,
  };
}

/** Milliseconds of a step: the first few warm up, the rest are measured. */
function timeSteps(world: SimulationWorld, dt: number): number {
  const start = performance.now();
  world.step(dt);
  world.step(dt);
  const measured = performance.now();
  let steps = 0;
  do steps += world.step(dt).steps;
  while (steps < 1000 && performance.now() - start < TIMING);
  return (performance.now() - measured) / steps;
}

function describe(report: CheckReport): string {
  const lines = [pc.bold(report.scene)];
  for (const { name, particles, mass, spacing, secondMomentError } of report.bodies) {
    const quality =
      secondMomentError === null ? '' : `, second moments of volume within ${formatNumber(100 * secondMomentError)} %`;
    lines.push(
      `body ${name}: ${particles} particles, ${formatNumber(mass)} kg, spacing ${formatNumber(spacing)} m${quality}`,
    );
  }
  lines.push(
    `total: ${report.particles} particles, ${formatNumber(report.mass)} kg, ${formatNumber(report.neighbours)} neighbours each`,
    `time step: ${formatNumber(report.timeStep)} s, limited by ${report.limitedBy}`,
    `memory: ${formatBytes(report.memoryBytes)}`,
    `frames: ${report.frames}, about ${report.steps} steps of ${formatNumber(report.millisecondsPerStep)} ms on ${report.threads} threads`,
    `time: about ${formatDuration(report.wallSeconds)}`,
  );
  for (const warning of report.warnings) lines.push(`${pc.yellow('warning')} ${warning}`);
  return `${lines.join('\n')}\n`;
}
