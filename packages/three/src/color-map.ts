import { mapColor } from 'phyxel/browser';
import { DataTexture, LinearFilter, RGBAFormat, SRGBColorSpace } from 'three';

const STEPS = 256;

/** The map of colours as a strip of texels; the same as in pictures that the command renders. */
export function colorMapTexture(): DataTexture {
  const bytes = new Uint8Array(4 * STEPS);
  for (let i = 0; i < STEPS; i++) {
    const color = mapColor(i / (STEPS - 1));
    for (let k = 0; k < 3; k++) bytes[4 * i + k] = Math.round(255 * encode(color[k]!));
    bytes[4 * i + 3] = 255;
  }
  const texture = new DataTexture(bytes, STEPS, 1, RGBAFormat);
  texture.colorSpace = SRGBColorSpace;
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

/** A colour of the map as CSS writes it. */
export function colorMapCss(share: number): string {
  const [r, g, b] = mapColor(share).map((x) => Math.round(255 * encode(x)));
  return `rgb(${r} ${g} ${b})`;
}

/** Linear light to sRGB. */
function encode(x: number): number {
  return x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055;
}

export interface ColoringUniforms {
  readonly phyxelColorMap: { value: DataTexture };
  /** Lowest value and one over the width of the range; the width is 0 for the material's own colour. */
  readonly phyxelRange: { value: [number, number] };
  /** 1 where the range is one of logarithms to the base 2. */
  readonly phyxelLogarithmic: { value: number };
}

export type ColorScale = 'linear' | 'logarithmic';
/** Decades that a logarithmic map spans at the most: zero has no logarithm. */
const DECADES = 4;

/** The range that colours can stand for: where logarithms are taken both ends are positive. */
export function usableRange([low, high]: readonly [number, number], scale: ColorScale): readonly [number, number] {
  if (scale === 'linear') return [low, high];
  const top = high > 0 ? high : 1;
  return [low > 0 && low < top ? low : top * 10 ** -DECADES, top];
}

/** Where values stand on the map, 0 to 1: lowest value and one over the width, of logarithms if those are asked for. */
export function rangeUniform(range: readonly [number, number], scale: ColorScale): [number, number] {
  const [low, high] = scale === 'linear' ? range : range.map(Math.log2);
  return [low!, high! > low! ? 1 / (high! - low!) : 1e-9];
}

/** Where a value stands on the map of colours, as the shaders say. */
export function colorShare(value: number, [low, inverse]: readonly [number, number], scale: ColorScale): number {
  return ((scale === 'linear' ? value : Math.log2(Math.max(value, 1e-30))) - low) * inverse;
}

export const COLORING_FRAGMENT = /* glsl */ `
uniform sampler2D phyxelColorMap;
uniform vec2 phyxelRange;
uniform float phyxelLogarithmic;
varying float vPhyxelValue;
`;

/** Goes after three's own colours of the fragment. */
export const COLORING = /* glsl */ `
if (phyxelRange.y > 0.0) {
  float phyxelLevel = phyxelLogarithmic > 0.5 ? log2(max(vPhyxelValue, 1e-30)) : vPhyxelValue;
  diffuseColor.rgb = texture2D(phyxelColorMap, vec2((phyxelLevel - phyxelRange.x) * phyxelRange.y * 0.996 + 0.002, 0.5)).rgb;
}
`;

/** Colours of a quantity are seen as they are: they neither shine by themselves nor like metal. */
export const COLORING_METALNESS = /* glsl */ `
if (phyxelRange.y > 0.0) metalnessFactor = 0.0;
`;
export const COLORING_EMISSION = /* glsl */ `
if (phyxelRange.y > 0.0) totalEmissiveRadiance = vec3(0.0);
`;
