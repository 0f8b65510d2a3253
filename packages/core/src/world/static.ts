/** Rest: where all forces balance. */
import { FORCE_NAMES, STATIC_FORCE } from '../forces/index.js';
import { OptionError } from '../options/errors.js';
import { RIGID_STATIC } from '../options/rigid.js';
import { beginConstraints, releaseClamps } from './constraining.js';
import type { WorldContents } from './contents.js';
import { actItems } from './items/index.js';
import { beginWatch } from './pushes.js';
import type { StepReport } from './reports.js';

/** Times at the most that a balance is found anew with loads as they are then. */
const LOAD_ROUNDS = 30;

export function solveStatic(world: WorldContents, end: number | undefined): StepReport {
  if (end !== undefined && !(end >= world.time && Number.isFinite(end))) {
    throw new RangeError(`solveStatic takes a time of at least ${world.time} s, got ${end}`);
  }
  if (world.bodies.some(({ matter }) => matter.isRigid)) {
    throw new OptionError([{ path: 'static', message: RIGID_STATIC }]);
  }
  if (world.bodies.some(({ matter }) => matter.flows)) {
    const message = 'is for solids: liquids and bodies with discretisation renewed come to rest in time only';
    throw new OptionError([{ path: 'static', message }]);
  }
  const breakable = world.bodies.find(({ breaks }) => breaks);
  if (breakable) {
    const message = `is for what cannot break: "${breakable.options.name}" has a tensileStrength`;
    throw new OptionError([{ path: 'static', message }]);
  }
  const pushing = FORCE_NAMES.find((name) => world.forces[name]);
  if (pushing) throw new OptionError([{ path: pushing, message: STATIC_FORCE }]);
  actItems(world);
  releaseClamps(world);
  beginConstraints(world);
  const model = world.ready();
  beginWatch(world);
  const effort = { ...world.solidEffort };
  const time = end ?? model.elastic.motionEnd;
  const { tolerance } = world.solver.solid;
  model.stepper.loadStatic(time);
  let { residual } = model.elastic.solveStatic(time);
  // Pressures follow the surface: how large they are is found with where it is.
  let change = model.stepper.loadStatic(time);
  for (let round = 1; change > tolerance && round < LOAD_ROUNDS; round++) {
    ({ residual } = model.elastic.solveStatic(time));
    const before = change;
    change = model.stepper.loadStatic(time);
    // It turns the surface farther each time.
    if (round > 2 && change > before) break;
  }
  const unbalanced = `balanced to ${residual.toPrecision(2)} of the forces that act, not to solver.solid.tolerance`;
  const moving = `loads still change by ${change.toPrecision(2)} of them with the surface that they follow: the balance may be unstable`;
  world.frame++;
  const { newtonIterations, iterations, retries } = world.solidEffort;
  return {
    steps: 1,
    timeStep: 0,
    limitedBy: 'balance',
    maximumSpeed: 0,
    newtonIterations: newtonIterations - effort.newtonIterations,
    iterations: iterations - effort.iterations,
    retries: retries - effort.retries,
    residual,
    warnings: [...(residual > tolerance ? [unbalanced] : []), ...(change > tolerance ? [moving] : [])],
  };
}
