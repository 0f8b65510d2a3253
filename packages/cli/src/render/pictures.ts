/** The pictures of a run, one after the other, and what is made of them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { boundsOf, PointSurfacer, Skinner } from 'phyxel';
import { hasFreeSurface, mayMelt } from '../core.js';
import { CommandError, EXIT } from '../errors.js';
import { makeFolder, writeFileAtomic } from '../run/atomic.js';
import type { Frame } from '../run/frame-file.js';
import { digestFile } from '../scene-file.js';
import type { ColorScale } from './actors.js';
import { buildTree } from './bvh.js';
import { Cast } from './cast.js';
import { drawLegend } from './legend.js';
import { openSurfacer } from './liquid.js';
import { encodePng, PngError, readText } from './png.js';
import { findQuantity } from './quantities.js';
import { openRun, type RunSource } from './run-source.js';
import { arrangeView, type StudioOptions } from './studio.js';
import { survey } from './survey.js';
import { DrawingThreads, type Scenery } from './threads.js';
import { chooseSide } from './viewpoint.js';

/** Told in every picture; a change of how things look makes it another number. */
const RENDERER = 4;
/** The same of surfaces made of points. */
const DISCS = 2;
const NOTE = 'phyxel';

export interface RenderJob {
  readonly run: string;
  /** Folder of the pictures. */
  readonly out: string;
  readonly meshes?: string | undefined;
  /** First and last frame and the step between; all finished ones when left out. */
  readonly frames?: FrameRange | undefined;
  readonly studio: Omit<StudioOptions, 'azimuth'> & {
    /** From where least is hidden when left out. */
    readonly azimuth?: number | undefined;
  };
  readonly particles: boolean;
  /** Surfaces made of points: solids as surfels, with 'points' liquids too. */
  readonly surface?: 'surfels' | 'points' | undefined;
  readonly colorBy?: string | undefined;
  /** Values at the ends of the colours; what the frames hold when left out. */
  readonly range?: readonly [number, number] | undefined;
  readonly threads: number;
  /** Pictures that are there already and would be the same are kept. */
  readonly resume: boolean;
}

export interface FrameRange {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

export type RenderEvent =
  | { readonly event: 'start'; readonly scene: string; readonly pictures: number; readonly out: string }
  | { readonly event: 'warning'; readonly message: string }
  /** How long the pictures that are left will take [s], about: by a small one of the first. */
  | { readonly event: 'estimate'; readonly pictures: number; readonly seconds: number }
  | {
      readonly event: 'picture';
      readonly frame: number;
      readonly file: string;
      readonly done: number;
      readonly pictures: number;
      /** Found in place. */
      readonly kept: boolean;
      /** Seconds to go. */
      readonly eta: number;
    };

export interface Pictures {
  readonly files: readonly string[];
  readonly frameRate: number;
}

function pictureName(frame: number): string {
  return `picture-${String(frame).padStart(6, '0')}.png`;
}

/** Draws the pictures that a job asks for; those that are finished stay whatever happens to later ones. */
export async function drawPictures(
  job: RenderJob,
  report: (event: RenderEvent) => void,
  shouldStop: () => boolean,
): Promise<Pictures> {
  const run = await openRun(job.run, job.meshes);
  const wanted = selectFrames(run, job.frames);
  const start = run.readFrame(0);
  const quantity = job.colorBy === undefined ? undefined : findQuantity(job.colorBy, start);
  const { points, held, range, vessels } = survey(run, wanted, quantity);
  const scale = quantity && widen({ quantity, range: job.range ?? range! });
  const azimuth = job.studio.azimuth ?? chooseSide(run, wanted, vessels, job.studio.elevation);
  const studio = { ...job.studio, azimuth };
  const view = arrangeView(studio, points);
  const settings = JSON.stringify([
    RENDERER,
    studio,
    job.particles,
    job.surface ? [job.surface, DISCS] : null,
    job.colorBy,
    scale?.from,
    scale?.to,
    [...points],
  ]);
  makeFolder(job.out);
  report({ event: 'start', scene: run.scene.name, pictures: wanted.length, out: job.out });
  const skinner = await Skinner.create({ threads: 1 });
  const flows = hasFreeSurface(run.scene) || run.scene.bodies.some(mayMelt);
  const surfacer = flows && !job.particles ? await openSurfacer() : undefined;
  const drawing = job.surface && {
    surfacer: await PointSurfacer.create({ threads: 1 }),
    liquids: job.surface === 'points',
  };
  const stage =
    job.studio.ground === 'none'
      ? undefined
      : { bounds: boundsOf(held), eye: view(run.scene, start.time).camera.origin };
  const cast = new Cast(run, start, {
    warn: (message) => report({ event: 'warning', message }),
    particles: job.particles,
    scale,
    vessels,
    surfacer,
    stage,
    skinner,
    points: drawing,
  });
  const scenery = (frame: Frame): Scenery => {
    const geometry = cast.show(frame);
    return { geometry, tree: buildTree(geometry), view: view(run.scene, frame.time) };
  };
  const threads = new DrawingThreads(job.threads);
  const files: string[] = [];
  /** Writes the picture drawn last, while the threads draw the next one. */
  let finish: (() => void) | undefined;
  const flush = () => {
    finish?.();
    finish = undefined;
  };
  try {
    let began = performance.now();
    let drawn = 0;
    /** The next frame's scenery is made while the threads draw this one. */
    let ahead: { readonly frame: Frame; readonly scenery: Scenery } | undefined;
    for (const [k, number] of wanted.entries()) {
      const frame = ahead?.frame.frame === number ? ahead.frame : run.readFrame(number);
      const file = join(job.out, pictureName(number));
      const note = digestFile(Buffer.from(`${settings}${frame.stateHash}`)).slice(0, 32);
      const kept = job.resume && isSame(file, note);
      const tell = () => {
        const perPicture = (performance.now() - began) / 1000 / Math.max(1, drawn);
        const eta = (wanted.length - k - 1) * perPicture;
        report({ event: 'picture', frame: number, file, done: k + 1, pictures: wanted.length, kept, eta });
      };
      files.push(file);
      if (kept) {
        flush();
        tell();
      } else {
        const current = ahead?.frame === frame ? ahead.scenery : scenery(frame);
        if (drawn === 0) {
          const seconds = await threads.estimate(current);
          const pictures = wanted.length - k;
          if (seconds !== undefined) report({ event: 'estimate', pictures, seconds: pictures * seconds });
          began = performance.now();
        }
        const next = wanted[k + 1];
        const picture = await threads.draw(current, () => {
          flush();
          if (next === undefined || job.resume) return;
          const upcoming = run.readFrame(next);
          ahead = { frame: upcoming, scenery: scenery(upcoming) };
        });
        drawn++;
        finish = () => {
          if (scale) drawLegend(picture, { ...scale, name: scale.quantity.name, unit: scale.quantity.unit });
          writeFileAtomic(file, encodePng(picture, { [NOTE]: note }), { durable: false });
          tell();
        };
      }
      if (shouldStop()) break;
    }
    flush();
  } finally {
    await threads.close();
    await surfacer?.dispose();
    await skinner.dispose();
    await drawing?.surfacer.dispose();
  }
  return { files, frameRate: run.scene.static ? 1 : run.scene.frameRate / (job.frames?.step ?? 1) };
}

function selectFrames(run: RunSource, range: FrameRange | undefined): number[] {
  const { first, last, step } = range ?? { first: 0, last: Infinity, step: 1 };
  const wanted = run.frames.filter((frame) => frame >= first && frame <= last && (frame - first) % step === 0);
  if (wanted.length > 0) return wanted;
  const there = `0 to ${run.frames.at(-1)}`;
  throw new CommandError(`--frames: there are no such frames, ${run.path} has ${there}`, EXIT.badInput);
}

/** A scale from one value to the same one would divide by zero. */
function widen({
  quantity,
  range,
}: {
  quantity: ColorScale['quantity'];
  range: readonly [number, number];
}): ColorScale {
  const [from, to] = range;
  if (to > from) return { quantity, from, to };
  return { quantity, from, to: from + (Math.abs(from) * 1e-3 || 1) };
}

function isSame(file: string, note: string): boolean {
  if (!existsSync(file)) return false;
  try {
    return readText(readFileSync(file))[NOTE] === note;
  } catch (error) {
    if (error instanceof PngError) return false;
    throw error;
  }
}
