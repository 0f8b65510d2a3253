import { RIGID_DAMPING } from '../../particles/layout.js';

/** Steps of an impact that is computed to find its restitution, and where it is surely over. */
const STEPS_PER_TIME = 200;
const LONGEST = 50;
const BISECTIONS = 40;
/** Damping that is as good as the strongest [1]. */
const STRONGEST = 1e4;
/** Of what rebounds as a whole: a thousandth comes back. */
const STRONGEST_REBOUND = 1e3;

/** Share of the approach speed of 1 that a contact gives back which slows a mass of 1 like that. Runge-Kutta of fourth order. */
function givenBack(acceleration: (depth: number, closing: number) => number): number {
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

/**
 * Share of the approach speed that a contact gives back under the law of assembly/rigid/contact.ts, for a mass,
 * a stiffness k and a speed of 1: the law has no scale of its own.
 */
export function restitutionOf(damping: number): number {
  return givenBack((depth, closing) => {
    if (depth <= 0) return 0;
    const root = Math.sqrt(depth);
    const spring = depth * root;
    const damper = Math.min(damping * spring, 2 * RIGID_DAMPING * Math.sqrt(1.5 * root));
    return -Math.max(spring + damper * closing, 0);
  });
}

/** The same under the law of assembly/contact/impact.ts, F (1 + d v): it is the same for every spring F. */
function reboundOf(damping: number): number {
  return givenBack((depth, closing) => -Math.max(depth, 0) * Math.max(1 + damping * closing, 0));
}

/** The damping with which a law gives back a share of the approach speed; no less than the `strongest` leaves. */
function dampingFor(restitution: number, law: (damping: number) => number, strongest: number): number {
  let low = 0;
  let high = strongest;
  if (restitution >= 1) high = 0;
  else if (restitution <= law(strongest)) low = strongest;
  for (let k = 0; k < BISECTIONS && low < high; k++) {
    // Geometric, but from zero.
    const middle = Math.sqrt((low + 1e-3) * (high + 1e-3)) - 1e-3;
    if (law(middle) > restitution) low = middle;
    else high = middle;
  }
  return high;
}

function remembered(find: (restitution: number) => number): (restitution: number) => number {
  const known = new Map<number, number>();
  return (restitution) => {
    const before = known.get(restitution);
    if (before !== undefined) return before;
    const found = find(restitution);
    known.set(restitution, found);
    return found;
  };
}

/** How strongly an impact of a rigid body is to be damped, d in c = d k xi^(3/2) / v, so that this share of the speed comes back [1]. */
export const impactDamping = remembered((restitution) => dampingFor(restitution, restitutionOf, STRONGEST));

/** How strongly the impact of a solid as a whole is to be damped, d in F (1 + d s / v), so that this share of v comes back [1]. */
export const reboundDamping = remembered((restitution) => dampingFor(restitution, reboundOf, STRONGEST_REBOUND));
