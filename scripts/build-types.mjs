/**
 * Writes packages/core/src/options/inputs.ts from the declarations beside it: the types of what a program may give,
 * with the text, unit, range and default of each option as its documentation. What a schema's own type says of them is
 * lost in editors.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describeRange } from './build-docs.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const HEAD = `/**
 * What a program may give, and scene files say: every option with its text, unit, range and default.
 *
 * Written by scripts/build-types.mjs from the declarations in this folder. Change those, then run \`npm run docs\`.
 */
import type { FieldNumber, FieldVector, TemperatureCurve, TriangleMesh, Vec2, Vec3 } from './types.js';

/** Keys that are not given beside another one. */
export type Without<K extends string> = { readonly [Key in K]?: never };
`;

/** Definitions of scene files that differ from what programs give; others are called by their name and "Input". */
const NAMES = {
  Body: 'SceneBodyInput',
  Obstacle: 'SceneObstacleInput',
  Emitter: 'SceneEmitterInput',
  Mesh: 'SceneMeshInput',
  Shape: 'SceneShapeInput',
  ObstacleShape: 'SceneObstacleShapeInput',
  Part: 'ScenePartInput',
  Solid: 'SceneSolidInput',
  ProgramMesh: 'MeshInput',
  ProgramPart: 'PartInput',
  ProgramSolid: 'SolidInput',
  ProgramShape: 'ShapeInput',
  ProgramObstacleShape: 'ObstacleShapeInput',
};
/** Keys of which exactly one is given that are listed with each; more have a name. */
const MOST_LISTED = 8;
/** What programs give that has no definition of its own. */
const PROGRAM = {
  world: ['WorldInput', 'What a world is made with.'],
  body: ['BodyInput', 'A deformable or rigid body.'],
  obstacle: ['ObstacleInput', 'Something solid that bodies bump into and that is not moved by them.'],
  emitter: ['EmitterInput', 'A round opening that liquid comes out of.'],
};

/** The text of inputs.ts, from `inputJsonSchema()`. */
export function inputTypes(schema) {
  const definitions = schema.$defs;
  const parts = [HEAD];
  for (const [key, [name, text]] of Object.entries(PROGRAM)) {
    parts.push(declare(name, { description: text, ...schema.properties[key] }, definitions));
  }
  for (const [id, definition] of Object.entries(definitions)) parts.push(declare(nameOf(id), definition, definitions));
  return parts.join('\n');
}

function nameOf(id) {
  return NAMES[id] ?? `${id}Input`;
}

function declare(name, definition, definitions) {
  if (definition.maxProperties === 1) return declareChoice(name, definition, definitions);
  const fields = fieldsOf(definition, definitions, '  ');
  return `${comment([definition.description], '')}export interface ${name} {\n${fields}}\n`;
}

/** Exactly one of the keys, the others not. */
function declareChoice(name, { description, properties }, definitions) {
  const keys = Object.keys(properties);
  const listed = (list) => list.map((key) => `'${key}'`).join(' | ');
  const alias = keys.length > MOST_LISTED ? `${name.replace(/Input$/, '')}Key` : undefined;
  const members = keys.map((key) => {
    const others = alias ? `Exclude<${alias}, '${key}'>` : listed(keys.filter((other) => other !== key));
    const field = fieldsOf({ properties: { [key]: properties[key] }, required: [key] }, definitions, '      ');
    return `  | ({\n${field}    } & Without<${others}>)`;
  });
  const text = `${description} Exactly one of ${keys.join(', ')}.`;
  const head = alias ? `type ${alias} =\n  | ${keys.map((key) => `'${key}'`).join('\n  | ')};\n\n` : '';
  return `${head}${comment([text], '')}export type ${name} =\n${members.join('\n')};\n`;
}

/** The properties of an object. */
function fieldsOf(definition, definitions, indent) {
  const required = definition.required ?? [];
  const fields = Object.entries(definition.properties).map(([key, value]) => {
    const needed = required.includes(key);
    const type = typeOf(value, definitions, indent);
    const optional = needed ? type : value['x-exact'] ? type : `${type} | undefined`;
    const range = value.type === 'array' ? describeRange(value.items ?? {}) : describeRange(value);
    const text = descriptionOf(value, definitions).replace(/\.$/, '');
    const sentence = `${text}${range === '' ? '' : `;${range}`}.`;
    const lines = [sentence, ...(needed ? [] : defaultOf(value))];
    return `${comment(lines, indent)}${indent}readonly ${key}${needed ? '' : '?'}: ${optional};\n`;
  });
  return fields.join('');
}

function definitionOf(schema, definitions) {
  const target = schema.$ref ?? schema.allOf?.[0].$ref;
  return target && definitions[target.replace('#/$defs/', '')];
}

function descriptionOf(schema, definitions) {
  const text = schema.description ?? definitionOf(schema, definitions)?.description;
  if (!text) throw new Error(`build-types: an option has no text: ${JSON.stringify(schema)}`);
  return text;
}

function defaultOf({ default: value }) {
  const isEmpty = typeof value === 'object' && Object.keys(value).length === 0;
  return value === undefined || isEmpty ? [] : [`@defaultValue \`${JSON.stringify(value).replaceAll(',', ', ')}\``];
}

function typeOf(schema, definitions, indent) {
  if (schema['x-type']) return schema['x-type'];
  if (schema.$ref) return nameOf(schema.$ref.replace('#/$defs/', ''));
  if (schema.allOf) return typeOf(schema.allOf[0], definitions, indent);
  if (schema.anyOf) return schema.anyOf.map((item) => typeOf(item, definitions, indent)).join(' | ');
  if (schema.enum) return schema.enum.map((word) => `'${word}'`).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === 'array' && schema.minItems === 3) return 'Vec3';
  if (schema.type === 'array') {
    const item = typeOf(schema.items, definitions, indent);
    return `readonly ${item.includes('|') ? `(${item})` : item}[]`;
  }
  if (schema.type === 'object' && schema.properties) {
    return `{\n${fieldsOf(schema, definitions, `${indent}  `)}${indent}}`;
  }
  if (schema.type === 'object') {
    return `Readonly<Record<string, ${typeOf(schema.additionalProperties, definitions, indent)}>>`;
  }
  const type = { number: 'number', integer: 'number', string: 'string', boolean: 'boolean' }[schema.type];
  if (!type) throw new Error(`build-types: no type for ${JSON.stringify(schema)}`);
  return type;
}

/** A documentation comment of paragraphs, wrapped at 120 columns. */
function comment(paragraphs, indent) {
  const lines = paragraphs.flatMap((text) => wrap(text, 117 - indent.length));
  if (lines.length === 1 && lines[0].length <= 113 - indent.length) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

function wrap(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

async function main() {
  const { build } = await import('esbuild');
  const folder = join(root, 'node_modules', '.cache', 'phyxel');
  const bundle = join(folder, 'input-declarations.mjs');
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(root, 'packages/core/src/scene/schema.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: bundle,
    logLevel: 'error',
  });
  try {
    const { inputJsonSchema } = await import(pathToFileURL(bundle).href);
    writeFileSync(join(root, 'packages/core/src/options/inputs.ts'), inputTypes(inputJsonSchema()));
  } finally {
    rmSync(bundle, { force: true });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
