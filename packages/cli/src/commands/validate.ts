import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { OptionError, suggest } from 'phyxel';
import pc from 'picocolors';
import { CommandError, describeFileError, EXIT } from '../errors.js';
import { VALIDATION_CASES } from '../validation/cases.js';
import { type Report, writeReport } from '../validation/report.js';
import {
  formatAcross,
  formatError,
  formatNumber,
  formatOrder,
  formatShare,
  type Row,
  toFailure,
  toRow,
} from '../validation/rows.js';

interface Flags {
  readonly full?: true;
  readonly json?: true;
  readonly report?: string;
}

export function registerValidate(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('validate')
    .description('compare with theory and experiment')
    .argument('[case...]', 'cases to run, by name or by the start of it; all when left out')
    .option('--full', 'finer resolutions and long cases too')
    .option('--json', 'print JSON')
    .option(
      '--report <file>',
      'write a page with plots (.html), the plots beside it, and the table into a README.md there',
    )
    .action(async (names: string[], flags: Flags) => {
      const chosen = choose(names, flags.full === true);
      if (flags.report !== undefined && !/\.html?$/i.test(flags.report)) {
        throw new OptionError([{ path: '--report', message: `must be an .html file; got "${flags.report}"` }]);
      }
      const rows: Row[] = [];
      if (!flags.json) process.stdout.write(`${pc.bold(line(HEADINGS))}\n`);
      for (const entry of chosen) {
        const row = await entry.run(flags.full === true).then(
          (result) => toRow(entry, result),
          (error: Error) => toFailure(entry, error),
        );
        rows.push(row);
        if (!flags.json) process.stdout.write(describe(row));
      }
      const failed = rows.filter((row) => !row.pass).length;
      if (flags.json) process.stdout.write(`${JSON.stringify({ cases: rows }, null, 2)}\n`);
      else process.stdout.write(`${rows.length - failed} of ${rows.length} within tolerance\n`);
      if (flags.report !== undefined) {
        const machine = { cpu: cpus()[0]?.model.trim() ?? 'unknown', cores: cpus().length, node: process.version };
        const report = writeReport(rows, machine, new Date().toISOString().slice(0, 10));
        const files = saveReport(flags.report, report);
        if (!flags.json) process.stdout.write(`wrote ${files.join(', ')}\n`);
      }
      if (failed > 0) setExitCode(EXIT.failed);
    });
}

/** The cases that names select; a name may be the start of several. */
function choose(names: readonly string[], full: boolean) {
  const known = VALIDATION_CASES.map(({ name }) => name);
  const selects = (wanted: string, name: string) => name === wanted || name.startsWith(`${wanted}-`);
  for (const wanted of names) {
    if (known.some((name) => selects(wanted, name))) continue;
    const message = `there is no case "${wanted}"${suggest(wanted, known) || `; cases are ${known.join(', ')}`}`;
    throw new OptionError([{ path: '', message }]);
  }
  return VALIDATION_CASES.filter((entry) =>
    names.length > 0 ? names.some((wanted) => selects(wanted, entry.name)) : full || !entry.full,
  );
}

/** Writes the page and its plots; a README.md beside them with a position for the table gets that too. */
function saveReport(path: string, { html, figures, table }: Report): string[] {
  const folder = dirname(path);
  const files: [string, string][] = [
    [path, html],
    ...figures.map(({ name, svg }): [string, string] => [join(folder, `${name}.svg`), svg]),
  ];
  const readme = join(folder, 'README.md');
  const tables = /(<!-- table -->\n)[\s\S]*(<!-- end of table -->)/;
  try {
    const text = existsSync(readme) ? readFileSync(readme, 'utf8') : '';
    if (tables.test(text)) files.push([readme, text.replace(tables, (_, from, to) => `${from}\n${table}\n\n${to}`)]);
    mkdirSync(folder, { recursive: true });
    for (const [file, content] of files) writeFileSync(file, content);
  } catch (error) {
    const message = describeFileError(error as Error) ?? `cannot write ${path}: ${(error as Error).message}`;
    throw new CommandError(message, EXIT.failed, { cause: error });
  }
  return files.map(([file]) => file);
}

const HEADINGS = ['case', 'particles', 'reference', 'measured', 'error', 'tolerance', 'order'];
const WIDTHS = [34, 9, 11, 11, 9, 9, 5];

function line(texts: readonly string[]): string {
  return texts.map((text, k) => (k === 0 ? text.padEnd(WIDTHS[k]!) : text.padStart(WIDTHS[k]!))).join('  ');
}

function describe(row: Row): string {
  const texts = [
    row.case,
    formatAcross(row),
    formatNumber(row.reference),
    formatNumber(row.measured),
    formatError(row.error),
    formatShare(row.tolerance),
    formatOrder(row.order),
  ];
  const verdict = row.pass ? pc.green('pass') : pc.red('FAIL');
  const note = row.note ? pc.dim(`  ${row.note}\n`) : '';
  return `${line(texts)}  ${verdict}\n${note}`;
}
