/** Which plots the results give. */
import { drawFigure, type PlotLine, type PlotPanel } from './plot.js';
import type { Row } from './rows.js';

export interface Figure {
  readonly name: string;
  readonly caption: string;
  readonly svg: string;
}

/** Errors below this are rounding of float32 and of the references, and would only stretch the axis. */
const FLOOR = 1e-4;
const signed = (error: number) => `${error > 0 ? '+' : ''}${(100 * error).toPrecision(2)} %`;

const CONVERGENCE = [
  {
    name: 'beam',
    title: 'Clamped beam, error of the tip deflection',
    subtitle: 'length/thickness 10, own weight; beside three-dimensional elasticity',
    xLabel: 'particles across',
    caption:
      'The clamped beam for three Poisson’s ratios: regular particles with both fits, and particles moved at random by up to 0.3 of a spacing.',
  },
  {
    name: 'turek-hron',
    title: 'Elastic bar of Turek and Hron, error of the tip',
    subtitle: 'quadratic fit, plane strain, large rotations',
    xLabel: 'particles across',
    caption: 'The bar behind the cylinder: at rest (CSM1), stiffer at rest (CSM2) and swinging (CSM3).',
  },
  {
    name: 'others',
    title: 'Waves, torsion, hole and strip: error',
    subtitle: 'along the hole’s radius for the plate, across the thickness for the others',
    xLabel: 'particles',
    caption: 'The other cases that were run at several resolutions.',
  },
] as const;

export function drawFigures(rows: readonly Row[]): Figure[] {
  const figures: Figure[] = [];
  for (const { name, caption, ...texts } of CONVERGENCE) {
    const panels = convergencePanels(rows.filter((row) => row.curve?.figure === name));
    if (panels.length === 0) continue;
    const svg = drawFigure({ ...texts, panels, orders: [1, 2], xTicks: 'points' });
    figures.push({ name: `convergence-${name}`, caption, svg });
  }
  const work = workPrecision(rows);
  if (work) figures.push(work);
  return figures;
}

function convergencePanels(rows: readonly Row[]): PlotPanel[] {
  const panels = new Map<string, PlotLine[]>();
  for (const { curve, measurements } of rows) {
    if (!curve || measurements.length === 0) continue;
    const lines = panels.get(curve.panel) ?? [];
    panels.set(curve.panel, lines);
    lines.push({
      name: curve.series,
      points: measurements.map(({ across, error, tolerance }) => ({
        x: across,
        y: Math.max(FLOOR, Math.abs(error)),
        title: `${curve.panel}, ${curve.series}, ${across}: ${signed(error)}`,
        goal: tolerance ?? undefined,
      })),
    });
  }
  return [...panels].map(([title, lines]) => ({ title, lines }));
}

/** Error against what a simulated second costs, where that was measured. */
function workPrecision(rows: readonly Row[]): Figure | undefined {
  const lines = rows.flatMap(({ curve, measurements }): PlotLine[] => {
    const timed = measurements.filter(({ cost }) => cost !== null);
    if (!curve || timed.length === 0) return [];
    const points = timed.map(({ across, error, cost }) => ({
      x: cost!,
      y: Math.max(FLOOR, Math.abs(error)),
      label: String(across),
      title: `${curve.series}, ${across} across: ${signed(error)} for ${cost!.toPrecision(2)} s`,
    }));
    return [{ name: curve.series, points }];
  });
  if (lines.length === 0) return undefined;
  const svg = drawFigure({
    title: 'What accuracy costs',
    subtitle: 'error of the clamped beam, nu 0.3, against the work of explicit steps; numbers are particles across',
    xLabel: 'CPU seconds per simulated second',
    xTicks: 'decades',
    panels: [{ title: '', lines }],
  });
  const caption = 'Error of the beam against the work of a simulated second, explicit steps on one thread.';
  return { name: 'work-precision', caption, svg };
}
