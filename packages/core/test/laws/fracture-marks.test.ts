import { afterEach, expect, test, vi } from 'vitest';
import type { BodyInput } from '../../src/options/inputs.js';
import * as layout from '../../src/particles/layout.js';
import { ParticleStore } from '../../src/particles/store.js';
import { createWorld } from '../../src/world.js';

const run = ParticleStore.prototype.run;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Hashes of a body that falls apart; `everywhere` looks at every bond in every step. */
async function hashes(body: Partial<BodyInput>, everywhere: boolean): Promise<string[]> {
  vi.spyOn(ParticleStore.prototype, 'run').mockImplementation(function (this: ParticleStore, pass, ...rest) {
    run.call(this, pass, ...rest);
    if (!everywhere || pass !== 'findStrained') return;
    const bonds = this.integers(layout.BOND_BEGIN, this.count + 1)[this.count]!;
    this.engine.arena.u32(this.address(layout.BOND_STRAINED), Math.ceil(bonds / 4)).fill(0x01010101);
    this.integers(layout.STRAINED, this.count).fill(1);
    this.integers(layout.BLOCK_BREAKING, this.blocks).fill(1);
  });
  const world = await createWorld({ threads: 1, seed: 5 });
  world.addBody({
    name: 'body',
    shape: { box: { size: [0.36, 0.12, 0.24] } },
    spacing: 0.03,
    lattice: 'cubic',
    position: [0, 0.11, 0],
    velocity: [0, -4, 0],
    angularVelocity: [0, 0, 3],
    material: { density: 1200, youngsModulus: 1e6, poissonsRatio: 0.3, tensileStrength: 6e4, fractureEnergy: 40 },
    ...body,
  });
  world.addObstacle({ shape: { box: { size: [0.05, 0.04, 1] } }, position: [0, 0.02, 0] });
  world.addObstacle({ shape: { plane: {} } });
  const found: string[] = [];
  for (let frame = 0; frame < 8; frame++) {
    world.step(1 / 60);
    found.push(`${world.stateHash()} ${new Set(world.pieces()).size}`);
  }
  await world.dispose();
  return found;
}

const material = { density: 1200, youngsModulus: 1e6 } as const;
const stiff = { region: { box: { min: [-1, -1, 0], max: [1, 1, 1] } }, set: { poissonsRatio: 0.45 } } as const;

// Bounds of strains stand in for strains: they must never miss a bond.
test.each<[string, Partial<BodyInput>]>([
  ['softens', {}],
  ['is brittle', { material: { ...material, tensileStrength: 1e5 } }],
  ['is weak in places', { material: { ...material, tensileStrength: 5e4, fractureEnergy: 2, strengthVariation: 0.5 } }],
  ['is scored', { scores: [{ pattern: { voronoi: { count: 20, seed: 2 } }, strength: 0.05 }] }],
  ['contracts unevenly', { regions: [stiff] }],
  [
    'yields',
    { material: { ...material, tensileStrength: 9e4, fractureEnergy: 40, yieldStress: 5e4, failureStrain: 0.3 } },
  ],
])('what is looked at only where it is strained breaks as if it were looked at everywhere: %s', async (_, body) => {
  const expected = await hashes(body, true);
  expect(expected.at(-1)).not.toMatch(/ 1$/);
  expect(await hashes(body, false)).toEqual(expected);
});
