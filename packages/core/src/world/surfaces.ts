/** Surfaces of points that belong to a world's bodies: they are saved with it, and go on with it. */
import { add, transform } from '../math/matrix3.js';
import type { Engine } from '../memory/engine.js';
import type { Vec3 } from '../options/types.js';
import { PointSurface, type PointSurfaceOptions, type PointSurfaceReport } from '../surface/points/point-surface.js';
import { movePoints } from '../surface/rigid-pose.js';
import { bodyPose, shapeMesh } from '../surface/shape-mesh.js';
import { type SurfelSamples, sampleSurfels } from '../surface/surfel-sampling.js';
import { SurfelCloud, type SurfelReport } from '../surface/surfels.js';
import type { BodyRecord } from './model.js';

export interface SurfelOptions {
  /** Distance of surfels [m]; half of that of the particles when left out. */
  readonly spacing?: number;
}

/** Surfels of a body of a world. */
export interface BodySurfels {
  readonly cloud: SurfelCloud;
  /** Moves them to where the body is now. */
  update(): SurfelReport;
}

/** The point surface of a body of a world. */
export interface BodyPoints {
  readonly surface: PointSurface;
  /** Moves it to where the particles are now; `liquid` tells how liquid each is, 0 to 1. */
  update(liquid?: ArrayLike<number>): PointSurfaceReport;
}

/** A surface in a save: what it is of, and its state. */
export interface SavedSurface {
  readonly name: string;
  readonly arrays: readonly Float32Array[];
}

type Positions = () => Float32Array;

export class WorldSurfaces {
  readonly #surfels = new Map<string, { readonly own: BodySurfels; readonly samples: SurfelSamples }>();
  readonly #points = new Map<string, BodyPoints>();
  /** Of a save, until they are asked for. */
  readonly #waiting = new Map<string, readonly Float32Array[]>();

  /** Surfels of a body, the same ones every time; `positions` tells where its particles are. */
  surfels(engine: Engine, body: BodyRecord, options: SurfelOptions, positions: Positions): BodySurfels {
    const { name } = body.options;
    const known = this.#surfels.get(name);
    if (known) return known.own;
    const saved = this.#take(`surfels ${name}`);
    const samples = saved ? fromArrays(saved) : sampleSurfels(placedMesh(body), options.spacing ?? half(body));
    const cloud = new SurfelCloud(engine, positionsAtStart(body), samples, {
      ends: body.samples.parts,
      spacing: body.samples.rest[3]!,
    });
    if (saved) cloud.restore({ parents: saved[0]!, parts: saved[1]! });
    const own = { cloud, update: () => cloud.update(positions()) };
    this.#surfels.set(name, { own, samples });
    return own;
  }

  points(
    engine: Engine,
    body: BodyRecord,
    options: Omit<PointSurfaceOptions, 'spacing'>,
    positions: Positions,
  ): BodyPoints {
    const { name } = body.options;
    const known = this.#points.get(name);
    if (known) return known;
    const surface = new PointSurface(engine, { ...options, spacing: body.samples.rest[3]! });
    const saved = this.#take(`points ${name}`);
    if (saved) surface.restore(saved);
    const own: BodyPoints = {
      surface,
      update: (liquid) => surface.update(liquid ? { positions: positions(), liquid } : { positions: positions() }),
    };
    this.#points.set(name, own);
    return own;
  }

  /** Surfels of a body that has none any more. */
  forget(body: string): void {
    this.#surfels.delete(body);
    this.#take(`surfels ${body}`);
  }

  save(): SavedSurface[] {
    const saved: SavedSurface[] = [];
    for (const [name, arrays] of this.#waiting) saved.push({ name, arrays });
    for (const [name, { own, samples }] of this.#surfels) {
      const { parents, parts } = own.cloud.save();
      saved.push({ name: `surfels ${name}`, arrays: [parents, parts, ...toArrays(samples)] });
    }
    for (const [name, { surface }] of this.#points) saved.push({ name: `points ${name}`, arrays: surface.save() });
    return saved;
  }

  load(saved: readonly SavedSurface[]): void {
    for (const { name, arrays } of saved) this.#waiting.set(name, arrays);
  }

  #take(name: string): readonly Float32Array[] | undefined {
    const arrays = this.#waiting.get(name);
    this.#waiting.delete(name);
    return arrays;
  }
}

const NONE = new Float32Array();

function toArrays({ positions, axes, areas, uvs, uvSlopes, colors }: SurfelSamples): Float32Array[] {
  return [positions, axes, areas, uvs ?? NONE, uvSlopes ?? NONE, colors ?? NONE];
}

/** After the two arrays of the cloud's state. */
function fromArrays(arrays: readonly Float32Array[]): SurfelSamples {
  const [positions, axes, areas, uvs, uvSlopes, colors] = arrays.slice(2) as [
    ...[Float32Array, Float32Array, Float32Array],
    ...[Float32Array, Float32Array, Float32Array],
  ];
  return {
    count: areas.length,
    positions,
    axes,
    areas,
    ...(uvs.length > 0 && { uvs, uvSlopes }),
    ...(colors.length > 0 && { colors }),
  };
}

function half({ samples }: BodyRecord): number {
  return samples.rest[3]! / 2;
}

/** The body's mesh where it stood at time 0; normals of its file would have to turn with it, and are made anew. */
function placedMesh({ options, samples }: BodyRecord) {
  const mesh = shapeMesh(options.shape, samples.rest[3]! / 2);
  const positions = new Float64Array(mesh.positions.length);
  movePoints(bodyPose(options), mesh.positions, positions);
  const { normals: _, ...finish } = mesh.finish ?? {};
  return { positions, triangles: mesh.triangles, finish };
}

function positionsAtStart({ samples, initial }: BodyRecord): Float64Array {
  const out = new Float64Array(3 * samples.count);
  for (let i = 0; i < samples.count; i++) {
    const rest: Vec3 = [samples.rest[4 * i]!, samples.rest[4 * i + 1]!, samples.rest[4 * i + 2]!];
    out.set(add(transform(initial.rotation, rest), initial.origin), 3 * i);
  }
  return out;
}
