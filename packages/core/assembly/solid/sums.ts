import {
  BLOCK_SUMS,
  BODIES,
  BODY_BEGIN,
  BODY_BOND_MODULUS,
  BODY_END,
  BODY_OF,
  BODY_STRIDE,
  BONDS,
  DEFICIENT_OF,
  DISPLACEMENT,
  ELASTIC,
  FLUX,
  GRADIENT_SUM,
  MOMENT_INVERSE,
  NEIGHBOR_BEGIN,
  NEIGHBORS,
  PROJECTIONS,
  REST,
  SUMS,
  VELOCITY,
} from '../../src/particles/layout';
import { neighborIndex } from '../neighbors/lists';

/**
 * Sums over each body in its own frame, f64, in particle order: mass (slot 0), mass times m + u
 * (1-3), mass times v (4-6), mass times (m + u) x v (7-9), kinetic energy (10), mass times
 * (m + u) m^T by rows (11-19), elastic energy left by computeMeasures (20), mass times m (21-23),
 * volume (24). The range is one of bodies.
 */
export function computeBodySums(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const measures = <usize>load<u32>(context + FLUX);
  const elastic = <usize>load<u32>(context + ELASTIC);
  for (let b = <usize>begin; b < <usize>end; b++) {
    const body = <usize>load<u32>(context + BODIES) + b * BODY_STRIDE;
    const at = <usize>load<u32>(context + BLOCK_SUMS) + b * SUMS * 8;
    memory.fill(at, 0, SUMS * 8);
    let s0: f64 = 0,
      s1: f64 = 0,
      s2: f64 = 0,
      s3: f64 = 0,
      s4: f64 = 0;
    let s5: f64 = 0,
      s6: f64 = 0,
      s7: f64 = 0,
      s8: f64 = 0,
      s9: f64 = 0;
    let s10: f64 = 0,
      s11: f64 = 0,
      s12: f64 = 0,
      s13: f64 = 0,
      s14: f64 = 0;
    let s15: f64 = 0,
      s16: f64 = 0,
      s17: f64 = 0,
      s18: f64 = 0,
      s19: f64 = 0;
    let s20: f64 = 0,
      s21: f64 = 0,
      s22: f64 = 0,
      s23: f64 = 0,
      s24: f64 = 0;
    const last = <usize>load<u32>(body + BODY_END);
    for (let i = <usize>load<u32>(body + BODY_BEGIN); i < last; i++) {
      const mass = 1 / <f64>load<f32>(sums + (i << 4), 12);
      const mx = <f64>load<f32>(rest + (i << 4));
      const my = <f64>load<f32>(rest + (i << 4), 4);
      const mz = <f64>load<f32>(rest + (i << 4), 8);
      const px = mx + <f64>load<f32>(displacements + (i << 4));
      const py = my + <f64>load<f32>(displacements + (i << 4), 4);
      const pz = mz + <f64>load<f32>(displacements + (i << 4), 8);
      const vx = <f64>load<f32>(velocities + (i << 4));
      const vy = <f64>load<f32>(velocities + (i << 4), 4);
      const vz = <f64>load<f32>(velocities + (i << 4), 8);
      s0 += mass;
      s1 += mass * px;
      s2 += mass * py;
      s3 += mass * pz;
      s4 += mass * vx;
      s5 += mass * vy;
      s6 += mass * vz;
      s7 += mass * (py * vz - pz * vy);
      s8 += mass * (pz * vx - px * vz);
      s9 += mass * (px * vy - py * vx);
      s10 += 0.5 * mass * (vx * vx + vy * vy + vz * vz);
      s11 += mass * px * mx;
      s12 += mass * px * my;
      s13 += mass * px * mz;
      s14 += mass * py * mx;
      s15 += mass * py * my;
      s16 += mass * py * mz;
      s17 += mass * pz * mx;
      s18 += mass * pz * my;
      s19 += mass * pz * mz;
      s20 += <f64>load<f32>(measures + i * 48);
      s21 += mass * mx;
      s22 += mass * my;
      s23 += mass * mz;
      s24 += <f64>load<f32>(elastic + (i << 4), 12) * <f64>load<f32>(measures + i * 48, 8);
    }
    store<f64>(at, s0, 0);
    store<f64>(at, s1, 8);
    store<f64>(at, s2, 16);
    store<f64>(at, s3, 24);
    store<f64>(at, s4, 32);
    store<f64>(at, s5, 40);
    store<f64>(at, s6, 48);
    store<f64>(at, s7, 56);
    store<f64>(at, s8, 64);
    store<f64>(at, s9, 72);
    store<f64>(at, s10, 80);
    store<f64>(at, s11, 88);
    store<f64>(at, s12, 96);
    store<f64>(at, s13, 104);
    store<f64>(at, s14, 112);
    store<f64>(at, s15, 120);
    store<f64>(at, s16, 128);
    store<f64>(at, s17, 136);
    store<f64>(at, s18, 144);
    store<f64>(at, s19, 152);
    store<f64>(at, s20, 160);
    store<f64>(at, s21, 168);
    store<f64>(at, s22, 176);
    store<f64>(at, s23, 184);
    store<f64>(at, s24, 192);
  }
}

/**
 * What is measured on a particle, f64: elastic energy [J] with its share of the stabilisation, von
 * Mises stress [Pa] of the Cauchy stress, and det J, left in the first three floats of FLUX, which
 * is free between steps. The formulas are those of computeStresses.
 */
export function computeMeasures(begin: u32, end: u32, context: usize): void {
  const u = <usize>load<u32>(context + DISPLACEMENT);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const pairs = <usize>load<u32>(context + NEIGHBORS);
  const bonds = <usize>load<u32>(context + BONDS);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const results = <usize>load<u32>(context + FLUX);
  const deficient = <usize>load<u32>(context + DEFICIENT_OF);
  const projections = <usize>load<u32>(context + PROJECTIONS);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  for (let i = <usize>begin; i < <usize>end; i++) {
    let h00: f64 = 0,
      h01: f64 = 0,
      h02: f64 = 0;
    let h10: f64 = 0,
      h11: f64 = 0,
      h12: f64 = 0;
    let h20: f64 = 0,
      h21: f64 = 0,
      h22: f64 = 0;
    let bond: f64 = 0;
    const last = <usize>load<u32>(begins + (i << 2), 4);
    for (let k = <usize>load<u32>(begins + (i << 2)); k < last; k++) {
      const pair = pairs + (k << 4);
      const j = neighborIndex(v128.load(pair));
      const dx = <f64>load<f32>(u + (j << 4)) - <f64>load<f32>(u + (i << 4));
      const dy = <f64>load<f32>(u + (j << 4), 4) - <f64>load<f32>(u + (i << 4), 4);
      const dz = <f64>load<f32>(u + (j << 4), 8) - <f64>load<f32>(u + (i << 4), 8);
      const gx = <f64>load<f32>(pair);
      const gy = <f64>load<f32>(pair, 4);
      const gz = <f64>load<f32>(pair, 8);
      h00 += dx * gx;
      h01 += dx * gy;
      h02 += dx * gz;
      h10 += dy * gx;
      h11 += dy * gy;
      h12 += dy * gz;
      h20 += dz * gx;
      h21 += dz * gy;
      h22 += dz * gz;
      bond += <f64>load<f32>(bonds + (k << 2)) * (dx * dx + dy * dy + dz * dz);
    }
    const m = inverses + i * 48;
    const m00 = <f64>load<f32>(m),
      m01 = <f64>load<f32>(m, 4),
      m02 = <f64>load<f32>(m, 8);
    const m11 = <f64>load<f32>(m, 20),
      m12 = <f64>load<f32>(m, 24),
      m22 = <f64>load<f32>(m, 40);
    const g00 = h00 * m00 + h01 * m01 + h02 * m02,
      g01 = h00 * m01 + h01 * m11 + h02 * m12,
      g02 = h00 * m02 + h01 * m12 + h02 * m22;
    const g10 = h10 * m00 + h11 * m01 + h12 * m02,
      g11 = h10 * m01 + h11 * m11 + h12 * m12,
      g12 = h10 * m02 + h11 * m12 + h12 * m22;
    const g20 = h20 * m00 + h21 * m01 + h22 * m02,
      g21 = h20 * m01 + h21 * m11 + h22 * m12,
      g22 = h20 * m02 + h21 * m12 + h22 * m22;

    let s00 = g00,
      s11 = g11,
      s22 = g22;
    let s12 = 0.5 * (g12 + g21),
      s02 = 0.5 * (g02 + g20),
      s01 = 0.5 * (g01 + g10);
    let p00: f64 = 1,
      p11: f64 = 1,
      p22: f64 = 1,
      p01: f64 = 0,
      p02: f64 = 0,
      p12: f64 = 0;
    const number = <usize>load<u32>(deficient + (i << 2));
    if (number != 0) {
      const p = projections + (number - 1) * 48;
      p00 = <f64>load<f32>(p);
      p01 = <f64>load<f32>(p, 4);
      p02 = <f64>load<f32>(p, 8);
      p11 = <f64>load<f32>(p, 20);
      p12 = <f64>load<f32>(p, 24);
      p22 = <f64>load<f32>(p, 40);
      s00 = p00 * g00 + p01 * g10 + p02 * g20;
      s11 = p01 * g01 + p11 * g11 + p12 * g21;
      s22 = p02 * g02 + p12 * g12 + p22 * g22;
      s01 = 0.5 * (p00 * g01 + p01 * g11 + p02 * g21 + p01 * g00 + p11 * g10 + p12 * g20);
      s02 = 0.5 * (p00 * g02 + p01 * g12 + p02 * g22 + p02 * g00 + p12 * g10 + p22 * g20);
      s12 = 0.5 * (p01 * g02 + p11 * g12 + p12 * g22 + p02 * g01 + p12 * g11 + p22 * g21);
    }
    const e00 = s00 + 0.5 * (g00 * g00 + g10 * g10 + g20 * g20);
    const e11 = s11 + 0.5 * (g01 * g01 + g11 * g11 + g21 * g21);
    const e22 = s22 + 0.5 * (g02 * g02 + g12 * g12 + g22 * g22);
    const e01 = s01 + 0.5 * (g00 * g01 + g10 * g11 + g20 * g21);
    const e02 = s02 + 0.5 * (g00 * g02 + g10 * g12 + g20 * g22);
    const e12 = s12 + 0.5 * (g01 * g02 + g11 * g12 + g21 * g22);

    const constants = elastic + (i << 4);
    const lambda = <f64>load<f32>(constants);
    const mu = <f64>load<f32>(constants, 4);
    const volumeStiffness = <f64>load<f32>(constants, 8);
    const volume = <f64>load<f32>(constants, 12);
    const trace = e00 + e11 + e22;
    const squares = e00 * e00 + e11 * e11 + e22 * e22 + 2 * (e01 * e01 + e02 * e02 + e12 * e12);
    const f00 = 1 + g00,
      f11 = 1 + g11,
      f22 = 1 + g22;
    const c00 = f11 * f22 - g12 * g21,
      c01 = g12 * g20 - g10 * f22,
      c02 = g10 * g21 - f11 * g20;
    const c10 = g02 * g21 - g01 * f22,
      c11 = f00 * f22 - g02 * g20,
      c12 = g01 * g20 - f00 * g21;
    const c20 = g01 * g12 - g02 * f11,
      c21 = g02 * g10 - f00 * g12,
      c22 = f00 * f11 - g01 * g10;
    const change =
      g00 +
      g11 +
      g22 +
      (g00 * g11 - g01 * g10) +
      (g00 * g22 - g02 * g20) +
      (g11 * g22 - g12 * g21) +
      g00 * (g11 * g22 - g12 * g21) -
      g01 * (g10 * g22 - g12 * g20) +
      g02 * (g10 * g21 - g11 * g20);
    let energy = volume * (0.5 * lambda * trace * trace + mu * squares + 0.5 * volumeStiffness * change * change);
    // Half of each pair's bond belongs to this end; the fitted part is taken off: alpha tr(G M G^T) = alpha tr(G H^T).
    const fitted =
      g00 * h00 + g01 * h01 + g02 * h02 + g10 * h10 + g11 * h11 + g12 * h12 + g20 * h20 + g21 * h21 + g22 * h22;
    const modulus = <f64>load<f32>(bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE + BODY_BOND_MODULUS);
    energy += modulus * (0.25 * bond - 0.5 * <f64>load<f32>(m, 12) * fitted);

    // First Piola-Kirchhoff stress P = J S + k_v (det J - 1) cof J; Cauchy stress P J^T / det J.
    const t = lambda * trace;
    const q00 = t * p00 + 2 * mu * e00,
      q11 = t * p11 + 2 * mu * e11,
      q22 = t * p22 + 2 * mu * e22;
    const q01 = t * p01 + 2 * mu * e01,
      q02 = t * p02 + 2 * mu * e02,
      q12 = t * p12 + 2 * mu * e12;
    const v = volumeStiffness * change;
    const a00 = f00 * q00 + g01 * q01 + g02 * q02 + v * c00;
    const a01 = f00 * q01 + g01 * q11 + g02 * q12 + v * c01;
    const a02 = f00 * q02 + g01 * q12 + g02 * q22 + v * c02;
    const a10 = g10 * q00 + f11 * q01 + g12 * q02 + v * c10;
    const a11 = g10 * q01 + f11 * q11 + g12 * q12 + v * c11;
    const a12 = g10 * q02 + f11 * q12 + g12 * q22 + v * c12;
    const a20 = g20 * q00 + g21 * q01 + f22 * q02 + v * c20;
    const a21 = g20 * q01 + g21 * q11 + f22 * q12 + v * c21;
    const a22 = g20 * q02 + g21 * q12 + f22 * q22 + v * c22;
    const determinant = 1 + change;
    const scale = abs(determinant) > 1e-6 ? 1 / determinant : 0;
    const t00 = scale * (a00 * f00 + a01 * g01 + a02 * g02);
    const t11 = scale * (a10 * g10 + a11 * f11 + a12 * g12);
    const t22 = scale * (a20 * g20 + a21 * g21 + a22 * f22);
    const t01 = scale * (a00 * g10 + a01 * f11 + a02 * g12);
    const t02 = scale * (a00 * g20 + a01 * g21 + a02 * f22);
    const t12 = scale * (a10 * g20 + a11 * g21 + a12 * f22);
    const mises = sqrt(
      max(
        0.0,
        0.5 * ((t00 - t11) * (t00 - t11) + (t11 - t22) * (t11 - t22) + (t22 - t00) * (t22 - t00)) +
          3 * (t01 * t01 + t02 * t02 + t12 * t12),
      ),
    );
    const out = results + i * 48;
    store<f32>(out, <f32>energy);
    store<f32>(out, <f32>mises, 4);
    store<f32>(out, <f32>determinant, 8);
  }
}
