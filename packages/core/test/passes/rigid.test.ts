import { expect, test } from 'vitest';
import { rigidContactForce } from '../../reference/index.js';
import { add, cross, dot, length, scale, subtract, transform } from '../../src/math/matrix3.js';
import type { Vec3 } from '../../src/options/types.js';
import * as layout from '../../src/particles/layout.js';
import { impactDamping } from '../../src/solvers/contact/restitution.js';
import { block, buildBench } from '../laws/support.js';

const materials = [
  { youngsModulus: 1e7, poissonsRatio: 0.2, density: 1000, friction: 0.4, restitution: 0.2 },
  { youngsModulus: 3e7, poissonsRatio: 0.4, density: 2000, friction: 0.7, restitution: 0.6 },
];
const wall = { shape: { plane: { offset: -0.19 } }, friction: 0.3, restitution: 0.5 };

test('forces and torques on rigid bodies equal those of every touching pair and wall, twice', async () => {
  const bench = await buildBench(
    [
      { input: { kind: 'rigid', material: materials[0]! }, points: block([4, 4, 4], 0.1) },
      // Turned, and into the first by some hundredths of a spacing.
      {
        input: { kind: 'rigid', material: materials[1]!, rotation: [0, 5, 88], position: [0.39, 0.02, 0.03] },
        points: block([4, 4, 4], 0.1),
      },
    ],
    {},
    [wall],
  );
  const { store, elastic, ranges } = bench.model;
  const motions = elastic.rigid.motions.map((motion) => motion!);
  motions[0]!.setVelocity([0.3, -0.2, 0.1], [1, 2, -3]);
  motions[1]!.setVelocity([-0.4, 0.1, 0.2], [-2, 1, 1]);
  elastic.rigid.writeVelocities();

  const rest = store.vectors(layout.REST);
  const position = (b: number, i: number): Vec3 => {
    const { rotation, origin } = elastic.frames[b]!;
    return add(transform(rotation, [rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!]), origin);
  };
  const modulus = materials.map(({ youngsModulus: e, poissonsRatio: nu }) => e / (1 - nu * nu));
  const radius = 0.05;
  const springs = new Map<string, { stretch: Vec3; speed: number }>();

  /** Force and torque about the centre of mass of each body; `touching` is what the last evaluation found. */
  const expected = (touching: readonly number[], dt: number) => {
    const sums = motions.map(() => ({ force: [0, 0, 0] as Vec3, torque: [0, 0, 0] as Vec3 }));
    const velocityAt = (b: number, x: Vec3) =>
      add(motions[b]!.velocity, cross(motions[b]!.spin, subtract(x, motions[b]!.position)));
    const apply = (b: number, x: Vec3, f: Vec3) => {
      const sum = sums[b]!;
      sum.force = add(sum.force, f);
      sum.torque = add(sum.torque, cross(subtract(x, motions[b]!.position), f));
    };
    const law = (
      key: string,
      contact: {
        depth: number;
        normal: Vec3;
        relative: Vec3;
        modulus: number;
        radius: number;
        mass: number;
        restitution: number;
        friction: number;
      },
    ) => {
      const old = springs.get(key) ?? {
        stretch: [0, 0, 0] as Vec3,
        speed: Math.max(-dot(contact.relative, contact.normal), 1e-9),
      };
      const damping = { impactDamping: impactDamping(contact.restitution), damping: layout.RIGID_DAMPING };
      const { force, stretch } = rigidContactForce({ ...contact, ...damping, ...old, dt });
      springs.set(key, { stretch, speed: old.speed });
      return force;
    };
    let found = 0;
    for (let i = ranges[0]!.begin; i < ranges[0]!.end; i++) {
      for (let j = ranges[1]!.begin; j < ranges[1]!.end; j++) {
        const [x, y] = [position(0, i), position(1, j)];
        const d = subtract(x, y);
        const depth = 2 * radius - length(d);
        if (depth <= 0) continue;
        found++;
        const normal = scale(d, 1 / length(d));
        const point = scale(add(x, y), 0.5);
        const force = law(`${i} ${j}`, {
          depth,
          normal,
          relative: subtract(velocityAt(0, point), velocityAt(1, point)),
          modulus: 1 / (1 / modulus[0]! + 1 / modulus[1]!),
          radius: radius / 2,
          mass: 1 / (1 / motions[0]!.properties.mass + 1 / motions[1]!.properties.mass) / Math.max(1, ...touching),
          restitution: 0.6,
          friction: Math.sqrt(0.4 * 0.7),
        });
        apply(0, point, force);
        apply(1, point, scale(force, -1));
      }
    }
    for (const [b, { begin, end }] of ranges.entries()) {
      for (let i = begin; i < end; i++) {
        const x = position(b, i);
        const depth = radius - (x[1] + 0.19);
        if (depth <= 0) continue;
        found++;
        const point = add(x, [0, depth / 2 - radius, 0]);
        const force = law(`${i} wall`, {
          depth,
          normal: [0, 1, 0],
          relative: velocityAt(b, point),
          modulus: modulus[b]!,
          radius,
          mass: motions[b]!.properties.mass / Math.max(1, touching[b]!),
          restitution: Math.max(0.5, materials[b]!.restitution),
          friction: Math.sqrt(0.3 * materials[b]!.friction),
        });
        apply(b, point, force);
      }
    }
    return { sums, found };
  };

  const compare = (touching: readonly number[], dt: number) => {
    const { sums, found } = expected(touching, dt);
    // Pairs and walls both.
    expect(found).toBeGreaterThan(20);
    for (const [b, motion] of motions.entries()) {
      const { force, torque } = sums[b]!;
      // Depths of a few mm come from float32 positions of some 0.1 m: 1e-8 in 1e-3.
      expect(length(subtract(motion.force, force))).toBeLessThan(2e-4 * length(force));
      expect(length(subtract(motion.torque, torque))).toBeLessThan(2e-4 * length(force) * 0.2);
    }
  };

  elastic.evaluateForces();
  compare([0, 0], 0);
  const touching = motions.map((motion) => motion.touching);
  expect(Math.min(...touching)).toBeGreaterThan(1);
  // A second time, a little later at the same positions: friction has been stretched, and contacts share the mass.
  elastic.rigid.computeForces(1e-4);
  compare(touching, 1e-4);
  await bench.dispose();
});
