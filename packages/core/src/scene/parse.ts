import type { Scene } from '../options/types.js';
import { nameFromFile } from './file-name.js';
import { readScene } from './schema.js';
import { type SceneSource, SourceText } from './source.js';

/**
 * Reads a scene file, JSON or YAML. Throws a SceneError with file, line and column of every problem.
 * `fileName` is how messages call the text; its last part names a scene that has no name.
 */
export function parseScene(text: string, fileName: string): { scene: Scene; source: SceneSource } {
  const source = new SourceText(text, fileName);
  const result = readScene(source.value, nameFromFile(fileName));
  if ('problems' in result) throw source.problemsError(result.problems);
  return { scene: result.scene, source };
}
