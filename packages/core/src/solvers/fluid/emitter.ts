import { add, rotationFromDegrees, scale, transform } from '../../math/matrix3.js';
import type { EmitterOptions, Vec3 } from '../../options/types.js';
import * as layout from '../../particles/fluid-layout.js';
import type { FluidStore } from '../../particles/fluid-store.js';

/** New particles are led this many spacings beyond the opening, so that the next layer has its place. */
const LED = 1.5;

/** Places of particles in a round opening, as a square lattice in the plane of x and z [m]. */
export function openingPlaces(radius: number, spacing: number): Vec3[] {
  let places: Vec3[] = [];
  const n = Math.ceil(radius / spacing);
  // Centred between particles or on one, whichever fills the area better.
  for (const shift of [0, 0.5]) {
    const own: Vec3[] = [];
    for (let x = -n; x <= n; x++) {
      for (let z = -n; z <= n; z++) {
        const place: Vec3 = [(x + shift) * spacing, 0, (z + shift) * spacing];
        if (place[0] * place[0] + place[2] * place[2] <= radius * radius) own.push(place);
      }
    }
    const wanted = (Math.PI * radius * radius) / (spacing * spacing);
    // However narrow the opening, a thread of single particles comes out.
    if (own.length === 0) continue;
    if (places.length === 0 || Math.abs(own.length - wanted) < Math.abs(places.length - wanted)) {
      places = own;
    }
  }
  return places;
}

/** A source of liquid, [K06] 1.3: layer after layer, a spacing apart. */
export class Emitter {
  /** Number of its liquid. */
  readonly liquid: number;
  readonly velocity: Vec3;
  /** Layers that have come out, and particles for which there was no place. */
  layers = 0;
  missed = 0;
  readonly #options: EmitterOptions;
  readonly #spacing: number;
  readonly #ids: { readonly begin: number; readonly end: number };
  readonly #places: readonly Vec3[];
  readonly #direction: Vec3;
  readonly #speed: number;

  constructor(options: EmitterOptions, spacing: number, liquid: number, ids: { begin: number; end: number }) {
    this.#options = options;
    this.#spacing = spacing;
    this.#ids = ids;
    this.liquid = liquid;
    const rotation = rotationFromDegrees(options.rotation);
    this.#direction = transform(rotation, [0, 1, 0]);
    const places = openingPlaces(options.radius, spacing);
    // By the area that the particles of a layer stand for.
    this.#speed = options.speed ?? options.rate! / (places.length * spacing * spacing);
    this.velocity = scale(this.#direction, this.#speed);
    this.#places = places.map((place) => add(options.position, transform(rotation, place)));
  }

  restore(layers: number, missed: number): void {
    this.layers = layers;
    this.missed = missed;
  }

  /** Leaves out the layers that would have come out before a time: it was not there. */
  skip(time: number): void {
    const { start } = this.#options;
    if (time > start) this.layers = Math.ceil(((time - start) * this.#speed) / this.#spacing);
  }

  /** Puts in the layers that have come out by a time, each as far on as it has got. */
  emit(time: number, store: FluidStore, put: (id: number, place: Vec3, ledUntil: number) => void): void {
    const { start, stop } = this.#options;
    const speed = this.#speed;
    const interval = this.#spacing / speed;
    let free: number[] | undefined;
    for (;;) {
      const leaving = start + this.layers * interval;
      if (leaving > time || leaving >= stop) return;
      this.layers++;
      free ??= this.#freeIds(store);
      const way = scale(this.#direction, speed * (time - leaving));
      for (const place of this.#places) {
        const id = free.pop();
        if (id === undefined) this.missed++;
        else put(id, add(place, way), leaving + LED * interval);
      }
    }
  }

  /** Its numbers that no particle has, lowest last. */
  #freeIds(store: FluidStore): number[] {
    const { begin, end } = this.#ids;
    const used = new Uint8Array(end - begin);
    const ids = store.integers(layout.ID, store.count);
    for (let i = 0; i < store.count; i++) if (ids[i]! >= begin && ids[i]! < end) used[ids[i]! - begin] = 1;
    const free: number[] = [];
    for (let k = end - begin - 1; k >= 0; k--) if (used[k] === 0) free.push(begin + k);
    return free;
  }
}
