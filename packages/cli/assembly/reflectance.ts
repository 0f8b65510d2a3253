// How much light surfaces reflect.

/** Reflectance of a coat, or of glass in air, seen straight on. */
const COAT: f64 = 0.04;

/** Two unit vectors across a third one. */
export let ax: f64 = 0;
export let ay: f64 = 0;
export let az: f64 = 0;
export let bx: f64 = 0;
export let by: f64 = 0;
export let bz: f64 = 0;

export function setTangents(x: f64, y: f64, z: f64): void {
  const sign: f64 = z < 0 ? -1 : 1;
  const a = -1 / (sign + z);
  const b = x * y * a;
  ax = 1 + sign * x * x * a;
  ay = sign * b;
  az = -sign * x;
  bx = b;
  by = sign + y * y * a;
  bz = -y;
}

/** Reflectance of a coat. */
export function schlick(cosine: f64): f64 {
  const c = 1 - cosine;
  const c2 = c * c;
  return COAT + (1 - COAT) * c2 * c2 * c;
}

/** Reflectance of a boundary between media of two indices, about: whichever side the light comes from. */
export function boundary(cosine: f64, index: f64, other: f64): f64 {
  const root = (index - other) / (index + other);
  const straight = root * root;
  const c = 1 - cosine;
  const c2 = c * c;
  // Towards grazing angles everything is reflected, but by media that do not differ.
  return straight + (index == other ? 0 : (1 - straight) * c2 * c2 * c);
}

/** Reflectance of a boundary between media; eta is the index on this side over the one beyond. */
export function fresnel(cosine: f64, inner: f64, eta: f64): f64 {
  const s = (eta * cosine - inner) / (eta * cosine + inner);
  const p = (cosine - eta * inner) / (cosine + eta * inner);
  return (s * s + p * p) / 2;
}

/**
 * Reflectance of the coat for light from l, times pi: microfacets of Trowbridge and Reitz. The half vector's cosines
 * are those with the normal and the light; `facing` and `seen` those of the normal with the light and the viewer.
 */
export function gloss(roughness: f64, nh: f64, lh: f64, facing: f64, seen: f64): f64 {
  const a = roughness * roughness;
  const a2 = a * a;
  const d = nh * nh * (a2 - 1) + 1;
  const both = facing * sqrt(a2 + (1 - a2) * seen * seen) + seen * sqrt(a2 + (1 - a2) * facing * facing);
  return (schlick(lh) * a2) / (d * d) / (2 * both);
}

/** Of facets of which a share hides others: Smith's function for a cosine. */
export function shadowed(a2: f64, cosine: f64): f64 {
  return (sqrt(1 + (a2 * (1 - cosine * cosine)) / (cosine * cosine)) - 1) / 2;
}
