import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseScene } from 'phyxel';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { fitOrder, passes, study, type ValidationCase } from '../src/validation/case.js';
import { PLATE } from '../src/validation/cases/plate.js';
import { VALIDATION_CASES } from '../src/validation/cases.js';
import { fitFrequency } from '../src/validation/measure.js';
import { plateMesh, toObj } from '../src/validation/plate-mesh.js';
import { writeReport } from '../src/validation/report.js';
import { toFailure, toRow } from '../src/validation/rows.js';
import {
  kirsch,
  lame,
  squareTorsionConstant,
  thinPlateFrequency,
  timoshenkoFrequency,
  uniaxialNeoHookean,
} from '../src/validation/theory.js';
import { phyxel } from './command-line.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-validate-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

const scenes = new URL('../validation/', import.meta.url);

it('a report is an .html page, and nothing else is written over', async () => {
  const file = join(folder, 'README.md');
  writeFileSync(file, '# Ours');
  const { code, err } = await phyxel('validate', 'free-fall', '--report', file);
  expect(code).toBe(2);
  expect(err).toContain('--report must be an .html file');
  expect(readFileSync(file, 'utf8')).toBe('# Ours');
});

describe('the closed forms', () => {
  it('a square bar twists with 0.1406 of its side to the fourth (Timoshenko and Goodier, table)', () => {
    expect(squareTorsionConstant()).toBeCloseTo(0.1406, 4);
  });

  it('a slender beam swings as a thin one', () => {
    const beam = { density: 1000, length: 1, thickness: 1e-3 };
    const timoshenko = timoshenkoFrequency({ ...beam, modulus: 1e6, shearModulus: 4e5, shearCoefficient: 5 / 6 });
    const thin = thinPlateFrequency({ ...beam, youngsModulus: 1e6, poissonsRatio: 0 });
    expect(timoshenko / thin).toBeCloseTo(1, 5);
  });

  it("the strip's period is that of the papers", () => {
    const strip = { youngsModulus: 2e6, poissonsRatio: 0.3975, density: 1000, length: 0.2, thickness: 0.02 };
    expect((2 * Math.PI) / thinPlateFrequency(strip)).toBeCloseTo(0.254, 3);
  });

  it('a hole triples the stress beside it, and is not felt far away', () => {
    expect(kirsch(1, Math.PI / 2, 0.3)).toMatchObject({ radial: 0, hoop: 3 });
    expect(kirsch(1, 0, 0.3).hoop).toBeCloseTo(-1, 12);
    expect(kirsch(100, 0, 0).vonMises).toBeCloseTo(1, 3);
  });

  it("a neo-Hookean bar begins with Young's modulus and Poisson's ratio, and its force is the slope of its energy", () => {
    const constants = lame(1e5, 0.4);
    const { force, lateral } = uniaxialNeoHookean(constants, 1 + 1e-6);
    expect(force / 1e-6 / 1e5).toBeCloseTo(1, 4);
    expect((1 - lateral) / 1e-6).toBeCloseTo(0.4, 4);
    const energy = (stretch: number) => uniaxialNeoHookean(constants, stretch).energy;
    expect((energy(2.5 + 1e-5) - energy(2.5 - 1e-5)) / 2e-5 / uniaxialNeoHookean(constants, 2.5).force).toBeCloseTo(
      1,
      6,
    );
  });
});

describe('measuring', () => {
  it('finds the order of an error', () => {
    const errors = [3, 5, 9].map((across) => ({ across, error: -2 / across ** 2 }));
    expect(fitOrder(errors)).toBeCloseTo(2, 12);
    expect(fitOrder([...errors, { across: 17, error: 1e-3 }])).toBeNull();
    expect(fitOrder(errors.slice(0, 1))).toBeNull();
  });

  it('finds a frequency beside a faster swing', () => {
    const time = Array.from({ length: 200 }, (_, k) => k / 100);
    const value = time.map((t) => 3 - Math.cos(2 * Math.PI * 1.31 * t) + 0.02 * Math.cos(2 * Math.PI * 8.2 * t));
    expect(fitFrequency(time, value, 1.2)).toBeCloseTo(1.31, 3);
  });

  it('runs the finer resolutions only in full, and judges each', async () => {
    const run = (full: boolean) =>
      study(
        {
          reference: 2,
          resolutions: [
            { across: 5, tolerance: 0.11 },
            { across: 9, tolerance: 0.01, full: true },
          ],
          measure: async (across) => 2 + 1 / across,
        },
        full,
      );
    const quick = await run(false);
    expect(quick.measurements.map(({ across, error }) => [across, error])).toEqual([[5, expect.closeTo(0.1, 12)]]);
    expect(passes(quick)).toBe(true);
    expect(passes(await run(true))).toBe(false);
  });
});

describe('the scenes', () => {
  const files = readdirSync(scenes).filter((file) => file.endsWith('.yaml'));

  it.each(files)('%s can be read', (file) => {
    expect(() => parseScene(readFileSync(new URL(file, scenes), 'utf8'), file)).not.toThrow();
  });

  it('the plate is the one that is written', () => {
    expect(readFileSync(new URL('meshes/plate-with-hole.obj', scenes), 'utf8')).toBe(toObj(plateMesh(PLATE)));
  });

  it('the plate is closed: every edge belongs to two triangles, in opposite directions', () => {
    const { triangles } = plateMesh(PLATE);
    const edges = new Set<string>();
    for (let k = 0; k < triangles.length; k += 3) {
      for (let c = 0; c < 3; c++) edges.add(`${triangles[k + c]} ${triangles[k + ((c + 1) % 3)]}`);
    }
    expect(edges.size).toBe(triangles.length);
    for (const edge of edges) expect(edges).toContain(edge.split(' ').reverse().join(' '));
  });
});

describe('the report', () => {
  const entry: ValidationCase = {
    name: 'beam-quadratic',
    quantity: 'deflection < 1 [m]',
    source: 'Timoshenko & others',
    curve: { figure: 'beam', panel: 'nu = 0.3', series: 'quadratic' },
    run: () => Promise.reject(new Error('not here')),
  };
  const measurements = [3, 5, 9].map((across) => ({
    across,
    measured: 1 + 1 / across ** 2,
    error: 1 / across ** 2,
    tolerance: across === 9 ? 0.02 : null,
    seconds: 0.1,
    cost: across ** 4 / 1000,
  }));
  const rows = [
    toRow(entry, { reference: 1, exact: 1, measurements, order: 2 }),
    toFailure({ ...entry, name: 'column' }, new Error('not finite')),
  ];
  const { html, figures, table } = writeReport(rows, { cpu: 'some', cores: 2, node: 'v20' }, '2026-01-01');

  it('needs nothing from elsewhere', () => {
    const withoutNames = html.replaceAll('http://www.w3.org/2000/svg', '');
    expect(withoutNames).not.toMatch(/https?:|<script|<link|@import|url\(|src=/);
    expect(html).toContain('prefers-color-scheme: dark');
  });

  it('draws what was measured, in numbers that exist', () => {
    expect(figures.map(({ name }) => name)).toEqual(['convergence-beam', 'work-precision']);
    for (const { svg } of figures) {
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      expect(svg.match(/<circle class="mark"/g)).toHaveLength(4);
    }
  });

  it('says what passes and what broke down', () => {
    expect(table.split('\n')).toHaveLength(4);
    expect(table).toContain('| beam-quadratic | 1.0000 | 9 | 1.0123 | +1.23 % | 2 % | 2.0 | pass |');
    expect(html).toContain('deflection &lt; 1 [m]');
    expect(html).toContain('broke down: not finite');
  });
});

describe('phyxel validate', () => {
  it('knows its cases', async () => {
    const { code, err } = await phyxel('validate', 'free-fal');
    expect(code).toBe(2);
    expect(err).toContain('there is no case "free-fal", did you mean "free-fall"?');
    expect(new Set(VALIDATION_CASES.map(({ name }) => name)).size).toBe(VALIDATION_CASES.length);
  });

  it('prints JSON and writes the page, and the table where there is a place for it', async () => {
    const readme = join(folder, 'README.md');
    writeFileSync(readme, 'Before\n<!-- table -->\nold\n<!-- end of table -->\nafter\n');
    const { code, out } = await phyxel('validate', 'free-fall', '--json', '--report', join(folder, 'report.html'));
    expect(code).toBe(0);
    const [row] = JSON.parse(out).cases;
    expect(row).toMatchObject({ case: 'free-fall', pass: true, tolerance: 1e-4 });
    expect(row.measurements).toHaveLength(1);
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('1 of 1');
    const text = readFileSync(readme, 'utf8');
    expect(text).toMatch(/^Before\n<!-- table -->\n\n\| case[\s\S]*\| free-fall[\s\S]*<!-- end of table -->\nafter\n$/);
    expect(text).not.toContain('old');
  });
});
