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
}

export const COLORING_FRAGMENT = /* glsl */ `
uniform sampler2D phyxelColorMap;
uniform vec2 phyxelRange;
varying float vPhyxelValue;
`;

/** Goes after three's own colours of the fragment. */
export const COLORING = /* glsl */ `
if (phyxelRange.y > 0.0) {
  diffuseColor.rgb = texture2D(phyxelColorMap, vec2((vPhyxelValue - phyxelRange.x) * phyxelRange.y * 0.996 + 0.002, 0.5)).rgb;
}
`;
