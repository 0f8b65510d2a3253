import {
  CONSTRAINED,
  CONSTRAINTS,
  FACTOR,
  FIXED,
  PRESCRIBED_UNTIL,
  LIQUID_OF,
  LIQUID_SOURCE_VELOCITY,
  LIQUID_STRIDE,
  LIQUIDS,
  POSITION,
  STEP,
  TIME,
  VELOCITY,
} from '../../src/particles/fluid-layout';
import {
  PRESCRIPTION_ACCELERATION,
  PRESCRIPTION_AXES,
  PRESCRIPTION_STRIDE,
} from '../../src/particles/prescription-layout';
import { prescribeVelocity, replaceAxes } from '../constraints/prescribe';
import { addMul } from '../math/simd';

/** All axes of a particle. */
export const ALL: u32 = 7;
/** Set where a constraint holds them. */
const HELD: u32 = 8;

/**
 * Velocities that sources and constraints prescribe in this step, and into FIXED along which axes: there nothing else
 * accelerates the particle, and pressure and viscosity see an infinite mass. Forces of constraints act on the others.
 */
export function prescribeLiquid(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const prescribedUntils = <usize>load<u32>(context + PRESCRIBED_UNTIL);
  const constrained = <usize>load<u32>(context + CONSTRAINED);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const fixed = <usize>load<u32>(context + FIXED);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const liquids = <usize>load<u32>(context + LIQUIDS);
  const h = load<f32>(context + STEP);
  const time = load<f32>(context + TIME);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const position = v128.load(positions + (i << 4));
    let v = v128.load(velocities + (i << 4));
    let axes: u32 = 0;
    if (load<f32>(prescribedUntils + (i << 2)) > time) {
      axes = ALL;
      const row = liquids + <usize>load<u32>(liquidOf + (i << 2)) * LIQUID_STRIDE;
      v = replaceAxes(v, v128.load(row + LIQUID_SOURCE_VELOCITY), ALL);
    }
    let push = f32x4.splat(0);
    let held: u32 = 0;
    for (let bits = load<u32>(constrained + (i << 2)); bits != 0; bits &= bits - 1) {
      const constraint = constraints + <usize>ctz(bits) * PRESCRIPTION_STRIDE;
      held |= load<u32>(constraint + PRESCRIPTION_AXES);
      v = prescribeVelocity(constraint, position, v, <f32>1 / h);
      push = f32x4.add(push, v128.load(constraint + PRESCRIPTION_ACCELERATION));
    }
    axes |= held;
    v128.store(velocities + (i << 4), addMul(v, f32x4.splat(h), replaceAxes(push, f32x4.splat(0), axes)));
    store<u32>(fixed + (i << 2), held == ALL ? axes | HELD : axes);
  }
}

/**
 * A particle that a constraint holds cannot give way to its own pressure: how much it is compressed is prescribed with
 * it, so it has no row in the system. Liquid beside it has, and is pushed off by its own pressure. With rows for held
 * particles, one whose neighbours are held too makes the system singular, and one that hardly reaches a free neighbour
 * asks for any pressure.
 */
export function isolateHeld(begin: u32, end: u32, context: usize): void {
  const fixed = <usize>load<u32>(context + FIXED);
  const factors = <usize>load<u32>(context + FACTOR);
  for (let at = <usize>begin << 2; at < <usize>end << 2; at += 4) {
    if (load<u32>(fixed + at) & HELD) store<f32>(factors + at, 0);
  }
}
