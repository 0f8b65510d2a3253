import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { setAssetFolder } from '../../src/memory/platform.js';
import { createWorld } from '../../src/world.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-lost-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('passes and threads that are not where a program looks are told with their address and the cure', async () => {
  setAssetFolder(pathToFileURL(folder));
  await expect(createWorld({ threads: 2 })).rejects.toThrow(
    /compiled passes: .*phyxel\.threads\.wasm.*setAssetFolder\(\)/,
  );
  const wasm = new URL('../../web/phyxel.threads.wasm', import.meta.url);
  copyFileSync(wasm, join(folder, 'phyxel.threads.wasm'));
  await expect(createWorld({ threads: 2 })).rejects.toThrow(/^the thread file:.*thread\.js did not start.*external/);
  copyFileSync(new URL('../../web/thread.js', import.meta.url), join(folder, 'thread.js'));
  const world = await createWorld({ threads: 2 });
  expect(world.threads).toBe(2);
  await world.dispose();
});
