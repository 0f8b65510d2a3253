import type { Vec3 } from '../../options/types.js';
import * as layout from '../../particles/fluid-layout.js';
import type { FluidStore } from '../../particles/fluid-store.js';

/** The grid's corner is on a multiple of this many supports, so that it seldom changes. */
const SNAP = 4;
/** Where the box of all particles would take too many cells, it is cut to this many standard deviations. */
const SPREAD = 4;

/** Where that is too many still, cells get wider by this. */
const WIDER = 1.25;

/** The cells that particles are sorted into: laid around the liquid as it is now. */
export class FluidGrid {
  readonly #store: FluidStore;
  readonly #support: number;
  readonly #period: Vec3;
  /** Address of what measureExtent leaves. */
  readonly #extent: number;
  #shape = '';

  constructor(store: FluidStore, support: number, period: Vec3) {
    this.#store = store;
    this.#support = support;
    this.#period = period;
    this.#extent = store.engine.arena.allocate(96);
    store.setVector(layout.PERIOD, [...period, 0]);
  }

  #measure() {
    const store = this.#store;
    store.engine.helpers.measureExtent(store.address(layout.POSITION), store.count, this.#extent);
    const numbers = store.engine.arena.f64(this.#extent, 12);
    return [0, 1, 2].map((a) => {
      const [low, high, sum, squares] = numbers.subarray(4 * a, 4 * a + 4) as unknown as [
        number,
        number,
        number,
        number,
      ];
      const mean = sum / store.count;
      const deviation = Math.sqrt(Math.max(0, squares / store.count - mean * mean));
      return { low, high, mean, deviation, period: this.#period[a]! };
    });
  }

  /** Lays the grid around the liquid. Has it changed? Nothing is said when a particle is not finite. */
  fit(): boolean | undefined {
    const store = this.#store;
    const axes = this.#measure();
    let cut = false;
    let edge = this.#support;
    for (;;) {
      const cells = axes.map(({ low, high, mean, deviation, period }) => {
        if (period > 0) {
          // A period is at least three supports, so three cells are never narrower than one.
          const count = Math.max(3, Math.floor(period / edge));
          return { origin: -period / 2, count, scale: count / period };
        }
        const snap = SNAP * edge;
        const from = cut ? Math.max(low, mean - SPREAD * deviation) : low;
        const to = cut ? Math.min(high, mean + SPREAD * deviation) : high;
        const origin = Math.floor(from / snap) * snap;
        return { origin, count: SNAP * Math.max(1, Math.ceil((to - origin) / snap)), scale: 1 / edge };
      });
      const total = cells.reduce((product, { count }) => product * count, 1);
      if (!Number.isFinite(total)) return undefined;
      if (total <= store.cellCapacity) {
        store.setInteger(layout.GRID_CUT, cut ? 1 : 0);
        return this.#write(cells);
      }
      if (cut) edge *= WIDER;
      cut = true;
    }
  }

  #write(cells: readonly { origin: number; count: number; scale: number }[]): boolean {
    const shape = JSON.stringify(cells);
    if (shape === this.#shape) return false;
    this.#shape = shape;
    const store = this.#store;
    // The longest last: the fewer particles a layer has, the nearer neighbours are in memory.
    const order = [0, 1, 2];
    if (this.#period.every((length) => length === 0)) order.sort((a, b) => cells[a]!.count - cells[b]!.count);
    // Bytes 4 k to 4 k + 3 of each.
    store.integersAt(layout.GRID_ORDER, 4).set([...order, 3].map((axis) => 0x03020100 + axis * 0x04040404));
    store.integersAt(layout.GRID_FIRST, 3).set(order.map((axis) => cells[axis]!.count));
    store.setVector(
      layout.GRID_ORIGIN,
      cells.map(({ origin }) => origin),
    );
    store.setVector(
      layout.GRID_SCALE,
      cells.map(({ scale }) => scale),
    );
    return true;
  }
}
