/** Values on the command line. */
import { InvalidArgumentError } from 'commander';

export function parseThreads(text: string): 'auto' | number {
  if (text === 'auto') return 'auto';
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 1024) {
    throw new InvalidArgumentError('It must be "auto" or a whole number from 1 to 1024.');
  }
  return count;
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 1e9) {
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  }
  return count;
}

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !(seconds >= 0 && seconds <= 1e6)) {
    throw new InvalidArgumentError('It must be a number of seconds, 0 or more.');
  }
  return seconds;
}

/** A factor of a resolution. */
export function parseScale(text: string): number {
  const factor = Number(text);
  if (text.trim() === '' || !(factor >= 0.01 && factor <= 100)) {
    throw new InvalidArgumentError('It must be a number from 0.01 to 100, such as 0.5.');
  }
  return factor;
}

/** Frames "3-12", "3-" or "3". */
export function parseFrames(text: string): { first: number; last: number } {
  const [, first, dash, last] = /^(\d{1,9})(-)?(\d{1,9})?$/.exec(text) ?? [];
  const range = { first: Number(first), last: last !== undefined ? Number(last) : dash ? Infinity : Number(first) };
  if (first === undefined || (!dash && last !== undefined) || range.last < range.first) {
    throw new InvalidArgumentError('It must be a frame or a range of frames, such as 0-120 or 60-.');
  }
  return range;
}

/** How far simplified surfaces may be off, in spacings. */
export function parseTolerance(text: string): number {
  const tolerance = text.trim() === '' ? Number.NaN : Number(text);
  if (tolerance >= 0 && tolerance <= 0.5) return tolerance;
  throw new InvalidArgumentError('It must be a number of spacings from 0 to 0.5.');
}

export function parseRefinement(text: string): number {
  const longest = Number(text);
  if (text.trim() === '' || !(longest >= 0.25 && longest <= 100)) {
    throw new InvalidArgumentError('It must be from 0.25 to 100 spacings.');
  }
  return longest;
}

/** Size of a surface's cells in spacings. */
export function parseCell(text: string): number {
  const cell = Number(text);
  if (text.trim() === '' || !(cell >= 0.1 && cell <= 1.5)) {
    throw new InvalidArgumentError('It must be from 0.1 to 1.5 spacings.');
  }
  return cell;
}
