import { join } from 'node:path';
import { SingleBar } from 'cli-progress';
import { type Command, InvalidArgumentError } from 'commander';
import pc from 'picocolors';
import { parseCell, parseCount, parseFrames, parseRefinement, parseThreads, parseTolerance } from '../arguments.js';
import { type ExportEvent, exportRun } from '../export/export.js';
import { FORMATS, type FormatName } from '../export/formats.js';

interface ExportFlags {
  readonly format: readonly FormatName[];
  readonly out?: string;
  readonly frames: { readonly first: number; readonly last: number };
  readonly every: number;
  readonly cell?: number;
  readonly tolerance?: number;
  readonly threads: 'auto' | number;
  readonly compress?: true;
  readonly bodiesOnly?: true;
  readonly meshes?: string;
  readonly refine?: number;
  readonly json?: true;
}

export function registerExport(program: Command): void {
  program
    .command('export')
    .description("write a run's finished frames as animated geometry")
    .argument('<run>', 'run folder; it may still be running')
    .requiredOption('--format <list>', `one or more of ${Object.keys(FORMATS).join(', ')}`, parseFormats)
    .option('--out <dir>', 'folder for the files (default: export in the run folder)')
    .option('--frames <first-last>', 'frames to write (default: all)', parseFrames, { first: 0, last: Infinity })
    .option('--every <n>', 'only every n-th of these frames', parseCount, 1)
    .option('--cell <spacings>', 'size of the cells of liquid surfaces (default: as kept, or 0.5)', parseCell)
    .option('--tolerance <spacings>', 'fewer triangles where liquid surfaces are flat, off by so much', parseTolerance)
    .option('--refine <spacings>', 'halve longer edges of mesh files of solids, so that they can bend', parseRefinement)
    .option('--threads <n>', 'threads, or auto', parseThreads, 'auto')
    .option('--compress', 'compress GLB with meshopt; not every program reads it')
    .option('--bodies-only', 'leave out obstacles, camera and lights')
    .option('--meshes <dir>', "folder of the run's scene, for runs that have no copies of its meshes")
    .option('--json', 'progress as lines of JSON, also on a terminal')
    .action(async (run: string, flags: ExportFlags) => {
      const { format: formats, frames, every, cell, tolerance, threads, meshes, refine } = flags;
      const show = process.stdout.isTTY && !flags.json ? bar(process.stdout) : lines;
      const compress = flags.compress ?? false;
      const out = flags.out ?? join(run, 'export');
      const { bodiesOnly } = flags;
      await exportRun(
        { run, meshes, refine, out, formats, ...frames, every, cell, tolerance, threads, compress, bodiesOnly },
        show,
      );
    });
}

function lines(event: ExportEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

function bar(stream: NodeJS.WriteStream): (event: ExportEvent) => void {
  const shown = new SingleBar({ format: '{bar} frame {value}/{total} | {triangles} triangles', stream });
  return (event) => {
    if (event.event === 'start') shown.start(event.frames, 0, { triangles: 0 });
    else if (event.event === 'frame') shown.update(event.done, { triangles: event.triangles });
    else if (event.event === 'warning') stream.write(`${pc.yellow('warning')} ${event.message}\n`);
    else {
      shown.stop();
      stream.write(`${pc.green('done')} ${event.frames} frames in ${event.files} files -> ${event.out}\n`);
    }
  };
}

function parseFormats(text: string): FormatName[] {
  const known = Object.keys(FORMATS) as FormatName[];
  const formats = text.split(',').map((name) => {
    const format = known.find((key) => key === name.trim().toLowerCase());
    if (!format) throw new InvalidArgumentError(`"${name}" is not one of ${known.join(', ')}.`);
    return format;
  });
  return [...new Set(formats)];
}
