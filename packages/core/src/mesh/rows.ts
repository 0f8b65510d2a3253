import type { Vec3 } from '../math/matrix3.js';
import type { MeshSolid } from './solid.js';

/** Points origin + (i, j, k) * step, x fastest. */
export interface PointGrid {
  readonly origin: Vec3;
  /** [m], per axis. */
  readonly step: Vec3;
  readonly size: readonly [number, number, number];
}

/**
 * Where straight rows of a grid enter and leave a solid. With the row's axis a, u = a + 1 and v = a + 2
 * (modulo 3), row number v * size[u] + u has the coordinates at[start[row]..start[row + 1]): in, out, in, ...
 */
export interface Rows {
  readonly start: Uint32Array;
  readonly at: Float64Array;
  /**
   * 1 where an open shell was crossed an odd number of times: such a row tells where other shells are,
   * but proves no point to be outside.
   */
  readonly unreliable: Uint8Array;
}

/**
 * Casts all rows of a grid along one axis at once, by drawing each triangle onto the plane across the
 * rows: much cheaper than a search per row, because each triangle is met by few of them.
 */
export function castRows(solid: MeshSolid, axis: 0 | 1 | 2, grid: PointGrid): Rows {
  const crossings = drawTriangles(solid, axis, grid);
  const rowCount = grid.size[(axis + 1) % 3]! * grid.size[(axis + 2) % 3]!;
  return toIntervals(crossings, rowCount, solid.polarity);
}

interface Crossings {
  count: number;
  row: Uint32Array;
  at: Float64Array;
  shell: Int32Array;
}

function drawTriangles(solid: MeshSolid, axis: number, grid: PointGrid): Crossings {
  const { positions, triangles } = solid.mesh;
  const u = (axis + 1) % 3;
  const v = (axis + 2) % 3;
  const ou = grid.origin[u]!;
  const ov = grid.origin[v]!;
  const su = grid.step[u]!;
  const sv = grid.step[v]!;
  const nu = grid.size[u]!;
  const nv = grid.size[v]!;
  const out = { count: 0, row: new Uint32Array(4096), at: new Float64Array(4096), shell: new Int32Array(4096) };
  for (let t = 0; t < solid.shellOf.length; t++) {
    const a = 3 * triangles[3 * t]!;
    const b = 3 * triangles[3 * t + 1]!;
    const c = 3 * triangles[3 * t + 2]!;
    const au = positions[a + u]!;
    const av = positions[a + v]!;
    const bu = positions[b + u]!;
    const bv = positions[b + v]!;
    const cu = positions[c + u]!;
    const cv = positions[c + v]!;
    const vLow = Math.min(av, bv, cv);
    const vHigh = Math.max(av, bv, cv);
    const first = Math.max(0, Math.ceil((vLow - ov) / sv - 1e-9));
    const last = Math.min(nv - 1, Math.floor((vHigh - ov) / sv + 1e-9));
    if (first > last) continue;
    const uLow = Math.min(au, bu, cu);
    const uHigh = Math.max(au, bu, cu);
    const aw = positions[a + axis]!;
    const bw = positions[b + axis]!;
    const cw = positions[c + axis]!;
    const wLow = Math.min(aw, bw, cw);
    const wHigh = Math.max(aw, bw, cw);
    // Plane through the triangle: w = aw + slopeU (u - au) + slopeV (v - av).
    const area = (bu - au) * (cv - av) - (bv - av) * (cu - au);
    const slopeU = ((bw - aw) * (cv - av) - (bv - av) * (cw - aw)) / area;
    const slopeV = ((bu - au) * (cw - aw) - (bw - aw) * (cu - au)) / area;
    for (let k = first; k <= last; k++) {
      const pv = ov + k * sv;
      let spanLow = uLow;
      let spanHigh = uHigh;
      if (uHigh - uLow > 8 * su) {
        spanLow = Infinity;
        spanHigh = -Infinity;
        const widen = (xu: number, xv: number, yu: number, yv: number) => {
          const rise = yv - xv;
          const flat = Math.abs(rise) < 1e-6 * sv;
          if (!flat && (pv < Math.min(xv, yv) || pv > Math.max(xv, yv))) return;
          const low = flat ? Math.min(xu, yu) : xu + ((pv - xv) / rise) * (yu - xu);
          const high = flat ? Math.max(xu, yu) : low;
          spanLow = Math.min(spanLow, low);
          spanHigh = Math.max(spanHigh, high);
        };
        widen(au, av, bu, bv);
        widen(bu, bv, cu, cv);
        widen(cu, cv, au, av);
      }
      const begin = Math.max(0, Math.ceil((spanLow - ou) / su - 1e-6));
      const end = Math.min(nu - 1, Math.floor((spanHigh - ou) / su + 1e-6));
      for (let j = begin; j <= end; j++) {
        const pu = ou + j * su;
        const side = edgeSide(au, av, bu, bv, pu, pv);
        if (side === 0 || edgeSide(bu, bv, cu, cv, pu, pv) !== side || edgeSide(cu, cv, au, av, pu, pv) !== side)
          continue;
        const w = aw + slopeU * (pu - au) + slopeV * (pv - av);
        if (out.count === out.at.length) grow(out);
        out.row[out.count] = k * nu + j;
        out.at[out.count] = w >= wLow ? Math.min(w, wHigh) : wLow;
        out.shell[out.count++] = solid.shellOf[t]!;
      }
    }
  }
  return out;
}

/**
 * Side of point p of the directed edge a -> b, never undecided unless the edge is a point: p counts as
 * moved by an infinitesimal (e, e^2). The edge is taken in the order of its coordinates, so that both
 * triangles at it get opposite answers: a row through a closed surface crosses it an even number of times.
 */
function edgeSide(au: number, av: number, bu: number, bv: number, pu: number, pv: number): number {
  if (au > bu || (au === bu && av > bv)) return -edgeSide(bu, bv, au, av, pu, pv);
  const cross = (bu - au) * (pv - av) - (bv - av) * (pu - au);
  if (cross !== 0) return cross > 0 ? 1 : -1;
  if (bv !== av) return bv > av ? -1 : 1;
  return bu > au ? 1 : 0;
}

function grow(c: Crossings): void {
  const row = new Uint32Array(2 * c.row.length);
  row.set(c.row);
  c.row = row;
  const at = new Float64Array(2 * c.at.length);
  at.set(c.at);
  c.at = at;
  const shell = new Int32Array(2 * c.shell.length);
  shell.set(c.shell);
  c.shell = shell;
}

/** Sorts the crossings of each row and keeps those where inside and outside change. */
function toIntervals(crossings: Crossings, rowCount: number, polarity: Int8Array): Rows {
  const begin = new Uint32Array(rowCount + 1);
  for (let i = 0; i < crossings.count; i++) begin[crossings.row[i]! + 1]!++;
  for (let r = 0; r < rowCount; r++) begin[r + 1]! += begin[r]!;
  const fill = begin.slice(0, rowCount);
  const at = new Float64Array(crossings.count);
  const shell = new Int32Array(crossings.count);
  for (let i = 0; i < crossings.count; i++) {
    const slot = fill[crossings.row[i]!]!++;
    at[slot] = crossings.at[i]!;
    shell[slot] = crossings.shell[i]!;
  }
  const start = new Uint32Array(rowCount + 1);
  const unreliable = new Uint8Array(rowCount);
  const within = new Uint8Array(polarity.length);
  const odd = new Uint8Array(polarity.length);
  let written = 0;
  for (let r = 0; r < rowCount; r++) {
    start[r] = written;
    const from = begin[r]!;
    const to = begin[r + 1]!;
    sortRange(at, shell, from, to);
    // Shells crossed an odd number of times are open here and left out.
    for (let i = from; i < to; i++) odd[shell[i]!]! ^= 1;
    let level = 0;
    for (let i = from; i < to; i++) {
      const s = shell[i]!;
      if (odd[s] === 1) {
        unreliable[r] = 1;
        continue;
      }
      const before = level > 0;
      within[s]! ^= 1;
      level += within[s] === 1 ? polarity[s]! : -polarity[s]!;
      if (level > 0 !== before) at[written++] = at[i]!;
    }
    for (let i = from; i < to; i++) odd[shell[i]!] = 0;
  }
  start[rowCount] = written;
  return { start, at: at.slice(0, written), unreliable };
}

/** Sorts at[from..to) ascending and takes `shell` along. */
function sortRange(at: Float64Array, shell: Int32Array, from: number, to: number): void {
  if (to - from > 48) {
    const order = Array.from({ length: to - from }, (_, i) => from + i).sort((a, b) => at[a]! - at[b]! || a - b);
    const sortedAt = order.map((i) => at[i]!);
    const sortedShell = order.map((i) => shell[i]!);
    at.set(sortedAt, from);
    shell.set(sortedShell, from);
    return;
  }
  for (let i = from + 1; i < to; i++) {
    const value = at[i]!;
    const s = shell[i]!;
    let j = i - 1;
    for (; j >= from && at[j]! > value; j--) {
      at[j + 1] = at[j]!;
      shell[j + 1] = shell[j]!;
    }
    at[j + 1] = value;
    shell[j + 1] = s;
  }
}

/** Share of the rows that meet the solid which are unreliable [1]; 0 for closed meshes. */
export function unreliableShare(rows: Rows): number {
  let bad = 0;
  let met = 0;
  for (let r = 0; r < rows.unreliable.length; r++) {
    if (rows.unreliable[r] === 1) bad++;
    else if (rows.start[r + 1]! > rows.start[r]!) met++;
  }
  return bad === 0 ? 0 : bad / (bad + met);
}
