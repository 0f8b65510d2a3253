// Rays against triangles and balls in a tree of boxes; src/render/rays.ts lays the memory out.

/** Where the last hit is told: distance, weights of corners 1 and 2, primitive. */
export const HIT: usize = 0;
const HIT_U: usize = 8;
const HIT_V: usize = 16;
const HIT_PRIMITIVE: usize = 24;
/** Nodes to go back to. */
const STACK: usize = 64;

/** Barycentric coordinates may miss a triangle by this: no ray slips through between neighbours. */
const SLACK: f64 = 1e-9;

let boxes: usize = 0;
let children: usize = 0;
let leaves: usize = 0;
let order: usize = 0;
let clear: usize = 0;
let triangles: usize = 0;
let balls: usize = 0;
let triangleCount: i32 = 0;
let centerX: f64 = 0;
let centerY: f64 = 0;
let centerZ: f64 = 0;
let radius: f64 = 0;

export function setTree(boxes_: usize, children_: usize, leaves_: usize, order_: usize): void {
  boxes = boxes_;
  children = children_;
  leaves = leaves_;
  order = order_;
}

/** `clear` has a byte per primitive, 1 where shadow rays go through. */
export function setPrimitives(clear_: usize, triangles_: usize, balls_: usize, triangleCount_: i32): void {
  clear = clear_;
  triangles = triangles_;
  balls = balls_;
  triangleCount = triangleCount_;
}

/** A ball around everything. */
export function setBounds(x: f64, y: f64, z: f64, radius_: f64): void {
  centerX = x;
  centerY = y;
  centerZ = z;
  radius = radius_;
}

/**
 * The nearest hit before `far`, or with `any` whether there is one on something that is not clear. Boxes are
 * looked at in float32, four sides at a time, from where the ray comes near them: far cameras lose no digits.
 */
export function trace(ox: f64, oy: f64, oz: f64, dx: f64, dy: f64, dz: f64, far: f64, any: bool): bool {
  store<f64>(HIT, far);
  store<i32>(HIT_PRIMITIVE, -1);
  const along = (centerX - ox) * dx + (centerY - oy) * dy + (centerZ - oz) * dz;
  const skipped = max<f64>(0, along - 2 * radius);
  const vox = f32x4.splat(<f32>(ox + skipped * dx));
  const voy = f32x4.splat(<f32>(oy + skipped * dy));
  const voz = f32x4.splat(<f32>(oz + skipped * dz));
  const vix = f32x4.splat(inverse(dx));
  const viy = f32x4.splat(inverse(dy));
  const viz = f32x4.splat(inverse(dz));
  const zero = f32x4.splat(0);
  let limit = f32x4.splat(<f32>(far - skipped));
  let top = STACK;
  let node: i32 = 0;
  while (true) {
    if (node < 0) {
      const leaf = leaves + 8 * (-1 - node);
      const end = load<i32>(leaf, 4);
      for (let i = load<i32>(leaf); i < end; i++) {
        const primitive = load<i32>(order + 4 * i);
        if (any && load<u8>(clear + primitive) == 1) continue;
        const isHit =
          primitive < triangleCount
            ? hitTriangle(primitive, ox, oy, oz, dx, dy, dz)
            : hitBall(primitive, ox, oy, oz, dx, dy, dz);
        if (!isHit) continue;
        if (any) return true;
        limit = f32x4.splat(<f32>(load<f64>(HIT) - skipped));
      }
    } else {
      // Lanes: low and high side of the left box, then of the right one.
      const at = boxes + 48 * node;
      const x = f32x4.mul(f32x4.sub(v128.load(at), vox), vix);
      const y = f32x4.mul(f32x4.sub(v128.load(at, 16), voy), viy);
      const z = f32x4.mul(f32x4.sub(v128.load(at, 32), voz), viz);
      const xs = i32x4.shuffle(x, x, 1, 0, 3, 2);
      const ys = i32x4.shuffle(y, y, 1, 0, 3, 2);
      const zs = i32x4.shuffle(z, z, 1, 0, 3, 2);
      const near = f32x4.max(f32x4.max(f32x4.min(x, xs), f32x4.min(y, ys)), f32x4.max(f32x4.min(z, zs), zero));
      const out = f32x4.min(f32x4.min(f32x4.max(x, xs), f32x4.max(y, ys)), f32x4.min(f32x4.max(z, zs), limit));
      const left = f32x4.extract_lane(near, 0);
      const right = f32x4.extract_lane(near, 2);
      // A little more than the rounding of the products.
      const isLeft = left <= f32x4.extract_lane(out, 0) * <f32>1.000001;
      const isRight = right <= f32x4.extract_lane(out, 2) * <f32>1.000001;
      const pair = children + 8 * node;
      if (isLeft && isRight) {
        const isLeftFirst = left <= right;
        store<i32>(top, load<i32>(pair + (isLeftFirst ? 4 : 0)));
        top += 4;
        node = load<i32>(pair + (isLeftFirst ? 0 : 4));
        continue;
      }
      if (isLeft || isRight) {
        node = load<i32>(pair + (isLeft ? 0 : 4));
        continue;
      }
    }
    if (top == STACK) break;
    top -= 4;
    node = load<i32>(top);
  }
  return load<i32>(HIT_PRIMITIVE) >= 0;
}

/** Finite, so that a ray in the plane of a box gives no NaN. */
// @ts-ignore: decorator
@inline
function inverse(d: f64): f32 {
  const limited = abs(d) < 1e-30 ? copysign(1e-30, d) : d;
  return <f32>(1 / limited);
}

/** After Möller and Trumbore. */
function hitTriangle(primitive: i32, ox: f64, oy: f64, oz: f64, dx: f64, dy: f64, dz: f64): bool {
  const at = triangles + 72 * primitive;
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
  const scale = 1 / determinant;
  const sx = ox - load<f64>(at);
  const sy = oy - load<f64>(at, 8);
  const sz = oz - load<f64>(at, 16);
  const u = (sx * px + sy * py + sz * pz) * scale;
  if (u < -SLACK || u > 1 + SLACK) return false;
  const qx = sy * az - sz * ay;
  const qy = sz * ax - sx * az;
  const qz = sx * ay - sy * ax;
  const v = (dx * qx + dy * qy + dz * qz) * scale;
  if (v < -SLACK || u + v > 1 + SLACK) return false;
  const distance = (bx * qx + by * qy + bz * qz) * scale;
  if (!(distance > 0 && distance < load<f64>(HIT))) return false;
  store<f64>(HIT, distance);
  store<f64>(HIT_U, u);
  store<f64>(HIT_V, v);
  store<i32>(HIT_PRIMITIVE, primitive);
  return true;
}

function hitBall(primitive: i32, ox: f64, oy: f64, oz: f64, dx: f64, dy: f64, dz: f64): bool {
  const at = balls + 32 * (primitive - triangleCount);
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
  let distance = along - half;
  if (!(distance > 0)) distance = along + half;
  if (!(distance > 0 && distance < load<f64>(HIT))) return false;
  store<f64>(HIT, distance);
  store<i32>(HIT_PRIMITIVE, primitive);
  return true;
}
