/** Solids whose neighbours are found anew when they have flowed: slots of a context block of their own. Arrays are by member: the particles of these bodies, by rising number. */
import { CONTEXT as GRID } from './grid.js';
import { array, block, constants, derived, record, scalar } from './table.js';

export const CONSTANTS = constants({
  CHANGED: [
    0x80000000,
    'Bit of RENEWAL_ORIGIN: the particle has split or merged, so that its rest vectors are made anew',
  ],
  RENEWAL_ROOM: [32, 'Neighbours of a particle, at the most ([J14] 3.6)'],
});

export const CONTEXT = block(
  'RENEWAL_CONTEXT_SIZE',
  {
    SOLIDS: scalar('u32', 'context of the solids'),
    MEMBERS: derived('u32', 'particle of each member; POINTS of the grid are their positions'),
    RENEWAL_PLACES: derived('f32x4', 'new rest position in the body frame and support [m]; in the order of the grid'),
    RENEWAL_ARRANGED: array('f32x4 per member; in the memory of RENEWAL_OFFSETS'),
    RENEWAL_LISTS: derived('u32[64]', 'RENEWAL_ROOM candidates: squared distance (f32) and particle'),
    RENEWAL_COUNT: derived('u32', 'how many'),
    RENEWAL_OFFSETS: derived('f32x4[32]', 'offsets of the rest vectors of the chosen neighbours, see OFFSETS [m]'),
    RENEWAL_CUT: derived('f32', 'squared distance that neighbours must be nearer than: there were too many [m2]'),
    RENEWAL_BONDS: derived('f32', 'weight of the stabilisation, times its shear modulus over that of its body [1]'),
    RENEWAL_VOLUME: derived('f32', 'volume [m3]; ELASTIC has the share of it that has stress'),
    RENEWAL_SPACING: derived('f32', 'edge of the cell at the start, which resampling keeps to [m]'),
    SAMPLING: array(
      'SAMPLING_STRIDE bytes per member: what resampling goes by, see assembly/solid/sampling.ts; in the memory of RENEWAL_OFFSETS',
    ),
    RENEWAL_ORIGIN: array(
      'u32 per particle of the solids: the particle that its neighbours were those of before resampling, with CHANGED',
    ),
    // Where forces of solvers/forces/ act.
    MEMBER_POSITION: array('f32x4 per member: position in the world [m], one over the mass [1/kg]'),
    MEMBER_VELOCITY: array('f32x4 per member: velocity in the world [m/s]'),
    MEMBER_AREA: array('f32x4 per member: exposed area in world axes [m2], cross-section of what is on its own [m2]'),
    RENEWAL_LEVELS: scalar('u32', 'grids of different sizes that neighbours are looked for in'),
    RENEWAL_FLOWED_BY: scalar('f32', 'strain that counts as having flowed [1]'),
    BLOCK_STRAIN: array('f32 per block of members: largest plastic strain since the last renewal [1]'),
    BLOCK_FLOWED: array('f32 per block of members: how many have flowed by more than RENEWAL_FLOWED_BY since then'),
    BLOCK_SCRATCH: array('f64[SUMS] per block of members'),
  },
  GRID,
);

/** What resampling goes by. */
export const SAMPLING = record('SAMPLING', {
  LOW: scalar('f32', 'smallest and largest eigenvalue of [J14] eq. 13 over that of even sampling [1]'),
  HIGH: scalar('f32', ''),
  NEAREST: scalar('u32', 'nearest neighbour'),
  SPLITS: scalar('u32', '1 when it should split'),
  WAY: scalar('f32x4', 'from it to one of the halves in body axes [m], and how much faster that is [m/s]'),
  VELOCITY: scalar('f32x4', ''),
  SKEW: scalar('f32', 'distance of the centre of the neighbourhood, in spacings [1]'),
});
