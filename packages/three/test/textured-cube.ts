/** A cube of binary glTF with a material for each pair of its sides, which use all that materials have. */
import { encodePng } from '../../cli/src/render/png.js';

const picture = (width: number, height: number, ...texels: number[][]) =>
  encodePng({ width, height, pixels: Uint8Array.from(texels.flat()) });

const [red, green, blue, yellow] = [
  [220, 30, 30],
  [30, 200, 40],
  [40, 60, 230],
  [230, 220, 40],
] as const;

/** Of its base colour: red and green above blue and yellow. */
const COLORS = picture(2, 2, [...red], [...green], [...blue], [...yellow]);
/** Normals that lean to the right, and up. */
const NORMALS = picture(1, 2, [200, 128, 200], [128, 200, 200]);
/** Roughness in green and metalness in blue. */
const SURFACE = picture(2, 1, [255, 60, 255], [255, 230, 0]);
const GLOW = picture(1, 2, [255, 255, 255], [0, 0, 0]);

/** Sides of length `size` around the origin. */
export function texturedCube(size: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  const bufferViews: object[] = [];
  let length = 0;
  const view = (bytes: Uint8Array) => {
    bufferViews.push({ buffer: 0, byteOffset: length, byteLength: bytes.length });
    const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
    padded.set(bytes);
    chunks.push(padded);
    length += padded.length;
    return bufferViews.length - 1;
  };
  const accessors: object[] = [];
  const add = (values: number[], width: number, more: object = {}) => {
    const array = width === 1 ? Uint16Array.from(values) : Float32Array.from(values);
    accessors.push({
      bufferView: view(new Uint8Array(array.buffer)),
      componentType: width === 1 ? 5123 : 5126,
      type: width === 1 ? 'SCALAR' : `VEC${width}`,
      count: values.length / width,
      ...more,
    });
    return accessors.length - 1;
  };
  const h = size / 2;
  const primitives = [0, 1, 2].map((axis) => {
    const data = { positions: [] as number[], normals: [] as number[], uvs: [] as number[], colors: [] as number[] };
    const indices: number[] = [];
    for (const side of [-1, 1]) {
      const first = data.positions.length / 3;
      const up = axis === 1 ? 2 : 1;
      const across = 3 - axis - up;
      const isRightHanded = (up - across + 3) % 3 === 1 && (axis - up + 3) % 3 === 1;
      for (const [u, v] of [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ] as const) {
        const p = [0, 0, 0];
        p[axis] = side * h;
        p[across] = (2 * u - 1) * h * (isRightHanded ? side : -side);
        p[up] = (2 * v - 1) * h;
        data.positions.push(...p);
        const n = [0, 0, 0];
        n[axis] = side;
        data.normals.push(...n);
        data.uvs.push(u, 1 - v);
        data.colors.push(1, v, u, 1);
      }
      indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
    }
    const bounds = { min: [-h, -h, -h], max: [h, h, h] };
    return {
      attributes: {
        POSITION: add(data.positions, 3, bounds),
        NORMAL: add(data.normals, 3),
        TEXCOORD_0: add(data.uvs, 2),
        ...(axis === 1 && { COLOR_0: add(data.colors, 4) }),
      },
      indices: add(indices, 1),
      material: axis,
    };
  });
  const images = [COLORS, NORMALS, SURFACE, GLOW].map((bytes) => ({ bufferView: view(bytes), mimeType: 'image/png' }));
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives }],
    materials: [
      {
        name: 'glowing',
        pbrMetallicRoughness: { baseColorFactor: [0.2, 0.2, 0.2, 1], metallicFactor: 0.2, roughnessFactor: 0.8 },
        emissiveFactor: [0.2, 0.8, 0.4],
        emissiveTexture: { index: 3 },
        occlusionTexture: { index: 2, strength: 0.5 },
      },
      {
        name: 'coloured at its vertices',
        pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 1 },
        alphaMode: 'BLEND',
        doubleSided: true,
      },
      {
        name: 'printed',
        pbrMetallicRoughness: {
          baseColorTexture: { index: 0 },
          metallicRoughnessTexture: { index: 2 },
          metallicFactor: 0.6,
        },
        normalTexture: { index: 1, scale: 0.8 },
        alphaMode: 'MASK',
      },
    ],
    textures: images.map((_, source) => ({ source, sampler: 0 })),
    samplers: [{ magFilter: 9729, minFilter: 9987, wrapS: 33071, wrapT: 33071 }],
    images,
    accessors,
    bufferViews,
    buffers: [{ byteLength: length }],
  };
  const text = Buffer.from(JSON.stringify(json));
  const textLength = Math.ceil(text.length / 4) * 4;
  const file = Buffer.alloc(28 + textLength + length, 0x20);
  const words = [0x46546c67, 2, file.length, textLength, 0x4e4f534a];
  for (const [k, word] of words.entries()) file.writeUInt32LE(word, 4 * k);
  text.copy(file, 20);
  file.writeUInt32LE(length, 20 + textLength);
  file.writeUInt32LE(0x004e4942, 24 + textLength);
  Buffer.concat(chunks).copy(file, 28 + textLength);
  return file;
}
