/**
 * Light paths from the camera back to the sky: at every surface the key light is looked for through one of
 * its points, and the path goes on in one direction chosen as the material reflects.
 */
import type { Tree } from './bvh.js';
import { type Geometry, GLASS, GLOSSY, MATERIAL_STRIDE } from './geometry.js';
import { AIR, Media } from './media.js';
import { type RayMemory, Rays } from './rays.js';
import { boundary, fresnel, gloss, schlick, tangents } from './reflectance.js';
import { Sampler } from './sampler.js';
import { Ray, Surface, smoothStep } from './surface.js';
import type { View } from './view.js';

/** Reflections by matte and glossy surfaces, and all events, in one path. */
const MOST_REFLECTIONS = 2;
const MOST_EVENTS = 20;
/** Paths that come from many reflections carry no more than this: single bright ones would be specks. */
const BRIGHTEST = 4;
/**
 * The first glass on a path reflects at least and at most this share of the rays, with less or more weight: few
 * rays of full weight would be specks. Further ones that would reflect less than the last share do not at all.
 */
const MIRROR_LEAST = 0.2;
const MIRROR_MOST = 0.8;
const FAINT_MIRROR = 0.12;
/** What counts next to nothing. */
const FAINT = 1e-6;
/** Numbers of a pixel on the film. */
export const FILM_STRIDE = 12;
/** Means of the colour, of the first surface's own colour, its normal and distance; variance of the mean. */
export const FILM_COLOR = 0;
export const FILM_ALBEDO = 3;
export const FILM_NORMAL = 6;
export const FILM_DEPTH = 9;
export const FILM_VARIANCE = 10;

export class PathTracer {
  readonly #view: View;
  readonly #geometry: Geometry;
  readonly #rays: Rays;
  readonly #sampler: Sampler;
  /** Radiance of the path so far and what the path lets through. */
  #lr = 0;
  #lg = 0;
  #lb = 0;
  #tr = 1;
  #tg = 1;
  #tb = 1;
  readonly #ray = new Ray();
  readonly #surface = new Surface();
  /** What the denoiser knows a pixel by. */
  readonly #feature = new Float64Array(8);
  readonly #keyX: readonly [number, number, number];
  readonly #keyY: readonly [number, number, number];
  readonly #keyCosine: number;
  readonly #hasKey: boolean;
  readonly #keyRadiance: readonly [number, number, number];

  constructor(view: View, geometry: Geometry, tree: Tree, memory?: RayMemory) {
    this.#view = view;
    this.#geometry = geometry;
    this.#rays = new Rays(geometry, tree, memory);
    this.#sampler = new Sampler(view.samples);
    this.#media = new Media(geometry.materials);
    this.#shadowMedia = new Media(geometry.materials);
    const { keyDirection: k, keyRadius, key } = view.lighting;
    [this.#keyX, this.#keyY] = tangents(k[0], k[1], k[2]);
    this.#keyCosine = Math.cos(keyRadius);
    this.#hasKey = key[0] + key[1] + key[2] > 0;
    // An irradiance of pi E from the disc, seen straight on.
    const overSolidAngle = 1 / (2 * (1 - this.#keyCosine));
    this.#keyRadiance = [key[0] * overSolidAngle, key[1] * overSolidAngle, key[2] * overSolidAngle];
  }

  /** Writes one pixel of the film. */
  pixel(x: number, y: number, film: Float32Array): void {
    const ray = this.#ray;
    const { width, height, samples, camera } = this.#view;
    const index = y * width + x;
    const sampler = this.#sampler;
    const feature = this.#feature;
    let [r, g, b, sum, squares] = [0, 0, 0, 0, 0];
    let [ar, ag, ab, nx, ny, nz, depth, shares] = [0, 0, 0, 0, 0, 0, 0, 0];
    const scale = (2 * camera.tangent) / height;
    for (let s = 0; s < samples; s++) {
      sampler.start(index, s);
      sampler.draw();
      const px = (x + tent(sampler.x) - width / 2) * scale;
      const py = (height / 2 - (y + tent(sampler.y))) * scale;
      const { forward: f, right, up, origin } = camera;
      const dx = f[0] + px * right[0] + py * up[0];
      const dy = f[1] + px * right[1] + py * up[1];
      const dz = f[2] + px * right[2] + py * up[2];
      const length = 1 / Math.sqrt(dx * dx + dy * dy + dz * dz);
      ray.ox = origin[0];
      ray.oy = origin[1];
      ray.oz = origin[2];
      ray.dx = dx * length;
      ray.dy = dy * length;
      ray.dz = dz * length;
      this.#follow();
      r += this.#lr;
      g += this.#lg;
      b += this.#lb;
      const luminance = 0.25 * this.#lr + 0.5 * this.#lg + 0.25 * this.#lb;
      sum += luminance;
      squares += luminance * luminance;
      const share = feature[7]!;
      ar += share * feature[0]!;
      ag += share * feature[1]!;
      ab += share * feature[2]!;
      nx += share * feature[3]!;
      ny += share * feature[4]!;
      nz += share * feature[5]!;
      depth += share * feature[6]!;
      shares += share;
    }
    const at = FILM_STRIDE * index;
    const n = 1 / samples;
    film[at] = r * n;
    film[at + 1] = g * n;
    film[at + 2] = b * n;
    const m = 1 / shares;
    film[at + 3] = ar * m;
    film[at + 4] = ag * m;
    film[at + 5] = ab * m;
    film[at + 6] = nx * m;
    film[at + 7] = ny * m;
    film[at + 8] = nz * m;
    film[at + 9] = depth * m;
    const variance = samples > 1 ? Math.max(0, squares * n - sum * n * sum * n) / (samples - 1) : sum * sum;
    film[at + 10] = variance;
  }

  #follow(): void {
    const ray = this.#ray;
    const at = this.#surface;
    this.#lr = this.#lg = this.#lb = 0;
    this.#tr = this.#tg = this.#tb = 1;
    const feature = this.#feature;
    feature.fill(0);
    feature[7] = 1;
    const rays = this.#rays;
    let reflections = 0;
    /** Nothing but glass so far; nor any reflection by it; the denoiser knows what it sees. */
    let mirrored = true;
    let straight = true;
    let known = false;
    let travelled = 0;
    this.#media.clear();
    for (let event = 0; event < MOST_EVENTS; event++) {
      const hit = rays.closest(ray.ox, ray.oy, ray.oz, ray.dx, ray.dy, ray.dz, Infinity);
      const floor = this.#nearestFloor(rays.distance);
      if (!hit && floor < 0) {
        if (!known) this.#markBackdrop();
        this.#addSky(straight, mirrored);
        return;
      }
      const distance = floor >= 0 ? this.#floorDistance : rays.distance;
      travelled += distance;
      if (this.#media.current !== AIR) this.#absorb(distance);
      let look = 0;
      let material = 0;
      if (floor >= 0) {
        at.standOnFloor(this.#view, floor, ray, distance, straight, travelled);
        if (at.fade > 0) this.#fadeGround(at.fade, straight);
        if (this.#tr + this.#tg + this.#tb < 1e-4) {
          if (!known) this.#markBackdrop();
          return;
        }
      } else {
        at.standOnPrimitive(this.#view, this.#geometry, rays, ray);
        material = MATERIAL_STRIDE * this.#geometry.materialOf[rays.primitive]!;
        look = this.#geometry.materials[material]!;
      }
      if (look === GLASS) {
        if (this.#passHidden(material)) continue;
        const reflected = this.#passGlass(material, event === 0);
        if (reflected) straight = false;
        if (reflected && !known && event === 0) {
          known = true;
          this.#markMirror(travelled);
        }
        continue;
      }
      if (!known) {
        known = true;
        feature[0] = at.r;
        feature[1] = at.g;
        feature[2] = at.b;
        feature[3] = at.nx;
        feature[4] = at.ny;
        feature[5] = at.nz;
        feature[6] = travelled;
      }
      if (reflections === MOST_REFLECTIONS) return;
      const roughness = look === GLOSSY ? this.#geometry.materials[material + 1]! : -1;
      this.#addKey(roughness, reflections > 0);
      if (!this.#reflect(roughness)) return;
      reflections++;
      straight = false;
      mirrored = false;
    }
    // Caught between mirrors: it would come out somewhere.
    this.#addBackground(straight, 1);
  }

  #markBackdrop(): void {
    this.#feature[0] = this.#feature[1] = this.#feature[2] = 1;
    this.#feature[6] = 0;
  }

  /** A glass is known by what is behind it, unless it is seen at so flat an angle that it is a mirror. */
  #markMirror(travelled: number): void {
    const at = this.#surface;
    const feature = this.#feature;
    feature[0] = feature[1] = feature[2] = 1;
    feature[3] = at.nx;
    feature[4] = at.ny;
    feature[5] = at.nz;
    feature[6] = travelled;
    feature[7] = this.#reflectance < 0.5 ? FAINT : 1;
  }

  #floorDistance = 0;

  /** Number of the floor in front of everything nearer than `limit`; floors are seen from above only. */
  #nearestFloor(limit: number): number {
    const ray = this.#ray;
    const { floors } = this.#view.ground;
    let nearest = -1;
    this.#floorDistance = limit;
    for (let i = 0; i < floors.length; i++) {
      const { point: p, normal: n } = floors[i]!;
      const along = ray.dx * n[0] + ray.dy * n[1] + ray.dz * n[2];
      if (along >= 0) continue;
      const above = (ray.ox - p[0]) * n[0] + (ray.oy - p[1]) * n[1] + (ray.oz - p[2]) * n[2];
      const distance = -above / along;
      if (!(distance > 0 && distance < this.#floorDistance)) continue;
      this.#floorDistance = distance;
      nearest = i;
    }
    return nearest;
  }

  /** Ground far away is the backdrop more and more. */
  #fadeGround(fade: number, straight: boolean): void {
    this.#addBackground(straight, fade);
    this.#tr *= 1 - fade;
    this.#tg *= 1 - fade;
    this.#tb *= 1 - fade;
  }

  /** Light from where the path leaves the scene. */
  #addSky(straight: boolean, mirrored: boolean): void {
    const ray = this.#ray;
    this.#addBackground(straight, 1);
    if (straight || !mirrored || !this.#hasKey) return;
    const { keyDirection: k } = this.#view.lighting;
    if (ray.dx * k[0] + ray.dy * k[1] + ray.dz * k[2] < this.#keyCosine) return;
    this.#lr += this.#tr * this.#keyRadiance[0];
    this.#lg += this.#tg * this.#keyRadiance[1];
    this.#lb += this.#tb * this.#keyRadiance[2];
  }

  #addBackground(straight: boolean, share: number): void {
    const ray = this.#ray;
    const { zenith, horizon, nadir, backdropTop, backdropHorizon } = this.#view.lighting;
    const y = ray.dy;
    const [low, high, t] = straight
      ? [backdropHorizon, backdropTop, smoothStep(1.6 * y)]
      : y < 0
        ? [horizon, nadir, Math.min(1, -2 * y)]
        : [horizon, zenith, y];
    this.#lr += this.#tr * share * (low[0] + t * (high[0] - low[0]));
    this.#lg += this.#tg * share * (low[1] + t * (high[1] - low[1]));
    this.#lb += this.#tb * share * (low[2] + t * (high[2] - low[2]));
  }

  /** Of the glass that the path met last. */
  #reflectance = 0;
  readonly #media: Media;
  readonly #shadowMedia: Media;

  /** What the medium takes on the way. */
  #absorb(distance: number): void {
    const { materials } = this.#geometry;
    const medium = this.#media.current;
    this.#tr *= Math.exp(-materials[medium + 3]! * distance);
    this.#tg *= Math.exp(-materials[medium + 4]! * distance);
    this.#tb *= Math.exp(-materials[medium + 5]! * distance);
  }

  /** Goes straight on through a surface that lies in glass of a higher rank; false when it does not. */
  #passHidden(material: number): boolean {
    const at = this.#surface;
    const media = this.#media;
    if (media.current === AIR || media.beyond(material, at.outside) !== media.current) return false;
    if (!at.outside && media.current === material) return false;
    media.cross(material, at.outside);
    const { offset } = this.#view;
    this.#ray.ox = at.x - offset * at.gx;
    this.#ray.oy = at.y - offset * at.gy;
    this.#ray.oz = at.z - offset * at.gz;
    return true;
  }

  /** Goes through a surface of glass or is thrown back by it; true when it is. */
  #passGlass(material: number, isFirst: boolean): boolean {
    const ray = this.#ray;
    const at = this.#surface;
    const media = this.#media;
    const { offset } = this.#view;
    // What is left may never have been entered, by a hair: then it is what the ray was in all the same.
    const before = at.outside || media.current !== AIR ? media.current : material;
    const eta = media.indexOf(before) / media.indexOf(media.beyond(material, at.outside));
    const cosine = Math.min(1, -(ray.dx * at.nx + ray.dy * at.ny + ray.dz * at.nz));
    const square = 1 - eta * eta * (1 - cosine * cosine);
    const inner = Math.sqrt(Math.max(0, square));
    const reflectance = square <= 0 ? 1 : fresnel(cosine, inner, eta);
    this.#reflectance = reflectance;
    this.#sampler.draw();
    const chance = isFirst
      ? Math.min(MIRROR_MOST, Math.max(MIRROR_LEAST, reflectance))
      : reflectance < FAINT_MIRROR
        ? 0
        : reflectance;
    const reflected = this.#sampler.x < chance;
    if (isFirst) {
      const weight = reflected ? reflectance / chance : (1 - reflectance) / (1 - chance);
      this.#tr *= weight;
      this.#tg *= weight;
      this.#tb *= weight;
    }
    const side = reflected ? offset : -offset;
    if (!reflected) media.cross(material, at.outside);
    if (reflected) {
      ray.dx += 2 * cosine * at.nx;
      ray.dy += 2 * cosine * at.ny;
      ray.dz += 2 * cosine * at.nz;
    } else {
      const n = eta * cosine - inner;
      ray.dx = eta * ray.dx + n * at.nx;
      ray.dy = eta * ray.dy + n * at.ny;
      ray.dz = eta * ray.dz + n * at.nz;
    }
    const scale = 1 / Math.sqrt(ray.dx * ray.dx + ray.dy * ray.dy + ray.dz * ray.dz);
    ray.dx *= scale;
    ray.dy *= scale;
    ray.dz *= scale;
    ray.ox = at.x + side * at.gx;
    ray.oy = at.y + side * at.gy;
    ray.oz = at.z + side * at.gz;
    // Inside, a mirrored path is part of the thing itself: it still ends at the backdrop.
    return reflected && at.outside;
  }

  /** Light of the key that gets here. A negative roughness is that of matte surfaces. */
  #addKey(roughness: number, isIndirect: boolean): void {
    const ray = this.#ray;
    const at = this.#surface;
    this.#sampler.draw();
    if (!this.#hasKey) return;
    const { keyDirection: k, key } = this.#view.lighting;
    const cosine = 1 - this.#sampler.x * (1 - this.#keyCosine);
    const sine = Math.sqrt(Math.max(0, 1 - cosine * cosine));
    const angle = 2 * Math.PI * this.#sampler.y;
    const a = sine * Math.cos(angle);
    const b = sine * Math.sin(angle);
    const lx = cosine * k[0] + a * this.#keyX[0] + b * this.#keyY[0];
    const ly = cosine * k[1] + a * this.#keyX[1] + b * this.#keyY[1];
    const lz = cosine * k[2] + a * this.#keyX[2] + b * this.#keyY[2];
    const facing = lx * at.nx + ly * at.ny + lz * at.nz;
    if (facing <= 0 || lx * at.gx + ly * at.gy + lz * at.gz <= 0) return;
    const x = at.x + at.lift * at.gx;
    const y = at.y + at.lift * at.gy;
    const z = at.z + at.lift * at.gz;
    if (this.#rays.blocked(x, y, z, lx, ly, lz, Infinity)) return;
    const shine = roughness < 0 ? 0 : gloss(roughness, ray, at, lx, ly, lz, facing);
    const base = roughness < 0 ? 1 : 1 - schlick(Math.max(0, facing));
    let r = this.#tr * key[0] * facing * (base * at.r + shine);
    let g = this.#tg * key[1] * facing * (base * at.g + shine);
    let bl = this.#tb * key[2] * facing * (base * at.b + shine);
    if (this.#rays.hasGlass) {
      const clear = this.#clearness(x, y, z, lx, ly, lz);
      r *= this.#clearR * clear;
      g *= this.#clearG * clear;
      bl *= this.#clearB * clear;
    }
    if (isIndirect) {
      r = Math.min(r, BRIGHTEST);
      g = Math.min(g, BRIGHTEST);
      bl = Math.min(bl, BRIGHTEST);
    }
    this.#lr += r;
    this.#lg += g;
    this.#lb += bl;
  }

  #clearR = 1;
  #clearG = 1;
  #clearB = 1;

  /** What glass lets through along a straight line: no caustics, but no black shadows either. */
  #clearness(x: number, y: number, z: number, dx: number, dy: number, dz: number): number {
    const { materialOf, materials, triangleCount, triangles, balls } = this.#geometry;
    const rays = this.#rays;
    this.#clearR = this.#clearG = this.#clearB = 1;
    const media = this.#shadowMedia;
    media.copy(this.#media);
    let share = 1;
    for (let crossing = 0; crossing < MOST_EVENTS; crossing++) {
      if (!rays.closest(x, y, z, dx, dy, dz, Infinity)) break;
      const { primitive, distance } = rays;
      x += distance * dx;
      y += distance * dy;
      z += distance * dz;
      let [gx, gy, gz] = [0, 0, 0];
      if (primitive < triangleCount) {
        const at = 9 * primitive;
        gx = triangles[at + 4]! * triangles[at + 8]! - triangles[at + 5]! * triangles[at + 7]!;
        gy = triangles[at + 5]! * triangles[at + 6]! - triangles[at + 3]! * triangles[at + 8]!;
        gz = triangles[at + 3]! * triangles[at + 7]! - triangles[at + 4]! * triangles[at + 6]!;
      } else {
        const at = 4 * (primitive - triangleCount);
        [gx, gy, gz] = [x - balls[at]!, y - balls[at + 1]!, z - balls[at + 2]!];
      }
      const cosine = (gx * dx + gy * dy + gz * dz) / Math.sqrt(gx * gx + gy * gy + gz * gz);
      const material = MATERIAL_STRIDE * materialOf[primitive]!;
      const enters = cosine < 0;
      const before = enters || media.current !== AIR ? media.current : material;
      const after = media.beyond(material, enters);
      media.cross(material, enters);
      if (before !== after) share *= 1 - boundary(Math.abs(cosine), media.indexOf(before), media.indexOf(after));
      if (before !== AIR) {
        this.#clearR *= Math.exp(-materials[before + 3]! * distance);
        this.#clearG *= Math.exp(-materials[before + 4]! * distance);
        this.#clearB *= Math.exp(-materials[before + 5]! * distance);
      }
      x += this.#view.offset * dx;
      y += this.#view.offset * dy;
      z += this.#view.offset * dz;
    }
    return share;
  }

  /** Turns the ray to where it is reflected to; false when nothing is. */
  #reflect(roughness: number): boolean {
    const ray = this.#ray;
    const at = this.#surface;
    const seen = -(ray.dx * at.nx + ray.dy * at.ny + ray.dz * at.nz);
    if (roughness >= 0) {
      // The coat or what is below it, by their shares.
      const coat = schlick(Math.max(0, seen));
      const base = (1 - coat) * (0.25 * at.r + 0.5 * at.g + 0.25 * at.b);
      const chance = coat / (coat + base);
      this.#sampler.draw();
      if (this.#sampler.x < chance) return this.#reflectCoat(roughness, 1 / chance);
      const rest = (1 - coat) / (1 - chance);
      this.#tr *= rest;
      this.#tg *= rest;
      this.#tb *= rest;
    }
    this.#tr *= at.r;
    this.#tg *= at.g;
    this.#tb *= at.b;
    // Over the hemisphere by the cosine.
    this.#sampler.draw();
    const angle = 2 * Math.PI * this.#sampler.x;
    const out = Math.sqrt(this.#sampler.y);
    const up = Math.sqrt(1 - this.#sampler.y);
    const a = out * Math.cos(angle);
    const b = out * Math.sin(angle);
    const [tx, ty] = tangents(at.nx, at.ny, at.nz);
    this.#leave(
      up * at.nx + a * tx[0] + b * ty[0],
      up * at.ny + a * tx[1] + b * ty[1],
      up * at.nz + a * tx[2] + b * ty[2],
    );
    return true;
  }

  /** By a microfacet that the ray sees. */
  #reflectCoat(roughness: number, weight: number): boolean {
    const ray = this.#ray;
    const at = this.#surface;
    const alpha = roughness * roughness;
    const [tx, ty] = tangents(at.nx, at.ny, at.nz);
    // The direction to the viewer in the surface's axes, stretched as if the surface were a hemisphere.
    const vx = -(ray.dx * tx[0] + ray.dy * tx[1] + ray.dz * tx[2]) * alpha;
    const vy = -(ray.dx * ty[0] + ray.dy * ty[1] + ray.dz * ty[2]) * alpha;
    const vz = -(ray.dx * at.nx + ray.dy * at.ny + ray.dz * at.nz);
    const length = 1 / Math.sqrt(vx * vx + vy * vy + vz * vz);
    this.#sampler.draw();
    // Points of the hemisphere around it that it sees: a cap, evenly.
    const phi = 2 * Math.PI * this.#sampler.x;
    const z = (1 - this.#sampler.y) * (1 + vz * length) - vz * length;
    const sine = Math.sqrt(Math.max(0, 1 - z * z));
    const mx = (sine * Math.cos(phi) + vx * length) * alpha;
    const my = (sine * Math.sin(phi) + vy * length) * alpha;
    const mz = z + vz * length;
    const scale = 1 / Math.sqrt(mx * mx + my * my + mz * mz);
    const hx = (mx * tx[0] + my * ty[0] + mz * at.nx) * scale;
    const hy = (mx * tx[1] + my * ty[1] + mz * at.ny) * scale;
    const hz = (mx * tx[2] + my * ty[2] + mz * at.nz) * scale;
    const vh = -(ray.dx * hx + ray.dy * hy + ray.dz * hz);
    const lx = ray.dx + 2 * vh * hx;
    const ly = ray.dy + 2 * vh * hy;
    const lz = ray.dz + 2 * vh * hz;
    const facing = lx * at.nx + ly * at.ny + lz * at.nz;
    if (!(facing > 0 && vh > 0)) return false;
    const a2 = alpha * alpha;
    // Share of the facets seen by the viewer that the light sees too.
    const shadowed = (c: number) => (Math.sqrt(1 + (a2 * (1 - c * c)) / (c * c)) - 1) / 2;
    const seen = shadowed(vz);
    const share = (weight * schlick(vh) * (1 + seen)) / (1 + seen + shadowed(facing));
    this.#tr *= share;
    this.#tg *= share;
    this.#tb *= share;
    this.#leave(lx, ly, lz);
    return true;
  }

  /** Starts the next ray; one into the surface is turned back out of it. */
  #leave(dx: number, dy: number, dz: number): void {
    const ray = this.#ray;
    const at = this.#surface;
    const into = dx * at.gx + dy * at.gy + dz * at.gz;
    const back = into < 0 ? -2 * into : 0;
    dx += back * at.gx;
    dy += back * at.gy;
    dz += back * at.gz;
    const scale = 1 / Math.sqrt(dx * dx + dy * dy + dz * dz);
    ray.dx = dx * scale;
    ray.dy = dy * scale;
    ray.dz = dz * scale;
    ray.ox = at.x + at.lift * at.gx;
    ray.oy = at.y + at.lift * at.gy;
    ray.oz = at.z + at.lift * at.gz;
  }
}

/** A pixel's own filter: a tent as wide as two pixels, around its centre. */
function tent(t: number): number {
  return 0.5 + (t < 0.5 ? Math.sqrt(2 * t) - 1 : 1 - Math.sqrt(2 - 2 * t));
}
