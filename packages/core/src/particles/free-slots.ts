import type { BodySamples } from './samples.js';

/** Slots of a body whose particles split and merge, over the particles that it begins with; free ones come after these. */
const GROWTH = 2;
/** Where those are that no particle has at the start: in no region [m]. */
const NOWHERE = 1e30;

/** Leaves slots for particles that others split into. */
export function withFreeSlots(samples: BodySamples): BodySamples {
  const { count } = samples;
  const slots = GROWTH * count;
  const rest = new Float32Array(4 * slots).fill(NOWHERE);
  rest.set(samples.rest);
  for (let i = count; i < slots; i++) rest[4 * i + 3] = samples.rest[3]!;
  const volume = new Float32Array(slots);
  volume.set(samples.volume);
  return { ...samples, count: slots, rest, volume, offset: new Float32Array(), parts: samples.parts ?? [count] };
}

/** Particles that a body begins with, out of all its slots. */
export function withoutFreeSlots({ count, rest, volume, ...samples }: BodySamples): BodySamples {
  const present = count / GROWTH;
  return { ...samples, count: present, rest: rest.subarray(0, 4 * present), volume: volume.subarray(0, present) };
}
