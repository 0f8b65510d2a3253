/** Pictures of 8 bits per colour, in sRGB. */

export interface Raster {
  readonly width: number;
  readonly height: number;
}

/** Red, green and blue bytes, row by row from the top. */
export interface Picture extends Raster {
  readonly pixels: Uint8Array;
}

/** Linear light in [0, 1] to a byte of sRGB. */
export function toByte(value: number): number {
  return Math.round(255 * toScreen(Math.min(1, Math.max(0, value))));
}

/** Linear light to a share of sRGB. */
export function toScreen(c: number): number {
  return c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
}

/** A byte of sRGB, or a share of one in [0, 1], to linear light. */
export function toLinear(share: number): number {
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
