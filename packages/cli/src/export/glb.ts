/**
 * Binary glTF with an animation. Liquids have other triangles in every frame, so each frame is a node of its
 * own, and the animation shows one after the other: a node's scale is 1 during its frame and 0 otherwise. Bodies
 * are one mesh each (`glb-bodies.ts`).
 * Positions are 16-bit and normals 8-bit numbers (KHR_mesh_quantization), scaled back by the node; positions are
 * off by at most 1/131068 of the mesh's longest side. With an encoder vertices and triangles are compressed
 * (EXT_meshopt_compression), without further loss.
 */
import { type Pose, quaternionFromMatrix } from 'phyxel';
import { gltfExtensions, gltfMaterial } from 'phyxel/gltf';
import { COMPRESSION, CompactBuffer, type GltfEncoder } from './compact-buffer.js';
import type { Format } from './format.js';
import {
  bounds,
  type ExportFrame,
  type ExportLight,
  type ExportMesh,
  type ExportView,
  MaterialList,
  meanThickness,
} from './geometry.js';
import { type GltfAnimation, GltfBodies, type VertexOrder, vertexOrder } from './glb-bodies.js';

const LIGHTS = 'KHR_lights_punctual';

/** Nodes of the surfaces of one frame. */
interface Shown {
  readonly time: number;
  readonly nodes: readonly number[];
}

class GlbWriter {
  readonly #buffer: CompactBuffer;
  readonly #meshes: object[] = [];
  readonly #nodes: object[] = [];
  readonly #materials = new MaterialList();
  readonly #frames: Shown[] = [];
  readonly #thicknesses = new Map<number, number>();
  readonly #bodies = new GltfBodies();
  /** By themselves, since they may have the names of bodies. */
  readonly #obstacles = new GltfBodies();
  readonly #frameRate: number;
  readonly #name: string;
  readonly #view: ExportView | undefined;

  constructor(name: string, frameRate: number, encoder?: GltfEncoder, view?: ExportView) {
    this.#name = name;
    this.#frameRate = frameRate;
    this.#buffer = new CompactBuffer(encoder);
    this.#view = view;
  }

  /** Frames come in the order of their times. */
  add({ frame, time, meshes, obstacles }: ExportFrame): void {
    const nodes: number[] = [];
    this.#bodies.begin(time);
    for (const mesh of meshes) {
      if (mesh.indices.length === 0) continue;
      if (mesh.motion) this.#bodies.add(mesh, mesh.motion, time);
      else nodes.push(this.#addMesh(mesh, frame));
    }
    for (const mesh of obstacles ?? []) this.#obstacles.add(mesh, mesh.motion!, time);
    this.#frames.push({ time, nodes });
  }

  #addMesh(mesh: ExportMesh, frame: number): number {
    const order = vertexOrder(mesh, this.#buffer);
    const { low, high } = bounds(mesh.positions);
    const centre = low.map((x, a) => (x + high[a]!) / 2);
    const reach = Math.max(...low.map((x, a) => (high[a]! - x) / 2)) || 1;
    const material = this.#materials.index(mesh.parts[0]!.material);
    if (!this.#thicknesses.has(material)) {
      this.#thicknesses.set(material, meanThickness(mesh.positions, mesh.indices) / reach);
    }
    const primitive = {
      attributes: {
        POSITION: this.#buffer.addPositions(order.move(mesh.positions, 3), centre, reach),
        NORMAL: this.#buffer.addNormals(order.move(mesh.normals, 3)),
        ...(mesh.colors && { COLOR_0: this.#buffer.addColors(order.move(mesh.colors, 4)) }),
        ...this.#carried(mesh, order),
      },
      indices: this.#buffer.addIndices(order.indices, mesh.positions.length / 3),
      material,
    };
    this.#meshes.push({ name: `${mesh.name} ${frame}`, primitives: [primitive] });
    const inner = this.#nodes.push({
      mesh: this.#meshes.length - 1,
      translation: centre,
      scale: [reach, reach, reach],
    });
    return this.#nodes.push({ name: `${mesh.name} ${frame}`, children: [inner - 1] }) - 1;
  }

  /** What the surface carries, as attributes of the application's own: _VELOCITY, _TEMPERATURE. */
  #carried({ attributes }: ExportMesh, order: VertexOrder): Record<string, number> {
    return Object.fromEntries(
      Object.entries(attributes).flatMap(([name, { components, values }]) => {
        const plain = name.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
        const moved = order.move(values, components);
        return components <= 4 ? [[`_${plain}`, this.#buffer.addVectors(moved, components)]] : [];
      }),
    );
  }

  /** Shows the surfaces of each frame until the next one has some. */
  #showFrames({ channels, samplers }: GltfAnimation, start: number): void {
    for (const [k, { nodes, time }] of this.#frames.entries()) {
      const following = this.#frames.slice(k + 1).find((next) => next.nodes.length > 0)?.time;
      const begin = time - start;
      const end = following === undefined ? begin + 1 / this.#frameRate : following - start;
      const steps: [time: number, scale: number][] = [[begin, 1]];
      if (begin > 0) steps.unshift([0, 0]);
      // The last frame stays.
      steps.push([end, following === undefined ? 1 : 0]);
      for (const node of nodes) {
        const input = this.#buffer.addTimes(steps.map(([at]) => at));
        const scales = Float32Array.from(steps.flatMap(([, scale]) => [scale, scale, scale]));
        const output = this.#buffer.add(scales, 'VEC3', steps.length);
        samplers.push({ input, output, interpolation: 'STEP' });
        channels.push({ sampler: samplers.length - 1, target: { node, path: 'scale' } });
      }
    }
  }

  /** Nodes of the camera and the lights. */
  #addView({ camera, key, fill }: ExportView) {
    const { fieldOfView: yfov, aspect: aspectRatio, near: znear, far: zfar, pose } = camera;
    const all: readonly ExportLight[] = [key, ...fill];
    const nodes = [
      { name: 'camera', camera: 0, ...placed(pose) },
      ...all.map((light, k) => ({ name: light.name, ...placed(light.pose), extensions: { [LIGHTS]: { light: k } } })),
    ].map((node) => this.#nodes.push(node) - 1);
    return {
      nodes,
      camera: { name: 'camera', type: 'perspective', perspective: { yfov, aspectRatio, znear, zfar } },
      lights: all.map(({ name, color, intensity }) => ({ name, type: 'directional', color, intensity })),
    };
  }

  bytes(): Uint8Array {
    const start = this.#frames[0]?.time ?? 0;
    const animation: GltfAnimation = { channels: [], samplers: [] };
    this.#showFrames(animation, start);
    const parts = {
      buffer: this.#buffer,
      meshes: this.#meshes,
      nodes: this.#nodes,
      materials: this.#materials,
      thicknesses: this.#thicknesses,
      animation,
    };
    const bodies = [...this.#bodies.write(parts, start), ...this.#obstacles.write(parts, start)];
    const looked = this.#view && this.#addView(this.#view);
    // Without the animation the first frame is seen.
    for (const [k, { nodes }] of this.#frames.entries()) {
      for (const node of nodes) if (k > 0) Object.assign(this.#nodes[node]!, { scale: [0, 0, 0] });
    }
    const { textures: pictures } = this.#materials;
    const materials = this.#materials.list.map((material, k) =>
      gltfMaterial(material, (texture) => pictures.indexOf(texture), this.#thicknesses.get(k) ?? 0),
    );
    const { textures, images, samplers } = this.#buffer.addPictures(pictures);
    const required = [
      ...(this.#meshes.length > 0 ? ['KHR_mesh_quantization'] : []),
      ...(this.#meshes.length > 0 && this.#buffer.encoder ? [COMPRESSION] : []),
    ];
    const used = [...required, ...gltfExtensions(materials), ...(looked ? [LIGHTS] : [])];
    const seen = [...this.#frames.flatMap(({ nodes }) => nodes), ...bodies, ...(looked?.nodes ?? [])];
    const document = {
      asset: { version: '2.0', generator: 'phyxel' },
      scene: 0,
      scenes: [{ name: this.#name, ...withAny('nodes', seen) }],
      ...withAny('nodes', this.#nodes),
      ...withAny('meshes', this.#meshes),
      ...withAny('materials', materials),
      ...withAny('textures', textures),
      ...withAny('images', images),
      ...withAny('samplers', samplers),
      ...withAny('accessors', this.#buffer.accessors),
      ...withAny('bufferViews', this.#buffer.views),
      ...withAny('animations', animation.channels.length > 0 ? [{ name: this.#name, ...animation }] : []),
      ...withAny('buffers', this.#buffer.buffers()),
      ...(looked && { cameras: [looked.camera], extensions: { [LIGHTS]: { lights: looked.lights } } }),
      ...withAny('extensionsUsed', used),
      ...withAny('extensionsRequired', required),
    };
    return this.#buffer.file(document);
  }
}

/** Where nodes of things without a size stand. */
function placed({ rotation, origin }: Pose): object {
  return { translation: [...origin], rotation: [...quaternionFromMatrix(rotation)] };
}

/** glTF has no empty lists. */
function withAny<T>(key: string, list: readonly T[]): Record<string, readonly T[]> {
  return list.length > 0 ? { [key]: list } : {};
}

export const glb: Format = ({ name, frameRate, write, encoder, view }) => {
  const writer = new GlbWriter(name, frameRate, encoder, view);
  return { add: (frame) => writer.add(frame), finish: () => write('scene.glb', writer.bytes()) };
};
