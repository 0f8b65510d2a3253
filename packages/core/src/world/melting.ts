/**
 * Solids that begin to melt. As long as a body is cold it is a solid to the bit. When the first of its particles begins
 * to melt, or something liquid freezes onto it, the whole body goes on as a melt (solvers/fluid/elastic.ts): its bonds are
 * those of its rest shape, and positions, velocities, masses, plastic strains and heat stay what they are. Viscoplastic
 * bodies have no rest shape: their elastic strain stays. Their particles, which may have split and merged, are brought to
 * about equal masses first, as those of liquids have.
 */
import { multiply, transpose } from '../math/matrix3.js';
import { OptionError } from '../options/errors.js';
import { matterOf } from '../options/phase.js';
import type { SolverOptions } from '../options/types.js';
import { ELASTIC, FLUID } from '../particles/array-places.js';
import { type BodyRange, isRenewed } from '../particles/body-range.js';
import * as elasticLayout from '../particles/elastic-layout.js';
import * as fluidLayout from '../particles/fluid-layout.js';
import * as layout from '../particles/layout.js';
import { INDEX_MASK, INDEX_TAG } from '../particles/layout.js';
import type { ParticleStore } from '../particles/store.js';
import { refuseStiff } from '../solvers/fluid/elastic-limits.js';
import type { MeltedBody, NeighborLists } from '../solvers/fluid/melted.js';
import type { FluidState } from '../solvers/fluid/model.js';
import type { HeatState } from '../solvers/heat/model.js';
import { materialsOf, mayFlow } from '../solvers/material.js';
import { TOUCH_NUMBERS } from '../solvers/rigid/bodies.js';
import { NearestPoints } from '../surface/nearest.js';
import type { BodyRecord, WorldModel } from './model.js';
import { further } from './on-demand.js';
import { Readings } from './readings.js';
import { keepState, type PendingState } from './state.js';

/** Distances that differ by less than this share are the same. */
const SAME = 1e-5;

/** Distance of neighbouring particles that a body has as a melt [m]. */
export function meltSpacing({ options, samples }: BodyRecord): number {
  return Math.fround(options.spacing ?? samples.rest[3]!);
}

/** Why a solid cannot go on as a melt beside liquids, of this spacing [m]; nothing where it can. */
export function obstacleToMelting(
  body: BodyRecord,
  liquids: readonly BodyRecord[],
  liquidSpacing: number | undefined,
  solver: SolverOptions,
): string | undefined {
  const { options, samples, longestSide } = body;
  const spacing = meltSpacing(body);
  if (body.material.orthotropic) return 'its material is orthotropic, which melts cannot be';
  for (let i = 0; i < samples.count; i++) {
    if (Math.abs(samples.rest[4 * i + 3]! - samples.rest[3]!) > SAME * spacing) {
      return 'its particles are of several sizes, and those of a melt are alike: give it another lattice';
    }
  }
  if (liquidSpacing !== undefined && Math.abs(spacing - liquidSpacing) > SAME * spacing) {
    const apart = `${Number(spacing.toPrecision(6))} m, those of what flows already ${Number(liquidSpacing.toPrecision(6))} m`;
    return `its particles are ${apart} apart: give it that spacing`;
  }
  try {
    const own = [...new Set(materialsOf(body))].map((material) => ({
      name: options.name,
      longestSide,
      material: { ...material, elastic: true },
    }));
    const others = liquids.map((liquid) => ({ ...liquid, name: liquid.options.name }));
    refuseStiff([...own, ...others], spacing, solver);
  } catch (error) {
    if (error instanceof OptionError) return `it ${error.problems[0]!.message}`;
    throw error;
  }
  return undefined;
}

/** What freezes within this many spacings of a solid touches it. */
const TOUCH = 1.25;

/** Why the next solid goes on as a melt, and its number. */
export interface MeltingCause {
  readonly body: number;
  readonly cause: 'melts' | 'welds';
}

/** The next solid that must go on as a melt: something of it melts, or something liquid freezes onto it. */
export function nextToMelt(model: WorldModel, bodies: readonly BodyRecord[]): MeltingCause | undefined {
  const { heat, solids, fluid } = model;
  if (!heat) return undefined;
  const melting = new Set(heat.melting.map((k) => solids[k]!));
  const melts = bodies.findIndex((body) => melting.has(body) && body.matter.isSolid && !body.staysSolid);
  if (melts >= 0) return { body: melts, cause: 'melts' };
  if (!fluid?.elastic) return undefined;
  const candidates = solids.filter(
    ({ matter, material, staysApart }) => matter.isSolid && material.welds && !staysApart,
  );
  for (const flows of [false, true]) {
    const like = candidates.filter((body) => materialsOf(body).some(mayFlow) === flows);
    const freezing = like.length > 0 ? fluid.elastic.freezing(flows) : [];
    const body = freezing.length > 0 ? like.find((one) => touches(model, bodies, one, freezing)) : undefined;
    if (body) return { body: bodies.indexOf(body), cause: 'welds' };
  }
  return undefined;
}

/** Is a particle of the body near one of the points, xyz? */
function touches(
  model: WorldModel,
  bodies: readonly BodyRecord[],
  body: BodyRecord,
  points: readonly number[],
): boolean {
  const reach = TOUCH * meltSpacing(body);
  const low = [0, 1, 2].map((a) =>
    points.reduce((least, x, k) => (k % 3 === a ? Math.min(least, x) : least), Infinity),
  );
  const high = [0, 1, 2].map((a) => points.reduce((most, x, k) => (k % 3 === a ? Math.max(most, x) : most), -Infinity));
  const { begin, end } = model.locations[bodies.indexOf(body)]!;
  const positions = new Readings(model, bodies).positions().subarray(4 * begin, 4 * end);
  const search = new NearestPoints(points);
  const [near, squares] = [new Int32Array(1), new Float64Array(1)];
  for (let i = 0; i < positions.length; i += 4) {
    if (positions[i + 3] === 0) continue;
    if ([0, 1, 2].some((a) => positions[i + a]! < low[a]! - reach || positions[i + a]! > high[a]! + reach)) continue;
    search.find(positions[i]!, positions[i + 1]!, positions[i + 2]!, 1, near, squares);
    if (squares[0]! < reach * reach) return true;
  }
  return false;
}

/** A body that has begun to melt: its record from now on, what its particles are now, and the state without the solid. */
export interface Melting {
  readonly record: BodyRecord;
  readonly body: MeltedBody;
  readonly state: PendingState;
}

/** Takes number `b` of the bodies out of the solids. */
export function meltBody(model: WorldModel, bodies: readonly BodyRecord[], b: number): Melting {
  const { options, samples, material, matter, penetration: _, ...rest } = bodies[b]!;
  const { index } = model.locations[b]!;
  const { store, ranges } = model;
  const range = ranges[index]!;
  // Broken bonds leave the lists.
  model.elastic.fracture?.findPieces(model.elastic.time);
  const { discretisation: __, ...kept } = options;
  const even = samples.rest.slice();
  for (let i = 3; i < even.length; i += 4) even[i] = meltSpacing(bodies[b]!);
  const renewed = ranges.slice(0, index).filter((_, k) => isRenewed(store, k)).length;
  // Particles of melts are all alike.
  if (matter.isViscoplastic) model.elastic.renewal!.equalise(index, model.elastic.frames[index]!);
  const body = solidBody(model, bodies, b);
  const record: BodyRecord = {
    ...rest,
    options: { ...kept, kind: 'fluid', material: { ...options.material, elastic: true } },
    samples: {
      ...samples,
      rest: even,
      offset: new Float32Array(),
      ...(matter.isViscoplastic && slotsOf(model, index, bodies[b]!, even)),
    },
    material: { ...material, elastic: true },
    matter: matterOf({ kind: 'fluid', material: { elastic: true } }),
    // Cracks stay; what is a melt does not get new ones.
    breaks: false,
    melted: true,
  };
  const before = keepState(model);
  const liquid = model.locations.filter((location, k) => k < b && location.liquid).length;
  const first = model.fluid?.ranges[liquid]?.begin ?? model.fluid?.store.capacity ?? 0;
  return {
    record,
    body,
    state: {
      ...before,
      attributes: withoutParticles(before.attributes, store.count, range.begin, range.end),
      ...withoutPieces(before, model.solids, index),
      maximumSpeed: store.count > samples.count ? before.maximumSpeed : 0,
      askers: { ...before.askers, elastic: 0, contact: 0, impact: 0 },
      fluid: before.fluid && withLiquid(before.fluid, liquid, first, samples.count),
      renewal: isRenewed(store, index) ? further().withoutRenewed(before.renewal!, renewed) : before.renewal,
      heat: before.heat && withMolten(before.heat, range.begin, range.end, first),
    },
  };
}

/** A solid as it is, with its rest shape. */
function solidBody(model: WorldModel, bodies: readonly BodyRecord[], b: number): MeltedBody {
  const { begin, end, index } = model.locations[b]!;
  const range = model.ranges[index]!;
  const reading = new Readings(model, bodies);
  const { store, elastic } = model;
  const body = {
    positions: reading.positions().slice(4 * begin, 4 * end),
    velocities: reading.velocities().slice(4 * begin, 4 * end),
    frame: elastic.frames[index]!,
    neighbors: neighborsOf(store, range),
    plastic: store.plastic ? plasticStates(model, range) : undefined,
  };
  if (!isRenewed(store, index)) return body;
  // F_p no longer counts from the start: the elastic part goes on by itself.
  const stretches = elastic.renewal!.stretches(range);
  const { rotation } = body.frame;
  for (let i = 0; i < range.end - range.begin; i++) {
    for (let k = 0; k < 12; k++) if (k % 4 < 3) body.plastic![12 * i + k] = 0;
    stretches[i] = multiply(multiply(rotation, stretches[i]!), transpose(rotation));
  }
  return { ...body, stretches };
}

/** Samples of what a viscoplastic body has become: of the particles that there are, rest positions are those of the start. */
function slotsOf({ store, ranges, elastic }: WorldModel, index: number, body: BodyRecord, rest: Float32Array) {
  const materials = materialsOf(body);
  const { begin, end } = ranges[index]!;
  const inverseMasses = store.vectors(layout.GRADIENT_SUM);
  const start = rest.slice();
  const volume = new Float32Array(end - begin);
  for (const [i, ancestor] of elastic.renewal!.ancestors()) {
    if (i < begin || i >= end) continue;
    const from = ancestor - begin;
    start.set(rest.subarray(4 * from, 4 * from + 4), 4 * (i - begin));
    volume[i - begin] = volumeOf(inverseMasses[4 * i + 3]!, materials[from]!.density);
  }
  return { rest: start, volume };
}

/** The float32 volume from which the inverse mass follows to the bit, where there is one; it is one of the nearest. */
function volumeOf(inverseMass: number, density: number): number {
  const near = Math.fround(1 / (inverseMass * density));
  const candidates = [0, 1, -1, 2, -2].map((n) => Math.fround(near * (1 + n * 2 ** -24)));
  return candidates.find((volume) => Math.fround(1 / (density * volume)) === inverseMass) ?? near;
}

/** Neighbours of the particles [begin, end), which are each other's, numbered from 0 on. */
function neighborsOf(store: ParticleStore, { begin, end }: BodyRange): NeighborLists {
  const all = store.integers(layout.NEIGHBOR_BEGIN, store.count + 1);
  const first = all[begin]!;
  return {
    begins: all.slice(begin, end + 1).map((at) => at - first),
    others: store
      .integers(layout.NEIGHBORS, all[store.count]!)
      .slice(first, all[end]!)
      .map((j) => j - begin),
  };
}

/** As PLASTIC of layout.ts. What mirrors the free side of a clamp has flowed with that, and not by itself. */
function plasticStates({ store, elastic }: WorldModel, { begin, end }: BodyRange): Float32Array {
  const states = store.floats(layout.PLASTIC, 12 * store.count).slice(12 * begin, 12 * end);
  for (const { particle: i } of elastic.ghosts)
    if (i >= begin && i < end) states.fill(0, 12 * (i - begin), 12 * (i - begin + 1));
  return states;
}

/** Frames and what has broken of the solids without one of them. */
function withoutPieces(
  { frames, fracture }: PendingState,
  solids: readonly BodyRecord[],
  index: number,
): Pick<PendingState, 'frames' | 'fracture'> {
  const rows = fracture?.rows ?? [];
  const own = (k: number) => (k < solids.length ? k : rows[k - solids.length]![0]) === index;
  const kept = frames.filter((_, k) => !own(k));
  if (!fracture) return { frames: kept };
  const shifted = (body: number) => (body > index ? body - 1 : body);
  // Two arrays for each body that can break.
  const broken = [...solids.keys()].filter((k) => solids[k]!.breaks);
  const arrays = fracture.arrays.filter((_, k) => broken[k >> 1] !== index);
  if (arrays.length === 0) return { frames: kept, fracture: undefined };
  return {
    frames: kept,
    fracture: {
      ...fracture,
      rows: rows.flatMap(([body, piece]) => (body === index ? [] : [[shifted(body), piece] as const])),
      counts: fracture.counts.filter((_, k) => k !== index),
      births: fracture.births.flatMap((birth) =>
        birth.body === index ? [] : [{ ...birth, body: shifted(birth.body) }],
      ),
      arrays,
    },
  };
}

/** The state of the solids without some of them; the last array is what touches in rigid bodies. */
function withoutParticles(arrays: readonly Float32Array[], count: number, begin: number, end: number): Float32Array[] {
  const kept = arrays.slice(0, -1).map((array) => cut(array, array.length / count, begin, end));
  const touches = arrays.at(-1)!;
  const left: number[] = [];
  const shifted = (i: number) => (i >= end ? i - (end - begin) : i);
  const isGone = (i: number) => i >= begin && i < end;
  for (let k = 0; k < touches.length; k += TOUCH_NUMBERS) {
    const [particle, partner, ...spring] = touches.subarray(k, k + TOUCH_NUMBERS);
    if (isGone(particle!) || isGone(partner!)) continue;
    left.push(shifted(particle!), partner! < 0 ? partner! : shifted(partner!), ...spring);
  }
  return [...kept, Float32Array.from(left)];
}

function cut(array: Float32Array, width: number, begin: number, end: number): Float32Array {
  return insert(array.subarray(0, width * begin), width * begin, array.subarray(width * end));
}

function insert(array: Float32Array, at: number, added: Float32Array): Float32Array {
  const result = new Float32Array(array.length + added.length);
  result.set(array.subarray(0, at));
  result.set(added, at);
  result.set(array.subarray(at), at + added.length);
  return result;
}

/** The state of the liquids with one more, number `liquid`, whose `count` particles have the IDs from `first` on. */
function withLiquid(state: FluidState, liquid: number, first: number, count: number): FluidState {
  const list = (numbers: readonly number[]) => numbers.toSpliced(liquid, 0, 0);
  const sorted = FLUID.state.map(({ slot }, k) => {
    const array = state.arrays[k]!.slice();
    const integers = new Uint32Array(array.buffer);
    const [from, shift] =
      slot === fluidLayout.ID ? [first, count] : slot === fluidLayout.LIQUID_OF ? [liquid, 1] : [0, 0];
    if (shift > 0) for (let i = 0; i < integers.length; i++) if (integers[i]! >= from) integers[i]! += shift;
    return array;
  });
  const elastic = state.elastic ? withAbsent(state.arrays.slice(-state.elastic.arrays), first, count) : [];
  return {
    ...state,
    liquids: state.liquids + 1,
    layers: list(state.layers),
    counts: list(state.counts),
    missed: list(state.missed),
    arrays: [...sorted, ...elastic],
  };
}

/** The arrays of what is elastic in liquids with `count` IDs more, which nobody has yet. */
function withAbsent(arrays: readonly Float32Array[], first: number, count: number): Float32Array[] {
  const state = ELASTIC.state.map(({ slot, bytes }, k) => {
    const added = new Float32Array((bytes / 4) * count);
    if (slot === elasticLayout.SOLID) new Uint32Array(added.buffer).fill(elasticLayout.IS_ABSENT);
    return insert(arrays[k]!, (bytes / 4) * first, added);
  });
  const bonds = arrays.at(-1)!.slice();
  const others = new Uint32Array(bonds.buffer);
  for (let k = 3; k < others.length; k += 4) {
    const j = others[k]! & INDEX_MASK;
    if (j >= first) others[k] = INDEX_TAG | (j + count);
  }
  return [...state, bonds];
}

/** Heat of solids [begin, end) goes to the liquids, from number `first` on; an enthalpy has two numbers. */
function withMolten(state: HeatState, begin: number, end: number, first: number): HeatState {
  const [solids, liquids] = state.arrays as readonly [Float32Array, Float32Array];
  const molten = solids.subarray(2 * begin, 2 * end);
  const left = insert(solids.subarray(0, 2 * begin), 2 * begin, solids.subarray(2 * end));
  return { ...state, arrays: [left, insert(liquids, 2 * first, molten)] };
}
