import type { Command } from 'commander';
import { OptionError, suggest } from 'phyxel';
import pc from 'picocolors';
import { EXIT } from '../errors.js';
import { VALIDATION_CASES } from '../validation/cases.js';

interface Row {
  readonly case: string;
  readonly quantity: string;
  readonly reference: number;
  readonly source: string;
  readonly measured: number;
  /** Relative. */
  readonly error: number;
  readonly tolerance: number;
  readonly order: number | null;
  readonly note: string | null;
  readonly pass: boolean;
}

export function registerValidate(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('validate')
    .description('compare with theory and experiment')
    .argument('[case...]', `cases to run: ${VALIDATION_CASES.map(({ name }) => name).join(', ')}`)
    .option('--full', 'finer resolutions and long cases too')
    .option('--json', 'print JSON')
    .action(async (names: string[], flags: { full?: true; json?: true }) => {
      for (const name of names) {
        if (VALIDATION_CASES.some((entry) => entry.name === name)) continue;
        const known = VALIDATION_CASES.map((entry) => entry.name);
        throw new OptionError([
          {
            path: '',
            message: `there is no case "${name}"${suggest(name, known) || `; cases are ${known.join(', ')}`}`,
          },
        ]);
      }
      const chosen = VALIDATION_CASES.filter((entry) =>
        names.length > 0 ? names.includes(entry.name) : flags.full || !entry.full,
      );
      const rows: Row[] = [];
      for (const entry of chosen) {
        const { reference, measured, order, note } = await entry.run(flags.full === true);
        const error = (measured - reference) / Math.abs(reference);
        const row: Row = {
          case: entry.name,
          quantity: entry.quantity,
          reference,
          source: entry.source,
          measured,
          error,
          tolerance: entry.tolerance,
          order,
          note: note ?? null,
          pass: Math.abs(error) <= entry.tolerance,
        };
        rows.push(row);
        if (!flags.json) process.stdout.write(describe(row));
      }
      if (flags.json) process.stdout.write(`${JSON.stringify({ cases: rows }, null, 2)}\n`);
      const failed = rows.filter((row) => !row.pass).length;
      if (!flags.json) process.stdout.write(`${rows.length - failed} of ${rows.length} within tolerance\n`);
      if (failed > 0) setExitCode(EXIT.failed);
    });
}

function describe(row: Row): string {
  const mark = row.pass ? pc.green('pass') : pc.red('FAIL');
  const percent = `${row.error >= 0 ? '+' : ''}${(100 * row.error).toPrecision(3)} %`;
  const order = row.order === null ? '' : `, order ${row.order.toFixed(2)}`;
  const note = row.note ? ` (${row.note})` : '';
  return (
    `${mark}  ${pc.bold(row.case.padEnd(16))} ${percent.padStart(9)} of ${(100 * row.tolerance).toPrecision(2)} %${order}${note}\n` +
    `      ${row.quantity}: ${row.measured.toPrecision(5)}, reference ${row.reference.toPrecision(5)}\n` +
    pc.dim(`      ${row.source}\n`)
  );
}
