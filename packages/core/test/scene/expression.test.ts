import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  arcTangent,
  arcTangent2,
  exponential,
  hyperbolicTangent,
  logarithm,
  power,
} from '../../src/math/elementary.js';
import { ExpressionError, FUNCTIONS, parseExpression } from '../../src/options/expression.js';

const evaluated = (text: string, x = 0.3, y = -1.7, z = 2.5, t = 0.7) => parseExpression(text).evaluate(x, y, z, t);

function problemOf(text: string): { column: number; message: string } {
  try {
    parseExpression(text);
  } catch (error) {
    if (error instanceof ExpressionError) return { column: error.column, message: error.message };
    throw error;
  }
  throw new Error(`${text} was taken`);
}

describe('functions of our own', () => {
  /** Relative to the larger of the value and `floor`, in units of 2^-52. */
  const ulps = (ours: number, theirs: number, floor = 0) =>
    ours === theirs ? 0 : Math.abs(ours - theirs) / Math.max(Math.abs(theirs), floor) / 2 ** -52;

  test('agree with those of the engine to a few units in the last place', () => {
    for (let k = -4000; k <= 4000; k++) {
      const x = k / 200 + 1e-4 * k * k * Math.sign(k) * (k % 7);
      const positive = Math.abs(x) + 1e-3;
      if (Math.abs(x) < 700) expect(ulps(exponential(x), Math.exp(x))).toBeLessThan(4);
      expect(ulps(logarithm(positive), Math.log(positive), 1e-3)).toBeLessThan(4);
      expect(ulps(arcTangent(x), Math.atan(x))).toBeLessThan(4);
      expect(ulps(hyperbolicTangent(x / 100), Math.tanh(x / 100))).toBeLessThan(45);
      expect(arcTangent2(x, k)).toBeCloseTo(Math.atan2(x, k), 14);
    }
  });

  test('have the ends of their ranges', () => {
    expect(exponential(-800)).toBe(0);
    expect(exponential(800)).toBe(Infinity);
    expect(ulps(exponential(709.7), Math.exp(709.7))).toBeLessThan(4);
    expect(ulps(exponential(-740), Math.exp(-740), 1e-320)).toBeLessThan(1e13);
    expect(logarithm(0)).toBe(-Infinity);
    expect(logarithm(-1)).toBeNaN();
    expect(logarithm(5e-324)).toBeCloseTo(Math.log(5e-324), 10);
    expect(power(0, 0)).toBe(1);
    expect(power(-2, 3)).toBe(-8);
    expect(power(-8, 1 / 3)).toBeNaN();
    expect(power(-1, 101)).toBeCloseTo(-1, 12);
    expect(power(2, -2)).toBe(0.25);
    expect(power(2, 0.5)).toBeCloseTo(Math.SQRT2, 15);
  });
});

describe('formulas', () => {
  test.each([
    ['1 + 2 * 3', 7],
    ['-2^2', -4],
    ['2^-1', 0.5],
    ['2^3^2', 512],
    ['2**3', 8],
    ['(1 + 2) * 3', 9],
    ['8 / 4 / 2', 1],
    ['1 - 2 - 3', -4],
    ['7 % 3', 1],
    ['-1 % 3', 2],
    ['x + y + z + t', 0.3 - 1.7 + 2.5 + 0.7],
    ['1e-3 + .5 + 2.', 2.501],
    ['x < 1 ? 10 : 20', 10],
    ['x < 1 && y > 0 ? 10 : z > 2 || !1 ? 20 : 30', 20],
    ['max(x, y, z, t, 3, -1)', 3],
    ['clamp(z, 0, 1)', 1],
    ['ramp(t, 0.5, 1)', 0.4],
    ['smoothstep(0.5, 0, 1)', 0.5],
    ['sqrt(abs(y * y))', 1.7],
    ['(x >= 0.3) + (x <= 0.3) + (x == 0.3) + (x != 0.3)', 3],
    [' \t pi ', Math.PI],
  ])('%s', (text, value) => expect(evaluated(text)).toBeCloseTo(value, 12));

  test('mean what the same formula means in a program', () => {
    expect(evaluated('0.1 * sin(2*pi*x)')).toBeCloseTo(0.1 * Math.sin(2 * Math.PI * 0.3), 15);
    expect(evaluated('exp(-z) * cos(y) + atan2(y, x)')).toBeCloseTo(
      Math.exp(-2.5) * Math.cos(-1.7) + Math.atan2(-1.7, 0.3),
      14,
    );
    expect(evaluated('log(z) + tan(x) + asin(x) + acos(x) + tanh(t)')).toBeCloseTo(
      Math.log(2.5) + Math.tan(0.3) + Math.PI / 2 + Math.tanh(0.7),
      14,
    );
  });

  test('know what they depend on', () => {
    expect([...parseExpression('sin(2 * pi * x) + t').uses].sort()).toEqual(['t', 'x']);
    expect(parseExpression('2').uses.size).toBe(0);
  });

  test.each([
    ['', 1, /empty/],
    ['1 +', 4, /the end/],
    ['2 x', 3, /write "2 \* x"/],
    ['2x', 2, /write "2 \* x"/],
    ['sin x', 1, /write "sin\(...\)"/],
    ['sni(x)', 1, /did you mean "sin"/],
    ['x(2)', 1, /write "x \* \(...\)"/],
    ['0.1 * foo', 7, /"foo" is unknown/],
    ['(1 + 2', 7, /"\)" of the bracket at column 1/],
    ['1 + 2)', 6, /one too many/],
    ['sin()', 1, /takes 1 value, got 0/],
    ['sin(1, 2)', 1, /takes 1 value, got 2/],
    ['min(1,2,3,4,5,6,7,8,9)', 1, /takes 1 to 8 values/],
    ['x ? 1', 6, /":" of "\?"/],
    ['1 $ 2', 3, /means nothing/],
    ['x = 1', 3, /means nothing/],
    ['alert("x")', 7, /means nothing/],
    ['constructor', 1, /unknown/],
    ['toString()', 1, /no function/],
    ['__proto__', 1, /unknown/],
    ['1e999', 1, /too large/],
    ['x.y', 2, /means nothing/],
    ['('.repeat(500), 31, /nested/],
    ['-'.repeat(500), 60, /nested/],
    ['1+'.repeat(5000), 2000, /at most/],
  ])('%.20s is refused at its column', (text, column, message) => {
    const problem = problemOf(text as string);
    expect(problem.message).toMatch(message as RegExp);
    expect(Math.abs(problem.column - (column as number))).toBeLessThanOrEqual(1);
  });

  const formula = fc.letrec<{ sum: string; atom: string }>((tie) => ({
    atom: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('x', 'y', 'z', 't', 'pi', '2', '0.5', '1e-3'),
      tie('sum').map((inner) => `(${inner})`),
      fc
        .tuple(fc.constantFrom('sin', 'cos', 'exp', 'sqrt', 'abs', 'tanh', 'floor'), tie('sum'))
        .map(([f, a]) => `${f}(${a})`),
      fc
        .tuple(fc.constantFrom('min', 'max', 'atan2', 'pow'), tie('sum'), tie('sum'))
        .map(([f, a, b]) => `${f}(${a}, ${b})`),
    ),
    sum: fc
      .tuple(tie('atom'), fc.constantFrom(' + ', '-', ' * ', '/', '%', ' < '), tie('atom'))
      .map(([a, sign, b]) => `${a}${sign}${b}`),
  })).sum;

  test('whatever is well formed is a number, the same each time', () => {
    fc.assert(
      fc.property(formula, fc.double(), (text, x) => {
        let value: number;
        try {
          value = parseExpression(text).evaluate(x, 1, 2, 3);
        } catch (error) {
          // Too long or too deep.
          expect(error).toBeInstanceOf(ExpressionError);
          return;
        }
        expect(typeof value).toBe('number');
        expect(Object.is(parseExpression(text).evaluate(x, 1, 2, 3), value)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('any other text is refused with a column inside it, and nothing is run', () => {
    const words = [
      ...Object.keys(FUNCTIONS),
      'x',
      'y',
      't',
      '(',
      ')',
      ',',
      '+',
      '-',
      '*',
      '/',
      '?',
      ':',
      '1',
      '.',
      '"',
      '=',
      ';',
    ];
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...words)).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(text, (given) => {
        try {
          expect(typeof parseExpression(given).evaluate(1, 2, 3, 4)).toBe('number');
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError);
          expect((error as ExpressionError).column).toBeGreaterThanOrEqual(1);
          expect((error as ExpressionError).column).toBeLessThanOrEqual(given.length + 1);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
