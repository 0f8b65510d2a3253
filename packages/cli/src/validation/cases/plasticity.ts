/** Solids that flow: pulled, crushed by impact, or left to creep. */
import { type Reading, study, type ValidationCase } from '../case.js';
import { forParticles, runSeries, type Series, validationScene, watch, withMaterial, withSpacing } from '../measure.js';

const YOUNG = 1e6;
const YIELD = 5e3;
const HARDENING = 2e5;

/** Logarithmic strain between the two probes of positions at every frame. */
function strains({ probes: { left, right } }: Series): number[] {
  const apart = right!.map(([x], k) => x! - left![k]![0]!);
  return apart.map((length) => Math.log(length / apart[0]!));
}

/** Kirchhoff stress at every frame: what is measured is that of Cauchy [Pa]. */
function stresses({ probes: { stress, volume } }: Series): number[] {
  return stress!.map(([s], k) => (s! * volume![k]![0]!) / volume![0]![0]!);
}

function pulled(name: string, hardening: number, read: (series: Series) => Reading, texts: [string, string]) {
  const [quantity, source] = texts;
  return {
    name,
    quantity,
    source,
    run: (full: boolean) =>
      study(
        {
          reference: 1,
          resolutions: [
            { across: 4, tolerance: 0.03 },
            { across: 8, tolerance: 0.03, full: true },
          ],
          async measure(across) {
            const scene = withMaterial(withSpacing(validationScene('plastic-bar'), 0.1 / across), { hardening });
            return read(await runSeries(scene));
          },
        },
        full,
      ),
  } satisfies ValidationCase;
}

/** When the bar is let go: frame 20 of 20 a second. */
const RELEASE = 20;

function permanentStrain(hardening: number): (series: Series) => Reading {
  return (series) => {
    const strain = strains(series);
    const total = strain[RELEASE]!;
    const expected = (YOUNG * total - YIELD) / (YOUNG + hardening);
    const left = strain.slice(-8).reduce((sum, x) => sum + x, 0) / 8;
    return { value: left / expected, note: `${(100 * left).toFixed(2)} % of ${(100 * total).toFixed(2)} % stays` };
  };
}

function slope(series: Series): Reading {
  const [strain, stress] = [strains(series), stresses(series)];
  const [from, to] = [RELEASE / 2, RELEASE];
  const measured = (stress[to]! - stress[from]!) / (strain[to]! - strain[from]!);
  return { value: measured / ((YOUNG * HARDENING) / (YOUNG + HARDENING)) };
}

const relaxation: ValidationCase = {
  name: 'relaxation',
  quantity: 'stress of a stretched viscoelastic block after 0.4 s over that of the exact exponential [1]',
  source: 'Maxwell material in shear, elastic in bulk: rate r 3K / (3K + mu) by the correspondence principle',
  run: (full) =>
    study(
      {
        reference: 1,
        resolutions: [
          { across: 4, tolerance: 0.05 },
          { across: 8, tolerance: 0.05, full: true },
        ],
        async measure(across) {
          const scene = withSpacing(validationScene('relaxation'), 0.1 / across);
          const { time, probes } = await runSeries(scene);
          const stress = probes.stress!.map(([s]) => s!);
          const bulk = YOUNG / (3 * (1 - 2 * 0.45));
          const shear = YOUNG / (2 * 1.45);
          const rate = (5 * 3 * bulk) / (3 * bulk + shear);
          const [from, to] = [5, 45];
          return stress[to]! / stress[from]! / Math.exp(-rate * (time[to]! - time[from]!));
        },
      },
      full,
    ),
};

const RADIUS = 0.0032;
const LENGTH = 0.0324;

/** One run gives both numbers. */
const taylorRuns = new Map<number, ReturnType<typeof runTaylorBar>>();

function taylorBar(across: number): ReturnType<typeof runTaylorBar> {
  const known = taylorRuns.get(across) ?? runTaylorBar(across);
  taylorRuns.set(across, known);
  return known;
}

/** Length and radius of the foot of Taylor's bar at the end [m]. */
async function runTaylorBar(across: number): Promise<{ length: number; foot: number }> {
  const spacing = (2 * RADIUS) / across;
  const scene = withSpacing(validationScene('taylor-bar'), spacing);
  const start: number[] = [];
  let length = 0;
  let foot = 0;
  await watch(scene, (world) => {
    let [first, last, top, rows] = [0, 0, 0, 0];
    let count = 0;
    forParticles(world, 'bar', (i, x, y, z) => {
      const radius = Math.hypot(x, z);
      if (world.time === 0) {
        start[2 * i] = radius;
        start[2 * i + 1] = y;
      }
      // The outer ring of the lowest layer, and the uppermost layer.
      if (start[2 * i + 1]! < spacing && start[2 * i]! > RADIUS - 0.75 * spacing) {
        first += start[2 * i]!;
        last += radius;
        count++;
      }
      if (start[2 * i + 1]! > LENGTH - spacing) {
        top += y;
        rows++;
      }
    });
    foot = (RADIUS * last) / first;
    length = top / rows + spacing / 2;
    if (count === 0) throw new Error('the foot has no outer ring');
  });
  return { length, foot };
}

function taylor(name: string, quantity: string, reference: number, of: 'length' | 'foot'): ValidationCase {
  return {
    name,
    quantity,
    full: true,
    source:
      'Taylor bar of copper at 227 m/s: finite elements after A. Kamoulakos 1990, Y. Zhu and S. Cescotto 1995 and G. T. Camacho and M. Ortiz 1997 lie between 21.3 and 21.7 mm, 6.9 and 7.2 mm',
    run: (full) =>
      study(
        {
          reference,
          resolutions: [{ across: 6 }, { across: 8, tolerance: 0.05 }],
          async measure(across) {
            return (await taylorBar(across))[of];
          },
        },
        full,
      ),
  };
}

const bar = 'one-dimensional elastoplasticity; the strain is that measured when the bar is let go';
export const plasticityCases: readonly ValidationCase[] = [
  pulled('plastic-bar', 0, permanentStrain(0), ['strain that stays over total less yield strain [1]', bar]),
  pulled('hardening-bar', HARDENING, permanentStrain(HARDENING), [
    'strain that stays over (E e - Y) / (E + H) [1]',
    bar,
  ]),
  pulled('hardening-slope', HARDENING, slope, ['slope of stress over strain in flow over E H / (E + H) [1]', bar]),
  relaxation,
  taylor('taylor-length', 'final length of the bar [m]', 0.0214, 'length'),
  taylor('taylor-foot', 'final radius of its foot [m]', 0.007, 'foot'),
];
