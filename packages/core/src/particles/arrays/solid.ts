/**
 * Solids and rigid bodies, and what every world has: bodies, obstacles, constraints.
 */
import { CONTEXT as GRID } from './grid.js';
import { parametersIn } from './parameters.js';
import { array, block, constants, derived, record, scalar, state } from './table.js';

export const CONSTANTS = constants({
  BLOCK: [256, 'Particles per block of a deterministic reduction; chunks of a pass are whole blocks'],
  INDEX_TAG: [
    0x4b000000,
    "A neighbour's index sits in the fourth float lane as 2^23 + j: a normal float, never a denormal",
  ],
  INDEX_MASK: [0x7fffff, ''],
  EXACT_FLUX_STRIDE: [240, ''],
  EXACT_SCRATCH_STRIDE: [2048, ''],
  INNER: [0x800000, 'Marks contact particles inside their body'],
  SCRATCH_STRIDE: [4096, ''],
  RIGID_SUM_COUNT: [17, ''],
  RIGID_DAMPING: [
    1,
    'Largest damping of a contact of rigid bodies, and the damping of its friction, as a share of critical [1]',
  ],
  FREE: [0, ''],
  SLIDING: [1, ''],
  STICKING: [2, ''],
  SUMS: [32, 'f64 partial sums per block: see computeBodySums'],
  FIT_LINEAR: [0, ''],
  FIT_QUADRATIC: [1, ''],
  FIT_NONE: [2, 'Rigid bodies, and slots that no particle has'],
  ABSENT: [0xffffffff, 'Row of slots that no particle has: the one before the table of bodies'],
  MODEL_ST_VENANT_KIRCHHOFF: [0, ''],
  MODEL_NEO_HOOKEAN: [1, ''],
  MODEL_COROTATIONAL: [2, ''],
  MODEL_ORTHOTROPIC: [3, ''],
  KIND_PLANE: [0, ''],
  KIND_BOX: [1, ''],
  KIND_SPHERE: [2, ''],
  KIND_CAPSULE: [3, ''],
  KIND_CYLINDER: [4, ''],
  KIND_TORUS: [5, ''],
  KIND_GRID: [6, ''],
});

export const CONTEXT = block(
  'CONTEXT_SIZE',
  {
    // Context slots: attribute arrays.
    REST: derived('f32x4', 'rest position in the body frame [m], contact radius [m]'),
    DISPLACEMENT: state('f32x4', 'displacement from the rest position in the body frame [m]'),
    VELOCITY: state('f32x4', 'velocity in the axes of the body frame [m/s]'),
    ACCELERATION: state('f32x4', 'acceleration in the axes of the body frame [m/s2]'),
    MOMENT_INVERSE: derived(
      'f32x4[3]',
      'rows of the inverse moment matrix [1/m2]; lane 3 of row 0 is twice the stabilisation weight, of row 1 the same before anything flowed',
    ),
    FLUX: derived('f32x4[3]', 'rows of Q = V P M^-1'),
    ELASTIC: derived('f32x4', 'lambda, mu, volume stiffness [Pa], rest volume [m3]'),
    GRADIENT_SUM: derived('f32x4', 'sum of g_ij over the neighbours, inverse mass [1/kg]'),
    STRAIN: state('f32x4[2]', 'Green strain of the last step (xx, yy, zz, 0; yz, xz, xy, 0), for the strain rate'),
    NEIGHBOR_BEGIN: array("u32[n + 1]: where each particle's neighbours begin"),
    NEIGHBORS: array('u32 per pair: the neighbour j'),
    PAIRS: array('f32x4 per pair: g_ij; b_ij, the stabilisation weight of the pair, [1/m2] times volume'),
    BODY_OF: derived('u32', "number of the particle's body"),
    PART_OF: derived('u32', "number of the particle's part within its body: air separates them"),
    CONSTRAINT_OF: derived('u32', "number of the particle's constraint set, 0 for none"),
    DEFICIENT_OF: derived('u32', 'one more than the number in the list of rank-deficient particles, 0 for full rank'),
    PROJECTIONS: array(
      '3 x f32x4 per deficient particle: projection onto the directions its neighbours span; lane 3 of row 0 is the rank',
    ),
    // Contact between particles: arrays over the surface particles (with several bodies, the inner ones too).
    SURFACE_OF: derived('u32', 'one more than its number among the surface particles, 0 for interior ones'),
    SURFACE_PARTICLE: array(
      'u32: particle of each surface number; INNER is set for those that no part of their own body touches',
    ),
    SURFACE_POSITION: array('f32x4 per surface particle: position in the world [m], contact radius [m]'),
    SURFACE_VELOCITY: array('f32x4 per surface particle: velocity in the world [m/s], contact stiffness [N/m]'),
    CONTACT_FORCE: array(
      'f32x4 per surface particle: contact force, in the axes of the body frame [N]; on rigid bodies in world axes, and its stiffness [N/m]',
    ),
    CANDIDATE_COUNT: array('u32: number of candidates of each surface particle'),
    CANDIDATES: array('u32[CANDIDATE_ROOM] per surface particle: its candidates, by rising surface number'),
    CONTACT_RATE: array('f32 per block of surface particles: largest sum of contact stiffness over mass [1/s2]'),
    // Tables.
    BODIES: array('Bodies, BODY_STRIDE bytes each'),
    OBSTACLES: array('Obstacles, OBSTACLE_STRIDE bytes each'),
    CONSTRAINTS: array('Constraint sets, CONSTRAINT_STRIDE bytes each'),
    LATE_TARGET: array(
      'f32x4 per particle: displacement at the end of an implicit step of what is held along LATE axes [m]; no address where there is none',
    ),
    BLOCK_SPEED: array('f32 per block: largest squared speed'),
    BLOCK_FREQUENCY: array('f32 per block: largest squared frequency that the time step has to resolve [1/s2]'),
    BLOCK_SUMS: array('f64[SUMS] per block: partial sums of the diagnostics'),
    SKIN: scalar('f32', 'reach of a contact candidate search beyond touching [m]'),
    // Scalars of the step.
    KICK: scalar('f32', 'duration of the velocity kick [s]'),
    DRIFT: scalar('f32', 'duration of the drift [s]'),
    LATE_KICK: scalar('f32', 'second kick, applied with the new forces [s]'),
    STRAIN_RATE: scalar('f32', 'one over the time since the stored strains [1/s], 0 when there are none'),
    OBSTACLE_COUNT: scalar('u32', ''),
    CONTACT_ACTIVE: scalar('u32', '1 when contact forces are to be added'),
    CONTACT_DAMPING: scalar('f32', 'contact damping, as a share of critical'),
    SELF_CONTACT: scalar('f32', 'far parts of a body touch when their rest distance is more than this many supports'),
    CANDIDATE_CAPACITY: scalar('u32', 'positions for the candidates of a surface particle'),
    BUCKET_BOXES: array(
      '2 x f32x4 per bucket of the grid: lowest and highest rest position in it, where the search for contacts may go by it; lane 3 of the first is their body, or -1 when there are several',
    ),
    SURFACE_REFERENCE: array('f32x4 per surface particle: m + u when the candidates were last found [m]'),
    SURFACE_TRAVEL: array('f32 per block of surface particles: largest squared change of m + u since then [m2]'),
    QUADRATIC_INVERSE: array(
      '9 x 3 x f32x4 per particle: rows of the inverse moment matrix of the quadratic fit, in groups of three',
    ),
    QUADRATIC_FLUX: array('9 x f32x4 per particle: rows of the flux of the quadratic fit, in groups of three'),
    INVERSE_WEIGHTS: array('f32 per pair: one over the weight of the pair'),
    CELL_MOMENT: array(
      '2 x f32x4 per particle: second moments of the cell about its centroid along the axes over its volume [m2]; from the particle to the centroid [m]',
    ),
    SCRATCH: array('SCRATCH_STRIDE bytes per block, for set-up passes'),
    BODY_COUNT: scalar('u32', 'number of bodies'),
    // Implicit steps: f32x4 per particle unless said otherwise.
    START: array('Displacement at the start of the step, in the frame of that time [m]'),
    GUESS: array('First guess of the displacement: where inertia and gravity take it [m]'),
    CHANGE: array('Change of displacement since the guess [m]'),
    STEP_VELOCITY: array('Velocity at the start of the step, in the axes of the frame at the guess [m/s]'),
    RESIDUAL: array('Force that is not balanced yet [N]'),
    PRECONDITIONED: array('The preconditioned residual [m]'),
    DIRECTION: array('Search direction of the conjugate gradients [m]'),
    PRODUCT: array('The system matrix times the direction [N]'),
    CORRECTION: array('Change of displacement that is being solved for [m]'),
    STIFFNESS_DIAGONAL: array('2 x f32x4: diagonal block of the stiffness matrix (xx, yy, zz, 0; yz, xz, xy, 0) [N/m]'),
    DIAGONAL_INVERSE: array('2 x f32x4: inverse diagonal block of the system matrix, the same six numbers [m/N]'),
    LINEARISED: array('6 x f32x4: rows of the gradient and of the stress S at the state that the tangent is taken at'),
    ROTATION: array('Rotation of the corotational law at that state, a quaternion x, y, z, w [1]'),
    INERTIA: scalar('f32', 'mass is divided by the square of the step in the system matrix [1/s2]; 0 for equilibrium'),
    ALPHA: scalar('f32', 'length of the step along the direction'),
    BETA: scalar('f32', 'share of the last direction in the next'),
    COARSE_ACTIVE: scalar('u32', '1 when a coarse correction is to be added to the preconditioned residual'),
    KEEP_STRAIN: scalar('u32', '1 when stress passes keep the strains for the rate of the next step'),
    OBSTACLE_CONTACT: array(
      'Normal of the obstacle that the particle touches, in body axes; lane 3 is FREE, SLIDING or STICKING',
    ),
    OBSTACLE_FRICTION_FORCE: array(
      'Friction of a sliding particle, in body axes [N], and its stiffness [N/m]; see assembly/solid/implicit.ts',
    ),
    START_VELOCITY: array('Velocity at the start of the step, in the frame of that time [m/s]'),
    ELAPSED: scalar('f32', 'duration over which displacements since START make the velocity [s]'),
    CONTACT_CHANGE: array(
      'f32x4 per surface particle: change of the contact force along the direction, in body axes [N]',
    ),
    CONTACT_ROUND: scalar('u32', 'which round of an implicit solution obstacles look at particles in'),
    // Equilibrium in double precision, see assembly/solid/exact.ts.
    EXACT: scalar('u32', '1 when forces are those of double precision: the sums are in EXACT_FORCE'),
    CHANGE_REST: array('What float32 has rounded off CHANGE [m]'),
    EXACT_DISPLACEMENT: array('f64[4] per particle: displacement [m]'),
    EXACT_FLUX: array('f64[30] per particle: what is conjugate to the fit, nine per component; force of the bonds [N]'),
    EXACT_FORCE: array('Elastic force and bonds [N]'),
    EXACT_SCRATCH: array('EXACT_SCRATCH_STRIDE bytes per block: matrices'),
    // The coarse space of the preconditioner: a grid of nodes around each body.
    COARSE_WEIGHTS: array('8 x (u32 node, f32 weight) per particle: the nodes of its cell'),
    COARSE_BEGIN: array('u32[nodes + 1]: where the particles of a node begin in COARSE_LIST'),
    COARSE_LIST: array('(u32 particle, f32 weight) by node'),
    COARSE_VECTOR: array('f32x4 per node: restricted residual, then the correction'),
    COARSE_SYSTEMS: array('Coarse systems, COARSE_STRIDE bytes per body'),
    MIXED: scalar('u32', '1 when bodies of both discretisations are in the world'),
    QUADRATIC_LINEARISED: array(
      '12 x f32x4: gradient at the centroid, second derivatives and stress S at that state, for the quadratic fit',
    ),
    // Held particles that mirror free ones, see solvers/constraints/clamp.ts.
    GHOSTS: array('(u32 particle, u32 ghostSource, f32 ratio, 0) each'),
    GHOST_SOURCES: array('(u32 ghostSource, u32 begin, u32 end, 0) each: its position in GHOST_SOURCE_LIST'),
    GHOST_SOURCE_LIST: array('(u32 particle, f32 ratio) by ghostSource'),
    REFLECTED: array('The vectors that ghost ones are carried over in: an array of f32x4 per particle'),
    CONTACT_RADIUS: derived('f32', 'distance from obstacles at which a solid touches them [m]'),
    CONFINED: derived('u8', '1 where an obstacle may be touched or a constraint holds in this step'),
    DOUBLED: scalar('u32', '1 for the midpoint rule'),
    GUESSED: scalar('f32', '1 when the guess of an implicit step has gone the way of gravity, 0 when it stands still'),
    PLASTIC: state(
      'f32x4[3]',
      'rows of B = F_p^-1 - I; lanes 3 are the accumulated plastic strain [1], the share of the stabilisation that is left [1], and the work done on plastic flow [J/m3]; 0 when nothing is plastic',
      { onDemand: true },
    ),
    PLASTIC_LAW: array(
      'f32x4 per particle: yield stress, hardening [Pa], rate of creep [1/s], largest plastic strain [1]',
    ),
    PENETRATION: array(
      'f32 per particle: how far it began inside an obstacle [m], for bodies with a BODY_PENETRATION; of bodies that flow by the particle of the start that each came from',
    ),
    EXTERNAL_FORCE: array(
      'f32x4 per particle: force from outside, in world axes [N]; 0 as long as nobody has asked for it',
    ),
    // Particles that forces of solvers/forces/ act on, by rising number.
    FORCED: array('u32: particle of each; not there where no force acts'),
    FORCED_BEGIN: array('u32[n + 1]: where the pairs of each begin'),
    FORCED_PAIRS: array('(u32 particle, f32 weight [m]) per pair: the area is the sum of weight (x_i - x_j)'),
    FORCED_POSITION: array('f32x4: position in the world [m], one over the mass [1/kg]'),
    FORCED_VELOCITY: array('f32x4: velocity in the world [m/s]'),
    FORCED_AREA: array(
      'f32x4: exposed area in world axes [m2], cross-section of what is on its own [m2]; of bodies that flow, for all particles',
    ),
    // Bodies that can break, see assembly/solid/fracture.ts; nothing of it is there where none can.
    BOND_BEGIN: array('u32[n + 1]: where the bonds of each particle begin, whole and broken ones'),
    BOND_NEIGHBORS: array('u32 per bond: the neighbour j'),
    BOND_BACK: array('u32 per bond: the bond of j with this particle'),
    BOND_WEIGHTS: array('f32 per bond: w_ij of the whole body'),
    BONDS_LEFT: array(
      'f32 per bond: share of the weight that is left [1]; of a broken one less how far apart its ends have been since [m], or 0',
    ),
    ELASTIC_WHOLE: array('f32x4 per particle: as ELASTIC, before anything broke'),
    FRACTURE_LAW: array(
      "f32x4 per particle: Young's modulus [Pa], strain at the tensile strength [1], fracture energy [J/m2] or -1 for none, plastic strain at which no strength is left [1]",
    ),
    // Only where a body is scored.
    BOND_SCORES: array('f32 per bond: share of its strength and fracture energy that a score leaves [1]'),
    LEAST_SCORE: array('f32 per particle: the least of its bonds [1]'),
    BOND_LIMITS: array(
      'f32x4 per particle: least strains at which one of its bonds may break, without scores: by the strength, and at a crack by the energy [1]; largest factor of strains, see noteLimits [1]',
    ),
    BOND_STRAINED: array('u8 per bond: not 0 when it may be beyond its strength'),
    STRAINED: array('u32 per particle, bits: bonds of it are marked 1 by itself, 2 by their other ends'),
    OVERSTRESS: array(
      "f32x4 per particle: direction of the largest principal stress; that stress over Young's modulus [1], 0 where it is far below the strength",
    ),
    CONSTRAINED: array(
      "f32x4 per particle, of the stress along that direction, over Young's modulus: for a strain along it; of the stabilisation; mean strain across it; what that adds [1]",
    ),
    WEAKEST: array(
      'f32x4 per particle: direction of the bond that is nearest to breaking, and its strain over its strength; of particles that STRAINED tells of',
    ),
    LOST: array(
      'f32x4 per particle: to which side bonds are lost, 1 for a whole side; damage: share of the weights that is lost [1]',
    ),
    FIT_STIFFNESS: array(
      'f32[2] per particle: how stiff the stiffest fit of its body was, see fitStiffness [1/m2], and twice the stabilisation weight before anything broke',
    ),
    REFIT: array('u32 per particle: 1 when its bonds have changed'),
    BLOCK_BREAKING: array('u32 per block, bits: 1 something may break, 2 bonds have changed, 4 some have broken'),
    PIECE: array('u32 per particle: number of the piece of its body that it is in'),
    ROW_PARTICLES: array('u32: particles of the rows that are scattered, one row after the other'),
    // Bodies whose neighbours are renewed, see assembly/solid/renewal.ts; nothing of it is there where there are none.
    RENEWED_AT: array('f32 per particle: plastic strain when its neighbours were last found [1]'),
    // Rigid bodies: arrays over their particles, by rising number of particle.
    RIGID_PARTICLE: array('u32: particle of each rigid particle'),
    RIGID_FORCE: array('f32x4: force on it in world axes [N]'),
    RIGID_MOMENT: array("f32x4: moment of that force about the particle's centre, in world axes [N m]"),
    RIGID_STIFFNESS: array(
      'f32x4: stiffness [N/m] and damping [kg/s] of its contacts as the stable step goes by them; their number, those about to be included; how deep it is in an obstacle, in radii',
    ),
    RIGID_PARTNERS: array(
      'u32[RIGID_ROOM] each: one more than the particles of other rigid bodies that it touches, by rising number; then 0',
    ),
    RIGID_SPRINGS: array(
      "f32x4 for each partner: stretch of the friction's spring in world axes [m]; speed at first touch [m/s]",
    ),
    RIGID_LAST_PARTNERS: array('The same two at the last evaluation'),
    RIGID_LAST_SPRINGS: array(''),
    RIGID_WALL_SPRINGS: array('f32x4 per obstacle each: the same for obstacles; all zero where nothing touches'),
    RIGID_LAST_WALL_SPRINGS: array('The same at the last evaluation'),
    RIGID_TANGENTS: array(
      '3 x f32x4 for each partner: stiffness of the contact in world axes (xx, yy, zz, 0; yz, xz, xy, 0) [N/m], its point [m]; for implicit steps only',
    ),
    RIGID_WALL_TANGENTS: array('3 x f32x4 per obstacle each: the same for obstacles'),
    RIGID_STEP: scalar('f32', 'time since the last evaluation [s]'),
    RIGID_EXACT: scalar('u32', '1 when contacts among rigid bodies and with obstacles are found by their shapes'),
    RIGID_RATE: array(
      'f32 per block of rigid particles: one over the longest step before some contact gets too deep [1/s]',
    ),
    RIGID_MOST: array('f32 per block of rigid particles: most partners that one of them has'),
    RIGID_CAPACITY: scalar('u32', 'slots for the partners of a rigid particle'),
    RIGID_SUMS: array('f64[RIGID_SUM_COUNT] per body: see computeRigidSums'),
    CONTACT_MOMENT: array(
      'f32x4 per surface particle: moment of the contact force about the centre of a rigid particle, in world axes [N m]',
    ),
    WALL_IMPULSE: array(
      'f32x4[3] per particle near obstacles, where a solid has a restitution: their impulse on it in this step in world axes [N s], lane 3 the sum of the normal ones; the normal part, lane 3 its product with their velocity [J]; lane 0 the normal ones times their damping',
    ),
    // Who pushes whom, see solvers/meter.ts; nothing of it is there unless somebody asks.
    OBSTACLE_IMPULSE: array(
      'f32x4 per particle of each obstacle: what the obstacle has given it since this was cleared, in world axes [N s]',
    ),
    OBSTACLE_IMPULSE_STRIDE: scalar('u32', 'bytes from one obstacle to the next'),
    HOLD_IMPULSE: array(
      'f32x4 per particle: what has held or moved it has given it since this was cleared, in world axes [N s]',
    ),
    METERED: scalar('f32', 'for how long the forces of this pass act [s]'),
    PAIR_FORCE: array('f32x4 for each of the CANDIDATES: force from it, in world axes [N]'),
    RIGID_PAIR_FORCE: array('f32x4 for each of the RIGID_PARTNERS: force from it, in world axes [N]'),
    RIGID_WALL_FORCE: array('f32x4 per obstacle of each rigid particle: force from it, in world axes [N]'),
    // Contact of solids by their surfaces, see assembly/contact/touch.ts: arrays over the surface particles.
    REACH_BY_SURFACE: scalar(
      'f32',
      'gap at which surfaces are looked at [m]; 0 where solids touch by the forces of particles, as in implicit steps',
    ),
    SURFACE_OUTWARD: array(
      'f32x4: outward normal at rest, in body axes, and distance of the surface [m]; 0 for those at edges, -1 within the body',
    ),
    SURFACE_LARGEST: scalar('f32', 'the largest distance of a surface or half of a cell [m]'),
    SURFACE_PARTNERS: array(
      'u32x4: three particles near it, with which it shows how the body is turned and strained there, and 1; or 0 for none',
    ),
    TOUCH_NORMAL: array('f32x4: outward normal in world axes, distance of the surface or 0 [m]'),
    TOUCH_VELOCITY: array(
      'f32x4: velocity in world axes before contact [m/s], one over the mass or 0 when held [1/kg]',
    ),
    TOUCH_AXIS: array(
      'f32x4: direction in which the particle is pushed off the surface that it faces, and the distance along it at which they touch [m]',
    ),
    TOUCH_SHARES: array(
      'f32x4: one over the sum of its weights [1]; one over the mass times the shares that it has in contacts, the same of its own contact with the surface [1/kg]; what takes back its penetration [kg m]',
    ),
    TOUCH_CONTACT: array('f32x4: impulse of its own contact in world axes, and its change in the last round [N s]'),
    TOUCH_CHANGE: array(''),
    TOUCH_IMPULSE: array(
      'f32x4: impulse of all contacts in world axes [N s], and their moment about the particle [N m s]',
    ),
    TOUCH_COUPLE: array(''),
    TOUCH_BEGIN: array('u32: where the pairs of each begin, and how many there are'),
    TOUCH_COUNT: array(''),
    TOUCH_PAIRS: array('per pair u32: the other one; f32: weight [1], share of the way to it where they touch [1]; 0'),
    TOUCH_PAIR_IMPULSE: array(
      'f32x4 per pair: impulse from it in this step, in world axes [N s]; not there unless somebody asks',
    ),
    TOUCH_SHIFT: array('f32 per block: largest squared way that penetrations were taken back by [m2]'),
    TOUCH_RELAXATION: scalar('f32', 'factor of the changes in a round [1]'),
    TOUCH_SETTLES: scalar('u32', '1 for velocities at the end of a step: only what touches'),
    // Rest vectors that are not differences of rest positions, r_ij = m_j - m_i + o_ij, see offsets.ts; no address where there are none.
    OFFSETS: array('f32x4 per pair: o_ij, with o_ji = -o_ij [m]'),
    FIRST_MOMENT: array('f32x4[3] per particle: rows of what the sums of a fit begin with, -sum o_ij (g_ij, b_ij)^T'),
    // Bodies with viscosity, see assembly/solid/viscosity.ts; no address where there are none.
    VISCOSITIES: array(
      'f32 per particle: half of what the dashpots of a unit of volume have in common, 15 times the dynamic viscosity, less in sheets and strings [Pa s]',
    ),
    DASHPOTS: array(
      'f32x4 per particle: position between which the dashpots act, in body axes [m]; its part in the strength of each, over |g_ij| [Pa s]',
    ),
    FLOW: array(
      'f32x4 per particle: velocity that the dashpots resist, in body axes [m/s]; sum of their strengths [kg/s]',
    ),
    FLOW_CHANGE: array('f32x4 per particle: change of that velocity that is solved for [m/s]'),
    FLOW_CONTACT: array(
      'f32x4 per particle: the obstacle that keeps that from changing, see assembly/solid/viscous-contact.ts; no address where there are none',
    ),
    FLOW_FRICTION: array('f32x4 per particle: friction of what slides on it, in body axes [N s]'),
    FLOW_TIME: scalar('f32', 'for how long they act [s]'),
    FLOW_LAG: scalar('f32', 'how long ago their positions are those of [s]'),
  },
  GRID,
);

/** A coarse system: u32 each. */
export const COARSE = record('COARSE', {
  FIRST: scalar('u32', 'First node and number of nodes'),
  NODES: scalar('u32', ''),
  BAND: scalar('u32', 'Entries of a row of the factor, the diagonal included; a multiple of 4'),
  FACTOR: scalar('u32', 'Address of the factor: by rows, the diagonal last and inverted'),
});

/** A body: f32 unless said otherwise. */
export const BODY = record('BODY', {
  BEGIN: scalar('u32', 'particle range'),
  END: scalar('u32', ''),
  VISCOUS_TIME: scalar('f32', 'Viscous relaxation time [s]'),
  BOND_MODULUS: scalar('f32', 'Modulus of the stabilisation [Pa]'),
  FRAME: scalar(
    'f32x4[3]',
    'Rows of the rotation from body to world axes, lane 3 is the origin: x_world = R (m + u) + c',
  ),
  GRAVITY: scalar('f32x4', 'Gravity in body axes'),
  REFRAME: scalar('f32x4[3]', 'Rows of (dR - I) and lane 3 the shift, for the change of frame'),
  STEP_MODULUS: scalar(
    'f32',
    'Largest P-wave modulus of a particle over the squared highest frequency of the body at rest [Pa s2]',
  ),
  VISCOUS: scalar('u32', '1 when the strain rate is needed'),
  CONTACT: scalar('u32', 'bits: 1 touches other bodies, 2 touches itself'),
  SUPPORT: scalar('f32', "Support radius of the body's coarsest particle [m]"),
  MODEL: scalar('u32', 'the material law, MODEL_...'),
  FIT: scalar('u32', 'the fit of the displacements, FIT_...'),
  BOX_LOW: scalar('f32x4', 'corners of the box around the body when contact candidates are searched [m]'),
  BOX_HIGH: scalar('f32x4', ''),
  QUADRATIC_SHIFT: scalar(
    'u32',
    'number of the particle that the quadratic arrays begin with: bodies with a linear fit have no place in them',
  ),
  STIFFNESS: scalar(
    'f32x4[3]',
    'rows of the orthotropic stiffness of normal strains, lane 3 twice the shear moduli yz, xz, xy [Pa]',
  ),
  AXES: scalar('f32x4[3]', "rows of the rotation from the material's axes to the body's"),
  RIGID_SHIFT: scalar('u32', 'number of the first particle less its number among the rigid particles'),
  INVERSE_MASS: scalar('f32', 'One over the mass of a rigid body [1/kg]'),
  CONTACT_MODULUS: scalar('f32', 'E / (1 - nu^2) of a rigid body [Pa]'),
  IMPACT_DAMPING: scalar('f32', 'How strongly an impact is damped, [1]; see solvers/contact/restitution.ts'),
  REBOUND_DAMPING: scalar(
    'f32',
    'How strongly an impact of a solid as a whole is damped, 0 for not at all [1]; see solvers/contact/restitution.ts',
  ),
  IMPACT_SPEED: scalar(
    'f32',
    'Largest speed of approach since a solid last began to near what it touches, negative while it departs [m/s]',
  ),
  RIGID_VELOCITY: scalar(
    'f32x4',
    "velocity of the origin of a rigid body's frame and angular velocity, in body axes [m/s], [rad/s]",
  ),
  RIGID_SPIN: scalar('f32x4', ''),
  TURN: scalar('f32x4', 'angular velocity in world axes [rad/s]; 0 for bodies that are not rigid'),
  CENTRE: scalar('f32x4', 'centre of mass of a rigid body in its frame [m]'),
  TOUCHING: scalar(
    'f32',
    'How many contacts a rigid body had, or nearly so, at the last evaluation; about how many particles are on a side',
  ),
  SIDE: scalar('f32', ''),
  SAG: scalar('f32', 'How deep the particles on a side of a rigid body sink in under its weight [m]'),
  PLASTIC: scalar('u32', '1 when something of it may flow for good'),
  STEP_VISCOSITY: scalar('f32', 'Fastest that viscosity alone slows a motion of the body at rest [1/s]'),
  PENETRATION: scalar('f32', 'Share of PENETRATION that obstacles still allow [1]'),
  AREA_FACTOR: scalar('f32', 'Factor of the exposed areas of a body that flows [1]'),
  EVEN_SAMPLING: scalar(
    'f32',
    'Of a viscoplastic body: eigenvalue of [J14] eq. 13 times the squared spacing where particles are well spaced [1]; below what share of it they split',
  ),
  SPARSE: scalar('f32', ''),
  DIRECTION_SHIFT: scalar(
    'f32x4',
    'what the search direction of an implicit step does to a rigid body: shift of its centre of mass [m], turn [rad], in world axes; where the centre is [m]',
  ),
  DIRECTION_TURN: scalar('f32x4', ''),
  POSITION: scalar('f32x4', ''),
  BREAKS: scalar('u32', 'one more than the number of its body when that can break, else 0'),
  SCATTERED: scalar(
    'u32',
    '1 when particles of other rows are between its own; which those are is in ROW_PARTICLES; 2 when these are only slots that no particle has',
  ),
  LIST_BEGIN: scalar('u32', ''),
  LIST_END: scalar('u32', ''),
  RENEWS: scalar('u32', '1 when its neighbours are renewed as it flows'),
  DASHPOTS: scalar('u32', '1 when it has viscosity'),
  SURFACE_BEGIN: scalar('u32', 'numbers of its surface particles'),
  SURFACE_END: scalar('u32', ''),
  TOUCH_CENTRE: scalar('f32x4', 'of a body that touches another: centre of mass in body axes [m]'),
  TOUCH_SPIN: scalar('f32x4', 'its angular velocity in world axes [rad/s]'),
  TOUCH_INERTIA: scalar('f32x4[2]', 'inverse of its inertia in body axes (xx, yy, zz, 0; yz, xz, xy, 0) [1/(kg m2)]'),
  STIFFEST_FIT: scalar(
    'f32',
    'of such a body: how stiff its stiffest fit was at the start, see renewal.ts [1/(m2 kg) m3]',
  ),
  EXACT_FRAME: scalar('f32x4[6]', 'The same as FRAME in f64, for contact with rigid bodies in implicit steps'),
  ...parametersIn('BODY'),
});

/** An obstacle: kind (u32), friction, restitution, grid cell, then pose and shape. */
export const OBSTACLE = record('OBSTACLE', {
  KIND: scalar('u32', ''),
  FRICTION: scalar('f32', ''),
  RESTITUTION: scalar('f32', ''),
  CELL: scalar('f32', ''),
  POSE: scalar('f32x4[3]', 'Rows of the rotation from obstacle to world axes, lane 3 the origin'),
  SHAPE: scalar('f32[3]', 'half size, or radius and half length'),
  SPEED: scalar('f32', 'Fastest that a point of it moves, without bound when it turns [m/s]'),
  VELOCITY: scalar('f32x4', 'velocity of the origin [m/s]'),
  SPIN: scalar('f32x4', 'angular velocity [rad/s]'),
  GRID_ORIGIN: scalar('f32x4', 'corner of the distance grid'),
  GRID: scalar('u32', 'address and sizes of the distance grid'),
  GRID_X: scalar('u32', ''),
  GRID_Y: scalar('u32', ''),
  GRID_Z: scalar('u32', ''),
  IMPACT_DAMPING: scalar(
    'f32',
    'How strongly an impact of a rigid body is damped, [1]; see solvers/contact/restitution.ts',
  ),
  REBOUND_DAMPING: scalar(
    'f32',
    'How strongly an impact of a solid as a whole is damped, [1]; see solvers/contact/restitution.ts',
  ),
  NO_SLIP: scalar('f32', "Share of a liquid's viscosity that acts on it: 1 holds the liquid, 0 lets it slip [1]"),
  ADHESION: scalar('f32', "Share of a liquid's attraction to itself that it has [1]"),
});

/** A constraint set: the world axes that are prescribed, affine maps from the rest position to the prescribed displacement at the end of the step and its rate (body axes), and an acceleration. */
export const CONSTRAINT = record('CONSTRAINT', {
  MASK: scalar('u32', 'bits 1, 2, 4: axes x, y, z are prescribed'),
  GHOST: scalar('u32', '1 when its particles mirror free ones'),
  LATE: scalar(
    'u32',
    'bits of those axes that are held from where they were when the constraint began: the velocity is prescribed there',
  ),
  TARGET: scalar('f32x4[3]', 'rows of the map to the prescribed displacement, lane 3 the constant'),
  RATE: scalar('f32x4[3]', 'rows of the map to the prescribed velocity, lane 3 the constant'),
  LATE_RATE: scalar(
    'f32x4[3]',
    'rows of the map from the position to the prescribed velocity along those, lane 3 the constant',
  ),
  ACCELERATION: scalar('f32x4', 'acceleration in body axes [m/s2]'),
});
