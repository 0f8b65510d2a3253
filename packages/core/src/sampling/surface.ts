import { cleanMesh } from '../mesh/clean.js';
import { findEdges, headOf } from '../mesh/edges.js';
import { MeshError } from '../mesh/error.js';
import { prepareSolid } from '../mesh/solid.js';
import { triangleNormal } from '../mesh/triangle.js';
import type { ObstacleShape, TriangleMesh } from '../options/types.js';
import { SamplingError } from './error.js';
import { samplePrimitiveInRows, triangulatePrimitive } from './primitive-surface.js';
import { scaleMesh } from './solid-shape.js';
import { COVERED, checkCount, FREE, SurfaceParticles } from './surface-particles.js';

/** Particles of one side are no nearer than this, and no point of the surface is much farther from one [spacing]. */
const SEPARATION = 0.75;

/** Gaps smaller than this are not looked for [spacing]. */
const RESOLUTION = 0.04;

/** Distances asked for at first, so that gaps are left for last [spacing]. */
const ROUNDS = [1, 0.87];

/** Longest edge of the pieces that the darts start with [spacing]. */
const FIRST_PIECE = 0.7;

/** Pieces that are shuffled together. */
const BLOCK = 1024;

/** Edges whose faces turn by more than 37 degrees carry particles of their own: the cosine. */
const SHARP = 0.8;

/**
 * Boundary particles, xyz each [m], on the surface of a closed mesh, on average 0.9 spacings [m] apart.
 *
 * Two particles are at least 0.75 spacings apart, and no point of the surface is farther than 0.75 spacings
 * from the nearest particle (gaps of 0.04 more are possible, but have not been seen). Corners come first, then
 * sharp edges in equal steps, then the faces: darts are thrown at triangles, which are halved until they are
 * covered (D. Cline, S. Jeschke, K. White, A. Razdan, P. Wonka: Dart Throwing on Surfaces, 2009).
 * Particles whose outward normals are more than 120 degrees apart do not count for each other, so a wall that
 * is thinner than the spacing has particles on either side, however near.
 *
 * There are about 1.18 particles per spacing^2 of area. Depends on nothing but mesh and spacing, to the bit.
 */
export function sampleSurface(mesh: TriangleMesh, spacing: number): Float64Array {
  checkSpacing(spacing);
  checkMesh(mesh);
  const clean = cleanMesh(mesh);
  const normals = faceNormals(clean);
  let area = 0;
  for (let t = 0; t < normals.length / 4; t++) area += normals[4 * t + 3]!;
  if (!(area > 0)) throw new SamplingError(`mesh has no area: its surface must have some, got ${area} m2`);
  const expected = area / (spacing * spacing);
  checkCount(expected, spacing);
  const particles = new SurfaceParticles(spacing, Math.ceil(expected));
  addFeatures(clean, normals, spacing, particles);
  fillFaces(clean, normals, spacing, particles);
  return particles.positions();
}

/**
 * Boundary particles of an obstacle in its own coordinates, xyz each [m]; see sampleSurface. Primitives that
 * are not too small have them in rows, one per spacing^2 and exactly on the surface. Planes have no end, and
 * are refused.
 */
export function sampleObstacle(shape: ObstacleShape, spacing: number): Float64Array {
  if ('plane' in shape) throw new SamplingError('plane has no end: it cannot be sampled by particles');
  checkSpacing(spacing);
  if ('mesh' in shape) {
    if (!shape.mesh.data) throw new SamplingError('mesh has no data: read its file first');
    checkMesh(shape.mesh.data);
    const { data, size } = shape.mesh;
    return sampleSurface(solidSurface(size === undefined ? data : scaleMesh(data, size)), spacing);
  }
  return samplePrimitiveInRows(shape, spacing) ?? sampleSurface(triangulatePrimitive(shape, spacing), spacing);
}

/** The surface that the inside test knows: oriented, and with small holes covered. */
function solidSurface(mesh: TriangleMesh): TriangleMesh {
  try {
    return prepareSolid(mesh).mesh;
  } catch (error) {
    if (error instanceof MeshError) throw new SamplingError(`mesh has no surface: it ${error.rule}`);
    throw error;
  }
}

function checkSpacing(spacing: number): void {
  if (!(spacing > 0) || !Number.isFinite(spacing)) throw new SamplingError(`spacing must be > 0 m, got ${spacing}`);
}

function checkMesh({ positions, triangles }: TriangleMesh): void {
  for (const v of triangles) {
    for (let axis = 0; axis < 3; axis++) {
      const x = positions[3 * v + axis];
      if (x === undefined || !Number.isFinite(x)) {
        throw new SamplingError(`mesh must have finite coordinates, vertex ${v} has ${x}`);
      }
    }
  }
}

/** Unit normal and area of each triangle; zero normals where there is no area. */
function faceNormals({ positions, triangles }: TriangleMesh): Float64Array {
  const normals = new Float64Array((4 * triangles.length) / 3);
  const normal = new Float64Array(3);
  for (let t = 0; t < triangles.length / 3; t++) {
    const length = triangleNormal(positions, triangles[3 * t]!, triangles[3 * t + 1]!, triangles[3 * t + 2]!, normal);
    if (length > 0) normals.set([...normal.map((x) => x / length), length / 2], 4 * t);
  }
  return normals;
}

/** Particles on corners, and in equal steps on the sharp edges between them. */
function addFeatures(mesh: TriangleMesh, normals: Float64Array, spacing: number, particles: SurfaceParticles): void {
  const { positions, triangles } = mesh;
  const vertexCount = positions.length / 3;
  const { opposite } = findEdges(triangles, vertexCount);
  // Mean of the unit normals around each vertex, and the sharp edges that leave it.
  const means = new Float64Array(3 * vertexCount);
  const faces = new Uint32Array(vertexCount);
  const sharp: number[] = [];
  const leaving: number[][] = [];
  for (let e = 0; e < triangles.length; e++) {
    const v = triangles[e]!;
    const t = Math.floor(e / 3);
    faces[v]!++;
    for (let axis = 0; axis < 3; axis++) means[3 * v + axis]! += normals[4 * t + axis]!;
    const o = opposite[e]!;
    // Open edges and those of more than two triangles count as sharp; they may come more than once.
    if (o >= 0 && (o < e || normalsAgree(normals, t, Math.floor(o / 3)))) continue;
    const head = headOf(triangles, e);
    leaving[v] ??= [];
    leaving[head] ??= [];
    leaving[v].push(sharp.length);
    leaving[head].push(sharp.length);
    sharp.push(e);
  }
  for (let v = 0; v < vertexCount; v++) {
    for (let axis = 0; axis < 3; axis++) means[3 * v + axis]! /= Math.max(faces[v]!, 1);
  }

  const isCorner = (v: number): boolean => {
    const edges = leaving[v];
    if (edges && edges.length !== 2) return true;
    const m = 3 * v;
    if (!edges) {
      // The tip of a cone: no edge is sharp, but the normals around it point all ways.
      const m2 = means[m]! * means[m]! + means[m + 1]! * means[m + 1]! + means[m + 2]! * means[m + 2]!;
      return faces[v]! > 0 && m2 < SHARP * SHARP;
    }
    const a = otherEnd(triangles, sharp[edges[0]!]!, v);
    const b = otherEnd(triangles, sharp[edges[1]!]!, v);
    return a === b || turnCosine(positions, a, v, b) < SHARP;
  };
  for (let v = 0; v < vertexCount; v++) {
    if (isCorner(v)) {
      particles.addApart(
        positions[3 * v]!,
        positions[3 * v + 1]!,
        positions[3 * v + 2]!,
        means[3 * v]!,
        means[3 * v + 1]!,
        means[3 * v + 2]!,
        SEPARATION * spacing,
      );
    }
  }

  // Chains of sharp edges: first those that end in corners, then closed ones.
  const used = new Uint8Array(sharp.length);
  const walk = (first: number, from: number) => {
    const chain = [from];
    let edge = first;
    let at = from;
    for (;;) {
      used[edge] = 1;
      at = otherEnd(triangles, sharp[edge]!, at);
      chain.push(at);
      if (isCorner(at)) break;
      const next = leaving[at]!.find((e) => used[e] === 0);
      if (next === undefined) break;
      edge = next;
    }
    addChain(positions, means, chain, spacing, particles);
  };
  for (let k = 0; k < sharp.length; k++) {
    const v = triangles[sharp[k]!]!;
    const head = headOf(triangles, sharp[k]!);
    if (used[k] === 0 && isCorner(v)) walk(k, v);
    else if (used[k] === 0 && isCorner(head)) walk(k, head);
  }
  for (let k = 0; k < sharp.length; k++) if (used[k] === 0) walk(k, triangles[sharp[k]!]!);
}

function normalsAgree(normals: Float64Array, s: number, t: number): boolean {
  const dot =
    normals[4 * s]! * normals[4 * t]! +
    normals[4 * s + 1]! * normals[4 * t + 1]! +
    normals[4 * s + 2]! * normals[4 * t + 2]!;
  // A triangle without area has no normal, and none of its edges says anything.
  return dot >= SHARP || normals[4 * s + 3] === 0 || normals[4 * t + 3] === 0;
}

function otherEnd(triangles: Uint32Array, halfEdge: number, v: number): number {
  const tail = triangles[halfEdge]!;
  return tail === v ? headOf(triangles, halfEdge) : tail;
}

/** Cosine of the angle by which the way from a over v to b turns. */
function turnCosine(positions: Float64Array, a: number, v: number, b: number): number {
  let dot = 0;
  let in2 = 0;
  let out2 = 0;
  for (let axis = 0; axis < 3; axis++) {
    const before = positions[3 * v + axis]! - positions[3 * a + axis]!;
    const after = positions[3 * b + axis]! - positions[3 * v + axis]!;
    dot += before * after;
    in2 += before * before;
    out2 += after * after;
  }
  return dot / Math.sqrt(in2 * out2);
}

/** Particles along a chain of vertices in equal steps of at most the spacing, where there is room. */
function addChain(
  positions: Float64Array,
  normals: Float64Array,
  chain: readonly number[],
  spacing: number,
  particles: SurfaceParticles,
): void {
  const lengths = chain.map((v, k) => (k === 0 ? 0 : distance(positions, chain[k - 1]!, v)));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  // A rounding error must not make one step more.
  const steps = Math.max(1, Math.ceil(total / spacing - 1e-9));
  let passed = 0;
  let k = 1;
  for (let step = 0; step <= steps; step++) {
    const at = (total * step) / steps;
    while (k < chain.length - 1 && passed + lengths[k]! < at) passed += lengths[k++]!;
    const share = lengths[k]! > 0 ? Math.min((at - passed) / lengths[k]!, 1) : 0;
    const a = 3 * chain[k - 1]!;
    const b = 3 * chain[k]!;
    const mix = (values: Float64Array, axis: number) =>
      values[a + axis]! + share * (values[b + axis]! - values[a + axis]!);
    particles.addApart(
      mix(positions, 0),
      mix(positions, 1),
      mix(positions, 2),
      mix(normals, 0),
      mix(normals, 1),
      mix(normals, 2),
      SEPARATION * spacing,
    );
  }
}

function distance(positions: Float64Array, a: number, b: number): number {
  const x = positions[3 * b]! - positions[3 * a]!;
  const y = positions[3 * b + 1]! - positions[3 * a + 1]!;
  const z = positions[3 * b + 2]! - positions[3 * a + 2]!;
  return Math.sqrt(x * x + y * y + z * z);
}

/** Pieces of triangles that are not covered yet: corners and the triangle they come from. */
class Pieces {
  count = 0;
  corners = new Float64Array(9 * 1024);
  face = new Uint32Array(1024);

  /** Adds the triangle at `at` of `c`. */
  push(c: Float64Array, at: number, face: number): void {
    if (this.count === this.face.length) {
      const corners = new Float64Array(2 * this.corners.length);
      corners.set(this.corners);
      this.corners = corners;
      const faces = new Uint32Array(2 * this.face.length);
      faces.set(this.face);
      this.face = faces;
    }
    const to = 9 * this.count;
    for (let k = 0; k < 9; k++) this.corners[to + k] = c[at + k]!;
    this.face[this.count++] = face;
  }

  /** Adds the triangle at `at` of `stack`, halved across its longest edge until that is no longer than `longest`. */
  pushHalves(stack: Float64Array, at: number, face: number, longest: number): void {
    const ab = edge2(stack, at, 0, 3);
    const bc = edge2(stack, at, 3, 6);
    const ca = edge2(stack, at, 6, 0);
    const most = Math.max(ab, bc, ca);
    if (most <= longest * longest || at + 27 > stack.length) {
      this.push(stack, at, face);
      return;
    }
    // The longest edge from p to q, and the corner r across: (p, middle, r) and (middle, q, r).
    const p = most === ab ? 0 : most === bc ? 3 : 6;
    const q = (p + 3) % 9;
    const r = (p + 6) % 9;
    for (let half = 0; half < 2; half++) {
      for (let axis = 0; axis < 3; axis++) {
        const middle = 0.5 * (stack[at + p + axis]! + stack[at + q + axis]!);
        stack[at + 9 + axis] = half === 0 ? stack[at + p + axis]! : middle;
        stack[at + 12 + axis] = half === 0 ? middle : stack[at + q + axis]!;
        stack[at + 15 + axis] = stack[at + r + axis]!;
      }
      this.pushHalves(stack, at + 9, face, longest);
    }
  }
}

function edge2(c: Float64Array, at: number, p: number, q: number): number {
  const x = c[at + q]! - c[at + p]!;
  const y = c[at + q + 1]! - c[at + p + 1]!;
  const z = c[at + q + 2]! - c[at + p + 2]!;
  return x * x + y * y + z * z;
}

/** Throws darts at the middles of pieces of the faces until all are covered. */
function fillFaces(
  { positions, triangles }: TriangleMesh,
  normals: Float64Array,
  spacing: number,
  particles: SurfaceParticles,
): void {
  // Room for the halves of halves: 90 of them make a triangle 2^45 times smaller.
  const stack = new Float64Array(9 * 92);
  let open = new Pieces();
  for (let t = 0; t < triangles.length / 3; t++) {
    if (normals[4 * t + 3] === 0) continue;
    for (let k = 0; k < 9; k++) stack[k] = positions[3 * triangles[3 * t + Math.floor(k / 3)]! + (k % 3)]!;
    open.pushHalves(stack, 0, t, FIRST_PIECE * spacing);
  }
  const cover = SEPARATION * spacing;
  const least = RESOLUTION * spacing;
  let longest = FIRST_PIECE * spacing;
  for (let round = 0; open.count > 0; round++) {
    const last = round >= ROUNDS.length;
    const separation = last ? cover : ROUNDS[round]! * spacing;
    longest = Math.max(0.7 * longest, least);
    const left = new Pieces();
    const order = shuffled(open.count, round);
    for (let n = 0; n < open.count; n++) {
      const piece = order[n]!;
      const face = open.face[piece]!;
      for (let k = 0; k < 9; k++) stack[k] = open.corners[9 * piece + k]!;
      const x = (stack[0]! + stack[3]! + stack[6]!) / 3;
      const y = (stack[1]! + stack[4]! + stack[7]!) / 3;
      const z = (stack[2]! + stack[5]! + stack[8]!) / 3;
      const nx = normals[4 * face]!;
      const ny = normals[4 * face + 1]!;
      const nz = normals[4 * face + 2]!;
      const around = particles.look(x, y, z, nx, ny, nz, separation, stack, cover);
      if (around === COVERED) continue;
      if (around === FREE) particles.add(x, y, z, nx, ny, nz);
      else if (last && Math.max(edge2(stack, 0, 0, 3), edge2(stack, 0, 3, 6), edge2(stack, 0, 6, 0)) <= least * least)
        continue;
      left.pushHalves(stack, 0, face, longest);
    }
    open = left;
  }
}

/**
 * The numbers below `count` in an order without pattern (Fisher and Yates), but only within blocks: pieces
 * that follow each other are neighbours, and what is near in memory is found three times as fast.
 */
function shuffled(count: number, seed: number): Uint32Array {
  const order = new Uint32Array(count);
  let state = (seed + 1) | 0;
  for (let i = 0; i < count; i++) {
    // A counter, mixed to 32 random bits (xorshift and multiply).
    state = (state + 0x9e3779b9) | 0;
    let h = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
    const block = i - (i % BLOCK);
    const j = block + Math.floor((((h ^ (h >>> 15)) >>> 0) / 4294967296) * (i - block + 1));
    order[i] = order[j]!;
    order[j] = i;
  }
  return order;
}
