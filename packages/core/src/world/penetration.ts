/** Bodies that begin inside obstacles: deep ones are refused, others let out slowly. */
import { add, transform } from '../math/matrix3.js';
import { OptionError } from '../options/index.js';
import { withoutFreeSlots } from '../particles/free-slots.js';
import * as layout from '../particles/layout.js';
import { heldUntil, particlesIn } from '../solvers/constraints/constraints.js';
import { beginsWithHold, type ConstraintRecord } from '../solvers/constraints/hold.js';
import { INSTANT, measureGaps, type Obstacle } from '../solvers/contact/obstacles.js';
import { positionsOf } from '../solvers/fluid/boundary.js';
import { openingPositions } from '../solvers/fluid/emitter.js';
import type { BodyRecord, WorldModel } from './model.js';
import { solidClouds } from './overlap.js';

/** A particle whose ball is inside an obstacle by more than this many spacings is deep inside. */
const DEEP = 1;
/** Balls inside by less than this many spacings are left to the contact. */
const TOUCHING = 0.1;
/** Of the speed of a free fall through the depth: what lets bodies out adds a hundredth of their lift in motion. */
const SLOWNESS = 10;
/** Sets that speed, whatever the gravity of the world [m/s2]. */
const FALL = 9.81;
/**
 * Room that a particle needs where it comes out of a source, in spacings, around a point so far behind it: a wall behind
 * the opening pushes more than one along the jet (measured: bursts below 0.6 and 0.3 spacings).
 */
const OPEN = 0.45;
const BEHIND = 0.15;

/** Particles of a body: their number among those of the start, and balls (centre and radius) in the world. */
interface Balls {
  readonly record: BodyRecord;
  readonly numbers: Uint32Array;
  readonly balls: Float32Array;
  /** Where the radius of a ball is not half of its particle's spacing: that [m]. */
  readonly spacings?: Float32Array | undefined;
  /** When those are let go that are held now [s]. */
  readonly until?: ReadonlyMap<number, number> | undefined;
}

/**
 * Refuses bodies that are deep inside obstacles, and notes of others how far they are inside. Bodies that are not in
 * `before` and obstacles from number `firstObstacle` on are new: what was there together may be as it is.
 */
export function findPenetrations(
  model: WorldModel,
  bodies: readonly BodyRecord[],
  before: ReadonlySet<BodyRecord>,
  obstacles: readonly Obstacle[],
  firstObstacle: number,
  constraints: readonly ConstraintRecord[],
): void {
  if (obstacles.length === 0) return;
  const { elastic } = model;
  model.obstacles.move(elastic.time, INSTANT);
  const clouds = [...solidBalls(model, constraints), ...meltBalls(bodies, before)];
  for (const { record, numbers, balls, spacings, until } of clouds) {
    const first = before.has(record) ? firstObstacle : 0;
    if (first === obstacles.length || numbers.length === 0) continue;
    const { gaps, nearest } = measureGaps(model.store, balls, first, obstacles.length - first);
    const depths = leftOf(record, elastic.time);
    let deepest = 0;
    let obstacle: string | undefined;
    for (const [k, i] of numbers.entries()) {
      const spacing = spacings?.[k] ?? 2 * balls[4 * k + 3]!;
      const depth = -gaps[k]!;
      const release = until?.get(i);
      // An obstacle that moves may be elsewhere by then.
      if (release !== undefined && (depth <= DEEP * spacing || isMoving(obstacles[first + nearest[k]!]!))) continue;
      if (depth > DEEP * spacing) {
        const where = [0, 1, 2].map((a) => balls[4 * k + a]!.toPrecision(3)).join(', ');
        const number = first + nearest[k]!;
        const owner = before.has(record) ? `obstacles[${number}]` : `bodies[${bodies.indexOf(record)}]`;
        const { name } = record.options;
        const when = elastic.time > 0 ? `at ${elastic.time.toPrecision(3)} s` : 'at the start';
        throw new OptionError([
          {
            path: `${owner}.position`,
            message:
              `puts "${name}" deep into the obstacle "${obstacles[number]!.options.name}" ${when}, ` +
              `by ${depth.toPrecision(3)} m near (${where}) m; at most a spacing, ${spacing.toPrecision(3)} m, ` +
              `is allowed${release === undefined ? '' : `, and it is let go at ${Number(release.toPrecision(3))} s`}: ` +
              'move one of them',
          },
        ]);
      }
      // Of what can melt, particles that touch are left out as those of liquids are.
      if (depth <= TOUCHING * spacing || record.matter.isFluid) continue;
      depths[i] = Math.max(depths[i]!, depth);
      if (depth <= deepest) continue;
      deepest = depth;
      obstacle = obstacles[first + nearest[k]!]!.options.name;
    }
    if (obstacle === undefined) continue;
    const duration = SLOWNESS * Math.sqrt(deepest / FALL);
    record.penetration = { since: elastic.time, duration, obstacle, deepest, depths };
  }
}

const isMoving = ({ options }: Obstacle) => options.keyframes.length > 0 || options.motion !== undefined;

/** How far a body may still be inside obstacles, by particle of its start [m]. */
function leftOf({ samples, matter, penetration }: BodyRecord, time: number): Float32Array {
  const { count } = matter.isViscoplastic ? withoutFreeSlots(samples) : samples;
  if (!penetration) return new Float32Array(count);
  const share = Math.max(0, 1 - (time - penetration.since) / penetration.duration);
  return penetration.depths.map((depth) => share * depth);
}

/** Sources whose opening is in an obstacle, or so near that its wall presses on what is led out of it. */
export function refuseBlockedSources(
  model: WorldModel,
  bodies: readonly BodyRecord[],
  before: ReadonlySet<BodyRecord>,
  obstacles: readonly Obstacle[],
  firstObstacle: number,
): void {
  if (obstacles.length === 0) return;
  model.obstacles.move(model.elastic.time, INSTANT);
  const sources = bodies.filter(({ emitter }) => emitter);
  for (const [k, record] of sources.entries()) {
    const first = before.has(record) ? firstObstacle : 0;
    if (first === obstacles.length) continue;
    const { name, radius, spacing } = record.emitter!;
    const { rotation, origin } = record.initial;
    const balls = Float32Array.from(
      openingPositions(radius, spacing).flatMap(([x, y, z]) => [
        ...add(origin, transform(rotation, [x, y - BEHIND * spacing, z])),
        OPEN * spacing,
      ]),
    );
    const { gaps, nearest } = measureGaps(model.store, balls, first, obstacles.length - first);
    const worst = gaps.reduce((w, gap, i) => (gap < gaps[w]! ? i : w), 0);
    if (gaps[worst]! >= 0) continue;
    const number = first + nearest[worst]!;
    const clearance = (OPEN + BEHIND) * spacing;
    const owner = before.has(record) ? `obstacles[${number}]` : `emitters[${k}]`;
    throw new OptionError([
      {
        path: `${owner}.position`,
        message:
          `puts the opening of "${name}" into the obstacle "${obstacles[number]!.options.name}" or right onto it; ` +
          `it needs ${clearance.toPrecision(2)} m of room: move one of them`,
      },
    ]);
  }
}

/** Solid particles but those that are held for good, which stay where they are, also inside obstacles. */
function solidBalls(model: WorldModel, constraints: readonly ConstraintRecord[]): Balls[] {
  const { store, solids, ranges, elastic } = model;
  const clouds = solidClouds(model);
  const isPresent = store.presence();
  const ancestors = elastic.renewal?.ancestors();
  const constraintOf = store.integers(layout.CONSTRAINT_OF, store.count);
  const radii = store.floats(layout.CONTACT_RADIUS, store.count);
  return solids.flatMap((record, b) => {
    if (record.matter.isRigid) return [];
    const { begin, end } = ranges[b]!;
    const present = Array.from({ length: end - begin }, (_, k) => begin + k).filter(isPresent);
    const numberOf = (i: number) => (ancestors?.get(i) ?? i) - begin;
    const waiting = constraintsToCome(record, constraints);
    const holds = remember((key: string) => {
      const [set, ...later] = key.split(' ').map(Number);
      const all = [...model.constraints.membersOf(set!), ...later.map((c) => constraints[c]!.options)];
      return heldUntil(all, elastic.time);
    });
    const holdOf = (i: number) => {
      const later = waiting.filter(({ numbers }) => numbers.has(numberOf(i))).map(({ c }) => c);
      return holds([constraintOf[i]!, ...later].join(' '));
    };
    const free = [...present.keys()].filter((k) => holdOf(present[k]!) !== Infinity);
    const numbers = Uint32Array.from(free, (k) => numberOf(present[k]!));
    const balls = new Float32Array(4 * free.length);
    const spacings = Float32Array.from(free, (k) => 2 * clouds[b]!.radiusOf(k));
    const until = new Map<number, number>();
    for (const [n, k] of free.entries()) {
      balls.set([...clouds[b]!.positionOf(k), radii[present[k]!]!], 4 * n);
      const release = holdOf(present[k]!);
      if (release !== undefined) until.set(numbers[n]!, release);
    }
    return [{ record, numbers, balls, spacings, until }];
  });
}

/** Numbers of the constraints on a body that have not taken hold yet, and of the particles of its start that they will hold. */
function constraintsToCome(
  { options, samples, matter, initial }: BodyRecord,
  constraints: readonly ConstraintRecord[],
) {
  return [...constraints.entries()]
    .filter(([, record]) => record.options.body === options.name && !record.hold)
    .filter(([, record]) => record.options.regionTime === 'rest' && beginsWithHold(record.options, matter))
    .map(([c, record]) => {
      const range = { begin: 0, end: samples.count };
      return { c, numbers: new Set(particlesIn(samples.rest, range, initial, record.options.region)) };
    });
}

/** The results of a function, each found once. */
function remember<K, T>(find: (key: K) => T): (key: K) => T {
  const known = new Map<K, T>();
  return (key) => {
    if (!known.has(key)) known.set(key, find(key));
    return known.get(key)!;
  };
}

/** The same of new liquids that are elastic, and may be solid: to leave out a part of them would cut them. */
function meltBalls(bodies: readonly BodyRecord[], before: ReadonlySet<BodyRecord>): Balls[] {
  return bodies
    .filter((record) => !before.has(record) && !record.emitter && isLiquid(record) && record.material.elastic)
    .map((record) => {
      const { samples, initial } = record;
      const balls = new Float32Array(4 * samples.count);
      let k = 0;
      for (const position of positionsOf(samples, initial)) {
        balls.set([...position, samples.rest[4 * k + 3]! / 2], 4 * k);
        k++;
      }
      return { record, numbers: Uint32Array.from({ length: samples.count }, (_, i) => i), balls };
    });
}

const isLiquid = ({ matter }: BodyRecord) => matter.isFluid;

/** Puts into the memory how far bodies began inside obstacles, of those that are not out yet. */
export function writePenetrations(model: WorldModel): void {
  const { store, elastic, ranges } = model;
  const ancestors = elastic.renewal?.ancestors();
  for (const [b, { penetration }] of model.solids.entries()) {
    if (!penetration || elastic.time >= penetration.since + penetration.duration) continue;
    if (store.address(layout.PENETRATION) === 0) store.allocate(layout.PENETRATION, 4 * store.count);
    const { begin, end } = ranges[b]!;
    const own = store.floats(layout.PENETRATION, store.count);
    for (let i = begin; i < end; i++) own[i] = penetration.depths[(ancestors?.get(i) ?? i) - begin] ?? 0;
    model.obstacles.letOut(store.address(layout.BODIES) + b * layout.BODY_STRIDE, penetration);
  }
  model.obstacles.move(elastic.time, INSTANT);
}
