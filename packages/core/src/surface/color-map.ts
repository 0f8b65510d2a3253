/** Colours of quantities. */

/** Red, green and blue in linear light. */
export type LinearColor = readonly [number, number, number];

/**
 * A map that is even to the eye: from dark blue over violet and red to light yellow, in Oklab, with equal
 * differences between equal steps and ever more lightness, so that it can be read in grey as well.
 */
export function mapColor(share: number): LinearColor {
  const t = Math.min(1, Math.max(0, share)) * (MAP.length - 1);
  const i = Math.min(MAP.length - 2, Math.floor(t));
  const [a, b] = [MAP[i]!, MAP[i + 1]!];
  return [0, 1, 2].map((k) => a[k]! + (t - i) * (b[k]! - a[k]!)) as unknown as LinearColor;
}

/** Lightness, chroma and hue [degrees] of the map's turning points. */
const TURNS: readonly (readonly [number, number, number])[] = [
  [0.27, 0.11, 275],
  [0.4, 0.18, 300],
  [0.53, 0.2, 350],
  [0.66, 0.19, 35],
  [0.79, 0.15, 70],
  [0.93, 0.12, 105],
];
const STEPS = 256;
const MAP: readonly LinearColor[] = evenMap();

/** Steps of equal length along a smooth curve through the turning points. */
function evenMap(): LinearColor[] {
  const fine = 4096;
  const points = Array.from({ length: fine + 1 }, (_, i) => turnAt((i / fine) * (TURNS.length - 1)));
  const lengths = [0];
  for (let i = 1; i <= fine; i++) {
    const [a, b] = [points[i - 1]!, points[i]!];
    lengths.push(lengths[i - 1]! + Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]));
  }
  const map: LinearColor[] = [];
  let at = 0;
  for (let s = 0; s < STEPS; s++) {
    const goal = (lengths[fine]! * s) / (STEPS - 1);
    while (at + 1 < fine && lengths[at + 1]! < goal) at++;
    const t = Math.min(1, (goal - lengths[at]!) / (lengths[at + 1]! - lengths[at]!));
    const lab = [0, 1, 2].map((k) => points[at]![k]! + t * (points[at + 1]![k]! - points[at]![k]!));
    map.push(fromOklab(lab as unknown as LinearColor));
  }
  return map;
}

/** The curve in Oklab, a Catmull-Rom spline through the turning points. */
function turnAt(t: number): LinearColor {
  const i = Math.min(TURNS.length - 2, Math.floor(t));
  const f = t - i;
  const point = (k: number): LinearColor => {
    const [l, c, h] = TURNS[Math.min(TURNS.length - 1, Math.max(0, k))]!;
    return [l, c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)];
  };
  const [p, q, r, s] = [point(i - 1), point(i), point(i + 1), point(i + 2)];
  return [0, 1, 2].map((k) => {
    const a = 2 * q[k]!;
    const b = r[k]! - p[k]!;
    const c = 2 * p[k]! - 5 * q[k]! + 4 * r[k]! - s[k]!;
    const d = 3 * q[k]! - p[k]! - 3 * r[k]! + s[k]!;
    return (a + f * (b + f * (c + f * d))) / 2;
  }) as unknown as LinearColor;
}

/** Oklab (Ottosson 2020) to linear sRGB, within what a screen can show. */
function fromOklab([lightness, a, b]: LinearColor): LinearColor {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const inside = (v: number) => Math.min(1, Math.max(0, v));
  return [
    inside(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    inside(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    inside(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** Linear sRGB to Oklab. */
export function toOklab([r, g, b]: LinearColor): LinearColor {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}
