import type { Vec3 } from '../math/matrix3.js';
import { castRows, type PointGrid, unreliableShare } from './rows.js';
import { type MeshSolid, prepareSolid, signedVolumes, triangleArea } from './solid.js';
import type { TriangleMesh } from './types.js';

/** Rows across each axis that check the divergence theorem, and that replace it. */
const CHECK_ROWS = 96;
const FINE_ROWS = 288;
/** Largest disagreement with the rows that still is their own error, at CHECK_ROWS [1]. */
const CHECK_TOLERANCE = 0.01;
/** Mostly open meshes where more of the rows along some axis than this end in the open are sheets [1]. */
const SHEET_SHARE = 0.3;
const OPEN_SHARE = 0.5;

/** Volume, centroid and second moments of a solid. */
export interface Measures {
  /** [m3] */
  readonly volume: number;
  /** [m] */
  readonly centroid: Vec3;
  /** Integrals of x2, y2, z2, xy, yz, zx about the centroid [m5]. */
  readonly secondMoments: readonly [number, number, number, number, number, number];
}

export interface MeshMeasures extends Measures {
  readonly low: Vec3;
  readonly high: Vec3;
  /** Area of the surface, covers of small holes included [m2]. */
  readonly area: number;
  /** Mean length of the straight rows inside, along the axis where it is least [m]: about twice that of a curved wall. */
  readonly thickness: number;
  /** Whether the volume is that of the triangles to rounding; otherwise it was measured by rows. */
  readonly exact: boolean;
  /** The mesh is an open sheet and has no inside. */
  readonly sheet: boolean;
  readonly warnings: readonly string[];
}

/** Measures a mesh; see measureSolid. */
export function meshMeasures(mesh: TriangleMesh): MeshMeasures {
  return measureSolid(prepareSolid(mesh));
}

/** Is it an open sheet, which has no inside? Only rows through what is mostly open tell that. */
export function isSheet(solid: MeshSolid, check = () => checkByRows(solid, CHECK_ROWS)): boolean {
  if (!(solid.report.openAreaShare > OPEN_SHARE)) return false;
  const { volume, unreliable } = check();
  return volume === 0 || unreliable > SHEET_SHARE;
}

/**
 * Measures a solid by the divergence theorem, and checks it against the inside test. Where the mesh has
 * large openings, cannot be oriented, or its shells overlap, the rows of the inside test decide instead. What is
 * known to be simple may have parts that are thin beside the distance of the rows.
 */
export function measureSolid(solid: MeshSolid, isSimple = false): MeshMeasures {
  const check = checkByRows(solid, CHECK_ROWS);
  const sheet = isSheet(solid, () => check);
  const divergence = solid.oriented ? measureByDivergence(solid) : undefined;
  const exact =
    divergence !== undefined &&
    (isSimple || Math.abs(divergence.volume - check.volume) <= CHECK_TOLERANCE * Math.abs(divergence.volume));
  const measures = exact ? divergence : measureByRows(solid, sheet ? CHECK_ROWS : FINE_ROWS);
  let area = 0;
  for (let t = 0; t < solid.shellOf.length; t++) area += triangleArea(solid.mesh.positions, solid.mesh.triangles, t);
  return {
    volume: measures.volume,
    centroid: measures.centroid,
    secondMoments: measures.secondMoments,
    low: solid.low,
    high: solid.high,
    area,
    thickness: check.thickness,
    exact,
    sheet,
    warnings: warningsOf(solid, exact, sheet, divergence !== undefined),
  };
}

function warningsOf(solid: MeshSolid, exact: boolean, sheet: boolean, oriented: boolean): string[] {
  const { report } = solid;
  const warnings: string[] = [];
  if (report.openEdges > 0) {
    const rest = report.openAreaShare > 0 ? ', some openings are too large to close' : '';
    warnings.push(`mesh has ${report.openEdges} open edges; ${report.coveredHoles} holes were closed${rest}`);
  }
  if (report.nonManifoldEdges > 0) {
    warnings.push(`mesh has ${report.nonManifoldEdges} edges with more than two triangles`);
  }
  if (report.inconsistentEdges > 0) {
    warnings.push(
      `mesh has ${report.inconsistentEdges} edges whose triangles are oriented against each other; orientation was repaired`,
    );
  }
  if (report.redundantShells > 0) {
    warnings.push(`${report.redundantShells} of ${report.shells} shells lie inside of others and were left out`);
  }
  if (sheet) warnings.push('mesh is an open sheet without an inside');
  else if (!exact) {
    const reason = oriented ? 'its surface overlaps itself' : 'it is open or cannot be oriented';
    warnings.push(`volume was measured by ${FINE_ROWS} x ${FINE_ROWS} rows of the inside test, because ${reason}`);
  }
  return warnings;
}

/** Sums the tetrahedra between a point and the triangles; shells may be turned inside out. */
function measureByDivergence(solid: MeshSolid): Measures {
  const { positions, triangles } = solid.mesh;
  const signs = signedVolumes(solid.mesh, solid.shellOf, solid.polarity.length);
  // About the middle of the bounds, where the terms are smallest.
  const o = middleOf(solid);
  const [ox, oy, oz] = o;
  const sums = new Float64Array(10);
  for (let t = 0; t < solid.shellOf.length; t++) {
    const shell = solid.shellOf[t]!;
    const sign = signs[shell]! < 0 ? -solid.polarity[shell]! : solid.polarity[shell]!;
    const a = 3 * triangles[3 * t]!;
    const b = 3 * triangles[3 * t + 1]!;
    const c = 3 * triangles[3 * t + 2]!;
    const ax = positions[a]! - ox;
    const ay = positions[a + 1]! - oy;
    const az = positions[a + 2]! - oz;
    const bx = positions[b]! - ox;
    const by = positions[b + 1]! - oy;
    const bz = positions[b + 2]! - oz;
    const cx = positions[c]! - ox;
    const cy = positions[c + 1]! - oy;
    const cz = positions[c + 2]! - oz;
    const v = (sign * (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx))) / 6;
    const sx = ax + bx + cx;
    const sy = ay + by + cy;
    const sz = az + bz + cz;
    // Integrals of 1, x, x^2, xy over the tetrahedron (0, a, b, c): v, v s/4, v (sum of squares + s^2)/20.
    sums[0]! += v;
    sums[1]! += (v * sx) / 4;
    sums[2]! += (v * sy) / 4;
    sums[3]! += (v * sz) / 4;
    sums[4]! += (v * (ax * ax + bx * bx + cx * cx + sx * sx)) / 20;
    sums[5]! += (v * (ay * ay + by * by + cy * cy + sy * sy)) / 20;
    sums[6]! += (v * (az * az + bz * bz + cz * cz + sz * sz)) / 20;
    sums[7]! += (v * (ax * ay + bx * by + cx * cy + sx * sy)) / 20;
    sums[8]! += (v * (ay * az + by * bz + cy * cz + sy * sz)) / 20;
    sums[9]! += (v * (az * ax + bz * bx + cz * cx + sz * sx)) / 20;
  }
  return aboutCentroid(sums, o);
}

/** The middle of the bounds. */
function middleOf({ low, high }: MeshSolid): Vec3 {
  return [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2];
}

/** n x n rows along each axis, and how far they are apart. */
function rowGrid({ low, high }: MeshSolid, n: number): { readonly step: Vec3; readonly grid: PointGrid } {
  const step: Vec3 = [(high[0] - low[0]) / n, (high[1] - low[1]) / n, (high[2] - low[2]) / n];
  const grid: PointGrid = {
    origin: [low[0] + step[0] / 2, low[1] + step[1] / 2, low[2] + step[2] / 2],
    step: step.map((s) => (s > 0 ? s : 1)) as unknown as Vec3,
    size: [n, n, n],
  };
  return { step, grid };
}

const AXES = [0, 1, 2] as const;
const byVolume = (a: { readonly volume: number }, b: { readonly volume: number }) => a.volume - b.volume;

/** The volume as rows see it, along the axis where it is the middle one of three; thickness, and rows that end in the open. */
function checkByRows(solid: MeshSolid, n: number) {
  const o = middleOf(solid);
  const { step, grid } = rowGrid(solid, n);
  const perAxis = AXES.map((axis) => {
    const middle = o[axis];
    const across = step[(axis + 1) % 3]! * step[(axis + 2) % 3]!;
    const rows = castRows(solid, axis, grid);
    const { at, start } = rows;
    let volume = 0;
    let lengths = 0;
    let intervals = 0;
    for (let r = 0; r < n * n; r++) {
      const last = start[r + 1]!;
      for (let e = start[r]!; e + 1 < last; e += 2) {
        const length = at[e + 1]! - middle - (at[e]! - middle);
        lengths += length;
        volume += across * length;
        intervals++;
      }
    }
    return { volume, thickness: intervals > 0 ? lengths / intervals : 0, unreliable: unreliableShare(rows) };
  });
  return {
    volume: [...perAxis].sort(byVolume)[1]!.volume,
    thickness: Math.min(...perAxis.map((a) => a.thickness)),
    unreliable: Math.max(...perAxis.map((a) => a.unreliable)),
  };
}

/** Integrates over n x n rows along each axis, and takes the axis with the middle volume. */
function measureByRows(solid: MeshSolid, n: number): Measures {
  const o = middleOf(solid);
  const { step, grid } = rowGrid(solid, n);
  const perAxis = AXES.map((axis) => {
    const u = (axis + 1) % 3;
    const v = (axis + 2) % 3;
    const rows = castRows(solid, axis, grid);
    const sums = new Float64Array(10);
    const second = new Float64Array(9);
    const across = step[u]! * step[v]!;
    for (let r = 0; r < n * n; r++) {
      const pu = grid.origin[u]! + (r % n) * step[u]! - o[u]!;
      const pv = grid.origin[v]! + Math.floor(r / n) * step[v]! - o[v]!;
      for (let e = rows.start[r]!; e + 1 < rows.start[r + 1]!; e += 2) {
        const w0 = rows.at[e]! - o[axis]!;
        const w1 = rows.at[e + 1]! - o[axis]!;
        const length = w1 - w0;
        const first = (w1 * w1 - w0 * w0) / 2;
        second[3 * axis + axis]! += (across * (w1 * w1 * w1 - w0 * w0 * w0)) / 3;
        second[3 * u + u]! += across * length * (pu * pu + (step[u]! * step[u]!) / 12);
        second[3 * v + v]! += across * length * (pv * pv + (step[v]! * step[v]!) / 12);
        second[3 * axis + u]! += across * first * pu;
        second[3 * axis + v]! += across * first * pv;
        second[3 * u + v]! += across * length * pu * pv;
        sums[0]! += across * length;
        sums[1 + axis]! += across * first;
        sums[1 + u]! += across * length * pu;
        sums[1 + v]! += across * length * pv;
      }
    }
    const pair = (a: number, b: number) => second[3 * a + b]! + second[3 * b + a]!;
    sums.set([second[0]!, second[4]!, second[8]!, pair(0, 1), pair(1, 2), pair(2, 0)], 4);
    return { sums, volume: sums[0]! };
  });
  return aboutCentroid([...perAxis].sort(byVolume)[1]!.sums, o);
}

/** Moves integrals of 1, x, y, z, x2, y2, z2, xy, yz, zx about `o` to the centroid. */
function aboutCentroid(sums: Float64Array, o: Vec3): Measures {
  const volume = sums[0]!;
  const inverse = volume !== 0 ? 1 / volume : 0;
  const x = sums[1]! * inverse;
  const y = sums[2]! * inverse;
  const z = sums[3]! * inverse;
  return {
    volume,
    centroid: [o[0] + x, o[1] + y, o[2] + z],
    secondMoments: [
      sums[4]! - volume * x * x,
      sums[5]! - volume * y * y,
      sums[6]! - volume * z * z,
      sums[7]! - volume * x * y,
      sums[8]! - volume * y * z,
      sums[9]! - volume * z * x,
    ],
  };
}
