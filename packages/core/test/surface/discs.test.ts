import { describe, expect, it } from 'vitest';
import { Bvh, discMesh } from '../../src/index.js';

/** Points all over a ball of radius 1, evenly. */
function ballPoints(count: number): Float32Array {
  const points = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) {
    const y = 1 - (2 * i + 1) / count;
    const ring = Math.sqrt(1 - y * y);
    points.set([ring * Math.cos(2.399963 * i), y, ring * Math.sin(2.399963 * i)], 3 * i);
  }
  return points;
}

/** Discs of two faces that meet along z, with points 0.1 apart from `nearest` on. */
function twoFaces(nearest: number) {
  const [positions, normals]: [number[], number[]] = [[], []];
  for (let u = nearest; u < 0.6; u += 0.1) {
    for (let z = -0.5; z < 0.55; z += 0.1) {
      positions.push(-u, 0, z, 0, -u, z);
      normals.push(0, 1, 0, 1, 0, 0);
    }
  }
  return discMesh({ positions: Float32Array.from(positions), normals: Float32Array.from(normals), axes: 0.085 });
}

describe('discs drawn as triangles', () => {
  it('lie on a ball with their corners as with their centres: no dimples', () => {
    const count = 400;
    const positions = ballPoints(count);
    const distance = Math.sqrt((4 * Math.PI) / count);
    const mesh = discMesh({ positions, normals: positions, axes: 0.85 * distance });
    // How deep a flat disc of this size lies in the ball at its middle.
    const depth = (0.85 * distance) ** 2 / 2;
    let [worst, tilt] = [0, 1];
    for (let v = 0; v < mesh.positions.length; v += 3) {
      const p = mesh.positions.subarray(v, v + 3);
      const n = mesh.normals.subarray(v, v + 3);
      const radius = Math.hypot(p[0]!, p[1]!, p[2]!);
      worst = Math.max(worst, Math.abs(radius - 1));
      tilt = Math.min(tilt, (p[0]! * n[0]! + p[1]! * n[1]! + p[2]! * n[2]!) / radius);
    }
    expect(worst).toBeLessThan(0.15 * depth);
    expect(tilt).toBeGreaterThan(0.999);
  });

  it('end at the edge of a box', () => {
    // Points up to half a distance from the edge.
    const mesh = twoFaces(0.05);
    for (let v = 0; v < mesh.positions.length; v += 3) {
      expect(mesh.positions[v]!).toBeLessThan(1e-6);
      expect(mesh.positions[v + 1]!).toBeLessThan(1e-6);
    }
  });

  it('reach as far as an edge that none of them is near to', () => {
    // Points as far from the edge as from each other.
    const mesh = twoFaces(0.1);
    const covered = (z: number, face: 0 | 1) => {
      let reach = -Infinity;
      for (let t = 0; t < mesh.triangles.length; t += 3) {
        const corners = [...mesh.triangles.subarray(t, t + 3)].map((v) => mesh.positions.subarray(3 * v, 3 * v + 3));
        if (corners.some((p) => Math.abs(p[1 - face]!) > 1e-6)) continue;
        // Where the sides of the triangle cross z.
        for (const [k, p] of corners.entries()) {
          const q = corners[(k + 1) % 3]!;
          const s = (z - p[2]!) / (q[2]! - p[2]!);
          if (s >= 0 && s <= 1) reach = Math.max(reach, p[face]! + s * (q[face]! - p[face]!));
        }
      }
      return reach;
    };
    for (let z = -0.42; z < 0.42; z += 0.017) {
      for (const face of [0, 1] as const) expect(Math.abs(covered(z, face))).toBeLessThan(0.012);
    }
  });

  it.each([1, 1.5, 2])('lie around a rod of %s distances of surfels, and have no holes', (times) => {
    const distance = 0.1;
    const radius = times * distance;
    const [positions, normals]: [number[], number[]] = [[], []];
    const ring = Math.round(2 * Math.PI * times);
    for (let k = 0; k < 40 * ring; k++) {
      const row = Math.floor(k / ring);
      // Not quite evenly.
      const turn = (2 * Math.PI * ((k % ring) + 0.5 * (row % 2) + 0.12 * Math.sin(12.9 * k))) / ring;
      positions.push(
        radius * Math.cos(turn),
        radius * Math.sin(turn),
        0.9 * distance * (row + 0.12 * Math.cos(7.7 * k)),
      );
      normals.push(Math.cos(turn), Math.sin(turn), 0);
    }
    const mesh = discMesh({
      positions: Float32Array.from(positions),
      normals: Float32Array.from(normals),
      axes: 0.85 * distance,
    });
    let off = 0;
    for (let v = 0; v < mesh.positions.length; v += 3) {
      if (mesh.positions[v + 2]! < 0.5 || mesh.positions[v + 2]! > 3) continue;
      off = Math.max(off, Math.abs(Math.hypot(mesh.positions[v]!, mesh.positions[v + 1]!) - radius) / distance);
    }
    expect(off).toBeLessThan(times > 1 ? 0.03 : 0.1);
    // Rays across it meet a disc that faces them first.
    const tree = new Bvh({ positions: Float64Array.from(mesh.positions), triangles: mesh.triangles });
    let [rays, holes] = [0, 0];
    for (let i = 0; i < 40; i++) {
      for (let z = 0.6; z < 2.9; z += 0.0137) {
        const [c, s] = [Math.cos(0.37 * i), Math.sin(0.37 * i)];
        const aside = 0.95 * radius * Math.sin(2.1 * i + 31 * z);
        let [nearest, first] = [Infinity, -1];
        tree.crossings([2 * c - aside * s, 2 * s + aside * c, z], [-c, -s, 0], (triangle, t) => {
          if (t > 0 && t < nearest) [nearest, first] = [t, triangle];
        });
        const disc = mesh.discs[mesh.triangles[3 * first]!]!;
        if (first < 0 || normals[3 * disc]! * c + normals[3 * disc + 1]! * s < -0.3) holes++;
        rays++;
      }
    }
    // Six around are as few as can be.
    expect(holes / rays).toBeLessThan(times > 1 ? 1e-9 : 1e-3);
  });
});
