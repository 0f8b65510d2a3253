import type { WorldFrame } from 'phyxel/browser';
import { ClampToEdgeWrapping, DataTexture, FloatType, NearestFilter, RGBAFormat } from 'three';

/** Texels in a row of the textures; a multiple of three, so that the rows of an affine map stay together. */
const TEXTURE_WIDTH = 1536;

/** Everything of a frame that shaders look up: what is uploaded, and all that is. */
export class ParticleTextures {
  /** x, y, z and the value of a quantity: a texel per particle. */
  readonly particles: DataTexture;
  /** The rows of the affine map: three texels per particle of bodies that are not liquid. */
  readonly affines: DataTexture;

  constructor(particleCount: number, affineCount: number) {
    this.particles = floatTexture(particleCount);
    this.affines = floatTexture(3 * affineCount);
  }

  /** Bytes that a frame uploads. */
  get uploadBytes(): number {
    return bytesOf(this.particles) + bytesOf(this.affines);
  }

  update({ particles, affines }: WorldFrame): void {
    write(this.particles, particles);
    write(this.affines, affines);
  }

  dispose(): void {
    this.particles.dispose();
    this.affines.dispose();
  }
}

function floatTexture(texels: number): DataTexture {
  const height = Math.max(1, Math.ceil(texels / TEXTURE_WIDTH));
  const width = Math.min(TEXTURE_WIDTH, Math.max(3, texels));
  const texture = new DataTexture(new Float32Array(4 * width * height), width, height, RGBAFormat, FloatType);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.wrapS = texture.wrapT = ClampToEdgeWrapping;
  texture.generateMipmaps = false;
  return texture;
}

function write(texture: DataTexture, values: Float32Array): void {
  (texture.image.data as Float32Array).set(values);
  texture.needsUpdate = true;
}

function bytesOf({ image }: DataTexture): number {
  return (image.data as Float32Array).byteLength;
}

/** GLSL that finds texel number `i` of such a texture. */
export const FETCH = /* glsl */ `
vec4 phyxelFetch(highp sampler2D map, int i) {
  int width = textureSize(map, 0).x;
  return texelFetch(map, ivec2(i % width, i / width), 0);
}
`;
