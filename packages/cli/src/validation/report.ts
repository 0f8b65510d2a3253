/** The scoreboard as one HTML page, its plots as files, and its table in Markdown. */
import type { Machine } from '../bench/machine.js';
import { escapeXml } from '../escape-xml.js';
import { drawFigures, type Figure } from './figures.js';
import { formatAcross, formatError, formatNumber, formatOrder, formatShare, type Row } from './rows.js';

export interface Report {
  readonly html: string;
  readonly figures: readonly Figure[];
  /** Markdown. */
  readonly table: string;
}

export type MachineFacts = Pick<Machine, 'cpu' | 'cores' | 'node'>;

export function writeReport(rows: readonly Row[], machine: MachineFacts, date: string): Report {
  const figures = drawFigures(rows);
  return { html: page(rows, figures, machine, date), figures, table: markdownTable(rows) };
}

const HEADINGS = ['case', 'reference', 'particles', 'measured', 'error', 'tolerance', 'order'];

function cells(row: Row): string[] {
  return [
    row.case,
    formatNumber(row.reference),
    formatAcross(row),
    formatNumber(row.measured),
    formatError(row.error),
    formatShare(row.tolerance),
    formatOrder(row.order),
  ];
}

function markdownTable(rows: readonly Row[]): string {
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  const clean = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return [
    line([...HEADINGS, '', 'what, and where the reference is from']),
    line([...HEADINGS, '', ''].map(() => '---')),
    ...rows.map((row) =>
      line([...cells(row), row.pass ? 'pass' : '**fail**', `${row.quantity}: ${row.source}`].map(clean)),
    ),
  ].join('\n');
}

const PAGE_STYLE = `
:root { color-scheme: light dark; --page: #f4f2ec; --card: #fcfcfb; --ink: #16150f; --soft: #5c5a53; --rule: #e0ddd4;
  --good: #14724f; --goodBack: #dcf0e6; --bad: #a4233c; --badBack: #f8dfe3; }
@media (prefers-color-scheme: dark) {
  :root { --page: #100f0e; --card: #191917; --ink: #f3f1ea; --soft: #b6b3a8; --rule: #33322d;
    --good: #6fd6ac; --goodBack: #143a2b; --bad: #f59aac; --badBack: #4a1822; }
}
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 40px 20px 60px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 19px; margin: 44px 0 12px; }
p { max-width: 72ch; margin: 0 0 12px; }
.soft, figcaption, small { color: var(--soft); }
.score { display: flex; gap: 12px; flex-wrap: wrap; margin: 24px 0; }
.score div { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; padding: 12px 18px; min-width: 120px; }
.score b { display: block; font-size: 26px; line-height: 1.2; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; background: var(--card); border: 1px solid var(--rule); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { padding: 8px 12px; border-bottom: 1px solid var(--rule); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td small { display: block; max-width: 52ch; font-size: 12px; line-height: 1.4; }
.verdict { border-radius: 99px; padding: 1px 10px; font-size: 12px; font-weight: 600; white-space: nowrap; }
.pass { color: var(--good); background: var(--goodBack); }
.fail { color: var(--bad); background: var(--badBack); }
figure { margin: 0 0 28px; }
figure svg { display: block; max-width: 100%; height: auto; border: 1px solid var(--rule); border-radius: 8px; }
figcaption { margin-top: 6px; font-size: 13px; }
`;

function page(rows: readonly Row[], figures: readonly Figure[], machine: MachineFacts, date: string): string {
  const passed = rows.filter(({ pass }) => pass).length;
  const runs = rows.reduce((sum, { measurements }) => sum + measurements.length, 0);
  const seconds = rows.reduce((sum, row) => sum + row.measurements.reduce((s, m) => s + m.seconds, 0), 0);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Phyxel: how right is it?</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<h1>How right is Phyxel?</h1>
<p class="soft">What the engine computes beside what is known from elsewhere: closed forms, published benchmarks, laws of conservation. Written by <code>phyxel validate --report</code> on ${escapeXml(date)}; ${escapeXml(machine.cpu)}, ${machine.cores} cores, Node ${escapeXml(machine.node)}.</p>
<div class="score">
<div><b>${passed} of ${rows.length}</b>cases within tolerance</div>
<div><b>${runs}</b>runs</div>
<div><b>${seconds.toFixed(0)} s</b>altogether</div>
</div>
<h2>Convergence and cost</h2>
${figures.map(({ svg, caption }) => `<figure>${svg}<figcaption>${escapeXml(caption)}</figcaption></figure>`).join('\n')}
<p class="soft">Both axes are logarithmic. Dotted guides fall with first and second order; short bars are what has to be reached. Where an error changes its sign between two resolutions, the curve dips for no merit.</p>
<h2>All cases</h2>
<div class="wide"><table>
<thead><tr>${HEADINGS.map((text, k) => `<th${k > 0 ? ' class="number"' : ''}>${text}</th>`).join('')}<th></th></tr></thead>
<tbody>
${rows.map(tableRow).join('\n')}
</tbody>
</table></div>
<h2>All runs</h2>
<div class="wide"><table>
<thead><tr><th>case</th>${['particles', 'measured', 'error', 'tolerance', 'seconds'].map((text) => `<th class="number">${text}</th>`).join('')}</tr></thead>
<tbody>
${rows.flatMap(runRows).join('\n')}
</tbody>
</table></div>
</main>
</body>
</html>
`;
}

function tableRow(row: Row): string {
  const [name, ...numbers] = cells(row).map(escapeXml);
  const note = row.note ? `<small>${escapeXml(row.note)}</small>` : '';
  const verdict = row.pass ? 'pass' : 'fail';
  return `<tr><td><b>${name}</b><small>${escapeXml(row.quantity)}</small><small>${escapeXml(row.source)}</small>${note}</td>${numbers
    .map((text) => `<td class="number">${text}</td>`)
    .join('')}<td><span class="verdict ${verdict}">${verdict}</span></td></tr>`;
}

function runRows(row: Row): string[] {
  return row.measurements.map(({ across, measured, error, tolerance, seconds }, k) => {
    const texts = [
      String(across),
      formatNumber(measured),
      formatError(error),
      formatShare(tolerance),
      seconds.toFixed(1),
    ];
    const numbers = texts.map((text) => `<td class="number">${text}</td>`).join('');
    return `<tr><td>${k === 0 ? escapeXml(row.case) : ''}</td>${numbers}</tr>`;
  });
}
