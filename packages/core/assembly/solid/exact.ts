import {
  BLOCK,
  BODIES,
  BODY_BOND_MODULUS,
  BODY_FIT,
  BODY_OF,
  BODY_PLASTIC,
  BODY_QUADRATIC_SHIFT,
  BODY_STRIDE,
  CELL_MOMENT,
  CHANGE,
  CHANGE_REST,
  CONSTRAINTS,
  CONSTRAINT_MASK,
  CONSTRAINT_OF,
  CONSTRAINT_STRIDE,
  CONSTRAINT_TARGET,
  DEFICIENT_OF,
  ELASTIC,
  EXACT_DISPLACEMENT,
  EXACT_FLUX,
  EXACT_FLUX_STRIDE,
  EXACT_FORCE,
  EXACT_SCRATCH,
  EXACT_SCRATCH_STRIDE,
  FIT_NONE,
  FIT_QUADRATIC,
  GHOSTS,
  GUESS,
  INVERSE_WEIGHTS,
  MOMENT_INVERSE,
  NEIGHBORS,
  NEIGHBOR_BEGIN,
  PAIRS,
  PLASTIC,
  PROJECTIONS,
  QUADRATIC_INVERSE,
  REST,
} from '../../src/particles/layout';
import {
  addIdentity, addTo, copy, fromLanes, multiply, multiplyTransposed, symmetrise, transposedMultiply,
} from '../math/matrix64';
import { vector } from '../math/simd';
import { respond, respondToGradient } from './exact-response';

/**
 * Elastic forces of an equilibrium in double precision. At rest the forces of a slender body are small differences of
 * large ones: those that float32 makes of the rounding of displacements are larger than the loads, so there is no
 * balance to be found. Corrections are solved for in float32; what they leave is measured here.
 *
 * Displacements are guess + change + what float32 has rounded off the change. Matrices are nine f64 by rows.
 */

/** Bytes of a 3 x 3 matrix. */
const MATRIX: usize = 72;

// Positions in the scratch of a block.
/** Per component nine numbers: the gradient, the second derivatives xx, yy, zz, and yz, xz, xy; as sums over pairs, then fitted. */
const FITTED: usize = 0;
/** The same of what is conjugate to them. */
const CONJUGATE: usize = 216;
/** Sums over pairs. */
const MOMENTS: usize = 432;
const GRADIENT: usize = 648;
const STRESS: usize = GRADIENT + MATRIX;
const DEFORMATION: usize = STRESS + MATRIX;
const SLOPE: usize = DEFORMATION + MATRIX;
const STRAINED: usize = SLOPE + MATRIX;
const TURNED: usize = STRAINED + MATRIX;
const PLASTIC_PART: usize = TURNED + MATRIX;
const SPARE: usize = PLASTIC_PART + MATRIX;
/** What the material laws need. */
const LAW: usize = SPARE + MATRIX;

// @ts-ignore: decorator
@inline
function bodyAt(context: usize, i: usize): usize {
  return <usize>load<u32>(context + BODIES) + <usize>load<u32>(<usize>load<u32>(context + BODY_OF) + (i << 2)) * BODY_STRIDE;
}

/** Displacements in double precision: 3 x f64 of 32 bytes. */
export function computeExactDisplacements(begin: u32, end: u32, context: usize): void {
  const guesses = <usize>load<u32>(context + GUESS);
  const changes = <usize>load<u32>(context + CHANGE);
  const rests = <usize>load<u32>(context + CHANGE_REST);
  const exact = <usize>load<u32>(context + EXACT_DISPLACEMENT);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const at = i << 4;
    for (let c: usize = 0; c < 12; c += 4) {
      const u = <f64>load<f32>(guesses + at + c) + (<f64>load<f32>(changes + at + c) + <f64>load<f32>(rests + at + c));
      store<f64>(exact + (i << 5) + (c << 1), u);
    }
  }
}

/** Row `c` of an affine map in float32, of a position. */
// @ts-ignore: decorator
@inline
function mapped(row: usize, position: usize): f64 {
  return (
    <f64>load<f32>(row) * load<f32>(position) + <f64>load<f32>(row, 4) * load<f32>(position, 4) +
    <f64>load<f32>(row, 8) * load<f32>(position, 8) + load<f32>(row, 12)
  );
}

/** The same of particles that mirror others, see ghosts.ts. Ranges are of those. */
export function moveExactGhosts(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const ghosts = <usize>load<u32>(context + GHOSTS);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const exact = <usize>load<u32>(context + EXACT_DISPLACEMENT);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const h = <usize>load<u32>(ghosts + (k << 4));
    const m = <usize>load<u32>(ghosts + (k << 4), 4);
    const ratio = <f64>load<f32>(ghosts + (k << 4), 8);
    const set = constraints + <usize>load<u32>(constraintOf + (h << 2)) * CONSTRAINT_STRIDE;
    // Held along some axes only: as float32 has it.
    if (load<u32>(set + CONSTRAINT_MASK) != 7) continue;
    for (let c: usize = 0; c < 3; c++) {
      const row = set + CONSTRAINT_TARGET + (c << 4);
      const offset = load<f64>(exact + (m << 5) + (c << 3)) - mapped(row, rest + (m << 4));
      store<f64>(exact + (h << 5) + (c << 3), mapped(row, rest + (h << 4)) + ratio * offset);
    }
  }
}

/** Sums of (u_j - u_i) with g, and squares and products where the fit is quadratic, by components; bonds behind the flux. */
// @ts-ignore: decorator
@inline
function sumPairs(context: usize, i: usize, quadratic: bool, moments: usize, bond: usize): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverseWeights = <usize>load<u32>(context + INVERSE_WEIGHTS);
  const exact = <usize>load<u32>(context + EXACT_DISPLACEMENT);
  memory.fill(moments, 0, 216);
  memory.fill(bond, 0, 24);
  const ux = load<f64>(exact + (i << 5));
  const uy = load<f64>(exact + (i << 5), 8);
  const uz = load<f64>(exact + (i << 5), 16);
  const last = <usize>load<u32>(begins + (i << 2), 4);
  for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
    const j = exact + (<usize>load<u32>(neighbors + (k << 2)) << 5);
    const dx = load<f64>(j) - ux;
    const dy = load<f64>(j, 8) - uy;
    const dz = load<f64>(j, 16) - uz;
    const pair = pairs + (k << 4);
    const b = <f64>load<f32>(pair, 12);
    addThree(bond, b, dx, dy, dz, 8);
    const gx = <f64>load<f32>(pair);
    const gy = <f64>load<f32>(pair, 4);
    const gz = <f64>load<f32>(pair, 8);
    addThree(moments, gx, dx, dy, dz, 72);
    addThree(moments + 8, gy, dx, dy, dz, 72);
    addThree(moments + 16, gz, dx, dy, dz, 72);
    if (!quadratic) continue;
    const per = <f64>load<f32>(inverseWeights + (k << 2));
    addThree(moments + 24, 0.5 * per * gx * gx, dx, dy, dz, 72);
    addThree(moments + 32, 0.5 * per * gy * gy, dx, dy, dz, 72);
    addThree(moments + 40, 0.5 * per * gz * gz, dx, dy, dz, 72);
    addThree(moments + 48, per * gy * gz, dx, dy, dz, 72);
    addThree(moments + 56, per * gx * gz, dx, dy, dz, 72);
    addThree(moments + 64, per * gx * gy, dx, dy, dz, 72);
  }
}

/** Adds a multiple of a vector to three numbers that are `apart` bytes from each other. */
// @ts-ignore: decorator
@inline
function addThree(at: usize, factor: f64, x: f64, y: f64, z: f64, apart: usize): void {
  store<f64>(at, load<f64>(at) + factor * x);
  store<f64>(at + apart, load<f64>(at + apart) + factor * y);
  store<f64>(at + 2 * apart, load<f64>(at + 2 * apart) + factor * z);
}

/** Three rows of nine numbers (of three for the linear fit) times the inverse moment matrix, in float32. */
function timesInverse(out: usize, rows: usize, inverse: usize, quadratic: bool): void {
  const terms: usize = quadratic ? 9 : 3;
  const stride: usize = quadratic ? 48 : 16;
  for (let c: usize = 0; c < 3; c++) {
    for (let t: usize = 0; t < terms; t++) {
      // Groups of three are padded to four.
      const column = inverse + ((t / 3) << 4) + ((t % 3) << 2);
      let sum: f64 = 0;
      for (let s: usize = 0; s < terms; s++) sum += load<f64>(rows + c * 72 + (s << 3)) * load<f32>(column + s * stride);
      store<f64>(out + c * 72 + (t << 3), sum);
    }
  }
}

/** Where the derivative along an axis of the column `c` of the gradient is among nine numbers: second derivatives from 3, mixed ones from 6. */
// @ts-ignore: decorator
@inline
function slotOf(axis: usize, c: usize): usize {
  return axis == c ? 3 + c : 9 - axis - c;
}

/** The derivative of the gradient along an axis, from the fit. */
function slopeAlong(out: usize, fitted: usize, axis: usize): void {
  for (let r: usize = 0; r < 3; r++) {
    for (let c: usize = 0; c < 3; c++) {
      store<f64>(out + r * 24 + (c << 3), load<f64>(fitted + r * 72 + (slotOf(axis, c) << 3)));
    }
  }
}

/** Adds a multiple of a stress that is conjugate to such a derivative. */
function feed(conjugate: usize, stress: usize, axis: usize, factor: f64): void {
  for (let r: usize = 0; r < 3; r++) {
    for (let c: usize = 0; c < 3; c++) {
      const at = conjugate + r * 72 + (slotOf(axis, c) << 3);
      store<f64>(at, load<f64>(at) + factor * load<f64>(stress + r * 24 + (c << 3)));
    }
  }
}

/** M (I + B), a change of the gradient as the material sees it; B in float32, three lanes of four. */
function towardsRest(m: usize, state: usize, scratch: usize): void {
  if (state == 0) return;
  fromLanes(scratch + PLASTIC_PART, state);
  multiply(scratch + SPARE, m, scratch + PLASTIC_PART);
  addTo(m, 1, scratch + SPARE);
}

/** M (I + B)^T, a stress of the material as the gradient meets it. */
function fromRest(m: usize, state: usize, scratch: usize): void {
  if (state == 0) return;
  fromLanes(scratch + PLASTIC_PART, state);
  multiplyTransposed(scratch + SPARE, m, scratch + PLASTIC_PART);
  addTo(m, 1, scratch + SPARE);
}

/**
 * Flux and bonds of every particle as stress.ts and quadratic.ts have them, at the displacements in double precision:
 * 27 numbers, by component nine, and the force of the bonds.
 */
export function computeExactFluxes(begin: u32, end: u32, context: usize): void {
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const quadraticInverses = <usize>load<u32>(context + QUADRATIC_INVERSE);
  const cells = <usize>load<u32>(context + CELL_MOMENT);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const deficient = <usize>load<u32>(context + DEFICIENT_OF);
  const projections = <usize>load<u32>(context + PROJECTIONS);
  const plastics = <usize>load<u32>(context + PLASTIC);
  const fluxes = <usize>load<u32>(context + EXACT_FLUX);
  const scratches = <usize>load<u32>(context + EXACT_SCRATCH);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const body = bodyAt(context, i);
    if (load<u32>(body + BODY_FIT) == FIT_NONE) continue;
    const quadratic = load<u32>(body + BODY_FIT) == FIT_QUADRATIC;
    const scratch = scratches + (i / BLOCK) * EXACT_SCRATCH_STRIDE;
    const fitted = scratch + FITTED;
    const conjugate = scratch + CONJUGATE;
    const gradient = scratch + GRADIENT;
    const stress = scratch + STRESS;
    const flux = fluxes + i * EXACT_FLUX_STRIDE;
    const inverse = quadratic
      ? quadraticInverses + (i - <usize>load<u32>(body + BODY_QUADRATIC_SHIFT)) * 432
      : inverses + i * 48;
    sumPairs(context, i, quadratic, scratch + MOMENTS, flux + 216);
    timesInverse(fitted, scratch + MOMENTS, inverse, quadratic);

    const number = <usize>load<u32>(deficient + (i << 2));
    const projection = number != 0 ? projections + (number - 1) * 48 : 0;
    const state = load<u32>(body + BODY_PLASTIC) != 0 && projection == 0 ? plastics + i * 48 : 0;
    const constants = elastic + (i << 4);
    const cell = cells + (i << 5);
    for (let r: usize = 0; r < 3; r++) memory.copy(gradient + r * 24, fitted + r * 72, 24);
    if (quadratic) {
      for (let axis: usize = 0; axis < 3; axis++) {
        slopeAlong(scratch + SLOPE, fitted, axis);
        addTo(gradient, load<f32>(cell + 16 + (axis << 2)), scratch + SLOPE);
      }
    }
    if (state != 0) {
      // F_e - I = G + B + G B
      towardsRest(gradient, state, scratch);
      addTo(gradient, 1, scratch + PLASTIC_PART);
    }
    respond(stress, body, projection, constants, gradient, scratch + LAW);
    memory.fill(conjugate, 0, 216);
    if (quadratic) {
      const share: f64 = state != 0 ? load<f32>(state, 28) : <f32>1;
      copy(scratch + DEFORMATION, gradient);
      if (projection == 0) addIdentity(scratch + DEFORMATION);
      else {
        fromLanes(scratch + SPARE, projection);
        addTo(scratch + DEFORMATION, 1, scratch + SPARE);
      }
      for (let axis: usize = 0; axis < 3; axis++) {
        // s C : sym(J^T d_kG), conjugate to d_kG by J and to J by d_kG.
        slopeAlong(scratch + SLOPE, fitted, axis);
        towardsRest(scratch + SLOPE, state, scratch);
        transposedMultiply(scratch + STRAINED, scratch + DEFORMATION, scratch + SLOPE);
        symmetrise(scratch + STRAINED);
        respondToGradient(
          scratch + TURNED, body, projection, constants, share * load<f32>(cell + (axis << 2)), scratch + STRAINED, scratch + LAW,
        );
        multiply(scratch + STRAINED, scratch + SLOPE, scratch + TURNED);
        addTo(stress, 1, scratch + STRAINED);
        multiply(scratch + STRAINED, scratch + DEFORMATION, scratch + TURNED);
        fromRest(scratch + STRAINED, state, scratch);
        feed(conjugate, scratch + STRAINED, axis, 1);
      }
    }
    fromRest(stress, state, scratch);
    for (let r: usize = 0; r < 3; r++) memory.copy(conjugate + r * 72, stress + r * 24, 24);
    if (quadratic) {
      for (let axis: usize = 0; axis < 3; axis++) feed(conjugate, stress, axis, load<f32>(cell + 16 + (axis << 2)));
    }

    const modulus = <f64>load<f32>(body + BODY_BOND_MODULUS);
    const alpha = modulus * load<f32>(inverses + i * 48, 12);
    const volume = <f64>load<f32>(constants, 12);
    timesInverse(flux, conjugate, inverse, quadratic);
    for (let at: usize = 0; at < 216; at += 8) {
      if (quadratic || at % 72 < 24) store<f64>(flux + at, volume * load<f64>(flux + at) - alpha * load<f64>(fitted + at));
    }
    for (let at: usize = 216; at < 240; at += 8) store<f64>(flux + at, modulus * load<f64>(flux + at));
  }
}

/** f_i = sum_j (Q_i + Q_j) g_ij and the bonds, see forces.ts; only the sum is rounded. */
export function computeExactForces(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const inverseWeights = <usize>load<u32>(context + INVERSE_WEIGHTS);
  const fluxes = <usize>load<u32>(context + EXACT_FLUX);
  const forces = <usize>load<u32>(context + EXACT_FORCE);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const body = bodyAt(context, i);
    if (load<u32>(body + BODY_FIT) == FIT_NONE) continue;
    const quadratic = load<u32>(body + BODY_FIT) == FIT_QUADRATIC;
    const own = fluxes + i * EXACT_FLUX_STRIDE;
    let fx = load<f64>(own, 216);
    let fy = load<f64>(own, 224);
    let fz = load<f64>(own, 232);
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const other = fluxes + <usize>load<u32>(neighbors + (k << 2)) * EXACT_FLUX_STRIDE;
      const pair = pairs + (k << 4);
      const gx = <f64>load<f32>(pair);
      const gy = <f64>load<f32>(pair, 4);
      const gz = <f64>load<f32>(pair, 8);
      fx += gx * sum(own, other, 0) + gy * sum(own, other, 8) + gz * sum(own, other, 16);
      fy += gx * sum(own, other, 72) + gy * sum(own, other, 80) + gz * sum(own, other, 88);
      fz += gx * sum(own, other, 144) + gy * sum(own, other, 152) + gz * sum(own, other, 160);
      if (!quadratic) continue;
      const per = <f64>load<f32>(inverseWeights + (k << 2));
      const xx = 0.5 * per * gx * gx;
      const yy = 0.5 * per * gy * gy;
      const zz = 0.5 * per * gz * gz;
      const yz = per * gy * gz;
      const xz = per * gx * gz;
      const xy = per * gx * gy;
      fx += second(own, other, 24, xx, yy, zz, yz, xz, xy);
      fy += second(own, other, 96, xx, yy, zz, yz, xz, xy);
      fz += second(own, other, 168, xx, yy, zz, yz, xz, xy);
    }
    v128.store(forces + (i << 4), vector(<f32>fx, <f32>fy, <f32>fz, 0));
  }
}

// @ts-ignore: decorator
@inline
function sum(own: usize, other: usize, at: usize): f64 {
  return load<f64>(own + at) + load<f64>(other + at);
}

/** Six terms that are even in r: the fluxes are subtracted. */
// @ts-ignore: decorator
@inline
function second(own: usize, other: usize, at: usize, xx: f64, yy: f64, zz: f64, yz: f64, xz: f64, xy: f64): f64 {
  return (
    xx * (load<f64>(own + at) - load<f64>(other + at)) + yy * (load<f64>(own + at, 8) - load<f64>(other + at, 8)) +
    zz * (load<f64>(own + at, 16) - load<f64>(other + at, 16)) + yz * (load<f64>(own + at, 24) - load<f64>(other + at, 24)) +
    xz * (load<f64>(own + at, 32) - load<f64>(other + at, 32)) + xy * (load<f64>(own + at, 40) - load<f64>(other + at, 40))
  );
}
