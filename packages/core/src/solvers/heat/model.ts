import type { Engine } from '../../memory/engine.js';
import { HOTTEST } from '../../options/heat.js';
import { COLDEST } from '../../options/material-parameters.js';
import type { HeatOptions, Material, ObstacleOptions, Vec3 } from '../../options/types.js';
import { isRenewed, type SlotPair } from '../../particles/body-range.js';
import * as layout from '../../particles/heat-layout.js';
import { HeatStore } from '../../particles/heat-store.js';
import * as solidLayout from '../../particles/layout.js';
import type { BodySamples } from '../../particles/samples.js';
import type { ParticleStore } from '../../particles/store.js';
import type { FluidModel } from '../fluid/model.js';
import { type Arrangement, faceArea, findBonds, type HeatBonds } from './bonds.js';
import { refuseThermal } from './limits.js';
import { carryOver, type EnthalpyCurve, enthalpyAt, enthalpyCurve, factorAt, stateAt } from './material.js';
import { type HeatEffort, HeatSolver } from './step.js';

/** Bodies touch up to this distance of their particles, in spacings. */
const REACH = 1.5;
/** Heat flows when something may have moved by this share of a spacing, and at the end of every frame. */
const TRAVEL = 0.5;
/** Bonds that there is place for over those that there are. */
const BOND_MARGIN = 1.5;
/** Support of the kernel of liquids, in spacings. */
const LIQUID_SUPPORT = 2;

/** A body or liquid as heat sees it. */
export interface HeatBody {
  readonly name: string;
  readonly samples: BodySamples;
  /** Of every particle. */
  readonly materials: readonly Material[];
  /** At the start [degrees C]. */
  readonly temperature: (particle: number) => number;
  readonly arrangement: Arrangement;
  /** Of the shape [m2], where it is known. */
  readonly surfaceArea?: number | undefined;
  /** Of a liquid that was a solid once: its particles have the masses that they had. */
  readonly melted?: boolean | undefined;
}

/** A source of heat with the particles that it acts on. */
export interface HeatSource {
  readonly options: HeatOptions;
  /** Numbers of heat's particles. */
  readonly particles: Uint32Array;
}

/** What goes on from one layout of the memory to the next, and into a save. */
export interface HeatState {
  readonly heldStep: number;
  readonly waiting: number;
  readonly patience: number;
  /** Time for which heat has still to flow [s], and how far anything may have moved in it [m]. */
  readonly elapsed: number;
  readonly travelled: number;
  /** Specific enthalpies of solids and of the positions of liquids, f64 as pairs of 4 bytes. */
  readonly arrays: readonly Float32Array[];
}

/** What heat has to know of bodies that flow far. */
export interface HeatFlow {
  /** Have they got other rest positions than they began with? */
  readonly updated: () => boolean;
  /** The slot of the particle of the start that each came from, by its own slot. */
  readonly ancestors: () => ReadonlyMap<number, number>;
}

function hasYieldCurve({ byTemperature }: Material): boolean {
  return byTemperature?.yieldStress !== undefined;
}

/** What heat has to know of solids that break. */
export interface HeatCracks {
  /** Numbers of the solids that can. */
  readonly bodies: readonly number[];
  /** Grows when bonds change or pieces come to be. */
  readonly changes: number;
  /** Share that is left of the bond of two particles [1]; 1 where there is none. */
  readonly shareBetween: (i: number, j: number) => number;
  /** Multiplies the strength of every particle. */
  readonly setStrengths: (factorOf: (i: number) => number) => void;
}

export interface HeatModelParts {
  readonly engine: Engine;
  readonly solids: ParticleStore;
  /** Not liquid, in the order of the store. */
  readonly bodies: readonly HeatBody[];
  readonly liquids: readonly HeatBody[];
  readonly fluid?: FluidModel | undefined;
  readonly flow?: HeatFlow | undefined;
  readonly cracks?: HeatCracks | undefined;
  readonly obstacles: readonly ObstacleOptions[];
  /** Of the surroundings [degrees C], and what surfaces exchange with them [W/(m2 K)]. */
  readonly ambient: number;
  readonly transfer: number;
  readonly period: Vec3;
  readonly sources: readonly HeatSource[];
  /** Time at which the world is now [s]. */
  readonly now: () => number;
  readonly state?: HeatState | undefined;
  readonly effort: HeatEffort;
}

/** The heat of a world, compiled into the engine's memory. */
export class HeatModel {
  readonly store: HeatStore;
  readonly solver: HeatSolver;
  readonly #parts: HeatModelParts;
  /** Smallest edge of a particle [m]. */
  readonly spacing: number;
  #curves: EnthalpyCurve[] = [];
  #rows = new Map<string, number>();
  /** Can particles of different bodies, or of liquids, meet? */
  readonly #touching: boolean;
  /** Temperatures of plates and of the surroundings. */
  readonly #outside: readonly number[];
  /** Time that heat has not flowed for yet [s], and how far anything may have moved in it [m]. */
  #elapsed = 0;
  #travelled = 0;
  #found = false;
  /** Bonds within each body, and how many there is place for; of viscoplastic bodies they may be outdated. */
  #bonds: HeatBonds[] = [];
  #bondCapacity = 0;
  #outdated = false;
  /** The changes of cracks that bonds know of, and whether a solid is in pieces, which may touch. */
  #cracks = -1;
  #inPieces = false;
  #removed = 0;
  /** The sources that act now; unknown when their particles are. */
  #active: string | undefined = '';
  /** Numbers of the solids of which something has begun to melt. */
  melting: readonly number[] = [];

  constructor(parts: HeatModelParts) {
    this.#parts = parts;
    const { engine, solids, bodies, liquids, fluid } = parts;
    const capacity = fluid?.store.capacity ?? 0;
    const store = new HeatStore(engine, solids.count, capacity);
    this.store = store;
    this.solver = new HeatSolver(store, parts.effort, (particle) => this.#nameOf(particle));
    this.#touching = bodies.length > 1 || liquids.length > 0;
    store.setInteger(layout.SOLID_CONTEXT, solids.context);
    store.setInteger(layout.LIQUID_CONTEXT, fluid?.store.context ?? 0);
    store.setVector(layout.PERIOD, [...parts.period, 0]);
    store.setFloat(layout.REACH, REACH);
    store.setDouble(layout.AMBIENT, parts.ambient);
    store.setDouble(layout.AIR_RESISTANCE, 1 / parts.transfer);
    const largest = this.#writeParticles();
    let smallest = Number.POSITIVE_INFINITY;
    for (const { name, materials, samples } of [...bodies, ...liquids]) {
      let own = Number.POSITIVE_INFINITY;
      for (let i = 0; i < samples.count; i++) own = Math.min(own, samples.rest[4 * i + 3]!);
      refuseThermal(name, materials, own);
      smallest = Math.min(smallest, own);
    }
    this.spacing = smallest;
    const support = fluid ? LIQUID_SUPPORT * fluid.spacing : 0;
    store.allocateGrid(Math.max(REACH * largest, support));
    if (fluid) this.#writeKernel(fluid.spacing);
    this.#bonds = bodies.map((_, b) => this.#findBonds(b));
    this.#writeBonds();
    this.#writeMaterials();
    this.#outside = [...this.#writePlates(), ...(parts.transfer > 0 ? [parts.ambient] : [])];
    this.#removed = fluid?.solver.effort.removed ?? 0;
    store.doubles(layout.HELD).fill(Number.NaN);
    if (parts.state) this.#restore(parts.state);
    if (fluid) {
      fluid.onEmit = (id, liquid) => this.#born(id, liquid);
      this.#placeLiquids(fluid);
    }
    store.run('readTemperatures');
    this.applyCurves();
  }

  /** Name of a particle's body. */
  #nameOf(particle: number): string {
    const { bodies, liquids } = this.#parts;
    let end = 0;
    for (const { name, samples } of [...bodies, ...liquids]) {
      end += samples.count;
      if (particle < end) return name;
    }
    return '';
  }

  /** Heat that would make everything in the world as cold, and as hot, as it may be [J]. */
  reserves(): { readonly coldest: number; readonly hottest: number } {
    const { store } = this;
    const masses = store.doubles(layout.MASS);
    const enthalpies = store.doubles(layout.ENTHALPY);
    const networks = store.integers(layout.NETWORK, store.count);
    const materialOf = store.integers(layout.MATERIAL_OF, store.count);
    let [coldest, hottest] = [0, 0];
    for (let i = 0; i < store.count; i++) {
      if (networks[i] === layout.ABSENT) continue;
      const curve = this.#curves[materialOf[i]!]!;
      coldest += masses[i]! * (enthalpyAt(curve, COLDEST, false) - enthalpies[i]!);
      hottest += masses[i]! * (enthalpyAt(curve, HOTTEST, true) - enthalpies[i]!);
    }
    return { coldest, hottest };
  }

  /** Number of the first particle of a solid body or liquid. */
  beginOf(liquid: boolean, index: number): number {
    const { bodies, liquids } = this.#parts;
    const before = (list: readonly HeatBody[]) =>
      list.slice(0, index).reduce((sum, { samples }) => sum + samples.count, 0);
    return liquid ? this.store.solidCount + before(liquids) : before(bodies);
  }

  /** Masses, edges, areas and enthalpies at the start. Returns the largest edge [m]. */
  #writeParticles(): number {
    const { store } = this;
    const { bodies, liquids, solids } = this.#parts;
    const positions = store.floats(layout.POSITION, 4 * store.count);
    const networks = store.integers(layout.NETWORK, store.count);
    const areas = store.floats(layout.AREA, store.count);
    const masses = store.doubles(layout.MASS);
    const sums = solids.vectors(solidLayout.GRADIENT_SUM);
    const enthalpies = store.doubles(layout.ENTHALPY);
    const materialOf = store.integers(layout.MATERIAL_OF, store.count);
    let largest = 0;
    let i = 0;
    for (const [b, body] of [...bodies, ...liquids].entries()) {
      const isLiquid = b >= bodies.length;
      for (let k = 0; k < body.samples.count; k++, i++) {
        const material = body.materials[k]!;
        const edge = body.samples.rest[4 * k + 3]!;
        const volume = isLiquid && !body.melted ? edge * edge * edge : body.samples.volume[k]!;
        largest = Math.max(largest, edge);
        positions[4 * i + 3] = edge;
        networks[i] = isLiquid ? layout.ABSENT : b;
        areas[i] = faceArea(volume);
        masses[i] = isLiquid ? material.density * volume : 1 / sums[4 * i + 3]!;
        // To the bit what it was as a solid; free slots have a mass that keeps quotients finite.
        if (body.melted) masses[i] = volume > 0 ? 1 / Math.fround(1 / (material.density * volume)) : 1;
        materialOf[i] = this.#rowOf(material, isLiquid);
        enthalpies[i] = enthalpyAt(this.#curves[materialOf[i]!]!, body.temperature(k), isLiquid);
      }
    }
    this.#writeFlowing();
    return largest;
  }

  /** The same, but for enthalpies, of the particles that viscoplastic bodies have now. */
  #writeFlowing(): void {
    const { store } = this;
    const { bodies, solids, flow } = this.#parts;
    if (!flow) return;
    const positions = store.floats(layout.POSITION, 4 * store.count);
    const networks = store.integers(layout.NETWORK, store.count);
    const areas = store.floats(layout.AREA, store.count);
    const masses = store.doubles(layout.MASS);
    const materialOf = store.integers(layout.MATERIAL_OF, store.count);
    const sums = solids.vectors(solidLayout.GRADIENT_SUM);
    const rest = solids.vectors(solidLayout.REST);
    const elastic = solids.vectors(solidLayout.ELASTIC);
    const isPresent = solids.presence();
    const ancestors = flow.ancestors();
    for (const [b, { samples, materials }] of bodies.entries()) {
      if (!isRenewed(solids, b)) continue;
      const begin = this.beginOf(false, b);
      for (let i = begin; i < begin + samples.count; i++) {
        networks[i] = isPresent(i) ? b : layout.ABSENT;
        if (!isPresent(i)) {
          // Nothing flows there; a mass keeps quotients finite.
          masses[i] = 1;
          continue;
        }
        positions[4 * i + 3] = 2 * rest[4 * i + 3]!;
        areas[i] = faceArea(elastic[4 * i + 3]!);
        masses[i] = 1 / sums[4 * i + 3]!;
        materialOf[i] = this.#rowOf(materials[ancestors.get(i)! - begin]!, false);
      }
    }
  }

  /** Viscoplastic bodies have merged and split particles, and have other neighbours: heat stays. */
  resample(merges: readonly SlotPair[], splits: readonly SlotPair[]): void {
    this.#outdated = true;
    if (merges.length + splits.length === 0) return;
    const enthalpies = this.store.doubles(layout.ENTHALPY);
    const masses = this.store.doubles(layout.MASS);
    const heats = new Map(
      merges.map(([one, other]) => [one, masses[one]! * enthalpies[one]! + masses[other]! * enthalpies[other]!]),
    );
    // Halves have the same specific enthalpy.
    for (const [one, other] of splits) enthalpies[other] = enthalpies[one]!;
    this.#writeFlowing();
    for (const [one, heat] of heats) enthalpies[one] = heat / masses[one]!;
    // Sources act on other particles now.
    this.#active = undefined;
  }

  /** Particles that descend from some of the start, and which of those. */
  #descendants(particles: ArrayLike<number>): { particle: number; from: number }[] {
    const { flow, bodies, solids } = this.#parts;
    const chosen = Array.from(particles, (particle, from) => ({ particle, from }));
    if (!flow) return chosen;
    const fromOf = new Map(chosen.map(({ particle, from }) => [particle, from]));
    const ancestors = flow.ancestors();
    const flowing = [...ancestors].flatMap(([particle, ancestor]) => {
      const from = fromOf.get(ancestor);
      return from === undefined ? [] : [{ particle, from }];
    });
    const ranges = bodies.flatMap(({ samples }, b) =>
      isRenewed(solids, b) ? [{ begin: this.beginOf(false, b), end: this.beginOf(false, b) + samples.count }] : [],
    );
    const others = chosen.filter(({ particle: i }) => !ranges.some(({ begin, end }) => i >= begin && i < end));
    return [...others, ...flowing].sort((a, b) => a.particle - b.particle);
  }

  /** Row of a material in the table, new where it is not there yet. */
  #rowOf(material: Material, isLiquid: boolean): number {
    const curve = enthalpyCurve(material, isLiquid);
    const key = JSON.stringify(Object.values(curve).map(String));
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = this.#curves.push(curve) - 1;
      this.#rows.set(key, row);
    }
    return row;
  }

  #writeMaterials(): void {
    const { store } = this;
    const at = store.allocate(layout.MATERIALS, layout.MATERIAL_STRIDE * this.#curves.length);
    const table = store.engine.arena.f64(at, (layout.MATERIAL_STRIDE / 8) * this.#curves.length);
    for (const [row, curve] of this.#curves.entries()) {
      table.set(
        [
          ...[curve.solidCapacity, curve.liquidCapacity, 1 / curve.solidConductivity, 1 / curve.liquidConductivity],
          ...[curve.solidus, curve.liquidus, curve.solidusEnthalpy, curve.liquidusEnthalpy],
        ],
        (layout.MATERIAL_STRIDE / 8) * row,
      );
    }
    this.solver.varies = this.#curves.some((curve) => curve.solidConductivity !== curve.liquidConductivity);
  }

  /** Materials of some particles have changed: temperatures and molten shares stay. */
  changeMaterials(begin: number, materials: readonly Material[], isLiquid: boolean): void {
    const { store } = this;
    this.flush();
    const before = this.heat();
    const materialOf = store.integers(layout.MATERIAL_OF, store.count).slice();
    const ancestors = isLiquid ? undefined : this.#parts.flow?.ancestors();
    for (const k of materials.keys()) {
      const i = begin + k;
      const material = materials[(ancestors?.get(i) ?? i) - begin]!;
      const from = this.#curves[materialOf[i]!]!;
      materialOf[i] = this.#rowOf(material, isLiquid);
      const enthalpies = store.doubles(layout.ENTHALPY);
      enthalpies[i] = carryOver(from, this.#curves[materialOf[i]!]!, enthalpies[i]!);
    }
    this.#writeMaterials();
    store.integers(layout.MATERIAL_OF, store.count).set(materialOf);
    store.run('readTemperatures');
    this.solver.effort.added += this.heat() - before;
  }

  /** Second moment of the liquids' kernel on a cubic lattice, and its asymmetry at a flat surface of one. */
  #writeKernel(spacing: number): void {
    const { store } = this;
    const reach = Math.ceil(LIQUID_SUPPORT);
    let moment = 0;
    let [side, lengths] = [0, 0];
    for (let x = -reach; x <= reach; x++) {
      for (let y = -reach; y <= reach; y++) {
        for (let z = -reach; z <= reach; z++) {
          const r2 = x * x + y * y + z * z;
          const t = 1 - r2 / (LIQUID_SUPPORT * LIQUID_SUPPORT);
          if (r2 === 0 || t <= 0) continue;
          const w = t * t * t;
          moment += w * x * x;
          if (y > 0) continue;
          side -= w * y;
          lengths += w * Math.sqrt(r2);
        }
      }
    }
    store.setFloat(layout.LIQUID_SUPPORT, LIQUID_SUPPORT * spacing);
    store.setFloat(layout.LIQUID_SCALE, 2 / (moment * spacing * spacing));
    store.setFloat(layout.LIQUID_SURFACE, side / lengths);
  }

  /** Bonds within a body; those of one that flows far are of its rest positions now. */
  #findBonds(b: number): HeatBonds {
    const { solids, flow, bodies } = this.#parts;
    const { samples, arrangement, surfaceArea } = bodies[b]!;
    if (!isRenewed(solids, b)) return findBonds(samples, arrangement, surfaceArea);
    const begin = this.beginOf(false, b);
    const isPresent = solids.presence();
    const own = Array.from({ length: samples.count }, (_, k) => k).filter((k) => isPresent(begin + k));
    const isNew = !flow!.updated();
    const rest = new Float32Array(4 * own.length);
    const volume = new Float32Array(own.length);
    const [positions, elastic] = [solids.vectors(solidLayout.REST), solids.vectors(solidLayout.ELASTIC)];
    for (const [n, k] of own.entries()) {
      const [from, at] = isNew ? [samples.rest, 4 * k] : [positions, 4 * (begin + k)];
      rest.set(from.subarray(at, at + 4), 4 * n);
      if (!isNew) rest[4 * n + 3]! *= 2;
      volume[n] = isNew ? samples.volume[k]! : elastic[4 * (begin + k) + 3]!;
    }
    const sampled = { ...samples, count: own.length, rest, volume, ...(!isNew && { parts: undefined }) };
    const found = findBonds(sampled, isNew ? arrangement : 'irregular', isNew ? surfaceArea : undefined);
    // By the numbers that they have in the body.
    const begins = new Uint32Array(samples.count + 1);
    const freeAreas = new Float32Array(samples.count);
    for (const [n, k] of own.entries()) {
      begins[k + 1] = found.begins[n + 1]! - found.begins[n]!;
      freeAreas[k] = found.freeAreas[n]!;
    }
    for (let k = 0; k < samples.count; k++) begins[k + 1]! += begins[k]!;
    return { ...found, begins, freeAreas, others: found.others.map((n) => own[n]!) };
  }

  #writeBonds(): void {
    const { store } = this;
    const { arena } = store.engine;
    const all = this.#bonds;
    const total = all.reduce((sum, { others }) => sum + others.length, 0);
    if (total > this.#bondCapacity || this.#bondCapacity === 0) {
      // Those of viscoplastic bodies change.
      this.#bondCapacity = this.#parts.flow ? Math.ceil(BOND_MARGIN * total) : total;
      store.allocate(layout.REST_PAIRS, 16 * this.#bondCapacity);
    }
    const at = store.address(layout.REST_PAIRS);
    const integers = arena.u32(at, 4 * total);
    const floats = arena.f32(at, 4 * total);
    const begins = store.integers(layout.REST_BEGIN, store.solidCount + 1);
    const free = store.floats(layout.FREE_AREA, store.count);
    let [particle, pair] = [0, 0];
    for (const bonds of all) {
      const count = bonds.begins.length - 1;
      for (let i = 0; i < count; i++) begins[particle + i] = pair + bonds.begins[i]!;
      free.set(bonds.freeAreas, particle);
      for (let k = 0; k < bonds.others.length; k++) {
        integers[4 * (pair + k)] = particle + bonds.others[k]!;
        floats[4 * (pair + k) + 1] = bonds.geometry[k]!;
        floats[4 * (pair + k) + 2] = bonds.lengths[k]!;
      }
      particle += count;
      pair += bonds.others.length;
    }
    begins[particle] = pair;
    this.#cracks = -1;
  }

  /** Bonds conduct as far as they are whole; what they do not cover any more is surface. Pieces touch like bodies. */
  #crackBonds(): void {
    const { store } = this;
    const { cracks, solids } = this.#parts;
    if (!cracks || cracks.changes === this.#cracks) return;
    this.#cracks = cracks.changes;
    this.#found = false;
    this.#inPieces = false;
    const begins = store.integers(layout.REST_BEGIN, store.solidCount + 1);
    const pairs = begins[store.solidCount]!;
    const floats = store.engine.arena.f32(store.address(layout.REST_PAIRS), 4 * pairs);
    const integers = store.engine.arena.u32(store.address(layout.REST_PAIRS), 4 * pairs);
    const free = store.floats(layout.FREE_AREA, store.count);
    const edges = store.floats(layout.POSITION, 4 * store.count);
    const networks = store.integers(layout.NETWORK, store.count);
    const pieces = solids.integers(solidLayout.PIECE, solids.count);
    for (const b of cracks.bodies) {
      const bonds = this.#bonds[b]!;
      const begin = this.beginOf(false, b);
      for (let k = 0; k < bonds.begins.length - 1; k++) {
        const i = begin + k;
        networks[i] = b + pieces[i]! * this.#bonds.length;
        this.#inPieces ||= pieces[i] !== 0;
        free[i] = bonds.freeAreas[k]!;
        for (let n = bonds.begins[k]!; n < bonds.begins[k + 1]!; n++) {
          const at = 4 * (begins[i]! + n - bonds.begins[k]!);
          const j = integers[at]!;
          const share = cracks.shareBetween(Math.min(i, j), Math.max(i, j));
          const geometry = bonds.geometry[n]!;
          floats[at + 1] = share * geometry;
          if (share === 1) continue;
          const area = (geometry * Math.sqrt(bonds.lengths[n]!)) / (edges[4 * i + 3]! + edges[4 * j + 3]!);
          free[i]! += (1 - share) * area;
        }
      }
    }
  }

  /** Bonds of viscoplastic bodies as their particles are now. */
  #renewBonds(): void {
    if (!this.#outdated) return;
    this.#outdated = false;
    const { solids } = this.#parts;
    this.#bonds = this.#bonds.map((bonds, b) => (isRenewed(solids, b) ? this.#findBonds(b) : bonds));
    this.#writeBonds();
    this.#found = false;
  }

  /** Obstacles with a temperature; returns these. */
  #writePlates(): number[] {
    const { store } = this;
    const { obstacles, solids } = this.#parts;
    const hot = [...obstacles.entries()].filter(([, { temperature }]) => temperature !== undefined);
    const table = store.allocate(layout.PLATES, layout.PLATE_STRIDE * hot.length);
    store.setInteger(layout.PLATE_COUNT, hot.length);
    const { arena } = store.engine;
    for (const [k, [number, { temperature, contactConductance }]] of hot.entries()) {
      const at = table + k * layout.PLATE_STRIDE;
      arena.u32(at + layout.PLATE_OBSTACLE, 1)[0] =
        solids.address(solidLayout.OBSTACLES) + number * solidLayout.OBSTACLE_STRIDE;
      arena.f64(at + layout.PLATE_TEMPERATURE, 2).set([temperature!, 1 / contactConductance]);
    }
    return hot.map(([, { temperature }]) => temperature!);
  }

  /** A liquid particle has come into the world. */
  #born(id: number, liquid: number): void {
    const { store } = this;
    const i = store.solidCount + id;
    const { materials, temperature } = this.#parts.liquids[liquid]!;
    const curve = this.#curves[store.integers(layout.MATERIAL_OF, store.count)[i]!]!;
    const h = enthalpyAt(curve, temperature(0), true);
    store.doubles(layout.ENTHALPY)[i] = h;
    const edge = store.floats(layout.POSITION, 4 * store.count)[4 * i + 3]!;
    this.solver.effort.added += h * materials[0]!.density * edge * edge * edge;
  }

  /** Notes that `dt` seconds have passed in which nothing moved by more than `distance` [m]. */
  pass(dt: number, distance: number): void {
    this.#elapsed += dt;
    this.#travelled += distance;
    // What touches has changed.
    if (this.#travelled > TRAVEL * this.spacing) this.flush();
  }

  /** Times at which a source begins or ends. */
  get corners(): number[] {
    return this.#parts.sources.flatMap(({ options: { start, end } }) => [start, end]);
  }

  /** Lets heat flow for the time that has passed. */
  flush(): void {
    const dt = this.#elapsed;
    if (!(dt > 0)) return;
    this.#elapsed = 0;
    this.#travelled = 0;
    const end = this.#parts.now();
    this.#position();
    const { held, powered } = this.#applySources(end - dt / 2);
    const outside = [...this.#outside, ...held];
    const low = outside.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const high = outside.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    this.solver.advance(dt, end, low, high, powered);
    this.applyCurves();
  }

  /** Gives liquid particles the viscosity, density, tension and cohesion of their temperature. */
  applyCurves(): void {
    this.#findMelting();
    this.#soften();
    this.#changeStrengths();
    this.#changeYieldStresses();
    const { fluid, liquids } = this.#parts;
    const curves = liquids.map(({ materials }) => materials[0]?.byTemperature);
    if (!fluid || curves.every((curve) => curve === undefined)) return;
    const temperatures = this.temperatures();
    fluid.changeParticles((id, liquid) => {
      const t = temperatures[this.store.solidCount + id]!;
      const own = curves[liquid];
      return {
        viscosity: factorAt(own?.viscosity, t),
        density: factorAt(own?.density, t),
        surfaceTension: factorAt(own?.surfaceTension, t),
        cohesion: factorAt(own?.cohesion, t),
      };
    });
  }

  /** Solids that can break are as strong as their curves say. */
  #changeStrengths(): void {
    const { cracks, bodies } = this.#parts;
    if (!cracks?.bodies.some((b) => bodies[b]!.materials.some(({ byTemperature }) => byTemperature?.tensileStrength))) {
      return;
    }
    const temperatures = this.temperatures();
    const curves = bodies.flatMap(({ materials }) =>
      materials.map((material) => material.byTemperature?.tensileStrength),
    );
    cracks.setStrengths((i) => factorAt(curves[i], temperatures[i]!));
  }

  /** Solids that yield do so where their curves say. */
  #changeYieldStresses(): void {
    const { bodies, solids } = this.#parts;
    if (!solids.plastic || !bodies.some(({ materials }) => materials.some(hasYieldCurve))) return;
    const temperatures = this.temperatures();
    const laws = solids.vectors(solidLayout.PLASTIC_LAW);
    for (const [i, { yieldStress, byTemperature }] of bodies.flatMap(({ materials }) => materials).entries()) {
      if (byTemperature?.yieldStress) laws[4 * i] = yieldStress * factorAt(byTemperature.yieldStress, temperatures[i]!);
    }
  }

  #findMelting(): void {
    const enthalpies = this.store.doubles(layout.ENTHALPY);
    const materialOf = this.store.integers(layout.MATERIAL_OF, this.store.count);
    const networks = this.store.integers(layout.NETWORK, this.store.count);
    const melting: number[] = [];
    let i = 0;
    for (const [b, { samples, materials }] of this.#parts.bodies.entries()) {
      const end = i + samples.count;
      let found = false;
      if (materials.some(({ meltingPoint }) => meltingPoint !== undefined)) {
        for (; i < end && !found; i++) {
          found = networks[i] !== layout.ABSENT && enthalpies[i]! > this.#curves[materialOf[i]!]!.solidusEnthalpy;
        }
      }
      if (found) melting.push(b);
      i = end;
    }
    this.melting = melting;
  }

  /** What is elastic in liquids is as stiff as it is solid, and as its curve says. */
  #soften(): void {
    const { fluid, liquids } = this.#parts;
    if (!fluid?.elastic) return;
    const first = this.store.solidCount;
    const temperatures = this.temperatures();
    const enthalpies = this.store.doubles(layout.ENTHALPY);
    const materialOf = this.store.integers(layout.MATERIAL_OF, this.store.count);
    fluid.soften((id, liquid) => {
      const material = liquids[liquid]!.materials[id - fluid.ranges[liquid]!.begin]!;
      const { youngsModulus, yieldStress } = material.byTemperature ?? {};
      const t = temperatures[first + id]!;
      const molten =
        material.meltingPoint === undefined
          ? 0
          : stateAt(this.#curves[materialOf[first + id]!]!, enthalpies[first + id]!).fraction;
      return { stiffness: (1 - molten) * factorAt(youngsModulus, t), yieldStress: factorAt(yieldStress, t) };
    });
  }

  /** Particles where they are now, and the pairs of these positions. */
  #position(): void {
    const { store } = this;
    const { fluid } = this.#parts;
    this.#renewBonds();
    this.#crackBonds();
    store.run('placeHeatSolids', store.solidCount);
    const blocks = Math.ceil(store.solidCount / solidLayout.BLOCK);
    const moved = !this.#found || fluid !== undefined || store.blockLargest(0, blocks) !== 0;
    if (fluid) this.#placeLiquids(fluid);
    if (!moved) return;
    store.findPairs(this.#touching || this.#inPieces);
    this.#found = true;
  }

  #placeLiquids(fluid: FluidModel): void {
    const { store } = this;
    const before = store.integers(layout.NETWORK, store.count).slice(store.solidCount);
    store.run('clearHeatLiquids', store.count - store.solidCount);
    store.run('placeHeatLiquids', fluid.store.count);
    const { removed } = fluid.solver.effort;
    if (removed === this.#removed) return;
    this.#removed = removed;
    const now = store.integers(layout.NETWORK, store.count).subarray(store.solidCount);
    const enthalpies = store.doubles(layout.ENTHALPY);
    const masses = store.doubles(layout.MASS);
    for (let k = 0; k < before.length; k++) {
      if (before[k] === layout.ABSENT || now[k] !== layout.ABSENT) continue;
      this.solver.effort.removed += masses[store.solidCount + k]! * enthalpies[store.solidCount + k]!;
    }
  }

  /** Powers and held temperatures at a time. */
  #applySources(time: number): { held: number[]; powered: boolean } {
    const { store } = this;
    const active = this.#parts.sources.filter(({ options: { start, end } }) => start <= time && time < end);
    const held = active.flatMap(({ options }) => options.temperature ?? []);
    const powered = active.some(({ options }) => (options.power ?? 0) !== 0);
    const key = active.map((source) => this.#parts.sources.indexOf(source)).join();
    // What a source of liquid puts in has to be held too.
    if (key === this.#active && !(held.length > 0 && this.#parts.fluid)) return { held, powered };
    this.#active = key;
    const powers = store.doubles(layout.POWER).fill(0);
    const helds = store.doubles(layout.HELD).fill(Number.NaN);
    const masses = store.doubles(layout.MASS);
    const enthalpies = store.doubles(layout.ENTHALPY);
    const networks = store.integers(layout.NETWORK, store.count);
    const materialOf = store.integers(layout.MATERIAL_OF, store.count);
    for (const { options, particles } of active) {
      const present = this.#descendants(particles).flatMap(({ particle: i }) =>
        networks[i] === layout.ABSENT ? [] : [i],
      );
      const mass = present.reduce((sum, i) => sum + masses[i]!, 0);
      for (const i of present) {
        if (options.power !== undefined) powers[i]! += (options.power * masses[i]!) / mass;
        else {
          const curve = this.#curves[materialOf[i]!]!;
          helds[i] = options.temperature!;
          const h = enthalpyAt(curve, options.temperature!, stateAt(curve, enthalpies[i]!).fraction > 0.5);
          this.solver.effort.supplied += masses[i]! * (h - enthalpies[i]!);
          enthalpies[i] = h;
        }
      }
    }
    return { held, powered };
  }

  /** Heat of everything in the world [J]. */
  heat(): number {
    const { store } = this;
    const masses = store.doubles(layout.MASS);
    const enthalpies = store.doubles(layout.ENTHALPY);
    const networks = store.integers(layout.NETWORK, store.count);
    let total = 0;
    for (let i = 0; i < store.count; i++) if (networks[i] !== layout.ABSENT) total += masses[i]! * enthalpies[i]!;
    return total;
  }

  /** Gives particles a temperature [degrees C]. */
  setTemperature(particles: readonly number[], temperatures: readonly number[]): void {
    this.flush();
    const before = this.heat();
    const { store } = this;
    const enthalpies = store.doubles(layout.ENTHALPY);
    const materialOf = store.integers(layout.MATERIAL_OF, store.count);
    for (const { particle: i, from } of this.#descendants(particles)) {
      const curve = this.#curves[materialOf[i]!]!;
      enthalpies[i] = enthalpyAt(curve, temperatures[from]!, stateAt(curve, enthalpies[i]!).fraction > 0.5);
    }
    store.run('readTemperatures');
    this.applyCurves();
    this.solver.effort.added += this.heat() - before;
  }

  /** Molten shares of all particles [1]. */
  fractions(): Float32Array {
    const { store } = this;
    const enthalpies = store.doubles(layout.ENTHALPY);
    const materialOf = store.integers(layout.MATERIAL_OF, store.count);
    return Float32Array.from(
      { length: store.count },
      (_, i) => stateAt(this.#curves[materialOf[i]!]!, enthalpies[i]!).fraction,
    );
  }

  /** Specific enthalpies [J/kg] of all particles; temperatures are those of the last flush. */
  enthalpies(): Float64Array {
    return this.store.doubles(layout.ENTHALPY);
  }

  /** Heat of every particle [J]; the mass is that of the liquid where its density does not depend on temperature. */
  heats(): Float64Array {
    const masses = this.store.doubles(layout.MASS);
    const networks = this.store.integers(layout.NETWORK, this.store.count);
    return this.enthalpies().map((h, i) => (networks[i] === layout.ABSENT ? 0 : h * masses[i]!));
  }

  temperatures(): Float64Array {
    return this.store.doubles(layout.TEMPERATURE);
  }

  save(): HeatState {
    const { store, solver } = this;
    const all = store.doubles(layout.ENTHALPY).slice();
    const words = (begin: number, end: number) => new Float32Array(all.slice(begin, end).buffer);
    const { heldStep, waiting, patience } = solver;
    return {
      heldStep,
      waiting,
      patience,
      elapsed: this.#elapsed,
      travelled: this.#travelled,
      arrays: [words(0, store.solidCount), words(store.solidCount, store.count)],
    };
  }

  #restore({ heldStep, waiting, patience, elapsed, travelled, arrays }: HeatState): void {
    const { store, solver } = this;
    const enthalpies = store.doubles(layout.ENTHALPY);
    const [solids, liquids] = arrays.map((array) => new Float64Array(array.slice().buffer)) as [
      Float64Array,
      Float64Array,
    ];
    enthalpies.set(solids, 0);
    enthalpies.set(liquids, store.solidCount);
    solver.heldStep = heldStep;
    solver.waiting = waiting;
    solver.patience = patience;
    this.#elapsed = elapsed;
    this.#travelled = travelled;
  }

  /** Chains the hash of the state. */
  hash(seed: bigint): bigint {
    const { store, solver } = this;
    const { arena, helpers } = store.engine;
    const hash = helpers.hashWords(store.address(layout.ENTHALPY), 2 * store.count, seed);
    const mark = arena.mark();
    const at = arena.allocate(24);
    arena.f64(at, 3).set([solver.heldStep, solver.waiting, solver.patience]);
    const result = helpers.hashWords(at, 6, hash);
    arena.release(mark);
    return result;
  }
}
