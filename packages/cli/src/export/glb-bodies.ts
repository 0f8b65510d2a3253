/**
 * Bodies in glTF: one mesh each, under a node that moves and turns as the body does on the whole. What is left
 * of the motion of a body that deforms are morph targets, in the node's coordinates: small, so that 16 bits are
 * many, and between two frames both the turn and the deformation are interpolated.
 */
import { quaternionFromMatrix } from 'phyxel';
import { type CompactBuffer, MOST_BYTE, MOST_SHORT } from './compact-buffer.js';
import { bounds, type ExportMesh, type ExportMotion, localTo, type MaterialList, meanThickness } from './geometry.js';

export interface GltfAnimation {
  readonly channels: object[];
  readonly samplers: object[];
}

/** The parts of a file that bodies add to. */
export interface GltfParts {
  readonly buffer: CompactBuffer;
  readonly meshes: object[];
  readonly nodes: object[];
  readonly materials: MaterialList;
  /** How thick what has a material is, in the units of its mesh. */
  readonly thicknesses: Map<number, number>;
  readonly animation: GltfAnimation;
}

/** What changes from the first frame to another one, at the vertices. */
interface Deformation {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
}

interface Body {
  /** In the first frame. */
  readonly mesh: ExportMesh;
  /** Of that frame, in the node's coordinates. */
  readonly positions: Float64Array;
  readonly normals: Float64Array;
  readonly times: number[];
  readonly translations: number[];
  readonly rotations: number[];
  /** Of every frame after the first; rigid bodies have none. */
  readonly deformations: Deformation[];
}

export class GltfBodies {
  readonly #bodies = new Map<string, Body>();
  /** Of all frames. */
  readonly #times: number[] = [];

  /** Before the bodies of a frame are added. */
  begin(time: number): void {
    this.#times.push(time);
  }

  add(mesh: ExportMesh, { pose, isRigid }: ExportMotion, time: number): void {
    const known = this.#bodies.get(mesh.name);
    const positions = known && isRigid ? known.positions : localTo(pose, mesh.positions, true);
    const normals = known && isRigid ? known.normals : localTo(pose, mesh.normals, false);
    const body: Body = known ?? {
      mesh,
      positions,
      normals,
      times: [],
      translations: [],
      rotations: [],
      deformations: [],
    };
    this.#bodies.set(mesh.name, body);
    body.times.push(time);
    body.translations.push(...pose.origin);
    body.rotations.push(...onSameSide(quaternionFromMatrix(pose.rotation), body.rotations.slice(-4)));
    if (known && !isRigid) {
      body.deformations.push({
        positions: difference(positions, known.positions),
        normals: difference(normals, known.normals),
      });
    }
  }

  /** Adds all bodies to a file, and gives the nodes to be seen. */
  write(parts: GltfParts, start: number): number[] {
    return [...this.#bodies.values()].map((body) => {
      const node = writeBody(body, parts, start);
      const gone = this.#times.find((time) => time > body.times.at(-1)!);
      const begin = body.times[0]! - start;
      if (begin > 0 || gone !== undefined)
        showBetween(node, begin, gone === undefined ? undefined : gone - start, parts);
      return node;
    });
  }
}

function writeBody(body: Body, parts: GltfParts, start: number): number {
  const { mesh } = body;
  const { buffer, nodes, meshes } = parts;
  const order = vertexOrder(mesh, buffer);
  const { low, high } = bounds(body.positions);
  const centre = low.map((x, a) => (x + high[a]!) / 2);
  const farthest = Math.max(0, ...body.deformations.map(({ positions }) => largestDifference(positions)));
  const reach = Math.max(farthest, ...low.map((x, a) => (high[a]! - x) / 2)) || 1;
  const attributes = {
    POSITION: buffer.addPositions(order.move(body.positions, 3), centre, reach),
    NORMAL: buffer.addNormals(order.move(body.normals, 3)),
    ...(mesh.uvs && { TEXCOORD_0: buffer.addUvs(order.move(mesh.uvs, 2)) }),
    ...(mesh.colors && { COLOR_0: buffer.addColors(order.move(mesh.colors, 4)) }),
  };
  const { shapes, shapeOf } = differentShapes(body.deformations, reach, mesh.motion?.tolerance);
  const targets = shapes.map(({ positions, normals }) => ({
    POSITION: buffer.addPositions(order.move(positions, 3), [0, 0, 0], reach),
    NORMAL: buffer.addNormals(order.move(normals, 3)),
  }));
  const thickness = meanThickness(body.positions, mesh.indices) / reach;
  const primitives = mesh.parts.map(({ material, begin, end }) => {
    const number = parts.materials.index(material);
    if (!parts.thicknesses.has(number)) parts.thicknesses.set(number, thickness);
    return {
      attributes,
      indices: buffer.addIndices(order.indices.slice(begin, end), mesh.positions.length / 3),
      material: number,
      ...(targets.length > 0 && { targets }),
    };
  });
  meshes.push({
    name: mesh.name,
    primitives,
    ...(targets.length > 0 && { weights: targets.map(() => 0) }),
  });
  const inner = nodes.push({ mesh: meshes.length - 1, translation: centre, scale: [reach, reach, reach] }) - 1;
  const outer =
    nodes.push({
      name: mesh.name,
      children: [inner],
      translation: body.translations.slice(0, 3),
      rotation: body.rotations.slice(0, 4),
    }) - 1;
  if (body.times.length > 1) animate(body, shapeOf, parts, start, { inner, outer });
  return outer;
}

/** A body that has melted or broken is not seen any more, and pieces only from then on. */
function showBetween(node: number, begin: number, end: number | undefined, parts: GltfParts): void {
  const { buffer, animation, nodes } = parts;
  const steps: [time: number, scale: number][] = [[begin, 1]];
  if (begin > 0) {
    steps.unshift([0, 0]);
    Object.assign(nodes[node]!, { scale: [0, 0, 0] });
  }
  if (end !== undefined) steps.push([end, 0]);
  const input = buffer.addTimes(steps.map(([time]) => time));
  const scales = Float32Array.from(steps.flatMap(([, scale]) => [scale, scale, scale]));
  const output = buffer.add(scales, 'VEC3', steps.length);
  animation.samplers.push({ input, output, interpolation: 'STEP' });
  animation.channels.push({ sampler: animation.samplers.length - 1, target: { node, path: 'scale' } });
}

function animate(
  { times, translations, rotations }: Body,
  shapeOf: readonly number[],
  { buffer, animation }: GltfParts,
  start: number,
  { inner, outer }: { readonly inner: number; readonly outer: number },
): void {
  let input: number | undefined;
  const add = (node: number, path: string, output: number) => {
    input ??= buffer.addTimes(times.map((time) => time - start));
    animation.samplers.push({ input, output, interpolation: 'LINEAR' });
    animation.channels.push({ sampler: animation.samplers.length - 1, target: { node, path } });
  };
  if (changes(translations, 3)) {
    add(outer, 'translation', buffer.add(Float32Array.from(translations), 'VEC3', times.length));
  }
  if (changes(rotations, 4)) {
    add(outer, 'rotation', buffer.add(Float32Array.from(rotations), 'VEC4', times.length));
  }
  const targets = Math.max(...shapeOf) + 1;
  if (targets === 0) return;
  // Each frame shows its own target alone, or none.
  const weights = new Uint8Array(times.length * targets);
  for (const [k, shape] of shapeOf.entries()) if (shape >= 0) weights[k * targets + shape] = 255;
  add(inner, 'weights', buffer.add(weights, 'SCALAR', weights.length, { normalized: true }));
}

/** Are not all rows of some numbers alike? */
function changes(rows: readonly number[], components: number): boolean {
  return rows.some((x, k) => x !== rows[k % components]);
}

/**
 * A frame in which the numbers of the file would hardly change, by half a unit of theirs at the most, or by less than
 * a tolerance, has the shape of the one before: bodies that fly or rest. -1 is the shape of the first frame.
 */
function differentShapes(deformations: readonly Deformation[], reach: number, tolerance = 0) {
  const shapes: Deformation[] = [];
  const shapeOf = [-1];
  for (const next of deformations) {
    const last = shapes[shapeOf.at(-1)!];
    const isSame =
      largestDifference(next.positions, last?.positions) <= Math.max(tolerance, (0.5 * reach) / MOST_SHORT) &&
      (tolerance > 0 || largestDifference(next.normals, last?.normals) <= 0.5 / MOST_BYTE);
    shapeOf.push(isSame ? shapeOf.at(-1)! : shapes.push(next) - 1);
  }
  return { shapes, shapeOf };
}

export interface VertexOrder {
  readonly indices: Uint32Array;
  /** Values of vertices in that order. */
  move<T extends Float32Array | Float64Array>(values: T, components: number): T;
}

/** The order of vertices and triangles that compresses well, when it is to. */
export function vertexOrder({ indices: given, parts }: ExportMesh, { encoder }: CompactBuffer): VertexOrder {
  if (!encoder || parts.length > 1) return { indices: given, move: (values) => values };
  const indices = given.slice();
  const [remap] = encoder.reorderMesh(indices, true, true);
  const move = <T extends Float32Array | Float64Array>(values: T, components: number): T => {
    const moved = values.slice() as T;
    for (const [from, to] of remap.entries()) {
      for (let c = 0; c < components; c++) moved[to * components + c] = values[from * components + c]!;
    }
    return moved;
  };
  return { indices, move };
}

/** Of the two quaternions of a rotation the one nearer to the last, so that there are no detours. */
function onSameSide(q: readonly number[], last: readonly number[]): number[] {
  const along = q.reduce((sum, x, k) => sum + x * (last[k] ?? 0), 0);
  return along < 0 ? q.map((x) => -x) : [...q];
}

function difference(a: Float64Array, b: Float64Array): Float32Array {
  return Float32Array.from(a, (x, k) => x - b[k]!);
}

/** From other values, or from zero. */
function largestDifference(values: Float32Array, from?: Float32Array): number {
  let most = 0;
  for (let k = 0; k < values.length; k++) most = Math.max(most, Math.abs(values[k]! - (from?.[k] ?? 0)));
  return most;
}
