import { add, rotationFromDegrees, scale, transform } from '../../math/matrix3.js';
import type { EmitterOptions, Vec3 } from '../../options/types.js';
import * as layout from '../../particles/fluid-layout.js';
import type { FluidStore } from '../../particles/fluid-store.js';

/** New particles are led this many spacings beyond the opening, so that the next layer has its position. */
const LED = 1.5;

/** Positions of particles in a round opening, as a square lattice in the plane of x and z [m]. */
export function openingPositions(radius: number, spacing: number): Vec3[] {
  let positions: Vec3[] = [];
  const n = Math.ceil(radius / spacing);
  // Centred between particles or on one, whichever fills the area better.
  for (const shift of [0, 0.5]) {
    const own: Vec3[] = [];
    for (let x = -n; x <= n; x++) {
      for (let z = -n; z <= n; z++) {
        const position: Vec3 = [(x + shift) * spacing, 0, (z + shift) * spacing];
        if (position[0] * position[0] + position[2] * position[2] <= radius * radius) own.push(position);
      }
    }
    const wanted = (Math.PI * radius * radius) / (spacing * spacing);
    // However narrow the opening, a thread of single particles comes out.
    if (own.length === 0) continue;
    if (positions.length === 0 || Math.abs(own.length - wanted) < Math.abs(positions.length - wanted)) {
      positions = own;
    }
  }
  return positions;
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
  readonly #positions: readonly Vec3[];
  readonly #direction: Vec3;
  readonly #speed: number;

  constructor(options: EmitterOptions, spacing: number, liquid: number, ids: { begin: number; end: number }) {
    this.#options = options;
    this.#spacing = spacing;
    this.#ids = ids;
    this.liquid = liquid;
    const rotation = rotationFromDegrees(options.rotation);
    this.#direction = transform(rotation, [0, 1, 0]);
    const positions = openingPositions(options.radius, spacing);
    // By the area that the particles of a layer stand for.
    this.#speed = options.speed ?? options.rate! / (positions.length * spacing * spacing);
    this.velocity = scale(this.#direction, this.#speed);
    this.#positions = positions.map((position) => add(options.position, transform(rotation, position)));
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
  emit(time: number, store: FluidStore, put: (id: number, position: Vec3, ledUntil: number) => void): void {
    const { start, stop } = this.#options;
    const speed = this.#speed;
    const interval = this.#spacing / speed;
    let free: number[] | undefined;
    for (;;) {
      const leaving = start + this.layers * interval;
      if (leaving > time || leaving >= stop) return;
      this.layers++;
      free ??= this.#freeIds(store);
      const displacement = scale(this.#direction, speed * (time - leaving));
      for (const position of this.#positions) {
        const id = free.pop();
        if (id === undefined) this.missed++;
        else put(id, add(position, displacement), leaving + LED * interval);
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
