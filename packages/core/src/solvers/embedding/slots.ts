/** Slots of viscoplastic bodies for particles that others split into. */
import type { BodySamples } from '../../particles/samples.js';

/** Particles that a body may have over those that it begins with; their positions come after these. */
const GROWTH = 2;
/** Where the positions are that no particle has at the start: in no region. */
export const NOWHERE = 1e30;

/** Leaves slots for particles that others split into. */
export function withFreeSlots(samples: BodySamples): BodySamples {
  const { count } = samples;
  const positions = GROWTH * count;
  const rest = new Float32Array(4 * positions).fill(NOWHERE);
  rest.set(samples.rest);
  for (let i = count; i < positions; i++) rest[4 * i + 3] = samples.rest[3]!;
  const volume = new Float32Array(positions);
  volume.set(samples.volume);
  return { ...samples, count: positions, rest, volume, offset: new Float32Array() };
}

/** Particles that a body begins with, out of all its positions. */
export function withoutFreeSlots({ count, rest, volume, ...samples }: BodySamples): BodySamples {
  const present = count / GROWTH;
  return { ...samples, count: present, rest: rest.subarray(0, 4 * present), volume: volume.subarray(0, present) };
}
