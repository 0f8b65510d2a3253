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

/** Every decade is as likely. */
const between = (low: number, high: number) =>
  fc.double({ min: Math.log10(low), max: Math.log10(high), noNaN: true }).map((power) => 10 ** power);
const share = (largest: number) => fc.double({ min: 0, max: largest, noNaN: true });

const materials = fc.record(
  {
    elastic: fc.constant(true),
    density: between(10, 1e5),
    youngsModulus: between(1, 1e9),
    poissonsRatio: fc.double({ min: -1.2, max: 0.6, noNaN: true }),
    damping: share(2),
    volumeStiffness: share(1),
    viscosity: between(1e-6, 1e4),
    surfaceTension: share(1),
    friction: share(2),
    model: fc.constantFrom('stVenantKirchhoff' as const, 'neoHookean' as const, 'corotational' as const),
    heatCapacity: between(10, 1e5),
    thermalConductivity: between(1e-3, 1e4),
    latentHeat: between(1, 1e7),
    meltingPoint: fc.double({ min: -20, max: 150, noNaN: true }),
    meltingRange: share(50),
    yieldStress: fc.oneof(fc.constant(0), between(1, 1e6)),
    hardening: fc.double({ min: -1e4, max: 1e5, noNaN: true }),
    creepRate: between(1e-2, 1e4),
    plasticVolume: share(1),
  },
  { requiredKeys: ['elastic'] },
);

/** Dropped on a hot plate, molten, frozen again. */
async function dropMeltFreeze(material: MaterialInput): Promise<void> {
  const world = await createWorld({ threads: 1, temperature: 20 });
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

test(
  'whatever material is dropped, molten and frozen stays finite, or is refused with a reason',
  () => fc.assert(fc.asyncProperty(materials, dropMeltFreeze), { numRuns: RUNS, seed: SEED, endOnFailure: true }),
  Math.max(60, 5 * RUNS) * 1000,
);
