// Light paths from the camera back to the sky: at every surface the key light is looked for through one of its
// points, and the path goes on in one direction chosen as the material reflects.
import { AIR, clearMedia, copyMedia, crossMedia, currentMedium, indexOf, mediumBeyond } from './media';
import { CROSSINGS, HIT, PATH_MEDIA, SHADOW_MEDIA } from './memory';
import { cosTurn, decay, sinTurn, smoothStep } from './numbers';
import { blocked, closest, crossings, primitiveOf } from './rays';
import {
  ax,
  ay,
  az,
  boundary,
  bx,
  by,
  bz,
  fresnel,
  gloss,
  schlick,
  setTangents,
  shadowed,
} from './reflectance';
import * as sampler from './sampler';
import {
  camera,
  floorCount,
  floors,
  GLASS,
  GLOSSY,

  hasKey,
  height,
  key,
  keyCosine,
  materialOf,
  offset,
  sky,
  tangent,
  width,
} from './scene';
import * as at from './surface';

/** Reflections by matte and glossy surfaces, and all events, in one path. */
const MOST_REFLECTIONS: i32 = 2;
const MOST_EVENTS: i32 = 20;
/** Paths that come from many reflections carry no more than this: single bright ones would be specks. */
const BRIGHTEST: f64 = 4;
/**
 * The first glass on a path reflects at least and at most this share of the rays, with less or more weight: few
 * rays of full weight would be specks. Further ones that would reflect less than the last share do not at all.
 */
const MIRROR_LEAST: f64 = 0.2;
const MIRROR_MOST: f64 = 0.8;
const FAINT_MIRROR: f64 = 0.12;
/** What counts next to nothing. */
const FAINT: f64 = 1e-6;

/**
 * A pixel of the film, 16 numbers of 32 bits: means of the colour and the variance of its mean; means of the first
 * surface's own colour and its distance; of its normal, and the weight of these; how many samples there are and how
 * many there should be, and the mean square of the brightness.
 */
const FILM: usize = 64;
const VARIANCE: usize = 12;
const ALBEDO: usize = 16;
const NORMAL: usize = 32;
const SHARES: usize = 44;
const COUNT: usize = 48;
const WANTED: usize = 52;
const SQUARES: usize = 56;

/** Radiance of the path so far and what the path lets through. */
let lr: f64 = 0;
let lg: f64 = 0;
let lb: f64 = 0;
let tr: f64 = 1;
let tg: f64 = 1;
let tb: f64 = 1;
/** What the denoiser knows a sample by: the first surface's own colour, normal, distance, and the weight of these. */
let fr: f64 = 0;
let fg: f64 = 0;
let fb: f64 = 0;
let fx: f64 = 0;
let fy: f64 = 0;
let fz: f64 = 0;
let depth: f64 = 0;
let share: f64 = 1;

/** Brings the pixels of a rectangle to as many samples as they should have; `film` has them row by row. */
export function drawTile(left: i32, top: i32, right: i32, bottom: i32, film: usize): void {
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      drawPixel(x, y, film);
      film += FILM;
    }
  }
}

/** A pixel's own filter: a tent as wide as two pixels, around its centre. */
// @ts-ignore: decorator
@inline
function tent(t: f64): f64 {
  return 0.5 + (t < 0.5 ? sqrt(2 * t) - 1 : 1 - sqrt(2 - 2 * t));
}

function drawPixel(x: i32, y: i32, film: usize): void {
  const before = <i32>load<f32>(film, COUNT);
  const wanted = <i32>load<f32>(film, WANTED);
  if (wanted <= before) return;
  const n = <f64>before;
  let r = n * load<f32>(film);
  let g = n * load<f32>(film, 4);
  let b = n * load<f32>(film, 8);
  let squares = n * load<f32>(film, SQUARES);
  let shares: f64 = load<f32>(film, SHARES);
  let albedoR = shares * load<f32>(film, ALBEDO);
  let albedoG = shares * load<f32>(film, ALBEDO + 4);
  let albedoB = shares * load<f32>(film, ALBEDO + 8);
  let distance = shares * load<f32>(film, ALBEDO + 12);
  let normalX = shares * load<f32>(film, NORMAL);
  let normalY = shares * load<f32>(film, NORMAL + 4);
  let normalZ = shares * load<f32>(film, NORMAL + 8);
  const scale = (2 * tangent) / height;
  for (let s = before; s < wanted; s++) {
    sampler.start(y * <i32>width + x, s);
    sampler.draw();
    const px = (<f64>x + tent(sampler.x) - width / 2) * scale;
    const py = (height / 2 - (<f64>y + tent(sampler.y))) * scale;
    at.setOrigin(load<f64>(camera), load<f64>(camera, 8), load<f64>(camera, 16));
    at.setDirection(
      load<f64>(camera, 24) + px * load<f64>(camera, 48) + py * load<f64>(camera, 72),
      load<f64>(camera, 32) + px * load<f64>(camera, 56) + py * load<f64>(camera, 80),
      load<f64>(camera, 40) + px * load<f64>(camera, 64) + py * load<f64>(camera, 88),
    );
    follow();
    r += lr;
    g += lg;
    b += lb;
    const luminance = 0.25 * lr + 0.5 * lg + 0.25 * lb;
    squares += luminance * luminance;
    albedoR += share * fr;
    albedoG += share * fg;
    albedoB += share * fb;
    normalX += share * fx;
    normalY += share * fy;
    normalZ += share * fz;
    distance += share * depth;
    shares += share;
  }
  const count = <f64>wanted;
  const m = 1 / shares;
  r /= count;
  g /= count;
  b /= count;
  squares /= count;
  const mean = 0.25 * r + 0.5 * g + 0.25 * b;
  store<f32>(film, <f32>r);
  store<f32>(film, <f32>g, 4);
  store<f32>(film, <f32>b, 8);
  store<f32>(film, <f32>(wanted > 1 ? max<f64>(0, squares - mean * mean) / (count - 1) : squares), VARIANCE);
  store<f32>(film, <f32>(albedoR * m), ALBEDO);
  store<f32>(film, <f32>(albedoG * m), ALBEDO + 4);
  store<f32>(film, <f32>(albedoB * m), ALBEDO + 8);
  store<f32>(film, <f32>(distance * m), ALBEDO + 12);
  store<f32>(film, <f32>(normalX * m), NORMAL);
  store<f32>(film, <f32>(normalY * m), NORMAL + 4);
  store<f32>(film, <f32>(normalZ * m), NORMAL + 8);
  store<f32>(film, <f32>shares, SHARES);
  store<f32>(film, <f32>count, COUNT);
  store<f32>(film, <f32>squares, SQUARES);
}

function follow(): void {
  lr = lg = lb = 0;
  tr = tg = tb = 1;
  fr = fg = fb = fx = fy = fz = depth = 0;
  share = 1;
  let reflections = 0;
  /** Nothing but glass so far; nor any reflection by it; the denoiser knows what it sees. */
  let mirrored = true;
  let straight = true;
  let known = false;
  let travelled: f64 = 0;
  clearMedia(PATH_MEDIA);
  for (let event = 0; event < MOST_EVENTS; event++) {
    const hit = closest(at.ox, at.oy, at.oz, at.dx, at.dy, at.dz, Infinity);
    const floor = nearestFloor(load<f64>(HIT));
    if (!hit && floor < 0) {
      if (!known) markBackdrop();
      addSky(straight, mirrored);
      return;
    }
    const distance = floor >= 0 ? floorDistance : load<f64>(HIT);
    travelled += distance;
    if (currentMedium(PATH_MEDIA) != AIR) absorb(distance);
    let look: f64 = 0;
    let material: usize = 0;
    if (floor >= 0) {
      at.meetFloor(floor, distance, straight, travelled);
      if (at.fade > 0) fadeGround(at.fade, straight);
      if (tr + tg + tb < 1e-4) {
        if (!known) markBackdrop();
        return;
      }
    } else {
      material = materialOf(at.meetPrimitive());
      look = load<f64>(material);
    }
    if (look == GLASS) {
      if (passHidden(material)) continue;
      const reflected = passGlass(material, event == 0);
      if (reflected) straight = false;
      if (reflected && !known && event == 0) {
        known = true;
        markMirror(travelled);
      }
      continue;
    }
    if (!known) {
      known = true;
      fr = at.r;
      fg = at.g;
      fb = at.b;
      fx = at.nx;
      fy = at.ny;
      fz = at.nz;
      depth = travelled;
    }
    if (reflections == MOST_REFLECTIONS) return;
    const roughness = look == GLOSSY ? load<f64>(material, 8) : -1;
    addKey(roughness, reflections > 0);
    if (!reflect(roughness)) return;
    reflections++;
    straight = false;
    mirrored = false;
  }
  // Caught between mirrors: it would come out somewhere.
  addBackground(straight, 1);
}

function markBackdrop(): void {
  fr = fg = fb = 1;
  depth = 0;
}

/** A glass is known by what is behind it, unless it is seen at so flat an angle that it is a mirror. */
function markMirror(travelled: f64): void {
  fr = fg = fb = 1;
  fx = at.nx;
  fy = at.ny;
  fz = at.nz;
  depth = travelled;
  share = reflectance < 0.5 ? FAINT : 1;
}

let floorDistance: f64 = 0;

/** Number of the floor in front of everything nearer than `limit`; floors are seen from above only. */
function nearestFloor(limit: f64): i32 {
  let found = -1;
  floorDistance = limit;
  for (let i = 0; i < floorCount; i++) {
    const plane = floors + 48 * i;
    const nx = load<f64>(plane, 24);
    const ny = load<f64>(plane, 32);
    const nz = load<f64>(plane, 40);
    const along = at.dx * nx + at.dy * ny + at.dz * nz;
    if (along >= 0) continue;
    const above =
      (at.ox - load<f64>(plane)) * nx + (at.oy - load<f64>(plane, 8)) * ny + (at.oz - load<f64>(plane, 16)) * nz;
    const distance = -above / along;
    if (!(distance > 0 && distance < floorDistance)) continue;
    floorDistance = distance;
    found = i;
  }
  return found;
}

/** Ground far away is the backdrop more and more. */
function fadeGround(fade: f64, straight: bool): void {
  addBackground(straight, fade);
  dim(1 - fade);
}

// @ts-ignore: decorator
@inline
function dim(factor: f64): void {
  tr *= factor;
  tg *= factor;
  tb *= factor;
}

/** Light from where the path leaves the scene. */
function addSky(straight: bool, mirrored: bool): void {
  addBackground(straight, 1);
  if (straight || !mirrored || !hasKey) return;
  if (at.dx * load<f64>(key) + at.dy * load<f64>(key, 8) + at.dz * load<f64>(key, 16) < keyCosine) return;
  lr += tr * load<f64>(key, 96);
  lg += tg * load<f64>(key, 104);
  lb += tb * load<f64>(key, 112);
}

function addBackground(straight: bool, part: f64): void {
  const y = at.dy;
  // Zenith, horizon, nadir, top and horizon of the backdrop, 24 bytes each.
  const low = sky + (straight ? 96 : 24);
  const high = sky + (straight ? 72 : y < 0 ? 48 : 0);
  const t = straight ? smoothStep(1.6 * y) : y < 0 ? min<f64>(1, -2 * y) : y;
  lr += tr * part * (load<f64>(low) + t * (load<f64>(high) - load<f64>(low)));
  lg += tg * part * (load<f64>(low, 8) + t * (load<f64>(high, 8) - load<f64>(low, 8)));
  lb += tb * part * (load<f64>(low, 16) + t * (load<f64>(high, 16) - load<f64>(low, 16)));
}

/** Of the glass that the path met last. */
let reflectance: f64 = 0;

/** What the medium takes on the way. */
function absorb(distance: f64): void {
  const medium = currentMedium(PATH_MEDIA);
  tr *= decay(load<f64>(medium, 24) * distance);
  tg *= decay(load<f64>(medium, 32) * distance);
  tb *= decay(load<f64>(medium, 40) * distance);
}

/** Goes straight on through a surface that lies in glass of a higher rank; false when it does not. */
function passHidden(material: usize): bool {
  const current = currentMedium(PATH_MEDIA);
  if (current == AIR || mediumBeyond(PATH_MEDIA, material, at.outside) != current) return false;
  if (!at.outside && current == material) return false;
  crossMedia(PATH_MEDIA, material, at.outside);
  at.setOrigin(at.x - offset * at.gx, at.y - offset * at.gy, at.z - offset * at.gz);
  return true;
}

/** Goes through a surface of glass or is thrown back by it; true when it is. */
function passGlass(material: usize, isFirst: bool): bool {
  const current = currentMedium(PATH_MEDIA);
  // What is left may never have been entered, by a hair: then it is what the ray was in all the same.
  const before = at.outside || current != AIR ? current : material;
  const eta = indexOf(before) / indexOf(mediumBeyond(PATH_MEDIA, material, at.outside));
  const cosine = min<f64>(1, -(at.dx * at.nx + at.dy * at.ny + at.dz * at.nz));
  const square = 1 - eta * eta * (1 - cosine * cosine);
  const inner = sqrt(max<f64>(0, square));
  reflectance = square <= 0 ? 1 : fresnel(cosine, inner, eta);
  sampler.draw();
  const chance = isFirst
    ? min<f64>(MIRROR_MOST, max<f64>(MIRROR_LEAST, reflectance))
    : reflectance < FAINT_MIRROR
      ? 0
      : reflectance;
  const reflected = sampler.x < chance;
  if (isFirst) dim(reflected ? reflectance / chance : (1 - reflectance) / (1 - chance));
  if (!reflected) crossMedia(PATH_MEDIA, material, at.outside);
  const side = reflected ? offset : -offset;
  const bend = reflected ? 1 : eta;
  const n = reflected ? 2 * cosine : eta * cosine - inner;
  at.setDirection(bend * at.dx + n * at.nx, bend * at.dy + n * at.ny, bend * at.dz + n * at.nz);
  at.setOrigin(at.x + side * at.gx, at.y + side * at.gy, at.z + side * at.gz);
  // Inside, a mirrored path is part of the thing itself: it still ends at the backdrop.
  return reflected && at.outside;
}

/** Light of the key that gets here. A negative roughness is that of matte surfaces. */
function addKey(roughness: f64, isIndirect: bool): void {
  sampler.draw();
  if (!hasKey) return;
  const cosine = 1 - sampler.x * (1 - keyCosine);
  const sine = sqrt(max<f64>(0, 1 - cosine * cosine));
  const a = sine * cosTurn(sampler.y);
  const b = sine * sinTurn(sampler.y);
  const lx = cosine * load<f64>(key) + a * load<f64>(key, 24) + b * load<f64>(key, 48);
  const ly = cosine * load<f64>(key, 8) + a * load<f64>(key, 32) + b * load<f64>(key, 56);
  const lz = cosine * load<f64>(key, 16) + a * load<f64>(key, 40) + b * load<f64>(key, 64);
  const facing = lx * at.nx + ly * at.ny + lz * at.nz;
  if (facing <= 0 || lx * at.gx + ly * at.gy + lz * at.gz <= 0) return;
  const x = at.x + at.lift * at.gx;
  const y = at.y + at.lift * at.gy;
  const z = at.z + at.lift * at.gz;
  if (blocked(x, y, z, lx, ly, lz, Infinity)) return;
  let shine: f64 = 0;
  let base: f64 = 1;
  if (roughness >= 0) {
    const hx = lx - at.dx;
    const hy = ly - at.dy;
    const hz = lz - at.dz;
    const length = sqrt(hx * hx + hy * hy + hz * hz);
    const nh = (hx * at.nx + hy * at.ny + hz * at.nz) / length;
    const lh = (hx * lx + hy * ly + hz * lz) / length;
    shine = gloss(roughness, nh, lh, facing, -(at.dx * at.nx + at.dy * at.ny + at.dz * at.nz));
    base = 1 - schlick(max<f64>(0, facing));
  }
  let r = tr * load<f64>(key, 72) * facing * (base * at.r + shine);
  let g = tg * load<f64>(key, 80) * facing * (base * at.g + shine);
  let bl = tb * load<f64>(key, 88) * facing * (base * at.b + shine);
  if (crossings > 0) {
    passCrossings(x, y, z, lx, ly, lz);
    r *= clearR;
    g *= clearG;
    bl *= clearB;
  }
  if (isIndirect) {
    r = min<f64>(r, BRIGHTEST);
    g = min<f64>(g, BRIGHTEST);
    bl = min<f64>(bl, BRIGHTEST);
  }
  lr += r;
  lg += g;
  lb += bl;
}

let clearR: f64 = 1;
let clearG: f64 = 1;
let clearB: f64 = 1;

/** What glass lets through along a straight line: no caustics, but no black shadows either. */
function passCrossings(x: f64, y: f64, z: f64, dx: f64, dy: f64, dz: f64): void {
  clearR = clearG = clearB = 1;
  copyMedia(SHADOW_MEDIA, PATH_MEDIA);
  let last: f64 = -1;
  for (let k = 0; k < crossings; k++) {
    const distance = load<f64>(CROSSINGS + 16 * k);
    // An edge belongs to two triangles: it is crossed once.
    if (distance - last < offset) continue;
    const slot = load<i32>(CROSSINGS + 16 * k, 8);
    const cosine = at.faceCosine(slot, x + distance * dx, y + distance * dy, z + distance * dz, dx, dy, dz);
    const material = materialOf(primitiveOf(slot));
    const enters = cosine < 0;
    const current = currentMedium(SHADOW_MEDIA);
    const before = enters || current != AIR ? current : material;
    const after = mediumBeyond(SHADOW_MEDIA, material, enters);
    crossMedia(SHADOW_MEDIA, material, enters);
    if (before != AIR) {
      const displacement = distance - max<f64>(0, last);
      clearR *= decay(load<f64>(before, 24) * displacement);
      clearG *= decay(load<f64>(before, 32) * displacement);
      clearB *= decay(load<f64>(before, 40) * displacement);
    }
    if (before != after) {
      const through = 1 - boundary(abs(cosine), indexOf(before), indexOf(after));
      clearR *= through;
      clearG *= through;
      clearB *= through;
    }
    last = distance;
  }
}

/** Turns the ray to where it is reflected to; false when nothing is. */
function reflect(roughness: f64): bool {
  if (roughness >= 0) {
    // The coat or what is below it, by their shares.
    const coat = schlick(max<f64>(0, -(at.dx * at.nx + at.dy * at.ny + at.dz * at.nz)));
    const base = (1 - coat) * (0.25 * at.r + 0.5 * at.g + 0.25 * at.b);
    const chance = coat / (coat + base);
    sampler.draw();
    if (sampler.x < chance) return reflectCoat(roughness, 1 / chance);
    dim((1 - coat) / (1 - chance));
  }
  tr *= at.r;
  tg *= at.g;
  tb *= at.b;
  // Over the hemisphere by the cosine.
  sampler.draw();
  const out = sqrt(sampler.y);
  const up = sqrt(1 - sampler.y);
  const a = out * cosTurn(sampler.x);
  const b = out * sinTurn(sampler.x);
  setTangents(at.nx, at.ny, at.nz);
  leave(up * at.nx + a * ax + b * bx, up * at.ny + a * ay + b * by, up * at.nz + a * az + b * bz);
  return true;
}

/** By a microfacet that the ray sees. */
function reflectCoat(roughness: f64, weight: f64): bool {
  const alpha = roughness * roughness;
  setTangents(at.nx, at.ny, at.nz);
  // The direction to the viewer in the surface's axes, stretched as if the surface were a hemisphere.
  const vx = -(at.dx * ax + at.dy * ay + at.dz * az) * alpha;
  const vy = -(at.dx * bx + at.dy * by + at.dz * bz) * alpha;
  const vz = -(at.dx * at.nx + at.dy * at.ny + at.dz * at.nz);
  const length = 1 / sqrt(vx * vx + vy * vy + vz * vz);
  sampler.draw();
  // Points of the hemisphere around it that it sees: a cap, evenly.
  const z = (1 - sampler.y) * (1 + vz * length) - vz * length;
  const sine = sqrt(max<f64>(0, 1 - z * z));
  const mx = (sine * cosTurn(sampler.x) + vx * length) * alpha;
  const my = (sine * sinTurn(sampler.x) + vy * length) * alpha;
  const mz = z + vz * length;
  const scale = 1 / sqrt(mx * mx + my * my + mz * mz);
  const hx = (mx * ax + my * bx + mz * at.nx) * scale;
  const hy = (mx * ay + my * by + mz * at.ny) * scale;
  const hz = (mx * az + my * bz + mz * at.nz) * scale;
  const vh = -(at.dx * hx + at.dy * hy + at.dz * hz);
  const lx = at.dx + 2 * vh * hx;
  const ly = at.dy + 2 * vh * hy;
  const lz = at.dz + 2 * vh * hz;
  const facing = lx * at.nx + ly * at.ny + lz * at.nz;
  if (!(facing > 0 && vh > 0)) return false;
  const a2 = alpha * alpha;
  // Share of the facets seen by the viewer that the light sees too.
  const seen = shadowed(a2, vz);
  dim((weight * schlick(vh) * (1 + seen)) / (1 + seen + shadowed(a2, facing)));
  leave(lx, ly, lz);
  return true;
}

/** Starts the next ray; one into the surface is turned back out of it. */
function leave(dx: f64, dy: f64, dz: f64): void {
  const into = dx * at.gx + dy * at.gy + dz * at.gz;
  const back = into < 0 ? -2 * into : 0;
  at.setDirection(dx + back * at.gx, dy + back * at.gy, dz + back * at.gz);
  at.setOrigin(at.x + at.lift * at.gx, at.y + at.lift * at.gy, at.z + at.lift * at.gz);
}
