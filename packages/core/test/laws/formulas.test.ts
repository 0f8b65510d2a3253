import { describe, expect, test } from 'vitest';
import type { BodyInput } from '../../src/options/index.js';
import { parseScene, serializeScene } from '../../src/scene/index.js';
import { loadScene } from '../../src/scene/load.js';
import { createWorld, World } from '../../src/world.js';
import { withWorld } from './support.js';

const GRAVITY = [0, 0, 0] as const;
const material = { youngsModulus: 1e5, poissonsRatio: 0, density: 1000 };
/** Along x, of 40 x 4 x 4 particles. */
const BAR: BodyInput = {
  name: 'bar',
  shape: { box: { size: [1, 0.1, 0.1] } },
  position: [0.5, 0, 0],
  spacing: 0.025,
  material,
};
/** From x = 0 on it is held in front of its end, so its length is 1 m. */
const CLAMP = { body: 'bar', region: { box: { min: [-1, -1, -1], max: [0, 1, 1] } } } as const;

describe('fields at the start', () => {
  test.each([
    ['solid', {}],
    ['viscoplastic', { discretisation: 'embedded' }],
    ['liquid', { kind: 'fluid', material: { density: 1000 } }],
  ] as const)('velocities of a %s are those of the formula at its particles', async (_, more) => {
    await withWorld({ gravity: GRAVITY }, (world) => {
      const shape = { box: { size: [0.4, 0.3, 0.2] as const } };
      const velocity = ['-3 * y', '3 * x + 0.1', 'sin(pi * z)'] as const;
      world.addBody({
        shape,
        position: [1, 2, 3],
        rotation: [10, 20, 30],
        spacing: 0.05,
        velocity,
        ...more,
      } as BodyInput);
      const x = world.positions();
      const v = world.velocities();
      for (let i = 0; i < x.length; i += 4) {
        // Viscoplastic bodies have room for more.
        if (x[i + 3] !== 1) continue;
        expect(v[i]).toBeCloseTo(-3 * x[i + 1]!, 4);
        expect(v[i + 1]).toBeCloseTo(3 * x[i]! + 0.1, 4);
        expect(v[i + 2]).toBeCloseTo(Math.sin(Math.PI * x[i + 2]!), 4);
      }
    });
  });

  test('a bar that begins in its first mode swings with it: u = U sin(pi x / 2L) cos(pi c t / 2L)', async () => {
    await withWorld({ gravity: GRAVITY }, (world) => {
      world.addBody({
        ...BAR,
        shape: { box: { size: [1.1, 0.1, 0.1] } },
        position: [0.45, 0, 0],
        displacement: ['0.01 * sin(pi * max(x, 0) / 2)', 0, 0],
      });
      world.addConstraint({ ...CLAMP, fix: true });
      const tip = () =>
        world.probe({
          name: 'tip',
          region: { box: { min: [0.98, -1, -1], max: [2, 1, 1] } },
          quantity: 'displacement',
        })[0]!;
      expect(tip()).toBeCloseTo(0.01 * Math.sin((Math.PI * 0.9875) / 2), 6);
      // c = 10 m/s: a period of 0.4 s. Dispersion of 40 particles in a quarter of a wave is below 0.1 %.
      for (const [time, share] of [
        [0.1, 0],
        [0.2, -1],
        [0.4, 1],
      ] as const) {
        world.stepTo(time);
        expect(tip()).toBeGreaterThan(0.01 * (share - 0.03));
        expect(tip()).toBeLessThan(0.01 * (share + 0.03));
      }
    });
  });

  test('density by a formula: the mass is its integral, and the centre of mass follows', async () => {
    await withWorld({ gravity: GRAVITY }, (world) => {
      const set = { density: '1000 * (1 + x)', youngsModulus: 'x < 0.5 ? 1e5 : 2e5' };
      world.addBody({ ...BAR, regions: [{ region: { all: true }, set }] });
      // Particles in the middle of their cells: exact for what is linear.
      expect(world.mass).toBeCloseTo(0.01 * 1500, 5);
      const [x] = world.probe({ name: 'x', quantity: 'position' });
      expect(x).toBeCloseTo((1 / 2 + 1 / 3) / 1.5, 3);
    });
  });

  test('a bar that is as warm as a cosine cools as that does: exp(-alpha (pi / L)^2 t)', async () => {
    // alpha = 0.01 m2/s.
    const thermal = { ...material, thermalConductivity: 1e4, heatCapacity: 1000 };
    await withWorld({ gravity: GRAVITY }, (world) => {
      world.addBody({ ...BAR, kind: 'rigid', temperature: '20 + 10 * cos(pi * x)', material: thermal });
      const above = () => world.temperatures()[0]! - 20;
      const start = above();
      expect(start).toBeCloseTo(10 * Math.cos(Math.PI * 0.0125), 3);
      world.step(5);
      expect(above() / start).toBeCloseTo(Math.exp(-0.01 * Math.PI * Math.PI * 5), 2);
    });
  });
});

describe('a body force', () => {
  const PHASES: Record<string, Partial<BodyInput>> = {
    solid: {},
    rigid: { kind: 'rigid' },
    liquid: { kind: 'fluid', material: { density: 1000, viscosity: 0.1 } },
    viscoplastic: { discretisation: 'embedded' },
  };
  const ball = { name: 'ball', shape: { sphere: { radius: 0.1 } }, spacing: 0.04, material } as const;

  // What flows is pushed at the beginning of its steps: half a step times 2 m/s is 0.0005 m.
  test.each(Object.entries(PHASES))('-k x lets a ball swing at sqrt(k): %s', async (_, more) => {
    const solver = { maxTimeStep: 5e-4 };
    const acceleration = { field: ['-100 * x', '-100 * y', '-100 * z'] } as const;
    await withWorld({ gravity: GRAVITY, acceleration, solver }, (world) => {
      world.addBody({ ...ball, position: [0.2, 0, 0], ...more } as BodyInput);
      const middle = () => world.probe({ name: 'x', quantity: 'position' })[0]!;
      const swing = (2 * Math.PI) / 10;
      const tolerance = 0.001;
      world.stepTo(swing / 4);
      expect(Math.abs(middle())).toBeLessThan(tolerance);
      world.stepTo(swing / 2);
      expect(Math.abs(middle() + 0.2)).toBeLessThan(tolerance);
      world.stepTo(swing);
      expect(Math.abs(middle() - 0.2)).toBeLessThan(2 * tolerance);
    });
  });

  test('that depends on the time is its integral', async () => {
    await withWorld({ gravity: GRAVITY, acceleration: { field: [0, 'exp(-t)', '3 * t'] } }, (world) => {
      world.addBody({ ...ball, kind: 'rigid' });
      world.stepTo(1);
      const [, y, z] = world.probe({ name: 'v', quantity: 'velocity' });
      expect(y).toBeCloseTo(1 - Math.exp(-1), 3);
      expect(z).toBeCloseTo(1.5, 2);
    });
  });

  test('that is not finite ends the run with place and time', async () => {
    await withWorld({ gravity: GRAVITY, acceleration: { field: ['1 / (t < 0.1)', 0, 0] } }, (world) => {
      world.addBody({ ...ball, kind: 'rigid' });
      expect(() => world.stepTo(0.5)).toThrow(
        /a formula must be finite everywhere: "1 \/ \(t < 0.1\)" is Infinity at \(.*\) m and 0.1.* s/,
      );
    });
  });
});

describe('prescribed displacements', () => {
  const STRETCH = { x: 0, y: 0, z: '1e-3 * z' };
  /** A block between two ends that are pulled apart. */
  async function stretched(discretisation: 'linear' | 'quadratic', held: (offset: number) => object) {
    const world = await createWorld({ threads: 1, gravity: GRAVITY, solver: { solid: { tolerance: 3e-6 } } });
    const shape = { box: { size: [0.6, 0.6, 0.6] as const } };
    world.addBody({ name: 'block', shape, rotation: [0, 90, 0], spacing: 0.1, material, discretisation });
    const from = world.positions();
    const [low, high] = [
      { min: [-1, -1, -1], max: [1, 1, -0.2] } as const,
      { min: [-1, -1, 0.2], max: [1, 1, 1] } as const,
    ];
    world.addConstraint({ body: 'block', region: { box: low }, ...held(-2e-4) });
    world.addConstraint({ body: 'block', region: { box: high }, ...held(2e-4) });
    world.solveStatic();
    const to = world.positions();
    await world.dispose();
    return { from, to };
  }

  // With no Poisson's ratio the stretch is the same everywhere. What is held mirrors the free side about the faces of the
  // regions, so this needs the gradient of the field too.
  test('a linear one at two ends is linear between', async () => {
    const { from, to } = await stretched('linear', () => ({ displacement: STRETCH }));
    for (let i = 0; i < from.length; i += 4) {
      // Float32 positions of 0.3 m.
      for (const a of [0, 1]) expect(Math.abs(to[i + a]! - from[i + a]!)).toBeLessThan(6e-8);
      expect(Math.abs(to[i + 2]! - 1.001 * from[i + 2]!)).toBeLessThan(6e-8);
    }
  });

  test('do to what is free what the same motion by keyframes does, quadratic fits too', async () => {
    const byField = await stretched('quadratic', () => ({ displacement: STRETCH }));
    const byKeys = await stretched('quadratic', (offset) => ({
      move: [{ time: 0 }, { time: 1, position: [0, 0, offset] }],
    }));
    for (let i = 0; i < byField.to.length; i += 4) {
      if (Math.abs(byField.from[i + 2]!) > 0.2) continue;
      for (let a = 0; a < 3; a++) expect(Math.abs(byField.to[i + a]! - byKeys.to[i + a]!)).toBeLessThan(6e-8);
    }
  });

  test('the end of a bar follows a formula of the time, and what it does not name stays free', async () => {
    await withWorld({ gravity: GRAVITY }, (world) => {
      world.addBody(BAR);
      world.addConstraint({
        body: 'bar',
        region: { box: { min: [-1, -1, -1], max: [0.02, 1, 1] } },
        displacement: { x: '0.05 * (1 - cos(10 * t)) * (1 + y)' },
      });
      const start = world.positions();
      world.stepTo(0.25);
      const end = world.positions();
      for (let i = 0; i < start.length; i += 4) {
        if (start[i]! > 0.02) continue;
        expect(end[i]! - start[i]!).toBeCloseTo(0.05 * (1 - Math.cos(2.5)) * (1 + start[i + 1]!), 6);
      }
    });
  });

  test.each([
    [{ kind: 'fluid' }, /is for solids/],
    [{ kind: 'rigid' }, /cannot hold a region of a rigid body/],
  ] as const)('are refused on %o', async (more, message) => {
    await withWorld({}, (world) => {
      world.addBody({ ...BAR, material: { density: 1000, youngsModulus: 1e6 }, ...more } as BodyInput);
      expect(() => world.addConstraint({ body: 'bar', displacement: { x: 't' } })).toThrow(message);
    });
  });
});

test('an obstacle moves by formulas as by keyframes', async () => {
  const run = async (motion: object) => {
    const world = await createWorld({ threads: 1, gravity: GRAVITY });
    world.addBody({
      name: 'ball',
      shape: { sphere: { radius: 0.1 } },
      spacing: 0.04,
      position: [0, 0.15, 0],
      material,
    });
    world.addObstacle({ shape: { box: { size: [1, 0.1, 1] } }, friction: 0, ...motion });
    world.stepTo(0.2);
    const at = world.probe({ name: 'x', quantity: 'position' });
    await world.dispose();
    return at;
  };
  const byKeys = await run({ keyframes: [{ time: 0 }, { time: 1, position: [0, 0.5, 0], rotation: [0, 90, 0] }] });
  const byFormula = await run({ motion: { position: [0, '0.5 * t', 0], rotation: [0, '90 * t', 0] } });
  expect(byKeys[1]).toBeGreaterThan(0.2);
  for (let a = 0; a < 3; a++) expect(byFormula[a]).toBeCloseTo(byKeys[a]!, 5);
});

const SCENE = `phyxel: 1
name: formulas
gravity: [0, 0, 0]
duration: 0.1
acceleration: { field: ["-50 * x", 0, "sin(20 * t) * exp(-y)"] }
bodies:
  - name: block
    shape: { box: { size: [0.2, 0.2, 0.2] } }
    spacing: 0.05
    velocity: ["tanh(y)", 0, "log(2 + x)"]
    displacement: ["0.05 * x", 0, 0]
    temperature: "20 + 5 * x"
    regions: [{ region: { all: true }, set: { density: "1000 * 2^x", thermalConductivity: 1 } }]
constraints:
  - { body: block, region: { box: { min: [-1, -1, -1], max: [-0.04, 1, 1] } }, displacement: { x: "0.01 * sin(30*t) + 0.05 * x", z: "0.1 * t * y" } }
obstacles:
  - { shape: { sphere: { radius: 0.1 } }, position: [0.3, 0, 0], motion: { position: ["-0.5 * t", 0, 0] } }
`;

describe('in scenes', () => {
  test('they are the same for all threads, after a save, and in the text that is written', async () => {
    const hashes: string[] = [];
    for (const threads of [1, 2]) {
      const { scene } = parseScene(SCENE, 'formulas.yaml');
      expect(parseScene(serializeScene(scene), 'again.json').scene).toEqual(scene);
      const world = await loadScene(scene, { threads });
      world.stepTo(0.05);
      const saved = await World.load(world.save(), { threads: 1 });
      for (const each of [world, saved]) {
        each.stepTo(0.1);
        hashes.push(each.stateHash());
        await each.dispose();
      }
    }
    expect(new Set(hashes).size).toBe(1);
  });

  test.each([
    [
      'velocity: ["tanh(y)"',
      'velocity: ["tanh(y"',
      /formulas.yaml:10:23: bodies\[0\].velocity\[0\] "tanh\(y": the end stands where "\)" of tanh at column 1 is missing, at column 7/,
    ],
    ['"log(2 + x)"', '"log(2 + t)"', /velocity\[2\] "log\(2 \+ t\)" must be a formula of x, y, z only/],
    ['"log(2 + x)"', 'true', /velocity\[2\] must be a number or a formula of x, y, z, got true/],
    ['"log(2 + x)"', '"log(x - 1)"', /bodies.0..velocity must be finite everywhere, "log\(x - 1\)" is NaN at \(.*\) m/],
    ['"1000 * 2^x"', '"x"', /set.density must be a finite number > 0 kg\/m3 everywhere, "x" is -0.075 at \(-0.075, /],
    ['"20 + 5 * x"', '"-1e4 * x - 300"', /temperature must be a finite number from -273.15 to/],
    ['"-0.5 * t"', '"x"', /must be a formula of t only/],
    ['{ position: ["-0.5 * t", 0, 0] }', '{ position: ["-0.5 * t", 0] }', /must be three numbers or formulas of t/],
    [
      'displacement: { x: "0.01 * sin(30*t) + 0.05 * x", z: "0.1 * t * y" }',
      'displacement: {}',
      /must name at least one of x, y, z/,
    ],
  ])('%s as %s is refused', async (from, to, message) => {
    expect(SCENE).toContain(from);
    await expect(async () => {
      const { scene } = parseScene(SCENE.replace(from, to), 'formulas.yaml');
      await (await loadScene(scene, { threads: 1 })).dispose();
    }).rejects.toThrow(message);
  });
});
