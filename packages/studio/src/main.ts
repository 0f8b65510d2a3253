/** Builds the page around the world that `boot` has begun to open. */
import type { Display } from '@phyxel/three';
import { App, type Tool } from './app.js';
import { h, iconButton } from './dom.js';
import type { Example } from './examples.js';
import { droppedFiles } from './files.js';
import { findFirstScene } from './first-scene.js';
import { Gallery } from './panels/gallery.js';
import type { Prepared } from './prepare.js';
import { bindKeys, helpDialog } from './shortcuts.js';
import type { Quality } from './viewport.js';

const DISPLAYS: readonly Display[] = ['mesh', 'surfels', 'particles'];

/** Dark, unless light was chosen. */
function setTheme(app: App, theme: 'dark' | 'light'): void {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem('phyxel-theme', theme);
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  app.viewport.colors = {
    background: color('--stage'),
    ground: color('--ground'),
    grid: color('--grid'),
    glass: color('--glass'),
  };
}

const storedTheme = (): 'dark' | 'light' => {
  const stored = localStorage.getItem('phyxel-theme');
  return stored === 'light' ? 'light' : 'dark';
};

function wantedQuality(): Quality {
  return new URLSearchParams(location.search).get('quality') === 'plain' ? 'plain' : 'full';
}

export async function start(prepared: Prepared): Promise<void> {
  document.documentElement.dataset.theme = storedTheme();
  const { world } = prepared;
  const [parameters, examples] = await Promise.all([prepared.parameters, prepared.examples]);
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
  const studio = document.querySelector('#studio')!;
  studio.replaceChildren(bar, left, stage, right);
  // Panels are painted after the first picture: without a graphics card both take long.
  studio.classList.add('starting');

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
  const toggleFollow = () => {
    app.follows = !app.follows;
  };
  const follow = iconButton('follow', 'Follow what is selected', toggleFollow, 'V');
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
      follow.setAttribute('aria-pressed', String(app?.follows ?? false));
      const cost =
        frame && frame.statistics.stepMilliseconds > 0
          ? `, ${Math.round(frame.statistics.stepMilliseconds)} ms per frame`
          : '';
      status.textContent = description
        ? `${description.isRun ? 'A recorded run: ' : ''}${(frame?.present ?? description.particles).toLocaleString('en')} particles${description.isRun ? '' : ` on ${description.threads} thread${description.threads > 1 ? 's' : ''}`}${cost}`
        : '';
    },
    wantedQuality(),
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
    iconButton('gallery', 'Examples', () => gallery.open(), 'G'),
    iconButton('open', 'Open files', () => chooser.click(), 'O'),
    exports,
    h('span', { class: 'gap' }),
    title,
    h('span', { class: 'gap' }),
    undo,
    redo,
    app.messages.button,
    iconButton('theme', 'Dark or light', toggleTheme, 'T'),
    iconButton('help', 'Keyboard shortcuts', () => help.showModal(), '?'),
    chooser,
  );
  left.append(app.tree.element, app.plots.element);
  right.append(app.inspector.element, app.itemPanel.element);
  stage.append(
    h(
      'div',
      { class: 'stage-tools' },
      tool,
      display,
      app.legend.select,
      iconButton('focus', 'Look at what is selected', () => app.lookAtSelected(), 'F'),
      iconButton('frame', 'Look at everything', () => app.lookAtAll(), 'Home'),
      follow,
    ),
    app.loadingCard.element,
    status,
    app.legend.element,
    app.messages.element,
  );
  studio.append(app.transport.element);
  document.body.append(gallery.element, help, app.messages.dialog);
  setTheme(app, storedTheme());

  bindKeys({
    ' ': () => app.togglePlay(),
    '.': () => app.step(),
    r: () => app.reset(),
    f: () => app.lookAtSelected(),
    home: () => app.lookAtAll(),
    v: toggleFollow,
    x: () => app.resetRange(),
    n: () => app.messages.open(),
    g: () => gallery.open(),
    o: () => chooser.click(),
    m: () => {
      app.display = DISPLAYS[(DISPLAYS.indexOf(app.display) + 1) % DISPLAYS.length]!;
    },
    c: () => app.legend.next(),
    l: () => app.toggleLift(),
    delete: () => app.removeSelected(),
    t: toggleTheme,
    '?': () => help.showModal(),
    'ctrl+z': () => app.undo(),
    'ctrl+shift+z': () => app.redo(),
    'ctrl+y': () => app.redo(),
  });
  acceptDrops(stage, app);
  // For tests and the curious.
  Object.assign(globalThis, { phyxelStudio: app });
  await openFirst(app, prepared, () => gallery.open());
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
  if (await app.openExample(example)) await playOnceSeen(app);
}

/**
 * A simulation takes the cores that the first picture needs where there are few. Nothing is played if somebody did
 * something meanwhile.
 */
async function playOnceSeen(app: App, seen = app.viewport.seen()): Promise<void> {
  const { description } = app;
  await seen;
  const isUntouched = app.description === description && !app.isBusy && !app.playing && app.frame?.frame === 0;
  if (isUntouched) await app.play();
}

/** Tells the server that asked for it how long it took to get here. */
async function reportStart(): Promise<void> {
  await fetch('report', { method: 'POST', body: JSON.stringify({ startMs: performance.now() }) });
}

/** Shows the first scene, which the worker is already busy with. */
async function openFirst(
  app: App,
  { scene, loading, opening, examples }: Prepared,
  onNothing: () => void,
): Promise<void> {
  app.showLoading(loading);
  const first = await scene.catch((error: unknown) => {
    if (!loading.signal.aborted) app.messages.error('The scene cannot be read', error);
    return undefined;
  });
  const opened = first !== undefined && (await app.open(first, { loading, opening }));
  app.endLoading(loading);
  const isCancelled = !opened && loading.signal.aborted;
  // The empty stage, where there is no scene.
  app.viewport.wake();
  const seen = app.viewport.seen();
  const playing = opened && first.from !== 'saved' ? playOnceSeen(app, seen) : undefined;
  await seen;
  if (opened && new URLSearchParams(location.search).has('report')) void reportStart();
  app.viewport.sharpen();
  document.querySelector('#studio')!.classList.remove('starting');
  // Unless somebody chose another one meanwhile.
  if (isCancelled && !app.isOpening && !app.description) onNothing();
  if (!first || isCancelled) return;
  if (!opened && first.from === 'saved') {
    // It was fine when it was kept; an update may have changed the rules since.
    const other = await findFirstScene(examples, { skipSaved: true });
    if (other && (await app.open(other))) await playOnceSeen(app);
    return;
  }
  if (!opened) return;
  if (first.from === 'saved') app.messages.tell('Opened what you had open last');
  else await playing;
  if (first.from === 'welcome') app.messages.tell('Drag something to grab it, let go to throw it', 8000);
}
