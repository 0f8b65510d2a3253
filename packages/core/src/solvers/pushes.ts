/** Sums of what bodies, obstacles and constraints give to each other. */

/** What one gives to another: a body, or the first one of two, and what pushes it. */
export interface Push {
  /** `body:` or `obstacle:` and a name. */
  readonly on: string;
  readonly from: string;
  /** [N s]; in `acting` a force [N]. */
  readonly impulse: [number, number, number];
  /** Sum of the sizes of its parts, and of their points in proportion to that: [N s], [N s m]. */
  size: number;
  readonly moment: [number, number, number];
  /** Most parts at a time. */
  points: number;
}

/** Impulses of a frame: part of a save, so that a run that stops within a frame goes on to the same. */
export interface ForceState {
  /** Simulated time that has been watched of this frame [s]. */
  seconds: number;
  pushes: Push[];
  /** Forces of the last evaluation, whose kicks are still to come. */
  acting: Push[];
  actingRigid: Push[];
  /** By number of constraint [N s]. */
  holds: [number, number, number][];
  /** Pairs that touched in the frame before. */
  before: string[];
}

export function newForceState(): ForceState {
  return { seconds: 0, pushes: [], acting: [], actingRigid: [], holds: [], before: [] };
}

export const pairOf = ({ on, from }: Pick<Push, 'on' | 'from'>): string => `${on}\n${from}`;

/** Adds an impulse, or a force, that acts at a point. */
export function addPush(
  to: Map<string, Push>,
  on: string,
  from: string,
  [fx, fy, fz]: readonly [number, number, number],
  [x, y, z]: readonly [number, number, number],
): void {
  const size = Math.sqrt(fx * fx + fy * fy + fz * fz);
  if (!(size > 0)) return;
  const key = pairOf({ on, from });
  let push = to.get(key);
  if (!push) {
    push = { on, from, impulse: [0, 0, 0], size: 0, moment: [0, 0, 0], points: 0 };
    to.set(key, push);
  }
  push.impulse[0] += fx;
  push.impulse[1] += fy;
  push.impulse[2] += fz;
  push.size += size;
  push.moment[0] += size * x;
  push.moment[1] += size * y;
  push.moment[2] += size * z;
  push.points++;
}

/** Adds forces for as long as they act. */
export function addTimes(to: Push[], forces: readonly Push[], seconds: number): void {
  if (seconds === 0) return;
  for (const push of forces) {
    let sum = to.find(({ on, from }) => on === push.on && from === push.from);
    if (!sum) {
      sum = { ...push, impulse: [0, 0, 0], size: 0, moment: [0, 0, 0], points: 0 };
      to.push(sum);
    }
    for (let a = 0; a < 3; a++) {
      sum.impulse[a]! += seconds * push.impulse[a]!;
      sum.moment[a]! += seconds * push.moment[a]!;
    }
    sum.size += seconds * push.size;
    sum.points = Math.max(sum.points, push.points);
  }
}
