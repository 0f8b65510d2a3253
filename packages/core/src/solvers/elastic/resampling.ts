import { SOLID } from '../../particles/array-places.js';
import type { BodyRange, Resampled, SlotPair } from '../../particles/body-range.js';
import * as layout from '../../particles/layout.js';
import {
  SAMPLING_HIGH,
  SAMPLING_LOW,
  SAMPLING_NEAREST,
  SAMPLING_SKEW,
  SAMPLING_SPLITS,
  SAMPLING_STRIDE,
  SAMPLING_VELOCITY,
  SAMPLING_WAY,
} from '../../particles/renewal-layout.js';
import type { ParticleStore } from '../../particles/store.js';

/** Largest mass of a particle and smallest one that may split, over the mass at the start: flow keeps both volume and number. */
const HEAVIEST = 4;
const LIGHTEST = 0.99;
/** About as heavy as at the start, over that mass: halves of what is heavier are not lighter. */
const LIGHT = 0.7;
const HEAVY = 1.42;
/** Sampling is sparse or dense below and above these shares of even sampling, or this much beyond what it began with. */
const SPARSE = 0.62;
const DENSE = 2.2;
const BEYOND_LOW = 1.1;
const BEYOND_HIGH = 1.25;
/** Share of the particles that may be sampled worse than that at the start. */
const OUTLIERS = 0.02;
/** Neighbours' centre within this many spacings: not at a surface; not at an edge. */
const INSIDE = 0.25;
const ON_FACE = 0.6;
/** Eigenvalue of [J14] eq. 13 on a cubic lattice of spacing 1, with its 32 nearest. */
const LATTICE = (6 + 12 / 2 + 8 / 3 + 6 / 4) / 3;
/** Where slots are that no particle has: out of everybody's way [m]. */
const NOWHERE = 1e30;

/** What particles that split leave to their halves: arrays of the store and their bytes per particle. */
const CARRIED: readonly (readonly [slot: number, bytes: number])[] = [
  ...SOLID.particle.filter(({ bytes }) => bytes >= 4).map(({ slot, bytes }) => [slot, bytes] as const),
  [layout.PLASTIC, 48],
  [layout.PLASTIC_LAW, 16],
  [layout.RENEWED_AT, 4],
  [layout.SUPPORTS, 4],
  [layout.PENETRATION, 4],
  [layout.VISCOSITIES, 4],
];

/** With the splits that found no free slot. */
export interface Counted extends Resampled {
  readonly refused: number;
}

/** What measureSampling found: slots of the particles, and as many records. */
export interface Sampling {
  readonly slots: Uint32Array;
  readonly floats: Float32Array;
  readonly integers: Uint32Array;
}

const ROW = SAMPLING_STRIDE / 4;

/** A body whose particles split and merge: its slots, and whether its particles are of different sizes. */
export interface SampledBody extends BodyRange {
  readonly body: number;
  readonly uneven: boolean;
}

/**
 * Particles that split where sampling is sparse and merge where it is dense, [J14] 3.5. Mass and momentum are kept; the
 * halves move with the gradient of the velocity. A particle keeps its slot while it lives; free slots have no mass.
 */
export class Resampling {
  readonly #store: ParticleStore;
  readonly bodies: readonly SampledBody[];
  /** By slot: that of the particle of the start which it came from. */
  readonly ancestors: Uint32Array;
  /** By slot of the start [kg], [kg/m3]. */
  readonly #masses: Float64Array;
  readonly #densities: Float64Array;
  /** By body: above what share of even sampling particles merge [1]. */
  readonly #dense = new Map<SampledBody, number>();

  constructor(store: ParticleStore, bodies: readonly SampledBody[]) {
    this.#store = store;
    this.bodies = bodies;
    const sums = store.vectors(layout.GRADIENT_SUM);
    const elastic = store.vectors(layout.ELASTIC);
    this.ancestors = Uint32Array.from({ length: store.count }, (_, i) => i);
    this.#masses = Float64Array.from({ length: store.count }, (_, i) => 1 / sums[4 * i + 3]!);
    this.#densities = this.#masses.map((mass, i) => mass / elastic[4 * i + 3]!);
    for (const { body, begin, end } of bodies) {
      // The runs of the passes end where a free slot is.
      store.bodyIntegers(body)[layout.BODY_SCATTERED / 4] = 2;
      // Before it is calibrated sampling is measured in eigenvalues, and nothing splits.
      store.bodyFloats(body)[layout.BODY_EVEN_SAMPLING / 4] = 1;
      store.bodyFloats(body)[layout.BODY_SPARSE / 4] = 0;
      for (let i = begin; i < end; i++) if (this.#masses[i] === 0) this.#clear(i);
    }
  }

  /** Slots that particles have, by rising number. */
  present(): Uint32Array {
    const isPresent = this.#store.presence();
    return Uint32Array.from(
      this.bodies.flatMap(({ begin, end }) =>
        Array.from({ length: end - begin }, (_, k) => begin + k).filter((i) => isPresent(i)),
      ),
    );
  }

  /** Rest volume of a particle [m3], to the bit what a load finds. */
  volumeOf(i: number): number {
    return 1 / (this.#store.vectors(layout.GRADIENT_SUM)[4 * i + 3]! * this.#densities[this.ancestors[i]!]!);
  }

  #massOf(i: number): number {
    return 1 / this.#store.vectors(layout.GRADIENT_SUM)[4 * i + 3]!;
  }

  #startMass(i: number): number {
    return this.#masses[this.ancestors[i]!]!;
  }

  /** Mass over that at the start [1]. */
  #shareOf(i: number): number {
    return this.#massOf(i) / this.#startMass(i);
  }

  #bodyOf(i: number): SampledBody {
    return this.bodies.find(({ begin, end }) => i >= begin && i < end)!;
  }

  /** Learns from the rest shapes how even sampling is. */
  calibrate({ slots, floats }: Sampling): void {
    for (const own of this.bodies) {
      const particles = Array.from(slots.keys())
        .filter((k) => this.#bodyOf(slots[k]!) === own)
        .map((k) => ({
          low: floats[ROW * k + SAMPLING_LOW / 4]!,
          high: floats[ROW * k + SAMPLING_HIGH / 4]!,
          skew: floats[ROW * k + SAMPLING_SKEW / 4]!,
        }));
      const spanned = particles.filter(({ high }) => high > 0);
      const inside = spanned.filter(({ skew }) => skew < INSIDE);
      const counted = inside.length > 0 ? inside : spanned;
      const sum = counted.reduce((total, { low, high }) => total + (low + high) / 2, 0);
      // Where sizes differ, those with equal ones around them are all at the surface, and others see more or fewer.
      const even = own.uneven ? LATTICE : counted.length > 0 ? sum / counted.length : 1;
      const judged = own.uneven ? spanned.filter(({ skew }) => skew < ON_FACE) : inside;
      const lows = judged.map(({ low }) => low / even).sort((a, b) => a - b);
      const lowest = lows[Math.floor(OUTLIERS * lows.length)] ?? 1;
      const highest = spanned.reduce((most, { high }) => Math.max(most, high), even) / even;
      const body = this.#store.bodyFloats(own.body);
      body[layout.BODY_EVEN_SAMPLING / 4] = even;
      body[layout.BODY_SPARSE / 4] = own.uneven ? SPARSE * Math.min(1, lowest) : Math.min(SPARSE, lowest / BEYOND_LOW);
      this.#dense.set(own, Math.max(DENSE, highest * BEYOND_HIGH));
    }
  }

  /** Does something while every particle of a body may split. */
  whileAllSplit({ body }: SampledBody, work: () => void): void {
    const at = layout.BODY_SPARSE / 4;
    const sparse = this.#store.bodyFloats(body)[at]!;
    this.#store.bodyFloats(body)[at] = Number.MAX_VALUE;
    work();
    this.#store.bodyFloats(body)[at] = sparse;
  }

  /** Is every particle of a body about as heavy as at the start? */
  isEven(slots: Uint32Array, own: SampledBody): boolean {
    return slots.every((i) => {
      const share = this.#shareOf(i);
      return this.#bodyOf(i) !== own || (share >= LIGHT && share <= HEAVY);
    });
  }

  /** Merges where sampling is dense, then splits where it is sparse. */
  resample(sampling: Sampling): Counted {
    const { slots, floats } = sampling;
    const held = this.#store.integers(layout.CONSTRAINT_OF, this.#store.count);
    const nearest = nearestIn(sampling);
    const merges = new Map<number, number>();
    for (const [k, i] of slots.entries()) {
      if (!(floats[ROW * k + SAMPLING_HIGH / 4]! > this.#dense.get(this.#bodyOf(i))!)) continue;
      const j = nearest.get(i)!;
      // Both must be the nearest of each other.
      if (j === i || nearest.get(j) !== i) continue;
      const [a, b] = [Math.min(i, j), Math.max(i, j)];
      if (merges.has(a) || held[a] !== held[b]) continue;
      const limit = 1.001 * HEAVIEST * Math.min(this.#startMass(a), this.#startMass(b));
      if (this.#massOf(a) + this.#massOf(b) <= limit) merges.set(a, b);
    }
    return this.#change(sampling, merges, (i) => this.#shareOf(i) >= LIGHTEST);
  }

  /**
   * The same to make the particles of a body about as heavy as they were at the start: light ones merge with their nearest
   * neighbour, then heavy ones split, in rounds. Two that merge are heavy at the most by as much as halves are not light.
   */
  equalise(sampling: Sampling, own: SampledBody): Counted {
    const held = this.#store.integers(layout.CONSTRAINT_OF, this.#store.count);
    const nearest = nearestIn(sampling);
    const merges = new Map<number, number>();
    const taken = new Set<number>();
    for (const i of sampling.slots) {
      const j = nearest.get(i)!;
      if (this.#bodyOf(i) !== own || this.#shareOf(i) >= LIGHT || j === i || taken.has(i) || taken.has(j)) continue;
      if (this.#shareOf(j) > HEAVY || held[i] !== held[j]) continue;
      taken.add(i).add(j);
      merges.set(Math.min(i, j), Math.max(i, j));
    }
    return this.#change(sampling, merges, (i) => this.#bodyOf(i) === own && this.#shareOf(i) > HEAVY);
  }

  /** Merges, and splits of the others what may and where it is sparse. */
  #change(
    { slots, floats, integers }: Sampling,
    merges: Map<number, number>,
    maySplit: (i: number) => boolean,
  ): Counted {
    const gone = new Set(merges.values());
    for (const [i, j] of merges) this.#merge(i, j);
    for (const j of gone) this.#clear(j);
    const free = new Map(this.bodies.map((own) => [own, own.begin]));
    const isPresent = this.#store.presence();
    const splits: SlotPair[] = [];
    let refused = 0;
    for (const [k, i] of slots.entries()) {
      if (integers[ROW * k + SAMPLING_SPLITS / 4] === 0 || merges.has(i) || gone.has(i) || !maySplit(i)) continue;
      const own = this.#bodyOf(i);
      let slot = free.get(own)!;
      while (slot < own.end && isPresent(slot)) slot++;
      free.set(own, slot);
      if (slot === own.end) {
        refused++;
        continue;
      }
      const at = ROW * k;
      const [way, faster] = [SAMPLING_WAY, SAMPLING_VELOCITY].map((field) =>
        floats.subarray(at + field / 4, at + field / 4 + 3),
      );
      this.#split(i, slot, way!, faster!);
      splits.push([i, slot]);
    }
    return { merges: [...merges], splits, refused };
  }

  /** Particle i takes in j: the centre of mass, the momentum, and means of the rest. */
  #merge(i: number, j: number): void {
    const store = this.#store;
    const share = this.#massOf(j) / (this.#massOf(i) + this.#massOf(j));
    const mean = (slot: number, width: number, k: number) => {
      const array = store.floats(slot, width * store.count);
      array[width * i + k]! += share * (array[width * j + k]! - array[width * i + k]!);
    };
    const [rest, u] = [store.vectors(layout.REST), store.vectors(layout.DISPLACEMENT)];
    for (let a = 0; a < 3; a++) {
      const [one, other] = [i, j].map((k) => rest[4 * k + a]! + u[4 * k + a]!);
      this.#place(i, a, one! + share * (other! - one!));
      mean(layout.VELOCITY, 4, a);
      mean(layout.ACCELERATION, 4, a);
    }
    // Stretches, strains and the work done on them; the share of the stabilisation is whole now.
    for (let k = 0; k < 12; k++) if (k !== 7) mean(layout.PLASTIC, 12, k);
    for (let k = 0; k < 8; k++) mean(layout.STRAIN, 8, k);
    mean(layout.RENEWED_AT, 1, 0);
    store.vectors(layout.GRADIENT_SUM)[4 * i + 3] = 1 / (this.#massOf(i) + this.#massOf(j));
    store.vectors(layout.ELASTIC)[4 * i + 3] = this.volumeOf(i);
  }

  /** Particle i becomes two, a way to each side, the first of which goes faster by so much and the other slower. */
  #split(i: number, j: number, way: Float32Array, faster: Float32Array): void {
    const store = this.#store;
    for (const { array, width } of this.#carried()) array.copyWithin(width * j, width * i, width * (i + 1));
    this.ancestors[j] = this.ancestors[i]!;
    const [rest, u, v] = [layout.REST, layout.DISPLACEMENT, layout.VELOCITY].map((slot) => store.vectors(slot));
    const at = [0, 1, 2].map((a) => rest![4 * i + a]! + u![4 * i + a]!);
    for (const [k, sign] of [
      [i, 1],
      [j, -1],
    ] as const) {
      store.vectors(layout.GRADIENT_SUM)[4 * k + 3]! *= 2;
      store.vectors(layout.ELASTIC)[4 * k + 3] = this.volumeOf(k);
      for (let a = 0; a < 3; a++) {
        this.#place(k, a, at[a]! + sign * way[a]!);
        v![4 * k + a]! += sign * faster[a]!;
      }
    }
  }

  /** A position in body axes, as rest position and what rounding cuts off it. */
  #place(i: number, a: number, x: number): void {
    const rest = this.#store.vectors(layout.REST);
    rest[4 * i + a] = x;
    this.#store.vectors(layout.DISPLACEMENT)[4 * i + a] = x - rest[4 * i + a]!;
  }

  #carried() {
    const store = this.#store;
    return CARRIED.filter(([slot]) => store.address(slot) !== 0).map(([slot, bytes]) => ({
      array: store.integers(slot, (bytes / 4) * store.count),
      width: bytes / 4,
    }));
  }

  /** Leaves a slot free. */
  #clear(i: number): void {
    const store = this.#store;
    for (const { array, width } of this.#carried()) array.fill(0, width * i, width * (i + 1));
    store.integers(layout.BODY_OF, store.count)[i] = layout.ABSENT;
    store.vectors(layout.DISPLACEMENT).fill(NOWHERE, 4 * i, 4 * i + 3);
    store.vectors(layout.GRADIENT_SUM)[4 * i + 3] = Number.POSITIVE_INFINITY;
    if (store.plastic) store.floats(layout.PLASTIC, 12 * store.count)[12 * i + 7] = 1;
    this.ancestors[i] = i;
  }

  /** Inverse masses and slots of the start of a body's particles, for a save. */
  save({ begin, end }: BodyRange): [Float32Array, Uint32Array] {
    const sums = this.#store.vectors(layout.GRADIENT_SUM);
    return [
      Float32Array.from({ length: end - begin }, (_, k) => sums[4 * (begin + k) + 3]!),
      this.ancestors.slice(begin, end).map((i) => i - begin),
    ];
  }

  /** Puts particles into slots, with what they have from those of the start, which there are still. */
  restore({ begin, end }: BodyRange, inverseMasses: Float32Array, ancestors: Uint32Array): void {
    const store = this.#store;
    const held = store.integers(layout.CONSTRAINT_OF, store.count).slice(begin, end);
    const carried = this.#carried().map(({ array, width }) => ({
      array,
      width,
      start: array.slice(width * begin, width * end),
    }));
    for (let k = 0; k < end - begin; k++) {
      const i = begin + k;
      if (inverseMasses[k] === Number.POSITIVE_INFINITY) {
        this.#clear(i);
        continue;
      }
      const from = ancestors[k]!;
      for (const { array, width, start } of carried) {
        array.set(start.subarray(width * from, width * (from + 1)), width * i);
      }
      this.ancestors[i] = begin + from;
      // Those under constraints are known by their own slots.
      store.integers(layout.CONSTRAINT_OF, store.count)[i] = held[k]!;
      store.vectors(layout.GRADIENT_SUM)[4 * i + 3] = inverseMasses[k]!;
      store.vectors(layout.ELASTIC)[4 * i + 3] = this.volumeOf(i);
    }
  }
}

/** By slot, that of the nearest neighbour. */
function nearestIn({ slots, integers }: Sampling): Map<number, number> {
  return new Map(Array.from(slots, (i, k) => [i, integers[ROW * k + SAMPLING_NEAREST / 4]!]));
}
