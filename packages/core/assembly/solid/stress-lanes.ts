import {
  ACCELERATION,
  BODY_BOND_MODULUS,
  BODY_MODEL,
  BODY_STEP_MODULUS,
  BODY_STEP_VISCOSITY,
  BODY_VISCOUS,
  BODY_VISCOUS_TIME,
  DISPLACEMENT,
  ELASTIC,
  FIRST_MOMENT,
  FLUX,
  KEEP_STRAIN,
  LINEARISED,
  MODEL_NEO_HOOKEAN,
  MODEL_ST_VENANT_KIRCHHOFF,
  MOMENT_INVERSE,
  NEIGHBOR_BEGIN,
  NEIGHBORS,
  PAIRS,
  STRAIN,
  STRAIN_RATE,
} from '../../src/particles/layout';
import { transposed0, transposed1, transposed2, transposed3 } from '../kernels/lanes';
import { addMul, larger } from '../math/simd';
import * as fit from './fit';

/**
 * Stress and flux of four particles at a time, a particle in each lane: the same as stress.ts and response.ts do one by
 * one, to the bit (sums are in the same order), for what most bodies are made of. Bodies that flow, corotational and
 * orthotropic ones, and neighbourhoods that do not span space are left to stress.ts.
 */

/** Can a body with this law be done here? */
// @ts-ignore: decorator
@inline
export function hasLanes(model: u32): bool {
  return model == MODEL_ST_VENANT_KIRCHHOFF || model == MODEL_NEO_HOOKEAN;
}

// Products of 3-vectors whose components are in lanes.

// @ts-ignore: decorator
@inline
function dots(ax: v128, ay: v128, az: v128, bx: v128, by: v128, bz: v128): v128 {
  return addMul(addMul(f32x4.mul(ax, bx), ay, by), az, bz);
}

/** a d - b c */
// @ts-ignore: decorator
@inline
function minor(a: v128, b: v128, c: v128, d: v128): v128 {
  return f32x4.sub(f32x4.mul(a, d), f32x4.mul(b, c));
}

/** a + b + p . q */
// @ts-ignore: decorator
@inline
function twiceStrain(a: v128, b: v128, px: v128, py: v128, pz: v128, qx: v128, qy: v128, qz: v128): v128 {
  return addMul(addMul(addMul(f32x4.add(a, b), px, qx), py, qy), pz, qz);
}

/** a + b + c */
// @ts-ignore: decorator
@inline
function sum(a: v128, b: v128, c: v128): v128 {
  return f32x4.add(f32x4.add(a, b), c);
}

/** Bound of the largest eigenvalue of a symmetric matrix by the sums of absolute values in its rows. */
// @ts-ignore: decorator
@inline
function rowSumBounds(xx: v128, yy: v128, zz: v128, yz: v128, xz: v128, xy: v128): v128 {
  const a = f32x4.abs(yz);
  const b = f32x4.abs(xz);
  const c = f32x4.abs(xy);
  return larger(larger(sum(f32x4.abs(xx), c, b), sum(c, f32x4.abs(yy), a)), sum(b, a, f32x4.abs(zz)));
}

/** Writes vectors whose components are in lanes, each to a position of its own. */
// @ts-ignore: decorator
@inline
function scatter(a: usize, b: usize, c: usize, d: usize, x: v128, y: v128, z: v128): void {
  const zero = f32x4.splat(0);
  v128.store(d, transposed3(x, y, z, zero));
  v128.store(c, transposed2(x, y, z, zero));
  v128.store(b, transposed1(x, y, z, zero));
  v128.store(a, transposed0(x, y, z, zero));
}

/**
 * A row of H and of the bonds of four particles becomes, in place, the same row of G = H M^-1 and of the bonds by lanes.
 * Written and read again row by row: what is in flight at once then fits the registers.
 */
// @ts-ignore: decorator
@inline
function fitRow(
  a: usize, b: usize, c: usize, d: usize, mxx: v128, mxy: v128, mxz: v128, myy: v128, myz: v128, mzz: v128,
): void {
  const ha = v128.load(a);
  const hb = v128.load(b);
  const hc = v128.load(c);
  const hd = v128.load(d);
  const hx = transposed0(ha, hb, hc, hd);
  const hy = transposed1(ha, hb, hc, hd);
  const hz = transposed2(ha, hb, hc, hd);
  v128.store(a, dots(hx, hy, hz, mxx, mxy, mxz));
  v128.store(b, dots(hx, hy, hz, mxy, myy, myz));
  v128.store(c, dots(hx, hy, hz, mxz, myz, mzz));
  v128.store(d, transposed3(ha, hb, hc, hd));
}

/** Particles i to i + 3. Returns squared frequencies. */
export function computeFourStresses(context: usize, body: usize, i: usize): v128 {
  const field = <usize>load<u32>(context + DISPLACEMENT);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const forces = <usize>load<u32>(context + ACCELERATION);
  const bondModulus = v128.load_splat<f32>(body + BODY_BOND_MODULUS);
  const j = i + 1;
  const k = i + 2;
  const l = i + 3;

  // Moments H = sum_j (u_j - u_i) g_ij^T, where the flux will be.
  const flux = <usize>load<u32>(context + FLUX);
  const qi = flux + i * 48;
  const qj = flux + j * 48;
  const qk = flux + k * 48;
  const ql = flux + l * 48;
  fit.sumFourMoments(field, i, begins, neighbors, pairs, <usize>load<u32>(context + FIRST_MOMENT), qi);

  // G = H M^-1, [M04] eq. 15; the inverse is symmetric.
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const mi = inverses + i * 48;
  const mj = inverses + j * 48;
  const mk = inverses + k * 48;
  const ml = inverses + l * 48;
  const mxx = transposed0(v128.load(mi), v128.load(mj), v128.load(mk), v128.load(ml));
  const mxy = transposed1(v128.load(mi), v128.load(mj), v128.load(mk), v128.load(ml));
  const mxz = transposed2(v128.load(mi), v128.load(mj), v128.load(mk), v128.load(ml));
  const weight = transposed3(v128.load(mi), v128.load(mj), v128.load(mk), v128.load(ml));
  const myy = transposed1(v128.load(mi, 16), v128.load(mj, 16), v128.load(mk, 16), v128.load(ml, 16));
  const myz = transposed2(v128.load(mi, 16), v128.load(mj, 16), v128.load(mk, 16), v128.load(ml, 16));
  const mzz = transposed2(v128.load(mi, 32), v128.load(mj, 32), v128.load(mk, 32), v128.load(ml, 32));
  fitRow(qi, qj, qk, ql, mxx, mxy, mxz, myy, myz, mzz);
  fitRow(qi + 16, qj + 16, qk + 16, ql + 16, mxx, mxy, mxz, myy, myz, mzz);
  fitRow(qi + 32, qj + 32, qk + 32, ql + 32, mxx, mxy, mxz, myy, myz, mzz);
  const gxx = v128.load(qi);
  const gxy = v128.load(qj);
  const gxz = v128.load(qk);
  const gyx = v128.load(qi, 16);
  const gyy = v128.load(qj, 16);
  const gyz = v128.load(qk, 16);
  const gzx = v128.load(qi, 32);
  const gzy = v128.load(qj, 32);
  const gzz = v128.load(qk, 32);
  scatter(
    forces + (i << 4), forces + (j << 4), forces + (k << 4), forces + (l << 4),
    f32x4.mul(bondModulus, v128.load(ql)),
    f32x4.mul(bondModulus, v128.load(ql, 16)),
    f32x4.mul(bondModulus, v128.load(ql, 32)),
  );

  const elastic = <usize>load<u32>(context + ELASTIC);
  const ei = v128.load(elastic + (i << 4));
  const ej = v128.load(elastic + (j << 4));
  const ek = v128.load(elastic + (k << 4));
  const el = v128.load(elastic + (l << 4));
  const lambda = transposed0(ei, ej, ek, el);
  const mu = transposed1(ei, ej, ek, el);
  const bulk = transposed2(ei, ej, ek, el);
  const volume = transposed3(ei, ej, ek, el);
  const one = f32x4.splat(1);
  const green = load<u32>(body + BODY_MODEL) == MODEL_ST_VENANT_KIRCHHOFF;
  const viscous = load<u32>(body + BODY_VISCOUS) != 0;
  let pxx = f32x4.splat(0);
  let pxy = f32x4.splat(0);
  let pxz = f32x4.splat(0);
  let pyx = f32x4.splat(0);
  let pyy = f32x4.splat(0);
  let pyz = f32x4.splat(0);
  let pzx = f32x4.splat(0);
  let pzy = f32x4.splat(0);
  let pzz = f32x4.splat(0);
  let sxx = f32x4.splat(0);
  let syy = f32x4.splat(0);
  let szz = f32x4.splat(0);
  let syz = f32x4.splat(0);
  let sxz = f32x4.splat(0);
  let sxy = f32x4.splat(0);
  let stiffness = f32x4.splat(0);
  let stretch = f32x4.splat(0);

  if (green || viscous) {
    // 2 E = G + G^T + G^T G
    const dxx = twiceStrain(gxx, gxx, gxx, gyx, gzx, gxx, gyx, gzx);
    const dyy = twiceStrain(gyy, gyy, gxy, gyy, gzy, gxy, gyy, gzy);
    const dzz = twiceStrain(gzz, gzz, gxz, gyz, gzz, gxz, gyz, gzz);
    const dyz = twiceStrain(gyz, gzy, gxy, gyy, gzy, gxz, gyz, gzz);
    const dxz = twiceStrain(gxz, gzx, gxx, gyx, gzx, gxz, gyz, gzz);
    const dxy = twiceStrain(gxy, gyx, gxx, gyx, gzx, gxy, gyy, gzy);
    stretch = rowSumBounds(f32x4.add(dxx, one), f32x4.add(dyy, one), f32x4.add(dzz, one), dyz, dxz, dxy);
    const half = f32x4.splat(0.5);
    const exx = f32x4.mul(half, dxx);
    const eyy = f32x4.mul(half, dyy);
    const ezz = f32x4.mul(half, dzz);
    const eyz = f32x4.mul(half, dyz);
    const exz = f32x4.mul(half, dxz);
    const exy = f32x4.mul(half, dxy);
    const twoMu = f32x4.add(mu, mu);
    if (green) {
      const pressure = f32x4.mul(lambda, sum(exx, eyy, ezz));
      sxx = addMul(pressure, twoMu, exx);
      syy = addMul(pressure, twoMu, eyy);
      szz = addMul(pressure, twoMu, ezz);
      syz = f32x4.mul(twoMu, eyz);
      sxz = f32x4.mul(twoMu, exz);
      sxy = f32x4.mul(twoMu, exy);
      stiffness = f32x4.mul(stretch, f32x4.add(lambda, twoMu));
    }
    if (viscous) {
      // 2 mu tau dE/dt, from the strain of the last step; only shear, see response.ts.
      const strains = <usize>load<u32>(context + STRAIN);
      const si = strains + (i << 5);
      const sj = strains + (j << 5);
      const sk = strains + (k << 5);
      const sl = strains + (l << 5);
      const factor = f32x4.mul(twoMu, f32x4.splat(load<f32>(body + BODY_VISCOUS_TIME) * load<f32>(context + STRAIN_RATE)));
      const di = v128.load(si);
      const dj = v128.load(sj);
      const dk = v128.load(sk);
      const dl = v128.load(sl);
      const oi = v128.load(si, 16);
      const oj = v128.load(sj, 16);
      const ok = v128.load(sk, 16);
      const ol = v128.load(sl, 16);
      sxx = addMul(sxx, factor, f32x4.sub(exx, transposed0(di, dj, dk, dl)));
      syy = addMul(syy, factor, f32x4.sub(eyy, transposed1(di, dj, dk, dl)));
      szz = addMul(szz, factor, f32x4.sub(ezz, transposed2(di, dj, dk, dl)));
      syz = addMul(syz, factor, f32x4.sub(eyz, transposed0(oi, oj, ok, ol)));
      sxz = addMul(sxz, factor, f32x4.sub(exz, transposed1(oi, oj, ok, ol)));
      sxy = addMul(sxy, factor, f32x4.sub(exy, transposed2(oi, oj, ok, ol)));
      if (load<u32>(context + KEEP_STRAIN) != 0) {
        scatter(si, sj, sk, sl, exx, eyy, ezz);
        scatter(si + 16, sj + 16, sk + 16, sl + 16, eyz, exz, exy);
      }
    }
    // P = (I + G) S
    pxx = f32x4.add(sxx, dots(gxx, gxy, gxz, sxx, sxy, sxz));
    pxy = f32x4.add(sxy, dots(gxx, gxy, gxz, sxy, syy, syz));
    pxz = f32x4.add(sxz, dots(gxx, gxy, gxz, sxz, syz, szz));
    pyx = f32x4.add(sxy, dots(gyx, gyy, gyz, sxx, sxy, sxz));
    pyy = f32x4.add(syy, dots(gyx, gyy, gyz, sxy, syy, syz));
    pyz = f32x4.add(syz, dots(gyx, gyy, gyz, sxz, syz, szz));
    pzx = f32x4.add(sxz, dots(gzx, gzy, gzz, sxx, sxy, sxz));
    pzy = f32x4.add(syz, dots(gzx, gzy, gzz, sxy, syy, syz));
    pzz = f32x4.add(szz, dots(gzx, gzy, gzz, sxz, syz, szz));
    stiffness = f32x4.add(stiffness, rowSumBounds(sxx, syy, szz, syz, sxz, sxy));
  } else {
    const jxx = f32x4.add(gxx, one);
    const jyy = f32x4.add(gyy, one);
    const jzz = f32x4.add(gzz, one);
    stretch = sum(
      dots(jxx, gxy, gxz, jxx, gxy, gxz), dots(gyx, jyy, gyz, gyx, jyy, gyz), dots(gzx, gzy, jzz, gzx, gzy, jzz),
    );
  }

  const linearised = <usize>load<u32>(context + LINEARISED);
  if (linearised != 0) {
    const di = linearised + i * 96;
    const dj = linearised + j * 96;
    const dk = linearised + k * 96;
    const dl = linearised + l * 96;
    scatter(di, dj, dk, dl, gxx, gxy, gxz);
    scatter(di + 16, dj + 16, dk + 16, dl + 16, gyx, gyy, gyz);
    scatter(di + 32, dj + 32, dk + 32, dl + 32, gzx, gzy, gzz);
    scatter(di + 48, dj + 48, dk + 48, dl + 48, sxx, sxy, sxz);
    scatter(di + 64, dj + 64, dk + 64, dl + 64, sxy, syy, syz);
    scatter(di + 80, dj + 80, dk + 80, dl + 80, sxz, syz, szz);
  }

  // Cofactors of G, and from them det J - 1 and the cofactors of J = I + G without cancellation.
  const nxx = minor(gyy, gyz, gzy, gzz);
  const nxy = minor(gyz, gyx, gzz, gzx);
  const nxz = minor(gyx, gyy, gzx, gzy);
  const nyx = minor(gxz, gxy, gzz, gzy);
  const nyy = minor(gxx, gxz, gzx, gzz);
  const nyz = minor(gxy, gxx, gzy, gzx);
  const nzx = minor(gxy, gxz, gyy, gyz);
  const nzy = minor(gxz, gxx, gyz, gyx);
  const nzz = minor(gxx, gxy, gyx, gyy);
  const trace = sum(gxx, gyy, gzz);
  const change = sum(trace, sum(nxx, nyy, nzz), dots(gxx, gxy, gxz, nxx, nxy, nxz));
  if (!green) {
    // Neo-Hookean: mu (J - cof J).
    pxx = addMul(pxx, mu, f32x4.sub(f32x4.sub(f32x4.add(gxx, gxx), trace), nxx));
    pxy = addMul(pxy, mu, f32x4.sub(f32x4.add(gxy, gyx), nxy));
    pxz = addMul(pxz, mu, f32x4.sub(f32x4.add(gxz, gzx), nxz));
    pyx = addMul(pyx, mu, f32x4.sub(f32x4.add(gyx, gxy), nyx));
    pyy = addMul(pyy, mu, f32x4.sub(f32x4.sub(f32x4.add(gyy, gyy), trace), nyy));
    pyz = addMul(pyz, mu, f32x4.sub(f32x4.add(gyz, gzy), nyz));
    pzx = addMul(pzx, mu, f32x4.sub(f32x4.add(gzx, gxz), nzx));
    pzy = addMul(pzy, mu, f32x4.sub(f32x4.add(gzy, gyz), nzy));
    pzz = addMul(pzz, mu, f32x4.sub(f32x4.sub(f32x4.add(gzz, gzz), trace), nzz));
    stiffness = f32x4.add(stiffness, mu);
  }
  // cof(I + G) = tr(G) I - G^T + cof G + I
  const fxx = f32x4.add(f32x4.add(f32x4.sub(trace, gxx), nxx), one);
  const fxy = f32x4.sub(nxy, gyx);
  const fxz = f32x4.sub(nxz, gzx);
  const fyx = f32x4.sub(nyx, gxy);
  const fyy = f32x4.add(f32x4.add(f32x4.sub(trace, gyy), nyy), one);
  const fyz = f32x4.sub(nyz, gzy);
  const fzx = f32x4.sub(nzx, gxz);
  const fzy = f32x4.sub(nzy, gyz);
  const fzz = f32x4.add(f32x4.add(f32x4.sub(trace, gzz), nzz), one);
  const pressure = f32x4.mul(bulk, change);
  pxx = addMul(pxx, pressure, fxx);
  pxy = addMul(pxy, pressure, fxy);
  pxz = addMul(pxz, pressure, fxz);
  pyx = addMul(pyx, pressure, fyx);
  pyy = addMul(pyy, pressure, fyy);
  pyz = addMul(pyz, pressure, fyz);
  pzx = addMul(pzx, pressure, fzx);
  pzy = addMul(pzy, pressure, fzy);
  pzz = addMul(pzz, pressure, fzz);
  const squares = sum(
    dots(fxx, fxy, fxz, fxx, fxy, fxz), dots(fyx, fyy, fyz, fyx, fyy, fyz), dots(fzx, fzy, fzz, fzx, fzy, fzz),
  );
  const cofactor = f32x4.sub(larger(squares, f32x4.splat(3)), f32x4.splat(2));
  stiffness = addMul(stiffness, bulk, addMul(cofactor, f32x4.abs(change), f32x4.sqrt(stretch)));

  // Q = V P M^-1 - 2 alpha G, [M04] eq. 18-25, by rows.
  const alpha = f32x4.neg(f32x4.mul(bondModulus, weight));
  scatter(
    qi, qj, qk, ql,
    addMul(f32x4.mul(volume, dots(pxx, pxy, pxz, mxx, mxy, mxz)), alpha, gxx),
    addMul(f32x4.mul(volume, dots(pxx, pxy, pxz, mxy, myy, myz)), alpha, gxy),
    addMul(f32x4.mul(volume, dots(pxx, pxy, pxz, mxz, myz, mzz)), alpha, gxz),
  );
  scatter(
    qi + 16, qj + 16, qk + 16, ql + 16,
    addMul(f32x4.mul(volume, dots(pyx, pyy, pyz, mxx, mxy, mxz)), alpha, gyx),
    addMul(f32x4.mul(volume, dots(pyx, pyy, pyz, mxy, myy, myz)), alpha, gyy),
    addMul(f32x4.mul(volume, dots(pyx, pyy, pyz, mxz, myz, mzz)), alpha, gyz),
  );
  scatter(
    qi + 32, qj + 32, qk + 32, ql + 32,
    addMul(f32x4.mul(volume, dots(pzx, pzy, pzz, mxx, mxy, mxz)), alpha, gzx),
    addMul(f32x4.mul(volume, dots(pzx, pzy, pzz, mxy, myy, myz)), alpha, gzy),
    addMul(f32x4.mul(volume, dots(pzx, pzy, pzz, mxz, myz, mzz)), alpha, gzz),
  );

  // See squaredFrequency in stress.ts.
  const frequency2 = f32x4.mul(stiffness, f32x4.splat(<f32>1 / load<f32>(body + BODY_STEP_MODULUS)));
  if (!viscous) return frequency2;
  const rate = f32x4.mul(f32x4.splat(<f32>0.5 * load<f32>(body + BODY_STEP_VISCOSITY)), stretch);
  const raised = f32x4.add(rate, f32x4.sqrt(addMul(frequency2, rate, rate)));
  return f32x4.mul(raised, raised);
}
