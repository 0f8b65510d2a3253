/** Who may import whom (see ARCHITECTURE.md); `npm run check` looks at every import, those of types too. */

/** Folders and files of the library's sources, from the lowest layer to the highest: each imports only lower ones. */
const LAYERS = [
  ['math/', 'describe[.]ts', 'particles/[^/]*layout[.]ts'],
  ['memory/', 'mesh/'],
  // Forces declare their options.
  ['(options|forces)/'],
  ['particles/', 'sampling/'],
  ['solvers/'],
  ['surface/'],
  ['world/'],
  ['world[.]ts'],
  ['scene/'],
  ['browser/'],
  ['index[.]ts'],
];
const SOURCES = 'packages/core/src';
/** The door for writers of glTF files. */
const GLTF = '^packages/core/dist/mesh/gltf-writer/index[.]js$';
const inside = (...paths) => `^${SOURCES}/(${paths.join('|')})`;

/** Of the methods, those that build on another one. Parts that all of them share build on none. */
const METHODS = { elastic: ['embedding', 'rigid'], embedding: [], fluid: [], heat: ['fluid'], rigid: [] };
const SHARED = 'constraints|contact|linear|neighbors';

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

export default {
  forbidden: [
    rule('no-cycles', 'Files do not import each other, not even types.', {}, { circular: true }),
    rule('found', 'What is imported is there; run `npm run build:ts` first.', {}, { couldNotResolve: true }),
    ...LAYERS.flatMap((layer, k) =>
      layer.map((own) =>
        rule(
          `layer-${own.replace(/\W+/g, '-')}`,
          'The library imports downwards only.',
          // Layouts are in a folder of a higher layer.
          { path: inside(own), ...(k > 0 && { pathNot: inside(...LAYERS.slice(0, k).flat()) }) },
          { path: `^${SOURCES}/`, pathNot: inside(own, ...LAYERS.slice(0, k).flat()) },
        ),
      ),
    ),
    ...Object.entries(METHODS).map(([method, others]) =>
      rule(
        `method-${method}`,
        'What several methods need belongs to none of them.',
        { path: inside(`solvers/${method}/`) },
        {
          path: inside('solvers/'),
          pathNot: inside(`solvers/([^/]+[.]ts|(${[method, SHARED, ...others].join('|')})/)`),
        },
      ),
    ),
    rule(
      'shared-parts',
      'What several methods need belongs to none of them.',
      { path: inside(`solvers/(${SHARED})/`, 'solvers/(error|material|motion|step-limit|grab)[.]ts') },
      { path: inside(`solvers/(${Object.keys(METHODS).join('|')})/`, 'solvers/stepper[.]ts') },
    ),
    rule(
      'library-alone',
      'The library knows no other package of this repository.',
      { path: '^packages/core/(src|reference)/' },
      { path: '^packages/(?!core/)' },
    ),
    rule(
      'runs-in-pages',
      'What runs in pages imports nothing of Node: memory/platform.ts asks for it where it is.',
      { path: '^packages/(core/(src|reference)|three/src|studio/src)/' },
      { dependencyTypes: ['core'] },
    ),
    rule(
      'passes-alone',
      'Passes know only the layouts of the memory.',
      { path: '^packages/core/assembly/' },
      { pathNot: ['^packages/core/assembly/', inside('particles/[^/]*layout[.]ts')] },
    ),
    rule(
      'loops-alone',
      'The loops of the renderer know nothing else.',
      { path: '^packages/cli/assembly/' },
      { pathNot: '^packages/cli/assembly/' },
    ),
    rule(
      'reference-alone',
      'The reference is independent of what it checks.',
      { path: '^packages/core/reference/' },
      { pathNot: '^packages/core/reference/' },
    ),
    rule(
      'door-of-the-command',
      'The command uses the public doors of the library.',
      { path: '^packages/cli/src/' },
      { path: '^packages/(?!cli/)', pathNot: ['^packages/core/dist(-reference)?/index[.]js$', GLTF] },
    ),
    rule(
      'door-of-the-view',
      'The view uses the door for pages.',
      { path: '^packages/three/src/' },
      { path: '^packages/(?!three/)', pathNot: '^packages/core/dist/browser/index[.]js$' },
    ),
    rule(
      'doors-of-the-studio',
      'The studio uses the doors of the view and of the library for pages.',
      { path: '^packages/studio/src/' },
      { path: '^packages/(?!studio/)', pathNot: ['^packages/(three/dist|core/dist/browser)/index[.]js$', GLTF] },
    ),
  ],
  options: {
    // The compiler of this repository has no interface that the tool could use.
    parser: 'swc',
    doNotFollow: { path: ['node_modules', '^packages/[^/]+/dist'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'default'] },
  },
};
