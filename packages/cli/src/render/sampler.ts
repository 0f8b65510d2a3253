/**
 * Numbers for the rays of a pixel: the first two dimensions of Sobol's sequence, in an order and with a digital
 * shift of their own for every pixel and every use. They depend on the pixel's place alone, so a picture does
 * not depend on threads, and what stands still does not flicker in a video.
 */
export class Sampler {
  /** The two numbers last drawn, in [0, 1). */
  x = 0;
  y = 0;
  readonly #mask: number;
  readonly #first: Uint32Array;
  readonly #second: Uint32Array;
  #pixel = 0;
  #sample = 0;
  #use = 0;

  constructor(samples: number) {
    let size = 1;
    while (size < samples) size *= 2;
    this.#mask = size - 1;
    this.#first = new Uint32Array(size);
    this.#second = new Uint32Array(size);
    for (let i = 0; i < size; i++) {
      let [a, b] = [0, 0];
      let v = 1 << 31;
      for (let bits = i, bit = 31; bits !== 0; bits >>>= 1, bit--, v ^= v >>> 1) {
        if ((bits & 1) === 0) continue;
        a |= 1 << bit;
        b ^= v;
      }
      this.#first[i] = a;
      this.#second[i] = b;
    }
  }

  /** The next numbers drawn are those of one sample of one pixel. */
  start(pixel: number, sample: number): void {
    this.#pixel = mix(pixel + 0x9e3779b9);
    this.#sample = sample;
    this.#use = 0;
  }

  draw(): void {
    const seed = mix(this.#pixel ^ Math.imul(++this.#use, 0x85ebca6b));
    const i = shuffle(this.#sample, seed) & this.#mask;
    this.x = ((this.#first[i]! ^ mix(seed + 1)) >>> 0) * 2 ** -32;
    this.y = ((this.#second[i]! ^ mix(seed + 2)) >>> 0) * 2 ** -32;
  }
}

/** Scatters the bits of a number. */
export function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return h ^ (h >>> 16);
}

/** A permutation of the numbers below every power of two: each bit depends on lower ones only. */
function shuffle(value: number, seed: number): number {
  let h = (value + seed) | 0;
  h = Math.imul(h, (seed << 1) | 1);
  h ^= Math.imul(h, 0x6c50b47c);
  h ^= Math.imul(h, 0xb82f1e52);
  h ^= Math.imul(h, 0xc7afe638);
  return h ^ Math.imul(h, 0x8d22f6e6);
}
