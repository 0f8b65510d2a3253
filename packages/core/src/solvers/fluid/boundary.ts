import { transform } from '../../math/matrix3.js';
import type { Vec3 } from '../../options/types.js';
import type { Frame } from '../../particles/frame.js';
import type { BodySamples } from '../../particles/samples.js';
import type { RadialKernel } from './kernels.js';

/** Points in cells of a given edge, to look up what is near. */
export class PointHash {
  readonly #edge: number;
  readonly #cells = new Map<string, number[]>();

  constructor(edge: number) {
    this.#edge = edge;
  }

  #cell(x: number, y: number, z: number): [number, number, number] {
    return [Math.floor(x / this.#edge), Math.floor(y / this.#edge), Math.floor(z / this.#edge)];
  }

  add(point: Vec3): void {
    const key = this.#cell(...point).join();
    const cell = this.#cells.get(key);
    if (cell) cell.push(...point);
    else this.#cells.set(key, [...point]);
  }

  /** Calls `visit` with the squared distance of every point within the edge of a cell. */
  visit(point: Vec3, visit: (distance2: number) => void): void {
    const [cx, cy, cz] = this.#cell(...point);
    for (let x = cx - 1; x <= cx + 1; x++) {
      for (let y = cy - 1; y <= cy + 1; y++) {
        for (let z = cz - 1; z <= cz + 1; z++) {
          const cell = this.#cells.get(`${x},${y},${z}`);
          if (!cell) continue;
          for (let k = 0; k < cell.length; k += 3) {
            const [dx, dy, dz] = [cell[k]! - point[0], cell[k + 1]! - point[1], cell[k + 2]! - point[2]];
            const distance2 = dx * dx + dy * dy + dz * dz;
            if (distance2 < this.#edge * this.#edge) visit(distance2);
          }
        }
      }
    }
  }
}

/** Positions that particles have taken, each as far around it as its edge says. */
export class TakenPositions {
  readonly #reach: (edge: number) => number;
  readonly #byEdge = new Map<number, PointHash>();

  constructor(reach: (edge: number) => number) {
    this.#reach = reach;
  }

  add(point: Vec3, edge: number): void {
    let hash = this.#byEdge.get(edge);
    if (!hash) {
      hash = new PointHash(this.#reach(edge));
      this.#byEdge.set(edge, hash);
    }
    hash.add(point);
  }

  has(point: Vec3): boolean {
    let found = false;
    for (const hash of this.#byEdge.values()) {
      hash.visit(point, () => {
        found = true;
      });
    }
    return found;
  }
}

const pointAt = (points: ArrayLike<number>, k: number, stride: number): Vec3 => [
  points[stride * k]!,
  points[stride * k + 1]!,
  points[stride * k + 2]!,
];

/**
 * Areas that boundary particles on a surface stand for, A_b = c / sum_k W_bk after N. Akinci et al. 2012: where
 * they are dense they weigh no more. c makes that of a flat square lattice the square of its spacing. Where space
 * repeats, `images` of the points are near them too.
 */
export function boundaryAreas(
  points: Float32Array,
  kernel: RadialKernel,
  spacing: number,
  images: Float32Array = new Float32Array(),
): Float32Array {
  const h = 2 * spacing;
  const hash = new PointHash(h);
  const count = points.length / 3;
  for (let k = 0; k < count; k++) hash.add(pointAt(points, k, 3));
  for (let k = 0; k < images.length / 3; k++) hash.add(pointAt(images, k, 3));
  let flat = 0;
  for (let x = -2; x <= 2; x++) {
    for (let y = -2; y <= 2; y++) flat += kernel.value(spacing * Math.sqrt(x * x + y * y), h);
  }
  const c = spacing * spacing * flat;
  return Float32Array.from({ length: count }, (_, k) => {
    let sum = 0;
    hash.visit(pointAt(points, k, 3), (distance2) => {
      sum += kernel.value(Math.sqrt(distance2), h);
    });
    return c / sum;
  });
}

/** A particle with this share of the neighbours of one deep inside is itself deep inside. */
const DEEP = 0.9;

/** Particles of a body that liquid outside it can feel: those that are not deep inside. */
export function outerParticles(samples: BodySamples, h: number): number[] {
  const hash = new PointHash(h);
  for (let i = 0; i < samples.count; i++) hash.add(pointAt(samples.rest, i, 4));
  const result: number[] = [];
  for (let i = 0; i < samples.count; i++) {
    const spacing = samples.rest[4 * i + 3]!;
    const whole = ((4 / 3) * Math.PI * h * h * h) / (spacing * spacing * spacing);
    let found = 0;
    hash.visit(pointAt(samples.rest, i, 4), () => {
      found++;
    });
    if (found < DEEP * whole) result.push(i);
  }
  return result;
}

/** Positions of a body's particles in the world. */
export function* positionsOf(samples: BodySamples, frame: Frame): Generator<Vec3> {
  for (let i = 0; i < samples.count; i++) {
    const [x, y, z] = transform(frame.rotation, pointAt(samples.rest, i, 4));
    yield [x + frame.origin[0], y + frame.origin[1], z + frame.origin[2]];
  }
}
