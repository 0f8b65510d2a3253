/** What is opened first: what the address names, what was open last, or the first example. */
import type { RunRequest } from 'phyxel/browser';
import { loadSaved } from './autosave.js';
import { type Example, Fetcher, fetchOk, readExample, type SceneSource } from './examples.js';
import type { Loading } from './loading.js';

const WELCOME = 'soft-toys';

export interface FirstScene extends SceneSource {
  readonly from: 'project' | 'example' | 'saved' | 'welcome';
  /** Frames that are played instead of simulated. */
  readonly run?: RunRequest | undefined;
}

/** `skipSaved` when what was open last cannot be opened any more. */
export async function findFirstScene(
  listed: Promise<readonly Example[]>,
  { skipSaved = false, loading }: { readonly skipSaved?: boolean; readonly loading?: Loading } = {},
): Promise<FirstScene | undefined> {
  const parameters = new URLSearchParams(location.search);
  if (parameters.has('project')) return { from: 'project', ...(await readProject(loading)) };
  const name = parameters.get('example');
  if (name === null && !skipSaved) {
    const saved = await loadSaved();
    if (saved && loading) loading.title = saved.fileName;
    if (saved) return { from: 'saved', ...saved };
  }
  const examples = await listed;
  const named = examples.find((example) => example.name === name);
  if (named) return { from: 'example', ...(await readExample(named, loading)) };
  const welcome = examples.find((example) => example.name === WELCOME) ?? examples[0];
  return welcome && { from: 'welcome', ...(await readExample(welcome, loading)) };
}

/** The scene or run that `phyxel studio` was started with. */
async function readProject(loading?: Loading): Promise<SceneSource & Pick<FirstScene, 'run'>> {
  const { scene, files, frames } = (await (await fetchOk('project/index.json')).json()) as {
    scene: string;
    files: string[];
    frames?: string[];
  };
  if (loading) loading.title = scene;
  const fetcher = new Fetcher(loading);
  const read = (path: string) => fetcher.read(`project/${path.split('/').map(encodeURIComponent).join('/')}`);
  const readText = async (path: string) => new TextDecoder().decode(await read(path));
  const contents = await Promise.all(files.map(async (path) => [path, await read(path)] as const));
  const source = { text: await readText(scene), fileName: scene, files: Object.fromEntries(contents) };
  if (!frames) return source;
  const content = (name: string) => new URL(`project/frames/${name}`, document.baseURI).href;
  const run = {
    frames: frames.map((name) => ({ name, content: content(name) })),
    document: await readText('run.json'),
  };
  return { ...source, run };
}
