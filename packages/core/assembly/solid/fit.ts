import { addMul, columnW, rowTimes, splatW, splatX, splatY, splatZ } from '../math/simd';

/**
 * The moving least squares fits of a field at a particle: of displacements, and of directions of an
 * implicit solve. Results are left in the variables below; see response.ts.
 */

/**
 * Moments sum_j (u_j - u_i) g_ij^T by rows, and for the quadratic fit the squares (d) and products (o). As the bond's
 * weight is beside g_ij, lanes 3 of l are the components of `bond`.
 */
export let l0: v128 = i32x4(0, 0, 0, 0);
export let l1: v128 = i32x4(0, 0, 0, 0);
export let l2: v128 = i32x4(0, 0, 0, 0);
export let d0: v128 = i32x4(0, 0, 0, 0);
export let d1: v128 = i32x4(0, 0, 0, 0);
export let d2: v128 = i32x4(0, 0, 0, 0);
export let o0: v128 = i32x4(0, 0, 0, 0);
export let o1: v128 = i32x4(0, 0, 0, 0);
export let o2: v128 = i32x4(0, 0, 0, 0);
/** Rows of the gradient. */
export let g0: v128 = i32x4(0, 0, 0, 0);
export let g1: v128 = i32x4(0, 0, 0, 0);
export let g2: v128 = i32x4(0, 0, 0, 0);
/** Second derivatives of each component: xx, yy, zz and yz, xz, xy. */
export let s0: v128 = i32x4(0, 0, 0, 0);
export let s1: v128 = i32x4(0, 0, 0, 0);
export let s2: v128 = i32x4(0, 0, 0, 0);
export let m0: v128 = i32x4(0, 0, 0, 0);
export let m1: v128 = i32x4(0, 0, 0, 0);
export let m2: v128 = i32x4(0, 0, 0, 0);
/** sum_j b_ij (u_j - u_i). */
export let bond: v128 = i32x4(0, 0, 0, 0);

/**
 * Rows of sum_j (u_j - u_i - o_ij) (g_ij, b_ij)^T of one particle, to three positions in memory. Of the offsets o_ij of
 * rest vectors, see OFFSETS, the sums are known: those of all particles are at `firsts`, which is 0 where there are none.
 */
// @ts-ignore: decorator
@inline
function sumPairs(
  field: usize, i: usize, begins: usize, neighbors: usize, pairs: usize, firsts: usize, moments: usize,
): void {
  const first = <usize>load<u32>(begins + (i << 2));
  const last = <usize>load<u32>(begins + (i << 2), 4);
  const ui = v128.load(field + (i << 4));
  let h0 = f32x4.splat(0);
  let h1 = f32x4.splat(0);
  let h2 = f32x4.splat(0);
  if (firsts != 0) {
    h0 = v128.load(firsts + i * 48);
    h1 = v128.load(firsts + i * 48, 16);
    h2 = v128.load(firsts + i * 48, 32);
  }
  let neighbor = neighbors + (first << 2);
  let pair = pairs + (first << 4);
  // Two in a turn, one after the other: a quarter of so short a loop is counting.
  for (const even = pair + (((last - first) >> 1) << 5); pair < even; pair += 32) {
    const g = v128.load(pair);
    const d = f32x4.sub(v128.load(field + (<usize>load<u32>(neighbor) << 4)), ui);
    h0 = addMul(h0, splatX(d), g);
    h1 = addMul(h1, splatY(d), g);
    h2 = addMul(h2, splatZ(d), g);
    const g2 = v128.load(pair, 16);
    const d2 = f32x4.sub(v128.load(field + (<usize>load<u32>(neighbor, 4) << 4)), ui);
    h0 = addMul(h0, splatX(d2), g2);
    h1 = addMul(h1, splatY(d2), g2);
    h2 = addMul(h2, splatZ(d2), g2);
    neighbor += 8;
  }
  if (pair < pairs + (last << 4)) {
    const g = v128.load(pair);
    const d = f32x4.sub(v128.load(field + (<usize>load<u32>(neighbor) << 4)), ui);
    h0 = addMul(h0, splatX(d), g);
    h1 = addMul(h1, splatY(d), g);
    h2 = addMul(h2, splatZ(d), g);
  }
  v128.store(moments, h0);
  v128.store(moments, h1, 16);
  v128.store(moments, h2, 32);
}

/** sum_j b_ij (u_j - u_i - o_ij)^2, by components; without offsets where their address is 0. */
export function sumSquares(
  field: usize, i: usize, begins: usize, neighbors: usize, pairs: usize, offsets: usize,
): v128 {
  const last = <usize>load<u32>(begins + (i << 2), 4);
  const ui = v128.load(field + (i << 4));
  let squares = f32x4.splat(0);
  for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
    let d = f32x4.sub(v128.load(field + (<usize>load<u32>(neighbors + (k << 2)) << 4)), ui);
    if (offsets != 0) d = f32x4.sub(d, v128.load(offsets + (k << 4)));
    squares = addMul(squares, f32x4.mul(splatW(v128.load(pairs + (k << 4))), d), d);
  }
  return squares;
}

/** Moments and bonds of four particles from the given one on, each by rows, with the bonds in lanes 3. */
export function sumFourMoments(
  field: usize, i: usize, begins: usize, neighbors: usize, pairs: usize, firsts: usize, moments: usize,
): void {
  for (let k: usize = 0; k < 4; k++) sumPairs(field, i + k, begins, neighbors, pairs, firsts, moments + k * 48);
}

/** grad u_i = (sum_j (u_j - u_i) g_ij^T) M_i^-1, [M04] eq. 15. The moments stay where there is room for them. */
// @ts-ignore: decorator
@inline
export function fitLinear(
  field: usize, i: usize, begins: usize, neighbors: usize, pairs: usize, firsts: usize, inverse: usize, moments: usize,
): void {
  sumPairs(field, i, begins, neighbors, pairs, firsts, moments);
  l0 = v128.load(moments);
  l1 = v128.load(moments, 16);
  l2 = v128.load(moments, 32);
  bond = columnW(l0, l1, l2);
  const r0 = v128.load(inverse);
  const r1 = v128.load(inverse, 16);
  const r2 = v128.load(inverse, 32);
  g0 = rowTimes(l0, r0, r1, r2);
  g1 = rowTimes(l1, r0, r1, r2);
  g2 = rowTimes(l2, r0, r1, r2);
}

// The quadratic part of w p(r) from g = w r and r: squares over two (xx, yy, zz) and products (yz, xz, xy).

// @ts-ignore: decorator
@inline
export function squaresOf(g: v128, r: v128): v128 {
  return f32x4.mul(f32x4.splat(0.5), f32x4.mul(g, r));
}

// @ts-ignore: decorator
@inline
export function productsOf(g: v128, r: v128): v128 {
  return f32x4.mul(v128.shuffle<f32>(g, g, 1, 2, 0, 3), v128.shuffle<f32>(r, r, 2, 0, 1, 3));
}

// Rows of d_xG, d_yG, d_zG from the second derivatives of one component: d = (xx, yy, zz), o = (yz, xz, xy).

// @ts-ignore: decorator
@inline
export function alongX(d: v128, o: v128): v128 {
  return v128.shuffle<f32>(d, o, 0, 6, 5, 7);
}

// @ts-ignore: decorator
@inline
export function alongY(d: v128, o: v128): v128 {
  return v128.shuffle<f32>(o, d, 2, 5, 0, 3);
}

// @ts-ignore: decorator
@inline
export function alongZ(d: v128, o: v128): v128 {
  return v128.shuffle<f32>(o, d, 1, 0, 6, 3);
}

/** A row of the gradient at the centroid of a cell. */
// @ts-ignore: decorator
@inline
export function atCentroid(g: v128, d: v128, o: v128, centroid: v128): v128 {
  return addMul(
    addMul(addMul(g, splatX(centroid), alongX(d, o)), splatY(centroid), alongY(d, o)), splatZ(centroid), alongZ(d, o),
  );
}

/** Row r of the 9 x 9 inverse, group g of three. */
// @ts-ignore: decorator
@inline
function inverseRow(a: usize, r: usize, g: usize): v128 {
  return v128.load(a + r * 48 + (g << 4));
}

/** Group g of the product of a row of nine numbers (three groups) with the inverse. */
// @ts-ignore: decorator
@inline
export function nineTimes(l: v128, d: v128, o: v128, a: usize, g: usize): v128 {
  let sum = f32x4.mul(splatX(l), inverseRow(a, 0, g));
  sum = addMul(sum, splatY(l), inverseRow(a, 1, g));
  sum = addMul(sum, splatZ(l), inverseRow(a, 2, g));
  sum = addMul(sum, splatX(d), inverseRow(a, 3, g));
  sum = addMul(sum, splatY(d), inverseRow(a, 4, g));
  sum = addMul(sum, splatZ(d), inverseRow(a, 5, g));
  sum = addMul(sum, splatX(o), inverseRow(a, 6, g));
  sum = addMul(sum, splatY(o), inverseRow(a, 7, g));
  return addMul(sum, splatZ(o), inverseRow(a, 8, g));
}

/** [G | H] = (sum_j w_ij (u_j - u_i) p(r_ij)^T) A_i with p = (r, r r / 2). */
// @ts-ignore: decorator
@inline
export function fitQuadratic(
  field: usize, i: usize, neighbors: usize, pairs: usize, inverseWeights: usize, first: usize, last: usize, a: usize, measure: bool,
): void {
  const ui = v128.load(field + (i << 4));
  let lx = f32x4.splat(0), ly = f32x4.splat(0), lz = f32x4.splat(0);
  let dx = f32x4.splat(0), dy = f32x4.splat(0), dz = f32x4.splat(0);
  let ox = f32x4.splat(0), oy = f32x4.splat(0), oz = f32x4.splat(0);
  for (let k = first; k < last; k++) {
    const g = v128.load(pairs + (k << 4));
    const u = f32x4.sub(v128.load(field + (<usize>load<u32>(neighbors + (k << 2)) << 4)), ui);
    const scaled = f32x4.mul(g, v128.load_splat<f32>(inverseWeights + (k << 2)));
    const even = squaresOf(g, scaled);
    const mixed = productsOf(g, scaled);
    const ux = splatX(u);
    const uy = splatY(u);
    const uz = splatZ(u);
    lx = addMul(lx, ux, g);
    dx = addMul(dx, ux, even);
    ox = addMul(ox, ux, mixed);
    ly = addMul(ly, uy, g);
    dy = addMul(dy, uy, even);
    oy = addMul(oy, uy, mixed);
    lz = addMul(lz, uz, g);
    dz = addMul(dz, uz, even);
    oz = addMul(oz, uz, mixed);
  }
  g0 = nineTimes(lx, dx, ox, a, 0), g1 = nineTimes(ly, dy, oy, a, 0), g2 = nineTimes(lz, dz, oz, a, 0);
  s0 = nineTimes(lx, dx, ox, a, 1), s1 = nineTimes(ly, dy, oy, a, 1), s2 = nineTimes(lz, dz, oz, a, 1);
  m0 = nineTimes(lx, dx, ox, a, 2), m1 = nineTimes(ly, dy, oy, a, 2), m2 = nineTimes(lz, dz, oz, a, 2);
  bond = columnW(lx, ly, lz);
  if (measure) {
    l0 = lx, l1 = ly, l2 = lz;
    d0 = dx, d1 = dy, d2 = dz;
    o0 = ox, o1 = oy, o2 = oz;
  }
}
