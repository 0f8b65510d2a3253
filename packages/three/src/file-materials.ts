/** Materials as the file of a mesh describes them: what three's GLTFLoader makes of the same file. */
import type { MeshMaterial, MeshTexture, TextureWrap } from 'phyxel/browser';
import {
  ClampToEdgeWrapping,
  Color,
  DataTexture,
  DoubleSide,
  LinearFilter,
  LinearMipmapLinearFilter,
  MeshPhysicalMaterial,
  MeshStandardMaterial,
  MirroredRepeatWrapping,
  NoColorSpace,
  RepeatWrapping,
  SRGBColorSpace,
  Texture,
} from 'three';

const WRAPS: Readonly<Record<TextureWrap, typeof RepeatWrapping | typeof ClampToEdgeWrapping>> = {
  repeat: RepeatWrapping,
  clamp: ClampToEdgeWrapping,
  mirror: MirroredRepeatWrapping as typeof RepeatWrapping,
};
/** Of files that do not say. */
const ROUGHNESS = 0.65;

type Slot = 'map' | 'normalMap' | 'aoMap' | 'emissiveMap' | 'metalnessMap' | 'roughnessMap';

/** Makes them, each picture once; `onLoad` is called when a picture has been decoded. */
export class FileMaterials {
  readonly #pictures = new Map<MeshTexture, Promise<ImageBitmap | undefined>>();
  readonly #textures: Texture[] = [];
  readonly #onLoad: () => void;
  /** Until pictures are decoded, so that nothing is compiled twice. */
  readonly #white = texel(255, 255, 255);
  readonly #flat = texel(128, 128, 255);
  #isDisposed = false;
  #loading = 0;

  constructor(onLoad: () => void = () => {}) {
    this.#onLoad = onLoad;
  }

  /** Are all pictures there? */
  get isReady(): boolean {
    return this.#loading === 0;
  }

  /** With `hasColors` the vertices have colours, which multiply those of the material. */
  make(own: MeshMaterial, hasColors: boolean): MeshStandardMaterial {
    const { transmission = 0, alphaMode = 'opaque', normalScale = 1 } = own;
    const material =
      transmission > 0 ? new MeshPhysicalMaterial({ transmission, ior: own.ior ?? 1.5 }) : new MeshStandardMaterial();
    material.name = own.name;
    material.color = new Color(...(own.color ?? [1, 1, 1]));
    material.roughness = own.roughness ?? ROUGHNESS;
    material.metalness = own.metalness ?? 0;
    material.vertexColors = hasColors;
    if (own.isDoubleSided) material.side = DoubleSide;
    if (own.emissive) material.emissive = new Color(...own.emissive);
    if (alphaMode !== 'opaque') material.opacity = own.opacity ?? 1;
    if (alphaMode === 'mask') material.alphaTest = own.alphaCutoff ?? 0.5;
    if (alphaMode === 'blend') {
      material.transparent = true;
      material.depthWrite = false;
    }
    material.normalScale.setScalar(normalScale);
    material.aoMapIntensity = own.occlusionStrength ?? 1;
    this.#dress(material, ['map'], own.texture, true);
    this.#dress(material, ['emissiveMap'], own.emissiveTexture, true);
    this.#dress(material, ['normalMap'], own.normalTexture, false);
    this.#dress(material, ['aoMap'], own.occlusionTexture, false);
    this.#dress(material, ['metalnessMap', 'roughnessMap'], own.metalnessRoughnessTexture, false);
    return material;
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const texture of [this.#white, this.#flat, ...this.#textures]) texture.dispose();
  }

  /** Puts a picture into slots of a material, now a single texel, and itself when it has been decoded. */
  #dress(material: MeshStandardMaterial, slots: readonly Slot[], picture: MeshTexture | undefined, isColor: boolean) {
    if (!picture) return;
    const before = slots[0] === 'normalMap' ? this.#flat : this.#white;
    for (const slot of slots) material[slot] = before;
    this.#loading++;
    void this.#decode(picture).then((image) => {
      this.#loading--;
      if (this.#isDisposed) return;
      const texture = image && this.#texture(image, picture, isColor);
      // Somebody may have put another one there.
      for (const slot of slots) if (texture && material[slot] === before) material[slot] = texture;
      this.#onLoad();
    });
  }

  #texture(image: ImageBitmap, { wrap }: MeshTexture, isColor: boolean): Texture {
    const texture = new Texture(image);
    // Texture coordinates begin at the bottom left, and the picture was turned when it was decoded.
    texture.flipY = false;
    texture.colorSpace = isColor ? SRGBColorSpace : NoColorSpace;
    [texture.wrapS, texture.wrapT] = [WRAPS[wrap[0]], WRAPS[wrap[1]]];
    texture.minFilter = LinearMipmapLinearFilter;
    texture.magFilter = LinearFilter;
    texture.needsUpdate = true;
    this.#textures.push(texture);
    return texture;
  }

  /** A picture that cannot be decoded is left out; so are all where there is nothing that decodes. */
  #decode(picture: MeshTexture): Promise<ImageBitmap | undefined> {
    const known = this.#pictures.get(picture);
    if (known) return known;
    const decoded =
      typeof createImageBitmap === 'undefined'
        ? Promise.resolve(undefined)
        : createImageBitmap(new Blob([picture.bytes as Uint8Array<ArrayBuffer>], { type: picture.type }), {
            imageOrientation: 'flipY',
            premultiplyAlpha: 'none',
            colorSpaceConversion: 'none',
          }).catch(() => undefined);
    this.#pictures.set(picture, decoded);
    return decoded;
  }
}

function texel(r: number, g: number, b: number): DataTexture {
  const texture = new DataTexture(Uint8Array.of(r, g, b, 255), 1, 1);
  texture.needsUpdate = true;
  return texture;
}
