import { OBSTACLE_STRIDE } from '../../src/particles/layout';
import {
  BOUNDARY_COUNT,
  BOUNDARY_FOUND,
  BOUNDARY_FOUND_COUNT,
  BOUNDARY_LOCAL,
  BOUNDARY_ORIGIN,
  BOUNDARY_POSITION,
  BOUNDARY_CAPACITY,
  BOUNDARY_SOLID_BEGIN,
  BOUNDARY_TRAITS,
  HALF_SPACE,
  OBSTACLE_COUNT,
  OBSTACLES,
  PERIOD,
  POSITION,
  PRESSURE,
  REST_VOLUME,
  SUPPORT,
  WALL_DRAG,
  WALL_FORCE,
  WALL_FORCE_STRIDE,
} from '../../src/particles/fluid-layout';
import { isPlane, obstacleDistance, planeDistance } from '../contact/obstacles';
import { addMul, dot, splatY, w, x } from '../math/simd';
import { halfSpace, inverseOf, kernelSlope, lookUp, separation } from './pairs';

/**
 * What each obstacle does to each particle: -V p G, G the part of the density's gradient that is the obstacle's, as in
 * computeLiquidPairs, and its share of the drag of all walls, see noteWallDrag, in proportion to the sizes of these parts.
 */
export function measureWallForces(begin: u32, end: u32, context: usize): void {
  const forces = <usize>load<u32>(context + WALL_FORCE);
  const drags = <usize>load<u32>(context + WALL_DRAG);
  const stride = <usize>load<u32>(context + WALL_FORCE_STRIDE);
  const positions = <usize>load<u32>(context + POSITION);
  const pressures = <usize>load<u32>(context + PRESSURE);
  const volume = load<f32>(context + REST_VOLUME);
  const support = load<f32>(context + SUPPORT);
  const period = v128.load(context + PERIOD);
  const inversePeriod = inverseOf(period);
  const table = <usize>load<u32>(context + HALF_SPACE);
  const obstacles = <usize>load<u32>(context + OBSTACLES);
  const obstacleCount = <usize>load<u32>(context + OBSTACLE_COUNT);
  const boundary = load<u32>(context + BOUNDARY_COUNT) > 0;
  const capacity = <usize>load<u32>(context + BOUNDARY_CAPACITY);
  const origins = <usize>load<u32>(context + BOUNDARY_ORIGIN);
  const locals = <usize>load<u32>(context + BOUNDARY_LOCAL);
  const firstSolid = load<u32>(context + BOUNDARY_SOLID_BEGIN);
  const boundaryPositions = <usize>load<u32>(context + BOUNDARY_POSITION);
  const traits = <usize>load<u32>(context + BOUNDARY_TRAITS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const xi = v128.load(positions + (i << 4));
    const own = forces + (i << 4);
    // First the gradients, as computeLiquidPairs adds them up.
    let outside: f32 = 1;
    for (let o: usize = 0; o < obstacleCount; o++) {
      const obstacle = obstacles + o * OBSTACLE_STRIDE;
      v128.store(own + o * stride, f32x4.splat(0));
      if (!isPlane(obstacle) || !(planeDistance(obstacle, xi) < support)) continue;
      const surface = obstacleDistance(obstacle, xi);
      const row = halfSpace(table, w(surface), support);
      const rest: f32 = max<f32>(<f32>1 - x(row), 0);
      for (let before: usize = 0; before < o; before++) {
        const at = own + before * stride;
        v128.store(at, f32x4.mul(f32x4.splat(rest), v128.load(at)));
      }
      const g = f32x4.mul(splatY(row), f32x4.replace_lane(surface, 3, 0));
      v128.store(own + o * stride, f32x4.mul(f32x4.splat(outside), g));
      outside *= rest;
    }
    if (boundary) {
      const list = <usize>load<u32>(context + BOUNDARY_FOUND) + i * (capacity << 2);
      const count = load<u32>(<usize>load<u32>(context + BOUNDARY_FOUND_COUNT) + (i << 2));
      for (let k: u32 = 0; k < count; k++) {
        const b = <usize>load<u32>(list + (<usize>k << 2));
        const origin = load<u32>(origins + (b << 2));
        if (origin >= firstSolid) continue;
        const xb = v128.load(boundaryPositions + (b << 4));
        const d = f32x4.replace_lane(separation(xi, xb, period, inversePeriod), 3, 0);
        lookUp(traits + (b << 4), sqrt(dot(d, d)) / support);
        const at = own + <usize>load<u32>(locals + (<usize>origin << 4), 12) * stride;
        v128.store(at, addMul(v128.load(at), f32x4.splat(w(xb) * kernelSlope), d));
      }
    }
    // Then the forces.
    let sizes: f32 = 0;
    for (let o: usize = 0; o < obstacleCount; o++) {
      const g = v128.load(own + o * stride);
      sizes += sqrt(dot(g, g));
    }
    if (sizes == 0) continue;
    const drag = v128.load(drags + (i << 4));
    const push = f32x4.splat(-volume * load<f32>(pressures + (i << 2)));
    for (let o: usize = 0; o < obstacleCount; o++) {
      const at = own + o * stride;
      const g = v128.load(at);
      const share: f32 = volume * sqrt(dot(g, g)) / sizes;
      v128.store(at, f32x4.replace_lane(addMul(f32x4.mul(push, g), f32x4.splat(share), drag), 3, 0));
    }
  }
}
