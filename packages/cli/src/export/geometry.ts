/** What is exported of a frame, before any file format. */

/** Numbers for each vertex or particle. */
export interface ExportAttribute {
  readonly components: number;
  readonly values: Float32Array;
}

export type ExportAttributes = Readonly<Record<string, ExportAttribute>>;

/** A triangle mesh of a body; y is up, metres. */
export interface ExportMesh {
  readonly name: string;
  /** xyz per vertex [m]. */
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  /** Three vertices per triangle, anticlockwise as seen from outside. */
  readonly indices: Uint32Array;
  readonly attributes: ExportAttributes;
}

/** All particles that are in the world. */
export interface ExportPoints {
  readonly positions: Float32Array;
  readonly attributes: ExportAttributes;
}

export interface ExportFrame {
  readonly frame: number;
  /** [s] */
  readonly time: number;
  readonly meshes: readonly ExportMesh[];
  readonly points: ExportPoints;
}

/** Lowest and highest coordinates; zeros when there are none. */
export function bounds(positions: Float32Array): { low: number[]; high: number[] } {
  if (positions.length === 0) return { low: [0, 0, 0], high: [0, 0, 0] };
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < positions.length; k++) {
    low[k % 3] = Math.min(low[k % 3]!, positions[k]!);
    high[k % 3] = Math.max(high[k % 3]!, positions[k]!);
  }
  return { low, high };
}

export function bytesOf(values: Float32Array | Uint32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
