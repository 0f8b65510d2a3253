/** What is measured; whoever runs a scene asks for it, see ../probes.ts. */
import { describeValue } from '../../options/errors.js';
import { probeColumns, probeSchema } from '../../options/parameters.js';
import { parsePieceName } from '../../options/piece-name.js';
import type { SceneItem } from './item.js';

export const probes: SceneItem<typeof probeSchema> = {
  schema: probeSchema,
  text: 'What is measured.',
  isNamed: true,
  bodyOf: ({ body }) => body && (parsePieceName(body)?.body ?? body),
  check(probe, { probes }, report) {
    const columns = new Map<string, string>([['time', 'the time']]);
    for (const other of probes.slice(0, probes.indexOf(probe))) {
      for (const column of probeColumns(other)) columns.set(column, other.name);
    }
    for (const column of probeColumns(probe)) {
      const taken = columns.get(column);
      if (taken === undefined || taken === probe.name) continue;
      report(['name'], `gives a column ${describeValue(column)} that ${describeValue(taken)} has already`);
    }
  },
};
