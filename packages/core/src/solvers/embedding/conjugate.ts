import type { PassName } from '../../memory/engine.js';
import * as layout from '../../particles/embedding-layout.js';
import type { EmbeddingStore } from '../../particles/embedding-store.js';
import { conjugateGradients, type LinearSystem } from '../linear/conjugate-gradients.js';

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
  const rho = store.blockSum(0);
  const start = store.blockSum(1);
  const enough = Math.max(tolerance * tolerance * start, small * small * store.count);
  if (!(start > enough)) return { iterations: 0, converged: start <= enough };
  const system: LinearSystem = {
    multiply: () => {
      store.run(multiply);
      return store.blockSum(0);
    },
    advance: (alpha) => {
      store.setFloat(layout.ALPHA, alpha);
      store.run('advanceSolution');
      return store.blockSum(1) <= enough;
    },
    precondition: () => store.blockSum(0),
    turn: (beta) => {
      store.setFloat(layout.BETA, beta);
      store.run('turnSolution');
    },
  };
  const { iterations, end } = conjugateGradients(system, rho, most);
  return { iterations: end === 'curvature' ? iterations - 1 : iterations, converged: end === 'converged' };
}
