/** The finished frames of a run folder, with the meshes that are made of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LiquidSurfacer, Scene } from 'phyxel';
import { CommandError, EXIT } from '../errors.js';
import { RunFolder } from '../run/folder.js';
import { decodeFrame, type Frame } from '../run/frame-file.js';
import type { ExportAttribute, ExportAttributes, ExportFrame, ExportMesh, ExportPoints } from './geometry.js';

/** A body of the run: particles [begin, end) of its frames. */
interface RunBody {
  readonly name: string;
  readonly isLiquid: boolean;
  /** [m] */
  readonly spacing: number;
}

const FRAME_FILE = /^frame-(\d{6,})\.phx$/;

/**
 * A run, as far as it has come: frames are written whole or not at all, so those of a run that is still going
 * on, or was interrupted, can be read like those of a finished one.
 */
export class RunSource {
  readonly #folder: RunFolder;
  readonly #bodies: ReadonlyMap<string, RunBody>;
  /** Numbers of the frames that are there. */
  readonly frames: readonly number[];
  readonly frameRate: number;
  readonly name: string;

  constructor(path: string) {
    this.#folder = new RunFolder(path);
    if (!existsSync(path)) throw new CommandError(`${path}: there is no such folder`, EXIT.badInput);
    if (!this.#folder.isRun()) throw new CommandError(`${path} is not a run folder of phyxel run`, EXIT.badInput);
    const scene = this.#read('scene.json') as Pick<Scene, 'name' | 'frameRate' | 'bodies' | 'emitters'>;
    const run = this.#read('run.json') as { bodies: readonly { name: string; spacing: number }[] };
    const liquids = new Set([
      ...scene.bodies.filter(({ kind }) => kind === 'fluid').map(({ name }) => name),
      ...scene.emitters.map(({ name }) => name),
    ]);
    this.#bodies = new Map(
      run.bodies.map(({ name, spacing }) => [name, { name, spacing, isLiquid: liquids.has(name) }]),
    );
    this.frameRate = scene.frameRate;
    this.name = scene.name;
    this.frames = this.#listFrames(path);
  }

  /** Are there bodies with triangles to show? */
  get hasMeshes(): boolean {
    return [...this.#bodies.values()].some(({ isLiquid }) => isLiquid);
  }

  /** Finest spacing of particles [m]. */
  get spacing(): number {
    return Math.min(...[...this.#bodies.values()].map(({ spacing }) => spacing));
  }

  #read(name: string): unknown {
    const path = this.#folder.file(name);
    try {
      return JSON.parse(readFileSync(path, 'utf8'));
    } catch (error) {
      throw new CommandError(`${path}: cannot be read: ${(error as Error).message}`, EXIT.badInput);
    }
  }

  #listFrames(path: string): number[] {
    const folder = join(path, 'frames');
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const numbers = names.flatMap((name) => {
      const number = FRAME_FILE.exec(name)?.[1];
      return number === undefined ? [] : [Number(number)];
    });
    if (numbers.length === 0) throw new CommandError(`${path} has no finished frames yet`, EXIT.badInput);
    return numbers.sort((a, b) => a - b);
  }

  /** A frame with its meshes; `cell` is the size of the surface's cells in spacings. */
  frame(number: number, surfacer: LiquidSurfacer, cell: number): ExportFrame {
    const path = this.#folder.frameFile(number);
    const frame = decodeFrame(readFileSync(path), path);
    return {
      frame: frame.frame,
      time: frame.time,
      points: pointsOf(frame),
      meshes: [...this.#liquidMeshes(frame, surfacer, cell), ...this.#bodyMeshes()],
    };
  }

  /** The surface of every liquid. */
  #liquidMeshes(frame: Frame, surfacer: LiquidSurfacer, cell: number): ExportMesh[] {
    return frame.bodies.flatMap(({ name, begin, end }) => {
      const body = this.#bodies.get(name);
      if (!body?.isLiquid) return [];
      const { positions, attributes } = pick(frame, presentOf(frame, begin, end));
      const { velocity, temperature } = attributes;
      const carried = { ...(velocity && { velocity }), ...(temperature && { temperature }) };
      const mesh = surfacer.surface({ positions, spacing: body.spacing, attributes: carried }, { cell });
      return [{ name, ...mesh }];
    });
  }

  /** The meshes that solid and rigid bodies were given, as the particles have deformed them: none as yet. */
  #bodyMeshes(): ExportMesh[] {
    return [];
  }
}

function arrayOf(frame: Frame, name: string) {
  return frame.arrays.find((array) => array.name === name);
}

/** Particles of a range that are in the world: sources keep places for those to come. */
function presentOf(frame: Frame, begin: number, end: number): number[] {
  const present = arrayOf(frame, 'present')?.values;
  const numbers: number[] = [];
  for (let i = begin; i < end; i++) if (!present || present[i] === 1) numbers.push(i);
  return numbers;
}

function pick(frame: Frame, numbers: readonly number[]): ExportPoints {
  const attributes: Record<string, ExportAttribute> = {};
  let positions = new Float32Array();
  for (const { name, components, values } of frame.arrays) {
    if (name === 'present') continue;
    const picked = new Float32Array(components * numbers.length);
    for (const [k, i] of numbers.entries()) {
      for (let c = 0; c < components; c++) picked[k * components + c] = values[i * components + c]!;
    }
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

function lengths({ values }: ExportAttribute): ExportAttribute {
  const speed = new Float32Array(values.length / 3);
  for (let i = 0; i < speed.length; i++) {
    speed[i] = Math.sqrt(values[3 * i]! ** 2 + values[3 * i + 1]! ** 2 + values[3 * i + 2]! ** 2);
  }
  return { components: 1, values: speed };
}
