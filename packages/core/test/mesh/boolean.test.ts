import { describe, expect, test } from 'vitest';
import { closedMesh, combineMeshes } from '../../src/mesh/boolean.js';
import { meshClosedness } from '../../src/mesh/closedness.js';
import type { TriangleMesh, Vec3 } from '../../src/options/types.js';
import { triangulatePrimitive } from '../../src/sampling/primitive-surface.js';
import { boxMesh, packagedMesh, sphereMesh } from './meshes.js';

const box = (size: Vec3, at?: Vec3) => boxMesh(size, at);
const rod = (radius: number, length: number) =>
  closedMesh(triangulatePrimitive({ cylinder: { radius, length } }, radius / 4), 'rod');
const ball = (radius: number, at: Vec3) => sphereMesh(radius, 4, at);

const volumeOf = ({ positions, triangles }: TriangleMesh) => meshClosedness(positions, triangles).volume;
function expectClosed(mesh: TriangleMesh) {
  expect(meshClosedness(mesh.positions, mesh.triangles)).toMatchObject({ openEdges: 0, turnedEdges: 0 });
}

describe('booleans of meshes', () => {
  test.each([
    ['apart', box([1, 1, 1]), box([1, 1, 1], [3, 0, 0]), 0],
    ['within', box([1, 1, 1]), box([0.5, 0.5, 0.5], [0.1, 0, 0]), 0.125],
    ['crossing at a corner', box([1, 1, 1]), box([1, 1, 1], [0.5, 0.5, 0.5]), 0.125],
    ['crossing with faces in a plane', box([1, 1, 1]), box([1, 1, 1], [0.5, 0, 0]), 0.5],
    ['touching at a face', box([1, 1, 1]), box([1, 1, 1], [1, 0, 0]), 0],
    ['touching at an edge', box([1, 1, 1]), box([1, 1, 1], [1, 1, 0]), 0],
    ['the same', box([1, 1, 1]), box([1, 1, 1]), 1],
    ['a rod through a plate, as long as it is thick', box([2, 1, 2]), rod(0.5, 1), volumeOf(rod(0.5, 1))],
    ['a rod through both faces', box([2, 1, 2]), rod(0.5, 3), volumeOf(rod(0.5, 1))],
    ['balls', ball(1, [0, 0, 0]), ball(1, [0, 1, 0]), (5 / 12) * Math.PI],
    ['a bunny and a box', scaled('bunny'), box([0.6, 0.6, 0.6]), undefined],
  ])('%s: volumes add up, and the results are closed', (_, a, b, common) => {
    const union = combineMeshes('union', a, b);
    const both = combineMeshes('intersection', a, b);
    const rest = combineMeshes('difference', a, b);
    const other = combineMeshes('difference', b, a);
    for (const mesh of [union, both, rest, other]) expectClosed(mesh);
    const [v, w] = [volumeOf(a), volumeOf(b)];
    // The balls are polyhedra, whose volume is 0.5 % less.
    if (common !== undefined) expect(Math.abs(volumeOf(both) - common)).toBeLessThan(_ === 'balls' ? 0.02 : 1e-4);
    expect(Math.abs(volumeOf(union) + volumeOf(both) - v - w)).toBeLessThan(1e-4);
    expect(Math.abs(volumeOf(rest) + volumeOf(both) - v)).toBeLessThan(1e-4);
    expect(Math.abs(volumeOf(other) + volumeOf(both) - w)).toBeLessThan(1e-4);
  });

  test('a table of five boxes that touch is one piece', () => {
    const legs = [-1, 1].flatMap((x) => [-1, 1].map((z) => box([0.2, 1, 0.2], [0.9 * x, -0.55, 0.9 * z])));
    const table = legs.reduce((sum, leg) => combineMeshes('union', sum, leg), box([2, 0.1, 2]));
    expectClosed(table);
    expect(meshClosedness(table.positions, table.triangles).pieces).toBe(1);
    expect(Math.abs(volumeOf(table) - 0.4 - 4 * 0.04)).toBeLessThan(1e-4);
  });

  test('many holes in a row, that touch each other', () => {
    let plate = box([10, 1, 1]);
    for (let n = 0; n < 9; n++) plate = combineMeshes('difference', plate, box([1, 2, 0.5], [n - 4, 0, 0]));
    expectClosed(plate);
    expect(Math.abs(volumeOf(plate) - 10 + 4.5)).toBeLessThan(1e-3);
  });

  test('a mesh that is open is refused', () => {
    const { positions, triangles } = box([1, 1, 1]);
    expect(() => closedMesh({ positions, triangles: triangles.slice(0, 12) }, 'tray')).toThrow(
      'tray: must be closed to be combined with other shapes',
    );
  });
});

describe('blocks of cells, that share faces, edges and corners', () => {
  const CELLS = 4;
  // Numbers that come again.
  let state = 1;
  const whole = (below: number) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
  const span = () => {
    const from = whole(CELLS);
    return [from, from + 1 + whole(CELLS - from)] as const;
  };

  test.each(Array.from({ length: 40 }, (_, n) => n))('number %i has the volume of its cells', () => {
    let mesh: TriangleMesh = box([CELLS, CELLS, CELLS], [CELLS / 2, CELLS / 2, CELLS / 2]);
    let cells = new Uint8Array(CELLS ** 3).fill(1);
    for (let k = 0; k < 6; k++) {
      const spans = [span(), span(), span()];
      const size = spans.map(([from, to]) => to - from) as unknown as Vec3;
      const centre = spans.map(([from, to]) => (from + to) / 2) as unknown as Vec3;
      const operation = (['union', 'difference', 'difference'] as const)[whole(3)]!;
      cells = cells.map((own, c) => {
        const at = [c % CELLS, Math.floor(c / CELLS) % CELLS, Math.floor(c / CELLS ** 2)];
        const isIn = spans.every(([from, to], axis) => at[axis]! >= from && at[axis]! < to);
        return isIn ? (operation === 'union' ? 1 : 0) : own;
      });
      mesh = combineMeshes(operation, mesh, box(size, centre));
      const volume = cells.reduce((sum, own) => sum + own, 0);
      if (mesh.triangles.length === 0) expect(volume).toBe(0);
      else expect(volumeOf(mesh)).toBeCloseTo(volume, 4);
      expectClosed(mesh);
    }
  });
});

function scaled(name: 'bunny') {
  const { positions, triangles } = closedMesh(packagedMesh(name), name);
  return { positions: positions.map((x, k) => (k % 3 === 1 ? x - 5 : x) / 10), triangles };
}
