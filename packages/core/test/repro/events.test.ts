import { expect, test } from 'vitest';
import { block, SOME_BOX, withState, withWorld } from '../laws/support.js';

const material = { youngsModulus: 1e5, poissonsRatio: 0.3, density: 1000 };

/** A block that was stretched by 5 % and let go, in mid-swing after 10 ms. */
async function swinging(use: (world: import('../../src/world.js').World) => void): Promise<void> {
  await withWorld({ gravity: [0, 0, 0] }, async (empty) => {
    empty.addBody({ name: 'b', shape: SOME_BOX, material }, block([6, 4, 4], 0.1));
    const world = await withState(empty, ({ displacement: u }) => {
      const x = empty.positions();
      for (let i = 0; i < u.length; i += 4) u[i] = 0.05 * x[i]!;
    });
    world.step(0.01);
    use(world);
    await world.dispose();
  });
}

test('damping that is switched on in mid-swing takes energy and never gives any', async () => {
  await swinging((world) => {
    const before = world.energy().total;
    world.setMaterial('b', { damping: 0.2 });
    for (let frame = 0; frame < 20; frame++) {
      world.step(0.002);
      // Leapfrog's own oscillation of the energy is some percent at the automatic step.
      expect(world.energy().total).toBeLessThan(1.1 * before);
    }
  });
});

test('a body made a hundred times stiffer keeps the energy that it has then', async () => {
  await swinging((world) => {
    world.setMaterial('b', { youngsModulus: 100 * material.youngsModulus });
    const before = world.energy().total;
    world.step(0.002);
    // The next steps must be stable for the new stiffness at once, not one step late.
    expect(world.energy().total / before).toBeLessThan(1.2);
    expect(world.energy().total / before).toBeGreaterThan(0.8);
  });
});

test('a change that an orthotropic material does not know is refused, not ignored', async () => {
  const orthotropic = {
    youngsModuli: [3e5, 1e5, 2e5] as const,
    shearModuli: [5e4, 6e4, 8e4] as const,
    poissonsRatios: [0.2, 0.3, 0.25] as const,
  };
  await withWorld({}, (world) => {
    world.addBody({ name: 'b', shape: SOME_BOX, material: { orthotropic } }, block([3, 3, 3], 0.1));
    expect(() => world.setMaterial('b', { youngsModulus: 2e5 })).toThrow('no effect on an orthotropic material');
    expect(() => world.addEvent({ time: 1, body: 'b', set: { model: 'corotational' } })).toThrow('stVenantKirchhoff');
    world.setMaterial('b', { damping: 0.1 });
  });
});
