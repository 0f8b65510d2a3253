/** Surfaces of a world's bodies at this time. */
import { OptionError } from '../options/errors.js';
import type { SurfaceMesh, SurfaceOptions } from '../surface/liquid.js';
import { obstaclePlane } from '../surface/shape-mesh.js';
import type { WorldContents } from './contents.js';
import { further } from './on-demand.js';
import type { BodySurfels, SurfelOptions } from './surfaces.js';

export function surfaceOf(world: WorldContents, body: string | undefined, options: SurfaceOptions): SurfaceMesh {
  const flows = (name: string) => world.requireBody(name).matter.flows;
  const bodies = world.described.filter(({ name }) => (body === undefined ? flows(name) : name === body));
  if (body !== undefined && !flows(body)) {
    throw new OptionError([{ path: 'body', message: `"${body}" does not flow: only what does has such a surface` }]);
  }
  if (bodies.length === 0) throw new OptionError([{ path: 'body', message: 'is missing: the world has no liquid' }]);
  const [positions, velocities] = [world.read.positions(), world.read.velocities()];
  const present: number[] = [];
  for (const { begin, end } of bodies) {
    for (let i = begin; i < end; i++) if (positions[4 * i + 3] === 1) present.push(i);
  }
  const pick = (from: Float32Array) => {
    const to = new Float32Array(3 * present.length);
    for (const [k, i] of present.entries()) for (let a = 0; a < 3; a++) to[3 * k + a] = from[4 * i + a]!;
    return to;
  };
  const attributes = { velocity: { components: 3, values: pick(velocities) } };
  const spacing = bodies[0]!.spacing;
  const walls = world.obstacles.flatMap(({ options }) => obstaclePlane(options, world.time) ?? []);
  return further().liquidSurface(
    world.engine,
    { positions: pick(positions), spacing, attributes },
    { walls, ...options },
  );
}

export function surfelsOf(world: WorldContents, body: string, options: SurfelOptions): BodySurfels {
  const record = world.requireBody(body);
  if (record.matter.isFluid) {
    throw new OptionError([{ path: 'body', message: `"${body}" is a liquid: it has a point surface instead` }]);
  }
  if (record.matter.isViscoplastic) {
    const message = `"${body}" flows, so that its particles split and merge: it has a point surface instead`;
    throw new OptionError([{ path: 'body', message }]);
  }
  return world.surfaces.surfels(world.engine, record, options, () => world.positionsOf(body));
}
