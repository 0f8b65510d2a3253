/** Equilibria whose stresses are known in closed form: hollow balls and tubes, a turning disc, bars, simple shear. */
import { loadScene, principalValues, resolveScene, type SceneInput, type World } from 'phyxel';
import { type Reading, study, type ValidationCase } from '../case.js';

const E = 1e6;
const NU = 0.3;
const DENSITY = 1000;
const MATERIAL = { density: DENSITY, youngsModulus: E, poissonsRatio: NU };
const STATIC = {
  phyxel: 1,
  static: true,
  gravity: [0, 0, 0],
  solver: { solid: { discretisation: 'quadratic' } },
} as const;

/** Solves a scene, and looks at rest and in equilibrium. */
async function solve<T>(scene: SceneInput, look: (world: World, rest: Float32Array) => T): Promise<T> {
  const world = await loadScene(resolveScene(scene));
  try {
    const rest = world.positions().slice();
    world.solveStatic();
    return look(world, rest);
  } finally {
    await world.dispose();
  }
}

/** What keeps a body in its place: particles beside the planes through the middle stay in them. */
const symmetric = (body: string, spacing: number, axes: readonly (0 | 1 | 2)[]) =>
  axes.map((axis) => {
    const [min, max] = [
      [-10, -10, -10],
      [10, 10, 10],
    ] as [[number, number, number], [number, number, number]];
    min[axis] = -0.6 * spacing;
    max[axis] = 0.6 * spacing;
    return { body, region: { box: { min, max } }, fix: [(['x', 'y', 'z'] as const)[axis]] };
  });

/** Means of two numbers over the particles of a ring or shell: ours and those of theory. */
function means(
  rest: Float32Array,
  radiusOf: (x: number, y: number, z: number) => number,
  [low, high]: readonly [number, number],
  pair: (i: number, radius: number) => readonly [number, number],
): number {
  let [ours, theirs] = [0, 0];
  for (let i = 0; 4 * i < rest.length; i++) {
    const radius = radiusOf(rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!);
    if (radius < low || radius > high) continue;
    const [a, b] = pair(i, radius);
    ours += a;
    theirs += b;
  }
  return ours / theirs;
}

const at = (values: ArrayLike<number>, i: number, stride = 6) =>
  Array.from({ length: stride }, (_, c) => values[stride * i + c]!);

const SHELL = { inner: 0.5, outer: 1, pressure: 1e3 };
/** Rings that are read: away from the staircase of the surfaces. */
const BAND = [0.6, 0.9] as const;

type ShellReading = 'widening' | 'hoop';

/** A hollow ball or tube under pressure inside, `across` particles through its wall; over what Lame has. */
async function shell(kind: 'ball' | 'tube', what: ShellReading, across: number): Promise<number> {
  const { inner: a, outer: b, pressure } = SHELL;
  const spacing = (b - a) / across;
  const thickness = 3 * spacing;
  const solid = (radius: number) =>
    kind === 'ball' ? { shape: { sphere: { radius } } } : { shape: { cylinder: { radius, length: thickness } } };
  const radiusOf = (x: number, y: number, z: number) => (kind === 'ball' ? Math.hypot(x, y, z) : Math.hypot(x, z));
  const radius = kind === 'ball' ? 'sqrt(x*x + y*y + z*z)' : 'sqrt(x*x + z*z)';
  const scene: SceneInput = {
    ...STATIC,
    bodies: [{ name: 'shell', shape: { difference: [solid(b), solid(a)] }, spacing, material: MATERIAL }],
    constraints: [
      ...symmetric('shell', spacing, kind === 'ball' ? [0, 1, 2] : [0, 2]),
      // A slice of a long tube.
      ...(kind === 'tube' ? [{ body: 'shell', fix: ['y'] as const }] : []),
    ],
    loads: [
      {
        body: 'shell',
        region: { all: true },
        pressure: `${radius} < ${(a + b) / 2} && ${radius} < ${a} + 0.05 ? ${pressure} : 0`,
        following: false,
      },
    ],
  };
  return solve(scene, (world, rest) => {
    const [x, stresses] = [world.positions(), world.stressTensors()];
    return means(rest, radiusOf, BAND, (i, r) => {
      const [k, n] = kind === 'ball' ? [a ** 3 / (b ** 3 - a ** 3), 3] : [a ** 2 / (b ** 2 - a ** 2), 2];
      if (what === 'widening') {
        const moved =
          radiusOf(x[4 * i]!, x[4 * i + 1]!, x[4 * i + 2]!) -
          radiusOf(rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!);
        const exact =
          n === 3
            ? (pressure * k * ((1 - 2 * NU) * r + ((1 + NU) * b ** 3) / (2 * r * r))) / E
            : (pressure * k * (1 + NU) * ((1 - 2 * NU) * r + (b * b) / r)) / E;
        return [moved, exact];
      }
      // In the tube the largest principal stress, in the ball both of those across the radius.
      const [first, second] = principalValues(at(stresses, i));
      return n === 3
        ? [(first + second) / 2, pressure * k * (1 + b ** 3 / (2 * r ** 3))]
        : [first, pressure * k * (1 + (b * b) / (r * r))];
    });
  });
}

const shellCase = (kind: 'ball' | 'tube', what: ShellReading, source: string): ValidationCase => ({
  name: `hollow-${kind}-${what}`,
  quantity: `${what === 'hoop' ? 'hoop stress in' : 'widening of'} a hollow ${kind} under pressure inside, over the exact one, from 0.6 to 0.9 of its radius [1]`,
  source,
  run: (full) =>
    study(
      {
        reference: 1,
        resolutions: [{ across: 4 }, { across: 6 }, { across: 8, tolerance: 0.05 }],
        measure: (across) => shell(kind, what, across),
      },
      full,
    ),
});

const DISC = { radius: 0.5, spin: 4 };

/** Mean of the stresses in the plane of an elastic disc that turns freely, when it has settled, over the exact one. */
async function disc(across: number): Promise<number> {
  const { radius, spin } = DISC;
  const spacing = radius / across;
  const body = {
    name: 'disc',
    shape: { cylinder: { radius, length: 3 * spacing } },
    spacing,
    angularVelocity: [0, spin, 0],
    material: { ...MATERIAL, damping: 0.2 },
  } as const;
  const world = await loadScene(resolveScene({ phyxel: 1, gravity: [0, 0, 0], bodies: [body] }));
  try {
    const rest = world.positions().slice();
    world.stepTo(1);
    const turns = world.probe({ name: 'w', body: 'disc', quantity: 'angularVelocity' })[1]!;
    const stresses = world.stressTensors();
    return means(
      rest,
      (x, _, z) => Math.hypot(x, z),
      [0, 0.5 * radius],
      (i, r) => {
        const [xx, , zz] = at(stresses, i);
        const radial = (3 + NU) * (radius ** 2 - r ** 2);
        const hoop = (3 + NU) * radius ** 2 - (1 + 3 * NU) * r ** 2;
        return [(xx! + zz!) / 2, (DENSITY * turns * turns * (radial + hoop)) / 16];
      },
    );
  } finally {
    await world.dispose();
  }
}

const BAR = { length: 1, across: 4 };

/** A bar that hangs from its upper end: how far the lower one sinks, and the stress in the middle, over the exact ones. */
async function hanging(what: 'end' | 'stress'): Promise<number> {
  const spacing = 0.2 / BAR.across;
  const held = 4 * spacing;
  const weak = { ...MATERIAL, youngsModulus: 1e7, poissonsRatio: 0 };
  const scene: SceneInput = {
    ...STATIC,
    gravity: [0, -9.81, 0],
    bodies: [
      {
        name: 'bar',
        shape: { box: { size: [0.2, BAR.length + held, 0.2] } },
        position: [0, (held - BAR.length) / 2, 0],
        spacing,
        material: weak,
      },
    ],
    constraints: [{ body: 'bar', region: { box: { min: [-1, 0, -1], max: [1, 1, 1] } }, fix: true }],
  };
  const weight = DENSITY * 9.81;
  return solve(scene, (world, rest) => {
    const [x, stresses] = [world.positions(), world.stressTensors()];
    let [ours, theirs] = [0, 0];
    for (let i = 0; 4 * i < rest.length; i++) {
      const s = -rest[4 * i + 1]!;
      if (what === 'end' ? s < BAR.length - spacing : s < 0.4 || s > 0.6) continue;
      ours += what === 'end' ? rest[4 * i + 1]! - x[4 * i + 1]! : stresses[6 * i + 1]!;
      theirs += what === 'end' ? (weight / 1e7) * (BAR.length * s - s ** 2 / 2) : weight * (BAR.length - s);
    }
    return ours / theirs;
  });
}

/** Two bars in a row, one four times as stiff, under a force: how far the end moves over the sum of both. */
async function series(): Promise<number> {
  const [spacing, area, force] = [0.05, 0.04, 40];
  const held = 0.2;
  const scene: SceneInput = {
    ...STATIC,
    bodies: [
      {
        name: 'bar',
        shape: { box: { size: [1 + held, 0.2, 0.2] } },
        position: [(1 - held) / 2, 0, 0],
        spacing,
        material: { ...MATERIAL, poissonsRatio: 0 },
        regions: [{ region: { box: { min: [0.5, -1, -1], max: [2, 1, 1] } }, set: { youngsModulus: 4 * E } }],
      },
    ],
    constraints: [{ body: 'bar', region: { box: { min: [-1, -1, -1], max: [0, 1, 1] } }, fix: true }],
    loads: [
      { body: 'bar', region: { box: { min: [0.9999, -1, -1], max: [2, 1, 1] } }, traction: [force / area, 0, 0] },
    ],
  };
  return solve(scene, (world, rest) => {
    const x = world.positions();
    let [ours, theirs] = [0, 0];
    for (let i = 0; 4 * i < rest.length; i++) {
      const s = rest[4 * i]!;
      if (s < 0.9) continue;
      ours += x[4 * i]! - s;
      theirs += (force / area / E) * (0.5 + (s - 0.5) / 4);
    }
    return ours / theirs;
  });
}

/** Difference of normal stresses over the shear stress of a block that begins sheared, over the shear. */
async function poynting(model: 'neoHookean' | 'stVenantKirchhoff'): Promise<Reading> {
  const shear = 0.3;
  const world = await loadScene(
    resolveScene({
      phyxel: 1,
      gravity: [0, 0, 0],
      bodies: [
        {
          name: 'block',
          shape: { box: { size: [1, 1, 1] } },
          spacing: 0.125,
          displacement: [`${shear} * y`, 0, 0],
          material: { ...MATERIAL, model },
        },
      ],
    }),
  );
  try {
    const [xx, yy, , xy] = world.probe({
      name: 's',
      body: 'block',
      region: { sphere: { center: [0, 0, 0], radius: 0.25 } },
      quantity: 'stressTensor',
    });
    return { value: (xx! - yy!) / xy! / shear, note: `shear stress ${(xy! / E).toFixed(4)} E` };
  } finally {
    await world.dispose();
  }
}

const one = (
  name: string,
  quantity: string,
  source: string,
  tolerance: number,
  across: number,
  measure: () => Promise<number | Reading>,
): ValidationCase => ({
  name,
  quantity,
  source,
  run: (full) => study({ reference: 1, resolutions: [{ across, tolerance }], measure }, full),
});

const UNIVERSAL =
  'Rivlin 1948: in every isotropic material the difference of normal stresses is the shear times the shear stress';

export const stressCases: readonly ValidationCase[] = [
  shellCase('ball', 'widening', 'Lame 1852, thick-walled ball'),
  shellCase('ball', 'hoop', 'Lame 1852, thick-walled ball'),
  shellCase('tube', 'widening', 'Lame 1852, thick-walled tube in plane strain'),
  shellCase('tube', 'hoop', 'Lame 1852, thick-walled tube in plane strain'),
  {
    name: 'turning-disc',
    quantity: 'stress in the inner half of a turning disc, over the exact one [1]',
    source: 'thin disc, Timoshenko and Goodier 1951, article 30: (3 + nu) / 8 rho w^2 R^2 at the centre',
    run: (full) =>
      study({ reference: 1, resolutions: [{ across: 8 }, { across: 12, tolerance: 0.03 }], measure: disc }, full),
  },
  one(
    'hanging-bar',
    'how far a hanging bar is stretched by its weight, over the exact one [1]',
    'Hooke: rho g L^2 / (2 E)',
    0.02,
    BAR.across,
    () => hanging('end'),
  ),
  one(
    'hanging-bar-stress',
    'stress in the middle of a hanging bar, over the weight below it [1]',
    'equilibrium: rho g (L - s)',
    0.02,
    BAR.across,
    () => hanging('stress'),
  ),
  one(
    'bars-in-series',
    'stretch of two bars in a row, one four times as stiff, over the sum of both [1]',
    'Hooke: F / A (L1 / E1 + L2 / E2)',
    0.02,
    4,
    series,
  ),
  one(
    'simple-shear-neo-hookean',
    'normal stress difference over shear stress and shear 0.3, neo-Hookean [1]',
    UNIVERSAL,
    0.01,
    8,
    () => poynting('neoHookean'),
  ),
  one(
    'simple-shear-stvk',
    'normal stress difference over shear stress and shear 0.3, St. Venant-Kirchhoff [1]',
    UNIVERSAL,
    0.01,
    8,
    () => poynting('stVenantKirchhoff'),
  ),
];
