/** What blows bodies up. */
import { add, dot, length, scale, subtract, transform, transpose } from '../../math/matrix3.js';
import { explosionSchema } from '../../options/cutting.js';
import type { ExplosionOptions, Vec3 } from '../../options/types.js';
import * as layout from '../../particles/layout.js';
import type { WorldContents } from '../contents.js';
import type { SceneItem } from './item.js';

/** Those that have not happened yet. */
const waiting = (world: WorldContents) => world.listOf<ExplosionOptions>('explosions');

export const explosions: SceneItem<typeof explosionSchema> = {
  schema: explosionSchema,
  text: 'What pushes bodies away from a point at given times.',
  bodyOf: ({ body }) => body,
  list: waiting,
  nextTime: (world) => Math.min(Infinity, ...waiting(world).map(({ time }) => time)),
  act(world) {
    const list = waiting(world);
    for (const explosion of list.filter(({ time }) => time <= world.time)) {
      list.splice(list.indexOf(explosion), 1);
      explode(world, explosion);
    }
  },
};

/**
 * Adds s w_i n_i to the velocities, n_i away from the point and w_i = 1 - r / radius, with the s > 0 for which the kinetic
 * energy is the given one more: s sum m w n.v + s^2 sum m w^2 / 2 = E.
 */
function explode(world: WorldContents, { at, radius, energy, body }: ExplosionOptions): void {
  const { store, ranges, solids, elastic } = world.ready();
  const inverse = store.vectors(layout.GRADIENT_SUM);
  const velocities = store.vectors(layout.VELOCITY);
  const rest = store.vectors(layout.REST);
  const displacements = store.vectors(layout.DISPLACEMENT);
  const rows = store.integers(layout.BODY_OF, store.count);
  const pushed: { readonly i: number; readonly push: Vec3 }[] = [];
  let [linear, square] = [0, 0];
  for (const [b, { options, matter }] of solids.entries()) {
    if (matter.phase !== 'solid' || (body !== undefined && options.name !== body)) continue;
    for (let i = ranges[b]!.begin; i < ranges[b]!.end; i++) {
      const { rotation, origin } = elastic.frames[rows[i]!]!;
      const own = [0, 1, 2].map((k) => rest[4 * i + k]! + displacements[4 * i + k]!) as unknown as Vec3;
      const offset = subtract(add(transform(rotation, own), origin), at);
      const distance = length(offset);
      const weight = 1 - distance / radius;
      if (!(weight > 0) || distance === 0) continue;
      // In the axes of its row, as velocities are.
      const push = transform(transpose(rotation), scale(offset, weight / distance));
      const mass = 1 / inverse[4 * i + 3]!;
      linear += mass * dot(push, [velocities[4 * i]!, velocities[4 * i + 1]!, velocities[4 * i + 2]!]);
      square += mass * weight * weight;
      pushed.push({ i, push });
    }
  }
  if (!(square > 0)) return;
  const s = (2 * energy) / (linear + Math.sqrt(linear * linear + 2 * square * energy));
  for (const { i, push } of pushed) {
    for (let k = 0; k < 3; k++) velocities[4 * i + k]! += s * push[k]!;
    const speed = length([velocities[4 * i]!, velocities[4 * i + 1]!, velocities[4 * i + 2]!]);
    elastic.maximumSpeed = Math.max(elastic.maximumSpeed, speed);
  }
}
