import {
  BLOCK,
  BODIES,
  BODY_BOX_HIGH,
  BODY_BOX_LOW,
  BODY_BREAKS,
  BODY_CONTACT,
  BODY_COUNT,
  BODY_DIRECTION_SHIFT,
  BODY_DIRECTION_TURN,
  BODY_FIT,
  BODY_FRAME,
  BODY_FRICTION,
  BODY_OF,
  BODY_POSITION,
  BODY_RESTITUTION,
  BODY_RIGID_SHIFT,
  BODY_RENEWS,
  BODY_STRIDE,
  BODY_SUPPORT,
  BODY_TURN,
  BOND_BEGIN,
  BOND_NEIGHBORS,
  BONDS_LEFT,
  BUCKET_BEGIN,
  BUCKET_BOXES,
  BUCKET_MASK,
  CANDIDATE_COUNT,
  CANDIDATES,
  CANDIDATE_CAPACITY,
  CELL_KEYS,
  CELL_SIZE,
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
  INNER,
  LOST,
  PAIR_FORCE,
  PART_OF,
  REST,
  RIGID_FORCE,
  RIGID_MOMENT,
  SELF_CONTACT,
  SKIN,
  SORTED,
  SURFACE_PARTICLE,
  SURFACE_POSITION,
  SURFACE_REFERENCE,
  SURFACE_TRAVEL,
  SURFACE_VELOCITY,
  VELOCITY,
} from '../../src/particles/layout';
import { addMul, columnX, columnY, columnZ, cross, dot, matrixTimes, rowTimes, splatX, splatY, splatZ, vector, w, x, y, z } from '../math/simd';
import { inBodyAxes } from '../solid/forces';
import { areBonded } from '../solid/renewal-search';
import { exactX, exactY, exactZ, findExactPosition } from '../rigid/exact';
import { bucketOf, cellKey, cellOf } from '../neighbors/grid';

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

/** Has one of two particles lost bonds? */
// @ts-ignore: decorator
@inline
function isCracked(context: usize, i: usize, j: usize): bool {
  const lost = <usize>load<u32>(context + LOST);
  return load<f32>(lost + (i << 4), 12) > 0 || load<f32>(lost + (j << 4), 12) > 0;
}

/** Is a bond left between two particles? */
function isBonded(context: usize, i: usize, j: u32): bool {
  const begins = <usize>load<u32>(context + BOND_BEGIN);
  const neighbors = <usize>load<u32>(context + BOND_NEIGHBORS);
  const last = <usize>load<u32>(begins + (i << 2), 4);
  for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
    if (load<u32>(neighbors + (k << 2)) == j) return load<f32>(<usize>load<u32>(context + BONDS_LEFT) + (k << 2)) > 0;
  }
  return false;
}

/**
 * Distance at which two particles touch. What was one body touches no farther apart than it was at rest: faces of a
 * crack touch from its birth on, and do not burst apart.
 */
// @ts-ignore: decorator
@inline
function touchingDistance(rest: usize, breaks: u32, other: usize, i: usize, j: usize, reach: f32): f32 {
  if (breaks == 0 || load<u32>(other + BODY_BREAKS) != breaks) return reach;
  const d = f32x4.sub(v128.load(rest + (j << 4)), v128.load(rest + (i << 4)));
  return min(reach, sqrt(dot(d, d)));
}

/** May these two surface particles ever touch? */
// @ts-ignore: decorator
@inline
function canTouch(context: usize, rest: usize, bodies: usize, bodyOf: usize, one: u32, other: u32): bool {
  const i = <usize>(one & INDEX_MASK);
  const j = <usize>(other & INDEX_MASK);
  const bi = load<u32>(bodyOf + (i << 2));
  const bj = load<u32>(bodyOf + (j << 2));
  const body = bodies + <usize>bi * BODY_STRIDE;
  if (bi != bj) return (load<u32>(body + BODY_CONTACT) & load<u32>(bodies + <usize>bj * BODY_STRIDE + BODY_CONTACT) & 1) != 0;
  if ((load<u32>(body + BODY_CONTACT) & 2) == 0 || ((one | other) & INNER) != 0) return false;
  const partOf = <usize>load<u32>(context + PART_OF);
  if (load<u32>(partOf + (i << 2)) != load<u32>(partOf + (j << 2))) return true;
  if (load<u32>(body + BODY_BREAKS) != 0 && isCracked(context, i, j)) return !isBonded(context, i, <u32>j);
  // Rest positions of what is renewed are those of a moment ago.
  if (load<u32>(body + BODY_RENEWS) != 0) return !areBonded(context, i, j);
  const d = f32x4.sub(v128.load(rest + (j << 4)), v128.load(rest + (i << 4)));
  const far = load<f32>(context + SELF_CONTACT) * load<f32>(body + BODY_SUPPORT);
  return dot(d, d) > far * far;
}

/** Is all that a bucket holds of the same part of a body, and so near at rest that it never touches? */
// @ts-ignore: decorator
@inline
function isNear(box: usize, body: u32, part: u32, position: v128, far: f32): bool {
  const low = v128.load(box);
  const high = v128.load(box, 16);
  if (w(low) != <f32>body || w(high) != <f32>part) return false;
  const d = f32x4.max(f32x4.sub(position, low), f32x4.sub(high, position));
  return dot(d, d) <= far * far;
}

/** Boxes of the rest positions in each bucket; on ranges of buckets. */
export function boundBuckets(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const partOf = <usize>load<u32>(context + PART_OF);
  const buckets = <usize>load<u32>(context + BUCKET_BEGIN);
  const sorted = <usize>load<u32>(context + SORTED);
  const boxes = <usize>load<u32>(context + BUCKET_BOXES);
  for (let bucket = <usize>begin; bucket < <usize>end; bucket++) {
    const last = <usize>load<u32>(buckets + (bucket << 2), 4);
    let k = <usize>load<u32>(buckets + (bucket << 2));
    if (k == last) continue;
    let low = f32x4.splat(f32.MAX_VALUE);
    let high = f32x4.splat(-f32.MAX_VALUE);
    let body: f32 = -1;
    let part: f32 = -1;
    for (const first = k; k < last; k++) {
      const i = <usize>(load<u32>(particles + (<usize>load<u32>(sorted + (k << 2)) << 2)) & INDEX_MASK);
      const position = v128.load(rest + (i << 4));
      const own = <f32>load<u32>(bodyOf + (i << 2));
      low = f32x4.min(low, position);
      high = f32x4.max(high, position);
      body = k == first || body == own ? own : -1;
      const ownPart = <f32>load<u32>(partOf + (i << 2));
      part = k == first || part == ownPart ? ownPart : -1;
    }
    v128.store(boxes + (bucket << 5), f32x4.replace_lane(low, 3, body));
    v128.store(boxes + (bucket << 5), f32x4.replace_lane(high, 3, part), 16);
  }
}

/** Is a point in the box of a body other than its own, or within the skin of it? The boxes include the radii. */
function inOtherBox(bodies: usize, count: usize, own: u32, here: v128, skin: f32): bool {
  const reach = f32x4.splat(skin + w(here));
  for (let b: usize = 0; b < count; b++) {
    if (<u32>b == own) continue;
    const low = f32x4.sub(v128.load(bodies + b * BODY_STRIDE + BODY_BOX_LOW), reach);
    const high = f32x4.add(v128.load(bodies + b * BODY_STRIDE + BODY_BOX_HIGH), reach);
    const outside = v128.or(f32x4.lt(here, low), f32x4.gt(here, high));
    if ((i32x4.bitmask(outside) & 7) == 0) return true;
  }
  return false;
}

/** Lists of the surface particles that may touch before any two have come nearer by the skin. */
export function findCandidates(begin: u32, end: u32, context: usize): void {
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const positions = <usize>load<u32>(context + SURFACE_POSITION);
  const counts = <usize>load<u32>(context + CANDIDATE_COUNT);
  const candidates = <usize>load<u32>(context + CANDIDATES);
  const rest = <usize>load<u32>(context + REST);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const partOf = <usize>load<u32>(context + PART_OF);
  const keys = <usize>load<u32>(context + CELL_KEYS);
  const buckets = <usize>load<u32>(context + BUCKET_BEGIN);
  const sorted = <usize>load<u32>(context + SORTED);
  const mask = load<u32>(context + BUCKET_MASK);
  const size = load<f32>(context + CELL_SIZE);
  const skin = load<f32>(context + SKIN);
  const capacity = <usize>load<u32>(context + CANDIDATE_CAPACITY);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const references = <usize>load<u32>(context + SURFACE_REFERENCE);
  const bodyCount = <usize>load<u32>(context + BODY_COUNT);
  const boxes = <usize>load<u32>(context + BUCKET_BOXES);
  for (let s = <usize>begin; s < <usize>end; s++) {
    const here = v128.load(positions + (s << 4));
    const i = <usize>(load<u32>(particles + (s << 2)) & INDEX_MASK);
    const position = v128.load(rest + (i << 4));
    const body = load<u32>(bodyOf + (i << 2));
    const part = load<u32>(partOf + (i << 2));
    const far = load<f32>(context + SELF_CONTACT) * load<f32>(bodies + <usize>body * BODY_STRIDE + BODY_SUPPORT);
    v128.store(references + (s << 4), f32x4.add(position, v128.load(displacements + (i << 4))));
    const list = candidates + s * capacity * 4;
    const cx = cellOf(x(here), size);
    const cy = cellOf(y(here), size);
    const cz = cellOf(z(here), size);
    // Inner particles only meet other bodies: those in whose boxes they are.
    const number = load<u32>(particles + (s << 2));
    if ((number & INNER) != 0 && !inOtherBox(bodies, bodyCount, load<u32>(bodyOf + (i << 2)), here, skin)) {
      store<u32>(counts + (s << 2), 0);
      continue;
    }
    let found: usize = 0;
    for (let a = cx - 1; a <= cx + 1; a++) {
      for (let b = cy - 1; b <= cy + 1; b++) {
        for (let c = cz - 1; c <= cz + 1; c++) {
          const bucket = <usize>bucketOf(a, b, c, mask);
          const last = <usize>load<u32>(buckets + (bucket << 2), 4);
          let k = <usize>load<u32>(buckets + (bucket << 2));
          if (k == last || (boxes != 0 && isNear(boxes + (bucket << 5), body, part, position, far))) continue;
          const key = cellKey(a, b, c);
          for (; k < last; k++) {
            const t = <usize>load<u32>(sorted + (k << 2));
            if (t == s || load<u64>(keys + (t << 3)) != key) continue;
            const there = v128.load(positions + (t << 4));
            const d = f32x4.sub(there, here);
            const reach = w(here) + w(there) + skin;
            if (dot(d, d) >= reach * reach) continue;
            const other = load<u32>(particles + (t << 2));
            if (!canTouch(context, rest, bodies, bodyOf, number, other)) continue;
            // Past the room only the count goes on, and the caller makes more of it.
            if (found >= capacity) {
              found++;
              continue;
            }
            // Kept by rising number, so that sums do not depend on when the list was made.
            let to = found;
            while (to > 0 && load<u32>(list + ((to - 1) << 2)) > <u32>t) {
              store<u32>(list + (to << 2), load<u32>(list + ((to - 1) << 2)));
              to--;
            }
            store<u32>(list + (to << 2), <u32>t);
            found++;
          }
        }
      }
    }
    store<u32>(counts + (s << 2), <u32>found);
  }
}

/** The largest number of candidates that a surface particle has. */
export function mostCandidates(counts: usize, surface: u32): u32 {
  let most: u32 = 0;
  for (let s: usize = 0; s < <usize>surface; s++) most = max(most, load<u32>(counts + (s << 2)));
  return most;
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
      const reach = touchingDistance(rest, breaks, other, i, j, farthest);
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
