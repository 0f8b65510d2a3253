/** Starts the studio, or says why it cannot. */
import type { Display } from '@phyxel/three';
import { connectWorld } from 'phyxel/browser';
import { App, type Tool } from './app.js';
import { loadSaved } from './autosave.js';
import { h, iconButton } from './dom.js';
import { droppedFiles } from './files.js';
import { type Example, fetchExamples, Gallery } from './panels/gallery.js';
import { fetchParameters } from './parameters.js';
import { bindKeys, helpDialog } from './shortcuts.js';

const FIRST = 'soft-toys';
const DISPLAYS: readonly Display[] = ['mesh', 'surfels', 'particles'];

/** What this page needs of a browser, by the name that people know it by. */
function missingFeature(): string | undefined {
  // A module that uses one SIMD instruction.
  const simd = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
  ];
  if (typeof WebAssembly !== 'object' || !WebAssembly.validate(new Uint8Array(simd))) return 'WebAssembly with SIMD';
  if (!document.createElement('canvas').getContext('webgl2')) return 'WebGL 2';
  return undefined;
}

function refuse(text: string): void {
  document.body.replaceChildren(
    h('main', { class: 'refusal', role: 'alert' }, h('h1', {}, 'Phyxel studio cannot start'), h('p', {}, text)),
  );
}

/** Dark, unless light was chosen. */
function setTheme(app: App, theme: 'dark' | 'light'): void {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem('phyxel-theme', theme);
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  app.viewport.colors = { background: color('--stage'), ground: color('--ground'), grid: color('--grid') };
}

const storedTheme = (): 'dark' | 'light' => {
  const stored = localStorage.getItem('phyxel-theme');
  return stored === 'light' ? 'light' : 'dark';
};

async function start(): Promise<void> {
  const missing = missingFeature();
  if (missing) {
    refuse(`This browser lacks ${missing}. A current Chrome, Edge, Firefox or Safari has it.`);
    return;
  }
  document.documentElement.dataset.theme = storedTheme();
  // Its worker starts while the rest is fetched.
  const world = connectWorld({ assets: new URL('engine/', document.baseURI) });
  const [parameters, examples, saved] = await Promise.all([fetchParameters(), fetchExamples(), loadSaved()]);
  const canvas = h('canvas', {
    class: 'view',
    tabindex: 0,
    role: 'img',
    'aria-label': 'The scene. Drag a body to grab it, drag beside it to look around.',
  });
  const stage = h('div', { class: 'stage' }, canvas);
  const bar = h('header', { class: 'bar' });
  const left = h('aside', { class: 'left', 'aria-label': 'Scene' });
  const right = h('aside', { class: 'right', 'aria-label': 'Properties' });
  document.querySelector('#studio')!.replaceChildren(bar, left, stage, right);

  const undo = iconButton('undo', 'Undo', () => app.undo(), 'Ctrl+Z');
  const redo = iconButton('redo', 'Redo', () => app.redo(), 'Ctrl+Shift+Z');
  const title = h('h1', { class: 'title' }, 'Phyxel');
  const status = h('output', { class: 'status' });
  const display = h(
    'select',
    {
      'aria-label': 'Show as',
      title: 'Show as (M)',
      change: () => {
        app.display = display.value as Display;
      },
    },
    h('option', { value: 'mesh' }, 'Surfaces'),
    h('option', { value: 'surfels' }, 'Surfels'),
    h('option', { value: 'particles' }, 'Particles'),
  );
  const tool = h(
    'select',
    {
      'aria-label': 'Tool',
      title: 'What dragging a body does',
      change: () => {
        app.tool = tool.value as Tool;
      },
    },
    h('option', { value: 'grab' }, 'Grab'),
    h('option', { value: 'warm' }, 'Warm'),
    h('option', { value: 'cool' }, 'Cool'),
  );
  const app = new App(
    canvas,
    world,
    parameters,
    () => {
      undo.disabled = !app?.document?.canUndo;
      redo.disabled = !app?.document?.canRedo;
      const { description, frame } = app ?? {};
      title.textContent = description?.name ?? 'Phyxel';
      document.title = description ? `${description.name} – Phyxel studio` : 'Phyxel studio';
      display.value = app?.display ?? 'mesh';
      stage.classList.toggle('busy', app?.isBusy ?? false);
      const cost =
        frame && frame.statistics.stepMilliseconds > 0
          ? `, ${Math.round(frame.statistics.stepMilliseconds)} ms per frame`
          : '';
      status.textContent = description
        ? `${description.isRun ? 'A recorded run: ' : ''}${(frame?.present ?? description.particles).toLocaleString('en')} particles${description.isRun ? '' : ` on ${description.threads} thread${description.threads > 1 ? 's' : ''}`}${cost}`
        : '';
    },
    new URLSearchParams(location.search).get('quality') === 'plain',
  );
  const gallery = new Gallery(examples, (example) => void openAndPlay(app, example));
  const help = helpDialog();
  const chooser = h('input', {
    type: 'file',
    multiple: true,
    hidden: true,
    accept: '.yaml,.yml,.json,.jsonc,.glb,.gltf,.bin,.obj,.ply,.stl',
    change: () => void app.openFiles(chooser.files ?? []),
  });
  const exports = h(
    'select',
    {
      'aria-label': 'Export',
      title: 'Export',
      class: 'export',
      change: () => {
        if (exports.value === 'scene') app.exportScene();
        if (exports.value === 'glb') app.exportGlb();
        if (exports.value === 'png') void app.exportPicture();
        if (exports.value === 'webm') void app.exportVideo();
        exports.value = '';
      },
    },
    h('option', { value: '' }, 'Export'),
    h('option', { value: 'scene' }, 'Scene file'),
    h('option', { value: 'glb' }, 'Mesh of this frame (GLB)'),
    h('option', { value: 'png' }, 'Picture (PNG)'),
    h('option', { value: 'webm' }, 'Video of all frames (WebM)'),
  );
  const toggleTheme = () => setTheme(app, document.documentElement.dataset.theme === 'light' ? 'dark' : 'light');
  bar.append(
    h('span', { class: 'brand' }, 'Phyxel'),
    iconButton('gallery', 'Examples', () => gallery.element.showModal(), 'G'),
    iconButton('open', 'Open files', () => chooser.click(), 'O'),
    exports,
    h('span', { class: 'gap' }),
    title,
    h('span', { class: 'gap' }),
    undo,
    redo,
    iconButton('theme', 'Dark or light', toggleTheme, 'T'),
    iconButton('help', 'Keyboard shortcuts', () => help.showModal(), '?'),
    chooser,
  );
  left.append(app.tree.element, app.plots.element);
  right.append(app.inspector.element);
  stage.append(
    h(
      'div',
      { class: 'stage-tools' },
      tool,
      display,
      app.legend.select,
      iconButton('frame', 'Look at everything', () => app.viewport.frameAll(), 'F'),
    ),
    h('div', { class: 'spinner', 'aria-hidden': 'true' }),
    status,
    app.legend.element,
    app.messages.element,
  );
  document.querySelector('#studio')!.append(app.transport.element);
  document.body.append(gallery.element, help);
  setTheme(app, storedTheme());

  bindKeys({
    ' ': () => app.togglePlay(),
    '.': () => app.step(),
    r: () => app.reset(),
    f: () => app.viewport.frameAll(),
    g: () => gallery.element.showModal(),
    o: () => chooser.click(),
    m: () => {
      app.display = DISPLAYS[(DISPLAYS.indexOf(app.display) + 1) % DISPLAYS.length]!;
    },
    c: () => app.legend.next(),
    l: () => app.toggleLift(),
    t: toggleTheme,
    '?': () => help.showModal(),
    'ctrl+z': () => app.undo(),
    'ctrl+shift+z': () => app.redo(),
    'ctrl+y': () => app.redo(),
  });
  acceptDrops(stage, app);
  // For tests and the curious.
  Object.assign(globalThis, { phyxelStudio: app });
  await openFirst(app, examples, saved);
}

function acceptDrops(stage: HTMLElement, app: App): void {
  const over = (event: DragEvent, isOver: boolean) => {
    event.preventDefault();
    stage.classList.toggle('dropping', isOver);
  };
  addEventListener('dragover', (event) => over(event, true));
  addEventListener('dragleave', (event) => over(event, false));
  addEventListener('drop', (event) => {
    over(event, false);
    if (event.dataTransfer) void droppedFiles(event.dataTransfer).then((files) => app.openFiles(files));
  });
}

async function openAndPlay(app: App, example: Example): Promise<void> {
  if (await app.openExample(example)) await app.play();
}

/** What the address names, what was open last, or the first example. */
async function openFirst(
  app: App,
  examples: readonly Example[],
  saved: Awaited<ReturnType<typeof loadSaved>>,
): Promise<void> {
  const parameters = new URLSearchParams(location.search);
  if (parameters.has('project')) {
    const response = await fetch('project/index.json');
    if (response.ok) {
      const { scene, files, frames } = (await response.json()) as {
        scene: string;
        files: string[];
        frames?: string[];
      };
      const read = async (path: string) =>
        new Uint8Array(
          await (await fetch(`project/${path.split('/').map(encodeURIComponent).join('/')}`)).arrayBuffer(),
        );
      const contents = Object.fromEntries(
        await Promise.all(files.map(async (path) => [path, await read(path)] as const)),
      );
      const text = new TextDecoder().decode(await read(scene));
      if (frames) {
        const content = (name: string) => new URL(`project/frames/${name}`, document.baseURI).href;
        const summary = new TextDecoder().decode(await read('run.json'));
        const run = { frames: frames.map((name) => ({ name, content: content(name) })), document: summary };
        await app.openRun(run, text, contents);
      } else if (await app.open(text, scene, contents)) await app.play();
      return;
    }
  }
  const named = examples.find(({ name }) => name === parameters.get('example'));
  if (named) {
    await openAndPlay(app, named);
    return;
  }
  if (saved && (await app.open(saved.text, saved.fileName, saved.files))) {
    app.messages.tell('Opened what you had open last');
    return;
  }
  const first = examples.find(({ name }) => name === FIRST) ?? examples[0];
  if (!first) return;
  await openAndPlay(app, first);
  app.messages.tell('Drag something to grab it, let go to throw it', 8000);
}

start().catch((error: unknown) => refuse(error instanceof Error ? error.message : String(error)));
