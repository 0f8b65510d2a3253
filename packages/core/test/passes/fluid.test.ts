import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FluidState, type PlaneState, ReferenceFluid } from '../../reference/fluid.js';
import { cubicSpline, spiky } from '../../reference/kernels.js';
import * as layout from '../../src/particles/fluid-layout.js';
import * as solidLayout from '../../src/particles/layout.js';
import { calibrate, SUPPORT_RATIO } from '../../src/solvers/fluid/calibration.js';
import { FluidGrid } from '../../src/solvers/fluid/grid.js';
import * as kernels from '../../src/solvers/fluid/kernels.js';
import { halfSpaceAttraction } from '../../src/solvers/fluid/tension.js';
import { type Bench, block, buildBench, randomNumbers, relativeDifference, threes } from '../laws/support.js';

const SPACING = 0.1;
const H = SUPPORT_RATIO * SPACING;
const FLOOR = -0.36;
const BACK = -0.37;

const BONDS = {
  skin: layout.BOND_SKIN,
  edge: layout.BOND_EDGE / H,
  alone: layout.BOND_ALONE,
  full: layout.BOND_FULL,
  rise: layout.BOND_RISE,
};

/** Sums of some forty terms in float32, of which half cancel. */
const ROUNDING = 2e-5;

/** Between the rows of a table, linearly. */
function interpolated(
  table: Float32Array,
  width: number,
  lane: number,
  entry: number,
  last = layout.HALF_SPACE_ENTRIES - 2,
): number {
  const cell = Math.min(Math.max(Math.floor(entry), 0), last);
  const [low, high] = [table[width * cell + lane]!, table[width * (cell + 1) + lane]!];
  return low + (Math.max(entry, 0) - cell) * (high - low);
}

/** Two liquids of different density, viscosity and tension between two planes, a wall and a soft body. */
async function splash(
  pressure: 'dfsph' | 'wcsph',
): Promise<Bench & { twin: ReferenceFluid; strengths: number[]; tensions: number[] }> {
  const points = block([8, 7, 7], SPACING, 0.2, 3);
  const half = (from: number, to: number) => ({
    positions: points.positions.slice(3 * from, 3 * to),
    volumes: points.volumes.slice(from, to),
    spacings: points.spacings.slice(from, to),
  });
  const middle = points.volumes.length / 2;
  const soft = block([2, 4, 5], SPACING, 0.1, 4);
  for (let k = 0; k < soft.positions.length; k += 3) soft.positions[k]! -= 0.5;
  const bench = await buildBench(
    [
      {
        input: { name: 'water', kind: 'fluid', material: { viscosity: 0.7, surfaceTension: 3 } },
        points: half(0, middle),
      },
      { input: { name: 'soft' }, points: soft },
      {
        input: { name: 'oil', kind: 'fluid', material: { density: 700, viscosity: 2, surfaceTension: 1 } },
        points: half(middle, 2 * middle),
      },
    ],
    { solver: { fluid: { pressure } } },
    [
      { shape: { plane: { normal: [0, 1, 0], offset: FLOOR } }, slip: 0.25, adhesion: 0.4 },
      { shape: { plane: { normal: [0, 0, 1], offset: BACK } }, slip: 1, adhesion: 0 },
      { shape: { box: { size: [0.2, 0.8, 0.8] } }, position: [0.51, 0, 0], slip: 0.4, adhesion: 0.8 },
    ],
  );
  const { store } = bench.model.fluid!;
  const random = randomNumbers(8);
  const v = store.floats(layout.VELOCITY, 4 * store.count);
  for (let k = 0; k < v.length; k++) if (k % 4 < 3) v[k] = 2 * random() - 1;
  const vb = store.floats(layout.BOUNDARY_INPUT_VELOCITY, 4 * store.boundaryCount);
  for (let k = 0; k < vb.length; k++) if (k % 4 < 3) vb[k] = 2 * random() - 1;
  new FluidGrid(store, H, [0, 0, 0]).fit();
  store.sort();
  store.sortBoundary();
  store.findNeighbors();
  store.setFloat(layout.STEP, 1);
  store.run('computeLiquidPairs');

  const keiser = pressure === 'wcsph';
  const { volume, halfSpace } = calibrate(keiser ? kernels.spiky : kernels.cubicSpline, SPACING);
  const attraction = halfSpaceAttraction(SPACING);
  const cells = layout.HALF_SPACE_ENTRIES - 1;
  const plane = (normal: PlaneState['normal'], offset: number, noSlip: number, adhesion: number): PlaneState => ({
    normal,
    offset,
    velocity: [0, 0, 0],
    noSlip,
    adhesion,
    integrals: (distance) => {
      const row = [0, 1, 2, 3].map((lane) => interpolated(halfSpace, 4, lane, (cells / 2) * (distance / H + 1)));
      return { share: row[0]!, slope: row[1]!, tangential: row[2]!, normal: row[3]! };
    },
    pull: (distance) => interpolated(attraction, 1, 0, (cells * distance) / H),
  });
  const fourths = (slot: number, count: number) =>
    Float64Array.from({ length: count }, (_, i) => store.floats(slot, 4 * count)[4 * i + 3]!);
  const traits = store.floats(layout.BOUNDARY_TRAITS, 4 * store.boundaryCount).slice();
  const rows = store.integers(layout.BOUNDARY_TRAITS, 4 * store.boundaryCount).slice();
  const state: FluidState = {
    positions: threes(store.floats(layout.POSITION, 4 * store.count)),
    velocities: threes(store.floats(layout.VELOCITY, 4 * store.count)),
    volumes: new Float64Array(store.count).fill(volume),
    restVolumes: new Float64Array(store.count).fill(SPACING ** 3),
    masses: fourths(layout.POSITION, store.count).map((inverse) => 1 / inverse),
    phases: store.integers(layout.LIQUID_OF, store.count).slice(),
    boundary: {
      positions: threes(store.floats(layout.BOUNDARY_POSITION, 4 * store.boundaryCount)),
      velocities: threes(store.floats(layout.BOUNDARY_VELOCITY, 4 * store.boundaryCount)),
      volumes: fourths(layout.BOUNDARY_POSITION, store.boundaryCount),
      noSlips: fourths(layout.BOUNDARY_VELOCITY, store.boundaryCount),
      adhesions: Float64Array.from({ length: store.boundaryCount }, (_, b) => traits[4 * b]!),
      dragVolumes: Float64Array.from({ length: store.boundaryCount }, (_, b) => traits[4 * b + 1]!),
      kernel: (b, r) => {
        const table = store.engine.arena.f32(rows[4 * b + 2]!, 2 * layout.BOUNDARY_KERNEL_ENTRIES);
        const entry = (layout.BOUNDARY_KERNEL_ENTRIES - 1) * Math.min(r / H, 1);
        const last = layout.BOUNDARY_KERNEL_ENTRIES - 2;
        return { value: interpolated(table, 2, 0, entry, last), slopeOverR: interpolated(table, 2, 1, entry, last) };
      },
    },
    planes: [plane([0, 1, 0], FLOOR, 0.75, 0.4), plane([0, 0, 1], BACK, 0, 0)],
    support: H,
    kernels: keiser ? { value: spiky, gradient: spiky } : { value: cubicSpline, gradient: cubicSpline },
  };
  const table = store.floats(layout.LIQUIDS, (2 * layout.LIQUID_STRIDE) / 4);
  const column = (at: number) => [0, 1].map((k) => table[(k * layout.LIQUID_STRIDE + at) / 4]!);
  const [strengths, tensions] = [column(layout.LIQUID_ATTRACTION), column(layout.LIQUID_TENSION)];
  return { ...bench, twin: new ReferenceFluid(state), strengths, tensions };
}

describe.each(['dfsph', 'wcsph'] as const)('the passes of %s equal the reference', (pressure) => {
  let bench: Awaited<ReturnType<typeof splash>>;
  const random = randomNumbers(21);
  beforeAll(async () => {
    bench = await splash(pressure);
  });
  afterAll(() => bench.dispose());

  const storeOf = () => bench.model.fluid!.store;
  const floats = (slot: number) => Float64Array.from(storeOf().floats(slot, storeOf().count));
  /** Mass times what a pass has put into the accelerations [N]. */
  const forces = () => {
    const a = threes(storeOf().floats(layout.ACCELERATION, 4 * storeOf().count));
    return a.map((value, k) => value * bench.twin.state.masses[Math.floor(k / 3)]!);
  };
  const setPressures = (slot: number) => {
    const p = Float64Array.from({ length: storeOf().count }, () => Math.fround(500 * random()));
    storeOf().floats(slot, p.length).set(p);
    return p;
  };

  test('there is liquid at walls, at a body, at both planes and in the open', () => {
    const { count, boundaryCount } = storeOf();
    expect(count).toBe(8 * 7 * 7);
    expect(boundaryCount).toBeGreaterThan(140);
    const counts = storeOf().integers(layout.BOUNDARY_FOUND_COUNT, count);
    expect(Math.max(...counts)).toBeGreaterThan(10);
    expect(Math.min(...counts)).toBe(0);
  });

  test('in the density ratio', () => {
    expect(relativeDifference(floats(layout.RATIO), bench.twin.densityRatios())).toBeLessThan(2e-6);
  });

  test('in how open the surface is, and what it lacks by that', () => {
    const store = storeOf();
    const openings = bench.twin.openings();
    expect(relativeDifference(floats(layout.OPENING), openings)).toBeLessThan(ROUNDING);
    const { below, opening } = calibrate(pressure === 'wcsph' ? kernels.spiky : kernels.cubicSpline, SPACING);
    const table = store.floats(layout.LIQUIDS, (2 * layout.LIQUID_STRIDE) / 4);
    const kept = table.slice();
    for (const k of [0, 1]) table[(k * layout.LIQUID_STRIDE + layout.LIQUID_LOOSE) / 4] = 1;
    const deficits = openings.map((c) => Math.min(0.2, Math.max(0, (below * (c / opening - 0.25)) / 0.75)));
    expect(Math.max(...deficits)).toBeGreaterThan(0.1);
    expect(Math.min(...deficits)).toBe(0);
    const speeds = Float64Array.from({ length: store.count }, (_, i) =>
      Math.hypot(...bench.twin.state.velocities.subarray(3 * i, 3 * i + 3)),
    );
    // At first the whole of it, then a share, the more the farther it goes in a step; none by liquid of another density.
    const [before, step] = [0.05, 0.01];
    store.setFloat(layout.STEP, step);
    store.setInteger(layout.MIXED, 0);
    store.floats(layout.VACANCY, store.count).fill(-1);
    store.run('followSurface');
    expect(relativeDifference(floats(layout.VACANCY), deficits)).toBeLessThan(ROUNDING);
    store.floats(layout.VACANCY, store.count).fill(before);
    store.run('followSurface');
    const followed = deficits.map(
      (deficit, i) => before + Math.max(0.02, (0.5 * step * speeds[i]!) / H) * (deficit - before),
    );
    expect(relativeDifference(floats(layout.VACANCY), followed)).toBeLessThan(ROUNDING);
    const { masses, positions } = bench.twin.state;
    const isNear = (i: number, j: number) =>
      Math.hypot(...[0, 1, 2].map((a) => positions[3 * i + a]! - positions[3 * j + a]!)) < H;
    const unlike = (i: number, j: number) => Math.abs(Math.log(masses[i]! / masses[j]!)) > Math.log(1.1);
    const alone = deficits.map((deficit, i) => (masses.some((_, j) => unlike(i, j) && isNear(i, j)) ? 0 : deficit));
    expect(alone).not.toEqual(deficits);
    store.setInteger(layout.MIXED, 1);
    store.floats(layout.VACANCY, store.count).fill(-1);
    store.run('followSurface');
    expect(relativeDifference(floats(layout.VACANCY), alone)).toBeLessThan(ROUNDING);
    store.setInteger(layout.MIXED, 0);
    // Liquids with tension have none.
    table.set(kept);
    store.floats(layout.VACANCY, store.count).fill(-1);
    store.run('followSurface');
    const tense = (i: number) => bench.tensions[bench.twin.state.phases[i]!]! > 0;
    expect(
      relativeDifference(
        floats(layout.VACANCY),
        deficits.map((deficit, i) => (tense(i) ? 0 : deficit)),
      ),
    ).toBeLessThan(ROUNDING);
    store.setFloat(layout.STEP, 1);
  });

  // With a step of one second the source is what may close up, what of a compression is undone, and the rate.
  test.each([
    ['at once', 1, 0, (deficit: number) => deficit],
    ['slowly where little is lacking', 0.1, 0, (deficit: number) => Math.min(0.1 * deficit, deficit + 0.9 * 0.02)],
    ['at once, and slight compression is undone a hundredfold', 1, 100, (deficit: number) => deficit],
  ])('in the rate of the density ratio, and what closes up %s', (_, share, opening, closing) => {
    storeOf().setInteger(layout.CONSTANT_DENSITY, 0);
    storeOf().setFloat(layout.CLOSING, share);
    storeOf().setFloat(layout.OPENING_UP, opening);
    storeOf().setInteger(layout.FORESEEN, 0);
    const vacancies = floats(layout.VACANCY).map(() => Math.fround(0.1 * random()));
    storeOf().floats(layout.VACANCY, vacancies.length).set(vacancies);
    // Some are slightly compressed.
    const ratio = storeOf().floats(layout.RATIO, vacancies.length);
    const kept = ratio.slice();
    for (let i = 0; i < ratio.length; i += 3) ratio[i] = 1 - vacancies[i]! + 0.005 * random();
    storeOf().setInteger(layout.FROM_NOTHING, 1);
    storeOf().run('startPressures');
    const ratios = floats(layout.RATIO);
    expect(Math.min(...ratios)).toBeLessThan(0.98);
    expect(Math.max(...ratios)).toBeGreaterThan(1);
    const expected = bench.twin.densityRates().map((rate, i) => {
      const excess = ratios[i]! + vacancies[i]! - 1;
      return rate + (excess > 0 ? opening * Math.max(Math.min(excess, 0.004 - excess), 0) : closing(excess));
    });
    const between = (low: number, high: number) =>
      ratios.filter((s, i) => s + vacancies[i]! - 1 > low && s + vacancies[i]! - 1 < high).length;
    expect(Math.min(between(0, 0.002), between(0.002, 0.004), between(0.004, 1))).toBeGreaterThan(10);
    expect(relativeDifference(floats(layout.SOURCE), expected)).toBeLessThan(ROUNDING);
    storeOf().setFloat(layout.OPENING_UP, 0);
    ratio.set(kept);
  });

  test('in the pressure factor', () => {
    expect(relativeDifference(floats(layout.FACTOR), bench.twin.pressureFactors())).toBeLessThan(ROUNDING);
  });

  test('in the pressure force', () => {
    const p = setPressures(layout.PRESSURE);
    storeOf().setInteger(layout.SOLVED, storeOf().address(layout.PRESSURE));
    storeOf().run('computePressureAccelerations');
    expect(relativeDifference(forces(), bench.twin.pressureForces(p).fluid)).toBeLessThan(ROUNDING);
  });

  test('in the rate and the force between liquids of several densities, and all is as before after that', () => {
    const store = storeOf();
    const { twin } = bench;
    const p = setPressures(layout.PRESSURE);
    const slots = [layout.GRADIENT, layout.VELOCITY].map((slot) => [slot, 4] as const);
    const before = () =>
      [...slots, [layout.PRESSURE, 1] as const].map(([slot, width]) => store.floats(slot, width * store.count).slice());
    const kept = before();
    const coefficients = () => {
      const counts = store.integers(layout.PAIR_COUNT, store.count);
      const begins = store.integers(layout.PAIR_BEGIN, store.count);
      const all = store.floats(layout.COEFFICIENTS, begins.at(-1)! + counts.at(-1)!);
      return [...counts].flatMap((count, i) => [...all.subarray(begins[i]!, begins[i]! + count)]);
    };
    const keptCoefficients = coefficients();
    const heaviest = Math.max(...twin.state.masses);
    const roots = Float64Array.from(twin.state.masses, (mass) => Math.sqrt(mass / heaviest));
    expect(Math.min(...roots)).toBeLessThan(0.9);
    store.setFloat(layout.CORRECTION_PER_MASS, 1 / heaviest);
    store.setInteger(layout.WEIGHED, 1);
    store.run('enterLayers');
    store.setInteger(layout.SOLVED, store.address(layout.PRESSURE));
    store.run('computePressureAccelerations');
    const pushed = forces().map((f, k) => f / roots[Math.floor(k / 3)]!);
    expect(relativeDifference(pushed, twin.pressureForces(p, true).fluid)).toBeLessThan(ROUNDING);
    expect(relativeDifference(pushed, twin.pressureForces(p).fluid)).toBeGreaterThan(0.01);

    store.setInteger(layout.CONSTANT_DENSITY, 0);
    store.setFloat(layout.CLOSING, 1);
    store.floats(layout.VACANCY, store.count).fill(0);
    store.setInteger(layout.FROM_NOTHING, 1);
    store.run('startPressures');
    const ratios = floats(layout.RATIO);
    const rates = floats(layout.SOURCE).map((source, i) => source / roots[i]! - Math.min(ratios[i]! - 1, 0));
    expect(relativeDifference(rates, twin.densityRates(true))).toBeLessThan(ROUNDING);

    store.run('leaveLayers');
    store.setInteger(layout.WEIGHED, 0);
    store.setFloat(layout.CORRECTION_PER_MASS, 0);
    for (const [k, array] of before().entries()) expect(relativeDifference(array, kept[k]!)).toBeLessThan(1e-6);
    expect(relativeDifference(coefficients(), keptCoefficients)).toBeLessThan(1e-6);
  });

  test('in surface tension', () => {
    storeOf().run('applyGravity');
    storeOf().run('computeNormals');
    storeOf().run('applyTension');
    const { twin, strengths, tensions } = bench;
    const attracted = twin.cohesionForces(strengths, twin.bonds(BONDS)).fluid;
    const drawn = twin.surfaceForces(tensions, layout.FAINT / H);
    expect(
      relativeDifference(
        forces(),
        drawn.map((f, k) => f + attracted[k]!),
      ),
    ).toBeLessThan(ROUNDING);
  });

  const viscosities = () => {
    const velocities = storeOf().floats(layout.VELOCITY, 4 * storeOf().count);
    return Float64Array.from({ length: storeOf().count }, (_, i) => velocities[4 * i + 3]!);
  };

  test.runIf(pressure === 'dfsph')('in the viscous force', () => {
    storeOf().setInteger(layout.EXPLICIT, 1);
    storeOf().setFloat(layout.EDDY, 0);
    storeOf().run('applyGravity');
    storeOf().run('applyViscosity');
    storeOf().run('applyWallDrag');
    expect(relativeDifference(forces(), bench.twin.viscousForces(viscosities()).fluid)).toBeLessThan(ROUNDING);
  });

  test.runIf(pressure === 'dfsph')('in the viscous force of small eddies', () => {
    storeOf().setInteger(layout.EXPLICIT, 0);
    storeOf().setFloat(layout.EDDY, 0.3);
    // Some of the differences of velocity are cut off.
    const fastest = 0.2;
    storeOf().setFloat(layout.STEP, (0.15 * SPACING) / fastest);
    storeOf().run('applyGravity');
    storeOf().run('applyViscosity');
    expect(relativeDifference(forces(), bench.twin.eddyForces(0.3 * SPACING, fastest))).toBeLessThan(ROUNDING);
  });

  test.runIf(pressure === 'dfsph')('in both viscous forces when they come with the pairs', () => {
    const fastest = 0.2;
    storeOf().setInteger(layout.EXPLICIT, 1);
    storeOf().setFloat(layout.EDDY, 0.3);
    storeOf().setFloat(layout.STEP, (0.15 * SPACING) / fastest);
    storeOf().run('computeViscousPairs');
    storeOf().run('applyWallDrag');
    const viscous = bench.twin.viscousForces(viscosities()).fluid;
    const eddies = bench.twin.eddyForces(0.3 * SPACING, fastest);
    const both = viscous.map((f, k) => f + eddies[k]!);
    expect(relativeDifference(forces(), both)).toBeLessThan(ROUNDING);
  });

  test.runIf(pressure === 'dfsph')(
    'in what moving straight on will compress, which is a source for velocities only',
    () => {
      const store = storeOf();
      store.run('computeViscousPairs');
      const foreseen = bench.twin.straightCompressions();
      expect(relativeDifference(floats(layout.LEFT), foreseen)).toBeLessThan(ROUNDING);
      store.setInteger(layout.FROM_NOTHING, 1);
      const sources = (step: number, use: number, positions: number) => {
        store.setFloat(layout.STEP, step);
        store.floats(layout.LEFT, store.count).set(foreseen);
        store.setInteger(layout.CONSTANT_DENSITY, positions);
        store.setInteger(layout.FORESEEN, use);
        store.run('startPressures');
        return floats(layout.SOURCE);
      };
      const added = (step: number) => {
        const without = sources(step, 0, 0);
        return sources(step, 1, 0).map((source, i) => source - without[i]!);
      };
      // Expansion does not count, and compression not above 2 %; differences of numbers a hundred times as large.
      const [most, least] = [Math.max(...foreseen), Math.min(...foreseen)];
      expect(least).toBeLessThan(-0.1 * most);
      const step = Math.sqrt(0.04 / most);
      const counted = foreseen.map((e) => Math.max(0, Math.min(0.02, step * step * e)) / (step * step));
      expect(Math.max(...counted)).toBeLessThan(0.6 * most);
      expect(relativeDifference(added(step), counted)).toBeLessThan(10 * ROUNDING);
      expect(sources(1, 1, 1)).toEqual(sources(1, 0, 1));
      store.setInteger(layout.FORESEEN, 0);
    },
  );

  test.runIf(pressure === 'dfsph')('in what bodies feel of pressure, viscosity and attraction', () => {
    const p = setPressures(layout.PRESSURE);
    const store = storeOf();
    const solids = bench.model.store;
    store.run('computeReactions', solids.count);
    const parts = [
      bench.twin.pressureForces(p),
      bench.twin.viscousForces(viscosities()),
      bench.twin.cohesionForces(bench.strengths),
    ];
    const origins = store.integers(layout.BOUNDARY_ORIGIN, store.boundaryCount);
    const first = store.boundaryCount - solids.count;
    const expected = new Float64Array(3 * solids.count);
    for (const [b, from] of origins.entries()) {
      if (from < first) continue;
      for (const { boundary } of parts) {
        for (let a = 0; a < 3; a++) expected[3 * (from - first) + a]! += boundary[3 * b + a]!;
      }
    }
    const felt = threes(solids.floats(solidLayout.EXTERNAL_FORCE, 4 * solids.count));
    expect(relativeDifference(felt, expected)).toBeLessThan(ROUNDING);
  });
});
