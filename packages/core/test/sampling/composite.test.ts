import { describe, expect, test } from 'vitest';
import { meshClosedness } from '../../src/mesh/closedness.js';
import type { CompositeShape, Vec3 } from '../../src/options/types.js';
import { triangulateShape } from '../../src/sampling/composite.js';

const at = (shape: CompositeShape, position: Vec3 = [0, 0, 0], rotation: Vec3 = [0, 0, 0]) => ({
  shape,
  position,
  rotation,
});
const box = (x: number, y: number, z: number): CompositeShape => ({ box: { size: [x, y, z] } });

/** Volume, and that it is closed. */
function volumeOf(shape: CompositeShape): number {
  const { positions, triangles } = triangulateShape(shape);
  const { openEdges, turnedEdges, volume } = meshClosedness(positions, triangles);
  expect({ openEdges, turnedEdges }).toEqual({ openEdges: 0, turnedEdges: 0 });
  return volume;
}

describe('shapes made of others', () => {
  // Faces in one plane are moved apart by a millionth, of the area then.
  test.each<[string, CompositeShape, number]>([
    ['a ball', { sphere: { radius: 1 } }, (4 / 3) * Math.PI],
    ['a capsule', { capsule: { radius: 1, length: 1 } }, (7 / 3) * Math.PI],
    ['a ring', { torus: { radius: 2, tube: 0.5 } }, Math.PI ** 2],
    [
      'a plate with a hole',
      { difference: [at(box(4, 0.5, 4)), at({ cylinder: { radius: 1, length: 0.5 } })] },
      8 - Math.PI / 2,
    ],
    [
      'a pipe, drilled crosswise',
      {
        difference: [at({ cylinder: { radius: 1, length: 4 } }), at({ cylinder: { radius: 0.5, length: 4 } })],
      },
      3 * Math.PI,
    ],
    // Steinmetz: 16/3 r^3 is common to two crossed cylinders; their polygons have some 1e-3 less in common.
    [
      'what two crossed rods share',
      {
        intersection: [
          at({ cylinder: { radius: 1, length: 4 } }),
          at({ cylinder: { radius: 1, length: 4 } }, [0, 0, 0], [90, 0, 0]),
        ],
      },
      16 / 3,
    ],
    [
      'a dome with a window',
      {
        difference: [
          at({ intersection: [at({ sphere: { radius: 1 } }), at(box(2, 1, 2), [0, 0.5, 0])] }),
          at({ union: [at(box(0.1, 0.2, 4), [0, 2, 0]), at(box(0.1, 0.2, 4), [0, 3, 0])] }),
        ],
      },
      (2 / 3) * Math.PI,
    ],
    [
      'an angle drawn out',
      {
        extrusion: {
          polygon: [
            [0, 0],
            [2, 0],
            [2, 1],
            [1, 1],
            [1, 3],
            [0, 3],
          ],
          holes: [],
          length: 2,
        },
      },
      8,
    ],
    [
      'a frame, clockwise',
      {
        extrusion: {
          polygon: [
            [0, 0],
            [0, 3],
            [3, 3],
            [3, 0],
          ],
          holes: [
            [
              [1, 1],
              [2, 1],
              [2, 2],
              [1, 2],
            ],
          ],
          length: 0.5,
        },
      },
      4,
    ],
    ['a ramp', { heightfield: { size: [2, 4], heights: '1 + x/2', base: 0, cells: 8 } }, 8],
    [
      'a roof of rows',
      {
        heightfield: {
          size: [2, 2],
          heights: [
            [1, 2, 1],
            [1, 2, 1],
          ],
          base: 0,
          cells: 8,
        },
      },
      6,
    ],
  ])('%s has its volume, and is closed', (_, shape, volume) => {
    expect(Math.abs(volumeOf(shape) / volume - 1)).toBeLessThan(2e-3);
  });

  test.each<[string, CompositeShape, string]>([
    [
      'nothing left',
      { difference: [at(box(1, 1, 1)), at(box(2, 2, 2))] },
      'difference has no volume: nothing is left of its parts',
    ],
    [
      'a bow tie',
      {
        extrusion: {
          polygon: [
            [0, 0],
            [1, 1],
            [1, 0],
            [0, 1],
          ],
          holes: [],
          length: 1,
        },
      },
      'extrusion has sides that cross or touch',
    ],
    [
      'a spike',
      {
        extrusion: {
          polygon: [
            [0, 0],
            [2, 0],
            [1, 0],
            [1, 1],
          ],
          holes: [],
          length: 1,
        },
      },
      'extrusion has sides that cross or touch',
    ],
    [
      'a hole outside',
      {
        extrusion: {
          polygon: [
            [0, 0],
            [1, 0],
            [0, 1],
          ],
          holes: [
            [
              [5, 5],
              [6, 5],
              [5, 6],
            ],
          ],
          length: 1,
        },
      },
      'extrusion must have holes that are within its polygon',
    ],
    [
      'a valley too deep',
      { heightfield: { size: [1, 1], heights: 'x', base: 0, cells: 2 } },
      'heightfield must be above its base of 0 m everywhere, got -0.5 at (-0.5, -0.5) m',
    ],
  ])('%s is refused', (_, shape, message) => {
    expect(() => triangulateShape(shape)).toThrow(message);
  });
});
