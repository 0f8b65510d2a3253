/** A video of pictures: by ffmpeg where it is installed, as an animated PNG otherwise. */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { extname } from 'node:path';
import { CommandError, EXIT } from '../errors.js';
import { writeAll } from '../run/atomic.js';
import { animatePng } from './png.js';

/** Endings that ffmpeg makes here, and how. */
const ENCODERS: Readonly<Record<string, readonly string[]>> = {
  '.mp4': ['-c:v', 'libx264', '-crf', '17', '-preset', 'slow', '-pix_fmt', 'yuv420p', '-movflags', '+faststart'],
  '.mov': ['-c:v', 'libx264', '-crf', '17', '-preset', 'slow', '-pix_fmt', 'yuv420p'],
  '.webm': ['-c:v', 'libvpx-vp9', '-crf', '24', '-b:v', '0', '-pix_fmt', 'yuv420p'],
  '.webp': ['-c:v', 'libwebp', '-quality', '90', '-loop', '0'],
  '.gif': ['-filter_complex', 'split[a][b];[a]palettegen[p];[b][p]paletteuse', '-loop', '0'],
};
const ANIMATED = ['.png', '.apng'];

/** Refuses names that no video can have, before anything is drawn. */
export function checkVideoName(file: string): void {
  const ending = extname(file).toLowerCase();
  if (ending in ENCODERS || ANIMATED.includes(ending)) return;
  const known = [...Object.keys(ENCODERS), ...ANIMATED].join(', ');
  throw new CommandError(`--video ${file}: must end in one of ${known}`, EXIT.badInput);
}

export function hasFfmpeg(): boolean {
  return spawnSync('ffmpeg', ['-version'], { stdio: 'ignore' }).status === 0;
}

/** Writes the video and gives its name, which ends in .png where there is no ffmpeg for it. */
export async function writeVideo(
  file: string,
  pictures: readonly string[],
  frameRate: number,
  { ffmpeg = hasFfmpeg() }: { readonly ffmpeg?: boolean } = {},
): Promise<string> {
  const ending = extname(file).toLowerCase();
  if (ANIMATED.includes(ending)) return writeAnimation(file, pictures, frameRate);
  if (!ffmpeg) return writeAnimation(`${file.slice(0, -ending.length)}.png`, pictures, frameRate);
  await encode(file, ENCODERS[ending]!, pictures, frameRate);
  return file;
}

function writeAnimation(file: string, pictures: readonly string[], frameRate: number): string {
  const temporary = `${file}.tmp`;
  const out = openSync(temporary, 'w');
  try {
    const files = (function* () {
      for (const picture of pictures) yield readFileSync(picture);
    })();
    for (const part of animatePng(files, pictures.length, frameRate)) writeAll(out, Buffer.from(part));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(out);
  }
  renameSync(temporary, file);
  return file;
}

/** Pictures go in through a pipe: their numbers may have gaps. */
async function encode(file: string, encoder: readonly string[], pictures: readonly string[], frameRate: number) {
  const even = encoder.includes('yuv420p') ? ['-vf', 'pad=ceil(iw/2)*2:ceil(ih/2)*2'] : [];
  const options = ['-y', '-loglevel', 'error', '-f', 'image2pipe', '-c:v', 'png', '-framerate', String(frameRate)];
  const child = spawn('ffmpeg', [...options, '-i', '-', ...even, ...encoder, file], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (data: Buffer) => {
    complaint += data.toString();
  });
  // When ffmpeg gives up, its own message is the one to show, not the broken pipe.
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  for (const picture of pictures) {
    if (child.stdin.destroyed) break;
    if (child.stdin.write(readFileSync(picture))) continue;
    await Promise.race([new Promise((resolve) => child.stdin.once('drain', resolve)), ended]);
  }
  child.stdin.end();
  const code = await ended;
  if (code === 0) return;
  const reason = complaint.trim().split('\n').at(-1) ?? '';
  throw new CommandError(`ffmpeg could not write ${file}: ${reason} (the pictures are kept)`, EXIT.failed);
}
