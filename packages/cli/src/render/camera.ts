/** Where the camera stands: as the user says, or so that everything of all frames is in the picture. */

import type { Vec3 } from 'phyxel';
import { bounds } from '../export/geometry.js';
import { dot, plus } from '../vectors.js';
import type { Camera } from './view.js';

export interface CameraOptions {
  readonly position?: Vec3 | undefined;
  readonly target?: Vec3 | undefined;
  /** From top to bottom [degrees]. */
  readonly fieldOfView: number;
  /** Where it looks from when it has no position: degrees around y from the z axis, and above the horizon. */
  readonly azimuth: number;
  readonly elevation: number;
}

/** Share of the picture's height and width that is left free on each side. */
const MARGIN = 0.06;

/** `points` are xyz triples that should be in the picture; `aspect` is width over height. */
export function placeCamera(options: CameraOptions, points: ArrayLike<number>, aspect: number): Camera {
  const tangent = Math.tan((options.fieldOfView * Math.PI) / 360);
  const { position, target } = options;
  const middle = centre(points);
  if (position) return look(position, target ?? middle, tangent);
  const around = (options.azimuth * Math.PI) / 180;
  const above = (options.elevation * Math.PI) / 180;
  const back: Vec3 = [Math.sin(around) * Math.cos(above), Math.sin(above), Math.cos(around) * Math.cos(above)];
  const axes = look(plus(middle, back, 1), middle, tangent);
  return { ...axes, origin: target ? fitAround(axes, points, aspect, target) : fit(axes, points, aspect) };
}

/** The nearest position from which all points are in the picture, whose sides they touch. */
function fit({ forward, right, up, tangent }: Camera, points: ArrayLike<number>, aspect: number): Vec3 {
  const tx = tangent * aspect * (1 - 2 * MARGIN);
  const ty = tangent * (1 - 2 * MARGIN);
  // Of each side's plane through the camera the largest offset of a point.
  let [left, rightmost, bottom, top] = [-Infinity, -Infinity, -Infinity, -Infinity];
  let nearest = Infinity;
  for (let i = 0; i < points.length; i += 3) {
    const p: Vec3 = [points[i]!, points[i + 1]!, points[i + 2]!];
    const [x, y, z] = [dot(p, right), dot(p, up), dot(p, forward)];
    rightmost = Math.max(rightmost, x - tx * z);
    left = Math.max(left, -x - tx * z);
    top = Math.max(top, y - ty * z);
    bottom = Math.max(bottom, -y - ty * z);
    nearest = Math.min(nearest, z);
  }
  const x = (rightmost - left) / 2;
  const y = (top - bottom) / 2;
  const depth = Math.min(-(rightmost + left) / (2 * tx), -(top + bottom) / (2 * ty), nearest - 1e-3);
  return [0, 1, 2].map((k) => x * right[k]! + y * up[k]! + depth * forward[k]!) as unknown as Vec3;
}

/** The same, but looking at a given point. */
function fitAround(
  { forward, right, up, tangent }: Camera,
  points: ArrayLike<number>,
  aspect: number,
  target: Vec3,
): Vec3 {
  const tx = tangent * aspect * (1 - 2 * MARGIN);
  const ty = tangent * (1 - 2 * MARGIN);
  let distance = 1e-3;
  for (let i = 0; i < points.length; i += 3) {
    const p: Vec3 = [points[i]! - target[0], points[i + 1]! - target[1], points[i + 2]! - target[2]];
    const z = dot(p, forward);
    distance = Math.max(distance, Math.abs(dot(p, right)) / tx - z, Math.abs(dot(p, up)) / ty - z);
  }
  return plus(target, forward, -distance);
}

function look(from: Vec3, to: Vec3, tangent: number): Camera {
  const direction: Vec3 = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
  const length = Math.sqrt(dot(direction, direction));
  const forward: Vec3 = length > 0 ? [direction[0] / length, direction[1] / length, direction[2] / length] : [0, 0, -1];
  // Straight up or down, the z axis points down on the picture.
  const side: Vec3 = Math.abs(forward[1]) > 0.99999 ? [1, 0, 0] : [-forward[2], 0, forward[0]];
  const scale = 1 / Math.sqrt(dot(side, side));
  const right: Vec3 = [side[0] * scale, side[1] * scale, side[2] * scale];
  const up: Vec3 = [
    right[1] * forward[2] - right[2] * forward[1],
    right[2] * forward[0] - right[0] * forward[2],
    right[0] * forward[1] - right[1] * forward[0],
  ];
  return { origin: from, forward, right, up, tangent };
}

function centre(points: ArrayLike<number>): Vec3 {
  const { low, high } = bounds(points);
  return low.map((l, k) => (l + high[k]!) / 2) as unknown as Vec3;
}
