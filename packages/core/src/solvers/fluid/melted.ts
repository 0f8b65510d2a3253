import { invert, type Matrix3, transform } from '../../math/matrix3.js';
import type { Vec3 } from '../../options/types.js';
import type { Frame } from '../../particles/frame.js';

/** A body that was a solid up to now, as it is deformed. */
export interface MeltedBody {
  /** Of its particles in the world, four numbers each [m], [m/s]; the fourth of a position is 0 where there is none. */
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  /** Where its rest shape stands. */
  readonly frame: Frame;
  /** Those of the solid. */
  readonly neighbors: NeighborLists;
  /** As PLASTIC of layout.ts, where it may have flowed. */
  readonly plastic?: Float32Array | undefined;
  /** Of a body without a rest shape: the elastic stretch of every particle, which stays; F_p follows from it. */
  readonly stretches?: readonly Matrix3[] | undefined;
}

/** Neighbours of particles: those of i are [begins[i], begins[i + 1]), by rising number. */
export interface NeighborLists {
  readonly begins: Uint32Array;
  readonly others: Uint32Array;
}

/** Bonds of a body's rest shape. */
export interface RestBonds extends NeighborLists {
  /** r_ij, xyz, turned to where the body stands [m]. */
  readonly vectors: Float32Array;
}

/** The body's neighbours at rest as far as a support reaches; r_ji is -r_ij to the bit. `rest` has four numbers each. */
export function restBonds(rest: Float32Array, { frame, neighbors }: MeltedBody, support: number): RestBonds {
  const count = neighbors.begins.length - 1;
  const begins = new Uint32Array(count + 1);
  const others: number[] = [];
  const vectors: number[] = [];
  for (let i = 0; i < count; i++) {
    for (let k = neighbors.begins[i]!; k < neighbors.begins[i + 1]!; k++) {
      const j = neighbors.others[k]!;
      const r: Vec3 = [
        rest[4 * j]! - rest[4 * i]!,
        rest[4 * j + 1]! - rest[4 * i + 1]!,
        rest[4 * j + 2]! - rest[4 * i + 2]!,
      ];
      if (!(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] < support * support)) continue;
      others.push(j);
      vectors.push(...transform(frame.rotation, r));
    }
    begins[i + 1] = others.length;
  }
  return { begins, others: Uint32Array.from(others), vectors: Float32Array.from(vectors) };
}

/**
 * The same of a body without a rest shape: vectors are what the present ones are without the elastic stretches of both
 * ends, so that they are as long as they would be without stress.
 */
export function relaxedBonds({ positions: x, neighbors, stretches }: MeltedBody, support: number): RestBonds {
  const inverses = stretches!.map(invert);
  const count = neighbors.begins.length - 1;
  const begins = new Uint32Array(count + 1);
  const others: number[] = [];
  const vectors: number[] = [];
  for (let i = 0; i < count; i++) {
    for (let k = neighbors.begins[i]!; k < neighbors.begins[i + 1]!; k++) {
      const j = neighbors.others[k]!;
      // The sum of the two is the same seen from either end.
      const both = inverses[i]!.map((value, n) => 0.5 * (value + inverses[j]![n]!)) as unknown as Matrix3;
      const r = transform(both, [x[4 * j]! - x[4 * i]!, x[4 * j + 1]! - x[4 * i + 1]!, x[4 * j + 2]! - x[4 * i + 2]!]);
      if (!(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] < support * support)) continue;
      others.push(j);
      vectors.push(...r);
    }
    begins[i + 1] = others.length;
  }
  return { begins, others: Uint32Array.from(others), vectors: Float32Array.from(vectors) };
}
