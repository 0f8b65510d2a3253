// The surface that a ray meets, as the ray sees it.
import { HIT, HIT_SLOT, HIT_U, HIT_V } from './memory';
import { smoothStep } from './numbers';
import { primitiveOf, SLOT, slots } from './rays';
import {
  ballColors,
  colors,
  fadeFrom,
  fadeTo,
  floors,
  grid,
  ground,
  height,
  materialOf,
  normals,
  offset,
  tangent,
  textures,
  triangleCount,
  uvs,
} from './scene';

/** How dark grid lines are, and their width over their distance. */
const LINE_SHADE: f64 = 0.16;
const LINE_WIDTH: f64 = 0.012;

/** The ray: origin and unit direction. */
export let ox: f64 = 0;
export let oy: f64 = 0;
export let oz: f64 = 0;
export let dx: f64 = 0;
export let dy: f64 = 0;
export let dz: f64 = 0;

// @ts-ignore: decorator
@inline
export function setOrigin(x_: f64, y_: f64, z_: f64): void {
  ox = x_;
  oy = y_;
  oz = z_;
}

/** Of any length but zero. */
// @ts-ignore: decorator
@inline
export function setDirection(x_: f64, y_: f64, z_: f64): void {
  const scale = 1 / sqrt(x_ * x_ + y_ * y_ + z_ * z_);
  dx = x_ * scale;
  dy = y_ * scale;
  dz = z_ * scale;
}

/** The point [m]. */
export let x: f64 = 0;
export let y: f64 = 0;
export let z: f64 = 0;
/** Normal of the face, and of shading; both towards the ray. */
export let gx: f64 = 0;
export let gy: f64 = 0;
export let gz: f64 = 0;
export let nx: f64 = 0;
export let ny: f64 = 0;
export let nz: f64 = 0;
/** Own colour. */
export let r: f64 = 0;
export let g: f64 = 0;
export let b: f64 = 0;
/** Does the ray come from outside? */
export let outside: bool = true;
/** How far from the surface reflected rays start [m]. */
export let lift: f64 = 0;
/** Share of the backdrop in the ground here. */
export let fade: f64 = 0;

/** Grid lines are for the camera's eye only: `straight` tells its own rays. */
export function meetFloor(floor: i32, distance: f64, straight: bool, travelled: f64): void {
  const n = floors + 48 * floor + 24;
  x = ox + distance * dx;
  y = oy + distance * dy;
  z = oz + distance * dz;
  gx = nx = load<f64>(n);
  gy = ny = load<f64>(n, 8);
  gz = nz = load<f64>(n, 16);
  outside = true;
  lift = offset;
  const cx = x - load<f64>(ground, 24);
  const cy = y - load<f64>(ground, 32);
  const cz = z - load<f64>(ground, 40);
  const away = sqrt(cx * cx + cy * cy + cz * cz);
  fade = smoothStep((away - fadeFrom) / (fadeTo - fadeFrom));
  let shade: f64 = 1;
  if (grid > 0 && straight) {
    const cosine = max<f64>(0.02, abs(dx * nx + dy * ny + dz * nz));
    // How much of the ground a pixel covers: lines get as wide and as much fainter.
    const footprint = (travelled * 2 * tangent) / (height * cosine);
    const isFlat = abs(ny) > 0.5;
    const u = line(isFlat ? x : z, footprint);
    const v = line(isFlat ? z : y, footprint);
    shade = 1 - LINE_SHADE * max<f64>(u, v);
  }
  r = load<f64>(ground) * shade;
  g = load<f64>(ground, 8) * shade;
  b = load<f64>(ground, 16) * shade;
}

/** How much of a pixel a grid line covers. */
function line(at: f64, footprint: f64): f64 {
  const lineWidth = LINE_WIDTH * grid;
  const soft = max<f64>(lineWidth, 1.5 * footprint);
  const away = abs(at / grid - nearest(at / grid)) * grid;
  const cover = max<f64>(0, 1 - away / soft);
  // Lines nearer than pixels are a tint, not a pattern.
  return cover * (lineWidth / soft) * (1 - smoothStep(footprint / (0.25 * grid)));
}

/** The surface of the last hit; gives its primitive. */
export function meetPrimitive(): i32 {
  const slot = load<i32>(HIT_SLOT);
  const primitive = primitiveOf(slot);
  const distance = load<f64>(HIT);
  const at = slots + SLOT * slot;
  x = ox + distance * dx;
  y = oy + distance * dy;
  z = oz + distance * dz;
  lift = offset;
  const isTriangle = primitive < triangleCount;
  if (isTriangle) meetTriangle(primitive, at);
  else meetBall(primitive - triangleCount, at);
  outside = gx * dx + gy * dy + gz * dz < 0;
  if (!outside) {
    gx = -gx;
    gy = -gy;
    gz = -gz;
    nx = -nx;
    ny = -ny;
    nz = -nz;
  } else if (isTriangle) {
    // Shadows begin on the rounded surface that the normals stand for, not in its flat triangle.
    lift += liftOverTriangle(primitive, at);
  }
  // A shading normal that looks away from the ray would mirror it into the surface.
  const facing = nx * dx + ny * dy + nz * dz;
  if (facing > -0.02) {
    nx -= (facing + 0.02) * dx;
    ny -= (facing + 0.02) * dy;
    nz -= (facing + 0.02) * dz;
    const scale = 1 / sqrt(nx * nx + ny * ny + nz * nz);
    nx *= scale;
    ny *= scale;
    nz *= scale;
  }
  return primitive;
}

function meetBall(ball: i32, at: usize): void {
  const inverse = 1 / load<f64>(at, 24);
  gx = nx = (x - load<f64>(at)) * inverse;
  gy = ny = (y - load<f64>(at, 8)) * inverse;
  gz = nz = (z - load<f64>(at, 16)) * inverse;
  const color = ballColors + 12 * ball;
  r = load<f32>(color);
  g = load<f32>(color, 4);
  b = load<f32>(color, 8);
}

function meetTriangle(primitive: i32, at: usize): void {
  const u = load<f64>(HIT_U);
  const v = load<f64>(HIT_V);
  const w = 1 - u - v;
  faceNormal(at);
  const n = normals + 36 * primitive;
  nx = w * load<f32>(n) + u * load<f32>(n, 12) + v * load<f32>(n, 24);
  ny = w * load<f32>(n, 4) + u * load<f32>(n, 16) + v * load<f32>(n, 28);
  nz = w * load<f32>(n, 8) + u * load<f32>(n, 20) + v * load<f32>(n, 32);
  const scale = 1 / sqrt(nx * nx + ny * ny + nz * nz);
  if (scale < Infinity) {
    nx *= scale;
    ny *= scale;
    nz *= scale;
  } else {
    nx = gx;
    ny = gy;
    nz = gz;
  }
  // The side of the triangle is told by its normals: an inverted triangle is not seen from behind.
  if (nx * gx + ny * gy + nz * gz < 0) {
    gx = -gx;
    gy = -gy;
    gz = -gz;
  }
  const c = colors + 36 * primitive;
  r = w * load<f32>(c) + u * load<f32>(c, 12) + v * load<f32>(c, 24);
  g = w * load<f32>(c, 4) + u * load<f32>(c, 16) + v * load<f32>(c, 28);
  b = w * load<f32>(c, 8) + u * load<f32>(c, 20) + v * load<f32>(c, 32);
  if (uvs != 0) applyTexture(primitive, u, v, w);
}

/** Unit normal of a triangle. */
// @ts-ignore: decorator
@inline
function faceNormal(at: usize): void {
  const ax = load<f64>(at, 24);
  const ay = load<f64>(at, 32);
  const az = load<f64>(at, 40);
  const bx = load<f64>(at, 48);
  const by = load<f64>(at, 56);
  const bz = load<f64>(at, 64);
  gx = ay * bz - az * by;
  gy = az * bx - ax * bz;
  gz = ax * by - ay * bx;
  const scale = 1 / sqrt(gx * gx + gy * gy + gz * gz);
  gx *= scale;
  gy *= scale;
  gz *= scale;
}

/** How far the tangent planes at the corners are above a point of the triangle, along the normal [m]. */
function liftOverTriangle(primitive: i32, at: usize): f64 {
  const sx = load<f64>(at) - x;
  const sy = load<f64>(at, 8) - y;
  const sz = load<f64>(at, 16) - z;
  const u = load<f64>(HIT_U);
  const v = load<f64>(HIT_V);
  const n = normals + 36 * primitive;
  let sum = (1 - u - v) * max<f64>(0, sx * load<f32>(n) + sy * load<f32>(n, 4) + sz * load<f32>(n, 8));
  sum +=
    u *
    max<f64>(
      0,
      (sx + load<f64>(at, 24)) * load<f32>(n, 12) +
        (sy + load<f64>(at, 32)) * load<f32>(n, 16) +
        (sz + load<f64>(at, 40)) * load<f32>(n, 20),
    );
  return (
    sum +
    v *
      max<f64>(
        0,
        (sx + load<f64>(at, 48)) * load<f32>(n, 24) +
          (sy + load<f64>(at, 56)) * load<f32>(n, 28) +
          (sz + load<f64>(at, 64)) * load<f32>(n, 32),
      )
  );
}

/** Cosine between the face of a slot, seen from its outside, and a direction at a point. */
export function faceCosine(slot: i32, px: f64, py: f64, pz: f64, lx: f64, ly: f64, lz: f64): f64 {
  const at = slots + SLOT * slot;
  if (primitiveOf(slot) < triangleCount) {
    const ax = load<f64>(at, 24);
    const ay = load<f64>(at, 32);
    const az = load<f64>(at, 40);
    const bx = load<f64>(at, 48);
    const by = load<f64>(at, 56);
    const bz = load<f64>(at, 64);
    const fx = ay * bz - az * by;
    const fy = az * bx - ax * bz;
    const fz = ax * by - ay * bx;
    return (fx * lx + fy * ly + fz * lz) / sqrt(fx * fx + fy * fy + fz * fz);
  }
  const fx = px - load<f64>(at);
  const fy = py - load<f64>(at, 8);
  const fz = pz - load<f64>(at, 16);
  return (fx * lx + fy * ly + fz * lz) / load<f64>(at, 24);
}

/** Numbers of a texture: width, height, address of its bytes of red, green and blue, and how it repeats. */
const TEXTURE: i32 = 20;
/** Linear light of a byte, 256 numbers before the first texture. */
const LINEAR: i32 = 1024;
const MATERIAL_TEXTURE: usize = 48;

/** Multiplies the colour by that of the texture, between its pixels mixed; (0, 0) is at the bottom left. */
function applyTexture(primitive: i32, u: f64, v: f64, w: f64): void {
  const number = load<f64>(materialOf(primitive), MATERIAL_TEXTURE);
  if (number < 0) return;
  const texture = textures + LINEAR + TEXTURE * <i32>number;
  const at = uvs + 24 * primitive;
  const columns = load<i32>(texture);
  const rows = load<i32>(texture, 4);
  const pixels = load<u32>(texture, 8);
  const s = (w * load<f32>(at) + u * load<f32>(at, 8) + v * load<f32>(at, 16)) * columns - 0.5;
  const t = (1 - (w * load<f32>(at, 4) + u * load<f32>(at, 12) + v * load<f32>(at, 20))) * rows - 0.5;
  const left = floor(s);
  const top = floor(t);
  let tr: f64 = 0;
  let tg: f64 = 0;
  let tb: f64 = 0;
  for (let corner = 0; corner < 4; corner++) {
    const right = corner & 1;
    const below = corner >> 1;
    const weight = (right ? s - left : 1 - (s - left)) * (below ? t - top : 1 - (t - top));
    const column = wrapped(left + right, columns, load<i32>(texture, 12));
    const row = wrapped(top + below, rows, load<i32>(texture, 16));
    const pixel: usize = pixels + 3 * (row * columns + column);
    tr += weight * load<f32>(textures + 4 * load<u8>(pixel));
    tg += weight * load<f32>(textures + 4 * load<u8>(pixel, 1));
    tb += weight * load<f32>(textures + 4 * load<u8>(pixel, 2));
  }
  r *= tr;
  g *= tg;
  b *= tb;
}

/** Number of a pixel within a row or column: repeated, clamped or mirrored (0, 1, 2). */
function wrapped(k: f64, count: i32, how: i32): i32 {
  if (!(abs(k) < 1e9)) return 0;
  const n = <f64>count;
  if (how == 1) return <i32>min<f64>(n - 1, max<f64>(0, k));
  if (how == 0) return min<i32>(count - 1, <i32>(k - n * floor(k / n)));
  const m = k - 2 * n * floor(k / (2 * n));
  return <i32>min<f64>(n - 1, m < n ? m : 2 * n - 1 - m);
}
