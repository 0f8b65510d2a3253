import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HeatParticle, heatPairs } from '../../reference/index.js';
import { Engine } from '../../src/memory/engine.js';
import * as layout from '../../src/particles/heat-layout.js';
import { HeatStore } from '../../src/particles/heat-store.js';
import { randomNumbers } from '../laws/support.js';

const GEOMETRY = { reach: 1.5, support: 0.2, scale: 40, surface: 0.4 };

/** Two bodies and a liquid, all mixed up. */
function cloud(count: number): HeatParticle[] {
  const random = randomNumbers(7);
  return Array.from({ length: count }, (_, i) => {
    const network = i < count / 4 ? 0 : i < count / 2 ? 1 : 'liquid';
    const edge = network === 1 ? 0.07 : 0.1;
    const position = () => Math.fround(random() - 0.5);
    return { position: [position(), position(), position()], edge: Math.fround(edge), network, area: edge * edge };
  });
}

describe('the WASM passes of heat', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await Engine.create(1);
  });
  afterAll(() => engine.dispose());

  function laidOut(particles: readonly HeatParticle[], period: readonly [number, number, number]): HeatStore {
    const solids = particles.filter(({ network }) => network !== 'liquid').length;
    const store = new HeatStore(engine, solids, particles.length - solids);
    store.setVector(layout.PERIOD, [...period, 0]);
    store.setFloat(layout.REACH, GEOMETRY.reach);
    store.setFloat(layout.LIQUID_SUPPORT, GEOMETRY.support);
    store.setFloat(layout.LIQUID_SCALE, GEOMETRY.scale);
    store.setFloat(layout.LIQUID_SURFACE, GEOMETRY.surface);
    store.allocate(layout.REST_PAIRS, 16);
    store.allocateGrid(GEOMETRY.support);
    for (const [i, { position, edge, network, area }] of particles.entries()) {
      store.floats(layout.POSITION, 4 * store.count).set([...position, edge], 4 * i);
      store.integers(layout.NETWORK, store.count)[i] = network === 'liquid' ? layout.IN_LIQUID : network;
      store.floats(layout.AREA, store.count)[i] = area;
    }
    store.findPairs(true);
    return store;
  }

  function pairsOf(store: HeatStore): Map<string, number> {
    const begins = store.integers(layout.PAIR_BEGIN, store.count + 1);
    const floats = store.floats(layout.PAIRS, (layout.PAIR_STRIDE / 4) * store.pairs);
    const integers = store.integers(layout.PAIRS, (layout.PAIR_STRIDE / 4) * store.pairs);
    const found = new Map<string, number>();
    for (let i = 0; i < store.count; i++) {
      for (let k = begins[i]!; k < begins[i + 1]!; k++) found.set(`${i} ${integers[4 * k]}`, floats[4 * k + 1]!);
    }
    return found;
  }

  test.each([
    ['in open space', [0, 0, 0]],
    ['where space repeats', [1, 0, 1]],
  ] as const)('find the pairs of the reference %s, the same from both sides', (_, period) => {
    const particles = cloud(600);
    const found = pairsOf(laidOut(particles, period));
    const expected = heatPairs(particles, { ...GEOMETRY, period });
    expect(found.size).toBe(expected.size);
    const largest = Math.max(...expected.values());
    for (const [key, g] of found) {
      // Float32; weights near the end of their reach are small differences.
      expect(Math.abs(g - expected.get(key)!), key).toBeLessThan(1e-4 * Math.abs(expected.get(key)!) + 1e-6 * largest);
      const [i, j] = key.split(' ');
      expect(found.get(`${j} ${i}`)).toBe(g);
    }
  });

  test('let heat flow by the definition, and add nothing', () => {
    const store = laidOut(cloud(600), [0, 0, 0]);
    const random = randomNumbers(3);
    const temperatures = store.doubles(layout.TEMPERATURE);
    const mixed = store.doubles(layout.RESISTANCE);
    const hot = store.doubles(layout.HOT_RESISTANCE);
    const cold = store.doubles(layout.COLD_RESISTANCE);
    for (let i = 0; i < store.count; i++) {
      // Some are as warm as others.
      temperatures[i] = Math.floor(20 * random());
      mixed[i] = random() < 0.1 ? Number.POSITIVE_INFINITY : random();
      hot[i] = cold[i] = mixed[i]!;
      // Some melt.
      if (random() < 0.3) hot[i] = random();
    }
    store.doubles(layout.MASS).fill(1);
    store.allocate(layout.MATERIALS, layout.MATERIAL_STRIDE);
    engine.arena.f64(store.address(layout.MATERIALS), 8).fill(1);
    store.run('computeHeatCoefficients');
    store.setInteger(layout.READ, store.address(layout.TEMPERATURE));
    store.run('computeHeatFlux');
    const fluxes = store.doubles(layout.FLUX);
    const expected = new Float64Array(store.count);
    for (const [key, g] of pairsOf(store)) {
      const [i, j] = key.split(' ').map(Number) as [number, number];
      const difference = temperatures[j]! - temperatures[i]!;
      const bothMelt = hot[i] !== cold[i] && hot[j] !== cold[j];
      const [own, other] = bothMelt ? [mixed, mixed] : difference > 0 ? [hot, cold] : [cold, hot];
      if (difference !== 0) expected[i]! += (g / (own[i]! + other[j]!)) * difference;
    }
    const largest = Math.max(...expected.map(Math.abs));
    for (let i = 0; i < store.count; i++) expect(Math.abs(fluxes[i]! - expected[i]!)).toBeLessThan(1e-13 * largest);
    expect(Math.abs(fluxes.reduce((sum, q) => sum + q, 0))).toBeLessThan(1e-12 * largest);
  });
});
