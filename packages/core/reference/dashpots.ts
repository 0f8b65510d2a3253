/** Viscosity of solids once more, see assembly/solid/viscosity.ts. */
export interface Dashpots {
  /** Three numbers per particle [m], [m/s]. */
  readonly positions: ArrayLike<number>;
  readonly velocities: ArrayLike<number>;
  /** 15 eta V of each particle [Pa s m3]. */
  readonly shares: ArrayLike<number>;
  /** Neighbours of a particle, and the lengths of g_ij. */
  readonly neighborsOf: (i: number) => readonly (readonly [j: number, length: number])[];
}

/** Forces on the particles [N], three numbers each: sum_j k_ij n (n . (v_j - v_i)). */
export function dashpotForces({ positions: x, velocities: v, shares, neighborsOf }: Dashpots): Float64Array {
  const between = (of: ArrayLike<number>, i: number, j: number) =>
    [0, 1, 2].map((a) => of[3 * j + a]! - of[3 * i + a]!);
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, part, k) => sum + part * b[k]!, 0);
  const strengths = Array.from(shares, (share, i) => {
    const sum = neighborsOf(i).reduce((total, [j, length]) => {
      const r = between(x, i, j);
      return total + length * dot(r, r);
    }, 0);
    return sum > 0 ? share / sum : 0;
  });
  const forces = new Float64Array(3 * shares.length);
  for (let i = 0; i < shares.length; i++) {
    for (const [j, length] of neighborsOf(i)) {
      const r = between(x, i, j);
      const k = (strengths[i]! + strengths[j]!) * length;
      const along = (k * dot(between(v, i, j), r)) / dot(r, r);
      for (let a = 0; a < 3; a++) forces[3 * i + a]! += along * r[a]!;
    }
  }
  return forces;
}
