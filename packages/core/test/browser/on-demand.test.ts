import { expect, test } from 'vitest';
import { WorldHost } from '../../src/browser/host.js';
import type { FromWorker, RequestName } from '../../src/browser/protocol.js';
import type { SceneInput } from '../../src/options/index.js';
import { resolveScene } from '../../src/scene/schema.js';
import { further, isPlain } from '../../src/world/on-demand.js';

const plain: SceneInput = {
  phyxel: 1,
  bodies: [
    { name: 'cube', shape: { box: { size: [0.2, 0.2, 0.2] } }, spacing: 0.05, material: { youngsModulus: 5e4 } },
    { name: 'stone', kind: 'rigid', shape: { sphere: { radius: 0.1 } }, position: [0, 0.4, 0], spacing: 0.05 },
  ],
  obstacles: [{ shape: { plane: { offset: -0.2 } } }],
  constraints: [{ body: 'cube', region: { box: { min: [-1, -1, -1], max: [1, -0.05, 1] } }, fix: true }],
  probes: [{ name: 'energy', quantity: 'energy' }],
};
const [cube, stone] = plain.bodies as [object, object];
const box = { box: { min: [-1, -1, -1], max: [1, 1, 1] } };

test('what flows, breaks, is heated, loaded or blown at asks for further solvers, elastic and rigid bodies do not', () => {
  expect(isPlain(resolveScene(plain))).toBe(true);
  const others: Record<string, object> = {
    liquid: { bodies: [{ ...cube, kind: 'fluid' }], constraints: [] },
    embedded: { bodies: [{ ...cube, discretisation: 'embedded', material: { yieldStress: 1e3 } }] },
    renewed: { bodies: [{ ...cube, discretisation: 'renewed', material: { yieldStress: 1e3 } }] },
    brittle: { bodies: [{ ...cube, material: { tensileStrength: 1e3, fractureEnergy: 1 } }] },
    'brittle in a region': {
      bodies: [{ ...cube, regions: [{ region: box, set: { tensileStrength: 1e3, fractureEnergy: 1 } }] }],
    },
    'made brittle': { events: [{ time: 0.1, body: 'cube', set: { youngsModulus: 1e4 } }] },
    viscous: { bodies: [{ ...cube, material: { viscosity: 10 } }, stone] },
    warm: { bodies: [{ ...cube, temperature: 30 }, stone] },
    'warm world': { temperature: 30 },
    'warm floor': { obstacles: [{ shape: { plane: {} }, temperature: 30 }] },
    heated: { heat: [{ body: 'cube', region: box, power: 1 }] },
    windy: { wind: { velocity: [1, 0, 0] } },
    loaded: { loads: [{ body: 'cube', region: box, pressure: 10 }] },
    source: { emitters: [{ name: 'jet', radius: 0.1, speed: 1, spacing: 0.02 }] },
  };
  for (const [name, change] of Object.entries(others)) {
    expect(isPlain(resolveScene({ ...plain, ...change } as SceneInput)), name).toBe(false);
  }
});

test('a page fetches further solvers when something asks for them, and not before', async () => {
  const waiting = new Map<number, (message: FromWorker) => void>();
  const host = new WorldHost((message) => {
    if ('id' in message && !('begun' in message)) waiting.get(message.id)?.(message);
  });
  let id = 0;
  const ask = (request: RequestName, argument?: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      waiting.set(++id, (message) =>
        'failure' in message ? reject(new Error(message.failure.message)) : resolve(message),
      );
      host.receive({ id, request, argument } as never);
    });
  try {
    await ask('open', { scene: plain, threads: 1 });
    await ask('step');
    await ask('grab', { body: 'cube', point: [0, 0.1, 0] });
    expect(() => further()).toThrow(/without the solvers/);
    // The cube can break from now on, and take up heat.
    await ask('setMaterial', { body: 'cube', set: { tensileStrength: 1e3, fractureEnergy: 1 } });
    await ask('setTemperature', { body: 'cube', temperature: 50 });
    await ask('step');
    expect(further()).toBeDefined();
    await ask('open', { scene: { ...plain, bodies: [{ ...cube, kind: 'fluid' }], constraints: [] }, threads: 1 });
    await ask('step');
  } finally {
    await host.dispose();
  }
});
