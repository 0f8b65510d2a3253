/** Conduction of heat, contact of two materials, and melting. */
import { loadScene, type Scene, type Vec3, type World } from 'phyxel';
import { study, type ValidationCase } from '../case.js';
import {
  farthestFromOne,
  forParticles,
  slab,
  validationScene,
  withBodies,
  withPeriod,
  withSpacing,
} from '../measure.js';
import { errorFunction, neumannNumber, stefanNumber } from '../theory.js';

/** Particles across a bar. */
const ACROSS = 3;
const BAR = { length: 1, diffusivity: 4e-4 };
const HOT = 100;

/** Gives a bar along x as many particles, and a square section of some. */
function withLength(scene: Scene, particles: number, length = BAR.length, across = ACROSS): Scene {
  const spacing = length / particles;
  return withBodies(withSpacing(scene, spacing), ({ shape }) => {
    if (!('box' in shape)) throw new Error('only bars can be refined');
    return { shape: { box: { size: [shape.box.size[0], across * spacing, across * spacing] as Vec3 } } };
  });
}

/** Runs a scene for a time in frames of equal length; `look` sees the world before and after each. */
async function simulate(scene: Scene, seconds: number, frames: number, look: (world: World, start: boolean) => void) {
  const world = await loadScene(scene, { threads: 1 });
  try {
    look(world, true);
    for (let k = 1; k <= frames; k++) {
      world.stepTo((k * seconds) / frames);
      look(world, false);
    }
  } finally {
    await world.dispose();
  }
}

/**
 * The temperature, over the exact one, that is farthest from it, of all particles in a bar that begins with some
 * temperatures; errors count as a share of the range. The note says what became of the heat.
 */
async function bar(particles: number, exact: (x: number, t: number) => number, seconds: number) {
  const ratios: number[] = [];
  let start = 0;
  let drift = 0;
  const scene = withLength(validationScene('heat-bar'), particles);
  await simulate(scene, seconds, 10, (world, isStart) => {
    if (isStart) {
      world.setTemperature('bar', ([x]) => exact(x, 0));
      start = world.heat();
      return;
    }
    const temperatures = world.temperatures();
    forParticles(world, 'bar', (i, x) => ratios.push(1 + (temperatures[i]! - exact(x, world.time)) / HOT));
    drift = Math.max(drift, Math.abs(world.heat() / start - 1));
  });
  // Heat that is lost counts as a failure, whatever the temperatures are.
  const lost = drift > 1e-6 ? drift / 1e-6 : 0;
  return { value: farthestFromOne(ratios) + lost, note: `heat constant to ${drift.toExponential(0)}` };
}

const sine = (x: number, t: number) => {
  const k = Math.PI / BAR.length;
  return (HOT / 2) * (1 + Math.sin(k * x) * Math.exp(-BAR.diffusivity * k * k * t));
};
const step = (x: number, t: number) =>
  t === 0 ? (x < 0 ? HOT : 0) : (HOT / 2) * (1 - errorFunction(x / Math.sqrt(4 * BAR.diffusivity * t)));

/** Temperature where two bars meet, by the straight lines between the middles of cells and the face [degrees C]. */
async function interfaceTemperature(particles: number): Promise<{ value: number; note: string }> {
  const length = 0.5;
  const spacing = length / particles;
  const scene = withLength(validationScene('heat-contact'), particles, length, 4);
  const [hot, cold] = scene.bodies.map(({ material }) => material.thermalConductivity) as [number, number];
  let result = { value: 0, note: '' };
  let start = 0;
  await simulate(scene, 60, 10, (world, isStart) => {
    if (isStart) start = world.heat();
    const at = (region: ReturnType<typeof slab>) => world.probe({ name: 'T', region, quantity: 'temperature' })[0]!;
    const left = at(slab(0, -spacing, 0));
    const right = at(slab(0, 0, spacing));
    result = {
      value: (hot * left + cold * right) / (hot + cold),
      note: `heat constant to ${Math.abs(world.heat() / start - 1).toExponential(0)}`,
    };
  });
  return result;
}

const effusivity = (conductivity: number, density: number, capacity: number) =>
  Math.sqrt(conductivity * density * capacity);
const INTERFACE = (() => {
  const [hot, cold] = [effusivity(50, 2000, 500), effusivity(12, 1000, 2000)];
  return (HOT * hot) / (hot + cold);
})();

const MELT = { diffusivity: 2e-6, stefan: (1000 * HOT) / 2e5, front: 0.6 };
const LAMBDA = stefanNumber(MELT.stefan);

/** Where the melting front is when it should be at `MELT.front`, over the square root of 4 alpha t [1]. */
async function meltingFront(particles: number): Promise<{ value: number; note: string }> {
  const seconds = (MELT.front / (2 * LAMBDA)) ** 2 / MELT.diffusivity;
  let value = 0;
  let note = '';
  let start = 0;
  let supplied = 0;
  const world = await loadScene(withLength(validationScene('heat-melt'), particles), { threads: 1 });
  try {
    start = world.heat();
    for (let k = 1; k <= 20; k++) supplied += world.stepTo((k * seconds) / 20).heat!.supplied;
    const molten = world.probe({ name: 'front', quantity: 'liquidFraction' })[0]!;
    value = (molten * BAR.length) / Math.sqrt(4 * MELT.diffusivity * seconds);
    note = `heat of the bar over that of the plate less one: ${Math.abs((world.heat() - start) / supplied - 1).toExponential(0)}`;
  } finally {
    await world.dispose();
  }
  return { value, note };
}

const ICE = { solid: 2.2, liquid: 0.6, capacity: 1e6, latent: 3e8, hot: 50, cold: 20, front: 0.2, length: 1.6 };
const NEUMANN = neumannNumber(ICE);

/** The same where the solid is colder and conducts otherwise, over the exact one. */
async function neumannFront(particles: number): Promise<{ value: number; note: string }> {
  const seconds = ((ICE.front / (2 * NEUMANN)) ** 2 * ICE.capacity) / ICE.liquid;
  const spacing = 1 / particles;
  const scene = withBodies(withSpacing(validationScene('heat-ice'), spacing), () => ({
    shape: { box: { size: [ICE.length, ACROSS * spacing, ACROSS * spacing] as Vec3 } },
  }));
  let molten = 0;
  await simulate(scene, seconds, 20, (world) => {
    molten = world.probe({ name: 'front', quantity: 'liquidFraction' })[0]!;
  });
  return { value: (molten * ICE.length) / ICE.front, note: `lambda ${NEUMANN.toFixed(4)}` };
}

/** Heat that comes back from a ball that was molten and frozen again, over what it took [1]. */
async function cycle(across: number): Promise<{ value: number; note: string }> {
  const scene = withSpacing(validationScene('heat-cycle'), 0.1 / across);
  const world = await loadScene(scene, { threads: 1 });
  try {
    const [melted, frozen] = [50_000, 100_000];
    let [given, taken] = [0, 0];
    for (let k = 1; k <= 40; k++) {
      const { supplied } = world.stepTo((k * frozen) / 40).heat!;
      if (world.time <= melted) given += supplied;
      else taken -= supplied;
      if (world.time === melted) {
        const molten = world.probe({ name: 'f', quantity: 'liquidFraction' })[0]!;
        if (molten < 1) throw new Error(`only ${molten} of the ball melted`);
      }
    }
    const end = world.probe({ name: 'T', quantity: 'temperature' })[0]!;
    return { value: taken / given, note: `at ${end.toFixed(3)} degrees C in the end, -20 at the start` };
  } finally {
    await world.dispose();
  }
}

const POOL = { depth: 0.24, conductivity: 200, capacity: 1e6, seconds: 8 };

/** Heat that a pool takes from a hot floor per area [J/m2]. */
async function poolHeat(layers: number): Promise<number> {
  const spacing = POOL.depth / layers;
  const side = 8 * spacing;
  const scene = withPeriod(withSpacing(validationScene('heat-pool'), spacing), { 0: side, 2: side });
  const world = await loadScene(scene, { threads: 1 });
  try {
    let supplied = 0;
    for (let k = 1; k <= 10; k++) supplied += world.stepTo((k * POOL.seconds) / 10).heat!.supplied;
    return supplied / (side * side);
  } finally {
    await world.dispose();
  }
}

export const heatCases: readonly ValidationCase[] = [
  {
    name: 'heat-sine',
    quantity: 'temperature in a bar that begins with half a sine, where it is farthest off, over the range [1]',
    source: 'exp(-alpha k^2 t); ends and sides let nothing through; heat constant to 1e-6',
    run: (full) =>
      study(
        {
          reference: 1,
          resolutions: [
            { across: 20, tolerance: 0.02 },
            { across: 50, tolerance: 0.02 },
            { across: 100, tolerance: 0.02 },
          ],
          measure: (particles) => bar(particles, sine, BAR.length ** 2 / (Math.PI ** 2 * BAR.diffusivity)),
        },
        full,
      ),
  },
  {
    name: 'heat-step',
    quantity: 'temperature in a bar that begins half hot, where it is farthest off, over the range [1]',
    source: '(1 - erf(x / sqrt(4 alpha t))) / 2; heat constant to 1e-6',
    run: (full) =>
      study(
        {
          reference: 1,
          // From the tenth of the time on when half a degree would reach the ends.
          resolutions: [
            { across: 50, tolerance: 0.02 },
            { across: 100, tolerance: 0.02 },
          ],
          measure: (particles) => bar(particles, step, 15),
        },
        full,
      ),
  },
  {
    name: 'heat-contact',
    quantity: 'temperature where a hot and a cold bar touch [degrees C]',
    source: 'effusivities e = sqrt(k rho c): (e1 T1 + e2 T2) / (e1 + e2)',
    run: (full) =>
      study(
        {
          reference: INTERFACE,
          resolutions: [
            { across: 20, tolerance: 0.03 },
            { across: 40, tolerance: 0.03 },
          ],
          measure: interfaceTemperature,
        },
        full,
      ),
  },
  {
    name: 'heat-pool',
    quantity: 'heat that a still pool takes from a hot floor [J/m2]',
    source: 'half-space with its surface at a temperature: 2 k T sqrt(t / (pi alpha))',
    run: (full) =>
      study(
        {
          reference: 2 * HOT * Math.sqrt((POOL.conductivity * POOL.capacity * POOL.seconds) / Math.PI),
          resolutions: [
            { across: 12, tolerance: 0.03 },
            { across: 24, tolerance: 0.03, full: true },
          ],
          measure: poolHeat,
        },
        full,
      ),
  },
  {
    name: 'melting-front',
    quantity: 'melting front over sqrt(4 alpha t), bar at its melting point against a hot plate [1]',
    source: 'one-phase Stefan problem: lambda exp(lambda^2) erf(lambda) = St / sqrt(pi)',
    run: (full) =>
      study(
        {
          reference: LAMBDA,
          resolutions: [{ across: 25 }, { across: 50 }, { across: 100, tolerance: 0.03 }],
          measure: meltingFront,
        },
        full,
      ),
  },
  {
    name: 'neumann-front',
    quantity: 'melting front in ice at -20 degrees against a plate at 50, over the exact one; k 2.2 and 0.6 [1]',
    source: "Neumann's two-phase Stefan problem (Carslaw and Jaeger 1959, 11.2), solved for lambda by bisection",
    run: (full) =>
      study(
        {
          reference: 1,
          resolutions: [{ across: 25 }, { across: 50, tolerance: 0.01 }, { across: 100, tolerance: 0.01 }],
          measure: neumannFront,
        },
        full,
      ),
  },
  {
    name: 'melt-and-freeze',
    quantity: 'heat that ice gives back when it freezes again, over what melted it [1]',
    source: 'conservation of energy',
    run: (full) => study({ reference: 1, resolutions: [{ across: 10, tolerance: 1e-3 }], measure: cycle }, full),
  },
];
