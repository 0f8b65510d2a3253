/** What has flowed and rests goes on resting, [J14] fig. 5. */
import { describe, expect, it } from 'vitest';
import { createWorld } from '../../src/world.js';

describe('bodies that have flowed', () => {
  it('do not gain energy at rest', async () => {
    const world = await createWorld({ threads: 1, solver: { maxTimeStep: 1e-3 } });
    world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } }, friction: 0.3 });
    world.addBody({
      name: 'bar',
      shape: { box: { size: [0.28, 0.64, 0.28] } },
      position: [0, 0.37, 0],
      spacing: 0.04,
      discretisation: 'embedded',
      material: {
        density: 1000,
        youngsModulus: 1e5,
        poissonsRatio: 0.4,
        yieldStress: 30,
        creepRate: 500,
        friction: 0.3,
      },
    });
    const kinetic = () => {
      const [v, m] = [world.velocities(), world.masses()];
      return m.reduce(
        (sum, mass, i) => sum + 0.5 * mass * (v[4 * i]! ** 2 + v[4 * i + 1]! ** 2 + v[4 * i + 2]! ** 2),
        0,
      );
    };
    for (let frame = 0; frame < 19; frame++) world.step(1 / 30);
    const p = world.positions();
    const top = p.reduce((most, y, k) => (k % 4 === 1 && p[k + 2] === 1 ? Math.max(most, y) : most), 0);
    // Less than a fifth of its height, by the upper faces of its particles.
    expect(top + 0.02).toBeLessThan(0.64 / 5);
    const resting = kinetic();
    // It fell with 50 J.
    expect(resting).toBeLessThan(0.1);
    for (let frame = 19; frame < 32; frame++) {
      world.step(1 / 30);
      expect(kinetic(), `frame ${frame}`).toBeLessThanOrEqual(resting);
    }
    await world.dispose();
  });
});
