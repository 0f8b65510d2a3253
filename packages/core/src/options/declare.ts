/**
 * Builders for parameter declarations. A declaration is written once, with unit, range, default and
 * text, and becomes a zod schema; messages, types, the JSON Schema, the documentation and sliders
 * are read from it.
 */
import * as z from 'zod';
import type { Vec3 } from '../math/matrix3.js';
import { describeValue, suggest } from './errors.js';
import { ExpressionError, parseExpression, VARIABLES, type Variable } from './expression.js';
import type { FieldNumber, FieldVector } from './field.js';

export interface NumberDeclaration {
  /** SI unit, `1` for a pure number. */
  readonly unit: string;
  /** One line for people. */
  readonly text: string;
  readonly default?: number;
  /** Range; `above` and `below` exclude the bound itself. */
  readonly above?: number;
  readonly atLeast?: number;
  readonly below?: number;
  readonly atMost?: number;
  readonly integer?: boolean;
  /** What must be above 0 is at least this: SMALLEST when left out. */
  readonly smallest?: number;
  /** Infinity stands for "no limit"; in files the key is then left out. */
  readonly unlimited?: boolean;
  /** Range that is useful to drag a slider in. */
  readonly slider?: { readonly from: number; readonly to: number; readonly scale: 'linear' | 'logarithmic' };
}

export interface VectorDeclaration {
  readonly unit: string;
  readonly text: string;
  readonly default?: Vec3;
  /** Every component must be greater than this, or at least this. */
  readonly above?: number;
  readonly atLeast?: number;
  /** What must be above 0 is at least this. */
  readonly smallest?: number;
  /** Largest magnitude of a component. */
  readonly magnitude?: number;
}

export interface ChoiceDeclaration<V extends string> {
  readonly text: string;
  readonly values: readonly V[];
  readonly default?: V;
  /** Words that are planned but not there yet. */
  readonly future?: readonly string[];
}

export type Declaration =
  | ({ readonly kind: 'number' } & NumberDeclaration)
  | ({ readonly kind: 'vector' } & VectorDeclaration)
  | ({ readonly kind: 'choice' } & ChoiceDeclaration<string>)
  | { readonly kind: 'flag'; readonly text: string; readonly default?: boolean };

/** Largest magnitude of a length, speed and so on: its square still fits the f32 state. */
export const LARGEST = 1e12;
/** What must be above zero must be so in the f32 state, and one over it too. */
const SMALLEST = 1e-12;
/**
 * Smallest length of a shape and shortest distance of particles [m], and the longest such distance: sixth powers of it
 * are normal numbers of the f32 state, and cubes times the largest density too.
 */
export const SHORTEST_LENGTH = 1e-6;
export const LONGEST_SPACING = 1e6;

const declarations = new WeakMap<z.core.$ZodType, Declaration>();
const jsonSchemaExtras = new WeakMap<z.core.$ZodType, Record<string, unknown>>();

/** The declaration behind a schema of a single parameter; sees through defaults and optionals. */
export function declarationOf(schema: z.core.$ZodType): Declaration | undefined {
  for (let current: z.core.$ZodType | undefined = schema; current; ) {
    const found = declarations.get(current);
    if (found) return found;
    const def: { innerType?: z.core.$ZodType } = current._zod.def as never;
    current = def.innerType;
  }
  return undefined;
}

/** A parameter that may be left out. */
export type Defaulted<T> = z.ZodDefault<z.ZodType<T, T>>;

/** A required number, or an optional one when the declaration has a default. */
export function number(declaration: NumberDeclaration & { default: number }): Defaulted<number>;
export function number(declaration: NumberDeclaration): z.ZodType<number, number>;
export function number(declaration: NumberDeclaration): z.ZodType {
  const rule = describeRange(declaration);
  const wrongType = (issue: { input?: unknown }) =>
    issue.input === undefined
      ? `is missing: ${lowerFirst(declaration.text)} ${unitOf(declaration.unit)}`.trimEnd()
      : `must be ${declaration.integer ? 'a whole number' : 'a finite number'}${rule === '' ? '' : ` ${rule}`}, got ${describeValue(issue.input)}`;
  const outside = {
    error: (issue: { input?: unknown }) =>
      `must be ${describeBrokenRange(issue.input, declaration)}, got ${describeValue(issue.input)}`,
  };
  const meta = { description: describeText(declaration), 'x-unit': declaration.unit };

  let schema: z.ZodType;
  if (declaration.unlimited) {
    const accepts = (value: unknown) =>
      typeof value === 'number' &&
      !Number.isNaN(value) &&
      inRange(value === Infinity ? 1 : value, declaration) &&
      !isTooSmall(value, declaration);
    schema = z.custom<number>(accepts, { error: wrongType });
    schema = schema.meta(meta);
    jsonSchemaExtras.set(schema, { type: 'number', ...jsonRange(declaration) });
  } else {
    let bounded = z.number({ error: wrongType });
    if (declaration.integer) bounded = bounded.int({ error: wrongType });
    if (declaration.above !== undefined) bounded = bounded.gt(declaration.above, outside);
    if (declaration.atLeast !== undefined) bounded = bounded.gte(declaration.atLeast, outside);
    if (declaration.below !== undefined) bounded = bounded.lt(declaration.below, outside);
    if (declaration.atMost !== undefined) bounded = bounded.lte(declaration.atMost, outside);
    if (declaration.above === 0) bounded = bounded.refine((value) => !isTooSmall(value, declaration), outside);
    // Minus zero would not survive being written to a file.
    schema = bounded.overwrite((value) => value + 0).meta(meta);
  }
  declarations.set(schema, { kind: 'number', ...declaration });
  return declaration.default === undefined ? schema : schema.default(declaration.default);
}

/** Three numbers. */
export function vector(declaration: VectorDeclaration & { default: Vec3 }): Defaulted<Vec3>;
export function vector(declaration: VectorDeclaration): z.ZodType<Vec3, Vec3>;
export function vector(declaration: VectorDeclaration): z.ZodType {
  const magnitude = declaration.magnitude ?? LARGEST;
  const range =
    declaration.above === undefined ? { atLeast: declaration.atLeast ?? -magnitude } : { above: declaration.above };
  const { unit, smallest } = declaration;
  const component = number({ unit, text: 'Component.', ...range, atMost: magnitude, ...(smallest && { smallest }) });
  const error = (issue: { input?: unknown }) =>
    issue.input === undefined
      ? `is missing: ${lowerFirst(declaration.text)} ${unitOf(declaration.unit)}`.trimEnd()
      : `must be three numbers${declaration.unit === '1' ? '' : ` [${declaration.unit}]`}, got ${describeValue(issue.input)}`;
  const schema = z
    .tuple([component, component, component], { error })
    .meta({ description: describeText(declaration), 'x-unit': declaration.unit });
  const items = { type: 'number', ...jsonRange({ ...range, atMost: magnitude }) };
  jsonSchemaExtras.set(schema, { prefixItems: undefined, items });
  declarations.set(schema, { kind: 'vector', ...declaration });
  return declaration.default === undefined ? schema : schema.default([...declaration.default]);
}

/** A formula of some variables, see docs/formulas.md. */
function formula(variables: readonly Variable[]): z.ZodType<string, string> {
  return z
    .string()
    .superRefine((text, context) => {
      const problem = formulaProblem(text, variables);
      if (problem) context.addIssue({ code: 'custom', ...problem });
    })
    .meta({ 'x-variables': variables });
}

function formulaProblem(text: string, variables: readonly Variable[]) {
  try {
    const { uses } = parseExpression(text);
    const other = VARIABLES.find((name) => uses.has(name) && !variables.includes(name));
    if (other === undefined) return undefined;
    const known = variables.join(', ');
    return { message: `${describeValue(text)} must be a formula of ${known} only, ${other} has no meaning here` };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { column, message } = error;
    return { message: `${describeValue(text)}: ${message}, at column ${column}`, params: { column } };
  }
}

/** A number, or a formula of some variables. */
export function field(
  declaration: NumberDeclaration & { readonly variables?: readonly Variable[] },
): z.ZodType<FieldNumber, FieldNumber> {
  const { variables = VARIABLES, default: usual, ...own } = declaration;
  const error = (issue: { input?: unknown }) =>
    issue.input === undefined
      ? `is missing: ${lowerFirst(own.text)} ${unitOf(own.unit)}`.trimEnd()
      : `must be a number or a formula of ${variables.join(', ')}, got ${describeValue(issue.input)}`;
  const schema = z
    .union([number(own), formula(variables)], { error })
    .meta({ description: describeText(declaration), 'x-unit': own.unit, 'x-type': 'FieldNumber' });
  declarations.set(schema, { kind: 'number', ...declaration });
  return (usual === undefined ? schema : schema.default(usual)) as never;
}

/** Three numbers or formulas. */
export function fieldVector(
  declaration: VectorDeclaration & { readonly variables?: readonly Variable[]; default: Vec3 },
): z.ZodDefault<z.ZodType<FieldVector, FieldVector>>;
export function fieldVector(
  declaration: VectorDeclaration & { readonly variables?: readonly Variable[] },
): z.ZodType<FieldVector, FieldVector>;
export function fieldVector(declaration: VectorDeclaration & { readonly variables?: readonly Variable[] }): z.ZodType {
  const { variables = VARIABLES, unit, text } = declaration;
  const magnitude = declaration.magnitude ?? LARGEST;
  const component = field({ unit, text: 'Component.', atLeast: -magnitude, atMost: magnitude, variables });
  const error = (issue: { input?: unknown }) =>
    issue.input === undefined
      ? `is missing: ${lowerFirst(text)} ${unitOf(unit)}`.trimEnd()
      : `must be three numbers or formulas of ${variables.join(', ')}${unit === '1' ? '' : ` [${unit}]`}, got ${describeValue(issue.input)}`;
  const schema = z
    .tuple([component, component, component], { error })
    .meta({ description: describeText(declaration), 'x-unit': unit, 'x-type': 'FieldVector' });
  const items = { anyOf: [{ type: 'number' }, { type: 'string', 'x-variables': variables }] };
  jsonSchemaExtras.set(schema, { prefixItems: undefined, items });
  declarations.set(schema, { kind: 'vector', ...declaration });
  return declaration.default === undefined ? schema : schema.default([...declaration.default]);
}

/** One word out of a few. */
export function choice<const V extends string>(declaration: ChoiceDeclaration<V> & { default: V }): Defaulted<V>;
export function choice<const V extends string>(declaration: ChoiceDeclaration<V>): z.ZodType<V, V>;
export function choice<const V extends string>(declaration: ChoiceDeclaration<V>): z.ZodType {
  const { values, future = [], text } = declaration;
  const list = values.length === 1 ? `"${values[0]}"` : `one of ${values.join(', ')}`;
  const error = (issue: { input?: unknown }) => {
    const { input } = issue;
    if (input === undefined) return `is missing: ${list}`;
    if (typeof input !== 'string') return `must be ${list}, got ${describeValue(input)}`;
    if (future.includes(input)) return `${describeValue(input)} is not supported yet, use ${list}`;
    return `must be ${list}, got ${describeValue(input)}${suggest(input, values)}`;
  };
  const schema = z.enum(values as unknown as [V, ...V[]], { error }).meta({ description: text });
  declarations.set(schema, { kind: 'choice', ...declaration });
  return declaration.default === undefined ? schema : schema.default(declaration.default as never);
}

/** True or false. */
export function flag(declaration: { text: string; default: boolean }): Defaulted<boolean> {
  const error = (issue: { input?: unknown }) => `must be true or false, got ${describeValue(issue.input)}`;
  const schema = z.boolean({ error }).meta({ description: declaration.text });
  declarations.set(schema, { kind: 'flag', ...declaration });
  return schema.default(declaration.default);
}

/** A colour of sRGB as the web writes it. */
export function color(text: string): z.ZodType<string, string> {
  const error = (issue: { input?: unknown }) =>
    `must be a colour like "#3b82f6", # and six hexadecimal digits, got ${describeValue(issue.input)}`;
  return z
    .string({ error })
    .regex(/^#[0-9a-fA-F]{6}$/, { error })
    .meta({ description: text });
}

/** A name that people and files can carry: not empty, not endless, no control characters. */
export function name(text: string): z.ZodType<string, string> {
  return z
    .string({
      error: (issue) =>
        issue.input === undefined
          ? `is missing: ${lowerFirst(text)}`
          : `must be a text, got ${describeValue(issue.input)}`,
    })
    .min(1, { error: 'must not be empty' })
    .max(200, { error: 'must have at most 200 characters' })
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, { error: 'must not contain control characters' })
    .meta({ description: text });
}

/**
 * An object of known keys; others are errors with a suggestion. `future` keys are planned ones,
 * `refused` ones are known elsewhere, with the reason why not here.
 */
export function object<S extends z.core.$ZodLooseShape>(
  shape: S,
  options: {
    readonly future?: readonly string[];
    readonly refused?: Readonly<Record<string, string>>;
    readonly text?: string;
    readonly id?: string;
  } = {},
): z.ZodObject<S, z.core.$strict> {
  const { future = [], refused = {}, text, id } = options;
  const unknownKey = (key: string) => {
    if (Object.hasOwn(refused, key)) return refused[key];
    if (future.includes(key)) return 'is not supported yet';
    return `is not a known key${suggest(key, known) || `, known are ${known.join(', ')}`}`;
  };
  const known = Object.keys(shape);
  const schema = z.strictObject(shape, {
    error: (issue) => {
      // One line for each key; the reader of issues splits them again.
      if (issue.code === 'unrecognized_keys') return issue.keys.map(unknownKey).join('\n');
      if (issue.input === undefined)
        return `is missing${text === undefined ? '' : `: ${lowerFirst(text)}`}`.replace(/\.$/, '');
      return `must be an object with ${known.join(', ')}, got ${describeValue(issue.input)}`;
    },
  });
  return id === undefined ? schema : schema.meta({ id, ...(text === undefined ? {} : { description: text }) });
}

type OneOf<S extends Record<string, z.ZodType>, Direction extends 'input' | 'output'> = {
  [K in keyof S]: { readonly [P in K]: Direction extends 'input' ? z.input<S[K]> : z.output<S[K]> };
}[keyof S];

/** An object with exactly one of the given keys, like `{ box: ... }` or `{ sphere: ... }`. */
export function oneOf<S extends Record<string, z.ZodType>>(
  shape: S,
  options: { readonly text: string; readonly id: string },
): z.ZodType<OneOf<S, 'output'>, OneOf<S, 'input'>> {
  const known = Object.keys(shape);
  const optional = Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, schema.optional()]));
  const schema = object(optional, { text: options.text })
    .superRefine((value, context) => {
      const given = Object.keys(value).filter((key) => value[key] !== undefined);
      if (given.length === 1) return;
      const got = given.length === 0 ? 'none' : given.join(' and ');
      context.addIssue({ code: 'custom', message: `must have exactly one of ${known.join(', ')}, got ${got}` });
    })
    .meta({ id: options.id, description: options.text });
  jsonSchemaExtras.set(schema, { minProperties: 1, maxProperties: 1 });
  return schema as never;
}

/** A list; empty when left out. */
export function list<T extends z.ZodType>(
  item: T,
  text: string,
): z.ZodDefault<z.ZodType<readonly z.output<T>[], readonly z.input<T>[]>> {
  const error = (issue: { input?: unknown }) => `must be a list, got ${describeValue(issue.input)}`;
  const schema = z.array(item, { error }).meta({ description: text }).default([]);
  // Left out by zod where an item is transformed; the empty list is the same before and after.
  jsonSchemaExtras.set(schema, { default: [] });
  return schema as never;
}

/**
 * The JSON Schema of what a user may write for `schema`; `marked` for those who make types of it: with the types of
 * what JSON has not (`x-type`), and where undefined is not the same as left out (`x-exact`).
 */
export function toJsonSchema(schema: z.ZodType, { marked = false } = {}): Record<string, unknown> {
  const made = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const extras = jsonSchemaExtras.get(zodSchema);
      if (extras) {
        Object.assign(jsonSchema, extras);
        for (const key of Object.keys(extras)) if (extras[key] === undefined) delete jsonSchema[key];
      }
      if (!marked) delete jsonSchema['x-type'];
      else if (zodSchema instanceof z.ZodExactOptional) jsonSchema['x-exact'] = true;
      if (jsonSchema.default === null || jsonSchema.default === Infinity) delete jsonSchema.default;
    },
  }) as Record<string, unknown>;
  return withoutUnnamed(made);
}

/** Puts definitions that zod has made up, where schemas refer to themselves, in the places that refer to them. */
function withoutUnnamed(made: Record<string, unknown>): Record<string, unknown> {
  const definitions = (made.$defs ?? {}) as Record<string, object>;
  const isUnnamed = (id: string) => id.startsWith('__schema');
  const put = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(put);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest } = value as { $ref?: string };
    const id = $ref?.replace('#/$defs/', '');
    if (id !== undefined && isUnnamed(id)) return put({ ...definitions[id], ...rest });
    return Object.fromEntries(Object.entries(value).flatMap(([k, v]) => (isUnnamed(k) ? [] : [[k, put(v)]])));
  };
  return put(made) as Record<string, unknown>;
}

type Range = Pick<NumberDeclaration, 'above' | 'atLeast' | 'below' | 'atMost'>;

/** Is a value within the bounds of a declaration? */
export function inRange(value: number, { above, atLeast, below, atMost }: Range): boolean {
  return (
    (above === undefined || value > above) &&
    (atLeast === undefined || value >= atLeast) &&
    (below === undefined || value < below) &&
    (atMost === undefined || value <= atMost)
  );
}

function jsonRange({ above, atLeast, below, atMost }: Range): Record<string, number> {
  return {
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(atLeast === undefined ? {} : { minimum: atLeast }),
    ...(below === undefined ? {} : { exclusiveMaximum: below }),
    ...(atMost === undefined ? {} : { maximum: atMost }),
  };
}

/** `> 0 Pa`, `from 0 to 1`, `> -1 and < 0.5`; bounds that only guard against overflow are left out. */
export function describeRange(declaration: Range & { readonly unit: string }): string {
  const { above, atLeast, below, atMost, unit } = declaration;
  const suffix = unit === '1' ? '' : ` ${unit}`;
  const low = above !== undefined ? `> ${bound(above)}` : isRule(atLeast) ? `>= ${bound(atLeast)}` : '';
  const high = below !== undefined ? `< ${bound(below)}` : isRule(atMost) ? `<= ${bound(atMost)}` : '';
  if (isRule(atLeast) && isRule(atMost)) return `from ${bound(atLeast)} to ${bound(atMost)}${suffix}`;
  if (low !== '' && high !== '') return `${low} and ${high}${suffix}`;
  return low + high === '' ? '' : `${low}${high}${suffix}`;
}

/** Like `describeRange`, but names the guard against overflow when it is the rule that was broken. */
function describeBrokenRange(value: unknown, declaration: NumberDeclaration): string {
  const { atLeast, atMost, unit } = declaration;
  const suffix = unit === '1' ? '' : ` ${unit}`;
  if (typeof value === 'number' && atMost !== undefined && value > atMost && !isRule(atMost)) {
    return `<= ${atMost.toExponential()}${suffix}`;
  }
  if (typeof value === 'number' && atLeast !== undefined && value < atLeast && !isRule(atLeast)) {
    return `>= ${atLeast.toExponential()}${suffix}`;
  }
  if (isTooSmall(value, declaration)) {
    return `from ${(declaration.smallest ?? SMALLEST).toExponential()} to ${(atMost ?? LARGEST).toExponential()}${suffix}`;
  }
  return describeRange(declaration);
}

/** Above zero as it must be, but not in float32, or nothing can be divided by it there. */
function isTooSmall(value: unknown, { above, smallest }: NumberDeclaration): boolean {
  return typeof value === 'number' && above === 0 && value > 0 && value < (smallest ?? SMALLEST);
}

function isRule(limit: number | undefined): boolean {
  return limit !== undefined && Math.abs(limit) < LARGEST;
}

/** `1e+9` rather than a row of zeros. */
function bound(value: number | undefined): string {
  return value !== undefined && Math.abs(value) >= 1e6 && value % 1e6 === 0 ? value.toExponential() : String(value);
}

function describeText(declaration: { unit: string; text: string }): string {
  return `${declaration.text.replace(/\.$/, '')} ${unitOf(declaration.unit)}`.trimEnd();
}

function unitOf(unit: string): string {
  return unit === '1' ? '' : `[${unit}]`;
}

function lowerFirst(text: string): string {
  const plain = text.replace(/\.$/, '');
  return plain.charAt(0).toLowerCase() + plain.slice(1);
}
