/** Rays against the primitives of a picture. */
import { DEEPEST, type Tree } from './bvh.js';
import { type Geometry, GLASS, MATERIAL_STRIDE } from './geometry.js';

/** Barycentric coordinates may miss a triangle by this: no ray slips through between neighbours. */
const SLACK = 1e-9;

export class Rays {
  /** Of the last hit: distance, primitive (-1 for none), and on a triangle the weights of corners 1 and 2. */
  distance = Infinity;
  primitive = -1;
  u = 0;
  v = 0;
  readonly #geometry: Geometry;
  readonly #tree: Tree;
  readonly #stack = new Int32Array(DEEPEST);
  /** 1 for primitives that light goes through. */
  readonly #clear: Uint8Array;
  readonly hasGlass: boolean;

  constructor(geometry: Geometry, tree: Tree) {
    this.#geometry = geometry;
    this.#tree = tree;
    const { materialOf, materials } = geometry;
    this.#clear = new Uint8Array(materialOf.length);
    let hasGlass = false;
    for (let i = 0; i < materialOf.length; i++) {
      if (materials[MATERIAL_STRIDE * materialOf[i]!] !== GLASS) continue;
      this.#clear[i] = 1;
      hasGlass = true;
    }
    this.hasGlass = hasGlass;
  }

  /** The nearest hit up to `far`; true when there is one. */
  closest(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, far: number): boolean {
    this.distance = far;
    this.primitive = -1;
    return this.#traverse(ox, oy, oz, dx, dy, dz, false);
  }

  /** Whether something that is not glass is in the way up to `far`. */
  blocked(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, far: number): boolean {
    this.distance = far;
    this.primitive = -1;
    return this.#traverse(ox, oy, oz, dx, dy, dz, true);
  }

  #traverse(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, any: boolean): boolean {
    const { boxes, children, leaves, order } = this.#tree;
    const stack = this.#stack;
    // A direction along an axis must not give NaN where the ray is in the plane of a box.
    const ix = 1 / (dx === 0 ? 1e-300 : dx);
    const iy = 1 / (dy === 0 ? 1e-300 : dy);
    const iz = 1 / (dz === 0 ? 1e-300 : dz);
    // Which side of a box comes first.
    const x0 = ix < 0 ? 1 : 0;
    const y0 = iy < 0 ? 3 : 2;
    const z0 = iz < 0 ? 5 : 4;
    const x1 = 1 - x0;
    const y1 = 5 - y0;
    const z1 = 9 - z0;
    let far = this.distance;
    let top = 0;
    let node = 0;
    for (;;) {
      if (node < 0) {
        const leaf = -1 - node;
        const end = leaves[2 * leaf + 1]!;
        for (let i = leaves[2 * leaf]!; i < end; i++) {
          const primitive = order[i]!;
          if (any && this.#clear[primitive] === 1) continue;
          if (!this.#hit(primitive, ox, oy, oz, dx, dy, dz)) continue;
          if (any) return true;
          far = this.distance;
        }
      } else {
        const l = 12 * node;
        const left = Math.max((boxes[l + x0]! - ox) * ix, (boxes[l + y0]! - oy) * iy, (boxes[l + z0]! - oz) * iz, 0);
        const leftEnd = Math.min(
          (boxes[l + x1]! - ox) * ix,
          (boxes[l + y1]! - oy) * iy,
          (boxes[l + z1]! - oz) * iz,
          far,
        );
        const r = l + 6;
        const right = Math.max((boxes[r + x0]! - ox) * ix, (boxes[r + y0]! - oy) * iy, (boxes[r + z0]! - oz) * iz, 0);
        const rightEnd = Math.min(
          (boxes[r + x1]! - ox) * ix,
          (boxes[r + y1]! - oy) * iy,
          (boxes[r + z1]! - oz) * iz,
          far,
        );
        const isLeft = left <= leftEnd;
        if (right <= rightEnd) {
          if (!isLeft) node = children[2 * node + 1]!;
          else if (left <= right) {
            stack[top++] = children[2 * node + 1]!;
            node = children[2 * node]!;
          } else {
            stack[top++] = children[2 * node]!;
            node = children[2 * node + 1]!;
          }
          continue;
        }
        if (isLeft) {
          node = children[2 * node]!;
          continue;
        }
      }
      if (top === 0) break;
      node = stack[--top]!;
    }
    return this.primitive >= 0;
  }

  #hit(primitive: number, ox: number, oy: number, oz: number, dx: number, dy: number, dz: number): boolean {
    const { triangleCount } = this.#geometry;
    return primitive < triangleCount
      ? this.#hitTriangle(primitive, ox, oy, oz, dx, dy, dz)
      : this.#hitBall(primitive, ox, oy, oz, dx, dy, dz);
  }

  /** After Möller and Trumbore. */
  #hitTriangle(primitive: number, ox: number, oy: number, oz: number, dx: number, dy: number, dz: number): boolean {
    const t = this.#geometry.triangles;
    const at = 9 * primitive;
    const ax = t[at + 3]!;
    const ay = t[at + 4]!;
    const az = t[at + 5]!;
    const bx = t[at + 6]!;
    const by = t[at + 7]!;
    const bz = t[at + 8]!;
    const px = dy * bz - dz * by;
    const py = dz * bx - dx * bz;
    const pz = dx * by - dy * bx;
    const determinant = ax * px + ay * py + az * pz;
    if (determinant === 0) return false;
    const inverse = 1 / determinant;
    const sx = ox - t[at]!;
    const sy = oy - t[at + 1]!;
    const sz = oz - t[at + 2]!;
    const u = (sx * px + sy * py + sz * pz) * inverse;
    if (u < -SLACK || u > 1 + SLACK) return false;
    const qx = sy * az - sz * ay;
    const qy = sz * ax - sx * az;
    const qz = sx * ay - sy * ax;
    const v = (dx * qx + dy * qy + dz * qz) * inverse;
    if (v < -SLACK || u + v > 1 + SLACK) return false;
    const distance = (bx * qx + by * qy + bz * qz) * inverse;
    if (!(distance > 0 && distance < this.distance)) return false;
    this.distance = distance;
    this.primitive = primitive;
    this.u = u;
    this.v = v;
    return true;
  }

  #hitBall(primitive: number, ox: number, oy: number, oz: number, dx: number, dy: number, dz: number): boolean {
    const { balls, triangleCount } = this.#geometry;
    const at = 4 * (primitive - triangleCount);
    const x = balls[at]! - ox;
    const y = balls[at + 1]! - oy;
    const z = balls[at + 2]! - oz;
    const radius = balls[at + 3]!;
    const along = x * dx + y * dy + z * dz;
    // From the nearest point of the ray, which keeps digits when the ball is far away.
    const mx = x - along * dx;
    const my = y - along * dy;
    const mz = z - along * dz;
    const rest = radius * radius - (mx * mx + my * my + mz * mz);
    if (rest < 0) return false;
    const half = Math.sqrt(rest);
    let distance = along - half;
    if (!(distance > 0)) distance = along + half;
    if (!(distance > 0 && distance < this.distance)) return false;
    this.distance = distance;
    this.primitive = primitive;
    return true;
  }
}
