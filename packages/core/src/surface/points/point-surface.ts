/**
 * An adaptive surface of points around particles that melt and flow, [K06] 6.6: surfels follow the particles, are
 * drawn to a smooth surface around them, come and go so that there are no holes, and keep the volume of the particles.
 * Where particles are solid, surfels only follow, with all their detail ([K06] eq. 6.37). What does not move costs
 * nothing ([K06] 6.8).
 */
import type { Engine } from '../../memory/engine.js';
import * as layout from '../../particles/points-layout.js';
import { NearestPoints } from '../nearest.js';
import type { SurfelSamples } from '../surfel-sampling.js';
import { PointCloud } from './cloud.js';
import { findComponents, findSheets } from './components.js';
import { PointMemory } from './memory.js';
import {
  addSurfels,
  COVER,
  cornerProposals,
  type Findings,
  hasHole,
  type PlacedProposal,
  type Proposal,
  removeSurfels,
  SOLID,
} from './resample.js';

export interface PointSurfaceOptions {
  /** Distance of neighbouring particles at rest, whose cube is a particle's volume [m]. */
  readonly spacing: number;
  /** Distance of surfels, in spacings of the particles; 0.3 when left out. Beyond 0.35 thin parts lose their volume. */
  readonly surfelSpacing?: number;
  /** Weights of the potentials, 0 to 1: towards the guiding surface, the particles, a smooth surface. */
  readonly guide?: number;
  readonly attract?: number;
  readonly smooth?: number;
  /** Surfels nearer to a boundary than this lie on it, in spacings; 0.25 when left out. */
  readonly contact?: number;
}

export interface PointSurfaceInput {
  /** xyz per particle [m]; not a number for particles that are not there. */
  readonly positions: ArrayLike<number>;
  /** How liquid each particle is, 0 (solid: detail stays) to 1; all liquid when left out. */
  readonly liquid?: ArrayLike<number>;
}

/** What the surface lies on. */
export interface BoundaryPoints {
  /** Points of boundary points and their normals towards the free side. */
  readonly points?: ArrayLike<number>;
  readonly normals?: ArrayLike<number>;
  readonly planes?: readonly { readonly point: ArrayLike<number>; readonly normal: ArrayLike<number> }[];
}

export interface PointSurfaceReport {
  readonly iterations: number;
  /** Steps of single surfels in all iterations; 0 when nothing moved. */
  readonly evaluations: number;
  readonly added: number;
  readonly removed: number;
  readonly components: number;
  /** Largest difference of a component's volume from that of its particles, relative. */
  readonly volumeError: number;
}

/** Volumes are kept by a change of the guiding surface's radius, at the most so large. */
const MOST_SWELL = 0.35;
const FIRST_ITERATIONS = 60;
const ITERATIONS = 20;
/** Length of the first step of [K06] eq. 6.36: with 1, positions and normals overshoot by turns and patches wrinkle. */
const FIRST_STEP = 0.7;
/** Steps get shorter by this, so that every update ends. */
const DAMPING = 0.96;
/** Ways shorter than this many distances of surfels are none. */
const TOLERANCE = 0.01;
/** As many new surfels, as a share of all, are a surface that grows. */
const GROWTH = 0.01;
/** A particle that has moved less, in spacings, is where it was. */
const STILL = 1e-4;
const REPEL = 0.15;
/** Surfels on a boundary are no higher over the guiding surface than this, or they stand above the liquid. */
const MOST_HEIGHT = 0.06;
/** Distance of the boundary points' points that walls are seen by from afar, in spacings. */
const COARSE = 0.35;

const NOTHING_DONE = { iterations: 0, evaluations: 0, added: 0, removed: 0 };

export class PointSurface {
  readonly #engine: Engine;
  readonly #spacing: number;
  readonly #distance: number;
  readonly #weights: { readonly guide: number; readonly attract: number; readonly smooth: number };
  readonly #contact: number;
  readonly #cloud = new PointCloud();
  /** The surfels that a textured body began with; they only follow, and colours are taken from them. */
  #zombies: PointCloud | undefined;
  #boundaryPoints: BoundaryPoints = {};
  #boundaryPointSpacing = 0;
  /** Particles at the last update, in spacings; during one, where they were, and where they are. */
  #before: Float32Array = new Float32Array();
  #now: Float32Array = new Float32Array();
  #components: Int32Array = new Int32Array();
  /** How much larger the radius around a particle is than that of a ball with its volume. */
  #swell: Float32Array = new Float32Array();
  /** The same when the surfels around were last looked at. */
  #seen: Float32Array = new Float32Array();
  #liquid: Float32Array = new Float32Array();

  constructor(engine: Engine, options: PointSurfaceOptions) {
    if (!(options.spacing > 0 && options.spacing < Infinity)) {
      throw new RangeError(`spacing must be > 0 m, got ${options.spacing}`);
    }
    this.#engine = engine;
    this.#spacing = options.spacing;
    this.#distance = inRange('surfelSpacing', options.surfelSpacing ?? 0.3, 0.1, 0.9);
    this.#weights = {
      guide: inRange('guide', options.guide ?? 0.3, 0.01, 1),
      attract: inRange('attract', options.attract ?? 0.05, 0, 1),
      smooth: inRange('smooth', options.smooth ?? 0.6, 0, 1),
    };
    this.#contact = inRange('contact', options.contact ?? 0.25, 0, 1);
  }

  /** How far surfels look for each other. */
  get #reach(): number {
    return layout.SURFEL_REACH * this.#distance;
  }

  get count(): number {
    return this.#cloud.count;
  }

  /** Begins with the surfels of a body whose particles are at `positions`; colours and texture stay with the matter. */
  start(samples: SurfelSamples, positions: ArrayLike<number>): void {
    const points = this.#toPoints(positions);
    this.#before = points;
    this.#now = points;
    this.#components = findComponents(points, new Int32Array(points.length / 4).fill(-1)).labels;
    this.#swell = new Float32Array(points.length / 4);
    this.#seen = new Float32Array(points.length / 4);
    this.#liquid = new Float32Array(points.length / 4);
    const cloud = this.#cloud;
    cloud.resize(samples.count);
    for (let i = 0; i < samples.count; i++) {
      const n = normalOf(samples.axes, 6 * i);
      for (let a = 0; a < 3; a++) {
        cloud.positions[4 * i + a] = samples.positions[3 * i + a]! / this.#spacing;
        cloud.normals[4 * i + a] = n[a]!;
      }
      cloud.labels[i] = nearestLabel(points, this.#components, cloud.positions, i);
      cloud.areas[i] = samples.areas[i]! / this.#spacing ** 2;
      const own = samples.colors ? [...samples.colors.subarray(3 * i, 3 * i + 3), 1] : undefined;
      const uv = samples.uvs ? [samples.uvs[2 * i]!, samples.uvs[2 * i + 1]!, 0, 0] : undefined;
      cloud.values.set(own ?? uv ?? [0, 0, 0, 0], 4 * i);
    }
    cloud.homes.set(cloud.positions);
    cloud.homeNormals.set(cloud.normals);
    this.#zombies = new PointCloud();
    this.#zombies.resize(cloud.count);
    this.#zombies.positions.set(cloud.positions);
    this.#zombies.normals.set(cloud.normals);
    this.#zombies.labels.set(cloud.labels);
    this.#zombies.values.set(cloud.values);
  }

  /** What the surface may lie on from now on. */
  setBoundaryPoints(boundaryPoints: BoundaryPoints): void {
    this.#boundaryPoints = boundaryPoints;
    this.#boundaryPointSpacing = boundaryPoints.points ? meanGap(boundaryPoints.points) / this.#spacing : 0;
  }

  /** Moves the surface to where the particles are. */
  update(input: PointSurfaceInput): PointSurfaceReport {
    const positions = this.#toPoints(input.positions);
    const count = positions.length / 4;
    const liquid = Float32Array.from({ length: count }, (_, i) => input.liquid?.[i] ?? 1);
    const before = positionsBefore(this.#before, positions);
    const known = Int32Array.from({ length: count }, (_, i) => (isThere(this.#before, i) ? this.#components[i]! : -1));
    const awake = new Float32Array(count);
    let any = false;
    for (let i = 0; i < count; i++) {
      const isStill = isThere(this.#before, i) === isThere(positions, i) && !hasMoved(before, positions, i);
      awake[i] = isStill && liquid[i] === this.#liquid[i] ? 0 : 1;
      any ||= awake[i] === 1;
    }
    for (let i = count; i < this.#before.length / 4; i++) any = true;
    if (!any) return { ...NOTHING_DONE, ...this.#summary() };
    const { labels: components, exposed } = findComponents(positions, known);
    for (let i = 0; i < count; i++) if (components[i] !== known[i]) awake[i] = 1;
    const swell = new Float32Array(count);
    swell.set(this.#swell.subarray(0, count));
    this.#swell = swell;
    const seen = new Float32Array(count);
    seen.set(this.#seen.subarray(0, count));
    this.#seen = seen;
    this.#now = positions;
    this.#components = components;
    this.#liquid = liquid;
    this.#shareSwell();
    const mark = this.#engine.arena.mark();
    try {
      const report = this.#run(positions, before, known, awake, exposed);
      this.#before = positions;
      return { ...report, ...this.#summary() };
    } finally {
      this.#engine.arena.release(mark);
    }
  }

  #run(positions: Float32Array, before: Float32Array, known: Int32Array, awake: Float32Array, exposed: Uint8Array) {
    const memory = this.#prepare(positions, before, known, awake);
    const cloud = this.#cloud;
    const first = cloud.count === 0;
    let active = this.#wake(memory);
    this.#follow(memory, cloud, active);
    // From now on those that may lack surfels.
    memory.floats(layout.AWAKE, awake.length).set(awake.map((x, i) => x * exposed[i]!));
    if (this.#zombies) this.#follow(memory, this.#zombies, range(this.#zombies.count));
    cloud.homes.set(cloud.positions);
    cloud.homeNormals.set(cloud.normals);
    const touched = new Set<number>();
    const report = { ...NOTHING_DONE };
    const most = first ? FIRST_ITERATIONS : ITERATIONS;
    let step = FIRST_STEP;
    // While much of it is missing its volume is not known.
    let grows = first;
    for (let k = 0; k < most; k++) {
      active = this.#withSwollen(active);
      if (k === 0 || (k === 4 && (first || report.removed > 0))) {
        const added = this.#probe(memory, positions, active);
        report.added += added;
        active = withNew(active, cloud.count, added);
      }
      if (active.length === 0) break;
      for (const i of active) touched.add(cloud.labels[i]!);
      memory.load(cloud, active, this.#reach);
      memory.run('measureCells', active.length);
      this.#takeAreas(memory, active);
      const findings = this.#findings(memory);
      let resampled = false;
      // Not in the last ones: every surfel that stays has been smoothed.
      if (k % 2 === 1 && k < most - 4) {
        const changed = this.#resample(memory, findings, active);
        report.added += changed.added;
        report.removed += changed.removed;
        resampled = changed.added + changed.removed > 0;
        grows = changed.added > GROWTH * cloud.count;
        if (resampled) {
          active = changed.active;
          memory.load(cloud, active, this.#reach);
        }
      }
      if (!grows) this.#correctVolume(memory, positions, active);
      memory.setFloat(layout.STEP, step);
      memory.run('relaxSurfels', active.length);
      if (memory.address(layout.BOUNDARY_POINT_GRID) !== 0 || memory.address(layout.PLANE_COUNT) !== 0) {
        memory.run('touchBoundaryPoints', active.length);
      }
      memory.run('settleSurfels', active.length);
      report.iterations++;
      report.evaluations += active.length;
      const stays = memory.numbers(layout.STAYS);
      this.#takeStep(memory, active);
      if (!resampled) {
        // Those with a hole beside them wait for the next resampling.
        const waits = (i: number) => k < most - 5 && hasHole(cloud, findings.corners, i, this.#distance);
        active = active.filter((i) => stays[i]! > 0 || cloud.states[i] === layout.LOST || waits(i));
      }
      step *= DAMPING;
    }
    report.removed += this.#removeLost();
    this.#blend();
    this.#measure(memory, touched);
    // What is left of a wall above the free surface.
    for (let i = 0; i < cloud.count; i++) {
      if (cloud.states[i] === layout.TOUCHING && !(cloud.areas[i]! > 0)) cloud.states[i] = layout.LOST;
    }
    report.removed += this.#removeLost();
    if (this.#zombies) this.#takeValues(memory);
    return report;
  }

  /** Particles and boundary points in memory. */
  #prepare(positions: Float32Array, before: Float32Array, known: Int32Array, awake: Float32Array): PointMemory {
    const memory = new PointMemory(this.#engine, positions.length / 4);
    memory.setFloat(layout.SPACING, this.#distance);
    memory.setFloat(layout.GUIDE, this.#weights.guide);
    memory.setFloat(layout.ATTRACT, this.#weights.attract);
    memory.setFloat(layout.SMOOTH, this.#weights.smooth);
    memory.setFloat(layout.REPEL, REPEL);
    memory.setFloat(layout.TOLERANCE, TOLERANCE * this.#distance);
    memory.setFloat(layout.CONTACT, this.#contact);
    memory.write(layout.PARTICLES, this.#withRadii(positions));
    memory.write(layout.BEFORE, before);
    memory.write(layout.LABELS, Uint32Array.from(this.#components));
    memory.write(layout.LABELS_BEFORE, Uint32Array.from(known));
    memory.write(layout.AWAKE, awake);
    memory.write(layout.LIQUID, this.#liquid);
    memory.buildGrid(layout.PARTICLE_GRID, positions, layout.REACH);
    memory.buildGrid(layout.BEFORE_GRID, before, layout.REACH);
    const { points, normals, planes = [] } = this.#boundaryPoints;
    if (points && normals && points.length > 0) {
      memory.buildGrid(layout.BOUNDARY_POINT_GRID, this.#toPoints(points), 1);
      memory.write(layout.BOUNDARY_POINT_NORMALS, quadruples(normals, 1));
      memory.setFloat(layout.BOUNDARY_POINT_SPACING, this.#boundaryPointSpacing);
      // Points that stay the same as boundary points move: others in every frame would be walls that jump.
      const isFine = this.#boundaryPointSpacing < COARSE / 2;
      const few = isFine ? thinned(points, normals, COARSE * this.#spacing) : Array.from(range(points.length / 3));
      memory.buildGrid(layout.COARSE_GRID, this.#toPoints(pick(points, few)), 1.7);
      memory.write(layout.COARSE_NORMALS, quadruples(pick(normals, few), 1));
    }
    const rows = planes.flatMap(({ point, normal }) => {
      const offset = (point[0]! * normal[0]! + point[1]! * normal[1]! + point[2]! * normal[2]!) / this.#spacing;
      return [normal[0]!, normal[1]!, normal[2]!, offset];
    });
    memory.write(layout.PLANES, Float32Array.from(rows));
    memory.setInteger(layout.PLANE_COUNT, planes.length);
    memory.beginSurfels();
    return memory;
  }

  #withRadii(positions: Float32Array): Float32Array {
    return positions.map((x, k) => (k % 4 === 3 ? layout.RADIUS + this.#swell[(k - 3) / 4]! : x));
  }

  /** Surfels near particles that moved. */
  #wake(memory: PointMemory): Uint32Array {
    const cloud = this.#cloud;
    memory.load(cloud, new Uint32Array(), this.#reach);
    memory.run('wakeSurfels', cloud.count);
    const moved = memory.numbers(layout.MOVED);
    return range(cloud.count).filter((i) => moved[i]! > 0);
  }

  #follow(memory: PointMemory, cloud: PointCloud, active: Uint32Array): void {
    memory.load(cloud, active, this.#reach);
    memory.run('advectSurfels', active.length);
    cloud.positions.set(memory.numbers(layout.POSITIONS, 4));
    cloud.normals.set(memory.numbers(layout.NORMALS, 4));
    cloud.states.set(memory.states(layout.STATES));
    cloud.labels.set(memory.integers(layout.SURFEL_LABELS, cloud.count));
  }

  /** Surfels where the guiding surface has none at all: at the start, and where it is torn open. */
  #probe(memory: PointMemory, positions: Float32Array, active: Uint32Array): number {
    const cloud = this.#cloud;
    // Probes look farther than surfels do.
    memory.load(cloud, active, Math.max(this.#reach, 0.75));
    const count = positions.length / 4;
    memory.allocate(layout.PROBED, 16 * layout.PROBES * count);
    memory.allocate(layout.PROBED_NORMALS, 16 * layout.PROBES * count);
    memory.run('probeParticles', count);
    const probed = memory.floats(layout.PROBED, 4 * layout.PROBES * count);
    const normals = memory.floats(layout.PROBED_NORMALS, 4 * layout.PROBES * count);
    const proposals: Proposal[] = [];
    for (let k = 0; k < layout.PROBES * count; k++) {
      const found = probed[4 * k + 3]!;
      if (found === 0) continue;
      proposals.push({
        position: [probed[4 * k]!, probed[4 * k + 1]!, probed[4 * k + 2]!],
        label: this.#components[Math.floor(k / layout.PROBES)]!,
        height: 0,
        ...(found === 2 && { boundaryNormal: [normals[4 * k]!, normals[4 * k + 1]!, normals[4 * k + 2]!] as const }),
      });
    }
    return addSurfels(cloud, this.#position(memory, proposals), this.#distance);
  }

  /** Proposals on the guiding surface, those with room around them. Solids have none: there they stay. */
  #position(memory: PointMemory, proposals: readonly Proposal[]): PlacedProposal[] {
    const rows = proposals.flatMap(({ position, height }) => [...position, height]);
    memory.write(layout.PROPOSALS, Float32Array.from(rows));
    memory.write(
      layout.PROPOSAL_LABELS,
      Uint32Array.from(proposals, ({ label }) => label),
    );
    const facing = proposals.flatMap(({ boundaryNormal }) => (boundaryNormal ? [...boundaryNormal, 2] : [0, 0, 0, 0]));
    memory.write(layout.PROPOSAL_NORMALS, Float32Array.from(facing));
    memory.reserve(proposals.length);
    memory.run('placeProposals', proposals.length);
    const positions = memory.floats(layout.PROPOSALS, 4 * proposals.length);
    const normals = memory.floats(layout.PROPOSAL_NORMALS, 4 * proposals.length);
    return proposals.flatMap((proposal, k) => {
      if (normals[4 * k + 3] !== 1) return [];
      const position = [positions[4 * k]!, positions[4 * k + 1]!, positions[4 * k + 2]!] as const;
      return [{ ...proposal, position, normal: [normals[4 * k]!, normals[4 * k + 1]!, normals[4 * k + 2]!] as const }];
    });
  }

  #findings(memory: PointMemory): Findings {
    return { corners: memory.numbers(layout.CORNERS, 4).slice(), gaps: memory.numbers(layout.GAPS).slice() };
  }

  #takeAreas(memory: PointMemory, active: Uint32Array): void {
    const areas = memory.numbers(layout.AREAS);
    for (const i of active) this.#cloud.areas[i] = areas[i]!;
  }

  #resample(memory: PointMemory, findings: Findings, active: Uint32Array) {
    const cloud = this.#cloud;
    const proposals = this.#position(memory, cornerProposals(cloud, active, findings, this.#distance));
    const isActive = new Uint8Array(cloud.count);
    for (const i of active) isActive[i] = 1;
    const before = cloud.count;
    // Before others go: what a new one is like may be among them.
    const added = addSurfels(cloud, proposals, this.#distance);
    const all = new Uint8Array(cloud.count).fill(1);
    all.set(isActive);
    const gaps = new Float32Array(cloud.count).fill(Infinity);
    gaps.set(findings.gaps);
    const kept = removeSurfels(cloud, all, { ...findings, gaps }, this.#distance);
    const numbers = kept ?? range(before + added);
    const next: number[] = [];
    for (let k = 0; k < numbers.length; k++) if (all[numbers[k]!] === 1) next.push(k);
    return { active: Uint32Array.from(next), added, removed: before + added - cloud.count };
  }

  /** Lets the radius around the particles of each component grow or shrink until its volume is right. */
  #correctVolume(memory: PointMemory, positions: Float32Array, active: Uint32Array): void {
    const volumes = this.#volumes();
    const isActive = new Set(Array.from(active, (i) => this.#cloud.labels[i]!));
    for (const [label, { volume, area, wanted, liquid, liquidArea }] of volumes) {
      if (!isActive.has(label) || !(area > 0) || !(liquid > 0.01)) continue;
      // What lies on boundary points stays there, however large the radius is.
      const change = (0.25 * (wanted - volume)) / Math.max(liquidArea, 0.05 * area);
      const swell = this.#swell[label]! + Math.max(-0.03, Math.min(0.03, change));
      this.#swell[label] = Math.max(-MOST_SWELL, Math.min(MOST_SWELL, swell));
    }
    for (let i = 0; i < this.#swell.length; i++) this.#swell[i] = this.#swell[this.#components[i]!]!;
    memory.floats(layout.PARTICLES, positions.length).set(this.#withRadii(positions));
  }

  /** With all liquid surfels of components whose radius has changed since they were looked at. */
  #withSwollen(active: Uint32Array): Uint32Array {
    const swollen = new Set<number>();
    for (let i = 0; i < this.#swell.length; i++) {
      if (Math.abs(this.#swell[i]! - this.#seen[i]!) <= TOLERANCE * this.#distance) continue;
      this.#seen[i] = this.#swell[i]!;
      swollen.add(this.#components[i]!);
    }
    if (swollen.size === 0) return active;
    const { count, labels, shares } = this.#cloud;
    const isActive = new Uint8Array(count);
    for (const i of active) isActive[i] = 1;
    return range(count).filter((i) => isActive[i] === 1 || (swollen.has(labels[i]!) && shares[i]! > SOLID));
  }

  /** Particles of one component have the same radius: the mean of what they had. */
  #shareSwell(): void {
    const sums = new Map<number, { sum: number; count: number }>();
    for (let i = 0; i < this.#components.length; i++) {
      const entry = sums.get(this.#components[i]!) ?? { sum: 0, count: 0 };
      entry.sum += this.#swell[i]!;
      entry.count++;
      sums.set(this.#components[i]!, entry);
    }
    for (let i = 0; i < this.#components.length; i++) {
      const { sum, count } = sums.get(this.#components[i]!)!;
      this.#swell[i] = sum / count;
    }
  }

  #takeStep(memory: PointMemory, active: Uint32Array): void {
    const cloud = this.#cloud;
    const positions = memory.numbers(layout.NEXT_POSITIONS, 4);
    const normals = memory.numbers(layout.NEXT_NORMALS, 4);
    const [shares, states] = [memory.numbers(layout.SHARE), memory.states(layout.NEXT_STATES)];
    for (const i of active) {
      for (let a = 0; a < 4; a++) {
        cloud.positions[4 * i + a] = positions[4 * i + a]!;
        cloud.normals[4 * i + a] = normals[4 * i + a]!;
      }
      cloud.shares[i] = shares[i]!;
      // What stands on a wall above the liquid only holds on to the wall.
      const isLeft = states[i] === layout.TOUCHING && positions[4 * i + 3]! > MOST_HEIGHT;
      cloud.states[i] = isLeft ? layout.LOST : states[i]!;
    }
  }

  #removeLost(): number {
    const cloud = this.#cloud;
    const kept = range(cloud.count).filter((i) => cloud.states[i] !== layout.LOST);
    const removed = cloud.count - kept.length;
    if (removed > 0) cloud.keep(Array.from(kept));
    return removed;
  }

  /** Between where the particles took a surfel and where the potentials drew it, by how liquid it is: eq. 6.37-6.38. */
  #blend(): void {
    const { count, positions, normals, homes, homeNormals, shares, states } = this.#cloud;
    for (let i = 0; i < count; i++) {
      const share = states[i] === layout.TOUCHING ? 1 : shares[i]!;
      if (share >= 1) continue;
      let square = 0;
      for (let a = 0; a < 3; a++) {
        const k = 4 * i + a;
        positions[k] = (1 - share) * homes[k]! + share * positions[k]!;
        normals[k] = (1 - share) * homeNormals[k]! + share * normals[k]!;
        square += normals[k]! ** 2;
      }
      for (let a = 0; a < 3; a++) normals[4 * i + a]! /= Math.sqrt(square) || 1;
    }
  }

  /** Areas at the end; then liquid surfels move along their normals by what the volume of a component still lacks. */
  #measure(memory: PointMemory, touched: ReadonlySet<number>): void {
    const cloud = this.#cloud;
    const all = range(cloud.count).filter((i) => touched.has(cloud.labels[i]!));
    for (let turn = 0; turn < 4; turn++) {
      memory.load(cloud, all, this.#reach);
      memory.run('measureCells', all.length);
      this.#takeAreas(memory, all);
      if (turn === 3) break;
      const volumes = this.#volumes();
      for (const i of all) {
        const { volume, wanted, liquidArea } = volumes.get(cloud.labels[i]!)!;
        if (!(liquidArea > 0) || cloud.states[i] === layout.TOUCHING) continue;
        const rise = Math.max(-0.2, Math.min(0.2, (wanted - volume) / liquidArea)) * cloud.shares[i]!;
        if (Math.abs(rise) < 1e-4) continue;
        for (let a = 0; a < 3; a++) cloud.positions[4 * i + a]! += rise * cloud.normals[4 * i + a]!;
      }
    }
  }

  #takeValues(memory: PointMemory): void {
    const [cloud, zombies] = [this.#cloud, this.#zombies!];
    memory.buildGrid(layout.VALUE_GRID, zombies.positions, 1);
    memory.write(layout.POINT_VALUES, zombies.values);
    memory.write(layout.VALUE_LABELS, zombies.labels);
    memory.write(layout.VALUES, cloud.values);
    memory.run('takeValues', cloud.count);
    cloud.values.set(memory.floats(layout.VALUES, 4 * cloud.count));
  }

  /** By component, in spacings: volume by the divergence theorem, area, the particles' volume and how liquid they are. */
  #volumes() {
    const { count, positions, normals, areas, labels, shares, states } = this.#cloud;
    const result = new Map<
      number,
      { volume: number; area: number; liquidArea: number; wanted: number; liquid: number; center: number[] }
    >();
    for (let i = 0; i < this.#components.length; i++) {
      const label = this.#components[i]!;
      if (!isThere(this.#now, i)) continue;
      const entry = result.get(label) ?? { volume: 0, area: 0, liquidArea: 0, wanted: 0, liquid: 0, center: [0, 0, 0] };
      entry.wanted++;
      for (let a = 0; a < 3; a++) entry.center[a]! += this.#now[4 * i + a]!;
      entry.liquid += this.#liquid[i]!;
      result.set(label, entry);
    }
    for (const entry of result.values()) {
      entry.liquid /= entry.wanted;
      for (let a = 0; a < 3; a++) entry.center[a]! /= entry.wanted;
    }
    for (let i = 0; i < count; i++) {
      const entry = result.get(labels[i]!);
      if (!entry) continue;
      let height = 0;
      for (let a = 0; a < 3; a++) height += (positions[4 * i + a]! - entry.center[a]!) * normals[4 * i + a]!;
      entry.volume += (areas[i]! * height) / 3;
      entry.area += areas[i]!;
      if (states[i] !== layout.TOUCHING) entry.liquidArea += areas[i]! * shares[i]!;
    }
    return result;
  }

  #summary(): { components: number; volumeError: number } {
    const volumes = this.#volumes();
    let volumeError = 0;
    for (const { volume, wanted } of volumes.values()) {
      volumeError = Math.max(volumeError, Math.abs(volume / wanted - 1));
    }
    return { components: volumes.size, volumeError };
  }

  /** xyz of the surfels [m]. */
  positions(): Float32Array {
    return triples(this.#cloud.positions, this.#spacing);
  }

  /** Unit normals, outwards. */
  normals(): Float32Array {
    return triples(this.#cloud.normals, 1);
  }

  /** Area of the surface that each surfel stands for [m2]. */
  areas(): Float32Array {
    return this.#cloud.areas.map((area) => area * this.#spacing ** 2);
  }

  /** Radius of discs that cover the surface [m]. */
  get radius(): number {
    return COVER * this.#distance * this.#spacing;
  }

  /** For every surfel the component it belongs to, by the lowest number of its particles. */
  components(): Uint32Array {
    return this.#cloud.labels.slice();
  }

  /** For every surfel the sheet that it is of, by the lowest number of its surfels: flood fill over neighbours. */
  sheets(): Int32Array {
    const { positions, normals, labels } = this.#cloud;
    return findSheets(positions, normals, labels, 2 * COVER * this.#distance);
  }

  /** Four numbers per surfel: colour and 1, or texture coordinates, of what the body began with. */
  values(): Float32Array {
    return this.#cloud.values.slice();
  }

  /** What is to be kept so that the surface goes on to the same bits. */
  save(): Float32Array[] {
    const arrays = (cloud: PointCloud | undefined) =>
      cloud
        ? [
            ...[cloud.positions, cloud.normals, Float32Array.from(cloud.labels), cloud.areas, cloud.shares],
            ...[cloud.values, Float32Array.from(cloud.states)],
          ]
        : [];
    return [
      this.#before,
      Float32Array.from(this.#components),
      this.#swell,
      this.#seen,
      this.#liquid,
      ...arrays(this.#cloud),
      ...arrays(this.#zombies),
    ].map((array) => array.slice());
  }

  /** Takes up what `save` gave. */
  restore(arrays: readonly Float32Array[]): void {
    const [before, components, swell, seen, liquid, ...clouds] = arrays as [
      ...[Float32Array, Float32Array, Float32Array, Float32Array, Float32Array],
      ...Float32Array[],
    ];
    this.#before = before.slice();
    this.#now = before.slice();
    this.#components = Int32Array.from(components);
    this.#swell = swell.slice();
    this.#seen = seen.slice();
    this.#liquid = liquid.slice();
    const fill = (
      cloud: PointCloud,
      [positions, normals, labels, areas, shares, values, states]: readonly Float32Array[],
    ) => {
      cloud.resize(positions!.length / 4);
      cloud.positions.set(positions!);
      cloud.normals.set(normals!);
      cloud.homes.set(positions!);
      cloud.homeNormals.set(normals!);
      cloud.labels.set(labels!);
      cloud.areas.set(areas!);
      cloud.shares.set(shares!);
      cloud.values.set(values!);
      cloud.states.set(states!);
    };
    fill(this.#cloud, clouds.slice(0, 7));
    this.#zombies = undefined;
    if (clouds.length < 14) return;
    this.#zombies = new PointCloud();
    fill(this.#zombies, clouds.slice(7));
  }

  #toPoints(positions: ArrayLike<number>): Float32Array {
    return quadruples(positions, 1 / this.#spacing);
  }
}

function inRange(name: string, value: number, low: number, high: number): number {
  if (value >= low && value <= high) return value;
  throw new RangeError(`${name} must be from ${low} to ${high}, got ${value}`);
}

function quadruples(from: ArrayLike<number>, scale: number): Float32Array {
  const out = new Float32Array((4 * from.length) / 3);
  for (let k = 0; k < from.length; k++) out[k + Math.floor(k / 3)] = from[k]! * scale;
  return out;
}

function triples(from: Float32Array, scale: number): Float32Array {
  const out = new Float32Array((3 * from.length) / 4);
  for (let k = 0; k < out.length; k++) out[k] = from[k + Math.floor(k / 3)]! * scale;
  return out;
}

function range(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => i);
}

function withNew(active: Uint32Array, count: number, added: number): Uint32Array {
  return Uint32Array.from([...active, ...range(added).map((k) => count - added + k)]);
}

/** Numbers of points no nearer to each other than about a distance: the first of each cell that faces about the same way. */
function thinned(points: ArrayLike<number>, normals: ArrayLike<number>, distance: number): number[] {
  const cells = new Set<string>();
  const kept: number[] = [];
  for (let i = 0; 3 * i < points.length; i++) {
    const axes = [0, 1, 2] as const;
    const cell = axes.map((a) => Math.floor(points[3 * i + a]! / distance));
    const key = [...cell, ...axes.map((a) => Math.round(normals[3 * i + a]!))].join(' ');
    if (cells.has(key)) continue;
    cells.add(key);
    kept.push(i);
  }
  return kept;
}

function pick(triples: ArrayLike<number>, numbers: readonly number[]): number[] {
  return numbers.flatMap((i) => [triples[3 * i]!, triples[3 * i + 1]!, triples[3 * i + 2]!]);
}

/** Mean distance of some points from the nearest other one. */
function meanGap(points: ArrayLike<number>): number {
  const count = points.length / 3;
  if (count < 2) return 0;
  const search = new NearestPoints(points);
  const [near, squares] = [new Int32Array(2), new Float64Array(2)];
  const stride = Math.max(1, Math.floor(count / 500));
  let [sum, terms] = [0, 0];
  for (let i = 0; i < count; i += stride) {
    search.find(points[3 * i]!, points[3 * i + 1]!, points[3 * i + 2]!, 2, near, squares);
    sum += Math.sqrt(squares[1]!);
    terms++;
  }
  return sum / terms;
}

function isThere(positions: Float32Array, i: number): boolean {
  return 4 * i < positions.length && !Number.isNaN(positions[4 * i]!);
}

/** Where particles were; new ones where they are. */
function positionsBefore(before: Float32Array, positions: Float32Array): Float32Array {
  return positions.map((x, k) => (isThere(before, k >> 2) ? before[k]! : x));
}

function hasMoved(before: Float32Array, positions: Float32Array, i: number): boolean {
  let square = 0;
  for (let a = 0; a < 3; a++) square += (before[4 * i + a]! - positions[4 * i + a]!) ** 2;
  return square > STILL * STILL;
}

function normalOf(axes: Float32Array, at: number): [number, number, number] {
  const [ax, ay, az, bx, by, bz] = Array.from(axes.subarray(at, at + 6)) as [
    ...[number, number, number],
    ...[number, number, number],
  ];
  const n = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
  const length = Math.sqrt(n[0]! ** 2 + n[1]! ** 2 + n[2]! ** 2) || 1;
  return [n[0]! / length, n[1]! / length, n[2]! / length];
}

function nearestLabel(particles: Float32Array, labels: Int32Array, positions: Float32Array, i: number): number {
  let [best, label] = [Infinity, 0];
  for (let j = 0; 4 * j < particles.length; j++) {
    let square = 0;
    for (let a = 0; a < 3; a++) square += (particles[4 * j + a]! - positions[4 * i + a]!) ** 2;
    if (square < best) [best, label] = [square, labels[j]!];
  }
  return label;
}
