import { describe, expect, it } from 'vitest';
import { loadScene, parseScene } from '../../src/index.js';
import { sampleShape } from '../../src/sampling/index.js';

const QUADS = [
  0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
];

/** Boxes as one mesh, by their lowest and highest corners. */
function boxes(...corners: (readonly [number, number, number, number, number, number])[]) {
  const positions = corners.flatMap((c) =>
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) => [0, 1, 2].map((axis) => c[axis + (((k >> axis) & 1) === 1 ? 3 : 0)]!)),
  );
  const triangles = corners.flatMap((_, n) => QUADS.map((k) => k + 8 * n));
  return { mesh: { data: { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) } } };
}

const SPACING = 0.1;
const warningsOf = (shape: Parameters<typeof sampleShape>[0], lattice: 'cubic' | 'bcc' | 'hcp' | 'octree' = 'cubic') =>
  sampleShape(shape, { spacing: SPACING, lattice, reach: 2.1 }).warnings.join();
const ACROSS = 'mesh has parts that are held together across air, near (';

describe('parts of a mesh that are nearer than neighbours reach', () => {
  const pair = (gap: number) => boxes([0, 0, 0, 1, 1, 1], [1 + gap, 0, 0, 2 + gap, 1, 1]);

  const apart = 'mesh has parts with air between them, near (';

  it.each(['cubic', 'bcc', 'hcp', 'octree'] as const)('are parts whatever the gap, and told of: %s', (lattice) => {
    for (const gap of [0.005, 0.05, 0.2, 0.5, 0.8, 4]) {
      const { parts, volumes, positions, warnings } = sampleShape(pair(gap * SPACING), {
        spacing: SPACING,
        lattice,
        reach: 2.1,
      });
      expect(parts, `${gap}`).toHaveLength(2);
      expect(parts![1]).toBe(volumes.length);
      for (let i = 0; i < volumes.length; i++) {
        const isFirst = positions[3 * i]! < 1 + (gap * SPACING) / 2;
        expect(isFirst, `${gap}: ${i}`).toBe(positions[0]! < 1 === i < parts![0]!);
      }
      expect(warnings.join().includes(apart), `${gap}`).toBe(gap < 1);
      expect(warnings.join()).not.toContain(ACROSS);
    }
  });

  it('are one where they touch or overlap', () => {
    for (const gap of [-0.3, 0, 1e-5]) {
      const { parts, warnings } = sampleShape(pair(gap * SPACING), { spacing: SPACING, lattice: 'cubic', reach: 2.1 });
      expect(parts).toBeUndefined();
      expect(warnings.join()).not.toContain('air');
    }
  });

  it('are warned of in what can melt, and not in liquids', async () => {
    const warnings = async (material: object) => {
      const { scene } = parseScene(
        JSON.stringify({
          phyxel: 1,
          bodies: [{ kind: 'fluid', shape: { mesh: { file: 'two.obj' } }, spacing: SPACING, material }],
        }),
        'air.json',
      );
      const { positions, triangles } = pair(0.5 * SPACING).mesh.data;
      const lines = (values: ArrayLike<number>, letter: string, add: number) =>
        Array.from({ length: values.length / 3 }, (_, i) =>
          [letter, ...[0, 1, 2].map((k) => values[3 * i + k]! + add)].join(' '),
        );
      const text = [...lines(positions, 'v', 0), ...lines(triangles, 'f', 1)].join('\n');
      const world = await loadScene(scene, { threads: 1, readFile: async () => new TextEncoder().encode(text) });
      const found = world.bodies[0]!.warnings.join();
      await world.dispose();
      return found;
    };
    expect(await warnings({ elastic: true })).toContain(ACROSS);
    expect(await warnings({})).not.toContain(ACROSS);
  });

  it('are warned of where they are joined elsewhere', () => {
    const fork = (gap: number) =>
      boxes([0, 0, 0, 0.3, 0.3, 1], [0.3 + gap, 0, 0, 0.6 + gap, 0.3, 1], [0, 0, -0.3, 0.6 + gap, 0.3, 0.1]);
    expect(warningsOf(fork(0.8 * SPACING))).toContain(ACROSS);
    expect(warningsOf(fork(4 * SPACING))).not.toContain(ACROSS);
  });

  it('are not those of corners, thin plates and rings', () => {
    expect(warningsOf(boxes([0, 0, 0, 1, 0.3, 0.3], [0, 0, 0, 0.3, 1, 0.3]))).not.toContain(ACROSS);
    expect(warningsOf(boxes([0, 0, 0, 1, 1, 0.1]))).not.toContain(ACROSS);
    expect(warningsOf({ torus: { radius: 0.5, tube: 0.2 } })).not.toContain('across air');
  });

  it('are told of solids only', () => {
    const sampled = sampleShape(pair(0.8 * SPACING), { spacing: SPACING, lattice: 'cubic' });
    expect(sampled.warnings.join()).not.toContain(ACROSS);
  });
});
