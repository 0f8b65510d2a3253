/**
 * Every parameter of a world, declared once: unit, range, default and one line of text. The input
 * types, the checks and their messages, the JSON Schema, docs/scene.md and sliders come from here.
 */
import * as z from 'zod';
import { forceFields } from '../forces/index.js';
import type { constraintSchema, eventSchema, probeSchema } from './actions.js';
import type { bodySchema, emitterSchema, obstacleSchema } from './bodies.js';
import { flag, number, object, vector } from './declare.js';
import { describeValue } from './errors.js';
import { heatTransfer, worldTemperature } from './heat.js';
import type {
  BodyInput,
  ConstraintInput,
  EmitterInput,
  EventInput,
  MaterialInput,
  ObstacleInput,
  ProbeInput,
  SolverInput,
  WorldInput,
} from './inputs.js';
import type { materialSchema } from './material.js';
import type { obstacleShapes, shapes } from './shapes.js';
import { solverSchema } from './solver.js';
import type {
  BodyOptions,
  ConstraintOptions,
  EventOptions,
  Material,
  ObstacleOptions,
  ObstacleShape,
  ProbeOptions,
  Shape,
  SolverOptions,
  WorldOptions,
} from './types.js';

export * from './actions.js';
export * from './bodies.js';
export * from './material.js';
export { meshPathProblem } from './mesh-path.js';
export { solverSchema } from './solver.js';

export const gravity = vector({ unit: 'm/s2', default: [0, -9.81, 0], text: 'Gravitational acceleration.' });
export const seed = number({
  unit: '1',
  integer: true,
  atLeast: 0,
  atMost: 2 ** 32 - 1,
  default: 1,
  text: 'Start of the random numbers that jitter draws.',
});

const threads = z
  .custom<'auto' | number>(
    (value) => value === 'auto' || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1024),
    { error: (issue) => `must be "auto" or a whole number from 1 to 1024, got ${describeValue(issue.input)}` },
  )
  .meta({
    description: 'Threads that share the work: all cores up to 8, or so many. Results do not depend on it.',
    'x-type': "'auto' | number",
  })
  .default('auto');

export const isStatic = flag({ default: false, text: 'Solve for the equilibrium instead of the motion.' });

export const worldSchema = object({
  gravity,
  static: isStatic,
  solver: solverSchema.prefault({}),
  seed,
  threads,
  temperature: worldTemperature,
  heatTransfer,
  ...forceFields,
});

/** What the types of inputs allow must be what the schemas take, with the same keys; the compiler checks it here. */
type Takes<Schema extends z.ZodType, Input> =
  Input extends z.input<Schema> ? (keyof z.input<Schema> extends keyof Input ? true : never) : never;
export type InputsFitDeclarations = [
  Takes<typeof materialSchema, MaterialInput>,
  Takes<typeof bodySchema, BodyInput>,
  Takes<typeof obstacleSchema, ObstacleInput>,
  Takes<typeof emitterSchema, EmitterInput>,
  Takes<typeof constraintSchema, ConstraintInput>,
  Takes<typeof eventSchema, EventInput>,
  Takes<typeof probeSchema, ProbeInput>,
  Takes<typeof solverSchema, SolverInput>,
  Takes<typeof worldSchema, WorldInput>,
];

/** What the schemas give must be what the world takes; the compiler checks it here. */
type Gives<Schema extends z.ZodType, Options> = z.output<Schema> extends Options ? true : never;
export type DeclarationsFitTypes = [
  Gives<typeof materialSchema, Material>,
  Gives<typeof bodySchema, Omit<BodyOptions, 'name'>>,
  Gives<typeof obstacleSchema, Omit<ObstacleOptions, 'name'>>,
  Gives<typeof constraintSchema, ConstraintOptions>,
  Gives<typeof eventSchema, EventOptions>,
  Gives<typeof probeSchema, ProbeOptions>,
  Gives<typeof solverSchema, SolverOptions>,
  Gives<typeof worldSchema, WorldOptions>,
  Gives<typeof shapes.program, Shape>,
  Gives<typeof obstacleShapes.program, ObstacleShape>,
];
