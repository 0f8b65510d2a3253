/** Solids of which something has begun to melt go on as melts. */
import type { WorldContents } from './contents.js';
import { type Melting, meltBody, obstacleToMelting } from './melting.js';

export function meltSolids(world: WorldContents): void {
  for (;;) {
    const model = world.ready();
    const melting = new Set((model.heat?.melting ?? []).map((k) => model.solids[k]!));
    const b = world.bodies.findIndex((body) => melting.has(body) && body.options.kind === 'solid' && !body.staysSolid);
    if (b < 0) return;
    const record = world.bodies[b]!;
    const reason = obstacleToMelting(record, model.fluid?.spacing, world.solver.safety);
    if (reason === undefined) melt(world, b, meltBody(model, world.bodies, b));
    else {
      record.staysSolid = true;
      world.notes.push(`${record.options.name}: has reached its meltingPoint but stays solid: ${reason}`);
    }
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
    if (constraint.options.body === name && constraint.hold) fluid!.hold(constraint);
  }
}
