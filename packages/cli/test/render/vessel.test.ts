import { obstaclePose, shapeMesh, splitAtCreases } from 'phyxel';
import { describe, expect, it } from 'vitest';
import { Vessel } from '../../src/render/vessel.js';

describe('liquid at a vessel of glass', () => {
  const spacing = 0.1;
  const radius = 1;
  // A ball of glass somewhere, turned: what is a little off it, or a little inside, lies along it.
  const ball = new Vessel(splitAtCreases(shapeMesh({ sphere: { radius } }, 0.02), 40));
  const center = [3, -1, 2] as const;
  const turned = { position: center, rotation: [30, 50, 20], shape: { sphere: { radius } } };
  const pose = obstaclePose(
    { name: 'ball', keyframes: [], ...turned } as unknown as Parameters<typeof obstaclePose>[0],
    0,
  );
  const directions = Array.from({ length: 60 }, (_, k) => {
    const y = 1 - (2 * (k + 0.5)) / 60;
    const r = Math.sqrt(1 - y * y);
    return [r * Math.cos(2.4 * k), y, r * Math.sin(2.4 * k)];
  });
  const lay = (heights: readonly number[], inwards: number) => {
    const at = (direction: number[], height: number) => direction.map((x, a) => center[a]! + (radius + height) * x);
    const { positions, normals } = ball.lay(
      {
        positions: Float32Array.from(directions.flatMap((direction, k) => at(direction, heights[k % heights.length]!))),
        normals: Float32Array.from(directions.flatMap((direction) => direction.map((x) => -inwards * x))),
        indices: new Uint32Array(0),
        attributes: {},
      },
      pose,
      spacing,
    );
    return directions.map((direction, k) => {
      const p = [0, 1, 2].map((a) => positions[3 * k + a]! - center[a]!);
      const along = direction.reduce((sum, x, a) => sum - x * normals[3 * k + a]!, 0);
      return { height: Math.hypot(...p) - radius, along };
    });
  };

  it('lies in the glass by the same everywhere, with no film of air between, and has its normals', () => {
    for (const { height, along } of lay([-0.02, 0.001, 0.03, 0.045], 1)) {
      expect(height).toBeLessThan(0);
      expect(height).toBeGreaterThan(-0.08 * spacing);
      expect(along).toBeGreaterThan(0.999);
    }
  });

  it('is left alone further away, and where it does not face the glass', () => {
    for (const { height } of lay([0.12, 0.3], 1))
      expect([0.12, 0.3].some((h) => Math.abs(height - h) < 2e-3)).toBe(true);
    for (const { along } of lay([0.03], -1)) expect(along).toBeLessThan(-0.999);
  });

  it('lies in what cannot be seen through where it faces it; the other side of a film stays', () => {
    const body = new Vessel(shapeMesh({ sphere: { radius } }, 0.02), false);
    const placed = (height: number, outwards: number) => {
      const surface = {
        positions: Float32Array.from(
          directions.flatMap((direction) => direction.map((x, a) => center[a]! + (radius + height) * x)),
        ),
        normals: Float32Array.from(directions.flatMap((direction) => direction.map((x) => outwards * x))),
        indices: new Uint32Array(0),
        attributes: {},
      };
      const { positions } = body.lay(surface, pose, spacing);
      return directions.map((_, k) => Math.hypot(...[0, 1, 2].map((a) => positions[3 * k + a]! - center[a]!)) - radius);
    };
    for (const height of placed(0.04, -1)) expect(Math.abs(height + 0.1 * spacing)).toBeLessThan(2e-3);
    for (const height of placed(0.09, 1)) expect(Math.abs(height - 0.09)).toBeLessThan(1e-6);
  });
});
