import { RIGID_DAMPING } from '../../particles/layout.js';

/** Steps of an impact that is computed to find its restitution, and where it is surely over. */
const STEPS_PER_TIME = 200;
const LONGEST = 50;
const BISECTIONS = 40;
/** Damping that is as good as the strongest [1]. */
const STRONGEST = 1e4;

/**
 * Share of the approach speed that a contact gives back under the law of assembly/rigid/contact.ts, for a mass,
 * a stiffness k and a speed of 1: the law has no scale of its own. Runge-Kutta of fourth order.
 */
export function restitutionOf(damping: number): number {
  const acceleration = (depth: number, closing: number): number => {
    if (depth <= 0) return 0;
    const root = Math.sqrt(depth);
    const spring = depth * root;
    const damper = Math.min(damping * spring, 2 * RIGID_DAMPING * Math.sqrt(1.5 * root));
    return -Math.max(spring + damper * closing, 0);
  };
  const h = 1 / STEPS_PER_TIME;
  let x = 0;
  let v = 1;
  for (let k = 0; k < LONGEST * STEPS_PER_TIME; k++) {
    const a1 = acceleration(x, v);
    const v2 = v + (h / 2) * a1;
    const a2 = acceleration(x + (h / 2) * v, v2);
    const v3 = v + (h / 2) * a2;
    const a3 = acceleration(x + (h / 2) * v2, v3);
    const v4 = v + h * a3;
    const a4 = acceleration(x + h * v3, v4);
    x += (h / 6) * (v + 2 * v2 + 2 * v3 + v4);
    v += (h / 6) * (a1 + 2 * a2 + 2 * a3 + a4);
    if (x <= 0) break;
  }
  return Math.max(-v, 0);
}

const known = new Map<number, number>();

/**
 * How strongly an impact is to be damped, d in c = d k xi^(3/2) / v, so that this share of the approach speed
 * comes back [1]. What is less than the strongest damping leaves gets that one.
 */
export function impactDamping(restitution: number): number {
  const before = known.get(restitution);
  if (before !== undefined) return before;
  let low = 0;
  let high = STRONGEST;
  if (restitution >= 1) high = 0;
  else if (restitution <= restitutionOf(STRONGEST)) low = STRONGEST;
  for (let k = 0; k < BISECTIONS && low < high; k++) {
    // Geometric, but from zero.
    const middle = Math.sqrt((low + 1e-3) * (high + 1e-3)) - 1e-3;
    if (restitutionOf(middle) > restitution) low = middle;
    else high = middle;
  }
  known.set(restitution, high);
  return high;
}
