/** The scene that is open: its text, its files, and what was changed, with undo. */
import { physicsOf, type Scene, serializeScene } from 'phyxel/browser';

/** Changes that are kept to go back to. */
const MOST_CHANGES = 100;
/** Changes of the same thing within this time are one [ms]. */
const TOGETHER = 800;

interface Change {
  readonly scene: Scene;
  /** What was changed, so that dragging a slider is one change. */
  readonly label: string;
  readonly at: number;
}

export type Files = Readonly<Record<string, Uint8Array>>;

export class SceneDocument {
  readonly fileName: string;
  files: Files;
  /** As it was opened: the same bytes give the same simulation as the command does. */
  readonly #original: string;
  #past: Change[] = [];
  #future: Change[] = [];
  #scene: Scene;
  #isOriginal = true;

  constructor(text: string, fileName: string, files: Files, scene: Scene) {
    this.#original = text;
    this.fileName = fileName;
    this.files = files;
    this.#scene = scene;
  }

  get scene(): Scene {
    return this.#scene;
  }

  /** Text of the scene as it is now. */
  get text(): string {
    return this.#isOriginal ? this.#original : serializeScene(this.#scene);
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  change(scene: Scene, label: string): void {
    const last = this.#past.at(-1);
    const now = performance.now();
    const continues = last !== undefined && last.label === label && now - last.at < TOGETHER;
    if (continues) this.#past[this.#past.length - 1] = { ...last, at: now };
    else this.#past.push({ scene: this.#scene, label, at: now });
    if (this.#past.length > MOST_CHANGES) this.#past.shift();
    this.#future = [];
    this.#scene = scene;
    this.#isOriginal = false;
  }

  /** Answers what was undone. */
  undo(): string | undefined {
    return this.#go(this.#past, this.#future);
  }

  redo(): string | undefined {
    return this.#go(this.#future, this.#past);
  }

  #go(from: Change[], to: Change[]): string | undefined {
    const change = from.pop();
    if (!change) return undefined;
    to.push({ ...change, scene: this.#scene, at: 0 });
    this.#scene = change.scene;
    this.#isOriginal = false;
    return change.label;
  }
}

export interface Changes {
  /** Bodies by their names in the second scene, with the keys of their materials that differ. */
  readonly materials: readonly { readonly body: string; readonly set: Record<string, number | string> }[];
  /** Do names, colours, looks or the duration differ? */
  readonly labels: boolean;
}

/** What a running world has to take on to go from one scene to another; undefined when it cannot. */
export function changesBetween(from: Scene, to: Scene): Changes | undefined {
  const without = (scene: Scene) =>
    physicsOf({ ...scene, bodies: scene.bodies.map((body) => ({ ...body, material: {} })) } as unknown as Scene);
  if (without(from) !== without(to)) return undefined;
  const materials: { body: string; set: Record<string, number | string> }[] = [];
  for (const [k, body] of to.bodies.entries()) {
    const set: Record<string, number | string> = {};
    const before = from.bodies[k]!.material as unknown as Record<string, unknown>;
    for (const [key, value] of Object.entries(body.material)) {
      if (JSON.stringify(before[key]) === JSON.stringify(value)) continue;
      if (typeof value !== 'number' && typeof value !== 'string') return undefined;
      set[key] = value;
    }
    if (Object.keys(set).length > 0) materials.push({ body: body.name, set });
  }
  return { materials, labels: labelsOf(from) !== labelsOf(to) };
}

function labelsOf({ name, duration, bodies, emitters, obstacles, probes }: Scene): string {
  const own = (list: readonly { name: string; color?: string | undefined; look?: string | undefined }[]) =>
    list.map((item) => [item.name, item.color, item.look]);
  return JSON.stringify([
    name,
    duration,
    own(bodies),
    own(emitters),
    own(obstacles),
    probes.map((probe) => probe.name),
  ]);
}
