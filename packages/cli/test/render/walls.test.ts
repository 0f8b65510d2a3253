import { boundsOf, isWall, meshClosedness, type PlaneAt, wallMesh, weldMap } from 'phyxel';
import { describe, expect, it } from 'vitest';
import { sinkIntoWalls } from '../../src/render/liquid.js';

const floor: PlaneAt = { point: [0, 0, 0], normal: [0, 1, 0] };
const left: PlaneAt = { point: [-1, 0, 0], normal: [1, 0, 0] };
const back: PlaneAt = { point: [0, 0, -0.5], normal: [0, 0, 1] };
const leaning: PlaneAt = { point: [1, 0, 0], normal: [-Math.cos(0.2), Math.sin(0.2), 0] };
const bounds = boundsOf([-1, 0, -0.5, 1.2, 0.8, 0.5]);

describe('a wall', () => {
  it('is a closed panel whose front lies in its plane, as high as what it holds', () => {
    for (const wall of [left, back, leaning]) {
      const mesh = wallMesh(wall, [floor, left, back, leaning], bounds)!;
      const same = weldMap(mesh.positions, 1e-9);
      const facts = meshClosedness(mesh.positions, mesh.triangles, same);
      expect(facts).toMatchObject({ openEdges: 0, nonManifoldEdges: 0, turnedEdges: 0, pieces: 1 });
      expect(facts.volume).toBeGreaterThan(0);
      let highest = -Infinity;
      for (let i = 0; i < mesh.positions.length; i += 3) {
        const [x, y, z] = mesh.positions.subarray(i, i + 3) as unknown as [number, number, number];
        const { point: p, normal: n } = wall;
        const before = (x - p[0]) * n[0] + (y - p[1]) * n[1] + (z - p[2]) * n[2];
        expect(before).toBeLessThan(1e-12);
        expect(before).toBeGreaterThan(-0.05);
        highest = Math.max(highest, y);
      }
      expect(highest).toBeGreaterThan(0.8);
      expect(highest).toBeLessThan(1);
    }
  });

  it('ends where other walls begin, and is not there when it is far away', () => {
    const { positions } = wallMesh(back, [floor, left, back], bounds)!;
    const xs = [...positions].filter((_, k) => k % 3 === 0);
    expect(Math.min(...xs)).toBeGreaterThan(-1.05);
    expect(wallMesh({ ...left, point: [-9, 0, 0] }, [floor], bounds)).toBeUndefined();
    expect(wallMesh(left, [floor], boundsOf([]))).toBeUndefined();
  });

  it('is neither ground nor ceiling', () => {
    expect([floor, { ...floor, normal: [0, -1, 0] as const }].some(isWall)).toBe(false);
    expect([left, back, leaning].every(isWall)).toBe(true);
  });
});

describe('a liquid in the corner of two walls', () => {
  const spacing = 0.1;
  // Two triangles on the walls that share an edge along the corner, with round normals there.
  const round = [-Math.SQRT1_2, 0, -Math.SQRT1_2];
  const surface = {
    positions: Float32Array.of(-1, 0, -0.5, -1, 1, -0.5, -1, 0, 0, 0, 0, -0.5),
    normals: Float32Array.from([...round, ...round, -1, 0, 0, 0, 0, -1]),
    indices: Uint32Array.of(0, 1, 2, 1, 0, 3),
    attributes: { heat: { components: 1, values: Float32Array.of(5, 6, 7, 8) } },
  };

  it('has the normal of either wall on it, up to the edge', () => {
    const mesh = sinkIntoWalls(surface, [left, back], spacing);
    const normalsOf = (t: number) =>
      [0, 1, 2].map((k) => [...mesh.normals.subarray(3 * mesh.indices[3 * t + k]!, 3 * mesh.indices[3 * t + k]! + 3)]);
    for (const n of normalsOf(0)) expect(n.map((x) => x + 0)).toEqual([-1, 0, 0]);
    for (const n of normalsOf(1)) expect(n.map((x) => x + 0)).toEqual([0, 0, -1]);
    // Vertices that are there twice take along what they carry, and stay where they are.
    const heat = (t: number) => [0, 1, 2].map((k) => mesh.attributes.heat!.values[mesh.indices[3 * t + k]!]);
    expect([heat(0), heat(1)]).toEqual([
      [5, 6, 7],
      [6, 5, 8],
    ]);
    const same = weldMap(Float64Array.from(mesh.positions), 1e-9);
    expect(same[mesh.indices[0]!]).toBe(same[mesh.indices[4]!]);
  });

  it('lies in the walls by a little, and stays where it is elsewhere', () => {
    const { positions } = sinkIntoWalls(surface, [left], spacing);
    expect(positions[0]).toBeLessThan(-1);
    expect(positions[0]).toBeGreaterThan(-1 - 0.1 * spacing);
    expect([...positions.subarray(9, 12)]).toEqual([0, 0, -0.5]);
  });
});
