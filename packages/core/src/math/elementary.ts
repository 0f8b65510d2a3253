/**
 * Exponential, logarithm, powers and arcs from IEEE additions, multiplications, divisions and square roots only, so
 * that every engine gives the same bits (those of Math may differ between them). Relative errors are below 1e-15, those
 * of the hyperbolic tangent below 1e-14.
 */
import { sineCosine } from './trigonometry.js';

// ln 2 in two parts: the first has trailing zero bits, so that k times it is exact.
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
/** Beyond these the result is infinite, or zero. */
const LARGEST_EXPONENT = 709.79;
const SMALLEST_EXPONENT = -745.2;
/** Largest angle that is reduced without loss of more than its own rounding [rad]. */
const LARGEST_ANGLE = 1e9;
/** Whole powers up to this are products, others go by the logarithm. */
const LARGEST_PRODUCT = 64;

const double = new DataView(new ArrayBuffer(8));

/** 2^k for whole k from -1022 to 1023. */
function powerOfTwo(k: number): number {
  double.setUint32(0, (k + 1023) << 20);
  double.setUint32(4, 0);
  return double.getFloat64(0);
}

export function exponential(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > LARGEST_EXPONENT) return Number.POSITIVE_INFINITY;
  if (x < SMALLEST_EXPONENT) return 0;
  const k = Math.round(x / LN2_HIGH);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  let sum = 1;
  for (let n = 16; n > 0; n--) sum = 1 + (r * sum) / n;
  // In two factors: the ends of the range are beyond one power.
  const half = Math.floor(k / 2);
  return sum * powerOfTwo(half) * powerOfTwo(k - half);
}

export function logarithm(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return x;
  let k = 0;
  let m = x;
  // Subnormal numbers.
  if (m < 2.2250738585072014e-308) {
    m *= 18014398509481984;
    k = -54;
  }
  double.setFloat64(0, m);
  const high = double.getUint32(0);
  k += (high >>> 20) - 1023;
  double.setUint32(0, (high & 0xfffff) | (1023 << 20));
  m = double.getFloat64(0);
  if (m > Math.SQRT2) {
    m /= 2;
    k++;
  }
  const z = (m - 1) / (m + 1);
  let sum = 0;
  for (let n = 25; n > 0; n -= 2) sum = sum * z * z + 1 / n;
  return k * LN2_HIGH + (2 * z * sum + k * LN2_LOW);
}

export function power(base: number, exponent: number): number {
  if (exponent === 0) return 1;
  if (Number.isInteger(exponent) && Math.abs(exponent) <= LARGEST_PRODUCT) {
    let product = 1;
    let square = base;
    for (let n = Math.abs(exponent); n > 0; n = Math.floor(n / 2)) {
      if (n % 2 === 1) product *= square;
      square *= square;
    }
    return exponent < 0 ? 1 / product : product;
  }
  if (base === 0) return exponent > 0 ? 0 : Number.POSITIVE_INFINITY;
  if (base > 0) return exponential(exponent * logarithm(base));
  if (!Number.isInteger(exponent)) return Number.NaN;
  const size = exponential(exponent * logarithm(-base));
  return exponent % 2 === 0 ? size : -size;
}

export function arcTangent(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x < 0) return -arcTangent(-x);
  if (x > 1) return Math.PI / 2 - arcTangent(1 / x);
  // Twice the arc of the half angle, twice: then below tan(pi / 16).
  let t = x;
  for (let k = 0; k < 2; k++) t = t / (1 + Math.sqrt(1 + t * t));
  const z = t * t;
  let sum = 0;
  for (let n = 27; n > 0; n -= 2) sum = 1 / n - z * sum;
  return 4 * t * sum;
}

/** Angle of the point (x, y) [rad]. */
export function arcTangent2(y: number, x: number): number {
  if (x > 0) return arcTangent(y / x);
  if (x < 0) return y < 0 ? arcTangent(y / x) - Math.PI : arcTangent(y / x) + Math.PI;
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  return y > 0 ? Math.PI / 2 : y < 0 ? -Math.PI / 2 : 0;
}

/** Not a number beyond [-1, 1]. */
export const arcSine = (x: number): number => arcTangent2(x, Math.sqrt((1 - x) * (1 + x)));
export const arcCosineOf = (x: number): number => arcTangent2(Math.sqrt((1 - x) * (1 + x)), x);

export function hyperbolicTangent(x: number): number {
  if (Math.abs(x) > 20) return x > 0 ? 1 : -1;
  // The series where the difference of exponentials would cancel.
  if (Math.abs(x) < 0.1) {
    const z = x * x;
    return x * (1 - z * (1 / 3 - z * (2 / 15 - z * (17 / 315 - z * (62 / 2835 - (z * 1382) / 155925)))));
  }
  const e = exponential(2 * x);
  return (e - 1) / (e + 1);
}

/** Sine and cosine of an angle [rad]; not a number where it is larger than 1e9 and its rounding is an angle itself. */
export const sine = (x: number): number => (Math.abs(x) <= LARGEST_ANGLE ? sineCosine(x).sine : Number.NaN);
export const cosine = (x: number): number => (Math.abs(x) <= LARGEST_ANGLE ? sineCosine(x).cosine : Number.NaN);
