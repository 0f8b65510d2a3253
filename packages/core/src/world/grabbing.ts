/** Drags by a user or a program. */
import { subtract } from '../math/matrix3.js';
import { OptionError } from '../options/errors.js';
import type { Vec3 } from '../options/types.js';
import { Grab, regionAround } from '../solvers/grab.js';
import type { WorldContents } from './contents.js';

export function grabBody(world: WorldContents, body: string, point: Vec3, options: { readonly radius?: number }): Grab {
  const record = world.requireBody(body);
  const { begin, end, spacing } = world.described[world.bodies.indexOf(record)]!;
  const radius = options.radius ?? Math.max(1.5 * spacing, 0.2 * record.longestSide);
  if (!(radius > 0 && radius < Infinity)) throw new RangeError(`grab takes a radius > 0 m, got ${radius}`);
  if (!point.every(Number.isFinite)) throw new RangeError(`grab takes a point of finite numbers, got ${point}`);
  const masses = world.read.masses();
  const region = regionAround(world.read.positions(), masses, { begin, end }, point, radius);
  if (region.particles.length === 0) {
    throw new OptionError([{ path: 'body', message: `is "${body}", of which nothing is in the world now` }]);
  }
  // A grab carries the solid part of a body along, of a liquid only what it holds.
  const melted = world.read.liquidFractions();
  const { elastic, meltingPoint } = record.material;
  const solid = elastic && meltingPoint === undefined;
  let mass = 0;
  for (let i = begin; i < end; i++) mass += (solid ? 1 : 1 - melted[i]!) * masses[i]!;
  mass = Math.max(
    mass,
    region.particles.reduce((sum, k) => sum + masses[begin + k]!, 0),
  );
  const grab: Grab = new Grab({
    body,
    target: point,
    ...region,
    offset: subtract(point, region.middle),
    mass,
    // A rigid body resists as a whole, at its edge with a part of its mass.
    ownMass: record.matter.isRigid ? mass / 4 : region.ownMass,
    release: () => {
      world.grabs.splice(world.grabs.indexOf(grab), 1);
      if (world.disposed) return;
      world.model?.stepper.grabs?.remove(grab);
      world.model?.stepper.worldGrabs?.remove(grab);
      world.model?.stepper.external.clear();
      // The next step begins with the forces of the last: without the hand's.
      world.model?.elastic.evaluateForces();
    },
  });
  world.grabs.push(grab);
  world.attach(world.ready(), grab);
  return grab;
}
