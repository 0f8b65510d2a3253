import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import { meshFilesOf, meshPathProblem, parseScene } from 'phyxel';
import { CommandError, EXIT } from '../errors.js';
import { finishedFrames, readDocument } from '../render/run-source.js';
import { frameFileName, RunFolder } from '../run/folder.js';
import { filesOfScene, openScene } from '../scene-file.js';
import { type Project, serveStudio } from '../studio/server.js';

export function registerStudio(program: Command): void {
  program
    .command('studio')
    .description('serve the studio on this machine, to see scenes, grab and change them in a browser')
    .argument('[scene]', 'scene file to open, or the folder of a run to play')
    .option('--port <number>', 'port to listen on; 0 for any that is free', parsePort, 5177)
    .option('--meshes <dir>', "folder of a run's scene, for runs that have no copies of its meshes")
    .action(async (scene: string | undefined, options: { port: number; meshes?: string }) => {
      const project = scene === undefined ? undefined : await openProject(scene, options.meshes);
      const server = await serveStudio(siteFolder(), project, options.port).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
        throw new CommandError(`port ${options.port} is taken: use --port with another, or 0`, EXIT.failed);
      });
      process.stdout.write(`Phyxel studio: ${server.url}\nCtrl-C stops it.\n`);
      await new Promise<void>((resolve) => {
        process.once('SIGINT', resolve);
        process.once('SIGTERM', resolve);
      });
      await server.close();
    });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
  }
  return port;
}

/** `meshes` is the folder of a run's scene, where the user says that it is. */
export async function openProject(path: string, meshes?: string): Promise<Project> {
  if (existsSync(path) && statSync(path).isDirectory()) return openRunFolder(path, meshes);
  const { scene, folder } = openScene(path);
  const files = await filesOfScene(scene, folder);
  return { folder, scene: basename(path), files };
}

/**
 * A run is played from its frames, with its own copies of the meshes. What the folder says of files elsewhere is not
 * followed: it may come from a stranger.
 */
async function openRunFolder(path: string, meshes: string | undefined): Promise<Project> {
  const folder = new RunFolder(path);
  const text = folder.isRun() ? folder.sceneText() : undefined;
  if (text === undefined) {
    throw new CommandError(`${path}: is no run folder; "phyxel run" makes one from a scene`, EXIT.badInput);
  }
  const { scene } = parseScene(text, folder.file('scene.json'));
  const run = { folder: resolve(path), frames: finishedFrames(folder).map(frameFileName) };
  if (meshes !== undefined) {
    return { folder: resolve(meshes), scene: 'scene.json', files: await filesOfScene(scene, meshes), run };
  }
  const copies = new Map(
    [...readDocument(folder).inputs].flatMap(([file, digest]) => {
      const copy = folder.inputFile(digest);
      return meshPathProblem(file) === undefined && existsSync(copy) ? [[file, relative(path, copy)]] : [];
    }),
  );
  const missing = meshFilesOf(scene).find(({ file }) => !copies.has(file));
  if (missing) {
    const cure = 'say with --meshes in which folder its scene was';
    throw new CommandError(`${path}: has no copy of ${missing.file}; ${cure}`, EXIT.badInput);
  }
  return { folder: resolve(path), scene: 'scene.json', files: [...copies.keys()], copies, run };
}

/** The built studio. */
export function siteFolder(): string {
  let site: string;
  try {
    site = dirname(fileURLToPath(import.meta.resolve('@phyxel/studio/site/index.html')));
  } catch {
    throw new CommandError('the package @phyxel/studio is not installed', EXIT.failed);
  }
  if (!existsSync(join(site, 'index.html')))
    throw new CommandError('the studio is not built: npm run build', EXIT.failed);
  return site;
}
