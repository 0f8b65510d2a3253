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
  const v = Math.min(1, Math.max(0, value));
  return Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055));
}

/** A byte of sRGB, or a share of one in [0, 1], to linear light. */
export function toLinear(share: number): number {
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
