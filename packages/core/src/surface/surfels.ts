/**
 * Surfels on a deforming solid, [K06] 5.5: discs that particles carry along, that are split where the surface is
 * stretched and put together again, exactly, where it is not.
 *
 * Departs from [K06] 5.5.2 in what is split and how. The measure is how far a cell reaches, not the ratio of its
 * axes: a surface that grows in all directions gets holes too. Cells are kept, not ellipses: a disc is split as the
 * square around it, into rectangles, whose ellipses reach their corners; so there are no holes between the parts.
 */
import { cross, length, type Vec3 } from '../math/matrix3.js';
import { Context } from '../memory/context.js';
import type { Engine } from '../memory/engine.js';
import * as carry from '../particles/carry-layout.js';
import * as layout from '../particles/surfel-layout.js';
import { CarriedPoints, Carriers, insideOf } from './carry.js';
import type { SurfelSamples } from './surfel-sampling.js';

/** Cells that reach farther than this times their disc at rest are split, and put together below the other. */
const SPLIT = 1.5;
const JOIN = 1.35;
/** Each round halves cells: enough for a stretch by a thousand in two directions. */
const ROUNDS = 20;
/** The ellipse around a rectangle. */
const AROUND = Math.SQRT2;

/** Numbers per part: centre, half axes, area, reach of the disc it comes from; then those of its texture. */
const CENTER = 0;
const AXIS_1 = 3;
const AXIS_2 = 6;
const AREA = 9;
const RADIUS = 10;
const UV = 11;
const SLOPES = 13;
const COLOR = 17;
const STRIDE = 20;

/** What an update did. */
export interface SurfelReport {
  readonly splits: number;
  readonly joins: number;
}

/** What is to be kept so that surfels go on to the same bits. */
export interface SurfelState {
  /** For every pair of parts what was split: a disc, or a part by its number after all discs. */
  readonly parents: Float32Array;
  /** The parts at rest. */
  readonly parts: Float32Array;
}

/** Parts of a body that air separates: numbers of particles at which they end, and their spacing [m]. */
export interface SurfelParts {
  readonly ends: readonly number[] | undefined;
  readonly spacing: number;
}

export class SurfelCloud {
  readonly #carriers: Carriers;
  /** Of the particles, where air separates parts of them [m]. */
  readonly #spacing: number;
  readonly #samples: SurfelSamples;
  readonly #discs: Cells;
  /** Parts stand in pairs: parts 2 p and 2 p + 1 are those of #parents[p], a disc or, from `samples.count` on, a part. */
  #parents: number[] = [];
  #parts = new Float32Array(0);
  #cells: Cells | undefined;
  #shown: Uint32Array | undefined;

  /** Surfels and particles at rest, in the same coordinates; particles are xyz triples [m]; for parts see `Body`. */
  constructor(engine: Engine, particles: ArrayLike<number>, samples: SurfelSamples, parts?: SurfelParts) {
    this.#carriers = new Carriers(engine, particles, parts?.ends);
    this.#spacing = parts?.spacing ?? 0;
    this.#samples = samples;
    this.#discs = new Cells(this.#carriers, discTable(samples), false, this.#spacing);
  }

  /** Surfels now. */
  get count(): number {
    return this.#leaves().length;
  }

  /** Moves the surfels to where the particles are, xyz triples [m], and splits or joins them. */
  update(positions: ArrayLike<number>): SurfelReport {
    this.#carriers.update(positions);
    this.#discs.move();
    this.#cells?.move();
    const report = { splits: 0, joins: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const joins = this.#join();
      const splits = this.#split();
      if (joins + splits === 0) break;
      report.joins += joins;
      report.splits += splits;
    }
    return report;
  }

  /** xyz of the centres [m]. */
  positions(): Float32Array {
    const out = new Float32Array(3 * this.count);
    const { center } = this.#carriers;
    this.#forLeaves((cells, i, k) => {
      for (let a = 0; a < 3; a++) out[3 * k + a] = cells.positions[4 * i + a]! + center[a]!;
    });
    return out;
  }

  /** Two half axes of an ellipse that covers the surfel's cell, xyz xyz [m]. */
  axes(): Float32Array {
    const out = new Float32Array(6 * this.count);
    this.#forLeaves((cells, i, k) => {
      for (let a = 0; a < 6; a++) out[6 * k + a] = cells.around * cells.axes[8 * i + (a < 3 ? a : a + 1)]!;
    });
    return out;
  }

  /** Unit normals, outwards. */
  normals(): Float32Array {
    const out = new Float32Array(3 * this.count);
    this.#forLeaves((cells, i, k) => {
      for (let a = 0; a < 3; a++) out[3 * k + a] = cells.facing[4 * i + a]!;
    });
    return out;
  }

  /** Area of the surface that each surfel stands for [m2]. */
  areas(): Float32Array {
    const out = new Float32Array(this.count);
    this.#forLeaves((cells, i, k) => {
      const { table } = cells;
      const now = crossLength(cells.axes, 8 * i, 8 * i + 4);
      const rest = crossLength(table, STRIDE * i + AXIS_1, STRIDE * i + AXIS_2);
      out[k] = rest > 0 ? (table[STRIDE * i + AREA]! * now) / rest : 0;
    });
    return out;
  }

  /** Texture coordinates, two each, where the mesh had some. */
  uvs(): Float32Array | undefined {
    return this.#samples.uvs && this.#fromTable(UV, 2);
  }

  /** Red, green and blue, linear, where the mesh had materials. */
  colors(): Float32Array | undefined {
    return this.#samples.colors && this.#fromTable(COLOR, 3);
  }

  /** A number per particle at the surfels. */
  interpolate(values: ArrayLike<number>): Float32Array {
    const out = new Float32Array(this.count);
    const own = [this.#discs, this.#cells].map((cells) => cells?.interpolate(values));
    this.#forLeaves((cells, i, k) => {
      out[k] = own[cells === this.#discs ? 0 : 1]![i]!;
    });
    return out;
  }

  save(): SurfelState {
    return { parents: Float32Array.from(this.#parents), parts: this.#parts.slice() };
  }

  /** Takes up a state that `save` gave. */
  restore({ parents, parts }: SurfelState): void {
    this.#parents = Array.from(parents);
    this.#parts = parts.slice();
    this.#renew();
  }

  #fromTable(at: number, numbers: number): Float32Array {
    const out = new Float32Array(numbers * this.count);
    this.#forLeaves(({ table }, i, k) => {
      for (let a = 0; a < numbers; a++) out[numbers * k + a] = table[STRIDE * i + at + a]!;
    });
    return out;
  }

  /** Discs and parts that are not split: numbers of parts come after those of discs. */
  #leaves(): Uint32Array {
    if (this.#shown) return this.#shown;
    const split = this.#splitOnes();
    const leaves: number[] = [];
    for (let node = 0; node < split.length; node++) if (split[node] === 0) leaves.push(node);
    this.#shown = Uint32Array.from(leaves);
    return this.#shown;
  }

  #splitOnes(): Uint8Array {
    const split = new Uint8Array(this.#samples.count + 2 * this.#parents.length);
    for (const parent of this.#parents) split[parent] = 1;
    return split;
  }

  #forLeaves(visit: (cells: Cells, i: number, k: number) => void): void {
    const { count } = this.#samples;
    const leaves = this.#leaves();
    this.#look();
    for (let k = 0; k < leaves.length; k++) {
      const node = leaves[k]!;
      if (node < count) visit(this.#discs, node, k);
      else visit(this.#cells!, node - count, k);
    }
  }

  /** How far a node's cell reaches, relative to its disc at rest, squared. */
  #stretch(node: number): number {
    const { count } = this.#samples;
    const cells = node < count ? this.#discs : this.#cells!;
    const i = node < count ? node : node - count;
    return cells.facing[4 * i + 3]! / cells.table[STRIDE * i + RADIUS]! ** 2;
  }

  /** Takes pairs of parts away that are not needed any more. */
  #join(): number {
    if (this.#parents.length === 0) return 0;
    const { count } = this.#samples;
    const split = this.#splitOnes();
    this.#look();
    const gone = this.#parents.map(
      (parent, p) =>
        split[count + 2 * p] === 0 && split[count + 2 * p + 1] === 0 && this.#stretch(parent) < JOIN * JOIN,
    );
    const joins = gone.filter(Boolean).length;
    if (joins === 0) return 0;
    const kept: number[] = [];
    const numbers = new Map<number, number>();
    for (let p = 0; p < gone.length; p++) {
      if (gone[p]) continue;
      for (let half = 0; half < 2; half++) numbers.set(count + 2 * p + half, count + 2 * kept.length + half);
      kept.push(p);
    }
    const parts = new Float32Array(2 * STRIDE * kept.length);
    for (const [to, from] of kept.entries()) {
      parts.set(this.#parts.subarray(2 * STRIDE * from, 2 * STRIDE * (from + 1)), 2 * STRIDE * to);
    }
    this.#parents = kept.map((p) => numbers.get(this.#parents[p]!) ?? this.#parents[p]!);
    this.#parts = parts;
    this.#renew();
    this.#cells?.move();
    return joins;
  }

  #split(): number {
    const { count } = this.#samples;
    const leaves = this.#leaves();
    this.#look();
    const wanted: number[] = [];
    for (let k = 0; k < leaves.length; k++) if (this.#stretch(leaves[k]!) > SPLIT * SPLIT) wanted.push(leaves[k]!);
    if (wanted.length === 0) return 0;
    const before = this.#parts.length;
    const parts = new Float32Array(before + 2 * STRIDE * wanted.length);
    parts.set(this.#parts);
    for (const [k, node] of wanted.entries()) {
      const cells = node < count ? this.#discs : this.#cells!;
      halve(cells, node < count ? node : node - count, node < count, parts, before + 2 * STRIDE * k);
      this.#parents.push(node);
    }
    this.#parts = parts;
    this.#renew();
    this.#cells!.move();
    return wanted.length;
  }

  #look(): void {
    this.#discs.look();
    this.#cells?.look();
  }

  #renew(): void {
    this.#shown = undefined;
    this.#cells = this.#parts.length > 0 ? new Cells(this.#carriers, this.#parts, true, this.#spacing) : undefined;
  }
}

/** Writes both halves of a cell: of a disc across the direction of its largest stretch, of a rectangle its longer side. */
function halve({ table, axes }: Cells, i: number, isDisc: boolean, out: Float32Array, at: number): void {
  const from = STRIDE * i;
  const e = dotAt(axes, 8 * i, 8 * i);
  const f = dotAt(axes, 8 * i, 8 * i + 4);
  const g = dotAt(axes, 8 * i + 4, 8 * i + 4);
  let [c, s] = e >= g ? [1, 0] : [0, 1];
  if (isDisc && f !== 0) {
    // The eigenvector of eq. 5.29 for its larger eigenvalue, by the row that is farther from zero.
    const half = (e - g) / 2;
    const root = Math.sqrt(half * half + f * f);
    [c, s] = half >= 0 ? [half + root, f] : [f, root - half];
    const length = Math.sqrt(c * c + s * s);
    [c, s] = [c / length, s / length];
  }
  for (const [k, side] of [-0.5, 0.5].entries()) {
    const to = at + STRIDE * k;
    out.set(table.subarray(from, from + STRIDE), to);
    for (let a = 0; a < 3; a++) {
      const [t1, t2] = [table[from + AXIS_1 + a]!, table[from + AXIS_2 + a]!];
      const along = c * t1 + s * t2;
      out[to + CENTER + a] = table[from + CENTER + a]! + side * along;
      out[to + AXIS_1 + a] = along / 2;
      out[to + AXIS_2 + a] = c * t2 - s * t1;
    }
    for (let a = 0; a < 2; a++) {
      const [u1, u2] = [table[from + SLOPES + a]!, table[from + SLOPES + 2 + a]!];
      const along = c * u1 + s * u2;
      out[to + UV + a] = table[from + UV + a]! + side * along;
      out[to + SLOPES + a] = along / 2;
      out[to + SLOPES + 2 + a] = c * u2 - s * u1;
    }
    out[to + AREA] = table[from + AREA]! / 2;
  }
}

/** Discs, or rectangles, in the engine's memory. */
class Cells {
  readonly table: Float32Array;
  /** Of the ellipse that covers a cell, in half axes of the cell. */
  readonly around: number;
  readonly #points: CarriedPoints;
  readonly #engine: Engine;
  readonly #count: number;
  readonly #rectangles: boolean;
  #block: Context | undefined;
  #centers: Context | undefined;
  #epoch = -1;
  /** Views on the last positions (from the carriers' center), axes and normals with the reach; `look` takes them. */
  positions: Float32Array = new Float32Array();
  axes: Float32Array = new Float32Array();
  facing: Float32Array = new Float32Array();

  constructor(carriers: Carriers, table: Float32Array, rectangles: boolean, spacing: number) {
    this.table = table;
    this.around = rectangles ? AROUND : 1;
    this.#engine = carriers.engine;
    this.#count = table.length / STRIDE;
    this.#rectangles = rectangles;
    const centers = new Float32Array(3 * this.#count);
    for (let k = 0; k < centers.length; k++) centers[k] = table[STRIDE * Math.floor(k / 3) + CENTER + (k % 3)]!;
    this.#points = new CarriedPoints(carriers, centers, insideOf(centers, normalsOf(table), spacing));
  }

  move(): void {
    const centers = this.#points.trace(true);
    const block = this.#resident();
    block.setInteger(layout.CENTERS, centers.context);
    this.#engine.run('orientSurfels', this.#count, block.context);
    this.#centers = centers;
    this.look();
  }

  /** Takes the views anew: memory may have grown, or have been given back. */
  look(): void {
    if (!this.#centers || this.#epoch !== this.#engine.arena.epoch) {
      this.move();
      return;
    }
    const block = this.#block!;
    this.positions = this.#centers.floats(carry.POINT_POSITIONS, 4 * this.#count);
    this.axes = block.floats(layout.AXES, 8 * this.#count);
    this.facing = block.floats(layout.FACING, 4 * this.#count);
  }

  interpolate(values: ArrayLike<number>): Float32Array {
    const out = new Float32Array(this.#count);
    this.#points.interpolate(values, out);
    return out;
  }

  #resident(): Context {
    const { arena } = this.#engine;
    if (this.#block && this.#epoch === arena.epoch) return this.#block;
    const block = new Context(this.#engine, layout.CONTEXT_SIZE);
    this.#block = block;
    this.#epoch = arena.epoch;
    const rest = arena.f32(block.allocate(layout.REST_AXES, 32 * this.#count), 8 * this.#count);
    for (let i = 0; i < this.#count; i++) {
      for (let a = 0; a < 6; a++) rest[8 * i + (a < 3 ? a : a + 1)] = this.table[STRIDE * i + AXIS_1 + a]!;
    }
    block.allocate(layout.AXES, 32 * this.#count);
    block.allocate(layout.FACING, 16 * this.#count);
    block.setInteger(layout.RECTANGLES, this.#rectangles ? 1 : 0);
    return block;
  }
}

function discTable(samples: SurfelSamples): Float32Array {
  const table = new Float32Array(STRIDE * samples.count);
  for (let i = 0; i < samples.count; i++) {
    const at = STRIDE * i;
    table.set(samples.positions.subarray(3 * i, 3 * i + 3), at + CENTER);
    table.set(samples.axes.subarray(6 * i, 6 * i + 6), at + AXIS_1);
    table[at + AREA] = samples.areas[i]!;
    table[at + RADIUS] = Math.sqrt(dotAt(samples.axes, 6 * i, 6 * i));
    if (samples.uvs) table.set(samples.uvs.subarray(2 * i, 2 * i + 2), at + UV);
    if (samples.uvSlopes) table.set(samples.uvSlopes.subarray(4 * i, 4 * i + 4), at + SLOPES);
    if (samples.colors) table.set(samples.colors.subarray(3 * i, 3 * i + 3), at + COLOR);
  }
  return table;
}

function dotAt(v: Float32Array, a: number, b: number): number {
  return v[a]! * v[b]! + v[a + 1]! * v[b + 1]! + v[a + 2]! * v[b + 2]!;
}

function crossLength(v: Float32Array, a: number, b: number): number {
  const f = dotAt(v, a, b);
  return Math.sqrt(Math.max(0, dotAt(v, a, a) * dotAt(v, b, b) - f * f));
}

/** Unit normals of cells at rest, xyz. */
function normalsOf(table: Float32Array): Float64Array {
  const normals = new Float64Array((3 * table.length) / STRIDE);
  for (let k = 0; 3 * k < normals.length; k++) {
    const axis = (from: number): Vec3 => [table[from]!, table[from + 1]!, table[from + 2]!];
    const n = cross(axis(STRIDE * k + AXIS_1), axis(STRIDE * k + AXIS_2));
    const size = length(n);
    for (let a = 0; a < 3; a++) normals[3 * k + a] = size > 0 ? n[a]! / size : 0;
  }
  return normals;
}
