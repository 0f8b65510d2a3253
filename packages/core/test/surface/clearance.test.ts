import { describe, expect, it } from 'vitest';
import {
  loadScene,
  ObstacleClearance,
  type ObstacleOptions,
  parseScene,
  readMeshes,
  restMesh,
  Skin,
} from '../../src/index.js';
import { fitRigidPose, movePoints } from '../../src/surface/index.js';

const BOX = '{ name: table, shape: { box: { size: [1, 0.2, 1] } }, position: [0, -0.1, 0] }';
const obstaclesOf = (...list: string[]) =>
  parseScene(
    `phyxel: 1\nbodies: [{ spacing: 0.5, shape: { sphere: { radius: 1 } } }]\nobstacles: [${list.join(', ')}]\n`,
    'a.yaml',
  ).scene.obstacles as ObstacleOptions[];
const UP = [0, 1, 0];
const DOWN = [0, -1, 0];

describe('a mesh in obstacles', () => {
  it.each([
    ['a plane', '{ name: floor, shape: { plane: {} } }'],
    ['a box', BOX],
  ])('is laid on the surface of %s, and stays as it is above', (_, obstacle) => {
    const clearance = new ObstacleClearance(obstaclesOf(obstacle));
    const positions = Float32Array.of(0, -0.02, 0, 0.1, 0.03, 0, 0.2, -0.001, 0.2);
    clearance.push(positions, [...DOWN, ...DOWN, ...DOWN], { time: 0, spacing: 0.05 });
    for (const [k, x] of [0, 0, 0, 0.1, 0.03, 0, 0.2, 0, 0.2].entries()) expect(positions[k]).toBeCloseTo(x, 7);
  });

  it('keeps its order across the surface: nothing folds', () => {
    const clearance = new ObstacleClearance(obstaclesOf(BOX));
    const positions = Float32Array.from(
      { length: 60 },
      (_, k) => [0.01 * Math.floor(k / 3), 0.002 * Math.floor(k / 3) - 0.03, 0][k % 3]!,
    );
    const before = positions.slice();
    clearance.push(
      positions,
      Array.from({ length: 60 }, (_, k) => DOWN[k % 3]!),
      { time: 0, spacing: 0.05 },
    );
    for (let v = 0; v < 20; v++) {
      expect(positions[3 * v]).toBeCloseTo(before[3 * v]!, 6);
      expect(positions[3 * v + 1]).toBeCloseTo(Math.max(0, before[3 * v + 1]!), 6);
    }
  });

  it('is left alone where it is far below, or comes from the other side of something thin', () => {
    const clearance = new ObstacleClearance(
      obstaclesOf('{ shape: { plane: {} } }', '{ shape: { box: { size: [1, 0.04, 1] } }, position: [0, 1, 0] }'),
    );
    // Deep below the floor; and above the plate's middle, but the lower side of a body that is below it.
    const positions = Float32Array.of(0, -0.5, 0, 0, 1.01, 0);
    clearance.push(positions, [...DOWN, ...UP], { time: 0, spacing: 0.05 });
    expect([...positions]).toEqual([...Float32Array.of(0, -0.5, 0, 0, 1.01, 0)]);
  });

  it('follows obstacles that move', () => {
    const clearance = new ObstacleClearance(
      obstaclesOf('{ shape: { plane: {} }, keyframes: [{ time: 0 }, { time: 1, position: [0, 0.02, 0] }] }'),
    );
    const positions = Float32Array.of(0, 0.005, 0);
    clearance.push(positions, DOWN, { time: 0.5, spacing: 0.05 });
    expect(positions[1]).toBeCloseTo(0.01, 7);
  });

  it('is taken out of several at once as it is, when it is rigid', () => {
    const clearance = new ObstacleClearance(
      obstaclesOf('{ shape: { plane: {} } }', '{ shape: { plane: { normal: [1, 0, 0], offset: 0 } } }'),
    );
    const corners = [-0.01, -0.02, 0, 0.3, -0.01, 0, 0.3, 0.4, 0.1];
    const offset = clearance.lift(
      corners,
      corners.map((_, k) => DOWN[k % 3]!),
      { time: 0, spacing: 0.05 },
    );
    expect(offset[0]).toBeCloseTo(0.01, 6);
    expect(offset[1]).toBeCloseTo(0.02, 6);
    expect(offset[2]).toBe(0);
  });
});

describe('bodies that fall on a floor', () => {
  /** How far the lowest vertex is above the floor at the worst of some frames [spacings]: as it is, and laid on it. */
  async function lowest(body: string): Promise<{ bare: number; laid: number }> {
    const { scene: read } = parseScene(
      `phyxel: 1\nbodies: [${body}]\nobstacles: [{ shape: { plane: {} } }]\n`,
      'a.yaml',
    );
    const scene = await readMeshes(read, {});
    const world = await loadScene(read, { threads: 1 });
    const { spacing } = world.bodies[0]!;
    const particles = () => Float32Array.from(world.positions().filter((_, k) => k % 4 !== 3));
    const isRigid = scene.bodies[0]!.kind === 'rigid';
    const mesh = restMesh(scene.bodies[0]!, spacing);
    const rest = particles();
    const skin = new Skin(mesh.positions, rest);
    const clearance = new ObstacleClearance(scene.obstacles);
    const positions = new Float64Array(mesh.positions.length);
    const result = { bare: Infinity, laid: Infinity };
    const floor = () => positions.reduce((low, y, k) => (k % 3 === 1 ? Math.min(low, y) : low), Infinity) / spacing;
    for (let frame = 0; frame < 12; frame++) {
      world.step(1 / 40);
      if (isRigid) movePoints(fitRigidPose(rest, particles()), mesh.positions, positions);
      else skin.deform(particles(), positions);
      result.bare = Math.min(result.bare, floor());
      const where = { time: world.time, spacing };
      if (isRigid) {
        const offset = clearance.lift(positions, mesh.normals, where);
        for (let i = 0; i < positions.length; i++) positions[i]! += offset[i % 3]!;
      } else clearance.push(positions, mesh.normals, where);
      result.laid = Math.min(result.laid, floor());
    }
    await world.dispose();
    return result;
  }

  it.each([
    [
      'a soft cube on its corner',
      'material: { youngsModulus: 2e4, damping: 0.1 }, rotation: [35, 0, 45], shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [0, 0.24, 0]',
    ],
    ['a rigid ball', 'kind: rigid, shape: { sphere: { radius: 0.1 } }, position: [0, 0.15, 0]'],
  ])('%s sinks into it by itself, and not when it is shown', async (_, body) => {
    const { bare, laid } = await lowest(`{ name: a, spacing: 0.04, ${body} }`);
    expect(bare).toBeLessThan(-0.1);
    expect(laid).toBeGreaterThan(-1e-3);
  });
});
