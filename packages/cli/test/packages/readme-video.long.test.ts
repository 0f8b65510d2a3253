import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { follow } from './code-blocks.js';
import { install } from './install.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-video-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the README’s commands end in a video', () => {
  install(folder, 'phyxel', '@phyxel/cli');
  const printed = follow(folder, 'README.md', /^npm /);
  expect(Object.keys(printed).some((line) => line.includes('--video'))).toBe(true);
  const own = join(folder, 'own', 'README.md');
  // Without ffmpeg it is an animated PNG.
  expect(['mp4', 'png'].some((type) => existsSync(join(own, `jelly-drop.${type}`)))).toBe(true);
});
