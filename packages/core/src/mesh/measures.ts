import type { TriangleMesh, Vec3 } from '../options/types.js';
import { castRows, type PointGrid, unreliableShare } from './rows.js';
import { type MeshSolid, prepareSolid, signedVolumes, triangleArea } from './solid.js';

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

/**
 * Measures a solid by the divergence theorem, and checks it against the inside test. Where the mesh has
 * large openings, cannot be oriented, or its shells overlap, the rows of the inside test decide instead.
 */
export function measureSolid(solid: MeshSolid): MeshMeasures {
  const { report } = solid;
  const check = measureByRows(solid, CHECK_ROWS);
  const sheet = report.openAreaShare > OPEN_SHARE && (check.volume === 0 || check.unreliable > SHEET_SHARE);
  const divergence = solid.oriented ? measureByDivergence(solid) : undefined;
  const exact =
    divergence !== undefined &&
    Math.abs(divergence.volume - check.volume) <= CHECK_TOLERANCE * Math.abs(divergence.volume);
  const measures = exact ? divergence : sheet ? check : measureByRows(solid, FINE_ROWS);
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
  const o = [0, 1, 2].map((axis) => (solid.low[axis]! + solid.high[axis]!) / 2);
  const sums = new Float64Array(10);
  for (let t = 0; t < solid.shellOf.length; t++) {
    const shell = solid.shellOf[t]!;
    const sign = signs[shell]! < 0 ? -solid.polarity[shell]! : solid.polarity[shell]!;
    const [ax, ay, az] = corner(positions, triangles[3 * t]!, o);
    const [bx, by, bz] = corner(positions, triangles[3 * t + 1]!, o);
    const [cx, cy, cz] = corner(positions, triangles[3 * t + 2]!, o);
    const v = (sign * (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx))) / 6;
    const sx = ax + bx + cx;
    const sy = ay + by + cy;
    const sz = az + bz + cz;
    // Integrals of 1, x, x^2, xy over the tetrahedron (0, a, b, c): v, v s/4, v (sum of squares + s^2)/20.
    addTo(sums, v, (v * sx) / 4, (v * sy) / 4, (v * sz) / 4, [
      (v * (ax * ax + bx * bx + cx * cx + sx * sx)) / 20,
      (v * (ay * ay + by * by + cy * cy + sy * sy)) / 20,
      (v * (az * az + bz * bz + cz * cz + sz * sz)) / 20,
      (v * (ax * ay + bx * by + cx * cy + sx * sy)) / 20,
      (v * (ay * az + by * bz + cy * cz + sy * sz)) / 20,
      (v * (az * ax + bz * bx + cz * cx + sz * sx)) / 20,
    ]);
  }
  return aboutCentroid(sums, o as unknown as Vec3);
}

interface RowMeasures extends Measures {
  readonly thickness: number;
  readonly unreliable: number;
}

/** Integrates over n x n rows along each axis, and takes the axis with the middle volume. */
function measureByRows(solid: MeshSolid, n: number): RowMeasures {
  const o = [0, 1, 2].map((axis) => (solid.low[axis]! + solid.high[axis]!) / 2) as unknown as Vec3;
  const step = [0, 1, 2].map((axis) => (solid.high[axis]! - solid.low[axis]!) / n) as unknown as Vec3;
  const grid: PointGrid = {
    origin: [solid.low[0] + step[0] / 2, solid.low[1] + step[1] / 2, solid.low[2] + step[2] / 2],
    step: step.map((s) => (s > 0 ? s : 1)) as unknown as Vec3,
    size: [n, n, n],
  };
  const perAxis = ([0, 1, 2] as const).map((axis) => {
    const u = (axis + 1) % 3;
    const v = (axis + 2) % 3;
    const rows = castRows(solid, axis, grid);
    const sums = new Float64Array(10);
    const second = new Float64Array(9);
    let intervals = 0;
    let lengths = 0;
    const across = step[u]! * step[v]!;
    for (let r = 0; r < n * n; r++) {
      const pu = grid.origin[u]! + (r % n) * step[u]! - o[u]!;
      const pv = grid.origin[v]! + Math.floor(r / n) * step[v]! - o[v]!;
      for (let e = rows.start[r]!; e + 1 < rows.start[r + 1]!; e += 2) {
        const w0 = rows.at[e]! - o[axis]!;
        const w1 = rows.at[e + 1]! - o[axis]!;
        const length = w1 - w0;
        const first = (w1 * w1 - w0 * w0) / 2;
        lengths += length;
        intervals++;
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
    return { sums, thickness: intervals > 0 ? lengths / intervals : 0, unreliable: unreliableShare(rows) };
  });
  const middle = [...perAxis].sort((a, b) => a.sums[0]! - b.sums[0]!)[1]!;
  return {
    ...aboutCentroid(middle.sums, o),
    thickness: Math.min(...perAxis.map((a) => a.thickness)),
    unreliable: Math.max(...perAxis.map((a) => a.unreliable)),
  };
}

function corner(positions: Float64Array, v: number, o: readonly number[]): Vec3 {
  return [positions[3 * v]! - o[0]!, positions[3 * v + 1]! - o[1]!, positions[3 * v + 2]! - o[2]!];
}

function addTo(sums: Float64Array, v: number, x: number, y: number, z: number, second: readonly number[]): void {
  sums[0]! += v;
  sums[1]! += x;
  sums[2]! += y;
  sums[3]! += z;
  for (let i = 0; i < 6; i++) sums[4 + i]! += second[i]!;
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
