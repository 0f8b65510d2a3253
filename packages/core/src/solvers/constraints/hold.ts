import type { Matter } from '../../options/phase.js';
import type { Axis, ConstraintOptions, Vec3 } from '../../options/types.js';
import type { Resampled } from '../../particles/body-range.js';

/** The particles that a constraint took hold of when it began. */
export interface Hold {
  /** Numbers within the body. */
  readonly particles: readonly number[];
  /** Their centre of mass then [m], and their mass [kg]. */
  readonly center: Vec3;
  readonly mass: number;
}

/** A constraint of a world. */
export interface ConstraintRecord {
  options: ConstraintOptions;
  /** Of those that choose or hold their particles when they begin, until they end. */
  hold?: Hold | undefined;
  /** Of those on particles with positions in world axes: number of the bit that its particles carry. */
  bit?: number | undefined;
}

const AXES = { x: 1, y: 2, z: 4 } as const;

/** The axes that a constraint prescribes, as bits 1, 2, 4. */
export function prescribedAxes({
  fix,
  move,
  displacement,
}: Pick<ConstraintOptions, 'fix' | 'move' | 'displacement'>): number {
  if (displacement) {
    const named = Object.entries(displacement).filter(([, field]) => field !== undefined);
    return [...fix, ...named.map(([axis]) => axis as Axis)].reduce((bits, axis) => bits | AXES[axis], 0);
  }
  if (move.length > 0 && fix.length === 0) return 7;
  return fix.reduce((bits, axis) => bits | AXES[axis], 0);
}

/**
 * Does a constraint look at the particles when it begins? A solid that is held from the start is clamped at the face of
 * the region (clamp.ts), and forces on solids need no positions; whatever has positions in world axes is always looked at.
 */
export function beginsWithHold(options: ConstraintOptions, matter: Matter): boolean {
  if (matter.flows) return true;
  if (options.start === 0) return false;
  return options.regionTime === 'start' || prescribedAxes(options) !== 0;
}

/** Particles of the store have become one, or two: those of a body that begins at `begin` are held as they were. */
export function resampleHold(hold: Hold, begin: number, { merges, splits }: Resampled): Hold {
  const held = new Set(hold.particles);
  for (const [, gone] of merges) held.delete(gone - begin);
  for (const [one, other] of splits) if (held.has(one - begin)) held.add(other - begin);
  return { ...hold, particles: [...held].sort((a, b) => a - b) };
}

/** Takes hold of particles; `positions` and `masses` are those of the body, four and one number each. */
export function takeHold(particles: readonly number[], positions: Float32Array, masses: Float32Array): Hold {
  let mass = 0;
  const sum: [number, number, number] = [0, 0, 0];
  for (const k of particles) {
    mass += masses[k]!;
    for (let a = 0; a < 3; a++) sum[a]! += masses[k]! * positions[4 * k + a]!;
  }
  const center: Vec3 = mass > 0 ? [sum[0] / mass, sum[1] / mass, sum[2] / mass] : [0, 0, 0];
  return { particles, center, mass };
}
