/** Edges that cut what they sweep. */
import { add, transform } from '../../math/matrix3.js';
import { bladeSchema } from '../../options/cutting.js';
import { resolve } from '../../options/resolve.js';
import type { BladeOptions } from '../../options/types.js';
import { Motion } from '../../solvers/motion.js';
import type { WorldContents } from '../contents.js';
import { cutAlong, makeCuttable } from '../cutting.js';
import type { SceneItem } from './item.js';
import { nextOf } from './next-of.js';

/** Steps between cuts: what has been swept since is cut at once. */
const INTERVAL = 8;

type Blade = BladeOptions & {
  /** Up to when it has cut, and the step of that [s]; not begun when left out. */
  readonly reached?: { readonly time: number; readonly step: number };
};

const bladesOf = (world: WorldContents) => world.listOf<Blade>('blades');

export const blades: SceneItem<typeof bladeSchema> = {
  schema: bladeSchema,
  text: 'Edges that cut bodies.',
  bodyOf: ({ body }) => body,
  list: bladesOf,
  add(world, entry) {
    const options = resolve(bladeSchema, entry, 'blades');
    if (options.body !== undefined) world.requireBody(options.body);
    makeCuttable(world, options.body, `blades[${bladesOf(world).length}].body`);
    bladesOf(world).push(options);
  },
  nextTime: (world) => Math.min(Infinity, ...bladesOf(world).map((blade) => nextOf(timesOf(blade), world.time))),
  act(world) {
    for (const k of bladesOf(world).keys()) cut(world, k);
  },
};

/** When it begins, changes its velocity and ends [s]. */
function timesOf({ keyframes, start }: Blade): number[] {
  return [start, ...keyframes.map(({ time }) => time).filter((time) => time > start)];
}

function cut(world: WorldContents, k: number): void {
  const list = bladesOf(world);
  const blade = list[k]!;
  const { time, stepCount } = world;
  const times = timesOf(blade);
  const end = times.at(-1)!;
  if (time < times[0]! || (blade.reached && blade.reached.time >= Math.min(time, end))) return;
  if (!blade.reached) {
    list[k] = { ...blade, reached: { time, step: stepCount } };
    return;
  }
  const { reached } = blade;
  // At corners the way turns.
  if (stepCount - reached.step < INTERVAL && !times.includes(time)) return;
  const until = Math.min(time, end);
  const motion = new Motion(blade.keyframes);
  const positions: number[] = [];
  for (const at of [reached.time, until]) {
    const { rotation, origin } = motion.pose(at);
    for (const point of blade.edge) positions.push(...add(transform(rotation, point), origin));
  }
  const points = blade.edge.length;
  const ages = Array.from({ length: 2 * points }, (_, n) => time - (n < points ? reached.time : until));
  const triangles: number[] = [];
  for (let n = 0; n + 1 < points; n++) {
    triangles.push(n, n + 1, points + n, n + 1, points + n + 1, points + n);
  }
  list[k] = { ...blade, reached: { time: until, step: stepCount } };
  const bodies = world.bodies.filter(
    ({ options, breaks }) => breaks && (blade.body === undefined || options.name === blade.body),
  );
  cutAlong(world, { positions, triangles, ages }, bodies);
}
