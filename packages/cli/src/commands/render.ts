import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { Vec3 } from 'phyxel';
import { parseCount, parseScale, parseThreads } from '../arguments.js';
import { CommandError, EXIT } from '../errors.js';
import { drawPictures, type FrameRange, type RenderJob } from '../render/pictures.js';
import { renderProgress } from '../render/progress.js';
import { DEFAULT_VIEW } from '../render/studio.js';
import { checkVideoName, hasFfmpeg, writeVideo } from '../render/video.js';

/** A pixel takes 100 bytes while it is drawn. */
const MOST_PIXELS = 33_000_000;
const MOST_SAMPLES = 65_536;

/** Size and rays: how long a picture takes, and how much grain it has. */
interface Quality {
  readonly size: readonly [number, number];
  /** Most rays per pixel, and the uncertainty at which a pixel needs no more. */
  readonly samples: number;
  readonly noise: number;
}

const DEFAULT: Quality = { size: [DEFAULT_VIEW.width, DEFAULT_VIEW.height], samples: 8, noise: 0.06 };
const DRAFT: Quality = { size: [640, 360], samples: 2, noise: 0 };
const FINAL: Quality = { size: DEFAULT.size, samples: 64, noise: 0.03 };

interface RenderFlags {
  readonly out?: string;
  readonly video?: string;
  readonly frames?: FrameRange;
  readonly draft?: true;
  readonly final?: true;
  readonly size?: readonly [number, number];
  readonly scale: number;
  readonly samples?: number;
  readonly camera?: Vec3;
  readonly target?: Vec3;
  readonly view?: readonly [number, number];
  readonly fov: number;
  readonly colorBy?: string;
  readonly range?: readonly [number, number];
  readonly particles?: true;
  readonly surface?: 'surfels' | 'points';
  readonly ground: 'grid' | 'plain' | 'none';
  readonly meshes?: string;
  readonly threads: 'auto' | number;
  readonly resume?: true;
  readonly json?: true;
}

export function registerRender(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('render')
    .description('draw pictures of a run, finished or not, and a video of them')
    .argument('<run>', 'run folder')
    .option('--out <dir>', 'folder for the pictures (default: pictures in the run folder)')
    .option('--video <file>', 'also a video: .mp4, .webm, .gif, .webp by ffmpeg, or .png, animated')
    .option('--frames <a:b:step>', 'frames to draw: 12, 0:40, 10:, or 0:60:2', parseFrames)
    .option('--draft', 'quick: 640x360 and few rays, for a look at the motion')
    .option('--final', 'beautiful: up to 64 rays per pixel, for keeping')
    .option('--size <WxH>', 'pixels (default: 1280x720)', parseSize)
    .option('--scale <factor>', 'times the size of the picture: 0.5 takes a quarter of the time', parseScale, 1)
    .option('--samples <n>', 'most rays per pixel: more take longer and have less grain (default: 8)', parseSamples)
    .option('--camera <x,y,z>', 'where the camera is [m]', parseVector)
    .option('--target <x,y,z>', 'what it looks at [m]', parseVector)
    .option(
      '--view <azimuth,elevation>',
      'where it looks from without --camera [degrees] (default: 14 up, from where least is hidden)',
      parseAngles,
    )
    .option('--fov <degrees>', 'angle of view from top to bottom', parseAngle, DEFAULT_VIEW.fieldOfView)
    .option('--color-by <quantity>', 'colours for speed, stress, pressure, ..., with a legend')
    .option('--range <a:b>', 'values at the ends of the colours', parseRange)
    .option('--particles', 'show particles as balls instead of surfaces')
    .option('--surface <kind>', 'surfels: solids as discs; points: liquids too', parseSurface)
    .option('--ground <kind>', 'grid, plain or none', parseGround, 'grid')
    .option('--meshes <dir>', "folder of the run's scene, for runs that have no copies of its meshes")
    .option('--threads <n>', 'threads, or auto', parseThreads, 'auto')
    .option('--resume', 'keep pictures that are there and would be the same')
    .option('--json', 'progress as lines of JSON, also on a terminal')
    .action(async (run: string, flags: RenderFlags) => {
      setExitCode(await render(run, flags));
    });
}

async function render(run: string, flags: RenderFlags): Promise<number> {
  if (flags.video !== undefined) checkVideoName(flags.video);
  if (flags.range && flags.colorBy === undefined) {
    throw new CommandError('--range: needs --color-by, whose colours it is for', EXIT.badInput);
  }
  if (flags.draft && flags.final) {
    throw new CommandError('--draft: cannot be had together with --final', EXIT.badInput);
  }
  const quality = flags.draft ? DRAFT : flags.final ? FINAL : DEFAULT;
  const [width, height] = sizeOf(flags.size ?? quality.size, flags.scale);
  const [azimuth, elevation] = flags.view ?? [undefined, DEFAULT_VIEW.elevation];
  const job: RenderJob = {
    run,
    out: flags.out ?? join(run, 'pictures'),
    meshes: flags.meshes,
    frames: flags.frames,
    studio: {
      width,
      height,
      samples: flags.samples ?? quality.samples,
      noise: quality.noise,
      ground: flags.ground,
      position: flags.camera,
      target: flags.target,
      fieldOfView: flags.fov,
      azimuth,
      elevation,
    },
    particles: flags.particles ?? false,
    surface: flags.surface,
    colorBy: flags.colorBy,
    range: flags.range,
    threads: flags.threads === 'auto' ? availableParallelism() : flags.threads,
    resume: flags.resume ?? false,
  };
  const progress = renderProgress(process.stdout, process.stdout.isTTY && !flags.json);
  let stopped = false;
  const onSignal = () => {
    if (stopped) process.exit(EXIT.interrupted);
    stopped = true;
    progress.note('stopping after this picture; once more to quit at once. Finished pictures are kept');
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    const pictures = await drawPictures(
      job,
      (event) => progress.show(event),
      () => stopped,
    );
    if (stopped) return EXIT.interrupted;
    if (flags.video !== undefined) {
      if (!hasFfmpeg()) progress.note('ffmpeg is not installed: the video is an animated PNG');
      progress.video(await writeVideo(flags.video, pictures.files, pictures.frameRate));
    }
    progress.done(job.out, pictures.files.length);
    return EXIT.ok;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    progress.close();
  }
}

function sizeOf(size: readonly [number, number], scale: number): readonly [number, number] {
  const [width, height] = size.map((pixels) => Math.max(16, Math.round(scale * pixels))) as [number, number];
  if (width * height <= MOST_PIXELS) return [width, height];
  throw new CommandError(`--scale: ${width}x${height} are more than 33 million pixels`, EXIT.badInput);
}

function numbers(text: string, count: number, separator: string | RegExp, rule: string): number[] {
  const values = text.split(separator).map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (values.length !== count || !values.every((value) => Number.isFinite(value) && Math.abs(value) <= 1e12)) {
    throw new InvalidArgumentError(rule);
  }
  return values;
}

function parseVector(text: string): Vec3 {
  return numbers(text, 3, ',', 'It must be three numbers like 1,0.5,-2.') as unknown as Vec3;
}

function parseAngles(text: string): readonly [number, number] {
  const rule = 'It must be two angles in degrees like 30,18; the second from -90 to 90.';
  const [azimuth, elevation] = numbers(text, 2, ',', rule) as [number, number];
  if (Math.abs(elevation) > 90) throw new InvalidArgumentError(rule);
  return [azimuth, elevation];
}

function parseAngle(text: string): number {
  const rule = 'It must be a number of degrees from 1 to 150.';
  const [angle] = numbers(text, 1, ',', rule) as [number];
  if (angle < 1 || angle > 150) throw new InvalidArgumentError(rule);
  return angle;
}

function parseRange(text: string): readonly [number, number] {
  const rule = 'It must be two numbers like 0:2.5, the second larger.';
  const [from, to] = numbers(text, 2, ':', rule) as [number, number];
  if (!(to > from)) throw new InvalidArgumentError(rule);
  return [from, to];
}

function parseSize(text: string): readonly [number, number] {
  const rule = 'It must be width and height in pixels like 1280x720, each at least 16, at most 33 million in all.';
  const [width, height] = numbers(text, 2, /x/i, rule) as [number, number];
  const fits = (n: number) => Number.isInteger(n) && n >= 16;
  if (!fits(width) || !fits(height) || width * height > MOST_PIXELS) throw new InvalidArgumentError(rule);
  return [width, height];
}

function parseSamples(text: string): number {
  const count = parseCount(text);
  if (count > MOST_SAMPLES) throw new InvalidArgumentError(`It must be at most ${MOST_SAMPLES}.`);
  return count;
}

function parseFrames(text: string): FrameRange {
  const match = /^(\d+)(?:(:)(\d*)(?::(\d+))?)?$/.exec(text.trim());
  const first = Number(match?.[1]);
  const last = match?.[2] === undefined ? first : match[3] === '' ? Infinity : Number(match[3]);
  const step = Number(match?.[4] ?? 1);
  if (!match || last < first || step < 1) {
    throw new InvalidArgumentError('It must be a frame like 12, or a range like 0:40, 10: or 0:60:2.');
  }
  return { first, last, step };
}

function parseSurface(text: string): 'surfels' | 'points' {
  if (text === 'surfels' || text === 'points') return text;
  throw new InvalidArgumentError('It must be surfels or points.');
}

function parseGround(text: string): RenderFlags['ground'] {
  if (text === 'grid' || text === 'plain' || text === 'none') return text;
  throw new InvalidArgumentError('It must be grid, plain or none.');
}
