/** A save in the middle of a frame goes on to the same bits, and to the same report of the frame. */
import { expect, test } from 'vitest';
import { parseScene, type StepReport, World } from '../../src/index.js';
import { loadScene } from '../../src/scene/load.js';

const SCENES: Record<string, string> = {
  'solids that touch, flow for good and change': `
phyxel: 1
bodies:
  - { name: clay, shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05, position: [0, 0.12, 0], velocity: [0, -3, 0],
      material: { youngsModulus: 5.0e+4, yieldStress: 500, damping: 0.1 } }
  - { name: ball, shape: { sphere: { radius: 0.1 } }, spacing: 0.05, position: [0, 0.36, 0], velocity: [0, -4, 0],
      angularVelocity: [0, 20, 0] }
obstacles: [{ name: floor, shape: { plane: {} } }]
events: [{ time: 0.05, body: ball, set: { density: 500 } }, { time: 0.06, body: clay, set: { youngsModulus: 9.0e+4 } }]
`,
  'clamped and quadratic': `
phyxel: 1
bodies:
  - { name: bar, shape: { box: { size: [0.6, 0.15, 0.15] } }, spacing: 0.05, discretisation: quadratic,
      material: { youngsModulus: 5.0e+5 } }
constraints: [{ body: bar, region: { box: { min: [-1, -1, -1], max: [-0.2, 1, 1] } }, fix: true, end: 0.05 }]
`,
  'implicit steps': `
phyxel: 1
solver: { maxTimeStep: 0.005, solid: { integrator: implicit } }
bodies:
  - { name: cube, shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05, position: [0, 0.11, 0], velocity: [0, -1, 0],
      material: { youngsModulus: 5.0e+4, damping: 0.1 } }
obstacles: [{ name: floor, shape: { plane: {} } }]
`,
  'rigid bodies, a liquid from a source, a soft body in it, and heat': `
phyxel: 1
temperature: 20
bodies:
  - { name: pool, kind: fluid, shape: { box: { size: [0.4, 0.2, 0.4] } }, spacing: 0.05, position: [0, 0.1, 0] }
  - { name: soft, shape: { sphere: { radius: 0.1 } }, spacing: 0.05, position: [0, 0.33, 0], velocity: [0, -2, 0],
      material: { youngsModulus: 2.0e+5, thermalConductivity: 50 }, temperature: 90 }
  - { name: stone, kind: rigid, shape: { box: { size: [0.1, 0.1, 0.1] } }, spacing: 0.05, position: [0.6, 0.05, 0],
      velocity: [0.5, 0, 0], temperature: 80 }
emitters:
  - { name: tap, radius: 0.1, position: [-0.6, 0.4, 0], speed: 1, spacing: 0.05, maxParticles: 400, temperature: 60 }
obstacles: [{ name: floor, shape: { plane: {} } }]
heat: [{ body: soft, power: 20, start: 0.04 }]
`,
  'what melts': `
phyxel: 1
temperature: 20
materials:
  wax: { elastic: true, density: 900, youngsModulus: 2.0e+4, viscosity: 1, meltingPoint: 60, meltingRange: 10,
         latentHeat: 2000, thermalConductivity: 5, heatCapacity: 100, yieldStress: 500 }
bodies:
  - { name: figure, kind: fluid, shape: { box: { size: [0.2, 0.3, 0.2] } }, spacing: 0.05, position: [0, 0.15, 0],
      material: wax, temperature: 55 }
obstacles: [{ name: plate, shape: { plane: {} }, temperature: 200 }]
`,
  'a body that flows as far as it likes': `
phyxel: 1
bodies:
  - { name: dough, shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05, position: [0, 0.11, 0], velocity: [0, -3, 0],
      discretisation: embedded, material: { youngsModulus: 1.0e+6, yieldStress: 100, viscosity: 5 } }
obstacles: [{ name: floor, shape: { plane: {} } }]
`,
};

/** Two frames, each left after so many of its steps, and of its rest. */
const FRAME = 0.05;
const LEFT_AFTER = [1, 2, 7, 20];

for (const [name, text] of Object.entries(SCENES)) {
  test(`a save within a frame: ${name}`, async () => {
    const { scene } = parseScene(text, 'test.yaml');
    const whole = await loadScene(scene, { threads: 1 });
    let world = await loadScene(scene, { threads: 1 });
    let loads = 0;
    for (const end of [FRAME, 2 * FRAME]) {
      const expected = whole.stepTo(end);
      let report: StepReport | undefined;
      for (const left of [...LEFT_AFTER, Number.POSITIVE_INFINITY]) {
        const steps = world.stepsTo(end);
        for (let k = 0; k < left && !report; k++) {
          const { done, value } = steps.next();
          if (done) report = value;
        }
        if (report) break;
        const saved = world.save();
        const next = await World.load(saved, { threads: 1 });
        expect(next.save()).toEqual(saved);
        await world.dispose();
        world = next;
        loads++;
      }
      expect(world.stateHash()).toBe(whole.stateHash());
      expect(report).toEqual(expected);
      expect(world.openFrame).toBeUndefined();
    }
    expect(loads).toBeGreaterThan(2);
    await world.dispose();
    await whole.dispose();
  });
}
