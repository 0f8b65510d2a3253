/** Meshes of bodies that break, cut into their pieces. */
import { expect, test } from 'vitest';
import { meshClosedness, weldMap } from '../../src/mesh/index.js';
import { isInside } from '../../src/mesh/inside.js';
import { prepareSolid } from '../../src/mesh/solid.js';
import type { Shape, TriangleMesh } from '../../src/options/types.js';
import { sampleShape } from '../../src/sampling/index.js';
import { CutMesh, type PieceMesh } from '../../src/surface/pieces/cut.js';
import { refineMesh } from '../../src/surface/refine.js';
import { nearestPoints } from '../../src/surface/remains.js';
import { dressedMesh, type RestMesh } from '../../src/surface/rest-mesh.js';
import { shapeMesh } from '../../src/surface/shape-mesh.js';
import { packagedMesh } from '../mesh/meshes.js';

const HERE = { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], origin: [0, 0, 0] } as const;

interface Broken {
  readonly mesh: RestMesh;
  readonly particles: Float64Array;
  readonly labels: Int32Array;
  readonly spacing: number;
}

/** A shape of particles, each in the piece of the nearest of some of them. */
function broken(shape: Shape, spacing: number, pieces: number, lattice: 'cubic' | 'hcp' = 'cubic'): Broken {
  const particles = Float64Array.from(sampleShape(shape, { spacing, lattice }).positions);
  const mesh = dressedMesh(refineMesh(shapeMesh(shape, spacing), 2 * spacing), HERE);
  const count = particles.length / 3;
  const seeds = Array.from({ length: pieces }, (_, k) => Math.floor(((k * 0.61803398875 + 0.3) % 1) * count));
  const positions = seeds.flatMap((i) => [...particles.subarray(3 * i, 3 * i + 3)]);
  return { mesh, particles, labels: nearestPoints(positions, particles), spacing };
}

function bunny(size: number): TriangleMesh {
  const { positions, triangles } = packagedMesh('bunny');
  const extent = Math.max(...positions) - Math.min(...positions);
  return { positions: positions.map((x) => (x * size) / extent), triangles };
}

const SHAPES: readonly (readonly [string, Shape, number, readonly number[]])[] = [
  ['box', { box: { size: [0.2, 0.15, 0.1] } }, 0.016, [2, 20]],
  ['sphere', { sphere: { radius: 0.1 } }, 0.016, [20]],
  ['torus', { torus: { radius: 0.1, tube: 0.04 } }, 0.016, [20]],
  ['thin plate', { box: { size: [0.24, 0.012, 0.24] } }, 0.012, [60]],
  ['bunny', { mesh: { file: 'bunny', data: bunny(0.2) } }, 0.016, [2, 60]],
];

const cutOf = ({ mesh, particles, labels, spacing }: Broken, options = {}) =>
  new CutMesh(mesh, particles, labels, { spacing, ...options });

/** Pieces of all labels by themselves. */
const piecesOf = (cut: CutMesh, labels: ArrayLike<number>): PieceMesh[] =>
  [...new Set(Array.from(labels))].flatMap((label) => cut.piece(new Set([label])) ?? []);

// The triangulated torus has vertices at one place that differ by rounding; vertices of a cut are the same bits.
const closednessOf = ({ positions, indices }: PieceMesh | RestMesh) =>
  meshClosedness(positions, indices, weldMap(positions, 1e-12));

function expectClosed(piece: PieceMesh): number {
  const found = closednessOf(piece);
  expect(found).toMatchObject({ openEdges: 0, nonManifoldEdges: 0, turnedEdges: 0, lostVertices: 0 });
  expect(found.volume).toBeGreaterThan(0);
  return found.volume;
}

for (const [name, shape, spacing, counts] of SHAPES) {
  test(`pieces of a ${name} are closed and have its volume and its surface`, () => {
    for (const count of counts) {
      const body = broken(shape, spacing, count);
      const whole = closednessOf(body.mesh);
      const cut = cutOf(body);
      expect(cut.isReplaced).toBe(false);
      const pieces = piecesOf(cut, body.labels);
      expect(pieces.length).toBe(new Set(body.labels).size);
      const volume = pieces.reduce((sum, piece) => sum + expectClosed(piece), 0);
      // Coordinates are rounded to 2^-26 of the size.
      expect(volume / whole.volume).toBeCloseTo(1, 7);
      const outside = pieces.reduce((sum, piece) => {
        const end = piece.parts.findLast(({ part }) => part !== 'inside')?.end ?? 0;
        return sum + meshClosedness(piece.positions, piece.indices.subarray(0, end)).area;
      }, 0);
      expect(outside / whole.area).toBeCloseTo(1, 7);
    }
  });
}

test('particles are in their own pieces, which have the volume of their particles', () => {
  const body = broken({ box: { size: [0.2, 0.16, 0.12] } }, 0.01, 8);
  const cut = cutOf(body);
  const { particles, labels, spacing } = body;
  const isAmidOwn = (i: number) =>
    labels.every((label, j) => {
      const square = [0, 1, 2].reduce((sum, k) => sum + (particles[3 * i + k]! - particles[3 * j + k]!) ** 2, 0);
      return label === labels[i] || square > (1.1 * spacing) ** 2;
    });
  for (const label of new Set(labels)) {
    const { positions, indices } = cut.piece(new Set([label]))!;
    const solid = prepareSolid({ positions, triangles: indices });
    let wrong = 0;
    for (let i = 0; i < labels.length; i += 7) {
      const isIn = isInside(solid, particles.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number]);
      if (isIn === (labels[i] === label)) continue;
      // Smoothing leaves single particles that stick out on the other side.
      expect(isAmidOwn(i)).toBe(false);
      wrong++;
    }
    expect(wrong).toBeLessThan(0.02 * labels.length);
    const own = labels.reduce((sum, other) => sum + (other === label ? 1 : 0), 0);
    const share = closednessOf(cut.piece(new Set([label]))!).volume / (own * spacing ** 3);
    // A fifth of a spacing on two faces of a piece of about eight spacings.
    expect(Math.abs(share - 1)).toBeLessThan(0.1);
  }
});

test('pieces that are taken together are closed, and have no faces between them', () => {
  const body = broken({ mesh: { file: 'bunny', data: bunny(0.2) } }, 0.014, 24, 'hcp');
  const cut = cutOf(body);
  const all = [...new Set(body.labels)];
  const volumeOf = (labels: readonly number[]) => expectClosed(cut.piece(new Set(labels))!);
  const alone = new Map(all.map((label) => [label, volumeOf([label])]));
  for (const share of [2, 3, 5]) {
    for (let rest = 0; rest < share; rest++) {
      const some = all.filter((_, k) => k % share === rest);
      expect(volumeOf(some)).toBeCloseTo(
        some.reduce((sum, label) => sum + alone.get(label)!, 0),
        12,
      );
    }
  }
  const whole = cut.piece(new Set(all))!;
  expect(whole.parts.map(({ part }) => part)).toEqual([0]);
  expect(closednessOf(whole).area).toBeCloseTo(closednessOf(body.mesh).area, 9);
});

test('dust of single particles and pieces without any order are closed', () => {
  const body = broken({ mesh: { file: 'bunny', data: bunny(0.2) } }, 0.018, 2);
  const volume = closednessOf(body.mesh).volume;
  for (const labelOf of [(i: number) => i, (i: number) => (i * 7919) % 5]) {
    const labels = body.labels.map((_, i) => labelOf(i));
    const pieces = piecesOf(cutOf({ ...body, labels }), labels);
    expect(pieces.length).toBe(new Set(labels).size);
    const sum = pieces.reduce((total, piece) => {
      const found = closednessOf(piece);
      expect(found).toMatchObject({ openEdges: 0, turnedEdges: 0 });
      return total + found.volume;
    }, 0);
    expect(sum / volume).toBeCloseTo(1, 7);
  }
});

test('what was outside keeps its texture coordinates, colours, normals and materials', () => {
  const plain = shapeMesh({ box: { size: [0.2, 0.1, 0.1] } }, 0.02);
  const { positions, triangles } = refineMesh(plain, 0.03);
  // Linear in the position, with another picture on the right half.
  const uvs = Float32Array.from({ length: (2 * positions.length) / 3 }, (_, k) =>
    k % 2 === 0 ? 3 * positions[3 * (k >> 1)]! : 0.5 + positions[3 * (k >> 1) + 1]! - positions[3 * (k >> 1) + 2]!,
  );
  const ofTriangles = Uint32Array.from({ length: triangles.length / 3 }, (_, t) =>
    positions[3 * triangles[3 * t]!]! + positions[3 * triangles[3 * t + 1]!]! + positions[3 * triangles[3 * t + 2]!]! >
    0
      ? 1
      : 0,
  );
  const finish = {
    uvs: { values: uvs, of: triangles },
    materials: { list: [{ name: 'left' }, { name: 'right' }], of: ofTriangles },
  };
  const mesh = dressedMesh({ positions, triangles, finish }, HERE);
  const { particles, labels } = broken({ box: { size: [0.2, 0.1, 0.1] } }, 0.0125, 12);
  const cut = cutOf({ mesh, particles, labels, spacing: 0.0125 });
  const areas = [0, 0];
  for (const piece of piecesOf(cut, labels)) {
    expectClosed(piece);
    for (const { part, begin, end } of piece.parts) {
      if (part === 'inside') continue;
      areas[part]! += meshClosedness(piece.positions, piece.indices.subarray(begin, end)).area;
      for (const v of piece.indices.subarray(begin, end)) {
        const [x, y, z] = piece.positions.subarray(3 * v, 3 * v + 3) as unknown as [number, number, number];
        expect(piece.uvs![2 * v]).toBeCloseTo(3 * x, 5);
        expect(piece.uvs![2 * v + 1]).toBeCloseTo(0.5 + y - z, 5);
        // The faces of the box are flat.
        expect(Math.max(...piece.normals.subarray(3 * v, 3 * v + 3).map(Math.abs))).toBeCloseTo(1, 6);
      }
    }
  }
  for (const [k, { begin, end }] of mesh.parts.entries()) {
    expect(areas[k]).toBeCloseTo(meshClosedness(mesh.positions, mesh.indices.subarray(begin, end)).area, 9);
  }
});

test('sheets are smooth without roughness, rougher with it, and the same for the same seed', () => {
  // Split by a plane that is oblique to the lattice, in steps of a spacing.
  const { mesh, particles, spacing } = broken({ box: { size: [0.2, 0.2, 0.2] } }, 0.01, 2);
  const labels = Int32Array.from({ length: particles.length / 3 }, (_, i) =>
    particles[3 * i]! + 0.4 * particles[3 * i + 1]! > 0.001 ? 1 : 0,
  );
  const newFaces = (options: { roughness: number; seed?: number }) => {
    const piece = cutOf({ mesh, particles, labels, spacing }, options).piece(new Set([0]))!;
    const { begin, end } = piece.parts.find(({ part }) => part === 'inside')!;
    return { ...piece, indices: piece.indices.subarray(begin, end) };
  };
  const deviation = ({ positions, indices }: PieceMesh) => {
    const off = Array.from(indices, (v) => (positions[3 * v]! + 0.4 * positions[3 * v + 1]!) / Math.sqrt(1.16));
    const mean = off.reduce((sum, x) => sum + x, 0) / off.length;
    return Math.sqrt(off.reduce((sum, x) => sum + (x - mean) ** 2, 0) / off.length) / spacing;
  };
  const smooth = newFaces({ roughness: 0 });
  // Steps of a spacing have a deviation of 0.29 spacings.
  expect(deviation(smooth)).toBeLessThan(0.15);
  expect(deviation(newFaces({ roughness: 0.3 }))).toBeGreaterThan(1.3 * deviation(smooth));
  const [a, b, other] = [1, 1, 2].map((seed) => newFaces({ roughness: 0.3, seed }));
  expect(a!.positions).toEqual(b!.positions);
  expect(other!.positions).not.toEqual(a!.positions);
});

test('a gap between pieces takes its width times their new faces, and leaves them closed', () => {
  const body = broken({ sphere: { radius: 0.1 } }, 0.014, 6);
  const gap = 1e-4;
  const [without, apart] = [0, gap].map((width) => piecesOf(cutOf(body, { roughness: 0, gap: width }), body.labels));
  const volumeOf = (pieces: readonly PieceMesh[]) => pieces.reduce((sum, piece) => sum + expectClosed(piece), 0);
  const area = without!.reduce((sum, { positions, indices, parts }) => {
    const { begin, end } = parts.find(({ part }) => part === 'inside')!;
    return sum + meshClosedness(positions, indices.subarray(begin, end)).area;
  }, 0);
  // Along edges, where normals are those of two faces, it is narrower.
  expect((volumeOf(without!) - volumeOf(apart!)) / ((gap / 2) * area)).toBeCloseTo(1, 1);
});

test('a mesh with a hole is replaced by a closed surface around the particles', () => {
  const body = broken({ sphere: { radius: 0.1 } }, 0.014, 6);
  const indices = body.mesh.indices.slice(9);
  const mesh = { ...body.mesh, indices, parts: [{ material: undefined, begin: 0, end: indices.length }] };
  const cut = cutOf({ ...body, mesh });
  expect(cut.isReplaced).toBe(true);
  const volume = piecesOf(cut, body.labels).reduce((sum, piece) => sum + expectClosed(piece), 0);
  // A grid of about a spacing rounds off what is convex.
  expect(volume / closednessOf(body.mesh).volume).toBeCloseTo(1, 1);
});
