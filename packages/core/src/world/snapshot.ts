/** A whole world kept, and made again from what was kept. */
import { resolveWorldOptions } from '../options/index.js';
import { createContents, type WorldContents } from './contents.js';
import { loadItems, saveItems } from './items/index.js';
import { readSave, Snapshot } from './save.js';
import { solverState } from './state.js';

export function takeSnapshot(world: WorldContents): Snapshot {
  const model = world.ready();
  const { store, elastic, fluid, heat } = model;
  return new Snapshot({
    fracture: elastic.fracture?.save(),
    renewal: elastic.renewal?.save(),
    temperature: world.temperature,
    heatTransfer: world.heatTransfer,
    forces: world.forces,
    heated: world.heated,
    heatState: heat?.save(),
    surfaces: world.surfaces.save(),
    heatEffort: world.heatEffort,
    fluid: fluid?.save(),
    gravity: world.gravity,
    solver: world.solver,
    seed: world.seed,
    frame: world.frame,
    open: world.open,
    efforts: world.open && {
      solid: world.solidEffort,
      fluid: world.fluidEffort,
      renewal: world.renewalEffort,
    },
    eventsDone: world.eventsDone,
    forceState: world.forceState,
    items: saveItems(world),
    bodies: world.bodies,
    obstacles: world.obstacles,
    solverState: solverState(model),
    attributes: [...store.state(), elastic.rigid.touches(true)],
  });
}

export async function loadContents(bytes: Uint8Array, options: { threads?: 'auto' | number }): Promise<WorldContents> {
  const saved = readSave(bytes);
  const resolved = resolveWorldOptions({ threads: options.threads ?? 'auto' });
  const { rapier: state } = saved.solverState;
  const touches = saved.attributes.at(-1)!;
  const world = await createContents({ ...saved, threads: resolved.threads }, state && { touches, state });
  world.bodies.push(...saved.bodies);
  world.obstacles.push(...saved.obstacles);
  loadItems(world, saved.items);
  for (const body of saved.bodies) world.placed.add(body);
  world.placedObstacles = saved.obstacles.length;
  world.surfaces.load(saved.surfaces);
  world.heated = saved.heated;
  Object.assign(world.heatEffort, saved.heatEffort);
  if (saved.open && saved.efforts) {
    Object.assign(world.solidEffort, saved.efforts.solid);
    Object.assign(world.fluidEffort, saved.efforts.fluid);
    Object.assign(world.renewalEffort, saved.efforts.renewal);
    Object.assign(world.substeps, saved.open.substeps);
    world.open = { ...saved.open, substeps: world.substeps };
  }
  world.eventsDone = saved.eventsDone;
  world.forceState = saved.forceState;
  world.frame = saved.frame;
  world.pending = {
    ...saved.solverState,
    attributes: saved.attributes,
    fluid: saved.fluid,
    heat: saved.heatState,
    fracture: saved.fracture,
    renewal: saved.renewal,
    hasForces: saved.solverState.elasticFrequency > 0 || saved.bodies.every(({ matter }) => !matter.isSolid),
  };
  return world;
}
