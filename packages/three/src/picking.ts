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
  let best: { body: BodyDescription; particle: number; distance: number } | undefined;
  for (const body of bodies) {
    const met = firstBall(ray, frame.particles, body.begin, body.end, COVER * body.spacing);
    if (met && (!best || met.distance < best.distance)) best = { body, ...met };
  }
  return best && { ...best, point: ray.at(best.distance, new Vector3()) };
}

/** Of balls around the particles [begin, end), four numbers each, the first that a ray meets. */
export function firstBall(
  { origin: o, direction: d }: Ray,
  at: Float32Array,
  begin: number,
  end: number,
  radius: number,
): { readonly particle: number; readonly distance: number } | undefined {
  const radius2 = radius * radius;
  // The direction of a ray in coordinates of another scale is no unit vector.
  const scale = 1 / (d.x * d.x + d.y * d.y + d.z * d.z);
  let [particle, nearest] = [-1, Infinity];
  for (let i = begin; i < end; i++) {
    if (at[4 * i] === ABSENT) continue;
    const x = at[4 * i]! - o.x;
    const y = at[4 * i + 1]! - o.y;
    const z = at[4 * i + 2]! - o.z;
    const along = (x * d.x + y * d.y + z * d.z) * scale;
    const rest = (radius2 - (x * x + y * y + z * z)) * scale + along * along;
    if (along <= 0 || rest < 0) continue;
    const distance = along - Math.sqrt(rest);
    if (distance < nearest) [particle, nearest] = [i, distance];
  }
  return particle < 0 ? undefined : { particle, distance: nearest };
}
