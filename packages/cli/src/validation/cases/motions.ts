/** Motions, flows and temperatures with a closed form: one short run each. */
import { loadScene, resolveScene, type SceneInput, type World } from 'phyxel';
import { single, study, type ValidationCase } from '../case.js';

const G = 9.81;
const STONE = { density: 1000, youngsModulus: 1e7 };

/** Runs a scene in frames, and looks after each. */
async function run<T>(
  scene: Omit<SceneInput, 'phyxel'>,
  seconds: number,
  frames: number,
  look: (world: World) => T,
): Promise<T[]> {
  const world = await loadScene(resolveScene({ phyxel: 1, ...scene }));
  try {
    const seen = [look(world)];
    for (let k = 1; k <= frames; k++) {
      world.stepTo((k * seconds) / frames);
      seen.push(look(world));
    }
    return seen;
  } finally {
    await world.dispose();
  }
}

const read = (world: World, quantity: 'position' | 'velocity' | 'angularVelocity', body: string) =>
  world.probe({ name: 'p', body, quantity });

const simple = (
  name: string,
  quantity: string,
  source: string,
  reference: number,
  tolerance: number,
  across: number,
  measure: () => Promise<number>,
): ValidationCase => ({
  name,
  quantity,
  source,
  run: () => single(reference, tolerance, across, measure),
});

/** Times at which a list of numbers, equal steps apart, changes its sign. */
function crossings(values: readonly number[], step: number): number[] {
  return values.flatMap((now, k) => {
    const before = values[k - 1];
    if (before === undefined || before > 0 === now > 0) return [];
    return [step * (k - now / (now - before))];
  });
}

const SWING = { length: 0.5, thickness: 0.05 };

/** K(sin(phi / 2)) 2 / pi by the mean of Gauss: what a swing of an amplitude takes longer than a small one. */
function slower(amplitude: number): number {
  let [a, b] = [1, Math.cos(amplitude / 2)];
  for (let k = 0; k < 20; k++) [a, b] = [(a + b) / 2, Math.sqrt(a * b)];
  return 1 / a;
}

/** A bar let go level, on a hinge at its end. */
async function largeSwing(): Promise<number> {
  const { length, thickness } = SWING;
  const heights = await run(
    {
      bodies: [
        {
          name: 'bar',
          kind: 'rigid',
          shape: { box: { size: [length, thickness, thickness] } },
          position: [length / 2, 0, 0],
          spacing: thickness / 2,
          material: STONE,
          joint: { hinge: { point: [0, 0, 0], axis: [0, 0, 1] } },
        },
      ],
    },
    3,
    600,
    (world) => read(world, 'position', 'bar')[0]!,
  );
  const [first, second, third] = crossings(heights, 3 / 600);
  if (third === undefined || second === undefined) throw new Error('it has not swung');
  return third - first!;
}

const floor = { name: 'floor', shape: { plane: {} } } as const;

/** How far a box slides that begins at 2 m/s with friction 0.4 [m]. */
async function slide(): Promise<number> {
  const seen = await run(
    {
      bodies: [
        {
          name: 'box',
          kind: 'rigid',
          shape: { box: { size: [0.2, 0.1, 0.2] } },
          position: [0, 0.05, 0],
          velocity: [2, 0, 0],
          spacing: 0.05,
          material: { ...STONE, friction: 0.4 },
        },
      ],
      obstacles: [{ ...floor, friction: 0.4 }],
    },
    1,
    20,
    (world) => read(world, 'position', 'box')[0]!,
  );
  return seen.at(-1)! - seen[0]!;
}

/** Share of its speed that a ball which is pushed without spin has when it rolls. */
async function slipToRoll(): Promise<number> {
  const seen = await run(
    {
      bodies: [
        {
          name: 'ball',
          kind: 'rigid',
          shape: { sphere: { radius: 0.1 } },
          position: [0, 0.1, 0],
          velocity: [2, 0, 0],
          spacing: 0.025,
          material: { ...STONE, friction: 0.3 },
        },
      ],
      obstacles: [{ ...floor, friction: 0.3 }],
      solver: { rigid: 'rapier' },
    },
    1,
    20,
    (world) => read(world, 'velocity', 'ball')[0]!,
  );
  return seen.at(-1)! / 2;
}

/** Height to which a ball rises after a fall of 1 m, with restitution 0.7 [m]. */
async function bounce(): Promise<number> {
  const seen = await run(
    {
      bodies: [
        {
          name: 'ball',
          kind: 'rigid',
          shape: { sphere: { radius: 0.1 } },
          position: [0, 1.1, 0],
          spacing: 0.025,
          material: { ...STONE, restitution: 0.7 },
        },
      ],
      obstacles: [floor],
      solver: { rigid: 'rapier', maxTimeStep: 1e-3 },
    },
    1.2,
    240,
    (world) => read(world, 'position', 'ball')[1]! - 0.1,
  );
  const landed = seen.findIndex((y, k) => k > 0 && seen[k + 1]! > y);
  return Math.max(...seen.slice(landed));
}

/** Speed of two equal balls after one has met the other at rest, centre on centre, restitution 0.5: that which was hit. */
async function collision(): Promise<number> {
  const ball = (name: string, x: number, vx: number) =>
    ({
      name,
      kind: 'rigid',
      shape: { sphere: { radius: 0.1 } },
      position: [x, 0, 0],
      velocity: [vx, 0, 0],
      spacing: 0.025,
      material: { ...STONE, restitution: 0.5, friction: 0 },
    }) as const;
  const seen = await run(
    {
      gravity: [0, 0, 0],
      bodies: [ball('a', -0.3, 1), ball('b', 0, 0)],
      solver: { rigid: 'rapier', maxTimeStep: 1e-3 },
    },
    0.5,
    10,
    (world) => read(world, 'velocity', 'b')[0]!,
  );
  return seen.at(-1)!;
}

const AIR = { radius: 0.1, density: 20, drag: 0.5, air: 1.2, seconds: 4 };
const TERMINAL = Math.sqrt((2 * AIR.density * (4 / 3) * AIR.radius * G) / (AIR.air * AIR.drag));

/** Speed of a light ball that falls through air [m/s]. */
async function fallInAir(): Promise<number> {
  const seen = await run(
    {
      wind: { velocity: [0, 0, 0], density: AIR.air, drag: AIR.drag },
      bodies: [
        {
          name: 'ball',
          kind: 'rigid',
          shape: { sphere: { radius: AIR.radius } },
          position: [0, 0, 0],
          spacing: 0.02,
          material: { density: AIR.density, youngsModulus: 1e6 },
        },
      ],
    },
    AIR.seconds,
    4,
    (world) => -read(world, 'velocity', 'ball')[1]!,
  );
  return seen.at(-1)!;
}

const SHAFT = { length: 1, radius: 0.05, modulus: 1e6, density: 1000, nu: 0.3 };

/** Period of a shaft that is held at one end and twists in its first mode [s]. */
async function twisting(across: number): Promise<number> {
  const { length, radius, modulus, density, nu } = SHAFT;
  const spacing = (2 * radius) / across;
  const held = 4 * spacing;
  const period = 4 * length * Math.sqrt((2 * (1 + nu) * density) / modulus);
  const rate = `(y > 0 ? 0.5 * sin(pi * y / ${2 * length}) : 0)`;
  const frames = 120;
  const seen = await run(
    {
      gravity: [0, 0, 0],
      bodies: [
        {
          name: 'shaft',
          shape: { cylinder: { radius, length: length + held } },
          position: [0, (length - held) / 2, 0],
          spacing,
          velocity: [`${rate} * z`, 0, `-${rate} * x`],
          material: { density, youngsModulus: modulus, poissonsRatio: nu },
        },
      ],
      constraints: [{ body: 'shaft', region: { box: { min: [-1, -1, -1], max: [1, 0, 1] } }, fix: true }],
      solver: { solid: { discretisation: 'quadratic' } },
    },
    period,
    frames,
    (world) =>
      world.probe({
        name: 'w',
        body: 'shaft',
        region: { box: { min: [-1, 0.9 * length, -1], max: [1, 2, 1] } },
        quantity: 'angularVelocity',
      })[1]!,
  );
  const [first, second] = crossings(seen, period / frames);
  if (second === undefined) throw new Error('it has not swung');
  return (2 * (second - first!)) / period;
}

const LAYER = { depth: 1, viscosity: 20, density: 1000 };

/** Amplitude of a shear wave in a liquid without walls when it should have fallen to half, over that. */
async function shearWave(across: number): Promise<number> {
  const { depth, viscosity, density } = LAYER;
  const spacing = depth / across;
  const k = (2 * Math.PI) / depth;
  const seconds = Math.log(2) / ((viscosity / density) * k * k);
  const side = 8 * spacing;
  const seen = await run(
    {
      gravity: [0, 0, 0],
      bodies: [
        {
          name: 'water',
          kind: 'fluid',
          shape: { box: { size: [side, depth, side] } },
          spacing,
          velocity: [`0.05 * sin(${k} * y)`, 0, 0],
          material: { density, viscosity },
        },
      ],
      solver: { fluid: { period: [side, depth, side], eddyViscosity: 0 } },
    },
    seconds,
    1,
    (world) => {
      const [x, v] = [world.positions(), world.velocities()];
      let sum = 0;
      for (let i = 0; i < x.length; i += 4) sum += v[i]! * Math.sin(k * x[i + 1]!);
      return sum;
    },
  );
  return (2 * seen[1]!) / seen[0]!;
}

const BALL = { radius: 0.1, transfer: 10, capacity: 1000, hot: 100, seconds: 4000 };

/** How much hotter than the air a small ball is that loses heat to it, over what it was at first. */
async function cooling(): Promise<number> {
  const { radius, transfer, capacity, hot, seconds } = BALL;
  const seen = await run(
    {
      gravity: [0, 0, 0],
      temperature: 0,
      heatTransfer: transfer,
      bodies: [
        {
          name: 'ball',
          kind: 'rigid',
          shape: { sphere: { radius } },
          spacing: 0.02,
          temperature: hot,
          material: { ...STONE, heatCapacity: capacity, thermalConductivity: 500 },
        },
      ],
    },
    seconds,
    4,
    (world) => world.probe({ name: 'T', body: 'ball', quantity: 'temperature' })[0]!,
  );
  return seen.at(-1)! / hot;
}

/** Temperature gradient in a bar with a source of heat at one end and a held temperature at the other [K/m]. */
async function heated(): Promise<number> {
  const body = 'bar';
  const seen = await run(
    {
      gravity: [0, 0, 0],
      bodies: [
        {
          name: body,
          kind: 'rigid',
          shape: { box: { size: [1, 0.1, 0.1] } },
          spacing: 0.02,
          temperature: 0,
          material: { ...STONE, heatCapacity: 10, thermalConductivity: 50 },
        },
      ],
      heat: [
        { body, region: { box: { min: [-1, -1, -1], max: [-0.48, 1, 1] } }, temperature: 0 },
        { body, region: { box: { min: [0.48, -1, -1], max: [1, 1, 1] } }, power: 25 },
      ],
    },
    4000,
    4,
    (world) => {
      const mean = (x: number) =>
        world.probe({
          name: 'T',
          body,
          region: { box: { min: [x - 0.05, -1, -1], max: [x + 0.05, 1, 1] } },
          quantity: 'temperature',
        })[0]!;
      return (mean(0.3) - mean(-0.3)) / 0.6;
    },
  );
  return seen.at(-1)!;
}

const TANK = { width: 0.4, depth: 0.4 };

/** Force of water at rest on an upright wall, over rho g h^2 b / 2. */
async function wallForce(layers: number): Promise<number> {
  const { width, depth } = TANK;
  const spacing = depth / layers;
  const side = 8 * spacing;
  const plane = (name: string, normal: readonly [number, number, number], offset: number) => ({
    name,
    shape: { plane: { normal, offset } },
    slip: 1,
  });
  const world = await loadScene(
    resolveScene({
      phyxel: 1,
      bodies: [
        {
          name: 'water',
          kind: 'fluid',
          shape: { box: { size: [width, depth, side] } },
          position: [0, depth / 2, 0],
          spacing,
          material: { viscosity: 1 },
        },
      ],
      obstacles: [
        plane('floor', [0, 1, 0], 0),
        plane('left', [1, 0, 0], -width / 2),
        plane('right', [-1, 0, 0], -width / 2),
      ],
      solver: { fluid: { period: [0, 0, side] } },
      probes: [{ name: 'f', quantity: 'contactForce', obstacle: 'right' }],
    }),
  );
  try {
    world.watchForces();
    world.stepTo(3);
    // The mean over a second.
    world.stepTo(4);
    const force = world.probe({ name: 'f', quantity: 'contactForce', obstacle: 'right' })[0]!;
    return Math.abs(force) / ((1000 * G * depth ** 2 * side) / 2);
  } finally {
    await world.dispose();
  }
}

const period =
  2 *
  Math.PI *
  Math.sqrt(((SWING.length ** 2 + SWING.thickness ** 2) / 12 + SWING.length ** 2 / 4) / ((G * SWING.length) / 2)) *
  slower(Math.PI / 2);

export const motionCases: readonly ValidationCase[] = [
  simple(
    'pendulum-level',
    'period of a bar on a hinge that is let go level [s]',
    'physical pendulum of large amplitude: complete elliptic integral, by the mean of Gauss',
    period,
    2e-3,
    2,
    largeSwing,
  ),
  simple(
    'sliding-box',
    'way of a box that slides to rest [m]',
    'Coulomb: v^2 / (2 mu g)',
    4 / (2 * 0.4 * G),
    0.02,
    4,
    slide,
  ),
  simple(
    'slip-to-roll',
    'share of the speed of a ball pushed without spin when it rolls, solver.rigid rapier [1]',
    'angular momentum about the floor: 5/7',
    5 / 7,
    0.01,
    8,
    slipToRoll,
  ),
  simple(
    'bounce',
    'height of a ball after a fall of 1 m, restitution 0.7, solver.rigid rapier [m]',
    'Newton: e^2',
    0.49,
    0.02,
    8,
    bounce,
  ),
  simple(
    'collision',
    'speed of a ball that another one of 1 m/s has hit, restitution 0.5, solver.rigid rapier [m/s]',
    'Newton: (1 + e) / 2',
    0.75,
    0.01,
    8,
    collision,
  ),
  simple(
    'fall-in-air',
    'speed of a light ball after 4 s of fall through air [m/s]',
    'v tanh(g t / v), v^2 = 2 m g / (rho c A)',
    TERMINAL * Math.tanh((G * AIR.seconds) / TERMINAL),
    0.05,
    10,
    fallInAir,
  ),
  {
    name: 'twisting-shaft',
    quantity: 'period of a round shaft that twists in its first mode, over the exact one [1]',
    source: 'Coulomb: 4 L sqrt(rho / G)',
    run: (full) =>
      study({ reference: 1, resolutions: [{ across: 4 }, { across: 6, tolerance: 0.03 }], measure: twisting }, full),
  },
  {
    // Nothing is promised: particles that have hardly slid are less viscous.
    name: 'shear-wave',
    quantity: 'amplitude of a shear wave in a viscous liquid when it should be half, over that [1]',
    source: 'Navier-Stokes: exp(-nu k^2 t)',
    run: (full) => study({ reference: 1, resolutions: [{ across: 12 }, { across: 24 }], measure: shearWave }, full),
  },
  {
    name: 'wall-force',
    quantity: 'force of water at rest on an upright wall, over the exact one [1]',
    source: 'Stevin: rho g h^2 b / 2',
    run: (full) =>
      study({ reference: 1, resolutions: [{ across: 10 }, { across: 20, tolerance: 0.03 }], measure: wallForce }, full),
  },
  simple(
    'cooling-ball',
    'share of its excess temperature that a small ball has after 4000 s in air [1]',
    "Newton's law of cooling: exp(-3 h t / (R rho c))",
    Math.exp((-3 * BALL.transfer * BALL.seconds) / (BALL.radius * 1000 * BALL.capacity)),
    0.03,
    10,
    cooling,
  ),
  simple(
    'heated-bar',
    'temperature gradient in a bar heated with 25 W at one end [K/m]',
    'Fourier: P / (k A)',
    25 / (50 * 0.01),
    0.01,
    5,
    heated,
  ),
];
