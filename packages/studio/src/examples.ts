/** The examples that the site carries. */
import type { Files } from './document.js';
import type { Loading } from './loading.js';

export interface Example {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly group: string;
  /** A good one to begin with. */
  readonly first?: boolean;
  /** Particles at the most, and about how long the whole scene takes on two threads [s]. */
  readonly particles: number;
  readonly seconds: number;
  readonly file: string;
  /** Mesh files that it needs, relative to it. */
  readonly files: readonly string[];
  /** Of all of them. */
  readonly bytes: number;
  readonly picture?: string;
}

/** A scene with everything that it names. */
export interface SceneSource {
  readonly text: string;
  readonly fileName: string;
  readonly files: Files;
  /** What the text says, where that is known. */
  readonly parsed?: unknown;
}

export async function fetchOk(path: string, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(path, { ...(signal && { signal }) });
  if (!response.ok) throw new Error(`${path}: HTTP status ${response.status}`);
  return response;
}

export async function fetchExamples(): Promise<Example[]> {
  return (await (await fetchOk('examples/index.json')).json()) as Example[];
}

export async function readExample({ title, file, files, bytes }: Example, loading?: Loading): Promise<SceneSource> {
  if (loading) loading.title = title;
  const fetcher = new Fetcher(loading, bytes);
  const [text, parsed, ...contents] = await Promise.all([
    fetcher.read(`examples/${file}`).then((content) => new TextDecoder().decode(content)),
    fetchOk(`examples/${file.replace(/\.yaml$/, '.json')}`, loading?.signal).then((response) => response.json()),
    ...files.map(async (path) => [path, await fetcher.read(`examples/${path}`)] as const),
  ]);
  return { text, fileName: file, files: Object.fromEntries(contents), parsed };
}

/** Fetches files and tells how far they are, of so many bytes together; without that number, of what servers tell. */
export class Fetcher {
  readonly #loading: Loading | undefined;
  readonly #isTold: boolean;
  #total: number;
  #come = 0;

  constructor(loading: Loading | undefined, total = 0) {
    this.#loading = loading;
    this.#total = total;
    this.#isTold = total > 0;
  }

  async read(path: string): Promise<Uint8Array> {
    const response = await fetchOk(path, this.#loading?.signal);
    if (!this.#loading || !response.body) return new Uint8Array(await response.arrayBuffer());
    if (!this.#isTold) this.#total += Number(response.headers.get('content-length') ?? 0);
    const parts: Uint8Array[] = [];
    let size = 0;
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      size += part.value.length;
      this.#come += part.value.length;
      this.#loading.fetched(path, this.#come, this.#total);
    }
    const all = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
