/** When a run ends before its duration: when everything has come to rest, or when a probe passes a value. */
import type * as z from 'zod';
import { probeColumns } from './actions.js';
import { LARGEST, list, name, number, object } from './declare.js';
import { describeValue, type Path } from './errors.js';
import type { Scene, UntilOptions } from './types.js';

const REST_TEXT = 'Nothing has moved faster than a speed for some time.';
const atRest = object(
  {
    speed: number({ unit: 'm/s', above: 0, atMost: LARGEST, text: 'Of the fastest particle, at every frame.' }),
    seconds: number({ unit: 's', above: 0, atMost: LARGEST, default: 0.5, text: 'For so long.' }),
  },
  { id: 'Rest', text: REST_TEXT },
);

const crossing = object(
  {
    probe: name('Column of probes.csv: the name of a probe, of a vector with .x, .y or .z.'),
    above: number({ unit: 'unit of the probe', text: 'It ends at a frame with a larger value.' }).optional(),
    below: number({ unit: 'unit of the probe', text: 'It ends at a frame with a smaller value.' }).optional(),
  },
  { text: 'A value that a probe passes.' },
)
  .refine(({ above, below }) => above !== undefined || below !== undefined, {
    error: 'needs above or below: it would never end',
  })
  .meta({ id: 'Crossing', description: 'A value that a probe passes.' });

const TEXT = 'Ends the run at the first frame at which one of these holds, at the latest after the duration.';
export const untilSchema = object(
  {
    atRest: atRest.optional(),
    probes: list(crossing, 'Values that probes pass.'),
  },
  { text: TEXT },
)
  .refine(({ atRest, probes }) => atRest !== undefined || probes.length > 0, {
    error: 'is empty: give it atRest or probes',
  })
  .meta({ id: 'Until', description: TEXT }) as unknown as z.ZodType<UntilOptions>;

/** What is wrong with it beside the rest of its scene. */
export function checkUntil(scene: Scene, report: (path: Path, message: string) => void): void {
  if (!scene.until) return;
  if (scene.static) report([], 'has no effect on an equilibrium: leave it or static out');
  const columns = scene.probes.flatMap(probeColumns);
  for (const [k, { probe }] of scene.until.probes.entries()) {
    if (columns.includes(probe)) continue;
    report(
      ['probes', k, 'probe'],
      `is no column of the probes, got ${describeValue(probe)}; columns are ${columns.join(', ') || 'none'}`,
    );
  }
}

/** A frame as `reasonToStop` sees it. */
export interface Observed {
  /** [s] */
  readonly time: number;
  /** [m/s] */
  readonly maximumSpeed: number;
  /** Values of the columns of all probes of the scene, in their order. */
  readonly probes: readonly number[];
}

/** Why a run ends with the last of its frames so far; undefined when it goes on. */
export function reasonToStop(
  { until, probes }: Pick<Scene, 'until' | 'probes'>,
  frames: readonly Observed[],
): string | undefined {
  const last = frames.at(-1);
  if (!until || !last || frames.length < 2) return undefined;
  const columns = probes.flatMap(probeColumns);
  for (const { probe, above, below } of until.probes) {
    const value = last.probes[columns.indexOf(probe)]!;
    if (above !== undefined && value > above) return `${probe} is ${value}, above ${above}`;
    if (below !== undefined && value < below) return `${probe} is ${value}, below ${below}`;
  }
  if (!until.atRest) return undefined;
  const { speed, seconds } = until.atRest;
  const begin = last.time - seconds * (1 - 1e-9);
  if (begin < frames[0]!.time) return undefined;
  // The frame at which the time begins counts too.
  const first = frames.findLastIndex(({ time }) => time <= begin);
  if (!frames.slice(first).every(({ maximumSpeed }) => maximumSpeed < speed)) return undefined;
  return `nothing has moved faster than ${speed} m/s for ${seconds} s`;
}
