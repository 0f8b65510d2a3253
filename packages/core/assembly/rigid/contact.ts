import {
  BLOCK,
  BODIES,
  BODY_CONTACT_MODULUS,
  BODY_FIT,
  BODY_FRAME,
  BODY_FRICTION,
  BODY_GRAVITY,
  BODY_IMPACT_DAMPING,
  BODY_INVERSE_MASS,
  BODY_OF,
  BODY_SAG,
  BODY_SIDE,
  BODY_STRIDE,
  BODY_TOUCHING,
  BODY_TURN,
  CANDIDATE_COUNT,
  CANDIDATE_CAPACITY,
  CANDIDATES,
  CONTACT_ACTIVE,
  CONTACT_FORCE,
  CONTACT_MOMENT,
  EXTERNAL_FORCE,
  FIT_NONE,
  INDEX_MASK,
  OBSTACLE_COUNT,
  OBSTACLE_FRICTION,
  OBSTACLE_IMPACT_DAMPING,
  OBSTACLE_STRIDE,
  OBSTACLES,
  REST,
  RIGID_DAMPING,
  RIGID_EXACT,
  RIGID_FORCE,
  RIGID_SPRINGS,
  RIGID_LAST_SPRINGS,
  RIGID_LAST_PARTNERS,
  RIGID_LAST_WALL_SPRINGS,
  RIGID_MOMENT,
  RIGID_MOST,
  RIGID_PAIR_FORCE,
  RIGID_PARTICLE,
  RIGID_PARTNERS,
  RIGID_RATE,
  RIGID_CAPACITY,
  RIGID_STEP,
  RIGID_STIFFNESS,
  RIGID_TANGENTS,
  RIGID_WALL_FORCE,
  RIGID_WALL_SPRINGS,
  RIGID_WALL_TANGENTS,
  SURFACE_OF,
  SURFACE_PARTICLE,
  SURFACE_POSITION,
  SURFACE_VELOCITY,
  VELOCITY,
} from '../../src/particles/layout';
import { obstacleDistance, wallVelocity } from '../contact/obstacles';
import { addMul, cross, dot, matrixTimes, vector, w, x, y, z } from '../math/simd';
import { exactX, exactY, exactZ, findExactPosition } from './exact';

/**
 * Contact of rigid bodies by their particles, [K06] 4.4.2 after Bell et al. 2005: balls that press each other
 * by Hertz's law, with damping and Coulomb friction. Between two bodies forces are equal and opposite to the
 * bit, and act at one point, so that momentum is kept.
 *
 *   f_n = k xi^(3/2) + c dxi/dt, never pulling, k = 4/3 E* sqrt(r)                       [K06] eq. 4.17-4.21
 *   c = min(d k xi^(3/2) / v, 2 zeta sqrt(m 3/2 k xi^(1/2))), v the approach at first touch
 *
 * Departs from [K06] eq. 4.19, whose damping k_d xi^(1/2) has the wrong sign and gives a restitution that falls
 * with speed. Damping in proportion to the spring gives one that depends on nothing but d (Hunt and Crossley
 * 1975; see solvers/rigid/restitution.ts), however many particles share the impact. Its bound, a share of the
 * critical damping, is for contacts at rest, where v says nothing any more.
 *
 * Departs from [K06] eq. 4.22, min(mu f_n, k_v |v_t|), under which what rests on a slope creeps: friction has
 * a spring, which is stretched by the slip and holds up to mu f_n (Cundall and Strack 1979).
 */

/** An approach of less energy than this share of that of the contact is none. */
const TREMBLING: f32 = 0.01;
/** Stiffness of friction over that of the normal force, about Mindlin's 2 (1 - nu) / (2 - nu). */
const SHEAR: f32 = 0.8;
/**
 * In a step a gap closes by no more than this share, and contacts get no deeper than these shares of how deep
 * they will get by an impact and by weight: forces at first touch act for the whole step that led there.
 */
const GAP_SHARE: f32 = 0.5;
const IMPACT_SHARE: f32 = 0.1;
const WEIGHT_SHARE: f32 = 0.3;
/** What is nearer than these shares of the same depths may touch after the next step. */
const NEAR_IMPACT_SHARE: f32 = 0.5;
const NEAR_WEIGHT_SHARE: f32 = 2;
/** Particles farther apart than this many touching distances cannot touch in a step; see TRAVEL_SHARE. */
const FAR_REACHES: f32 = 1.5;
/** Steps near a solid are shorter than one over this many frequencies that contact with all of a side will give. */
const SOLID_RATE: f32 = 1.5;
/** An approach slower than this is none [m/s]; it also marks the grip of what touches. */
const SLOWEST: f32 = 1e-9;

// What `press` gives: force on the first of two and its part across the normal [N], stretch of the friction's
// spring and speed at first touch, stiffness [N/m], damping [kg/s].
let force: v128 = f32x4.splat(0);
let friction: v128 = f32x4.splat(0);
let frictionSpring: v128 = f32x4.splat(0);
let stiffness: f32 = 0;
let damper: f32 = 0;
// For implicit steps: how the force changes with the way at the end of the step, along the normal and across it [N/m],
// and the direction of a slip, along which it does not.
let along: f32 = 0;
let across: f32 = 0;
let slide: v128 = f32x4.splat(0);
/** What `impactRate` gives on top: 1 when the two touch or may after the next step, otherwise 0. */
let near: f32 = 0;

/**
 * The law. `relative` is the velocity of the first at the point of contact relative to the second, `normal`
 * points to the first, `mass` is the share of the contact in the reduced mass, `old` its grip a time dt ago.
 */
function press(
  depth: f32, normal: v128, relative: v128, k: f32, mass: f32, impactDamping: f32, mu: f32, old: v128, dt: f32,
): void {
  const closing = -dot(relative, normal);
  const root = sqrt(depth);
  const spring = k * depth * root;
  const speed: f32 = w(old) > 0 ? w(old) : max(closing, SLOWEST);
  stiffness = <f32>1.5 * k * root;
  damper = min(impactDamping * spring / speed, <f32>2 * <f32>RIGID_DAMPING * sqrt(mass * stiffness));
  const push = max(spring + damper * closing, <f32>0);
  const rate: f32 = dt > 0 ? <f32>1 / dt : 0;
  const grade: f32 = impactDamping * spring / speed > damper ? 0.25 : 1.5;
  along = push > 0 ? max(stiffness + (grade * damper / depth) * closing, <f32>0) + damper * rate : 0;

  const slip = addMul(relative, f32x4.splat(closing), normal);
  const shear = SHEAR * stiffness;
  let stretch = f32x4.sub(old, f32x4.mul(f32x4.splat(dot(old, normal)), normal));
  // As an impact makes the contact stiffer the force is kept, not the stretch, which would be energy from nowhere.
  // What rests and trembles keeps the stretch: it would creep.
  const impact = closing > 0 && mass * closing * closing > TREMBLING * spring * depth;
  if (impact) stretch = f32x4.mul(stretch, f32x4.splat(sqrt(max(depth - closing * dt, <f32>0) / depth)));
  stretch = addMul(stretch, f32x4.splat(dt), slip);
  friction = f32x4.mul(f32x4.splat(-shear), stretch);
  const drag = <f32>2 * <f32>RIGID_DAMPING * sqrt(mass * shear);
  friction = f32x4.sub(friction, f32x4.mul(f32x4.splat(drag), slip));
  damper = max(damper, mu > 0 ? drag : 0);
  across = shear + drag * rate;
  slide = f32x4.splat(0);
  const hold = mu * push;
  const pull = sqrt(dot(friction, friction));
  if (pull > hold) {
    across *= hold / pull;
    slide = f32x4.mul(friction, f32x4.splat(<f32>1 / pull));
    friction = f32x4.mul(friction, f32x4.splat(hold / pull));
    stretch = f32x4.mul(friction, f32x4.splat(<f32>-1 / shear));
  }
  friction = f32x4.replace_lane(friction, 3, 0);
  force = addMul(friction, f32x4.splat(push), f32x4.replace_lane(normal, 3, 0));
  frictionSpring = f32x4.replace_lane(stretch, 3, speed);
}

/** Leaves the stiffness of the contact that `press` has looked at: along n n^T + across (I - n n^T - s s^T). */
function linearise(to: usize, normal: v128, point: v128): void {
  const difference = along - across;
  const nx = x(normal), ny = y(normal), nz = z(normal);
  const sx = x(slide), sy = y(slide), sz = z(slide);
  v128.store(to, vector(
    across + difference * nx * nx - across * sx * sx,
    across + difference * ny * ny - across * sy * sy,
    across + difference * nz * nz - across * sz * sz,
    0,
  ));
  v128.store(to, vector(
    difference * ny * nz - across * sy * sz,
    difference * nx * nz - across * sx * sz,
    difference * nx * ny - across * sx * sy,
    0,
  ), 16);
  v128.store(to, point, 32);
}

/** x^(1/5) for x >= 0, to a few digits. */
function fifthRoot(x: f32): f32 {
  if (!(x > <f32>1e-30)) return 0;
  // A fifth of the exponent, then Newton's method.
  let root = reinterpret<f32>(<u32>(reinterpret<u32>(x) / 5) + 0x32cc0000);
  for (let k = 0; k < 3; k++) {
    const square = root * root;
    root -= (root - x / (square * square)) * <f32>0.2;
  }
  return root;
}

/**
 * One over the time in which a contact may come: until the gap is closed and a share of the depth is reached
 * that an impact with this speed, or the weight, will give; for bodies that also fall with `gravity`. 0 when it
 * is less than `atMost` anyway.
 */
function impactRate(gap: f32, closing: f32, k: f32, mass: f32, sag: f32, gravity: f32, atMost: f32): f32 {
  const speed = max(closing, <f32>0);
  // Far enough, whatever the depth.
  near = 0;
  const part = GAP_SHARE * max(gap, <f32>0);
  if (gap > 0 && speed + sqrt(speed * speed + <f32>2 * gravity * part) <= <f32>2 * part * atMost) return 0;
  // 5/4 m v^2 = k xi^(5/2)
  const root = fifthRoot((<f32>1.25 * mass * speed * speed) / k);
  const depth = root * root;
  if (gap <= NEAR_IMPACT_SHARE * depth + NEAR_WEIGHT_SHARE * sag) near = 1;
  const allowance = part + IMPACT_SHARE * depth + WEIGHT_SHARE * sag;
  return allowance > 0 ? (speed + sqrt(speed * speed + <f32>2 * gravity * allowance)) / (<f32>2 * allowance) : 0;
}

/**
 * Forces on the particles of rigid bodies from everything that they touch and from outside, and how long the
 * next step may be. The range is one of rigid particles.
 */
export function computeRigidContacts(begin: u32, end: u32, context: usize): void {
  const numbers = <usize>load<u32>(context + RIGID_PARTICLE);
  const rest = <usize>load<u32>(context + REST);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const forces = <usize>load<u32>(context + RIGID_FORCE);
  const moments = <usize>load<u32>(context + RIGID_MOMENT);
  const stiffnesses = <usize>load<u32>(context + RIGID_STIFFNESS);
  const external = <usize>load<u32>(context + EXTERNAL_FORCE);
  const contact = load<u32>(context + CONTACT_ACTIVE) != 0;
  const surfaceOf = <usize>load<u32>(context + SURFACE_OF);
  const contactForces = <usize>load<u32>(context + CONTACT_FORCE);
  const solids = <usize>load<u32>(context + CONTACT_MOMENT);
  const particles = <usize>load<u32>(context + SURFACE_PARTICLE);
  const positions = <usize>load<u32>(context + SURFACE_POSITION);
  const speeds = <usize>load<u32>(context + SURFACE_VELOCITY);
  const counts = <usize>load<u32>(context + CANDIDATE_COUNT);
  const candidates = <usize>load<u32>(context + CANDIDATES);
  const candidateCapacity = <usize>load<u32>(context + CANDIDATE_CAPACITY);
  const partners = <usize>load<u32>(context + RIGID_PARTNERS);
  const springs = <usize>load<u32>(context + RIGID_SPRINGS);
  const lastPartners = <usize>load<u32>(context + RIGID_LAST_PARTNERS);
  const lastSprings = <usize>load<u32>(context + RIGID_LAST_SPRINGS);
  const capacity = <usize>load<u32>(context + RIGID_CAPACITY);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const exact = load<u32>(context + RIGID_EXACT) != 0;
  const obstacleCount: usize = exact ? 0 : <usize>load<u32>(context + OBSTACLE_COUNT);
  const wallSprings = <usize>load<u32>(context + RIGID_WALL_SPRINGS);
  const lastWallSprings = <usize>load<u32>(context + RIGID_LAST_WALL_SPRINGS);
  const tangents = <usize>load<u32>(context + RIGID_TANGENTS);
  const wallTangents = <usize>load<u32>(context + RIGID_WALL_TANGENTS);
  const rates = <usize>load<u32>(context + RIGID_RATE);
  const mosts = <usize>load<u32>(context + RIGID_MOST);
  const dt = load<f32>(context + RIGID_STEP);
  const pairForces = <usize>load<u32>(context + RIGID_PAIR_FORCE);
  const wallForces = <usize>load<u32>(context + RIGID_WALL_FORCE);
  let fastest: f32 = 0;
  let most: usize = 0;
  for (let n = <usize>begin; n < <usize>end; n++) {
    const i = <usize>load<u32>(numbers + (n << 2));
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const r0 = v128.load(body + BODY_FRAME);
    const r1 = v128.load(body + BODY_FRAME, 16);
    const r2 = v128.load(body + BODY_FRAME, 32);
    const m = v128.load(rest + (i << 4));
    const radius = w(m);
    const velocity = matrixTimes(r0, r1, r2, v128.load(velocities + (i << 4)));
    const turn = v128.load(body + BODY_TURN);
    const inverseMass = load<f32>(body + BODY_INVERSE_MASS);
    const touching = load<f32>(body + BODY_TOUCHING);
    const modulus = load<f32>(body + BODY_CONTACT_MODULUS);
    const bodyGravity = v128.load(body + BODY_GRAVITY);
    const gravity = sqrt(dot(bodyGravity, bodyGravity));
    let total = f32x4.splat(0);
    let moment = f32x4.splat(0);
    let touch: f32 = 0;
    let stiff: f32 = 0;
    let damp: f32 = 0;
    let deepest: f32 = 0;

    let hereX: f64 = 0, hereY: f64 = 0, hereZ: f64 = 0;
    if (tangents != 0) {
      findExactPosition(body, m, f32x4.splat(0));
      hereX = exactX;
      hereY = exactY;
      hereZ = exactZ;
    }
    let found: usize = 0;
    if (contact) {
      const s = <usize>load<u32>(surfaceOf + (i << 2)) - 1;
      if (load<u32>(surfaceOf + (i << 2)) != 0) {
        total = v128.load(contactForces + (s << 4));
        // Two masses on one spring: its frequency is that of twice the stiffness.
        stiff = <f32>2 * w(total);
        if (solids != 0) moment = v128.load(solids + (s << 4));
        const here = v128.load(positions + (s << 4));
        const list = candidates + s * candidateCapacity * 4;
        const last = list + (<usize>load<u32>(counts + (s << 2)) << 2);
        let known = lastPartners + n * capacity * 4;
        let knownSpring = lastSprings + n * capacity * 16;
        const knownEnd = known + capacity * 4;
        for (let at = list; at < last; at += 4) {
          const t = <usize>load<u32>(at);
          const j = <usize>(load<u32>(particles + (t << 2)) & INDEX_MASK);
          const other = bodies + <usize>load<u32>(bodyOf + (j << 2)) * BODY_STRIDE;
          const there = v128.load(positions + (t << 4));
          let d = f32x4.sub(here, there);
          const reach = radius + w(there);
          const distance2 = dot(d, d);
          // Farther than two particles may come nearer in a step.
          if (distance2 > FAR_REACHES * FAR_REACHES * reach * reach) continue;
          if (load<u32>(other + BODY_FIT) != FIT_NONE) {
            const mine = load<f32>(speeds + (s << 4), 12);
            const theirs = load<f32>(speeds + (t << 4), 12);
            const rate = SOLID_RATE * sqrt(((<f32>2 * mine * theirs) / (mine + theirs)) * load<f32>(body + BODY_SIDE) * inverseMass);
            if (!(rate <= fastest)) fastest = rate;
            continue;
          }
          if (exact) continue;
          let distance = sqrt(distance2);
          let depth = reach - distance;
          if (tangents != 0) {
            findExactPosition(other, v128.load(rest + (j << 4)), f32x4.splat(0));
            const dx = hereX - exactX, dy = hereY - exactY, dz = hereZ - exactZ;
            const apart = sqrt(dx * dx + dy * dy + dz * dz);
            d = vector(<f32>dx, <f32>dy, <f32>dz, 0);
            distance = <f32>apart;
            depth = <f32>(<f64>reach - apart);
          }
          const normal =
            distance > 0 ? f32x4.mul(d, f32x4.splat(<f32>1 / distance)) : vector(0, i < j ? <f32>-1 : <f32>1, 0, 0);
          // From the centres to the one point of contact.
          const arm = f32x4.mul(f32x4.splat(<f32>0.5 * max(depth, <f32>0) - radius), normal);
          const otherArm = f32x4.mul(f32x4.splat(w(there) - <f32>0.5 * max(depth, <f32>0)), normal);
          const relative = f32x4.sub(
            f32x4.add(velocity, cross(turn, arm)),
            f32x4.add(v128.load(speeds + (t << 4)), cross(v128.load(other + BODY_TURN), otherArm)),
          );
          const otherModulus = load<f32>(other + BODY_CONTACT_MODULUS);
          const k: f32 =
            (<f32>4 / <f32>3) * ((modulus * otherModulus) / (modulus + otherModulus)) * sqrt((radius * w(there)) / reach);
          const mass = <f32>1 / (inverseMass + load<f32>(other + BODY_INVERSE_MASS));
          const side = min(load<f32>(body + BODY_SIDE), load<f32>(other + BODY_SIDE));
          const sag = min(load<f32>(body + BODY_SAG), load<f32>(other + BODY_SAG));
          const rate = impactRate(-depth, -dot(relative, normal), k * side, mass, sag, gravity, fastest);
          if (!(rate <= fastest)) fastest = rate;
          touch += near;
          if (depth <= 0) continue;
          // Both lists rise by number.
          while (known < knownEnd && load<u32>(known) != 0 && load<u32>(known) < <u32>j + 1) {
            known += 4;
            knownSpring += 16;
          }
          const old = known < knownEnd && load<u32>(known) == <u32>j + 1 ? v128.load(knownSpring) : f32x4.splat(0);
          const shared = max(<f32>1, max(touching, load<f32>(other + BODY_TOUCHING)));
          const impactDamping = min(load<f32>(body + BODY_IMPACT_DAMPING), load<f32>(other + BODY_IMPACT_DAMPING));
          const mu = sqrt(load<f32>(body + BODY_FRICTION) * load<f32>(other + BODY_FRICTION));
          press(depth, normal, relative, k, mass / shared, impactDamping, mu, old, dt);
          // Where there is no slot left the pass is run again, with more of them.
          if (found < capacity) {
            store<u32>(partners + ((n * capacity + found) << 2), <u32>j + 1);
            v128.store(springs + ((n * capacity + found) << 4), frictionSpring);
            if (pairForces != 0) v128.store(pairForces + ((n * capacity + found) << 4), force);
            if (tangents != 0) linearise(tangents + (n * capacity + found) * 48, normal, f32x4.add(here, arm));
          }
          found++;
          total = f32x4.add(total, force);
          stiff += <f32>2 * stiffness;
          damp += <f32>2 * damper;
          moment = f32x4.add(moment, cross(arm, friction));
        }
      }
    }
    if (found < capacity) store<u32>(partners + ((n * capacity + found) << 2), 0);
    most = max(most, found);

    const position = f32x4.add(vector(w(r0), w(r1), w(r2), 0), matrixTimes(r0, r1, r2, m));
    const side = load<f32>(body + BODY_SIDE);
    for (let o: usize = 0; o < obstacleCount; o++) {
      const obstacle = obstacles + o * OBSTACLE_STRIDE;
      const at = wallSprings + ((n * obstacleCount + o) << 4);
      const wall = obstacleDistance(obstacle, position);
      let depth = radius - w(wall);
      if (tangents != 0) {
        // What float32 has left out of the position.
        const lost = <f64>x(wall) * (hereX - <f64>x(position)) + <f64>y(wall) * (hereY - <f64>y(position))
          + <f64>z(wall) * (hereZ - <f64>z(position));
        depth = <f32>(<f64>radius - <f64>w(wall) - lost);
      }
      const arm = f32x4.mul(f32x4.splat(<f32>0.5 * max(depth, <f32>0) - radius), wall);
      const relative = f32x4.sub(
        f32x4.add(velocity, cross(turn, arm)), wallVelocity(obstacle, f32x4.add(position, arm)),
      );
      const k: f32 = (<f32>4 / <f32>3) * modulus * sqrt(radius);
      const mass: f32 = <f32>1 / inverseMass;
      const rate = impactRate(-depth, -dot(relative, wall), k * side, mass, load<f32>(body + BODY_SAG), gravity, fastest);
      if (!(rate <= fastest)) fastest = rate;
      touch += near;
      if (depth <= 0) {
        v128.store(at, f32x4.splat(0));
        if (wallForces != 0) v128.store(wallForces + (at - wallSprings), f32x4.splat(0));
        continue;
      }
      const impactDamping = min(load<f32>(body + BODY_IMPACT_DAMPING), load<f32>(obstacle + OBSTACLE_IMPACT_DAMPING));
      const mu = sqrt(load<f32>(body + BODY_FRICTION) * load<f32>(obstacle + OBSTACLE_FRICTION));
      press(depth, wall, relative, k, mass / max(<f32>1, touching), impactDamping, mu, v128.load(lastWallSprings + ((n * obstacleCount + o) << 4)), dt);
      v128.store(at, frictionSpring);
      if (wallForces != 0) v128.store(wallForces + (at - wallSprings), force);
      if (wallTangents != 0) linearise(wallTangents + (n * obstacleCount + o) * 48, wall, f32x4.add(position, arm));
      total = f32x4.add(total, force);
      stiff += stiffness;
      damp += damper;
      deepest = max(deepest, depth);
      moment = f32x4.add(moment, cross(arm, friction));
    }
    if (external != 0) total = f32x4.add(total, v128.load(external + (i << 4)));
    v128.store(forces + (n << 4), f32x4.replace_lane(total, 3, 0));
    v128.store(moments + (n << 4), moment);
    v128.store(stiffnesses + (n << 4), vector(stiff, damp, touch, deepest / radius));
    if (((n + 1) & (BLOCK - 1)) == 0 || n + 1 == <usize>end) {
      store<f32>(rates + ((n / BLOCK) << 2), fastest);
      store<f32>(mosts + ((n / BLOCK) << 2), <f32>most);
      fastest = 0;
      most = 0;
    }
  }
}
