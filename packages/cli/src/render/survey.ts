/** A look at the frames of a run before the first picture: what must be in it, and how large quantities get. */
import { boundsOf, FLATTEST, movePoints, obstaclePlane, obstaclePose, type Shape, shapeMesh } from 'phyxel';
import { flowsFreely } from '../core.js';
import { type Frame, hasMelted } from '../run/frame-file.js';
import type { Quantity } from './quantities.js';
import { frameArray, type RunSource } from './run-source.js';

export interface Survey {
  /** Points that reach as far as everything does, xyz. */
  readonly points: readonly number[];
  /** The same of liquids alone, where there are any: what walls hold. */
  readonly held: readonly number[];
  /** Least and largest value of the quantity, without the outermost ones. */
  readonly range: readonly [number, number] | undefined;
  /** Obstacles that hold most of the liquid at some time. */
  readonly vessels: ReadonlySet<string>;
}

/** More frames than this are not looked at. */
const MOST_FRAMES = 48;
/**
 * Single drops may leave the picture: particles of a liquid with so few others in their cell, whose edge is so many
 * spacings, as long as they are a small share of it.
 */
const DROP_MEMBERS = 4;
const DROP_CELL = 4;
const MOST_DROPS = 0.03;
/** So may crumbs: pieces of a body with so small a share of its particles, as long as they are not much of it. */
const CRUMB = 0.01;
const MOST_CRUMBS = 0.3;
/** Share of values that may be beyond the ends of the colours: peaks. */
const PEAKS = 0.004;
/** What stands on a floor may be this far in it by rounding [m]. */
const BURIED = 1e-6;
/** Directions in which bodies are measured. */
const DIRECTIONS = [
  ...[
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  ...[
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [-1, 1, 1],
  ],
] as const;

export function survey(run: RunSource, wanted: readonly number[], quantity: Quantity | undefined): Survey {
  const points: number[] = [];
  const liquids: number[] = [];
  const lows: number[] = [];
  const highs: number[] = [];
  const vessels = new Set<string>();
  for (const number of evenly(wanted)) {
    const frame = run.readFrame(number);
    const present = frameArray(frame, 'present')?.values;
    const pieces = frameArray(frame, 'piece')?.values;
    for (const { name, begin, end } of frame.bodies) {
      const isLiquid = present !== undefined && isLiquidBody(run, frame, name);
      const members = membersOf(begin, end, isLiquid ? present : undefined);
      const spacing = run.spacings.get(name) ?? 0;
      const positions = frameArray(frame, 'position')!.values;
      const seen = isLiquid ? withoutDrops(positions, members, spacing) : withoutCrumbs(pieces, members);
      reach(points, positions, seen, spacing / 2);
      if (isLiquid) reach(liquids, positions, seen, spacing / 2);
      if (quantity && members.length > 0) {
        const all = quantity.values(frame);
        const sorted = Float32Array.from(members, (i) => all[i]!).sort();
        lows.push(sorted[Math.floor(PEAKS * (sorted.length - 1))]!);
        highs.push(sorted[Math.ceil((1 - PEAKS) * (sorted.length - 1))]!);
      }
    }
    for (const obstacle of run.scene.obstacles) {
      if ('plane' in obstacle.shape) continue;
      const corners = boxCorners(obstacle.shape);
      const placed = new Float64Array(corners.length);
      movePoints(obstaclePose(obstacle, frame.time), corners, placed);
      points.push(...aboveGround(placed, run, frame.time));
      if (present && holdsLiquid(run, frame, present, placed)) vessels.add(obstacle.name);
    }
  }
  return {
    points,
    held: liquids.length > 0 ? liquids : points,
    range: lows.length === 0 ? undefined : [Math.min(...lows), Math.max(...highs)],
    vessels,
  };
}

/** At most so many, with the first and the last. */
function evenly(frames: readonly number[]): number[] {
  if (frames.length <= MOST_FRAMES) return [...frames];
  const step = (frames.length - 1) / (MOST_FRAMES - 1);
  return Array.from({ length: MOST_FRAMES }, (_, i) => frames[Math.round(i * step)]!);
}

function isLiquidBody({ scene }: RunSource, frame: Frame, name: string): boolean {
  const body = scene.bodies.find((candidate) => candidate.name === name);
  return flowsFreely(body) || hasMelted(frame, name);
}

function membersOf(begin: number, end: number, present: Float32Array | undefined): number[] {
  const members: number[] = [];
  for (let i = begin; i < end; i++) if (present === undefined || present[i]! > 0) members.push(i);
  return members;
}

/** The particles that are not single drops; all when many are. */
function withoutDrops(positions: Float32Array, members: readonly number[], spacing: number): readonly number[] {
  const cell = DROP_CELL * spacing;
  const keyOf = (i: number) => [0, 1, 2].map((k) => Math.floor(positions[3 * i + k]! / cell)).join(' ');
  const counts = new Map<string, number>();
  const keys = members.map(keyOf);
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const rest = members.filter((_, m) => counts.get(keys[m]!)! >= DROP_MEMBERS);
  return rest.length >= (1 - MOST_DROPS) * members.length ? rest : members;
}

/** The particles that are not of crumbs that have broken off; all when much is. */
function withoutCrumbs(pieces: Float32Array | undefined, members: readonly number[]): readonly number[] {
  if (!pieces) return members;
  const counts = new Map<number, number>();
  for (const i of members) counts.set(pieces[i]!, (counts.get(pieces[i]!) ?? 0) + 1);
  const rest = members.filter((i) => counts.get(pieces[i]!)! > CRUMB * members.length);
  return rest.length >= (1 - MOST_CRUMBS) * members.length ? rest : members;
}

/** Adds the outermost particles in some directions, with the cubes that they stand for. */
function reach(points: number[], positions: Float32Array, members: readonly number[], half: number): void {
  for (const [x, y, z] of DIRECTIONS) {
    let [lowest, highest] = [-1, -1];
    let [low, high] = [Infinity, -Infinity];
    for (const i of members) {
      const along = x * positions[3 * i]! + y * positions[3 * i + 1]! + z * positions[3 * i + 2]!;
      if (along < low) [low, lowest] = [along, i];
      if (along > high) [high, highest] = [along, i];
    }
    if (lowest < 0) return;
    for (const [i, h] of [
      [lowest, -half],
      [highest, half],
    ] as const) {
      points.push(positions[3 * i]! + h * x, positions[3 * i + 1]! + h * y, positions[3 * i + 2]! + h * z);
    }
  }
}

/** The points that are not below a floor, where nothing can be seen. */
function aboveGround(points: Float64Array, { scene }: RunSource, time: number): number[] {
  const planes = scene.obstacles.flatMap((obstacle) => obstaclePlane(obstacle, time) ?? []);
  const floors = planes.filter(({ normal }) => normal[1] > FLATTEST);
  const isAbove = (i: number) =>
    floors.every(({ point, normal }) => {
      return [0, 1, 2].reduce((sum, k) => sum + (points[i + k]! - point[k]!) * normal[k]!, 0) >= -BURIED;
    });
  return [...points].filter((_, k) => isAbove(k - (k % 3)));
}

function boxCorners(shape: Shape): Float64Array {
  const { positions } = shapeMesh(shape, Infinity);
  const { low, high } = boundsOf(positions);
  return Float64Array.from({ length: 24 }, (_, i) => (((i / 3) >> (i % 3)) & 1 ? high[i % 3]! : low[i % 3]!));
}

/** Is most of the liquid within the bounds of these corners? */
function holdsLiquid(run: RunSource, frame: Frame, present: Float32Array, corners: Float64Array): boolean {
  const { low, high } = boundsOf(corners);
  const positions = frameArray(frame, 'position')!.values;
  let [inside, all] = [0, 0];
  for (const { name, begin, end } of frame.bodies) {
    if (!isLiquidBody(run, frame, name)) continue;
    for (let i = begin; i < end; i++) {
      if (!(present[i]! > 0)) continue;
      all++;
      if ([0, 1, 2].every((k) => positions[3 * i + k]! >= low[k]! && positions[3 * i + k]! <= high[k]!)) inside++;
    }
  }
  return all > 0 && inside > all / 2;
}
