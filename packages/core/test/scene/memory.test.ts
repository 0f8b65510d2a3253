import { expect, test } from 'vitest';
import { estimateMemory, loadScene, parseScene } from '../../src/index.js';

const HEAT = { temperature: 50 };
const MELT = { elastic: true, youngsModulus: 1e4 };
const IMPLICIT = { solver: { solid: { integrator: 'implicit' } } };

/** Keys of the body, of the scene, and how many such bodies there are. */
const KINDS: Record<string, { body?: object; scene?: object; bodies?: number }> = {
  linear: {},
  bcc: { body: { lattice: 'bcc' } },
  hcp: { body: { lattice: 'hcp' } },
  octree: { body: { lattice: 'octree' } },
  jitter: { body: { jitter: 0.2 } },
  quadratic: { body: { discretisation: 'quadratic' } },
  'quadratic and irregular': { body: { discretisation: 'quadratic', jitter: 0.2 } },
  plastic: { body: { material: { yieldStress: 1e4 } } },
  implicit: { scene: IMPLICIT },
  'quadratic and implicit': { body: { discretisation: 'quadratic' }, scene: IMPLICIT },
  rigid: { body: { kind: 'rigid' } },
  'two solids': { bodies: 2 },
  'two rigid': { body: { kind: 'rigid' }, bodies: 2 },
  dfsph: { body: { kind: 'fluid' } },
  wcsph: { body: { kind: 'fluid' }, scene: { solver: { fluid: { pressure: 'wcsph' } } } },
  'viscous with tension': { body: { kind: 'fluid', material: { viscosity: 10, surfaceTension: 0.07 } } },
  melt: { body: { kind: 'fluid', material: MELT } },
  'melt with heat': {
    body: { kind: 'fluid', ...HEAT, material: { ...MELT, thermalConductivity: 1, meltingPoint: 90 } },
  },
  embedded: { body: { discretisation: 'embedded' } },
  'solid with heat': { body: HEAT },
  'hcp with heat': { body: { ...HEAT, lattice: 'hcp' } },
  'rigid with heat': { body: { kind: 'rigid', ...HEAT } },
  'liquid with heat': { body: { kind: 'fluid', ...HEAT } },
};

// A fifth either way, as is promised; measured within 17 %, and within 9 % at the larger size.
test.each(Object.keys(KINDS))('memory is told before anything is made, within a fifth: %s', async (kind) => {
  const { body = {}, scene: more = {}, bodies = 1 } = KINDS[kind]!;
  for (const across of [10, 16]) {
    const shape = { box: { size: [1, 1, 1] } };
    const list = Array.from({ length: bodies }, (_, k) => ({
      shape,
      spacing: 1 / across,
      position: [0, 1.3 * k + 0.5, 0],
      ...body,
    }));
    const floor = { shape: { plane: { normal: [0, 1, 0], offset: 0 } } };
    const text = JSON.stringify({ phyxel: 1, bodies: list, obstacles: [floor], ...more });
    const { scene } = parseScene(text, 'memory.json');
    const world = await loadScene(scene, { threads: 1 });
    try {
      // Heat flows at the end of a frame.
      world.step(0.002);
      const estimate = await estimateMemory(scene, () => expect.fail('there is no mesh'));
      expect(estimate / world.memoryBytes).toBeGreaterThan(0.8);
      expect(estimate / world.memoryBytes).toBeLessThan(1.2);
    } finally {
      await world.dispose();
    }
  }
});

const LIQUID = { kind: 'fluid' };
const RIGID = { kind: 'rigid', material: { youngsModulus: 1e7 } };
const box = (...size: number[]) => ({ box: { size } });

/** Bodies beside one another, and obstacles on top of the floor. */
const MIXTURES: Record<string, { bodies: object[]; obstacles?: object[] }> = {
  'a solid in a liquid': { bodies: [LIQUID, {}] },
  'rigid in a liquid': { bodies: [LIQUID, RIGID] },
  'two rigid in a liquid': { bodies: [LIQUID, RIGID, RIGID] },
  'a solid and one rigid': { bodies: [{}, RIGID] },
  'a solid and two rigid': { bodies: [{}, RIGID, RIGID] },
  'a liquid by a wall': { bodies: [LIQUID], obstacles: [{ shape: box(1, 1, 1), position: [1.2, 0.5, 0] }] },
  'a liquid on a wide slab': { bodies: [LIQUID], obstacles: [{ shape: box(6, 0.2, 6), position: [0, -0.1, 0] }] },
  'a liquid by a ball': { bodies: [LIQUID], obstacles: [{ shape: { sphere: { radius: 1 } }, position: [2, 1, 0] }] },
};

test.each(Object.keys(MIXTURES))('and so of what is together: %s', async (kind) => {
  const { bodies, obstacles = [] } = MIXTURES[kind]!;
  const plane = { shape: { plane: { normal: [0, 1, 0], offset: 0 } } };
  for (const across of [10, 16, 20]) {
    const list = bodies.map((body, k) => ({
      shape: box(1, 1, 1),
      spacing: 1 / across,
      position: [0, 0.52, 1.3 * k],
      ...body,
    }));
    const text = JSON.stringify({ phyxel: 1, bodies: list, obstacles: [plane, ...obstacles] });
    const { scene } = parseScene(text, 'memory.json');
    const world = await loadScene(scene, { threads: 1 });
    try {
      world.step(0.002);
      const estimate = await estimateMemory(scene, () => expect.fail('there is no mesh'));
      expect(estimate / world.memoryBytes).toBeGreaterThan(0.8);
      expect(estimate / world.memoryBytes).toBeLessThan(1.2);
    } finally {
      await world.dispose();
    }
  }
});
