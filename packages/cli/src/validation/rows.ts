/** Results as rows of a table. */
import { type CaseResult, type Curve, type Measurement, passes, type ValidationCase } from './case.js';

export interface Row {
  readonly case: string;
  readonly quantity: string;
  readonly source: string;
  readonly reference: number | null;
  /** What the engine should converge to; differs from the reference where that simplifies. */
  readonly exact: number | null;
  /** At the finest resolution. */
  readonly measured: number | null;
  /** Relative to the exact value, at the finest resolution. */
  readonly error: number | null;
  readonly tolerance: number | null;
  readonly order: number | null;
  readonly note: string | null;
  readonly pass: boolean;
  readonly measurements: readonly Measurement[];
  readonly curve: Curve | null;
}

export function toRow(entry: ValidationCase, result: CaseResult): Row {
  const finest = result.measurements.at(-1)!;
  return {
    ...heading(entry),
    reference: result.reference,
    exact: result.exact,
    measured: finest.measured,
    error: finest.error,
    tolerance: finest.tolerance,
    order: result.order,
    note: describe(result),
    pass: passes(result),
    measurements: result.measurements,
  };
}

/** A case that could not be run to its end. */
export function toFailure(entry: ValidationCase, error: Error): Row {
  return {
    ...heading(entry),
    reference: null,
    exact: null,
    measured: null,
    error: null,
    tolerance: null,
    order: null,
    note: `broke down: ${error.message}`,
    pass: false,
    measurements: [],
  };
}

function heading(entry: ValidationCase): Pick<Row, 'case' | 'quantity' | 'source' | 'curve'> {
  return { case: entry.name, quantity: entry.quantity, source: entry.source, curve: entry.curve ?? null };
}

/** The coarser resolutions, and what else is to be said. */
function describe({ reference, exact, measurements, note }: CaseResult): string | null {
  const parts: string[] = [];
  const coarser = measurements.slice(0, -1).map(({ across, error, tolerance }) => {
    const goal = tolerance === null ? '' : ` of ${formatShare(tolerance)}`;
    return `${formatError(error)}${goal} at ${across}`;
  });
  if (coarser.length > 0) parts.push(coarser.join(', '));
  if (exact !== reference) {
    const beside = measurements.at(-1)!.measured / reference - 1;
    parts.push(`exact value ${exact.toPrecision(5)}; ${formatError(beside)} beside the reference`);
  }
  if (note) parts.push(note);
  return parts.length > 0 ? parts.join('; ') : null;
}

export function formatNumber(value: number | null): string {
  return value === null ? '-' : value.toPrecision(5);
}

export function formatError(error: number | null): string {
  if (error === null) return '-';
  const digits = Math.abs(error) >= 0.1 ? 1 : Math.abs(error) >= 0.001 ? 2 : 3;
  const text = Math.abs(100 * error).toFixed(digits);
  const sign = Number(text) === 0 ? '' : error > 0 ? '+' : '-';
  return `${sign}${text} %`;
}

export function formatShare(share: number | null): string {
  return share === null ? '-' : `${Number((100 * share).toPrecision(2))} %`;
}

export function formatOrder(order: number | null): string {
  return order === null ? '-' : order.toFixed(1);
}

/** Particles across at the finest resolution. */
export function formatAcross({ measurements }: Row): string {
  return String(measurements.at(-1)?.across ?? '-');
}
