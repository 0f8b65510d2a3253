import { describe, expect, it } from 'vitest';
import { wendland } from '../../reference/kernels.js';
import { integrateHalfSpace, tabulateHalfSpace } from '../../src/solvers/fluid/half-space.js';
import { cubicSpline, type RadialKernel } from '../../src/solvers/fluid/kernels.js';

const H = 0.4;
const KERNELS: [string, RadialKernel][] = [
  ['cubic spline', cubicSpline],
  ['Wendland', wendland],
];

/** The same integrals as sums over a lattice of n^3 points per h^3, for u = (1, 0, 1): tangential and normal at once. */
function latticeSums(kernel: RadialKernel, d: number, cap: number, n: number) {
  const step = H / n;
  const volume = step ** 3;
  const sums = { share: 0, slope: 0, tangential: 0, normal: 0 };
  for (let k = 0; d + (k + 0.5) * step < H; k++) {
    const depth = (k + 0.5) * step;
    const z = d + depth;
    const beta = d > 0 ? Math.min(cap, 1 + depth / d) : cap;
    for (let j = -n; j < n; j++) {
      for (let i = -n; i < n; i++) {
        const x = (i + 0.5) * step;
        const y = (j + 0.5) * step;
        const r2 = x * x + y * y + z * z;
        if (r2 >= H * H) continue;
        const r = Math.sqrt(r2);
        const gradient = kernel.slopeOverR(r, H);
        sums.share += volume * kernel.value(r, H);
        sums.slope += volume * gradient * z;
        const operator = (volume * 10 * beta * gradient) / (r2 + 0.01 * H * H);
        sums.tangential -= operator * x * x;
        sums.normal -= operator * z * z;
      }
    }
  }
  return sums;
}

describe.each(KERNELS)('a half-space of the %s', (_, kernel) => {
  it('takes half of the kernel at its plane, nothing at h, all of it at -h', () => {
    expect(integrateHalfSpace(kernel, H, 0).share).toBeCloseTo(0.5, 12);
    expect(integrateHalfSpace(kernel, H, -H).share).toBeCloseTo(1, 12);
    expect(integrateHalfSpace(kernel, H, H)).toEqual({ share: 0, slope: 0, tangential: 0, normal: 0 });
    const { share, slope, tangential, normal } = integrateHalfSpace(kernel, H, -H);
    // Deep in the wall every direction is the same.
    expect(slope).toBeCloseTo(0, 10);
    expect(tangential / normal).toBeCloseTo(1, 10);
    expect(share + integrateHalfSpace(kernel, H, H).share).toBeCloseTo(1, 12);
  });

  it('has shares on both sides that sum to one', () => {
    for (const d of [0.05, 0.13, 0.31]) {
      const sum = integrateHalfSpace(kernel, H, d).share + integrateHalfSpace(kernel, H, -d).share;
      expect(sum).toBeCloseTo(1, 12);
    }
  });

  it('has the slope of its finite differences', () => {
    const e = 1e-5 * H;
    for (const d of [-0.33, -0.2, -0.07, 0, 0.11, 0.24, 0.39]) {
      const difference =
        (integrateHalfSpace(kernel, H, d + e).share - integrateHalfSpace(kernel, H, d - e).share) / (2 * e);
      expect(Math.abs(integrateHalfSpace(kernel, H, d).slope - difference)).toBeLessThan(1e-7 / H);
    }
  });

  it.each([-0.32, -0.1, 0, 0.02, 0.1, 0.22, 0.36])('equals the sum over a fine lattice at d = %d', (d) => {
    const exact = integrateHalfSpace(kernel, H, d);
    const sums = latticeSums(kernel, d, 1.5, 40);
    // Midpoint sums over cells of h/40, with a layer that is cut short at h: errors of 1e-3 of the greatest entries.
    const whole = integrateHalfSpace(kernel, H, -H);
    expect(Math.abs(exact.share - sums.share)).toBeLessThan(1e-3);
    expect(Math.abs(exact.slope - sums.slope) * H).toBeLessThan(4e-3);
    expect(Math.abs(exact.tangential - sums.tangential) / whole.tangential).toBeLessThan(1e-3);
    expect(Math.abs(exact.normal - sums.normal) / whole.normal).toBeLessThan(1e-3);
  });

  it('leaves linear shear without force when nothing is capped', () => {
    // All of the kernel is odd then: what the wall does at d undoes the fluid's own part, the integral over z < d
    // of z, which is minus that over z > d. So d T is the first moment of the operator over the wall.
    for (const d of [0.03, 0.15, 0.3]) {
      const { tangential } = integrateHalfSpace(kernel, H, d, Infinity);
      const n = 60;
      const fluid = latticeMoment(kernel, d, n);
      // At 0.3 the wall is a thin cap, coarse for the lattice.
      expect(Math.abs(d * tangential + fluid) / (d * tangential)).toBeLessThan(1e-2);
    }
  });

  it('resists relative motion: T and N are positive and fall with the distance', () => {
    const { tangential, normal, share, cells } = tabulateHalfSpace(kernel, H);
    for (let k = 0; k < cells; k++) {
      for (const table of [tangential, normal, share]) {
        expect(table[k]!).toBeGreaterThanOrEqual(0);
        expect(table[k]!).toBeGreaterThanOrEqual(table[k + 1]!);
      }
    }
  });

  it('may be interpolated linearly', () => {
    const tables = tabulateHalfSpace(kernel, H);
    const whole = { share: 1, slope: 1 / H, tangential: tables.tangential[0]!, normal: tables.normal[0]! };
    const worst = { share: 0, slope: 0, tangential: 0, normal: 0 };
    for (let k = 0; k < 997; k++) {
      const d = ((2 * (k + 0.5)) / 997 - 1) * H;
      const exact = integrateHalfSpace(kernel, H, d);
      const at = ((d / H + 1) / 2) * tables.cells;
      const cell = Math.floor(at);
      for (const name of ['share', 'slope', 'tangential', 'normal'] as const) {
        const value = tables[name][cell]! * (cell + 1 - at) + tables[name][cell + 1]! * (at - cell);
        worst[name] = Math.max(worst[name], Math.abs(value - exact[name]) / whole[name]);
      }
    }
    // Measured with 128 cells, of the greatest entries: 1.0e-4 (share), 6.4e-4 (slope, over 1/h), 2.2e-4 (T), 2.8e-4 (N).
    expect(worst.share).toBeLessThan(2e-4);
    expect(worst.slope).toBeLessThan(1e-3);
    expect(worst.tangential).toBeLessThan(4e-4);
    expect(worst.normal).toBeLessThan(4e-4);
  });

  it('scales with the support: 1, 1/h, 1/h^2', () => {
    const a = integrateHalfSpace(kernel, 1, 0.3);
    const b = integrateHalfSpace(kernel, 0.01, 0.003);
    expect(b.share / a.share).toBeCloseTo(1, 10);
    expect(b.slope / a.slope / 100).toBeCloseTo(1, 10);
    expect(b.tangential / a.tangential / 1e4).toBeCloseTo(1, 10);
    expect(b.normal / a.normal / 1e4).toBeCloseTo(1, 10);
  });
});

/** The fluid's own part for the profile v_x = z above the plane, seen by a particle at d: the force over V mu. */
function latticeMoment(kernel: RadialKernel, d: number, n: number): number {
  const step = H / n;
  let sum = 0;
  for (let k = 0; d - (k + 0.5) * step > -H; k++) {
    const z = d - (k + 0.5) * step;
    for (let j = -n; j < n; j++) {
      for (let i = -n; i < n; i++) {
        const x = (i + 0.5) * step;
        const y = (j + 0.5) * step;
        const r2 = x * x + y * y + z * z;
        if (r2 >= H * H) continue;
        sum += (step ** 3 * 10 * z * x * x * kernel.slopeOverR(Math.sqrt(r2), H)) / (r2 + 0.01 * H * H);
      }
    }
  }
  return -sum;
}
