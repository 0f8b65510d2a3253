/** Writes docs/scene.md from the declarations in packages/core/src/options. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const INTRODUCTION = `# The scene file

<!-- Written by scripts/build-docs.mjs from the declarations in packages/core/src/options. Change those, then run \`npm run docs\`. -->

A scene is a JSON or YAML file. Units are SI, y is up and coordinates are right-handed; rotations are in degrees about x, then y, then z. Keys that are not listed here are errors. \`phyxel check SCENE\` says what a scene would do, \`phyxel run SCENE\` does it, and \`phyxel schema\` prints the JSON Schema, which gives completion and checks in editors. \`.json\` and \`.jsonc\` files may have \`//\` and \`/* */\` comments.

\`\`\`yaml
phyxel: 1
name: jelly-drop
duration: 2
materials:
  jelly: { density: 1000, youngsModulus: 5e4, poissonsRatio: 0.3, damping: 0.1 }
bodies:
  - name: cube
    shape: { box: { size: [0.2, 0.2, 0.2] } }
    position: [0, 0.5, 0]
    material: jelly
    spacing: 0.02
obstacles:
  - name: floor
    shape: { plane: { normal: [0, 1, 0], offset: 0 } }
probes:
  - { name: cube, body: cube, quantity: position }
\`\`\`

Materials, their laws and presets are explained in [materials.md](materials.md).

Numbers must be finite, and such as float32 can hold: what must be above 0 is at least 1e-12, lengths of shapes at least 1e-6 m, particles are 1e-6 to 1e6 m apart and within half a million of their spacings of the origin. Nothing may begin more than a spacing inside an obstacle. Mesh files are named relative to the scene's folder and lie inside it. A mistake is reported with file, line and column, the rule and the value:

\`\`\`text
jelly.yaml:5:42: materials.jelly.youngsModulus must be > 0 Pa, got -1
\`\`\`
`;

/** The order of sections; a definition that is not named here comes last. */
const SECTIONS = [
  'Scene',
  'Material',
  'Orthotropic',
  'Body',
  'MaterialRegion',
  'Shape',
  'Obstacle',
  'ObstacleShape',
  'Keyframe',
  'Constraint',
  'Heat',
  'Region',
];
/** Told in the row that refers to them. */
const INLINE = ['MaterialChange', 'RegionalChange'];
const SHAPES = [
  ...['Box', 'Sphere', 'Cylinder', 'Capsule', 'Torus', 'Mesh', 'Extrusion', 'Heightfield', 'Part', 'Solid'],
  ...['Fill', 'Plane'],
];

/** The text of docs/scene.md, from `sceneJsonSchema()` and `probeQuantities`. */
export function sceneDocument(schema, probeQuantities) {
  const definitions = schema.$defs;
  const names = Object.keys(definitions);
  const order = [
    ...SECTIONS.filter((name) => names.includes(name)),
    ...names.filter((name) => !SECTIONS.includes(name)),
  ];
  const parts = [INTRODUCTION];
  for (const name of order) {
    if (SHAPES.includes(name) || INLINE.includes(name)) continue;
    parts.push(section(name, definitions));
    if (name === 'ObstacleShape') {
      for (const shape of SHAPES) parts.push(section(shape, definitions, '###'));
    }
    if (name === 'Probe') parts.push(quantitiesTable(probeQuantities));
  }
  return parts.join('\n');
}

function section(name, definitions, heading = '##') {
  const definition = definitions[name];
  const title = name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  const exactlyOne = definition.maxProperties === 1 ? ' Exactly one of these keys:' : '';
  const rows = Object.entries(definition.properties).map(([key, value]) => {
    const required = (definition.required ?? []).includes(key);
    const defaultText = required ? 'required' : exactlyOne ? '' : describeDefault(value, definitions);
    const cells = [`\`${key}\``, describeType(value, definitions), defaultText, describeMeaning(value, definitions)];
    return `| ${cells.join(' | ')} |`;
  });
  const text = definition.description ?? '';
  return [
    `${heading} ${title.charAt(0)}${title.slice(1).toLowerCase()}`,
    '',
    `${text}${exactlyOne}`,
    '',
    '| key | value | default | meaning |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function quantitiesTable(quantities) {
  const rows = Object.entries(quantities).map(
    ([name, { unit, components, text }]) => `| \`${name}\` | ${unit} | ${components} | ${text} |`,
  );
  return ['| quantity | unit | columns | meaning |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

function linkTo(reference, definitions) {
  const name = reference.replace('#/$defs/', '');
  if (INLINE.includes(name)) {
    const keys = Object.keys(definitions[name].properties).map((key) => `\`${key}\``);
    return `object with some of ${keys.join(', ')} of a [material](#material)`;
  }
  const title = name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return `[${title}](#${title.replace(/ /g, '-')})`;
}

function describeType(schema, definitions) {
  const unit = schema['x-unit'];
  const inUnit = unit === undefined || unit === '1' ? '' : ` ${unit}`;
  if (schema.$ref) return linkTo(schema.$ref, definitions);
  if (schema.allOf) return describeType(schema.allOf[0], definitions);
  const formula = formulaOf(schema.anyOf ?? schema.items?.anyOf);
  if (formula && schema.items) return `three numbers or ${formula}${inUnit}`;
  if (formula) return `${describeType({ ...schema.anyOf[0], 'x-unit': unit }, definitions)} or ${formula}`;
  if (schema.anyOf) return schema.anyOf.map((item) => describeType(item, definitions)).join(' or ');
  if (schema.enum) return schema.enum.map((word) => `\`${word}\``).join(', ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.prefixItems) return `${schema.prefixItems.length === 2 ? 'two' : 'three'} numbers${inUnit}`;
  if (schema.type === 'array' && schema.minItems === 3 && schema.items.type !== 'array')
    return `three numbers${describeRange(schema.items)}${inUnit}`;
  if (schema.type === 'array') return `list of ${describeType(schema.items, definitions)}`;
  if (schema.type === 'object') return `named ${describeType(schema.additionalProperties, definitions)}`;
  if (schema.type === 'boolean') return '`true`, `false`';
  if (schema.type === 'string') return 'text';
  return `${schema.type === 'integer' ? 'whole number' : 'number'}${describeRange(schema)}${inUnit}`;
}

/** What a formula among alternatives may be of. */
function formulaOf(alternatives) {
  const variables = alternatives?.find((item) => item['x-variables'])?.['x-variables'];
  return variables && `[formula](formulas.md) of ${variables.join(', ')}`;
}

export function describeRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }) {
  // Bounds this large only guard against overflow.
  const counts = (bound) => bound !== undefined && Math.abs(bound) < 1e12;
  const short = (bound) => (Math.abs(bound) >= 1e6 && bound % 1e6 === 0 ? bound.toExponential() : bound);
  const bounds = [];
  if (counts(exclusiveMinimum)) bounds.push(`> ${short(exclusiveMinimum)}`);
  if (counts(minimum)) bounds.push(`>= ${short(minimum)}`);
  if (counts(exclusiveMaximum)) bounds.push(`< ${short(exclusiveMaximum)}`);
  if (counts(maximum)) bounds.push(`<= ${short(maximum)}`);
  return bounds.length === 0 ? '' : ` ${bounds.join(', ')}`;
}

function describeDefault(schema, definitions) {
  const value = schema.default ?? (schema.$ref ? definitions[schema.$ref.replace('#/$defs/', '')].default : undefined);
  if (value === undefined || (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0))
    return '';
  return `\`${JSON.stringify(value).replaceAll(',', ', ').replaceAll(':', ': ')}\``;
}

function describeMeaning(schema, definitions) {
  const target = schema.$ref ?? schema.allOf?.[0].$ref;
  const text = schema.description ?? (target ? definitions[target.replace('#/$defs/', '')].description : '') ?? '';
  const unit = schema['x-unit'];
  return text.replace(` [${unit}]`, '').replace(/\.$/, '').replaceAll('|', '\\|');
}

async function main() {
  const { build } = await import('esbuild');
  const folder = join(root, 'node_modules', '.cache', 'phyxel');
  const bundle = join(folder, 'scene-declarations.mjs');
  mkdirSync(folder, { recursive: true });
  const contents = `export { sceneJsonSchema } from './scene/index.js'; export { probeQuantities } from './options/index.js';`;
  const resolveDir = join(root, 'packages/core/src');
  await build({
    stdin: { contents, resolveDir, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: bundle,
    logLevel: 'error',
  });
  try {
    const { sceneJsonSchema, probeQuantities } = await import(pathToFileURL(bundle).href);
    writeFileSync(join(root, 'docs', 'scene.md'), sceneDocument(sceneJsonSchema(), probeQuantities));
  } finally {
    rmSync(bundle, { force: true });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
