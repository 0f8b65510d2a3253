/** What holds, moves or pulls bodies; see ../constraining.ts. */
import { constraintSchema, DISPLACEMENT_FLOWS, EMITTED_AT_REST } from '../../options/parameters.js';
import { matterOf } from '../../options/phase.js';
import { rigidConstraintProblems } from '../../options/rigid.js';
import { addConstraint } from '../constraining.js';
import type { SceneItem } from './item.js';
import { nextOf } from './next-of.js';

export const constraints: SceneItem<typeof constraintSchema> = {
  schema: constraintSchema,
  text: 'What holds, moves or pulls bodies.',
  bodyOf: ({ body }) => body,
  check(constraint, { bodies, emitters }, report) {
    if (constraint.regionTime === 'rest' && emitters.some(({ name }) => name === constraint.body)) {
      report(['regionTime'], EMITTED_AT_REST);
    }
    const body = bodies.find(({ name }) => name === constraint.body);
    if (constraint.displacement && (!body || matterOf(body).flows)) report(['displacement'], DISPLACEMENT_FLOWS);
    if (!body || !matterOf(body).isRigid) return;
    for (const { path, message } of rigidConstraintProblems(constraint)) report(path, message);
  },
  list: (world) => world.constraints,
  add: addConstraint,
  nextTime: ({ constraints, time }) =>
    nextOf(
      constraints.flatMap(({ options: { start, end, move } }) => [start, end, ...move.map((key) => key.time)]),
      time,
    ),
};
