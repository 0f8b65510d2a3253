/**
 * The memory layout of bodies that flow, [J14]: slots of a context block of their own, which goes on where
 * that of layout.ts ends. Slots of layout.ts that are not named here mean the same; so bodies, materials,
 * obstacles and the search grid are read by the same functions. Particles [0, count) are in the world; ID
 * tells which is which when some split and merge. Plain constants only, so that both compilers read this file.
 */

/** Neighbours of a particle, at the most ([J14] 3.6). */
export const ROOM = 32;

// Particles: the state. Sizes in bytes per particle behind each.
/** f32x4: position in the world [m], one over the mass [1/kg]. 16 */
export const POSITION = 512;
/** f32x4: what rounding has cut off the position [m], contact radius [m]. 16 */
export const REMAINDER = 516;
/** f32x4: position in embedded space [m], support [m]. 16; POINTS is the same array. */
export const EMBEDDED = 520;
/** u32: place among those of its body, the same for all time. 4 */
export const ID = 524;
/** u32: the particle of the body's start that it came from, which decides its material. 4 */
export const ANCESTOR = 528;
/** u32: constraints that act on it, a bit each. 4 */
export const CONSTRAINED = 532;
/** u32: neighbours. 4 */
export const NEIGHBOR_COUNT = 536;
/** f32x4[ROOM]: rest vectors u_ij [m] and the tagged index j, by rising index. 16 each */
export const PAIRS = 540;

/** f32: share of the stabilisation that has not flowed since the rest vectors last took over the flow [1]. 4 */
export const LASTING = 684;

// Particles: made from the state.
/** f32[ROOM]: weights w_ij of the fit [1]. 4 each */
export const WEIGHTS = 544;
/** u32[ROOM]: where the pair ji is, counted in pairs. 4 each */
export const REVERSE = 548;
/** f32: dynamic viscosity [Pa s]. 4 */
export const VISCOSITY = 552;
/** u32: old number of each particle after resampling, and f32x4: the way from there in the world [m]. */
export const ORIGIN = 556;
export const SHIFT = 560;
/** f32: squared distance that neighbours must be nearer than: there were too many [m2]. 4 */
export const CUT = 564;
/** The other half of the double buffers of PAIRS and NEIGHBOR_COUNT. */
export const OTHER_PAIRS = 568;
export const OTHER_COUNT = 572;
/** f32: edge of the cell at the start, which resampling keeps to [m]. 4 */
export const SPACING = 576;
/** SAMPLING_STRIDE bytes: what resampling goes by, see assembly/embedding/sampling.ts. */
export const SAMPLING = 580;
export const SAMPLING_STRIDE = 96;

// Linear systems: f32x4 per particle.
export const SOLUTION = 584;
export const RESIDUAL = 588;
export const DIRECTION = 592;
export const PRODUCT = 596;
/** f32: one over the diagonal. 4 */
export const DIAGONAL = 600;
export const ALPHA = 604;
export const BETA = 608;

/** Constraints, CONSTRAINT_STRIDE bytes each, and how many. */
export const CONSTRAINTS = 612;
export const CONSTRAINT_COUNT = 616;
/** f32: duration of the step [s]. */
export const STEP = 620;
/** f32: squared frequency of a particle over its bound, see assembly/embedding/forces.ts [1]. */
export const FREQUENCY_SHARE = 624;
/** f32: weight of the stabilisation [1]. */
export const STABILISATION = 628;
/** f32 per block: largest plastic strain since the last embedding [1]. */
export const BLOCK_STRAIN = 632;
/** f32x4: gravity [m/s2]. */
export const GRAVITY = 640;
/** f32: eigenvalue of eq. 13 times the squared spacing where particles are well spaced [1]; below and above what share of it they split and merge. */
export const EVEN_SAMPLING = 656;
export const SPARSE = 660;
export const DENSE = 664;
/** f32 per block: largest rate of the viscous forces [1/s]. */
export const BLOCK_RATE = 668;
/** u32: particles in the world. */
export const COUNT = 672;
/** f32 per block: how many have flowed by more than FLOWED_BY since the last embedding. */
export const BLOCK_FLOWED = 676;
/** f32: [1] */
export const FLOWED_BY = 680;
/** u32: grids of different sizes that neighbours are looked for in. */
export const LEVELS = 688;
export const CONTEXT_SIZE = 692;

// A constraint. u32 bits 1, 2, 4: axes x, y, z are prescribed.
export const CONSTRAINT_MASK = 0;
/** 3 x f32x4: rows of the turn of the step less the identity; f32x4: its pivot [m], its shift [m], an acceleration [m/s2]. */
export const CONSTRAINT_TURN = 16;
export const CONSTRAINT_PIVOT = 64;
export const CONSTRAINT_SHIFT = 80;
export const CONSTRAINT_ACCELERATION = 96;
export const CONSTRAINT_STRIDE = 112;

// What resampling goes by.
/** f32: smallest and largest eigenvalue of eq. 13 over that of even sampling [1]. */
export const SAMPLING_LOW = 0;
export const SAMPLING_HIGH = 4;
/** u32: nearest neighbour. */
export const SAMPLING_NEAREST = 8;
/** u32: 1 when it should split. */
export const SAMPLING_SPLITS = 12;
/** f32x4: ways from it to the halves in rest space [m], in the world [m], and of their velocities [m/s]. */
export const SAMPLING_REST = 16;
export const SAMPLING_WORLD = 32;
export const SAMPLING_VELOCITY = 48;
/** f32: distance of the centre of the neighbourhood, in spacings [1]; eq. 3 before it is calibrated [m3]. */
export const SAMPLING_SKEW = 80;
