import { ABSENT, type BodyDescription, type WorldFrame } from 'phyxel/browser';
import { type Ray, Vector3 } from 'three';

export interface Pick {
  readonly body: BodyDescription;
  /** Number of the particle in the world. */
  readonly particle: number;
  /** Where the ray meets the body [m], and how far along the ray. */
  readonly point: Vector3;
  readonly distance: number;
}

/** Balls that stand for particles overlap, so that no ray slips through between them. */
const COVER = 0.75;

/** The first particle that a ray, in the world's coordinates, meets. */
export function pickParticle(ray: Ray, frame: WorldFrame, bodies: readonly BodyDescription[]): Pick | undefined {
  const { origin: o, direction: d } = ray;
  const at = frame.particles;
  let best: { body: BodyDescription; particle: number; distance: number } | undefined;
  for (const body of bodies) {
    const radius2 = (COVER * body.spacing) ** 2;
    for (let i = body.begin; i < body.end; i++) {
      if (at[4 * i] === ABSENT) continue;
      const x = at[4 * i]! - o.x;
      const y = at[4 * i + 1]! - o.y;
      const z = at[4 * i + 2]! - o.z;
      const along = x * d.x + y * d.y + z * d.z;
      const rest = radius2 - (x * x + y * y + z * z - along * along);
      if (along <= 0 || rest < 0) continue;
      const distance = along - Math.sqrt(rest);
      if (!best || distance < best.distance) best = { body, particle: i, distance };
    }
  }
  return best && { ...best, point: ray.at(best.distance, new Vector3()) };
}
