/** Boxes around things: at time 0, which regions select by and from which a changed scene starts, and now. */
import type { BodyDescription, WorldDescription, WorldFrame } from 'phyxel/browser';
import { Box3, Matrix4, Vector3 } from 'three';

/** Share of a body's height, as it is shown, that a new constraint holds. */
const HELD = 0.2;
/** Coordinates of particles that are not there are below this. */
const ABSENT = -1e6;

/** Box around the particles of a body at time 0; of all bodies without one. */
export function restBox(description: WorldDescription, body?: BodyDescription): Box3 {
  const box = new Box3();
  for (const { begin, end, spacing } of body ? [body] : description.bodies) {
    const own = boxOf(description.restPositions, 3, range(begin, end));
    if (!own.isEmpty()) box.union(own.expandByScalar(spacing / 2));
  }
  return box;
}

/**
 * The lowest part of a body as it is shown, as a box at time 0: that of the same particles. Particles of what flows
 * come and go, so that its lowest part is that of time 0.
 */
export function lowestPart(description: WorldDescription, body: BodyDescription, frame: WorldFrame): Box3 {
  const { restPositions: rest } = description;
  const [shown, stride] = body.flows ? [rest, 3] : [frame.particles, 4];
  const all = range(body.begin, body.end).filter((i) => shown[stride * i]! > ABSENT);
  const { min, max } = boxOf(shown, stride, all);
  const top = min.y + HELD * (max.y - min.y) + 1e-6 * body.spacing;
  const lowest = all.filter((i) => shown[stride * i + 1]! <= top);
  return boxOf(rest, 3, lowest).expandByScalar(body.spacing / 4);
}

/** Deviations from the mean that belong to the bulk of a body; drops that fly off are farther. */
const BULK = 3;

/** Box around most of every body, where it is now. */
export function bulkBox({ bodies }: WorldDescription, { particles }: WorldFrame): Box3 {
  const box = new Box3();
  for (const { begin, end } of bodies) {
    const own = new Box3();
    const at = new Vector3();
    const [sum, squares] = [new Vector3(), new Vector3()];
    let count = 0;
    for (let i = begin; i < end; i++) {
      if (!(particles[4 * i]! > ABSENT)) continue;
      at.fromArray(particles, 4 * i);
      own.expandByPoint(at);
      sum.add(at);
      squares.add(at.multiply(at));
      count++;
    }
    if (count === 0) continue;
    const mean = sum.divideScalar(count);
    const spread = squares.divideScalar(count).sub(mean.clone().multiply(mean));
    const reach = new Vector3(...spread.toArray().map((square) => BULK * Math.sqrt(Math.max(0, square))));
    box.union(own.intersect(new Box3(mean.clone().sub(reach), mean.clone().add(reach))));
  }
  return box;
}

/** Box around an obstacle, where it is now; undefined for planes. */
export function obstacleBox(
  { obstacles }: WorldDescription,
  { obstacles: rows }: WorldFrame,
  k: number,
): Box3 | undefined {
  const positions = obstacles[k]?.mesh?.positions;
  if (!positions) return undefined;
  const r = (i: number) => rows[12 * k + i]!;
  const pose = new Matrix4();
  pose.set(r(0), r(1), r(2), r(3), r(4), r(5), r(6), r(7), r(8), r(9), r(10), r(11), 0, 0, 0, 1);
  return new Box3().setFromArray(positions as unknown as number[]).applyMatrix4(pose);
}

function range(begin: number, end: number): number[] {
  return Array.from({ length: end - begin }, (_, k) => begin + k);
}

function boxOf(positions: Float32Array, stride: number, particles: readonly number[]): Box3 {
  const box = new Box3();
  const at = new Vector3();
  for (const i of particles)
    if (positions[stride * i]! > ABSENT) box.expandByPoint(at.fromArray(positions, stride * i));
  return box;
}
