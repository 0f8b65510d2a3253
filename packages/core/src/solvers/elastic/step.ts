import type { SolverOptions, Vec3 } from '../../options/types.js';
import { type BodyRange, isRigid } from '../../particles/body-range.js';
import { type Frame, refit } from '../../particles/frame.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import type { ConstraintTable } from '../constraints/constraints.js';
import { INSTANT, type ObstacleSet } from '../contact/obstacles.js';
import type { ParticleContact } from '../contact/particles.js';
import { SimulationError } from '../error.js';
import type { ForceMeter } from '../meter.js';
import type { RigidBodies } from '../rigid/bodies.js';
import type { RigidSystem } from '../rigid/implicit.js';
import { describeShort, type StepLimit } from '../step-limit.js';
import type { CoarseSpace } from './coarse.js';
import type { Fracture } from './fracture.js';
import type { ImplicitSolver, Solution } from './implicit.js';
import type { Renewal } from './renewal.js';
import type { SolidViscosity } from './viscosity.js';

/** Steps between changes of the bodies' frames: displacements stay small at little cost. */
const STEPS_PER_FRAME_CHANGE = 16;
/**
 * No particle moves farther than this share of the smallest spacing in a step, and less where surfaces may touch, which
 * look ahead by twice as much, and while bodies push each other, which come nearer by twice as much before they feel it.
 */
const TRAVEL_SHARE = 0.25;
const TRAVEL_SHARE_OF_SURFACES = 0.125;
const TRAVEL_SHARE_IN_CONTACT = 0.1;
/** The same for implicit steps, which foresee contact, where there is something to bump into. */
const IMPLICIT_TRAVEL_SHARE = 0.5;
/** An implicit step that does not converge is halved this often before the run ends. */
const HALVINGS = 12;
/** The midpoint rule solves this much more exactly. */
const MIDPOINT_TOLERANCE = 0.1;
/** Stages of a static solution are at least this share of the whole. */
const SHORTEST_STAGE = 1 / 256;
/** Relaxing steps before a static solution is given up, and how long they get before balance is tried again. */
const RELAXATIONS = 40;
const LONG_RELAXATION = 1e3;
/** A held step may use this share of the safety distance before it is shortened. */
const HELD_MARGIN = 0.5;
/** A held step shorter than this share of the safe one is lengthened. */
const HELD_SLACK = 0.6;

/** What implicit solutions took so far; counts on over all layouts of the memory. */
export interface SolidEffort {
  newtonIterations: number;
  iterations: number;
  /** Steps that did not converge and were halved. */
  retries: number;
}

/** What balances forces by iteration. */
interface ImplicitSolvers {
  readonly CoarseSpace: typeof CoarseSpace;
  readonly ImplicitSolver: typeof ImplicitSolver;
  readonly RigidSystem: typeof RigidSystem;
}

/** What the last step found out about who asks for short ones. Part of the state, so that reports do not change. */
export interface Askers {
  /** Numbers of the bodies with the highest frequencies, of elastic waves and of contact, and of the hardest impact. */
  elastic: number;
  contact: number;
  impact: number;
  /** Fastest obstacle [m/s]. */
  wallSpeed: number;
}

/**
 * The elastic solid of Müller et al. 2004 [M04] section 3, explicit, implicit or at rest, with contact and
 * constraints. Owns the clock of the substeps and what limits them.
 */
export class ElasticSolver {
  time = 0;
  stepCount = 0;
  readonly frames: Frame[];
  readonly #store: ParticleStore;
  readonly #options: SolverOptions;
  readonly #gravity: Vec3;
  readonly #smallestSpacing: number;
  readonly #obstacles: ObstacleSet;
  readonly #contact: ParticleContact;
  readonly #constraints: ConstraintTable;
  /** Are there obstacles or constraints? */
  readonly #confined: boolean;
  /** Is there anything to bump into? */
  readonly #crowded: boolean;
  readonly #quadraticCount: number;
  readonly #ranges: readonly BodyRange[];
  /** Frames at time 0. */
  readonly #initial: readonly Frame[];
  readonly rigid: RigidBodies;
  /** Bodies that can break, where there are some. */
  fracture: Fracture | undefined;
  /** Adds up who pushes whom, where somebody asks. */
  meter: ForceMeter | undefined;
  /** Viscoplastic bodies, where there are some: they get new neighbours as they flow, and their particles split and merge. */
  renewal: Renewal | undefined;
  /** Of the solids that have some. */
  viscosity: SolidViscosity | undefined;
  #implicit: ImplicitSolver | undefined;
  /** The rigid bodies in implicit steps. */
  #rigidSystem: RigidSystem | undefined;
  readonly effort: SolidEffort;
  readonly #solvers: () => ImplicitSolvers;
  readonly #names: readonly string[];
  /** For each block of particles the body in it whose waves are fastest at rest. */
  readonly #blockBodies: Uint32Array;
  readonly askers: Askers = { elastic: 0, contact: 0, impact: 0, wallSpeed: 0 };
  /** Duration of the last step [s]; 0 before the first. Part of the state: it scales the strain rate. */
  lastStep = 0;
  /** Squared frequencies to be resolved [1/s2], from the last stress and contact passes. */
  elasticFrequency = 0;
  contactFrequency = 0;
  maximumSpeed = 0;
  /** The step that is being held, and what set it. */
  heldStep: StepLimit = { timeStep: 0, limitedBy: 'elastic wave' };

  constructor(parts: {
    store: ParticleStore;
    frames: readonly Frame[];
    options: SolverOptions;
    gravity: Vec3;
    smallestSpacing: number;
    obstacles: ObstacleSet;
    contact: ParticleContact;
    constraints: ConstraintTable;
    quadraticCount: number;
    ranges: readonly BodyRange[];
    rigid: RigidBodies;
    /** Of the bodies. */
    names: readonly string[];
    effort: SolidEffort;
    /** For implicit steps and equilibria. */
    solvers: () => ImplicitSolvers;
  }) {
    this.#names = parts.names;
    this.effort = parts.effort;
    this.#solvers = parts.solvers;
    this.#blockBodies = new Uint32Array(parts.store.blocks);
    this.#store = parts.store;
    this.frames = parts.frames.map((frame) => ({ ...frame }));
    this.#options = parts.options;
    this.#gravity = parts.gravity;
    this.#smallestSpacing = parts.smallestSpacing;
    this.#obstacles = parts.obstacles;
    this.#contact = parts.contact;
    this.#constraints = parts.constraints;
    this.#quadraticCount = parts.quadraticCount;
    this.#ranges = parts.ranges;
    this.rigid = parts.rigid;
    this.#initial = [...parts.frames];
    this.#crowded = !parts.obstacles.empty || parts.frames.length > 1;
    this.#confined = !parts.obstacles.empty || !parts.constraints.empty;
    if (this.implicit && !this.rigid.empty) this.rigid.prepareImplicit();
    this.writeFrames();
  }

  /** Forces at the present state, without moving anything: for the start, and after changes from outside. */
  evaluateForces(): void {
    this.#contact.invalidate();
    this.#constraints.update(this.time, 1, this.frames, true);
    const store = this.#store;
    store.setFloat(layout.STRAIN_RATE, 0);
    store.setFloat(layout.LATE_KICK, 0);
    store.setFloat(layout.ELAPSED, 0);
    if (!this.rigid.empty) this.#obstacles.move(this.time, INSTANT);
    this.#computeForces(0, 0);
    this.viscosity?.measure();
  }

  /** One substep. */
  step(dt: number): void {
    if (this.#exactOnly) this.#stepExactBodies(dt);
    else if (this.implicit) this.#stepImplicitly(dt);
    else this.#stepExplicitly(dt);
  }

  get implicit(): boolean {
    const { integrator } = this.#options.solid;
    // Rigid bodies alone are moved explicitly.
    return (integrator === 'implicit' || integrator === 'midpoint') && !this.rigid.only;
  }

  /**
   * Leapfrog in its kick-drift-kick form ([K06] eq. 7.5-7.6 with the kick split in two, so that velocities
   * are known at whole steps), or Verlet ([S08] eq. 3.44 and 3.49: the velocity is the difference of
   * positions, half a step late).
   */
  #stepExplicitly(dt: number): void {
    const store = this.#store;
    const verlet = this.#options.solid.integrator === 'verlet';
    if (this.stepCount % STEPS_PER_FRAME_CHANGE === 0) {
      this.fracture?.findPieces(this.time);
      // [K06] 5.4.3, ahead by half of the steps until the next: see docs/design/solids.md.
      this.#changeFrames((STEPS_PER_FRAME_CHANGE / 2) * dt);
      store.softenStabilisation(true);
    }
    this.#constraints.update(this.time, dt, this.frames);
    const wallSpeed = this.#obstacles.move(this.time, dt);
    this.meter?.kick(verlet ? (this.lastStep + dt) / 2 : dt / 2, dt / 2);
    this.#moveRigid(dt);

    store.setFloat(layout.KICK, verlet ? (this.lastStep + dt) / 2 : dt / 2);
    store.setFloat(layout.DRIFT, dt);
    if (this.viscosity?.act(dt)) store.setFloat(layout.KICK, 0);
    this.#contact.push();
    store.run('kickAndDrift'); // [K06] eq. 7.5-7.6
    store.moveGhosts();
    this.time += dt;
    this.stepCount++;
    this.askers.wallSpeed = wallSpeed;
    const fastest = Math.sqrt(this.#largest(layout.BLOCK_SPEED, store.blocks, 'kickAndDrift'));
    this.maximumSpeed = Math.max(fastest, wallSpeed);

    store.setFloat(layout.STRAIN_RATE, 1 / dt);
    store.setFloat(layout.LATE_KICK, verlet ? 0 : dt / 2);
    this.#computeForces(this.maximumSpeed * dt, dt); // [M04] eq. 15-25
    this.rigid.finish(this.time - dt, dt);
    if (!verlet) this.#contact.settle();
    if (!verlet && this.#confined) {
      store.run('settleVelocities');
      store.moveGhosts();
    }
    if (store.address(layout.WALL_IMPULSE) !== 0) store.run('dampImpacts', this.#ranges.length, 1);
    this.meter?.kick(verlet ? 0 : dt / 2, dt / 2);
    this.meter?.collect(dt);
    this.renewal?.follow();
    this.lastStep = dt;
  }

  /** Rigid bodies, to the end of the step; the kick at its end waits for the forces. */
  #moveRigid(dt: number): void {
    if (this.rigid.empty) return;
    this.rigid.advance(this.time, dt, (b, frame) => {
      this.frames[b] = frame;
      if (!this.rigid.exact) this.#writeFrame(b);
    });
  }

  /** Nothing but rigid bodies whose contacts are exact: nothing is found by particle but forces from outside. */
  get #exactOnly(): boolean {
    return this.rigid.exact && this.rigid.only;
  }

  #stepExactBodies(dt: number): void {
    const wallSpeed = this.#obstacles.move(this.time, dt);
    if (this.#store.address(layout.EXTERNAL_FORCE) !== 0) this.rigid.computeForces(dt);
    this.#moveRigid(dt);
    this.meter?.collect(dt);
    this.time += dt;
    this.stepCount++;
    this.askers.wallSpeed = wallSpeed;
    this.maximumSpeed = Math.max(this.rigid.maximumSpeed, wallSpeed);
    this.lastStep = dt;
  }

  /** One implicit step, or several shorter ones where it does not converge. */
  #stepImplicitly(dt: number): void {
    const end = this.time + dt;
    let size = dt;
    let halvings = 0;
    while (this.time < end) {
      const remaining = end - this.time;
      const last = size >= remaining * (1 - 1e-9);
      const solution = this.#tryImplicitStep(last ? remaining : size);
      this.effort.newtonIterations += solution.newtonIterations;
      this.effort.iterations += solution.iterations;
      if (solution.converged) {
        if (last) break;
        continue;
      }
      this.effort.retries++;
      if (++halvings > HALVINGS) this.#giveUp(size, solution);
      size = (last ? remaining : size) / 2;
    }
    this.time = end;
    this.stepCount++;
    this.lastStep = dt;
  }

  /** Backward Euler, or the midpoint rule: backward Euler over half the step, and as far again. */
  #tryImplicitStep(dt: number): Solution {
    const store = this.#store;
    const solver = this.#implicitSolver();
    const midpoint = this.#options.solid.integrator === 'midpoint';
    const h = midpoint ? dt / 2 : dt;
    store.setFloat(layout.STRAIN_RATE, 1 / h);
    store.setInteger(layout.DOUBLED, midpoint ? 1 : 0);
    this.#constraints.noteStarts(this.frames);
    const undoSolids = this.#guess(h);
    this.#rigidSystem?.begin(this.time, h, midpoint ? 2 : 1);
    const undo = () => {
      undoSolids();
      this.#rigidSystem?.undo();
    };
    this.#constraints.update(this.time, h, this.frames);
    this.#constraints.placeLate(this.time, h, this.frames);
    const wallSpeed = this.#obstacles.move(this.time, h, true);
    store.run('beginImplicitStep');
    store.moveGhosts();
    const solution = solver.solve(h, true);
    if (!solution.converged) undo();
    else {
      if (midpoint) {
        this.#constraints.update(this.time, dt, this.frames);
        this.#constraints.placeLate(this.time, dt, this.frames);
      }
      this.#rigidSystem?.end();
      store.run('endImplicitStep');
      store.moveGhosts();
      this.meter?.noteImplicit(dt);
      this.meter?.collect(dt);
      this.time += dt;
      this.askers.wallSpeed = wallSpeed;
      this.maximumSpeed = Math.max(
        Math.sqrt(this.#largest(layout.BLOCK_SPEED, store.blocks, 'endImplicitStep')),
        wallSpeed,
      );
      if (this.#rigidSystem) this.#endRigidStep(dt, midpoint);
    }
    store.setInteger(layout.KEEP_STRAIN, 1);
    // Keeps the strains that the next step takes its rate from, and lets plastic ones flow.
    if (solution.converged && (this.#viscous() || store.plastic)) store.computeStresses();
    if (solution.converged) store.run('keepAccelerations');
    if (solution.converged) store.softenStabilisation(true);
    if (solution.converged) this.renewal?.follow();
    return solution;
  }

  /** Contacts of rigid bodies after an implicit step; the midpoint rule has gone on since it last saw them. */
  #endRigidStep(dt: number, midpoint: boolean): void {
    if (midpoint) {
      this.#obstacles.move(this.time - dt, dt, true);
      this.#contact.computeForces(this.maximumSpeed * dt);
      this.rigid.computeStepForces(dt);
    }
    this.contactFrequency = this.rigid.endStep();
    this.askers.contact = this.rigid.hardest;
    if (this.rigid.impactRate > 0) this.askers.impact = this.#bodyOf(this.rigid.deepest());
  }

  /**
   * Equilibrium at the time `end`: prescribed motion, and obstacles, go there in one stage or, where no
   * balance is found, in shorter ones.
   */
  solveStatic(end: number): Solution {
    this.#contact.byForces(true);
    try {
      return this.#findBalance(end);
    } finally {
      this.#contact.byForces(this.implicit);
    }
  }

  #findBalance(end: number): Solution {
    const start = this.time;
    let reached = 0;
    let stage = 1;
    for (;;) {
      const next = Math.min(1, reached + stage);
      const solution = this.#relax(start + next * (end - start));
      if (solution.converged) {
        reached = next;
        if (reached < 1) continue;
        this.time = end;
        this.stepCount++;
        // Over a second: impulses are forces.
        this.meter?.noteImplicit(1);
        this.meter?.collect(1);
        if (!this.implicit) this.evaluateForces();
        return solution;
      }
      stage /= 2;
      if (stage < SHORTEST_STAGE || end === start) this.#giveUp(0, solution);
    }
  }

  /**
   * The balance with constraints and obstacles as they are at a time. Newton's method from where things are;
   * if that fails, by implicit steps from rest that get longer and longer, so that what is loose first falls
   * into place.
   */
  #relax(time: number): Solution {
    const store = this.#store;
    const solver = this.#implicitSolver();
    store.setInteger(layout.DOUBLED, 0);
    store.setFloat(layout.STRAIN_RATE, 0);
    const attempt = (elapsed: number): Solution => {
      store.vectors(layout.VELOCITY).fill(0);
      this.#constraints.noteStarts(this.frames);
      const undo = this.#guess(0);
      this.#constraints.update(time, 1, this.frames, true);
      this.#constraints.placeLate(time, 0, this.frames);
      this.#obstacles.move(time, 1);
      this.#obstacles.pushOut();
      store.run('beginImplicitStep');
      store.moveGhosts();
      const solution = solver.solve(elapsed, false);
      this.effort.newtonIterations += solution.newtonIterations;
      this.effort.iterations += solution.iterations;
      if (!solution.converged) {
        this.effort.retries++;
        undo();
      }
      store.vectors(layout.VELOCITY).fill(0);
      return solution;
    };
    let solution = attempt(0);
    let elapsed = solver.quickest;
    for (let round = 0; !solution.converged && round < RELAXATIONS; round++) {
      const step = attempt(elapsed);
      const long = elapsed >= LONG_RELAXATION * solver.quickest;
      elapsed = step.converged ? Math.min(4 * elapsed, LONG_RELAXATION * solver.quickest) : 0.1 * elapsed;
      if (step.converged && long) solution = attempt(0);
    }
    store.setInteger(layout.KEEP_STRAIN, 1);
    this.maximumSpeed = 0;
    if (solution.converged && this.#viscous()) store.computeStresses();
    if (solution.converged) store.run('keepAccelerations');
    return solution;
  }

  /**
   * Where inertia and gravity take everything in a time, with the frames following ([K06] 5.4.3). Returns what
   * goes back to the start.
   */
  #guess(h: number): () => void {
    const store = this.#store;
    store.setInteger(layout.KEEP_STRAIN, 0);
    store.setFloat(layout.DRIFT, h);
    store.setFloat(layout.GUESSED, h > 0 ? 1 : 0);
    store.run('predictMotion');
    const frames = [...this.frames];
    this.#changeFrames();
    this.#contact.invalidate();
    return () => {
      store.run('undoImplicitStep');
      this.frames.splice(0, frames.length, ...frames);
      this.writeFrames();
      this.#contact.invalidate();
    };
  }

  /** Made when it is first needed: its vectors are half as much memory again. */
  #implicitSolver(): ImplicitSolver {
    if (!this.#implicit) {
      const { CoarseSpace, ImplicitSolver, RigidSystem } = this.#solvers();
      const { integrator, maxIterations } = this.#options.solid;
      // What is left unbalanced turns free bodies, and the midpoint rule is for those who mind.
      const tolerance = (integrator === 'midpoint' ? MIDPOINT_TOLERANCE : 1) * this.#options.solid.tolerance;
      const moved = (b: number) => {
        this.frames[b] = this.rigid.motions[b]!.frame;
        this.#writeFrame(b);
      };
      if (!this.rigid.empty) this.#rigidSystem = new RigidSystem(this.#store, this.rigid, this.#contact, moved);
      this.#implicit = new ImplicitSolver({
        store: this.#store,
        contact: this.#contact,
        viscosity: this.viscosity,
        rigid: this.#rigidSystem,
        coarse: new CoarseSpace(this.#store, this.#ranges, this.#initial),
        obstacles: !this.#obstacles.empty,
        midpoint: integrator === 'midpoint',
        tolerance,
        maxIterations,
        quadraticCount: this.#quadraticCount,
      });
      this.#implicit.prepare();
    }
    return this.#implicit;
  }

  /** To be called when materials have changed. */
  materialsChanged(): void {
    this.#implicit?.prepare();
  }

  /** To be called when the frequencies of the bodies at rest are known [1/s2]. */
  noteFrequencies(frequencies: readonly number[]): void {
    const endless = frequencies.findIndex((frequency) => !Number.isFinite(frequency));
    if (endless >= 0) {
      const detail = 'it is beyond the range of float32: lower youngsModulus or damping, or raise density or spacing';
      const what = `of "${this.#names[endless]}" has no`;
      const { begin } = this.#ranges[endless]!;
      throw new SimulationError(begin, 'fastest wave', this.time, detail, what, this.#names[endless]);
    }
    const { blocks } = this.#store;
    for (let block = 0; block < blocks; block++) {
      let fastest = -1;
      for (const [b, { begin, end }] of this.#ranges.entries()) {
        const inside = begin < (block + 1) * layout.BLOCK && end > block * layout.BLOCK;
        if (!inside || !(fastest < 0 || frequencies[b]! > frequencies[fastest]!)) continue;
        fastest = b;
      }
      this.#blockBodies[block] = Math.max(0, fastest);
    }
  }

  #viscous(): boolean {
    return this.frames.some((_, b) => this.#store.bodyIntegers(b)[layout.BODY_VISCOUS / 4] !== 0);
  }

  #giveUp(size: number, solution: Solution): never {
    const store = this.#store;
    const residual = store.vectors(layout.RESIDUAL);
    let worst = 0;
    let largest = -1;
    for (let i = 0; i < store.count; i++) {
      const r = Math.hypot(residual[4 * i]!, residual[4 * i + 1]!, residual[4 * i + 2]!);
      if (r > largest || Number.isNaN(r)) {
        largest = r;
        worst = i;
        if (Number.isNaN(r)) break;
      }
    }
    const steps = size > 0 ? `, with steps down to ${size.toPrecision(3)} s` : '';
    const detail = `${solution.reason}${steps}; residual ${solution.residual.toPrecision(3)} of solver.solid.tolerance ${this.#options.solid.tolerance}`;
    throw new SimulationError(worst, 'the implicit solution', this.time, detail, 'does not come to balance in');
  }

  /** Forces after particles have moved by at most `moved` in a step of `dt`. */
  #computeForces(moved: number, dt: number): void {
    if (this.#exactOnly) return;
    const store = this.#store;
    let rigid = false;
    this.contactFrequency = this.#contact.computeForces(moved); // [K06] 5.8
    if (!this.rigid.empty) {
      // Rigid bodies feel obstacles by where both are at the end of the step.
      if (dt > 0) this.#obstacles.move(this.time - dt, dt, true);
      const rigidFrequency = this.rigid.computeForces(dt); // [K06] 4.4.2
      if (dt > 0) this.#obstacles.move(this.time - dt, dt);
      // NaN stays NaN.
      rigid = this.implicit || !(rigidFrequency <= this.contactFrequency);
      if (rigid) this.contactFrequency = rigidFrequency;
    }
    if (dt > 0) this.fracture?.breakBonds(); // [K06] 5.6
    store.computeStresses(); // [M04] eq. 1-8, 15
    store.computeForces(); // [M04] eq. 18-25
    this.meter?.note();
    this.elasticFrequency = Math.max(
      this.#largest(layout.BLOCK_FREQUENCY, store.blocks, 'computeStresses'),
      this.fracture?.frequency ?? 0,
    );
    if (!Number.isFinite(this.contactFrequency)) this.#fail('computeContactForces');
    this.#noteAskers(rigid);
  }

  /** Is the highest frequency of contact that of rigid bodies? */
  #noteAskers(rigid: boolean): void {
    const { askers } = this;
    askers.elastic = this.#blockBodies[this.#store.indexOfLargest(layout.BLOCK_FREQUENCY, this.#store.blocks)] ?? 0;
    if (this.contactFrequency > this.elasticFrequency) {
      askers.contact = rigid ? this.rigid.hardest : this.#bodyOf(this.#contact.hardest());
    }
    if (this.rigid.impactRate > 0) askers.impact = this.#bodyOf(this.rigid.deepest());
  }

  /**
   * The step to take now. It is held as long as it is safe: leapfrog keeps energy over long times only
   * with a constant step, and one that follows the deformation drives it (measured: an undamped cube
   * gained 13 % in 3,000 steps, and none with the step held). It is shortened when it comes near the
   * bound of stability, and lengthened only at the start of a frame and when the bound is far away.
   */
  chooseStep(frameStart: boolean): StepLimit {
    if (this.implicit) return this.#capped(this.#implicitStep());
    this.heldStep = this.#nextHeldStep(frameStart);
    return this.#capped(this.heldStep);
  }

  /** What chooseStep would say at the start of a frame, without deciding anything. */
  previewStep(): StepLimit {
    return this.#capped(this.implicit ? this.#implicitStep() : this.#nextHeldStep(true));
  }

  #nextHeldStep(frameStart: boolean): StepLimit {
    if (this.#exactOnly) return { timeStep: Number.POSITIVE_INFINITY, limitedBy: 'rigid bodies' };
    const bound = this.#bound();
    const { safety } = this.#options;
    const short = this.heldStep.timeStep > (safety + HELD_MARGIN * (1 - safety)) * bound.timeStep;
    const long = frameStart && this.heldStep.timeStep < HELD_SLACK * safety * bound.timeStep;
    if (!short && !long) return this.heldStep;
    return this.#named({ timeStep: safety * bound.timeStep, limitedBy: bound.limitedBy });
  }

  /** With the body that asks for it. */
  #named({ timeStep, limitedBy }: StepLimit): StepLimit {
    const asker = this.#asker(limitedBy);
    return { timeStep, limitedBy, body: asker === undefined ? undefined : this.#names[asker] };
  }

  #asker(limitedBy: string): number | undefined {
    switch (limitedBy) {
      case 'elastic wave':
        return this.askers.elastic;
      case 'contact':
        return this.askers.contact;
      case 'impact':
        return this.askers.impact;
      case 'viscosity': {
        const bodies = this.viscosity?.bodies ?? [];
        return bodies.length === 1 ? bodies[0] : undefined;
      }
      default: {
        // Of the speed: none when it is that of an obstacle.
        const { particle, speed } = this.#fastest();
        return particle < 0 || this.askers.wallSpeed > speed ? undefined : this.#bodyOf(particle);
      }
    }
  }

  #bodyOf(particle: number): number {
    const row = this.#store.integers(layout.BODY_OF, this.#store.count)[particle]!;
    // Pieces are of the body that they broke off.
    return row < this.#ranges.length ? row : this.#store.bodyIntegers(row)[layout.BODY_BREAKS / 4]! - 1;
  }

  /** The fastest particle and its speed [m/s]; -1 where there is none. */
  #fastest(): { particle: number; speed: number } {
    const v = this.#store.vectors(layout.VELOCITY);
    let particle = -1;
    let most = -1;
    for (let i = 0; 4 * i < v.length; i++) {
      const speed2 = v[4 * i]! * v[4 * i]! + v[4 * i + 1]! * v[4 * i + 1]! + v[4 * i + 2]! * v[4 * i + 2]!;
      if (speed2 > most) [particle, most] = [i, speed2];
    }
    return { particle, speed: Math.sqrt(Math.max(0, most)) };
  }

  /** Ends the simulation: steps of a frame of so many seconds have become too short. */
  failShort(limit: StepLimit, frame: number): never {
    const { limitedBy } = limit;
    const asker = this.#asker(limitedBy);
    const { particle: fastest, speed } = this.#fastest();
    const bySpeed = limitedBy === 'speed';
    const particle = bySpeed ? fastest : (this.#ranges[asker ?? 0]?.begin ?? 0);
    const name = asker === undefined ? 'beside an obstacle' : `of "${this.#names[asker]}"`;
    const at = bySpeed ? ` at ${Math.max(speed, this.askers.wallSpeed).toPrecision(3)} m/s` : '';
    const what = `${name}${at} asks for too short a step in`;
    throw new SimulationError(Math.max(0, particle), 'chooseStep', this.time, describeShort(limit, frame), what);
  }

  /**
   * Implicit steps are as long as is asked for, but nothing may pass through what it should bump into. The midpoint rule
   * goes on past a contact that it does not resolve, and would be thrown out again: it keeps to the contacts of rigid bodies.
   */
  #implicitStep(): StepLimit {
    const travel: StepLimit = {
      timeStep: this.#crowded ? (IMPLICIT_TRAVEL_SHARE * this.#smallestSpacing) / this.maximumSpeed : Infinity,
      limitedBy: 'speed',
    };
    if (!this.rigid.empty && this.#options.solid.integrator === 'midpoint') {
      const { timeStep, limitedBy } = this.#contactBound();
      const held = this.#options.safety * timeStep;
      if (held < travel.timeStep) return this.#named({ timeStep: held, limitedBy });
    }
    return this.#crowded ? this.#named(travel) : travel;
  }

  #capped(step: StepLimit): StepLimit {
    const { maxTimeStep } = this.#options;
    const timeStep = Math.min(maxTimeStep, this.rigid.longestStep);
    const limitedBy = timeStep === maxTimeStep ? 'maxTimeStep' : 'rigid bodies';
    return timeStep < step.timeStep ? { timeStep, limitedBy } : step;
  }

  /** The step at which the scheme would just be unstable, or particles move too far. */
  #bound(): StepLimit {
    const total = this.elasticFrequency + this.contactFrequency;
    const stable = total > 0 ? 2 / Math.sqrt(total) : Number.POSITIVE_INFINITY;
    const free = this.#contact.bySurface ? TRAVEL_SHARE_OF_SURFACES : TRAVEL_SHARE;
    const share = this.contactFrequency > 0 ? TRAVEL_SHARE_IN_CONTACT : free;
    const travel = (share * this.#smallestSpacing) / this.maximumSpeed;
    const impact = this.rigid.impactRate > 0 ? 1 / this.rigid.impactRate : Number.POSITIVE_INFINITY;
    const viscous = this.viscosity?.longestStep ?? Number.POSITIVE_INFINITY;
    if (viscous < Math.min(stable, travel, impact)) return { timeStep: viscous, limitedBy: 'viscosity' };
    if (impact < Math.min(stable, travel)) return { timeStep: impact, limitedBy: 'impact' };
    if (travel < stable) return { timeStep: travel, limitedBy: 'speed' };
    return { timeStep: stable, limitedBy: this.contactFrequency > this.elasticFrequency ? 'contact' : 'elastic wave' };
  }

  /** The same of the contacts of rigid bodies alone. */
  #contactBound(): StepLimit {
    const stable = this.contactFrequency > 0 ? 2 / Math.sqrt(this.contactFrequency) : Infinity;
    const impact = this.rigid.impactRate > 0 ? 1 / this.rigid.impactRate : Infinity;
    return impact < stable ? { timeStep: impact, limitedBy: 'impact' } : { timeStep: stable, limitedBy: 'contact' };
  }

  /** Turns and shifts the rest shapes after the bodies, so that displacements stay small. */
  #changeFrames(lead = 0): void {
    const store = this.#store;
    store.run('computeBodySums', store.rows, 1);
    const sums = store.engine.arena.f64(store.address(layout.BLOCK_SUMS), layout.SUMS * store.rows);
    for (const [b, frame] of this.frames.entries()) {
      if (isRigid(store, b)) continue;
      const own = sums.subarray(layout.SUMS * b, layout.SUMS * (b + 1));
      const { frame: next, change, shift } = refit(frame, own, lead);
      this.frames[b] = next;
      const floats = store.bodyFloats(b);
      for (let row = 0; row < 3; row++) {
        floats.set(
          [change[3 * row]!, change[3 * row + 1]!, change[3 * row + 2]!, shift[row]!],
          layout.BODY_REFRAME / 4 + 4 * row,
        );
      }
    }
    store.run('changeFrames');
    this.writeFrames();
  }

  /** Puts the frames into the body table. */
  writeFrames(): void {
    for (let b = 0; b < this.frames.length; b++) this.#writeFrame(b);
  }

  #writeFrame(b: number): void {
    const { rotation, origin } = this.frames[b]!;
    const floats = this.#store.bodyFloats(b);
    const exact = this.#store.bodyDoubles(b, layout.BODY_EXACT_FRAME, 12);
    const at = layout.BODY_FRAME / 4;
    const [x, y, z] = this.#gravity;
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 4; column++) {
        const value = column < 3 ? rotation[3 * row + column]! : origin[row]!;
        floats[at + 4 * row + column] = value;
        exact[4 * row + column] = value;
      }
      floats[layout.BODY_GRAVITY / 4 + row] = rotation[row]! * x + rotation[3 + row]! * y + rotation[6 + row]! * z;
    }
  }

  /** Where constraints stand after the last step, for a state that comes from a save. */
  placeConstraints(): void {
    if (this.lastStep > 0) this.#constraints.update(this.time - this.lastStep, this.lastStep, this.frames);
    else this.#constraints.update(this.time, 1, this.frames, true);
  }

  /** Puts what mirrors the free side of a clamp where it is shown: the clamp lets go. */
  release(): void {
    const store = this.#store;
    for (const [slot, shown] of [
      [layout.DISPLACEMENT, this.shownDisplacements()],
      [layout.VELOCITY, this.shownVelocities()],
    ] as const) {
      const own = store.vectors(slot);
      for (const { particle: i } of this.ghosts) own.set(shown.subarray(4 * i, 4 * i + 3), 4 * i);
    }
  }

  /** When prescribed motion and obstacles have come to their end [s]. */
  get motionEnd(): number {
    return Math.max(this.time, ...this.#obstacles.corners, ...this.#constraints.motionCorners);
  }

  /** Contact between particles. */
  get contact(): ParticleContact {
    return this.#contact;
  }

  /** Held particles that mirror free ones. */
  get ghosts(): ConstraintTable['ghosts'] {
    return this.#constraints.ghosts;
  }

  /** Displacements and velocities in body axes, four floats per particle, with clamped particles where they are held. */
  shownDisplacements(): Float32Array {
    return this.#shown(layout.DISPLACEMENT, layout.CONSTRAINT_TARGET);
  }

  shownVelocities(): Float32Array {
    return this.#shown(layout.VELOCITY, layout.CONSTRAINT_RATE);
  }

  #shown(slot: number, prescribed: number): Float32Array {
    const own = this.#store.vectors(slot);
    if (this.#constraints.ghosts.length === 0) return own;
    const copy = own.slice();
    this.#constraints.show(copy, prescribed);
    return copy;
  }

  /** Velocity jumps of obstacles and constraints: steps end there. */
  get corners(): number[] {
    return [...this.#obstacles.corners, ...this.#constraints.corners];
  }

  #largest(slot: number, blocks: number, pass: string): number {
    const value = this.#store.engine.helpers.largest(this.#store.address(slot), blocks);
    if (!Number.isFinite(value)) this.#fail(pass);
    return value;
  }

  #fail(pass: string): never {
    const store = this.#store;
    for (const slot of [layout.VELOCITY, layout.DISPLACEMENT, layout.ACCELERATION]) {
      const index = store.vectors(slot).findIndex((x) => !Number.isFinite(x));
      if (index >= 0) {
        const detail = `time step ${this.lastStep.toPrecision(3)} s; lower solver.safety or solver.maxTimeStep, or soften what drives it`;
        throw this.#failure(Math.floor(index / 4), pass, detail);
      }
    }
    const rates = store.floats(layout.BLOCK_FREQUENCY, store.blocks);
    const block = Math.max(
      0,
      rates.findIndex((rate) => !Number.isFinite(rate)),
    );
    throw this.#failure(block * layout.BLOCK, pass, 'deformation or stiffness beyond the range of float32');
  }

  #failure(particle: number, pass: string, detail: string): SimulationError {
    const body = this.#ranges.findIndex(({ end }) => particle < end);
    return new SimulationError(particle, pass, this.time, detail, undefined, this.#names[body]);
  }
}
