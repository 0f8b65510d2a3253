import { isRenewed } from '../particles/body-range.js';
import * as fluidLayout from '../particles/fluid-layout.js';
import * as layout from '../particles/layout.js';
import type { BodyRecord, WorldModel } from './model.js';

/** Reads the state of all particles out of the memory, in the order of their public numbers; good until the next step. */
export class Readings {
  readonly #model: WorldModel;
  readonly #bodies: readonly BodyRecord[];
  readonly #count: number;
  #liquidNumbers: Uint32Array | undefined;
  #isMeasured = false;

  constructor(model: WorldModel, bodies: readonly BodyRecord[]) {
    this.#model = model;
    this.#bodies = bodies;
    this.#count = model.locations.at(-1)!.end;
  }

  /**
   * World positions, xyz and 1 per particle, into `target` or a new array. Positions of sources that no particle
   * has taken have 0 in place of the 1.
   */
  positions(target?: Float32Array): Float32Array {
    const result = target ?? new Float32Array(4 * this.#count);
    for (const [b, { begin, end }] of this.#model.locations.entries()) {
      const { origin } = this.#bodies[b]!.initial;
      for (let i = 4 * begin; i < 4 * end; i += 4) {
        for (let a = 0; a < 3; a++) result[i + a] = origin[a]!;
        result[i + 3] = 0;
      }
    }
    this.#position(result, 4, 1);
    return result;
  }

  /** World positions, xyz per particle; slots that no particle has taken have `absent` three times. */
  positionsOr(absent: number): Float32Array {
    const result = new Float32Array(3 * this.#count).fill(absent);
    this.#position(result, 3);
    return result;
  }

  /** Puts the positions of all particles that there are into an array with `stride` numbers for each, and `fourth` behind them. */
  #position(result: Float32Array, stride: 3 | 4, fourth?: number): void {
    const { store, ranges, elastic, locations, fluid } = this.#model;
    const rest = store.vectors(layout.REST);
    const u = elastic.shownDisplacements();
    const isPresent = store.presence();
    const bodyOf = store.integers(layout.BODY_OF, store.count);
    for (const location of locations) {
      if (location.liquid) continue;
      const { begin, end } = ranges[location.index]!;
      for (let k = 4 * begin, i = stride * location.begin; k < 4 * end; k += 4, i += stride) {
        if (!isPresent(k / 4)) continue;
        const { rotation: r, origin: c } = elastic.frames[bodyOf[k / 4]!]!;
        const x = rest[k]! + u[k]!;
        const y = rest[k + 1]! + u[k + 1]!;
        const z = rest[k + 2]! + u[k + 2]!;
        result[i] = r[0] * x + r[1] * y + r[2] * z + c[0];
        result[i + 1] = r[3] * x + r[4] * y + r[5] * z + c[1];
        result[i + 2] = r[6] * x + r[7] * y + r[8] * z + c[2];
        if (fourth !== undefined) result[i + 3] = fourth;
      }
    }
    if (fluid) {
      const positions = fluid.store.floats(fluidLayout.POSITION, 4 * fluid.store.count);
      scatterVectors(positions, this.#liquids(), result, stride, fourth);
    }
  }

  /** World velocities, xyz and 0 per particle [m/s], into `target` or a new array. */
  velocities(target?: Float32Array): Float32Array {
    const { store, ranges, elastic, locations, fluid } = this.#model;
    const result = target ?? new Float32Array(4 * this.#count);
    const v = elastic.shownVelocities();
    const isPresent = store.presence();
    const bodyOf = store.integers(layout.BODY_OF, store.count);
    for (const location of locations) {
      if (location.liquid) {
        result.fill(0, 4 * location.begin, 4 * location.end);
        continue;
      }
      const { begin, end } = ranges[location.index]!;
      for (let k = 4 * begin, i = 4 * location.begin; k < 4 * end; k += 4, i += 4) {
        if (!isPresent(k / 4)) {
          result.fill(0, i, i + 4);
          continue;
        }
        const { rotation: r } = elastic.frames[bodyOf[k / 4]!]!;
        for (let row = 0; row < 3; row++) {
          result[i + row] = r[3 * row]! * v[k]! + r[3 * row + 1]! * v[k + 1]! + r[3 * row + 2]! * v[k + 2]!;
        }
        result[i + 3] = 0;
      }
    }
    if (fluid)
      scatterVectors(fluid.store.floats(fluidLayout.VELOCITY, 4 * fluid.store.count), this.#liquids(), result, 4, 0);
    return result;
  }

  /** Speed of every particle [m/s]; 0 for slots that no particle has taken. */
  speeds(): Float32Array {
    const { ranges, elastic, locations, fluid } = this.#model;
    const result = new Float32Array(this.#count);
    const v = elastic.shownVelocities();
    for (const location of locations) {
      if (location.liquid) continue;
      const { begin, end } = ranges[location.index]!;
      // A body's axes turn with it; lengths are the same in them.
      for (let k = begin, i = location.begin; k < end; k++, i++) result[i] = lengthAt(v, 4 * k);
    }
    if (fluid) {
      const of = fluid.store.floats(fluidLayout.VELOCITY, 4 * fluid.store.count);
      for (const [i, number] of this.#liquids().entries()) result[number] = lengthAt(of, 4 * i);
    }
    return result;
  }

  /** The public number of every liquid particle, in the order in which they are in memory now. */
  #liquids(): Uint32Array {
    if (this.#liquidNumbers) return this.#liquidNumbers;
    const { fluid, locations } = this.#model;
    const { store, ranges } = fluid!;
    const shifts = locations.filter(({ liquid }) => liquid).map(({ begin, index }) => begin - ranges[index]!.begin);
    const of = store.integers(fluidLayout.LIQUID_OF, store.count);
    const numbers = store.integers(fluidLayout.ID, store.count).slice();
    for (let i = 0; i < numbers.length; i++) numbers[i]! += shifts[of[i]!]!;
    this.#liquidNumbers = numbers;
    return numbers;
  }

  /** Pressure of every particle of a liquid [Pa]; 0 for others, and after a load until the first step. */
  pressures(): Float32Array {
    const result = new Float32Array(this.#count);
    const pressures = this.#model.fluid?.pressures();
    if (pressures) scatter(pressures, this.#liquids(), result);
    return result;
  }

  /** Temperature of every particle [degrees C], into `target` or a new array; that of the world where heat does not count. */
  temperatures(ambient: number, target?: Float32Array): Float32Array {
    const result = target ?? new Float32Array(this.#count);
    const temperatures = this.#model.heat?.temperatures();
    return temperatures ? this.#fromHeat(result, temperatures) : result.fill(ambient);
  }

  /** Molten share of every particle [1]: 0 solid, 1 liquid. What has no melting point is what it was made as. */
  liquidFractions(): Float32Array {
    const { heat, locations } = this.#model;
    const result = new Float32Array(this.#count);
    if (heat) return this.#fromHeat(result, heat.fractions());
    for (const { liquid, begin, end } of locations) result.fill(liquid ? 1 : 0, begin, end);
    return result;
  }

  /** Specific enthalpy of every particle [J/kg]; 0 for the solid at 0 degrees C, and where heat does not count. */
  enthalpies(): Float64Array {
    const { heat } = this.#model;
    const result = new Float64Array(this.#count);
    return heat ? this.#fromHeat(result, heat.enthalpies()) : result;
  }

  /** Heat of every particle [J], latent heat included; 0 where heat does not count. */
  heats(): Float64Array {
    const { heat } = this.#model;
    const result = new Float64Array(this.#count);
    return heat ? this.#fromHeat(result, heat.heats()) : result;
  }

  #fromHeat<T extends Float32Array | Float64Array>(result: T, values: Float32Array | Float64Array): T {
    const { heat, locations } = this.#model;
    for (const { liquid, index, begin, end } of locations) {
      const first = heat!.beginOf(liquid, index);
      for (let i = begin; i < end; i++) result[i] = values[first + i - begin]!;
    }
    return result;
  }

  /** Density of every particle [kg/m3]. */
  densities(): Float32Array {
    const { locations, ranges, store } = this.#model;
    const ratios = this.measure(2);
    const result = this.masses();
    const volumes = store.vectors(layout.ELASTIC);
    for (const [b, { samples }] of this.#bodies.entries()) {
      const { liquid, index, begin, end } = locations[b]!;
      const first = !liquid && isRenewed(store, index) ? ranges[index]!.begin : undefined;
      for (let i = begin; i < end; i++) {
        // Particles of viscoplastic bodies split and merge; clamps cut into the cells of others.
        const volume = first === undefined ? samples.volume[i - begin]! : volumes[4 * (first + i - begin) + 3]!;
        result[i] = densityOf(result[i]!, ratios[i]!, volume);
      }
    }
    return result;
  }

  /** Mass of every particle [kg]; 0 for slots that no particle has taken. */
  masses(): Float32Array {
    const { store, ranges, locations, fluid } = this.#model;
    const inverse = store.vectors(layout.GRADIENT_SUM);
    const result = new Float32Array(this.#count);
    for (const location of locations) {
      if (location.liquid) continue;
      const { begin } = ranges[location.index]!;
      for (let i = location.begin; i < location.end; i++)
        result[i] = 1 / inverse[4 * (i - location.begin + begin) + 3]!;
    }
    if (fluid) scatterInverse(fluid.store.floats(fluidLayout.POSITION, 4 * fluid.store.count), this.#liquids(), result);
    return result;
  }

  /** Plastic strain of every particle, equivalent and accumulated [1]. */
  plasticStrains(): Float32Array {
    const { store, locations, ranges, fluid } = this.#model;
    const result = new Float32Array(this.#count);
    if (fluid?.elastic) this.#scatterById(fluid.elastic.plasticStates(), result, 3);
    if (!store.plastic) return result;
    const plastic = store.floats(layout.PLASTIC, 12 * store.count);
    for (const { liquid, index, begin, end } of locations) {
      if (liquid) continue;
      const first = ranges[index]!.begin - begin;
      for (let i = begin; i < end; i++) result[i] = plastic[12 * (first + i) + 3]!;
    }
    return result;
  }

  /** Damage of every particle of a solid that can break: share of its bonds that is lost [1]. */
  damages(): Float32Array {
    const result = new Float32Array(this.#count);
    this.#fromSolids(result, layout.LOST, 4, 3);
    return result;
  }

  /** Number of the piece of its body that every particle is in; 0 for what is whole. */
  pieces(): Uint32Array {
    const result = new Uint32Array(this.#count);
    const { store, locations, ranges } = this.#model;
    if (store.address(layout.PIECE) === 0) return result;
    const pieces = store.integers(layout.PIECE, store.count);
    for (const { liquid, index, begin, end } of locations) {
      if (liquid) continue;
      const first = ranges[index]!.begin - begin;
      for (let i = begin; i < end; i++) result[i] = pieces[first + i]!;
    }
    return result;
  }

  /** A lane of what solids have in an array; 0 where there is no such array. */
  #fromSolids(result: Float32Array, slot: number, width: number, lane: number): void {
    const { store, locations, ranges } = this.#model;
    if (store.address(slot) === 0) return;
    const values = store.floats(slot, width * store.count);
    for (const { liquid, index, begin, end } of locations) {
      if (liquid) continue;
      const first = ranges[index]!.begin - begin;
      for (let i = begin; i < end; i++) result[i] = values[width * (first + i) + lane]!;
    }
  }

  /** A lane of the measures of every particle. */
  measure(lane: number): Float32Array {
    const { store, elastic, locations, ranges, fluid } = this.#model;
    const result = new Float32Array(this.#count);
    if (store.count > 0) {
      if (!this.#isMeasured) store.computeMeasures();
      this.#isMeasured = true;
      const measures = store.floats(layout.FLUX, 12 * store.count);
      for (const location of locations) {
        if (location.liquid) continue;
        const { begin, end } = ranges[location.index]!;
        const shift = location.begin - begin;
        for (let i = begin; i < end; i++) result[i + shift] = measures[12 * i + lane]!;
        if (lane === 0) continue;
        // What mirrors the free side has no stress of its own: that of the face is behind it.
        for (const { particle, ghostSource } of elastic.ghosts) {
          if (particle >= begin && particle < end) result[particle + shift] = measures[12 * ghostSource + lane]!;
        }
      }
    }
    if (fluid?.elastic && lane !== 2) this.#scatterById(fluid.elastic.measures(), result, lane);
    if (fluid && lane === 2) {
      const ratios = fluid.store.floats(fluidLayout.RATIO, fluid.store.count);
      const numbers = this.#liquids();
      // Sums over neighbours lack what is beyond a free surface: a liquid is compressed, never expanded.
      for (let i = 0; i < numbers.length; i++) result[numbers[i]!] = 1 / Math.max(ratios[i]!, 1);
    }
    return result;
  }

  /** A lane of what every particle of a liquid has in an array of four floats; 0 for others. */
  liquidLane(slot: number, lane: number): Float32Array {
    const result = new Float32Array(this.#count);
    const { fluid } = this.#model;
    if (fluid) scatter(fluid.store.floats(slot, 4 * fluid.store.count), this.#liquids(), result, 4, lane);
    return result;
  }

  /** Rows of grad u of all particles that are not liquid, twelve floats each in the order of the store. */
  gradients(): Float32Array {
    const { store } = this.#model;
    store.measureGradients();
    this.#isMeasured = false;
    const gradients = store.floats(layout.FLUX, 12 * store.count).slice();
    for (const { particle, ghostSource } of this.#model.elastic.ghosts) {
      gradients.copyWithin(12 * particle, 12 * ghostSource, 12 * ghostSource + 12);
    }
    return gradients;
  }

  /** A lane of what liquids that are solid in part keep by the particles' own numbers, twelve floats each. */
  #scatterById(values: Float32Array, result: Float32Array, lane: number): void {
    const { store } = this.#model.fluid!;
    const ids = store.integers(fluidLayout.ID, store.count);
    const numbers = this.#liquids();
    for (let i = 0; i < numbers.length; i++) result[numbers[i]!] = values[12 * ids[i]! + lane]!;
  }

  /** xyz of a body's particles [m]; not a number where a source has none yet. */
  positionsOf({ begin, end }: { readonly begin: number; readonly end: number }): Float32Array {
    const all = this.positions();
    const positions = new Float32Array(3 * (end - begin));
    for (let i = begin; i < end; i++) {
      const isThere = all[4 * i + 3] === 1;
      for (let a = 0; a < 3; a++) positions[3 * (i - begin) + a] = isThere ? all[4 * i + a]! : Number.NaN;
    }
    return positions;
  }
}

function densityOf(mass: number, ratio: number, volume: number): number {
  return ratio > 0 ? mass / (ratio * volume) : 0;
}

function lengthAt(v: Float32Array, k: number): number {
  return Math.sqrt(v[k]! * v[k]! + v[k + 1]! * v[k + 1]! + v[k + 2]! * v[k + 2]!);
}

/** One of every `stride` values, to the positions with these numbers. */
function scatter(values: Float32Array, numbers: Uint32Array, result: Float32Array, stride = 1, lane = 0): void {
  for (let i = 0; i < numbers.length; i++) result[numbers[i]!] = values[stride * i + lane]!;
}

/** One over the fourth of every four values, to the positions with these numbers. */
function scatterInverse(values: Float32Array, numbers: Uint32Array, result: Float32Array): void {
  for (let i = 0; i < numbers.length; i++) result[numbers[i]!] = 1 / values[4 * i + 3]!;
}

/** xyz of every four values, to positions of three numbers, or of four, the last of which is `fourth`. */
function scatterVectors(
  values: Float32Array,
  numbers: Uint32Array,
  result: Float32Array,
  stride: 3 | 4,
  fourth?: number,
): void {
  for (let i = 0; i < numbers.length; i++) {
    const to = stride * numbers[i]!;
    result[to] = values[4 * i]!;
    result[to + 1] = values[4 * i + 1]!;
    result[to + 2] = values[4 * i + 2]!;
    if (fourth !== undefined) result[to + 3] = fourth;
  }
}
