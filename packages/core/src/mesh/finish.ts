import type { CornerValues, MeshFinish, MeshMaterial } from './types.js';

/** A corner for which a file gives no value. */
export const NO_VALUE = 0xffffffff;

/**
 * What a file says of a mesh's looks, as far as it can be used. The simulation does not need it, so mistakes
 * in it leave it out instead of refusing the mesh.
 */
export function usableFinish(given: {
  readonly uvs?: CornerValues | undefined;
  readonly normals?: CornerValues | undefined;
  readonly colors?: CornerValues | undefined;
  readonly materials?: { readonly list: readonly MeshMaterial[]; readonly of: Uint32Array } | undefined;
}): MeshFinish | undefined {
  const uvs = given.uvs && usableUvs(given.uvs);
  const normals = given.normals && usableNormals(given.normals);
  const colors = given.colors && usableColors(given.colors);
  const materials = given.materials && given.materials.list.length > 0 ? given.materials : undefined;
  if (!uvs && !normals && !colors && !materials) return undefined;
  return {
    ...(uvs && { uvs }),
    ...(normals && { normals }),
    ...(colors && { colors }),
    ...(materials && { materials }),
  };
}

/** Corners without coordinates are at the origin of the picture. */
function usableUvs({ values, of }: CornerValues): CornerValues | undefined {
  const count = values.length / 2;
  if (!values.every(Number.isFinite) || !of.some((at) => at < count)) return undefined;
  if (of.every((at) => at < count)) return { values, of };
  const more = new Float32Array(values.length + 2);
  more.set(values);
  return { values: more, of: of.map((at) => Math.min(at, count)) };
}

/** All corners have a colour, or none has. */
function usableColors({ values, of }: CornerValues): CornerValues | undefined {
  const count = values.length / 4;
  if (!values.every((c) => c >= 0 && c < Infinity) || !of.every((at) => at < count)) return undefined;
  return { values: values.map((c) => Math.min(1, c)), of };
}

/** All corners have a normal that points somewhere, or none has. */
function usableNormals({ values, of }: CornerValues): CornerValues | undefined {
  const count = values.length / 3;
  const unit = new Float32Array(values.length);
  const isGood = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [values[3 * i]!, values[3 * i + 1]!, values[3 * i + 2]!];
    const length = Math.sqrt(x * x + y * y + z * z);
    if (!(length > 0 && length < Infinity)) continue;
    isGood[i] = 1;
    unit.set([x / length, y / length, z / length], 3 * i);
  }
  return of.every((at) => at < count && isGood[at] === 1) ? { values: unit, of } : undefined;
}
