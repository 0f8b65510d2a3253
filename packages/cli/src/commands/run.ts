import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Command, Option } from 'commander';
import { type Scene, scaleScene, serializeScene } from 'phyxel';
import { parseCell, parseCount, parseScale, parseSeconds, parseThreads, parseTolerance } from '../arguments.js';
import { CommandError, EXIT, SIGNAL_EXIT } from '../errors.js';
import { checkMemory } from '../memory.js';
import { barProgress, jsonProgress, type Progress } from '../progress.js';
import type { Fineness } from '../run/liquid-surface.js';
import type { RunJob } from '../run/simulate.js';
import type { ThreadData, ThreadMessage } from '../run/thread.js';
import { openScene, readMeshInside, withLocations } from '../scene-file.js';

interface RunFlags {
  readonly out?: string;
  readonly threads: 'auto' | number;
  readonly frames?: number;
  readonly scale?: number;
  readonly resume?: true;
  readonly force?: true;
  readonly checkpoint: number;
  readonly surfaces?: true | number;
  readonly tolerance: number;
  readonly json?: true;
}

export function registerRun(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('run')
    .description('simulate a scene and write a run folder')
    .argument('<scene>', 'scene file, JSON or YAML')
    .option('--out <dir>', 'run folder (default: runs/ and the name of the scene file)')
    .option('--threads <n>', 'threads, or auto', parseThreads, 'auto')
    .option('--frames <n>', 'frames to simulate instead of the whole duration; a static scene has one', parseCount)
    .option('--scale <factor>', 'of the resolution: 0.5 has twice the spacing, an eighth of the particles', parseScale)
    .option('--resume', 'go on from the last checkpoint of the run folder')
    .addOption(new Option('--force', 'replace the run that is in the folder').conflicts('resume'))
    .option('--checkpoint <seconds>', 'least time between checkpoints', parseSeconds, 2)
    .option('--surfaces [cell]', 'keep surfaces of liquids, in cells of so many spacings (default: 0.5)', parseCell)
    .option('--tolerance <spacings>', 'fewer triangles where kept surfaces are flat, off by so much', parseTolerance, 0)
    .option('--json', 'progress as lines of JSON, also on a terminal')
    .action(async (path: string, flags: RunFlags) => {
      const out = flags.out ?? join('runs', folderName(path, flags.scale ?? 1));
      const scale = flags.scale ?? (flags.resume ? recordedScale(out) : 1);
      const { scene: original, folder } = openScene(path);
      const scene = scaleScene(original, scale);
      await withLocations(path, () => checkMemory(scene, (file) => readMeshInside(folder, file)));
      const job: RunJob = {
        scene,
        sceneFile: path,
        sceneText: serializeScene(scene),
        sceneFolder: folder,
        scale,
        out,
        frames: scene.static ? 1 : (flags.frames ?? frameCount(scene)),
        threads: flags.threads,
        resume: flags.resume ?? false,
        force: flags.force ?? false,
        surfaces: finenessOf(flags),
        checkpointInterval: flags.checkpoint,
      };
      const onTerminal = process.stdout.isTTY && !flags.json;
      const progress = onTerminal ? barProgress(process.stdout) : jsonProgress((line) => process.stdout.write(line));
      setExitCode(await runInThread(job, progress));
    });
}

const SIGNALS = Object.keys(SIGNAL_EXIT) as (keyof typeof SIGNAL_EXIT)[];

/** That of the scene file; a preview at another resolution has its own folder. */
function folderName(path: string, scale: number): string {
  return `${basename(path).replace(/\.[^.]*$/, '')}${scale === 1 ? '' : `-${scale}x`}`;
}

/** The resolution of the run in a folder: it goes on as it began. */
function recordedScale(out: string): number {
  try {
    const { scale } = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
    return typeof scale === 'number' && scale > 0 ? scale : 1;
  } catch {
    // Nothing to go on with; what is wrong with the folder is told later.
    return 1;
  }
}

/** Of surfaces to keep, if they are. */
function finenessOf({ surfaces, tolerance }: RunFlags): Fineness | undefined {
  if (surfaces === undefined) return undefined;
  return surfaces === true ? { tolerance } : { cell: surfaces, tolerance };
}

/** Frames after frame 0 that cover the duration; of a static scene, the equilibrium. */
export function frameCount(scene: Pick<Scene, 'static' | 'duration' | 'frameRate'>): number {
  if (scene.static) return 1;
  const { duration, frameRate } = scene;
  // Rounding of, say, 0.1 * 30 must not add a frame.
  return Math.max(1, Math.ceil(duration * frameRate - 1e-6));
}

/** A run that has not begun to stop after this time, in a long step or while a scene is read, is left as it is [ms]. */
const PATIENCE = 700;

/**
 * Simulates in a thread of its own. The first signal stops after the step that it is in, with a checkpoint; a step that
 * takes longer is given up, and the last checkpoint counts. The second one quits at once.
 */
async function runInThread(job: RunJob, progress: Progress): Promise<number> {
  const stop = new Int32Array(new SharedArrayBuffer(8));
  const thread = new Worker(new URL('../run/thread.js', import.meta.url), {
    workerData: { job, stop } satisfies ThreadData,
  });
  let isRunning = false;
  let exitCode: number = EXIT.interrupted;
  let timer: NodeJS.Timeout | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    exitCode = SIGNAL_EXIT[signal as keyof typeof SIGNAL_EXIT];
    if (Atomics.add(stop, 0, 1) > 0) process.exit(exitCode);
    // The terminal may be gone, which must not keep the run from its checkpoint.
    for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => {});
    progress.close();
    process.stderr.write('stopping; once more to quit at once\n');
    timer = setTimeout(() => {
      if (Atomics.load(stop, 1) === 1) return;
      const where = isRunning ? 'within a long step' : 'before the first step';
      const cure = isRunning || job.resume ? '; --resume goes on from the last checkpoint' : '';
      process.stderr.write(`stopped ${where}${cure}\n`);
      process.exit(exitCode);
    }, PATIENCE);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await new Promise<number>((resolve, reject) => {
      thread.on('message', (message: ThreadMessage) => {
        if (message.kind === 'event') {
          isRunning = true;
          progress.show(message.event);
        } else if (message.kind === 'end') resolve(message.result === 'finished' ? EXIT.ok : exitCode);
        else {
          const { message: text, exitCode, stack } = message.failure;
          reject(Object.assign(new CommandError(text, exitCode), { stack }));
        }
      });
      thread.on('error', reject);
      thread.on('exit', (code) => reject(new CommandError(`the simulation thread ended with code ${code}`)));
    });
  } finally {
    clearTimeout(timer);
    for (const signal of SIGNALS) process.off(signal, onSignal);
    progress.close();
    await thread.terminate();
  }
}
