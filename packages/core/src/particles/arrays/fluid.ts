/** The memory layout of liquids, as layout.ts is for solids: slots of their own context block. Liquid particles stand in the order of the grid's cells and are sorted anew in every step; ID tells which is which. */
import { parametersIn } from './parameters.js';
import { array, block, constants, derived, record, scalar, state } from './table.js';

export const CONSTANTS = constants({
  INNER: [0.25, ''],
  FAINT: [0.3, 'Gradients of the colour below this over the support are noise'],
  BOND_SKIN: [0.36, 'How much a particle attracts others, see assembly/fluid/tension.ts'],
  BOND_EDGE: [0.26, ''],
  BOND_ALONE: [1.28, ''],
  BOND_FULL: [0.75, ''],
  BOND_RISE: [0.25, ''],
  CANDIDATE_BYTES: [20880, "What the search for neighbours takes of a block's COEFFICIENTS, which are made after it"],
  BOUNDARY_KERNEL_ENTRIES: [257, 'Entries of a boundary kernel'],
  HALF_SPACE_ENTRIES: [129, 'Entries of the half-space table: distances from -h to h'],
  SUMS: [8, 'f64 partial sums per block'],
});

export const CONTEXT = block('CONTEXT_SIZE', {
  // Liquid particles: what is sorted along with them.
  POSITION: state('f32x4', 'position in the world [m], one over the mass [1/kg]'),
  VELOCITY: state('f32x4', 'velocity [m/s], viscosity [Pa s]'),
  ID: state('u32', 'number among all liquid particles, the same for all time'),
  LIQUID_OF: state('u32', 'number of the liquid, which decides its row in LIQUIDS'),
  PRESSURE: state('f32', 'pressure [Pa]'),
  PRESCRIBED_UNTIL: state('f32', 'time until which the particle is led by its source [s]'),
  CONSTRAINED: state('u32', 'constraints that act on it, a bit each'),
  VACANCY: state(
    'f32',
    'share of its density that it lacks because it is at the surface, see assembly/fluid/skin.ts [1]; -1 if not known yet',
  ),
  ALTERNATE: scalar(
    'u32[8]',
    'the other halves of the double buffers of the state: each array has its own so much above its slot',
  ),
  // Liquid particles: made anew in every step.
  X: derived('f32', 'coordinates by axis, padded by four'),
  Y: derived('f32', ''),
  Z: derived('f32', ''),
  FIXED: derived(
    'u32',
    'bits 1, 2, 4: its velocity along x, y, z is prescribed in this step, by its source or a constraint; 8: a constraint holds all of them',
  ),
  CELL_OF: derived('u32', 'cell of the particle'),
  ORIGIN: derived('u32', 'where the particle stood before it was sorted'),
  BOUNDARY_FOUND: array('u32: boundary neighbours, BOUNDARY_ROOM of them'),
  BOUNDARY_FOUND_COUNT: derived('u32', 'how many'),
  PAIR_BEGIN: derived(
    'u32',
    "Pairs of liquid particles: those of a block of particles one after the other, each particle's filled up to a multiple of four with pairs of itself, so that they can be read four at a time. u32: the first of each particle's, and how many there are without the filling",
  ),
  PAIR_COUNT: derived('u32', ''),
  NEIGHBORS: array('u32 per pair: 16 j, where the neighbour stands in an array of 16 bytes each'),
  COEFFICIENTS: array(
    "f32 per pair: c_ij = V W'/r, the same from both sides, with g_ij = V grad W_ij = c_ij (x_i - x_j) [1/m2]; 0 in the filling",
  ),
  RATIO: derived('f32', 'density over rest density'),
  OPENING: derived('f32', 'squared gradient of the colour of liquid and walls together [1/m2]'),
  ANISOTROPY: array(
    'f32x4 per particle: what the stress of the particles lacks to that of a liquid, see assembly/fluid/structure.ts [Pa]: xx, yy, zz and how much it counts [1]; yz, zx, xy. Not there unless it is taken away',
  ),
  ANISOTROPY_ACROSS: array(''),
  STRUCTURE: array('the same, smoothed over the neighbours'),
  STRUCTURE_ACROSS: array(''),
  ISOTROPY: scalar('f32', 'share of it that is taken away [1]'),
  MIXED: scalar(
    'u32',
    '1 when there are liquids of several densities, and while pressures are those of assembly/fluid/layers.ts',
  ),
  WEIGHED: scalar('u32', ''),
  INNER_OPENING: scalar('f32', 'OPENING that disorder has within a liquid, and its share of that at a flat surface'),
  PULLS: scalar('u32', '1 while liquids that bear a pull are solved for'),
  LOWEST: derived('f32', 'lowest pressure that a particle may have, 0 or the pull that it bears [Pa]'),
  SKIN: scalar('f32', 'share of the density that is missing at a surface, over OPENING [m2]'),
  GRADIENT: derived(
    'f32x4',
    'G, see assembly/fluid/pairs.ts [1/m]; the part of walls in the rate of compression [1/s]',
  ),
  CORRECTION: derived('f32', 'what moves particles back to their density, as a pressure [Pa]'),
  FACTOR: derived('f32', 'DFSPH factor: pressure per rate of compression [Pa s2]'),
  SOURCE: derived('f32', 'rate of compression that the pressures are to undo [1/s2]'),
  LEFT: derived(
    'f32',
    'what the pressures of the velocities leave of it, of all particles; before these are solved for, where FORESEEN, how moving straight on compresses in second order, see assembly/fluid/pairs.ts [1/s2]',
  ),
  FORESEEN: scalar(
    'u32',
    '1 in energetic flow, whose velocities are solved for once in a step, with the second order of compression in LEFT',
  ),
  FOLLOWS: scalar('u32', '1 when the velocities are still those that LEFT was found with'),
  ACCELERATION: derived('f32x4', 'acceleration [m/s2]; when particles move that which corrects their positions'),
  NORMAL: array(
    "f32x4 per particle: gradient of the liquid's colour over its length, and how much the particle attracts, see assembly/fluid/tension.ts [1]",
  ),
  EXPOSED_AREA: array(
    'f32x4 per particle: exposed area, cross-section of what is on its own [m2]; not there where no force acts, see assembly/forces/exposure.ts',
  ),
  MEASURE: derived('f32', 'what is measured on a particle'),
  WALL_FORCE: array(
    'f32x4 per particle of each obstacle: its force on the particle [N]; not there unless somebody asks, see solvers/meter.ts',
  ),
  WALL_DRAG: array('f32x4 per particle: drag of all walls per volume [N/m3]; not there unless somebody asks'),
  WALL_FORCE_STRIDE: scalar('u32', 'bytes from one obstacle to the next'),
  // Boundary particles: of obstacles first, then of rigid and elastic bodies.
  BOUNDARY_POSITION: derived('f32x4', 'position [m], weight of its kernel [m3]', 'boundary'),
  BOUNDARY_VELOCITY: derived(
    'f32x4',
    "velocity [m/s], share of the liquid's viscosity that acts on it [1]",
    'boundary',
  ),
  BOUNDARY_INPUT_POSITION: derived(
    'f32x4',
    'As they were given, before they were sorted; BOUNDARY_ORIGIN tells which is which',
    'boundary',
  ),
  BOUNDARY_INPUT_VELOCITY: derived('f32x4', '', 'boundary'),
  BOUNDARY_INPUT_TRAITS: derived('f32x4', '', 'boundary'),
  BOUNDARY_TRAITS: derived(
    'f32x4',
    "Share of the liquid's attraction that it has [1], volume that drags and attracts [m3], u32: address of its kernel table: two f32 per entry at distances from 0 to h, k [1/m3] and 1/r dk/dr [1/m5]",
    'boundary',
  ),
  BOUNDARY_ORIGIN: derived('u32', '', 'boundary'),
  BOUNDARY_X: derived('f32', '', 'boundary'),
  BOUNDARY_Y: derived('f32', '', 'boundary'),
  BOUNDARY_Z: derived('f32', '', 'boundary'),
  BOUNDARY_CELL_OF: derived('u32', '', 'boundary'),
  BOUNDARY_COUNT: scalar('u32', ''),
  BOUNDARY_LOCAL: array(
    'f32x4 per boundary particle of an obstacle: position in its axes [m], number of the obstacle (u32)',
  ),
  BOUNDARY_SOLID_BEGIN: scalar('u32', 'number of the first boundary particle of a body'),
  BOUNDARY_SOLID: array('u32 per boundary particle of a body: particle of the solid store'),
  SOLID_CONTEXT: scalar('u32', 'context of the solids, see layout.ts'),
  REACTION_FOUND: array('u32: what boundary particles find around them, REACTION_ROOM of them'),
  REACTION_CAPACITY: scalar('u32', ''),
  // Tables.
  CELL_BEGIN: array('u32[cells + 2]: where the particles of a cell begin; the last cell holds what leaves the world'),
  BOUNDARY_CELL_BEGIN: array(''),
  LIQUIDS: array('Liquids, LIQUID_STRIDE bytes each'),
  HALF_SPACE: array(
    'f32x4 per entry of the half-space table: density share, its derivative [1/m], viscous terms along and across [1/m2]',
  ),
  ATTRACTION: array(
    'f32 per entry: pull of a half-space over the strength of the attraction, at distances from 0 to h',
  ),
  BLOCK_SUMS: array('f64[SUMS] per block'),
  BLOCK_SPEED: array('f32 per block: largest squared speed [m2/s2]'),
  OBSTACLES: array('The obstacles of the world, see layout.ts'),
  OBSTACLE_COUNT: scalar('u32', ''),
  SINKS: array('Regions where particles leave the world, SINK_STRIDE bytes each, and how many'),
  SINK_COUNT: scalar('u32', ''),
  CONSTRAINTS: array('Constraints, PRESCRIPTION_STRIDE bytes each'),
  // Scalars.
  COUNT: scalar('u32', 'liquid particles in the world'),
  PAIR_CAPACITY: scalar('u32', 'pairs that a block of particles has place for'),
  BOUNDARY_CAPACITY: scalar('u32', ''),
  GRID_ORIGIN: scalar('f32x4', 'corner of the grid [m]'),
  GRID_SCALE: scalar('f32x4', 'one over the edge of a cell [1/m]'),
  GRID_FIRST: scalar(
    'i32',
    'cells along the axes, in the order in which particles are sorted: along the first they stand side by side',
  ),
  GRID_SECOND: scalar('i32', ''),
  GRID_THIRD: scalar('i32', ''),
  GRID_CUT: scalar('u32', '1 when some particles are outside the grid'),
  PERIOD: scalar('f32x4', 'length of a periodic axis [m]; 0 where space does not repeat'),
  SUPPORT: scalar('f32', 'support of the kernels [m]'),
  VOLUME: scalar('f32', 'particle volume in sums over particles [m3]'),
  REST_VOLUME: scalar('f32', 'volume of a particle at rest [m3]'),
  KERNEL: scalar(
    'f32',
    "normalisation of W and of W'/r, for lanes.ts; of W'/r of the cubic spline, and of the viscosity kernel",
  ),
  KERNEL_GRADIENT: scalar('f32', ''),
  SPLINE_GRADIENT: scalar('f32', ''),
  VISCOSITY_KERNEL: scalar('f32', ''),
  STEP: scalar('f32', 'time step [s]'),
  TIME: scalar('f32', 'time at the end of the step [s]'),
  GRAVITY: scalar('f32x4', 'gravity [m/s2]'),
  SOLVED: scalar('u32', 'address of the pressures that are being solved for: PRESSURE or CORRECTION'),
  DIRECTION_ACCELERATION: derived('f32x4', 'acceleration by the direction of the conjugate gradients'),
  TOUCHED: derived('u32', '1 where pressures around have been cut off, and accelerations or residuals do not follow'),
  STALE: derived('u32', ''),
  DIRECTION_POSITION: derived(
    'f32x4',
    'position [m], and there the direction of the conjugate gradients [Pa], so that both are read at once',
  ),
  PRESSURE_RESIDUAL: derived('f32', 'residual [1/s2], direction [Pa] and product [1/s2] of the conjugate gradients'),
  PRESSURE_DIRECTION: derived('f32', ''),
  PRESSURE_PRODUCT: derived('f32', ''),
  CONSTANT_DENSITY: scalar('u32', '1 when positions are solved for, 0 for velocities'),
  FROM_NOTHING: scalar('u32', '1 when pressures begin at zero'),
  CORRECTION_PER_MASS: scalar(
    'f32',
    'one over the mass that all particles have where positions are corrected [1/kg]; 0 for their own',
  ),
  GAP: scalar('f32', 'nearest that a particle may come to an obstacle [m]'),
  STIFFNESS: scalar('f32', 'stiffness k of the equation of state [Pa]'),
  EXPONENT: scalar('u32', 'its exponent gamma'),
  XSPH: scalar('f32', 'share of XSPH [1]'),
  EDDY: scalar('f32', 'viscosity of small eddies, in spacings times the difference of velocities [1]'),
  EXPLICIT: scalar('u32', '1 when the viscosity of the liquid itself is explicit'),
  CLOSING: scalar('f32', 'share of a small lack of density that closes in a step [1]'),
  OPENING_UP: scalar('f32', 'share of a slight compression that velocities undo in a step [1]'),
  KEISER: scalar('u32', '1 for the kernels of [K06]'),
  // The implicit viscosity.
  DIRECTION: array('f32x4 per particle'),
  RESIDUAL: array('f32x4 per particle'),
  PRODUCT: array('f32x4 per particle'),
  PRECONDITIONER: array('f32x4 per particle'),
  ALPHA: scalar('f32', 'of the conjugate gradients'),
  BETA: scalar('f32', ''),
  TENSION_FACTOR: array(
    "f32 by ID: factors of tension and cohesion at the particle's temperature [1]; no address where they are alike",
  ),
  COHESION_FACTOR: array(''),
  ORDERS: array(
    'u8[16] for each choice of four numbers, by bits: where the bytes of those chosen come from, to stand first',
  ),
  GRID_ORDER: scalar(
    'u8[16]',
    "where the bytes of a cell's coordinates come from, to stand in the order of the grid's axes",
  ),
});

/** A liquid: f32 unless said otherwise. */
export const LIQUID = record('LIQUID', {
  LOOSE: scalar('f32', '1 where its free surface is loose, 0 where it is a crust, see assembly/fluid/skin.ts'),
  TENSION: scalar('f32', 'T of the energy of its surface [N/m]'),
  ATTRACTION: scalar('f32', 'A of its attraction, to itself and to walls [N]'),
  ...parametersIn('LIQUID'),
  SOURCE_VELOCITY: scalar('f32x4', 'velocity with which its source leads it [m/s]'),
});

/** A sink: u32 kind (0 box, 1 ball), then f32x4 low corner or centre and radius, f32x4 high corner. */
export const SINK = record('SINK', {
  KIND: scalar('u32', '0 box, 1 ball'),
  LOW: scalar('f32x4', 'low corner, or centre and radius [m]'),
  HIGH: scalar('f32x4', 'high corner [m]'),
});
