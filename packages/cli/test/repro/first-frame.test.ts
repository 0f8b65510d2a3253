import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RunFolder } from '../../src/run/folder.js';
import { RUN_FORMAT } from '../../src/run/records.js';

test('a run that was stopped within its first frame is not replaced unasked', () => {
  const path = mkdtempSync(join(tmpdir(), 'phyxel-first-frame-'));
  try {
    const job = { sceneText: '{}', frames: 10, resume: false };
    const write = (within?: number) =>
      writeFileSync(
        join(path, 'run.json'),
        JSON.stringify({ format: RUN_FORMAT, status: 'interrupted', framesDone: 0, within }),
      );
    writeFileSync(join(path, 'scene.json'), '{}');
    writeFileSync(join(path, 'checkpoint'), 'state');
    write(0.586);
    expect(() => new RunFolder(path).checkReplaceable(job)).toThrow(
      /holds an unfinished run within its first frame: --resume goes on with it, --force replaces it/,
    );
    // Nothing is lost with a run that has only begun.
    write();
    new RunFolder(path).checkReplaceable(job);
  } finally {
    rmSync(path, { recursive: true });
  }
});
