import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  cubicSpline,
  type Kernel,
  poly6,
  spiky,
  viscosityKernel,
  viscosityLaplacian,
  wendland,
} from '../../reference/kernels.js';
import * as setUp from '../../src/solvers/fluid/kernels.js';

const KERNELS: Record<string, Kernel> = { cubicSpline, poly6, spiky, viscosityKernel, wendland };
/** Not one, so that a wrong power of it shows. */
const H = 0.37;

/** Integral of 4 pi r^2 f(r) from 0 to h by the midpoint rule; knots are on borders of its pieces. */
function integrate(f: (r: number) => number, pieces = 4000): number {
  let sum = 0;
  for (let k = 0; k < pieces; k++) {
    const r = ((k + 0.5) / pieces) * H;
    sum += 4 * Math.PI * r * r * f(r) * (H / pieces);
  }
  return sum;
}

describe.each(Object.entries(KERNELS))('the kernel %s', (_, kernel) => {
  it('integrates to one', () => {
    // The midpoint rule's error is of the order of the piece's square: 1e-7.
    expect(Math.abs(integrate((r) => kernel.value(r, H)) - 1)).toBeLessThan(1e-6);
  });

  it('has the integral -3 of r dW/dr: its gradient reproduces linear fields', () => {
    expect(Math.abs(integrate((r) => r * kernel.slope(r, H)) + 3)).toBeLessThan(1e-5);
  });

  it('vanishes at the support with its gradient, and beyond', () => {
    for (const r of [H, 1.2 * H]) {
      // Rounding of terms of the size of 1/h^3.
      expect(Math.abs(kernel.value(r, H))).toBeLessThan(1e-12);
      expect(Math.abs(kernel.slope(r, H))).toBeLessThan(1e-12);
    }
  });

  it('has the slope and the curvature of its finite differences', () => {
    const e = 1e-5 * H;
    for (const q of [0.05, 0.2, 0.35, 0.49, 0.51, 0.66, 0.9, 0.98]) {
      const r = q * H;
      const slope = (kernel.value(r + e, H) - kernel.value(r - e, H)) / (2 * e);
      const curvature = (kernel.slope(r + e, H) - kernel.slope(r - e, H)) / (2 * e);
      // Central differences: an error of e^2, and rounding over e: 1e-6 of the kernel's scale.
      const scale = Math.abs(kernel.slope(r, H)) + 1 / H ** 4;
      expect(Math.abs(slope - kernel.slope(r, H)) / scale).toBeLessThan(1e-6);
      expect(Math.abs(curvature - kernel.curvature(r, H)) / (scale / r)).toBeLessThan(1e-6);
      expect(kernel.slopeOverR(r, H) * r).toBeCloseTo(kernel.slope(r, H), 9);
    }
  });
});

it('the Laplacian of the viscosity kernel is that of its value', () => {
  for (const q of [0.1, 0.4, 0.7, 0.95]) {
    const r = q * H;
    const laplacian = viscosityKernel.curvature(r, H) + (2 / r) * viscosityKernel.slope(r, H);
    expect(viscosityLaplacian(r, H) / laplacian).toBeCloseTo(1, 10);
  }
});

it('the set-up has the same kernels', () => {
  for (const q of [0, 0.3, 0.5, 0.8, 1, 1.1]) {
    for (const [own, oracle] of [
      [setUp.cubicSpline, cubicSpline],
      [setUp.spiky, spiky],
    ] as const) {
      expect(own.value(q * H, H)).toBeCloseTo(oracle.value(q * H, H), 10);
      expect(own.slopeOverR(q * H, H)).toBeCloseTo(oracle.slopeOverR(q * H, H), 8);
    }
  }
});

describe('the inline kernels of the passes', () => {
  type Exports = Record<string, (a: number, b: number, norm: number) => number>;
  const scalars = ['cubicSplineGradient', 'cubicSplineCurvature', 'viscosityLaplacian'];
  /** Four at a time, from q = r / h. */
  const lanes = ['cubicSplines', 'cubicSplineGradients', 'spikys', 'spikyGradients'];
  const names = [...scalars, ...lanes];
  let compiled: Exports;

  beforeAll(async () => {
    const core = fileURLToPath(new URL('../..', import.meta.url));
    const spread = (x: string) => `f32x4.splat(${x})`;
    const call = (n: string) =>
      scalars.includes(n)
        ? `sph.${n}(a, b, norm)`
        : `f32x4.extract_lane(lanes.${n}(${spread('a * b')}, ${spread('norm')}), 3)`;
    const entry = names
      .map((n) => `export function _${n}(a: f32, b: f32, norm: f32): f32 { return ${call(n)}; }`)
      .join('\n');
    let binary: Uint8Array | undefined;
    const { error, stderr } = await asc.main(
      ['entry.ts', '--outFile', 'kernels.wasm', '--runtime', 'stub', '--enable', 'simd'],
      {
        readFile: (name) => {
          if (name === 'entry.ts')
            return `import * as sph from './assembly/kernels/sph';\nimport * as lanes from './assembly/kernels/lanes';\n${entry}`;
          if (!name.startsWith('assembly/kernels/')) return null;
          return readFileSync(join(core, name), 'utf8');
        },
        writeFile: (name, contents) => {
          if (name === 'kernels.wasm') binary = contents as Uint8Array;
        },
        listFiles: () => [],
      },
    );
    if (error || !binary) throw new Error(`${stderr.toString()}`);
    const { instance } = await WebAssembly.instantiate(binary as BufferSource, { env: { abort: () => {} } });
    const found = instance.exports as unknown as Exports;
    compiled = Object.fromEntries(names.map((n) => [n, found[`_${n}`]!]));
  });

  const norms = setUp.kernelNorms(H);
  const expectSame = (name: string, at: (r: number) => number, oracle: (r: number) => number) => {
    const scale = Math.abs(oracle(0.1 * H));
    for (let k = 0; k <= 24; k++) {
      const r = (k / 20) * H;
      // Float32 has 6e-8; a few operations, and 1 - q of q near one keeps only the bits of q.
      expect(Math.abs(at(r) - oracle(r)) / scale, `${name} at ${k / 20} h`).toBeLessThan(2e-6);
    }
  };

  it('equal the reference', () => {
    const k = compiled;
    const i = 1 / H;
    const spline = norms.cubicSplineDerivative;
    const cases: [string, (r: number) => number, (r: number) => number][] = [
      ['gradient', (r) => k.cubicSplineGradient!(r, i, spline), (r) => cubicSpline.slopeOverR(r, H)],
      ['curvature', (r) => k.cubicSplineCurvature!(r, i, spline), (r) => cubicSpline.curvature(r, H)],
      ['viscosity', (r) => k.viscosityLaplacian!(r, H, norms.spikyDerivative), (r) => viscosityLaplacian(r, H)],
      ['values', (r) => k.cubicSplines!(r, i, norms.cubicSpline), (r) => cubicSpline.value(r, H)],
      ['gradients', (r) => k.cubicSplineGradients!(r, i, spline), (r) => cubicSpline.slopeOverR(r, H)],
      ['spiky values', (r) => k.spikys!(r, i, (norms.spikyDerivative * H * H * H) / 3), (r) => spiky.value(r, H)],
      ['spiky gradients', (r) => k.spikyGradients!(r, i, norms.spikyDerivative * H), (r) => spiky.slopeOverR(r, H)],
    ];
    for (const [name, at, oracle] of cases) expectSame(name, at, oracle);
  });
});
