/**
 * The algorithm of a world's frames. What one step of the stepper (solvers/stepper.ts) is depends on what there is:
 *
 *   liquids               solvers/fluid/step.ts: neighbours, forces, divergence-free and constant-density solve,
 *                         algorithm 1 of [BK17]; with wcsph the equation of state, [K06] 4.3
 *   melts                 solvers/fluid/elastic.ts: elastic steps within that of the liquid, [K06] 6.4
 *   solids, rigid bodies  solvers/elastic/step.ts: leapfrog, [K06] eq. 7.5-7.6, or implicit; contact, [K06] 4.4 and 5.8;
 *                         stresses and forces, [M04] eq. 1-8 and 15-25; as often as they need within a liquid's step
 *   viscoplastic bodies   the same, and after plastic flow solvers/elastic/renewal.ts: rest vectors, sampling and
 *                         neighbours anew, [J14] 3.4-3.6
 *   heat                  solvers/heat/model.ts: conduction of [CM99], at the end of a frame, at corners, and when
 *                         particles may have moved by half a spacing
 */
import { asSimulationError, SimulationError } from '../solvers/error.js';
import { piecesOf, SAME_TIME } from '../solvers/stepper.js';
import { beginConstraints, forcesTurn, releaseClamps } from './constraining.js';
import type { WorldContents } from './contents.js';
import { effortsOf, frameReport } from './frame-report.js';
import { actItems, nextTime } from './items/index.js';
import { nextOf } from './items/next-of.js';
import { beginFrame, noteStep, type OpenFrame } from './open-frame.js';
import { meltSolids } from './phase-change.js';
import { beginWatch } from './pushes.js';
import type { StepReport } from './reports.js';

/** Goes on to the time `end` [s]; yields the time between steps. */
export function* stepsTo(world: WorldContents, end: number): Generator<number, StepReport, void> {
  const now = world.time;
  if (!(end > now) || !Number.isFinite(end)) throw new RangeError(`stepTo takes a time after ${now} s, got ${end}`);
  world.ready();
  if (world.open?.end !== end) {
    world.open = beginFrame(now, end, effortsOf(world), world.substeps);
    beginWatch(world);
  }
  const frame = world.open;
  while (world.time < end) {
    actItems(world); // what is due: events change materials
    releaseClamps(world); // what a clamp lets go of is elastic again
    meltSolids(world); // solids that begin to melt go on as melts
    beginConstraints(world); // holds take what is in their regions now
    if (!step(world, frame)) continue;
    // Before anybody saves: a world that is loaded does not know of clamps that have ended.
    releaseClamps(world);
    if (world.time < end) yield world.time;
  }
  world.frame++;
  world.ready().heat?.flush();
  world.open = undefined;
  return frameReport(world, frame);
}

/** The longest stable step towards the next time at which something changes; none when rounding has missed that by a little. */
function step(world: WorldContents, frame: OpenFrame): boolean {
  const model = world.ready();
  const { stepper, elastic, heat } = model;
  // The first half kick is that of the step before: forces that begin or end now are not in it.
  if (forcesTurn(world) && !elastic.implicit) elastic.evaluateForces();
  const corners = [...elastic.corners, ...(heat?.corners ?? [])];
  const target = Math.min(frame.end, nextTime(world), nextOf(corners, world.time));
  const remaining = target - stepper.time;
  const duration = frame.end - frame.start;
  if (remaining <= SAME_TIME * duration) {
    stepper.time = target;
    return false;
  }
  const limit = stepper.chooseStep(duration, frame.outerSteps === 0);
  const pieces = piecesOf(remaining, limit.timeStep);
  const size = remaining / pieces;
  if (!(stepper.time + size > stepper.time)) {
    const detail = `a step of ${size.toPrecision(2)} s is below the rounding of the time`;
    throw new SimulationError(0, 'chooseStep', stepper.time, detail, 'cannot go on in');
  }
  const before = elastic.stepCount;
  try {
    stepper.step(size);
  } catch (error) {
    throw asSimulationError(error, world.time);
  }
  // Land on the target exactly, so that frames do not drift.
  if (pieces === 1) stepper.time = target;
  if (pieces === 1) heat?.flush();
  noteStep(frame, size, pieces, limit, elastic.stepCount - before);
  return true;
}
