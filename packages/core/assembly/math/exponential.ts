/** Exponential and logarithm with the same bits in every engine, f64. */

const LN2: f64 = 0.6931471805599453;

/** e^x - 1, without cancellation near zero. */
export function expm1(x: f64): f64 {
  if (x < -40) return -1;
  const halvings = nearest(x / LN2);
  const r = x - halvings * LN2;
  // Taylor series of e^r - 1, |r| < 0.35, by Horner's rule.
  let sum: f64 = 1;
  for (let k: f64 = 16; k > 1; k--) sum = 1 + (r / k) * sum;
  sum *= r;
  if (halvings == 0) return sum;
  const power = powerOfTwo(<i64>min<f64>(halvings, 1023));
  return (sum + 1) * power - 1;
}

/** log(1 + x) for x > -1, without cancellation near zero. */
export function log1p(x: f64): f64 {
  let exponent: f64 = 0;
  let mantissa = x;
  if (x < -0.25 || x > 0.5) {
    const bits = reinterpret<u64>(1 + x);
    exponent = <f64>(<i64>((bits >> 52) & 0x7ff) - 1023);
    let m = reinterpret<f64>((bits & 0xfffffffffffff) | 0x3ff0000000000000);
    if (m > 1.4142135623730951) {
      m *= 0.5;
      exponent += 1;
    }
    mantissa = m - 1;
  }
  // log(1 + m) = 2 artanh(m / (2 + m)).
  const ratio = mantissa / (2 + mantissa);
  const square = ratio * ratio;
  let sum: f64 = 0;
  for (let k: f64 = 25; k > 0; k -= 2) sum = 1 / k + square * sum;
  return exponent * LN2 + 2 * ratio * sum;
}

// @ts-ignore: decorator
@inline
function powerOfTwo(n: i64): f64 {
  return reinterpret<f64>((n + 1023) << 52);
}
