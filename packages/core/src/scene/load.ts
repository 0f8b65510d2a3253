import { forcesOf } from '../forces/index.js';
import { OptionError } from '../options/errors.js';
import type { MeshShape, ObstacleShape, Scene, Shape, TriangleMesh } from '../options/types.js';
import { SamplingError } from '../sampling/index.js';
import { SimulationError } from '../solvers/error.js';
import { items } from '../world/items/index.js';
import { World } from '../world.js';
import { readMeshFile } from './mesh-file.js';
import { withScenePaths } from './paths.js';
import { scaleScene } from './scale.js';

export interface LoadOptions {
  /** Reads a file that the scene names, by its path relative to the scene. */
  readonly readFile?: (path: string) => Promise<Uint8Array>;
  readonly threads?: 'auto' | number;
  /** Factor of the resolution, see `scaleScene`; 1 when left out. */
  readonly scale?: number;
  /** Called before each body is filled with particles; may throw to give the scene up. */
  readonly onBody?: (name: string, index: number) => void | Promise<void>;
}

/** The scene with the meshes that its bodies and obstacles name in it. */
export async function readMeshes<T extends Pick<Scene, 'bodies' | 'obstacles'>>(
  scene: T,
  options: Pick<LoadOptions, 'readFile'>,
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

function meshFileOf(shape: Shape | ObstacleShape): string | undefined {
  return 'mesh' in shape ? shape.mesh.file : undefined;
}

/** Samples and places everything that a scene names; nothing has moved yet. */
export async function loadScene(original: Scene, options: LoadOptions = {}): Promise<World> {
  const scene = scaleScene(original, options.scale ?? 1);
  const { bodies, obstacles } = await readMeshes(scene, options);
  const world = await World.create({
    gravity: scene.gravity,
    static: scene.static,
    solver: scene.solver,
    seed: scene.seed,
    temperature: scene.temperature,
    heatTransfer: scene.heatTransfer,
    ...forcesOf(scene),
    threads: options.threads ?? 'auto',
  } as Parameters<typeof World.create>[0]);
  // What is being added.
  let item: string | undefined;
  try {
    for (const [key, { add, list }] of items()) {
      const entries = key === 'bodies' ? bodies : key === 'obstacles' ? obstacles : scene[key];
      for (const [k, entry] of add || list ? entries.entries() : []) {
        if (key === 'bodies') await options.onBody?.(bodies[k]!.name, k);
        item = `${key}[${k}]`;
        try {
          world.add(key, entry as never);
        } catch (error) {
          if (!(error instanceof SamplingError)) throw error;
          const file = meshFileOf(scene.bodies[k]!.shape);
          const message = `cannot be filled: ${file === undefined ? '' : `${file}: `}${error.message}`;
          throw new OptionError([{ path: `${item}.shape`, message }], { cause: error });
        }
      }
    }
    item = undefined;
    // Laying out the memory finds what only shows with all parts in place: overlaps, empty regions.
    layOut(world);
    if (!scene.static) {
      world.checkSteps(1 / scene.frameRate);
      world.checkHeat(scene.duration);
    }
    for (const [k, probe] of scene.probes.entries()) {
      item = `probes[${k}]`;
      world.probe(probe, `${item}.region`);
    }
    return world;
  } catch (error) {
    await world.dispose();
    throw withScenePaths(error, scene, item);
  }
}

function layOut(world: World): void {
  try {
    world.stableTimeStep();
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error;
    const body = world.bodies.findIndex(({ name }) => name === error.body);
    const path = body < 0 ? 'bodies' : `bodies[${body}].material`;
    throw new OptionError([{ path, message: `cannot be simulated: ${error.message}` }], { cause: error });
  }
}
