import type { BodyRange } from '../../particles/body-range.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';

const ITERATIONS = 32;
/** Power iteration comes from below; this covers what is left. */
const MARGIN = 1.05;
/** Viscosity is measured over times so much shorter than those of vibrations. */
const HASTE = 1e3;

/** A fixed pseudo-random number in [-1, 1] for every integer. */
function scatter(n: number): number {
  let h = Math.imul(n ^ 0x9e3779b9, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 31 - 1;
}

/** How fast the fastest motion of a body at rest is. */
export interface Fastest {
  /** Squared frequency of its fastest vibration [1/s2]. */
  readonly frequency: number;
  /** Rate at which viscosity alone slows what it slows most [1/s]. */
  readonly viscosity: number;
}

/**
 * The fastest motions of each body at rest, by power iteration on the passes themselves: whatever
 * discretisation, sampling and material there is, this is what the time step meets. Vibration and viscosity apart: what
 * vibrates fastest is seen by the stabilisation, and viscosity acts on strain. Leaves the displacements and
 * accelerations zero.
 */
export function fastestMotions(store: ParticleStore, ranges: readonly BodyRange[]): Fastest[] {
  const gravity = ranges.map((_, b) => {
    const own = store.bodyFloats(b).subarray(layout.BODY_GRAVITY / 4, layout.BODY_GRAVITY / 4 + 3);
    const kept = Float32Array.from(own);
    own.fill(0);
    return kept;
  });
  const constraints = store.integers(layout.CONSTRAINT_OF, store.count);
  const keptConstraints = Uint32Array.from(constraints);
  constraints.fill(0);
  store.setFloat(layout.LATE_KICK, 0);
  store.setInteger(layout.CONTACT_ACTIVE, 0);
  store.setInteger(layout.KEEP_STRAIN, 0);
  const external = store.address(layout.EXTERNAL_FORCE);
  store.setInteger(layout.EXTERNAL_FORCE, 0);
  store.floats(layout.STRAIN, 8 * store.count).fill(0);

  const frequencies = largestEigenvalues(store, ranges, 0);
  const fastest = frequencies.map((frequency) => ({ frequency: MARGIN * frequency, viscosity: 0 }));
  // With the strains of a moment ago zero, and that moment so short that elastic forces do not count.
  const rate = HASTE * Math.sqrt(frequencies.reduce((a, b) => Math.max(a, b), 0));
  // Where nothing is elastic, as in a body of one particle, nothing is viscous.
  if (rate > 0 && ranges.some((_, b) => store.bodyIntegers(b)[layout.BODY_VISCOUS / 4] !== 0)) {
    for (const [b, total] of largestEigenvalues(store, ranges, rate).entries()) {
      fastest[b]!.viscosity = (MARGIN * total) / rate;
    }
  }

  store.vectors(layout.DISPLACEMENT).fill(0);
  store.vectors(layout.ACCELERATION).fill(0);
  store.setInteger(layout.KEEP_STRAIN, 1);
  store.setFloat(layout.STRAIN_RATE, 0);
  store.setInteger(layout.EXTERNAL_FORCE, external);
  constraints.set(keptConstraints);
  for (const [b, kept] of gravity.entries()) store.bodyFloats(b).set(kept, layout.BODY_GRAVITY / 4);
  return fastest;
}

/** Largest eigenvalues of stiffness plus `strainRate` times viscosity, over mass [1/s2], by body. */
function largestEigenvalues(store: ParticleStore, ranges: readonly BodyRange[], strainRate: number): number[] {
  const u = store.vectors(layout.DISPLACEMENT);
  const a = store.vectors(layout.ACCELERATION);
  const rest = store.vectors(layout.REST);
  store.setFloat(layout.STRAIN_RATE, strainRate);
  // Small against the spacing, so that the response is linear.
  const amplitudes = ranges.map(({ begin }) => 1e-4 * rest[4 * begin + 3]!);
  for (const [b, { begin, end }] of ranges.entries()) {
    for (let i = begin; i < end; i++) {
      for (let axis = 0; axis < 3; axis++) u[4 * i + axis] = amplitudes[b]! * scatter(3 * i + axis);
    }
  }
  const eigenvalues = ranges.map(() => 0);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    store.computeStresses();
    store.computeForces();
    for (const [b, { begin, end }] of ranges.entries()) {
      const before = squareSum(u, 4 * begin, 4 * end);
      const after = squareSum(a, 4 * begin, 4 * end);
      // What is beyond float32 is not a number, and stays that.
      eigenvalues[b] = before === 0 ? 0 : Math.sqrt(after / before);
      const largest = largestOf(a, 4 * begin, 4 * end);
      copyScaled(a, u, largest > 0 ? amplitudes[b]! / largest : 0, 4 * begin, 4 * end);
    }
  }
  return eigenvalues;
}

// Loops of their own, which are compiled after a few calls instead of in the midst of a long one.

function squareSum(v: Float32Array, begin: number, end: number): number {
  let sum = 0;
  for (let k = begin; k < end; k++) sum += v[k]! * v[k]!;
  return sum;
}

function largestOf(v: Float32Array, begin: number, end: number): number {
  let largest = 0;
  for (let k = begin; k < end; k++) largest = Math.max(largest, Math.abs(v[k]!));
  return largest;
}

function copyScaled(from: Float32Array, to: Float32Array, scale: number, begin: number, end: number): void {
  for (let k = begin; k < end; k++) to[k] = from[k]! * scale;
}

/** Tells the stress pass how its bounds relate to steps; `moduli` are the bodies' largest. */
export function writeFastest(store: ParticleStore, fastest: readonly Fastest[], moduli: readonly number[]): void {
  for (const [b, modulus] of moduli.entries()) {
    const { frequency, viscosity } = fastest[b]!;
    const floats = store.bodyFloats(b);
    floats[layout.BODY_STEP_MODULUS / 4] = frequency > 0 ? modulus / frequency : Number.POSITIVE_INFINITY;
    floats[layout.BODY_STEP_VISCOSITY / 4] = viscosity;
  }
}
