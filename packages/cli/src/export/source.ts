/** The finished frames of a run folder, with the meshes that are made of them. */
import { type BodyOptions, type LiquidSurfacer, matterOf, ObstacleClearance, restMesh, Skinner } from 'phyxel';
import { flowsFreely, mayMelt } from '../core.js';
import { CommandError, EXIT } from '../errors.js';
import { LIQUID_DEPTH, paleShade, WATER } from '../render/actors.js';
import { chooseColors } from '../render/colors.js';
import { paintWith } from '../render/paint.js';
import { frameArray, openRun, type RunSource as Run } from '../render/run-source.js';
import type { Frame } from '../run/frame-file.js';
import { type Fineness, liquidSurfaces, pickValues, presentOf } from '../run/liquid-surface.js';
import { BreakingBody } from '../run/pieces.js';
import { BodyRemains } from '../run/remains.js';
import { BodyMesh, dressed } from './body-mesh.js';
import {
  type ExportAttribute,
  type ExportAttributes,
  type ExportFrame,
  type ExportGlass,
  type ExportMaterial,
  type ExportMesh,
  type ExportPoints,
  lengths,
} from './geometry.js';
import { glassOf, Stage } from './stage.js';

export interface SourceOptions {
  readonly meshes?: string | undefined;
  readonly refine?: number | undefined;
  /** That carry meshes of bodies; one when left out. */
  readonly threads?: 'auto' | number | undefined;
  readonly warn?: ((message: string) => void) | undefined;
}

/** A liquid: the spacing of its particles [m], and how its surface looks. */
interface Liquid {
  readonly spacing: number;
  readonly material: ExportMaterial;
  /** Of a body that has a mesh of its own where it has not melted. */
  readonly remains?: BodyRemains | undefined;
  readonly colors?: Float32Array | undefined;
}

/** Longest edges of meshes of files that break [spacings], unless others are asked for. */
const PIECE_EDGE = 3;

const ROUGHNESS = { liquid: 0.15, matte: 0.9, glossy: 0.35, glass: 0.05 } as const;
/** Of clear liquids, for formats that know nothing of the way of light through things. */
const LIQUID_OPACITY = 0.5;

/**
 * A run, as far as it has come: frames are written whole or not at all, so those of a run that is still going
 * on, or was interrupted, can be read like those of a finished one.
 */
export class RunSource {
  readonly #run: Run;
  readonly #liquids = new Map<string, Liquid>();
  readonly #bodies: readonly BodyMesh[];
  readonly #clearance: ObstacleClearance;

  readonly #skinner: Skinner;

  private constructor(run: Run, { refine, warn }: SourceOptions, skinner: Skinner) {
    this.#run = run;
    this.#skinner = skinner;
    const start = run.readFrame(0);
    const { scene, spacings } = run;
    const colors = chooseColors(
      scene,
      start.bodies.map(({ name }) => name),
    );
    this.#clearance = new ObstacleClearance(scene.obstacles);
    const bodies: BodyMesh[] = [];
    for (const { name, begin, end } of start.bodies) {
      const body: BodyOptions | undefined = scene.bodies.find((candidate) => candidate.name === name);
      const { look } = body ?? scene.emitters.find((candidate) => candidate.name === name) ?? {};
      const matter = body && matterOf(body);
      const melts = body !== undefined && mayMelt(body) && (!matter!.flows || (look ?? 'glass') !== 'glass');
      const isLiquid = flowsFreely(body) && !melts;
      const isFluid = isLiquid && !matter?.isSolid;
      const spacing = spacings.get(name);
      if (!spacing) {
        throw new CommandError(
          `${run.path}: run.json does not say how far apart particles of ${name} are`,
          EXIT.badInput,
        );
      }
      const color = colors.get(name)!;
      // As in pictures liquids are clear, unless the scene says otherwise.
      const drawn = look ?? (isFluid ? 'glass' : 'glossy');
      const roughness = isFluid && drawn === 'glass' ? ROUGHNESS.liquid : ROUGHNESS[drawn];
      const glass = isFluid ? waterOf(color, spacing) : glassOf(color);
      const material: ExportMaterial = { name, color, roughness, ...(drawn === 'glass' && { glass }) };
      if (isLiquid) {
        this.#liquids.set(name, { spacing, material });
        continue;
      }
      const range = { begin, end, spacing, parts: run.parts.get(name) };
      const mesh = restMesh(body!, spacing, refine);
      const remains = melts ? new BodyRemains({ name, begin, end, isMelt: matter!.isFluid }, start) : undefined;
      const breaking =
        matter!.phase === 'solid' && !remains
          ? new BreakingBody(body!, range, start, { run, skinner, refine: refine ?? PIECE_EDGE, warn })
          : undefined;
      bodies.push(new BodyMesh(body!, mesh, range, start, material, skinner, this.#clearance, remains, breaking));
      if (!remains) continue;
      const isPainted = mesh.parts.some((part) => part.material);
      const positions = frameArray(start, 'position')!.values.subarray(3 * begin, 3 * end);
      const painted = isPainted
        ? paintWith(mesh, positions, (own) => (own ? dressed(material, own, body!) : material))
        : undefined;
      // Colours of the surface's vertices multiply that of its material.
      const flowing = painted ? { ...material, color: WHITE } : material;
      this.#liquids.set(name, { spacing, material: flowing, remains, colors: painted });
    }
    this.#bodies = bodies;
  }

  /** `meshes` is the folder of the scene, when it has moved; for `refine` see `restMesh`. */
  static async open(path: string, options: SourceOptions = {}): Promise<RunSource> {
    const run = await openRun(path, options.meshes);
    return new RunSource(run, options, await Skinner.create({ threads: options.threads ?? 1 }));
  }

  /** Stops the threads, if there are more than one. */
  dispose(): Promise<void> {
    return this.#skinner.dispose();
  }

  /** Numbers of the frames that are there. */
  get frames(): readonly number[] {
    return this.#run.frames;
  }

  get frameRate(): number {
    return this.#run.scene.frameRate;
  }

  get name(): string {
    return this.#run.scene.name;
  }

  /** Finest spacing of particles [m]. */
  get spacing(): number {
    return Math.min(...this.#run.spacings.values());
  }

  /** What frames are seen with. */
  stage(frames: readonly number[]): Stage {
    return new Stage(this.#run, frames);
  }

  /** A frame with its meshes. */
  frame(number: number, surfacer: LiquidSurfacer, fineness: Fineness): ExportFrame {
    const frame = this.#run.readFrame(number);
    return {
      frame: frame.frame,
      time: frame.time,
      points: pointsOf(frame),
      meshes: [...this.#liquidMeshes(frame, surfacer, fineness), ...this.#bodies.flatMap((body) => body.at(frame))],
    };
  }

  /** The surface of every liquid: as the run has kept it, or made now. */
  #liquidMeshes(frame: Frame, surfacer: LiquidSurfacer, fineness: Fineness): ExportMesh[] {
    const kept = this.#run.readSurfaces(frame, fineness);
    const liquids = frame.bodies.flatMap(({ name, begin, end }) => {
      const liquid = this.#liquids.get(name);
      const flowing = liquid?.remains?.flowing(frame);
      return liquid && flowing?.numbers.length !== 0 ? [{ name, begin, end, ...liquid, flowing }] : [];
    });
    const isKept = liquids.every(({ name, remains }) => !remains && kept?.has(name));
    const made = isKept ? [] : liquidSurfaces(frame, liquids, this.#run.scene.obstacles, surfacer, fineness);
    return liquids.map(({ name, material, spacing }, k) => {
      const mesh = made[k] ?? kept!.get(name)!;
      const positions = mesh.positions.slice();
      this.#clearance.push(positions, mesh.normals, { time: frame.time, spacing });
      const { color, ...attributes } = mesh.attributes;
      const colors = color && { colors: withAlpha(color.values) };
      const parts = [{ material, begin: 0, end: mesh.indices.length }];
      return { ...mesh, attributes, ...colors, positions, name, parts };
    });
  }
}

const WHITE = [1, 1, 1] as const;

/** Colours of three numbers with a fourth. */
function withAlpha(colors: Float32Array): Float32Array {
  return Float32Array.from({ length: (4 * colors.length) / 3 }, (_, k) =>
    k % 4 === 3 ? 1 : Math.min(1, Math.max(0, colors[3 * (k >> 2) + (k % 4)]!)),
  );
}

/** A liquid of a colour, which it shows where it is deep. */
function waterOf(color: ExportMaterial['color'], spacing: number): ExportGlass {
  return { ior: WATER, tint: paleShade(color), distance: LIQUID_DEPTH * spacing, opacity: LIQUID_OPACITY };
}

function pick(frame: Frame, numbers: readonly number[]): ExportPoints {
  const attributes: Record<string, ExportAttribute> = {};
  let positions: Float32Array = new Float32Array();
  for (const { name, components, values } of frame.arrays) {
    if (name === 'present') continue;
    const picked: Float32Array = pickValues(values, components, numbers);
    if (name === 'position') positions = picked;
    else attributes[name] = { components, values: picked };
  }
  return { positions, attributes };
}

/** All particles with what the frame knows of them, their speed and the number of their body. */
function pointsOf(frame: Frame): ExportPoints {
  const numbers = presentOf(frame, 0, frame.particles);
  const { positions, attributes } = pick(frame, numbers);
  const body = new Float32Array(numbers.length);
  for (const [k, i] of numbers.entries()) body[k] = frame.bodies.findIndex(({ begin, end }) => i >= begin && i < end);
  const speeds: ExportAttributes = attributes.velocity ? { speed: lengths(attributes.velocity) } : {};
  return { positions, attributes: { ...attributes, ...speeds, body: { components: 1, values: body } } };
}
