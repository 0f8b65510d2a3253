/** Particles as comma-separated values, a file for each frame. */
import { type Format, numbered } from '../../src/export/format.js';
import type { ExportPoints } from '../../src/export/geometry.js';

const AXES = ['x', 'y', 'z'];

function encodeCsv({ positions, attributes }: ExportPoints): string {
  const names = Object.entries(attributes).flatMap(([name, { components }]) =>
    components === 1 ? [name] : AXES.map((axis) => `${name}.${axis}`),
  );
  const columns = [{ components: 3, values: positions }, ...Object.values(attributes)];
  const rows = Array.from({ length: positions.length / 3 }, (_, i) =>
    columns.flatMap(({ components, values }) => [...values.subarray(components * i, components * (i + 1))]).join(','),
  );
  return `${[[...AXES, ...names].join(','), ...rows].join('\n')}\n`;
}

export const csv: Format = ({ write }) => ({
  add: ({ frame, points }) => write(numbered('particles', frame, 'csv'), encodeCsv(points)),
  finish: () =>
    write('README.txt', 'Particles, a file for each frame: positions in metres, then what frames tell of them.\n'),
});
