import { subtract, transform, transpose } from '../../math/matrix3.js';
import type { ConstraintOptions, Region, Vec3 } from '../../options/types.js';
import type { Frame } from '../../particles/frame.js';
import type { BodySamples } from '../../particles/samples.js';
import { type Hold, prescribedAxes } from './hold.js';

/**
 * Where a clamp acts. Held particles lie anywhere behind the face of a region, so holding them rigidly
 * holds the material half a spacing from where the user said, more or less. Instead those near a face
 * mirror the free side: at distance d behind it a particle moves as the one at the mirror point does, the
 * other way, so that the fit crosses the prescribed motion at the face:
 *
 *   u_h - u0 = (d_h / d_m) (u_m - u0),  f_m += (d_h / d_m) f_h
 *
 * and of their cells only what is in front of the face is elastic. Clamped beams of five particles across
 * are within 0.3 % of the exact solution, wherever the face lies between two layers (7 % if held rigidly).
 */

/** Particles that are nearer in front of a face than this, in spacings, depend on it too: a master needs a lever. */
const IN_FRONT = 0.45;
/** A mirror point has a master no farther away than this, in spacings: one, with room for rounding. */
const NEAR = 1.05;
/** How far behind a face particles are seen from in front of it, in supports. */
const BEHIND = 1;
/** Samples along an edge of a cell that a slanted face cuts. */
const SAMPLES = 8;

/** A held particle that follows a free one. */
export interface Ghost {
  /** Numbers within the body. */
  readonly particle: number;
  readonly ghostSource: number;
  /** Distance from the face over that of the master; negative behind it. */
  readonly ratio: number;
  /** What is left of its cell: volume over the whole, and in body axes the centroid and second moments per axis. */
  readonly share: number;
  /** From the particle to the centroid of what is left [m]. */
  readonly centroid: Vec3;
  /** Over the volume that is left [m2]. */
  readonly moment: Vec3;
}

export interface Clamp {
  /** Particles that the constraint holds, dependents included, by rising number within the body. */
  readonly held: Uint32Array;
  readonly ghosts: readonly Ghost[];
  /** Held particles that no free one sees: they have no strain of their own, and must not feel that of the mirror. */
  readonly buried: readonly number[];
}

/** A plane of the boundary of a region near a point: the signed distance, and outwards. */
interface Face {
  readonly distance: number;
  readonly normal: Vec3;
}

/** The faces of a region that a point may belong to, the nearest first; one where the point is outside. */
function facesOf(region: Region, at: Vec3): Face[] {
  if ('all' in region) return [];
  if ('sphere' in region) {
    const from = subtract(at, region.sphere.center);
    const r = Math.hypot(...from);
    const normal: Vec3 = r > 0 ? [from[0] / r, from[1] / r, from[2] / r] : [0, 1, 0];
    return [{ distance: r - region.sphere.radius, normal }];
  }
  const { min, max } = region.box;
  const faces: Face[] = [];
  for (let a = 0; a < 3; a++) {
    for (const side of [-1, 1]) {
      const normal: [number, number, number] = [0, 0, 0];
      normal[a] = side;
      faces.push({ distance: side > 0 ? at[a]! - max[a]! : min[a]! - at[a]!, normal });
    }
  }
  // Outside: the face that it is farthest in front of.
  const outside = faces.filter(({ distance }) => distance > 0).sort((a, b) => b.distance - a.distance);
  if (outside.length > 1) {
    const distance = Math.hypot(...outside.map((face) => face.distance));
    return [{ distance, normal: outside[0]!.normal }];
  }
  if (outside.length > 0) return outside;
  return faces.sort((a, b) => b.distance - a.distance);
}

/** Distance of a point from the plane of a face that was found at another point. */
function distanceFrom(region: Region, face: Face, found: Vec3, at: Vec3): number {
  if ('sphere' in region) return Math.hypot(...subtract(at, region.sphere.center)) - region.sphere.radius;
  const d = subtract(at, found);
  return face.distance + d[0] * face.normal[0] + d[1] * face.normal[1] + d[2] * face.normal[2];
}

/** Points by the cell of a grid that they are in. */
class Buckets {
  readonly #buckets = new Map<string, number[]>();
  constructor(
    readonly cell: number,
    readonly points: readonly Vec3[],
    chosen: readonly number[],
  ) {
    for (const i of chosen) {
      const key = this.#cellOf(points[i]!).join();
      const list = this.#buckets.get(key);
      if (list) list.push(i);
      else this.#buckets.set(key, [i]);
    }
  }

  #cellOf(p: Vec3): Vec3 {
    return [Math.floor(p[0] / this.cell), Math.floor(p[1] / this.cell), Math.floor(p[2] / this.cell)];
  }

  /** The nearest point within one cell's edge, the one of the lower number of two. */
  nearest(at: Vec3): { index: number; distance: number } | undefined {
    const [x, y, z] = this.#cellOf(at);
    let best: { index: number; distance: number } | undefined;
    for (let a = x - 1; a <= x + 1; a++) {
      for (let b = y - 1; b <= y + 1; b++) {
        for (let c = z - 1; c <= z + 1; c++) {
          for (const index of this.#buckets.get(`${a},${b},${c}`) ?? []) {
            const distance = Math.hypot(...subtract(at, this.points[index]!));
            if (distance > this.cell) continue;
            const nearer = !best || distance < best.distance * (1 - 1e-6);
            const tied = best && distance < best.distance * (1 + 1e-6) && index < best.index;
            if (nearer || tied) best = { index, distance };
          }
        }
      }
    }
    return best;
  }
}

/** Is the whole motion prescribed? What is held along some axes only stays elastic across them, and has no face. */
function holdsFully(options: ConstraintOptions): boolean {
  return prescribedAxes(options) === 7;
}

/**
 * The particles of a body that a constraint holds, and which of them mirror the free side. `support` is in
 * spacings. A particle that several faces could mirror, at an edge of the region or within a thin one, is
 * held rigidly.
 */
export function findClamp(samples: BodySamples, initial: Frame, options: ConstraintOptions, support: number): Clamp {
  const { count, rest } = samples;
  const points: Vec3[] = [];
  const inside: boolean[] = [];
  for (let i = 0; i < count; i++) {
    const p = transform(initial.rotation, [rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!]);
    points.push([p[0] + initial.origin[0], p[1] + initial.origin[1], p[2] + initial.origin[2]]);
  }
  const { region } = options;
  const clamps = holdsFully(options);
  const faces = points.map((at) => facesOf(region, at));
  const depth = (i: number) => (faces[i]!.length === 0 ? Number.NEGATIVE_INFINITY : faces[i]![0]!.distance);
  const spacing = (i: number) => rest[4 * i + 3]!;
  let largest = 0;
  for (let i = 0; i < count; i++) {
    largest = Math.max(largest, spacing(i));
    // The edge counts, with room for float32 rounding; in front of it only what is near a face that cuts the body.
    inside.push(depth(i) <= (clamps ? IN_FRONT : 1e-5) * spacing(i));
  }
  const held = Uint32Array.from(points.keys()).filter((i) => inside[i]!);
  // A body that is held as a whole has no face between what is held and what is free.
  if (!clamps || held.length === count) return { held, ghosts: [], buried: [] };

  const front = [...points.keys()].filter((i) => !inside[i]! && depth(i) < (support + 1) * largest);
  const free = new Buckets(NEAR * largest, points, front);
  const seen = new Buckets(support * largest, points, front);
  const back = transpose(initial.rotation);
  const ghosts: Ghost[] = [];
  const buried: number[] = [];
  for (const h of held) {
    const mirrored: { face: Face; ghostSource: number }[] = [];
    for (const face of faces[h]!) {
      const { distance, normal } = face;
      if (distance < -BEHIND * support * spacing(h)) break;
      const offset = Math.abs(distance) - distance;
      const at = points[h]!;
      const mirror: Vec3 = [at[0] + offset * normal[0], at[1] + offset * normal[1], at[2] + offset * normal[2]];
      const ghostSource = free.nearest(mirror);
      if (ghostSource && distanceFrom(region, face, at, points[ghostSource.index]!) > 0) {
        mirrored.push({ face, ghostSource: ghostSource.index });
      }
    }
    if (mirrored.length !== 1) {
      if (mirrored.length === 0 && !seen.nearest(points[h]!)) buried.push(h);
      continue;
    }
    const { face, ghostSource } = mirrored[0]!;
    const lever = distanceFrom(region, face, points[h]!, points[ghostSource]!);
    ghosts.push({
      particle: h,
      ghostSource,
      ratio: face.distance / lever,
      ...cutCell(samples, h, face, transform(back, face.normal)),
    });
  }
  return { held, ghosts, buried };
}

/**
 * The clamps of all constraints. A particle that two of them hold fully has no one face to mirror, and one that
 * has let go by `time` mirrors nothing.
 */
export function findClamps<
  T extends {
    body: number;
    options: ConstraintOptions;
    hold?: Hold | undefined;
    samples: BodySamples;
    initial: Frame;
    support: number;
  },
>(constraints: readonly T[], time: number): (T & { clamp: Clamp })[] {
  const found = constraints.map((c) => {
    // What is taken hold of on the way is held as it is.
    const clamp = c.hold
      ? { held: Uint32Array.from(c.hold.particles), ghosts: [], buried: [] }
      : findClamp(c.samples, c.initial, c.options, c.support);
    return { ...c, clamp };
  });
  const holders = new Map<string, number>();
  for (const { body, options, clamp } of found) {
    // One that only holds some axes still holds master and dependent alike.
    if (!holdsFully(options) && options.move.length === 0 && !options.displacement) continue;
    for (const i of clamp.held) holders.set(`${body}:${i}`, (holders.get(`${body}:${i}`) ?? 0) + 1);
  }
  return found.map((c) => ({
    ...c,
    clamp: {
      held: c.clamp.held,
      buried: c.options.end > time ? c.clamp.buried : [],
      ghosts: c.clamp.ghosts.filter(
        ({ particle, ghostSource }) =>
          c.options.end > time &&
          holders.get(`${c.body}:${particle}`) === 1 &&
          !holders.has(`${c.body}:${ghostSource}`),
      ),
    },
  }));
}

/** What is left of a particle's cubic cell in front of a face; `normal` is in body axes. */
function cutCell(
  samples: BodySamples,
  i: number,
  face: Face,
  normal: Vec3,
): Pick<Ghost, 'share' | 'centroid' | 'moment'> {
  const edge = samples.rest[4 * i + 3]!;
  const offset = [0, 1, 2].map((a) => samples.offset[3 * i + a] ?? 0) as [number, number, number];
  const whole = (edge * edge) / 12;
  // Distance of the middle of the cell from the face.
  const middle = face.distance + offset[0] * normal[0] + offset[1] * normal[1] + offset[2] * normal[2];
  const axis = [0, 1, 2].find((a) => Math.abs(normal[a]!) > 1 - 1e-6);
  if (axis !== undefined) {
    const low = Math.max(-edge / 2, -middle);
    const length = Math.max(0, edge / 2 - low);
    const centroid = [...offset] as [number, number, number];
    const moment: [number, number, number] = [whole, whole, whole];
    centroid[axis] = centroid[axis]! + Math.sign(normal[axis]!) * (length > 0 ? low + length / 2 : 0);
    moment[axis] = (length * length) / 12;
    return { share: length / edge, centroid, moment };
  }
  const sum = [0, 0, 0];
  const squares = [0, 0, 0];
  let left = 0;
  for (let k = 0; k < SAMPLES ** 3; k++) {
    const p = [k % SAMPLES, Math.floor(k / SAMPLES) % SAMPLES, Math.floor(k / SAMPLES ** 2)].map(
      (c) => ((c + 0.5) / SAMPLES - 0.5) * edge,
    ) as [number, number, number];
    if (middle + p[0] * normal[0] + p[1] * normal[1] + p[2] * normal[2] < 0) continue;
    left++;
    for (let a = 0; a < 3; a++) {
      sum[a]! += p[a]!;
      squares[a]! += p[a]! * p[a]!;
    }
  }
  if (left === 0) return { share: 0, centroid: offset, moment: [whole, whole, whole] };
  const mean = sum.map((s) => s / left) as [number, number, number];
  // Each sample stands for a small cube of its own.
  const own = whole / (SAMPLES * SAMPLES);
  return {
    share: left / SAMPLES ** 3,
    centroid: [offset[0] + mean[0], offset[1] + mean[1], offset[2] + mean[2]],
    moment: [0, 1, 2].map((a) => squares[a]! / left - mean[a]! * mean[a]! + own) as [number, number, number],
  };
}
