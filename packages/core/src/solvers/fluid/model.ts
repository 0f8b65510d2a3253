import { add, cross, length } from '../../math/matrix3.js';
import type { Engine } from '../../memory/engine.js';
import { OptionError } from '../../options/errors.js';
import { checkedVector } from '../../options/field-values.js';
import type { EmitterOptions, FieldVector, Material, Region, SolverOptions, Vec3 } from '../../options/types.js';
import { LIQUID_PARAMETERS } from '../../particles/array-places.js';
import { isRenewed } from '../../particles/body-range.js';
import * as layout from '../../particles/fluid-layout.js';
import { FluidStore } from '../../particles/fluid-store.js';
import type { Frame } from '../../particles/frame.js';
import * as solidLayout from '../../particles/layout.js';
import type { BodySamples } from '../../particles/samples.js';
import type { ParticleStore } from '../../particles/store.js';
import { SamplingError } from '../../sampling/error.js';
import { sampleObstacle } from '../../sampling/surface.js';
import type { ConstraintRecord } from '../constraints/hold.js';
import { Prescriptions } from '../constraints/prescriptions.js';
import { INSTANT, type Obstacle, type ObstacleSet } from '../contact/obstacles.js';
import { indicesById, type WorldAxes } from '../grab.js';
import { liquidViscosity, writeParameters } from '../material.js';
import { type MovingPoint, momentaOf, motionTo } from '../momenta.js';
import { boundaryAreas, outerParticles, positionsOf, TakenPositions } from './boundary.js';
import { boundaryKernel, type Calibration, calibrate, SUPPORT_RATIO } from './calibration.js';
import { type ElasticMotion, type ImplicitParts, LiquidElasticity, type Softening } from './elastic.js';
import { isImplicit, refuseStiff } from './elastic-limits.js';
import { Emitter } from './emitter.js';
import { FluidGrid } from './grid.js';
import { cubicSpline, kernelNorms, type RadialKernel, spiky } from './kernels.js';
import { largestFactor, largestTension, lightestOf, refuseTense } from './limits.js';
import type { MeltedBody } from './melted.js';
import { periodicSurface } from './periodic-walls.js';
import { type FluidEffort, FluidSolver } from './step.js';
import { attractionStrength, halfSpaceAttraction, surfaceConstant } from './tension.js';

/**
 * Liquid nearer than this at the start is left out: to obstacles in spacings, to particles of bodies and of other
 * liquids over the mean of both spacings, which is how far apart two that touch are.
 */
const BURIED = 0.3;
const CLUSTERED = 0.6;
/** Nearest that a particle may come to an obstacle, in spacings. */
const GAP = 0.1;
/** Spacing of boundary particles on obstacles, in spacings: their kernels reach half as far as the liquid's. */
const SURFACE = 0.5;
/** Adhesion of bodies: liquids meet them at a right angle [1]. */
const NEUTRAL = 0.5;
/** What takes the shear stress of the packing away. */
const PACKING = [layout.ANISOTROPY, layout.ANISOTROPY_ACROSS, layout.STRUCTURE, layout.STRUCTURE_ACROSS];
/** Liquid that a boundary particle of a body can feel. */
const REACTIONS = 128;

/** A liquid as the world keeps it. */
export interface LiquidRecord {
  readonly name: string;
  readonly samples: BodySamples;
  readonly initial: Frame;
  readonly material: Material;
  /** Of every particle, where regions differ. */
  readonly materials?: readonly Material[] | undefined;
  readonly velocity: FieldVector;
  readonly angularVelocity: Vec3;
  readonly emitter?: EmitterOptions | undefined;
  /** [m] */
  readonly longestSide: number;
  /** Was it a solid once? Then its particles have the volumes, and so the masses, that they had. */
  readonly melted?: boolean | undefined;
  /** What it is now, of one that was a solid up to now. */
  readonly start?: MeltedBody | undefined;
}

/** What a particle has of its material, as shares [1]. */
export interface ParticleFactors {
  readonly viscosity: number;
  readonly density: number;
  readonly surfaceTension: number;
  readonly cohesion: number;
}

/** A body that liquids push. */
export interface ImmersedBody {
  readonly samples: BodySamples;
  readonly begin: number;
}

/** What goes on from one layout of the memory to the next, and into a save. */
export interface FluidState {
  readonly count: number;
  readonly liquids: number;
  readonly maximumSpeed: number;
  readonly steepest?: number | undefined;
  readonly layers: readonly number[];
  /** Particles in the world, by liquid. */
  readonly counts: readonly number[];
  readonly missed: readonly number[];
  readonly arrays: readonly Float32Array[];
  /** Of what is elastic in them, where something is: how many of the arrays, the last ones. */
  readonly elastic?: (ElasticMotion & { readonly arrays: number }) | undefined;
}

export interface FluidModelParts {
  readonly engine: Engine;
  readonly solver: SolverOptions;
  readonly gravity: Vec3;
  readonly liquids: readonly LiquidRecord[];
  readonly obstacles: readonly Obstacle[];
  readonly obstacleSet: ObstacleSet;
  readonly sinks: readonly Region[];
  readonly solids: ParticleStore;
  readonly immersed: readonly ImmersedBody[];
  readonly constraints: readonly ConstraintRecord[];
  readonly time: number;
  readonly state?: FluidState | undefined;
  /** Counts on over all layouts of the memory. */
  readonly effort: FluidEffort;
  /** Of implicit steps of what is elastic. */
  readonly solidEffort: ImplicitParts['effort'];
}

/** All liquids of a world, compiled into the engine's memory. */
export class FluidModel {
  readonly store: FluidStore;
  readonly solver: FluidSolver;
  /** What is solid in the liquids, where something can be. */
  readonly elastic: LiquidElasticity | undefined;
  /** Distance of neighbouring particles, the same for all liquids [m]. */
  readonly spacing: number;
  /** Numbers [begin, end) of each liquid's particles among all liquid particles. */
  readonly ranges: readonly { readonly begin: number; readonly end: number }[];
  /** Particles that were left out at the start because something solid was there, by liquid. */
  readonly buried: readonly number[];
  readonly #parts: FluidModelParts;
  /** As events have left them. */
  #materials: readonly Material[];
  readonly #emitters: readonly (Emitter | undefined)[];
  readonly #constraints: Prescriptions;
  /** Of a particle in sums [m3]. */
  readonly #volume: number;
  readonly #obstacleParticles: number;
  /** Particles of each body that liquid may touch, and how many are in the world. */
  readonly #touched: readonly (readonly number[])[];
  #bodyParticles = 0;
  readonly #tableOf: (edge: number) => number;
  #placed = false;
  /** Is told the number among all liquid particles, and the liquid, of every particle that a source puts in. */
  onEmit: ((id: number, liquid: number) => void) | undefined;

  constructor(parts: FluidModelParts) {
    this.#parts = parts;
    this.#materials = parts.liquids.map(({ material }) => material);
    const { engine, liquids, solver } = parts;
    const spacing = commonSpacing(liquids);
    this.spacing = spacing;
    const h = SUPPORT_RATIO * spacing;
    refuseShortPeriods(solver.fluid.period, h);
    refuseTense(liquids, spacing);
    const ranges: { begin: number; end: number }[] = [];
    let capacity = 0;
    for (const { samples } of liquids) {
      ranges.push({ begin: capacity, end: capacity + samples.count });
      capacity += samples.count;
    }
    this.ranges = ranges;

    const keiser = solver.fluid.pressure === 'wcsph';
    const kernel = keiser ? spiky : cubicSpline;
    const calibration = calibrate(kernel, spacing);
    const walls = sampleWalls(parts, SURFACE * spacing);
    // Of what flows far anything may become surface.
    const touched = parts.immersed.map(({ samples }, b) =>
      isRenewed(parts.solids, b) ? Array.from({ length: samples.count }, (_, i) => i) : outerParticles(samples, h),
    );
    this.#touched = touched;
    const bodyParticles = touched.reduce((sum, list) => sum + list.length, 0);
    this.#obstacleParticles = walls.reduce((sum, { points }) => sum + points.length / 3, 0);
    const store = new FluidStore(engine, capacity, this.#obstacleParticles + bodyParticles, liquids.length);
    this.store = store;

    const norms = kernelNorms(h);
    store.setFloat(layout.SUPPORT, h);
    store.setFloat(layout.VOLUME, calibration.volume);
    store.setFloat(layout.REST_VOLUME, spacing * spacing * spacing);
    store.setFloat(layout.KERNEL, keiser ? (norms.spikyDerivative * h * h * h) / 3 : norms.cubicSpline);
    store.setFloat(layout.KERNEL_GRADIENT, keiser ? norms.spikyDerivative * h : norms.cubicSplineDerivative);
    store.setFloat(layout.SPLINE_GRADIENT, norms.cubicSplineDerivative);
    store.setFloat(layout.VISCOSITY_KERNEL, norms.spikyDerivative);
    store.setFloat(layout.SKIN, calibration.below / ((1 - layout.INNER) * calibration.opening));
    store.setFloat(layout.INNER_OPENING, layout.INNER * calibration.opening);
    store.setInteger(layout.KEISER, keiser ? 1 : 0);
    store.setFloat(layout.GAP, GAP * spacing);
    store.setFloat(layout.STIFFNESS, solver.fluid.stiffness);
    store.setInteger(layout.EXPONENT, solver.fluid.exponent);
    store.setFloat(layout.XSPH, solver.fluid.xsph);
    store.setFloat(layout.ISOTROPY, solver.fluid.isotropy);
    store.setFloat(layout.EDDY, solver.fluid.eddyViscosity);
    store.setInteger(layout.OBSTACLES, parts.solids.address(solidLayout.OBSTACLES));
    store.setInteger(layout.OBSTACLE_COUNT, parts.obstacles.length);
    store.setInteger(layout.SOLID_CONTEXT, parts.solids.context);
    store.floats(layout.HALF_SPACE, calibration.halfSpace.length).set(calibration.halfSpace);
    this.#volume = calibration.volume;
    store.allocate(layout.NORMAL, 16 * (capacity + 4));
    if (solver.fluid.isotropy > 0) for (const slot of PACKING) store.allocate(slot, 16 * (capacity + 4));
    const attraction = halfSpaceAttraction(spacing);
    store.floats(layout.ATTRACTION, attraction.length).set(attraction);
    for (const slot of [layout.DIRECTION, layout.RESIDUAL, layout.PRODUCT]) store.allocate(slot, 16 * (capacity + 4));
    store.allocate(layout.PRECONDITIONER, 4 * (capacity + 4));
    this.#allocateFactors(layout.TENSION_FACTOR, 'surfaceTension');
    this.#allocateFactors(layout.COHESION_FACTOR, 'cohesion');
    this.#writeSinks(parts.sinks);
    this.#tableOf = this.#kernelTables(kernel, calibration);
    this.#writeBoundary(walls, calibration, bodyParticles);
    this.#emitters = liquids.map(({ emitter }, k) => emitter && new Emitter(emitter, spacing, k, ranges[k]!));

    this.#constraints = new Prescriptions(store, layout.CONSTRAINTS, parts.constraints, parts.time);
    this.elastic = this.#buildElastic();
    const regional = new Set(liquids.flatMap(({ materials }) => materials ?? []));
    const most = (of: (material: Material) => number) => Math.max(...[...this.#materials, ...regional].map(of));
    this.solver = new FluidSolver({
      store,
      elastic: this.elastic,
      grid: new FluidGrid(store, h, solver.fluid.period),
      options: solver.fluid,
      gravity: parts.gravity,
      spacing,
      maxTimeStep: solver.maxTimeStep,
      get kinematicViscosity() {
        return most((m) => (liquidViscosity(m) * largestFactor(m.byTemperature?.viscosity)) / lightestOf(m));
      },
      get tension() {
        return most((m) => largestTension(m) / lightestOf(m));
      },
      get cohesion() {
        return most((m) => (m.elastic ? 0 : m.cohesion));
      },
      get lightest() {
        return -most((m) => -lightestOf(m));
      },
      get heaviest() {
        return most((m) => m.density * largestFactor(m.byTemperature?.density));
      },
      prescribes: !this.#constraints.empty || this.#emitters.some((emitter) => emitter),
      wallSpeed: (time) => parts.obstacleSet.move(time, INSTANT),
      prepare: (time, dt) => this.#prepare(time, dt),
      react: () => this.#react(),
      mass: () => this.#mass(),
      effort: parts.effort,
    });
    this.buried = this.#fill();
    this.writeMaterials(liquids.map(({ material }) => material));
    const { state } = parts;
    if (state?.elastic) this.elastic?.restore(state.arrays.slice(-state.elastic.arrays), state.elastic);
    for (const [k, { samples, start }] of liquids.entries()) {
      if (start && !start.stretches) this.elastic!.takeOver(this.ranges[k]!.begin, samples, start);
    }
  }

  /** When the heat, and so the stiffness, of bodies that were solids up to now is known, and where everything is. */
  startMelted(): void {
    for (const [k, { samples, start }] of this.#parts.liquids.entries()) {
      const { begin, end } = this.ranges[k]!;
      if (start?.stretches) {
        // Its volume was held by elasticity.
        if (this.elastic!.isPressed(k)) this.#spread(k);
        this.elastic!.takeOver(begin, samples, { ...start, positions: this.#positionsOf(k) });
      }
      if (start) this.elastic!.startTakenOver(begin, end, start.stretches !== undefined);
    }
  }

  /** Lets particles of a liquid stand as densely as they should; its momenta stay. */
  #spread(liquid: number): void {
    const { store } = this;
    const before = momentaOf(this.#pointsOf(liquid));
    this.solver.spread(this.#parts.time);
    const points = this.#pointsOf(liquid);
    const change = motionTo(points, before);
    const v = store.floats(layout.VELOCITY, 4 * store.count);
    for (const { i, at, velocity } of points) v.set(add(velocity, change(at)), 4 * i);
  }

  #pointsOf(liquid: number): (MovingPoint & { readonly i: number; readonly id: number })[] {
    const { store } = this;
    const x = store.floats(layout.POSITION, 4 * store.count);
    const v = store.floats(layout.VELOCITY, 4 * store.count);
    const of = store.integers(layout.LIQUID_OF, store.count);
    const ids = store.integers(layout.ID, store.count);
    const at = (array: Float32Array, i: number): Vec3 => [array[4 * i]!, array[4 * i + 1]!, array[4 * i + 2]!];
    return Array.from(of.keys())
      .filter((i) => of[i] === liquid)
      .map((i) => ({ i, id: ids[i]!, mass: 1 / x[4 * i + 3]!, at: at(x, i), velocity: at(v, i) }));
  }

  /** As in MeltedBody. */
  #positionsOf(liquid: number): Float32Array {
    const { begin, end } = this.ranges[liquid]!;
    const positions = new Float32Array(4 * (end - begin));
    for (const { id, at } of this.#pointsOf(liquid)) positions.set([...at, 1], 4 * (id - begin));
    return positions;
  }

  #buildElastic(): LiquidElasticity | undefined {
    const { liquids, solver } = this.#parts;
    if (!liquids.some(({ material }) => material.elastic)) return undefined;
    const { tolerance, maxIterations } = solver.solid;
    const stiff = liquids.flatMap(({ materials, ...liquid }) =>
      [...new Set(materials ?? [liquid.material])].map((material) => ({ ...liquid, material })),
    );
    refuseStiff(stiff, this.spacing, solver);
    return new LiquidElasticity({
      fluid: this.store,
      liquids: liquids.map(({ material, materials, longestSide }, k) => ({
        material,
        materials,
        longestSide,
        ...this.ranges[k]!,
      })),
      spacing: this.spacing,
      gravity: this.#parts.gravity,
      safety: solver.safety,
      implicit: isImplicit(solver.solid)
        ? { tolerance, maxIterations, obstacles: this.#parts.obstacles.length > 0, effort: this.#parts.solidEffort }
        : undefined,
    });
  }

  /** Positions and velocities in their present order, and where particles of a liquid stand in it. */
  worldAxes(indexOf: (body: string) => number): WorldAxes {
    const { store } = this;
    const find = (body: string, particles: Uint32Array) => {
      const { begin } = this.ranges[indexOf(body)]!;
      return indicesById(
        store.integers(layout.ID, store.count),
        Array.from(particles, (k) => begin + k),
      );
    };
    const positions = store.floats(layout.POSITION, 4 * store.count);
    return { positions, velocities: store.floats(layout.VELOCITY, 4 * store.count), find };
  }

  /** Material of a particle, as events and regions have it. */
  #materialOf(liquid: number, id: number): Material {
    return this.#parts.liquids[liquid]!.materials?.[id - this.ranges[liquid]!.begin] ?? this.#materials[liquid]!;
  }

  /** [m3] */
  #volumeOf(liquid: number, id: number): number {
    const { melted, samples } = this.#parts.liquids[liquid]!;
    return melted ? samples.volume[id - this.ranges[liquid]!.begin]! : this.spacing * this.spacing * this.spacing;
  }

  /** Lets a constraint act on particles of a liquid, by their numbers in it. */
  hold(record: ConstraintRecord): void {
    const liquid = this.#parts.liquids.findIndex(({ name }) => name === record.options.body);
    const { begin } = this.ranges[liquid]!;
    this.#constraints.begin(record);
    const held = new Set(record.hold!.particles);
    const ids = this.store.integers(layout.ID, this.store.count);
    const constrained = this.store.integers(layout.CONSTRAINED, this.store.count);
    for (const [i, id] of ids.entries()) if (held.has(id - begin)) constrained[i]! |= 1 << record.bit!;
  }

  /** Takes the bit of a constraint that has ended from its particles. */
  letGo(bit: number): void {
    Prescriptions.letGo(this.store.integers(layout.CONSTRAINED, this.store.count), bit);
  }

  /** How many particles sources could not put in for want of positions, by liquid. */
  get missed(): readonly number[] {
    return this.#emitters.map((emitter) => emitter?.missed ?? 0);
  }

  /** Liquid particles in the world, by liquid. */
  counts(): number[] {
    const counts = this.ranges.map(() => 0);
    const of = this.store.integers(layout.LIQUID_OF, this.store.count);
    for (let i = 0; i < of.length; i++) counts[of[i]!]!++;
    return counts;
  }

  /** Pressures of the liquid particles in their present order [Pa]. */
  pressures(): Float32Array {
    if (this.#materials.some(({ surfaceTension }) => surfaceTension > 0)) this.store.run('computeNormals');
    this.store.run('measurePressures');
    return this.store.floats(layout.MEASURE, this.store.count);
  }

  save(): FluidState {
    const { store, solver } = this;
    const elastic = this.elastic?.stateArrays() ?? [];
    return {
      ...(this.elastic && { elastic: { arrays: elastic.length, ...this.elastic.motion } }),
      count: store.count,
      liquids: this.ranges.length,
      maximumSpeed: solver.maximumSpeed,
      steepest: solver.steepest,
      counts: this.counts(),
      layers: this.#emitters.map((emitter) => emitter?.layers ?? 0),
      missed: this.missed,
      arrays: [...store.sortedArrays(), ...elastic],
    };
  }

  /** Puts liquids that are new into the world, and those of an earlier layout where they were. */
  #fill(): number[] {
    this.#parts.obstacleSet.move(this.#parts.time, INSTANT);
    const { liquids, state, time } = this.#parts;
    const { store } = this;
    if (state) {
      store.count = state.count;
      store.setSortedArrays(state.arrays);
      this.solver.maximumSpeed = state.maximumSpeed;
      this.solver.steepest = state.steepest ?? 0;
      for (const [k, emitter] of this.#emitters.entries()) {
        if (emitter && k < state.liquids) emitter.restore(state.layers[k]!, state.missed[k]!);
        else emitter?.skip(time);
      }
    }
    const taken = this.#occupied();
    const before = store.count;
    const left = liquids.map((liquid, k) => {
      if (liquid.start) this.#take(k, liquid.start);
      if (liquid.start || liquid.emitter || k < (state?.liquids ?? 0)) return 0;
      let left = 0;
      let id = this.ranges[k]!.begin;
      const own: Vec3[] = [];
      const velocityAt = checkedVector(liquid.velocity, `${liquid.name}.velocity`);
      for (const position of positionsOf(liquid.samples, liquid.initial)) {
        if (taken.has(position)) left++;
        else {
          const arm: Vec3 = [
            position[0] - liquid.initial.origin[0],
            position[1] - liquid.initial.origin[1],
            position[2] - liquid.initial.origin[2],
          ];
          const turn = cross(liquid.angularVelocity, arm);
          this.#put(k, id, position, add(velocityAt(position), turn), time);
          own.push(position);
        }
        id++;
      }
      for (const position of own) taken.add(position, this.spacing);
      return left + this.#removeBuried(k);
    });
    if (store.count > before) this.solver.expectWeight(this.#height());
    return left;
  }

  /** From the lowest to the highest particle along gravity [m]. */
  #height(): number {
    const { store } = this;
    const { gravity } = this.#parts;
    const size = length(gravity);
    if (size === 0) return 0;
    const positions = store.floats(layout.POSITION, 4 * store.count);
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < store.count; i++) {
      const [x, y, z] = positions.subarray(4 * i);
      const depth = (gravity[0] * x! + gravity[1] * y! + gravity[2] * z!) / size;
      low = Math.min(low, depth);
      high = Math.max(high, depth);
    }
    return high - low;
  }

  /** Particles of a body that was a solid up to now. */
  #take(liquid: number, { positions: x, velocities: v }: MeltedBody): void {
    const { begin, end } = this.ranges[liquid]!;
    for (let id = begin, k = 0; id < end; id++, k += 4) {
      if (x[k + 3] === 0) continue;
      this.#put(liquid, id, [x[k]!, x[k + 1]!, x[k + 2]!], [v[k]!, v[k + 1]!, v[k + 2]!], this.#parts.time);
    }
  }

  /** One particle more. */
  #put(liquid: number, id: number, position: Vec3, velocity: Vec3, ledUntil: number): void {
    const { store } = this;
    const material = this.#materialOf(liquid, id);
    const i = store.count;
    store.count = i + 1;
    const mass = material.density * this.#volumeOf(liquid, id);
    store.floats(layout.POSITION, 4 * store.count).set([...position, 1 / mass], 4 * i);
    store.floats(layout.VELOCITY, 4 * store.count).set([...velocity, liquidViscosity(material)], 4 * i);
    store.integers(layout.ID, store.count)[i] = id;
    store.integers(layout.LIQUID_OF, store.count)[i] = liquid;
    store.floats(layout.PRESSURE, store.count)[i] = 0;
    store.floats(layout.PRESCRIBED_UNTIL, store.count)[i] = ledUntil;
    store.integers(layout.CONSTRAINED, store.count)[i] = 0;
    store.floats(layout.VACANCY, store.count)[i] = -1;
    this.solver.maximumSpeed = Math.max(this.solver.maximumSpeed, length(velocity));
  }

  #emit(emitter: Emitter, id: number, position: Vec3, ledUntil: number): void {
    const { density } = this.#materials[emitter.liquid]!;
    this.#put(emitter.liquid, id, position, emitter.velocity, ledUntil);
    this.onEmit?.(id, emitter.liquid);
    this.#parts.effort.massAdded += density * this.spacing * this.spacing * this.spacing;
  }

  /** Positions that particles of bodies and of liquids have taken already. */
  #occupied(): TakenPositions {
    const { store, spacing } = this;
    const taken = new TakenPositions((edge) => (CLUSTERED * (spacing + edge)) / 2);
    this.#position();
    const bounds = store.floats(layout.BOUNDARY_INPUT_POSITION, 4 * store.boundaryCount);
    for (let k = this.#obstacleParticles; k < store.boundaryCount; k++) {
      // Weights are spacing * edge^2.
      const edge = Math.sqrt(bounds[4 * k + 3]! / spacing);
      taken.add([bounds[4 * k]!, bounds[4 * k + 1]!, bounds[4 * k + 2]!], edge);
    }
    const positions = store.floats(layout.POSITION, 4 * store.count);
    for (let i = 0; i < store.count; i++) {
      taken.add([positions[4 * i]!, positions[4 * i + 1]!, positions[4 * i + 2]!], spacing);
    }
    return taken;
  }

  /** Takes particles of a liquid out again that are inside an obstacle, or nearly. */
  #removeBuried(liquid: number): number {
    const { store, spacing } = this;
    if (this.#parts.obstacles.length === 0 || store.count === 0) return 0;
    store.run('measureClearance');
    const clearance = store.floats(layout.SOURCE, store.count);
    const of = store.integers(layout.LIQUID_OF, store.count);
    return store.keep((i) => of[i] !== liquid || clearance[i]! >= BURIED * spacing);
  }

  /** Puts materials into the table of liquids and into their particles. */
  writeMaterials(materials: readonly Material[]): void {
    this.#materials = materials;
    this.elastic?.writeMaterials(materials);
    const { store, spacing } = this;
    const table = store.floats(layout.LIQUIDS, (layout.LIQUID_STRIDE / 4) * materials.length);
    for (const [k, material] of materials.entries()) {
      const row = (layout.LIQUID_STRIDE / 4) * k;
      writeParameters(table.subarray(row), LIQUID_PARAMETERS, material);
      table[row + layout.LIQUID_LOOSE / 4] = material.surfaceTension > 0 || material.elastic ? 0 : 1;
      table[row + layout.LIQUID_TENSION / 4] = surfaceConstant(material.surfaceTension, this.#volume, spacing);
      table[row + layout.LIQUID_ATTRACTION / 4] = attractionStrength(material.surfaceTension, spacing);
      // What is elastic has a stress of its own.
      if (material.elastic) table[row + layout.LIQUID_COHESION / 4] = 0;
      const emitter = this.#emitters[k];
      if (emitter) table.set(emitter.velocity, row + layout.LIQUID_SOURCE_VELOCITY / 4);
    }
    const of = store.integers(layout.LIQUID_OF, store.count);
    const ids = store.integers(layout.ID, store.count);
    const positions = store.floats(layout.POSITION, 4 * store.count);
    const velocities = store.floats(layout.VELOCITY, 4 * store.count);
    for (let i = 0; i < store.count; i++) {
      const material = this.#materialOf(of[i]!, ids[i]!);
      positions[4 * i + 3] = 1 / (material.density * this.#volumeOf(of[i]!, ids[i]!));
      velocities[4 * i + 3] = liquidViscosity(material);
    }
  }

  /** Room for factors of every particle, where a material has such a curve. */
  #allocateFactors(slot: number, key: 'surfaceTension' | 'cohesion'): void {
    const { store } = this;
    if (!this.#materials.some(({ byTemperature }) => byTemperature?.[key])) return;
    store.allocate(slot, 4 * store.capacity);
    store.floats(slot, store.capacity).fill(1);
  }

  #factors(slot: number): Float32Array | undefined {
    return this.store.address(slot) === 0 ? undefined : this.store.floats(slot, this.store.capacity);
  }

  /** Multiplies what every particle has of its material by factors. */
  changeParticles(factorsOf: (id: number, liquid: number) => ParticleFactors): void {
    const { store } = this;
    const tensions = this.#factors(layout.TENSION_FACTOR);
    const cohesions = this.#factors(layout.COHESION_FACTOR);
    const ids = store.integers(layout.ID, store.count);
    const of = store.integers(layout.LIQUID_OF, store.count);
    const positions = store.floats(layout.POSITION, 4 * store.count);
    const velocities = store.floats(layout.VELOCITY, 4 * store.count);
    for (let i = 0; i < store.count; i++) {
      const id = ids[i]!;
      const material = this.#materialOf(of[i]!, id);
      const { viscosity, density, surfaceTension, cohesion } = factorsOf(id, of[i]!);
      if (tensions) tensions[id] = surfaceTension;
      if (cohesions) cohesions[id] = cohesion;
      positions[4 * i + 3] = 1 / (density * material.density * this.#volumeOf(of[i]!, id));
      velocities[4 * i + 3] = viscosity * liquidViscosity(material);
    }
  }

  /** Gives what is elastic the stiffness of its heat. */
  soften(softeningOf: (id: number, liquid: number) => Softening): void {
    this.elastic?.soften(softeningOf);
  }

  #writeSinks(sinks: readonly Region[]): void {
    const { store } = this;
    const table = store.allocate(layout.SINKS, layout.SINK_STRIDE * sinks.length);
    store.setInteger(layout.SINK_COUNT, sinks.length);
    const { arena } = store.engine;
    for (const [k, sink] of sinks.entries()) {
      const at = table + k * layout.SINK_STRIDE;
      const ball = 'sphere' in sink;
      arena.u32(at + layout.SINK_KIND, 1)[0] = ball ? 1 : 0;
      if (ball) arena.f32(at + layout.SINK_LOW, 4).set([...sink.sphere.center, sink.sphere.radius]);
      else if ('box' in sink) {
        arena.f32(at + layout.SINK_LOW, 3).set(sink.box.min);
        arena.f32(at + layout.SINK_HIGH, 3).set(sink.box.max);
      }
    }
  }

  /** Addresses of tables of the kernel of boundary particles, each made once, by the edge of their cells. */
  #kernelTables(kernel: RadialKernel, calibration: Calibration): (edge: number) => number {
    const tables = new Map<number, number>();
    const { arena } = this.store.engine;
    return (edge) => {
      const known = tables.get(edge);
      if (known !== undefined) return known;
      const table = boundaryKernel(kernel, calibration.scale, this.spacing, edge / 2);
      const at = arena.allocate(table.byteLength);
      arena.f32(at, table.length).set(table);
      tables.set(edge, at);
      return at;
    };
  }

  #writeBoundary(walls: ReturnType<typeof sampleWalls>, calibration: Calibration, bodyParticles: number): void {
    const { store, spacing } = this;
    const { solids, obstacles } = this.#parts;
    const locals = store.allocate(layout.BOUNDARY_LOCAL, 16 * this.#obstacleParticles);
    const { arena } = store.engine;
    const positions = arena.f32(locals, 4 * this.#obstacleParticles);
    const numbers = arena.u32(locals, 4 * this.#obstacleParticles);
    let k = 0;
    for (const { obstacle, points, areas } of walls) {
      const { slip, adhesion } = obstacles[obstacle]!.options;
      for (let p = 0; p < areas.length; p++, k++) {
        positions.set(points.subarray(3 * p, 3 * p + 3), 4 * k);
        numbers[4 * k + 3] = obstacle;
        this.#bound(k, spacing * areas[p]!, 1 - slip, [adhesion, calibration.depth * areas[p]!], 0);
      }
    }
    store.setInteger(layout.BOUNDARY_SOLID_BEGIN, k);
    store.allocate(layout.BOUNDARY_SOLID, 4 * bodyParticles);
    store.allocate(layout.REACTION_FOUND, 4 * REACTIONS * bodyParticles);
    store.setInteger(layout.REACTION_CAPACITY, REACTIONS);
    if (bodyParticles > 0) solids.externalForces();
    // Tables must be there before a step.
    for (const [b, { samples }] of this.#parts.immersed.entries()) {
      for (const i of this.#touched[b]!) this.#tableOf(samples.rest[4 * i + 3]!);
    }
    this.relistBodies();
  }

  /** Weight [m3], share of the viscosity, adhesion and volume [m3] of a boundary particle, and the edge of its cell [m]. */
  #bound(k: number, weight: number, noSlip: number, traits: readonly [number, number], edge: number): void {
    const { store } = this;
    store.floats(layout.BOUNDARY_INPUT_POSITION, 4 * store.boundaryCount)[4 * k + 3] = weight;
    store.floats(layout.BOUNDARY_INPUT_VELOCITY, 4 * store.boundaryCount)[4 * k + 3] = noSlip;
    store.floats(layout.BOUNDARY_INPUT_TRAITS, 4 * store.boundaryCount).set(traits, 4 * k);
    store.integers(layout.BOUNDARY_INPUT_TRAITS, 4 * store.boundaryCount)[4 * k + 2] = this.#tableOf(edge);
  }

  /** Lists the particles of bodies that are in the world: those of viscoplastic ones come and go. */
  relistBodies(): void {
    const { store, spacing } = this;
    const { immersed, solids } = this.#parts;
    const isPresent = solids.presence();
    const rest = solids.vectors(solidLayout.REST);
    const elastic = solids.vectors(solidLayout.ELASTIC);
    const listed = immersed.flatMap(({ samples, begin }, b) => {
      const flows = isRenewed(solids, b);
      return this.#touched[b]!.filter((i) => isPresent(begin + i)).map((i) => {
        const edge = flows ? 2 * rest[4 * (begin + i) + 3]! : samples.rest[4 * i + 3]!;
        const volume = flows ? elastic[4 * (begin + i) + 3]! : samples.volume[i]!;
        // Halves of a particle weigh as much as it did.
        return { particle: begin + i, edge, volume, area: flows ? volume / edge : edge * edge };
      });
    });
    this.#bodyParticles = listed.length;
    store.boundaryCount = this.#obstacleParticles + listed.length;
    const particles = store.integers(layout.BOUNDARY_SOLID, listed.length);
    for (const [k, { particle, edge, volume, area }] of listed.entries()) {
      particles[k] = particle;
      this.#bound(this.#obstacleParticles + k, spacing * area, 1, [NEUTRAL, volume], edge);
    }
  }

  /** Sources put particles in; boundary particles go where what they belong to is. Has any moved? */
  #prepare(time: number, dt: number): boolean {
    for (const emitter of this.#emitters) {
      emitter?.emit(time, this.store, (id, position, ledUntil) => this.#emit(emitter, id, position, ledUntil));
    }
    this.#constraints.write(time, dt);
    this.#parts.obstacleSet.move(time, dt);
    const moving = !this.#placed || this.#bodyParticles > 0 || this.#parts.obstacleSet.moves;
    if (moving) this.#position();
    return moving;
  }

  #position(): void {
    const { store } = this;
    store.run('placeObstacleBoundary', this.#obstacleParticles);
    store.run('placeBodyBoundary', this.#bodyParticles);
    this.#placed = true;
  }

  /** [kg]; only looked at where there are sinks. */
  #mass(): number {
    if (this.#parts.sinks.length === 0) return 0;
    const volume = this.spacing * this.spacing * this.spacing;
    const inverse = this.store.floats(layout.POSITION, 4 * this.store.count);
    const of = this.store.integers(layout.LIQUID_OF, this.store.count);
    const melted = this.#parts.liquids.map((liquid) => liquid.melted === true);
    let mass = this.counts().reduce(
      (sum, count, k) => sum + (melted[k] ? 0 : count * volume * this.#materials[k]!.density),
      0,
    );
    if (melted.includes(true)) for (let i = 0; i < of.length; i++) if (melted[of[i]!]) mass += 1 / inverse[4 * i + 3]!;
    return mass;
  }

  #react(): void {
    if (this.store.count === 0) {
      if (this.#bodyParticles > 0) this.#parts.solids.vectors(solidLayout.EXTERNAL_FORCE).fill(0);
      return;
    }
    this.store.run('computeReactions', this.#bodyParticles);
    this.reacted?.();
  }

  /** Told in each step when pressures are known and nothing has moved by them yet. */
  reacted: (() => void) | undefined;

  /** Boundary particles of bodies. */
  get bodyParticles(): number {
    return this.#bodyParticles;
  }
}

const short = (x: number) => Number(x.toPrecision(6));

function commonSpacing(liquids: readonly LiquidRecord[]): number {
  const spacings = liquids.map(({ samples }) => samples.rest[3]!);
  const [first] = spacings as [number];
  for (const [k, spacing] of spacings.entries()) {
    if (Math.abs(spacing - first) <= 1e-5 * first) continue;
    const message = `must be that of "${liquids[0]!.name}", ${short(first)} m: all liquids of a world have one spacing; got ${short(spacing)}`;
    throw new OptionError([{ path: `${liquids[k]!.name}.spacing`, message }]);
  }
  return first;
}

/** Space may repeat after three supports at the least, so that nothing meets its own image; spacings are rounded to float32. */
function refuseShortPeriods(period: Vec3, h: number): void {
  for (const [a, axis] of ['x', 'y', 'z'].entries()) {
    if (period[a] === 0 || period[a]! >= 3 * h * (1 - 1e-6)) continue;
    const message = `must be 0 or at least six spacings, ${short(3 * h)} m, along ${axis}, got ${period[a]}`;
    throw new OptionError([{ path: `solver.fluid.period[${a}]`, message }]);
  }
}

/** Boundary particles on all obstacles but planes, which need none. Kept, because a save has no meshes. */
function sampleWalls({ obstacles, obstacleSet, solids, solver }: FluidModelParts, spacing: number) {
  const { period } = solver.fluid;
  const repeats = period.some((length) => length > 0);
  if (repeats) obstacleSet.move(0, INSTANT);
  return obstacles.flatMap((record, obstacle) => {
    const { options, mesh } = record;
    if ('plane' in options.shape) return [];
    if (record.boundary?.spacing !== spacing) {
      if ('mesh' in options.shape && !mesh) {
        const message = 'cannot bound liquids of another spacing: a save keeps no meshes; add the liquid before saving';
        throw new OptionError([{ path: `obstacle "${options.name}"`, message }]);
      }
      const points = sampleNamed(options.name, () =>
        sampleObstacle(mesh ? { mesh: { data: mesh } } : options.shape, spacing),
      );
      record.boundary = { spacing, points: Float32Array.from(points) };
    }
    const whole = record.boundary.points;
    const once = repeats ? periodicSurface(solids, obstacle, whole, spacing, period) : undefined;
    const points = once?.points ?? whole;
    return [{ obstacle, points, areas: boundaryAreas(points, cubicSpline, spacing, once?.images) }];
  });
}

/** Says which obstacle has too large a surface for the spacing. */
function sampleNamed(name: string, sample: () => Float64Array): Float64Array {
  try {
    return sample();
  } catch (error) {
    if (!(error instanceof SamplingError)) throw error;
    const message = `cannot bound liquids: ${error.message}; make it smaller, or a plane`;
    throw new OptionError([{ path: `obstacle "${name}"`, message }], { cause: error });
  }
}
