/** What is declared about heat: materials, temperatures, and where heat comes from. */
import * as z from 'zod';
import { field, LARGEST, name, number, object } from './declare.js';
import { describeValue } from './errors.js';
import { COLDEST, type CurvedNumber, materialDeclarations } from './material-parameters.js';
import type { Region, TemperatureCurve } from './types.js';

/** Hottest that anything may be [degrees C]. */
export const HOTTEST = 1e6;
/** Largest factor of a curve [1]. */
const LARGEST_FACTOR = 1e6;
/** What a world has when nothing is said [degrees C]. */
export const ROOM_TEMPERATURE = 20;

const pair = (issue: { input?: unknown }) => `must be [temperature, factor], got ${describeValue(issue.input)}`;
const pointAbove = (least: '>' | '>=') =>
  z
    .array(z.number({ error: pair }), { error: pair })
    .refine(
      ([temperature, factor, ...more]) =>
        factor !== undefined &&
        more.length === 0 &&
        temperature! >= COLDEST &&
        (least === '>' ? factor > 0 : factor >= 0) &&
        factor <= LARGEST_FACTOR,
      {
        error: (issue) =>
          `must be a temperature >= ${COLDEST} degrees C and a factor ${least} 0 and <= ${LARGEST_FACTOR}, got ${describeValue(issue.input)}`,
      },
    );
const point = pointAbove('>');
const pointOrNothing = pointAbove('>=');

const curve = (text: string, least?: 'zero') =>
  (
    z
      .array(least === 'zero' ? pointOrNothing : point, {
        error: (issue) => `must be a list of [temperature, factor], got ${describeValue(issue.input)}`,
      })
      .min(1, { error: 'must have at least one point' })
      .superRefine((points, context) => {
        for (let i = 1; i < points.length; i++) {
          if (points[i]![0]! > points[i - 1]![0]!) continue;
          const message = `must be warmer than the point before it, ${points[i - 1]![0]} degrees C, got ${points[i]![0]}`;
          context.addIssue({ code: 'custom', path: [i], message });
        }
      })
      .meta({
        description: `${text} Points [temperature, factor] by rising temperature, with straight lines between.`,
        'x-type': 'TemperatureCurve',
      }) as unknown as z.ZodType<TemperatureCurve, TemperatureCurve>
  ).optional();

const CURVES_TEXT = 'What parameters of a material are multiplied by, as functions of temperature.';
/** Curves of a material. */
export const temperatureCurves = object(
  Object.fromEntries(
    materialDeclarations.flatMap(([key, { curve: own }]) => (own ? [[key, curve(own.text, own.least)]] : [])),
  ) as Record<CurvedNumber, ReturnType<typeof curve>>,
  { id: 'TemperatureCurves', text: CURVES_TEXT },
);

/** Parameters of materials that concern heat alone. */
export const THERMAL_KEYS: readonly string[] = materialDeclarations
  .filter(([, { subject }]) => subject[0] === 'Heat')
  .map(([key]) => key);

/** A temperature that may be left out. */
export const temperature = (text: string) =>
  number({ unit: 'degrees C', atLeast: COLDEST, atMost: HOTTEST, text }).optional();

/** Bounds of a temperature at the start. */
const BOUNDS = { unit: 'degrees C', atLeast: COLDEST, atMost: HOTTEST } as const;
export const START_TEMPERATURE = { ...BOUNDS, text: 'Temperature at the start.' };

/** The same of a body, which may differ from place to place. */
export const startTemperature = (text: string) => field({ ...BOUNDS, variables: ['x', 'y', 'z'], text }).optional();

const transfer = { unit: 'W/(m2 K)', atLeast: 0 } as const;

export const worldTemperature = temperature(
  'Temperature of the surroundings, and of bodies and sources that name none; 20 when left out. Naming one anywhere makes heat count.',
);

export const heatTransfer = number({
  ...transfer,
  atMost: LARGEST,
  default: 0,
  slider: { from: 0, to: 1000, scale: 'linear' },
  text: 'Heat that free surfaces exchange with the surroundings, for each kelvin; still air takes 5 to 25.',
});

/** Of obstacles that have a temperature. */
export const contactConductance = number({
  ...transfer,
  above: 0,
  default: Infinity,
  unlimited: true,
  text: 'Heat that passes through the contact with an obstacle that has a temperature, for each kelvin; without resistance when left out.',
});

const HEAT_TEXT = 'Heats, cools or holds the temperature of the particles of a region.';

/** Region is that of parameters.ts, which uses this. */
export const heatSchema = (region: z.ZodDefault<z.ZodType<Region, never>>) =>
  object(
    {
      body: name('The body it acts on.'),
      region,
      power: number({
        unit: 'W',
        atLeast: -LARGEST,
        atMost: LARGEST,
        text: 'Heat that comes in per second, in proportion to mass; < 0 cools. Give this or temperature.',
      }).optional(),
      temperature: temperature('Temperature that the region is held at. Give this or power.'),
      start: number({ unit: 's', atLeast: 0, atMost: LARGEST, default: 0, text: 'When it begins to act.' }),
      end: number({
        unit: 's',
        above: 0,
        default: Infinity,
        unlimited: true,
        text: 'When it ends; never when left out.',
      }),
    },
    { text: HEAT_TEXT },
  )
    .refine(({ start, end }) => start < end, { error: 'must be > start', path: ['end'] })
    .refine(({ power, temperature }) => (power === undefined) !== (temperature === undefined), {
      error: 'must have either power or temperature',
    })
    .meta({ id: 'Heat', description: HEAT_TEXT });
