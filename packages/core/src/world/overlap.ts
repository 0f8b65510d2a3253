import * as layout from '../particles/layout.js';
import type { WorldModel } from './model.js';

/** Particles of different bodies nearer than this share of their touching distance overlap. */
const OVERLAP_SHARE = 0.7;

export interface Overlap {
  readonly bodies: readonly [number, number];
  readonly at: readonly [number, number, number];
}

/** Particles of a body: how many, where they are and how large. */
export interface Cloud {
  readonly count: number;
  readonly positionOf: (i: number) => [number, number, number];
  readonly radiusOf: (i: number) => number;
}

/** Bodies that are not liquids. */
export function solidClouds({ store, ranges, elastic }: WorldModel): Cloud[] {
  const rest = store.vectors(layout.REST);
  const u = store.vectors(layout.DISPLACEMENT);
  const isPresent = store.presence();
  const bodyOf = store.integers(layout.BODY_OF, store.count);
  return ranges.map(({ begin, end }) => {
    const numbers = Array.from({ length: end - begin }, (_, k) => begin + k).filter(isPresent);
    return {
      count: numbers.length,
      positionOf: (k) => {
        const i = 4 * numbers[k]!;
        const { rotation: r, origin: c } = elastic.frames[bodyOf[numbers[k]!]!]!;
        const [x, y, z] = [rest[i]! + u[i]!, rest[i + 1]! + u[i + 1]!, rest[i + 2]! + u[i + 2]!];
        return [
          r[0] * x + r[1] * y + r[2] * z + c[0],
          r[3] * x + r[4] * y + r[5] * z + c[1],
          r[6] * x + r[7] * y + r[8] * z + c[2],
        ];
      },
      radiusOf: (k) => rest[4 * numbers[k]! + 3]!,
    };
  });
}

/** The first two bodies found inside each other, one of them of number `first` or above. */
export function findOverlap(clouds: readonly Cloud[], first: number): Overlap | undefined {
  if (clouds.length < 2) return undefined;
  const boxes = clouds.map(({ count, positionOf, radiusOf }) => {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    let radius = 0;
    for (let i = 0; i < count; i++) {
      const p = positionOf(i);
      radius = Math.max(radius, radiusOf(i));
      for (let a = 0; a < 3; a++) {
        low[a] = Math.min(low[a]!, p[a]!);
        high[a] = Math.max(high[a]!, p[a]!);
      }
    }
    return { low, high, radius };
  });
  for (let b = Math.max(1, first); b < clouds.length; b++) {
    for (let a = 0; a < b; a++) {
      const [one, two] = [boxes[a]!, boxes[b]!];
      const reach = OVERLAP_SHARE * (one.radius + two.radius);
      const near = [0, 1, 2].every((k) => one.low[k]! < two.high[k]! + reach && two.low[k]! < one.high[k]! + reach);
      if (!near) continue;
      const inBoth = (p: readonly number[]) =>
        [0, 1, 2].every(
          (k) =>
            p[k]! > Math.max(one.low[k]!, two.low[k]!) - reach && p[k]! < Math.min(one.high[k]!, two.high[k]!) + reach,
        );
      const key = (p: readonly number[], dx = 0, dy = 0, dz = 0) =>
        `${Math.floor(p[0]! / reach) + dx},${Math.floor(p[1]! / reach) + dy},${Math.floor(p[2]! / reach) + dz}`;
      const cells = new Map<string, { p: [number, number, number]; radius: number }[]>();
      for (let i = 0; i < clouds[a]!.count; i++) {
        const p = clouds[a]!.positionOf(i);
        if (!inBoth(p)) continue;
        const cell = cells.get(key(p));
        const entry = { p, radius: clouds[a]!.radiusOf(i) };
        if (cell) cell.push(entry);
        else cells.set(key(p), [entry]);
      }
      if (cells.size === 0) continue;
      for (let j = 0; j < clouds[b]!.count; j++) {
        const q = clouds[b]!.positionOf(j);
        if (!inBoth(q)) continue;
        for (let n = 0; n < 27; n++) {
          const cell = cells.get(key(q, (n % 3) - 1, (Math.floor(n / 3) % 3) - 1, Math.floor(n / 9) - 1));
          for (const { p, radius } of cell ?? []) {
            const touch = OVERLAP_SHARE * (radius + clouds[b]!.radiusOf(j));
            const d2 = (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2;
            if (d2 < touch * touch) return { bodies: [a, b], at: q };
          }
        }
      }
    }
  }
  return undefined;
}
