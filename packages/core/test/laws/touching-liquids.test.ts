import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiquidSurfacer, type SurfaceMesh } from '../../src/surface/liquid.js';
import { boxOf, latticeIn, meshFacts } from './surface-support.js';

let surfacer: LiquidSurfacer;

beforeAll(async () => {
  surfacer = await LiquidSurfacer.create({ threads: 1 });
});
afterAll(() => surfacer.dispose());

const surfacesOf = (liquids: readonly Float32Array[], overlap = 0) =>
  surfacer.surfaces(
    liquids.map((positions) => ({ positions, spacing: 1 })),
    { overlap },
  );

/** Parts of a set of particles by a rule. */
function divided(
  all: Float32Array,
  isFirst: (x: number, y: number, z: number) => boolean,
): [Float32Array, Float32Array] {
  const parts: [number[], number[]] = [[], []];
  for (let i = 0; i < all.length; i += 3) {
    const position = [all[i]!, all[i + 1]!, all[i + 2]!] as const;
    parts[isFirst(...position) ? 0 : 1].push(...position);
  }
  return [Float32Array.from(parts[0]), Float32Array.from(parts[1])];
}

describe('surfaces of liquids that touch', () => {
  it('leave no gap and do not overlap', () => {
    const all = boxOf(14, 12, 12, 0.15);
    // A wavy border, and a corner of the second in the first.
    const [left, right] = divided(all, (x, y, z) => x < 6.5 + Math.sin(y / 2) && !(y > 8 && z > 8));
    const [a, b] = surfacesOf([left, right]) as [SurfaceMesh, SurfaceMesh];
    // Within the box both have the same vertices.
    const inner = ({ positions: p }: SurfaceMesh) => {
      const positions: (readonly [number, number, number])[] = [];
      for (let i = 0; i < p.length; i += 3) {
        const position = [p[i]!, p[i + 1]!, p[i + 2]!] as const;
        if (position.every((x, k) => x > 1 && x < (k === 0 ? 12 : 10))) positions.push(position);
      }
      return positions;
    };
    const [ofA, ofB] = [inner(a), inner(b)];
    expect(ofA.length).toBeGreaterThan(300);
    expect(ofB.length).toBe(ofA.length);
    for (const [x, y, z] of ofA) {
      const nearest = Math.min(...ofB.map((q) => Math.hypot(x - q[0], y - q[1], z - q[2])));
      expect(nearest).toBeLessThan(0.002);
    }
    const volume = (mesh: SurfaceMesh) => meshFacts(mesh).volume;
    expect(Math.abs((volume(a) + volume(b)) / (all.length / 3) - 1)).toBeLessThan(0.015);
    expect(Math.abs(volume(a) / (left.length / 3) - 1)).toBeLessThan(0.02);
    for (const mesh of [a, b]) expect(meshFacts(mesh)).toMatchObject({ faults: 0 });
  });

  it('lie halfway between flat layers, facing each other', () => {
    const [below, above] = divided(boxOf(16, 12, 16), (_x, y) => y < 5.5);
    const [a, b] = surfacesOf([below, above]) as [SurfaceMesh, SurfaceMesh];
    for (const [mesh, up] of [
      [a, 1],
      [b, -1],
    ] as const) {
      let found = 0;
      for (let i = 0; i < mesh.positions.length; i += 3) {
        const [x, y, z] = mesh.positions.subarray(i, i + 3) as unknown as [number, number, number];
        if (Math.min(x, z) < 3 || Math.max(x, z) > 12 || Math.abs(y - 5.5) > 2) continue;
        found++;
        expect(Math.abs(y - 5.5)).toBeLessThan(0.01);
        expect(mesh.normals[i + 1]! * up).toBeGreaterThan(0.99);
      }
      expect(found).toBeGreaterThan(200);
    }
  });

  it('are those of each liquid alone when they are apart', () => {
    const one = boxOf(6, 6, 6, 0.1);
    const other = one.map((x, k) => (k % 3 === 0 ? x + 20 : x));
    const both = surfacesOf([one, other]);
    for (const [k, positions] of [one, other].entries()) {
      const alone = surfacer.surface({ positions, spacing: 1 });
      const mesh = both[k]!;
      expect([...mesh.indices]).toEqual([...alone.indices]);
      // Places are rounded as seen from the corner of all: 32 spacings are 4e-6, and slopes are flat.
      for (const [i, x] of alone.positions.entries()) expect(Math.abs(mesh.positions[i]! - x)).toBeLessThan(1e-3);
    }
  });

  it('keep drops and sheets of one within the other', () => {
    const [drop, around] = divided(boxOf(11, 11, 11), (x, y, z) => x === 5 && y === 5 && z === 5);
    const [sheet, rest] = divided(boxOf(14, 11, 14), (_x, y) => y === 5);
    expect(meshFacts(surfacesOf([drop, around])[0]!)).toMatchObject({ euler: 2, parts: 1, faults: 0 });
    const { volume, parts } = meshFacts(surfacesOf([sheet, rest])[0]!);
    expect(parts).toBe(1);
    expect(Math.abs(volume / (sheet.length / 3) - 1)).toBeLessThan(0.25);
  });

  it('reach into those before them when they are to overlap', () => {
    const ball = latticeIn((x, y, z) => Math.hypot(x, y, z) <= 8, 9);
    const [core, shell] = divided(ball, (x, y, z) => Math.hypot(x, y, z) <= 4);
    const [meetCore, meetShell] = surfacesOf([core, shell]).map((mesh) => meshFacts(mesh).volume) as [number, number];
    const [overCore, overShell] = surfacesOf([core, shell], 0.6).map((mesh) => meshFacts(mesh).volume) as [
      number,
      number,
    ];
    expect(overCore).toBe(meetCore);
    const deeper = (overShell - meetShell) / (4 * Math.PI * 4 ** 2);
    expect(deeper).toBeGreaterThan(0.1);
    expect(deeper).toBeLessThan(0.6);
    expect(() => surfacesOf([core, shell], 1)).toThrow('overlap must be from 0 to 0.9, got 1');
  });

  it('have the same bytes on any number of threads, and values of their own particles', async () => {
    const [left, right] = divided(boxOf(12, 10, 10, 0.2), (x, y) => x + y / 2 < 8);
    const liquids = [left, right].map((positions, k) => ({
      positions,
      spacing: 1,
      attributes: { liquid: { components: 1, values: new Float32Array(positions.length / 3).fill(k + 1) } },
    }));
    const meshes = surfacer.surfaces(liquids);
    for (const [k, mesh] of meshes.entries()) {
      for (const value of mesh.attributes.liquid!.values) expect(Math.abs(value - (k + 1))).toBeLessThan(1e-6);
    }
    const other = await LiquidSurfacer.create({ threads: 3 });
    try {
      expect(other.surfaces(liquids)).toEqual(meshes);
    } finally {
      await other.dispose();
    }
  });
});
