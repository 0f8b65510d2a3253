/** Shapes made of others, drawn out of a polygon, or between heights; and what a vessel holds. */
import * as z from 'zod';
import { field, LARGEST, number, object, vector } from './declare.js';
import { describeValue } from './errors.js';
import type { FieldNumber, Vec2 } from './types.js';

/** Corners that a polygon, and heights that a field may have. */
const MOST_CORNERS = 10_000;
const MOST_HEIGHTS = 1_000_000;

const coordinate = number({ unit: 'm', text: 'Coordinate.', atLeast: -LARGEST, atMost: LARGEST });

/** What editors begin with. */
const TRIANGLE = [
  [0, 0],
  [0.2, 0],
  [0.1, 0.2],
];
const PARTS = [
  { shape: { box: { size: [0.2, 0.2, 0.2] } } },
  { shape: { sphere: { radius: 0.1 } }, position: [0.1, 0.1, 0.1] },
];

const corners = (text: string) =>
  z
    .array(
      z.tuple([coordinate, coordinate], { error: (issue) => `must be x and y, got ${describeValue(issue.input)}` }),
      {
        error: (issue) => `must be a list of corners, got ${describeValue(issue.input)}`,
      },
    )
    .min(3, { error: 'must have at least three corners' })
    .max(MOST_CORNERS, { error: `must have at most ${MOST_CORNERS} corners` })
    .meta({
      examples: [TRIANGLE],
      description: `${text.replace(/\.$/, '')} [m]`,
      'x-unit': 'm',
      'x-type': 'readonly Vec2[]',
    }) as unknown as z.ZodType<readonly Vec2[], readonly Vec2[]>;

const lengthOf = (text: string) => number({ unit: 'm', above: 0, smallest: 1e-6, atMost: LARGEST, text });

export const extrusion = object(
  {
    polygon: corners('Corners x, y in either direction; sides must not cross or touch each other.'),
    holes: z.array(corners('Corners.')).default([]).meta({
      description: 'Polygons that are left out, within the polygon and apart from each other.',
      'x-type': 'readonly (readonly Vec2[])[]',
    }),
    length: lengthOf('Length along z.'),
  },
  { id: 'Extrusion', text: 'A polygon in the x-y plane drawn out along z, half of the length to either side.' },
);

export const heightfield = object(
  {
    size: z
      .tuple([lengthOf('Length along x.'), lengthOf('Length along z.')], {
        error: (issue) => `must be two lengths, got ${describeValue(issue.input)}`,
      })
      .meta({
        examples: [[1, 1]],
        description: 'Lengths along x and z, around the origin [m]',
        'x-unit': 'm',
        'x-type': 'Vec2',
      }),
    heights: z
      .union(
        [
          field({ unit: 'm', text: 'Height.', variables: ['x', 'z'], atLeast: -LARGEST, atMost: LARGEST }),
          z.array(z.array(coordinate).min(2)).min(2),
        ],
        { error: 'must be a formula of x and z, or at least two rows of at least two heights' },
      )
      .refine((rows) => !Array.isArray(rows) || rows.every((row) => row.length === rows[0]!.length), {
        error: 'must be rows of equally many heights',
      })
      .refine((rows) => !Array.isArray(rows) || rows.length * rows[0]!.length <= MOST_HEIGHTS, {
        error: `must be at most ${MOST_HEIGHTS} heights`,
      })
      .meta({
        description:
          'Heights y: a formula of x and z, or rows along z, from the lowest z on, of heights along x, with straight lines between them [m]',
        'x-unit': 'm',
        examples: ['0.2 + 0.05 * sin(6*x)'],
        'x-type': 'FieldNumber | readonly (readonly number[])[]',
      }) as unknown as z.ZodType<FieldNumber | readonly (readonly number[])[]>,
    base: number({
      unit: 'm',
      atLeast: -LARGEST,
      atMost: LARGEST,
      text: 'Height of its flat bottom, below all others.',
    }),
    cells: number({
      unit: '1',
      integer: true,
      atLeast: 1,
      atMost: 1000,
      default: 64,
      text: 'Straight pieces along either side where heights are a formula.',
    }),
  },
  { id: 'Heightfield', text: 'What lies between a flat bottom and heights, like ground.' },
);

/** A shape put somewhere in another one. */
export function partOf<S extends z.ZodType>(shape: S, id: string) {
  return object(
    {
      shape,
      position: vector({ unit: 'm', default: [0, 0, 0], text: 'Where its origin is put in the whole.' }),
      rotation: vector({ unit: 'degrees', default: [0, 0, 0], text: 'Turn about the x, then y, then z axis.' }),
    },
    { id, text: 'A shape put somewhere in a whole.' },
  );
}

/** A list of at least two parts. */
export function parts<P extends z.ZodType>(part: P, text: string) {
  const error = (issue: { input?: unknown }) => `must be a list of parts, got ${describeValue(issue.input)}`;
  return z
    .array(part, { error })
    .min(2, { error: 'must have at least two parts' })
    .meta({ description: text, examples: [PARTS] }) as unknown as z.ZodType<
    readonly z.output<P>[],
    readonly z.input<P>[]
  >;
}

const nameOf = z.string({ error: (issue) => `must be a name, got ${describeValue(issue.input)}` }).min(1);

export const fill = object(
  {
    vessel: z.union([nameOf, z.array(nameOf).min(1)], { error: 'must be a name, or a list of names' }).meta({
      description: 'Name of the obstacle or body that holds it, or names of those that do together.',
      'x-type': 'string | readonly string[]',
    }) as unknown as z.ZodType<string | readonly string[]>,
    level: number({
      unit: 'm',
      atLeast: -LARGEST,
      atMost: LARGEST,
      text: 'Height y in the world up to which it is filled.',
    }),
  },
  {
    id: 'Fill',
    text: 'What a vessel holds up to a level, without obstacles, solids, rigid bodies and what was filled in before.',
  },
);
