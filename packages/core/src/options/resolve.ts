/** From what a user wrote to options with every default filled in, or an error that names each problem. */
import type * as z from 'zod';
import { formatPath, OptionError, type Path } from './errors.js';
import type {
  BodyInput,
  ConstraintInput,
  EmitterInput,
  EventInput,
  HeatInput,
  MaterialInput,
  ObstacleInput,
  ProbeInput,
  WorldInput,
} from './inputs.js';
import {
  bodySchema,
  constraintSchema,
  DEFAULT_PARTICLES,
  emitterSchema,
  eventSchema,
  heatSchema,
  materialSchema,
  obstacleSchema,
  probeSchema,
  sinkSchema,
  worldSchema,
} from './parameters.js';
import type {
  ConstraintOptions,
  DescribedBody,
  DescribedObstacle,
  EmitterOptions,
  EventOptions,
  HeatOptions,
  Material,
  ProbeOptions,
  Region,
  WorldOptions,
} from './types.js';

/** A problem before its path is written out; `atKey` when it is about the key and not the value. */
export interface RawProblem {
  readonly path: Path;
  readonly message: string;
  readonly atKey?: boolean;
  readonly isRefinement?: boolean;
  /** Where in the value, a text, it is; from 1. */
  readonly column?: number | undefined;
}

/** The value with its defaults, or what is wrong with it. */
export function validate<T>(
  schema: z.ZodType<T>,
  input: unknown,
): { readonly value: T } | { readonly problems: RawProblem[] } {
  const result = schema.safeParse(input);
  if (result.success) return { value: result.data };
  const problems = result.error.issues.flatMap((issue) => readIssue(issue, []));
  // Rules about a whole object say nothing new when one of its keys is misspelt.
  const misspelt = new Set(
    problems.filter((problem) => problem.atKey).map(({ path }) => formatPath(path.slice(0, -1))),
  );
  return { problems: problems.filter((problem) => !(problem.isRefinement && misspelt.has(formatPath(problem.path)))) };
}

function readIssue(issue: z.core.$ZodIssue, parent: Path): RawProblem[] {
  const path: Path = [...parent, ...(issue.path as PathSegments)];
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map((key, i) => ({
      path: [...path, key],
      message: messages[i] ?? 'is not a known key',
      atKey: true,
    }));
  }
  if (issue.code === 'invalid_union') {
    // The alternative of the right type says what is wrong; without one the union itself does.
    const isWrongType = (inner: z.core.$ZodIssue) =>
      inner.path.length === 0 && (inner.code === 'invalid_type' || inner.code === 'invalid_value');
    const branch = issue.errors.find((issues) => issues.length > 0 && !issues.some(isWrongType));
    if (branch) return branch.flatMap((inner) => readIssue(inner, path));
  }
  const column = issue.code === 'custom' ? (issue.params?.column as number | undefined) : undefined;
  return [{ path, message: issue.message, isRefinement: issue.code === 'custom', ...(column && { column }) }];
}

type PathSegments = (string | number)[];

/** Options of a schema; `root` is how messages call the input. */
export function resolve<T>(schema: z.ZodType<T>, input: unknown, root: string): T {
  const result = validate(schema, input);
  if ('value' in result) return freeze(result.value);
  throw new OptionError(result.problems.map(({ path, message }) => ({ path: formatPath(path, root), message })));
}

/** Freezes options all the way down; typed arrays of meshes stay as they are. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  for (const key of Object.keys(value)) freeze((value as Record<string, unknown>)[key]);
  return Object.freeze(value);
}

/** Gives a body its name and its resolution. */
export function completeBody<
  B extends { name?: string | undefined; spacing?: number | undefined; particles?: number | undefined },
>(body: B, fallbackName: string): B & { name: string } {
  const { spacing, particles, ...rest } = body;
  const resolution = spacing !== undefined ? { spacing } : { particles: particles ?? DEFAULT_PARTICLES };
  return { ...rest, name: body.name ?? fallbackName, ...resolution } as unknown as B & { name: string };
}

/** `path` is how messages call the input, `fallbackName` the name of one that has none. */
export function resolveBody(input: BodyInput, path = 'body', fallbackName = 'body'): DescribedBody {
  return freeze(completeBody(resolve(bodySchema, input, path), fallbackName));
}

export function resolveObstacle(input: ObstacleInput, path = 'obstacle', fallbackName = 'obstacle'): DescribedObstacle {
  const obstacle = resolve(obstacleSchema, input, path);
  return freeze({ ...obstacle, name: obstacle.name ?? fallbackName });
}

export function resolveEmitter(input: EmitterInput, path = 'emitter', fallbackName = 'emitter'): EmitterOptions {
  const emitter = resolve(emitterSchema, input, path);
  return freeze({ ...emitter, name: emitter.name ?? fallbackName });
}

export function resolveSink(input: Region, path = 'sink'): Region {
  return resolve(sinkSchema, input, path);
}

export function resolveMaterial(input: MaterialInput = {}, path = 'material'): Material {
  return resolve(materialSchema, input, path);
}

export function resolveConstraint(input: ConstraintInput, path = 'constraint'): ConstraintOptions {
  return resolve(constraintSchema, input, path);
}

export function resolveHeat(input: HeatInput, path = 'heat'): HeatOptions {
  return resolve(heatSchema, input, path);
}

export function resolveEvent(input: EventInput, path = 'event'): EventOptions {
  return resolve(eventSchema, input, path);
}

export function resolveProbe(input: ProbeInput, path = 'probe'): ProbeOptions {
  return resolve(probeSchema, input, path);
}

export function resolveWorldOptions(input: WorldInput = {}, path = ''): WorldOptions {
  return resolve(worldSchema, input, path);
}
