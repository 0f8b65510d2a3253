// Writes the offsets of everything in WASM memory, as constants that both compilers read, from the tables in
// packages/core/src/particles/arrays. With --check it only tells whether they are up to date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const particles = join(root, 'packages/core/src/particles');
const bundle = await build({
  entryPoints: [join(particles, 'arrays/index.ts')],
  bundle: true,
  format: 'esm',
  write: false,
});
const { LAYOUTS, PARAMETERS, STORES, arraysOf, stateOf } = await import(
  `data:text/javascript,${encodeURIComponent(bundle.outputFiles[0].text)}`
);

const comment = (text) =>
  text === '' ? '' : `/** ${/^[uif]\d/.test(text) ? text : text[0].toUpperCase() + text.slice(1)}. */\n`;

function describe({ kind, type, per, text }) {
  if (kind === 'array' || text === '') return text;
  return `${type}${per ? ` per ${per === 'boundary' ? 'boundary particle' : per}` : ''}: ${text}`;
}

function* constantsOf(part) {
  if (part.kind === 'constants') {
    for (const [name, [value, text]] of Object.entries(part.values)) {
      yield `${comment(text)}export const ${name} = ${value >= 2 ** 16 ? `0x${value.toString(16)}` : value};\n`;
    }
    return;
  }
  for (const [name, slot] of Object.entries(part.slots)) {
    yield `${comment(describe(slot))}export const ${part.prefix}${name} = ${part.offsets[name]};\n`;
  }
  yield `export const ${part.sizeName} = ${part.size};\n`;
}

/** Which arrays a store has: without the texts of the tables, which pages have no use for. */
function placesOf([name, block]) {
  const entry = ({ slot, bytes }) => `{ slot: ${slot}, bytes: ${bytes} }`;
  const list = (places) =>
    places.length === 1 ? `[${entry(places[0])}]` : `[\n${places.map((at) => `    ${entry(at)},\n`).join('')}  ]`;
  const kinds = { particle: arraysOf(block), boundary: arraysOf(block, 'boundary'), state: stateOf(block) };
  const fields = Object.entries(kinds).filter(([, places]) => places.length > 0);
  return `\nexport const ${name} = {\n${fields.map(([kind, places]) => `  ${kind}: ${list(places)},\n`).join('')}} as const;\n`;
}

const head = '// Written by scripts/build-layout.mjs from the tables in arrays/: change those.\n';
const files = Object.entries(LAYOUTS).map(([file, parts]) => [
  file,
  head + parts.map((part) => `\n${[...constantsOf(part)].join('')}`).join(''),
]);
const parameters = Object.entries(PARAMETERS).map(([name, offsets]) => {
  const fields = Object.entries(offsets).map(([key, offset]) => `${key}: ${offset}`);
  return `\n/** Bytes from the beginning of a row. */\nexport const ${name} = { ${fields.join(', ')} } as const;\n`;
});
files.push(['array-places.ts', head + [...Object.entries(STORES).map(placesOf), ...parameters].join('')]);

const onlyCheck = process.argv.includes('--check');
for (const [file, text] of files) {
  const target = join(particles, file);
  if (existsSync(target) && readFileSync(target, 'utf8') === text) continue;
  if (onlyCheck) {
    console.error(`${file} is not what the tables say: run node scripts/build-layout.mjs`);
    process.exitCode = 1;
  } else writeFileSync(target, text);
}
