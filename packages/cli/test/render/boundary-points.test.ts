import { type ObstacleOptions, obstaclePose, PointSurfacer, type Shape, shapeMesh, type TriangleMesh } from 'phyxel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Obstacle } from '../../src/render/actors.js';
import { BoundaryPointss } from '../../src/render/boundary-points.js';
import { LiquidPoints } from '../../src/render/points.js';
import type { Frame } from '../../src/run/frame-file.js';

const SPACING = 0.02;
let surfacer: PointSurfacer;
beforeAll(async () => {
  surfacer = await PointSurfacer.create({ threads: 1 });
});
afterAll(() => surfacer.dispose());

/** An obstacle as the pictures have it. */
function obstacle(shape: Shape, isClear: boolean, more: Partial<ObstacleOptions> = {}): Obstacle {
  const options = { name: 'it', position: [0, 0, 0], rotation: [0, 0, 0], keyframes: [], ...more, shape };
  return { mesh: shapeMesh(shape, 0.005), obstacle: options, isClear } as unknown as Obstacle;
}

/** A lattice of particles in all positions that are inside, as a frame. */
function liquidIn(isInside: (x: number, y: number, z: number) => boolean, reach: number, time = 0): Frame {
  const positions: number[] = [];
  const n = Math.ceil(reach / SPACING);
  for (let i = -n; i < n; i++) {
    for (let j = -n; j < n; j++) {
      for (let k = -n; k < n; k++) {
        const p = [i, j, k].map((c) => (c + 0.5) * SPACING) as [number, number, number];
        if (isInside(...p)) positions.push(...p);
      }
    }
  }
  return frameOf(positions, time);
}

function frameOf(positions: readonly number[], time = 0): Frame {
  const values = Float32Array.from(positions);
  return { time, arrays: [{ name: 'position', components: 3, values }] } as unknown as Frame;
}

/** The lower half of a ball in layers from half a spacing below its surface on, evenly. */
function shells(radius: number): number[] {
  const positions: number[] = [];
  for (let r = radius - SPACING / 2; r > 0; r -= SPACING) {
    const count = Math.round((4 * Math.PI * r * r) / SPACING ** 2);
    for (let k = 0; k < count; k++) {
      const y = -1 + (2 * k + 1) / count;
      if (y > 0) continue;
      const ring = Math.sqrt(1 - y * y);
      // As uneven as liquid is.
      const at = r + 0.12 * SPACING * Math.sin(7 * k * k);
      positions.push(at * ring * Math.cos(2.399963 * k), at * y, at * ring * Math.sin(2.399963 * k));
    }
  }
  return positions;
}

function drawn(frame: Frame, touched: readonly Obstacle[]) {
  const end = frame.arrays[0]!.values.length / 3;
  const liquid = { begin: 0, end, spacing: SPACING, color: [1, 1, 1], scale: undefined } as const;
  const meshes: Parameters<LiquidPoints['add']>[1] = [];
  const drawing = { surfacer, liquids: true };
  new LiquidPoints([liquid], 0, drawing, [], touched, undefined).add(frame, meshes);
  return meshes[0]!;
}

/** A cup with a round bottom of half a sphere: inside open upwards. */
function cup(radius: number, wall: number): TriangleMesh {
  const [rings, sides] = [24, 48];
  const positions: number[] = [];
  const triangles: number[] = [];
  const profile = [
    ...Array.from({ length: rings + 1 }, (_, k) => [radius, (-Math.PI / 2) * (1 - k / rings)] as const),
    ...Array.from({ length: rings + 1 }, (_, k) => [radius + wall, (-Math.PI / 2) * (k / rings)] as const),
  ];
  for (const [r, angle] of profile) {
    for (let s = 0; s < sides; s++) {
      const turn = (2 * Math.PI * s) / sides;
      positions.push(r * Math.cos(angle) * Math.cos(turn), r * Math.sin(angle), r * Math.cos(angle) * Math.sin(turn));
    }
  }
  for (let p = 0; p + 1 < profile.length; p++) {
    for (let s = 0; s < sides; s++) {
      const [a, b] = [p * sides + s, p * sides + ((s + 1) % sides)];
      triangles.push(a, b, a + sides, b, b + sides, a + sides);
    }
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

describe('obstacles as boundaryPoints of point surfaces', () => {
  it('liquid in a round cup has its form, with no scallops of particles along the glass', () => {
    const radius = 0.08;
    const at = [0.3, 0.2, -0.1] as const;
    const frame = frameOf(shells(radius));
    const { values } = frame.arrays[0]!;
    for (let i = 0; i < values.length; i++) values[i]! += at[i % 3]!;
    const shape = { mesh: { file: 'cup', data: cup(radius, 0.01) } } as unknown as Shape;
    // Turned about, too: its points move with it.
    const glass = obstacle(shape, true, { position: at, rotation: [0, 70, 0] });
    const roughness = (touched: readonly Obstacle[]) => {
      const { positions, normals } = drawn(frame, touched);
      const heights: number[] = [];
      let lean = 1;
      for (let i = 0; i < positions.length; i += 3) {
        const p = [0, 1, 2].map((a) => positions[i + a]! - at[a]!);
        const far = Math.hypot(...p);
        const out = [0, 1, 2].reduce((sum, a) => sum + (p[a]! / far) * normals[i + a]!, 0);
        // What faces the glass, below the rim.
        if (out < 0.7 || p[1]! > -2 * SPACING) continue;
        heights.push((far - radius) / SPACING);
        lean = Math.min(lean, out);
      }
      const mean = heights.reduce((sum, h) => sum + h, 0) / heights.length;
      const spread = Math.sqrt(heights.reduce((sum, h) => sum + (h - mean) ** 2, 0) / heights.length);
      return { mean, spread, lean, count: heights.length };
    };
    const [free, held] = [roughness([]), roughness([glass])];
    expect(held.count).toBeGreaterThan(500);
    // A little inside the glass, so that there is no film of air; by the same everywhere. Without a boundary: bumps.
    expect(held.mean).toBeGreaterThan(0);
    expect(held.mean).toBeLessThan(0.1);
    expect(held.spread).toBeLessThan(0.03);
    expect(held.spread).toBeLessThan(0.25 * free.spread);
    expect(held.lean).toBeGreaterThan(0.97);
  });

  it.each([
    { name: 'sphere', shape: { sphere: { radius: 0.05 } }, out: (p: number[]) => Math.hypot(...p) - 0.05 },
    {
      name: 'box',
      shape: { box: { size: [0.1, 0.1, 0.1] } },
      out: (p: number[]) => Math.max(...p.map(Math.abs)) - 0.05,
    },
    {
      name: 'capsule',
      shape: { capsule: { radius: 0.04, length: 0.02 } },
      out: (p: number[]) => Math.hypot(p[0]!, Math.max(0, Math.abs(p[1]!) - 0.01), p[2]!) - 0.04,
    },
    {
      name: 'cylinder',
      shape: { cylinder: { radius: 0.05, length: 0.1 } },
      out: (p: number[]) => Math.max(Math.hypot(p[0]!, p[2]!), Math.abs(p[1]!)) - 0.05,
    },
  ])(
    'nothing is drawn of liquid on a $name that hides it, and nothing inside, also when it moves',
    ({ shape, out }) => {
      const keyframes = [
        { time: 0, position: [-0.02, 0, 0], rotation: [0, 0, 0] },
        { time: 1, position: [0.02, 0, 0], rotation: [0, 0, 0] },
      ] as unknown as ObstacleOptions['keyframes'];
      const touched = obstacle(shape as unknown as Shape, false, { keyframes });
      const frame = liquidIn((...p) => out(p) > 0.45 * SPACING && Math.max(...p.map(Math.abs)) < 0.1, 0.1, 0.5);
      const { positions, normals } = drawn(frame, [touched]);
      let [deepest, onIt] = [0, 0];
      for (let i = 0; i < positions.length; i += 3) {
        const p = [positions[i]!, positions[i + 1]!, positions[i + 2]!];
        const outer = Math.max(...p.map(Math.abs));
        if (outer > 0.085) continue;
        deepest = Math.min(deepest, out(p) / SPACING);
        const far = Math.hypot(...p);
        const inwards = p.reduce((sum, x, a) => sum - (x / far) * normals[i + a]!, 0);
        if (out(p) < 0.05 * SPACING && inwards > 0.7) onIt++;
      }
      // Discs over an edge reach into it as far as their corners do, which are 0.28 spacings from its middle.
      expect(deepest).toBeGreaterThan(-0.2);
      expect(onIt).toBeLessThan(0.02 * (positions.length / 3));
    },
  );

  it('large obstacles have fewer points, and too large ones none', () => {
    const mesh = shapeMesh({ box: { size: [1, 1, 1] } }, 1);
    const count = (spacing: number) => new BoundaryPointss(mesh, spacing, true).count;
    // Six squares of 1 m2; hexagons hold an eighth more than squares.
    expect(count(0.1)).toBeGreaterThan(6 / 0.04 ** 2);
    expect(count(0.1)).toBeLessThan(1.4 * (6 / 0.04 ** 2));
    expect(count(0.02)).toBeLessThan(60_000);
    expect(count(0.01)).toBe(0);
  });

  it('points go where the obstacle goes', () => {
    const keyframes = [
      { time: 0, position: [0, 0, 0], rotation: [0, 0, 0] },
      { time: 1, position: [0.4, 0, 0], rotation: [0, 90, 0] },
    ] as unknown as ObstacleOptions['keyframes'];
    const { mesh, obstacle: options } = obstacle({ box: { size: [0.2, 0.1, 0.04] } }, true, { keyframes });
    const boundary = new BoundaryPointss(mesh, SPACING, true);
    const [points, normals] = [new Float32Array(3 * boundary.count + 3), new Float32Array(3 * boundary.count + 3)];
    boundary.place(obstaclePose(options, 1), points, normals, 1);
    expect([...points.subarray(0, 3)]).toEqual([0, 0, 0]);
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 3; i < points.length; i++) high[i % 3] = Math.max(high[i % 3]!, points[i]!);
    // A quarter turn about y: what was long along x is long along z.
    expect(high[0]).toBeCloseTo(0.42, 5);
    expect(high[1]).toBeCloseTo(0.05, 5);
    expect(high[2]).toBeCloseTo(0.1, 5);
    for (let i = 3; i < normals.length; i += 3) {
      const n = normals.subarray(i, i + 3);
      expect(Math.hypot(n[0]!, n[1]!, n[2]!)).toBeCloseTo(1, 5);
    }
  });
});
