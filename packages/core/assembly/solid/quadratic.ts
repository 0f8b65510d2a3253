import {
  ACCELERATION,
  BLOCK,
  BLOCK_FREQUENCY,
  BODIES,
  BODY_BOND_MODULUS,
  BODY_END,
  BODY_OF,
  BODY_STEP_MODULUS,
  BODY_STRIDE,
  BODY_VISCOUS,
  BODY_VISCOUS_TIME,
  BONDS,
  CELL_MOMENT,
  DEFICIENT_OF,
  DISPLACEMENT,
  ELASTIC,
  FLUX,
  INVERSE_WEIGHTS,
  MOMENT_INVERSE,
  NEIGHBORS,
  NEIGHBOR_BEGIN,
  PROJECTIONS,
  QUADRATIC_FLUX,
  QUADRATIC_INVERSE,
  STRAIN,
  STRAIN_RATE,
} from '../../src/particles/layout';
import {
  addMul, columnX, columnY, columnZ, cross, dot, rowSumBound, rowTimes, splatX, splatY, splatZ, vector, w, x, y, z,
} from '../math/simd';
import { neighborIndex } from '../neighbors/lists';

/**
 * The quadratic discretisation: displacements are fitted by linear and quadratic terms, and the energy
 * of a particle is that of its cell, strain at the centre and the second moment of the strain around it:
 *
 *   b_i = sum_j w_ij (u_j - u_i) p(r_ij)^T,  [G | H] = b_i A_i             p = (r, r r / 2), A the inverse
 *   W_i = V ( psi(E) + s/2 sum_k d_kE : C : d_kE ),  d_kE = sym(J^T d_kG)   s = dx^2 / 12
 *
 * A linear fit takes a surface particle's strain further inside and misses the bending within a cell;
 * both make beams too soft. The gradient term also sees what alternates from particle to particle.
 */

/** Row r of the 9 x 9 inverse, group g of three. */
// @ts-ignore: decorator
@inline
function inverseRow(a: usize, r: usize, g: usize): v128 {
  return v128.load(a + r * 48 + (g << 4));
}

/** Group g of the product of a row of nine numbers (three groups) with the inverse. */
// @ts-ignore: decorator
@inline
function nineTimes(l: v128, d: v128, o: v128, a: usize, g: usize): v128 {
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

// Rows of d_xG, d_yG, d_zG from the second derivatives of one component: d = (xx, yy, zz), o = (yz, xz, xy).

// @ts-ignore: decorator
@inline
function alongX(d: v128, o: v128): v128 {
  return v128.shuffle<f32>(d, o, 0, 6, 5, 7);
}

// @ts-ignore: decorator
@inline
function alongY(d: v128, o: v128): v128 {
  return v128.shuffle<f32>(o, d, 2, 5, 0, 3);
}

// @ts-ignore: decorator
@inline
function alongZ(d: v128, o: v128): v128 {
  return v128.shuffle<f32>(o, d, 1, 0, 6, 3);
}

export function computeQuadraticStresses(begin: u32, end: u32, context: usize): void {
  evaluate(begin, end, context, false);
}

/** Energy, von Mises stress and det J of each particle, into the first floats of FLUX as computeMeasures does. */
export function computeQuadraticMeasures(begin: u32, end: u32, context: usize): void {
  evaluate(begin, end, context, true);
}

// @ts-ignore: decorator
@inline
function evaluate(begin: u32, end: u32, context: usize, measuring: bool): void {
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const pairs = <usize>load<u32>(context + NEIGHBORS);
  const bonds = <usize>load<u32>(context + BONDS);
  const inverseWeights = <usize>load<u32>(context + INVERSE_WEIGHTS);
  const inverses = <usize>load<u32>(context + QUADRATIC_INVERSE);
  const moments = <usize>load<u32>(context + MOMENT_INVERSE);
  const cells = <usize>load<u32>(context + CELL_MOMENT);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const flux = <usize>load<u32>(context + QUADRATIC_FLUX);
  const measures = <usize>load<u32>(context + FLUX);
  const forces = <usize>load<u32>(context + ACCELERATION);
  const strains = <usize>load<u32>(context + STRAIN);
  const deficient = <usize>load<u32>(context + DEFICIENT_OF);
  const projections = <usize>load<u32>(context + PROJECTIONS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const frequencies = <usize>load<u32>(context + BLOCK_FREQUENCY);
  const strainRate = load<f32>(context + STRAIN_RATE);
  const half = f32x4.splat(0.5);
  const ex = vector(1, 0, 0, 0);
  const ey = vector(0, 1, 0, 0);
  const ez = vector(0, 0, 1, 0);

  let bodyEnd: usize = 0;
  let bondModulus: f32 = 0;
  let viscous = false;
  let viscousTime: f32 = 0;
  let perModulus: f32 = 0;
  let highest: f32 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (i >= bodyEnd) {
      const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
      bodyEnd = <usize>load<u32>(body + BODY_END);
      bondModulus = load<f32>(body + BODY_BOND_MODULUS);
      viscous = !measuring && load<u32>(body + BODY_VISCOUS) != 0;
      viscousTime = load<f32>(body + BODY_VISCOUS_TIME);
      perModulus = <f32>1 / load<f32>(body + BODY_STEP_MODULUS);
    }

    // b_i, a row of nine for each component of u: linear (l), squares (d), products (o).
    const ui = v128.load(displacements + (i << 4));
    let l0 = f32x4.splat(0), l1 = f32x4.splat(0), l2 = f32x4.splat(0);
    let d0 = f32x4.splat(0), d1 = f32x4.splat(0), d2 = f32x4.splat(0);
    let o0 = f32x4.splat(0), o1 = f32x4.splat(0), o2 = f32x4.splat(0);
    let bond = f32x4.splat(0);
    let bondEnergy = f32x4.splat(0);
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const g = v128.load(pairs + (k << 4));
      const u = f32x4.sub(v128.load(displacements + (neighborIndex(g) << 4)), ui);
      const scaled = f32x4.mul(g, v128.load_splat<f32>(inverseWeights + (k << 2)));
      const squares = f32x4.mul(half, f32x4.mul(g, scaled));
      const products = f32x4.mul(v128.shuffle<f32>(g, g, 1, 2, 0, 3), v128.shuffle<f32>(scaled, scaled, 2, 0, 1, 3));
      const ux = splatX(u);
      const uy = splatY(u);
      const uz = splatZ(u);
      l0 = addMul(l0, ux, g);
      d0 = addMul(d0, ux, squares);
      o0 = addMul(o0, ux, products);
      l1 = addMul(l1, uy, g);
      d1 = addMul(d1, uy, squares);
      o1 = addMul(o1, uy, products);
      l2 = addMul(l2, uz, g);
      d2 = addMul(d2, uz, squares);
      o2 = addMul(o2, uz, products);
      const b = v128.load_splat<f32>(bonds + (k << 2));
      bond = addMul(bond, b, u);
      if (measuring) bondEnergy = addMul(bondEnergy, f32x4.mul(b, u), u);
    }

    const a = inverses + i * 432;
    const g0 = nineTimes(l0, d0, o0, a, 0), g1 = nineTimes(l1, d1, o1, a, 0), g2 = nineTimes(l2, d2, o2, a, 0);
    const s0 = nineTimes(l0, d0, o0, a, 1), s1 = nineTimes(l1, d1, o1, a, 1), s2 = nineTimes(l2, d2, o2, a, 1);
    const m0 = nineTimes(l0, d0, o0, a, 2), m1 = nineTimes(l1, d1, o1, a, 2), m2 = nineTimes(l2, d2, o2, a, 2);

    const number = <usize>load<u32>(deficient + (i << 2));
    let p0 = ex, p1 = ey, p2 = ez;
    let y0 = g0, y1 = g1, y2 = g2;
    if (number != 0) {
      const projection = projections + (number - 1) * 48;
      p0 = v128.load(projection);
      p1 = v128.load(projection, 16);
      p2 = v128.load(projection, 32);
      y0 = rowTimes(p0, g0, g1, g2);
      y1 = rowTimes(p1, g0, g1, g2);
      y2 = rowTimes(p2, g0, g1, g2);
    }
    let c0 = f32x4.add(y0, columnX(y0, y1, y2));
    let c1 = f32x4.add(y1, columnY(y0, y1, y2));
    let c2 = f32x4.add(y2, columnZ(y0, y1, y2));
    c0 = addMul(addMul(addMul(c0, splatX(g0), g0), splatX(g1), g1), splatX(g2), g2);
    c1 = addMul(addMul(addMul(c1, splatY(g0), g0), splatY(g1), g1), splatY(g2), g2);
    c2 = addMul(addMul(addMul(c2, splatZ(g0), g0), splatZ(g1), g1), splatZ(g2), g2);
    let e0 = f32x4.mul(half, c0);
    let e1 = f32x4.mul(half, c1);
    let e2 = f32x4.mul(half, c2);
    const trace = x(e0) + y(e1) + z(e2);

    const constants = v128.load(elastic + (i << 4));
    const mu = y(constants);
    const volumeStiffness = z(constants);
    const volume = w(constants);
    let energy: f32 = 0;
    if (measuring) {
      energy = <f32>0.5 * x(constants) * trace * trace + mu * (dot(e0, e0) + dot(e1, e1) + dot(e2, e2));
    }
    if (viscous) {
      const strain = strains + (i << 5);
      const diagonal = vector(x(e0), y(e1), z(e2), 0);
      const shear = vector(z(e1), z(e0), y(e0), 0);
      const factor = f32x4.splat(viscousTime * strainRate);
      const newDiagonal = addMul(diagonal, factor, f32x4.sub(diagonal, v128.load(strain)));
      const newShear = addMul(shear, factor, f32x4.sub(shear, v128.load(strain, 16)));
      v128.store(strain, diagonal);
      v128.store(strain, shear, 16);
      e0 = vector(x(newDiagonal), z(newShear), y(newShear), 0);
      e1 = vector(z(newShear), y(newDiagonal), x(newShear), 0);
      e2 = vector(y(newShear), x(newShear), z(newDiagonal), 0);
    }
    const twoMu = f32x4.splat(<f32>2 * mu);
    const pressure = f32x4.splat(x(constants) * trace);
    const t0 = addMul(f32x4.mul(pressure, p0), twoMu, e0);
    const t1 = addMul(f32x4.mul(pressure, p1), twoMu, e1);
    const t2 = addMul(f32x4.mul(pressure, p2), twoMu, e2);
    const stretch = rowSumBound(f32x4.add(c0, ex), f32x4.add(c1, ey), f32x4.add(c2, ez));
    let stiffness = stretch * (x(constants) + <f32>2 * mu) + rowSumBound(t0, t1, t2);

    // P, conjugate to G.
    const j0 = f32x4.add(g0, ex);
    const j1 = f32x4.add(g1, ey);
    const j2 = f32x4.add(g2, ez);
    let f0 = f32x4.add(t0, rowTimes(g0, t0, t1, t2));
    let f1 = f32x4.add(t1, rowTimes(g1, t0, t1, t2));
    let f2 = f32x4.add(t2, rowTimes(g2, t0, t1, t2));
    const change =
      x(g0) + y(g1) + z(g2) +
      (x(g0) * y(g1) - y(g0) * x(g1)) + (x(g0) * z(g2) - z(g0) * x(g2)) + (y(g1) * z(g2) - z(g1) * y(g2)) +
      dot(g0, cross(g1, g2));
    if (volumeStiffness != 0) {
      const k0 = cross(j1, j2);
      const k1 = cross(j2, j0);
      const k2 = cross(j0, j1);
      const factor = f32x4.splat(volumeStiffness * change);
      f0 = addMul(f0, factor, k0);
      f1 = addMul(f1, factor, k1);
      f2 = addMul(f2, factor, k2);
      const cofactor = dot(k0, k0) + dot(k1, k1) + dot(k2, k2) - <f32>2;
      stiffness += volumeStiffness * (max(cofactor, <f32>1) + abs(change) * sqrt(stretch));
      if (measuring) energy += <f32>0.5 * volumeStiffness * change * change;
    }
    if (measuring) {
      // Cauchy stress P J^T / det J, before the gradient term is added.
      const determinant = <f32>1 + change;
      const scale: f32 = abs(determinant) > <f32>1e-6 ? <f32>1 / determinant : 0;
      const s00 = scale * dot(f0, j0), s11 = scale * dot(f1, j1), s22 = scale * dot(f2, j2);
      const s01 = scale * dot(f0, j1), s02 = scale * dot(f0, j2), s12 = scale * dot(f1, j2);
      const mises = sqrt(max(
        <f32>0,
        <f32>0.5 * ((s00 - s11) * (s00 - s11) + (s11 - s22) * (s11 - s22) + (s22 - s00) * (s22 - s00)) +
          <f32>3 * (s01 * s01 + s02 * s02 + s12 * s12),
      ));
      store<f32>(measures + i * 48, mises, 4);
      store<f32>(measures + i * 48, determinant, 8);
    }

    // The gradient of strain along each axis: d_kE = sym(J^T d_kG), T_k = s C : d_kE; the rows of J T_k.
    const cell = load<f32>(cells + (i << 4));
    const lambda = f32x4.splat(cell * (x(constants) + volumeStiffness));
    const cellTwoMu = f32x4.splat(cell * <f32>2 * mu);
    let zd0 = f32x4.splat(0), zd1 = f32x4.splat(0), zd2 = f32x4.splat(0);
    let zo0 = f32x4.splat(0), zo1 = f32x4.splat(0), zo2 = f32x4.splat(0);
    for (let axis = 0; axis < 3; axis++) {
      const h0 = axis == 0 ? alongX(s0, m0) : axis == 1 ? alongY(s0, m0) : alongZ(s0, m0);
      const h1 = axis == 0 ? alongX(s1, m1) : axis == 1 ? alongY(s1, m1) : alongZ(s1, m1);
      const h2 = axis == 0 ? alongX(s2, m2) : axis == 1 ? alongY(s2, m2) : alongZ(s2, m2);
      // J^T d_kG by rows: sum over components of J's entries times the rows of d_kG.
      const q0 = addMul(addMul(f32x4.mul(splatX(j0), h0), splatX(j1), h1), splatX(j2), h2);
      const q1 = addMul(addMul(f32x4.mul(splatY(j0), h0), splatY(j1), h1), splatY(j2), h2);
      const q2 = addMul(addMul(f32x4.mul(splatZ(j0), h0), splatZ(j1), h1), splatZ(j2), h2);
      const k0 = f32x4.mul(half, f32x4.add(q0, columnX(q0, q1, q2)));
      const k1 = f32x4.mul(half, f32x4.add(q1, columnY(q0, q1, q2)));
      const k2 = f32x4.mul(half, f32x4.add(q2, columnZ(q0, q1, q2)));
      const kTrace = x(k0) + y(k1) + z(k2);
      const spread = f32x4.mul(lambda, f32x4.splat(kTrace));
      const w0 = addMul(f32x4.mul(spread, ex), cellTwoMu, k0);
      const w1 = addMul(f32x4.mul(spread, ey), cellTwoMu, k1);
      const w2 = addMul(f32x4.mul(spread, ez), cellTwoMu, k2);
      if (measuring) energy += <f32>0.5 * (dot(w0, k0) + dot(w1, k1) + dot(w2, k2));
      f0 = f32x4.add(f0, rowTimes(h0, w0, w1, w2));
      f1 = f32x4.add(f1, rowTimes(h1, w0, w1, w2));
      f2 = f32x4.add(f2, rowTimes(h2, w0, w1, w2));
      const r0 = rowTimes(j0, w0, w1, w2);
      const r1 = rowTimes(j1, w0, w1, w2);
      const r2 = rowTimes(j2, w0, w1, w2);
      // Into the slots xx, yy, zz and yz, xz, xy that the derivative along this axis feeds.
      if (axis == 0) {
        zd0 = f32x4.mul(r0, ex), zd1 = f32x4.mul(r1, ex), zd2 = f32x4.mul(r2, ex);
        zo0 = vector(0, z(r0), y(r0), 0), zo1 = vector(0, z(r1), y(r1), 0), zo2 = vector(0, z(r2), y(r2), 0);
      } else if (axis == 1) {
        zd0 = addMul(zd0, r0, ey), zd1 = addMul(zd1, r1, ey), zd2 = addMul(zd2, r2, ey);
        zo0 = f32x4.add(zo0, vector(z(r0), 0, x(r0), 0));
        zo1 = f32x4.add(zo1, vector(z(r1), 0, x(r1), 0));
        zo2 = f32x4.add(zo2, vector(z(r2), 0, x(r2), 0));
      } else {
        zd0 = addMul(zd0, r0, ez), zd1 = addMul(zd1, r1, ez), zd2 = addMul(zd2, r2, ez);
        zo0 = f32x4.add(zo0, vector(y(r0), x(r0), 0, 0));
        zo1 = f32x4.add(zo1, vector(y(r1), x(r1), 0, 0));
        zo2 = f32x4.add(zo2, vector(y(r2), x(r2), 0, 0));
      }
    }

    const weight = load<f32>(moments + i * 48, 12);
    if (measuring) {
      // Stabilisation: half of each pair's bond belongs to this end, less what the fit explains, b : F.
      const fitted =
        dot(l0, g0) + dot(l1, g1) + dot(l2, g2) + dot(d0, s0) + dot(d1, s1) + dot(d2, s2) + dot(o0, m0) + dot(o1, m1) + dot(o2, m2);
      const bonded = x(bondEnergy) + y(bondEnergy) + z(bondEnergy);
      store<f32>(measures + i * 48, volume * energy + bondModulus * (<f32>0.25 * bonded - <f32>0.5 * weight * fitted));
      continue;
    }

    let frequency2 = stiffness * perModulus;
    if (viscous) {
      const frequency = sqrt(frequency2);
      const share = (<f32>2 * mu) / (x(constants) + <f32>2 * mu + volumeStiffness);
      const ratio = <f32>0.5 * viscousTime * share * frequency;
      const raised = frequency * (sqrt(<f32>1 + ratio * ratio) + ratio);
      frequency2 = raised * raised;
    }
    if (!(frequency2 <= highest)) highest = frequency2;

    // Z = V [P | K] A - 2 alpha [G | H], stored by columns.
    const v = f32x4.splat(volume);
    const alpha = f32x4.splat(-bondModulus * weight);
    const out = flux + i * 144;
    for (let group: usize = 0; group < 3; group++) {
      const fit0 = group == 0 ? g0 : group == 1 ? s0 : m0;
      const fit1 = group == 0 ? g1 : group == 1 ? s1 : m1;
      const fit2 = group == 0 ? g2 : group == 1 ? s2 : m2;
      const n0 = addMul(f32x4.mul(v, nineTimes(f0, zd0, zo0, a, group)), alpha, fit0);
      const n1 = addMul(f32x4.mul(v, nineTimes(f1, zd1, zo1, a, group)), alpha, fit1);
      const n2 = addMul(f32x4.mul(v, nineTimes(f2, zd2, zo2, a, group)), alpha, fit2);
      v128.store(out + group * 48, columnX(n0, n1, n2));
      v128.store(out + group * 48, columnY(n0, n1, n2), 16);
      v128.store(out + group * 48, columnZ(n0, n1, n2), 32);
    }
    v128.store(forces + (i << 4), f32x4.replace_lane(f32x4.mul(f32x4.splat(bondModulus), bond), 3, 0));

    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f32>(frequencies + ((i / BLOCK) << 2), highest);
      highest = 0;
    }
  }
}
