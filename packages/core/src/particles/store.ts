import { Context } from '../memory/context.js';
import type { Engine, PassName } from '../memory/engine.js';
import { SOLID } from './array-places.js';
import * as layout from './layout.js';

/** Rows of pieces are made for so many times as there are. */
export const ROW_MARGIN = 1.25;

/**
 * The particles of a world in the engine's memory: attribute arrays (structure of arrays) behind a
 * context block that the passes read. Sized once; nothing here allocates afterwards.
 */
export class ParticleStore extends Context {
  readonly count: number;
  readonly bodies: number;
  /** Rows of the table of bodies: those of the bodies, and those of pieces that have broken off. */
  rows: number;
  /** Which fits there are bodies for. */
  #linear = true;
  #quadratic = false;
  /** Hash of the displacements that FLUX holds the measures of; undefined when it holds something else. */
  #measured: bigint | undefined;

  constructor(engine: Engine, count: number, bodies: number) {
    super(engine, layout.CONTEXT_SIZE);
    this.count = count;
    this.bodies = bodies;
    this.rows = bodies;
    for (const { slot, bytes } of SOLID.particle) this.allocate(slot, bytes * count);
    this.setInteger(layout.KEEP_STRAIN, 1);
    this.allocate(layout.NEIGHBOR_BEGIN, 4 * (count + 1));
    this.#placeRows(this.engine.arena.allocate(layout.BODY_STRIDE * (bodies + 1)));
    this.setInteger(layout.BODY_COUNT, bodies);
    const blocks = Math.ceil(count / layout.BLOCK);
    this.allocate(layout.BLOCK_SPEED, 4 * blocks);
    this.allocate(layout.BLOCK_FREQUENCY, 4 * blocks);
    this.allocate(layout.BLOCK_SUMS, 8 * layout.SUMS * Math.max(blocks, bodies));
  }

  /** Places for pairs. */
  pairCapacity = 0;

  /** Neighbour relations; each pair of particles counts twice. */
  get pairs(): number {
    return this.integers(layout.NEIGHBOR_BEGIN, this.count + 1)[this.count]!;
  }

  /** Positions in the table of bodies. */
  #rowCapacity = 0;

  /** Makes the table of bodies so long, with room for more; its rows keep what they say. */
  setRows(rows: number): void {
    this.rows = rows;
    if (rows <= Math.max(this.#rowCapacity, this.bodies)) return;
    this.#rowCapacity = Math.ceil(ROW_MARGIN * rows);
    const { arena } = this.engine;
    const before = this.address(layout.BODIES);
    const kept = arena.u32(before, (layout.BODY_STRIDE / 4) * this.bodies).slice();
    // Both are given back first, so that they grow where they are when they are the last that grew.
    arena.giveBack(before - layout.BODY_STRIDE);
    this.free(layout.BLOCK_SUMS);
    this.#placeRows(arena.allocateInGap(layout.BODY_STRIDE * (this.#rowCapacity + 1)));
    arena.u32(this.address(layout.BODIES), kept.length).set(kept);
    this.replace(layout.BLOCK_SUMS, 8 * layout.SUMS * Math.max(this.blocks, this.#rowCapacity));
  }

  /** The table of bodies, behind the row ABSENT of slots that no particle has: nothing moves them. */
  #placeRows(at: number): void {
    const absent = this.engine.arena.u32(at, layout.BODY_STRIDE / 4).fill(0);
    absent[layout.BODY_FIT / 4] = layout.FIT_NONE;
    absent[layout.BODY_END / 4] = this.count;
    absent[layout.BODY_SCATTERED / 4] = 1;
    this.setInteger(layout.BODIES, at + layout.BODY_STRIDE);
  }

  /** Held particles that mirror free ones, and how many those are; see solvers/constraints/clamp.ts. */
  #ghosts = 0;
  #ghostSources = 0;

  get blocks(): number {
    return Math.ceil(this.count / layout.BLOCK);
  }

  /** Plastic strains and laws, with nothing flowed yet. */
  allocatePlastic(): void {
    this.allocate(layout.PLASTIC, 48 * this.count);
    this.allocate(layout.PLASTIC_LAW, 16 * this.count);
    this.forgetPlastic();
  }

  /** The rest shape as it was before anything flowed. */
  forgetPlastic(): void {
    if (!this.plastic) return;
    const plastic = this.floats(layout.PLASTIC, 12 * this.count);
    plastic.fill(0);
    for (let i = 0; i < this.count; i++) plastic[12 * i + 7] = 1;
  }

  /** What `computeExactForces` needs. */
  allocateExact(): void {
    this.allocate(layout.CHANGE_REST, 16 * this.count);
    this.allocate(layout.EXACT_DISPLACEMENT, 32 * this.count);
    this.allocate(layout.EXACT_FLUX, layout.EXACT_FLUX_STRIDE * this.count);
    this.allocate(layout.EXACT_FORCE, 16 * this.count);
    this.allocate(layout.EXACT_SCRATCH, layout.EXACT_SCRATCH_STRIDE * this.blocks);
  }

  get plastic(): boolean {
    return this.address(layout.PLASTIC) !== 0;
  }

  /** Makes the stabilisation of bodies that flow as soft as they have become; `fade` looks how soft that is. */
  softenStabilisation(fade: boolean): void {
    if (!this.plastic) return;
    if (fade) this.run('fadeStabilisation');
    this.run('weighStabilisation');
    this.run('computeFadedBonds');
    if (this.address(layout.OFFSETS) !== 0) this.run('computeFirstMoments');
  }

  /** Does something with the stabilisation that there would be if nothing had flowed. */
  withWholeStabilisation(work: () => void): void {
    if (!this.plastic) {
      work();
      return;
    }
    const plastic = this.floats(layout.PLASTIC, 12 * this.count);
    const shares = Float32Array.from({ length: this.count }, (_, i) => plastic[12 * i + 7]!);
    for (let i = 0; i < this.count; i++) plastic[12 * i + 7] = 1;
    this.softenStabilisation(false);
    work();
    for (let i = 0; i < this.count; i++) plastic[12 * i + 7] = shares[i]!;
    this.softenStabilisation(false);
  }

  /** What the state is made of: views on the arrays that a save holds and the state hash reads. */
  state(): Float32Array[] {
    return SOLID.state
      .filter(({ slot }) => this.address(slot) !== 0)
      .map(({ slot, bytes }) => this.floats(slot, (bytes / 4) * this.count));
  }

  /** Four floats per particle. */
  vectors(slot: number): Float32Array {
    return this.floats(slot, 4 * this.count);
  }

  /** Tells which particles are in the world now: those of viscoplastic bodies come and go, and no mass is in free slots. */
  presence(): (i: number) => boolean {
    const sums = this.vectors(layout.GRADIENT_SUM);
    return (i) => sums[4 * i + 3]! < Number.POSITIVE_INFINITY;
  }

  bodyFloats(body: number): Float32Array {
    return this.engine.arena.f32(this.address(layout.BODIES) + body * layout.BODY_STRIDE, layout.BODY_STRIDE / 4);
  }

  bodyIntegers(body: number): Uint32Array {
    return this.engine.arena.u32(this.address(layout.BODIES) + body * layout.BODY_STRIDE, layout.BODY_STRIDE / 4);
  }

  /** Numbers in f64 of a body, from an offset in its record on. */
  bodyDoubles(body: number, offset: number, count: number): Float64Array {
    return this.engine.arena.f64(this.address(layout.BODIES) + body * layout.BODY_STRIDE + offset, count);
  }

  /** Forces from outside in world axes [N], four floats per particle; all zero when they are first asked for. */
  externalForces(): Float32Array {
    if (this.address(layout.EXTERNAL_FORCE) === 0) this.allocate(layout.EXTERNAL_FORCE, 16 * this.count);
    return this.vectors(layout.EXTERNAL_FORCE);
  }

  /** From now on impulses of obstacles are recorded, see WALL_IMPULSE. */
  recordWallImpulses(): void {
    if (this.address(layout.WALL_IMPULSE) === 0) this.allocate(layout.WALL_IMPULSE, 48 * this.count);
  }

  /** Notes the fits of the bodies; the arrays of the quadratic one hold its particles only. Returns how many. */
  setDiscretisations(fits: readonly number[]): number {
    this.#linear = fits.includes(layout.FIT_LINEAR);
    this.#quadratic = fits.includes(layout.FIT_QUADRATIC);
    this.setInteger(layout.MIXED, this.#linear && this.#quadratic ? 1 : 0);
    let before = 0;
    let count = 0;
    for (const [b, fit] of fits.entries()) {
      const integers = this.bodyIntegers(b);
      const particles = integers[layout.BODY_END / 4]! - integers[layout.BODY_BEGIN / 4]!;
      integers[layout.BODY_FIT / 4] = fit;
      integers[layout.BODY_QUADRATIC_SHIFT / 4] = before;
      if (fit === layout.FIT_QUADRATIC) count += particles;
      else before += particles;
    }
    return count;
  }

  /** Stresses of all particles. */
  computeStresses(): void {
    this.#runFits('computeStresses', 'computeQuadraticStresses');
  }

  /** Forces from the stresses, and what follows from them; see assembly/solid/forces.ts. */
  computeForces(): void {
    this.#runFits('computeForces', 'computeQuadraticForces');
    if (this.#ghostSources > 0) this.run('reflectForces', this.#ghostSources);
  }

  /** Writes the tables of dependents, by rising number of particle. */
  setGhosts(list: readonly { particle: number; ghostSource: number; ratio: number }[]): void {
    this.#ghosts = list.length;
    const { arena } = this.engine;
    const own = this.allocate(layout.GHOSTS, 16 * list.length);
    for (const [k, { particle, ghostSource, ratio }] of list.entries()) {
      arena.u32(own + 16 * k, 2).set([particle, ghostSource]);
      arena.f32(own + 16 * k + 8, 1)[0] = ratio;
    }
    const bySource = [...list].sort((a, b) => a.ghostSource - b.ghostSource || a.particle - b.particle);
    const begins = bySource.flatMap(({ ghostSource }, k) => (ghostSource === bySource[k - 1]?.ghostSource ? [] : [k]));
    this.#ghostSources = begins.length;
    const ghostSources = this.allocate(layout.GHOST_SOURCES, 16 * begins.length);
    for (const [k, begin] of begins.entries()) {
      arena.u32(ghostSources + 16 * k, 3).set([bySource[begin]!.ghostSource, begin, begins[k + 1] ?? bySource.length]);
    }
    const entries = this.allocate(layout.GHOST_SOURCE_LIST, 8 * bySource.length);
    for (const [k, { particle, ratio }] of bySource.entries()) {
      arena.u32(entries + 8 * k, 1)[0] = particle;
      arena.f32(entries + 8 * k + 4, 1)[0] = ratio;
    }
  }

  /** Puts dependents where their masters have them. */
  moveGhosts(): void {
    if (this.#ghosts > 0) this.run('moveGhosts', this.#ghosts);
  }

  /** Carries what dependents have in an array over to their masters. */
  #reflect(slot: number): void {
    this.setInteger(layout.REFLECTED, this.address(slot));
    this.run('reflectToSources', this.#ghostSources);
    this.run('clearGhosts', this.#ghosts);
  }

  /** Rows of grad u of all particles into FLUX, see assembly/solid/gradients.ts. */
  measureGradients(): void {
    this.run('measureGradients');
  }

  /** Energy, von Mises stress, det J and Cauchy stress of all particles, in the first nine floats of FLUX; once for a state. */
  computeMeasures(): void {
    // Passes note what they change; displacements may also be written from outside.
    const state = this.engine.helpers.hashWords(this.address(layout.DISPLACEMENT), 4 * this.count, 0n);
    if (state === this.#measured) return;
    this.#runFits('computeMeasures', 'computeQuadraticMeasures');
    this.#measured = state;
  }

  /** Change of the stresses along DIRECTION, at the state of the last computeStresses. */
  computeStressChanges(): void {
    if (this.#ghosts > 0) this.run('moveGhostDirections', this.#ghosts);
    this.#runFits('computeStressChanges', 'computeQuadraticStressChanges');
  }

  /** Elastic forces in double precision, for the next `computeResiduals`; see assembly/solid/exact.ts. */
  computeExactForces(): void {
    this.run('computeExactDisplacements');
    if (this.#ghosts > 0) this.run('moveExactGhosts', this.#ghosts);
    this.run('computeExactFluxes');
    this.run('computeExactForces');
  }

  /** What the forces leave unbalanced in an implicit step; see assembly/solid/implicit.ts. */
  computeResiduals(): void {
    this.#runFits('computeResiduals', 'computeQuadraticResiduals');
    if (this.#ghosts === 0) return;
    this.#reflect(layout.RESIDUAL);
    this.run('sumResiduals');
  }

  /** The system matrix times DIRECTION, from the changes of the stresses. */
  computeProducts(): void {
    this.#runFits('computeProducts', 'computeQuadraticProducts');
    if (this.#ghosts > 0) this.#reflect(layout.PRODUCT);
  }

  /** Puts the velocities that dashpots resist where ghosts mirror them. */
  moveGhostFlow(): void {
    if (this.#ghosts > 0) this.run('moveGhostFlow', this.#ghosts);
  }

  /** The right side of implicit viscosity; see assembly/solid/viscosity.ts. */
  beginFlow(): void {
    this.run('beginFlow');
    if (this.#ghosts > 0) this.#reflect(layout.RESIDUAL);
  }

  /** Its matrix times DIRECTION; returns the direction times that. */
  multiplyFlow(): number {
    if (this.#ghosts > 0) this.run('moveGhostDirections', this.#ghosts);
    this.run('multiplyFlow');
    if (this.#ghosts > 0) this.#reflect(layout.PRODUCT);
    return this.blockSum(0);
  }

  /** Notes what clamps do against viscosity, where somebody asks. */
  noteGhostFlow(): void {
    if (this.#ghosts > 0 && this.address(layout.HOLD_IMPULSE) !== 0) this.run('noteGhostFlow', this.#ghosts);
  }

  /** Sum over the blocks of one of their partial sums. */
  blockSum(slot: number): number {
    const sums = this.engine.arena.f64(this.address(layout.BLOCK_SUMS), layout.SUMS * this.blocks);
    let total = 0;
    for (let k = slot; k < sums.length; k += layout.SUMS) total += sums[k]!;
    return total;
  }

  /** Largest of one of their partial sums. */
  blockMost(slot: number): number {
    const sums = this.engine.arena.f64(this.address(layout.BLOCK_SUMS), layout.SUMS * this.blocks);
    let most = 0;
    for (let k = slot; k < sums.length; k += layout.SUMS) if (!(sums[k]! <= most)) most = sums[k]!;
    return most;
  }

  /** Largest of the blocks' values behind a slot; NaN if one of them is. */
  blockLargest(slot: number): number {
    return this.engine.helpers.largest(this.address(slot), this.blocks);
  }

  #runFits(linear: PassName, quadratic: PassName): void {
    if (this.#linear) this.run(linear);
    if (this.#quadratic) this.run(quadratic);
  }

  /** Runs a pass on all particles. */
  run(pass: PassName, count: number = this.count, grain?: number): void {
    if (pass !== 'computeBodySums') this.#measured = undefined;
    this.engine.run(pass, count, this.context, grain);
  }
}
