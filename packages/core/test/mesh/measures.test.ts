import { describe, expect, it } from 'vitest';
import { meshMeasures } from '../../src/mesh/measures.js';
import { boxMesh, join, packagedMesh, randomNumbers, sphereMesh, turned, withTriangles } from './meshes.js';

/** Rounding of sums over a few hundred triangles. */
const ROUNDING = 12;

describe('measures of meshes', () => {
  it('a box has its volume, centroid, second moments and bounds', () => {
    const m = meshMeasures(boxMesh([1, 2, 3], [5, -7, 11]));
    expect(m.exact).toBe(true);
    expect(m.warnings).toEqual([]);
    expect(m.volume).toBeCloseTo(6, ROUNDING);
    expect(m.area).toBeCloseTo(22, ROUNDING);
    m.centroid.forEach((x, a) => {
      expect(x).toBeCloseTo([5, -7, 11][a]!, ROUNDING);
    });
    // Integral of x2 over a box is V size2 / 12.
    m.secondMoments.forEach((x, i) => {
      expect(x).toBeCloseTo([0.5, 2, 4.5, 0, 0, 0][i]!, 11);
    });
    expect(m.low).toEqual([4.5, -8, 9.5]);
    expect(m.thickness).toBeCloseTo(1, 6);
  });

  it('a sphere mesh tends to 4/3 pi r3 with the square of its edges', () => {
    const error = [2, 3, 4].map((levels) => 1 - meshMeasures(sphereMesh(2, levels)).volume / ((4 / 3) * Math.PI * 8));
    expect(error[2]).toBeLessThan(0.004);
    expect(error[0]! / error[1]!).toBeGreaterThan(3.8);
    expect(error[1]! / error[2]!).toBeGreaterThan(3.8);
  });

  it('turned triangles change nothing', () => {
    const random = randomNumbers(5);
    const m = meshMeasures(turned(boxMesh([1, 1, 1]), () => random() < 0.4));
    expect(m.volume).toBeCloseTo(1, ROUNDING);
    expect(m.exact).toBe(true);
    expect(m.warnings.join()).toContain('oriented against each other');
  });

  it('a cavity is not part of the volume', () => {
    const hollow = join(
      boxMesh([1, 1, 1]),
      turned(boxMesh([0.5, 0.5, 0.5]), () => true),
    );
    expect(meshMeasures(hollow).volume).toBeCloseTo(0.875, ROUNDING);
  });

  it('a body within a body counts once', () => {
    const m = meshMeasures(join(boxMesh([1, 1, 1]), boxMesh([0.5, 0.5, 0.5])));
    expect(m.volume).toBeCloseTo(1, ROUNDING);
    expect(m.warnings.join()).toContain('lie inside of others');
  });

  it('overlapping boxes have the volume of their union, and a warning', () => {
    const m = meshMeasures(join(boxMesh([1, 1, 1]), boxMesh([1, 1, 1], [0.5, 0.25, 0])));
    expect(m.exact).toBe(false);
    // 288 rows across 1.25 to 1.5: each edge of the union may be off by half a row, 0.3 % of a side.
    expect(Math.abs(m.volume / 1.625 - 1)).toBeLessThan(0.005);
    expect(m.warnings.join()).toContain('surface overlaps itself');
  });

  it('a small hole is closed and costs no volume in a flat face', () => {
    const ball = sphereMesh(1, 3);
    const torn = withTriangles(ball, (t) => t !== 17);
    const m = meshMeasures(torn);
    // The cover of one triangle's hole is that triangle, divided.
    expect(m.volume).toBeCloseTo(meshMeasures(ball).volume, ROUNDING);
    expect(m.warnings.join()).toContain('3 open edges; 1 holes were closed');
  });

  it('an open sheet has no inside', () => {
    const sheet = withTriangles(boxMesh([1, 1, 1]), (t) => t < 2);
    const m = meshMeasures(sheet);
    expect(m.sheet).toBe(true);
    expect(m.volume).toBe(0);
  });

  it('meshes of the field are measured', () => {
    const bunny = meshMeasures(packagedMesh('bunny'));
    expect(bunny.exact).toBe(true);
    const teapot = meshMeasures(packagedMesh('teapot'));
    // Its lid is open and lies over the opening of the body.
    expect(teapot.exact).toBe(false);
    expect(teapot.sheet).toBe(false);
    // The hull of the pot without handle and spout is a body of about 20 x 20 x 13.
    expect(teapot.volume).toBeGreaterThan(2500);
    expect(teapot.volume).toBeLessThan(4500);
  });
});
