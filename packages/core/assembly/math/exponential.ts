/** Exponential and logarithm with the same bits in every engine, f64. */

/** Arguments for which a few terms do. */
const SMALL: f64 = 0.01;
const LN2: f64 = 0.6931471805599453;

/** e^x - 1, without cancellation near zero. */
export function expm1(x: f64): f64 {
  if (x < -40) return -1;
  if (abs(x) < SMALL) {
    // The same series; what is left out is below the last digit.
    let few: f64 = 0.0001984126984126984;
    few = 0.001388888888888889 + x * few;
    few = 0.008333333333333333 + x * few;
    few = 0.041666666666666664 + x * few;
    few = 0.16666666666666666 + x * few;
    few = 0.5 + x * few;
    return x * (1.0 + x * few);
  }
  const halvings = nearest(x / LN2);
  const r = x - halvings * LN2;
  // Taylor series of e^r - 1, |r| < 0.35.
  let sum: f64 = 1.6059043836821613e-10;
  sum = 2.08767569878681e-09 + r * sum;
  sum = 2.505210838544172e-08 + r * sum;
  sum = 2.755731922398589e-07 + r * sum;
  sum = 2.7557319223985893e-06 + r * sum;
  sum = 2.48015873015873e-05 + r * sum;
  sum = 0.0001984126984126984 + r * sum;
  sum = 0.001388888888888889 + r * sum;
  sum = 0.008333333333333333 + r * sum;
  sum = 0.041666666666666664 + r * sum;
  sum = 0.16666666666666666 + r * sum;
  sum = 0.5 + r * sum;
  sum = 1.0 + r * sum;
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
  if (abs(x) < SMALL) {
    let few: f64 = 0.1111111111111111;
    few = 0.14285714285714285 + square * few;
    few = 0.2 + square * few;
    few = 0.3333333333333333 + square * few;
    return 2 * ratio * (1.0 + square * few);
  }
  let sum: f64 = 0.047619047619047616;
  sum = 0.05263157894736842 + square * sum;
  sum = 0.058823529411764705 + square * sum;
  sum = 0.06666666666666667 + square * sum;
  sum = 0.07692307692307693 + square * sum;
  sum = 0.09090909090909091 + square * sum;
  sum = 0.1111111111111111 + square * sum;
  sum = 0.14285714285714285 + square * sum;
  sum = 0.2 + square * sum;
  sum = 0.3333333333333333 + square * sum;
  sum = 1.0 + square * sum;
  return exponent * LN2 + 2 * ratio * sum;
}

// @ts-ignore: decorator
@inline
function powerOfTwo(n: i64): f64 {
  return reinterpret<f64>((n + 1023) << 52);
}
