// Makes packages/studio/site: a static site with everything the studio needs, the examples included.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { readCatalogue } from './catalogue.mjs';
import { minifyScripts } from './minify.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const studio = join(root, 'packages', 'studio');
const core = join(root, 'packages', 'core');
const site = join(studio, 'site');
/** Bytes of all scripts and compiled passes that a page loads before anything is asked for, compressed, at the most. */
const BUDGET = 500_000;

/** Shaders of three.js for materials and backgrounds that the studio has none of. */
const UNUSED_SHADERS = [
  ...['backgroundCube', 'cube', 'equirect', 'linedashed', 'meshmatcap', 'meshnormal', 'meshphong', 'meshtoon'],
  ...['points', 'shadow', 'sprite'],
];

const OPTIONS = {
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  logLevel: 'warning',
};

rmSync(site, { recursive: true, force: true });
mkdirSync(join(site, 'examples'), { recursive: true });
for (const file of ['bench.html', 'icon.svg']) copyFileSync(join(studio, 'src', file), join(site, file));
await build({ entryPoints: [join(studio, 'src', 'studio.css')], outdir: site, minifyWhitespace: true });
cpSync(join(core, 'web'), join(site, 'engine'), { recursive: true });

const scripts = await bundleStudio();
const needed = importedBy('main.js');
const missing = needed.filter((script) => !scripts.includes(script));
if (missing.length > 0) throw new Error(`build-studio: ${missing} was not built`);
writePage(needed);
await bundle(join(studio, 'src', 'bench.ts'), join(site, 'bench.js'));

// The live page of @phyxel/three.
const demo = join(root, 'packages', 'three', 'demo');
for (const file of ['demo.html', 'demo.css']) copyFileSync(join(demo, file), join(site, file));
await bundle(join(demo, 'demo.js'), join(site, 'demo.js'));

await writeParameters();
writeExamples();

// A page loads one of the two builds of the passes.
const loaded = ['boot.js', ...needed, 'studio.css', ...importedBy('engine/world.js')];
loaded.push('engine/thread.js', 'engine/phyxel.threads.wasm');
// The first example has a mesh.
loaded.push(
  ...readdirSync(join(site, 'engine')).flatMap((file) => (/^part-meshes/.test(file) ? `engine/${file}` : [])),
);
const size = loaded.reduce((sum, file) => sum + gzipSync(readFileSync(join(site, file)), { level: 9 }).length, 0);
console.log(`studio: ${Math.round(size / 1000)} kB compressed`);
if (size > BUDGET) throw new Error(`the studio has ${size} bytes compressed, more than ${BUDGET}`);

function bundle(entry, outfile) {
  return build({ ...OPTIONS, entryPoints: [entry], outfile });
}

/** The studio in modules: what starts it, what it is, and what is fetched when it is asked for. Answers their names. */
async function bundleStudio() {
  const entries = ['boot.ts', 'main.ts'].map((file) => join(studio, 'src', file));
  const { metafile } = await build({
    ...OPTIONS,
    entryPoints: entries,
    outdir: site,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    metafile: true,
    plugins: [withoutUnusedShaders()],
  });
  await minifyScripts(Object.keys(metafile.outputs));
  return Object.keys(metafile.outputs).map((path) => relative(site, join(process.cwd(), path)));
}

/** Three.js names the shaders of all materials, so that bundlers leave none out. */
function withoutUnusedShaders() {
  return {
    name: 'without unused shaders',
    setup({ onLoad }) {
      onLoad({ filter: /three[\\/]build[\\/]three\.module\.js$/ }, ({ path }) => {
        let contents = readFileSync(path, 'utf8');
        for (const key of UNUSED_SHADERS.flatMap((name) => [`${name}_vert`, `${name}_frag`])) {
          const entry = new RegExp(`\\b${key}: \\w+(?:\\$\\w+)?`);
          if (!entry.test(contents)) throw new Error(`build-studio: three.js has no shader ${key}`);
          contents = contents.replace(entry, `${key}: ''`);
        }
        return { contents };
      });
    },
  };
}

/** A module of the site and all that it cannot do without. */
function importedBy(module) {
  const found = new Set([module]);
  for (const script of found) {
    const text = readFileSync(join(site, script), 'utf8');
    for (const [, path] of text.matchAll(/(?:import|from)"([^"]+\.js)"/g)) found.add(join(dirname(script), path));
  }
  return [...found];
}

/** The page, which names the modules that are needed at once, so that they come together and not one after another. */
function writePage(needed) {
  const links = needed.map((script) => `<link rel="modulepreload" href="${script}" />`).join('\n    ');
  const page = readFileSync(join(studio, 'src', 'index.html'), 'utf8');
  writeFileSync(join(site, 'index.html'), page.replace('<!-- modules -->', links));
}

/** The declarations of material parameters, which the panels are made from. */
async function writeParameters() {
  const folder = join(root, 'node_modules', '.cache', 'phyxel');
  const bundle = join(folder, 'studio-declarations.mjs');
  mkdirSync(folder, { recursive: true });
  const contents = `
    export { materialParameters } from './options/material-parameters.js';
    export { sceneJsonSchema } from './scene/index.js';
    export { MATERIAL_PRESETS } from './options/presets.js';`;
  await build({
    stdin: { contents, resolveDir: join(core, 'src'), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: bundle,
    logLevel: 'error',
  });
  const library = await import(`${pathToFileURL(bundle).href}?${Date.now()}`);
  rmSync(bundle, { force: true });
  const { materialParameters, MATERIAL_PRESETS } = library;
  const material = Object.entries(materialParameters).map(([key, { curve: _, rows: __, byRegion: ___, ...shown }]) => ({
    key,
    ...shown,
  }));
  // Those along axes cannot be changed while a world runs.
  const presets = Object.fromEntries(Object.entries(MATERIAL_PRESETS).filter(([, preset]) => !preset.orthotropic));
  writeFileSync(
    join(site, 'parameters.json'),
    JSON.stringify({ material, definitions: definitionsOf(library.sceneJsonSchema()), presets }),
  );
}

/** What the panels ask for: everything but how it is computed. */
function definitionsOf({ $defs }) {
  return Object.fromEntries(Object.entries($defs).filter(([name]) => !/Solver$/.test(name)));
}

/** Scenes, the meshes that they name, their pictures, and a list of all. */
function writeExamples() {
  const folder = join(root, 'examples');
  const list = readCatalogue().map((example) => {
    for (const path of [example.file, ...example.files]) {
      mkdirSync(dirname(join(site, 'examples', path)), { recursive: true });
      copyFileSync(join(folder, path), join(site, 'examples', path));
    }
    // So that what reads YAML is fetched only when a text is edited.
    const parsed = parse(readFileSync(join(folder, example.file), 'utf8'));
    writeFileSync(join(site, 'examples', `${example.name}.json`), JSON.stringify(parsed));
    const picture = `${example.name}.webp`;
    if (!existsSync(join(studio, 'gallery', picture))) return example;
    copyFileSync(join(studio, 'gallery', picture), join(site, 'examples', picture));
    return { ...example, picture: `examples/${picture}` };
  });
  writeFileSync(join(site, 'examples', 'index.json'), JSON.stringify(list));
}
