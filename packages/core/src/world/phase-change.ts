/** Solids that begin to melt, or that something freezes onto, go on as melts. */
import type { WorldContents } from './contents.js';
import { type Melting, meltBody, nextToMelt, obstacleToMelting } from './melting.js';

export function meltSolids(world: WorldContents): void {
  for (;;) {
    const model = world.ready();
    const next = nextToMelt(model, world.bodies);
    if (!next) return;
    const record = world.bodies[next.body]!;
    const liquids = world.bodies.filter(({ matter }) => matter.isFluid);
    const reason = obstacleToMelting(record, liquids, model.fluid?.spacing, world.solver);
    if (reason === undefined) {
      melt(world, next.body, meltBody(model, world.bodies, next.body));
      continue;
    }
    const { name } = record.options;
    if (next.cause === 'melts') record.staysSolid = true;
    else record.staysApart = true;
    world.notes.push(
      next.cause === 'melts'
        ? `${name}: has reached its meltingPoint but stays solid: ${reason}`
        : `${name}: does not grow together with what freezes onto it: ${reason}`,
    );
  }
}

function melt(world: WorldContents, b: number, melting: Melting): void {
  const { record, state } = melting;
  const before = world.bodies[b]!;
  const { name } = record.options;
  world.selections.clear();
  world.surfaces.forget(name);
  world.bodies[b] = record;
  world.placed.add(record);
  world.placed.delete(before);
  world.pending = state;
  world.melted = melting;
  world.model = undefined;
  const { fluid } = world.ready();
  world.melted = undefined;
  // What held the solid holds the melt; clamps choose their particles by positions at rest, as they did.
  for (const constraint of world.constraints) {
    if (constraint.options.body !== name || !constraint.hold) continue;
    fluid!.hold(constraint);
  }
}
