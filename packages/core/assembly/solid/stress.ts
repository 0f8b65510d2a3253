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
  DEFICIENT_OF,
  DISPLACEMENT,
  ELASTIC,
  FLUX,
  MOMENT_INVERSE,
  NEIGHBOR_BEGIN,
  NEIGHBORS,
  PROJECTIONS,
  STRAIN,
  STRAIN_RATE,
} from '../../src/particles/layout';
import {
  addMul,
  columnX,
  columnY,
  columnZ,
  cross,
  dot,
  rowSumBound,
  rowTimes,
  splatX,
  splatY,
  splatZ,
  vector,
  w,
  x,
  y,
  z,
} from '../math/simd';
import { neighborIndex } from '../neighbors/lists';

/**
 * Deformation gradient, strain, stress and the flux Q of every particle, in one pass.
 *
 *   grad u_i = (sum_j (u_j - u_i) g_ij^T) M_i^-1                      [M04] eq. 15
 *   E_i = 1/2 (J^T J - I), J = I + grad u                             [M04] eq. 3, with the 1/2
 *   S_i = lambda tr(E) I + 2 mu (E + tau dE/dt)                       [M04] eq. 4, and viscosity
 *   P_i = J S + k_v (det J - 1) cof J                                 [M04] eq. 7-8, 22
 *   Q_i = V P M^-1 - 2 alpha grad u                                   [M04] eq. 18-25
 *
 * The last term and the sum of bonds b_ij (u_j - u_i), left in ACCELERATION as a force, are the
 * gradient of the stabilisation alpha_i sum_j w_ij |x_j - x_i - J_i r_ij|^2, which sees the
 * displacements that a linear fit does not.
 *
 * E is formed from grad u, never from J^T J - I, and det J - 1 from the invariants of grad u: near
 * the rest shape float32 would otherwise lose all digits.
 */
export function computeStresses(begin: u32, end: u32, context: usize): void {
  const u = <usize>load<u32>(context + DISPLACEMENT);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const pairs = <usize>load<u32>(context + NEIGHBORS);
  const bonds = <usize>load<u32>(context + BONDS);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const flux = <usize>load<u32>(context + FLUX);
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

  let body: usize = 0;
  let bodyEnd: usize = 0;
  let bondModulus: f32 = 0;
  let viscous = false;
  let viscousTime: f32 = 0;
  let perModulus: f32 = 0;
  let highest: f32 = 0;
  for (let i = <usize>begin; i < <usize>end; i++) {
    if (i >= bodyEnd) {
      body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
      bodyEnd = <usize>load<u32>(body + BODY_END);
      bondModulus = load<f32>(body + BODY_BOND_MODULUS);
      viscous = load<u32>(body + BODY_VISCOUS) != 0;
      viscousTime = load<f32>(body + BODY_VISCOUS_TIME);
      perModulus = 1 / load<f32>(body + BODY_STEP_MODULUS);
    }

    const ui = v128.load(u + (i << 4));
    let h0 = f32x4.splat(0);
    let h1 = f32x4.splat(0);
    let h2 = f32x4.splat(0);
    let bond = f32x4.splat(0);
    const last = pairs + ((<usize>load<u32>(begins + (i << 2), 4)) << 4);
    let b = bonds + ((<usize>load<u32>(begins + (i << 2))) << 2);
    for (let pair = pairs + ((<usize>load<u32>(begins + (i << 2))) << 4); pair < last; pair += 16) {
      const g = v128.load(pair);
      const d = f32x4.sub(v128.load(u + (neighborIndex(g) << 4)), ui);
      h0 = addMul(h0, splatX(d), g);
      h1 = addMul(h1, splatY(d), g);
      h2 = addMul(h2, splatZ(d), g);
      bond = addMul(bond, v128.load_splat<f32>(b), d);
      b += 4;
    }

    const inverse = inverses + i * 48;
    const m0 = v128.load(inverse);
    const m1 = v128.load(inverse, 16);
    const m2 = v128.load(inverse, 32);
    const g0 = rowTimes(h0, m0, m1, m2);
    const g1 = rowTimes(h1, m0, m1, m2);
    const g2 = rowTimes(h2, m0, m1, m2);

    // The symmetric part; in a neighbourhood that spans less than space only within its span.
    let s0 = g0;
    let s1 = g1;
    let s2 = g2;
    const number = <usize>load<u32>(deficient + (i << 2));
    if (number != 0) {
      const projection = projections + (number - 1) * 48;
      const p0 = v128.load(projection);
      const p1 = v128.load(projection, 16);
      const p2 = v128.load(projection, 32);
      s0 = rowTimes(p0, g0, g1, g2);
      s1 = rowTimes(p1, g0, g1, g2);
      s2 = rowTimes(p2, g0, g1, g2);
    }
    const t0 = columnX(s0, s1, s2);
    const t1 = columnY(s0, s1, s2);
    const t2 = columnZ(s0, s1, s2);
    let c0 = f32x4.add(s0, t0);
    let c1 = f32x4.add(s1, t1);
    let c2 = f32x4.add(s2, t2);
    c0 = addMul(addMul(addMul(c0, splatX(g0), g0), splatX(g1), g1), splatX(g2), g2);
    c1 = addMul(addMul(addMul(c1, splatY(g0), g0), splatY(g1), g1), splatY(g2), g2);
    c2 = addMul(addMul(addMul(c2, splatZ(g0), g0), splatZ(g1), g1), splatZ(g2), g2);
    let e0 = f32x4.mul(half, c0);
    let e1 = f32x4.mul(half, c1);
    let e2 = f32x4.mul(half, c2);

    const trace = x(e0) + y(e1) + z(e2);
    if (viscous) {
      // E + tau dE/dt, from the strain of the last step. Only the shear modulus is viscous: a viscous
      // bulk modulus would damp no slower motion but cut the stable step of nearly incompressible bodies.
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

    const constants = v128.load(elastic + (i << 4));
    const twoMu = f32x4.splat(2 * y(constants));
    const volume = w(constants);
    const pressure = f32x4.splat(x(constants) * trace);
    s0 = addMul(f32x4.mul(pressure, ex), twoMu, e0);
    s1 = addMul(f32x4.mul(pressure, ey), twoMu, e1);
    s2 = addMul(f32x4.mul(pressure, ez), twoMu, e2);
    if (number != 0) {
      // lambda tr(E) P instead of lambda tr(E) I.
      const projection = projections + (number - 1) * 48;
      s0 = addMul(f32x4.mul(pressure, v128.load(projection)), twoMu, e0);
      s1 = addMul(f32x4.mul(pressure, v128.load(projection, 16)), twoMu, e1);
      s2 = addMul(f32x4.mul(pressure, v128.load(projection, 32)), twoMu, e2);
    }

    // How much stiffer than at rest: stretch of the tangent, geometric stiffness, determinant term.
    const stretch = rowSumBound(f32x4.add(c0, ex), f32x4.add(c1, ey), f32x4.add(c2, ez));
    const volumeStiffness = z(constants);
    let stiffness = stretch * (x(constants) + 2 * y(constants)) + rowSumBound(s0, s1, s2);

    let p0 = f32x4.add(s0, rowTimes(g0, s0, s1, s2));
    let p1 = f32x4.add(s1, rowTimes(g1, s0, s1, s2));
    let p2 = f32x4.add(s2, rowTimes(g2, s0, s1, s2));
    if (volumeStiffness != 0) {
      const minor = cross(g1, g2);
      const change =
        x(g0) +
        y(g1) +
        z(g2) +
        (x(g0) * y(g1) - y(g0) * x(g1)) +
        (x(g0) * z(g2) - z(g0) * x(g2)) +
        (y(g1) * z(g2) - z(g1) * y(g2)) +
        dot(g0, minor);
      const j0 = f32x4.add(g0, ex);
      const j1 = f32x4.add(g1, ey);
      const j2 = f32x4.add(g2, ez);
      const f0 = cross(j1, j2);
      const f1 = cross(j2, j0);
      const f2 = cross(j0, j1);
      const factor = f32x4.splat(volumeStiffness * change);
      p0 = addMul(p0, factor, f0);
      p1 = addMul(p1, factor, f1);
      p2 = addMul(p2, factor, f2);
      const cofactor = dot(f0, f0) + dot(f1, f1) + dot(f2, f2) - 2;
      stiffness += volumeStiffness * (max(cofactor, <f32>1) + abs(change) * sqrt(stretch));
    }
    // To the square of a frequency, raised by viscosity so that 2 / frequency stays the stable step.
    let frequency2 = stiffness * perModulus;
    if (viscous) {
      const frequency = sqrt(frequency2);
      const share = (<f32>2 * y(constants)) / (x(constants) + <f32>2 * y(constants) + volumeStiffness);
      const ratio = <f32>0.5 * viscousTime * share * frequency;
      const raised = frequency * (sqrt(<f32>1 + ratio * ratio) + ratio);
      frequency2 = raised * raised;
    }
    if (!(frequency2 <= highest)) highest = frequency2;

    const v = f32x4.splat(volume);
    const alpha = f32x4.splat(-bondModulus * w(m0));
    const q0 = addMul(f32x4.mul(v, rowTimes(p0, m0, m1, m2)), alpha, g0);
    const q1 = addMul(f32x4.mul(v, rowTimes(p1, m0, m1, m2)), alpha, g1);
    const q2 = addMul(f32x4.mul(v, rowTimes(p2, m0, m1, m2)), alpha, g2);
    const out = flux + i * 48;
    v128.store(out, columnX(q0, q1, q2));
    v128.store(out, columnY(q0, q1, q2), 16);
    v128.store(out, columnZ(q0, q1, q2), 32);
    v128.store(forces + (i << 4), f32x4.mul(f32x4.splat(bondModulus), bond));

    if (((i + 1) & (BLOCK - 1)) == 0 || i + 1 == <usize>end) {
      store<f32>(frequencies + ((i / BLOCK) << 2), highest);
      highest = 0;
    }
  }
}
