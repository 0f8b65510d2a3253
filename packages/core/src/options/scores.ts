/** Where a body is weaker than its material: patterns that it breaks along. */
import * as z from 'zod';
import { number, object, oneOf, vector } from './declare.js';
import { describeValue } from './errors.js';
import { length } from './shapes.js';

const axis = (text: string) =>
  vector({ unit: '1', magnitude: 1e6, text }).refine((v) => v.some((x) => x !== 0), { error: 'must not be zero' });

const seed = number({
  unit: '1',
  integer: true,
  atLeast: 0,
  atMost: 4_294_967_295,
  default: 1,
  text: 'Another number for another pattern.',
});

const point = vector({ unit: 'm', text: 'A point in the world at time 0.' });

const patterns = oneOf(
  {
    voronoi: object(
      {
        count: number({ unit: '1', integer: true, atLeast: 2, atMost: 100_000, text: 'How many cells.' }),
        seed,
      },
      { id: 'VoronoiPattern', text: 'Cells around random points, like shards.' },
    ),
    brick: object(
      {
        size: vector({
          unit: 'm',
          above: 0,
          text: 'Of a brick with its joints, along x, y and z. Every second course is shifted by half a brick along x.',
        }),
        origin: vector({ unit: 'm', default: [0, 0, 0], text: 'A corner of a brick.' }),
      },
      { id: 'BrickPattern', text: 'Upright courses of bricks.' },
    ),
    grain: object(
      { axis: axis('Along the fibres.') },
      { id: 'GrainPattern', text: 'Fibres, as of wood: full strength along them, and the least across.' },
    ),
    noise: object(
      { size: length('Distance from weak to strong places.'), seed },
      { id: 'NoisePattern', text: 'Smooth random strengths between that of the score and that of the material.' },
    ),
    crack: object(
      {
        points: z
          .array(point, { error: (issue) => `must be a list of points, got ${describeValue(issue.input)}` })
          .min(2, { error: 'must have at least two points' })
          .max(10_000, { error: 'must have at most 10000 points' })
          .meta({ description: 'A line on the surface, in the world at time 0.' }),
        depth: length('How deep it goes.'),
        direction: axis('Into the body; towards the middle of it when left out.').optional(),
      },
      { id: 'CrackPattern', text: 'A line that is painted on the surface and goes into the body.' },
    ),
  },
  { id: 'ScorePattern', text: 'Where a body is weaker.' },
);

export const scoreSchema = object(
  {
    pattern: patterns,
    strength: number({
      unit: '1',
      atLeast: 0,
      atMost: 1,
      default: 0.2,
      slider: { from: 0, to: 1, scale: 'linear' },
      text: 'Share of the strength and of the fracture energy that is left there; with 0 it is cut from the start.',
    }),
  },
  { id: 'Score', text: 'A pattern that a body breaks along. Where several meet, the weakest counts.' },
);
