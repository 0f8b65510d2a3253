import type { Material } from '../../options/types.js';
import type { BodyRange } from '../../particles/body-range.js';
import type { Frame } from '../../particles/frame.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import type { ParticleContact } from '../contact/particles.js';
import type { BondScore } from './scores.js';

/** Bits of BLOCK_BREAKING. */
const MAY_BREAK = 1;
const CHANGED = 2;
const BROKEN = 4;

/** Energy that a square metre of crack takes [J/m2]; undefined when the material says nothing about it. */
function fractureEnergy(material: Material): number | undefined {
  const { fractureEnergy: energy, toughness, youngsModulus, poissonsRatio: nu } = material;
  return energy ?? (toughness === undefined ? undefined : (toughness * toughness * (1 - nu * nu)) / youngsModulus);
}

/** A piece that has come to be, and the piece of the same body that it was in before. */
export interface Birth {
  readonly body: number;
  readonly piece: number;
  readonly from: number;
  /** [s] */
  readonly time: number;
}

/** What has broken, beside the particles' attributes. */
export interface FractureState {
  /** Of the rows after those of the bodies: body and piece. */
  readonly rows: readonly (readonly [body: number, piece: number])[];
  /** Pieces so far, by body. */
  readonly counts: readonly number[];
  /** In the order in which they came to be. */
  readonly births: readonly Birth[];
  /** Have bonds broken since pieces were last found? */
  readonly dirty: boolean;
  /** Of each body that can break: the shares of its bonds that are left, and the pieces of its particles. */
  readonly arrays: readonly Float32Array[];
}

/** A number from 0 to 1, drawn for a particle by its number in its body. */
function draw(seed: number, k: number): number {
  let h = Math.imul(k + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca77);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32;
}

/**
 * Solids that break: takes weight from bonds (assembly/solid/fracture.ts), takes broken ones out of the lists, and finds
 * the pieces. Particles of a piece that nothing holds have a row of their own in the table of bodies, with a frame that
 * follows it.
 */
export class Fracture {
  readonly #store: ParticleStore;
  readonly #ranges: readonly BodyRange[];
  readonly #contact: ParticleContact;
  /** Frames by row; pieces add theirs. */
  readonly #frames: Frame[];
  /** Bodies that can break. */
  readonly bodies: readonly number[];
  readonly #held: (i: number) => boolean;
  readonly #bonds: number;
  /** Weight of the stabilisation of every particle, over the usual one. */
  readonly #stabilisation: Float32Array;
  #rows: (readonly [body: number, piece: number])[] = [];
  readonly #counts: number[];
  #births: Birth[] = [];
  #dirty = false;
  #changes = 0;
  /** Strains at the strength [1], and what they are multiplied by. */
  readonly #strengths: Float64Array;
  readonly #factors: Float64Array;
  /** Highest squared frequency of what is whole [1/s2]: what has broken is no stiffer. */
  #wholeFrequency = 0;

  constructor(parts: {
    store: ParticleStore;
    ranges: readonly BodyRange[];
    contact: ParticleContact;
    frames: Frame[];
    bodies: readonly number[];
    /** Is a particle held by a constraint? */
    held: (i: number) => boolean;
  }) {
    this.#store = parts.store;
    this.#ranges = parts.ranges;
    this.#contact = parts.contact;
    this.#frames = parts.frames;
    this.bodies = parts.bodies;
    this.#held = parts.held;
    this.#counts = parts.ranges.map(() => 1);
    const { store } = parts;
    const { count } = store;
    this.#strengths = new Float64Array(count);
    this.#factors = new Float64Array(count).fill(1);
    const begins = store.integers(layout.NEIGHBOR_BEGIN, count + 1);
    const bonds = begins[count]!;
    this.#bonds = bonds;
    for (const [slot, bytes] of [
      [layout.BOND_BEGIN, 4 * (count + 1)],
      [layout.BOND_NEIGHBORS, 4 * bonds],
      [layout.BOND_BACK, 4 * bonds],
      [layout.BOND_STRAINED, bonds],
      [layout.BOND_WEIGHTS, 4 * bonds],
      [layout.BONDS_LEFT, 4 * bonds],
      [layout.ELASTIC_WHOLE, 16 * count],
      [layout.FRACTURE_LAW, 16 * count],
      [layout.BOND_LIMITS, 16 * count],
      [layout.STRAINED, 4 * count],
      [layout.OVERSTRESS, 16 * count],
      [layout.CONSTRAINED, 16 * count],
      [layout.WEAKEST, 16 * count],
      [layout.LOST, 16 * count],
      [layout.FIT_STIFFNESS, 8 * count],
      [layout.REFIT, 4 * count],
      [layout.PIECE, 4 * count],
      [layout.ROW_PARTICLES, 4 * count],
      [layout.BLOCK_BREAKING, 4 * store.blocks],
    ] as const) {
      const at = store.allocate(slot, bytes);
      store.engine.arena.u32(at, Math.ceil(bytes / 4)).fill(0);
    }
    store.integers(layout.BOND_BEGIN, count + 1).set(begins);
    store.integers(layout.BOND_NEIGHBORS, bonds).set(store.integers(layout.NEIGHBORS, bonds));
    this.#noteBacks();
    store.run('noteBonds');
    this.#stabilisation = store.vectors(layout.CONSTRAINED).filter((_, k) => k % 4 === 1);
    // The step is that of the stiffest fit of a body.
    const stiffnesses = store.floats(layout.FIT_STIFFNESS, 2 * count);
    for (const { begin, end } of parts.ranges) {
      let largest = 0;
      for (let i = begin; i < end; i++) largest = Math.max(largest, stiffnesses[2 * i]!);
      for (let i = begin; i < end; i++) stiffnesses[2 * i] = largest;
    }
  }

  /** Finds the bond that each has at its other end: neighbours are listed by rising number. */
  #noteBacks(): void {
    const store = this.#store;
    const begins = store.integers(layout.BOND_BEGIN, store.count + 1);
    const neighbors = store.integers(layout.BOND_NEIGHBORS, this.#bonds);
    const backs = store.integers(layout.BOND_BACK, this.#bonds);
    const next = begins.slice(0, store.count);
    for (let i = 0; i < store.count; i++) {
      for (let k = begins[i]!; k < begins[i + 1]!; k++) backs[k] = next[neighbors[k]!]!++;
    }
  }

  /** To be called when materials are written: `materials` are those of each body's particles. */
  noteMaterials(materials: readonly (readonly Material[])[], seed: number): void {
    const store = this.#store;
    store.vectors(layout.ELASTIC_WHOLE).set(store.vectors(layout.ELASTIC));
    const laws = store.vectors(layout.FRACTURE_LAW);
    const constraints = store.vectors(layout.CONSTRAINED);
    this.#wholeFrequency = 0;
    for (const b of this.bodies) {
      const { begin } = this.#ranges[b]!;
      const stabilising = store.bodyFloats(b)[layout.BODY_BOND_MODULUS / 4]!;
      for (const [k, material] of materials[b]!.entries()) {
        const { tensileStrength, youngsModulus, strengthVariation, failureStrain } = material;
        const variation = 1 + strengthVariation * (2 * draw(seed + b, k) - 1);
        const energy = fractureEnergy(material) ?? -1;
        this.#strengths[begin + k] = (variation * tensileStrength) / youngsModulus;
        const strain = this.#strengths[begin + k]! * this.#factors[begin + k]!;
        const at = 4 * (begin + k);
        laws.set([youngsModulus, strain, energy, failureStrain], at);
        constraints[at + 1] = (this.#stabilisation[begin + k]! * stabilising) / youngsModulus;
      }
      const elastic = store.vectors(layout.ELASTIC);
      const modulus = store.bodyFloats(b)[layout.BODY_STEP_MODULUS / 4]!;
      for (let i = begin; i < this.#ranges[b]!.end; i++) {
        const own = elastic[4 * i]! + 2 * elastic[4 * i + 1]! + elastic[4 * i + 2]!;
        this.#wholeFrequency = Math.max(this.#wholeFrequency, own / modulus);
      }
    }
    store.run('noteLimits');
  }

  /** To be called after noteMaterials and before a state is restored: what scores leave of the strength of bonds. */
  noteScores(scores: ReadonlyMap<number, BondScore>): void {
    if (scores.size === 0) return;
    const store = this.#store;
    const { count } = store;
    const begins = store.integers(layout.BOND_BEGIN, count + 1);
    const neighbors = store.integers(layout.BOND_NEIGHBORS, this.#bonds);
    for (const [slot, bytes] of [
      [layout.BOND_SCORES, 4 * this.#bonds],
      [layout.LEAST_SCORE, 4 * count],
    ] as const) {
      if (store.address(slot) === 0) store.allocate(slot, bytes);
    }
    const ofBonds = store.floats(layout.BOND_SCORES, this.#bonds).fill(1);
    const least = store.floats(layout.LEAST_SCORE, count).fill(1);
    for (const [b, score] of scores) {
      const { begin, end } = this.#ranges[b]!;
      for (let i = begin; i < end; i++) {
        for (let k = begins[i]!; k < begins[i + 1]!; k++) {
          ofBonds[k] = score(i - begin, neighbors[k]! - begin);
          if (ofBonds[k]! > 0) least[i] = Math.min(least[i]!, ofBonds[k]!);
        }
      }
    }
    this.sever(
      (_i, _j, k) => ofBonds[k] === 0,
      (b) => scores.has(b),
    );
  }

  /**
   * Cuts bonds, whatever they bear: those of bodies that are asked for of which `isCut` says so, asked once for each
   * pair i < j with the number of its bond. Answers how many.
   */
  sever(isCut: (i: number, j: number, k: number) => boolean, ofBody: (b: number) => boolean): number {
    const store = this.#store;
    const begins = store.integers(layout.BOND_BEGIN, store.count + 1);
    const neighbors = store.integers(layout.BOND_NEIGHBORS, this.#bonds);
    const backs = store.integers(layout.BOND_BACK, this.#bonds);
    const left = store.floats(layout.BONDS_LEFT, this.#bonds);
    const refit = store.integers(layout.REFIT, store.count);
    let count = 0;
    for (const b of this.bodies) {
      if (!ofBody(b)) continue;
      const { begin, end } = this.#ranges[b]!;
      for (let i = begin; i < end; i++) {
        for (let k = begins[i]!; k < begins[i + 1]!; k++) {
          const j = neighbors[k]!;
          if (j < i || left[k]! <= 0 || !isCut(i, j, k)) continue;
          left[k] = left[backs[k]!] = -this.#distance(i, j);
          refit[i] = refit[j] = 1;
          count++;
        }
      }
    }
    if (count === 0) return 0;
    this.#refit();
    this.#clearRefit();
    this.#changes++;
    this.#dirty = true;
    this.#contact.crack(this.bodies);
    return count;
  }

  /** Of two particles of a piece [m]. */
  #distance(i: number, j: number): number {
    const rest = this.#store.vectors(layout.REST);
    const moved = this.#store.vectors(layout.DISPLACEMENT);
    let sum = 0;
    for (let a = 0; a < 3; a++) {
      const d = rest[4 * j + a]! + moved[4 * j + a]! - rest[4 * i + a]! - moved[4 * i + a]!;
      sum += d * d;
    }
    return Math.sqrt(sum);
  }

  /** Multiplies the strength of every particle that can break. */
  setStrengths(factorOf: (i: number) => number): void {
    const laws = this.#store.vectors(layout.FRACTURE_LAW);
    for (const b of this.bodies) {
      for (let i = this.#ranges[b]!.begin; i < this.#ranges[b]!.end; i++) {
        const factor = factorOf(i);
        // Written from the whole strength, so that nothing is left of the factors before.
        laws[4 * i + 1] = this.#strengths[i]! * factor;
        this.#factors[i] = factor;
      }
    }
    this.#store.run('noteLimits');
  }

  /** Grows when bonds change or pieces come to be. */
  get changes(): number {
    return this.#changes;
  }

  /** Share that is left of the bond of two particles [1]; 1 where there is none. */
  shareBetween(i: number, j: number): number {
    const store = this.#store;
    const begins = store.integers(layout.BOND_BEGIN, store.count + 1);
    const neighbors = store.integers(layout.BOND_NEIGHBORS, this.#bonds);
    for (let k = begins[i]!; k < begins[i + 1]!; k++) {
      if (neighbors[k] === j) return Math.max(0, store.floats(layout.BONDS_LEFT, this.#bonds)[k]!);
    }
    return 1;
  }

  /** What has broken is at most as stiff as it was when it was whole: its squared frequency [1/s2]. */
  get frequency(): number {
    return this.#contact.isBroken ? this.#wholeFrequency : 0;
  }

  /** Weakens and breaks bonds at the present positions, before the stresses. */
  breakBonds(): void {
    const store = this.#store;
    store.run('findStrained');
    if ((this.#flags() & MAY_BREAK) === 0) return;
    store.setInteger(layout.POINT_COUNT, store.count);
    store.engine.runSerial('shareMarks', store.context);
    store.run('computeOverstress');
    store.run('findWeakest');
    store.run('weakenBonds');
    const flags = this.#flags();
    if ((flags & CHANGED) === 0) return;
    this.#changes++;
    this.#refit();
    if ((flags & BROKEN) !== 0) {
      this.#dirty = true;
      if (!this.#contact.isBroken) this.#contact.crack(this.bodies);
    }
    this.#contact.noteChanges();
    this.#clearRefit();
  }

  #refit(): void {
    this.#store.run('refitBonds');
    this.#store.run('rebond');
  }

  #clearRefit(): void {
    this.#store.integers(layout.REFIT, this.#store.count).fill(0);
  }

  #flags(): number {
    let flags = 0;
    for (const block of this.#store.integers(layout.BLOCK_BREAKING, this.#store.blocks)) flags |= block;
    return flags;
  }

  /**
   * Finds the pieces: connected components of bonds. Of the parts of what was one piece the one with the lowest particle
   * keeps its number; the others are numbered on, by their lowest particles, as born at `time` [s].
   */
  findPieces(time: number): void {
    if (!this.#dirty) return;
    this.#dirty = false;
    const store = this.#store;
    store.setInteger(layout.POINT_COUNT, store.count);
    store.engine.runSerial('removeBroken', store.context);
    const pieces = store.integers(layout.PIECE, store.count);
    let found = false;
    for (const b of this.bodies) {
      const { begin, end } = this.#ranges[b]!;
      const roots = componentsOf(store, begin, end);
      // By piece: the component that keeps its number.
      const kept = new Map<number, number>();
      const born = new Map<number, number>();
      for (let i = begin; i < end; i++) {
        const root = roots[i - begin]!;
        const piece = pieces[i]!;
        let own = born.get(root);
        if (own === undefined) {
          if (kept.has(piece)) {
            own = this.#counts[b]!++;
            this.#births.push({ body: b, piece: own, from: piece, time });
            found = true;
          } else {
            own = piece;
            kept.set(piece, root);
          }
          born.set(root, own);
        }
        pieces[i] = own;
      }
    }
    if (!found) return;
    this.#giveRows();
    // What is of two pieces touches as bodies do.
    this.#contact.invalidate();
    this.#changes++;
  }

  /** Gives new pieces that nothing holds rows and frames of their own, which begin as those that they were in. */
  #giveRows(): void {
    const store = this.#store;
    const pieces = store.integers(layout.PIECE, store.count);
    const bodyOf = store.integers(layout.BODY_OF, store.count);
    for (const b of this.bodies) {
      const { begin, end } = this.#ranges[b]!;
      const known = new Set(this.#rows.filter(([body]) => body === b).map(([, piece]) => piece));
      const held = new Set<number>();
      const from = new Map<number, number>();
      for (let i = begin; i < end; i++) {
        if (this.#held(i)) held.add(pieces[i]!);
        if (!from.has(pieces[i]!)) from.set(pieces[i]!, bodyOf[i]!);
      }
      for (let piece = 1; piece < this.#counts[b]!; piece++) {
        if (known.has(piece) || held.has(piece)) continue;
        this.#frames.push({ ...this.#frames[from.get(piece)!]! });
        this.#rows.push([b, piece]);
      }
    }
    this.#writeRows();
  }

  /** Writes the table of rows, and which particle has which. */
  #writeRows(): void {
    const store = this.#store;
    store.setRows(this.#ranges.length + this.#rows.length);
    const pieces = store.integers(layout.PIECE, store.count);
    const bodyOf = store.integers(layout.BODY_OF, store.count);
    const list = store.integers(layout.ROW_PARTICLES, store.count);
    const rowOf = new Map<string, number>();
    for (const [k, [body, piece]] of this.#rows.entries()) {
      const row = this.#ranges.length + k;
      rowOf.set(`${body} ${piece}`, row);
      store.bodyIntegers(row).set(store.bodyIntegers(body));
    }
    const counts = new Uint32Array(store.rows + 1);
    for (const b of this.bodies) {
      if (this.#counts[b] === 1) continue;
      const { begin, end } = this.#ranges[b]!;
      for (let i = begin; i < end; i++) {
        const row = rowOf.get(`${b} ${pieces[i]}`) ?? b;
        bodyOf[i] = row;
        counts[row + 1]!++;
      }
    }
    for (let row = 0; row < store.rows; row++) counts[row + 1]! += counts[row]!;
    const next = counts.slice();
    for (const b of this.bodies) {
      if (this.#counts[b] === 1) continue;
      for (let i = this.#ranges[b]!.begin; i < this.#ranges[b]!.end; i++) list[next[bodyOf[i]!]!++] = i;
    }
    const write = (row: number) => {
      const integers = store.bodyIntegers(row);
      integers[layout.BODY_SCATTERED / 4] = 1;
      integers[layout.BODY_LIST_BEGIN / 4] = counts[row]!;
      integers[layout.BODY_LIST_END / 4] = counts[row + 1]!;
    };
    for (const b of this.bodies) if (this.#counts[b]! > 1) write(b);
    for (const k of this.#rows.keys()) write(this.#ranges.length + k);
  }

  /** Pieces of a body so far; those that are left of what went to pieces again count, too. */
  countOf(body: number): number {
    return this.#counts[body]!;
  }

  /** All that have broken off so far, in the order in which they did. */
  get births(): readonly Birth[] {
    return this.#births;
  }

  save(): FractureState {
    const store = this.#store;
    const begins = store.integers(layout.BOND_BEGIN, store.count + 1);
    const left = store.floats(layout.BONDS_LEFT, this.#bonds);
    const pieces = store.floats(layout.PIECE, store.count);
    return {
      rows: [...this.#rows],
      counts: [...this.#counts],
      births: [...this.#births],
      dirty: this.#dirty,
      arrays: this.bodies.flatMap((b) => {
        const { begin, end } = this.#ranges[b]!;
        return [left.slice(begins[begin]!, begins[end]!), pieces.slice(begin, end)];
      }),
    };
  }

  /** Puts a state into a memory that has just been laid out; frames of its rows come from outside. */
  restore({ rows, counts, births, dirty, arrays }: FractureState): void {
    const store = this.#store;
    const begins = store.integers(layout.BOND_BEGIN, store.count + 1);
    const left = store.floats(layout.BONDS_LEFT, this.#bonds);
    const refit = store.integers(layout.REFIT, store.count);
    let isBroken = false;
    for (const [k, b] of this.bodies.entries()) {
      const { begin, end } = this.#ranges[b]!;
      const [shares, pieces] = [arrays[2 * k], arrays[2 * k + 1]];
      if (!shares || !pieces) continue;
      left.subarray(begins[begin]!, begins[end]!).set(shares);
      store.floats(layout.PIECE, store.count).subarray(begin, end).set(pieces);
      for (let i = begin; i < end; i++) {
        for (let n = begins[i]!; n < begins[i + 1]!; n++) {
          if (left[n]! < 1) refit[i] = 1;
          if (left[n]! <= 0) isBroken = true;
        }
      }
    }
    for (const [b, count] of counts.entries()) this.#counts[b] = count;
    this.#rows = [...rows];
    this.#births = [...births];
    this.#dirty = dirty;
    this.#changes++;
    this.#refit();
    this.#clearRefit();
    if (isBroken) {
      store.setInteger(layout.POINT_COUNT, store.count);
      store.engine.runSerial('removeBroken', store.context);
      this.#contact.crack(this.bodies);
    }
    if (rows.length > 0 || counts.some((count) => count > 1)) this.#writeRows();
  }

  /** Chains the hash of what has broken. */
  hash(seed: bigint): bigint {
    const store = this.#store;
    const { helpers } = store.engine;
    const bonds = helpers.hashWords(store.address(layout.BONDS_LEFT), this.#bonds, seed);
    return helpers.hashWords(store.address(layout.PIECE), store.count, bonds);
  }
}

/** For each particle of a body the lowest one that bonds join it to. */
function componentsOf(store: ParticleStore, begin: number, end: number): Uint32Array {
  const begins = store.integers(layout.NEIGHBOR_BEGIN, store.count + 1);
  const neighbors = store.integers(layout.NEIGHBORS, begins[store.count]!);
  const parent = Uint32Array.from({ length: end - begin }, (_, k) => k);
  const find = (k: number) => {
    let root = k;
    while (parent[root] !== root) {
      parent[root] = parent[parent[root]!]!;
      root = parent[root]!;
    }
    return root;
  };
  for (let i = begin; i < end; i++) {
    for (let k = begins[i]!; k < begins[i + 1]!; k++) {
      const j = neighbors[k]!;
      if (j >= i) continue;
      const [a, b] = [find(i - begin), find(j - begin)];
      if (a !== b) parent[Math.max(a, b)] = Math.min(a, b);
    }
  }
  for (let k = 0; k < parent.length; k++) parent[k] = find(k);
  return parent;
}
