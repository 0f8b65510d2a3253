/** Solids whose neighbours are found anew when they have flowed: slots of a context block of their own. Arrays are by member: the particles of these bodies, by rising number. */
import { CONTEXT as GRID } from './grid.js';
import { array, block, constants, derived, scalar } from './table.js';

export const CONSTANTS = constants({
  RENEWAL_ROOM: [32, 'Neighbours of a particle, at the most ([J14] 3.6)'],
});

export const CONTEXT = block(
  'RENEWAL_CONTEXT_SIZE',
  {
    SOLIDS: scalar('u32', 'context of the solids'),
    MEMBERS: derived('u32', 'particle of each member; POINTS of the grid are their positions'),
    RENEWAL_PLACES: derived('f32x4', 'new rest position in the body frame and support [m]; in the order of the grid'),
    RENEWAL_ARRANGED: derived('f32x4', ''),
    RENEWAL_LISTS: derived('u32[64]', 'RENEWAL_ROOM candidates: squared distance (f32) and particle'),
    RENEWAL_COUNT: derived('u32', 'how many'),
    RENEWAL_OFFSETS: derived('f32x4[32]', 'offsets of the rest vectors of the chosen neighbours, see OFFSETS [m]'),
    RENEWAL_CUT: derived('f32', 'squared distance that neighbours must be nearer than: there were too many [m2]'),
    RENEWAL_BONDS: derived('f32', 'weight of the stabilisation, times its shear modulus over that of its body [1]'),
    RENEWAL_VOLUME: derived('f32', 'volume [m3]; ELASTIC has the share of it that has stress'),
    RENEWAL_LEVELS: scalar('u32', 'grids of different sizes that neighbours are looked for in'),
    RENEWAL_FLOWED_BY: scalar('f32', 'strain that counts as having flowed [1]'),
    BLOCK_STRAIN: array('f32 per block of members: largest plastic strain since the last renewal [1]'),
    BLOCK_FLOWED: array('f32 per block of members: how many have flowed by more than RENEWAL_FLOWED_BY since then'),
    BLOCK_SCRATCH: array('f64[SUMS] per block of members'),
  },
  GRID,
);
