/** What a case of the scoreboard is, and how its runs at several resolutions become one result. */

/** One run of a case. */
export interface Measurement {
  /** Particles across the thickness that matters. */
  readonly across: number;
  readonly measured: number;
  /** Relative to the exact value of the case; positive where too much was measured. */
  readonly error: number;
  /** Largest error that passes; null where nothing is promised. */
  readonly tolerance: number | null;
  /** Wall-clock time of the run [s]. */
  readonly seconds: number;
  /** CPU seconds that a simulated second takes on one thread, where that was measured. */
  readonly cost: number | null;
}

export interface CaseResult {
  /** What the outside source says. */
  readonly reference: number;
  /** What the engine should converge to: the reference, or the reference without its own simplifications. */
  readonly exact: number;
  /** From coarse to fine. */
  readonly measurements: readonly Measurement[];
  /** Order of convergence; null where there is one resolution or the error changes its sign. */
  readonly order: number | null;
  readonly note?: string | undefined;
}

/** The line of a plot that a case draws. */
export interface Curve {
  readonly figure: string;
  readonly panel: string;
  readonly series: string;
}

/** Something that the engine computes and that is known from elsewhere. */
export interface ValidationCase {
  readonly name: string;
  /** What is compared, with its unit. */
  readonly quantity: string;
  readonly source: string;
  /** Only with --full. */
  readonly full?: boolean;
  readonly curve?: Curve;
  run(full: boolean): Promise<CaseResult>;
}

export interface Resolution {
  readonly across: number;
  /** Largest relative error that passes. */
  readonly tolerance?: number;
  /** Only with --full. */
  readonly full?: boolean;
}

/** What one run gives. */
export interface Reading {
  readonly value: number;
  readonly cost?: number;
  readonly note?: string;
}

export interface Study {
  readonly reference: number;
  readonly exact?: number;
  readonly resolutions: readonly Resolution[];
  measure(across: number): Promise<number | Reading>;
}

/** Runs a study at its resolutions, from coarse to fine. */
export async function study({ reference, exact = reference, resolutions, measure }: Study, full: boolean) {
  const measurements: Measurement[] = [];
  let note: string | undefined;
  for (const { across, tolerance, full: slow } of resolutions) {
    if (slow && !full) continue;
    const started = performance.now();
    const result = await measure(across);
    const seconds = (performance.now() - started) / 1000;
    const reading: Reading = typeof result === 'number' ? { value: result } : result;
    note = reading.note;
    measurements.push({
      across,
      measured: reading.value,
      error: reading.value / exact - 1,
      tolerance: tolerance ?? null,
      seconds,
      cost: reading.cost ?? null,
    });
  }
  return { reference, exact, measurements, order: fitOrder(measurements), note } satisfies CaseResult;
}

/** One run, one number. */
export async function single(
  reference: number,
  tolerance: number,
  across: number,
  measure: () => Promise<number | Reading>,
): Promise<CaseResult> {
  return study({ reference, resolutions: [{ across, tolerance }], measure }, true);
}

/** Order p of an error that falls as the spacing to the p: the slope in the log-log plot, by least squares. */
export function fitOrder(points: readonly { across: number; error: number }[]): number | null {
  const sign = Math.sign(points[0]?.error ?? 0);
  if (points.length < 2 || points.some(({ error }) => Math.sign(error) !== sign || error === 0)) return null;
  const x = points.map(({ across }) => -Math.log(across));
  const y = points.map(({ error }) => Math.log(Math.abs(error)));
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [mx, my] = [mean(x), mean(y)];
  const top = x.reduce((sum, value, k) => sum + (value - mx) * (y[k]! - my), 0);
  return top / x.reduce((sum, value) => sum + (value - mx) ** 2, 0);
}

/** Does every resolution keep what is promised for it? */
export function passes({ measurements }: Pick<CaseResult, 'measurements'>): boolean {
  return measurements.every(({ error, tolerance }) => tolerance === null || Math.abs(error) <= tolerance);
}
