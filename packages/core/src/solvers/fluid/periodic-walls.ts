import { add, type Matrix3, subtract, transform, transpose } from '../../math/matrix3.js';
import type { Vec3 } from '../../options/types.js';
import * as solidLayout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import { measureGaps } from '../contact/obstacles.js';

/** Points of one surface are on another one when they are as near as this, in their spacings. */
const SAME = 0.25;
/** How far from a point the union of the images is asked whether it covers it, in spacings. */
const PROBE = 0.5;

/** Boundary particles of an obstacle in space that repeats, in its own axes [m]. */
export interface PeriodicSurface {
  readonly points: Float32Array;
  /** Images of them nearby, which are counted where areas are found. */
  readonly images: Float32Array;
}

/**
 * The surface of an obstacle that is as long as a period or longer: that of the union of its images, once. Points inside
 * the union are left out, and where the surfaces of images coincide those of the period about the obstacle's centre stay.
 * Undefined for one that its images do not touch. The obstacle is where it is at time 0, so that a save goes on with the same.
 */
export function periodicSurface(
  solids: ParticleStore,
  obstacle: number,
  points: Float32Array,
  spacing: number,
  period: Vec3,
): PeriodicSurface | undefined {
  const row = solids.address(solidLayout.OBSTACLES) + obstacle * solidLayout.OBSTACLE_STRIDE;
  const pose = Array.from(solids.engine.arena.f32(row + solidLayout.OBSTACLE_POSE, 12));
  const rotation = [0, 1, 2].flatMap((r) => pose.slice(4 * r, 4 * r + 3)) as unknown as Matrix3;
  const origin: Vec3 = [pose[3]!, pose[7]!, pose[11]!];
  const count = points.length / 3;
  const arms = Array.from({ length: count }, (_, k) =>
    transform(rotation, [points[3 * k]!, points[3 * k + 1]!, points[3 * k + 2]!]),
  );
  const extents = [0, 1, 2].map((a) => {
    let [low, high] = [Infinity, -Infinity];
    for (const arm of arms) [low, high] = [Math.min(low, arm[a]!), Math.max(high, arm[a]!)];
    return { middle: (low + high) / 2, length: high - low };
  });
  const reach = period.map((length, a) =>
    length > 0 && extents[a]!.length >= length - SAME * spacing ? Math.ceil(extents[a]!.length / length) : 0,
  );
  if (reach.every((n) => n === 0)) return undefined;
  const shifts: Vec3[] = [];
  for (let i = -reach[0]!; i <= reach[0]!; i++) {
    for (let j = -reach[1]!; j <= reach[1]!; j++) {
      for (let k = -reach[2]!; k <= reach[2]!; k++) {
        if (i !== 0 || j !== 0 || k !== 0) shifts.push([i * period[0], j * period[1], k * period[2]]);
      }
    }
  }

  /** Distances of all points, each moved by a vector, from the obstacle [m]. */
  const gapsAt = (moved: Vec3): Float32Array => {
    const balls = new Float32Array(4 * count);
    for (const [k, arm] of arms.entries()) balls.set(add(add(arm, origin), moved), 4 * k);
    return measureGaps(solids, balls, obstacle, 1).gaps;
  };
  const kept = new Uint8Array(count).fill(1);
  for (const shift of shifts) {
    const gaps = gapsAt(subtract([0, 0, 0], shift));
    for (const [k, arm] of arms.entries()) {
      if (Math.abs(gaps[k]!) > SAME * spacing) continue;
      const isFirst = shift.every((s, a) => {
        const from = arm[a]! - extents[a]!.middle;
        return s === 0 || (from >= -period[a]! / 2 && from < period[a]! / 2);
      });
      if (!isFirst) kept[k] = 0;
    }
  }
  // Covered: the union of the images reaches a point from all sides.
  const isCovered = new Uint8Array(count).fill(1);
  for (let side = 0; side < 6; side++) {
    const step: Vec3 = [0, 1, 2].map((a) =>
      a === side >> 1 ? (side & 1 ? -PROBE : PROBE) * spacing : 0,
    ) as unknown as Vec3;
    const nearest = gapsAt(step);
    for (const shift of shifts)
      for (const [k, gap] of gapsAt(subtract(step, shift)).entries()) nearest[k] = Math.min(nearest[k]!, gap);
    for (let k = 0; k < count; k++) if (nearest[k]! > SAME * PROBE * spacing) isCovered[k] = 0;
  }
  const own = arms.filter((_, k) => kept[k] && !isCovered[k]);
  const back = transpose(rotation);
  const low = [0, 1, 2].map((a) => own.reduce((least, arm) => Math.min(least, arm[a]!), Infinity));
  const high = [0, 1, 2].map((a) => own.reduce((most, arm) => Math.max(most, arm[a]!), -Infinity));
  const near = (arm: Vec3) => arm.every((x, a) => x >= low[a]! - 2 * spacing && x <= high[a]! + 2 * spacing);
  const images = shifts.flatMap((shift) => own.map((arm) => add(arm, shift)).filter(near));
  const local = (list: readonly Vec3[]) => Float32Array.from(list.flatMap((arm) => [...transform(back, arm)]));
  return { points: local(own), images: local(images) };
}
