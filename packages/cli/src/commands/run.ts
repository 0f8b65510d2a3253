import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Command } from 'commander';
import { type Scene, serializeScene } from 'phyxel';
import { parseCell, parseCount, parseSeconds, parseThreads, parseTolerance } from '../arguments.js';
import { CommandError, EXIT } from '../errors.js';
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
  readonly resume?: true;
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
    .option('--resume', 'go on from the last checkpoint of the run folder')
    .option('--checkpoint <seconds>', 'least time between checkpoints', parseSeconds, 2)
    .option('--surfaces [cell]', 'keep surfaces of liquids, in cells of so many spacings (default: 0.5)', parseCell)
    .option('--tolerance <spacings>', 'fewer triangles where kept surfaces are flat, off by so much', parseTolerance, 0)
    .option('--json', 'progress as lines of JSON, also on a terminal')
    .action(async (path: string, flags: RunFlags) => {
      const { scene, folder } = openScene(path);
      await withLocations(path, () => checkMemory(scene, (file) => readMeshInside(folder, file)));
      const job: RunJob = {
        scene,
        sceneFile: path,
        sceneText: serializeScene(scene),
        sceneFolder: folder,
        out: flags.out ?? join('runs', basename(path).replace(/\.[^.]*$/, '')),
        frames: scene.static ? 1 : (flags.frames ?? frameCount(scene)),
        threads: flags.threads,
        resume: flags.resume ?? false,
        surfaces: finenessOf(flags),
        checkpointInterval: flags.checkpoint,
      };
      const onTerminal = process.stdout.isTTY && !flags.json;
      const progress = onTerminal ? barProgress(process.stdout) : jsonProgress((line) => process.stdout.write(line));
      setExitCode(await runInThread(job, progress));
    });
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

/** Simulates in a thread of its own; the first Ctrl-C stops after the frame, the second at once. */
async function runInThread(job: RunJob, progress: Progress): Promise<number> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(new URL('../run/thread.js', import.meta.url), {
    workerData: { job, stop } satisfies ThreadData,
  });
  const onSignal = () => {
    if (Atomics.add(stop, 0, 1) > 0) process.exit(EXIT.interrupted);
    progress.close();
    const last = job.scene.static ? 'the equilibrium' : 'this frame';
    process.stderr.write(`stopping after ${last}; once more to quit at once\n`);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    return await new Promise<number>((resolve, reject) => {
      thread.on('message', (message: ThreadMessage) => {
        if (message.kind === 'event') progress.show(message.event);
        else if (message.kind === 'end') resolve(message.result === 'finished' ? EXIT.ok : EXIT.interrupted);
        else {
          const { message: text, exitCode, stack } = message.failure;
          reject(Object.assign(new CommandError(text, exitCode), { stack }));
        }
      });
      thread.on('error', reject);
      thread.on('exit', (code) => reject(new CommandError(`the simulation thread ended with code ${code}`)));
    });
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    progress.close();
    await thread.terminate();
  }
}
