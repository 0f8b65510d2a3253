import { expect, test } from 'vitest';
import { signedArea, triangulatePolygon } from '../../src/mesh/polygon.js';

/** The nearest corner of a triangle was joined to its hole across the hole: triangles lay on each other. */
test('a polygon with a hole whose rightmost corners are one above the other', () => {
  const outer = [-5, -0.5, 5, 0.5, -5, 0.5];
  const rows = [
    -4.5,
    -0.25,
    -4.5,
    -0.125,
    -4.5,
    0.25,
    -4.25,
    0.25,
    -3.5,
    0.25,
    -3.5 + 1e-9,
    -0.125,
    -3.5,
    -0.25,
    -4.25,
    -0.25,
  ];
  const all = [...outer, ...rows];
  const positions = new Map(Array.from({ length: 11 }, (_, k) => [k, [all[2 * k]!, all[2 * k + 1]!] as const]));
  const [ring, hole] = [
    [0, 1, 2],
    [3, 4, 5, 6, 7, 8, 9, 10],
  ];
  const triangles = triangulatePolygon({ outer: ring, holes: [hole] }, positions);
  let area = 0;
  for (let t = 0; t < triangles.length; t += 3) area += Math.abs(signedArea(triangles.slice(t, t + 3), positions));
  expect(area).toBeCloseTo(signedArea(ring, positions) + signedArea(hole, positions), 6);
});
