/** The examples that the site carries. */
import type { Files } from './document.js';

export interface Example {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly file: string;
  /** Mesh files that it needs, relative to it. */
  readonly files: readonly string[];
  readonly picture?: string;
}

/** A scene with everything that it names. */
export interface SceneSource {
  readonly text: string;
  readonly fileName: string;
  readonly files: Files;
}

export async function fetchOk(path: string): Promise<Response> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: HTTP status ${response.status}`);
  return response;
}

export async function fetchExamples(): Promise<Example[]> {
  return (await (await fetchOk('examples/index.json')).json()) as Example[];
}

export async function readExample({ file, files }: Example): Promise<SceneSource> {
  const [text, ...contents] = await Promise.all([
    fetchOk(`examples/${file}`).then((response) => response.text()),
    ...files.map(async (path) => [path, await bytesOf(`examples/${path}`)] as const),
  ]);
  return { text, fileName: file, files: Object.fromEntries(contents) };
}

export async function bytesOf(path: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetchOk(path)).arrayBuffer());
}
