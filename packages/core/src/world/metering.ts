/** Ties the solvers of a layout of the memory to the sums of what bodies, obstacles and constraints give to each other. */
import type { ConstraintRecord } from '../solvers/constraints/hold.js';
import type { Obstacle } from '../solvers/contact/obstacles.js';
import { ForceMeter } from '../solvers/meter.js';
import type { ForceState } from '../solvers/pushes.js';
import type { BodyRecord, WorldModel } from './model.js';

/** Lets the solvers of a layout note what they do. */
export function attachMeter(
  world: {
    readonly bodies: readonly BodyRecord[];
    readonly constraints: readonly ConstraintRecord[];
    readonly obstacles: readonly Obstacle[];
  },
  model: WorldModel,
  state: ForceState,
): void {
  const { store, elastic, solids, fluid } = model;
  const liquids = world.bodies.filter(({ matter }) => matter.isFluid);
  const numberOf = new Map(world.constraints.map(({ options }, c) => [options, c]));
  const meter = new ForceMeter(
    {
      store,
      bodies: solids.map(({ options }) => options.name),
      obstacles: world.obstacles.map(({ options }) => options.name),
      deciding: (set) => model.constraints.decidingIn(set).map((options) => options && numberOf.get(options)),
      contact: elastic.contact,
      rigid: elastic.rigid,
      ghosts: elastic.ghosts.length,
      liquids: fluid && {
        model: fluid,
        names: liquids.map(({ options }) => options.name),
        capacity: liquids.reduce((sum, { samples }) => sum + samples.count, 0),
      },
    },
    state,
  );
  elastic.meter = meter;
  if (fluid) fluid.reacted = () => meter.collectLiquids();
}
