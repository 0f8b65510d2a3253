// Rays against triangles and balls in a tree of boxes, four to a node.
import { CROSSINGS, HIT, HIT_SLOT, HIT_U, HIT_V, NEAR, STACK } from './memory';

/** Barycentric coordinates may miss a triangle by this: no ray slips through between neighbours. */
const SLACK: f64 = 1e-9;
/** A little more than the rounding of the products. */
const ROUNDING: f32 = 1.000001;
/** Bytes of a node: the low and high sides of four boxes for each axis, then the numbers of the children. */
const NODE: i32 = 112;
const CHILDREN: usize = 96;
/** Bytes of a primitive: first corner and edges of a triangle, or centre and radius of a ball. */
export const SLOT: i32 = 72;
/** Most crossings of glass that a shadow ray takes into account. */
const MOST_CROSSINGS: i32 = 20;

let nodes: usize = 0;
let leaves: usize = 0;
export let slots: usize = 0;
/** Number of a slot's primitive. */
let order: usize = 0;
/** A byte per slot, 1 where light goes through. */
let clear: usize = 0;
let triangleCount: i32 = 0;
let centerX: f64 = 0;
let centerY: f64 = 0;
let centerZ: f64 = 0;
let radius: f64 = 0;

export function setTree(
  nodes_: usize,
  leaves_: usize,
  order_: usize,
  clear_: usize,
  slots_: usize,
  triangleCount_: i32,
): void {
  nodes = nodes_;
  leaves = leaves_;
  order = order_;
  clear = clear_;
  slots = slots_;
  triangleCount = triangleCount_;
}

/** A ball around everything. */
export function setBounds(x: f64, y: f64, z: f64, radius_: f64): void {
  centerX = x;
  centerY = y;
  centerZ = z;
  radius = radius_;
}

// @ts-ignore: decorator
@inline
export function primitiveOf(slot: i32): i32 {
  return load<i32>(order + 4 * slot);
}

// @ts-ignore: decorator
@inline
export function isTriangle(primitive: i32): bool {
  return primitive < triangleCount;
}

/** The nearest hit before `far`; true when there is one. */
export function closest(ox: f64, oy: f64, oz: f64, dx: f64, dy: f64, dz: f64, far: f64): bool {
  return trace(ox, oy, oz, dx, dy, dz, far, false);
}

/** How often the last shadow ray crosses surfaces of glass. */
export let crossings: i32 = 0;

/** Whether something that is not glass is in the way up to `far`. */
export function blocked(ox: f64, oy: f64, oz: f64, dx: f64, dy: f64, dz: f64, far: f64): bool {
  crossings = 0;
  return trace(ox, oy, oz, dx, dy, dz, far, true);
}

/**
 * Boxes are looked at in float32, four at a time, from where the ray comes near them: far cameras lose no digits.
 * A shadow ray ends at anything that is not clear, and keeps a list of what is.
 */
// @ts-ignore: decorator
@inline
function trace(ox: f64, oy: f64, oz: f64, dx: f64, dy: f64, dz: f64, far: f64, isShadow: bool): bool {
  store<f64>(HIT, far);
  store<i32>(HIT_SLOT, -1);
  const along = (centerX - ox) * dx + (centerY - oy) * dy + (centerZ - oz) * dz;
  const skipped = max<f64>(0, along - 2 * radius);
  const vox = f32x4.splat(<f32>(ox + skipped * dx));
  const voy = f32x4.splat(<f32>(oy + skipped * dy));
  const voz = f32x4.splat(<f32>(oz + skipped * dz));
  const ix = inverse(dx);
  const iy = inverse(dy);
  const iz = inverse(dz);
  const vix = f32x4.splat(ix);
  const viy = f32x4.splat(iy);
  const viz = f32x4.splat(iz);
  // Rows of the sides that the ray meets first, and last; -0 has a sign too.
  const nearX: usize = ix < 0 ? 16 : 0;
  const nearY: usize = iy < 0 ? 48 : 32;
  const nearZ: usize = iz < 0 ? 80 : 64;
  const farX: usize = 16 - nearX;
  const farY: usize = 80 - nearY;
  const farZ: usize = 144 - nearZ;
  const zero = f32x4.splat(0);
  const rounding = f32x4.splat(ROUNDING);
  let limit = <f32>(far - skipped);
  let top = STACK;
  let node: i32 = 0;
  while (true) {
    if (node < 0) {
      const leaf = leaves + 8 * (-1 - node);
      const end = load<i32>(leaf, 4);
      for (let slot = load<i32>(leaf); slot < end; slot++) {
        const isHit = isTriangle(primitiveOf(slot))
          ? hitTriangle(slot, ox, oy, oz, dx, dy, dz)
          : hitBall(slot, ox, oy, oz, dx, dy, dz);
        if (!isHit) continue;
        if (isShadow) {
          if (load<u8>(clear + slot) == 0) return true;
          keepCrossing(slot, load<f64>(HIT));
          if (exit < far) keepCrossing(slot, exit);
          store<f64>(HIT, far);
        } else limit = <f32>(load<f64>(HIT) - skipped);
      }
    } else {
      const at = nodes + NODE * node;
      const near = f32x4.max(
        f32x4.max(
          f32x4.mul(f32x4.sub(v128.load(at + nearX), vox), vix),
          f32x4.mul(f32x4.sub(v128.load(at + nearY), voy), viy),
        ),
        f32x4.max(f32x4.mul(f32x4.sub(v128.load(at + nearZ), voz), viz), zero),
      );
      const out = f32x4.min(
        f32x4.min(
          f32x4.mul(f32x4.sub(v128.load(at + farX), vox), vix),
          f32x4.mul(f32x4.sub(v128.load(at + farY), voy), viy),
        ),
        f32x4.min(f32x4.mul(f32x4.sub(v128.load(at + farZ), voz), viz), f32x4.splat(limit)),
      );
      let met = i32x4.bitmask(f32x4.le(near, f32x4.mul(out, rounding)));
      if (met != 0) {
        const children = at + CHILDREN;
        if ((met & (met - 1)) == 0) {
          node = load<i32>(children + 4 * ctz(met));
          continue;
        }
        v128.store(NEAR, near);
        const base = top;
        while (met != 0) {
          const lane: usize = 4 * ctz(met);
          met &= met - 1;
          const distance = load<f32>(NEAR + lane);
          // The nearest one ends on top.
          let slots = top;
          if (!isShadow) {
            while (slots > base && load<f32>(slots - 4) < distance) {
              store<u64>(slots, load<u64>(slots - 8));
              slots -= 8;
            }
          }
          store<i32>(slots, load<i32>(children + lane));
          store<f32>(slots, distance, 4);
          top += 8;
        }
      }
    }
    // Of those kept, what is beyond the nearest hit so far is not looked at.
    do {
      if (top == STACK) return load<i32>(HIT_SLOT) >= 0 && !isShadow;
      top -= 8;
    } while (load<f32>(top, 4) > limit * ROUNDING);
    node = load<i32>(top);
  }
}

/** Puts what is crossed into the list, by its distance; the farthest falls out of a full one. */
function keepCrossing(slot: i32, distance: f64): void {
  let at = crossings;
  if (at < MOST_CROSSINGS) crossings++;
  else if (distance >= load<f64>(CROSSINGS + 16 * --at)) return;
  for (; at > 0 && load<f64>(CROSSINGS + 16 * (at - 1)) > distance; at--) {
    store<f64>(CROSSINGS + 16 * at, load<f64>(CROSSINGS + 16 * (at - 1)));
    store<i32>(CROSSINGS + 16 * at, load<i32>(CROSSINGS + 16 * (at - 1), 8), 8);
  }
  store<f64>(CROSSINGS + 16 * at, distance);
  store<i32>(CROSSINGS + 16 * at, slot, 8);
}

/** Finite, so that a ray in the plane of a box gives no NaN. */
// @ts-ignore: decorator
@inline
function inverse(d: f64): f32 {
  const limited = abs(d) < 1e-30 ? copysign(1e-30, d) : d;
  return <f32>(1 / limited);
}

/** After Möller and Trumbore. */
function hitTriangle(slot: i32, ox: f64, oy: f64, oz: f64, dx: f64, dy: f64, dz: f64): bool {
  const at = slots + SLOT * slot;
  const ax = load<f64>(at, 24);
  const ay = load<f64>(at, 32);
  const az = load<f64>(at, 40);
  const bx = load<f64>(at, 48);
  const by = load<f64>(at, 56);
  const bz = load<f64>(at, 64);
  const px = dy * bz - dz * by;
  const py = dz * bx - dx * bz;
  const pz = dx * by - dy * bx;
  const determinant = ax * px + ay * py + az * pz;
  if (determinant == 0) return false;
  // Most triangles are missed: nothing is divided before it is hit.
  const sign = copysign<f64>(1, determinant);
  const size = abs(determinant);
  const slack = SLACK * size;
  const sx = ox - load<f64>(at);
  const sy = oy - load<f64>(at, 8);
  const sz = oz - load<f64>(at, 16);
  const areaU = (sx * px + sy * py + sz * pz) * sign;
  if (areaU < -slack || areaU > size + slack) return false;
  const qx = sy * az - sz * ay;
  const qy = sz * ax - sx * az;
  const qz = sx * ay - sy * ax;
  const areaV = (dx * qx + dy * qy + dz * qz) * sign;
  if (areaV < -slack || areaU + areaV > size + slack) return false;
  const scale = 1 / size;
  const distance = (bx * qx + by * qy + bz * qz) * sign * scale;
  if (!(distance > 0 && distance < load<f64>(HIT))) return false;
  store<f64>(HIT, distance);
  store<f64>(HIT_U, areaU * scale);
  store<f64>(HIT_V, areaV * scale);
  store<i32>(HIT_SLOT, slot);
  exit = Infinity;
  return true;
}

/** Where the ray leaves the ball that it enters at the last hit; infinite otherwise. */
let exit: f64 = Infinity;

function hitBall(slot: i32, ox: f64, oy: f64, oz: f64, dx: f64, dy: f64, dz: f64): bool {
  const at = slots + SLOT * slot;
  const x = load<f64>(at) - ox;
  const y = load<f64>(at, 8) - oy;
  const z = load<f64>(at, 16) - oz;
  const r = load<f64>(at, 24);
  const along = x * dx + y * dy + z * dz;
  // From the nearest point of the ray, which keeps digits when the ball is far away.
  const mx = x - along * dx;
  const my = y - along * dy;
  const mz = z - along * dz;
  const rest = r * r - (mx * mx + my * my + mz * mz);
  if (rest < 0) return false;
  const half = sqrt(rest);
  const enters = along - half > 0;
  const distance = enters ? along - half : along + half;
  if (!(distance > 0 && distance < load<f64>(HIT))) return false;
  exit = enters ? along + half : Infinity;
  store<f64>(HIT, distance);
  store<i32>(HIT_SLOT, slot);
  return true;
}
