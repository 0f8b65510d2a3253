/** The scene that is open: its text, its files, and what was changed, with undo. */
import type { Scene } from 'phyxel';
import { serializeScene } from 'phyxel/browser';

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

/** Bodies whose materials differ, with the keys that do; undefined when the scenes differ in other things. */
export function materialChanges(
  from: Scene,
  to: Scene,
): { body: string; set: Record<string, number | string> }[] | undefined {
  const without = (scene: Scene) =>
    JSON.stringify({ ...scene, bodies: scene.bodies.map(({ material: _, ...body }) => body) });
  if (without(from) !== without(to)) return undefined;
  const changes: { body: string; set: Record<string, number | string> }[] = [];
  for (const [k, body] of to.bodies.entries()) {
    const set: Record<string, number | string> = {};
    const before = from.bodies[k]!.material as unknown as Record<string, unknown>;
    for (const [key, value] of Object.entries(body.material)) {
      if (JSON.stringify(before[key]) === JSON.stringify(value)) continue;
      if (typeof value !== 'number' && typeof value !== 'string') return undefined;
      set[key] = value;
    }
    if (Object.keys(set).length > 0) changes.push({ body: body.name, set });
  }
  return changes;
}
