/** The packages as npm would publish them, and what their READMEs say to do with them, word for word. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { follow } from './code-blocks.js';
import { install, root } from './install.js';

const PACKAGES = ['phyxel', '@phyxel/cli', '@phyxel/three', '@phyxel/studio'];

const folder = mkdtempSync(join(tmpdir(), 'phyxel-published-'));
const of = (name: string) => join(folder, 'node_modules', name);

beforeAll(() => install(folder, ...PACKAGES, 'three', '@types/three', '@types/node'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(PACKAGES)('the package %s', (name) => {
  const files = () => readdirSync(of(name), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

  test('is what publint asks for', async () => {
    const { messages, pkg } = await publint({ pkgDir: of(name), level: 'suggestion', pack: false });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test('says where it comes from, what it is about and which Node it needs', () => {
    const { repository, keywords, engines, license } = JSON.parse(readFileSync(join(of(name), 'package.json'), 'utf8'));
    expect(repository.directory).toMatch(/^packages\//);
    expect(keywords.length).toBeGreaterThan(3);
    expect(engines.node).toMatch(/^>=20/);
    expect(license).toBe('MIT');
    expect(existsSync(join(of(name), 'LICENSE'))).toBe(true);
    expect(existsSync(join(of(name), 'README.md'))).toBe(true);
  });

  test('has source maps with their sources, nothing of the build, and every WASM once', () => {
    const modules = new Map<string, string>();
    for (const { parentPath, name: file } of files()) {
      const path = join(parentPath, file);
      expect(file).not.toMatch(/tsbuildinfo|\.test\./);
      if (file.endsWith('.wasm')) {
        const hash = createHash('sha1').update(readFileSync(path)).digest('hex');
        expect(modules.get(hash), `${path} is also`).toBeUndefined();
        modules.set(hash, path);
      }
      if (!file.endsWith('.map')) continue;
      const { sources, sourcesContent } = JSON.parse(readFileSync(path, 'utf8'));
      expect(sourcesContent?.length, path).toBe(sources.length);
      expect(sourcesContent.every((text: unknown) => typeof text === 'string')).toBe(true);
    }
  });
});

test('types are found and sound, by the rules of Node and of bundlers', () => {
  writeFileSync(
    join(folder, 'consumer.mts'),
    `import { createWorld, type SceneInput, type StepReport } from 'phyxel';
import { connectWorld } from 'phyxel/browser';
import * as reference from 'phyxel/reference';
import { PhyxelView } from '@phyxel/three';
const scene: SceneInput = { phyxel: 1 };
const world = await createWorld();
const report: StepReport = world.step(0.01);
export const used: unknown[] = [scene, report.steps, connectWorld, reference, PhyxelView];
`,
  );
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  for (const module of [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ]) {
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2023', '--types', 'node', ...module];
    execFileSync(process.execPath, [compiler, ...options, 'consumer.mts'], { cwd: folder });
  }
});

test('types of the library are sound by themselves, also where those of packages are checked', () => {
  writeFileSync(
    join(folder, 'strict.mts'),
    `import { createWorld } from 'phyxel';
import { connectWorld } from 'phyxel/browser';
export const used: unknown[] = [createWorld, connectWorld];
`,
  );
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
  execFileSync(process.execPath, [compiler, ...options, '--types', '', 'strict.mts'], { cwd: folder });
});

describe('a folder of one’s own', () => {
  test('runs the scene and the program of the README', () => {
    const printed = follow(folder, 'README.md');
    const [check, run, program] = Object.entries(printed);
    expect(check![0]).toMatch(/^npx phyxel check jelly-drop\.yaml/);
    expect(check![1]).toContain('1000');
    expect(run![0]).toMatch(/^npx phyxel run jelly-drop\.yaml/);
    expect(existsSync(join(folder, 'own', 'README.md', 'runs', 'jelly-drop', 'run.json'))).toBe(true);
    expect(program![0]).toBe('node ball.mjs');
    expect(program![1].trim().split('\n').length).toBeGreaterThanOrEqual(60);
  });

  test('runs the programs of the library’s README', () => {
    const [world, scene] = Object.values(follow(folder, 'packages/core/README.md'));
    expect(world!.trim().split('\n').at(-1)).toMatch(/^1000 [0-9a-f]{16}$/);
    expect(scene!.trim()).toBe('true');
  });

  test('runs the commands of the command’s README', () => {
    const printed = follow(folder, 'packages/cli/README.md');
    expect(Object.keys(printed)).toHaveLength(3);
    const runs = join(folder, 'own', 'packages-cli-README.md', 'runs', 'drop');
    expect(existsSync(join(runs, 'export', 'scene.glb'))).toBe(true);
  });
});
