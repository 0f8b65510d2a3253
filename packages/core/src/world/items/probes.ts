/** What is measured; whoever runs a scene asks for it, see ../probes.ts. */
import { describeValue, type Path } from '../../options/errors.js';
import { probeColumns, probeSchema } from '../../options/parameters.js';
import { parsePieceName } from '../../options/piece-name.js';
import type { ProbeOptions, Scene } from '../../options/types.js';
import type { SceneItem } from './item.js';

/** Bodies, obstacles and constraints that a probe of forces names must be there. */
function checkParties(
  { obstacle, from, constraint }: ProbeOptions,
  { bodies, emitters, obstacles, constraints }: Scene,
  report: (path: Path, message: string) => void,
): void {
  const list = (names: readonly (string | undefined)[]) =>
    [...new Set(names.flatMap((known) => (known === undefined ? [] : [describeValue(known)])))].join(', ') || 'none';
  const of = (entries: readonly { readonly name?: string | undefined }[]) => entries.map(({ name }) => name);
  if (obstacle !== undefined && !of(obstacles).includes(obstacle)) {
    report(['obstacle'], `${describeValue(obstacle)} is no obstacle; obstacles are ${list(of(obstacles))}`);
  }
  const parties = [...of(bodies), ...of(emitters), ...of(obstacles)];
  if (from !== undefined && !parties.includes(from)) {
    report(['from'], `${describeValue(from)} is neither a body nor an obstacle; there are ${list(parties)}`);
  }
  if (constraint !== undefined && !of(constraints).includes(constraint)) {
    report(
      ['constraint'],
      `${describeValue(constraint)} is the name of no constraint; names are ${list(of(constraints))}`,
    );
  }
}

export const probes: SceneItem<typeof probeSchema> = {
  schema: probeSchema,
  text: 'What is measured.',
  isNamed: true,
  bodyOf: ({ body }) => body && (parsePieceName(body)?.body ?? body),
  check(probe, scene, report) {
    const { probes, constraints } = scene;
    checkParties(probe, scene, report);
    if (probe.quantity === 'reaction' && constraints.length === 0) {
      report(['quantity'], 'has nothing to measure: the scene has no constraints');
    }
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
