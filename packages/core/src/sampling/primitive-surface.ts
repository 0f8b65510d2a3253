import { sineCosine } from '../math/trigonometry.js';
import type { Shape, TriangleMesh, Vec3 } from '../options/types.js';
import { SamplingError } from './error.js';
import { checkCount } from './surface-particles.js';

/** Rows, and particles in a row, are at most this far apart: squares of it have half a diagonal of 0.74 [spacing]. */
const WIDEST = 1.05;

/** What makes them nearer than this is too small for rows [spacing]. */
const NEAREST = 0.7;

/** Longest step along curves of a triangulation [spacing], and the least number of steps around. */
const CURVE_STEP = 0.5;
const LEAST_STEPS = 24;

/** A part of the profile of a surface around y: straight or an arc, from share 0 to 1. */
interface Section {
  /** [m] */
  readonly length: number;
  readonly straight: boolean;
  /** Radius and height [m]. */
  at(share: number): readonly [number, number];
}

export type Primitive = Exclude<Shape, { readonly mesh: unknown }>;

/**
 * Particles on a primitive in rows, exactly on its surface: at least 0.7 spacings apart, everything within 0.75
 * of one, and about one per spacing^2. Undefined where a part of the shape is too small for rows.
 */
export function samplePrimitiveInRows(shape: Primitive, spacing: number): Float64Array | undefined {
  return 'box' in shape ? boxGrid(shape.box.size, spacing) : rings(profileOf(shape), isClosed(shape), spacing);
}

/** The surface of a primitive in triangles; arcs in steps of half a spacing, or of a 24th of the circle. */
export function triangulatePrimitive(shape: Primitive, spacing: number): TriangleMesh {
  return 'box' in shape ? boxMesh(shape.box.size) : revolve(profileOf(shape), spacing);
}

function isClosed(shape: Primitive): boolean {
  return 'torus' in shape;
}

function profileOf(shape: Exclude<Primitive, { readonly box: unknown }>): Section[] {
  if ('sphere' in shape) {
    const { radius } = shape.sphere;
    positive(radius, 'sphere radius');
    return [arc(0, 0, radius, -Math.PI / 2, Math.PI / 2)];
  }
  if ('cylinder' in shape) {
    const { radius, length } = shape.cylinder;
    positive(radius, 'cylinder radius');
    positive(length, 'cylinder length');
    const y = length / 2;
    return [line(0, -y, radius, -y), line(radius, -y, radius, y), line(radius, y, 0, y)];
  }
  if ('capsule' in shape) {
    const { radius, length } = shape.capsule;
    positive(radius, 'capsule radius');
    if (length === 0) return [arc(0, 0, radius, -Math.PI / 2, Math.PI / 2)];
    positive(length, 'capsule length');
    const y = length / 2;
    return [arc(0, -y, radius, -Math.PI / 2, 0), line(radius, -y, radius, y), arc(0, y, radius, 0, Math.PI / 2)];
  }
  const { radius, tube } = shape.torus;
  positive(radius, 'torus radius');
  positive(tube, 'torus tube');
  if (tube > radius) throw new SamplingError(`torus tube must be <= its radius ${radius} m, got ${tube}`);
  return [arc(radius, 0, tube, -Math.PI, Math.PI)];
}

function line(r0: number, y0: number, r1: number, y1: number): Section {
  const length = Math.sqrt((r1 - r0) * (r1 - r0) + (y1 - y0) * (y1 - y0));
  return { length, straight: true, at: (share) => [r0 + share * (r1 - r0), y0 + share * (y1 - y0)] };
}

function arc(r: number, y: number, radius: number, from: number, to: number): Section {
  return {
    length: radius * (to - from),
    straight: false,
    at: (share) => {
      const { sine, cosine } = sineCosine(from + share * (to - from));
      // Poles are on the axis exactly.
      const out = r + radius * cosine;
      return [out > 1e-12 * radius ? out : 0, y + radius * sine];
    },
  };
}

function rings(profile: readonly Section[], closed: boolean, spacing: number): Float64Array | undefined {
  checkCount(areaOf(profile) / (spacing * spacing), spacing);
  const points: number[] = [];
  let row = 0;
  for (let s = 0; s < profile.length; s++) {
    const section = profile[s]!;
    const steps = stepsOf(section.length, spacing);
    if (section.length < NEAREST * spacing * steps) return undefined;
    // A section ends where the next one begins.
    const end = s === profile.length - 1 && !closed ? steps : steps - 1;
    for (let step = 0; step <= end; step++, row++) {
      const [radius, y] = section.at(step / steps);
      if (radius === 0) {
        points.push(0, y, 0);
        continue;
      }
      const around = stepsOf(2 * Math.PI * radius, spacing);
      const chord = 2 * radius * sineCosine(Math.PI / around).sine;
      if (around < 3 || chord < NEAREST * spacing) return undefined;
      for (let k = 0; k < around; k++) {
        // Every other row is turned by half a step.
        const { sine, cosine } = sineCosine((2 * Math.PI * (k + 0.5 * (row % 2))) / around);
        points.push(radius * cosine, y, radius * sine);
      }
    }
  }
  return Float64Array.from(points);
}

/** Roughly [m2]. */
function areaOf(profile: readonly Section[]): number {
  let area = 0;
  for (const section of profile) {
    for (let k = 0; k < 8; k++) area += (Math.PI / 4) * section.length * section.at((k + 0.5) / 8)[0];
  }
  return area;
}

function stepsOf(length: number, spacing: number): number {
  return Math.max(1, Math.ceil(length / (WIDEST * spacing)));
}

function boxGrid(size: Vec3, spacing: number): Float64Array | undefined {
  for (const s of size) positive(s, 'box size');
  const steps = size.map((s) => stepsOf(s, spacing));
  if (size.some((s, axis) => s < NEAREST * spacing * steps[axis]!)) return undefined;
  const [nx, ny, nz] = steps as [number, number, number];
  checkCount(2 * (nx * ny + ny * nz + nz * nx), spacing);
  const points: number[] = [];
  for (let k = 0; k <= nz; k++) {
    for (let j = 0; j <= ny; j++) {
      const step = k === 0 || k === nz || j === 0 || j === ny ? 1 : nx;
      for (let i = 0; i <= nx; i += step) {
        points.push(size[0] * (i / nx - 0.5), size[1] * (j / ny - 0.5), size[2] * (k / nz - 0.5));
      }
    }
  }
  return Float64Array.from(points);
}

function boxMesh(size: Vec3): TriangleMesh {
  for (const s of size) positive(s, 'box size');
  const positions: number[] = [];
  for (let c = 0; c < 8; c++) {
    for (let axis = 0; axis < 3; axis++) positions.push(size[axis]! * (((c >> axis) & 1) - 0.5));
  }
  // Corner numbers have a bit per axis; each face with its corners in outward order.
  const triangles = [
    [0, 4, 6, 2],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 2, 3, 1],
    [4, 5, 7, 6],
  ].flatMap(([a, b, c, d]) => [a!, b!, c!, a!, c!, d!]);
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** Triangles between rings of equal numbers of points; those at poles have no area. */
function revolve(profile: readonly Section[], spacing: number): TriangleMesh {
  const rows: (readonly [number, number])[] = [];
  for (let s = 0; s < profile.length; s++) {
    const section = profile[s]!;
    const curved = Math.max(LEAST_STEPS / 2, Math.ceil(section.length / (CURVE_STEP * spacing)));
    const steps = section.straight ? 1 : curved;
    for (let step = s === 0 ? 0 : 1; step <= steps; step++) rows.push(section.at(step / steps));
  }
  const widest = rows.reduce((most, [radius]) => Math.max(most, radius), 0);
  const around = Math.max(LEAST_STEPS, Math.ceil((2 * Math.PI * widest) / (CURVE_STEP * spacing)));
  const positions = new Float64Array(3 * rows.length * around);
  for (let k = 0; k < around; k++) {
    const { sine, cosine } = sineCosine((2 * Math.PI * k) / around);
    rows.forEach(([radius, y], row) => {
      positions.set([radius * cosine, y, radius * sine], 3 * (row * around + k));
    });
  }
  const triangles: number[] = [];
  for (let row = 0; row + 1 < rows.length; row++) {
    for (let k = 0; k < around; k++) {
      const a = row * around + k;
      const b = row * around + ((k + 1) % around);
      if (rows[row]![0] > 0) triangles.push(a, a + around, b);
      if (rows[row + 1]![0] > 0) triangles.push(b, a + around, b + around);
    }
  }
  return { positions, triangles: Uint32Array.from(triangles) };
}

function positive(value: number, what: string): void {
  if (!(value > 0) || !Number.isFinite(value)) throw new SamplingError(`${what} must be > 0 m, got ${value}`);
}
