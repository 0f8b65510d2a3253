import { transform } from '../../math/matrix3.js';
import type { Vec3 } from '../../options/types.js';
import type { Frame } from '../../particles/frame.js';

/** A body that was a solid up to now, as it is deformed. */
export interface MeltedBody {
  /** Of its particles in the world, four numbers each [m], [m/s]. */
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  /** Where its rest shape stands. */
  readonly frame: Frame;
  /** As PLASTIC of layout.ts, where it may have flowed. */
  readonly plastic?: Float32Array | undefined;
}

/** Bonds of a body's rest shape: those of particle i are [begins[i], begins[i + 1]). */
export interface RestBonds {
  readonly begins: Uint32Array;
  readonly others: Uint32Array;
  /** r_ij, xyz, turned to where the body stands [m]. */
  readonly vectors: Float32Array;
}

/** Everybody within the support at rest, by rising number; r_ji is -r_ij to the bit. `rest` has four numbers each. */
export function restBonds(
  rest: Float32Array,
  count: number,
  support: number,
  { rotation }: Pick<Frame, 'rotation'>,
): RestBonds {
  const cells = new Map<string, number[]>();
  const cellOf = (i: number, a: number) => Math.floor(rest[4 * i + a]! / support);
  for (let i = 0; i < count; i++) {
    const key = `${cellOf(i, 0)} ${cellOf(i, 1)} ${cellOf(i, 2)}`;
    const cell = cells.get(key);
    if (cell) cell.push(i);
    else cells.set(key, [i]);
  }
  const begins = new Uint32Array(count + 1);
  const others: number[] = [];
  const vectors: number[] = [];
  for (let i = 0; i < count; i++) {
    const near: number[] = [];
    for (let x = -1; x <= 1; x++) {
      for (let y = -1; y <= 1; y++) {
        for (let z = -1; z <= 1; z++) {
          near.push(...(cells.get(`${cellOf(i, 0) + x} ${cellOf(i, 1) + y} ${cellOf(i, 2) + z}`) ?? []));
        }
      }
    }
    for (const j of near.sort((a, b) => a - b)) {
      const r: Vec3 = [
        rest[4 * j]! - rest[4 * i]!,
        rest[4 * j + 1]! - rest[4 * i + 1]!,
        rest[4 * j + 2]! - rest[4 * i + 2]!,
      ];
      if (j === i || !(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] < support * support)) continue;
      others.push(j);
      vectors.push(...transform(rotation, r));
    }
    begins[i + 1] = others.length;
  }
  return { begins, others: Uint32Array.from(others), vectors: Float32Array.from(vectors) };
}
