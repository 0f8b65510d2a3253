import { OptionError } from '../options/errors.js';
import type { MeshShape, ObstacleShape, Scene, Shape, TriangleMesh } from '../options/types.js';
import { readMeshFile } from './mesh-file.js';

export interface ReadOptions {
  /** Reads a file that the scene names, by its path relative to the scene. */
  readonly readFile?: (path: string) => Promise<Uint8Array>;
}

/** The scene with the meshes that its bodies and obstacles name in it. */
export async function readMeshes<T extends Pick<Scene, 'bodies' | 'obstacles'>>(
  scene: T,
  options: ReadOptions,
): Promise<T> {
  const meshes = new Map<string, Promise<TriangleMesh>>();
  const withMesh = async <T extends Shape | ObstacleShape>(shape: T, where: string): Promise<T> => {
    if (!('mesh' in shape) || shape.mesh.data) return shape;
    const mesh: MeshShape = shape.mesh;
    if (mesh.file === undefined) throw new OptionError([{ path: `${where}.shape.mesh`, message: 'names no file' }]);
    const { file } = mesh;
    if (!options.readFile) {
      throw new OptionError([
        { path: `${where}.shape.mesh.file`, message: `is "${file}", but loadScene was given no readFile` },
      ]);
    }
    const read = options.readFile;
    let data = meshes.get(file);
    if (!data) {
      data = readMeshFile(file, read);
      meshes.set(file, data);
    }
    return { mesh: { size: mesh.size, data: await data } } as unknown as T;
  };

  const bodies = await Promise.all(
    scene.bodies.map(async (body, k) => ({ ...body, shape: await withMesh(body.shape, `bodies[${k}]`) })),
  );
  const obstacles = await Promise.all(
    scene.obstacles.map(async (obstacle, k) => ({
      ...obstacle,
      shape: await withMesh(obstacle.shape, `obstacles[${k}]`),
    })),
  );
  return { ...scene, bodies, obstacles };
}
