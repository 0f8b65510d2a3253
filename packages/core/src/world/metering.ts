/** Ties the solvers of a layout of the memory to the sums of what bodies, obstacles and constraints give to each other. */
import type { ConstraintRecord } from '../solvers/constraints/hold.js';
import type { Obstacle } from '../solvers/contact/obstacles.js';
import { ForceMeter } from '../solvers/meter.js';
import type { ForceState } from '../solvers/pushes.js';
import type { BodyRecord, WorldModel } from './model.js';

const AXES = ['x', 'y', 'z'] as const;

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
  const { store, elastic, solids, embedding, fluid } = model;
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
      flow: embedding && {
        store: embedding.store,
        bodies: solids.filter(({ matter }) => matter.isViscoplastic).map(({ options }) => options.name),
        decidingFor: (bits) => {
          const axes: (number | undefined)[] = [undefined, undefined, undefined];
          for (const [c, { bit, options }] of world.constraints.entries()) {
            if (bit === undefined || (bits & (1 << bit)) === 0) continue;
            for (let a = 0; a < 3; a++) if (options.move.length > 0 || options.fix.includes(AXES[a]!)) axes[a] = c;
          }
          return axes;
        },
      },
    },
    state,
  );
  elastic.meter = meter;
  if (fluid) fluid.reacted = () => meter.collectLiquids();
  if (embedding) embedding.solver.settled = () => meter.collectFlow();
}
