import { forcesOf } from '../forces/index.js';
import { OptionError } from '../options/errors.js';
import type { Prepared, Scene } from '../options/types.js';
import { SamplingError } from '../sampling/index.js';
import { SimulationError } from '../solvers/error.js';
import { items } from '../world/items/index.js';
import { isPlain } from '../world/on-demand.js';
import { World } from '../world.js';
import { withScenePaths } from './paths.js';

export interface BuildOptions {
  readonly threads?: 'auto' | number;
  /** Are solvers fetched only when the scene asks for them? */
  readonly isLazy?: boolean;
  /** May bodies and obstacles be added later whose shapes are made of others? They may when left out. */
  readonly makesShapes?: boolean;
  /** Called before each body is filled with particles; may throw to give the scene up. */
  readonly onBody?: (name: string, index: number) => void | Promise<void>;
}

/** Samples and positions everything that a scene names, with the bodies and obstacles that have their meshes in them; nothing has moved yet. */
export async function buildWorld(
  scene: Scene,
  { bodies, obstacles }: Prepared<Pick<Scene, 'bodies' | 'obstacles'>>,
  options: BuildOptions,
): Promise<World> {
  const settings = {
    gravity: scene.gravity,
    static: scene.static,
    solver: scene.solver,
    seed: scene.seed,
    temperature: scene.temperature,
    heatTransfer: scene.heatTransfer,
    ...forcesOf(scene),
    threads: options.threads ?? 'auto',
  } as Parameters<typeof World.create>[0];
  const world = await World.create(settings, {
    isPlain: options.isLazy === true && isPlain({ ...scene, bodies, obstacles }),
    makesShapes: options.makesShapes,
  });
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
          const { shape } = scene.bodies[k]!;
          const file = 'mesh' in shape ? shape.mesh.file : undefined;
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
