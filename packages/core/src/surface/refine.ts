import type { CornerValues, MeshFinish, TriangleMesh } from '../options/types.js';

/** More triangles than this are not made, whatever the edges. */
const MOST_TRIANGLES = 2_000_000;

/** Values at corners, as lists that grow: coordinates, texture coordinates or normals. */
interface Track {
  readonly components: number;
  readonly values: number[];
  /** For every corner its position in the values. */
  of: ArrayLike<number>;
}

/**
 * The same surface in smaller triangles: edges longer than `longest` [m] are halved, in both of their
 * triangles alike, until none is left. No holes come up, and vertices of the mesh keep their numbers. Texture
 * coordinates, normals and colours are halved with the edges, materials stay.
 */
export function refineMesh(mesh: TriangleMesh, longest: number): TriangleMesh {
  if (!(longest > 0)) throw new RangeError(`edges must be longer than 0 m, got ${longest}`);
  const { uvs, normals, colors, materials } = mesh.finish ?? {};
  const positions: Track = { components: 3, values: Array.from(mesh.positions), of: mesh.triangles };
  const [uvTrack, normalTrack] = [uvs && toTrack(uvs, 2), normals && toTrack(normals, 3)];
  const colorTrack = colors && toTrack(colors, 4);
  const tracks = [positions, uvTrack, normalTrack, colorTrack].filter((track) => track !== undefined);
  let sources: ArrayLike<number> = Uint32Array.from({ length: mesh.triangles.length / 3 }, (_, t) => t);
  for (;;) {
    const split = splitEdges(tracks, longest);
    if (split === undefined || split.sources.length > MOST_TRIANGLES) break;
    for (const [k, track] of tracks.entries()) track.of = split.corners[k]!;
    const before = sources;
    sources = Uint32Array.from(split.sources, (t) => before[t]!);
  }
  const finish: MeshFinish = {
    ...(uvTrack && { uvs: fromTrack(uvTrack) }),
    ...(normalTrack && { normals: unitVectors(fromTrack(normalTrack)) }),
    ...(colorTrack && { colors: fromTrack(colorTrack) }),
    ...(materials && { materials: { ...materials, of: Uint32Array.from(sources, (t) => materials.of[t]!) } }),
  };
  return {
    positions: Float64Array.from(positions.values),
    triangles: Uint32Array.from(positions.of),
    ...(mesh.finish && { finish }),
  };
}

function toTrack({ values, of }: CornerValues, components: number): Track {
  return { components, values: Array.from(values), of };
}

function fromTrack({ values, of }: Track): CornerValues {
  return { values: Float32Array.from(values), of: Uint32Array.from(of) };
}

/** Children of a triangle whose corners are 0, 1 and 2; 3, 4 and 5 are the middles of its edges 01, 12 and 20. */
const ONE_SPLIT = [0, 3, 2, 3, 1, 2];
const TWO_SPLIT = [3, 1, 4, 0, 3, 4, 0, 4, 2];
const ALL_SPLIT = [0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5];
const WHOLE = [0, 1, 2];

/**
 * Triangles with every long edge halved once: corners in each track, and the triangle that each is a part of.
 * Undefined when there is nothing to halve. The first track has the positions.
 */
function splitEdges(tracks: readonly Track[], longest: number): { corners: number[][]; sources: number[] } | undefined {
  const [positions] = tracks as [Track];
  const isLong = (a: number, b: number) => squaredDistance(positions.values, a, b) > longest * longest;
  const middles = tracks.map(middleFinder);
  const corners: number[][] = tracks.map(() => []);
  const sources: number[] = [];
  // Corners and middles of one triangle in one track.
  const all = [0, 0, 0, 0, 0, 0];
  let halved = false;
  for (let t = 0; t < positions.of.length; t += 3) {
    const a = positions.of[t]!;
    const b = positions.of[t + 1]!;
    const c = positions.of[t + 2]!;
    let [ab, bc, ca] = [isLong(a, b), isLong(b, c), isLong(c, a)];
    halved ||= ab || bc || ca;
    // Turned so that a lone long edge is the first, and a lone short one the last.
    let turn = 0;
    while ((!ab && (bc || ca)) || (ca && !bc)) {
      turn++;
      [ab, bc, ca] = [bc, ca, ab];
    }
    const children = ca ? ALL_SPLIT : bc ? TWO_SPLIT : ab ? ONE_SPLIT : WHOLE;
    for (let k = 0; k < tracks.length; k++) {
      const { of } = tracks[k]!;
      const middle = middles[k]!;
      for (let corner = 0; corner < 3; corner++) all[corner] = of[t + ((corner + turn) % 3)]!;
      if (ab) all[3] = middle(all[0]!, all[1]!);
      if (bc) all[4] = middle(all[1]!, all[2]!);
      if (ca) all[5] = middle(all[2]!, all[0]!);
      for (let child = 0; child < children.length; child++) corners[k]!.push(all[children[child]!]!);
    }
    for (let child = 0; child < children.length; child += 3) sources.push(t / 3);
  }
  return halved ? { corners, sources } : undefined;
}

/** Finds the value between two of a track; the same for both triangles of an edge. */
function middleFinder({ values, components }: Track): (a: number, b: number) => number {
  const known = new Map<number, number>();
  const count = values.length / components;
  return (a, b) => {
    const key = a < b ? a * count + b : b * count + a;
    let position = known.get(key);
    if (position === undefined) {
      position = values.length / components;
      for (let k = 0; k < components; k++) values.push((values[components * a + k]! + values[components * b + k]!) / 2);
      known.set(key, position);
    }
    return position;
  };
}

function squaredDistance(values: readonly number[], a: number, b: number): number {
  let sum = 0;
  for (let k = 0; k < 3; k++) sum += (values[3 * a + k]! - values[3 * b + k]!) ** 2;
  return sum;
}

function unitVectors({ values, of }: CornerValues): CornerValues {
  const unit = values.map((x, k) => {
    const i = k - (k % 3);
    const length = Math.sqrt(values[i]! ** 2 + values[i + 1]! ** 2 + values[i + 2]! ** 2);
    return length > 0 ? x / length : 0;
  });
  return { values: unit, of };
}
