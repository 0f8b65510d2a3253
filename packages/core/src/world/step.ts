/** The steps of a frame. */
import { SimulationError } from '../solvers/error.js';
import { piecesOf, SAME_TIME } from '../solvers/stepper.js';
import { beginConstraints, forcesTurn, releaseClamps } from './constraining.js';
import type { WorldContents } from './contents.js';
import { effortsOf, frameReport } from './frame-report.js';
import { actItems, nextTime } from './items/index.js';
import { nextOf } from './items/next-of.js';
import { beginFrame, noteStep } from './open-frame.js';
import { meltSolids } from './phase-change.js';
import type { StepReport } from './reports.js';

export function* stepsTo(world: WorldContents, end: number): Generator<number, StepReport, void> {
  const now = world.time;
  if (!(end > now) || !Number.isFinite(end)) throw new RangeError(`stepTo takes a time after ${now} s, got ${end}`);
  world.ready();
  if (world.open?.end !== end) world.open = beginFrame(now, end, effortsOf(world), world.substeps);
  const frame = world.open;
  const dt = end - frame.start;
  let frameStart = frame.outerSteps === 0;
  while (world.time < end) {
    actItems(world);
    releaseClamps(world);
    meltSolids(world);
    beginConstraints(world);
    const model = world.ready();
    if (forcesTurn(world) && !model.elastic.implicit) model.elastic.evaluateForces();
    const corners = [...model.elastic.corners, ...(model.heat?.corners ?? [])];
    const target = Math.min(end, nextTime(world), nextOf(corners, world.time));
    const { stepper } = model;
    const remaining = target - stepper.time;
    if (remaining <= SAME_TIME * dt) {
      stepper.time = target;
      continue;
    }
    const limit = stepper.chooseStep(dt, frameStart);
    frameStart = false;
    const pieces = piecesOf(remaining, limit.timeStep);
    const size = remaining / pieces;
    const before = model.elastic.stepCount;
    if (!(stepper.time + size > stepper.time)) {
      const detail = `a step of ${size.toPrecision(2)} s is below the rounding of the time`;
      throw new SimulationError(0, 'chooseStep', stepper.time, detail, 'cannot go on in');
    }
    stepper.step(size);
    // Land on the target exactly, so that frames do not drift.
    if (pieces === 1) stepper.time = target;
    if (pieces === 1) model.heat?.flush();
    noteStep(frame, size, pieces, limit, model.elastic.stepCount - before);
    // Before anybody saves: a world that is loaded does not know of clamps that have ended.
    releaseClamps(world);
    if (world.time < end) yield world.time;
  }
  world.frame++;
  world.ready().heat?.flush();
  world.open = undefined;
  return frameReport(world, frame);
}
