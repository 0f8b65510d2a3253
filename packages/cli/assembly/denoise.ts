// Takes the grain out of a film: light without the surfaces' own brightness is averaged over neighbours that are on the
// same surface, look alike within what chance explains, and stand on wider and wider grids (Dammertz et al. 2010, with
// variances as in Schied et al. 2017).

/** Bytes of a pixel of the film (paths.ts), and of light: red, green, blue and the variance of their mean. */
const FILM: i32 = 64;
const ALBEDO: usize = 16;
const DEPTH_AT: usize = 28;
const NORMAL: usize = 32;
const LIGHT: i32 = 16;

/** Differences that count as another surface: of normals, of own colours, and of distances over the distance. */
const NORMAL_SCALE: f32 = 1 / (0.12 * 0.12);
const ALBEDO_SCALE: f32 = 1 / (0.04 * 0.04);
const DEPTH: f32 = 0.01;
/** Differences of light within so many standard deviations are chance. */
const DEVIATIONS: f32 = 4;

/** Light of less variance has no grain that a screen could show. */
const CERTAIN: f32 = 2e-8;

/**
 * One round over rows [begin, end) of a picture of `width` pixels. `film` and `from` hold rows [first, last), and `to`
 * gets the rows asked for, one behind the other.
 */
export function smoothRows(
  film: usize,
  from: usize,
  to: usize,
  width: i32,
  first: i32,
  last: i32,
  step: i32,
  begin: i32,
  end: i32,
): void {
  const weights3 = f32x4(0.25, 0.5, 0.25, 0);
  const normalScale = f32x4(NORMAL_SCALE, NORMAL_SCALE, NORMAL_SCALE, 0);
  const albedoScale = f32x4(ALBEDO_SCALE, ALBEDO_SCALE, ALBEDO_SCALE, 0);
  for (let y = begin; y < end; y++) {
    for (let x = 0; x < width; x++, to += LIGHT) {
      const i = (y - first) * width + x;
      const f: usize = film + FILM * i;
      const here = v128.load(from + LIGHT * i);
      const variance = blurredVariance(from, x, y - first, width, last - first);
      if (variance < CERTAIN) {
        v128.store(to, here);
        continue;
      }
      const albedo = v128.load(f + ALBEDO);
      const normal = v128.load(f + NORMAL);
      const depth = load<f32>(f + DEPTH_AT);
      const luminance = sum(f32x4.mul(here, weights3));
      const chance: f32 = 1 / (DEVIATIONS * sqrt(variance) + <f32>1e-4);
      const slopeX = slope(f, depth, x > 0, x + 1 < width, FILM) * <f32>step;
      const slopeY = slope(f, depth, y > first, y + 1 < last, FILM * width) * <f32>step;
      const perDepth: f32 = 1 / (DEPTH * depth + <f32>1e-9);
      let weights: f32 = 0.25;
      let total = f32x4.mul(here, f32x4(0.25, 0.25, 0.25, 0.0625));
      for (let dy = -1; dy <= 1; dy++) {
        const qy = y + dy * step;
        if (qy < first || qy >= last) continue;
        for (let dx = -1; dx <= 1; dx++) {
          const qx = x + dx * step;
          if (qx < 0 || qx >= width || (dx == 0 && dy == 0)) continue;
          const j = (qy - first) * width + qx;
          const h: usize = film + FILM * j;
          const dn = f32x4.sub(v128.load(h + NORMAL), normal);
          const da = f32x4.sub(v128.load(h + ALBEDO), albedo);
          const surfaces = sum(
            f32x4.add(f32x4.mul(f32x4.mul(dn, dn), normalScale), f32x4.mul(f32x4.mul(da, da), albedoScale)),
          );
          const expected = depth + <f32>dx * slopeX + <f32>dy * slopeY;
          const away = abs(load<f32>(h + DEPTH_AT) - expected) * perDepth;
          const there = v128.load(from + LIGHT * j);
          const light = abs(sum(f32x4.mul(there, weights3)) - luminance) * chance;
          const exponent = surfaces + away + light;
          if (!(exponent < 12)) continue;
          const weight: f32 = (dx == 0 || dy == 0 ? <f32>0.125 : <f32>0.0625) * fall(exponent);
          weights += weight;
          total = f32x4.add(total, f32x4.mul(there, f32x4.replace_lane(f32x4.splat(weight), 3, weight * weight)));
        }
      }
      const scale: f32 = 1 / weights;
      v128.store(to, f32x4.mul(total, f32x4.replace_lane(f32x4.splat(scale), 3, scale * scale)));
    }
  }
}

/** Of the four numbers. */
// @ts-ignore: decorator
@inline
function sum(v: v128): f32 {
  const pairs = f32x4.add(v, i32x4.shuffle(v, v, 2, 3, 0, 1));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

/** exp(-x), about, for x in [0, 12). */
// @ts-ignore: decorator
@inline
function fall(x: f32): f32 {
  let v: f32 = 1 - x * <f32>0.03125;
  v *= v;
  v *= v;
  v *= v;
  v *= v;
  return v * v;
}

/** Change of the distance from one pixel to the next, the smaller one of both sides: edges have a large one. */
// @ts-ignore: decorator
@inline
function slope(pixel: usize, depth: f32, hasBefore: bool, hasAfter: bool, stride: i32): f32 {
  const before: f32 = hasBefore ? depth - load<f32>(pixel - stride + DEPTH_AT) : Infinity;
  const after: f32 = hasAfter ? load<f32>(pixel + stride + DEPTH_AT) - depth : Infinity;
  const smaller = abs(before) < abs(after) ? before : after;
  return abs(smaller) < Infinity ? smaller : 0;
}

/** Single variances are themselves too noisy to judge by. */
// @ts-ignore: decorator
@inline
function blurredVariance(light: usize, x: i32, y: i32, width: i32, height: i32): f32 {
  let total: f32 = 0;
  let weights: f32 = 0;
  for (let dy = -1; dy <= 1; dy++) {
    const qy = y + dy;
    if (qy < 0 || qy >= height) continue;
    for (let dx = -1; dx <= 1; dx++) {
      const qx = x + dx;
      if (qx < 0 || qx >= width) continue;
      const weight: f32 = <f32>((dx == 0 ? 2 : 1) * (dy == 0 ? 2 : 1));
      total += weight * load<f32>(light + LIGHT * (qy * width + qx), 12);
      weights += weight;
    }
  }
  return total / weights;
}
