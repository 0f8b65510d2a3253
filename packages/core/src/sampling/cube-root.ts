/** Cube root of a number >= 0 by Newton steps: Math.cbrt may differ between engines in the last bit. */
export function cubeRoot(x: number): number {
  if (x === 0) return 0;
  // Scale into [1, 8), where the steps below converge from 1.5.
  let scale = 1;
  let m = x;
  while (m >= 8) {
    m /= 8;
    scale *= 2;
  }
  while (m < 1) {
    m *= 8;
    scale /= 2;
  }
  let r = 1.5;
  for (let n = 0; n < 8; n++) r -= (r - m / (r * r)) / 3;
  return scale * r;
}
