/** Loads on the surfaces of bodies. */
import type * as z from 'zod';
import { field, fieldVector, flag, LARGEST, name, number, object } from './declare.js';
import { region } from './shapes.js';
import type { LoadOptions } from './types.js';

/** Of what has no surface of its own. */
export const LOAD_FLOWS = 'must be a solid or a rigid body: the surface of what flows or melts is not known beforehand';

const LOAD_TEXT = 'Pressure, traction or a force on a part of the surface of a body.';
export const loadSchema: z.ZodType<LoadOptions, LoadFields> = object(
  {
    body: name('The solid or rigid body it acts on.'),
    region: region.meta({
      description: 'Where: all of the surface that is in the region at time 0; the whole surface when left out.',
    }),
    pressure: field({
      unit: 'Pa',
      atLeast: -1e18,
      atMost: 1e18,
      text: 'Pushes into the surface, below zero it pulls; by the present position where it is following, by that at time 0 where it is not.',
    }).optional(),
    following: flag({
      default: true,
      text: 'Does the pressure follow the surface as it turns and stretches? If not it keeps the direction and area of time 0.',
    }),
    traction: fieldVector({
      unit: 'Pa',
      magnitude: 1e18,
      text: 'Force on an area at time 0, by the position then; it keeps its direction.',
    }).optional(),
    force: fieldVector({
      unit: 'N',
      magnitude: 1e18,
      variables: ['t'],
      text: 'Total force, spread evenly over the area: in a small region a point load, in a thin one a line load.',
    }).optional(),
    start: number({ unit: 's', atLeast: 0, atMost: LARGEST, default: 0, text: 'When it begins to act.' }),
    end: number({
      unit: 's',
      above: 0,
      default: Infinity,
      unlimited: true,
      text: 'When it ends; never when left out.',
    }),
  },
  { text: LOAD_TEXT },
)
  .refine(({ start, end }) => start < end, { error: 'must be > start', path: ['end'] })
  .refine(({ pressure, traction, force }) => [pressure, traction, force].some((value) => value !== undefined), {
    error: 'does nothing: give it pressure, traction or force',
  })
  .meta({ id: 'Load', description: LOAD_TEXT }) as never;

type LoadFields = { readonly body: string } & {
  readonly [K in Exclude<keyof LoadOptions, 'body' | 'region'>]?: LoadOptions[K];
} & { readonly region?: z.input<typeof region> };
