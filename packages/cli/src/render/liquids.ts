/** All that flows in a picture: surfaces of liquids that touch meet, so they are made together. */
import {
  type FlowingParticles,
  type ObstacleOptions,
  obstaclePlane,
  obstaclePose,
  type PlaneAt,
  type Pose,
} from 'phyxel';
import type { Frame } from '../run/frame-file.js';
import { pickValues, presentOf } from '../run/liquid-surface.js';
import { type Actor, type Obstacle, type Particles, positionsOf, scaleColors, valuesOf } from './actors.js';
import type { BallsPart, MeshPart } from './geometry.js';
import { type Liquid, type LiquidSurface, liquidBalls, type Surfacer, sinkIntoWalls } from './liquid.js';
import { Vessel } from './vessel.js';

/** By how much liquids count less for those behind them: they overlap by about a third of a spacing. */
const OVERLAP = 0.6;

const AT_REST: Pose = { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], origin: [0, 0, 0] };

/** Bodies and sources that look alike: what touches is one drop. */
export interface DrawnLiquid {
  readonly parts: Particles[];
  readonly material: number;
  /** The surface that the run has kept of a frame, if it has. */
  readonly kept: ((frame: Frame) => LiquidSurface | undefined) | undefined;
}

export class LiquidsActor implements Actor {
  /** Those that hide what is behind them first, then by the rank of their materials. */
  readonly liquids: DrawnLiquid[] = [];

  constructor(
    readonly surfacer: Surfacer | undefined,
    readonly obstacles: readonly ObstacleOptions[],
    /** What has a form and is no body. */
    readonly touched: readonly Obstacle[],
  ) {}

  /** After all bodies, whose meshes the liquids lie along. */
  add(frame: Frame, meshes: MeshPart[], balls: BallsPart[]): void {
    const shown = this.liquids.map((liquid) => ({ ...liquid, particles: particlesOf(frame, liquid.parts) }));
    const there = shown.filter(({ particles }) => particles.positions.length > 0);
    if (!this.surfacer) {
      for (const { particles, material, parts } of there) {
        const { value, color } = particles.attributes ?? {};
        balls.push(liquidBalls(particles, material, colorsOf(parts[0]!, (value ?? color)?.values)));
      }
      return;
    }
    const bodies = this.liquids.length > 0 ? this.#bodies(meshes) : [];
    const planes = this.obstacles.flatMap((obstacle) => obstaclePlane(obstacle, frame.time) ?? []);
    for (const [k, surface] of this.#surfaces(frame, there, planes).entries()) {
      const { parts, material } = there[k]!;
      const [first] = parts as [Particles];
      let mesh = sinkIntoWalls(surface, planes, first.spacing);
      for (const { vessel, obstacle } of this.touched) {
        mesh = vessel.lay(mesh, obstaclePose(obstacle, frame.time), first.spacing);
      }
      for (const body of bodies) mesh = body.lay(mesh, AT_REST, first.spacing);
      const color = colorsOf(first, mesh.attributes.value?.values ?? mesh.attributes.color?.values);
      meshes.push({
        positions: mesh.positions,
        normals: mesh.normals,
        triangles: mesh.indices,
        material,
        color,
        flowing: parts,
      });
    }
  }

  /** The meshes of bodies, as they are now. */
  #bodies(meshes: readonly MeshPart[]): Vessel[] {
    return meshes
      .filter(({ isBody }) => isBody)
      .map(({ positions, triangles }) => {
        const mesh = { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
        return new Vessel(mesh, false);
      });
  }

  /** Kept surfaces meet, but do not overlap: they serve where there is one liquid. */
  #surfaces(
    frame: Frame,
    shown: readonly (DrawnLiquid & { readonly particles: Liquid })[],
    walls: readonly PlaneAt[],
  ): readonly LiquidSurface[] {
    const [only] = shown;
    const kept = shown.length === 1 && only!.parts.length === 1 ? only!.kept?.(frame) : undefined;
    if (kept && !only!.parts[0]!.scale) return [kept];
    return this.surfacer!.surfaces(
      shown.map(({ particles }) => particles),
      { overlap: OVERLAP, walls },
    );
  }
}

/** Those that are in the world, with the values that give them their colours, or with colours of their own. */
function particlesOf(frame: Frame, parts: readonly Particles[]): Liquid {
  const positions: number[] = [];
  const values: number[] = [];
  const [{ spacing, scale, colors }] = parts as [Particles];
  for (const part of parts) {
    const own = part.scale && valuesOf(frame, part);
    const { numbers, positions: points } = part.flowing?.(frame) ?? presentIn(frame, part);
    for (const x of points) positions.push(x);
    for (const i of numbers) {
      if (own) values.push(own[i]!);
      else if (part.colors) values.push(...part.colors.subarray(3 * i, 3 * i + 3));
    }
  }
  const known = Float32Array.from(values);
  const attributes = scale
    ? { value: { components: 1, values: known } }
    : colors && { color: { components: 3, values: known } };
  return { positions: Float32Array.from(positions), spacing, attributes: attributes ?? {} };
}

function presentIn(frame: Frame, part: Particles): FlowingParticles {
  const numbers = presentOf(frame, part.begin, part.end).map((number) => number - part.begin);
  return { numbers, positions: pickValues(positionsOf(frame, part), 3, numbers) };
}

function colorsOf({ scale, color, colors }: Particles, values: Float32Array | undefined) {
  if (!values) return color;
  return scale ? scaleColors(values, scale) : colors ? values : color;
}
