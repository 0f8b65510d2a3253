import type { Scene } from '../options/types.js';
import type { World } from '../world.js';
import { type BuildOptions, buildWorld } from './build.js';
import { type ReadOptions, readMeshes } from './meshes.js';
import { scaleScene } from './scale.js';

export interface LoadOptions extends ReadOptions, BuildOptions {
  /** Factor of the resolution, see `scaleScene`; 1 when left out. */
  readonly scale?: number;
}

/** Samples and positions everything that a scene names; nothing has moved yet. */
export async function loadScene(original: Scene, options: LoadOptions = {}): Promise<World> {
  const scene = scaleScene(original, options.scale ?? 1);
  return buildWorld(scene, await readMeshes(scene, options), options);
}
