/** What a frame took, for its report. */
import type { WorldContents } from './contents.js';
import { type Efforts, MANY_STEPS, manySteps, type OpenFrame, substepsOf } from './open-frame.js';
import { birthsSince } from './pieces.js';
import {
  fluidReport,
  fluidWarnings,
  heatReport,
  NO_PLACE,
  renewalReport,
  retried,
  type StepReport,
} from './reports.js';

export function effortsOf(world: WorldContents): Efforts {
  return {
    steps: world.stepCount,
    solid: { ...world.solidEffort },
    fluid: { ...world.fluidEffort },
    heat: { ...world.heatEffort },
    renewal: { ...world.renewalEffort },
    missed: world.ready().fluid?.missed ?? [],
  };
}

export function frameReport(world: WorldContents, frame: OpenFrame): StepReport {
  const { before, timeStep, limitedBy, body } = frame;
  const { fluid, heat, elastic, stepper } = world.ready();
  const { newtonIterations, iterations, retries } = world.solidEffort;
  const steps = world.stepCount - before.steps;
  const substeps = substepsOf(frame);
  const births = birthsSince(world, frame.start);
  const halved = retries - before.solid.retries;
  return {
    steps,
    timeStep,
    limitedBy,
    ...(body !== undefined && { limitedByBody: body }),
    ...(substeps && { substeps }),
    maximumSpeed: stepper.maximumSpeed,
    newtonIterations: newtonIterations - before.solid.newtonIterations,
    iterations: iterations - before.solid.iterations,
    retries: halved,
    ...(fluid && { fluid: fluidReport(fluid, before.fluid, frame.outerSteps) }),
    ...(heat && { heat: heatReport(heat, before.heat) }),
    ...(elastic.renewal && { flow: renewalReport(elastic.renewal, world.renewalEffort, before.renewal) }),
    ...(births.length > 0 && { pieces: births }),
    warnings: [
      ...(steps > MANY_STEPS ? [manySteps({ ...frame, steps, substeps }, steps)] : []),
      ...(halved > 0 ? [retried(halved)] : []),
      ...(fluid ? fluidWarnings(fluid, liquidNames(world), before.fluid, before.missed) : []),
      ...(world.renewalEffort.refused > before.renewal.refused ? [NO_PLACE] : []),
      ...world.notes.splice(0),
    ],
  };
}

function liquidNames(world: WorldContents): string[] {
  return world.bodies.filter(({ matter }) => matter.isFluid).map(({ options }) => options.name);
}
