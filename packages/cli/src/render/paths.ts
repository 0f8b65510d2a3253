/**
 * Light paths from the camera back to the sky: at every surface the key light is looked for through one of
 * its points, and the path goes on in one direction chosen as the material reflects.
 */
import type { Tree } from './bvh.js';
import { type Geometry, GLASS, GLOSSY, MATERIAL_STRIDE } from './geometry.js';
import { Rays } from './rays.js';
import { Sampler } from './sampler.js';
import type { View } from './view.js';

/** Reflections by matte and glossy surfaces, and all events, in one path. */
const MOST_REFLECTIONS = 2;
const MOST_EVENTS = 16;
/** Paths that come from many reflections carry no more than this: single bright ones would be specks. */
const BRIGHTEST = 4;
/** Reflectance of a coat, or of glass in air, seen straight on. */
const COAT = 0.04;
/**
 * The first glass on a path reflects at least and at most this share of the rays, with less or more weight: few
 * rays of full weight would be specks. Further ones that would reflect less than the last share do not at all.
 */
const MIRROR_LEAST = 0.2;
const MIRROR_MOST = 0.8;
const FAINT_MIRROR = 0.12;
/** What counts next to nothing. */
const FAINT = 1e-6;
/** How dark grid lines are, and their width over their distance. */
const LINE_SHADE = 0.16;
const LINE_WIDTH = 0.012;

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
  /** The ray: origin, direction. */
  #ox = 0;
  #oy = 0;
  #oz = 0;
  #dx = 0;
  #dy = 0;
  #dz = 0;
  /** The surface: place, normal of the face and of shading (both towards the ray), colour. */
  #px = 0;
  #py = 0;
  #pz = 0;
  #gx = 0;
  #gy = 0;
  #gz = 0;
  #nx = 0;
  #ny = 0;
  #nz = 0;
  #cr = 0;
  #cg = 0;
  #cb = 0;
  #outside = true;
  /** How far from the surface reflected rays start [m]. */
  #lift = 0;
  /** What the denoiser knows a pixel by. */
  readonly #feature = new Float64Array(8);
  readonly #keyX: readonly [number, number, number];
  readonly #keyY: readonly [number, number, number];
  readonly #keyCosine: number;
  readonly #hasKey: boolean;
  readonly #keyRadiance: readonly [number, number, number];

  constructor(view: View, geometry: Geometry, tree: Tree) {
    this.#view = view;
    this.#geometry = geometry;
    this.#rays = new Rays(geometry, tree);
    this.#sampler = new Sampler(view.samples);
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
      this.#ox = origin[0];
      this.#oy = origin[1];
      this.#oz = origin[2];
      this.#dx = dx * length;
      this.#dy = dy * length;
      this.#dz = dz * length;
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
    this.#lr = this.#lg = this.#lb = 0;
    this.#tr = this.#tg = this.#tb = 1;
    const feature = this.#feature;
    feature.fill(0);
    feature[7] = 1;
    const rays = this.#rays;
    let reflections = 0;
    /** Nothing but glass so far, and no reflection either. */
    let mirrored = true;
    let straight = true;
    let known = false;
    let travelled = 0;
    for (let event = 0; event < MOST_EVENTS; event++) {
      const hit = rays.closest(this.#ox, this.#oy, this.#oz, this.#dx, this.#dy, this.#dz, Infinity);
      const floor = this.#nearestFloor(rays.distance);
      if (!hit && floor < 0) {
        if (!known) this.#markBackdrop();
        this.#addSky(straight, mirrored);
        return;
      }
      const distance = floor >= 0 ? this.#floorDistance : rays.distance;
      travelled += distance;
      let look = 0;
      let material = 0;
      if (floor >= 0) {
        this.#standOnFloor(floor, distance, straight, travelled);
        if (this.#tr + this.#tg + this.#tb < 1e-4) {
          if (!known) this.#markBackdrop();
          return;
        }
      } else {
        this.#standOnPrimitive(distance);
        material = MATERIAL_STRIDE * this.#geometry.materialOf[rays.primitive]!;
        look = this.#geometry.materials[material]!;
      }
      if (look === GLASS) {
        const reflected = this.#passGlass(material, distance, event === 0);
        if (reflected) straight = false;
        if (reflected && !known && event === 0) {
          known = true;
          this.#markMirror(travelled);
        }
        continue;
      }
      if (!known) {
        known = true;
        feature[0] = this.#cr;
        feature[1] = this.#cg;
        feature[2] = this.#cb;
        feature[3] = this.#nx;
        feature[4] = this.#ny;
        feature[5] = this.#nz;
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
  }

  #markBackdrop(): void {
    this.#feature[0] = this.#feature[1] = this.#feature[2] = 1;
    this.#feature[6] = 0;
  }

  /** A glass is known by what is behind it, unless it is seen at so flat an angle that it is a mirror. */
  #markMirror(travelled: number): void {
    const feature = this.#feature;
    feature[0] = feature[1] = feature[2] = 1;
    feature[3] = this.#nx;
    feature[4] = this.#ny;
    feature[5] = this.#nz;
    feature[6] = travelled;
    feature[7] = this.#reflectance < 0.5 ? FAINT : 1;
  }

  #floorDistance = 0;

  /** Number of the floor in front of everything nearer than `limit`; floors are seen from above only. */
  #nearestFloor(limit: number): number {
    const { floors } = this.#view.ground;
    let nearest = -1;
    this.#floorDistance = limit;
    for (let i = 0; i < floors.length; i++) {
      const { point: p, normal: n } = floors[i]!;
      const along = this.#dx * n[0] + this.#dy * n[1] + this.#dz * n[2];
      if (along >= 0) continue;
      const above = (this.#ox - p[0]) * n[0] + (this.#oy - p[1]) * n[1] + (this.#oz - p[2]) * n[2];
      const distance = -above / along;
      if (!(distance > 0 && distance < this.#floorDistance)) continue;
      this.#floorDistance = distance;
      nearest = i;
    }
    return nearest;
  }

  #standOnFloor(floor: number, distance: number, straight: boolean, travelled: number): void {
    const { ground, camera, height } = this.#view;
    const n = ground.floors[floor]!.normal;
    const x = this.#ox + distance * this.#dx;
    const y = this.#oy + distance * this.#dy;
    const z = this.#oz + distance * this.#dz;
    this.#px = x;
    this.#py = y;
    this.#pz = z;
    this.#gx = this.#nx = n[0];
    this.#gy = this.#ny = n[1];
    this.#gz = this.#nz = n[2];
    this.#outside = true;
    this.#lift = this.#view.offset;
    const cx = x - ground.center[0];
    const cy = y - ground.center[1];
    const cz = z - ground.center[2];
    const away = Math.sqrt(cx * cx + cy * cy + cz * cz);
    const fade = smoothStep((away - ground.fadeFrom) / (ground.fadeTo - ground.fadeFrom));
    if (fade > 0) {
      this.#addBackground(straight, fade);
      this.#tr *= 1 - fade;
      this.#tg *= 1 - fade;
      this.#tb *= 1 - fade;
    }
    let shade = 1;
    if (ground.grid > 0 && straight) {
      const cosine = Math.max(0.02, Math.abs(this.#dx * n[0] + this.#dy * n[1] + this.#dz * n[2]));
      // How much of the ground a pixel covers: lines get as wide and as much fainter.
      const footprint = (travelled * 2 * camera.tangent) / (height * cosine);
      const [u, v] = Math.abs(n[1]) > 0.5 ? [x, z] : [z, y];
      shade = 1 - LINE_SHADE * Math.max(line(u, ground.grid, footprint), line(v, ground.grid, footprint));
    }
    this.#cr = ground.color[0] * shade;
    this.#cg = ground.color[1] * shade;
    this.#cb = ground.color[2] * shade;
  }

  #standOnPrimitive(distance: number): void {
    const { triangleCount, triangles, normals, colors, balls, ballColors } = this.#geometry;
    const { primitive, u, v } = this.#rays;
    const [dx, dy, dz] = [this.#dx, this.#dy, this.#dz];
    const x = this.#ox + distance * dx;
    const y = this.#oy + distance * dy;
    const z = this.#oz + distance * dz;
    this.#lift = this.#view.offset;
    if (primitive >= triangleCount) {
      const b = primitive - triangleCount;
      const inverse = 1 / balls[4 * b + 3]!;
      this.#gx = (x - balls[4 * b]!) * inverse;
      this.#gy = (y - balls[4 * b + 1]!) * inverse;
      this.#gz = (z - balls[4 * b + 2]!) * inverse;
      this.#nx = this.#gx;
      this.#ny = this.#gy;
      this.#nz = this.#gz;
      this.#cr = ballColors[3 * b]!;
      this.#cg = ballColors[3 * b + 1]!;
      this.#cb = ballColors[3 * b + 2]!;
    } else {
      const at = 9 * primitive;
      const w = 1 - u - v;
      let gx = triangles[at + 4]! * triangles[at + 8]! - triangles[at + 5]! * triangles[at + 7]!;
      let gy = triangles[at + 5]! * triangles[at + 6]! - triangles[at + 3]! * triangles[at + 8]!;
      let gz = triangles[at + 3]! * triangles[at + 7]! - triangles[at + 4]! * triangles[at + 6]!;
      let scale = 1 / Math.sqrt(gx * gx + gy * gy + gz * gz);
      gx *= scale;
      gy *= scale;
      gz *= scale;
      let nx = w * normals[at]! + u * normals[at + 3]! + v * normals[at + 6]!;
      let ny = w * normals[at + 1]! + u * normals[at + 4]! + v * normals[at + 7]!;
      let nz = w * normals[at + 2]! + u * normals[at + 5]! + v * normals[at + 8]!;
      scale = 1 / Math.sqrt(nx * nx + ny * ny + nz * nz);
      if (!(scale < Infinity)) {
        nx = gx;
        ny = gy;
        nz = gz;
        scale = 1;
      }
      nx *= scale;
      ny *= scale;
      nz *= scale;
      // The side of the triangle is told by its normals: an inverted triangle is not seen from behind.
      if (nx * gx + ny * gy + nz * gz < 0) {
        gx = -gx;
        gy = -gy;
        gz = -gz;
      }
      this.#gx = gx;
      this.#gy = gy;
      this.#gz = gz;
      this.#nx = nx;
      this.#ny = ny;
      this.#nz = nz;
      this.#cr = w * colors[at]! + u * colors[at + 3]! + v * colors[at + 6]!;
      this.#cg = w * colors[at + 1]! + u * colors[at + 4]! + v * colors[at + 7]!;
      this.#cb = w * colors[at + 2]! + u * colors[at + 5]! + v * colors[at + 8]!;
    }
    this.#outside = this.#gx * dx + this.#gy * dy + this.#gz * dz < 0;
    if (!this.#outside) {
      this.#gx = -this.#gx;
      this.#gy = -this.#gy;
      this.#gz = -this.#gz;
      this.#nx = -this.#nx;
      this.#ny = -this.#ny;
      this.#nz = -this.#nz;
    } else if (primitive < triangleCount) {
      // Shadows begin on the rounded surface that the normals stand for, not in its flat triangle.
      this.#lift += this.#liftOverTriangle(primitive, x, y, z);
    }
    // A shading normal that looks away from the ray would mirror it into the surface.
    const facing = this.#nx * dx + this.#ny * dy + this.#nz * dz;
    if (facing > -0.02) {
      this.#nx -= (facing + 0.02) * dx;
      this.#ny -= (facing + 0.02) * dy;
      this.#nz -= (facing + 0.02) * dz;
      const scale = 1 / Math.sqrt(this.#nx * this.#nx + this.#ny * this.#ny + this.#nz * this.#nz);
      this.#nx *= scale;
      this.#ny *= scale;
      this.#nz *= scale;
    }
    this.#px = x;
    this.#py = y;
    this.#pz = z;
  }

  /** How far the tangent planes at the corners are above a point of the triangle, along the normal [m]. */
  #liftOverTriangle(primitive: number, x: number, y: number, z: number): number {
    const { triangles, normals } = this.#geometry;
    const { u, v } = this.#rays;
    const at = 9 * primitive;
    let lift = 0;
    for (let corner = 0; corner < 3; corner++) {
      const weight = corner === 0 ? 1 - u - v : corner === 1 ? u : v;
      const edge = at + 3 * corner;
      const ex = corner === 0 ? 0 : triangles[edge]!;
      const ey = corner === 0 ? 0 : triangles[edge + 1]!;
      const ez = corner === 0 ? 0 : triangles[edge + 2]!;
      const n = at + 3 * corner;
      const below =
        (triangles[at]! + ex - x) * normals[n]! +
        (triangles[at + 1]! + ey - y) * normals[n + 1]! +
        (triangles[at + 2]! + ez - z) * normals[n + 2]!;
      if (below > 0) lift += weight * below;
    }
    return lift;
  }

  /** Light from where the path leaves the scene. */
  #addSky(straight: boolean, mirrored: boolean): void {
    this.#addBackground(straight, 1);
    if (straight || !mirrored || !this.#hasKey) return;
    const { keyDirection: k } = this.#view.lighting;
    if (this.#dx * k[0] + this.#dy * k[1] + this.#dz * k[2] < this.#keyCosine) return;
    this.#lr += this.#tr * this.#keyRadiance[0];
    this.#lg += this.#tg * this.#keyRadiance[1];
    this.#lb += this.#tb * this.#keyRadiance[2];
  }

  #addBackground(straight: boolean, share: number): void {
    const { zenith, horizon, nadir, backdropTop, backdropHorizon } = this.#view.lighting;
    const y = this.#dy;
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

  /** Goes through a surface of glass or is thrown back by it; true when it is. */
  #passGlass(material: number, distance: number, isFirst: boolean): boolean {
    const { materials } = this.#geometry;
    const { offset } = this.#view;
    if (!this.#outside) {
      this.#tr *= Math.exp(-materials[material + 3]! * distance);
      this.#tg *= Math.exp(-materials[material + 4]! * distance);
      this.#tb *= Math.exp(-materials[material + 5]! * distance);
    }
    const eta = this.#outside ? 1 / materials[material + 2]! : materials[material + 2]!;
    const cosine = Math.min(1, -(this.#dx * this.#nx + this.#dy * this.#ny + this.#dz * this.#nz));
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
    if (reflected) {
      this.#dx += 2 * cosine * this.#nx;
      this.#dy += 2 * cosine * this.#ny;
      this.#dz += 2 * cosine * this.#nz;
    } else {
      const n = eta * cosine - inner;
      this.#dx = eta * this.#dx + n * this.#nx;
      this.#dy = eta * this.#dy + n * this.#ny;
      this.#dz = eta * this.#dz + n * this.#nz;
    }
    const scale = 1 / Math.sqrt(this.#dx * this.#dx + this.#dy * this.#dy + this.#dz * this.#dz);
    this.#dx *= scale;
    this.#dy *= scale;
    this.#dz *= scale;
    this.#ox = this.#px + side * this.#gx;
    this.#oy = this.#py + side * this.#gy;
    this.#oz = this.#pz + side * this.#gz;
    // Inside, a mirrored path is part of the thing itself: it still ends at the backdrop.
    return reflected && this.#outside;
  }

  /** Light of the key that gets here. A negative roughness is that of matte surfaces. */
  #addKey(roughness: number, isIndirect: boolean): void {
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
    const facing = lx * this.#nx + ly * this.#ny + lz * this.#nz;
    if (facing <= 0 || lx * this.#gx + ly * this.#gy + lz * this.#gz <= 0) return;
    const x = this.#px + this.#lift * this.#gx;
    const y = this.#py + this.#lift * this.#gy;
    const z = this.#pz + this.#lift * this.#gz;
    if (this.#rays.blocked(x, y, z, lx, ly, lz, Infinity)) return;
    const shine = roughness < 0 ? 0 : this.#gloss(roughness, lx, ly, lz, facing);
    const base = roughness < 0 ? 1 : 1 - schlick(Math.max(0, facing));
    let r = this.#tr * key[0] * facing * (base * this.#cr + shine);
    let g = this.#tg * key[1] * facing * (base * this.#cg + shine);
    let bl = this.#tb * key[2] * facing * (base * this.#cb + shine);
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
      share *= 1 - schlick(Math.abs(cosine));
      if (cosine > 0) {
        const m = MATERIAL_STRIDE * materialOf[primitive]!;
        this.#clearR *= Math.exp(-materials[m + 3]! * distance);
        this.#clearG *= Math.exp(-materials[m + 4]! * distance);
        this.#clearB *= Math.exp(-materials[m + 5]! * distance);
      }
      x += this.#view.offset * dx;
      y += this.#view.offset * dy;
      z += this.#view.offset * dz;
    }
    return share;
  }

  /** Reflectance of the coat for light from l, times pi: microfacets of Trowbridge and Reitz. */
  #gloss(roughness: number, lx: number, ly: number, lz: number, facing: number): number {
    const hx = lx - this.#dx;
    const hy = ly - this.#dy;
    const hz = lz - this.#dz;
    const length = Math.sqrt(hx * hx + hy * hy + hz * hz);
    const nh = (hx * this.#nx + hy * this.#ny + hz * this.#nz) / length;
    const lh = (hx * lx + hy * ly + hz * lz) / length;
    const seen = -(this.#dx * this.#nx + this.#dy * this.#ny + this.#dz * this.#nz);
    const a2 = roughness ** 4;
    const d = nh * nh * (a2 - 1) + 1;
    const both = facing * Math.sqrt(a2 + (1 - a2) * seen * seen) + seen * Math.sqrt(a2 + (1 - a2) * facing * facing);
    return (schlick(lh) * a2) / (d * d) / (2 * both);
  }

  /** Turns the ray to where it is reflected to; false when nothing is. */
  #reflect(roughness: number): boolean {
    const seen = -(this.#dx * this.#nx + this.#dy * this.#ny + this.#dz * this.#nz);
    if (roughness >= 0) {
      // The coat or what is below it, by their shares.
      const coat = schlick(Math.max(0, seen));
      const base = (1 - coat) * (0.25 * this.#cr + 0.5 * this.#cg + 0.25 * this.#cb);
      const chance = coat / (coat + base);
      this.#sampler.draw();
      if (this.#sampler.x < chance) return this.#reflectCoat(roughness, 1 / chance);
      const rest = (1 - coat) / (1 - chance);
      this.#tr *= rest;
      this.#tg *= rest;
      this.#tb *= rest;
    }
    this.#tr *= this.#cr;
    this.#tg *= this.#cg;
    this.#tb *= this.#cb;
    // Over the hemisphere by the cosine.
    this.#sampler.draw();
    const angle = 2 * Math.PI * this.#sampler.x;
    const out = Math.sqrt(this.#sampler.y);
    const up = Math.sqrt(1 - this.#sampler.y);
    const a = out * Math.cos(angle);
    const b = out * Math.sin(angle);
    const [tx, ty] = tangents(this.#nx, this.#ny, this.#nz);
    this.#leave(
      up * this.#nx + a * tx[0] + b * ty[0],
      up * this.#ny + a * tx[1] + b * ty[1],
      up * this.#nz + a * tx[2] + b * ty[2],
    );
    return true;
  }

  /** By a microfacet that the ray sees. */
  #reflectCoat(roughness: number, weight: number): boolean {
    const alpha = roughness * roughness;
    const [tx, ty] = tangents(this.#nx, this.#ny, this.#nz);
    // The direction to the viewer in the surface's axes, stretched as if the surface were a hemisphere.
    const vx = -(this.#dx * tx[0] + this.#dy * tx[1] + this.#dz * tx[2]) * alpha;
    const vy = -(this.#dx * ty[0] + this.#dy * ty[1] + this.#dz * ty[2]) * alpha;
    const vz = -(this.#dx * this.#nx + this.#dy * this.#ny + this.#dz * this.#nz);
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
    const hx = (mx * tx[0] + my * ty[0] + mz * this.#nx) * scale;
    const hy = (mx * tx[1] + my * ty[1] + mz * this.#ny) * scale;
    const hz = (mx * tx[2] + my * ty[2] + mz * this.#nz) * scale;
    const vh = -(this.#dx * hx + this.#dy * hy + this.#dz * hz);
    const lx = this.#dx + 2 * vh * hx;
    const ly = this.#dy + 2 * vh * hy;
    const lz = this.#dz + 2 * vh * hz;
    const facing = lx * this.#nx + ly * this.#ny + lz * this.#nz;
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
    const into = dx * this.#gx + dy * this.#gy + dz * this.#gz;
    const back = into < 0 ? -2 * into : 0;
    dx += back * this.#gx;
    dy += back * this.#gy;
    dz += back * this.#gz;
    const scale = 1 / Math.sqrt(dx * dx + dy * dy + dz * dz);
    this.#dx = dx * scale;
    this.#dy = dy * scale;
    this.#dz = dz * scale;
    this.#ox = this.#px + this.#lift * this.#gx;
    this.#oy = this.#py + this.#lift * this.#gy;
    this.#oz = this.#pz + this.#lift * this.#gz;
  }
}

/** Two unit vectors across a third one. */
function tangents(
  x: number,
  y: number,
  z: number,
): readonly [readonly [number, number, number], readonly [number, number, number]] {
  const sign = z < 0 ? -1 : 1;
  const a = -1 / (sign + z);
  const b = x * y * a;
  return [
    [1 + sign * x * x * a, sign * b, -sign * x],
    [b, sign + y * y * a, -y],
  ];
}

/** A pixel's own filter: a tent as wide as two pixels, around its centre. */
function tent(t: number): number {
  return 0.5 + (t < 0.5 ? Math.sqrt(2 * t) - 1 : 1 - Math.sqrt(2 - 2 * t));
}

function smoothStep(t: number): number {
  if (!(t > 0)) return 0;
  return t >= 1 ? 1 : t * t * (3 - 2 * t);
}

/** How much of a pixel a grid line covers. */
function line(x: number, spacing: number, footprint: number): number {
  const width = LINE_WIDTH * spacing;
  const soft = Math.max(width, 1.5 * footprint);
  const away = Math.abs(x / spacing - Math.round(x / spacing)) * spacing;
  const cover = Math.max(0, 1 - away / soft);
  // Lines nearer than pixels are a tint, not a pattern.
  return cover * (width / soft) * (1 - smoothStep(footprint / (0.25 * spacing)));
}

/** Reflectance of a coat. */
function schlick(cosine: number): number {
  const c = 1 - cosine;
  const c2 = c * c;
  return COAT + (1 - COAT) * c2 * c2 * c;
}

/** Reflectance of a boundary between media; eta is the index on this side over the one beyond. */
function fresnel(cosine: number, inner: number, eta: number): number {
  const s = (eta * cosine - inner) / (eta * cosine + inner);
  const p = (cosine - eta * inner) / (cosine + eta * inner);
  return (s * s + p * p) / 2;
}
