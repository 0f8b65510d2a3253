import type { Force, ForceParticles } from '../../src/forces/force.js';
import { LARGEST, object, vector } from '../../src/options/declare.js';
import type { MaterialDeclaration, MaterialNumbers } from '../../src/options/material-parameters.js';

const ALL = ['solid', 'viscoplastic', 'rigid', 'liquid', 'melt'] as const;

export const declarations = {
  charge: {
    unit: 'C/kg',
    atLeast: -LARGEST,
    atMost: LARGEST,
    default: 0,
    slider: { from: -1, to: 1, scale: 'linear' },
    text: 'Electric charge of a kilogram.',
    acts: ALL,
    subject: ['Electricity'],
    rows: ['BODY'],
  },
} as const satisfies Record<string, MaterialDeclaration>;

/** What particles are once the declaration is in the table. */
type Charged = Omit<ForceParticles, 'materials'> & {
  readonly materials: readonly (MaterialNumbers & { readonly charge: number })[];
};

const schema = object(
  { strength: vector({ unit: 'V/m', default: [0, 0, 0], text: 'Force on a coulomb.' }) },
  { id: 'ElectricField', text: 'Draws charged matter.' },
);

export const electricField: Force<typeof schema> = {
  schema,
  reach: 'all',
  act({ count, positions, bodies, materials, forces }: Charged, { strength }) {
    const charges = materials.map(({ charge }) => charge);
    for (let i = 0; i < count; i++) {
      const charge = charges[bodies[i]!]! / positions[4 * i + 3]!;
      for (let a = 0; a < 3; a++) forces[4 * i + a]! += charge * strength[a]!;
    }
  },
};
