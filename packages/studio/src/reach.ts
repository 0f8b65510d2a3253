/** Where a scene will reach, as far as it says so: jets fly along parabolas, obstacles along their keyframes. */
import type { Scene, WorldDescription } from 'phyxel/browser';
import { Box3, Euler, MathUtils, Matrix4, Vector3 } from 'three';

/** Points along the flight of a jet. */
const STEPS = 24;

/** Adds to a box what the sources of a scene will reach before they fall to its lowest point, or below the ground. */
export function addJets({ emitters, gravity, duration }: Scene, ground: number | undefined, box: Box3): Box3 {
  const lowest = ground ?? (box.isEmpty() ? -Infinity : box.min.y);
  const down = new Vector3(...gravity);
  for (const { position, rotation, radius, speed, rate, start, stop } of emitters) {
    const from = new Vector3(...position);
    const flow = speed ?? (rate ?? 0) / (Math.PI * radius ** 2);
    const [x, y, z] = rotation.map((angle) => MathUtils.degToRad(angle)) as [number, number, number];
    const velocity = new Vector3(0, flow, 0).applyEuler(new Euler(x, y, z, 'ZYX'));
    const time = Math.min(duration - start, timeToFall(from.y - lowest, velocity.y, -down.y));
    if (!(stop > start && time > 0)) continue;
    for (let k = 0; k <= STEPS; k++) {
      const t = (time * k) / STEPS;
      const at = from
        .clone()
        .addScaledVector(velocity, t)
        .addScaledVector(down, (t * t) / 2);
      box.union(new Box3(at, at.clone()).expandByScalar(radius));
    }
  }
  return box;
}

/** Time after which something that begins at a height has come down [s]; Infinity where it never does. */
function timeToFall(height: number, velocity: number, gravity: number): number {
  if (gravity <= 0 || !Number.isFinite(height)) return Infinity;
  return (velocity + Math.sqrt(Math.max(0, velocity ** 2 + 2 * gravity * Math.max(0, height)))) / gravity;
}

/** Adds the obstacles that move, at each of their keyframes. */
export function addMotions({ scene, obstacles }: WorldDescription, box: Box3): Box3 {
  for (const [k, { mesh }] of obstacles.entries()) {
    const keyframes = scene.obstacles[k]?.keyframes ?? [];
    if (!mesh || keyframes.length === 0) continue;
    const own = new Box3();
    for (let i = 0; i < mesh.positions.length; i += 3) own.expandByPoint(new Vector3().fromArray(mesh.positions, i));
    const [first] = keyframes;
    for (const { position } of keyframes) {
      const direction = new Vector3(...position).sub(new Vector3(...first!.position));
      box.union(own.clone().applyMatrix4(new Matrix4().makeTranslation(direction)));
    }
  }
  return box;
}
