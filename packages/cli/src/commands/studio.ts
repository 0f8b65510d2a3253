import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import { parseScene } from 'phyxel';
import { CommandError, EXIT } from '../errors.js';
import { finishedFrames, readDocument } from '../render/run-source.js';
import { frameFileName, RunFolder } from '../run/folder.js';
import { meshFiles, openScene } from '../scene-file.js';
import { type Project, serveStudio } from '../studio/server.js';

export function registerStudio(program: Command): void {
  program
    .command('studio')
    .description('serve the studio on this machine, to see scenes, grab and change them in a browser')
    .argument('[scene]', 'scene file to open, or the folder of a run to play')
    .option('--port <number>', 'port to listen on; 0 for any that is free', parsePort, 5177)
    .action(async (scene: string | undefined, options: { port: number }) => {
      const project = scene === undefined ? undefined : openProject(scene);
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

export function openProject(path: string): Project {
  if (existsSync(path) && statSync(path).isDirectory()) return openRunFolder(path);
  const { scene, folder } = openScene(path);
  return { folder, scene: basename(path), files: [...new Set(meshFiles(scene).map(({ file }) => file))] };
}

/** A run is played from its frames; the meshes of its scene are where the scene was. */
function openRunFolder(path: string): Project {
  const folder = new RunFolder(path);
  const text = folder.isRun() ? folder.sceneText() : undefined;
  if (text === undefined) {
    throw new CommandError(`${path}: is no run folder; "phyxel run" makes one from a scene`, EXIT.badInput);
  }
  const { scene } = parseScene(text, folder.file('scene.json'));
  const { sceneFile } = readDocument(folder);
  return {
    folder: dirname(resolve(path, sceneFile ?? 'scene.json')),
    scene: 'scene.json',
    files: [...new Set(meshFiles(scene).map(({ file }) => file))],
    run: { folder: resolve(path), frames: finishedFrames(folder).map(frameFileName) },
  };
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
