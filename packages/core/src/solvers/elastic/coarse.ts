import { type BodyRange, isRenewed, isRigid } from '../../particles/body-range.js';
import type { Frame } from '../../particles/frame.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';

/** Cells of the coarse grid are at least this many spacings wide: a few particles each to integrate over. */
const FINEST = 2;
/** The grid is made coarser until factoring it takes no more operations than this. */
const MOST_OPERATIONS = 6e7;
/** Bodies of fewer particles need no help. */
const FEWEST_PARTICLES = 64;
/** Below this ratio of stiffness to inertia the diagonal alone is as good. */
const STIFF = 12;
/** Stiffness that holds prescribed particles, relative to that of the material around them. */
const HOLD = 30;
/** Added to the diagonal, for nodes that hardly any particle is near. */
const REGULAR = 1e-4;

/** The grid around one body: nodes that particles are near, numbered along its longest side. */
interface CoarseGrid {
  readonly range: BodyRange;
  readonly first: number;
  readonly nodes: number;
  /** Entries of a row of the factor, a multiple of four. */
  readonly band: number;
  readonly cell: number;
  /** By rows: stiffness, and the sums of mass times weights, one for the three components of a node. */
  readonly stiffness: Float32Array;
  /** Of viscosity, per time; none where there is none. */
  viscosity: Float32Array | undefined;
  readonly mass: Float32Array;
  /** Address of the factor. */
  readonly factor: number;
}

/**
 * The second level of the preconditioner. Jacobi's method is slow to see what a whole body does, bending
 * above all: such smooth corrections are found on a coarse grid of trilinear elements, with the particles
 * as integration points, whose matrix is factored. It is that of the rest shape in the body's frame, so it
 * is made once, and factored anew only when the step changes.
 */
export class CoarseSpace {
  readonly #store: ParticleStore;
  readonly #frames: readonly Frame[];
  readonly #grids: CoarseGrid[] = [];
  #active = false;
  /** What the factors were made for. */
  #inertia = Number.NaN;
  #held = '';
  #flows = false;
  /** Means over the particles of stiffness over mass [1/s2], and of viscosity over mass [1/s]. */
  #stiffnessRate = 0;
  #viscousRate = 0;

  /** `frames` are those at time 0: what holds single world axes must not depend on when the grid is made. */
  constructor(store: ParticleStore, ranges: readonly BodyRange[], frames: readonly Frame[]) {
    this.#store = store;
    this.#frames = frames;
    let nodes = 0;
    const weightsAt = store.allocate(layout.COARSE_WEIGHTS, 64 * store.count);
    const weights = new Float32Array(16 * store.count);
    const numbers = new Uint32Array(weights.buffer);
    for (const [b, range] of ranges.entries()) {
      // What is renewed has no rest shape that lasts.
      if (isRigid(store, b) || isRenewed(store, b) || range.end - range.begin < FEWEST_PARTICLES) continue;
      const grid = makeGrid(store, range, nodes, weights, numbers);
      nodes += grid.nodes;
      this.#grids.push(grid);
    }
    store.engine.arena.u32(weightsAt, numbers.length).set(numbers);
    this.#writeLists(nodes, weights, numbers);
    store.allocate(layout.COARSE_VECTOR, 16 * Math.max(1, nodes));
    const table = store.allocate(layout.COARSE_SYSTEMS, layout.COARSE_STRIDE * this.#grids.length);
    for (const [g, { first, nodes: own, band, factor }] of this.#grids.entries()) {
      const row = store.engine.arena.u32(table + g * layout.COARSE_STRIDE, layout.COARSE_STRIDE / 4);
      row.set([first, own, band, factor]);
    }
  }

  /** The particles of every node, so that restriction gathers. */
  #writeLists(nodes: number, weights: Float32Array, numbers: Uint32Array): void {
    const store = this.#store;
    const begins = new Uint32Array(nodes + 1);
    const near = (use: (node: number, particle: number, weight: number) => void) => {
      for (const { range } of this.#grids) {
        for (let k = 8 * range.begin; k < 8 * range.end; k++) use(numbers[2 * k]!, k >> 3, weights[2 * k + 1]!);
      }
    };
    near((node) => begins[node + 1]!++);
    for (let n = 0; n < nodes; n++) begins[n + 1]! += begins[n]!;
    store.allocate(layout.COARSE_BEGIN, 4 * (nodes + 1));
    store.integers(layout.COARSE_BEGIN, nodes + 1).set(begins);
    const total = begins[nodes]!;
    store.allocate(layout.COARSE_LIST, 8 * Math.max(1, total));
    const listed = store.integers(layout.COARSE_LIST, 2 * total);
    const listedWeights = store.floats(layout.COARSE_LIST, 2 * total);
    const next = begins.slice();
    near((node, particle, weight) => {
      const at = next[node]!++;
      listed[2 * at] = particle;
      listedWeights[2 * at + 1] = weight;
    });
  }

  /** To be called when materials have changed. */
  assemble(): void {
    const store = this.#store;
    const diagonals = store.floats(layout.STIFFNESS_DIAGONAL, 8 * store.count);
    const sums = store.vectors(layout.GRADIENT_SUM);
    const isPresent = store.presence();
    let rate = 0;
    let count = 0;
    for (let i = 0; i < store.count; i++) {
      if (!isPresent(i)) continue;
      count++;
      rate += ((diagonals[8 * i]! + diagonals[8 * i + 1]! + diagonals[8 * i + 2]!) / 3) * sums[4 * i + 3]!;
    }
    this.#stiffnessRate = rate / count;
    this.#viscousRate = this.#meanViscousRate();
    this.#assembleGrids();
    this.#inertia = Number.NaN;
  }

  /** A third of the dashpots of a particle acts along each axis; most of its neighbours are about 1.3 spacings away. */
  #meanViscousRate(): number {
    const store = this.#store;
    if (store.address(layout.VISCOSITIES) === 0) return 0;
    const viscosities = store.floats(layout.VISCOSITIES, store.count);
    const rest = store.vectors(layout.REST);
    const elastic = store.vectors(layout.ELASTIC);
    const sums = store.vectors(layout.GRADIENT_SUM);
    const isPresent = store.presence();
    let rate = 0;
    let count = 0;
    for (let i = 0; i < store.count; i++) {
      if (!isPresent(i)) continue;
      count++;
      const distance = 1.3 * 2 * rest[4 * i + 3]!;
      rate += ((2 / 3) * viscosities[i]! * elastic[4 * i + 3]! * sums[4 * i + 3]!) / (distance * distance);
    }
    return rate / count;
  }

  #assembleGrids(): void {
    const store = this.#store;
    const viscous = store.address(layout.VISCOSITIES) !== 0;
    for (const grid of this.#grids) {
      assembleGrid(store, grid, this.#frames, grid.stiffness);
      grid.viscosity = viscous ? new Float32Array(grid.stiffness.length) : undefined;
      if (grid.viscosity)
        assembleGrid(store, grid, this.#frames, grid.viscosity, store.floats(layout.VISCOSITIES, store.count));
    }
  }

  /** The time in which particles answer to their neighbours [s]. */
  get quickest(): number {
    return this.#stiffnessRate > 0 ? 1 / Math.sqrt(this.#stiffnessRate) : 1;
  }

  /** Makes ready for a step of which `inertia` is one over the square, 0 for equilibrium; with viscosity where it flows. */
  factor(inertia: number, flows: boolean): void {
    const store = this.#store;
    const rate = this.#stiffnessRate + (flows ? this.#viscousRate * Math.sqrt(inertia) : 0);
    this.#active = this.#grids.length > 0 && rate > STIFF * inertia;
    store.setInteger(layout.COARSE_ACTIVE, this.#active ? 1 : 0);
    if (!this.#active) return;
    const held = this.#heldAxes();
    if (inertia === this.#inertia && flows === this.#flows && held === this.#held) return;
    if (held !== this.#held) {
      this.#held = held;
      this.#assembleGrids();
    }
    this.#inertia = inertia;
    this.#flows = flows;
    for (const grid of this.#grids) writeMatrix(store, grid, inertia, flows);
    store.run('factorCoarse', this.#grids.length, 1);
  }

  /** The coarse correction of the residual, for the next `precondition`. */
  solve(): void {
    if (!this.#active) return;
    const store = this.#store;
    const last = this.#grids.at(-1)!;
    store.run('restrictResiduals', last.first + last.nodes);
    store.run('solveCoarse', this.#grids.length, 1);
  }

  /** Which axes the constraint sets hold now. */
  #heldAxes(): string {
    const store = this.#store;
    const sets = store.integers(layout.CONSTRAINT_OF, store.count).reduce((most, set) => Math.max(most, set), 0);
    const table = store.address(layout.CONSTRAINTS);
    const masks: number[] = [];
    for (let s = 1; s <= sets; s++) {
      masks.push(store.engine.arena.u32(table + s * layout.CONSTRAINT_STRIDE + layout.CONSTRAINT_MASK, 1)[0]!);
    }
    return masks.join();
  }
}

/** Chooses the cell, numbers the nodes and writes each particle's nodes and weights. */
function makeGrid(
  store: ParticleStore,
  range: BodyRange,
  first: number,
  weights: Float32Array,
  numbers: Uint32Array,
): CoarseGrid {
  const rest = store.vectors(layout.REST);
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  let spacing = 0;
  for (let i = range.begin; i < range.end; i++) {
    for (let a = 0; a < 3; a++) {
      low[a] = Math.min(low[a]!, rest[4 * i + a]!);
      high[a] = Math.max(high[a]!, rest[4 * i + a]!);
    }
    spacing = Math.max(spacing, 2 * rest[4 * i + 3]!);
  }
  const { order, cell, size } = planGrid(
    [0, 1, 2].map((a) => high[a]! - low[a]!),
    spacing,
  );
  // Centred, so that both ends are treated alike.
  const origin = [0, 1, 2].map((a) => 0.5 * (low[a]! + high[a]! - cell * (size[a]! - 1))) as [number, number, number];
  const stride = [0, 0, 0];
  stride[order[2]!] = 1;
  stride[order[1]!] = size[order[2]!]!;
  stride[order[0]!] = size[order[2]!]! * size[order[1]!]!;
  const used = new Uint8Array(size[0]! * size[1]! * size[2]!);
  const nodess = new Uint32Array(8);
  const visit = (i: number, use: (corner: number, node: number, weight: number) => void) => {
    let base = 0;
    const t = [0, 0, 0];
    for (let a = 0; a < 3; a++) {
      const x = (rest[4 * i + a]! - origin[a]!) / cell;
      const k = Math.min(size[a]! - 2, Math.max(0, Math.floor(x)));
      t[a] = x - k;
      base += k * stride[a]!;
    }
    for (let c = 0; c < 8; c++) {
      let node = base;
      let weight = 1;
      for (let a = 0; a < 3; a++) {
        const up = (c >> a) & 1;
        node += up * stride[a]!;
        weight *= up ? t[a]! : 1 - t[a]!;
      }
      use(c, node, weight);
    }
  };
  for (let i = range.begin; i < range.end; i++) visit(i, (_, node) => (used[node] = 1));
  const number = new Int32Array(used.length).fill(-1);
  let nodes = 0;
  for (let p = 0; p < used.length; p++) if (used[p]) number[p] = nodes++;
  let widest = 0;
  for (let i = range.begin; i < range.end; i++) {
    visit(i, (c, node, weight) => {
      nodess[c] = number[node]!;
      numbers[16 * i + 2 * c] = first + nodess[c]!;
      weights[16 * i + 2 * c + 1] = weight;
    });
    let [least, most] = [nodess[0]!, nodess[0]!];
    for (const p of nodess) {
      least = Math.min(least, p);
      most = Math.max(most, p);
    }
    widest = Math.max(widest, most - least);
  }
  const band = 4 * Math.ceil((3 * (widest + 1)) / 4);
  // In front of the factor: the vector that is solved for, after `band` zeros.
  const factor = store.engine.arena.allocate(4 * (band + 3 * nodes + 4) + 4 * band * 3 * nodes);
  return {
    range,
    first,
    nodes,
    band,
    cell,
    stiffness: new Float32Array(band * 3 * nodes),
    viscosity: undefined,
    mass: new Float32Array((band / 2) * nodes),
    factor,
  };
}

/** Axes from the longest to the shortest, width of the cells [m] and nodes along each axis, and entries of a row. */
function planGrid(extents: readonly number[], spacing: number) {
  const order = [0, 1, 2].sort((a, b) => extents[b]! - extents[a]! || a - b);
  const counts = (cell: number) => extents.map((extent) => Math.max(1, Math.ceil(extent / cell + 0.01)) + 1);
  for (let cell = FINEST * spacing; ; cell *= 1.15) {
    const size = counts(cell);
    const [n, m, l] = order.map((a) => size[a]!) as [number, number, number];
    const band = 3 * (m * l + l + 2);
    if (3 * n * m * l * band * band <= MOST_OPERATIONS) return { order, cell, size, band };
  }
}

/** What the factor of a body takes that fills a share of the box around it [bytes]. */
export function coarseBytes(count: number, extents: readonly number[], spacing: number, share: number): number {
  if (count < FEWEST_PARTICLES) return 0;
  const { size, band } = planGrid(extents, spacing);
  return 4 * 3 * size[0]! * size[1]! * size[2]! * share * band;
}

/**
 * Adds up V_i B^T C B over the particles into `matrix`, with the Lamé constants that small strains meet, and m_i N N^T. What
 * dashpots do together is as isotropic, with both constants equal: `viscosities` are 15 times those, by particle.
 */
function assembleGrid(
  store: ParticleStore,
  grid: CoarseGrid,
  frames: readonly Frame[],
  matrix: Float32Array,
  viscosities?: Float32Array,
): void {
  const { range, first, band, cell, mass } = grid;
  const rest = store.vectors(layout.REST);
  const elastic = store.vectors(layout.ELASTIC);
  const sums = store.vectors(layout.GRADIENT_SUM);
  const numbers = store.integers(layout.COARSE_WEIGHTS, 16 * store.count);
  const weights = store.floats(layout.COARSE_WEIGHTS, 16 * store.count);
  const constraintOf = store.integers(layout.CONSTRAINT_OF, store.count);
  const bodyOf = store.integers(layout.BODY_OF, store.count);
  const table = store.address(layout.CONSTRAINTS);
  matrix.fill(0);
  mass.fill(0);
  const node = new Int32Array(8);
  const gx = new Float64Array(8);
  const gy = new Float64Array(8);
  const gz = new Float64Array(8);
  const n = new Float64Array(8);
  for (let i = range.begin; i < range.end; i++) {
    const viscosity = viscosities && viscosities[i]! / 15;
    const mu = viscosity ?? elastic[4 * i + 1]!;
    const lambda = viscosity ?? elastic[4 * i]! + elastic[4 * i + 2]!;
    const volume = elastic[4 * i + 3]!;
    const m = 1 / sums[4 * i + 3]!;
    // Where in its cell: the share of the upper corners along each axis.
    const t = [0, 0, 0] as [number, number, number];
    for (let c = 0; c < 8; c++) {
      for (let a = 0; a < 3; a++) if ((c >> a) & 1) t[a]! += weights[16 * i + 2 * c + 1]!;
    }
    for (let c = 0; c < 8; c++) {
      const [ux, uy, uz] = [c & 1, (c >> 1) & 1, (c >> 2) & 1];
      const wx = ux ? t[0] : 1 - t[0];
      const wy = uy ? t[1] : 1 - t[1];
      const wz = uz ? t[2] : 1 - t[2];
      node[c] = numbers[16 * i + 2 * c]! - first;
      n[c] = wx * wy * wz;
      gx[c] = ((ux ? 1 : -1) * wy * wz) / cell;
      gy[c] = ((uy ? 1 : -1) * wx * wz) / cell;
      gz[c] = ((uz ? 1 : -1) * wx * wy) / cell;
    }
    const set = constraintOf[i]!;
    const mask = set === 0 ? 0 : store.engine.arena.u32(table + set * layout.CONSTRAINT_STRIDE, 1)[0]!;
    // By the whole cell: clamps leave nothing of some.
    const hold = (HOLD * (lambda + 2 * mu) * (2 * rest[4 * i + 3]!) ** 3) / (cell * cell);
    const { rotation } = frames[bodyOf[i]!]!;
    for (let a = 0; a < 8; a++) {
      for (let b = 0; b < 8; b++) {
        if (node[b]! > node[a]!) continue;
        // Row 3a + r, column 3b + c: at place c - r of the row's band, the diagonal last.
        const even = volume * mu * (gx[a]! * gx[b]! + gy[a]! * gy[b]! + gz[a]! * gz[b]!);
        const ga = [gx[a]!, gy[a]!, gz[a]!];
        const gb = [gx[b]!, gy[b]!, gz[b]!];
        for (let r = 0; r < 3; r++) {
          const row = 3 * node[a]! + r;
          for (let c = 0; c < 3; c++) {
            const column = 3 * node[b]! + c;
            if (column > row) continue;
            let value = volume * (lambda * ga[r]! * gb[c]! + mu * ga[c]! * gb[r]!);
            if (r === c) value += even;
            if (mask === 7) value += r === c ? hold * n[a]! * n[b]! : 0;
            else if (mask !== 0) {
              for (let axis = 0; axis < 3; axis++) {
                if ((mask >> axis) & 1)
                  value += hold * n[a]! * n[b]! * rotation[3 * axis + r]! * rotation[3 * axis + c]!;
              }
            }
            matrix[band * row + band - 1 + column - row]! += value;
          }
        }
        mass[(band / 2) * node[a]! + node[a]! - node[b]!]! += m * n[a]! * n[b]!;
      }
    }
  }
}

/** Stiffness, inertia and, where it flows, viscosity into the position of the factor. */
function writeMatrix(store: ParticleStore, grid: CoarseGrid, inertia: number, flows: boolean): void {
  const { nodes, band, stiffness, viscosity, mass, factor } = grid;
  const { arena } = store.engine;
  arena.f32(factor, band + 3 * nodes + 4).fill(0);
  const matrix = arena.f32(factor + 4 * (band + 3 * nodes + 4), band * 3 * nodes);
  matrix.set(stiffness);
  if (flows && viscosity) {
    const perTime = Math.sqrt(inertia);
    for (let k = 0; k < matrix.length; k++) matrix[k]! += perTime * viscosity[k]!;
  }
  const width = band / 2;
  for (let a = 0; a < nodes; a++) {
    for (let d = 0; d < width && d <= a; d++) {
      const value = inertia * mass[width * a + d]!;
      if (value === 0) continue;
      for (let r = 0; r < 3; r++) {
        const at = band * (3 * a + r) + band - 1 - 3 * d;
        if (at >= band * (3 * a + r)) matrix[at]! += value;
      }
    }
    for (let r = 0; r < 3; r++) matrix[band * (3 * a + r) + band - 1]! *= 1 + REGULAR;
  }
}
