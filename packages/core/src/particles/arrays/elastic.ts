/** The memory layout of what is elastic in liquids: slots of a context block of its own. Arrays are by the ID of a liquid particle, which stays when particles are sorted. */
import { BODY } from './solid.js';
import { array, block, constants, derived, scalar, state } from './table.js';

export const CONSTANTS = constants({
  // Fields of a row of LIQUIDS, which is one of bodies, where a body has fields that a liquid has no use for.
  ROW_FLOWS: [BODY.offsets.BEGIN!, 'u32: 1 when it may flow for good, so that neighbours follow the flow'],
  ROW_PRESSED: [
    BODY.offsets.RIGID_SHIFT!,
    'u32: 1 when pressure holds its volume: it may flow, and steps are explicit',
  ],
  ROW_ELASTIC: [BODY.offsets.END!, 'u32: 1 when it is elastic at all'],
  ROW_WELDS: [BODY.offsets.FIT!, 'u32: 1 when it grows together with other bodies'],
  ROW_RELAXATION: [
    BODY.offsets.BOND_MODULUS!,
    'f32: time in which its viscous stress relaxes, see elastic-stress.ts [s]',
  ],
  ABSENT: [0xffffffff, ''],
  PULL: [1, 'Bulk modulus of what flows while it is pulled apart, in shear moduli; see elastic-stress.ts [1]'],
  SUMS: [4, ''],
  SCRATCH_SIZE: [128, ''],
  MOLTEN: [0.02, 'Bonds go below the first and come above the second share of the stiffness [1]'],
  FROZEN: [0.05, ''],
  IS_LIQUID: [
    0,
    'Liquid; solid; freezing in this step; solid from its start, in this step; about to get new neighbours; not in the world',
  ],
  IS_SOLID: [1, ''],
  IS_FREEZING: [2, ''],
  IS_BORN: [3, ''],
  IS_RENEWED: [4, ''],
  IS_ABSENT: [5, ''],
});

export const CONTEXT = block('CONTEXT_SIZE', {
  LIQUID_CONTEXT: scalar('u32', 'context of the liquids, and how many IDs there are'),
  CAPACITY: scalar('u32', ''),
  // By ID; sizes in bytes behind each.
  SORTED_INDEX: derived('u32', 'where the particle stands among the sorted ones; ABSENT when it is not in the world'),
  SOLID: state('u32', 'what it is, see below'),
  BOND_COUNT: state('u32', 'number of bonds, and BOND_ROOM positions of 16 bytes: r_ij [m] and the tagged ID of j'),
  NEXT: derived('u32', ''),
  STRENGTH: derived('f32', 'share of its stiffness that it has now [1]'),
  CONSTANTS: derived('f32x4', 'lambda, mu, stiffness of the determinant term now [Pa], volume [m3]'),
  LAW: derived('f32x4', 'yield stress, hardening [Pa], rate of creep [1/s] and largest plastic strain'),
  STATE: state(
    'f32x4[3]',
    'As PLASTIC of layout.ts: rows of F_p^-1 - I, and in lanes 3 the plastic strain, that at the last renewal, the work',
  ),
  STRAIN: state('f32x4[2]', 'As STRAIN of layout.ts, the strain of the dashpot of elastic-stress.ts'),
  INVERSE: derived(
    'f32x4[3]',
    'Rows of the inverse moment matrix; in lanes 3: 3 V / trace with the volume that is held, the rank of the neighbours, the stiffness of waves over the modulus [1/(s2 Pa)]',
  ),
  PROJECTION: derived('f32x4[3]', 'Rows of the projection on what the neighbours span, where that is not all of space'),
  GRADIENT: derived('f32x4[3]', 'Rows of F - I'),
  FLUX: derived('f32x4[3]', 'Columns of Q, and in lane 3 of the first the weight alpha of the stabilisation [N/m]'),
  RELAXED: state('f32', 'share of its strain that has flowed since bonds last followed, see elastic-relax.ts [1]'),
  BONDS: array(''),
  BOND_CAPACITY: scalar('u32', ''),
  POSITION: derived('f32x4', 'place and one over mass, velocity at the start of the step; way within the step'),
  VELOCITY: derived('f32x4', ''),
  SHIFT: derived('f32x4', ''),
  STEP_DISPLACEMENT: derived('f32x4', 'way in the step less that with the velocity at its end [m]'),
  WALL: derived(
    'f32x4',
    'what obstacles are in the gradient of the density of what is solid [1/m], and in its rate [1/s]; 16. f32: sum of |g|^2 / m of its pairs [1/(m2 kg)];',
  ),
  SQUARES: derived('f32', ''),
  LIQUID_OF: derived('u32', 'number of the liquid'),
  // Per block of IDs.
  BLOCK_FREQUENCY: array('f32: largest squared frequency [1/s2]'),
  BLOCK_SUMS: array('f64[SUMS]'),
  SCRATCH: array('Room for an eigenproblem, SCRATCH_SIZE bytes'),
  LIQUIDS: array('Liquids, rows as of bodies in layout.ts; what decides their law, and below'),
  // Scalars.
  STEP: scalar('f32', 'elastic time step within that of the liquid [s]'),
  ELAPSED: scalar('f32', 'time since the last stresses, in which things flow; 0 for none [s]'),
  SUPPORT: scalar('f32', 'support of the fit [m]'),
  RENEW: scalar('u32', '1 when the neighbours of what flows are found anew in this step'),
  STABILISATION: scalar('f32', 'weight of the stabilisation [1]'),
  PASSED: scalar(
    'f32',
    "time since the start of the liquid's step [s]; nearest that a solid particle comes to an obstacle [m]",
  ),
  RADIUS: scalar('f32', ''),
  GRAVITY: scalar('f32x4', 'gravity [m/s2]'),
  TURN: scalar('u32', '1 when bonds are turned before they relax'),
  LOOKUP: array(
    'Per block a hash table of the bonds of one particle, LOOKUP_SIZE entries of 4 bytes, see elastic-lookup.ts',
  ),
  LOOKUP_SIZE: scalar('u32', ''),
  // By the sorted order.
  FIRST_RATIO: derived(
    'f32',
    "density over rest density at the start of the liquid's step, and the mean of the pressures in it",
  ),
  MEAN_PRESSURE: derived('f32', ''),
  PER_STEPS: scalar('f32', 'one over the number of elastic steps'),
  // Of every bond, in the order of BONDS and made when bonds have changed.
  BOND_GRADIENT: array('g_ij = w_ij r_ij [m] and the tagged ID of j, 16; f32: w_ij, 4'),
  BOND_WEIGHT: array(''),
  // By ID: what the positions at the start of the liquid's step give, to which ways within it are added.
  FIRST_MOMENT: derived('f32x4[3]', 'Rows of sum_j (d_ij - r_ij) g_ij^T'),
  FIRST_FORCE: derived('f32x4', 'force of the stabilisation [N]'),
  HELD_VOLUME: derived('f32', 'volume that is strained as its neighbours say [m3]'),
  LOG_VOLUME: state(
    'f32',
    'logarithm of the volume over that at rest, of the shapes that what flows has had before this one [1]',
  ),
  // Of implicit steps, see elastic-implicit.ts; by ID, allocated where steps are implicit.
  START: array(
    'f32x4: way at the start of the step [m]; lane 3: distance from where the nearest obstacle presses back, at the guess [m]',
  ),
  CHANGE: array('f32x4: way since the guess, which is in SHIFT [m]; lane 3 is 0'),
  RESIDUAL: array('f32x4: unbalanced force [N], without what is held'),
  PRODUCT: array('f32x4: all of the unbalanced force [N]; the system matrix times the direction'),
  DIRECTION: array('f32x4'),
  CORRECTION: array('f32x4'),
  DIAGONAL_INVERSE: array(
    'f32x4[2]: inverse diagonal block: xx, yy, zz, then yz, xz, xy [m/N]; lane 3 of the first: trace of the stiffness [N/m]',
  ),
  LINEARISED: array(
    'f32x4[8]: rows of F_e - I, of the stress S, the rotation; scale of lengths, stiffness of the determinant term, viscous time over the step',
  ),
  HELD_AXES: array('u32: bits of the axes along which velocities are prescribed'),
  CONTACT: array('f32x4: normal of the obstacle that is nearest; lane 3: secant of friction [N/m]'),
  SLIP: array('f32x4: way of the guess along that obstacle [m]; lane 3: coefficient of friction'),
  CONTACT_STIFFNESS: array('f32: stiffness with which it presses back where it is touched, else 0 [N/m]'),
  INERTIA: scalar('f32', 'one over the squared step [1/s2]'),
  ALPHA: scalar('f32', ''),
  BETA: scalar('f32', ''),
  ROUND: scalar('u32', 'number of the Newton iteration'),
});
