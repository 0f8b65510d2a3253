/** Which segments cross a surface of triangles: exact decisions about coordinates that are rounded to whole numbers. */
import { sideOf } from './orientation.js';

/** Coordinates have so many bits, with the sign. */
const BITS = 25;

/**
 * Triangles that segments are tested against. A segment that meets an edge or a corner of the surface crosses exactly
 * one of the triangles there, so that nothing slips through between them.
 */
export class CrossingTest {
  readonly #points: Float64Array;
  readonly #triangles: ArrayLike<number>;
  readonly #center: readonly [number, number, number];
  readonly #scale: number;
  readonly #count: number;

  /**
   * Vertices, xyz, and three for each triangle. `reach` is how far from the first vertex any coordinate may be that is
   * looked at [m].
   */
  constructor(positions: ArrayLike<number>, triangles: ArrayLike<number>, reach: number) {
    this.#count = positions.length / 3;
    this.#triangles = triangles;
    this.#center = [positions[0]!, positions[1]!, positions[2]!];
    this.#scale = 2 ** (BITS - 1) / reach;
    // Two more for the ends of a segment.
    this.#points = new Float64Array(3 * (this.#count + 2));
    for (let v = 0; v < this.#count; v++) this.#set(v, positions[3 * v]!, positions[3 * v + 1]!, positions[3 * v + 2]!);
  }

  /** Moves a vertex. */
  move(v: number, x: number, y: number, z: number): void {
    this.#set(v, x, y, z);
  }

  /** Does a segment cross the surface an odd number of times? */
  crosses(ax: number, ay: number, az: number, bx: number, by: number, bz: number): boolean {
    const p = this.#count;
    this.#set(p, ax, ay, az);
    this.#set(p + 1, bx, by, bz);
    let isCrossed = false;
    for (let t = 0; t < this.#triangles.length; t += 3) {
      if (this.#crossesOne(this.#triangles[t]!, this.#triangles[t + 1]!, this.#triangles[t + 2]!, p)) {
        isCrossed = !isCrossed;
      }
    }
    return isCrossed;
  }

  #crossesOne(a: number, b: number, c: number, p: number): boolean {
    const x = this.#points;
    const q = p + 1;
    for (let k = 0; k < 3; k++) {
      const [u, v, w] = [x[3 * a + k]!, x[3 * b + k]!, x[3 * c + k]!];
      const [s, t] = [x[3 * p + k]!, x[3 * q + k]!];
      if (Math.max(u, v, w) < Math.min(s, t) || Math.min(u, v, w) > Math.max(s, t)) return false;
    }
    if (this.#isInFront(a, b, c, p) === this.#isInFront(a, b, c, q)) return false;
    const ab = this.#passes(p, q, a, b);
    return ab === this.#passes(p, q, b, c) && ab === this.#passes(p, q, c, a);
  }

  /** Is a point in front of a triangle? One in its plane is where the shift takes it. */
  #isInFront(a: number, b: number, c: number, p: number): boolean {
    const side = sideOf(this.#points, a, b, c, p);
    return side === 0 ? this.#isAhead(b, a, c, a) : side > 0;
  }

  /** On which side of a segment's line is an edge? Where they meet, by the shift of the segment. */
  #passes(p: number, q: number, u: number, v: number): boolean {
    const side = sideOf(this.#points, p, q, u, v);
    return side === 0 ? this.#isAhead(q, p, v, u) : side > 0;
  }

  /**
   * Ties are decided as if every segment were shifted by (e, e^2, e^3), e vanishing: by the first component of
   * (b - a) x (d - c) that is not zero, which is exact.
   */
  #isAhead(b: number, a: number, d: number, c: number): boolean {
    const x = this.#points;
    const of = (k: number) => [x[3 * b + k]! - x[3 * a + k]!, x[3 * d + k]! - x[3 * c + k]!] as const;
    for (const k of [0, 1, 2]) {
      const [[r, s], [t, u]] = [of((k + 1) % 3), of((k + 2) % 3)];
      const component = r * u - t * s;
      if (component !== 0) return component > 0;
    }
    return false;
  }

  #set(v: number, x: number, y: number, z: number): void {
    const [cx, cy, cz] = this.#center;
    this.#points[3 * v] = Math.round((x - cx) * this.#scale);
    this.#points[3 * v + 1] = Math.round((y - cy) * this.#scale);
    this.#points[3 * v + 2] = Math.round((z - cz) * this.#scale);
  }
}
