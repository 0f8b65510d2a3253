import {
  ALPHA,
  BETA,
  BLOCK_SUMS,
  CARRY,
  CONDUCTANCE,
  CORRECTION,
  DIAGONAL,
  DIRECTION,
  ENTHALPY,
  FIRST_FLUX,
  FLUX,
  HELD,
  LIQUIDUS_ENTHALPY,
  MASS,
  MATERIAL_OF,
  MATERIAL_STRIDE,
  MATERIALS,
  ORIGIN,
  PAIR_BEGIN,
  PAIR_CONDUCTANCE,
  PAIR_STRIDE,
  PAIRS,
  PRODUCT,
  RESIDUAL,
  SLOPE,
  SOLID_CAPACITY,
  SOLIDUS_ENTHALPY,
  SOURCE,
  SPAN,
  START,
  STEP,
  SUMS,
  TARGET,
  TEMPERATURE,
} from '../../src/particles/heat-layout';
import { BLOCK } from '../../src/particles/layout';
import { slopeAt, temperatureAt } from './conduction';

/**
 * Two stages of a diagonally implicit Runge-Kutta method of second order that damps what it cannot resolve, with
 * g = 1 - sqrt(1/2): h_1 = h_0 + g dt q_1, h_2 = h_0 + (1 - g) dt q_1 + g dt q_2, where q_k are the fluxes of the
 * temperatures of h_k. Either is a backward Euler step, m h = m h_0 + dt q(T(h)), solved by Newton's method in the
 * temperatures: the matrix m dh/dT + dt (diagonal - conductances) is symmetric and positive. What melts at a point
 * has no dT for a dh and is left out of a correction. Enthalpies always come from the fluxes of the corrected
 * temperatures, so heat is kept whatever the correction is worth; a stage has converged when the two agree.
 */

/** Is a particle's temperature solved for? */
// @ts-ignore: decorator
@inline
function isFree(slope: f64, held: f64): bool {
  return slope > 0 && held != held;
}

export function beginHeatStep(begin: u32, end: u32, context: usize): void {
  const enthalpies = <usize>load<u32>(context + ENTHALPY) + (<usize>begin << 3);
  const origins = <usize>load<u32>(context + ORIGIN) + (<usize>begin << 3);
  const starts = <usize>load<u32>(context + START) + (<usize>begin << 3);
  memory.copy(origins, enthalpies, (<usize>end - <usize>begin) << 3);
  memory.copy(starts, enthalpies, (<usize>end - <usize>begin) << 3);
}

/** What the second stage starts from. */
export function beginHeatStage(begin: u32, end: u32, context: usize): void {
  const origins = <usize>load<u32>(context + ORIGIN);
  const starts = <usize>load<u32>(context + START);
  const fluxes = <usize>load<u32>(context + FLUX);
  const firsts = <usize>load<u32>(context + FIRST_FLUX);
  const masses = <usize>load<u32>(context + MASS);
  const helds = <usize>load<u32>(context + HELD);
  const carry = load<f64>(context + CARRY);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = i << 3;
    const flux = load<f64>(fluxes + at);
    const held = load<f64>(helds + at);
    store<f64>(firsts + at, flux);
    store<f64>(starts + at, load<f64>(origins + at) + (held == held ? 0 : (carry * flux) / load<f64>(masses + at)));
  }
}

/** Puts the enthalpies of the start back. */
export function undoHeatStep(begin: u32, end: u32, context: usize): void {
  const enthalpies = <usize>load<u32>(context + ENTHALPY);
  const origins = <usize>load<u32>(context + ORIGIN);
  memory.copy(enthalpies + (<usize>begin << 3), origins + (<usize>begin << 3), (<usize>end - <usize>begin) << 3);
}

/** Residual of the present enthalpies and fluxes, and the first direction; the first sum of a block is r z. */
export function beginHeatSolve(begin: u32, end: u32, context: usize): void {
  const enthalpies = <usize>load<u32>(context + ENTHALPY);
  const starts = <usize>load<u32>(context + START);
  const fluxes = <usize>load<u32>(context + FLUX);
  const masses = <usize>load<u32>(context + MASS);
  const slopes = <usize>load<u32>(context + SLOPE);
  const helds = <usize>load<u32>(context + HELD);
  const diagonals = <usize>load<u32>(context + DIAGONAL);
  const corrections = <usize>load<u32>(context + CORRECTION);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const sums = <usize>load<u32>(context + BLOCK_SUMS);
  const dt = load<f64>(context + STEP);
  for (let first = <usize>begin; first < <usize>end; first += BLOCK) {
    const last = min(first + BLOCK, <usize>end);
    let rho: f64 = 0;
    let largest: f64 = 0;
    for (let i = first; i < last; i++) {
      const at = i << 3;
      const slope = load<f64>(slopes + at);
      let r: f64 = 0;
      let z: f64 = 0;
      if (isFree(slope, load<f64>(helds + at))) {
        r = load<f64>(masses + at) * (load<f64>(starts + at) - load<f64>(enthalpies + at)) + dt * load<f64>(fluxes + at);
        z = preconditioned(r, slope, dt, diagonals + at);
      }
      store<f64>(corrections + at, 0);
      store<f64>(residuals + at, r);
      store<f64>(directions + at, z);
      rho += r * z;
      largest = max(largest, slope * abs(r));
    }
    const sum = sums + (first / BLOCK) * (SUMS << 3);
    store<f64>(sum, rho);
    store<f64>(sum, largest, 8);
  }
}

/** A residual over the diagonal of the matrix. */
// @ts-ignore: decorator
@inline
function preconditioned(residual: f64, slope: f64, dt: f64, diagonal: usize): f64 {
  return residual / (1 / slope + dt * load<f64>(diagonal));
}

/** The matrix times the direction; the first sum of a block is their product. */
export function multiplyHeat(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const pairs = <usize>load<u32>(context + PAIRS);
  const slopes = <usize>load<u32>(context + SLOPE);
  const helds = <usize>load<u32>(context + HELD);
  const diagonals = <usize>load<u32>(context + DIAGONAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const products = <usize>load<u32>(context + PRODUCT);
  const sums = <usize>load<u32>(context + BLOCK_SUMS);
  const dt = load<f64>(context + STEP);
  for (let first = <usize>begin; first < <usize>end; first += BLOCK) {
    const last = min(first + BLOCK, <usize>end);
    let curvature: f64 = 0;
    for (let i = first; i < last; i++) {
      const at = i << 3;
      const slope = load<f64>(slopes + at);
      let product: f64 = 0;
      if (isFree(slope, load<f64>(helds + at))) {
        const own = load<f64>(directions + at);
        let flow = load<f64>(diagonals + at) * own;
        let pair = pairs + <usize>load<u32>(begins + (i << 2)) * PAIR_STRIDE;
        const pairEnd = pairs + <usize>load<u32>(begins + (i << 2), 4) * PAIR_STRIDE;
        for (; pair < pairEnd; pair += PAIR_STRIDE) {
          flow -= load<f64>(pair + PAIR_CONDUCTANCE) * load<f64>(directions + (<usize>load<u32>(pair) << 3));
        }
        product = own / slope + dt * flow;
        curvature += own * product;
      }
      store<f64>(products + at, product);
    }
    store<f64>(sums + (first / BLOCK) * (SUMS << 3), curvature);
  }
}

/** Goes on along the direction; sums of a block: r z of the new residual, and the largest change of temperature that it is good for [K]. */
export function advanceHeatSolve(begin: u32, end: u32, context: usize): void {
  const slopes = <usize>load<u32>(context + SLOPE);
  const helds = <usize>load<u32>(context + HELD);
  const diagonals = <usize>load<u32>(context + DIAGONAL);
  const corrections = <usize>load<u32>(context + CORRECTION);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const products = <usize>load<u32>(context + PRODUCT);
  const sums = <usize>load<u32>(context + BLOCK_SUMS);
  const dt = load<f64>(context + STEP);
  const alpha = load<f64>(context + ALPHA);
  for (let first = <usize>begin; first < <usize>end; first += BLOCK) {
    const last = min(first + BLOCK, <usize>end);
    let rho: f64 = 0;
    let largest: f64 = 0;
    for (let i = first; i < last; i++) {
      const at = i << 3;
      const slope = load<f64>(slopes + at);
      if (!isFree(slope, load<f64>(helds + at))) continue;
      store<f64>(corrections + at, load<f64>(corrections + at) + alpha * load<f64>(directions + at));
      const r = load<f64>(residuals + at) - alpha * load<f64>(products + at);
      store<f64>(residuals + at, r);
      const z = preconditioned(r, slope, dt, diagonals + at);
      rho += r * z;
      largest = max(largest, slope * abs(r));
    }
    const sum = sums + (first / BLOCK) * (SUMS << 3);
    store<f64>(sum, rho);
    store<f64>(sum, largest, 8);
  }
}

export function turnHeatDirection(begin: u32, end: u32, context: usize): void {
  const slopes = <usize>load<u32>(context + SLOPE);
  const helds = <usize>load<u32>(context + HELD);
  const diagonals = <usize>load<u32>(context + DIAGONAL);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const directions = <usize>load<u32>(context + DIRECTION);
  const dt = load<f64>(context + STEP);
  const beta = load<f64>(context + BETA);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = i << 3;
    const slope = load<f64>(slopes + at);
    if (!isFree(slope, load<f64>(helds + at))) continue;
    const z = preconditioned(load<f64>(residuals + at), slope, dt, diagonals + at);
    store<f64>(directions + at, z + beta * load<f64>(directions + at));
  }
}

/** The corrected temperatures. */
export function correctTemperatures(begin: u32, end: u32, context: usize): void {
  const temperatures = <usize>load<u32>(context + TEMPERATURE);
  const corrections = <usize>load<u32>(context + CORRECTION);
  const targets = <usize>load<u32>(context + TARGET);
  for (let i = <usize>begin; i < <usize>end; i++) {
    store<f64>(targets + (i << 3), load<f64>(temperatures + (i << 3)) + load<f64>(corrections + (i << 3)));
  }
}

/**
 * Enthalpies by the fluxes of the corrected temperatures. Sums of a block: largest difference between those and
 * what the enthalpies say [K], largest difference between the fluxes of the stages as a share of what could happen
 * [1], heat that came from outside [J].
 */
export function updateEnthalpies(begin: u32, end: u32, context: usize): void {
  const enthalpies = <usize>load<u32>(context + ENTHALPY);
  const starts = <usize>load<u32>(context + START);
  const temperatures = <usize>load<u32>(context + TEMPERATURE);
  const targets = <usize>load<u32>(context + TARGET);
  const fluxes = <usize>load<u32>(context + FLUX);
  const firsts = <usize>load<u32>(context + FIRST_FLUX);
  const masses = <usize>load<u32>(context + MASS);
  const slopes = <usize>load<u32>(context + SLOPE);
  const helds = <usize>load<u32>(context + HELD);
  const conductances = <usize>load<u32>(context + CONDUCTANCE);
  const sources = <usize>load<u32>(context + SOURCE);
  const materialOf = <usize>load<u32>(context + MATERIAL_OF);
  const materials = <usize>load<u32>(context + MATERIALS);
  const sums = <usize>load<u32>(context + BLOCK_SUMS);
  const dt = load<f64>(context + STEP);
  const carry = load<f64>(context + CARRY);
  const span = load<f64>(context + SPAN);
  for (let first = <usize>begin; first < <usize>end; first += BLOCK) {
    const last = min(first + BLOCK, <usize>end);
    let mismatch: f64 = 0;
    let error: f64 = 0;
    let supplied: f64 = 0;
    for (let i = first; i < last; i++) {
      const at = i << 3;
      const flux = load<f64>(fluxes + at);
      const target = load<f64>(targets + at);
      const held = load<f64>(helds + at);
      supplied += load<f64>(sources + at) - load<f64>(conductances + at) * target;
      if (held == held) {
        supplied -= flux;
        continue;
      }
      const mass = load<f64>(masses + at);
      const h = load<f64>(starts + at) + (dt * flux) / mass;
      const material = materials + <usize>load<u32>(materialOf + (i << 2)) * MATERIAL_STRIDE;
      const t = temperatureAt(material, h);
      store<f64>(enthalpies + at, h);
      store<f64>(temperatures + at, t);
      store<f64>(slopes + at, slopeAt(material, h) / mass);
      const off = abs(t - target);
      if (!(off <= mismatch)) mismatch = off;
      const h1 = load<f64>(material + SOLIDUS_ENTHALPY);
      const melt = h1 < Infinity ? load<f64>(material + LIQUIDUS_ENTHALPY) - h1 : 0;
      const whole = mass * (load<f64>(material + SOLID_CAPACITY) * span + melt);
      const wrong = (carry * abs(flux - load<f64>(firsts + at))) / whole;
      if (!(wrong <= error)) error = wrong;
    }
    const sum = sums + (first / BLOCK) * (SUMS << 3);
    store<f64>(sum, mismatch);
    store<f64>(sum, error, 8);
    store<f64>(sum, dt * supplied, 16);
  }
}
