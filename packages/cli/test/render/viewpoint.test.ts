import { parseScene } from 'phyxel';
import { describe, expect, it } from 'vitest';
import type { RunSource } from '../../src/render/run-source.js';
import { chooseSide } from '../../src/render/viewpoint.js';

/** A run of one frame with a cube of particles around the origin. */
function runWith(obstacles: string): RunSource {
  const { scene } = parseScene(
    `
phyxel: 1
bodies:
  - { name: cube, shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.1 }
obstacles:
  - { name: floor, shape: { plane: {} }, position: [0, -0.1, 0] }
${obstacles}`,
    'side.yaml',
  );
  const values = Float32Array.from({ length: 24 }, (_, k) => (((k / 3) >> (k % 3)) & 1 ? 0.05 : -0.05));
  const frame = {
    frame: 0,
    time: 0,
    bodies: [{ name: 'cube', begin: 0, end: 8 }],
    arrays: [{ name: 'position', components: 3, values }],
  };
  return { scene, readFrame: () => frame } as unknown as RunSource;
}

const side = (obstacles: string, vessels: readonly string[] = []) =>
  chooseSide(runWith(obstacles), [0], new Set(vessels), 14);

describe('the side that is looked at', () => {
  it('is the first where nothing is in the way', () => {
    expect(side('')).toBe(30);
    expect(side('  - { name: far, shape: { box: { size: [1, 1, 0.1] } }, position: [0, 0, -1] }')).toBe(30);
  });

  it('is another where an obstacle hides much from there, as it is turned', () => {
    const wall = '  - { name: wall, shape: { box: { size: [0.1, 1, 1] } }, position: [0.3, 0, 0.2]';
    expect(side(`${wall} }`)).toBe(-30);
    expect(side('  - { name: wall, shape: { box: { size: [1, 1, 0.1] } }, position: [0, 0, 0.3] }')).toBe(150);
    expect(side(`${wall}, rotation: [0, 90, 0] }`)).not.toBe(-30);
    // Through glass one can look.
    expect(side(`${wall}, look: glass }`)).toBe(30);
    expect(side(`${wall} }`, ['wall'])).toBe(30);
  });

  it('is before walls rather than behind them', () => {
    expect(side('  - { name: wall, shape: { plane: { normal: [0, 0, 1], offset: -1 } } }')).toBe(30);
    expect(side('  - { name: wall, shape: { plane: { normal: [0, 0, -1], offset: -1 } } }')).toBe(150);
  });
});
