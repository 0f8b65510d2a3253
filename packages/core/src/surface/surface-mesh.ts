/** Numbers for each particle or vertex. */
export interface SurfaceAttribute {
  readonly components: number;
  readonly values: Float32Array;
}

/** A closed surface: every edge has two triangles, which run along it in opposite directions. */
export interface SurfaceMesh {
  /** xyz per vertex [m]. */
  readonly positions: Float32Array;
  /** Directions out of the liquid, of length one. */
  readonly normals: Float32Array;
  /** Three vertices per triangle, anticlockwise as seen from outside. */
  readonly indices: Uint32Array;
  readonly attributes: Readonly<Record<string, SurfaceAttribute>>;
}
