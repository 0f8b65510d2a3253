import { shapeMesh, vertexNormals } from 'phyxel';
import { describe, expect, it } from 'vitest';
import { matterJumps, quantile, type Surface, surfaceJumps } from '../../src/render/steadiness.js';

const SPACING = 0.1;

/** A ball of particles, and a surface around it. */
function ball(): { particles: Float32Array; surface: Surface } {
  const positions: number[] = [];
  for (let x = -0.55; x < 0.6; x += SPACING) {
    for (let y = -0.55; y < 0.6; y += SPACING) {
      for (let z = -0.55; z < 0.6; z += SPACING) if (Math.hypot(x, y, z) < 0.5) positions.push(x, y, z);
    }
  }
  const mesh = shapeMesh({ sphere: { radius: 0.5 } }, 0.02);
  const normals = vertexNormals(mesh.positions, mesh.triangles);
  return { particles: Float32Array.from(positions), surface: { ...mesh, normals } };
}

/** All positions by an affine map. */
function mapped(positions: ArrayLike<number>, m: readonly number[], shift: readonly number[]): Float32Array {
  return Float32Array.from({ length: positions.length }, (_, k) => {
    const [i, a] = [k - (k % 3), k % 3];
    return (
      shift[a]! + m[3 * a]! * positions[i]! + m[3 * a + 1]! * positions[i + 1]! + m[3 * a + 2]! * positions[i + 2]!
    );
  });
}

// A turn about z with a stretch along x.
const [c, s] = [Math.cos(0.3), Math.sin(0.3)];
const MAP = [1.1 * c, -s, 0, 1.1 * s, c, 0, 0, 0, 1];
const SHIFT = [0.3, -0.2, 0.1];

describe('how much a surface pops', () => {
  const { particles, surface } = ball();
  const motion = { before: particles, after: mapped(particles, MAP, SHIFT), spacing: SPACING };
  const positions = mapped(surface.positions, MAP, SHIFT);
  const moved: Surface = { ...surface, positions, normals: vertexNormals(positions, surface.triangles) };

  it('a surface that goes with its matter, turned and stretched, does not', () => {
    const { distances, angles } = surfaceJumps(surface, moved, motion, 1000);
    expect(distances.length).toBeGreaterThan(1000);
    // What keeps fits from being singular leaves a little of the stretch out.
    expect(quantile(distances, 1)).toBeLessThan(0.03);
    expect(quantile(angles, 1)).toBeLessThan(3);
    expect(quantile(matterJumps(motion, 500), 1)).toBeLessThan(0.06);
  });

  it('one that logVolumes meanwhile is as far off as it logVolumes', () => {
    const swollen = {
      ...moved,
      positions: mapped(
        surface.positions,
        MAP.map((x) => 1.04 * x),
        SHIFT,
      ),
    };
    const { distances } = surfaceJumps(surface, swollen, motion, 1000);
    // By 0.04 of a radius of five to 5.5 spacings.
    expect(quantile(distances, 0.5)).toBeGreaterThan(0.17);
    expect(quantile(distances, 1)).toBeLessThan(0.26);
  });

  it('what appears or vanishes counts, either way', () => {
    // Half of the surface is not there.
    const half = moved.triangles.length / 2;
    const torn = { ...moved, triangles: Array.from(moved.triangles).slice(0, half - (half % 3)) };
    for (const [from, to] of [
      [surface, torn],
      [torn, surface],
    ] as const) {
      const there = from === surface ? motion : { ...motion, before: motion.after, after: motion.before };
      expect(quantile(surfaceJumps(from, to, there, 1000).distances, 0.9)).toBeGreaterThan(1);
    }
  });

  it('matter that jumbles is told from a surface that pops', () => {
    const jumbled = motion.after.map((x, k) => x + 0.3 * SPACING * Math.sin(1 + 17 * k));
    const found = matterJumps({ ...motion, after: jumbled }, 500);
    expect(quantile(found, 0.5)).toBeGreaterThan(0.15);
  });
});
