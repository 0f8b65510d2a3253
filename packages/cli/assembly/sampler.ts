// Numbers for the rays of a pixel: the first two dimensions of Sobol's sequence, in an order and with a scrambling of
// their own for every pixel and every use (Owen 1995, by the hash of Laine and Karras 2011). They depend on the pixel
// alone, so a picture does not depend on threads, and what stands still does not flicker in a video.

/** The two numbers last drawn, in [0, 1). */
export let x: f64 = 0;
export let y: f64 = 0;
let pixel: u32 = 0;
let sample: u32 = 0;
let use: u32 = 0;
let mask: u32 = 0;

/** Most samples of a pixel; powers of two are spread best. */
export function setMostSamples(most: u32): void {
  mask = most > 1 ? 0xffffffff >> clz(most - 1) : 0;
}

/** The next numbers drawn are those of one sample of one pixel. */
export function start(pixel_: u32, sample_: u32): void {
  pixel = mix(pixel_ + 0x9e3779b9);
  sample = sample_;
  use = 0;
}

export function draw(): void {
  const seed = mix(pixel ^ (++use * 0x85ebca6b));
  // A permutation in which every bit depends on higher ones only: the first samples are spread as well as all are.
  const i = reverse(scramble(reverse(sample), seed)) & mask;
  x = <f64>(reverse(i) ^ mix(seed + 1)) * 2.3283064365386963e-10;
  y = <f64>(sobol(i) ^ mix(seed + 2)) * 2.3283064365386963e-10;
}

/** The second dimension of the sequence. */
// @ts-ignore: decorator
@inline
function sobol(index: u32): u32 {
  let sum: u32 = 0;
  for (let v: u32 = 1 << 31; index != 0; index >>= 1, v ^= v >> 1) if (index & 1) sum ^= v;
  return sum;
}

/** Scatters the bits of a number. */
// @ts-ignore: decorator
@inline
function mix(h: u32): u32 {
  h = (h ^ (h >> 16)) * 0x7feb352d;
  h = (h ^ (h >> 15)) * 0x846ca68b;
  return h ^ (h >> 16);
}

// @ts-ignore: decorator
@inline
function scramble(value: u32, seed: u32): u32 {
  let h = (value + seed) * ((seed << 1) | 1);
  h ^= h * 0x6c50b47c;
  h ^= h * 0xb82f1e52;
  h ^= h * 0xc7afe638;
  return h ^ (h * 0x8d22f6e6);
}

// @ts-ignore: decorator
@inline
function reverse(v: u32): u32 {
  v = ((v >> 1) & 0x55555555) | ((v & 0x55555555) << 1);
  v = ((v >> 2) & 0x33333333) | ((v & 0x33333333) << 2);
  v = ((v >> 4) & 0x0f0f0f0f) | ((v & 0x0f0f0f0f) << 4);
  v = ((v >> 8) & 0x00ff00ff) | ((v & 0x00ff00ff) << 8);
  return (v >> 16) | (v << 16);
}
