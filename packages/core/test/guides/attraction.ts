import type { Force } from '../../src/forces/force.js';
import { number, object, vector } from '../../src/options/declare.js';

const schema = object(
  {
    centre: vector({ unit: 'm', default: [0, 0, 0], text: 'Where everything is drawn to.' }),
    rate: number({ unit: '1/s', above: 0, atMost: 1e6, default: 1, text: 'Angular frequency of the swing about it.' }),
  },
  { id: 'Attraction', text: 'Draws everything to a point, as a spring draws a mass.' },
);

/** f = m rate^2 (centre - x): everything swings about the centre with the same period. */
export const attraction: Force<typeof schema> = {
  schema,
  reach: 'all',
  act({ count, positions, forces }, { centre, rate }) {
    const [cx, cy, cz] = centre;
    for (let i = 0; i < 4 * count; i += 4) {
      const stiffness = (rate * rate) / positions[i + 3]!;
      forces[i]! += stiffness * (cx - positions[i]!);
      forces[i + 1]! += stiffness * (cy - positions[i + 1]!);
      forces[i + 2]! += stiffness * (cz - positions[i + 2]!);
    }
  },
};
