/** Terms of the series: the last one of numbers between a tenth and ten is 1e-14. */
const TERMS = 80;

/** Natural logarithm of a number between a tenth and ten: Math.log may differ between engines in the last bit. */
export function naturalLogarithm(x: number): number {
  const z = (x - 1) / (x + 1);
  let sum = 0;
  for (let n = 2 * TERMS + 1; n > 0; n -= 2) sum = sum * z * z + 1 / n;
  return 2 * z * sum;
}
