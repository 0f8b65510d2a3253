import {
  BLOCK_SUMS,
  BODIES,
  BODY_BEGIN,
  BODY_END,
  BODY_LIST_BEGIN,
  BODY_LIST_END,
  BODY_SCATTERED,
  BODY_STRIDE,
  DISPLACEMENT,
  FLUX,
  GRADIENT_SUM,
  REST,
  ROW_PARTICLES,
  SUMS,
  VELOCITY,
} from '../../src/particles/layout';

/**
 * Sums over each body in its own frame, f64, in particle order: mass (slot 0), mass times m + u
 * (1-3), mass times v (4-6), mass times (m + u) x v (7-9), kinetic energy (10), mass times
 * (m + u) m^T by rows (11-19), elastic energy left by computeMeasures (20); mass times m (21-23). The range is one of bodies.
 */
export function computeBodySums(begin: u32, end: u32, context: usize): void {
  const rest = <usize>load<u32>(context + REST);
  const displacements = <usize>load<u32>(context + DISPLACEMENT);
  const velocities = <usize>load<u32>(context + VELOCITY);
  const sums = <usize>load<u32>(context + GRADIENT_SUM);
  const measures = <usize>load<u32>(context + FLUX);
  const list = <usize>load<u32>(context + ROW_PARTICLES);
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
      s23: f64 = 0;
    const scattered = load<u32>(body + BODY_SCATTERED) == 1;
    const last = <usize>load<u32>(body + (scattered ? BODY_LIST_END : BODY_END));
    for (let k = <usize>load<u32>(body + (scattered ? BODY_LIST_BEGIN : BODY_BEGIN)); k < last; k++) {
      const i = scattered ? <usize>load<u32>(list + (k << 2)) : k;
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
  }
}
