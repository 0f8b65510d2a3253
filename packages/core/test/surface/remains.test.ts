/** What is left of a mesh while its body melts. */
import { expect, test } from 'vitest';
import { meshClosedness } from '../../src/mesh/index.js';
import { refineMesh } from '../../src/surface/refine.js';
import { closedTriangles, keptVertices, MeshGaps, MeshRemains, nearestPoints } from '../../src/surface/remains.js';
import { shapeMesh } from '../../src/surface/shape-mesh.js';
import { Skin } from '../../src/surface/skin.js';

const SPACING = 0.01;

/** Particles of a bar along x, 12 x 4 x 4. */
function bar(): Float32Array {
  const positions: number[] = [];
  for (let x = 0; x < 12; x++) {
    for (let y = 0; y < 4; y++) {
      for (let z = 0; z < 4; z++) positions.push((x - 5.5) * SPACING, (y - 1.5) * SPACING, (z - 1.5) * SPACING);
    }
  }
  return Float32Array.from(positions);
}

const isRight = (positions: Float32Array, i: number) => positions[3 * i]! > 0.02;

test('a body that turns, bends and is stretched is intact', () => {
  const rest = bar();
  const remains = new MeshRemains(rest);
  const moved = rest.slice();
  for (let i = 0; i < moved.length; i += 3) {
    // An arc of a quarter turn, and half as thick.
    const [x, y, z] = [rest[i]!, rest[i + 1]!, rest[i + 2]!];
    const angle = (x / 0.12) * (Math.PI / 2);
    moved.set([(0.09 + y / 2) * Math.sin(angle), (0.09 + y / 2) * Math.cos(angle), 3 + z], i);
  }
  remains.update(moved, new Float32Array(rest.length / 3));
  expect([...remains.intact]).toEqual(Array.from(remains.intact, () => 1));
  expect(remains.flowing().numbers).toEqual([]);
});

test('what has molten is not intact, nor its neighbours, nor what has frozen in another order', () => {
  const rest = bar();
  const remains = new MeshRemains(rest);
  const molten = Float32Array.from({ length: rest.length / 3 }, (_, i) => (isRight(rest, i) ? 1 : 0));
  remains.update(rest, molten);
  for (const [i, share] of molten.entries()) {
    if (share === 1) expect(remains.intact[i]).toBe(0);
    if (rest[3 * i]! < 0) expect(remains.intact[i]).toBe(1);
  }
  // The liquid's surface goes around it and some of the intact ones, so that it begins under the mesh.
  const flowing = new Set(remains.flowing().numbers);
  for (const [i, share] of remains.intact.entries()) if (share === 0) expect(flowing.has(i)).toBe(true);
  expect([...flowing].some((i) => remains.intact[i] === 1)).toBe(true);
  expect(flowing.size).toBeLessThan(molten.length);
  // Solid all over again, but stirred on the right.
  const right = Array.from(molten.keys()).filter((i) => molten[i] === 1);
  const stirred = rest.slice();
  for (const [k, i] of right.entries()) {
    const j = right[(7 * k + 3) % right.length]!;
    stirred.set(rest.subarray(3 * j, 3 * j + 3), 3 * i);
  }
  remains.update(stirred, new Float32Array(molten.length));
  expect(right.filter((i) => remains.intact[i] === 1).length).toBeLessThan(0.1 * right.length);
});

test('a closed mesh stays closed over what has gone, and keeps its vertices elsewhere', () => {
  const rest = bar();
  const remains = new MeshRemains(rest);
  const mesh = refineMesh(shapeMesh({ box: { size: [0.12, 0.04, 0.04] } }, SPACING), SPACING);
  const skin = new Skin(mesh.positions, rest);
  remains.update(
    rest,
    Float32Array.from({ length: rest.length / 3 }, (_, i) => (isRight(rest, i) ? 1 : 0)),
  );
  const shares = new Float32Array(skin.vertexCount);
  skin.interpolate(remains.intact, shares);
  const kept = keptVertices(shares);
  const gaps = new MeshGaps(mesh.positions, mesh.triangles);
  const closing = gaps.closing(kept)!;
  for (const [v, stays] of kept.entries()) {
    if (mesh.positions[3 * v]! < -0.02) expect(stays).toBe(1);
    if (mesh.positions[3 * v]! > 0.02) expect(stays).toBe(0);
    if (stays) expect(closing[v]).toBe(v);
    expect(kept[closing[v]!]).toBe(1);
  }
  const triangles = closedTriangles(mesh.triangles, closing);
  expect(meshClosedness(mesh.positions, triangles).openEdges).toBe(0);
  expect(gaps.closing(new Uint8Array(kept.length))).toBeUndefined();
});

test('no triangle goes from one piece to the other of a mesh that has come in two', () => {
  const mesh = refineMesh(shapeMesh({ box: { size: [0.12, 0.04, 0.04] } }, SPACING), SPACING);
  const x = (v: number) => mesh.positions[3 * v]!;
  const kept = Uint8Array.from({ length: mesh.positions.length / 3 }, (_, v) => (Math.abs(x(v)) > 0.025 ? 1 : 0));
  const closing = new MeshGaps(mesh.positions, mesh.triangles).closing(kept)!;
  const triangles = closedTriangles(mesh.triangles, closing);
  expect(triangles.length).toBeGreaterThan(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const sides = new Set([0, 1, 2].map((k) => Math.sign(x(triangles[t + k]!))));
    expect(sides.size).toBe(1);
  }
  const closed = meshClosedness(mesh.positions, triangles);
  expect(closed.openEdges).toBe(0);
});

test('the nearest point of each place', () => {
  expect([...nearestPoints([0, 0, 0, 1, 0, 0, 0, 2, 0], [0.9, 0.1, 0, 0, 9, 0, 0.4, 0, 0])]).toEqual([1, 2, 0]);
});
