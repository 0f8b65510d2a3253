/** What the ends of the colours stand for. */
import type { Quantity } from 'phyxel/browser';

export type Ends = readonly [low: number, high: number];

/** Colours keep their meaning: the range covers everything that was seen of a quantity, but for ends that are fixed. */
export class ColorRange {
  #quantity: Quantity | undefined;
  #seen: Ends = [0, 0];
  #fixed: readonly [number | undefined, number | undefined] = [undefined, undefined];

  /** A frame shows a quantity with these values. */
  see(quantity: Quantity, [low, high]: Ends): void {
    if (quantity !== this.#quantity) {
      this.#quantity = quantity;
      this.#fixed = [undefined, undefined];
      this.#seen = [low, high];
    } else this.#seen = [Math.min(low, this.#seen[0]), Math.max(high, this.#seen[1])];
  }

  get ends(): Ends {
    return [this.#fixed[0] ?? this.#seen[0], this.#fixed[1] ?? this.#seen[1]];
  }

  get fixed(): readonly [boolean, boolean] {
    return [this.#fixed[0] !== undefined, this.#fixed[1] !== undefined];
  }

  /** Fixes an end: values beyond have its colour. Answers whether that leaves a range. */
  fix(end: 0 | 1, value: number): boolean {
    const ends = this.ends.with(end, value);
    if (!(ends[0]! < ends[1]!)) return false;
    this.#fixed = this.#fixed.with(end, value) as [number | undefined, number | undefined];
    return true;
  }

  /** Forgets what was seen and fixed, and begins with these values. */
  reset(ends: Ends): void {
    this.#fixed = [undefined, undefined];
    this.#seen = ends;
  }
}
