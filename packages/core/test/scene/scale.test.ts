import { describe, expect, it } from 'vitest';
import { loadScene, resolveScene, scaleScene, serializeScene } from '../../src/index.js';

const scene = resolveScene({
  phyxel: 1,
  bodies: [
    { name: 'cube', shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.025 },
    { name: 'ball', shape: { sphere: { radius: 0.1 } }, position: [1, 0, 0], particles: 400 },
    { name: 'speck', shape: { sphere: { radius: 0.1 } }, position: [2, 0, 0], particles: 2 },
  ],
  emitters: [{ name: 'tap', radius: 0.1, speed: 1, spacing: 0.02, maxParticles: 800 }],
});

describe('a scene at half the resolution', () => {
  it('has twice the spacings and an eighth of the particles, and is the same otherwise', () => {
    const half = scaleScene(scene, 0.5);
    expect(half.bodies.map(({ spacing, particles }) => spacing ?? particles)).toEqual([0.05, 50, 1]);
    expect(half.emitters[0]).toMatchObject({ spacing: 0.04, maxParticles: 100 });
    expect({ ...half, bodies: [], emitters: [] }).toEqual({ ...scene, bodies: [], emitters: [] });
    expect(serializeScene(scaleScene(half, 2)).length).toBeGreaterThan(0);
    expect(scaleScene(scene, 1)).toBe(scene);
  });

  it('is loaded with an eighth of the particles', async () => {
    const only = { ...scene, bodies: scene.bodies.slice(0, 1), emitters: [] };
    for (const [scale, particles] of [
      [1, 512],
      [0.5, 64],
    ] as const) {
      const world = await loadScene(only, { threads: 1, scale });
      expect(world.particleCount).toBe(particles);
      await world.dispose();
    }
  });

  it.each([0, -1, Number.NaN, Infinity])('%d is no resolution', (factor) => {
    expect(() => scaleScene(scene, factor)).toThrow('scale must be > 0');
  });
});
