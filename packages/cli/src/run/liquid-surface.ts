/** The surfaces of the liquids of a frame. */
import {
  type DescribedObstacle,
  type FlowingParticles,
  type LiquidSurfacer,
  obstaclePlane,
  type SurfaceMesh,
  type SurfaceParticles,
} from 'phyxel';
import type { Frame } from './frame-file.js';

/** Size of the cells, and how far surfaces may be off where they are flat, in spacings: 0.5 and 0 when left out. */
export interface Fineness {
  readonly cell?: number | undefined;
  readonly tolerance?: number | undefined;
}

export const FINENESS = { cell: 0.5, tolerance: 0 } as const;

/** A liquid's particles in the frames. */
export interface LiquidRange {
  readonly begin: number;
  readonly end: number;
  /** [m] */
  readonly spacing: number;
  /** Of a body that is liquid only in part: its particles, counted from `begin`. */
  readonly flowing?: FlowingParticles | undefined;
  /** Colours of its particles, three numbers each, linear. */
  readonly colors?: Float32Array | undefined;
}

/** What is known on a surface. */
const CARRIED = ['velocity', 'temperature'];

/** One for each liquid; those of liquids that touch meet, and all lie on the planes among the obstacles. */
export function liquidSurfaces(
  frame: Frame,
  liquids: readonly LiquidRange[],
  obstacles: readonly DescribedObstacle[],
  surfacer: LiquidSurfacer,
  { cell = FINENESS.cell, tolerance = FINENESS.tolerance }: Fineness,
): SurfaceMesh[] {
  return surfacer.surfaces(
    liquids.map((liquid) => particlesOf(frame, liquid)),
    { cell, tolerance, walls: obstacles.flatMap((obstacle) => obstaclePlane(obstacle, frame.time) ?? []) },
  );
}

function particlesOf(frame: Frame, { begin, end, spacing, flowing, colors }: LiquidRange): SurfaceParticles {
  const numbers = flowing?.numbers.map((i) => begin + i) ?? presentOf(frame, begin, end);
  const array = (name: string) => frame.arrays.find((candidate) => candidate.name === name);
  const picked = (name: string) => {
    const { components, values } = array(name)!;
    return { components, values: pickValues(values, components, numbers) };
  };
  const carried = CARRIED.filter((name) => array(name)).map((name) => [name, picked(name)] as const);
  const own = numbers.map((i) => i - begin);
  const painted = colors && { color: { components: 3, values: pickValues(colors, 3, own) } };
  const positions = flowing?.positions ?? picked('position').values;
  return { positions, spacing, attributes: { ...Object.fromEntries(carried), ...painted } };
}

/** Particles of a range that are in the world: sources keep slots for those to come. */
export function presentOf(frame: Frame, begin: number, end: number): number[] {
  const present = frame.arrays.find(({ name }) => name === 'present')?.values;
  const numbers: number[] = [];
  for (let i = begin; i < end; i++) if (!present || present[i] === 1) numbers.push(i);
  return numbers;
}

export function pickValues(values: Float32Array, components: number, numbers: readonly number[]): Float32Array {
  const picked = new Float32Array(components * numbers.length);
  for (const [k, i] of numbers.entries()) {
    for (let c = 0; c < components; c++) picked[k * components + c] = values[i * components + c]!;
  }
  return picked;
}
