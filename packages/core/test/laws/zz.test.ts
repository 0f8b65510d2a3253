import { test } from 'vitest';
import { block, buildBench, displace, SOME_BOX, twinOf, withState, withWorld } from './support.js';
const material = { youngsModulus: 1e5, poissonsRatio: 0.3, density: 1000 };
test('x', async () => {
  for (const [safety, vs, maxTimeStep] of [[0.8, 1, Infinity], [1, 1, 0.005], [1, 0.5, 0.005],[1,0.5,0.0025]] as const) {
    await withWorld({ gravity: [0, 0, 0], solver: { safety, maxTimeStep } }, async (empty) => {
      const m = { ...material, volumeStiffness: vs };
      empty.addBody({ name: 'block', shape: SOME_BOX, material: m }, block([8, 4, 4], 0.1, 0.1));
      const f = ([x, y, z]: readonly [number, number, number]) => [0.04 * x, 0.1 * x * x - 0.02 * y, 0.03 * z] as const;
      const world = await withState(empty, ({ displacement: u }) => {
        const positions = empty.positions();
        for (let i = 0; i < u.length; i += 4) u.set(f([positions[i]!, positions[i + 1]!, positions[i + 2]!]), i);
      });
      const start = world.energy().total;
      const drift: string[] = [];
      for (let frame = 0; frame < 60; frame++) {
        world.step(0.05);
        if (frame % 5 === 4) drift.push((world.energy().total / start - 1).toFixed(4));
      }
      console.log(safety, vs, world.stepCount, 3 / world.stepCount, drift.join(' '));
      const bench = await buildBench([{ input: { material: m }, points: block([8, 4, 4], 0.1, 0.1) }]);
      const twin = twinOf(bench.bodies[0]!);
      displace(bench, [twin], f);
      twin.computeStresses();
      twin.computeForces();
      const s = twin.energy().total;
      const d: string[] = [];
      const n = Math.round(world.stepCount / 12);
      for (let k = 0; k < 12; k++) {
        for (let q = 0; q < n; q++) twin.step(0.25 / n);
        d.push((twin.energy().total / s - 1).toFixed(4));
      }
      console.log('  f64', d.join(' '));
    });
  }
});
