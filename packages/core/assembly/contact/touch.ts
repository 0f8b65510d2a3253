import {
  ACCELERATION,
  BLOCK,
  BODIES,
  BODY_BREAKS,
  BODY_FIT,
  BODY_FRAME,
  BODY_FRICTION,
  BODY_OF,
  BODY_RENEWS,
  BODY_STRIDE,
  BODY_TOUCH_SPIN,
  BONDS_LEFT,
  BOND_BEGIN,
  BOND_NEIGHBORS,
  CANDIDATES,
  CANDIDATE_CAPACITY,
  CANDIDATE_COUNT,
  CONSTRAINTS,
  CONSTRAINT_MASK,
  CONSTRAINT_OF,
  CONSTRAINT_STRIDE,
  DISPLACEMENT,
  DRIFT,
  FIT_NONE,
  GRADIENT_SUM,
  INDEX_MASK,
  KICK,
  REACH_BY_SURFACE,
  REST,
  SURFACE_LARGEST,
  SURFACE_OUTWARD,
  SURFACE_PARTICLE,
  SURFACE_PARTNERS,
  SURFACE_POSITION,
  TOUCH_AXIS,
  TOUCH_BEGIN,
  TOUCH_CHANGE,
  TOUCH_CONTACT,
  TOUCH_COUNT,
  TOUCH_COUPLE,
  TOUCH_IMPULSE,
  TOUCH_NORMAL,
  TOUCH_PAIRS,
  TOUCH_PAIR_IMPULSE,
  TOUCH_RELAXATION,
  TOUCH_SETTLES,
  TOUCH_SHARES,
  TOUCH_SHIFT,
  TOUCH_VELOCITY,
  VELOCITY,
} from '../../src/particles/layout';
import { addMul, cross, dot, matrixTimes, vector, w } from '../math/simd';
import { inBodyAxes } from '../solid/forces';

/**
 * Contact of solids by their surfaces, [K06] 5.8 with particles that each carry a part of the surface: its normal, which
 * turns and shears with the body, and its distance. A particle faces those of another surface that are beside it by less
 * than 1.25 spacings, with weights that fall with that; its gap is the mean of the gaps to them along the mean of the
 * normals, which is exact for surfaces of even curvature. Particles at edges and within a body are balls.
 *
 * Contact acts on velocities, as obstacles do: the gap may close by the end of the step and no further, and the impulse
 * that this takes bounds friction. No stiffness limits the step. Impulses are found in rounds of projected Jacobi
 * iteration, each over the sum of its row of the inverse masses, so that none goes too far. An impulse is shared by
 * those that are faced, by their weights, and acts where the surfaces meet: what it turns goes to the rigid motion of the
 * bodies, so momentum and angular momentum are kept.
 */

/** Surfaces are even so many spacings beside their particles. */
const BESIDE: f32 = 1.25;
/** Particles within a body are looked at up to so many touching distances. */
const NEAR_BALLS: f32 = 1.25;
/** Particles nearer than this share of touching balls are balls, of weights that grow up to this as they meet. */
const CORE: f32 = 0.6;
const CORE_WEIGHT: f32 = 30;
/** Normals that add up to less than this are not opposite by 60 degrees: such particles are balls. */
const OPPOSITE: f32 = 1.73;
/** Deeper than this share of touching surfaces have passed each other: balls. */
const PASSED: f32 = 0.5;
/** Share of a penetration that is taken back in a step, and the most of it as a share of touching. */
const PUSH_OUT: f32 = 0.2;
const FARTHEST_PUSH: f32 = 0.1;
/** Penetrations of less than this share of touching stay: what takes them back stirs what rests. */
const SLOP: f32 = 4e-3;
/** Surfaces nearer than this share of touching count as touching. */
const TOUCH: f32 = 1e-3;
/** Where particles face surfaces and balls, balls have so much of a say where to they are pushed. */
const FOLLOWING: f32 = 0.1;
/** Particles that are pushed to all sides, with a mean direction shorter than this, stay. */
const UNDECIDED: f32 = 0.3;
/** Partners that a strain has flattened to less than this share of their volume tell no normal. */
const FLATTENED: f32 = 0.05;

/** Where BONDS_LEFT has the bond of two particles, 0 where they never had one. Neighbours are listed by rising number. */
export function placeOfBond(context: usize, i: usize, j: u32): usize {
  const begins = <usize>load<u32>(context + BOND_BEGIN);
  const neighbors = <usize>load<u32>(context + BOND_NEIGHBORS);
  let low = <usize>load<u32>(begins + (i << 2));
  let high = <usize>load<u32>(begins + (i << 2), 4);
  while (low < high) {
    const k = (low + high) >> 1;
    const neighbor = load<u32>(neighbors + (k << 2));
    if (neighbor == j) return <usize>load<u32>(context + BONDS_LEFT) + (k << 2);
    if (neighbor < j) low = k + 1;
    else high = k;
  }
  return 0;
}


/**
 * Distance at which two particles touch that are so far apart. What was one body touches no farther apart than it was at
 * rest, and what a bond held no farther than since the bond broke: faces of a crack touch from its birth on, and do not
 * burst apart. The farthest since then is noted in place of the bond, at both ends.
 */
// @ts-ignore: decorator
@inline
export function touchingDistance(
  context: usize, rest: usize, breaks: u32, other: usize, i: usize, j: usize, reach: f32, distance2: f32,
): f32 {
  if (breaks == 0 || load<u32>(other + BODY_BREAKS) != breaks) return reach;
  const d = f32x4.sub(v128.load(rest + (j << 4)), v128.load(rest + (i << 4)));
  const whole = min(reach, sqrt(dot(d, d)));
  const bond = placeOfBond(context, i, <u32>j);
  if (bond == 0) return whole;
  const farthest = -load<f32>(bond);
  if (!(farthest > 0 && farthest < whole)) return whole;
  if (distance2 <= farthest * farthest) return farthest;
  const apart = min(whole, sqrt(distance2));
  store<f32>(bond, -apart);
  return apart;
}

/** Does a body touch others of its kind by surfaces? Rigid and viscoplastic ones touch by balls. */
// @ts-ignore: decorator
@inline
export function touchesBySurface(body: usize): bool {
  return load<u32>(body + BODY_FIT) != FIT_NONE && load<u32>(body + BODY_RENEWS) == 0;
}

/** How far apart two particles may be that touch; `a` and `b` are the distances of their surfaces, 0 at edges, -1 within a body. */
// @ts-ignore: decorator
@inline
export function reachBySurface(a: f32, b: f32, halfA: f32, halfB: f32, gap: f32): f32 {
  if (a < 0 || b < 0) return NEAR_BALLS * (halfA + halfB);
  const along = (a > 0 ? a : halfA) + (b > 0 ? b : halfB) + gap;
  const across = BESIDE * (halfA + halfB);
  return sqrt(along * along + across * across);
}

/** The same of a particle and any other, whose distance and half cell are at most the `largest`. */
// @ts-ignore: decorator
@inline
export function farReach(own: f32, half: f32, gap: f32, largest: f32): f32 {
  return own < 0 ? NEAR_BALLS * (half + largest) : reachBySurface(max(own, half), largest, half, largest, gap);
}

/** Where surface particles are and how they move before contact, and their normals, n = F^-T N of them and their partners. */
export function prepareTouch(begin: u32, end: u32, context: usize): void {
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const settles = load<u32>(context + TOUCH_SETTLES) != 0;
  // Candidates may have been found anew within the step.
  const counts = <usize>load<u32>(context + (settles ? TOUCH_COUNT : CANDIDATE_COUNT));
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const accelerations = <usize>load<u32>(context + ACCELERATION);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const constraintOf = <usize>load<u32>(context + CONSTRAINT_OF);
  const constraints = <usize>load<u32>(context + CONSTRAINTS);
  const outwards = <usize>load<u32>(context + SURFACE_OUTWARD);
  const partners = <usize>load<u32>(context + SURFACE_PARTNERS);
  const positions = <usize>load<u32>(context + SURFACE_POSITION);
  const normals = <usize>load<u32>(context + TOUCH_NORMAL);
  const speeds = <usize>load<u32>(context + TOUCH_VELOCITY);
  const contacts = <usize>load<u32>(context + TOUCH_CONTACT);
  const impulses = <usize>load<u32>(context + TOUCH_IMPULSE);
  const couples = <usize>load<u32>(context + TOUCH_COUPLE);
  const kick = f32x4.splat(settles ? 0 : load<f32>(context + KICK));
  const none = f32x4.splat(0);
  for (let s = <usize>begin; s < <usize>end; s++) {
    if (load<u32>(counts + (s << 2)) == 0) continue;
    const i = <usize>(load<u32>(particles + (s << 2)) & INDEX_MASK);
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    if (!touchesBySurface(body)) continue;
    const r0 = v128.load(body + BODY_FRAME);
    const r1 = v128.load(body + BODY_FRAME, 16);
    const r2 = v128.load(body + BODY_FRAME, 32);
    const m = v128.load(rest + (i << 4));
    const p = f32x4.add(m, v128.load(displacements + (i << 4)));
    const v = addMul(v128.load(velocities + (i << 4)), kick, v128.load(accelerations + (i << 4)));
    const position = f32x4.add(matrixTimes(r0, r1, r2, p), vector(w(r0), w(r1), w(r2), 0));
    v128.store(positions + (s << 4), f32x4.replace_lane(position, 3, w(m)));
    const constraint = <usize>load<u32>(constraintOf + (i << 2));
    const held = constraint != 0 && load<u32>(constraints + constraint * CONSTRAINT_STRIDE + CONSTRAINT_MASK) == 7;
    const inverseMass: f32 = held ? 0 : load<f32>(sums + (i << 4), 12);
    v128.store(speeds + (s << 4), f32x4.replace_lane(matrixTimes(r0, r1, r2, v), 3, inverseMass));
    v128.store(contacts + (s << 4), none);
    v128.store(impulses + (s << 4), none);
    v128.store(couples + (s << 4), none);
    const outward = v128.load(outwards + (s << 4));
    if (settles || w(outward) <= 0) {
      if (!settles) v128.store(normals + (s << 4), outward);
      continue;
    }
    let normal = outward;
    const partner = partners + (s << 4);
    if (load<u32>(partner, 12) != 0) {
      const a = <usize>load<u32>(partner) << 4;
      const b = <usize>load<u32>(partner, 4) << 4;
      const c = <usize>load<u32>(partner, 8) << 4;
      const ma = f32x4.sub(v128.load(rest + a), m);
      const mb = f32x4.sub(v128.load(rest + b), m);
      const mc = f32x4.sub(v128.load(rest + c), m);
      const ea = f32x4.sub(f32x4.add(v128.load(rest + a), v128.load(displacements + a)), p);
      const eb = f32x4.sub(f32x4.add(v128.load(rest + b), v128.load(displacements + b)), p);
      const ec = f32x4.sub(f32x4.add(v128.load(rest + c), v128.load(displacements + c)), p);
      const before = dot(ma, cross(mb, mc));
      const now = dot(ea, cross(eb, ec));
      // Sum of dual vectors times what the edges were along the normal; whatever its length, it is made one.
      if (now * before > FLATTENED * before * before) {
        normal = f32x4.mul(cross(eb, ec), f32x4.splat(dot(ma, outward)));
        normal = addMul(normal, cross(ec, ea), f32x4.splat(dot(mb, outward)));
        normal = addMul(normal, cross(ea, eb), f32x4.splat(dot(mc, outward)));
        normal = f32x4.mul(normal, f32x4.splat((before > 0 ? <f32>1 : <f32>-1) / sqrt(dot(normal, normal))));
      }
    }
    v128.store(normals + (s << 4), f32x4.replace_lane(matrixTimes(r0, r1, r2, normal), 3, w(outward)));
  }
}

/** Normal of a pair, towards the first, the distance along it at which they touch, and the gap between flat surfaces. */
let pairNormal: v128 = i32x4(0, 0, 0, 0);
let pairReach: f32 = 0;
let pairGap: f32 = 0;
/** Are both balls, or do they face each other by their surfaces? */
let areBalls = false;

/**
 * Finds these for two surface particles; returns the weight of the pair, 0 where they do not face each other. It is the
 * same from both sides, and fades where the pair comes to an end.
 */
// @ts-ignore: decorator
@inline
function findPair(one: v128, two: v128, here: v128, there: v128, d: v128, distance2: f32, tie: f32, farthest: f32): f32 {
  const halves = w(here) + w(there);
  let beside = BESIDE * halves;
  const isInner = w(one) < 0 || w(two) < 0;
  const isFlat = w(one) > 0;
  const isOtherFlat = w(two) > 0;
  areBalls = true;
  if (!isInner && (isFlat || isOtherFlat)) {
    let n = f32x4.splat(0);
    if (isOtherFlat) n = f32x4.add(n, two);
    if (isFlat) n = f32x4.sub(n, one);
    const length = sqrt(dot(n, n));
    if (!(isFlat && isOtherFlat) || length > OPPOSITE) {
      n = f32x4.mul(n, f32x4.splat(<f32>1 / length));
      const along = dot(n, d);
      const reach = (isFlat ? w(one) : w(here)) + (isOtherFlat ? w(two) : w(there));
      if (along > -PASSED * reach && distance2 > CORE * CORE * halves * halves) {
        const across = max(<f32>0, <f32>1 - (distance2 - along * along) / (beside * beside));
        areBalls = false;
        pairNormal = n;
        pairReach = reach;
        pairGap = along - reach;
        return pairGap < farthest ? across * across * min(<f32>1, <f32>1 - pairGap / farthest) : 0;
      }
    }
  }
  const distance = sqrt(distance2);
  // Two in one place part along y, the one with the lower number downwards.
  pairNormal = distance > 0 ? f32x4.mul(d, f32x4.splat(<f32>1 / distance)) : vector(0, tie, 0, 0);
  pairReach = halves;
  if (isInner) beside = sqrt(NEAR_BALLS * NEAR_BALLS - <f32>1) * halves;
  const across = <f32>1 - max(<f32>0, distance2 - halves * halves) / (beside * beside);
  // What has come so near that it might slip past outweighs what is beside it.
  const core = max(<f32>0, <f32>1 - distance / (CORE * halves));
  return across > 0 ? across * across + CORE_WEIGHT * core : 0;
}

/** The surfaces that particles of solids face, and that they touch or may touch in this step. */
export function findTouching(begin: u32, end: u32, context: usize): void {
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const counts = <usize>load<u32>(context + CANDIDATE_COUNT);
  const candidates = <usize>load<u32>(context + CANDIDATES);
  const capacity = <usize>load<u32>(context + CANDIDATE_CAPACITY);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const rest = <usize>load<u32>(context + REST);
  const positions = <usize>load<u32>(context + SURFACE_POSITION);
  const normals = <usize>load<u32>(context + TOUCH_NORMAL);
  const axes = <usize>load<u32>(context + TOUCH_AXIS);
  const shares = <usize>load<u32>(context + TOUCH_SHARES);
  const begins = <usize>load<u32>(context + TOUCH_BEGIN);
  const found = <usize>load<u32>(context + TOUCH_COUNT);
  const pairs = <usize>load<u32>(context + TOUCH_PAIRS);
  const noted = <usize>load<u32>(context + TOUCH_PAIR_IMPULSE);
  const farthest = load<f32>(context + REACH_BY_SURFACE);
  const largest = load<f32>(context + SURFACE_LARGEST);
  memory.fill(found + (<usize>begin << 2), 0, <usize>(end - begin) << 2);
  for (let s = <usize>begin; s < <usize>end; s++) {
    const count = <usize>load<u32>(counts + (s << 2));
    if (count == 0) continue;
    const i = <usize>(load<u32>(particles + (s << 2)) & INDEX_MASK);
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    if (!touchesBySurface(body)) continue;
    const here = v128.load(positions + (s << 4));
    const normal = v128.load(normals + (s << 4));
    const breaks = load<u32>(body + BODY_BREAKS);
    const first = <usize>load<u32>(begins + (s << 2));
    const list = candidates + s * capacity * 4;
    const far = farReach(w(normal), w(here), farthest, largest);
    const far2 = far * far;
    let axis = f32x4.splat(0);
    let apart = f32x4.splat(0);
    // Of surfaces their gaps, of balls the distance at which they touch along the axis.
    let gaps: f32 = 0;
    let total: f32 = 0;
    let balls = f32x4.splat(0);
    let ballReach: f32 = 0;
    let number: usize = 0;
    for (let at = list; at < list + (count << 2); at += 4) {
      const t = <usize>load<u32>(at);
      const there = v128.load(positions + (t << 4));
      const d = f32x4.sub(here, there);
      const distance2 = dot(d, d);
      if (distance2 >= far2) continue;
      const j = <usize>(load<u32>(particles + (t << 2)) & INDEX_MASK);
      const other = bodies + <usize>load<u32>(bodyOf + (j << 2)) * BODY_STRIDE;
      if (!touchesBySurface(other)) continue;
      // Faces of cracks are balls that are no nearer than they were as neighbours.
      const same = breaks != 0 && load<u32>(other + BODY_BREAKS) == breaks;
      const tie: f32 = s < t ? -1 : 1;
      const none = f32x4.splat(0);
      const otherNormal = same ? none : v128.load(normals + (t << 4));
      const ownNormal = same ? none : normal;
      const weight = findPair(ownNormal, otherNormal, here, there, d, distance2, tie, farthest);
      if (weight == 0) continue;
      if (same) pairReach = touchingDistance(context, rest, breaks, other, i, j, pairReach, distance2);
      const pair = pairs + ((first + number) << 4);
      const a: f32 = w(ownNormal) > 0 ? w(ownNormal) : w(here);
      const b: f32 = w(otherNormal) > 0 ? w(otherNormal) : w(there);
      store<u32>(pair, <u32>t);
      store<f32>(pair, weight, 4);
      store<f32>(pair, a / (a + b), 8);
      if (noted != 0) v128.store(noted + ((first + number) << 4), f32x4.splat(0));
      // Where there are surfaces they say where to, and balls follow.
      axis = addMul(axis, f32x4.splat(areBalls ? FOLLOWING * weight : weight), pairNormal);
      apart = addMul(apart, f32x4.splat(weight), d);
      if (areBalls) {
        balls = addMul(balls, f32x4.splat(weight), d);
        ballReach += weight * pairReach;
      } else {
        gaps += weight * pairGap;
      }
      total += weight;
      number++;
    }
    if (number == 0) continue;
    const length = sqrt(dot(axis, axis));
    // No direction: it is only pushed by the contacts of others.
    const decided = length > UNDECIDED * FOLLOWING * total;
    const inverse: f32 = <f32>1 / total;
    axis = decided ? f32x4.mul(axis, f32x4.splat(<f32>1 / length)) : f32x4.splat(0);
    gaps += dot(axis, balls) - ballReach;
    const touching = decided ? inverse * (dot(axis, apart) - gaps) : -f32.MAX_VALUE;
    v128.store(axes + (s << 4), f32x4.replace_lane(axis, 3, touching));
    v128.store(shares + (s << 4), vector(inverse, 0, 0, 0));
    store<u32>(found + (s << 2), <u32>number);
  }
}

/** The shares that particles have in contacts, their own and those of others. */
export function shareTouch(begin: u32, end: u32, context: usize): void {
  const speeds = <usize>load<u32>(context + TOUCH_VELOCITY);
  const shares = <usize>load<u32>(context + TOUCH_SHARES);
  const begins = <usize>load<u32>(context + TOUCH_BEGIN);
  const found = <usize>load<u32>(context + TOUCH_COUNT);
  const pairs = <usize>load<u32>(context + TOUCH_PAIRS);
  for (let s = <usize>begin; s < <usize>end; s++) {
    const count = <usize>load<u32>(found + (s << 2));
    if (count == 0) continue;
    const first = pairs + (<usize>load<u32>(begins + (s << 2)) << 4);
    let sum: f32 = 1;
    for (let pair = first; pair < first + (count << 4); pair += 16) {
      sum += load<f32>(pair, 4) * load<f32>(shares + (<usize>load<u32>(pair) << 4));
    }
    store<f32>(shares + (s << 4), sum * load<f32>(speeds + (s << 4), 12), 4);
  }
}

/** One round: how the impulses of contacts change, from the velocities that those of the last round leave. */
export function relaxTouch(begin: u32, end: u32, context: usize): void {
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const positions = <usize>load<u32>(context + SURFACE_POSITION);
  const speeds = <usize>load<u32>(context + TOUCH_VELOCITY);
  const axes = <usize>load<u32>(context + TOUCH_AXIS);
  const shares = <usize>load<u32>(context + TOUCH_SHARES);
  const begins = <usize>load<u32>(context + TOUCH_BEGIN);
  const found = <usize>load<u32>(context + TOUCH_COUNT);
  const pairs = <usize>load<u32>(context + TOUCH_PAIRS);
  const contacts = <usize>load<u32>(context + TOUCH_CONTACT);
  const changes = <usize>load<u32>(context + TOUCH_CHANGE);
  const impulses = <usize>load<u32>(context + TOUCH_IMPULSE);
  const settles = load<u32>(context + TOUCH_SETTLES) != 0;
  const perStep: f32 = <f32>1 / load<f32>(context + DRIFT);
  const factor = load<f32>(context + TOUCH_RELAXATION);
  for (let s = <usize>begin; s < <usize>end; s++) {
    const count = <usize>load<u32>(found + (s << 2));
    if (count == 0) continue;
    const none = f32x4.splat(0);
    v128.store(changes + (s << 4), none);
    const axis = v128.load(axes + (s << 4));
    if (w(axis) == -f32.MAX_VALUE) continue;
    const i = <usize>(load<u32>(particles + (s << 2)) & INDEX_MASK);
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const here = v128.load(positions + (s << 4));
    const own = v128.load(speeds + (s << 4));
    const share = v128.load(shares + (s << 4));
    const spin = v128.load(body + BODY_TOUCH_SPIN);
    const first = pairs + (<usize>load<u32>(begins + (s << 2)) << 4);
    let apart = none;
    let others = none;
    let turned = none;
    let friction: f32 = 0;
    let inverse: f32 = 0;
    for (let pair = first; pair < first + (count << 4); pair += 16) {
      const t = <usize>load<u32>(pair);
      const weight = load<f32>(pair, 4);
      const weights = f32x4.splat(weight);
      const d = f32x4.sub(here, v128.load(positions + (t << 4)));
      const before = v128.load(speeds + (t << 4));
      const j = <usize>(load<u32>(particles + (t << 2)) & INDEX_MASK);
      const other = bodies + <usize>load<u32>(bodyOf + (j << 2)) * BODY_STRIDE;
      const to = f32x4.splat(load<f32>(pair, 8));
      // Where they meet, a share of the way to the other.
      const turn = f32x4.add(
        f32x4.mul(to, spin), f32x4.mul(f32x4.sub(f32x4.splat(1), to), v128.load(other + BODY_TOUCH_SPIN)),
      );
      apart = addMul(apart, weights, d);
      others = addMul(others, weights, addMul(before, f32x4.splat(w(before)), v128.load(impulses + (t << 4))));
      turned = addMul(turned, weights, cross(turn, d));
      friction += weight * load<f32>(other + BODY_FRICTION);
      inverse += weight * load<f32>(shares + (t << 4), 4);
    }
    const mean = f32x4.splat(f32x4.extract_lane(share, 0));
    inverse = f32x4.extract_lane(share, 1) + f32x4.extract_lane(share, 0) * inverse;
    if (!(inverse > 0)) continue;
    const gap = dot(axis, f32x4.mul(mean, apart)) - w(axis);
    const before = v128.load(contacts + (s << 4));
    // Only what touches settles.
    if (settles && gap > TOUCH * w(here)) continue;
    const velocity = addMul(own, f32x4.splat(w(own)), v128.load(impulses + (s << 4)));
    const relative = f32x4.sub(velocity, f32x4.mul(mean, f32x4.add(others, turned)));
    const approach = dot(relative, axis);
    const allowed: f32 = gap > 0 && !settles ? -gap * perStep : 0;
    const normal = f32x4.replace_lane(axis, 3, 0);
    const pushed = dot(before, normal);
    const push = max(pushed + (factor * (allowed - approach)) / inverse, <f32>0);
    const tangential = f32x4.sub(relative, f32x4.mul(f32x4.splat(approach), normal));
    const dragged = f32x4.sub(before, f32x4.mul(f32x4.splat(pushed), normal));
    let drag = f32x4.sub(dragged, f32x4.mul(f32x4.splat(factor / inverse), tangential));
    const bound = sqrt(load<f32>(body + BODY_FRICTION) * friction * f32x4.extract_lane(share, 0)) * push;
    const size = sqrt(dot(drag, drag));
    if (size > bound) drag = f32x4.mul(drag, f32x4.splat(bound / size));
    const after = f32x4.replace_lane(addMul(drag, f32x4.splat(push), normal), 3, 0);
    v128.store(contacts + (s << 4), after);
    v128.store(changes + (s << 4), f32x4.sub(after, before));
    if (!settles) {
      const way = min(max(-PUSH_OUT * (gap + SLOP * w(here)), <f32>0), FARTHEST_PUSH * w(here));
      store<f32>(shares + (s << 4), way / inverse, 12);
    }
  }
}

/** What the changes of all contacts are for each particle: its own, and its shares in those that face it. */
export function gatherTouch(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + SURFACE_POSITION);
  const shares = <usize>load<u32>(context + TOUCH_SHARES);
  const begins = <usize>load<u32>(context + TOUCH_BEGIN);
  const found = <usize>load<u32>(context + TOUCH_COUNT);
  const pairs = <usize>load<u32>(context + TOUCH_PAIRS);
  const changes = <usize>load<u32>(context + TOUCH_CHANGE);
  const impulses = <usize>load<u32>(context + TOUCH_IMPULSE);
  const couples = <usize>load<u32>(context + TOUCH_COUPLE);
  const noted = <usize>load<u32>(context + TOUCH_PAIR_IMPULSE);
  for (let s = <usize>begin; s < <usize>end; s++) {
    const count = <usize>load<u32>(found + (s << 2));
    if (count == 0) continue;
    const here = v128.load(positions + (s << 4));
    const change = v128.load(changes + (s << 4));
    const own = load<f32>(shares + (s << 4));
    const first = <usize>load<u32>(begins + (s << 2));
    let sum = v128.load(impulses + (s << 4));
    let couple = v128.load(couples + (s << 4));
    for (let k = first; k < first + count; k++) {
      const pair = pairs + (k << 4);
      const t = <usize>load<u32>(pair);
      const weight = load<f32>(pair, 4);
      // The same to the bit, and opposite, from the other side.
      const mine = f32x4.mul(f32x4.splat(weight * own), change);
      const its = f32x4.mul(f32x4.splat(weight * load<f32>(shares + (t << 4))), v128.load(changes + (t << 4)));
      const impulse = f32x4.sub(mine, its);
      if (!v128.any_true(impulse)) continue;
      sum = f32x4.add(sum, impulse);
      const d = f32x4.sub(here, v128.load(positions + (t << 4)));
      couple = f32x4.sub(couple, f32x4.mul(f32x4.splat(load<f32>(pair, 8)), cross(d, impulse)));
      if (noted != 0) v128.store(noted + (k << 4), f32x4.add(v128.load(noted + (k << 4)), impulse));
    }
    v128.store(impulses + (s << 4), sum);
    v128.store(couples + (s << 4), couple);
  }
}

/** Gives particles their impulses, and takes back what they are inside each other by. */
export function applyTouch(begin: u32, end: u32, context: usize): void {
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const speeds = <usize>load<u32>(context + TOUCH_VELOCITY);
  const axes = <usize>load<u32>(context + TOUCH_AXIS);
  const shares = <usize>load<u32>(context + TOUCH_SHARES);
  const begins = <usize>load<u32>(context + TOUCH_BEGIN);
  const found = <usize>load<u32>(context + TOUCH_COUNT);
  const pairs = <usize>load<u32>(context + TOUCH_PAIRS);
  const impulses = <usize>load<u32>(context + TOUCH_IMPULSE);
  const shifts = <usize>load<u32>(context + TOUCH_SHIFT);
  const couples = <usize>load<u32>(context + TOUCH_COUPLE);
  const settles = load<u32>(context + TOUCH_SETTLES) != 0;
  let farthest: f32 = 0;
  for (let s = <usize>begin; s < <usize>end; s++) {
    const count = <usize>load<u32>(found + (s << 2));
    if (count != 0) {
      const i = <usize>(load<u32>(particles + (s << 2)) & INDEX_MASK);
      const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
      const inverseMass = f32x4.splat(load<f32>(speeds + (s << 4), 12));
      const impulse = v128.load(impulses + (s << 4));
      if (v128.any_true(impulse)) {
        const v = velocities + (i << 4);
        v128.store(v, f32x4.add(v128.load(v), inBodyAxes(body, f32x4.mul(inverseMass, impulse))));
      }
      if (!settles) {
        const share = v128.load(shares + (s << 4));
        let shift = f32x4.mul(f32x4.splat(w(share)), v128.load(axes + (s << 4)));
        const first = pairs + (<usize>load<u32>(begins + (s << 2)) << 4);
        for (let pair = first; pair < first + (count << 4); pair += 16) {
          const t = <usize>load<u32>(pair);
          const other = v128.load(shares + (t << 4));
          const part = load<f32>(pair, 4) * f32x4.extract_lane(other, 0) * w(other);
          shift = f32x4.sub(shift, f32x4.mul(f32x4.splat(part), v128.load(axes + (t << 4))));
        }
        shift = f32x4.replace_lane(f32x4.mul(inverseMass, shift), 3, 0);
        if (v128.any_true(shift)) {
          const u = displacements + (i << 4);
          v128.store(u, f32x4.add(v128.load(u), inBodyAxes(body, shift)));
          // The angular momentum that this way adds is taken from the rigid motion of the body.
          const moving = f32x4.add(v128.load(speeds + (s << 4)), f32x4.mul(inverseMass, impulse));
          const couple = couples + (s << 4);
          const mass = f32x4.splat(<f32>1 / load<f32>(speeds + (s << 4), 12));
          v128.store(couple, f32x4.sub(v128.load(couple), f32x4.mul(mass, cross(shift, moving))));
          const way = dot(shift, shift);
          if (!(way <= farthest)) farthest = way;
        }
      }
    }
    if (((s + 1) & (BLOCK - 1)) == 0 || s + 1 == <usize>end) {
      store<f32>(shifts + ((s / BLOCK) << 2), farthest);
      farthest = 0;
    }
  }
}
