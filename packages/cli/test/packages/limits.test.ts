import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const packages = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** A limit of a test, a hook, a poll or a wait [ms]. */
const LIMIT = /\btimeout: *([\d_]+)|^\s*\}, ([\d_]{4,})\);$/gim;

test('no test has a time limit of its own that a busy machine could reach', () => {
  const short: string[] = [];
  for (const name of readdirSync(packages)) {
    const folder = join(packages, name, 'test');
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      for (const [text, a, b] of readFileSync(join(folder, file), 'utf8').matchAll(LIMIT)) {
        if (Number((a ?? b)!.replaceAll('_', '')) < 300_000) short.push(`${name}/test/${file}: ${text.trim()}`);
      }
    }
  }
  expect(short).toEqual([]);
});
