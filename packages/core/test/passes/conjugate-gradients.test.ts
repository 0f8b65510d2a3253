import { describe, expect, test } from 'vitest';
import { conjugateGradients, type LinearSystem } from '../../src/solvers/linear/conjugate-gradients.js';

/** A x = b with Jacobi's preconditioner, in plain arrays. */
function systemOf(matrix: readonly (readonly number[])[], b: readonly number[], enough: number) {
  const dot = (a: readonly number[], c: readonly number[]) => a.reduce((sum, x, k) => sum + x * c[k]!, 0);
  const x = b.map(() => 0);
  const r = [...b];
  const z = () => r.map((value, k) => value / matrix[k]![k]!);
  let d = z();
  let product: number[] = [];
  const system: LinearSystem = {
    multiply: () => {
      product = matrix.map((row) => dot(row, d));
      return dot(d, product);
    },
    advance: (alpha) => {
      for (const k of x.keys()) {
        x[k]! += alpha * d[k]!;
        r[k]! -= alpha * product[k]!;
      }
      return Math.sqrt(dot(r, r)) <= enough;
    },
    precondition: () => dot(r, z()),
    turn: (beta) => {
      d = z().map((value, k) => value + beta * d[k]!);
    },
  };
  return { system, x, rho: dot(r, z()), along: () => dot(b, x) };
}

const MATRIX = [
  [4, 1, 0],
  [1, 3, -1],
  [0, -1, 2],
];

describe('conjugate gradients', () => {
  test('solve n equations in n iterations, and tell b . x', () => {
    const { system, x, rho, along } = systemOf(MATRIX, [1, 2, 3], 1e-12);
    const effort = conjugateGradients(system, rho, 10);
    expect(effort.end).toBe('converged');
    expect(effort.iterations).toBeLessThanOrEqual(3);
    for (const [k, row] of MATRIX.entries()) {
      expect(row.reduce((sum, a, j) => sum + a * x[j]!, 0)).toBeCloseTo(k + 1, 12);
    }
    expect(effort.along).toBeCloseTo(along(), 12);
  });

  test('end after as many iterations as they may take', () => {
    const { system, rho } = systemOf(MATRIX, [1, 2, 3], 0);
    expect(conjugateGradients(system, rho, 2)).toMatchObject({ iterations: 2, end: 'iterations' });
    expect(conjugateGradients(system, rho, 0)).toMatchObject({ iterations: 0, end: 'iterations' });
  });

  test('do not take a direction of negative curvature, nor one that is not a number', () => {
    const { system, rho, x } = systemOf([[-1]], [1], 0);
    expect(conjugateGradients(system, rho, 5)).toMatchObject({
      iterations: 1,
      end: 'curvature',
      curvature: -1,
      along: 0,
    });
    expect(x).toEqual([0]);
    const lost = systemOf([[Number.NaN]], [1], 0);
    expect(conjugateGradients(lost.system, lost.rho, 5).end).toBe('curvature');
  });
});
