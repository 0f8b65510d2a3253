type Vec3 = readonly [number, number, number];

/** A contact of two particles of rigid bodies, or of one with a wall. */
export interface RigidContact {
  /** How deep they are in each other [m]. */
  readonly depth: number;
  /** Towards the first. */
  readonly normal: Vec3;
  /** Velocity of the first at the point of contact relative to the second [m/s]. */
  readonly relative: Vec3;
  /** E / (1 - nu^2) of both together [Pa], and their effective radius [m]. */
  readonly modulus: number;
  readonly radius: number;
  /** Share of the contact in the reduced mass [kg]. */
  readonly mass: number;
  /** How strongly an impact is damped, and the bound as a share of critical [1]. */
  readonly impactDamping: number;
  readonly damping: number;
  readonly friction: number;
  /** Stretch of the friction's spring at the last evaluation [m], speed at first touch [m/s], and the time since [s]. */
  readonly stretch: Vec3;
  readonly speed: number;
  readonly dt: number;
}

const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const add = (a: Vec3, b: Vec3, s: number): Vec3 => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];

/** An approach of less energy than this share of that of the contact is none. */
const TREMBLING = 0.01;
/** Stiffness of friction over that of the normal force. */
const SHEAR = 0.8;

/**
 * Force on the first [N] by the law of assembly/rigid/contact.ts, [K06] eq. 4.17-4.22 with the damping of Hunt
 * and Crossley and with a spring in the friction; and the new stretch of that.
 */
export function rigidContactForce(contact: RigidContact): { force: Vec3; stretch: Vec3 } {
  const { depth, normal, relative, mass, friction: mu, dt } = contact;
  const k = (4 / 3) * contact.modulus * Math.sqrt(contact.radius);
  const closing = -dot(relative, normal);
  const stiffness = 1.5 * k * Math.sqrt(depth);
  const spring = k * depth ** 1.5;
  const damper = Math.min(
    (contact.impactDamping * spring) / contact.speed,
    2 * contact.damping * Math.sqrt(mass * stiffness),
  );
  const push = Math.max(spring + damper * closing, 0);
  const slip = add(relative, normal, closing);
  const shear = SHEAR * stiffness;
  const impact = closing > 0 && mass * closing * closing > TREMBLING * spring * depth;
  const kept = impact ? Math.sqrt(Math.max(depth - closing * dt, 0) / depth) : 1;
  const within = add(contact.stretch, normal, -dot(contact.stretch, normal));
  let stretch = add([kept * within[0], kept * within[1], kept * within[2]], slip, dt);
  let friction = add(
    [-shear * stretch[0], -shear * stretch[1], -shear * stretch[2]],
    slip,
    -2 * contact.damping * Math.sqrt(mass * shear),
  );
  const pull = Math.sqrt(dot(friction, friction));
  if (pull > mu * push) {
    friction = [0, 1, 2].map((a) => (friction[a]! * mu * push) / pull) as unknown as Vec3;
    stretch = [0, 1, 2].map((a) => -friction[a]! / shear) as unknown as Vec3;
  }
  return { force: add(friction, normal, push), stretch };
}
