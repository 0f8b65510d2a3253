import {
  BLOCK,
  BODIES,
  BODY_BREAKS,
  BODY_DIRECTION_SHIFT,
  BODY_DIRECTION_TURN,
  BODY_FIT,
  BODY_FRAME,
  BODY_FRICTION,
  BODY_OF,
  BODY_POSITION,
  BODY_RESTITUTION,
  BODY_RIGID_SHIFT,
  BODY_STRIDE,
  BODY_TURN,
  CANDIDATES,
  CANDIDATE_CAPACITY,
  CANDIDATE_COUNT,
  CONTACT_CHANGE,
  CONTACT_DAMPING,
  CONTACT_FORCE,
  CONTACT_MOMENT,
  CONTACT_RATE,
  DIRECTION,
  DISPLACEMENT,
  ELAPSED,
  ELASTIC,
  ELASTIC_WHOLE,
  FIT_NONE,
  GRADIENT_SUM,
  INDEX_MASK,
  PAIR_FORCE,
  REACH_BY_SURFACE,
  REST,
  RIGID_FORCE,
  RIGID_MOMENT,
  SURFACE_PARTICLE,
  SURFACE_POSITION,
  SURFACE_REFERENCE,
  SURFACE_TRAVEL,
  SURFACE_VELOCITY,
  VELOCITY,
} from '../../src/particles/layout';
import { addMul, columnX, columnY, columnZ, cross, dot, matrixTimes, rowTimes, splatX, splatY, splatZ, vector, w } from '../math/simd';
import { exactX, exactY, exactZ, findExactPosition } from '../rigid/exact';
import { inBodyAxes } from '../solid/forces';
import { touchesBySurface, touchingDistance } from './touch';

/**
 * Contact between surface particles of different bodies and of far parts of one body: [K06] 5.8 with
 * particles in the position of surfels. Two particles touch when they are nearer than the sum of their
 * radii (half a spacing each, so that touching surfaces of two bodies just touch). The force is
 * central and equal and opposite for the two, so linear and angular momentum are kept.
 */

/** Nearer than this share of touching the spring grows no further. */
const CLOSEST: f32 = 0.05;
/** Squared distances beyond this many of touching are no contacts, whatever their last digits. */
const NEARLY: f32 = 1.001;

/**
 * World positions and velocities of the surface particles, and how far they have moved in their bodies'
 * frames since the candidates were found.
 */
export function computeSurface(begin: u32, end: u32, context: usize): void {
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const positions = <usize>load<u32>(context + SURFACE_POSITION);
  const speeds = <usize>load<u32>(context + SURFACE_VELOCITY);
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  // Contact is as stiff as the material is whole.
  const whole = <usize>load<u32>(context + ELASTIC_WHOLE);
  const elastic = whole != 0 ? whole : <usize>load<u32>(context + ELASTIC);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const references = <usize>load<u32>(context + SURFACE_REFERENCE);
  const travels = <usize>load<u32>(context + SURFACE_TRAVEL);
  let farthest: f32 = 0;
  for (let s = <usize>begin; s < <usize>end; s++) {
    const i = <usize>(load<u32>(particles + (s << 2)) & INDEX_MASK);
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const r0 = v128.load(body + BODY_FRAME);
    const r1 = v128.load(body + BODY_FRAME, 16);
    const r2 = v128.load(body + BODY_FRAME, 32);
    const cx = columnX(r0, r1, r2);
    const cy = columnY(r0, r1, r2);
    const cz = columnZ(r0, r1, r2);
    const m = v128.load(rest + (i << 4));
    const p = f32x4.add(m, v128.load(displacements + (i << 4)));
    const v = v128.load(velocities + (i << 4));
    const position = addMul(addMul(addMul(vector(w(r0), w(r1), w(r2), 0), cx, splatX(p)), cy, splatY(p)), cz, splatZ(p));
    const velocity = addMul(addMul(f32x4.mul(cx, splatX(v)), cy, splatY(v)), cz, splatZ(v));
    const radius = w(m);
    // A cell of the material, pressed: (E / (1 + nu)) times its width.
    const stiffness = <f32>4 * load<f32>(elastic + (i << 4), 4) * radius;
    v128.store(positions + (s << 4), f32x4.replace_lane(position, 3, radius));
    v128.store(speeds + (s << 4), f32x4.replace_lane(velocity, 3, stiffness));
    const moved = f32x4.sub(p, v128.load(references + (s << 4)));
    const travel = dot(moved, moved);
    if (!(travel <= farthest)) farthest = travel;
    if (((s + 1) & (BLOCK - 1)) == 0 || s + 1 == <usize>end) {
      store<f32>(travels + ((s / BLOCK) << 2), farthest);
      farthest = 0;
    }
  }
}


/**
 * Speed of approach that damping goes by. In an implicit step a pair with a rigid body counts no more than it has
 * approached since it touched: a force that began all at once at first touch would leave steps without a balance.
 */
// @ts-ignore: decorator
@inline
function dampedApproach(parting: f32, overlap: f32, rate: f32): f32 {
  return rate > 0 ? min(-parting, overlap * rate) : -parting;
}

/** Penalty, damping and friction of the touching pairs, [K06] eq. 5.38-5.43 for particles. */
export function computeContactForces(begin: u32, end: u32, context: usize): void {
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const positions = <usize>load<u32>(context + SURFACE_POSITION);
  const velocities = <usize>load<u32>(context + SURFACE_VELOCITY);
  const counts = <usize>load<u32>(context + CANDIDATE_COUNT);
  const candidates = <usize>load<u32>(context + CANDIDATES);
  const forces = <usize>load<u32>(context + CONTACT_FORCE);
  const moments = <usize>load<u32>(context + CONTACT_MOMENT);
  const rates = <usize>load<u32>(context + CONTACT_RATE);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const damping = load<f32>(context + CONTACT_DAMPING);
  const capacity = <usize>load<u32>(context + CANDIDATE_CAPACITY);
  const elapsed = load<f32>(context + ELAPSED);
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const stepRate: f32 = elapsed > 0 ? <f32>1 / elapsed : 0;
  const pairForces = <usize>load<u32>(context + PAIR_FORCE);
  const bySurface = load<f32>(context + REACH_BY_SURFACE) > 0;
  let fastest: f32 = 0;
  for (let s = <usize>begin; s < <usize>end; s++) {
    const here = v128.load(positions + (s << 4));
    const i = <usize>(load<u32>(particles + (s << 2)) & INDEX_MASK);
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const velocity = v128.load(velocities + (s << 4));
    const inverseMass = load<f32>(sums + (i << 4), 12);
    const list = candidates + s * capacity * 4;
    const last = list + (<usize>load<u32>(counts + (s << 2)) << 2);
    const rigid = load<u32>(body + BODY_FIT) == FIT_NONE;
    const own = touchesBySurface(body);
    const breaks = load<u32>(body + BODY_BREAKS);
    let force = f32x4.splat(0);
    let moment = f32x4.splat(0);
    let stiffnessSum: f32 = 0;
    if (pairForces != 0) memory.fill(pairForces + ((list - candidates) << 2), 0, (last - list) << 2);
    for (let at = list; at < last; at += 4) {
      const t = <usize>load<u32>(at);
      const there = v128.load(positions + (t << 4));
      let d = f32x4.sub(here, there);
      const farthest = w(here) + w(there);
      const distance2 = dot(d, d);
      if (distance2 >= NEARLY * farthest * farthest) continue;
      const j = <usize>(load<u32>(particles + (t << 2)) & INDEX_MASK);
      const other = bodies + <usize>load<u32>(bodyOf + (j << 2)) * BODY_STRIDE;
      // Solids touch each other by their surfaces: touch.ts.
      if (bySurface && own && touchesBySurface(other)) continue;
      const reach = touchingDistance(context, rest, breaks, other, i, j, farthest, distance2);
      const withRigid = rigid || load<u32>(other + BODY_FIT) == FIT_NONE;
      const exact = withRigid && stepRate > 0;
      if (!exact && distance2 >= reach * reach) continue;
      let distance = sqrt(distance2);
      let overlap = reach - distance;
      if (exact) {
        findExactPosition(other, v128.load(rest + (j << 4)), v128.load(displacements + (j << 4)));
        const px = exactX, py = exactY, pz = exactZ;
        findExactPosition(body, v128.load(rest + (i << 4)), v128.load(displacements + (i << 4)));
        const dx = exactX - px, dy = exactY - py, dz = exactZ - pz;
        const apart = sqrt(dx * dx + dy * dy + dz * dz);
        if (apart >= <f64>reach) continue;
        d = vector(<f32>dx, <f32>dy, <f32>dz, 0);
        distance = <f32>apart;
        overlap = <f32>(<f64>reach - apart);
      }
      // Two particles in one place part along y, the one with the lower number downwards.
      const normal =
        distance > 0 ? f32x4.mul(d, f32x4.splat(1 / distance)) : vector(0, s < t ? <f32>-1 : <f32>1, 0, 0);
      // Two rigid bodies: computeRigidContacts.
      if (rigid && load<u32>(other + BODY_FIT) == FIT_NONE) continue;
      const otherVelocity = v128.load(velocities + (t << 4));
      const ki = w(velocity);
      const kj = w(otherVelocity);
      const k = (<f32>2 * ki * kj) / (ki + kj);
      const reducedMass = <f32>1 / (inverseMass + load<f32>(sums + (j << 4), 12));
      const bounce = max(load<f32>(body + BODY_RESTITUTION), load<f32>(other + BODY_RESTITUTION));
      const resistance = <f32>2 * sqrt(k * reducedMass);
      let relative = f32x4.sub(velocity, otherVelocity);
      // Between a solid and a rigid body both act at the centre of the solid's particle: angular momentum is kept.
      if (withRigid) relative = f32x4.sub(relative, cross(v128.load((rigid ? body : other) + BODY_TURN), d));
      const parting = dot(relative, normal);
      const approach = dampedApproach(parting, overlap, withRigid ? stepRate : 0);
      // k (R - d) (R / d)^2: a linear spring at first touch that grows without bound as centres meet, so
      // that surfaces of soft bodies pressed harder than their modulus do not pass through each other.
      const nearness = reach / max(distance, CLOSEST * reach);
      const spring = k * overlap * nearness * nearness;
      const push = max(spring + damping * (<f32>1 - bounce) * resistance * approach, <f32>0);
      force = addMul(force, f32x4.splat(push), normal);
      const tangential = f32x4.sub(relative, f32x4.mul(f32x4.splat(parting), normal));
      const slip = sqrt(dot(tangential, tangential));
      const frictionBound = sqrt(load<f32>(body + BODY_FRICTION) * load<f32>(other + BODY_FRICTION)) * push;
      const drag = damping * resistance;
      // Coulomb's law, with a viscous start so that the force is continuous where slip changes sign.
      const brake = slip * drag > frictionBound ? frictionBound / slip : drag;
      force = f32x4.sub(force, f32x4.mul(f32x4.splat(brake), tangential));
      if (pairForces != 0) {
        const own = addMul(f32x4.mul(f32x4.splat(push), normal), f32x4.splat(-brake), tangential);
        v128.store(pairForces + ((at - candidates) << 2), f32x4.replace_lane(own, 3, 0));
      }
      if (rigid) moment = addMul(moment, f32x4.splat(brake), cross(d, tangential));
      stiffnessSum += k * nearness * nearness * (<f32>2 * nearness - <f32>1);
    }
    // On a rigid body it goes to the whole of it, which adds up forces in world axes, and stiffness.
    const stored = rigid ? f32x4.replace_lane(force, 3, stiffnessSum) : inBodyAxes(body, force);
    v128.store(forces + (s << 4), stored);
    if (rigid) v128.store(moments + (s << 4), moment);
    const rate: f32 = rigid ? 0 : stiffnessSum * inverseMass;
    if (!(rate <= fastest)) fastest = rate;
    if (((s + 1) & (BLOCK - 1)) == 0 || s + 1 == <usize>end) {
      store<f32>(rates + ((s / BLOCK) << 2), fastest);
      fastest = 0;
    }
  }
}

/**
 * Change of the contact forces along the direction of an implicit solve: springs and dampers along the
 * normal, friction across it. The turning of normals is left out, so that the matrix stays positive. Those on rigid
 * bodies are left in world axes with their moments in RIGID_FORCE and RIGID_MOMENT.
 */
export function computeContactChanges(begin: u32, end: u32, context: usize): void {
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const positions = <usize>load<u32>(context + SURFACE_POSITION);
  const velocities = <usize>load<u32>(context + SURFACE_VELOCITY);
  const counts = <usize>load<u32>(context + CANDIDATE_COUNT);
  const candidates = <usize>load<u32>(context + CANDIDATES);
  const changes = <usize>load<u32>(context + CONTACT_CHANGE);
  const directions = <usize>load<u32>(context + DIRECTION);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const damping = load<f32>(context + CONTACT_DAMPING);
  const capacity = <usize>load<u32>(context + CANDIDATE_CAPACITY);
  const elapsed = load<f32>(context + ELAPSED);
  const rate: f32 = elapsed > 0 ? <f32>1 / elapsed : 0;
  const rigidForces = <usize>load<u32>(context + RIGID_FORCE);
  const rigidMoments = <usize>load<u32>(context + RIGID_MOMENT);
  for (let s = <usize>begin; s < <usize>end; s++) {
    const here = v128.load(positions + (s << 4));
    const i = <usize>(load<u32>(particles + (s << 2)) & INDEX_MASK);
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const r0 = v128.load(body + BODY_FRAME);
    const r1 = v128.load(body + BODY_FRAME, 16);
    const r2 = v128.load(body + BODY_FRAME, 32);
    const velocity = v128.load(velocities + (s << 4));
    const inverseMass = load<f32>(sums + (i << 4), 12);
    const direction = matrixTimes(r0, r1, r2, v128.load(directions + (i << 4)));
    const list = candidates + s * capacity * 4;
    const last = list + (<usize>load<u32>(counts + (s << 2)) << 2);
    const rigid = load<u32>(body + BODY_FIT) == FIT_NONE;
    let change = f32x4.splat(0);
    let moment = f32x4.splat(0);
    for (let at = list; at < last; at += 4) {
      const t = <usize>load<u32>(at);
      const there = v128.load(positions + (t << 4));
      const d = f32x4.sub(here, there);
      const reach = w(here) + w(there);
      const distance2 = dot(d, d);
      if (distance2 >= reach * reach || distance2 == 0) continue;
      const distance = sqrt(distance2);
      const normal = f32x4.mul(d, f32x4.splat(1 / distance));
      const j = <usize>(load<u32>(particles + (t << 2)) & INDEX_MASK);
      const other = bodies + <usize>load<u32>(bodyOf + (j << 2)) * BODY_STRIDE;
      const otherRigid = load<u32>(other + BODY_FIT) == FIT_NONE;
      if (rigid && otherRigid) continue;
      const otherVelocity = v128.load(velocities + (t << 4));
      const ki = w(velocity);
      const kj = w(otherVelocity);
      const k = (<f32>2 * ki * kj) / (ki + kj);
      const bounce = max(load<f32>(body + BODY_RESTITUTION), load<f32>(other + BODY_RESTITUTION));
      const resistance = <f32>2 * sqrt(k / (inverseMass + load<f32>(sums + (j << 4), 12)));
      let relative = f32x4.sub(velocity, otherVelocity);
      if (rigid || otherRigid) relative = f32x4.sub(relative, cross(v128.load((rigid ? body : other) + BODY_TURN), d));
      const parting = dot(relative, normal);
      const nearness = reach / max(distance, CLOSEST * reach);
      const spring = k * (reach - distance) * nearness * nearness;
      const damper = damping * (<f32>1 - bounce) * resistance;
      const push = spring + damper * dampedApproach(parting, reach - distance, rigid || otherRigid ? rate : 0);
      if (push <= 0) continue;
      const tangential = f32x4.sub(relative, f32x4.mul(f32x4.splat(parting), normal));
      const slip = sqrt(dot(tangential, tangential));
      const frictionBound = sqrt(load<f32>(body + BODY_FRICTION) * load<f32>(other + BODY_FRICTION)) * push;
      const drag = damping * resistance;
      const brake = slip * drag > frictionBound ? frictionBound / slip : drag;
      // Rigid bodies are touched at the centre of the solid's particle.
      const difference = f32x4.sub(
        rigid ? rigidDirection(body, there) : direction,
        otherRigid
          ? rigidDirection(other, here)
          : matrixTimes(
              v128.load(other + BODY_FRAME), v128.load(other + BODY_FRAME, 16), v128.load(other + BODY_FRAME, 32),
              v128.load(directions + (j << 4)),
            ),
      );
      const along = dot(difference, normal);
      const stiffness = k * nearness * nearness * (<f32>2 * nearness - <f32>1) + damper * rate;
      change = f32x4.sub(change, f32x4.mul(f32x4.splat((stiffness - brake * rate) * along), normal));
      change = f32x4.sub(change, f32x4.mul(f32x4.splat(brake * rate), difference));
      if (rigid) moment = addMul(moment, f32x4.splat(brake * rate), cross(d, difference));
    }
    if (rigid) {
      const n = i - <usize>load<u32>(body + BODY_RIGID_SHIFT);
      v128.store(rigidForces + (n << 4), change);
      v128.store(rigidMoments + (n << 4), moment);
      continue;
    }
    v128.store(changes + (s << 4), f32x4.replace_lane(rowTimes(change, r0, r1, r2), 3, 0));
  }
}

/** What the search direction does to a point of a rigid body. */
// @ts-ignore: decorator
@inline
function rigidDirection(body: usize, point: v128): v128 {
  const arm = f32x4.sub(point, v128.load(body + BODY_POSITION));
  return f32x4.add(v128.load(body + BODY_DIRECTION_SHIFT), cross(v128.load(body + BODY_DIRECTION_TURN), arm));
}
