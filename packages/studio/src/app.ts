/** The studio: what the panels, the picture and the world in its worker do together. */
import { type ColorScale, type Display, PhyxelView, type Pick } from '@phyxel/three';
import type {
  DescribedBody,
  Quantity,
  RemoteGrab,
  RemoteWorld,
  RunRequest,
  Scene,
  WorldDescription,
  WorldFrame,
} from 'phyxel/browser';
import { physicsOf, RemoteError, renameBody, serializeScene } from 'phyxel/browser';
import { Box3, Sphere, Vector3 } from 'three';
import { saveScene } from './autosave.js';
import { bulkBox, lowestPart, obstacleBox, restBox } from './boxes.js';
import { ColorRange } from './color-range.js';
import { type Changes, changesBetween, type Files, SceneDocument } from './document.js';
import { type Example, readExample, type SceneSource } from './examples.js';
import { download, readDropped } from './files.js';
import { boxRegion, type ItemRef, itemOf, itemsOf, LISTS, type ListName, newItem, titleOf, withItem } from './items.js';
import { comfortableMemory, threadsFor } from './limits.js';
import { Loading } from './loading.js';
import { Inspector } from './panels/inspector.js';
import { ItemPanel } from './panels/item-panel.js';
import { Legend } from './panels/legend.js';
import { LoadingCard } from './panels/loading-card.js';
import { Messages } from './panels/messages.js';
import { Plots } from './panels/plots.js';
import { Transport } from './panels/transport.js';
import { SceneTree } from './panels/tree.js';
import type { Parameters } from './parameters.js';
import { addJets, addMotions } from './reach.js';
import type { Values } from './schema.js';
import { type Hand, type Quality, Viewport } from './viewport.js';
import { addWalls, makeWalls } from './walls.js';

/** How high a body is lifted by the keyboard, in its own sizes. */
const LIFT = 1.5;
/** Particles of a mesh that is dropped in. */
const DROPPED_PARTICLES = 1500;

/** What the tools bring things to [degrees C], and how far they reach, in spacings. */
const WARM = 300;
const COOL = -50;
const BRUSH = 3;

/** A scene, and the frames that are played instead of simulating it. */
type Source = SceneSource & { readonly run?: RunRequest | undefined };
type Opening = Promise<WorldDescription | undefined>;
/** What was begun already: fetching the scene, or opening it. */
interface Under {
  readonly loading?: Loading;
  readonly opening?: Opening;
}

export type Tool = 'grab' | 'warm' | 'cool';

const NEW_SCENE = {
  phyxel: 1,
  name: 'my scene',
  duration: 5,
  frameRate: 30,
  obstacles: [{ name: 'floor', shape: { plane: {} }, friction: 0.6 }],
};

export class App {
  readonly world: RemoteWorld;
  readonly viewport: Viewport;
  readonly messages = new Messages();
  readonly loadingCard = new LoadingCard();
  readonly tree: SceneTree;
  readonly inspector: Inspector;
  readonly itemPanel: ItemPanel;
  readonly transport: Transport;
  readonly plots = new Plots();
  readonly legend: Legend;
  readonly #onChange: () => void;
  #document: SceneDocument | undefined;
  /** The frames that are played instead of simulating it. */
  #run: RunRequest | undefined;
  #view: PhyxelView | undefined;
  #frame: WorldFrame | undefined;
  #selected: ItemRef | undefined;
  /** The scene with changes that the worker is busy with. */
  #wanted: Scene | undefined;
  #editing: Promise<boolean> = Promise.resolve(true);
  #playing = false;
  #speed = 1;
  #lift: { readonly grab: RemoteGrab } | undefined;
  #quantity: Quantity | undefined;
  #display: Display = 'mesh';
  tool: Tool = 'grab';
  #drawMilliseconds = 0;
  #busy = 0;
  #filming: AbortController | undefined;
  #follows = false;
  /** Height of the ground. */
  #floor: number | undefined;
  /** The scene as the world began with it: states of before have its materials. */
  #begun: Scene | undefined;
  #range = new ColorRange();
  #scale: ColorScale = 'linear';
  /** The opening that is shown. */
  #loading: Loading | undefined;
  /** Takes back what was done to the document for worlds that are not there yet. */
  #takeBack: (() => unknown)[] = [];

  constructor(
    canvas: HTMLCanvasElement,
    world: RemoteWorld,
    parameters: Parameters,
    onChange: () => void,
    quality: Quality,
  ) {
    this.world = world;
    this.#onChange = onChange;
    this.viewport = new Viewport(
      canvas,
      {
        grab: (pick) => this.#grab(pick),
        brush: (pick) => this.#brush(pick),
        select: (body) => this.select(body),
        drawn: (milliseconds) => {
          this.#drawMilliseconds = milliseconds;
        },
      },
      quality,
    );
    this.tree = new SceneTree({ select: (ref) => this.selectItem(ref), add: (list) => void this.addItem(list) });
    this.itemPanel = new ItemPanel(parameters.definitions, {
      change: (ref, value, label) => void this.changeItem(ref, value, label),
      remove: (ref) => void this.removeItem(ref),
    });
    this.inspector = new Inspector(parameters, {
      set: (body, changes, label) => this.setMaterial(body, changes, label),
    });
    this.legend = new Legend({
      choose: (quantity) => this.setQuantity(quantity),
      fix: (end, value) => {
        const isFine = this.#range.fix(end, value);
        this.#showRange();
        return isFine;
      },
      reset: () => this.resetRange(),
      setScale: (scale) => {
        this.#scale = scale;
        this.#showRange();
      },
    });
    this.transport = new Transport({
      togglePlay: () => this.togglePlay(),
      step: () => this.step(),
      reset: () => this.reset(),
      seek: (frame) => this.seek(frame),
      setSpeed: (speed) => this.setSpeed(speed),
    });
    this.#frame = this.world.frame;
    this.world.on('opening', ({ step, share }) => this.#loading?.opening(step, share));
    this.world.on('frame', (frame) => this.#show(frame));
    this.world.on('progress', ({ frame, share }) => this.transport.progress(frame, share));
    this.world.on('state', ({ playing }) => {
      this.#playing = playing;
      this.transport.playing = playing;
      this.#onChange();
    });
    this.world.on('warning', (message) => this.messages.warn(message));
    this.world.on('stopped', (error, lastGoodFrame) => {
      this.#playing = false;
      this.transport.playing = false;
      this.viewport.release();
      const back = Math.max(0, lastGoodFrame - 1);
      this.messages.error('The simulation stopped', error, {
        label: `Go back to frame ${back}`,
        run: () => this.#try('Cannot go back', () => this.world.rewind(back)),
      });
    });
  }

  get document(): SceneDocument | undefined {
    return this.#document;
  }

  get description(): WorldDescription | undefined {
    return this.world.description;
  }

  get frame(): WorldFrame | undefined {
    return this.#frame;
  }

  get view(): PhyxelView | undefined {
    return this.#view;
  }

  get playing(): boolean {
    return this.#playing;
  }

  /** Name of the selected body. */
  get selected(): string | undefined {
    const item = this.#selected && this.#document && itemOf(this.#document.scene, this.#selected);
    return this.#selected?.list === 'bodies' ? (item?.name as string | undefined) : undefined;
  }

  /** Is a change of the scene on its way to the world? */
  get isEditing(): boolean {
    return this.#wanted !== undefined;
  }

  get isBusy(): boolean {
    return this.#busy > 0;
  }

  /** Is something being opened? */
  get isOpening(): boolean {
    return this.#loading !== undefined;
  }

  get drawMilliseconds(): number {
    return this.#drawMilliseconds;
  }

  async openExample(example: Example): Promise<boolean> {
    const loading = this.#load(example.title);
    try {
      const source = await readExample(example, loading);
      return await this.open(source, { loading });
    } catch (error) {
      if (!loading.signal.aborted) this.messages.error(`Cannot open ${example.title}`, error);
      await this.#goBack(loading);
      return false;
    } finally {
      this.endLoading(loading);
    }
  }

  /** Opens a scene, or shows one that is being opened; what is open stays if it is refused. */
  async open(source: Source, { loading, opening }: Under = {}): Promise<boolean> {
    const title = source.run ? 'The run cannot be opened' : `${source.fileName} cannot be opened`;
    const shown = loading ?? this.#load(source.fileName);
    try {
      return await this.#tryToOpen(title, source, shown, opening);
    } finally {
      this.endLoading(shown);
    }
  }

  /** Shows how far something is that is opened. */
  #load(title: string): Loading {
    const loading = new Loading(title);
    this.#loading?.cancel();
    this.showLoading(loading);
    return loading;
  }

  showLoading(loading: Loading): void {
    this.#loading = loading;
    this.loadingCard.show(loading);
  }

  endLoading(loading: Loading): void {
    this.loadingCard.hide(loading);
    if (this.#loading === loading) this.#loading = undefined;
  }

  /** Scenes that are too large for comfort are opened when they are asked for once more. */
  async #tryToOpen(title: string, source: Source, loading: Loading, opening?: Opening): Promise<boolean> {
    try {
      await this.#open(source, loading, opening);
      return true;
    } catch (error) {
      const anyway = () => {
        const again = this.#load(source.fileName);
        void this.open(source, { loading: again, opening: this.#ask(source, again, Infinity) });
      };
      if (isOfKind(error, 'TooLarge'))
        this.messages.error('This may be too much for this page', error, { label: 'Open anyway', run: anyway });
      else if (!isOfKind(error, 'Cancelled')) this.messages.error(title, error);
      await this.#goBack(loading);
      return false;
    }
  }

  /** What was open is still there, or is opened anew if its worker had to go; unless another one is on its way. */
  async #goBack(loading: Loading): Promise<void> {
    if (this.#loading !== loading) return;
    if (loading.signal.aborted) this.messages.tell(`${loading.state.title} was not opened`);
    const document = this.#document;
    if (!document) return;
    const taken = this.#takeBack.splice(0).reverse();
    for (const takeBack of taken) takeBack();
    if (taken.length > 0) this.#changed();
    if (this.description) return;
    const { text, fileName, files } = document;
    const again = { text, fileName, files, run: this.#run };
    await this.#try('Cannot go back', async () =>
      this.#present(await this.#ask(again, undefined, Infinity), 'changed'),
    );
  }

  async openFiles(list: Iterable<File>): Promise<void> {
    await this.#try('Cannot read the files', async () => {
      const { scene, run, meshes, files, refused } = await readDropped(list);
      for (const text of refused) this.messages.warn(text);
      if (scene) {
        const opened = await this.open({ ...scene, files: withBaseNames(scene.text, files), run });
        if (opened && run) await this.play();
      } else for (const mesh of meshes) await this.addMesh(mesh, files);
    });
  }

  /** Puts a mesh above everything that is there, and lets it fall. */
  async addMesh(file: string, files: Files): Promise<boolean> {
    const names = new Set(this.#document?.scene.bodies.map(({ name }) => name));
    const stem = file.replace(/\.[^.]*$/, '');
    let name = stem;
    for (let k = 2; names.has(name); k++) name = `${stem} ${k}`;
    const size = 0.3;
    const box = this.description && restBox(this.description);
    const top = box && !box.isEmpty() ? Math.max(0, box.max.y) : 0;
    const body = {
      name,
      shape: { mesh: { file, size } },
      position: [0, top + 1.2 * size, 0],
      particles: DROPPED_PARTICLES,
      material: { youngsModulus: 5e4, damping: 0.05 },
    };
    const document = this.#document;
    let added: boolean;
    if (document && !this.description?.isRun) {
      const before = document.files;
      document.files = { ...before, ...files };
      const ref = { list: 'bodies', index: document.scene.bodies.length } as const;
      added = await this.#restructure(withItem(document.scene, ref, body), file);
      if (added) this.lookAtAll();
      else document.files = before;
    } else {
      const text = JSON.stringify({ ...NEW_SCENE, bodies: [body] });
      added = await this.open({ text, fileName: 'my-scene.json', files });
    }
    if (!added) return false;
    this.select(name);
    await this.play();
    return true;
  }

  #ask(
    { text, fileName, files, run, parsed }: Source,
    loading?: Loading,
    memoryLimit = comfortableMemory(),
  ): Promise<WorldDescription> {
    const request = { text, fileName, files, parsed, threads: threadsFor(), run, memoryLimit };
    return this.world.open(request, { ...(loading && { signal: loading.signal }) });
  }

  /** Opens the scene that is there, changed or not, and shows how far that is. */
  async #askAgain(source: Source, memoryLimit?: number): Promise<WorldDescription> {
    const loading = this.#load(this.#document!.scene.name);
    try {
      return await this.#ask(source, loading, memoryLimit);
    } catch (error) {
      await this.#goBack(loading);
      throw error;
    } finally {
      this.endLoading(loading);
    }
  }

  async #open(source: Source, loading: Loading, opening?: Opening): Promise<void> {
    this.#letGo();
    this.#filming?.abort();
    this.#busy++;
    this.#onChange();
    try {
      const { text, fileName, files, run } = source;
      const description = (await opening) ?? (await this.#ask(source, loading));
      this.messages.clear();
      this.#wanted = undefined;
      this.#run = run;
      this.#document = new SceneDocument(text, fileName, files, description.scene);
      this.#present(description, 'new');
      this.messages.warn(...description.warnings);
      if (!run) await saveScene({ text, fileName, files, at: Date.now() });
    } finally {
      this.#busy--;
      this.#onChange();
    }
  }

  /** Makes the picture and the panels of a world that was opened, or that is called and coloured otherwise. */
  #present(description: WorldDescription, how: 'new' | 'changed' | 'relabelled'): void {
    if (how !== 'relabelled') {
      this.plots.clear();
      this.#range = new ColorRange();
      this.#begun = description.scene;
      this.#takeBack = [];
    }
    if (how === 'new') this.#follows = false;
    this.#view = new PhyxelView(description, {
      display: this.#display,
      bind: (body, mesh) => this.world.bind(body, mesh),
      onChange: () => this.viewport.draw(),
    });
    const floors = description.obstacles.flatMap(({ plane }) =>
      plane && plane.normal[1] > 0.99 ? [plane.point[1]] : [],
    );
    this.#floor = floors.length > 0 ? Math.max(...floors) : undefined;
    if (this.#frame) this.#view.update(this.#frame);
    const reach = this.#reach();
    this.viewport.show(this.#view, this.#floor, makeWalls(description, reach));
    if (this.#frame) this.#show(this.#frame);
    const isFirst = this.viewport.wake();
    if (how === 'new') this.viewport.frame(this.occupiedBox());
    // The panels can wait for it, not the other way round.
    if (isFirst) this.viewport.drawNow();
    const colors = new Map(
      description.bodies.map(({ name }) => [name, `#${this.#view!.bodyColor(name)!.getHexString()}`]),
    );
    this.tree.show(description, colors);
    const isThere = this.#selected && itemOf(description.scene, this.#selected) !== undefined;
    if (isThere && how !== 'new') this.#showSelected();
    else this.select(description.bodies[0]?.name);
  }

  /** What is there, and where the scene says that it will be. */
  #reach(): Box3 {
    const { description } = this;
    const box = this.#view?.contentBox() ?? new Box3();
    if (!description) return box;
    addMotions(description, box);
    if (this.#floor !== undefined && !box.isEmpty()) {
      const { x, z } = box.getCenter(new Vector3());
      box.expandByPoint(new Vector3(x, this.#floor, z));
    }
    return addJets(description.scene, this.#floor, box);
  }

  /** The same with the walls that hold a liquid: it will come to them. */
  occupiedBox(): Box3 {
    const { description } = this;
    const flows = description?.bodies.some(({ isFluid }) => isFluid);
    return flows ? addWalls(description!, this.#reach()) : this.#reach();
  }

  /** Looks at everything that is there. */
  lookAtAll(): void {
    this.follows = false;
    this.viewport.frame(this.occupiedBox());
  }

  /** Looks at the selected body, or at everything if none is. */
  lookAtSelected(): void {
    const box = this.#selectedBox();
    if (!box || box.isEmpty()) {
      this.lookAtAll();
      return;
    }
    const { center, radius } = box.getBoundingSphere(new Sphere());
    this.viewport.frame(new Box3().setFromCenterAndSize(center, new Vector3(1, 1, 1).multiplyScalar(2.4 * radius)), {
      keepSide: true,
    });
  }

  /** Around what is selected, where it is now: a body, or the obstacle. */
  #selectedBox(): Box3 | undefined {
    const ref = this.#selected;
    const { description } = this;
    if (!ref || !description || !this.#view) return undefined;
    if (ref.list === 'obstacles') return this.#frame && obstacleBox(description, this.#frame, ref.index);
    const name = ref.list === 'scene' ? undefined : (itemOf(description.scene, ref)?.body ?? this.selected);
    const body = description.bodies.find((candidate) => candidate.name === name);
    return body && this.#view.bodyBox(body);
  }

  get follows(): boolean {
    return this.#follows;
  }

  /** Does the view go with the selected body? */
  set follows(follows: boolean) {
    if (follows && !this.#follow(follows)) {
      this.messages.tell('Select a body to follow it');
      return;
    }
    this.#follows = follows;
    this.#onChange();
  }

  #follow(follows: boolean): boolean {
    const box = follows ? this.#selectedBox() : undefined;
    if (!box || box.isEmpty()) return false;
    this.viewport.follow(box.getCenter(new Vector3()));
    return true;
  }

  #show(frame: WorldFrame): void {
    this.#frame = frame;
    const description = this.description;
    // The first frame of a world comes before its description and waits for it.
    if (!this.#view || !description || this.#view.description.id !== frame.world) return;
    this.#view.update(frame);
    if (frame.quantity !== undefined) this.#range.see(frame.quantity, frame.range);
    this.#showRange();
    this.viewport.moveWalls(frame.obstacles);
    if (this.#follows) this.#follow(true);
    else if (this.#playing) this.viewport.widen(bulkBox(description, frame));
    this.viewport.draw();
    this.transport.update(frame.frame, frame.lastFrame, description.frames, frame.time);
    this.legend.offer(frame.quantities, frame.quantity);
    if (frame.isLive) this.plots.add(frame);
    this.#onChange();
  }

  #showRange(): void {
    const view = this.#view;
    if (!view) return;
    view.colorScale = this.#scale;
    view.range = this.#range.ends;
    this.legend.update(this.#frame?.quantity, view.shownRange, this.#range.fixed);
    this.viewport.draw();
  }

  /** Colours stand for what this frame has, and for more as it comes. */
  resetRange(): void {
    if (!this.#frame?.quantity) return;
    this.#range.reset(this.#frame.range);
    this.#showRange();
  }

  /** Selects a body, or a source by the name of its liquid. */
  select(body: string | undefined): void {
    const scene = this.#document?.scene;
    const lists = ['bodies', 'emitters'] as const;
    const refs = lists.map((list) => ({ list, index: scene?.[list].findIndex(({ name }) => name === body) ?? -1 }));
    this.selectItem(refs.find(({ index }) => index >= 0));
  }

  selectItem(ref: ItemRef | undefined): void {
    this.#selected = ref;
    this.#showSelected();
    this.#onChange();
  }

  #showSelected(): void {
    const document = this.#document;
    const ref = this.#selected;
    const isBody = ref === undefined || ref.list === 'bodies';
    this.tree.selected = ref;
    this.inspector.element.hidden = !isBody;
    if (isBody) this.inspector.show(this.#bodyOptions(this.selected));
    if (!document) return;
    const item = ref && itemOf(this.#wanted ?? document.scene, ref);
    const bodies = document.scene.bodies.map(({ name }) => name);
    this.itemPanel.show(this.description?.isRun ? undefined : ref, item, {
      bodies,
      files: Object.keys(document.files),
      regions: this.#regionsFor(item?.body),
    });
  }

  /** Regions to start from, around a body at time 0. */
  #regionsFor(name: unknown): Values | undefined {
    const { description } = this;
    const body = description?.bodies.find((candidate) => candidate.name === name);
    if (!description || !body) return undefined;
    const box = restBox(description, body);
    if (box.isEmpty()) return undefined;
    const { min, max } = boxRegion(box);
    const center = min.map((low, k) => Number(((low + max[k]!) / 2).toPrecision(4)));
    const radius = Number((Math.hypot(...min.map((low, k) => max[k]! - low)) / 2).toPrecision(3));
    return { box: { min, max }, sphere: { center, radius } };
  }

  #bodyOptions(name: string | undefined): DescribedBody | undefined {
    return this.#document?.scene.bodies.find((body) => body.name === name);
  }

  /** Puts something new into the scene and selects it. */
  async addItem(list: ListName): Promise<void> {
    const document = this.#document;
    if (!document || !this.#frame || !this.description) return;
    const { scene } = document;
    const body = this.description!.bodies.find(({ name }) => name === this.selected) ?? this.description!.bodies[0];
    const item = newItem(list, scene, {
      box: restBox(this.description!),
      body: body && { name: body.name, lowest: lowestPart(this.description!, body, this.#frame!) },
    });
    if (!item) {
      this.messages.tell('That needs a body: add one first');
      return;
    }
    const ref = { list, index: itemsOf(scene, list).length };
    if (await this.#restructure(withItem(scene, ref, item), `new ${LISTS[list].one}`)) {
      this.selectItem(ref);
      this.lookAtAll();
    }
  }

  async changeItem(ref: ItemRef, value: Values, label: string): Promise<void> {
    if (!this.#document) return;
    const scene = this.#wanted ?? this.#document.scene;
    const before = itemOf(scene, ref)?.name;
    const isRenamed = (ref.list === 'bodies' || ref.list === 'emitters') && before !== value.name;
    // What refers to it follows.
    const renamed = isRenamed ? renameBody(scene, before as string, value.name as string) : scene;
    await this.#restructure(withItem(renamed, ref, value), label);
  }

  async removeItem(ref: ItemRef): Promise<void> {
    const item = this.#document && itemOf(this.#document.scene, ref);
    if (!item || ref.list === 'scene') return;
    const label = `${titleOf(ref.list, item).name} removed`;
    await this.#restructure(withItem(this.#document!.scene, ref, undefined), label);
  }

  /** Removes what is selected. */
  removeSelected(): void {
    if (this.#selected) void this.removeItem(this.#selected);
  }

  /**
   * Changes the scene. The world starts anew, unless the changed scene is refused or differs in names, colours, looks
   * and duration only: then the simulation stays as it is.
   */
  async #restructure(scene: Scene, label: string): Promise<boolean> {
    const document = this.#document!;
    if (this.description?.isRun) {
      this.messages.tell('A run is played as it was: open its scene to change something');
      return false;
    }
    const wasPlaying = this.#playing;
    // Fields go on from here, though the world is not there yet.
    this.#wanted = scene;
    setTimeout(() => this.#showSelected());
    await this.#editing;
    // Somebody has changed more meanwhile: that comes with this in it.
    if (this.#wanted !== scene) return true;
    const isRelabelled = physicsOf(scene) === physicsOf(document.scene);
    if (!isRelabelled) this.#letGo();
    const opened = this.#try(`Not possible: ${label}`, async () => {
      const { fileName, files } = document;
      const text = serializeScene(scene);
      const description = isRelabelled
        ? await this.world.relabel(text)
        : await this.#askAgain({ text, fileName, files });
      document.change(description.scene, label);
      this.#present(description, isRelabelled ? 'relabelled' : 'changed');
      void this.#save();
    });
    this.#editing = opened;
    const done = await opened;
    if (this.#wanted === scene || !done) this.#wanted = undefined;
    this.#showSelected();
    this.#onChange();
    if (done && wasPlaying && !isRelabelled) await this.play();
    return done;
  }

  togglePlay(): void {
    if (this.#playing) void this.#try('Cannot pause', () => this.world.pause());
    else void this.play();
  }

  /** From the frame that is shown: later ones, which may have been simulated before, are forgotten. */
  async play(): Promise<void> {
    await this.#try('Cannot play', async () => {
      await this.#goOnFromHere();
      await this.world.play({ speed: this.#speed });
    });
  }

  /** Takes up the frame that is shown, with the materials as they are in the scene now. */
  async #goOnFromHere(): Promise<void> {
    if (!this.#frame || this.#frame.isLive) return;
    await this.world.rewind(this.#frame.frame);
    const { materials = [] } = changesBetween(this.#begun!, this.#document!.scene) ?? {};
    for (const { body, set } of materials) await this.world.setMaterial(body, set);
  }

  step(): void {
    void this.#try('Cannot step', async () => {
      await this.#goOnFromHere();
      await this.world.step();
    });
  }

  /** Back to the start, with the scene as it is now. */
  reset(): void {
    this.#letGo();
    void this.#try('Cannot reset', async () => {
      const document = this.#document;
      if (!document) return;
      if (this.description?.isRun) {
        await this.world.seek(0);
        return;
      }
      const { text, fileName, files } = document;
      this.#present(await this.#askAgain({ text, fileName, files }, Infinity), 'changed');
    });
  }

  seek(frame: number): void {
    this.#letGo();
    void this.#try('Cannot show that frame', () => this.world.seek(frame));
  }

  setSpeed(speed: number): void {
    this.#speed = speed;
    if (this.#playing) void this.play();
  }

  setQuantity(quantity: Quantity | undefined): void {
    this.#quantity = quantity;
    void this.#try('Cannot colour', () => this.world.setQuantity(quantity));
  }

  get display(): Display {
    return this.#display;
  }

  set display(display: Display) {
    this.#display = display;
    if (this.#view) this.#view.display = display;
    this.viewport.draw();
    this.#onChange();
  }

  /** Changes a material in the scene and in the world that runs. */
  setMaterial(name: string, changes: Readonly<Record<string, number | string>>, label: string): void {
    const document = this.#document;
    if (!document) return;
    if (this.description?.isRun) {
      this.messages.tell('A run is played as it was: open its scene to change something');
      this.select(name);
      return;
    }
    const present = this.#bodyOptions(name)?.material as Record<string, unknown> | undefined;
    if (!present || Object.entries(changes).every(([key, value]) => present[key] === value)) return;
    const bodies = document.scene.bodies.map((body) =>
      body.name === name ? { ...body, material: { ...body.material, ...changes } } : body,
    );
    this.#change({ ...document.scene, bodies } as Scene, label);
  }

  undo(): void {
    this.#travel('undo', 'Undone');
  }

  redo(): void {
    this.#travel('redo', 'Redone');
  }

  #travel(direction: 'undo' | 'redo', word: string): void {
    const document = this.#document;
    const before = document?.scene;
    const label = document?.[direction]();
    if (label === undefined || !before) return;
    this.messages.tell(`${word}: ${label}`);
    this.#apply(before, () => document![direction === 'undo' ? 'redo' : 'undo']());
  }

  #change(scene: Scene, label: string): void {
    const document = this.#document!;
    const before = document.scene;
    document.change(scene, label);
    this.#apply(before, () => document.undo());
  }

  /** Brings the world to another scene: materials and labels change while it runs, everything else starts anew. */
  #apply(before: Scene, takeBack: () => unknown): void {
    const { scene } = this.#document!;
    const changes = changesBetween(before, scene);
    if (changes) void this.#takeOn(changes, scene);
    else {
      this.#takeBack.push(takeBack);
      this.reset();
    }
    this.#changed();
  }

  #changed(): void {
    this.#showSelected();
    void this.#save();
    this.#onChange();
  }

  async #takeOn({ materials, labels }: Changes, scene: Scene): Promise<void> {
    if (labels) {
      await this.#try('Names and colours stay as they are', async () =>
        this.#present(await this.world.relabel(serializeScene(scene)), 'relabelled'),
      );
    }
    for (const { body, set } of materials)
      await this.#try(`${body} stays as it is`, () => this.world.setMaterial(body, set));
  }

  async #save(): Promise<void> {
    const { text, fileName, files } = this.#document!;
    await saveScene({ text, fileName, files, at: Date.now() });
  }

  #grab(pick: Pick): Hand | 'brush' | undefined {
    if (this.tool !== 'grab') {
      this.#brush(pick);
      return 'brush';
    }
    const { body, point } = pick;
    if (body.flows || this.description?.isRun) return undefined;
    const grab = this.world.grab(body.name, [point.x, point.y, point.z]);
    // What is grabbed should move.
    if (!this.#playing) void this.play();
    return { move: (target) => grab.move(target), release: () => grab.release() };
  }

  /** Warms or cools what is under the pointer, and shows it. */
  #brush({ body, particle }: Pick): void {
    const temperature = this.tool === 'warm' ? WARM : COOL;
    const radius = BRUSH * body.spacing;
    void this.#try(`${body.name} stays as it is`, () =>
      this.world.setTemperature({ body: body.name, temperature, particle, radius }),
    );
    if (this.#quantity !== 'temperature') this.setQuantity('temperature');
  }

  /** Lifts the selected body, or lets it go: grabbing for those who use no pointer. */
  toggleLift(): void {
    if (this.#lift) {
      this.#letGo();
      this.messages.tell('Let go');
      return;
    }
    const body = this.description?.bodies.find(({ name }) => name === this.selected);
    if (!body || body.flows || this.description?.isRun || !this.#frame) return;
    const { particles } = this.#frame;
    const middle: [number, number, number] = [0, 0, 0];
    let [low, high] = [Infinity, -Infinity];
    for (let i = body.begin; i < body.end; i++) {
      for (let a = 0; a < 3; a++) middle[a]! += particles[4 * i + a]! / (body.end - body.begin);
      low = Math.min(low, particles[4 * i + 1]!);
      high = Math.max(high, particles[4 * i + 1]!);
    }
    const grab = this.world.grab(body.name, [middle[0], high, middle[2]]);
    grab.move([middle[0], high + LIFT * (high - low), middle[2]]);
    this.#lift = { grab };
    this.messages.tell(`Lifting ${body.name}`);
    if (!this.#playing) void this.play();
  }

  #letGo(): void {
    this.#lift?.grab.release();
    this.#lift = undefined;
    this.viewport.release();
  }

  exportScene(): void {
    if (this.#document) download(`${this.#name}.json`, this.#document.text, 'application/json');
  }

  async exportGlb(): Promise<void> {
    const view = this.#view;
    if (!view?.frame || !this.description) return;
    const { frameToGlb } = await import('./glb.js');
    const bytes = frameToGlb(this.description, view.frame, (name) => view.bodyColor(name), this.viewport.camera);
    download(`${this.#name}-${view.frame.frame}.glb`, bytes, 'model/gltf-binary');
  }

  async exportPicture(): Promise<void> {
    await this.#try('No picture', async () =>
      download(`${this.#name}-${this.#frame?.frame ?? 0}.png`, await this.viewport.picture(), 'image/png'),
    );
  }

  /** All frames that were simulated, at the rate of the scene and in the size of the picture. */
  async exportVideo(): Promise<void> {
    const { description } = this;
    const shown = this.#frame;
    if (!description || !shown || this.#filming) return;
    if (shown.lastFrame === 0) {
      this.messages.tell('There is one frame only: play it first', 4000);
      return;
    }
    this.#letGo();
    const abort = new AbortController();
    this.#filming = abort;
    const progress = this.messages.progress('Making a video', () => abort.abort());
    await this.#try('No video', async () => {
      await this.world.pause();
      const { encodeVideo } = await import('./video.js');
      const bytes = await encodeVideo({
        canvas: this.viewport.canvas,
        frameRate: description.scene.frameRate,
        count: shown.lastFrame + 1,
        draw: async (frame) => {
          // The frame comes before the answer.
          await this.world.seek(frame);
          this.viewport.drawNow();
        },
        onProgress: (done) => progress.update(done / (shown.lastFrame + 1)),
        signal: abort.signal,
      }).catch((error: unknown) => {
        if (!abort.signal.aborted) throw error;
      });
      if (bytes) download(`${this.#name}.webm`, bytes, 'video/webm');
      else this.messages.tell('The video was given up');
    });
    progress.end();
    this.#filming = undefined;
    await this.#try('Cannot show that frame', () => this.world.seek(shown.frame));
  }

  get #name(): string {
    return (this.#document?.scene.name ?? 'scene').replace(/[^\p{L}\p{N}-]+/gu, '-');
  }

  async #try(title: string, run: () => unknown): Promise<boolean> {
    return (await this.attempt(title, async () => ({ answer: await run() }))) !== undefined;
  }

  /** Runs something that may be refused, and says why if it is; who cancels it knows. */
  async attempt<T>(title: string, run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      if (!isOfKind(error, 'Cancelled')) this.messages.error(title, error);
      return undefined;
    }
  }
}

function isOfKind(error: unknown, kind: string): boolean {
  return error instanceof RemoteError && error.kind === kind;
}

/** Files by the names that a scene may call them by: with every folder that stands before the name in its text. */
function withBaseNames(text: string, files: Files): Files {
  const named: Record<string, Uint8Array> = { ...files };
  for (const [name, bytes] of Object.entries(files)) {
    const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    for (const [path] of text.matchAll(new RegExp(`[^\\s"'{}:,]*${escaped}`, 'g'))) named[path] = bytes;
  }
  return named;
}
