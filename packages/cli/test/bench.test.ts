import { describe, expect, it } from 'vitest';
import { measureImplicit } from '../src/bench/implicit.js';
import { costAt, costRatios, type PrecisionPoint } from '../src/bench/precision.js';

/** Errors of second order and costs of the fourth power of the resolution. */
const point = (scheme: string, across: number, factor: number): PrecisionPoint => ({
  scheme,
  across,
  particles: 0,
  error: factor / across ** 2,
  timeStep: 0,
  msPerStep: 0,
  cost: across ** 4,
  byAccident: false,
});

describe('cost at equal error', () => {
  const linear = [3, 5, 9].map((n) => point('linear', n, 1));

  it('lies on the curve between points and beyond the last', () => {
    expect(costAt(linear, 1 / 25)).toEqual({ cost: expect.closeTo(625, 6), extrapolated: false });
    expect(costAt(linear, 1 / 49)).toEqual({ cost: expect.closeTo(7 ** 4, 6), extrapolated: false });
    expect(costAt(linear, 1 / 400)).toEqual({ cost: expect.closeTo(20 ** 4, 4), extrapolated: true });
  });

  it('is not said of errors that nobody would ask for, or of a single point', () => {
    expect(costAt(linear, 1)).toBeUndefined();
    expect(costAt(linear.slice(0, 1), 1 / 9)).toBeUndefined();
  });

  it('compares the last scheme with the others, without accidents', () => {
    const lucky = { ...point('linear', 2, 1), error: 1e-6, byAccident: true };
    // A hundredth of the error at the same resolution and cost: as fine as ten times as many across.
    const ratios = costRatios([lucky, ...linear, point('quadratic', 3, 0.01)]);
    expect(ratios).toEqual([
      {
        scheme: 'quadratic, 3 across',
        other: 'linear',
        error: expect.closeTo(0.01 / 9, 12),
        ratio: expect.closeTo(1e4, 3),
        extrapolated: true,
        atLeast: expect.closeTo(81, 6),
      },
    ]);
  });
});

describe('implicit steps', () => {
  it('are timed, with what they took to solve', async () => {
    const [result, ...more] = await measureImplicit({
      name: 'beam',
      spacing: 0.05,
      timeStep: 1e-3,
      youngsModulus: 1e6,
      steps: 5,
      otherMilliseconds: 10,
      threads: [1],
    });
    expect(more).toEqual([]);
    expect(result).toMatchObject({ scene: 'beam', particles: 320, threads: 1, retries: 0 });
    expect(result!.bestMsPerStep).toBeLessThanOrEqual(result!.msPerStep);
    expect(result!.iterationsPerStep).toBeGreaterThan(0);
    expect(result!.comparison!.ratio).toBeCloseTo(10 / result!.msPerStep, 9);
  });
});
