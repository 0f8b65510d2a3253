import { describe, expect, it } from 'vitest';
import { signedDistanceGrid } from '../../src/mesh/distance-grid.js';
import { boxMesh, packagedMesh, sphereMesh, withTriangles } from './meshes.js';

describe('the grid of distances', () => {
  it('a sphere: exact near the surface, right in sign and nearly exact far from it', () => {
    const levels = 4;
    const grid = signedDistanceGrid(sphereMesh(1, levels), 0.08, 0.5);
    const [nx, ny, nz] = grid.size;
    expect(grid.thin).toBe(false);
    let near = 0;
    let far = 0;
    for (let k = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        for (let i = 0; i < nx; i++) {
          const r = Math.hypot(
            grid.origin[0] + i * grid.cell,
            grid.origin[1] + j * grid.cell,
            grid.origin[2] + k * grid.cell,
          );
          const value = grid.values[(k * ny + j) * nx + i]!;
          // The mesh lies 0 to 0.0018 below the sphere; float32 adds 1e-7.
          if (Math.abs(r - 1) < 3 * grid.cell) near = Math.max(near, Math.abs(value - (r - 1)));
          else {
            far = Math.max(far, Math.abs(value - (r - 1)));
            expect(value > 0).toBe(r > 1);
          }
        }
      }
    }
    expect(near).toBeLessThan(0.0025);
    // Sweeping hands on points a cell apart: d = sqrt(r^2 + (cell/2)^2) - r at most.
    expect(far).toBeLessThan(0.25 * grid.cell);
  });

  it('grows along rays away from the surface', () => {
    const grid = signedDistanceGrid(boxMesh([1, 1, 1]), 0.1, 1);
    const [nx, ny, nz] = grid.size;
    const row = ((nz >> 1) * ny + (ny >> 1)) * nx;
    for (let i = (nx >> 1) + 1; i < nx; i++) expect(grid.values[row + i]!).toBeGreaterThan(grid.values[row + i - 1]!);
  });

  it('an open sheet is a wall one cell thick', () => {
    const sheet = withTriangles(boxMesh([1, 1, 1]), (t) => t < 2); // the face x = -0.5
    const grid = signedDistanceGrid(sheet, 0.1, 0.3);
    expect(grid.thin).toBe(true);
    const [nx, ny, nz] = grid.size;
    const row = ((nz >> 1) * ny + (ny >> 1)) * nx;
    for (let i = 0; i < nx; i++) {
      const distance = Math.abs(grid.origin[0] + i * grid.cell + 0.5);
      expect(grid.values[row + i]!).toBeCloseTo(distance - grid.cell / 2, 6);
    }
  });

  it('stays within the number of cells it is given', () => {
    const grid = signedDistanceGrid(packagedMesh('bunny'), 0.01, 0.5, 20_000);
    expect(grid.values.length).toBeLessThanOrEqual(20_000);
    expect(grid.cell).toBeGreaterThan(0.2);
    expect(grid.values.every(Number.isFinite)).toBe(true);
    expect(grid.values.some((v) => v < 0)).toBe(true);
  });
});
