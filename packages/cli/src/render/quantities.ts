/** Numbers that colours can stand for. */
import { CommandError, EXIT } from '../errors.js';
import type { Frame } from '../run/frame-file.js';
import { frameArray } from './run-source.js';

export interface Quantity {
  readonly name: string;
  readonly unit: string;
  /** One number per particle of a frame. */
  values(frame: Frame): Float32Array;
}

const UNITS: Readonly<Record<string, string>> = {
  speed: 'm/s',
  stress: 'Pa',
  pressure: 'Pa',
  density: 'kg/m3',
  temperature: '°C',
};

/** Those that the frames of a run hold: the speed, and every single number per particle. */
function quantitiesOf(frame: Frame): string[] {
  const single = frame.arrays.filter(({ name, components }) => components === 1 && name !== 'present');
  return ['speed', ...single.map(({ name }) => name)];
}

export function findQuantity(name: string, frame: Frame): Quantity {
  const known = quantitiesOf(frame);
  if (!known.includes(name)) {
    throw new CommandError(
      `--color-by ${name}: the frames of this run do not hold it, they have ${known.join(', ')}`,
      EXIT.badInput,
    );
  }
  const unit = UNITS[name] ?? '';
  if (name !== 'speed') return { name, unit, values: (of) => frameArray(of, name)!.values };
  return { name, unit, values: (of) => lengths(frameArray(of, 'velocity')!.values) };
}

function lengths(vectors: Float32Array): Float32Array {
  const out = new Float32Array(vectors.length / 3);
  for (let i = 0; i < out.length; i++) {
    const [x, y, z] = [vectors[3 * i]!, vectors[3 * i + 1]!, vectors[3 * i + 2]!];
    out[i] = Math.sqrt(x * x + y * y + z * z);
  }
  return out;
}
