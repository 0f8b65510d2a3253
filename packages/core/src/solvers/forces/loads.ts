/**
 * Pressure, traction and forces on surfaces of solids and rigid bodies. A load acts on the triangles of its part of the
 * body's own surface, whose vertices move with the particles below them (surface-weights.ts); what acts on a triangle is
 * shared by its vertices, and what acts on those by their particles, with the same weights. So a constant pressure on a
 * closed surface has no resultant and no moment, however it is deformed, and does the work p dV of its volume.
 */

import { transform, type Vec3 } from '../../math/matrix3.js';
import { type Evaluate, parseExpression } from '../../options/expression.js';
import { evaluatorOf, vectorField } from '../../options/field.js';
import type { LoadOptions } from '../../options/types.js';
import type { Frame } from '../../particles/frame.js';
import * as layout from '../../particles/layout.js';
import type { BodySamples } from '../../particles/samples.js';
import type { ParticleStore } from '../../particles/store.js';
import { type SurfaceWeights, surfaceWeights } from './surface-weights.js';

/** A part of a surface: vertices in the body's axes at rest [m], and its triangles, anticlockwise from outside. */
export interface LoadedSurface {
  readonly positions: readonly number[];
  readonly triangles: readonly number[];
}

/** A load of a world; saves hold it as JSON. */
export interface LoadRecord {
  readonly options: LoadOptions;
  readonly surface: LoadedSurface;
}

export interface LoadParts extends LoadRecord {
  /** Number of the body among the solids, its first particle, and where it stood at time 0. */
  readonly body: number;
  readonly begin: number;
  readonly samples: BodySamples;
  readonly initial: Frame;
}

class Load {
  readonly #parts: LoadParts;
  readonly #follow: SurfaceWeights;
  /** By triangle: its area at rest [m2] in the world at time 0, and its middle then [m]; the sum of the areas. */
  readonly #areas: Float64Array;
  readonly #middles: Float64Array;
  readonly #total: number;
  readonly #positions: Float64Array;
  readonly #forces: Float64Array;
  readonly #pressure: Evaluate | undefined;
  readonly #isEven: boolean;
  readonly #traction: ((at: Vec3, t: number) => Vec3) | undefined;
  readonly #force: ((at: Vec3, t: number) => Vec3) | undefined;

  constructor(parts: LoadParts) {
    const { options, surface, samples, initial } = parts;
    this.#parts = parts;
    this.#follow = surfaceWeights(samples.rest, samples.count, surface.positions);
    this.#pressure = options.pressure === undefined ? undefined : evaluatorOf(options.pressure);
    this.#isEven = typeof options.pressure !== 'string' || isEven(options.pressure);
    this.#traction = options.traction && vectorField(options.traction);
    this.#force = options.force && vectorField(options.force);
    const count = surface.positions.length;
    this.#positions = new Float64Array(count);
    this.#forces = new Float64Array(count);
    for (let k = 0; k < count; k += 3) {
      const [x, y, z] = surface.positions.slice(k, k + 3) as [number, number, number];
      const at = transform(initial.rotation, [x, y, z]);
      for (let a = 0; a < 3; a++) this.#positions[k + a] = at[a]! + initial.origin[a]!;
    }
    this.#areas = new Float64Array(surface.triangles.length);
    this.#middles = new Float64Array(surface.triangles.length);
    this.#measure(this.#areas, this.#middles);
    let total = 0;
    for (let t = 0; t < this.#areas.length; t += 3) {
      const [x, y, z] = [this.#areas[t]!, this.#areas[t + 1]!, this.#areas[t + 2]!];
      total += Math.sqrt(x * x + y * y + z * z);
    }
    this.#total = total;
  }

  /** Adds the forces of a time [s], of a surface that goes on as it moves now for a while [s]. */
  add(external: Float32Array, store: ParticleStore, frame: Frame, time: number, ahead: number): void {
    const { options, surface, begin } = this.#parts;
    if (!(time >= options.start && time < options.end)) return;
    const { starts, particles, weights } = this.#follow;
    const at = time + ahead;
    const follows = this.#pressure !== undefined && options.following;
    if (follows) this.#move(store, frame, ahead);
    const forces = this.#forces.fill(0);
    const nowhere: Vec3 = [0, 0, 0];
    const whole = this.#force?.(nowhere, at);
    // The same everywhere: found once.
    const even = this.#isEven ? this.#pressure?.(0, 0, 0, at) : undefined;
    const { triangles } = surface;
    for (let t = 0; t < triangles.length; t += 3) {
      const area: Vec3 = [this.#areas[t]!, this.#areas[t + 1]!, this.#areas[t + 2]!];
      const middle: Vec3 = [this.#middles[t]!, this.#middles[t + 1]!, this.#middles[t + 2]!];
      let [fx, fy, fz] = nowhere as [number, number, number];
      if (this.#pressure) {
        const now = follows ? this.#triangle(t) : { area, middle };
        const p = even ?? this.#pressure(now.middle[0], now.middle[1], now.middle[2], at);
        fx -= p * now.area[0];
        fy -= p * now.area[1];
        fz -= p * now.area[2];
      }
      if (this.#traction || whole) {
        const size = Math.sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
        const traction = this.#traction?.(middle, at) ?? nowhere;
        const share = size / this.#total;
        fx += size * traction[0] + share * (whole?.[0] ?? 0);
        fy += size * traction[1] + share * (whole?.[1] ?? 0);
        fz += size * traction[2] + share * (whole?.[2] ?? 0);
      }
      for (let c = 0; c < 3; c++) {
        const k = 3 * triangles[t + c]!;
        forces[k]! += fx / 3;
        forces[k + 1]! += fy / 3;
        forces[k + 2]! += fz / 3;
      }
    }
    for (let v = 0; 3 * v < forces.length; v++) {
      const [fx, fy, fz] = [forces[3 * v]!, forces[3 * v + 1]!, forces[3 * v + 2]!];
      for (let e = starts[v]!; e < starts[v + 1]!; e++) {
        const i = 4 * (begin + particles[e]!);
        const weight = weights[e]!;
        external[i]! += weight * fx;
        external[i + 1]! += weight * fy;
        external[i + 2]! += weight * fz;
      }
    }
  }

  /** Where the vertices are now, and go in a while [s], in the world. */
  #move(store: ParticleStore, { rotation, origin }: Frame, ahead: number): void {
    const { begin, surface } = this.#parts;
    const { starts, particles, weights } = this.#follow;
    const rest = store.vectors(layout.REST);
    const u = store.vectors(layout.DISPLACEMENT);
    const v = store.vectors(layout.VELOCITY);
    const vertices = surface.positions.length / 3;
    for (let k = 0; k < vertices; k++) {
      let [x, y, z] = [0, 0, 0];
      for (let e = starts[k]!; e < starts[k + 1]!; e++) {
        const i = 4 * (begin + particles[e]!);
        const weight = weights[e]!;
        x += weight * (rest[i]! + u[i]! + ahead * v[i]!);
        y += weight * (rest[i + 1]! + u[i + 1]! + ahead * v[i + 1]!);
        z += weight * (rest[i + 2]! + u[i + 2]! + ahead * v[i + 2]!);
      }
      for (let a = 0; a < 3; a++) {
        this.#positions[3 * k + a] =
          rotation[3 * a]! * x + rotation[3 * a + 1]! * y + rotation[3 * a + 2]! * z + origin[a]!;
      }
    }
  }

  #triangle(t: number): { area: Vec3; middle: Vec3 } {
    const { triangles } = this.#parts.surface;
    const p = this.#positions;
    const [a, b, c] = [3 * triangles[t]!, 3 * triangles[t + 1]!, 3 * triangles[t + 2]!];
    const [bx, by, bz] = [p[b]! - p[a]!, p[b + 1]! - p[a + 1]!, p[b + 2]! - p[a + 2]!];
    const [cx, cy, cz] = [p[c]! - p[a]!, p[c + 1]! - p[a + 1]!, p[c + 2]! - p[a + 2]!];
    return {
      area: [(by * cz - bz * cy) / 2, (bz * cx - bx * cz) / 2, (bx * cy - by * cx) / 2],
      middle: [
        (p[a]! + p[b]! + p[c]!) / 3,
        (p[a + 1]! + p[b + 1]! + p[c + 1]!) / 3,
        (p[a + 2]! + p[b + 2]! + p[c + 2]!) / 3,
      ],
    };
  }

  #measure(areas: Float64Array, middles: Float64Array): void {
    for (let t = 0; t < areas.length; t += 3) {
      const { area, middle } = this.#triangle(t);
      areas.set(area, t);
      middles.set(middle, t);
    }
  }
}

/** Is a formula the same at all positions? */
function isEven(text: string): boolean {
  const { uses } = parseExpression(text);
  return !uses.has('x') && !uses.has('y') && !uses.has('z');
}

/** All loads of a world. */
export class SurfaceLoads {
  readonly #store: ParticleStore;
  readonly #frames: readonly Frame[];
  readonly #loads: readonly { readonly load: Load; readonly body: number }[];

  /** `frames` are those of the bodies now, in an array that is kept up to date. */
  constructor(store: ParticleStore, frames: readonly Frame[], loads: readonly LoadParts[]) {
    this.#store = store;
    this.#frames = frames;
    this.#loads = loads.map((parts) => ({ load: new Load(parts), body: parts.body }));
    store.externalForces();
  }

  /** Adds the forces of a step that begins at a time; solids feel them from its end on. */
  push(external: Float32Array, time: number, dt: number): void {
    for (const { load, body } of this.#loads) load.add(external, this.#store, this.#frames[body]!, time, dt);
  }
}
