/** Everything that is in a world, and its layout in memory. The other files of this folder are what can be done with it. */
import type { ForceOptions } from '../forces/index.js';
import { Engine } from '../memory/engine.js';
import { OptionError } from '../options/errors.js';
import { ROOM_TEMPERATURE } from '../options/heat.js';
import type { EventOptions, HeatOptions, Region, SolverOptions, Vec3 } from '../options/types.js';
import type { ConstraintRecord } from '../solvers/constraints/hold.js';
import type { Obstacle } from '../solvers/contact/obstacles.js';
import { NO_RENEWAL, type RenewalEffort } from '../solvers/elastic/renewal-effort.js';
import type { SolidEffort } from '../solvers/elastic/step.js';
import type { FluidEffort } from '../solvers/fluid/step.js';
import type { LoadRecord } from '../solvers/forces/loads.js';
import { type Grab, Grabs, SolidGrabs, WorldGrabs } from '../solvers/grab.js';
import type { HeatEffort } from '../solvers/heat/step.js';
import type { ForceState } from '../solvers/pushes.js';
import type { RapierEngine } from '../solvers/rigid/rapier/engine.js';
import type { RapierState } from '../solvers/rigid/rapier/state.js';
import { NO_SUBSTEPS, type Substeps } from '../solvers/step-limit.js';
import { type Body, describeBodies } from './bodies.js';
import type { Melting } from './melting.js';
import { attachMeter } from './metering.js';
import { type BodyRecord, buildModel, type WorldModel } from './model.js';
import { makeDistanceGrids } from './obstacles.js';
import { loadFurther } from './on-demand.js';
import type { OpenFrame } from './open-frame.js';
import { findPenetrations, refuseBlockedSources, writePenetrations } from './penetration.js';
import { Readings } from './readings.js';
import {
  refuseBreakable,
  refuseBuried,
  refuseIntegrator,
  refuseNothingLeft,
  refuseOverlap,
  refuseUnholdable,
} from './refusals.js';
import { NO_EFFORT, NO_HEAT } from './reports.js';
import { keepState, type PendingState, restoreState, setInitialDisplacements, setInitialVelocities } from './state.js';
import { WorldSurfaces } from './surfaces.js';

/** What holds for the whole world. */
export interface WorldSettings {
  readonly gravity: Vec3;
  readonly solver: SolverOptions;
  readonly seed: number;
  /** Of the surroundings [degrees C], when one was given, and what free surfaces exchange with them [W/(m2 K)]. */
  readonly temperature?: number | undefined;
  readonly heatTransfer: number;
  /** Forces from outside, by name; those that are left out do not act. */
  readonly forces: ForceOptions;
}

/** An empty world, with all that it needs loaded. */
export async function createContents(
  settings: WorldSettings & { readonly threads: 'auto' | number; readonly isPlain?: boolean | undefined },
  saved?: { readonly touches: Float32Array; readonly state: RapierState } | undefined,
): Promise<WorldContents> {
  const { solver, gravity, threads, isPlain = false } = settings;
  const engine = Engine.create(threads);
  const solvers = isPlain ? undefined : loadFurther();
  solvers?.catch(() => {});
  await Promise.all([engine, solvers]);
  if (solver.rigid !== 'rapier') return new WorldContents(await engine, settings);
  const { createRapier } = await import('../solvers/rigid/rapier/index.js');
  return new WorldContents(await engine, settings, await createRapier(gravity, saved));
}

export class WorldContents {
  readonly gravity: Vec3;
  readonly solver: SolverOptions;
  readonly seed: number;
  readonly temperature: number | undefined;
  readonly heatTransfer: number;
  readonly forces: ForceOptions;
  readonly engine: Engine;
  readonly emptyArena: number;
  readonly bodies: BodyRecord[] = [];
  readonly obstacles: Obstacle[] = [];
  readonly sinks: Region[] = [];
  readonly solidEffort: SolidEffort = { newtonIterations: 0, iterations: 0, retries: 0 };
  readonly substeps: Substeps = { ...NO_SUBSTEPS };
  /** The frame that has begun and not ended. */
  open: OpenFrame | undefined;
  readonly fluidEffort: FluidEffort = { ...NO_EFFORT };
  readonly constraints: ConstraintRecord[] = [];
  readonly events: EventOptions[] = [];
  /** The same in the order in which they were added, by which messages number them. */
  readonly eventOrder: EventOptions[] = [];
  readonly heats: HeatOptions[] = [];
  readonly heatEffort: HeatEffort = { ...NO_HEAT };
  readonly renewalEffort: RenewalEffort = { ...NO_RENEWAL };
  /** Lists of those scene items that have none here, by their keys. */
  readonly #lists = new Map<string, unknown[]>();
  /** Has something been given a temperature on the way? */
  heated = false;
  eventsDone = 0;
  model: WorldModel | undefined;
  readonly surfaces = new WorldSurfaces();
  frame = 0;
  selections = new Map<string, Uint32Array>();
  disposed = false;
  /** Bodies and obstacles that have been laid out together. */
  readonly placed = new Set<BodyRecord>();
  placedObstacles = 0;
  /** What the next report tells. */
  readonly notes: string[] = [];
  /** Hands that hold something; no part of a save. */
  readonly grabs: Grab[] = [];
  /** The state of a world that is to be laid out anew. */
  pending: PendingState | undefined;
  /** Who pushes whom, since somebody has asked for it. */
  forceState: ForceState | undefined;
  /** A body that was a solid up to now, for the next layout. */
  melted: Melting | undefined;

  /** What makes shapes of others, where bodies and obstacles may have such. */
  shapes: typeof import('./making.js') | undefined;

  /** What moves rigid bodies, where that is Rapier. */
  readonly rapier: RapierEngine | undefined;

  constructor(engine: Engine, settings: WorldSettings, rapier?: RapierEngine) {
    this.rapier = rapier;
    this.engine = engine;
    this.emptyArena = engine.arena.mark();
    this.gravity = settings.gravity;
    this.solver = settings.solver;
    this.seed = settings.seed;
    this.temperature = settings.temperature;
    this.heatTransfer = settings.heatTransfer;
    this.forces = settings.forces;
  }

  /** Simulated time [s]. */
  get time(): number {
    return this.model?.elastic.time ?? this.pending?.time ?? 0;
  }

  /** Substeps so far. */
  get stepCount(): number {
    return this.model?.elastic.stepCount ?? this.pending?.stepCount ?? 0;
  }

  /** The bodies as users see them. */
  get described(): readonly Body[] {
    return describeBodies(this.bodies, this.model?.fluid?.counts() ?? this.pending?.fluid?.counts);
  }

  /** Does heat count? It does when something has a temperature or is heated. */
  get isThermal(): boolean {
    const named = (options: { readonly temperature?: unknown }) => options.temperature !== undefined;
    return (
      this.heated ||
      named(this) ||
      this.heats.length > 0 ||
      this.bodies.some(({ options, emitter }) => named(emitter ?? options)) ||
      this.obstacles.some(({ options }) => named(options))
    );
  }

  /** The entries of a scene item that are still to come, or that act. */
  listOf<T>(item: string): T[] {
    const list = this.#lists.get(item) ?? [];
    this.#lists.set(item, list);
    return list as T[];
  }

  get read(): Readings {
    return new Readings(this.ready(), this.bodies);
  }

  /** xyz of a body's particles [m]; not a number where a source has none yet. */
  positionsOf(body: string): Float32Array {
    return this.read.positionsOf(this.described.find(({ name }) => name === body)!);
  }

  requireBody(name: string): BodyRecord {
    this.refuseDisposed();
    const record = this.bodies.find((body) => body.options.name === name);
    if (!record) {
      const known = this.bodies.map((body) => `"${body.options.name}"`).join(', ') || 'none yet';
      throw new OptionError([{ path: 'body', message: `"${name}" is not in the world; bodies are ${known}` }]);
    }
    return record;
  }

  refuseDisposed(): void {
    if (!this.disposed) return;
    throw new Error(
      'this world was disposed of, so its threads are gone: make another one with createWorld(), or keep ' +
        'world.save() before and go on with World.load()',
    );
  }

  /** Keeps the state of what is there and lays the memory out anew before the next step. */
  change(): void {
    this.refuseDisposed();
    this.selections.clear();
    if (this.pending) this.pending = { ...this.pending, hasForces: false };
    if (!this.model) return;
    this.pending = keepState(this.model);
    this.model = undefined;
  }

  /** Lays a world that moves already out at once, so that what cannot be added leaves it as it was. */
  refuseLate(undo: () => void): void {
    if (this.stepCount === 0) return;
    try {
      this.ready();
    } catch (error) {
      undo();
      throw error;
    }
  }

  /** The world in memory, laid out now if it is not. */
  ready(): WorldModel {
    this.refuseDisposed();
    if (this.model) return this.model;
    if (this.bodies.length === 0)
      throw new OptionError([{ path: 'bodies', message: 'are missing: a world needs at least one' }]);
    refuseUnholdable(this.bodies, this.obstacles, this.constraints);
    refuseIntegrator(this.bodies, this.solver);
    const problems = this.rapier?.problems(this.bodies, this.solver) ?? [];
    if (problems.length > 0) throw new OptionError(problems);
    refuseBreakable(this.bodies, this.solver);
    makeDistanceGrids(this.obstacles, this.bodies);
    const model = buildModel(
      {
        engine: this.engine,
        gravity: this.gravity,
        solver: this.solver,
        bodies: this.bodies,
        obstacles: this.obstacles,
        constraints: this.constraints,
        sinks: this.sinks,
        time: this.pending?.time ?? 0,
        frames: this.pending?.frames,
        seed: this.seed,
        solidEffort: this.solidEffort,
        substeps: this.substeps,
        fluidState: this.pending?.fluid,
        fluidEffort: this.fluidEffort,
        melted: this.melted,
        renewalState: this.pending?.renewal,
        renewalEffort: this.renewalEffort,
        heat: this.isThermal
          ? {
              ambient: this.temperature ?? ROOM_TEMPERATURE,
              transfer: this.heatTransfer,
              sources: this.heats,
              state: this.pending?.heat,
              effort: this.heatEffort,
            }
          : undefined,
        loads: this.listOf<LoadRecord>('loads'),
        forces: this.forces,
        rapier: this.rapier,
      },
      this.emptyArena,
    );
    const pending = this.pending;
    const first = pending ? pending.frames.length - (pending.fracture?.rows.length ?? 0) : 0;
    setInitialDisplacements(model, first);
    setInitialVelocities(model, first);
    if (pending) restoreState(model, pending);
    model.fluid?.startMelted();
    if (this.forceState) attachMeter(this, model, this.forceState);
    if (this.solver.contact.bodies) refuseOverlap(model, this.bodies, first);
    refuseNothingLeft(model, this.bodies);
    if (pending?.hasForces) model.elastic.placeConstraints();
    else {
      model.stepper.pushAtStart();
      model.elastic.evaluateForces();
      refuseBuried(model, this.bodies, first);
    }
    const old = [this.placed, this.obstacles, this.placedObstacles] as const;
    findPenetrations(model, this.bodies, ...old, this.constraints);
    refuseBlockedSources(model, this.bodies, ...old);
    writePenetrations(model);
    this.placedObstacles = this.obstacles.length;
    for (const body of this.bodies) this.placed.add(body);
    this.pending = undefined;
    for (const grab of this.grabs) this.attach(model, grab);
    this.model = model;
    return model;
  }

  /** Lets a grab act on the particles of its body. */
  attach(model: WorldModel, grab: Grab): void {
    const { stepper, locations } = model;
    const locationOf = (body: string) => locations[this.bodies.findIndex(({ options }) => options.name === body)]!;
    if (locationOf(grab.body).liquid) {
      const { fluid } = model;
      stepper.worldGrabs ??= new Grabs(new WorldGrabs(() => fluid!.worldAxes((body) => locationOf(body).index)));
      stepper.worldGrabs.add(grab);
      return;
    }
    const locate = (body: string) => {
      const { index } = locationOf(body);
      return { solid: index, begin: model.ranges[index]!.begin };
    };
    stepper.grabs ??= new Grabs(new SolidGrabs(model.store, model.elastic.frames, locate));
    stepper.grabs.add(grab);
  }
}
