/** Particles that may touch, in world coordinates. */
export interface ContactParticles {
  /** xyz per particle [m]. */
  readonly position: Float64Array;
  /** xyz per particle [m/s]. */
  readonly velocity: Float64Array;
  /** Half of the distance at which two equal particles touch [m]. */
  readonly radius: Float64Array;
  /** [N/m] */
  readonly stiffness: Float64Array;
  /** [kg] */
  readonly mass: Float64Array;
  /** Coulomb friction coefficient [1]. */
  readonly friction: Float64Array;
  /** Coefficient of restitution [1]. */
  readonly restitution: Float64Array;
}

/**
 * Penalty, damping and friction of all touching pairs, [K06] eq. 5.38-5.43 for particles in the position of
 * surfels, by looking at every pair; xyz per particle [N]. `damping` is a share of critical.
 */
export function contactForces(
  particles: ContactParticles,
  damping: number,
  canTouch: (i: number, j: number) => boolean,
): Float64Array {
  const { position: x, velocity: v, radius, stiffness, mass, friction, restitution } = particles;
  const force = new Float64Array(x.length);
  const normal = [0, 0, 0];
  for (let i = 0; i < radius.length; i++) {
    for (let j = 0; j < radius.length; j++) {
      if (i === j) continue;
      const reach = radius[i]! + radius[j]!;
      let square = 0;
      for (let a = 0; a < 3; a++) {
        normal[a] = x[3 * i + a]! - x[3 * j + a]!;
        square += normal[a]! ** 2;
      }
      if (square >= reach * reach || !canTouch(i, j)) continue;
      const distance = Math.sqrt(square);
      let parting = 0;
      for (let a = 0; a < 3; a++) {
        normal[a]! /= distance;
        parting += normal[a]! * (v[3 * i + a]! - v[3 * j + a]!);
      }
      const k = (2 * stiffness[i]! * stiffness[j]!) / (stiffness[i]! + stiffness[j]!);
      const reducedMass = (mass[i]! * mass[j]!) / (mass[i]! + mass[j]!);
      const resistance = 2 * Math.sqrt(k * reducedMass);
      const bounce = Math.max(restitution[i]!, restitution[j]!);
      // Contact pushes and never pulls.
      // k (R - d) (R / d)^2 grows without bound as centres meet.
      const nearness = reach / Math.max(distance, 0.05 * reach);
      const spring = k * (reach - distance) * nearness ** 2;
      const push = Math.max(spring - damping * (1 - bounce) * resistance * parting, 0);
      const tangential = [0, 1, 2].map((a) => v[3 * i + a]! - v[3 * j + a]! - parting * normal[a]!);
      const slip = Math.sqrt(tangential.reduce((sum, t) => sum + t * t, 0));
      // Coulomb's bound, and below it a viscous drag.
      const frictionBound = Math.sqrt(friction[i]! * friction[j]!) * push;
      const brake = Math.min(damping * resistance, slip > 0 ? frictionBound / slip : Infinity);
      for (let a = 0; a < 3; a++) force[3 * i + a]! += push * normal[a]! - brake * tangential[a]!;
    }
  }
  return force;
}
