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
