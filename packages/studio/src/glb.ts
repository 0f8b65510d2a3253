/** A frame as a binary glTF file: bodies as they are deformed, liquids, obstacles, and the camera. */
import { deformVertices, framePlanes, moveVertex } from '@phyxel/three';
import type {
  BodyDescription,
  BoundMesh,
  DisplayMesh,
  MeshMaterial,
  MeshTexture,
  WorldDescription,
  WorldFrame,
} from 'phyxel/browser';
import { GltfBuffer, type GltfMaterial, gltfExtensions, gltfMaterial } from 'phyxel/gltf';
import { Color, type PerspectiveCamera, type Vector4 } from 'three';

interface Part {
  readonly name: string;
  readonly mesh: DisplayMesh;
  readonly color: Rgb;
  /** A colour that the scene names is stronger than the materials of the mesh's file. */
  readonly isPlain: boolean;
  /** Refractive index of what light goes through. */
  readonly ior?: number | undefined;
}

type Rgb = readonly [number, number, number];

const GLASS = 1.5;
const WATER = 1.33;
const OBSTACLE = '#a3a8af';

/** With the camera that looks at it, if there is one. */
export function frameToGlb(
  description: WorldDescription,
  frame: WorldFrame,
  colorOf: (body: string) => Color | undefined,
  camera?: PerspectiveCamera,
): Uint8Array<ArrayBuffer> {
  const linear = ({ r, g, b }: Color): Rgb => [r, g, b];
  const bodyColor = (name: string) => linear(colorOf(name) ?? new Color(OBSTACLE));
  const parts: Part[] = [];
  const planes = framePlanes(description, frame);
  for (const body of description.bodies) {
    if (!body.mesh) continue;
    const { name, color, look } = body;
    const mesh = deform(body, body.mesh, frame, planes);
    const ior = look === 'glass' ? GLASS : undefined;
    parts.push({ name, mesh, color: bodyColor(name), isPlain: color !== undefined || look === 'glass', ior });
  }
  for (const mesh of frame.liquids ?? []) {
    const look = description.bodies.find(({ name }) => name === mesh.bodies[0])?.look ?? 'glass';
    const ior = look === 'glass' ? WATER : undefined;
    parts.push({ name: mesh.bodies.join(', '), mesh, color: bodyColor(mesh.bodies[0]!), isPlain: true, ior });
  }
  for (const [k, { name, mesh, color, isClear }] of description.obstacles.entries()) {
    if (!mesh) continue;
    const moved = move(mesh, frame.obstacles.subarray(12 * k, 12 * k + 12));
    const shade = linear(new Color(color ?? (isClear ? '#ffffff' : OBSTACLE)));
    const isPlain = color !== undefined || isClear;
    parts.push({ name, mesh: moved, color: shade, isPlain, ior: isClear ? GLASS : undefined });
  }
  return writeGlb(
    parts.filter(({ mesh }) => mesh.indices.length > 0),
    camera,
  );
}

function deform(
  { affineBegin }: BodyDescription,
  mesh: BoundMesh,
  { affines }: WorldFrame,
  planes: readonly Vector4[],
): DisplayMesh {
  const positions = new Float32Array(mesh.positions.length);
  const normals = new Float32Array(mesh.normals.length);
  deformVertices(mesh, affines, affineBegin!, positions, normals, planes);
  return { ...mesh, positions, normals };
}

function move(mesh: DisplayMesh, rows: Float32Array): DisplayMesh {
  const positions = new Float32Array(mesh.positions.length);
  const normals = new Float32Array(mesh.normals.length);
  for (let v = 0; v < positions.length / 3; v++) moveVertex(rows, mesh.positions, mesh.normals, v, positions, normals);
  return { ...mesh, positions, normals };
}

/** glTF 2.0, everything in one file. */
function writeGlb(parts: readonly Part[], camera: PerspectiveCamera | undefined): Uint8Array<ArrayBuffer> {
  const buffer = new GltfBuffer();
  const materials: object[] = [];
  const pictures: MeshTexture[] = [];
  const addMaterial = (material: GltfMaterial) => {
    const place = (picture: MeshTexture) => {
      if (!pictures.includes(picture)) pictures.push(picture);
      return pictures.indexOf(picture);
    };
    return materials.push(gltfMaterial(material, place)) - 1;
  };
  const meshes = parts.map((part) => {
    const { positions, normals, uvs, colors, indices, parts: own } = part.mesh;
    const isPainted = colors !== undefined && !part.isPlain;
    const attributes = {
      POSITION: buffer.addVectors(positions, 3, true),
      NORMAL: buffer.addVectors(normals, 3),
      ...(uvs && { TEXCOORD_0: buffer.addUvs(uvs) }),
      ...(isPainted && { COLOR_0: buffer.addVectors(colors, 4) }),
    };
    const ranges = !part.isPlain && own ? own : [{ begin: 0, end: indices.length, material: undefined }];
    const primitives = ranges.map(({ begin, end, material }) => ({
      attributes,
      indices: buffer.addIndices(indices.subarray(begin, end), positions.length / 3),
      material: addMaterial(material ? ofFile(material) : plain(isPainted ? { ...part, color: [1, 1, 1] } : part)),
    }));
    return { name: part.name, primitives };
  });
  const extensionsUsed = gltfExtensions(materials);
  return buffer.file({
    asset: { version: '2.0', generator: 'Phyxel studio' },
    scene: 0,
    scenes: [{ nodes: [...parts, ...(camera ? [camera] : [])].map((_, k) => k) }],
    nodes: [
      ...parts.map(({ name }, k) => ({ name, mesh: k })),
      ...(camera ? [{ name: 'camera', camera: 0, matrix: camera.matrixWorld.toArray() }] : []),
    ],
    meshes,
    materials,
    ...(pictures.length > 0 && buffer.addPictures(pictures)),
    ...(camera && { cameras: [cameraOf(camera)] }),
    ...(extensionsUsed.length > 0 && { extensionsUsed }),
    accessors: buffer.accessors,
    bufferViews: buffer.views,
    buffers: buffer.buffers(),
  });
}

function plain({ name, color, ior }: Part): GltfMaterial {
  const isClear = ior !== undefined;
  return { name, color, roughness: isClear ? 0.05 : 0.6, glass: isClear ? { ior } : undefined };
}

function ofFile(file: MeshMaterial): GltfMaterial {
  const { name, color = [1, 1, 1], roughness = 0.6, texture } = file;
  return { name, color, roughness, texture, file };
}

function cameraOf({ fov, aspect, near, far }: PerspectiveCamera): object {
  const perspective = { yfov: (fov * Math.PI) / 180, aspectRatio: aspect, znear: near, zfar: far };
  return { name: 'camera', type: 'perspective', perspective };
}
