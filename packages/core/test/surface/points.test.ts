import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Shape, sampleShape, shapeMesh } from '../../src/index.js';
import { Engine } from '../../src/memory/engine.js';
import { rotationAbout } from '../../src/particles/frame.js';
import { PointSurface } from '../../src/surface/points/point-surface.js';
import { sampleSurfels } from '../../src/surface/surfel-sampling.js';
import { eulerCharacteristic, openRays, voxels, voxelVolume } from './point-support.js';
import { affine, largestDifference } from './support.js';

const SPACING = 0.1;
const TURN = rotationAbout([2 / 7, 3 / 7, 6 / 7], 0.4);

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.create(2);
});
afterAll(() => engine.dispose());

const sampled = (shape: Shape, jitter = 0.15) =>
  sampleShape(shape, { spacing: SPACING, lattice: 'cubic', jitter, seed: 3 }).positions;
const volumeOf = (positions: ArrayLike<number>) => (positions.length / 3) * SPACING ** 3;
const distinct = (values: ArrayLike<number>) => new Set(Array.from(values)).size;
const surfaceOf = (positions: ArrayLike<number>, surfelSpacing = 0.35) => {
  const surface = new PointSurface(engine, { spacing: SPACING, surfelSpacing });
  return { surface, report: surface.update({ positions }) };
};

describe('the point surface', () => {
  const shapes: { name: string; shape: Shape; euler: number; fine: number }[] = [
    { name: 'a ball', shape: { sphere: { radius: 0.5 } }, euler: 2, fine: 0.35 },
    { name: 'a ring', shape: { torus: { radius: 0.5, tube: 0.2 } }, euler: 0, fine: 0.35 },
    { name: 'a box', shape: { box: { size: [0.8, 0.5, 0.6] } }, euler: 2, fine: 0.3 },
    { name: 'a sheet', shape: { box: { size: [1.2, 0.1, 1] } }, euler: 2, fine: 0.3 },
    { name: 'a string', shape: { box: { size: [1, 0.1, 0.1] } }, euler: 2, fine: 0.2 },
    { name: 'one particle', shape: { box: { size: [0.1, 0.1, 0.1] } }, euler: 2, fine: 0.2 },
  ];

  it.each(shapes)(
    'of $name is one sheet of the right kind with the volume of its particles',
    ({ shape, euler, fine }) => {
      const positions = sampled(shape, 0.1);
      // Fine surfels where the surface is much curved: the cells are measured by flat discs.
      const { surface, report } = surfaceOf(positions, fine);
      expect(report.components).toBe(1);
      expect(distinct(surface.sheets())).toBe(1);
      const solid = voxels(surface, 0.12 * SPACING);
      expect(eulerCharacteristic(solid)).toBe(euler);
      // By cells that the surface did not measure itself with.
      expect(Math.abs(voxelVolume(solid) / volumeOf(positions) - 1)).toBeLessThan(0.02);
      expect(report.volumeError).toBeLessThan(0.01);
    },
  );

  it('of a ball has its area and volume within 1 % and no holes', () => {
    const positions = sampled({ sphere: { radius: 0.6 } }, 0);
    const { surface } = surfaceOf(positions);
    const radius = Math.cbrt((volumeOf(positions) * 3) / (4 * Math.PI));
    const area = surface.areas().reduce((sum, x) => sum + x, 0);
    expect(Math.abs(area / (4 * Math.PI * radius ** 2) - 1)).toBeLessThan(0.01);
    expect(Math.abs(voxelVolume(voxels(surface, 0.1 * SPACING)) / volumeOf(positions) - 1)).toBeLessThan(0.01);
    expect(openRays(surface, [0, 0, 0], 4000)).toBe(0);
    expect(openRays(surface, [0.2, -0.1, 0.3], 4000)).toBe(0);
  });

  it('keeps its volume within 2 % while a ball becomes an ellipsoid', () => {
    const positions = sampled({ sphere: { radius: 0.5 } });
    const { surface } = surfaceOf(positions);
    for (const k of [1.1, 1.25, 1.4, 1.6, 1.8]) {
      const moved = affine(positions, [k, 0, 0, 0, 1 / Math.sqrt(k), 0, 0, 0, 1 / Math.sqrt(k)], [0, 0, 0]);
      surface.update({ positions: moved });
      const solid = voxels(surface, 0.12 * SPACING);
      expect(Math.abs(voxelVolume(solid) / volumeOf(positions) - 1)).toBeLessThan(0.02);
      expect(eulerCharacteristic(solid)).toBe(2);
    }
    expect(openRays(surface, [0.2, 0.05, 0], 2000)).toBe(0);
  });

  it('costs nothing where nothing moves', () => {
    const [left, right] = [sampled({ sphere: { radius: 0.3 } }), sampled({ sphere: { radius: 0.3 } })];
    const both = (shift: number) =>
      Float64Array.from([...left, ...affine(right, [1, 0, 0, 0, 1, 0, 0, 0, 1], [1.5 + shift, 0, 0])]);
    const { surface } = surfaceOf(both(0));
    const before = surface.positions();
    expect(surface.update({ positions: both(0) })).toMatchObject({
      iterations: 0,
      evaluations: 0,
      added: 0,
      removed: 0,
    });
    expect(surface.positions()).toEqual(before);
    // One of two moves: the other is not looked at.
    const labels = surface.components();
    const still = Array.from(labels, (label, i) => (label === 0 ? i : -1)).filter((i) => i >= 0);
    const report = surface.update({ positions: both(0.02) });
    expect(report.evaluations).toBeGreaterThan(0);
    expect(report.evaluations).toBeLessThanOrEqual(report.iterations * (surface.count - still.length));
    const ofFirst = (positions: Float32Array, of: Uint32Array) =>
      Array.from(of, (label, i) => (label === 0 ? [...positions.subarray(3 * i, 3 * i + 3)] : [])).flat();
    expect(ofFirst(surface.positions(), surface.components())).toEqual(ofFirst(before, labels));
  });
});

describe('a source', () => {
  it('has a surface around what it has given: none, one particle, a jet that grows', () => {
    const jet = sampled({ box: { size: [0.8, 0.3, 0.3] } }, 0.1);
    // Along x, with slots for those to come.
    const order = Array.from({ length: jet.length / 3 }, (_, i) => i).sort((a, b) => jet[3 * a]! - jet[3 * b]!);
    const given = (count: number) => {
      const positions = new Float64Array(jet.length).fill(Number.NaN);
      for (const i of order.slice(0, count)) positions.set(jet.subarray(3 * i, 3 * i + 3), 3 * i);
      return positions;
    };
    const surface = new PointSurface(engine, { spacing: SPACING, surfelSpacing: 0.25 });
    expect(surface.update({ positions: given(0) })).toMatchObject({ components: 0 });
    expect(surface.count).toBe(0);
    surface.update({ positions: given(1) });
    const drop = surface.positions();
    expect(surface.count).toBeGreaterThan(20);
    for (let i = 0; i < drop.length; i += 3) {
      const away = Math.hypot(...[0, 1, 2].map((k) => drop[i + k]! - jet[3 * order[0]! + k]!));
      expect(Math.abs(away / (0.62 * SPACING) - 1)).toBeLessThan(0.1);
    }
    // Slices of nine particles: what comes is near what is there.
    for (const count of [9, 18, 36, 72]) {
      const report = surface.update({ positions: given(count) });
      expect(report.components).toBe(1);
      expect(report.volumeError).toBeLessThan(0.02);
    }
    const solid = voxels(surface, 0.12 * SPACING);
    expect(eulerCharacteristic(solid)).toBe(2);
    expect(Math.abs(voxelVolume(solid) / volumeOf(jet) - 1)).toBeLessThan(0.02);
  });
});

describe('drops', () => {
  const ball = sampled({ sphere: { radius: 0.3 } });
  const apart = (gap: number) =>
    Float64Array.from([
      ...affine(ball, [1, 0, 0, 0, 1, 0, 0, 0, 1], [-0.3 - gap / 2, 0, 0]),
      ...affine(ball, [1, 0, 0, 0, 1, 0, 0, 0, 1], [0.3 + gap / 2, 0, 0]),
    ]);

  it('that come near stay two until they touch, and are one then', () => {
    const { surface, report } = surfaceOf(apart(0.3));
    expect(report.components).toBe(2);
    expect(eulerCharacteristic(voxels(surface, 0.015))).toBe(4);
    // Nearer than a neck would reach: still two, with nothing between them.
    expect(surface.update({ positions: apart(0.06) }).components).toBe(2);
    expect(eulerCharacteristic(voxels(surface, 0.015))).toBe(4);
    let merged = { components: 2 };
    for (const gap of [0.0, -0.04, -0.08, -0.1]) merged = surface.update({ positions: apart(gap) });
    expect(merged.components).toBe(1);
    expect(distinct(surface.sheets())).toBe(1);
    const solid = voxels(surface, 0.015);
    expect(eulerCharacteristic(solid)).toBe(2);
    expect(Math.abs(voxelVolume(solid) / volumeOf(apart(0)) - 1)).toBeLessThan(0.02);
  });

  it('that are pulled apart are two again', () => {
    const { surface, report } = surfaceOf(apart(-0.1));
    expect(report.components).toBe(1);
    let torn = { components: 1 };
    for (const gap of [0, 0.05, 0.1, 0.15, 0.2, 0.3]) torn = surface.update({ positions: apart(gap) });
    expect(torn.components).toBe(2);
    expect(distinct(surface.sheets())).toBe(2);
    const solid = voxels(surface, 0.015);
    expect(eulerCharacteristic(solid)).toBe(4);
    expect(Math.abs(voxelVolume(solid) / volumeOf(apart(0)) - 1)).toBeLessThan(0.02);
  });
});

describe('melting', () => {
  // A bumpy cube: detail finer than the particles.
  const cube = shapeMesh({ box: { size: [0.6, 0.6, 0.6] } }, 0.6);
  const samples = sampleSurfels(cube, 0.05);
  const positions = sampled({ box: { size: [0.6, 0.6, 0.6] } }, 0);

  it('solid parts move rigidly with all their detail, to 1e-5 of their size', () => {
    const surface = new PointSurface(engine, { spacing: SPACING, surfelSpacing: 0.5 });
    surface.start(samples, positions);
    const liquid = new Float32Array(positions.length / 3);
    surface.update({ positions: affine(positions, TURN, [0.1, 0.2, 0.3]), liquid });
    expect(surface.count).toBe(samples.count);
    expect(largestDifference(surface.positions(), affine(samples.positions, TURN, [0.1, 0.2, 0.3]))).toBeLessThan(1e-5);
  });

  it('edges of the molten half get round, those of the solid half stay', () => {
    const surface = new PointSurface(engine, { spacing: SPACING, surfelSpacing: 0.5 });
    surface.start(samples, positions);
    const liquid = Float32Array.from({ length: positions.length / 3 }, (_, i) => (positions[3 * i]! < 0 ? 1 : 0));
    surface.update({ positions, liquid });
    const [p, n] = [surface.positions(), surface.normals()];
    let [solidCorner, liquidCorner] = [0, 0];
    for (let i = 0; i < surface.count; i++) {
      const corner = Math.min(Math.abs(p[3 * i + 1]!), Math.abs(p[3 * i + 2]!));
      if (p[3 * i]! > 0.2) solidCorner = Math.max(solidCorner, corner);
      if (p[3 * i]! < -0.15) liquidCorner = Math.max(liquidCorner, corner);
      expect(Math.hypot(n[3 * i]!, n[3 * i + 1]!, n[3 * i + 2]!)).toBeCloseTo(1, 5);
    }
    expect(solidCorner).toBeGreaterThan(0.27);
    expect(liquidCorner).toBeLessThan(solidCorner - 0.02);
  });

  it('colours stay with the matter', () => {
    const colors = new Float32Array(3 * samples.count);
    for (let i = 0; i < samples.count; i++) colors.set(samples.positions[3 * i]! < 0 ? [1, 0, 0] : [0, 0, 1], 3 * i);
    const surface = new PointSurface(engine, { spacing: SPACING, surfelSpacing: 0.5 });
    surface.start({ ...samples, colors }, positions);
    const liquid = new Float32Array(positions.length / 3).fill(1);
    for (const k of [1, 1.15, 1.3, 1.5]) {
      const moved = affine(positions, [k, 0, 0, 0, 1 / Math.sqrt(k), 0, 0, 0, 1 / Math.sqrt(k)], [0, 0, 0]);
      surface.update({ positions: moved, liquid });
    }
    const [p, c] = [surface.positions(), surface.values()];
    for (let i = 0; i < surface.count; i++) {
      if (Math.abs(p[3 * i]!) < 0.06) continue;
      expect(c[4 * i]!).toBeCloseTo(p[3 * i]! < 0 ? 1 : 0, 1);
    }
  });
});

describe('boundaryPoints', () => {
  it('surfels near a mould lie on it and take on its detail', () => {
    // A wavy floor, finer than the particles.
    const wave = (x: number, z: number) => 0.012 * Math.sin(60 * x) * Math.cos(60 * z);
    const [points, normals]: [number[], number[]] = [[], []];
    for (let x = -0.5; x <= 0.5; x += 0.015) {
      for (let z = -0.5; z <= 0.5; z += 0.015) {
        points.push(x, wave(x, z), z);
        const slope = [0.72 * Math.cos(60 * x) * Math.cos(60 * z), -0.72 * Math.sin(60 * x) * Math.sin(60 * z)];
        const length = Math.hypot(slope[0]!, 1, slope[1]!);
        normals.push(-slope[0]! / length, 1 / length, -slope[1]! / length);
      }
    }
    const positions = affine(sampled({ box: { size: [0.6, 0.4, 0.6] } }, 0), [1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 0.21, 0]);
    const surface = new PointSurface(engine, { spacing: SPACING, surfelSpacing: 0.2 });
    surface.setBoundaryPoints({ points, normals });
    surface.update({ positions });
    const p = surface.positions();
    let [on, worst] = [0, 0];
    for (let i = 0; i < surface.count; i++) {
      if (p[3 * i + 1]! > 0.015 || Math.max(Math.abs(p[3 * i]!), Math.abs(p[3 * i + 2]!)) > 0.2) continue;
      on++;
      worst = Math.max(worst, Math.abs(p[3 * i + 1]! - wave(p[3 * i]!, p[3 * i + 2]!)));
    }
    expect(on).toBeGreaterThan(200);
    // Waves are 12 mm high, points 15 mm apart.
    expect(worst).toBeLessThan(0.004);
  });

  it('nothing of a puddle is below its floor', () => {
    const positions = affine(sampled({ box: { size: [0.8, 0.3, 0.8] } }), [1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 0.15, 0]);
    const surface = new PointSurface(engine, { spacing: SPACING });
    surface.setBoundaryPoints({ planes: [{ point: [0, 0, 0], normal: [0, 1, 0] }] });
    const report = surface.update({ positions });
    const p = surface.positions();
    for (let i = 0; i < surface.count; i++) expect(p[3 * i + 1]!).toBeGreaterThan(-1e-6);
    expect(report.volumeError).toBeLessThan(0.005);
  });

  it('a puddle of one layer meets its floor at a right angle', () => {
    const positions = affine(
      sampled({ box: { size: [0.8, 0.1, 0.8] } }, 0.05),
      [1, 0, 0, 0, 1, 0, 0, 0, 1],
      [0, 0.05, 0],
    );
    const surface = new PointSurface(engine, { spacing: SPACING, surfelSpacing: 0.25 });
    surface.setBoundaryPoints({ planes: [{ point: [0, 0, 0], normal: [0, 1, 0] }] });
    expect(surface.update({ positions }).volumeError).toBeLessThan(0.005);
    const [p, n] = [surface.positions(), surface.normals()];
    let [rim, lean] = [0, 0];
    for (let i = 0; i < surface.count; i++) {
      if (p[3 * i + 1]! < 1e-4 || p[3 * i + 1]! > 0.2 * SPACING) continue;
      rim++;
      lean += n[3 * i + 1]!;
    }
    expect(rim).toBeGreaterThan(50);
    // Up to a tenth of a particle's height the round rim has turned by as much.
    expect(Math.abs(lean / rim)).toBeLessThan(0.15);
  });

  it('boundaryPoints that are only near leave a drop as it is', () => {
    const ball = sampled({ sphere: { radius: 0.3 } });
    const over = affine(ball, [1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 0.3 + 0.75 * SPACING, 0]);
    const alone = surfaceOf(over).surface;
    const surface = new PointSurface(engine, { spacing: SPACING, surfelSpacing: 0.35 });
    surface.setBoundaryPoints({ planes: [{ point: [0, 0, 0], normal: [0, 1, 0] }] });
    surface.update({ positions: over });
    const lowest = (of: PointSurface) =>
      of.positions().reduce((low, y, k) => (k % 3 === 1 ? Math.min(low, y) : low), 1);
    expect(lowest(surface)).toBeGreaterThan(0.3 * SPACING);
    expect(lowest(surface)).toBeCloseTo(lowest(alone), 2);
  });
});

describe('a pool between walls', () => {
  // Half a spacing from floor and walls.
  const [width, height, depth] = [1, 0.5, 0.8];
  const planes = [
    { point: [0, 0, 0], normal: [0, 1, 0] },
    { point: [-width / 2, 0, 0], normal: [1, 0, 0] },
    { point: [width / 2, 0, 0], normal: [-1, 0, 0] },
    { point: [0, 0, -depth / 2], normal: [0, 0, 1] },
    { point: [0, 0, depth / 2], normal: [0, 0, -1] },
  ];
  const pool = (above: number) => {
    const rest = sampled({ box: { size: [width, height, depth] } }, 0.1);
    return affine(rest, [1, 0, 0, 0, 1, 0, 0, 0, 1], [0, height / 2 + above, 0]);
  };
  const facts = (surface: PointSurface) => {
    const [p, n] = [surface.positions(), surface.normals()];
    const rows = Array.from({ length: surface.count }, (_, i) => {
      const [position, normal] = [p.subarray(3 * i, 3 * i + 3), n.subarray(3 * i, 3 * i + 3)];
      const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
      const at = planes.map(({ point, normal: m }) => dot(position, m) - dot(point, m));
      const faced = planes.map(({ normal: m }) => -dot(normal, m));
      return { position, normal, at, faced };
    });
    const isOn = ({ at, faced }: (typeof rows)[number]) => at.some((h, k) => h < 1e-4 && faced[k]! > 0.5);
    return { rows, on: rows.filter(isOn), free: rows.filter((row) => !isOn(row) && row.normal[1]! > 0.8) };
  };

  it('ends at them at the height of its free surface, which reaches them', () => {
    const surface = new PointSurface(engine, { spacing: SPACING });
    surface.setBoundaryPoints({ planes });
    // It falls: what stays at the walls would be a fence.
    for (const above of [0.15, 0.1, 0.05, 0, -0.001, 0]) {
      expect(surface.update({ positions: pool(above) }).volumeError).toBeLessThan(0.005);
    }
    const { on, free, rows } = facts(surface);
    expect(on.length).toBeGreaterThan(400);
    const level = free.reduce((sum, { position }) => sum + position[1]!, 0) / free.length;
    for (const { position } of on) expect(position[1]!).toBeLessThan(level + 0.2 * SPACING);
    for (const { at } of rows) expect(Math.min(...at)).toBeGreaterThan(-1e-6);
    // Along each wall the free surface comes as near as its points are to each other.
    const upper = rows.filter((row) => !on.includes(row) && row.normal[1]! > 0.3);
    const gaps: number[] = [];
    for (let z = -depth / 2 + SPACING; z < depth / 2 - SPACING; z += SPACING / 2) {
      for (const side of [-1, 1]) {
        const reach = upper.map(({ position }) => Math.hypot(position[0]! - (side * width) / 2, position[2]! - z));
        gaps.push(Math.min(...reach));
      }
    }
    expect(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length).toBeLessThan(0.25 * SPACING);
    expect(Math.max(...gaps)).toBeLessThan(0.35 * SPACING);
  });

  // Points on floor and walls, as those of a mesh.
  const boundary = (gap: number) => {
    const [points, normals]: [number[], number[]] = [[], []];
    for (const { point, normal } of planes) {
      const across = [0, 1, 2].filter((a) => normal[a] === 0) as [number, number];
      const [low, high] = [
        [-width / 2, 0, -depth / 2],
        [width / 2, 1.5 * height, depth / 2],
      ] as const;
      for (let u = low[across[0]]!; u < high[across[0]]! + 1e-6; u += gap) {
        for (let v = low[across[1]]!; v < high[across[1]]! + 1e-6; v += gap) {
          const position = [...point];
          position[across[0]] = u;
          position[across[1]] = v;
          points.push(...position);
          normals.push(...normal);
        }
      }
    }
    return { points, normals };
  };

  it.each([
    { name: 'planes', boundaryPoints: { planes }, fine: 0.3 },
    { name: 'planes, with fine surfels', boundaryPoints: { planes }, fine: 0.2 },
    { name: 'points', boundaryPoints: boundary(SPACING / 2), fine: 0.3 },
  ])(
    'stands between $name as high as its volume over the floor says, closed at all edges',
    ({ boundaryPoints, fine }) => {
      const surface = new PointSurface(engine, { spacing: SPACING, surfelSpacing: fine });
      surface.setBoundaryPoints(boundaryPoints);
      const report = surface.update({ positions: pool(0) });
      expect(report.volumeError).toBeLessThan(0.005);
      const { rows } = facts(surface);
      const areas = surface.areas();
      const sum = (of: (row: (typeof rows)[number]) => number) =>
        rows.reduce((total, row, i) => total + areas[i]! * of(row), 0);
      // Areas of a closed surface add up to nothing, along every axis; these are 0.8 m2 and less.
      for (const axis of [0, 1, 2]) expect(Math.abs(sum(({ normal }) => normal[axis]!))).toBeLessThan(0.004);
      const free = sum(({ normal }) => (normal[1]! > 0.9 ? 1 : 0));
      const level = sum(({ position, normal }) => (normal[1]! > 0.9 ? position[1]! : 0)) / free;
      // Particles fill the pool; the ripples of those displaced at random are what the area is too large by.
      expect(Math.abs(free / (width * depth) - 1)).toBeLessThan(0.005);
      expect(Math.abs(level / height - 1)).toBeLessThan(0.005);
    },
  );

  it('has the normals of single planes on them, up to their edges', () => {
    const surface = new PointSurface(engine, { spacing: SPACING });
    surface.setBoundaryPoints({ planes });
    const report = surface.update({ positions: pool(0) });
    for (const { faced } of facts(surface).on) expect(Math.max(...faced)).toBeGreaterThan(0.999);
    expect(report.volumeError).toBeLessThan(0.005);
  });
});

describe('a point surface that is saved', () => {
  it('goes on to the same bits, on any number of threads', async () => {
    // A drop that lies on a floor.
    const positions = sampled({ sphere: { radius: 0.4 } });
    const planes = [{ point: [0, -0.38, 0], normal: [0, 1, 0] }];
    const moved = (k: number) => affine(positions, [1 + k, 0, 0, 0, 1 - k / 2, 0, 0, 0, 1 - k / 2], [0, 0, 0]);
    const results: Float32Array[] = [];
    for (const threads of [1, 2, 3]) {
      const own = await Engine.create(threads);
      const surface = new PointSurface(own, { spacing: SPACING });
      surface.setBoundaryPoints({ planes });
      surface.update({ positions });
      const copy = new PointSurface(own, { spacing: SPACING });
      copy.setBoundaryPoints({ planes });
      copy.restore(structuredClone(surface.save()));
      surface.update({ positions: moved(0.1) });
      copy.update({ positions: moved(0.1) });
      expect(copy.positions()).toEqual(surface.positions());
      results.push(surface.positions());
      await own.dispose();
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });
});
