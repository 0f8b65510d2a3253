/** A symmetric system A x = b whose vectors are in the engine's memory, and the passes on them. */
export interface LinearSystem {
  /** A d for the direction d; returns d . A d. */
  readonly multiply: () => number;
  /** x += alpha d, r -= alpha A d; is what is left small enough? */
  readonly advance: (alpha: number) => boolean;
  /** z from the residual r by the preconditioner; returns r . z. */
  readonly precondition: () => number;
  /** d = z + beta d. */
  readonly turn: (beta: number) => void;
}

export interface LinearEffort {
  readonly iterations: number;
  /** `curvature`: d . A d was not positive, and the last direction has not been taken. */
  readonly end: 'converged' | 'iterations' | 'curvature';
  /** d . A d of the last direction. */
  readonly curvature: number;
  /** b . x of what has been added to x, when it began at zero. */
  readonly along: number;
}

/** Preconditioned conjugate gradients from a first direction d = z with r . z = `rho`, in at most so many iterations. */
export function conjugateGradients(system: LinearSystem, rho: number, most: number): LinearEffort {
  let along = 0;
  let curvature = 0;
  for (let iterations = 1; iterations <= most; iterations++) {
    curvature = system.multiply();
    if (!(curvature > 0)) return { iterations, end: 'curvature', curvature, along };
    const alpha = rho / curvature;
    along += alpha * rho;
    if (system.advance(alpha)) return { iterations, end: 'converged', curvature, along };
    const next = system.precondition();
    system.turn(next / rho);
    rho = next;
  }
  return { iterations: Math.max(0, most), end: 'iterations', curvature, along };
}
