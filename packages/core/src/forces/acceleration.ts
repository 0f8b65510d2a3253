import { fieldVector, object } from '../options/declare.js';
import { vectorField } from '../options/field.js';
import type { Force } from './force.js';

const schema = object(
  {
    field: fieldVector({
      unit: 'm/s2',
      default: [0, 0, 0],
      text: 'Acceleration by the present position and the time, on top of gravity.',
    }),
  },
  { id: 'Acceleration', text: 'A body force that differs from place to place and in time: mass times a field.' },
);

/** f = m a(x, t), with positions ahead to when the force acts: then it is of second order in the step. */
export const acceleration: Force<typeof schema> = {
  schema,
  reach: 'all',
  act({ count, positions, velocities, forces, ahead }, { field }, time) {
    const at = vectorField(field);
    for (let i = 0; i < 4 * count; i += 4) {
      const mass = 1 / positions[i + 3]!;
      const position = [0, 1, 2].map((a) => positions[i + a]! + ahead * velocities[i + a]!);
      const [ax, ay, az] = at(position as unknown as readonly [number, number, number], time + ahead);
      forces[i]! += mass * ax;
      forces[i + 1]! += mass * ay;
      forces[i + 2]! += mass * az;
    }
  },
};
