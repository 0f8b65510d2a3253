/** A twisted bar keeps as much of its twist as has flowed, [J14] fig. 4. */
import { describe, expect, it } from 'vitest';
import { createWorld } from '../../src/world.js';

const SIDE = 0.1;
const HALF = 0.2;
/** Length between the ends that are held. */
const FREE = 0.3;
const YOUNG = 2e5;
const POISSON = 0.35;

/** Twists one end by a quarter, lets it go, and returns the twist that is left [rad]. */
async function leftOf(yieldStress: number): Promise<number> {
  const world = await createWorld({ threads: 1, gravity: [0, 0, 0], solver: { maxTimeStep: 1e-3 } });
  world.addBody({
    name: 'bar',
    shape: { box: { size: [2 * HALF, SIDE, SIDE] } },
    spacing: 0.025,
    discretisation: 'embedded',
    material: { youngsModulus: YOUNG, poissonsRatio: POISSON, density: 1000, yieldStress, damping: 1 },
  });
  world.addConstraint({ body: 'bar', region: { box: { min: [-1, -1, -1], max: [-FREE / 2, 1, 1] } }, fix: true });
  world.addConstraint({
    body: 'bar',
    region: { box: { min: [FREE / 2, -1, -1], max: [1, 1, 1] } },
    move: [{ time: 0 }, { time: 0.2, rotation: [90, 0, 0] }],
    end: 0.25,
  });
  const before = world.positions().slice();
  world.step(1);
  const after = world.positions();
  // The turn about x that fits the free end best, from where its first particles were.
  let [sine, cosine] = [0, 0];
  for (let i = 0; i < before.length; i += 4) {
    if (!(before[i]! > FREE / 2) || before[i + 3] !== 1 || after[i + 3] !== 1) continue;
    const [y, z, v, w] = [before[i + 1]!, before[i + 2]!, after[i + 1]!, after[i + 2]!];
    sine += y * w - z * v;
    cosine += y * v + z * w;
  }
  await world.dispose();
  return Math.atan2(sine, cosine);
}

describe('a twisted bar that flows', () => {
  it('springs back by what its yield stress holds, and keeps the rest of the twist', async () => {
    const [elastic, hard, soft] = [await leftOf(1e9), await leftOf(6e3), await leftOf(3e3)];
    const twist = Math.PI / 2;
    // 1e-3: what still swings.
    expect(Math.abs(elastic)).toBeLessThan(1e-3 * twist);
    // A square bar in full flow has the torque tau a^3 / 3, and the stiffness 0.1406 G a^4 / L.
    const shear = YOUNG / (2 * (1 + POISSON));
    const back = (yieldStress: number) => ((yieldStress / Math.sqrt(3) / 3) * FREE) / (0.1406 * shear * SIDE);
    // Four particles across are a third to a half too soft, as beams are; 1.48 and 1.36 were measured.
    for (const [left, yieldStress] of [
      [hard, 6e3],
      [soft, 3e3],
    ] as const) {
      const share = (twist - left) / back(yieldStress);
      expect(share).toBeGreaterThan(0.9);
      expect(share).toBeLessThan(1.6);
    }
    // Twice the stress holds twice the twist; the softer bar is the farther into flow.
    expect(Math.abs((twist - hard) / (twist - soft) - 2)).toBeLessThan(0.3);
  });
});
