/** Drops in space: surface tension, and what they keep. */
import type { Scene } from 'phyxel';
import { single, study, type ValidationCase } from '../case.js';
import { fitRinging, forParticles, validationScene, watch, withBodies } from '../measure.js';
import { dropPeriod } from '../theory.js';

const TENSION = 0.0728;
const DENSITY = 1000;
const SPACING = 1e-3;

/** Radius of a ball of as many particles [m]. */
const radiusOf = (count: number) => ((count * SPACING ** 3 * 3) / (4 * Math.PI)) ** (1 / 3);

/**
 * Layers below the surface that its tension acts on, in spacings: colours have gradients up to a support, two spacings,
 * below the surface, and push particles up to a support farther in. Pressure differs from layer to layer up to there.
 */
const SKIN = 4;

/** Pressure within a drop at rest over 2 tension / radius, a mean that falls off smoothly towards the surface. */
async function laplace(across: number): Promise<number> {
  const scene = withBodies(validationScene('drop'), () => ({ shape: { sphere: { radius: across * SPACING } } }));
  // The time that a drop takes to come to rest grows with its radius.
  const duration = scene.duration * (across / 8) ** 2;
  let [sum, weights, radius] = [0, 0, 0];
  await watch({ ...scene, duration }, (world) => {
    if (world.time < duration / 2) return;
    const pressures = world.pressures();
    radius = radiusOf(world.liquidCount);
    const centre = world.probe({ name: 'centre', quantity: 'position' });
    const reach = radius - SKIN * SPACING;
    forParticles(world, 'drop', (i, x, y, z) => {
      const r = Math.hypot(x - centre[0]!, y - centre[1]!, z - centre[2]!);
      const weight = Math.max(0, 1 - (r / reach) ** 2) ** 2;
      sum += weight * pressures[i]!;
      weights += weight;
    });
  });
  return sum / weights / ((2 * TENSION) / radius);
}

/** Period of a drop that swings over that of theory. */
async function swinging(across: number): Promise<number> {
  const scene = withBodies(validationScene('drop-swing'), ({ shape }) => {
    if (!('capsule' in shape)) throw new Error('the drop starts as a capsule');
    const scale = (across * SPACING) / (1.0634 * shape.capsule.radius);
    return { shape: { capsule: { radius: scale * shape.capsule.radius, length: scale * shape.capsule.length } } };
  });
  const time: number[] = [];
  const stretch: number[] = [];
  let period = dropPeriod(TENSION, DENSITY, across * SPACING);
  await watch({ ...scene, duration: 2.5 * period, frameRate: 40 / period }, (world) => {
    period = dropPeriod(TENSION, DENSITY, radiusOf(world.liquidCount));
    const centre = world.probe({ name: 'centre', quantity: 'position' });
    let sum = 0;
    forParticles(world, 'drop', (_, x, y, z) => {
      sum += (y - centre[1]!) ** 2 - ((x - centre[0]!) ** 2 + (z - centre[2]!) ** 2) / 2;
    });
    time.push(world.time);
    stretch.push(sum);
  });
  return 1 / fitRinging(time, stretch, 1 / period, 0.6).frequency / period;
}

/** How far a conserved vector has gone from its start, over the sum of its parts' lengths there. */
async function drift(scene: Scene, of: 'momentum' | 'angularMomentum'): Promise<number> {
  let start: readonly number[] | undefined;
  let parts = 0;
  let worst = 0;
  await watch(scene, (world) => {
    const now = world[of]();
    if (!start) {
      start = now;
      const [masses, positions, velocities] = [world.masses(), world.positions(), world.velocities()];
      for (const [i, mass] of masses.entries()) {
        const arm = of === 'momentum' ? 1 : Math.hypot(...positions.subarray(4 * i, 4 * i + 3));
        parts += mass * arm * Math.hypot(...velocities.subarray(4 * i, 4 * i + 3));
      }
    }
    worst = Math.max(worst, Math.hypot(...now.map((value, a) => value - start![a]!)) / parts);
  });
  return worst;
}

/** A float32 has seven digits; what hundreds of steps round off adds up to less than this. */
const ROUNDING = 1e-5;

export const fluidDropCases: readonly ValidationCase[] = [
  {
    name: 'drop-pressure',
    quantity: 'pressure within drops of two radii (in spacings) over 2 sigma / R [1]',
    source: 'Laplace: 2 sigma / R',
    full: true,
    run: (full) =>
      study(
        {
          reference: 1,
          resolutions: [
            { across: 8, tolerance: 0.1 },
            { across: 12, tolerance: 0.1 },
          ],
          measure: laplace,
        },
        full,
      ),
  },
  {
    name: 'drop-period',
    quantity: 'period of a drop that swings, of a radius in spacings, over that of theory [1]',
    source: 'Rayleigh 1879, Lamb: omega^2 = 8 sigma / (rho R^3)',
    run: (full) =>
      study(
        {
          reference: 1,
          resolutions: [
            { across: 6, tolerance: 0.1 },
            { across: 9, tolerance: 0.1, full: true },
            { across: 12, tolerance: 0.1, full: true },
          ],
          measure: swinging,
        },
        full,
      ),
  },
  {
    name: 'drop-spin',
    quantity: 'angular momentum of a spinning drop [1 + what went astray]',
    source: 'conservation of angular momentum',
    run: () => single(1, ROUNDING, 6, async () => 1 + (await drift(validationScene('drop-spin'), 'angularMomentum'))),
  },
  {
    name: 'drop-splash',
    quantity: 'momentum of two drops that hit each other [1 + what went astray]',
    source: 'conservation of momentum',
    run: () => single(1, ROUNDING, 6, async () => 1 + (await drift(validationScene('drop-splash'), 'momentum'))),
  },
];
