/** Draws tiles of a picture by following light, in the compiled loops of assembly/paths.ts. */
import type { Tree } from './bvh.js';
import type { Geometry } from './geometry.js';
import { toLinear } from './picture.js';
import { RayMemory, Rays } from './rays.js';
import type { Texture } from './texture.js';
import type { View } from './view.js';

/**
 * Numbers of a pixel on the film: means of the colour and the variance of its mean; of the first surface's own colour
 * and its distance; of its normal, and the weight of these; how many samples there are and how many there should be.
 */
export const FILM_STRIDE = 16;
export const FILM_VARIANCE = 3;
export const FILM_ALBEDO = 4;
export const FILM_NORMAL = 8;
export const FILM_COUNT = 12;
export const FILM_WANTED = 13;

export interface Tile {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export class PathTracer {
  readonly #view: View;
  readonly #memory: RayMemory;

  constructor(view: View, geometry: Geometry, tree: Tree, memory = new RayMemory()) {
    this.#view = view;
    this.#memory = memory;
    // The tree goes first, and everything else behind it.
    new Rays(geometry, tree, memory);
    const { materialOf, materials, normals, colors, ballColors, uvs } = geometry;
    const at = memory.append([materialOf, materials, normals, colors, ballColors, uvs, viewNumbers(view)]);
    const hasTextures = geometry.textures.length > 0;
    memory.loops.setPrimitives(
      geometry.triangleCount,
      at[0]!,
      at[1]!,
      at[2]!,
      at[3]!,
      at[4]!,
      hasTextures ? at[5]! : 0,
      hasTextures ? putTextures(memory, geometry.textures) : 0,
    );
    memory.loops.setView(at[6]!);
    memory.loops.setMostSamples(view.samples);
  }

  /**
   * Adds samples to the pixels of a tile: `fresh` ones get as many as that says, others as many as are wanted by the
   * film.
   */
  draw({ left, top, right, bottom }: Tile, film: Float32Array, fresh?: number): void {
    const { width } = this.#view;
    const across = FILM_STRIDE * (right - left);
    const address = this.#memory.scratch(4 * across * (bottom - top));
    const rows = new Float32Array(this.#memory.buffer, address, across * (bottom - top));
    const filmRow = (y: number) => FILM_STRIDE * (y * width + left);
    if (fresh === undefined) {
      for (let y = top; y < bottom; y++) rows.set(film.subarray(filmRow(y), filmRow(y) + across), across * (y - top));
    } else {
      rows.fill(0);
      for (let i = FILM_WANTED; i < rows.length; i += FILM_STRIDE) rows[i] = fresh;
    }
    this.#memory.loops.drawTile(left, top, right, bottom, address);
    for (let y = top; y < bottom; y++) film.set(rows.subarray(across * (y - top), across * (y - top + 1)), filmRow(y));
  }

  /** Draws one pixel with all its samples. */
  pixel(x: number, y: number, film: Float32Array): void {
    this.draw({ left: x, top: y, right: x + 1, bottom: y + 1 }, film, this.#view.samples);
  }
}

/** In the order of assembly/scene.ts. */
function viewNumbers({ width, height, camera, lighting, ground, offset }: View): Float64Array {
  const { keyDirection: k, keyRadius, key, zenith, horizon, nadir, backdropTop, backdropHorizon } = lighting;
  const cosine = Math.cos(keyRadius);
  // An irradiance of pi E from the disc, seen straight on.
  const radiance = key.map((c) => c / (2 * (1 - cosine)));
  const { origin, forward, right, up, tangent } = camera;
  const { floors, color, grid, center, fadeFrom, fadeTo } = ground;
  const hasKey = key[0] + key[1] + key[2] > 0 ? 1 : 0;
  return Float64Array.of(
    ...[width, height, tangent, offset, cosine, hasKey, grid, fadeFrom, fadeTo, floors.length],
    ...[...origin, ...forward, ...right, ...up],
    ...[...zenith, ...horizon, ...nadir, ...backdropTop, ...backdropHorizon],
    ...[...k, ...tangents(...k).flat(), ...key, ...radiance],
    ...[...color, ...center],
    ...floors.flatMap(({ point, normal }) => [...point, ...normal]),
  );
}

/** Two unit vectors across a third one. */
function tangents(x: number, y: number, z: number): [number, number, number][] {
  const sign = z < 0 ? -1 : 1;
  const a = -1 / (sign + z);
  const b = x * y * a;
  return [
    [1 + sign * x * x * a, sign * b, -sign * x],
    [b, sign + y * y * a, -y],
  ];
}

const LINEAR = Float32Array.from({ length: 256 }, (_, byte) => toLinear(byte / 255));
const WRAPS = ['repeat', 'clamp', 'mirror'] as const;

/** The table of textures: linear light of every byte, then for each its size, where its bytes are, and how it repeats. */
function putTextures(memory: RayMemory, textures: readonly Texture[]): number {
  const pixels = memory.append(textures.map((texture) => texture.pixels));
  const table = new Int32Array(LINEAR.length + 5 * textures.length);
  table.set(new Int32Array(LINEAR.buffer));
  textures.forEach(({ width, height, wrap }, i) => {
    const numbers = [width, height, pixels[i]!, ...wrap.map((how) => WRAPS.indexOf(how))];
    table.set(numbers, LINEAR.length + 5 * i);
  });
  return memory.append([table])[0]!;
}
