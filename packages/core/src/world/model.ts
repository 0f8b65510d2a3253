import { actingForces, type ForceOptions } from '../forces/index.js';
import { add, transform } from '../math/matrix3.js';
import type { Engine } from '../memory/engine.js';
import { checkedField } from '../options/field-values.js';
import { START_TEMPERATURE } from '../options/heat.js';
import type { Matter } from '../options/phase.js';
import type {
  BodyOptions,
  EmitterOptions,
  HeatOptions,
  Material,
  Region,
  SolverOptions,
  Vec3,
} from '../options/types.js';
import type { BodyRange } from '../particles/body-range.js';
import type { Frame } from '../particles/frame.js';
import * as layout from '../particles/layout.js';
import { type BodySamples, partNumbers, partsOf } from '../particles/samples.js';
import { ParticleStore } from '../particles/store.js';
import type { SamplingQuality } from '../sampling/index.js';
import { findClamps } from '../solvers/constraints/clamp.js';
import { ConstraintTable, particlesIn, placeAtRest, type SolidConstraint } from '../solvers/constraints/constraints.js';
import { beginsWithHold, type ConstraintRecord, resampleHold } from '../solvers/constraints/hold.js';
import { type Obstacle, ObstacleSet, type PenetrationTime } from '../solvers/contact/obstacles.js';
import { ParticleContact } from '../solvers/contact/particles.js';
import { writeMaterial } from '../solvers/elastic/material.js';
import { buildNeighborhoods, type RankReport } from '../solvers/elastic/neighborhood.js';
import type { RenewalState } from '../solvers/elastic/renewal.js';
import type { RenewalEffort } from '../solvers/elastic/renewal-effort.js';
import type { BondScore } from '../solvers/elastic/scores.js';
import { fastestMotions, writeFastest } from '../solvers/elastic/stability.js';
import { ElasticSolver, type SolidEffort } from '../solvers/elastic/step.js';
import type { MeltedBody } from '../solvers/fluid/melted.js';
import type { FluidModel, FluidState } from '../solvers/fluid/model.js';
import type { FluidEffort } from '../solvers/fluid/step.js';
import { ExternalForces } from '../solvers/forces/external.js';
import type { LoadRecord, SurfaceLoads } from '../solvers/forces/loads.js';
import type { Arrangement } from '../solvers/heat/bonds.js';
import type { HeatModel, HeatState } from '../solvers/heat/model.js';
import type { HeatEffort } from '../solvers/heat/step.js';
import { materialsOf, shearModulus, solidViscosity, yieldStrainOf } from '../solvers/material.js';
import { RigidBodies } from '../solvers/rigid/bodies.js';
import type { RapierEngine } from '../solvers/rigid/rapier/engine.js';
import type { Substeps } from '../solvers/step-limit.js';
import { Stepper } from '../solvers/stepper.js';
import { further } from './on-demand.js';

/** How far the particles of a body were inside obstacles at a time. */
export interface Penetration extends PenetrationTime {
  /** Name of the one that it was in deepest, and how far [m]. */
  readonly obstacle: string;
  readonly deepest: number;
  /** By particle of the start, 0 for those outside [m]. */
  readonly depths: Float32Array;
}

/** A body as the world keeps it. */
export interface BodyRecord {
  readonly options: BodyOptions;
  /** What it is made of, and what follows from that. */
  readonly matter: Matter;
  readonly samples: BodySamples;
  /** Where the rest shape stood at time 0. */
  readonly initial: Frame;
  /** May be changed by events. */
  material: Material;
  /** Longest side of the bounding box at rest [m]. */
  readonly longestSide: number;
  readonly warnings: readonly string[];
  /** May something of it flow for good, or has it? */
  plastic: boolean;
  /** May something of it break, or has it? */
  breaks: boolean;
  /** How far it began inside obstacles, if it did. */
  penetration?: Penetration | undefined;
  /** How well the particles stand for the shape; not known of particles that a program gave. */
  readonly quality?: SamplingQuality | undefined;
  /** Of a liquid that comes out of a source: its particles are positions that may be taken. */
  readonly emitter?: EmitterOptions | undefined;
  /** Of the shape [m2]; not known of particles that a program gave. */
  readonly surfaceArea?: number | undefined;
  /** Was it a solid that has begun to melt? Its kind is fluid from then on. */
  readonly melted?: boolean | undefined;
  /** Has it been told that it cannot melt, or not grow together with what freezes onto it? */
  staysSolid?: boolean | undefined;
  staysApart?: boolean | undefined;
}

/** Heat in a world; without temperatures there is none. */
export interface HeatParts {
  /** Of the surroundings [degrees C], and what free surfaces exchange with them [W/(m2 K)]. */
  readonly ambient: number;
  readonly transfer: number;
  readonly sources: readonly HeatOptions[];
  readonly state?: HeatState | undefined;
  readonly effort: HeatEffort;
}

export interface ModelParts {
  readonly engine: Engine;
  readonly gravity: Vec3;
  readonly solver: SolverOptions;
  readonly bodies: readonly BodyRecord[];
  readonly obstacles: readonly Obstacle[];
  readonly constraints: readonly ConstraintRecord[];
  /** Regions where liquid leaves the world. */
  readonly sinks: readonly Region[];
  /** When the world is laid out [s]: clamps that have let go by then do not count. */
  readonly time: number;
  /** What the random parts of strengths are drawn from. */
  readonly seed: number;
  /** The bodies and liquids as they were before the memory is laid out anew. */
  readonly frames?: readonly Frame[] | undefined;
  readonly solidEffort: SolidEffort;
  readonly substeps: Substeps;
  readonly fluidState?: FluidState | undefined;
  readonly fluidEffort: FluidEffort;
  /** A body that was a solid up to now. */
  readonly melted?: { readonly record: BodyRecord; readonly body: MeltedBody } | undefined;
  readonly renewalState?: RenewalState | undefined;
  readonly renewalEffort: RenewalEffort;
  readonly heat?: HeatParts | undefined;
  /** What moves the rigid bodies, where that is Rapier. */
  readonly rapier?: RapierEngine | undefined;
  /** On surfaces of solids and rigid bodies. */
  readonly loads?: readonly LoadRecord[] | undefined;
  /** Forces from outside; none where nothing is said about them. */
  readonly forces?: ForceOptions | undefined;
}

/** Where a body's particles are: number `index` of the liquids or of all others; and their public numbers. */
export interface BodyLocation {
  readonly liquid: boolean;
  readonly index: number;
  readonly begin: number;
  readonly end: number;
}

/** The world compiled into the engine's memory: particles, neighbourhoods and the solver on them. */
export interface WorldModel {
  /** All bodies in the order in which they were added. */
  readonly locations: readonly BodyLocation[];
  /** Those that are not liquid, and their particles; ranges are theirs. */
  readonly solids: readonly BodyRecord[];
  readonly store: ParticleStore;
  readonly ranges: readonly BodyRange[];
  readonly pairs: number;
  readonly ranks: RankReport;
  readonly elastic: ElasticSolver;
  readonly obstacles: ObstacleSet;
  readonly constraints: ConstraintTable;
  readonly fluid: FluidModel | undefined;
  readonly heat: HeatModel | undefined;
  readonly stepper: Stepper;
  /** When the first clamp lets go, and the world has to be laid out anew [s]. */
  readonly clampedUntil: number;
}

/**
 * What suits the fits: supports in spacings, about 30 neighbours for three linear terms and 56 for nine, and
 * weights of the stabilisation. The quadratic fit needs little of it on a lattice. The linear one does not
 * see how strain changes within a neighbourhood, and the penalty on what it does not see stands in for it:
 * 0.75 is calibrated on beams (five across, nu 0 / 0.3 / 0.45: -0.6 / 2.6 / 2.2 %; 21 to 23 % at 0.1).
 */
const FITS = {
  linear: { support: 2.1, stabilisation: 0.75 },
  quadratic: { support: 2.4, stabilisation: 0.1 },
  irregular: { support: 2.6, stabilisation: 1 },
} as const;

/** Support and stabilisation of a body, as the user said or as suits it. */
function fitOf(body: BodyRecord, { solid }: SolverOptions): { fit: number; support: number; stabilisation: number } {
  const quadratic = (body.options.discretisation ?? solid.discretisation) === 'quadratic';
  const regular = body.quality !== undefined && body.samples.offset.length === 0 && body.options.lattice !== 'octree';
  const usual = FITS[quadratic ? (regular ? 'quadratic' : 'irregular') : 'linear'];
  const elastic = quadratic ? layout.FIT_QUADRATIC : layout.FIT_LINEAR;
  const fit = body.matter.isRigid ? layout.FIT_NONE : elastic;
  return {
    fit,
    support: solid.support ?? usual.support,
    stabilisation: solid.stabilisation ?? usual.stabilisation,
  };
}

/** Lays out and fills the memory. Everything that a step needs is allocated here. */
export function buildModel(parts: ModelParts, emptyArena: number): WorldModel {
  const { engine, solver } = parts;
  const bodies = parts.bodies.filter(({ matter }) => !matter.isFluid);
  engine.arena.release(emptyArena);
  const ranges: BodyRange[] = [];
  let count = 0;
  for (const { samples } of bodies) {
    ranges.push({ begin: count, end: count + samples.count });
    count += samples.count;
  }
  const store = new ParticleStore(engine, count, bodies.length);
  const fits = bodies.map((body) => fitOf(body, solver));
  const supports = new Float32Array(count);
  const bondShares = new Float32Array(count);
  let smallestSpacing = Number.POSITIVE_INFINITY;
  for (const [b, body] of bodies.entries()) {
    const { samples, material } = body;
    const { begin, end } = ranges[b]!;
    const rest = store.vectors(layout.REST);
    const elastic = store.vectors(layout.ELASTIC);
    const sums = store.vectors(layout.GRADIENT_SUM);
    const contactRadii = store.floats(layout.CONTACT_RADIUS, count);
    const materials = materialsOf(body);
    const { support: supportRatio, stabilisation } = fits[b]!;
    rest.set(samples.rest, 4 * begin);
    store.integers(layout.BODY_OF, count).fill(b, begin, end);
    let support = 0;
    for (let i = begin; i < end; i++) {
      const spacing = samples.rest[4 * (i - begin) + 3]!;
      const volume = samples.volume[i - begin]!;
      const own = materials[i - begin]!;
      rest[4 * i + 3] = spacing / 2;
      contactRadii[i] = samples.contactRadius[i - begin] ?? spacing / 2;
      elastic[4 * i + 3] = volume;
      // Of free slots it is infinite.
      sums[4 * i + 3] = 1 / (own.density * volume);
      supports[i] = supportRatio * spacing;
      bondShares[i] = stabilisation * (own === material ? 1 : shearModulus(own) / shearModulus(material));
      support = Math.max(support, supports[i]!);
      smallestSpacing = Math.min(smallestSpacing, spacing);
    }
    const integers = store.bodyIntegers(b);
    integers[layout.BODY_BEGIN / 4] = begin;
    integers[layout.BODY_END / 4] = end;
    integers[layout.BODY_BREAKS / 4] = body.breaks ? b + 1 : 0;
    integers[layout.BODY_SCATTERED / 4] = 0;
    integers[layout.BODY_RENEWS / 4] = body.matter.isViscoplastic ? 1 : 0;
    store.bodyFloats(b)[layout.BODY_SUPPORT / 4] = support;
  }
  const names = bodies.map((body) => body.options.name);
  // Those that wait for their start come when it does.
  const ofSolids = parts.constraints.filter(({ options, hold }) => {
    const body = bodies[names.indexOf(options.body)];
    return body && (hold || !beginsWithHold(options, body.matter));
  });
  const constrained = findClamps(
    ofSolids.map(({ options, hold }) => {
      const body = names.indexOf(options.body);
      const { samples, initial } = bodies[body]!;
      return { body, options, hold, samples, initial, support: fits[body]!.support };
    }),
    parts.time,
  );
  const quadraticCount = store.setDiscretisations(fits.map((fit) => fit.fit));
  if (quadraticCount > 0) writeCells(store, bodies, ranges);
  const clampedUntil = cutCells(store, ranges, constrained, quadraticCount > 0);
  if (bodies.some(isPlastic)) store.allocatePlastic();
  const split = ranges.map((range, b) => ({
    ...range,
    parts: partsOf(bodies[b]!.samples).map(({ begin, end }) => ({
      begin: range.begin + begin,
      end: range.begin + end,
    })),
  }));
  for (const [b, { begin, end }] of ranges.entries()) {
    store.integers(layout.PART_OF, store.count).subarray(begin, end).set(partNumbers(bodies[b]!.samples));
  }
  const breakable = [...bodies.keys()].filter((b) => bodies[b]!.breaks);
  const anyBreaks = breakable.length > 0;
  const { pairs, ranks } = buildNeighborhoods(store, split, supports, bondShares, quadraticCount, anyBreaks);
  const obstacles = new ObstacleSet(store, parts.obstacles);
  const surfaces = (isOutermost: (i: number) => boolean, capacity: number) => {
    const { SurfaceContact } = further();
    return new SurfaceContact(store, ranges, (b) => bodies[b]!.samples.normal, isOutermost, capacity);
  };
  const contact = new ParticleContact(store, ranges, solver.contact, solver.contact.surfaces ? surfaces : undefined);
  const constraints = new ConstraintTable(
    store,
    ranges,
    bodies.map((body) => body.initial),
    constrained,
  );
  const rigidParts = { store, ranges, bodies, constraints: ofSolids, gravity: parts.gravity };
  const rigid = parts.rapier
    ? parts.rapier.bodies({
        ...rigidParts,
        obstacles: parts.obstacles,
        touching: solver.contact.bodies,
        time: parts.time,
      })
    : new RigidBodies({ ...rigidParts, obstacles: parts.obstacles.length });
  const elastic = new ElasticSolver({
    store,
    frames: bodies.map(({ initial }) => initial),
    options: solver,
    gravity: parts.gravity,
    smallestSpacing,
    obstacles,
    contact,
    constraints,
    quadraticCount,
    ranges,
    rigid,
    names,
    effort: parts.solidEffort,
    solvers: further,
  });
  const flowing = [...bodies.keys()].filter((b) => bodies[b]!.matter.isViscoplastic);
  if (flowing.length > 0) {
    const { renewalEffort: effort } = parts;
    const options = solver.embedding;
    const yieldStrain = Math.max(...flowing.flatMap((b) => materialsOf(bodies[b]!).map(yieldStrainOf)));
    const own = { store, ranges, bodies: flowing, options, supports, bondShares, yieldStrain, effort };
    const renewal = new (further().Renewal)(own);
    elastic.renewal = renewal;
    renewal.listeners.push((resampled) => {
      elastic.materialsChanged();
      if (resampled.merges.length + resampled.splits.length === 0) {
        contact.invalidate();
        return;
      }
      contact.relist();
      constraints.resample(resampled);
      for (const record of parts.constraints) {
        const b = names.indexOf(record.options.body);
        if (record.hold && flowing.includes(b)) record.hold = resampleHold(record.hold, ranges[b]!.begin, resampled);
      }
    });
    contact.relist();
  }
  if (bodies.some((body) => materialsOf(body).some((material) => solidViscosity(body, material) > 0))) {
    elastic.viscosity = new (further().SolidViscosity)({
      store,
      explicit: solver.embedding.viscosity === 'explicit',
      implicitSteps: elastic.implicit,
      obstacles: parts.obstacles.length > 0,
      effort: parts.solidEffort,
    });
  }
  if (anyBreaks) {
    const constraintOf = (i: number) => store.integers(layout.CONSTRAINT_OF, store.count)[i]!;
    elastic.fracture = new (further().Fracture)({
      store,
      ranges,
      contact,
      frames: elastic.frames,
      bodies: breakable,
      held: (i) => constraintOf(i) !== 0,
    });
  }
  const locations = placeBodies(parts.bodies);
  const solidModel = {
    locations,
    solids: bodies,
    store,
    ranges,
    pairs,
    ranks,
    elastic,
    obstacles,
    constraints,
    clampedUntil,
  };
  writeMaterials(solidModel, parts.seed);
  elastic.fracture?.noteScores(scoresOf(bodies));
  if (elastic.renewal && parts.renewalState) {
    elastic.renewal.restore(parts.renewalState);
    contact.relist();
  }
  const liquids = parts.bodies.filter(({ matter }) => matter.isFluid);
  const fluid = liquids.length === 0 ? undefined : buildFluid(parts, liquids, solidModel, obstacles);
  const heat = parts.heat && buildHeat(parts, parts.heat, solidModel, fluid);
  const acting = actingForces(parts.forces ?? {});
  const forced = bodies.flatMap((body, b) => {
    if (body.matter.isViscoplastic) return [];
    const { begin, end } = ranges[b]!;
    const mirrors = elastic.ghosts.filter(({ particle: i }) => i >= begin && i < end);
    return [{ body, begin, leftOut: new Set(mirrors.map(({ particle }) => particle - begin)) }];
  });
  if (fluid && acting.length > 0) {
    const forces = new (further().LiquidForces)(fluid.store, liquids, acting);
    fluid.solver.push = (time, dt, prescribed) => forces.push(time, dt, prescribed);
  }
  const external = new ExternalForces(store);
  elastic.renewal?.listeners.push(({ merges, splits }) => {
    external.resample(merges, splits);
    if (merges.length + splits.length > 0) fluid?.relistBodies();
    heat?.resample(merges, splits);
  });
  const bodyForces =
    acting.length === 0
      ? []
      : [
          ...(forced.length > 0 ? [new (further().SolidForces)(store, forced, acting)] : []),
          ...(elastic.renewal
            ? [
                new (further().FlowForces)(
                  store,
                  elastic.renewal,
                  flowing.map((row) => ({ row, body: bodies[row]!, begin: ranges[row]!.begin })),
                  acting,
                ),
              ]
            : []),
        ];
  const stepper = new Stepper({
    elastic,
    fluid,
    solids: count > 0,
    substeps: parts.substeps,
    heat,
    external,
    gravity: parts.gravity,
    loads: buildLoads(parts, solidModel),
    bodyForces,
  });
  return { ...solidModel, fluid, heat, stepper };
}

/** Temperature of a body's particles at the start [degrees C]; `ambient` where it says nothing. */
export function temperatureAtStart(body: BodyRecord, ambient: number): (particle: number) => number {
  const { options, emitter, samples, initial } = body;
  const { temperature = ambient } = emitter ?? options;
  if (typeof temperature === 'number') return () => temperature;
  const evaluate = checkedField(temperature, START_TEMPERATURE, `${options.name}.temperature`);
  return (particle) => {
    const [x, y, z] = placeAtRest(samples.rest, particle, initial);
    return evaluate(x, y, z, 0);
  };
}

/** Those of bodies that have not melted. */
function buildLoads(
  { loads = [] }: ModelParts,
  { store, solids, ranges, elastic }: Pick<WorldModel, 'store' | 'solids' | 'ranges' | 'elastic'>,
): SurfaceLoads | undefined {
  const parts = loads.flatMap((load) => {
    const body = solids.findIndex(({ options }) => options.name === load.options.body);
    if (body < 0) return [];
    const { samples, initial } = solids[body]!;
    return [{ ...load, body, begin: ranges[body]!.begin, samples, initial }];
  });
  return parts.length > 0 ? new (further().SurfaceLoads)(store, elastic.frames, parts) : undefined;
}

/** May something of a body flow for good? */
const isPlastic = ({ plastic, matter }: BodyRecord) => plastic || matter.isViscoplastic;

function buildHeat(
  parts: ModelParts,
  { ambient, transfer, sources, state, effort }: HeatParts,
  { store, elastic, locations }: Pick<WorldModel, 'store' | 'elastic' | 'locations'>,
  fluid: FluidModel | undefined,
): HeatModel {
  const arrangementOf = ({ options, samples, quality }: BodyRecord): Arrangement => {
    if (!quality || samples.offset.length > 0 || options.lattice === 'octree') return 'irregular';
    return options.lattice === 'cubic' ? 'cubic' : 'lattice';
  };
  const seen = (isLiquid: boolean) =>
    parts.bodies
      .filter(({ matter }) => matter.isFluid === isLiquid)
      .map((body) => ({
        name: body.options.name,
        samples: body.samples,
        materials: materialsOf(body),
        temperature: temperatureAtStart(body, ambient),
        arrangement: arrangementOf(body),
        surfaceArea: body.surfaceArea,
        melted: body.melted,
      }));
  const firstOf = (b: number) => {
    const { liquid, index } = locations[b]!;
    const before = parts.bodies.filter((_, k) => locations[k]!.liquid === liquid && locations[k]!.index < index);
    return (liquid ? store.count : 0) + before.reduce((sum, { samples }) => sum + samples.count, 0);
  };
  return new (further().HeatModel)({
    engine: parts.engine,
    solids: store,
    bodies: seen(false),
    liquids: seen(true),
    fluid,
    flow: elastic.renewal && {
      updated: () => elastic.renewal!.updates > 0,
      ancestors: () => elastic.renewal!.ancestors(),
    },
    cracks: elastic.fracture,
    obstacles: parts.obstacles.map(({ options }) => options),
    ambient,
    transfer,
    period: parts.solver.fluid.period,
    sources: sources.map((options) => {
      const b = parts.bodies.findIndex((body) => body.options.name === options.body);
      const { samples, initial } = parts.bodies[b]!;
      const chosen = particlesIn(samples.rest, { begin: 0, end: samples.count }, initial, options.region);
      return { options, particles: chosen.map((i) => firstOf(b) + i) };
    }),
    now: () => elastic.time,
    state,
    effort,
  });
}

function placeBodies(bodies: readonly BodyRecord[]): BodyLocation[] {
  const counts = { solid: 0, liquid: 0 };
  let begin = 0;
  return bodies.map(({ matter, samples }) => {
    const liquid = matter.isFluid;
    begin += samples.count;
    return { liquid, index: counts[liquid ? 'liquid' : 'solid']++, begin: begin - samples.count, end: begin };
  });
}

function buildFluid(
  parts: ModelParts,
  liquids: readonly BodyRecord[],
  { store, solids, ranges, elastic }: Pick<WorldModel, 'store' | 'solids' | 'ranges' | 'elastic'>,
  obstacleSet: ObstacleSet,
): FluidModel {
  // Bodies that were there before stand where they are now.
  for (const [b, frame] of (parts.frames ?? []).entries()) if (b < solids.length) elastic.frames[b] = frame;
  elastic.writeFrames();
  return new (further().FluidModel)({
    engine: parts.engine,
    solver: parts.solver,
    gravity: parts.gravity,
    liquids: liquids.map((body) => {
      const { options, samples, initial, material, emitter, longestSide } = body;
      return {
        name: options.name,
        materials: options.regions.length > 0 ? materialsOf(body) : undefined,
        samples,
        initial,
        material,
        velocity: options.velocity,
        angularVelocity: options.angularVelocity,
        emitter,
        longestSide,
        melted: body.melted,
        start: body === parts.melted?.record ? parts.melted.body : undefined,
      };
    }),
    obstacles: parts.obstacles,
    obstacleSet,
    sinks: parts.sinks,
    solids: store,
    constraints: parts.constraints.filter(({ options }) => liquids.some((body) => body.options.name === options.body)),
    immersed: solids.map(({ samples }, b) => ({ samples, begin: ranges[b]!.begin })),
    time: parts.time,
    state: parts.fluidState,
    effort: parts.fluidEffort,
    solidEffort: parts.solidEffort,
  });
}

/** Of bodies that break along patterns, by their numbers. */
function scoresOf(bodies: readonly BodyRecord[]): Map<number, BondScore> {
  return new Map(
    [...bodies.entries()]
      .filter(([, { options, breaks }]) => breaks && options.scores.length > 0)
      .map(([b, { options, samples, initial }]) => {
        const { rest, count } = samples;
        const locations = new Float64Array(3 * count);
        for (let i = 0; i < count; i++) {
          const position = add(
            transform(initial.rotation, [rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!]),
            initial.origin,
          );
          locations.set(position, 3 * i);
        }
        return [b, further().scoreOf(options.scores, { positions: locations, spacing: rest[3]! })];
      }),
  );
}

/** Second moments of the particles' cells, cubes of the cell's edge, and the way to their centroids. */
function writeCells(store: ParticleStore, bodies: readonly BodyRecord[], ranges: readonly BodyRange[]): void {
  store.allocate(layout.CELL_MOMENT, 32 * store.count);
  const cells = store.floats(layout.CELL_MOMENT, 8 * store.count);
  for (const [b, { samples }] of bodies.entries()) {
    const { begin } = ranges[b]!;
    for (let i = 0; i < samples.count; i++) {
      const spacing = samples.rest[4 * i + 3]!;
      const at = 8 * (begin + i);
      for (let a = 0; a < 3; a++) {
        cells[at + a] = (spacing * spacing) / 12;
        cells[at + 4 + a] = samples.offset[3 * i + a] ?? 0;
      }
    }
  }
}

/** Leaves of the cells of dependent particles what is in front of the clamp. Returns when the first clamp lets go. */
function cutCells(
  store: ParticleStore,
  ranges: readonly BodyRange[],
  constrained: readonly SolidConstraint[],
  quadratic: boolean,
): number {
  const elastic = store.vectors(layout.ELASTIC);
  let until = Number.POSITIVE_INFINITY;
  for (const { body, options, clamp } of constrained) {
    if (clamp.ghosts.length + clamp.buried.length > 0) until = Math.min(until, options.end);
    for (const particle of clamp.buried) elastic[4 * (ranges[body]!.begin + particle) + 3] = 0;
    for (const { particle, share, centroid, moment } of clamp.ghosts) {
      const i = ranges[body]!.begin + particle;
      elastic[4 * i + 3]! *= share;
      if (!quadratic) continue;
      const cells = store.floats(layout.CELL_MOMENT, 8 * store.count);
      cells.set(moment, 8 * i);
      cells.set(centroid, 8 * i + 4);
    }
  }
  return until;
}

/** Writes the bodies' materials and finds the frequencies that they give; displacements must be zero. */
function writeMaterials(model: Pick<WorldModel, 'store' | 'ranges' | 'solids' | 'elastic'>, seed: number): void {
  const { store, ranges, solids, elastic } = model;
  const moduli = solids.map((body, b) =>
    writeMaterial(store, b, ranges[b]!, body.material, materialsOf(body), body.longestSide, isPlastic(body)),
  );
  if (ranges.some((_, b) => store.bodyFloats(b)[layout.BODY_REBOUND_DAMPING / 4]! > 0)) store.recordWallImpulses();
  elastic.viscosity?.write(
    solids.map((body) => materialsOf(body).map((material) => solidViscosity(body, material))),
    ranges,
  );
  elastic.rigid.writeMaterials(solids.map((body) => body.material));
  const fastest = fastestMotions(store, ranges);
  writeFastest(store, fastest, moduli);
  elastic.noteFrequencies(fastest.map(({ frequency, viscosity }) => frequency + viscosity));
  elastic.fracture?.noteMaterials(solids.map(materialsOf), seed);
}

/** Rewrites materials in mid-run: the state is put aside while the frequencies are found anew. */
export function rewriteMaterials(model: WorldModel): void {
  const { store } = model;
  const kept = store.state().map((array) => array.slice());
  // Bodies that can break are laid out anew instead, so their seed is not asked for.
  writeMaterials(model, 0);
  for (const [k, array] of store.state().entries()) array.set(kept[k]!);
  model.elastic.materialsChanged();
}
