import type { Vec3 } from '../math/matrix3.js';
import { castRows, type PointGrid, type Rows } from './rows.js';
import type { MeshSolid } from './solid.js';

/**
 * Directions no edge or face of an ordinary model is parallel to. The first are nearly those of the rows
 * of a grid, so that both look at an open mesh in the same way.
 */
const DIRECTIONS: readonly Vec3[] = [
  [1, 0.0041231056, 0.0026457513],
  [0.0031622777, 1, -0.0043588989],
  [-0.0024494897, 0.0036055513, 1],
  [0.8017837257, 0.2672612419, 0.5345224838],
  [-0.3244428423, 0.8111071056, 0.4866642634],
  [0.4558423058, -0.5698028823, 0.6837634588],
  [-0.7071234567, -0.3535987654, 0.6124321098],
  [0.1234567891, 0.9753086412, -0.1832345671],
  [0.5910408734, -0.1477602183, -0.7929831701],
];

/** Reliable lines that must agree before the answer is taken. */
const ENOUGH_VOTES = 3;

/**
 * Whether a point is inside, by a vote of lines in fixed directions. A shell is around the point when both
 * halves of the line cross it an odd number of times; a line that leaves a shell through an opening
 * says nothing about that one.
 */
export function isInside(solid: MeshSolid, point: Vec3): boolean {
  for (let axis = 0; axis < 3; axis++) {
    if (point[axis]! < solid.low[axis]! || point[axis]! > solid.high[axis]!) return false;
  }
  let inside = 0;
  let outside = 0;
  const ahead = new Map<number, number>();
  for (const direction of DIRECTIONS) {
    ahead.clear();
    solid.bvh.crossings(point, direction, (triangle, t) => {
      const shell = solid.shellOf[triangle]!;
      ahead.set(shell, (ahead.get(shell) ?? 0) ^ (t > 0 ? 1 : 2));
    });
    let level = 0;
    let reliable = true;
    for (const [shell, halves] of ahead) {
      if (halves === 3) level += solid.polarity[shell]!;
      else if (halves !== 0) reliable = false;
    }
    if (level > 0) inside++;
    else if (reliable) outside++;
    if (Math.abs(inside - outside) >= ENOUGH_VOTES) break;
  }
  return inside > outside;
}

/**
 * Classifies all points of a grid, one layer of constant z after the other: `visit` gets 1 for inside,
 * x fastest; the array is reused. Rows along x, y and z vote; where they leave it open, lines through
 * the point decide.
 */
export function forEachMeshLayer(
  solid: MeshSolid,
  grid: PointGrid,
  visit: (k: number, inside: Uint8Array) => void,
): void {
  const [nx, ny, nz] = grid.size;
  const alongX = castRows(solid, 0, grid);
  const alongY = castRows(solid, 1, grid);
  const alongZ = castRows(solid, 2, grid);
  // Votes are +1 and -1; all start outside.
  const votes = new Int8Array(nx * ny);
  const inside = new Uint8Array(nx * ny);
  const cursor = alongZ.start.slice();
  for (let k = 0; k < nz; k++) {
    votes.fill(-3);
    for (let j = 0; j < ny; j++) addRow(votes, j * nx, 1, nx, alongX, k * ny + j, grid.origin[0], grid.step[0]);
    for (let i = 0; i < nx; i++) addRow(votes, i, nx, ny, alongY, i * nz + k, grid.origin[1], grid.step[1]);
    addColumns(votes, alongZ, cursor, grid.origin[2] + k * grid.step[2]);
    for (let p = 0; p < votes.length; p++) {
      const v = votes[p]!;
      if (v !== 0) inside[p] = v > 0 ? 1 : 0;
      else {
        const i = p % nx;
        const j = (p - i) / nx;
        inside[p] = isInside(solid, [
          grid.origin[0] + i * grid.step[0],
          grid.origin[1] + j * grid.step[1],
          grid.origin[2] + k * grid.step[2],
        ])
          ? 1
          : 0;
      }
    }
    visit(k, inside);
  }
}

/** Adds the vote of one row to votes[first + n * stride]. */
function addRow(
  votes: Int8Array,
  first: number,
  stride: number,
  count: number,
  rows: Rows,
  row: number,
  origin: number,
  step: number,
): void {
  // From -1: a row votes +1 inside and -1 outside, an unreliable one +1 inside and else not at all.
  let gain = 2;
  if (rows.unreliable[row] === 1) {
    gain = 1;
    for (let n = 0; n < count; n++) votes[first + n * stride]! += 1;
  }
  for (let e = rows.start[row]!; e + 1 < rows.start[row + 1]!; e += 2) {
    const begin = Math.max(0, firstAtOrAfter(rows.at[e]!, origin, step));
    const end = Math.min(count, firstAtOrAfter(rows.at[e + 1]!, origin, step));
    for (let n = begin; n < end; n++) votes[first + n * stride]! += gain;
  }
}

/** Smallest n with origin + n step >= x, decided on the coordinate that the grid really has. */
function firstAtOrAfter(x: number, origin: number, step: number): number {
  let n = Math.ceil((x - origin) / step);
  if (origin + (n - 1) * step >= x) n--;
  else if (origin + n * step < x) n++;
  return n;
}

/** Adds the votes of the rows along z, whose cursors move with the layers. */
function addColumns(votes: Int8Array, rows: Rows, cursor: Uint32Array, z: number): void {
  for (let p = 0; p < votes.length; p++) {
    const unreliable = rows.unreliable[p]!;
    votes[p]! += unreliable;
    const end = rows.start[p + 1]!;
    let c = cursor[p]!;
    while (c < end && rows.at[c]! <= z) c++;
    cursor[p] = c;
    if ((c - rows.start[p]!) % 2 === 1) votes[p]! += 2 - unreliable;
  }
}
