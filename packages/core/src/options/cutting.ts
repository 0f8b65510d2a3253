/** What cuts bodies and blows them up. */
import * as z from 'zod';
import { LARGEST, name, number, object, vector } from './declare.js';
import { describeValue } from './errors.js';
import { keyframes, length } from './shapes.js';

const BLADE_TEXT = 'A sharp edge that moves: bonds between particles that it sweeps are severed, whatever they bear.';
export const bladeSchema = object(
  {
    body: name('The body that it cuts; all solids that bend and are there before it when left out.').optional(),
    edge: z
      .array(vector({ unit: 'm', text: 'A point of the edge.' }), {
        error: (issue) => `must be a list of points, got ${describeValue(issue.input)}`,
      })
      .min(2, { error: 'must have at least two points' })
      .max(1000, { error: 'must have at most 1000 points' })
      .meta({ description: 'The edge, a line through these points, before keyframes move it.' }),
    keyframes: keyframes('Where the edge is at given times: it cuts from the first to the last.'),
    start: number({ unit: 's', atLeast: 0, atMost: LARGEST, default: 0, text: 'When it begins to cut.' }),
  },
  { text: BLADE_TEXT },
)
  .refine(({ keyframes }) => keyframes.length > 1, {
    error: 'must have at least two: an edge that stands still cuts nothing',
    path: ['keyframes'],
  })
  .meta({ id: 'Blade', description: BLADE_TEXT });

export const explosionSchema = object(
  {
    time: number({ unit: 's', atLeast: 0, atMost: LARGEST, text: 'When it happens.' }),
    at: vector({ unit: 'm', text: 'Where it happens.' }),
    radius: length('How far it reaches: the push falls linearly from the middle to nothing here.'),
    energy: number({
      unit: 'J',
      above: 0,
      atMost: 1e18,
      text: 'Kinetic energy that it adds to solids, directed away from the point.',
    }),
    body: name('The only body that it pushes; all solids that bend when left out.').optional(),
  },
  { id: 'Explosion', text: 'Pushes solids away from a point at a time.' },
);
