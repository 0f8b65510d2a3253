/** Melts that have regions, and that do or do not weld. */
import { expect, test } from 'vitest';
import { resolveBody } from '../../src/options/index.js';
import type { Vec3 } from '../../src/options/types.js';
import { createWorld } from '../../src/world.js';
import { block, SOME_BOX } from './support.js';

const SPACING = 0.02;
const BAR = { density: 1000, youngsModulus: 1e5, poissonsRatio: 0, elastic: true, damping: 0.5 } as const;
const WAX = { ...BAR, density: 900, heatCapacity: 2000, latentHeat: 1e4, meltingPoint: 60 } as const;

/** How far a bar that is held at its left end is stretched by a force on its right end [m]. */
async function stretch(set?: { youngsModulus: number }): Promise<number> {
  const world = await createWorld({ threads: 1, gravity: [0, 0, 0], solver: { fluid: { eddyViscosity: 0 } } });
  const right = { box: { min: [0, -1, -1] as Vec3, max: [1, 1, 1] as Vec3 } };
  const regions = set ? [{ region: right, set }] : [];
  const body = { name: 'bar', kind: 'fluid' as const, shape: SOME_BOX, spacing: SPACING, material: BAR, regions };
  world.addBody(body, block([16, 4, 4], SPACING));
  world.addConstraint({ body: 'bar', fix: true, region: { box: { min: [-1, -1, -1], max: [-0.14, 1, 1] } } });
  world.addConstraint({
    body: 'bar',
    force: [6.4, 0, 0],
    region: { box: { min: [0.14, -1, -1], max: [1, 1, 1] } },
  });
  const before = world.positions();
  for (let k = 0; k < 40; k++) world.step(0.05);
  const now = world.positions();
  await world.dispose();
  return now[now.length - 4]! - before[before.length - 4]!;
}

test('a melt whose right half is half as stiff is stretched one and a half times as far', async () => {
  const [whole, soft] = [await stretch(), await stretch({ youngsModulus: 5e4 })];
  // F L / (A E) with 1 % of strain; the held layer and the one that is pulled leave 14 spacings.
  expect(whole / ((6.4 * 14.5 * SPACING) / ((4 * SPACING) ** 2 * 1e5))).toBeCloseTo(1, 1);
  expect(Math.abs(soft / whole / 1.5 - 1)).toBeLessThan(0.03);
});

test('regions of a plain liquid are refused, with the reason', () => {
  const regions = [{ region: { all: true as const }, set: { density: 900 } }];
  expect(() => resolveBody({ name: 'b', kind: 'fluid', shape: SOME_BOX, regions })).toThrow(
    'have no meaning in a liquid without elastic: true: it mixes; make each part a body',
  );
});

const { elastic: _, meltingPoint: __, ...JELLY } = WAX;

test.each([
  ['another melt', true, 'fluid', WAX],
  ['another melt', false, 'fluid', WAX],
  ['a cold solid that can melt', true, 'solid', { ...WAX, elastic: false }],
  ['a solid that cannot melt', true, 'solid', JELLY],
  ['a solid that cannot melt', false, 'solid', JELLY],
  ['a viscoplastic body', true, 'solid', JELLY],
  ['a viscoplastic body', false, 'solid', JELLY],
] as const)('wax that freezes on %s, welds: %s', async (what, welds, kind, material) => {
  const world = await createWorld({ threads: 1, gravity: [0, 0, 0], solver: { fluid: { eddyViscosity: 0 } } });
  const body = { kind: 'fluid' as const, shape: SOME_BOX, spacing: SPACING, material: WAX };
  const discretisation = what === 'a viscoplastic body' ? ('embedded' as const) : undefined;
  const cold = { ...body, kind, discretisation, material: { ...material, welds } };
  world.addBody({ ...cold, name: 'cold', temperature: 20 }, block([5, 4, 4], SPACING));
  const position: Vec3 = [5 * SPACING, 0, 0];
  world.addBody({ ...body, name: 'warm', position, temperature: 80 }, block([5, 4, 4], SPACING));
  world.addConstraint({ body: 'cold', fix: true });
  world.step(0.01);
  world.setTemperature('warm', 20);
  world.step(0.02);
  const before = world.positions();
  // Pulls it off with an acceleration of 20 m/s2 for 0.2 s: 0.4 m if nothing holds it.
  world.addConstraint({ body: 'warm', force: [0.9 * 20 * 80 * 8e-3, 0, 0], end: 0.24 });
  for (let k = 0; k < 20; k++) world.step(0.01);
  const now = world.positions();
  const at = before.length - 4;
  const displacement = now[at]! - before[at]!;
  if (welds) expect(displacement).toBeLessThan(0.02);
  else expect(displacement).toBeGreaterThan(0.3);
  await world.dispose();
});
