// The examples, as the gallery and the README list them: examples/catalogue.json, and the first line of each scene.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'examples');

/**
 * In the order of the catalogue. `particles` and `seconds` are what `phyxel check` says: of the whole scene, on two
 * threads.
 */
export function readCatalogue() {
  const entries = JSON.parse(readFileSync(join(folder, 'catalogue.json'), 'utf8'));
  const scenes = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const missing = scenes.filter((file) => !entries.some(({ name }) => file === `${name}.yaml`));
  if (missing.length > 0) throw new Error(`examples/catalogue.json lacks ${missing.join(', ')}`);
  return entries.map((entry) => {
    const file = `${entry.name}.yaml`;
    const scene = readFileSync(join(folder, file), 'utf8');
    const words = entry.name.replaceAll('-', ' ');
    const files = [...new Set([...scene.matchAll(/file:\s*([^\s,}]+)/g)].map(([, path]) => path))];
    const bytes = [file, ...files].reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);
    const title = words.charAt(0).toUpperCase() + words.slice(1);
    return { ...entry, title, text: scene.match(/^# (.*)$/m)?.[1] ?? '', file, files, bytes };
  });
}
