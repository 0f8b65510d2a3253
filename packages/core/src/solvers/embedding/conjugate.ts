import type { PassName } from '../../memory/engine.js';
import * as layout from '../../particles/embedding-layout.js';
import type { EmbeddingStore } from '../../particles/embedding-store.js';

export interface Effort {
  iterations: number;
  converged: boolean;
}

/**
 * Conjugate gradients on a system that a pass has begun: its residual, direction and diagonal are in place and
 * the first partial sums are r . z and z . z. Ends when the preconditioned residual z is below `tolerance` of what
 * it was, or its root mean square below `small`.
 */
export function solve(
  store: EmbeddingStore,
  multiply: PassName,
  { tolerance, small, most }: { tolerance: number; small: number; most: number },
): Effort {
  let product = store.blockSum(0);
  const start = store.blockSum(1);
  const enough = Math.max(tolerance * tolerance * start, small * small * store.count);
  let size = start;
  let iterations = 0;
  while (size > enough && iterations < most) {
    store.run(multiply);
    const curvature = store.blockSum(0);
    if (!(curvature > 0)) break;
    store.setFloat(layout.ALPHA, product / curvature);
    store.run('advanceSolution');
    iterations++;
    const next = store.blockSum(0);
    size = store.blockSum(1);
    store.setFloat(layout.BETA, next / product);
    product = next;
    if (size > enough) store.run('turnSolution');
  }
  return { iterations, converged: size <= enough };
}
