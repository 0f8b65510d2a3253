import { describe, expect, it } from 'vitest';
import { layOnPlanes } from '../../src/render/liquid.js';

describe('the surface of a liquid', () => {
  const spacing = 0.1;
  const floor = { point: [0, 1, 0], normal: [0, 1, 0] } as const;
  const lay = (heights: number[], normal: readonly number[] = [0, -1, 0]) => {
    const surface = {
      positions: Float32Array.from(heights.flatMap((y) => [3, 1 + y, 4])),
      normals: Float32Array.from(heights.flatMap(() => normal)),
      indices: new Uint32Array(0),
      attributes: {},
    };
    const { positions, normals } = layOnPlanes(surface, [floor], spacing);
    return { heights: heights.map((_, i) => positions[3 * i + 1]! - 1), positions, normals };
  };

  it('lies on a plane that it touches, without air between, and is left alone further away', () => {
    const { heights, positions } = lay([-0.02, 0, 0.04, 0.1, 0.3]);
    for (const y of heights.slice(0, 3)) {
      expect(y).toBeLessThan(0);
      expect(y).toBeGreaterThan(-0.05 * spacing);
    }
    expect(heights[3]).toBeCloseTo(0.1, 6);
    expect(heights[4]).toBeCloseTo(0.3, 6);
    expect([positions[0], positions[2]]).toEqual([3, 4]);
  });

  it('keeps the order of its heights, so that it does not fold', () => {
    const { heights } = lay(Array.from({ length: 60 }, (_, i) => -0.05 + 0.003 * i));
    for (let i = 1; i < heights.length; i++) expect(heights[i]).toBeGreaterThanOrEqual(heights[i - 1]!);
  });

  it('is as flat as the plane below, and as it was above', () => {
    expect([...lay([0.01], [0.6, -0.8, 0]).normals]).toEqual([-0, -1, -0]);
    expect([...lay([0.01], [0, 1, 0]).normals]).toEqual([0, 1, 0]);
  });
});
