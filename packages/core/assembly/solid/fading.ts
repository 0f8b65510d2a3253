import {
  BODIES,
  BODY_OF,
  BODY_PLASTIC,
  BODY_RENEWS,
  BODY_STRIDE,
  ELASTIC,
  MOMENT_INVERSE,
  NEIGHBORS,
  OFFSETS,
  PAIRS,
  NEIGHBOR_BEGIN,
  PLASTIC,
  PLASTIC_LAW,
  RENEWED_AT,
  REST,
} from '../../src/particles/layout';
import { dot, w, x, y } from '../math/simd';
import { restVector } from './offsets';

/** Materials that flow under any stress are taken to yield at this strain. */
const LEAST_YIELD: f32 = 0.002;

/**
 * The stabilisation of a particle stands in for its material, so it gets softer as that does: by the ratio of the
 * stress at yield to the elastic stress of all the strain there was, e / (e + plastic strain), e = yield / 3 mu.
 */
export function fadeStabilisation(begin: u32, end: u32, context: usize): void {
  const plastics = <usize>load<u32>(context + PLASTIC);
  const laws = <usize>load<u32>(context + PLASTIC_LAW);
  const renewed = <usize>load<u32>(context + RENEWED_AT);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    if (load<u32>(body + BODY_PLASTIC) == 0) continue;
    const state = plastics + i * 48;
    const strained = w(v128.load(state));
    // What has neighbours of later has the stabilisation of then.
    const since = load<u32>(body + BODY_RENEWS) != 0 ? strained - load<f32>(renewed + (i << 2)) : strained;
    if (since == 0) continue;
    const law = v128.load(laws + (i << 4));
    const yielding = (x(law) + y(law) * strained) / (<f32>3 * y(v128.load(elastic + (i << 4))));
    const strain = max(yielding, LEAST_YIELD);
    store<f32>(state, min(load<f32>(state, 28), strain / (strain + since)), 28);
  }
}

/** Twice the weights of the stabilisation, from the shares that are left. */
export function weighStabilisation(begin: u32, end: u32, context: usize): void {
  const plastics = <usize>load<u32>(context + PLASTIC);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    if (load<u32>(body + BODY_PLASTIC) == 0) continue;
    const at = inverses + i * 48;
    store<f32>(at, load<f32>(at, 28) * load<f32>(plastics + i * 48, 28), 12);
  }
}

/** Bonds 2 (alpha_i + alpha_j) w_ij of bodies that flow, with w = g . r / r . r. */
export function computeFadedBonds(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const offsets = <usize>load<u32>(context + OFFSETS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    if (load<u32>(body + BODY_PLASTIC) == 0) continue;
    const mine = load<f32>(inverses + i * 48, 12);
    const here = v128.load(rest + (i << 4));
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const pair = pairs + (k << 4);
      const g = v128.load(pair);
      const j = <usize>load<u32>(neighbors + (k << 2));
      const r = restVector(rest, here, j, offsets, k);
      store<f32>(pair, (dot(g, r) / dot(r, r)) * (mine + load<f32>(inverses + j * 48, 12)), 12);
    }
  }
}
