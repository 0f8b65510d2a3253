import * as embeddingLayout from '../particles/embedding-layout.js';
import * as fluidLayout from '../particles/fluid-layout.js';
import * as layout from '../particles/layout.js';
import type { BodyRecord, WorldModel } from './model.js';

/** Reads the state of all particles out of the memory, in the order of their public numbers. */
export class Readings {
  readonly #model: WorldModel;
  readonly #bodies: readonly BodyRecord[];
  readonly #count: number;

  constructor(model: WorldModel, bodies: readonly BodyRecord[]) {
    this.#model = model;
    this.#bodies = bodies;
    this.#count = model.places.at(-1)!.end;
  }

  /**
   * World positions, xyz and 1 per particle, into `target` or a new array. Places of sources that no particle
   * has taken have 0 in place of the 1.
   */
  positions(target?: Float32Array): Float32Array {
    const { store, ranges, elastic, places, fluid, embedding } = this.#model;
    const result = target ?? new Float32Array(4 * this.#count);
    const rest = store.vectors(layout.REST);
    const u = elastic.shownDisplacements();
    for (const [b, place] of places.entries()) {
      if (place.liquid || place.embedded) {
        const { origin } = this.#bodies[b]!.initial;
        for (let i = 4 * place.begin; i < 4 * place.end; i += 4) {
          for (let a = 0; a < 3; a++) result[i + a] = origin[a]!;
          result[i + 3] = 0;
        }
        continue;
      }
      const { rotation: r, origin: c } = elastic.frames[place.index]!;
      const { begin, end } = ranges[place.index]!;
      for (let k = 4 * begin, i = 4 * place.begin; k < 4 * end; k += 4, i += 4) {
        const x = rest[k]! + u[k]!;
        const y = rest[k + 1]! + u[k + 1]!;
        const z = rest[k + 2]! + u[k + 2]!;
        result[i] = r[0] * x + r[1] * y + r[2] * z + c[0];
        result[i + 1] = r[3] * x + r[4] * y + r[5] * z + c[1];
        result[i + 2] = r[6] * x + r[7] * y + r[8] * z + c[2];
        result[i + 3] = 1;
      }
    }
    if (fluid) {
      const x = fluid.store.floats(fluidLayout.POSITION, 4 * fluid.store.count);
      this.#forLiquids((i, number) => {
        for (let a = 0; a < 3; a++) result[4 * number + a] = x[4 * i + a]!;
        result[4 * number + 3] = 1;
      });
    }
    if (embedding) {
      const x = embedding.store.vectors(embeddingLayout.POSITION);
      this.#forEmbedded((i, number) => {
        for (let a = 0; a < 3; a++) result[4 * number + a] = x[4 * i + a]!;
        result[4 * number + 3] = 1;
      });
    }
    return result;
  }

  /** Places in embedded space, [J14], as `positions` gives those in the world; 0 for what is not embedded. */
  embeddedPositions(): Float32Array {
    const result = new Float32Array(4 * this.#count);
    const e = this.#model.embedding?.store.vectors(embeddingLayout.EMBEDDED);
    this.#forEmbedded((i, number) => {
      for (let a = 0; a < 3; a++) result[4 * number + a] = e![4 * i + a]!;
      result[4 * number + 3] = 1;
    });
    return result;
  }

  /** World velocities, xyz and 0 per particle [m/s], into `target` or a new array. */
  velocities(target?: Float32Array): Float32Array {
    const { ranges, elastic, places, fluid, embedding } = this.#model;
    const result = target ?? new Float32Array(4 * this.#count);
    const v = elastic.shownVelocities();
    for (const place of places) {
      if (place.liquid || place.embedded) {
        result.fill(0, 4 * place.begin, 4 * place.end);
        continue;
      }
      const { rotation: r } = elastic.frames[place.index]!;
      const { begin, end } = ranges[place.index]!;
      for (let k = 4 * begin, i = 4 * place.begin; k < 4 * end; k += 4, i += 4) {
        for (let row = 0; row < 3; row++) {
          result[i + row] = r[3 * row]! * v[k]! + r[3 * row + 1]! * v[k + 1]! + r[3 * row + 2]! * v[k + 2]!;
        }
        result[i + 3] = 0;
      }
    }
    if (fluid) {
      const velocities = fluid.store.floats(fluidLayout.VELOCITY, 4 * fluid.store.count);
      this.#forLiquids((i, number) => {
        for (let a = 0; a < 3; a++) result[4 * number + a] = velocities[4 * i + a]!;
      });
    }
    if (embedding) {
      const velocities = embedding.store.vectors(layout.VELOCITY);
      this.#forEmbedded((i, number) => {
        for (let a = 0; a < 3; a++) result[4 * number + a] = velocities[4 * i + a]!;
      });
    }
    return result;
  }

  /** Calls `visit` with the place in memory and the public number of every liquid particle in the world. */
  #forLiquids(visit: (i: number, number: number) => void): void {
    const { fluid, places } = this.#model;
    if (!fluid) return;
    const { store, ranges } = fluid;
    const shifts = places.filter(({ liquid }) => liquid).map(({ begin, index }) => begin - ranges[index]!.begin);
    const ids = store.integers(fluidLayout.ID, store.count);
    const of = store.integers(fluidLayout.LIQUID_OF, store.count);
    for (let i = 0; i < store.count; i++) visit(i, ids[i]! + shifts[of[i]!]!);
  }

  /** Calls `visit` with the place in memory and the public number of every particle of bodies that flow. */
  #forEmbedded(visit: (i: number, number: number) => void): void {
    const { embedding, places } = this.#model;
    if (!embedding) return;
    const { store } = embedding;
    const begins = places.filter(({ embedded }) => embedded).map(({ begin }) => begin);
    const ids = store.integers(embeddingLayout.ID, store.count);
    const of = store.integers(layout.BODY_OF, store.count);
    for (let i = 0; i < store.count; i++) visit(i, begins[of[i]!]! + ids[i]!);
  }

  /** Pressure of every particle of a liquid [Pa]; 0 for others, and after a load until the first step. */
  pressures(): Float32Array {
    const result = new Float32Array(this.#count);
    const pressures = this.#model.fluid?.pressures();
    if (pressures) {
      this.#forLiquids((i, number) => {
        result[number] = pressures[i]!;
      });
    }
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
    const { heat, places } = this.#model;
    const result = new Float32Array(this.#count);
    if (heat) return this.#fromHeat(result, heat.fractions());
    for (const { liquid, begin, end } of places) result.fill(liquid ? 1 : 0, begin, end);
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
    const { heat, places } = this.#model;
    for (const { liquid, index, begin, end } of places) {
      const first = heat!.beginOf(liquid, index);
      for (let i = begin; i < end; i++) result[i] = values[first + i - begin]!;
    }
    return result;
  }

  /** Density of every particle [kg/m3]. */
  densities(): Float32Array {
    const ratios = this.measure(2);
    const masses = this.masses();
    const volumes = new Float64Array(this.#count);
    let first = 0;
    for (const { samples } of this.#bodies) {
      volumes.set(samples.volume, first);
      first += samples.volume.length;
    }
    const elastic = this.#model.embedding?.store.vectors(layout.ELASTIC);
    this.#forEmbedded((i, number) => {
      volumes[number] = elastic![4 * i + 3]!;
    });
    return ratios.map((ratio, i) => (ratio > 0 ? masses[i]! / (ratio * volumes[i]!) : 0));
  }

  /** Mass of every particle [kg]; 0 for places that no particle has taken. */
  masses(): Float32Array {
    const { store, ranges, places, fluid, embedding } = this.#model;
    const inverse = store.vectors(layout.GRADIENT_SUM);
    const result = new Float32Array(this.#count);
    for (const place of places) {
      if (place.liquid || place.embedded) continue;
      const { begin } = ranges[place.index]!;
      for (let i = place.begin; i < place.end; i++) result[i] = 1 / inverse[4 * (i - place.begin + begin) + 3]!;
    }
    if (fluid) {
      const positions = fluid.store.floats(fluidLayout.POSITION, 4 * fluid.store.count);
      this.#forLiquids((i, number) => {
        result[number] = 1 / positions[4 * i + 3]!;
      });
    }
    const flowing = embedding?.store.vectors(embeddingLayout.POSITION);
    this.#forEmbedded((i, number) => {
      result[number] = 1 / flowing![4 * i + 3]!;
    });
    return result;
  }

  /** Plastic strain of every particle, equivalent and accumulated [1]. */
  plasticStrains(): Float32Array {
    const { store, places, ranges, fluid, embedding } = this.#model;
    const result = new Float32Array(this.#count);
    const flowing = embedding?.store.floats(layout.PLASTIC, 12 * embedding.store.count);
    this.#forEmbedded((i, number) => {
      result[number] = flowing![12 * i + 3]!;
    });
    if (fluid?.elastic) {
      const states = fluid.elastic.plasticStates();
      const ids = fluid.store.integers(fluidLayout.ID, fluid.store.count);
      this.#forLiquids((i, number) => {
        result[number] = states[12 * ids[i]! + 3]!;
      });
    }
    if (!store.plastic) return result;
    const plastic = store.floats(layout.PLASTIC, 12 * store.count);
    for (const { liquid, embedded, index, begin, end } of places) {
      if (liquid || embedded) continue;
      const first = ranges[index]!.begin - begin;
      for (let i = begin; i < end; i++) result[i] = plastic[12 * (first + i) + 3]!;
    }
    return result;
  }

  /** A lane of the measures of every particle. */
  measure(lane: number): Float32Array {
    const { store, elastic, places, ranges, fluid, embedding } = this.#model;
    const result = new Float32Array(this.#count);
    if (embedding) {
      const measures = embedding.measures();
      this.#forEmbedded((i, number) => {
        result[number] = measures[12 * i + lane]!;
      });
    }
    if (store.count > 0) {
      store.computeMeasures();
      const measures = store.floats(layout.FLUX, 12 * store.count);
      for (const place of places) {
        if (place.liquid || place.embedded) continue;
        const { begin, end } = ranges[place.index]!;
        const shift = place.begin - begin;
        for (let i = begin; i < end; i++) result[i + shift] = measures[12 * i + lane]!;
        if (lane === 0) continue;
        // What mirrors the free side has no stress of its own: that of the face is behind it.
        for (const { particle, master } of elastic.dependents) {
          if (particle >= begin && particle < end) result[particle + shift] = measures[12 * master + lane]!;
        }
      }
    }
    if (fluid?.elastic && lane < 2) {
      const measures = fluid.elastic.measures();
      const ids = fluid.store.integers(fluidLayout.ID, fluid.store.count);
      this.#forLiquids((i, number) => {
        result[number] = measures[12 * ids[i]! + lane]!;
      });
    }
    if (fluid && lane === 2) {
      const ratios = fluid.store.floats(fluidLayout.RATIO, fluid.store.count);
      // Before the first step nothing has been compressed yet.
      this.#forLiquids((i, number) => {
        result[number] = ratios[i]! > 0 ? 1 / ratios[i]! : 1;
      });
    }
    return result;
  }

  /** xyz of a body's particles [m]; not a number where a source has none yet. */
  placesOf({ begin, end }: { readonly begin: number; readonly end: number }): Float32Array {
    const all = this.positions();
    const places = new Float32Array(3 * (end - begin));
    for (let i = begin; i < end; i++) {
      const isThere = all[4 * i + 3] === 1;
      for (let a = 0; a < 3; a++) places[3 * (i - begin) + a] = isThere ? all[4 * i + a]! : Number.NaN;
    }
    return places;
  }
}
