/**
 * Where discs on a mesh end: at its edges, which are the borders of the pieces that share no vertices. A disc keeps on
 * its own side of the two nearest.
 */
import type { DisplayMesh } from 'phyxel/browser';
import { Vector3 } from 'three';

/** A line that is never met. */
const NONE = [0, 0, 2] as const;

/** Cosine of the angle below which two borders go the same way. */
const SAME_SIDE = 0.9;

interface Border {
  readonly from: Vector3;
  readonly along: Vector3;
  /** Away from its triangle, in the triangle's plane. */
  readonly out: Vector3;
}

export class DiscCutter {
  readonly #radius: number;
  readonly #indices: Uint32Array;
  /** Borders at each vertex. */
  readonly #at = new Map<number, Border[]>();

  constructor({ positions, indices }: DisplayMesh, radius: number) {
    this.#radius = radius;
    this.#indices = indices;
    const place = (vertex: number) => new Vector3().fromArray(positions, 3 * vertex);
    const used = new Set<string>();
    for (const [a, b] of sidesOf(indices)) used.add(`${a} ${b}`);
    for (const [a, b, c] of sidesOf(indices)) {
      if (used.has(`${b} ${a}`)) continue;
      const from = place(a);
      const along = place(b).sub(from);
      const inward = place(c).sub(from);
      const out = inward
        .addScaledVector(along, -inward.dot(along) / along.lengthSq())
        .normalize()
        .negate();
      for (const vertex of [a, b]) {
        const known = this.#at.get(vertex);
        if (known) known.push({ from, along, out });
        else this.#at.set(vertex, [{ from, along, out }]);
      }
    }
  }

  /** Two lines of three numbers, for a disc on the triangle that begins at index `t`. */
  linesFor(t: number, center: readonly number[], normal: readonly number[]): number[] {
    const middle = new Vector3().fromArray(center);
    const near = new Map<Border, number>();
    for (let k = 0; k < 3; k++) {
      for (const border of this.#at.get(this.#indices[t + k]!) ?? []) {
        const distance = distanceTo(border, middle);
        if (distance < this.#radius) near.set(border, distance);
      }
    }
    if (near.size === 0) return [...NONE, ...NONE];
    const [a, b] = axesOf(new Vector3().fromArray(normal).normalize());
    const [first, ...others] = [...near.keys()].sort((one, other) => near.get(one)! - near.get(other)!);
    // At a corner the next side, not the next piece of the same side.
    const second = others.find(({ out }) => Math.abs(out.dot(first!.out)) < SAME_SIDE);
    const line = (border: Border | undefined) => {
      if (!border) return NONE;
      const reach = Math.max(0, border.out.dot(border.from) - border.out.dot(middle));
      return [border.out.dot(a), border.out.dot(b), reach / this.#radius];
    };
    return [...line(first), ...line(second)];
  }
}

/** Sides of all triangles, with the corner opposite. */
function* sidesOf(indices: Uint32Array): Generator<[number, number, number]> {
  for (let t = 0; t < indices.length; t += 3) {
    for (let k = 0; k < 3; k++) yield [indices[t + k]!, indices[t + ((k + 1) % 3)]!, indices[t + ((k + 2) % 3)]!];
  }
}

function distanceTo({ from, along }: Border, point: Vector3): number {
  const share = Math.min(1, Math.max(0, (point.dot(along) - from.dot(along)) / along.lengthSq()));
  return from.clone().addScaledVector(along, share).distanceTo(point);
}

/** The axes of a disc, as the shader chooses them. */
function axesOf(n: Vector3): [Vector3, Vector3] {
  const across = Math.abs(n.y) < 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
  const a = across.cross(n).normalize();
  return [a, n.clone().cross(a)];
}
