/**
 * Delaunay tetrahedra of points, by inserting one after the other into a large tetrahedron (Bowyer 1981, Watson 1981).
 * In plain float64: points must be in general position, which those with a little disorder are.
 */

/** Corners of the tetrahedra, four numbers each; those of the large tetrahedron are left out. */
export function delaunay(points) {
  const count = points.length / 3;
  const mesh = new Tetrahedra(points);
  for (const i of alongCurve(points, count)) mesh.insert(i);
  return mesh.list(count);
}

class Tetrahedra {
  #points;
  /** Four corners, and across from each the neighbour; -1 outside. */
  #corners = [];
  #across = [];
  #alive = [];
  #free = [];
  #last = 0;

  constructor(points) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let k = 0; k < points.length; k++) {
      low[k % 3] = Math.min(low[k % 3], points[k]);
      high[k % 3] = Math.max(high[k % 3], points[k]);
    }
    const middle = low.map((x, a) => (x + high[a]) / 2);
    const far = 40 * Math.max(...low.map((x, a) => high[a] - x));
    const outer = [
      [1, 1, 1],
      [-1, -1, 1],
      [-1, 1, -1],
      [1, -1, -1],
    ].flatMap((way) => way.map((x, a) => middle[a] + far * x));
    this.#points = Float64Array.from([...points, ...outer]);
    const n = points.length / 3;
    this.#make([n, n + 1, n + 2, n + 3]);
    if (this.#orientation(...this.#corners.slice(0, 4)) < 0) this.#corners.splice(0, 2, n + 1, n);
  }

  list(count) {
    const kept = [];
    for (let t = 0; t < this.#alive.length; t++) {
      const corners = this.#corners.slice(4 * t, 4 * t + 4);
      if (this.#alive[t] && corners.every((v) => v < count)) kept.push(...corners);
    }
    return Uint32Array.from(kept);
  }

  insert(p) {
    const cavity = this.#cavity(p, this.#locate(p));
    // The faces of the cavity, each with what is behind it.
    const faces = [];
    for (const t of cavity) {
      for (let k = 0; k < 4; k++) {
        const behind = this.#across[4 * t + k];
        if (behind < 0 || !cavity.has(behind)) faces.push({ face: this.#face(t, k), behind });
      }
    }
    for (const t of cavity) {
      this.#alive[t] = false;
      this.#free.push(t);
    }
    const open = new Map();
    for (const { face, behind } of faces) {
      const t = this.#make([p, ...face]);
      this.#across[4 * t] = behind;
      if (behind >= 0) this.#across[4 * behind + this.#placeOf(behind, face)] = t;
      for (let k = 0; k < 3; k++) {
        const [a, b] = [face[(k + 1) % 3], face[(k + 2) % 3]];
        const key = a < b ? `${a} ${b}` : `${b} ${a}`;
        const other = open.get(key);
        if (other === undefined) open.set(key, { t, k });
        else {
          this.#across[4 * t + k + 1] = other.t;
          this.#across[4 * other.t + other.k + 1] = t;
        }
      }
      this.#last = t;
    }
  }

  #make(corners) {
    const t = this.#free.pop() ?? this.#alive.length;
    for (let k = 0; k < 4; k++) {
      this.#corners[4 * t + k] = corners[k];
      this.#across[4 * t + k] = -1;
    }
    this.#alive[t] = true;
    return t;
  }

  /** The face across from a corner, such that that corner before it makes a positive tetrahedron. */
  #face(t, k) {
    const [a, b, c, d] = this.#corners.slice(4 * t, 4 * t + 4);
    return [
      [b, c, d],
      [a, d, c],
      [a, b, d],
      [a, c, b],
    ][k];
  }

  /** Which corner of a tetrahedron is not in a face. */
  #placeOf(t, face) {
    for (let k = 0; k < 4; k++) if (!face.includes(this.#corners[4 * t + k])) return k;
    throw new Error('a neighbour has lost its face');
  }

  /** Walks to the tetrahedron that holds a point. */
  #locate(p) {
    let t = this.#last;
    for (let step = 0; step < 1e6; step++) {
      let next = -1;
      for (let n = 0; n < 4 && next < 0; n++) {
        const k = (n + step) % 4;
        const behind = this.#across[4 * t + k];
        if (behind >= 0 && this.#orientation(p, ...this.#face(t, k)) < 0) next = behind;
      }
      if (next < 0) return t;
      t = next;
    }
    throw new Error('points are not in general position');
  }

  /** All tetrahedra whose spheres hold the point. */
  #cavity(p, start) {
    const cavity = new Set([start]);
    const stack = [start];
    while (stack.length > 0) {
      const t = stack.pop();
      for (let k = 0; k < 4; k++) {
        const behind = this.#across[4 * t + k];
        if (behind < 0 || cavity.has(behind)) continue;
        // What the point does not see goes too, or the new tetrahedra would overlap.
        if (!this.#isInSphere(behind, p) && this.#orientation(p, ...this.#face(t, k)) > 0) continue;
        cavity.add(behind);
        stack.push(behind);
      }
    }
    return cavity;
  }

  /** Six times the volume. */
  #orientation(a, b, c, d) {
    const p = this.#points;
    const [ux, uy, uz] = [p[3 * b] - p[3 * a], p[3 * b + 1] - p[3 * a + 1], p[3 * b + 2] - p[3 * a + 2]];
    const [vx, vy, vz] = [p[3 * c] - p[3 * a], p[3 * c + 1] - p[3 * a + 1], p[3 * c + 2] - p[3 * a + 2]];
    const [wx, wy, wz] = [p[3 * d] - p[3 * a], p[3 * d + 1] - p[3 * a + 1], p[3 * d + 2] - p[3 * a + 2]];
    return ux * (vy * wz - vz * wy) - uy * (vx * wz - vz * wx) + uz * (vx * wy - vy * wx);
  }

  #isInSphere(t, e) {
    const p = this.#points;
    const rows = [];
    for (let k = 0; k < 4; k++) {
      const v = 3 * this.#corners[4 * t + k];
      const [x, y, z] = [p[v] - p[3 * e], p[v + 1] - p[3 * e + 1], p[v + 2] - p[3 * e + 2]];
      rows.push([x, y, z, x * x + y * y + z * z]);
    }
    const minor = (a, b, c) =>
      a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    const [a, b, c, d] = rows;
    return a[3] * minor(b, c, d) - b[3] * minor(a, c, d) + c[3] * minor(a, b, d) - d[3] * minor(a, b, c) > 0;
  }
}

/** Points near each other one after the other: along rows of cells that turn back at their ends. */
function alongCurve(points, count) {
  const low = [0, 1, 2].map((a) => points.reduce((m, x, k) => (k % 3 === a ? Math.min(m, x) : m), Infinity));
  const high = [0, 1, 2].map((a) => points.reduce((m, x, k) => (k % 3 === a ? Math.max(m, x) : m), -Infinity));
  const cells = Math.max(1, Math.round((count / 8) ** (1 / 3)));
  const key = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [0, 1, 2].map((a) => {
      const share = (points[3 * i + a] - low[a]) / (high[a] - low[a] || 1);
      return Math.min(cells - 1, Math.floor(share * cells));
    });
    const row = z % 2 === 0 ? y : cells - 1 - y;
    const column = (z * cells + y) % 2 === 0 ? x : cells - 1 - x;
    key[i] = (z * cells + row) * cells + column;
  }
  return Uint32Array.from({ length: count }, (_, i) => i).sort((a, b) => key[a] - key[b] || a - b);
}
