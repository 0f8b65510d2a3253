/** Shapes that are made of others before anything is done with them. */
import type { CompositeShape, ObstacleShape, Prepared, Scene } from './types.js';

type Shapes = Pick<Scene, 'bodies' | 'obstacles'>;

/** Keys of shapes that have to be made. */
const MADE = ['extrusion', 'heightfield', 'union', 'difference', 'intersection', 'fill'];

export function isBasic<S extends object>(shape: S): shape is Extract<S, ObstacleShape> {
  return !MADE.some((key) => key in shape);
}

/** Are all shapes of a scene basic ones, planes or meshes? */
export function isPrepared<S extends Shapes>(scene: S): scene is S & Prepared<S> {
  return [...scene.bodies, ...scene.obstacles].every(({ shape }) => isBasic(shape));
}

/** A mesh file, and the key that names it. */
export interface NamedFile {
  readonly path: string;
  readonly file: string;
}

/** The mesh files that a scene names. */
export function meshFilesOf(scene: Shapes): NamedFile[] {
  return (['bodies', 'obstacles'] as const).flatMap((list) =>
    scene[list].flatMap(({ shape }, i) =>
      'fill' in shape || 'plane' in shape ? [] : filesIn(shape, `${list}[${i}].shape`),
    ),
  );
}

function filesIn(shape: CompositeShape, path: string): NamedFile[] {
  if ('mesh' in shape)
    return shape.mesh.file === undefined ? [] : [{ path: `${path}.mesh.file`, file: shape.mesh.file }];
  for (const [key, parts] of Object.entries(shape)) {
    if (!Array.isArray(parts)) continue;
    return parts.flatMap((part: { shape: CompositeShape }, k) => filesIn(part.shape, `${path}.${key}[${k}].shape`));
  }
  return [];
}
