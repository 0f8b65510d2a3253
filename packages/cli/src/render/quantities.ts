/** Numbers that colours can stand for. */
import { largestPrincipal, shearRates } from 'phyxel';
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
  principalStress: 'Pa',
  shearRate: '1/s',
  pressure: 'Pa',
  density: 'kg/m3',
  temperature: '°C',
};

/** What follows from tensors that frames hold. */
const OF_TENSORS: Readonly<
  Record<string, { readonly array: string; readonly of: (values: Float32Array) => Float32Array }>
> = {
  principalStress: { array: 'stressTensor', of: largestPrincipal },
  principalStrain: { array: 'strainTensor', of: largestPrincipal },
  shearRate: { array: 'velocityGradient', of: shearRates },
};

/** Those that the frames of a run hold: the speed, every single number per particle, and what follows from tensors. */
function quantitiesOf({ arrays }: Frame): string[] {
  const single = arrays.filter(({ name, components }) => components === 1 && name !== 'present');
  const tensors = Object.keys(OF_TENSORS).filter((key) => arrays.some(({ name }) => name === OF_TENSORS[key]!.array));
  return ['speed', ...single.map(({ name }) => name), ...tensors];
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
  const tensor = OF_TENSORS[name];
  if (tensor) return { name, unit, values: (of) => tensor.of(frameArray(of, tensor.array)!.values) };
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
