import { readMesh } from '../mesh/index.js';
import { OptionError } from '../options/errors.js';
import type { MeshShape, ObstacleShape, Scene, Shape, TriangleMesh } from '../options/types.js';
import { SamplingError } from '../sampling/index.js';
import { World } from '../world.js';
import { readObjLibraries } from './obj-libraries.js';

export interface LoadOptions {
  /** Reads a file that the scene names, by its path relative to the scene. */
  readonly readFile?: (path: string) => Promise<Uint8Array>;
  readonly threads?: 'auto' | number;
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
      data = read(file).then(async (bytes) => readMesh(bytes, file, await externalBuffers(bytes, file, read)));
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

/** Samples and places everything that a scene names; nothing has moved yet. */
export async function loadScene(scene: Scene, options: LoadOptions = {}): Promise<World> {
  const { bodies, obstacles } = await readMeshes(scene, options);
  const world = await World.create({
    gravity: scene.gravity,
    static: scene.static,
    solver: scene.solver,
    seed: scene.seed,
    temperature: scene.temperature,
    heatTransfer: scene.heatTransfer,
    threads: options.threads ?? 'auto',
  } as Parameters<typeof World.create>[0]);
  try {
    for (const [k, body] of bodies.entries()) {
      try {
        world.addBody(body as Parameters<World['addBody']>[0]);
      } catch (error) {
        if (!(error instanceof SamplingError)) throw error;
        throw new OptionError([{ path: `bodies[${k}].shape`, message: `cannot be filled: ${error.message}` }], {
          cause: error,
        });
      }
    }
    for (const emitter of scene.emitters) world.addEmitter(emitter as Parameters<World['addEmitter']>[0]);
    for (const sink of scene.sinks) world.addSink(sink);
    for (const obstacle of obstacles) world.addObstacle(obstacle as Parameters<World['addObstacle']>[0]);
    for (const constraint of scene.constraints)
      world.addConstraint(constraint as Parameters<World['addConstraint']>[0]);
    for (const heat of scene.heat) world.addHeat(heat);
    for (const event of scene.events) world.addEvent(event);
    // Laying out the memory finds what only shows with all parts in place: overlaps, empty regions.
    world.stableTimeStep();
    for (const [k, probe] of scene.probes.entries()) world.probe(probe, `probes[${k}].region`);
    return world;
  } catch (error) {
    await world.dispose();
    throw error;
  }
}

/** Reads what a .gltf or .obj file refers to beside it. */
async function externalBuffers(
  bytes: Uint8Array,
  file: string,
  read: (path: string) => Promise<Uint8Array>,
): Promise<((uri: string) => Uint8Array) | undefined> {
  const folder = file.includes('/') ? file.slice(0, file.lastIndexOf('/') + 1) : '';
  if (file.toLowerCase().endsWith('.obj')) return readObjLibraries(bytes, folder, read);
  if (!file.toLowerCase().endsWith('.gltf')) return undefined;
  let buffers: { uri?: unknown }[] = [];
  try {
    buffers = (JSON.parse(new TextDecoder().decode(bytes)) as { buffers?: { uri?: unknown }[] }).buffers ?? [];
  } catch {
    return undefined; // The reader says what is wrong with the text.
  }
  const contents = new Map<string, Uint8Array>();
  for (const { uri } of buffers) {
    if (typeof uri !== 'string' || uri.startsWith('data:')) continue;
    // The reader asks for names as they are on disk.
    const name = decodeURIComponent(uri);
    contents.set(name, await read(folder + name));
  }
  return (uri) => {
    const found = contents.get(uri);
    if (!found) throw new RangeError(`buffer "${uri}" was not read`);
    return found;
  };
}
