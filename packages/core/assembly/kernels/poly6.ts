/**
 * Weight of the moving least squares fit: the shape of the polynomial kernel, [M04] eq. 9, without
 * its normalisation (the fit does not depend on it), from the squared distance over the support.
 */
// @ts-ignore: decorator
@inline
export function poly6Shape(q2: f64): f64 {
  const d = 1 - q2;
  return d > 0 ? d * d * d : 0;
}
