import {
  BLOCK,
  BODY_FRICTION,
  BODY_STRIDE,
  OBSTACLE_FRICTION,
  OBSTACLE_STRIDE,
} from '../../src/particles/layout';
import * as liquid from '../../src/particles/fluid-layout';
import {
  ALPHA,
  BETA,
  BOND_COUNT,
  BOND_GRADIENT,
  BOND_CAPACITY,
  BOND_WEIGHT,
  BONDS,
  CHANGE,
  CONSTANTS,
  CONTACT,
  CONTACT_STIFFNESS,
  CORRECTION,
  DIAGONAL_INVERSE,
  DIRECTION,
  FLUX,
  GRADIENT,
  GRAVITY,
  HELD_AXES,
  HELD_VOLUME,
  INERTIA,
  INVERSE,
  LINEARISED,
  LIQUID_CONTEXT,
  LIQUID_OF,
  LIQUIDS,
  PASSED,
  SORTED_INDEX,
  POSITION,
  PRODUCT,
  PROJECTION,
  RADIUS,
  RESIDUAL,
  ROUND,
  ROW_FLOWS,
  SHIFT,
  SLIP,
  STABILISATION,
  START,
  STATE,
  STEP,
  VELOCITY,
} from '../../src/particles/elastic-layout';
import { replaceAxes } from '../constraints/prescribe';
import { obstacleDistance, wallVelocity } from '../contact/obstacles';
import { addMul, columnX, columnY, columnZ, dot, matrixTimes, rowTimes, splatX, splatY, splatZ, vector, w, x, y, z } from '../math/simd';
import { neighborAt, neighborIndex, taggedBase } from '../neighbors/lists';
import * as plasticity from '../solid/plasticity';
import * as response from '../solid/response';
import { sumsOf } from './elastic-bonds';
import * as stress from './elastic-stress';
import { inverseOf, shortest } from './pairs';

/**
 * Implicit steps of what is elastic in liquids: backward Euler,
 *
 *   M (s - s~) / h^2 = f(x + s) + M g,   s~ = s_0 + h v
 *
 * with s the way since the start of the liquid's step. As solid/implicit.ts does it for bodies: Newton's method, each
 * system by conjugate gradients, whose products are a stress pass and a force pass on changes. The unknown is the change
 * s - s~ since the guess: that of what rests is small, so that strains of stiff matter keep their digits in float32. Axes that
 * constraints prescribe take directions away; every vector is projected.
 *
 * Obstacles press back with a spring of the stiffness that the particle itself has, or of HARD m / h^2 where that is
 * less: rounding of positions, times the stiffness of steel, is more than its weight, and which particles of a stiff body
 * touch at all would never be settled. It gives way by gravity's way in a step over HARD for every layer above it.
 * Coulomb friction is steep for small slips, and its secant is its stiffness: what it holds creeps by as little.
 */

/** Way that obstacles push out what is in them in a step, in radii [1]. */
const RECOVERY: f32 = 0.01;
/** Stiffness of contact over the inertia of a particle in the step, at the most [1]. */
const HARD: f32 = 1000;
/** The same of friction where it starts. */
const STEEP: f32 = 3000;

/** Newton iterations after which the secant of friction stays, so that they end. */
const FRICTION_ROUNDS: u32 = 8;
/** Mean rounding in float32 over the size, times what a diagonal block makes of it. */
const EPSILON: f32 = 3e-8;

// @ts-ignore: decorator
@inline
function isElastic(counts: usize, id: usize): bool {
  return load<u32>(counts + (id << 2)) > 0;
}

/** What remains of a vector at a particle that constraints hold. */
// @ts-ignore: decorator
@inline
function project(v: v128, axes: u32): v128 {
  return f32x4.replace_lane(replaceAxes(v, f32x4.splat(0), axes), 3, 0);
}

/** Part of a vector along the surface with a normal. */
// @ts-ignore: decorator
@inline
function tangential(v: v128, n: v128): v128 {
  return f32x4.replace_lane(f32x4.sub(v, f32x4.mul(f32x4.splat(dot(v, n)), n)), 3, 0);
}

/** Where inertia takes particles, into SHIFT; along prescribed axes where these take them. */
export function beginElasticSolve(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const fixed = <usize>load<u32>(sorted + liquid.FIXED);
  const given = <usize>load<u32>(sorted + liquid.VELOCITY);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const sortedIndices = <usize>load<u32>(context + SORTED_INDEX);
  const positions = <usize>load<u32>(context + POSITION);
  const shifts = <usize>load<u32>(context + SHIFT);
  const starts = <usize>load<u32>(context + START);
  const changes = <usize>load<u32>(context + CHANGE);
  const corrections = <usize>load<u32>(context + CORRECTION);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const heldAxes = <usize>load<u32>(context + HELD_AXES);
  const contacts = <usize>load<u32>(context + CONTACT);
  const springs = <usize>load<u32>(context + CONTACT_STIFFNESS);
  const slips = <usize>load<u32>(context + SLIP);
  const rows = <usize>load<u32>(context + LIQUIDS);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const hasObstacles = load<u32>(sorted + liquid.OBSTACLE_COUNT) > 0;
  const passed = load<f32>(context + PASSED);
  const radius = load<f32>(context + RADIUS);
  const h = f32x4.splat(load<f32>(context + STEP));
  for (let id = <usize>begin; id < <usize>end; id++) {
    v128.store(changes + (id << 4), f32x4.splat(0));
    v128.store(corrections + (id << 4), f32x4.splat(0));
    v128.store(contacts + (id << 4), f32x4.splat(0));
    store<f32>(springs + (id << 2), 0);
    if (!isElastic(counts, id)) continue;
    const shift = f32x4.replace_lane(v128.load(shifts + (id << 4)), 3, 0);
    const sortedIndex = <usize>load<u32>(sortedIndices + (id << 2));
    const axes = load<u32>(fixed + (sortedIndex << 2));
    store<u32>(heldAxes + (id << 2), axes);
    const guess = addMul(shift, h, replaceAxes(v128.load(velocities + (id << 4)), v128.load(given + (sortedIndex << 4)), axes));
    let gap: f32 = f32.MAX_VALUE;
    if (hasObstacles) {
      // What has frozen too near to an obstacle comes out of it slowly.
      const position = v128.load(positions + (id << 4));
      const before = gapOf(context, f32x4.add(position, shift), passed) + RECOVERY * radius;
      gap = gapOf(context, f32x4.add(position, guess), passed + w(h)) - min<f32>(before, 0);
      const slip = tangential(f32x4.sub(f32x4.sub(guess, shift), f32x4.mul(h, wall)), normal);
      const row = rows + <usize>load<u32>(liquidOf + (id << 2)) * BODY_STRIDE;
      const friction = sqrt(load<f32>(row + BODY_FRICTION) * load<f32>(nearest + OBSTACLE_FRICTION));
      v128.store(contacts + (id << 4), normal);
      v128.store(slips + (id << 4), f32x4.replace_lane(slip, 3, friction));
    }
    v128.store(starts + (id << 4), f32x4.replace_lane(shift, 3, gap));
    v128.store(shifts + (id << 4), f32x4.replace_lane(guess, 3, 0));
  }
}

// The obstacle that is nearest, its normal, and its velocity there.
let nearest: usize = 0;
let normal: v128 = i32x4(0, 0, 0, 0);
let wall: v128 = i32x4(0, 0, 0, 0);

/** Distance that a particle has from the nearest obstacle, less its radius; obstacles stand as at the start of the liquid's step. */
function gapOf(context: usize, position: v128, passed: f32): f32 {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const obstacles = <usize>load<u32>(sorted + liquid.OBSTACLES);
  const obstacleEnd = obstacles + <usize>load<u32>(sorted + liquid.OBSTACLE_COUNT) * OBSTACLE_STRIDE;
  let gap: f32 = f32.MAX_VALUE;
  for (let obstacle = obstacles; obstacle < obstacleEnd; obstacle += OBSTACLE_STRIDE) {
    const velocity = f32x4.replace_lane(wallVelocity(obstacle, position), 3, 0);
    const near = obstacleDistance(obstacle, f32x4.sub(position, f32x4.mul(f32x4.splat(passed), velocity)));
    const distance = w(near) - load<f32>(context + RADIUS);
    if (!(distance < gap)) continue;
    gap = distance;
    normal = f32x4.replace_lane(near, 3, 0);
    nearest = obstacle;
    wall = velocity;
  }
  return gap;
}

// A symmetric matrix that is summed up.
let sxx: f32 = 0, syy: f32 = 0, szz: f32 = 0, syz: f32 = 0, sxz: f32 = 0, sxy: f32 = 0;

/** Adds V ((lambda + mu) b b^T + mu |b|^2 I). */
// @ts-ignore: decorator
@inline
function addBlock(b: v128, volume: f32, constants: v128, viscous: f32): void {
  const mu = y(constants) * (<f32>1 + viscous);
  const outer = volume * max(x(constants) + z(constants) + mu, <f32>0);
  const even = volume * mu * dot(b, b);
  sxx += outer * x(b) * x(b) + even;
  syy += outer * y(b) * y(b) + even;
  szz += outer * z(b) * z(b) + even;
  syz += outer * y(b) * z(b);
  sxz += outer * x(b) * z(b);
  sxy += outer * x(b) * y(b);
}

/** b turned as its particle is deformed: F b. */
// @ts-ignore: decorator
@inline
function turned(gradient: usize, b: v128): v128 {
  return f32x4.add(b, matrixTimes(v128.load(gradient), v128.load(gradient, 16), v128.load(gradient, 32), b));
}

/** Inverse diagonal blocks of the system matrix, from the stiffness without stress and the deformation at the guess. */
export function invertElasticDiagonals(begin: u32, end: u32, context: usize): void {
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const bondGradients = <usize>load<u32>(context + BOND_GRADIENT);
  const weights = <usize>load<u32>(context + BOND_WEIGHT);
  const capacity = <usize>load<u32>(context + BOND_CAPACITY);
  const positions = <usize>load<u32>(context + POSITION);
  const moments = <usize>load<u32>(context + INVERSE);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const volumes = <usize>load<u32>(context + HELD_VOLUME);
  const allConstants = <usize>load<u32>(context + CONSTANTS);
  const linearised = <usize>load<u32>(context + LINEARISED);
  const inverses = <usize>load<u32>(context + DIAGONAL_INVERSE);
  const stabilisation = load<f32>(context + STABILISATION);
  const inertia = load<f32>(context + INERTIA);
  for (let id = <usize>begin; id < <usize>end; id++) {
    if (!isElastic(counts, id)) continue;
    sxx = syy = szz = syz = sxz = sxy = 0;
    let sum = f32x4.splat(0);
    let penalty: f32 = 0;
    let fitted: f32 = 0;
    const own = moments + id * 48;
    const mine = v128.load(allConstants + (id << 4));
    const alpha: f32 = y(mine) * w(v128.load(own));
    const first = id * capacity;
    const last = first + <usize>load<u32>(counts + (id << 2));
    for (let k = first; k < last; k++) {
      const g = v128.load(bondGradients + (k << 4));
      const j = neighborIndex(g);
      const moment = moments + j * 48;
      const m0 = v128.load(moment);
      const b = rowTimes(g, m0, v128.load(moment, 16), v128.load(moment, 32));
      const constants = v128.load(allConstants + (j << 4));
      addBlock(turned(gradients + j * 48, b), load<f32>(volumes + (j << 2)), constants, load<f32>(linearised + (j << 7), 120));
      const other: f32 = y(constants) * w(m0);
      penalty += (alpha + other) * load<f32>(weights + (k << 2));
      fitted += other * dot(b, g);
      sum = f32x4.add(sum, g);
    }
    const b = rowTimes(sum, v128.load(own), v128.load(own, 16), v128.load(own, 32));
    addBlock(turned(gradients + id * 48, b), load<f32>(volumes + (id << 2)), mine, load<f32>(linearised + (id << 7), 120));
    fitted += alpha * dot(b, sum);
    const held: f32 = <f32>2 * stabilisation * max(penalty - fitted, <f32>0.1 * penalty);
    const stiffness: f32 = sxx + syy + szz + <f32>3 * held;
    const extra = held + inertia / w(v128.load(positions + (id << 4)));
    const xx = sxx + extra, yy = syy + extra, zz = szz + extra;
    // Entries may be near the ends of float32: scaled to the size of one.
    const size = xx + yy + zz;
    const per: f32 = size > 0 ? <f32>1 / size : 0;
    const a = xx * per, c = yy * per, d = zz * per, e = syz * per, f = sxz * per, q = sxy * per;
    const ia = c * d - e * e;
    const ie = q * e - f * c;
    const iq = f * e - q * d;
    const determinant = a * ia + q * iq + f * ie;
    const scale: f32 = determinant > 0 ? per / determinant : 0;
    v128.store(inverses + (id << 5), vector(scale * ia, scale * (a * d - f * f), scale * (a * c - q * q), stiffness));
    v128.store(inverses + (id << 5), vector(scale * (f * q - a * e), scale * ie, scale * iq, 0), 16);
  }
}

/** Elastic forces from FLUX, with the stabilisation of the ways in a field; from the guess on, or of the field alone. */
// @ts-ignore: decorator
@inline
function bondForce(context: usize, id: usize, count: usize, field: usize, alone: bool, period: v128, inversePeriod: v128): v128 {
  const bonds = <usize>load<u32>(context + BONDS);
  const bondGradients = <usize>load<u32>(context + BOND_GRADIENT);
  const weights = <usize>load<u32>(context + BOND_WEIGHT);
  const first = id * <usize>load<u32>(context + BOND_CAPACITY);
  const positions = <usize>load<u32>(context + POSITION);
  const shifts = <usize>load<u32>(context + SHIFT);
  const fluxes = <usize>load<u32>(context + FLUX);
  const taggedFluxes = taggedBase(fluxes, 48);
  const taggedField = taggedBase(field, 16);
  const repeats = !alone && v128.any_true(period);
  const own = fluxes + id * 48;
  const qx = v128.load(own);
  const qy = v128.load(own, 16);
  const qz = v128.load(own, 32);
  const ci = v128.load(field + (id << 4));
  const xi = v128.load(positions + (id << 4));
  const si = v128.load(shifts + (id << 4));
  let force = f32x4.splat(0);
  let held = f32x4.splat(0);
  for (let k = first; k < first + count; k++) {
    const g = v128.load(bondGradients + (k << 4));
    const other = neighborAt(taggedFluxes, g, 48);
    const sx = f32x4.add(qx, v128.load(other));
    const sy = f32x4.add(qy, v128.load(other, 16));
    const sz = f32x4.add(qz, v128.load(other, 32));
    force = addMul(addMul(addMul(force, splatX(g), sx), splatY(g), sy), splatZ(g), sz);
    let u = f32x4.sub(v128.load(neighborAt(taggedField, g, 16)), ci);
    if (!alone) {
      const j = neighborIndex(g);
      let d = f32x4.sub(v128.load(positions + (j << 4)), xi);
      if (repeats) d = shortest(d, period, inversePeriod);
      const base = f32x4.add(f32x4.sub(d, v128.load(bonds + (k << 4))), f32x4.sub(v128.load(shifts + (j << 4)), si));
      u = f32x4.add(base, u);
    }
    const alpha = v128.shuffle<f32>(sx, sx, 3, 3, 3, 3);
    held = addMul(held, f32x4.mul(v128.load_splat<f32>(weights + (k << 2)), alpha), u);
  }
  return f32x4.replace_lane(f32x4.add(force, held), 3, 0);
}

/**
 * The unbalanced force r = f + m g - m change / h^2, whole in PRODUCT and projected in RESIDUAL. Per block: r . r / m (0), the
 * same of the forces that act, for scale (1), r . correction (2), and r . r / m of what rounding makes of it (3).
 */
export function computeElasticResiduals(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const period = v128.load(sorted + liquid.PERIOD);
  const inversePeriod = inverseOf(period);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const positions = <usize>load<u32>(context + POSITION);
  const changes = <usize>load<u32>(context + CHANGE);
  const corrections = <usize>load<u32>(context + CORRECTION);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const whole = <usize>load<u32>(context + PRODUCT);
  const inverses = <usize>load<u32>(context + DIAGONAL_INVERSE);
  const heldAxes = <usize>load<u32>(context + HELD_AXES);
  const contacts = <usize>load<u32>(context + CONTACT);
  const gravity = f32x4.replace_lane(v128.load(context + GRAVITY), 3, 0);
  const gradients = <usize>load<u32>(context + GRADIENT);
  const starts = <usize>load<u32>(context + START);
  const springs = <usize>load<u32>(context + CONTACT_STIFFNESS);
  const hasObstacles = load<u32>(sorted + liquid.OBSTACLE_COUNT) > 0;
  const slips = <usize>load<u32>(context + SLIP);
  const round = load<u32>(context + ROUND);
  const spacing2: f32 = <f32>4 * load<f32>(context + RADIUS) * load<f32>(context + RADIUS);
  const inertia = load<f32>(context + INERTIA);
  let unbalanced: f64 = 0;
  let acting: f64 = 0;
  let along: f64 = 0;
  let rounding: f64 = 0;
  for (let id = <usize>begin; id < <usize>end; id++) {
    const count = <usize>load<u32>(counts + (id << 2));
    if (count > 0) {
      const perMass = w(v128.load(positions + (id << 4)));
      const change = v128.load(changes + (id << 4));
      const elastic = bondForce(context, id, count, changes, false, period, inversePeriod);
      let pressed = f32x4.splat(0);
      if (hasObstacles) {
        // The surface as it is at the guess: positions are too coarse for what is stiff.
        const contact = v128.load(contacts + (id << 4));
        const gap = load<f32>(starts + (id << 4), 12) + dot(contact, change);
        const spring: f32 = gap < 0 ? min<f32>(w(v128.load(inverses + (id << 5))), (HARD * inertia) / perMass) : 0;
        const guessed = v128.load(slips + (id << 4));
        const slip = f32x4.add(f32x4.replace_lane(guessed, 3, 0), tangential(change, contact));
        let grade: f32 = 0;
        if (spring > 0) {
          const frictionBound: f32 = -spring * gap * w(guessed);
          const steepest: f32 = (STEEP * inertia) / perMass;
          const size = sqrt(dot(slip, slip));
          if (round > FRICTION_ROUNDS) grade = w(contact);
          else if (frictionBound > 0) grade = frictionBound < steepest * size ? frictionBound / size : steepest;
        }
        store<f32>(springs + (id << 2), spring);
        v128.store(contacts + (id << 4), f32x4.replace_lane(contact, 3, grade));
        pressed = f32x4.sub(f32x4.mul(f32x4.splat(-spring * gap), contact), f32x4.mul(f32x4.splat(grade), slip));
      }
      const inert = f32x4.mul(f32x4.splat(inertia / perMass), change);
      const weight = f32x4.mul(f32x4.splat(<f32>1 / perMass), gravity);
      const r = f32x4.replace_lane(f32x4.sub(f32x4.add(f32x4.add(elastic, pressed), weight), inert), 3, 0);
      v128.store(whole + (id << 4), r);
      const left = project(r, load<u32>(heldAxes + (id << 2)));
      v128.store(residuals + (id << 4), left);
      unbalanced += <f64>dot(left, left) * <f64>perMass;
      acting += (<f64>dot(elastic, elastic) + <f64>dot(pressed, pressed) + <f64>dot(inert, inert) + <f64>dot(weight, weight)) * <f64>perMass;
      along += <f64>dot(left, v128.load(corrections + (id << 4)));
      // Of changes, and of the gradient of what has turned, over a spacing.
      const gradient = gradients + id * 48;
      const g0 = v128.load(gradient);
      const g1 = v128.load(gradient, 16);
      const g2 = v128.load(gradient, 32);
      const way2: f32 = dot(change, change) + spacing2 * (dot(g0, g0) + dot(g1, g1) + dot(g2, g2));
      const noise = <f64>(EPSILON * w(v128.load(inverses + (id << 5))));
      rounding += noise * noise * <f64>way2 * <f64>perMass;
    }
    if (((id + 1) & (BLOCK - 1)) == 0 || id + 1 == <usize>end) {
      const out = sumsOf(context, id / BLOCK);
      store<f64>(out, unbalanced);
      store<f64>(out, acting, 8);
      store<f64>(out, along, 16);
      store<f64>(out, rounding, 24);
      unbalanced = acting = along = rounding = 0;
    }
  }
}

/** The change of the flux along the search direction, at the state of the last trial. */
export function computeElasticFluxChanges(begin: u32, end: u32, context: usize): void {
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const inverses = <usize>load<u32>(context + INVERSE);
  const projections = <usize>load<u32>(context + PROJECTION);
  const fluxes = <usize>load<u32>(context + FLUX);
  const states = <usize>load<u32>(context + STATE);
  const allConstants = <usize>load<u32>(context + CONSTANTS);
  const volumes = <usize>load<u32>(context + HELD_VOLUME);
  const linearised = <usize>load<u32>(context + LINEARISED);
  const liquidOf = <usize>load<u32>(context + LIQUID_OF);
  const liquids = <usize>load<u32>(context + LIQUIDS);
  const stabilisation = load<f32>(context + STABILISATION);
  for (let id = <usize>begin; id < <usize>end; id++) {
    const count = <usize>load<u32>(counts + (id << 2));
    const constants0 = v128.load(allConstants + (id << 4));
    // Where there is no stress it is zero already.
    if (count == 0 || !(y(constants0) > 0)) continue;
    stress.fitOn(context, id, count, DIRECTION, true);
    const inverse = inverses + id * 48;
    const rank = load<f32>(inverse, 28);
    const projection: usize = rank < 3 ? projections + id * 48 : 0;
    const body = liquids + <usize>load<u32>(liquidOf + (id << 2)) * BODY_STRIDE;
    const mayFlow = load<u32>(body + ROW_FLOWS) != 0;
    const state: usize = rank < 3 || !(mayFlow || stress.isDeformed(states + id * 48)) ? 0 : states + id * 48;
    const at = linearised + (id << 7);
    const traits = v128.load(at, 112);
    const scale = f32x4.splat(x(traits));
    const constants = f32x4.replace_lane(stress.constantsOf(constants0, rank), 2, y(traits));
    let d0 = stress.g0;
    let d1 = stress.g1;
    let d2 = stress.g2;
    if (state != 0) {
      d0 = f32x4.mul(scale, plasticity.towardsRest(state, d0));
      d1 = f32x4.mul(scale, plasticity.towardsRest(state, d1));
      d2 = f32x4.mul(scale, plasticity.towardsRest(state, d2));
    }
    response.respondToChange(
      body, projection, constants, at + 48, z(traits), v128.load(at, 96), v128.load(at), v128.load(at, 16), v128.load(at, 32), d0, d1, d2,
    );
    let p0 = response.p0;
    let p1 = response.p1;
    let p2 = response.p2;
    if (state != 0) {
      p0 = f32x4.mul(scale, plasticity.fromRest(state, p0));
      p1 = f32x4.mul(scale, plasticity.fromRest(state, p1));
      p2 = f32x4.mul(scale, plasticity.fromRest(state, p2));
    }
    const alpha: f32 = <f32>2 * y(constants) * stabilisation * load<f32>(inverse, 12);
    const m0 = v128.load(inverse);
    const m1 = v128.load(inverse, 16);
    const m2 = v128.load(inverse, 32);
    const volume = v128.load_splat<f32>(volumes + (id << 2));
    const less = f32x4.splat(-alpha);
    const q0 = addMul(f32x4.mul(volume, rowTimes(p0, m0, m1, m2)), less, stress.g0);
    const q1 = addMul(f32x4.mul(volume, rowTimes(p1, m0, m1, m2)), less, stress.g1);
    const q2 = addMul(f32x4.mul(volume, rowTimes(p2, m0, m1, m2)), less, stress.g2);
    const out = fluxes + id * 48;
    v128.store(out, f32x4.replace_lane(columnX(q0, q1, q2), 3, alpha));
    v128.store(out, columnY(q0, q1, q2), 16);
    v128.store(out, columnZ(q0, q1, q2), 32);
  }
}

/** A p = m p / h^2 + K p, projected; per block p . A p (0). */
export function computeElasticProducts(begin: u32, end: u32, context: usize): void {
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const positions = <usize>load<u32>(context + POSITION);
  const directions = <usize>load<u32>(context + DIRECTION);
  const products = <usize>load<u32>(context + PRODUCT);
  const heldAxes = <usize>load<u32>(context + HELD_AXES);
  const contacts = <usize>load<u32>(context + CONTACT);
  const springs = <usize>load<u32>(context + CONTACT_STIFFNESS);
  const inertia = load<f32>(context + INERTIA);
  const none = f32x4.splat(0);
  let curvature: f64 = 0;
  for (let id = <usize>begin; id < <usize>end; id++) {
    const count = <usize>load<u32>(counts + (id << 2));
    if (count > 0) {
      const force = bondForce(context, id, count, directions, true, none, none);
      const p = v128.load(directions + (id << 4));
      const contact = v128.load(contacts + (id << 4));
      let resisted = f32x4.mul(f32x4.splat(inertia / w(v128.load(positions + (id << 4)))), p);
      const spring = load<f32>(springs + (id << 2));
      if (spring > 0) {
        const along = dot(p, contact);
        resisted = addMul(resisted, f32x4.splat(w(contact)), tangential(p, contact));
        resisted = addMul(resisted, f32x4.splat(spring * along), contact);
      }
      const product = project(f32x4.sub(resisted, force), load<u32>(heldAxes + (id << 2)));
      v128.store(products + (id << 4), product);
      curvature += <f64>dot(p, product);
    }
    if (((id + 1) & (BLOCK - 1)) == 0 || id + 1 == <usize>end) {
      store<f64>(sumsOf(context, id / BLOCK), curvature);
      curvature = 0;
    }
  }
}

/** A symmetric matrix, diagonal and then yz, xz, xy, times a vector. */
// @ts-ignore: decorator
@inline
function symmetricTimes(at: usize, v: v128): v128 {
  const d = v128.load(at);
  const o = v128.load(at, 16);
  const swapped = f32x4.add(
    f32x4.mul(v128.shuffle<f32>(o, o, 2, 2, 1, 3), v128.shuffle<f32>(v, v, 1, 0, 0, 3)),
    f32x4.mul(v128.shuffle<f32>(o, o, 1, 0, 0, 3), v128.shuffle<f32>(v, v, 2, 2, 1, 3)),
  );
  return f32x4.replace_lane(addMul(swapped, d, v), 3, 0);
}

/** z from the residual of a particle. */
// @ts-ignore: decorator
@inline
function preconditioned(inverse: usize, r: v128, axes: u32, contact: v128, spring: f32): v128 {
  let solution = symmetricTimes(inverse, r);
  if (spring > 0) {
    // Friction g (I - n n^T) as g I, and then (k - g) n n^T by Sherman and Morrison: both make diagonals larger.
    const d = v128.load(inverse);
    const per = f32x4.splat(<f32>1 / (<f32>1 + <f32>0.3333333 * w(contact) * (x(d) + y(d) + z(d))));
    solution = f32x4.mul(per, solution);
    const along = f32x4.mul(per, symmetricTimes(inverse, contact));
    const more = max(spring - w(contact), <f32>0);
    const share = (more * dot(contact, solution)) / (<f32>1 + more * dot(contact, along));
    solution = f32x4.sub(solution, f32x4.mul(f32x4.splat(share), along));
  }
  return project(solution, axes);
}

/** correction += alpha p, r -= alpha A p; per block r . r / m (0) and r . z (1). */
export function advanceElasticCorrections(begin: u32, end: u32, context: usize): void {
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const positions = <usize>load<u32>(context + POSITION);
  const directions = <usize>load<u32>(context + DIRECTION);
  const products = <usize>load<u32>(context + PRODUCT);
  const corrections = <usize>load<u32>(context + CORRECTION);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const inverses = <usize>load<u32>(context + DIAGONAL_INVERSE);
  const heldAxes = <usize>load<u32>(context + HELD_AXES);
  const contacts = <usize>load<u32>(context + CONTACT);
  const springs = <usize>load<u32>(context + CONTACT_STIFFNESS);
  const alpha = f32x4.splat(load<f32>(context + ALPHA));
  let size: f64 = 0;
  let along: f64 = 0;
  for (let id = <usize>begin; id < <usize>end; id++) {
    if (isElastic(counts, id)) {
      const at = id << 4;
      v128.store(corrections + at, addMul(v128.load(corrections + at), alpha, v128.load(directions + at)));
      const r = f32x4.sub(v128.load(residuals + at), f32x4.mul(alpha, v128.load(products + at)));
      v128.store(residuals + at, r);
      const solution = preconditioned(
        inverses + (id << 5), r, load<u32>(heldAxes + (id << 2)), v128.load(contacts + at), load<f32>(springs + (id << 2)),
      );
      size += <f64>dot(r, r) * <f64>w(v128.load(positions + at));
      along += <f64>dot(r, solution);
    }
    if (((id + 1) & (BLOCK - 1)) == 0 || id + 1 == <usize>end) {
      const out = sumsOf(context, id / BLOCK);
      store<f64>(out, size);
      store<f64>(out, along, 8);
      size = along = 0;
    }
  }
}

/** d = z + beta d. */
export function turnElasticDirections(begin: u32, end: u32, context: usize): void {
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const directions = <usize>load<u32>(context + DIRECTION);
  const residuals = <usize>load<u32>(context + RESIDUAL);
  const inverses = <usize>load<u32>(context + DIAGONAL_INVERSE);
  const heldAxes = <usize>load<u32>(context + HELD_AXES);
  const contacts = <usize>load<u32>(context + CONTACT);
  const springs = <usize>load<u32>(context + CONTACT_STIFFNESS);
  const beta = load<f32>(context + BETA);
  for (let id = <usize>begin; id < <usize>end; id++) {
    if (!isElastic(counts, id)) continue;
    const at = id << 4;
    const solution = preconditioned(
      inverses + (id << 5), v128.load(residuals + at), load<u32>(heldAxes + (id << 2)), v128.load(contacts + at), load<f32>(springs + (id << 2)),
    );
    v128.store(directions + at, beta == 0 ? solution : addMul(solution, f32x4.splat(beta), v128.load(directions + at)));
  }
}

/** change += alpha correction. */
export function applyElasticCorrections(begin: u32, end: u32, context: usize): void {
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const changes = <usize>load<u32>(context + CHANGE);
  const corrections = <usize>load<u32>(context + CORRECTION);
  const alpha = f32x4.splat(load<f32>(context + ALPHA));
  for (let id = <usize>begin; id < <usize>end; id++) {
    if (!isElastic(counts, id)) continue;
    const at = id << 4;
    v128.store(changes + at, addMul(v128.load(changes + at), alpha, v128.load(corrections + at)));
  }
}

/** Velocities that the solution stands for; ways are those of its end, where stresses then flow. */
export function endElasticSolve(begin: u32, end: u32, context: usize): void {
  const sorted = <usize>load<u32>(context + LIQUID_CONTEXT);
  const given = <usize>load<u32>(sorted + liquid.VELOCITY);
  const sortedIndices = <usize>load<u32>(context + SORTED_INDEX);
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const shifts = <usize>load<u32>(context + SHIFT);
  const changes = <usize>load<u32>(context + CHANGE);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const heldAxes = <usize>load<u32>(context + HELD_AXES);
  const h = load<f32>(context + STEP);
  for (let id = <usize>begin; id < <usize>end; id++) {
    if (!isElastic(counts, id)) continue;
    const at = id << 4;
    const change = v128.load(changes + at);
    v128.store(shifts + at, f32x4.add(v128.load(shifts + at), change));
    let v = addMul(v128.load(velocities + at), f32x4.splat(<f32>1 / h), change);
    v = replaceAxes(v, v128.load(given + (<usize>load<u32>(sortedIndices + (id << 2)) << 4)), load<u32>(heldAxes + (id << 2)));
    v128.store(velocities + at, f32x4.replace_lane(v, 3, 0));
  }
}

/** Ways at the start of the step again. */
export function returnElastic(begin: u32, end: u32, context: usize): void {
  leave(begin, end, context, 0);
}

/** Ways that the velocities at the end of the step make of those at its start. */
export function moveElastic(begin: u32, end: u32, context: usize): void {
  leave(begin, end, context, load<f32>(context + STEP));
}

// @ts-ignore: decorator
@inline
function leave(begin: u32, end: u32, context: usize, h: f32): void {
  const counts = <usize>load<u32>(context + BOND_COUNT);
  const shifts = <usize>load<u32>(context + SHIFT);
  const starts = <usize>load<u32>(context + START);
  const velocities = <usize>load<u32>(context + VELOCITY);
  for (let id = <usize>begin; id < <usize>end; id++) {
    if (!isElastic(counts, id)) continue;
    const displacement = addMul(v128.load(starts + (id << 4)), f32x4.splat(h), v128.load(velocities + (id << 4)));
    v128.store(shifts + (id << 4), f32x4.replace_lane(displacement, 3, 0));
  }
}
