/** The state of a world: where it begins, how it is carried over a new layout, and its fingerprint. */
import { add, cross, dot, length, scale, subtract, transform, transpose } from '../math/matrix3.js';
import { sineCosine } from '../math/trigonometry.js';
import { checkedVector } from '../options/field-values.js';
import type { Vec3 } from '../options/types.js';
import * as layout from '../particles/layout.js';
import { placeAtRest } from '../solvers/constraints/constraints.js';
import type { FractureState } from '../solvers/elastic/fracture.js';
import type { RenewalState } from '../solvers/elastic/renewal.js';
import type { FluidState } from '../solvers/fluid/model.js';
import type { HeatState } from '../solvers/heat/model.js';
import { unsigned } from '../solvers/rigid/bodies.js';
import type { WorldModel } from './model.js';
import type { SavedWorld } from './save.js';

/** State that waits for the memory to be laid out. */
export type PendingState = SavedWorld['solverState'] & {
  readonly attributes: readonly Float32Array[];
  readonly fluid?: FluidState | undefined;
  readonly heat?: HeatState | undefined;
  readonly fracture?: FractureState | undefined;
  readonly renewal?: RenewalState | undefined;
  /** Are the accelerations and frequencies those of this state? */
  readonly hasForces: boolean;
};

/** What the solver of bodies knows beside the particles' attributes. */
export function solverState({ elastic, store, ranges }: WorldModel): SavedWorld['solverState'] {
  return {
    time: elastic.time,
    stepCount: elastic.stepCount,
    lastStep: elastic.lastStep,
    elasticFrequency: elastic.elasticFrequency,
    contactFrequency: elastic.contactFrequency,
    maximumSpeed: elastic.maximumSpeed,
    heldStep: elastic.heldStep,
    frames: elastic.frames,
    rigid: elastic.rigid.save(),
    impactRate: elastic.rigid.impactRate,
    rapier: elastic.rigid.engineState?.(),
    impactSpeeds: ranges.map((_, b) => store.bodyFloats(b)[layout.BODY_IMPACT_SPEED / 4]!),
    askers: { ...elastic.askers },
    viscosity: elastic.viscosity?.save(),
  };
}

/** The state of a world whose memory will be laid out anew. */
export function keepState(model: WorldModel): PendingState {
  const { store, elastic, fluid, heat } = model;
  heat?.flush();
  const solver = solverState(model);
  return {
    ...solver,
    // Materials may be others.
    viscosity: solver.viscosity && { ...solver.viscosity, rate: 0 },
    attributes: [...store.state().map((array) => array.slice()), elastic.rigid.touches()],
    fluid: fluid?.save(),
    heat: heat?.save(),
    fracture: elastic.fracture?.save(),
    renewal: elastic.renewal?.save(),
    hasForces: false,
  };
}

/** Puts a state into a memory that has just been laid out. */
export function restoreState(model: WorldModel, state: PendingState): void {
  const { elastic, store } = model;
  elastic.time = state.time;
  elastic.stepCount = state.stepCount;
  elastic.lastStep = state.lastStep;
  elastic.elasticFrequency = state.elasticFrequency;
  elastic.contactFrequency = state.contactFrequency;
  elastic.maximumSpeed = Math.max(elastic.maximumSpeed, state.maximumSpeed);
  elastic.heldStep = state.heldStep;
  for (const [b, frame] of state.frames.entries()) elastic.frames[b] = frame;
  // Before the attributes: fits made anew write strains.
  if (state.fracture) elastic.fracture?.restore(state.fracture);
  const attributes = state.attributes.slice(0, -1);
  // What nothing was plastic in before has no plastic strain.
  for (const [k, array] of store.state().entries()) if (attributes[k]) array.set(attributes[k]);
  store.softenStabilisation(false);
  for (const [b, speed] of state.impactSpeeds.entries()) store.bodyFloats(b)[layout.BODY_IMPACT_SPEED / 4] = speed;
  elastic.writeFrames();
  elastic.rigid.restore(state.rigid, state.frames, state.attributes.at(-1)!, state.lastStep);
  elastic.rigid.impactRate = state.impactRate;
  Object.assign(elastic.askers, state.askers);
  if (state.viscosity) elastic.viscosity?.restore(state.viscosity);
}

/** Displacements of the bodies from number `first` on, which have not moved yet. */
export function setInitialDisplacements(model: WorldModel, first: number): void {
  const rest = model.store.vectors(layout.REST);
  const u = model.store.vectors(layout.DISPLACEMENT);
  const isPresent = model.store.presence();
  for (const [b, { begin, end }] of model.ranges.entries()) {
    const { options, initial } = model.solids[b]!;
    if (b < first || options.displacement.every((part) => part === 0)) continue;
    const back = transpose(initial.rotation);
    const displacementAt = checkedVector(options.displacement, `${options.name}.displacement`);
    for (let i = begin; i < end; i++) {
      if (!isPresent(i)) continue;
      const own = transform(back, displacementAt(placeAtRest(rest, i, initial)));
      for (let a = 0; a < 3; a++) u[4 * i + a] = own[a]!;
    }
  }
}

/** Velocities of the bodies from number `first` on, which have not moved yet. */
export function setInitialVelocities(model: WorldModel, first: number): void {
  const rest = model.store.vectors(layout.REST);
  const v = model.store.vectors(layout.VELOCITY);
  const isPresent = model.store.presence();
  for (const [b, { begin, end }] of model.ranges.entries()) {
    if (b < first) continue;
    const { options, initial } = model.solids[b]!;
    if (model.solids[b]!.matter.isRigid) {
      model.elastic.rigid.setVelocity(b, options.velocity as Vec3, options.angularVelocity);
      continue;
    }
    const back = transpose(initial.rotation);
    const velocityAt = checkedVector(options.velocity, `${options.name}.velocity`);
    const angular = transform(back, options.angularVelocity);
    const twist = transform(back, options.twist);
    const center = massCenter(model.store, begin, end);
    const along = (i: number) => dot(twist, [rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!]);
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = begin; i < end; i++) {
      if (!isPresent(i)) continue;
      const edge = rest[4 * i + 3]! * length(twist);
      low = Math.min(low, along(i) - edge);
      high = Math.max(high, along(i) + edge);
    }
    for (let i = begin; i < end; i++) {
      if (!isPresent(i)) continue;
      const share = high > low ? sineCosine((Math.PI / 2) * ((along(i) - low) / (high - low))).sine : 0;
      const spin = add(angular, scale(twist, share));
      const turn = cross(spin, subtract([rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!], center));
      const velocity = transform(back, velocityAt(placeAtRest(rest, i, initial)));
      for (let a = 0; a < 3; a++) v[4 * i + a] = velocity[a]! + turn[a]!;
      model.elastic.maximumSpeed = Math.max(model.elastic.maximumSpeed, length(add(velocity, turn)));
    }
  }
  model.elastic.rigid.writeVelocities();
  for (const [b, { begin, end }] of model.ranges.entries()) {
    if (b < first || !model.solids[b]!.matter.isRigid) continue;
    for (let i = begin; i < end; i++) {
      const speed = length([v[4 * i]!, v[4 * i + 1]!, v[4 * i + 2]!]);
      model.elastic.maximumSpeed = Math.max(model.elastic.maximumSpeed, speed);
    }
  }
}

/** Centre of mass of some particles at rest, in body axes. */
function massCenter(store: WorldModel['store'], begin: number, end: number): Vec3 {
  const rest = store.vectors(layout.REST);
  const sums = store.vectors(layout.GRADIENT_SUM);
  let mass = 0;
  const sum: [number, number, number] = [0, 0, 0];
  for (let i = begin; i < end; i++) {
    const m = 1 / sums[4 * i + 3]!;
    mass += m;
    for (let a = 0; a < 3; a++) sum[a]! += m * rest[4 * i + a]!;
  }
  return [sum[0] / mass, sum[1] / mass, sum[2] / mass];
}

/** A fingerprint of the whole state: the same for every number of threads and every engine. */
export function hashState(model: WorldModel): string {
  const { store, elastic, fluid, heat } = model;
  const { arena, helpers } = store.engine;
  let hash = fluid ? fluid.store.hash(0n) : 0n;
  if (fluid?.elastic) hash = fluid.elastic.store.hash(hash);
  if (heat) hash = heat.hash(hash);
  for (const array of store.state()) hash = helpers.hashWords(array.byteOffset, array.length, hash);
  if (elastic.fracture) hash = elastic.fracture.hash(hash);
  if (elastic.renewal) hash = elastic.renewal.hash(hash);
  const scalars = Float64Array.of(
    elastic.time,
    elastic.stepCount,
    elastic.lastStep,
    elastic.heldStep.timeStep,
    ...elastic.frames.flatMap((frame) => [...frame.rotation, ...frame.origin]),
    ...elastic.rigid.save().flatMap((state) => Object.values(state).flat().map(unsigned)),
  );
  const touches = elastic.rigid.touches();
  const mark = arena.mark();
  const at = arena.allocate(scalars.byteLength + touches.byteLength);
  arena.f64(at, scalars.length).set(scalars);
  arena.f32(at + scalars.byteLength, touches.length).set(touches);
  hash = helpers.hashWords(at, 2 * scalars.length + touches.length, hash);
  arena.release(mark);
  return BigInt.asUintN(64, hash).toString(16).padStart(16, '0');
}
