/** Writes the frames of a run in the formats that are asked for. */
import { join } from 'node:path';
import { LiquidSurfacer } from 'phyxel';
import { CommandError, EXIT } from '../errors.js';
import { makeFolder, writeFileAtomic } from '../run/atomic.js';
import type { GltfEncoder } from './compact-buffer.js';
import { FORMATS, type FormatName } from './formats.js';
import { RunSource } from './source.js';

export interface ExportJob {
  readonly run: string;
  /** Folder of the run's scene, when it has moved. */
  readonly meshes?: string | undefined;
  /** Longest edge of mesh files of solids, in spacings; as they are without. */
  readonly refine?: number | undefined;
  readonly out: string;
  readonly formats: readonly FormatName[];
  /** First and last frame, and how many frames on the next one is. */
  readonly first: number;
  readonly last: number;
  readonly every: number;
  /** Size of the cells of liquid surfaces, in spacings; as the run has kept them, or 0.5, when left out. */
  readonly cell?: number | undefined;
  /** How far they may be off where they have fewer triangles, in spacings; as they are without. */
  readonly tolerance?: number | undefined;
  readonly threads: 'auto' | number;
  /** Compress GLB with meshoptimizer. */
  readonly compress: boolean;
  /** Leave out obstacles, camera and lights. */
  readonly bodiesOnly?: boolean | undefined;
}

export type ExportEvent =
  | { readonly event: 'start'; readonly run: string; readonly out: string; readonly frames: number }
  | {
      readonly event: 'frame';
      readonly frame: number;
      /** Frames written, this one included. */
      readonly done: number;
      readonly frames: number;
      readonly triangles: number;
      readonly particles: number;
    }
  | { readonly event: 'warning'; readonly message: string }
  | { readonly event: 'done'; readonly out: string; readonly frames: number; readonly files: number };

export async function exportRun(job: ExportJob, report: (event: ExportEvent) => void): Promise<void> {
  const warn = (message: string) => report({ event: 'warning', message });
  const source = await RunSource.open(job.run, { ...job, warn });
  const frames = source.frames.filter((n) => n >= job.first && n <= job.last && (n - job.first) % job.every === 0);
  if (frames.length === 0) {
    const [first, last] = [source.frames[0], source.frames.at(-1)];
    throw new CommandError(
      `none of the frames asked for is there: ${job.run} has frames ${first} to ${last}`,
      EXIT.badInput,
    );
  }
  makeFolder(job.out);
  let files = 0;
  const write = (name: string, data: Uint8Array | string) => {
    writeFileAtomic(join(job.out, name), data, { durable: false });
    files++;
  };
  const encoder = job.compress ? await gltfEncoder() : undefined;
  const stage = job.bodiesOnly ? undefined : source.stage(frames);
  const { name, frameRate, spacing } = source;
  const making = { name, frameRate, spacing, write, encoder, view: stage?.view };
  const exporters = job.formats.map((format) => FORMATS[format](making));
  const surfacer = await LiquidSurfacer.create({ threads: job.threads });
  try {
    report({ event: 'start', run: job.run, out: job.out, frames: frames.length });
    for (const [k, number] of frames.entries()) {
      const bodies = source.frame(number, surfacer, job);
      const frame = { ...bodies, obstacles: stage?.obstacles(bodies.time) ?? [] };
      for (const exporter of exporters) exporter.add(frame);
      report({
        event: 'frame',
        frame: number,
        done: k + 1,
        frames: frames.length,
        triangles: [...frame.meshes, ...frame.obstacles].reduce((sum, { indices }) => sum + indices.length / 3, 0),
        particles: frame.points.positions.length / 3,
      });
    }
    for (const exporter of exporters) exporter.finish?.();
    report({ event: 'done', out: job.out, frames: frames.length, files });
  } finally {
    await surfacer.dispose();
    await source.dispose();
  }
}

/** Loaded only when it is asked for. */
async function gltfEncoder(): Promise<GltfEncoder> {
  const { MeshoptEncoder } = await import('meshoptimizer');
  await MeshoptEncoder.ready;
  return MeshoptEncoder;
}
