/** From which side a run is looked at when nobody says: where obstacles hide as little as possible, and walls are seen. */

import {
  Bvh,
  isWall,
  type ObstacleOptions,
  obstaclePlane,
  obstaclePose,
  type Shape,
  shapeMesh,
  type Vec3,
} from 'phyxel';
import { localTo } from '../export/geometry.js';
import type { Frame } from '../run/frame-file.js';
import { dot } from '../vectors.js';
import { frameArray, type RunSource } from './run-source.js';

/** Sides in the order in which they are liked: degrees around y from the z axis. */
const SIDES = [30, -30, 150, -150] as const;
/** Another side must show this share more to be better. */
const CLEARLY = 0.03;
/** Frames that are looked at, and particles of each body. */
const FRAMES = 6;
const PARTICLES = 60;

/** The azimuth [degrees]; `vessels` are looked through. */
export function chooseSide(
  run: RunSource,
  wanted: readonly number[],
  vessels: ReadonlySet<string>,
  elevation: number,
): number {
  const hides = ({ shape, look, name }: ObstacleOptions) =>
    !('plane' in shape) && look !== 'glass' && !vessels.has(name);
  const obstacles = run.scene.obstacles.filter(hides).map((obstacle) => {
    return { obstacle, tree: new Bvh(shapeMesh(obstacle.shape as Shape, Infinity)) };
  });
  const step = Math.max(1, Math.floor(wanted.length / FRAMES));
  const frames = wanted.filter((_, k) => k % step === 0).map((number) => run.readFrame(number));
  const hidden = SIDES.map((azimuth) => {
    const back = direction(azimuth, elevation);
    let [count, all] = [0, 0];
    for (const frame of frames) {
      const points = somePoints(frame);
      const seen = new Uint8Array(points.length / 3).fill(1);
      for (const { obstacle, tree } of obstacles) hide(seen, points, back, obstacle, tree, frame.time);
      all += seen.length;
      count += seen.reduce((sum, s) => sum - s, seen.length);
    }
    return all > 0 ? count / all : 0;
  });
  const least = Math.min(...hidden);
  const good = SIDES.filter((_, k) => hidden[k]! <= least + CLEARLY);
  // Walls are drawn from their free side: of those the more the better.
  const walls = good.map((azimuth) => wallsBefore(run.scene.obstacles, direction(azimuth, elevation)));
  return good[walls.indexOf(Math.max(...walls))]!;
}

/** How many walls face somebody far away in a direction. */
function wallsBefore(obstacles: readonly ObstacleOptions[], back: Vec3): number {
  return obstacles.filter((obstacle) => {
    const plane = obstaclePlane(obstacle, 0);
    return plane && isWall(plane) && dot(plane.normal, back) > 0;
  }).length;
}

function direction(azimuth: number, elevation: number): Vec3 {
  const [a, e] = [(azimuth * Math.PI) / 180, (elevation * Math.PI) / 180];
  return [Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e)];
}

/** Some of each body's particles that are in the world. */
function somePoints(frame: Frame): Float32Array {
  const positions = frameArray(frame, 'position')!.values;
  const present = frameArray(frame, 'present')?.values;
  const points: number[] = [];
  for (const { begin, end } of frame.bodies) {
    const step = Math.max(1, Math.floor((end - begin) / PARTICLES));
    for (let i = begin; i < end; i += step) {
      if (present === undefined || present[i]! > 0) points.push(...positions.subarray(3 * i, 3 * i + 3));
    }
  }
  return Float32Array.from(points);
}

/** Marks the points with an obstacle between them and the camera, which is far away. */
function hide(
  seen: Uint8Array,
  points: Float32Array,
  back: Vec3,
  obstacle: ObstacleOptions,
  tree: Bvh,
  time: number,
): void {
  const pose = obstaclePose(obstacle, time);
  const local = localTo(pose, points, true);
  const direction = [...localTo(pose, back, false)] as unknown as Vec3;
  for (let i = 0; i < seen.length; i++) {
    tree.crossings([local[3 * i]!, local[3 * i + 1]!, local[3 * i + 2]!], direction, (_, t) => {
      if (t > 0) seen[i] = 0;
    });
  }
}
