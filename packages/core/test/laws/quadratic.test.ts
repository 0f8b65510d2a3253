import { afterEach, describe, expect, it } from 'vitest';
import { cross, type Matrix3, transform } from '../../src/math/matrix3.js';
import type { Vec3 } from '../../src/options/types.js';
import { rotationAbout } from '../../src/particles/frame.js';
import * as layout from '../../src/particles/layout.js';
import { createWorld, World } from '../../src/world.js';
import { type Bench, block, buildBench, randomNumbers, SOME_BOX } from './support.js';

const QUADRATIC = { solid: { discretisation: 'quadratic' }, contact: { self: false, bodies: false } } as const;
const MATERIAL = { density: 1000, youngsModulus: 1e5, poissonsRatio: 0.3 };

const open: (Bench | World)[] = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.dispose();
});

async function bench(points = block([6, 5, 7], 0.1, 0.25), material: object = MATERIAL): Promise<Bench> {
  const result = await buildBench([{ input: { material: { ...MATERIAL, ...material } }, points }], {
    solver: QUADRATIC,
  });
  open.push(result);
  return result;
}

/** Displaces every particle from its rest position m to `place(m)`. */
function displace({ model }: Bench, place: (m: Vec3) => Vec3): void {
  const rest = model.store.vectors(layout.REST);
  const u = model.store.vectors(layout.DISPLACEMENT);
  for (let i = 0; i < model.store.count; i++) {
    const m: Vec3 = [rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!];
    const x = place(m);
    for (let a = 0; a < 3; a++) u[4 * i + a] = x[a]! - m[a]!;
  }
}

/** Forces [N] at the present displacements. */
function forces({ model }: Bench): Float64Array {
  const { store } = model;
  store.setFloat(layout.LATE_KICK, 0);
  store.setFloat(layout.STRAIN_RATE, 0);
  store.setInteger(layout.CONTACT_ACTIVE, 0);
  store.computeStresses();
  store.computeForces();
  const a = store.vectors(layout.ACCELERATION);
  const inverse = store.vectors(layout.GRADIENT_SUM);
  return Float64Array.from({ length: 3 * store.count }, (_, k) => {
    const i = Math.floor(k / 3);
    return a[4 * i + (k % 3)]! / inverse[4 * i + 3]!;
  });
}

function energy({ model }: Bench): number {
  model.store.computeMeasures();
  const measures = model.store.floats(layout.FLUX, 12 * model.store.count);
  let sum = 0;
  for (let i = 0; i < model.store.count; i++) sum += measures[12 * i]!;
  return sum;
}

const norm = (values: Float64Array): number => Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));

/** A smooth large deformation. */
const bent = ([x, y, z]: Vec3): Vec3 => [
  x + 0.3 * y * z + 0.2 * x * x,
  1.1 * y - 0.4 * x * z,
  z + 0.5 * x * y + 0.1 * y,
];

describe('the quadratic discretisation', () => {
  it('feels no force from a rigid rotation, however large', async () => {
    const body = await bench();
    const turn: Matrix3 = rotationAbout([0.6, 0, 0.8], 2);
    displace(body, (m) => transform(turn, m));
    const rigid = norm(forces(body));
    displace(body, bent);
    // Displacements of a body length lose seven digits less those of a strain: 1e-4 of a real deformation.
    expect(rigid).toBeLessThan(1e-4 * norm(forces(body)));
  });

  it('reproduces linear displacements exactly on irregular particles', async () => {
    const body = await bench();
    const f: Matrix3 = [1.1, 0.2, -0.1, 0.05, 0.9, 0.1, 0, -0.2, 1.2];
    displace(body, (m) => transform(f, m));
    body.model.store.computeMeasures();
    const measures = body.model.store.floats(layout.FLUX, 12 * body.model.store.count);
    const determinant = 1.1 * (0.9 * 1.2 + 0.02) - 0.2 * (0.05 * 1.2) + -0.1 * (0.05 * -0.2);
    for (let i = 0; i < body.model.store.count; i++) {
      // Float32 through a 9 x 9 matrix.
      expect(measures[12 * i + 2]).toBeCloseTo(determinant, 4);
    }
  });

  it('finds the gradient of a quadratic displacement at well supported particles', async () => {
    const body = await bench(block([9, 9, 9], 0.1, 0.2));
    displace(body, ([x, y, z]) => [x + 0.3 * x * x + 0.2 * y * z, y, z]);
    body.model.store.computeMeasures();
    const { store } = body.model;
    const measures = store.floats(layout.FLUX, 12 * store.count);
    const rest = store.vectors(layout.REST);
    for (let i = 0; i < store.count; i++) {
      const inside = [0, 1, 2].every((a) => Math.abs(rest[4 * i + a]!) < 0.22);
      // The fading of weak quadratic terms leaves some 0.1 % of them out.
      if (inside) expect(measures[12 * i + 2]).toBeCloseTo(1 + 0.6 * rest[4 * i]!, 3);
    }
  });

  it.each([0, 1])('has forces that are the negative gradient of its energy, volume stiffness %i', async (share) => {
    const body = await bench(block([5, 4, 5], 0.1, 0.2), { volumeStiffness: share });
    displace(body, bent);
    const force = forces(body);
    const u = body.model.store.vectors(layout.DISPLACEMENT);
    const random = randomNumbers(7);
    const start = u.slice();
    const direction = Float64Array.from({ length: force.length }, () => random() - 0.5);
    const along = force.reduce((sum, f, k) => sum + f * direction[k]!, 0);
    const shifted = (step: number) => {
      for (let i = 0; i < body.model.store.count; i++) {
        for (let a = 0; a < 3; a++) u[4 * i + a] = start[4 * i + a]! + step * direction[3 * i + a]!;
      }
      return energy(body);
    };
    // Central difference; the step balances truncation and float32 energies: about 1e-3 is left.
    const step = 2e-3;
    expect((shifted(-step) - shifted(step)) / (2 * step) / along).toBeCloseTo(1, 2);
  });

  it('pushes no body and turns no body by its own forces', async () => {
    const body = await bench();
    displace(body, bent);
    const force = forces(body);
    const rest = body.model.store.vectors(layout.REST);
    const u = body.model.store.vectors(layout.DISPLACEMENT);
    const net = [0, 0, 0];
    const torque = [0, 0, 0];
    for (let i = 0; i < body.model.store.count; i++) {
      const f: Vec3 = [force[3 * i]!, force[3 * i + 1]!, force[3 * i + 2]!];
      const x: Vec3 = [rest[4 * i]! + u[4 * i]!, rest[4 * i + 1]! + u[4 * i + 1]!, rest[4 * i + 2]! + u[4 * i + 2]!];
      const turn = cross(x, f);
      for (let a = 0; a < 3; a++) {
        net[a]! += f[a]!;
        torque[a]! += turn[a]!;
      }
    }
    expect(Math.hypot(...net)).toBeLessThan(1e-5 * norm(force));
    expect(Math.hypot(...torque)).toBeLessThan(1e-5 * norm(force));
  });

  it('stiffens what alternates from particle to particle', async () => {
    const body = await bench(block([8, 8, 8], 0.1));
    const sign = (m: Vec3) => (m.reduce((sum, x) => sum + Math.round(x / 0.1 - 0.5), 0) % 2 === 0 ? 1 : -1);
    displace(body, (m) => [m[0] + 1e-3 * sign(m), m[1], m[2]]);
    const checkerboard = energy(body);
    // A strain of the same size, 1e-3 m over a spacing, in the whole body.
    displace(body, (m) => [m[0] * 1.01, m[1], m[2]]);
    expect(checkerboard).toBeGreaterThan(0.1 * energy(body));
  });

  it('keeps energy and has the same hash on 1 and 2 threads', async () => {
    const hashes: string[] = [];
    for (const threads of [1, 2]) {
      const world = await createWorld({ threads, gravity: [0, 0, 0], solver: QUADRATIC });
      open.push(world);
      world.addBody({
        name: 'cube',
        shape: { box: { size: [0.2, 0.2, 0.2] } },
        position: [0, 0.101, 0],
        velocity: [0, -5, 0],
        spacing: 0.025,
        material: { density: 1000, youngsModulus: 1e6, poissonsRatio: 0.3 },
      });
      world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } } });
      world.step(0.05);
      const before = world.energy().total;
      world.step(0.2);
      // Leapfrog swings about the energy it keeps by some 0.3 % at this step.
      expect(Math.abs(world.energy().total / before - 1)).toBeLessThan(0.01);
      hashes.push(world.stateHash());
    }
    expect(hashes[0]).toBe(hashes[1]);
  });

  it('continues from a save to the same bits', async () => {
    const world = await createWorld({ threads: 1, solver: QUADRATIC });
    open.push(world);
    world.addBody({
      name: 'bar',
      shape: SOME_BOX,
      particles: 216,
      material: { youngsModulus: 1e5 },
      angularVelocity: [0, 2, 0],
    });
    world.step(0.02);
    const copy = await World.load(world.save(), { threads: 1 });
    open.push(copy);
    world.step(0.05);
    copy.step(0.05);
    expect(copy.stateHash()).toBe(world.stateHash());
  });

  it('bends a clamped beam of three particles across as beam theory says', async () => {
    const [thickness, e, nu, gravity] = [0.1, 1e6, 0.3, 0.02];
    const dx = thickness / 3;
    const world = await createWorld({ threads: 1, gravity: [0, -gravity, 0], solver: QUADRATIC });
    open.push(world);
    world.addBody({
      name: 'beam',
      shape: { box: { size: [1, thickness, thickness] } },
      position: [0.5, 0, 0],
      spacing: dx,
      material: { density: 1000, youngsModulus: e, poissonsRatio: nu },
    });
    const clamp = { box: { min: [-1, -1, -1] as Vec3, max: [0.75 * dx, 1, 1] as Vec3 } };
    world.addConstraint({ body: 'beam', region: clamp, fix: ['x', 'y', 'z'] });
    const tip = {
      name: 'tip',
      region: { box: { min: [1 - 0.75 * dx, -1, -1], max: [2, 1, 1] } },
      quantity: 'displacement',
    } as const;
    // Let go from straight it swings about the deflection at rest; the first turning point is twice that.
    let lowest = 0;
    for (let frame = 0; frame < 120; frame++) {
      world.step(0.01);
      lowest = Math.min(lowest, world.probe(tip)[1]!);
    }
    // Held where the clamped particles are, half a spacing in; read half a spacing before the end.
    const free = 1 - dx / 2;
    const q = 1000 * gravity * thickness * thickness;
    const shear = (q * (free ** 2 / 2)) / (((10 * (1 + nu)) / (12 + 11 * nu)) * (e / (2 * (1 + nu))) * thickness ** 2);
    const x = 1 - dx;
    const bending = (q * (x ** 4 - 4 * free * x ** 3 + 6 * free ** 2 * x ** 2)) / (2 * e * thickness ** 4);
    // Higher modes add up to 3 % to the turning point.
    expect(lowest / (-2 * (bending + shear))).toBeGreaterThan(0.97);
    expect(lowest / (-2 * (bending + shear))).toBeLessThan(1.04);
  });
});
