/** The memory layout of bodies that flow, [J14]: slots of a context block of their own, which goes on where that of layout.ts ends. Slots of layout.ts that are not named here mean the same; so bodies, materials, obstacles and the search grid are read by the same functions. Particles [0, count) are in the world; ID tells which is which when some split and merge. */
import { CONTEXT as SOLID } from './solid.js';
import { array, block, constants, derived, record, scalar, state } from './table.js';

export const CONSTANTS = constants({
  CAPACITY: [32, 'Neighbours of a particle, at the most ([J14] 3.6)'],
});

export const CONTEXT = block(
  'CONTEXT_SIZE',
  {
    // Particles: the state.
    POSITION: state('f32x4', 'position in the world [m], one over the mass [1/kg]'),
    REMAINDER: state('f32x4', 'what rounding has cut off the position [m], contact radius [m]'),
    EMBEDDED: state('f32x4', 'position in embedded space [m], support [m]. POINTS is the same array'),
    ID: state('u32', 'place among those of its body, the same for all time'),
    ANCESTOR: state('u32', "the particle of the body's start that it came from, which decides its material"),
    CONSTRAINED: state('u32', 'constraints that act on it, a bit each'),
    NEIGHBOR_COUNT: state('u32', 'neighbours'),
    PAIRS: derived('f32x4[32]', 'rest vectors u_ij [m] and the tagged index j, by rising index'),
    LASTING: state(
      'f32',
      'share of the stabilisation that has not flowed since the rest vectors last took over the flow [1]',
    ),
    // Particles: made from the state.
    WEIGHTS: derived('f32[32]', 'weights w_ij of the fit [1]'),
    REVERSE: derived('u32[32]', 'where the pair ji is, counted in pairs'),
    VISCOSITY: derived('f32', 'dynamic viscosity [Pa s]'),
    ORIGIN: derived(
      'u32',
      'old number of each particle after resampling, and f32x4: the way from there in the world [m]',
    ),
    SHIFT: derived('f32x4', ''),
    CUT: derived('f32', 'squared distance that neighbours must be nearer than: there were too many [m2]'),
    OTHER_PAIRS: derived('f32x4[32]', 'The other half of the double buffers of PAIRS and NEIGHBOR_COUNT'),
    OTHER_COUNT: derived('u32', ''),
    SPACING: derived('f32', 'edge of the cell at the start, which resampling keeps to [m]'),
    SAMPLING: derived(
      'f32x4[6]',
      'SAMPLING_STRIDE bytes: what resampling goes by, see assembly/embedding/sampling.ts; in the memory of REVERSE',
    ),
    // Linear systems.
    SOLUTION: derived('f32x4', ''),
    RESIDUAL: derived('f32x4', ''),
    DIRECTION: derived('f32x4', ''),
    PRODUCT: derived('f32x4', ''),
    DIAGONAL: derived('f32', 'one over the diagonal'),
    ALPHA: scalar('f32', ''),
    BETA: scalar('f32', ''),
    CONSTRAINTS: array('Constraints, PRESCRIPTION_STRIDE bytes each'),
    STEP: scalar('f32', 'duration of the step [s]'),
    FREQUENCY_SHARE: scalar(
      'f32',
      'squared frequency of a particle over its bound, see assembly/embedding/forces.ts [1]',
    ),
    STABILISATION: scalar('f32', 'weight of the stabilisation [1]'),
    BLOCK_STRAIN: array('f32 per block: largest plastic strain since the last embedding [1]'),
    GRAVITY: scalar('f32x4', 'gravity [m/s2]'),
    BLOCK_RATE: array('f32 per block: largest rate of the viscous forces [1/s]'),
    COUNT: scalar('u32', 'particles in the world'),
    BLOCK_FLOWED: array('f32 per block: how many have flowed by more than FLOWED_BY since the last embedding'),
    FLOWED_BY: scalar('f32', '[1]'),
    LEVELS: scalar('u32', 'grids of different sizes that neighbours are looked for in'),
    SOLID_CONTEXT: scalar(
      'u32',
      'address of the context of solids, where particle i has the slot BODY_BEGIN + ID; 0 when nothing acts from there',
    ),
  },
  SOLID,
);

/** What resampling goes by. */
export const SAMPLING = record('SAMPLING', {
  LOW: scalar('f32', 'smallest and largest eigenvalue of eq. 13 over that of even sampling [1]'),
  HIGH: scalar('f32', ''),
  NEAREST: scalar('u32', 'nearest neighbour'),
  SPLITS: scalar('u32', '1 when it should split'),
  REST: scalar(
    'f32x4',
    'ways from it to the halves in rest space [m], in the world [m], and of their velocities [m/s]',
  ),
  WORLD: scalar('f32x4', ''),
  VELOCITY: scalar('f32x4[2]', ''),
  SKEW: scalar(
    'f32x4',
    'distance of the centre of the neighbourhood, in spacings [1]; eq. 3 before it is calibrated [m3]',
  ),
});
