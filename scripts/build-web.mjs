// Makes packages/core/web: what a page loads at run time, flat and with nothing to bundle. The worker of a world, its
// parts that are fetched when they are asked for, and the script of its threads, beside the compiled passes that
// build-wasm.mjs puts there.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { minifyScripts } from './minify.mjs';

const core = join(dirname(fileURLToPath(import.meta.url)), '..', 'packages', 'core');
const web = join(core, 'web');
mkdirSync(web, { recursive: true });
for (const file of readdirSync(web)) if (/^part-.*\.js$/.test(file)) rmSync(join(web, file));

const common = {
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  logLevel: 'warning',
};
await build({ ...common, entryPoints: [join(core, 'src/memory/worker.js')], outfile: join(web, 'thread.js') });
// Only worlds with solver.rigid rapier load it: four megabytes.
await build({
  ...common,
  entryPoints: [join(core, 'src/solvers/rigid/rapier/index.ts')],
  outfile: join(web, 'rapier.js'),
  banner: { js: '/*! With Rapier 0.21, copyright Dimforge, Apache License 2.0: see rapier.LICENSE.txt */' },
});
const rapier = createRequire(join(core, 'package.json')).resolve('@dimforge/rapier3d-deterministic-compat');
copyFileSync(join(dirname(rapier), '..', 'LICENSE'), join(web, 'rapier.LICENSE.txt'));
const { metafile } = await build({
  ...common,
  entryPoints: { world: join(core, 'src/browser/world-worker.ts') },
  outdir: web,
  splitting: true,
  chunkNames: 'part-[name]-[hash]',
  metafile: true,
  plugins: [withoutRapier(), withoutUnused(), withoutTexts(), withoutSliders(), withoutNode()],
});

// Here everything lies side by side.
const moves = [
  ['../../web/phyxel.threads.wasm', './phyxel.threads.wasm'],
  ['../../web/phyxel.wasm', './phyxel.wasm'],
  ['./worker.js', './thread.js'],
];
const scripts = Object.keys(metafile.outputs);
const missing = new Set(moves.map(([from]) => from));
for (const file of scripts) {
  let script = readFileSync(file, 'utf8');
  for (const [from, to] of moves) {
    if (script.includes(from)) missing.delete(from);
    script = script.replaceAll(from, to);
  }
  writeFileSync(file, script);
}
if (missing.size > 0) throw new Error(`build-web: ${[...missing]} is not in the worker`);
await minifyScripts([...scripts, join(web, 'thread.js')]);

/**
 * What a worker is never asked for, 20 kB of the page, compressed: every schema of zod carries its way to JSON Schema, and
 * patterns of addresses and dates; every node of a YAML document its way back to text, YAML has visitors of its syntax and schemas of its first version, and a world its surfels and point surfaces, which pages do not show.
 */
function withoutUnused() {
  // Patterns that every text and number asks for.
  const KEPT = /^export const (string|number|integer) = (?:\/.*|\(params\) => \{[\s\S]*?\n\});\n/gm;
  const unused =
    /(zod[\\/]v4[\\/]core[\\/](json-schema-processors|regexes|to-json-schema)|yaml[\\/].*(stringify[\\/]\w+|parse[\\/]cst-visit|doc[\\/]applyReviver|schema[\\/](json[\\/]schema|yaml-1\.1[\\/](binary|bool|float|int|omap|pairs|schema|set|timestamp)))|surface[\\/](points[\\/]point-surface|surfel-sampling|surfels))\.[jt]s$/;
  return {
    name: 'without what is unused',
    setup({ onLoad }) {
      onLoad({ filter: unused }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const declared = [...text.matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, name]) => name);
        const listed = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list]) => list.split(','));
        const names = [...declared, ...listed.map((name) => name.replace(/^.* as /, '').trim())];
        if (names.length === 0) throw new Error(`build-web: ${path} exports nothing`);
        const kept = [...text.matchAll(KEPT)];
        const gone = names.filter((name) => !kept.some(([, own]) => own === name));
        const exported = gone.map((name) => `none as ${name}`).join(', ');
        return {
          contents: `${kept.map(([code]) => code).join('')}const none = () => undefined;\nexport { ${exported} };`,
        };
      });
    },
  };
}

/** The tables of arrays say in words what each is for; workers need their numbers only. */
function withoutTexts() {
  return {
    name: 'without texts',
    setup({ onLoad }) {
      onLoad(
        {
          filter:
            /particles[\\/]arrays[\\/](binding|carry|elastic|fluid|heat|liquid-surface|points|renewal|solid|surfel)\.ts$/,
        },
        ({ path }) => {
          const code = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
          // Texts have blanks; types, names and paths have none.
          const contents = code.replace(/"[^"\n]*"|'[^'\n]*'/g, (text) => (text.includes(' ') ? "''" : text));
          return { contents, loader: 'ts' };
        },
      );
    },
  };
}

/**
 * Ranges of sliders are for panels, which are made without the worker. So are texts of parameters of materials, heat,
 * solvers and lists: those may be left out, so no message tells that one is missing and what it is. One function for both, since
 * only the first that answers for a file is asked.
 */
function withoutSliders() {
  return {
    name: 'without sliders',
    setup({ onLoad }) {
      onLoad({ filter: /core[\\/]src[\\/](options|world[\\/]items)[\\/][\w-]+\.ts$/ }, ({ path }) => {
        const code = readFileSync(path, 'utf8').replace(/^\s*slider: \{[^}]*\},$/gm, '');
        const isOptional = /((material(-parameters)?|heat|solver)\.ts|items[\\/][\w-]+\.ts)$/.test(path);
        const text = /(\btext:|\bdescription:|_TEXT =|\b(?:curve|temperature)\()\s*("[^"\n]*"|'[^'\n]*')/g;
        return { contents: isOptional ? code.replace(text, "$1 ''") : code, loader: 'ts' };
      });
    },
  };
}

/** A file of its own, beside this one, that is loaded when a world asks for it. */
function withoutRapier() {
  return {
    name: 'without Rapier',
    setup({ onResolve }) {
      onResolve({ filter: /rigid\/rapier\/index\.js$/ }, () => ({ path: './rapier.js', external: true }));
    },
  };
}

/** What is for Node is left out. */
function withoutNode() {
  return {
    name: 'without Node',
    setup({ onLoad }) {
      onLoad({ filter: /memory[\\/]platform\.ts$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8')
          .replace(/^const isNode = .*$/m, '')
          .replaceAll('isNode', 'false'),
        loader: 'ts',
      }));
    },
  };
}
