/** Shapes of a scene made ready for use: files are read, and what is made of other shapes gets its mesh. */
import { MeshError } from '../mesh/error.js';
import { OptionError } from '../options/errors.js';
import { isBasic } from '../options/made-shapes.js';
import type { BodyOptions, CompositeShape, Prepared, Scene, Shape, TriangleMesh } from '../options/types.js';
import { SamplingError } from '../sampling/error.js';
import { readMeshFile } from './mesh-file.js';

export interface ReadOptions {
  /** Reads a file that the scene names, by its path relative to the scene. */
  readonly readFile?: (path: string) => Promise<Uint8Array>;
}

type Shapes = Pick<Scene, 'bodies' | 'obstacles'>;

/** The scene with the meshes that its bodies and obstacles name in it, and those of shapes that are made of others. */
export async function readMeshes<S extends Shapes>(scene: S, { readFile }: ReadOptions): Promise<Prepared<S>> {
  return prepareShapes(scene, async (file, path) => {
    if (readFile) return readMeshFile(file, readFile);
    throw new OptionError([{ path: `${path}.file`, message: `is "${file}", but loadScene was given no readFile` }]);
  });
}

export async function prepareShapes<S extends Shapes>(
  scene: S,
  readMesh: (file: string, path: string) => Promise<TriangleMesh>,
): Promise<Prepared<S>> {
  const meshes = new Map<string, Promise<TriangleMesh>>();
  const read = async <T extends CompositeShape>(shape: T, path: string): Promise<T> => {
    if ('mesh' in shape) {
      const { file, data, size } = shape.mesh;
      if (data) return shape;
      if (file === undefined) throw new OptionError([{ path: `${path}.mesh`, message: 'names no file' }]);
      if (!meshes.has(file)) meshes.set(file, readMesh(file, `${path}.mesh`));
      return { mesh: { size, data: await meshes.get(file)! } } as unknown as T;
    }
    for (const [key, parts] of Object.entries(shape)) {
      if (!Array.isArray(parts)) continue;
      const readPart = async (part: { shape: CompositeShape }, k: number) => ({
        ...part,
        shape: await read(part.shape, `${path}.${key}[${k}].shape`),
      });
      return { [key]: await Promise.all(parts.map(readPart)) } as unknown as T;
    }
    return shape;
  };
  // What makes shapes of others is fetched where there are some.
  const making = () => import('../world/making.js');
  const basic = async (shape: CompositeShape, path: string): Promise<Shape> => {
    const whole = await read(shape, path);
    if (isBasic(whole)) return whole;
    const { basicShape } = await making();
    return located(path, () => basicShape(whole));
  };
  const obstacles = await Promise.all(
    scene.obstacles.map(async ({ shape, ...rest }, k) => ({
      ...rest,
      shape: 'plane' in shape ? shape : await basic(shape, `obstacles[${k}].shape`),
    })),
  );
  const own = await Promise.all(
    scene.bodies.map(async ({ shape, ...rest }, k) =>
      'fill' in shape ? undefined : { ...rest, shape: await basic(shape, `bodies[${k}].shape`) },
    ),
  );
  const bodies: BodyOptions[] = [];
  for (const [k, body] of scene.bodies.entries()) {
    const { shape, ...rest } = body;
    if (!('fill' in shape)) {
      bodies.push(own[k]!);
      continue;
    }
    const { filledBody } = await making();
    // Bodies that are listed later are there already, but for what is yet to be filled in.
    const others = [...bodies, ...own.slice(k + 1).filter((other) => other !== undefined)];
    const data = located(`bodies[${k}].shape`, () => filledBody(rest, shape.fill, { obstacles, bodies: others }));
    bodies.push({ ...rest, shape: { mesh: { data } } });
  }
  return { ...scene, bodies, obstacles };
}

/** Says where in the scene a shape is that cannot be made. */
function located<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof OptionError) {
      const problems = error.problems.map(({ path: key, message }) => ({ path: `${path}${key}`, message }));
      throw new OptionError(problems, { cause: error });
    }
    if (!(error instanceof SamplingError || error instanceof MeshError)) throw error;
    throw new OptionError([{ path, message: `cannot be made: ${error.message}` }], { cause: error });
  }
}
