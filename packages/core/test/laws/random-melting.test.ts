import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWorld } from '../../src/index.js';
import type { MaterialInput } from '../../src/options/index.js';
import { OptionError } from '../../src/options/index.js';

/** How many materials, and the seed that a failure has printed; scripts/torture-melting.mjs sets them. */
const RUNS = Number(process.env.PHYXEL_RUNS ?? 20);
const SEED = Number(process.env.PHYXEL_SEED ?? 1);
/** Steps that a run may take: stiff and light materials take short ones, and stop there. */
const MOST_STEPS = 1500;
const FRAME = 0.01;

/** All numbers are as likely; doubles of fast-check are not, but by their bits, so nearly all are next to nothing. */
const span = (low: number, high: number) =>
  fc.integer({ min: 0, max: 1e6 }).map((part) => low + (high - low) * (part / 1e6));
const share = (largest: number) => span(0, largest);
/** Every decade is as likely. */
const between = (low: number, high: number) => span(Math.log10(low), Math.log10(high)).map((power) => 10 ** power);

/** Mostly what is likely; every eighth time whatever is allowed. */
const mostly = (likely: fc.Arbitrary<number>, allowed: fc.Arbitrary<number>) =>
  fc.oneof({ weight: 7, arbitrary: likely }, { weight: 1, arbitrary: allowed });
/** Up to the largest number that is allowed. */
const anything = fc.oneof(fc.constant(0), between(1e-12, 1e12));

const materials = fc.record(
  {
    elastic: fc.constant(true),
    density: mostly(between(10, 1e5), between(1e-12, 1e12)),
    youngsModulus: mostly(between(1, 1e9), between(1e-12, 1e18)),
    poissonsRatio: mostly(span(-0.9, 0.499), span(-1.2, 0.6)),
    damping: mostly(share(2), anything),
    volumeStiffness: share(1),
    viscosity: mostly(between(1e-6, 1e4), anything),
    surfaceTension: mostly(share(1), anything),
    friction: mostly(share(2), anything),
    model: fc.constantFrom('stVenantKirchhoff' as const, 'neoHookean' as const, 'corotational' as const),
    heatCapacity: mostly(between(10, 1e5), between(1e-12, 1e12)),
    thermalConductivity: mostly(between(1e-3, 1e4), anything),
    latentHeat: mostly(between(1, 1e7), anything),
    meltingPoint: mostly(span(-20, 150), span(-273, 1e6)),
    meltingRange: mostly(share(50), span(0, 1e6)),
    yieldStress: mostly(fc.oneof(fc.constant(0), between(1, 1e6)), between(1e-12, 1e18)),
    hardening: mostly(span(-1e4, 1e5), span(-1e18, 1e18)),
    creepRate: mostly(between(1e-2, 1e4), anything),
    plasticLimit: mostly(share(10), anything),
    plasticVolume: share(1),
  },
  { requiredKeys: ['elastic'] },
);

/** Dropped on a hot plate, molten, frozen again. */
async function dropMeltFreeze(material: MaterialInput, integrator: 'explicit' | 'implicit'): Promise<void> {
  const world = await createWorld({ threads: 1, temperature: 20, solver: { solid: { integrator } } });
  try {
    world.addObstacle({ name: 'plate', shape: { plane: {} }, temperature: 200 });
    const shape = { box: { size: [0.06, 0.06, 0.06] as [number, number, number] } };
    world.addBody({ name: 'block', kind: 'fluid', shape, position: [0, 0.04, 0], spacing: 0.02, material });
    const before = world.heat();
    let supplied = 0;
    let steps = 0;
    const run = () => {
      // In parts, so that what takes short steps stops in time.
      for (let part = 0; part < 10 && steps < MOST_STEPS; part++) {
        const report = world.step(FRAME / 10);
        supplied += report.heat!.supplied;
        steps += report.steps;
      }
    };
    run();
    run();
    const size = Math.max(Math.abs(before), Math.abs(world.heat()));
    expect(Math.abs(world.heat() - before - supplied)).toBeLessThanOrEqual(1e-6 * size);
    world.setTemperature('block', 160);
    run();
    world.setTemperature('block', -30);
    run();
    expect(world.liquidCount).toBe(27);
    expect(world.positions().every(Number.isFinite)).toBe(true);
    expect(world.velocities().every(Number.isFinite)).toBe(true);
    expect(Number.isFinite(world.energy().total)).toBe(true);
  } catch (error) {
    // Refused at the door.
    if (!(error instanceof OptionError)) throw error;
    expect(error.message.length).toBeGreaterThan(10);
  } finally {
    await world.dispose();
  }
}

test.each(['explicit', 'implicit'] as const)(
  'whatever material is dropped, molten and frozen in %s steps stays finite, or is refused with a reason',
  (integrator) => {
    const property = fc.asyncProperty(materials, (material) => dropMeltFreeze(material, integrator));
    return fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
  },
  Math.max(60, 5 * RUNS) * 1000,
);
