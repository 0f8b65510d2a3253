import { expect, test } from 'vitest';
import { estimateCrumbs, estimateMemory, loadScene, parseScene } from '../../src/index.js';

const box = (...size: number[]) => ({ box: { size } });
const FLOOR = { shape: { plane: {} } };
const SHEET = { shape: box(1, 0.1, 1), position: [0, 1, 0], spacing: 0.05 };
const LIQUID = { kind: 'fluid', shape: box(1, 1, 1), position: [0, 0.55, 0], spacing: 0.05 };
const RIGID = { kind: 'rigid', shape: box(0.5, 0.5, 0.5), spacing: 0.05 };

/** Scenes whose memory was told by a fifth or more too low or too high, or would be without the arrays that follow. */
const SCENES: Record<string, object> = {
  'a sheet in the wind': { bodies: [SHEET], wind: { velocity: [3, 0, 0] } },
  'a sheet with a body force': { bodies: [SHEET], acceleration: { field: ['sin(t)', '0', '0'] } },
  'a sheet under a load': { bodies: [SHEET], loads: [{ body: 'body', region: { all: true }, pressure: 10 }] },
  'water without the stress of its packing': { bodies: [LIQUID], solver: { fluid: { isotropy: 1 } } },
  'rigid bodies that Rapier moves, and nothing soft': {
    bodies: [0, 1, 2, 3].map((k) => ({ ...RIGID, position: [0, 0.3 + 0.6 * k, 0] })),
    solver: { rigid: 'rapier' },
  },
  'soft bodies thrown at each other': {
    bodies: [0, 1, 2].map((k) => ({
      ...{ shape: box(0.5, 0.5, 0.5), spacing: 0.05, position: [0, 0.26 + 0.51 * k, 0] },
      ...{ velocity: [0, -5 * k, 0], material: { youngsModulus: 2e4 } },
    })),
  },
};

test.each(Object.keys(SCENES))('memory is told within a fifth: %s', async (name) => {
  const scene: { bodies: object[] } = SCENES[name] as never;
  const bodies = scene.bodies.map((body, k) => ({ name: k === 0 ? 'body' : `body${k}`, ...body }));
  const { scene: parsed } = parseScene(JSON.stringify({ phyxel: 1, obstacles: [FLOOR], ...scene, bodies }), 'a.json');
  const world = await loadScene(parsed, { threads: 1 });
  try {
    world.step(0.02);
    const estimate = await estimateMemory(parsed, () => expect.fail('there is no mesh'));
    expect(estimate / world.memoryBytes).toBeGreaterThan(0.8);
    expect(estimate / world.memoryBytes).toBeLessThan(1.2);
  } finally {
    await world.dispose();
  }
});

test('pieces take no more than is told of crumbs', async () => {
  const brittle = { shape: box(1, 0.3, 1), spacing: 0.1, position: [0, 0.3, 0], velocity: [0, -20, 0] };
  const material = { youngsModulus: 1e6, tensileStrength: 2e3, fractureEnergy: 0.5 };
  const text = JSON.stringify({ phyxel: 1, obstacles: [FLOOR], bodies: [{ ...brittle, material }] });
  const { scene } = parseScene(text, 'a.json');
  const world = await loadScene(scene, { threads: 1 });
  try {
    const whole = world.memoryBytes;
    world.step(0.05);
    const pieces = world.brokenPieces().length;
    expect(pieces).toBeGreaterThan(0.5 * world.particleCount);
    const crumbs = await estimateCrumbs(scene, () => expect.fail('there is no mesh'));
    const taken = world.memoryBytes - whole;
    // Lists of what touches grow too, by less than that.
    expect(taken).toBeGreaterThan((0.8 * crumbs * pieces) / world.particleCount / 1.25);
    expect(taken).toBeLessThan(1.2 * crumbs);
  } finally {
    await world.dispose();
  }
});
