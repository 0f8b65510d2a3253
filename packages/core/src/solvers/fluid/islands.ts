import type { Vec3 } from '../../options/types.js';
import * as layout from '../../particles/elastic-layout.js';
import type { ElasticStore } from '../../particles/elastic-store.js';
import { INDEX_MASK } from '../../particles/layout.js';

/** Share of the trace that is added to moments of inertia: those of what lies on a line have none along it [1]. */
const LEAST = 1e-9;

/** Numbers kept of an island: mass, centre, momentum change, moments of inertia (xx, yy, zz, yz, xz, xy), angular momentum change. */
const WIDTH = 16;

/**
 * What holds together by bonds. Backward Euler takes angular momentum from what turns, by the squared angle of a step,
 * and an iteration that ends leaves forces that do not add up to zero; islands that nothing holds get back what they
 * had, as one rigid motion of each. Steps are x' = x + h v', so angular momentum after the step is that of v' at x.
 */
export class Islands {
  readonly #store: ElasticStore;
  /** By ID; undefined when bonds have changed. */
  #labels: Int32Array | undefined;
  #count = 0;
  #sums = new Float64Array();
  #before = new Float32Array();

  constructor(store: ElasticStore) {
    this.#store = store;
  }

  /** Bonds have changed. */
  forget(): void {
    this.#labels = undefined;
  }

  /** Notes velocities before a step. */
  noteVelocities(): void {
    this.#before = this.#store.floats(layout.VELOCITY, 4 * this.#store.capacity).slice();
  }

  /** Gives islands that are free the momenta they had before a step of `h` under gravity, in the velocities after it. */
  restoreMomenta(h: number, gravity: Vec3): void {
    const store = this.#store;
    const { capacity } = store;
    const labels = this.#find();
    const positions = store.floats(layout.POSITION, 4 * capacity);
    const starts = store.floats(layout.START, 4 * capacity);
    const after = store.floats(layout.VELOCITY, 4 * capacity);
    const springs = store.floats(layout.CONTACT_STIFFNESS, capacity);
    const axes = store.integers(layout.HELD_AXES, capacity);
    const before = this.#before;
    const held = new Uint8Array(this.#count);
    const sums = this.#sums.fill(0);
    const at = (id: number, k: number) => positions[4 * id + k]! + starts[4 * id + k]!;
    const lost = (id: number, k: number) => before[4 * id + k]! + h * gravity[k]! - after[4 * id + k]!;
    for (let id = 0; id < capacity; id++) {
      const island = labels[id]!;
      if (island < 0) continue;
      if (axes[id] !== 0 || springs[id] !== 0) held[island] = 1;
      const sum = WIDTH * island;
      const mass = 1 / positions[4 * id + 3]!;
      sums[sum]! += mass;
      for (let k = 0; k < 3; k++) {
        sums[sum + 1 + k]! += mass * at(id, k);
        sums[sum + 4 + k]! += mass * lost(id, k);
      }
    }
    for (let sum = 0; sum < sums.length; sum += WIDTH) {
      for (let k = 1; k < 7; k++) sums[sum + k]! /= sums[sum]!;
    }
    for (let id = 0; id < capacity; id++) {
      const island = labels[id]!;
      if (island < 0 || held[island]) continue;
      const sum = WIDTH * island;
      const mass = 1 / positions[4 * id + 3]!;
      const [x, y, z] = [at(id, 0) - sums[sum + 1]!, at(id, 1) - sums[sum + 2]!, at(id, 2) - sums[sum + 3]!];
      const [a, b, c] = [lost(id, 0), lost(id, 1), lost(id, 2)];
      const moments = [y * y + z * z, x * x + z * z, x * x + y * y, -y * z, -x * z, -x * y];
      for (let k = 0; k < 6; k++) sums[sum + 7 + k]! += mass * moments[k]!;
      const turn = [y * c - z * b, z * a - x * c, x * b - y * a];
      for (let k = 0; k < 3; k++) sums[sum + 13 + k]! += mass * turn[k]!;
    }
    const spins = Array.from({ length: this.#count }, (_, island) => spinOf(sums.subarray(WIDTH * island)));
    for (let id = 0; id < capacity; id++) {
      const island = labels[id]!;
      if (island < 0 || held[island]) continue;
      const sum = WIDTH * island;
      const [x, y, z] = [at(id, 0) - sums[sum + 1]!, at(id, 1) - sums[sum + 2]!, at(id, 2) - sums[sum + 3]!];
      const [a, b, c] = spins[island]!;
      after[4 * id]! += sums[sum + 4]! + b * z - c * y;
      after[4 * id + 1]! += sums[sum + 5]! + c * x - a * z;
      after[4 * id + 2]! += sums[sum + 6]! + a * y - b * x;
    }
  }

  /** Labels in the order of the lowest IDs; -1 without bonds. */
  #find(): Int32Array {
    if (this.#labels) return this.#labels;
    const store = this.#store;
    const { capacity } = store;
    const counts = store.integers(layout.BOND_COUNT, capacity);
    const limit = store.engine.arena.u32(store.context + layout.BOND_CAPACITY, 1)[0]!;
    const bonds = store.integers(layout.BONDS, 4 * limit * capacity);
    const parents = Int32Array.from({ length: capacity }, (_, id) => id);
    const rootOf = (id: number) => {
      let root = id;
      while (parents[root] !== root) {
        parents[root] = parents[parents[root]!]!;
        root = parents[root]!;
      }
      return root;
    };
    for (let id = 0; id < capacity; id++) {
      for (let k = 0; k < counts[id]!; k++) {
        const [a, b] = [rootOf(id), rootOf(bonds[4 * (limit * id + k) + 3]! & INDEX_MASK)];
        parents[Math.max(a, b)] = Math.min(a, b);
      }
    }
    const labels = new Int32Array(capacity).fill(-1);
    this.#count = 0;
    for (let id = 0; id < capacity; id++) {
      if (counts[id] === 0) continue;
      const root = rootOf(id);
      labels[id] = root === id ? this.#count++ : labels[root]!;
    }
    this.#sums = new Float64Array(WIDTH * this.#count);
    this.#labels = labels;
    return labels;
  }
}

/** The angular velocity that an angular momentum is, by Cramer's rule. */
function spinOf(sums: Float64Array): Vec3 {
  const more = LEAST * (sums[7]! + sums[8]! + sums[9]!);
  const [a, b, c] = [sums[7]! + more, sums[8]! + more, sums[9]! + more];
  const [d, e, f] = [sums[10]!, sums[11]!, sums[12]!];
  const [l, m, n] = [sums[13]!, sums[14]!, sums[15]!];
  const [c00, c01, c02] = [b * c - d * d, e * d - f * c, f * d - e * b];
  const determinant = a * c00 + f * c01 + e * c02;
  if (!(determinant > 0)) return [0, 0, 0];
  const per = 1 / determinant;
  return [
    per * (c00 * l + c01 * m + c02 * n),
    per * (c01 * l + (a * c - e * e) * m + (e * f - a * d) * n),
    per * (c02 * l + (e * f - a * d) * m + (a * b - f * f) * n),
  ];
}
