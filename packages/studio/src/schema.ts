/** The part of JSON Schema that the library describes scenes with, and what a form needs to know of it. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly 'x-unit'?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly maxProperties?: number;
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
}
export type Definitions = Readonly<Record<string, Schema>>;
export type Values = Readonly<Record<string, unknown>>;

/** How a value is asked for. */
export type Kind =
  | 'number'
  | 'vector'
  | 'word'
  | 'flag'
  | 'color'
  | 'text'
  | 'axes'
  | 'one'
  | 'list'
  | 'names'
  | 'data'
  | 'object'
  | 'constant';

/** Names are looked up; of alternatives the one with keys is taken, which everything can be written as. */
export function resolve(schema: Schema, definitions: Definitions): Schema {
  if (schema.$ref !== undefined) {
    const { $ref, ...own } = schema;
    return { ...resolve(definitions[$ref.replace('#/$defs/', '')] ?? {}, definitions), ...own };
  }
  const detailed = schema.anyOf?.find(({ $ref }) => $ref !== undefined);
  if (!detailed) return schema;
  const { anyOf: _, ...own } = schema;
  return { ...resolve(detailed, definitions), ...own };
}

/** What is said about the number where a formula may stand in its place; undefined where none may. */
export function formulaOf({ anyOf }: Schema): Schema | undefined {
  return anyOf?.some(({ type }) => type === 'string') ? anyOf.find(({ type }) => type === 'number') : undefined;
}

export function kindOf(schema: Schema): Kind {
  if (schema.const !== undefined) return 'constant';
  if (formulaOf(schema)) return 'number';
  if (schema.anyOf) return schema.anyOf[0]!.type === 'string' ? 'names' : 'axes';
  if (schema.enum) return 'word';
  if (schema.type === 'boolean') return 'flag';
  if (schema.type === 'number' || schema.type === 'integer') return 'number';
  if (schema.type === 'array') {
    if (schema.items?.type === 'number' && schema.minItems === 3) return 'vector';
    return schema.items?.type === 'array' || !schema.items || schema.items.type === 'number' ? 'data' : 'list';
  }
  if (schema.properties) return schema.maxProperties === 1 ? 'one' : 'object';
  return schema.pattern?.startsWith('^#') ? 'color' : 'text';
}

/** Something that the rules allow, for what is added. */
export function initialValue(schema: Schema, definitions: Definitions): unknown {
  const known = resolve(schema, definitions);
  if (known.default !== undefined) return structuredClone(known.default);
  if (known.examples) return structuredClone(known.examples[0]);
  const bounds = formulaOf(known) ?? known;
  const least = bounds.exclusiveMinimum ?? bounds.minimum ?? 0;
  const filled = (keys: readonly string[]) =>
    Object.fromEntries(keys.map((key) => [key, initialValue(known.properties![key]!, definitions)]));
  switch (kindOf(known)) {
    case 'constant':
      return known.const;
    case 'number':
      return bounds.exclusiveMinimum === 0 ? 0.1 : Math.max(0, least);
    case 'vector':
      return known.items?.exclusiveMinimum === 0 ? [0.2, 0.2, 0.2] : [0, 0, 0];
    case 'word':
      return known.enum![0];
    case 'flag':
      return false;
    case 'color':
      return '#8090a0';
    case 'axes':
    case 'list':
    case 'data':
      return [];
    case 'one':
      return filled(Object.keys(known.properties!).slice(0, 1));
    case 'object':
      return filled(known.required ?? []);
    case 'text':
    case 'names':
      return '';
  }
}

/** Keys beyond so many are shown only where they say something. */
const MANY = 14;

/** Which keys of an object are shown, and which may be added. */
export function shownKeys(
  schema: Schema,
  value: Values,
  without: readonly string[] = [],
): { shown: string[]; more: string[] } {
  const keys = Object.keys(schema.properties ?? {}).filter((key) => !without.includes(key));
  const isMany = keys.length > MANY;
  const shown = keys.filter((key) => {
    const present = value[key];
    if (schema.required?.includes(key)) return true;
    const usual = schema.properties![key]!.default;
    if (present === undefined || present === Infinity) return usual !== undefined && !isMany;
    return !isMany || JSON.stringify(present) !== JSON.stringify(usual);
  });
  return { shown, more: keys.filter((key) => !shown.includes(key)) };
}
