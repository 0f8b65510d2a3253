import { add, length, rotationFromDegrees, scale, transform } from '../math/matrix3.js';
import type { BodyOptions, DescribedObstacle, ObstacleOptions, Shape, TriangleMesh, Vec3 } from '../options/types.js';
import { SamplingError } from '../sampling/error.js';
import { triangulatePrimitive } from '../sampling/primitive-surface.js';
import { scaleMesh } from '../sampling/solid-shape.js';
import { compose, Motion, type Pose } from '../solvers/motion.js';

/** The surface of a shape in triangles, in its own coordinates; arcs in steps of about `edge` [m]. */
export function shapeMesh(shape: Shape, edge: number): TriangleMesh {
  if (!('mesh' in shape)) return triangulatePrimitive(shape, 2 * edge);
  const { data, size } = shape.mesh;
  if (!data) throw new SamplingError('mesh has no data: read its file first');
  return size === undefined ? data : scaleMesh(data, size);
}

/** Where a body's shape is at the start. */
export function bodyPose({ position, rotation }: Pick<BodyOptions, 'position' | 'rotation'>): Pose {
  return { rotation: rotationFromDegrees(rotation), origin: position };
}

/** Where an obstacle's shape is at a time [s]. */
export function obstaclePose(obstacle: Omit<ObstacleOptions, 'shape'>, time: number): Pose {
  return compose(new Motion(obstacle.keyframes, obstacle.motion).pose(time), bodyPose(obstacle));
}

/** A point of a plane [m] and its unit normal, which points to the side that is free. */
export interface PlaneAt {
  readonly point: Vec3;
  readonly normal: Vec3;
}

/** Where the plane of an obstacle is at a time [s]; undefined when it has another shape. */
export function obstaclePlane(obstacle: DescribedObstacle, time: number): PlaneAt | undefined {
  if (!('plane' in obstacle.shape)) return undefined;
  const { normal, offset } = obstacle.shape.plane;
  const unit = scale(normal, 1 / length(normal));
  const { rotation, origin } = obstaclePose(obstacle, time);
  return { point: add(transform(rotation, scale(unit, offset)), origin), normal: transform(rotation, unit) };
}
