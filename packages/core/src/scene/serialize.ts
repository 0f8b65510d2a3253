import { OptionError } from '../options/errors.js';
import type { Scene } from '../options/types.js';

const ORDER: readonly string[] = [
  ...['phyxel', 'name', 'gravity', 'static', 'duration', 'frameRate', 'until', 'arrays', 'seed'],
  ...['materials', 'bodies', 'emitters', 'sinks', 'obstacles', 'constraints', 'events', 'probes', 'solver'],
  ...['temperature', 'heatTransfer', 'heat'],
];

/**
 * Canonical text of a scene: JSON with every default written out, which parses back to an equal scene.
 * Equal scenes give equal texts. Limits that are infinite are left out.
 */
export function serializeScene(scene: Scene): string {
  const ordered: Record<string, unknown> = {};
  // Forces by name; their registry would bring all declarations into pages that only write scenes.
  const others = Object.keys(scene).filter((key) => !ORDER.includes(key));
  for (const key of [...ORDER, ...others.sort()]) ordered[key] = canonical(scene[key as keyof Scene], key);
  // Vectors on one line.
  const text = JSON.stringify(ordered, null, 2);
  return `${text.replace(/\[\s+(-?[\d.e+-]+),\s+(-?[\d.e+-]+),\s+(-?[\d.e+-]+)\s+\]/g, '[$1, $2, $3]')}\n`;
}

/** Keys in alphabetical order below the top level, so that the text does not depend on how a scene was made. */
function canonical(value: unknown, path: string): unknown {
  if (ArrayBuffer.isView(value)) {
    throw new OptionError([{ path, message: 'is mesh data from a program and cannot be written to a scene file' }]);
  }
  if (Array.isArray(value)) return value.map((item, i) => canonical(item, `${path}[${i}]`));
  if (typeof value === 'object' && value !== null) {
    const sorted: Record<string, unknown> = {};
    for (const key of Object.keys(value).sort()) {
      const item = (value as Record<string, unknown>)[key];
      if (item !== undefined && item !== Infinity) sorted[key] = canonical(item, `${path}.${key}`);
    }
    return sorted;
  }
  return value;
}
