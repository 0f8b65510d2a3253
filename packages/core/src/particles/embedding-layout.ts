// Written by scripts/build-layout.mjs from the tables in arrays/: change those.

/** Neighbours of a particle, at the most ([J14] 3.6). */
export const CAPACITY = 32;

/** f32x4 per particle: position in the world [m], one over the mass [1/kg]. */
export const POSITION = 688;
/** f32x4 per particle: what rounding has cut off the position [m], contact radius [m]. */
export const REMAINDER = 692;
/** f32x4 per particle: position in embedded space [m], support [m]. POINTS is the same array. */
export const EMBEDDED = 696;
/** u32 per particle: place among those of its body, the same for all time. */
export const ID = 700;
/** u32 per particle: the particle of the body's start that it came from, which decides its material. */
export const ANCESTOR = 704;
/** u32 per particle: constraints that act on it, a bit each. */
export const CONSTRAINED = 708;
/** u32 per particle: neighbours. */
export const NEIGHBOR_COUNT = 712;
/** f32x4[32] per particle: rest vectors u_ij [m] and the tagged index j, by rising index. */
export const PAIRS = 716;
/** f32 per particle: share of the stabilisation that has not flowed since the rest vectors last took over the flow [1]. */
export const LASTING = 720;
/** f32[32] per particle: weights w_ij of the fit [1]. */
export const WEIGHTS = 724;
/** u32[32] per particle: where the pair ji is, counted in pairs. */
export const REVERSE = 728;
/** f32 per particle: dynamic viscosity [Pa s]. */
export const VISCOSITY = 732;
/** u32 per particle: old number of each particle after resampling, and f32x4: the way from there in the world [m]. */
export const ORIGIN = 736;
export const SHIFT = 740;
/** f32 per particle: squared distance that neighbours must be nearer than: there were too many [m2]. */
export const CUT = 744;
/** f32x4[32] per particle: The other half of the double buffers of PAIRS and NEIGHBOR_COUNT. */
export const OTHER_PAIRS = 748;
export const OTHER_COUNT = 752;
/** f32 per particle: edge of the cell at the start, which resampling keeps to [m]. */
export const SPACING = 756;
/** f32x4[6] per particle: SAMPLING_STRIDE bytes: what resampling goes by, see assembly/embedding/sampling.ts; in the memory of REVERSE. */
export const SAMPLING = 760;
export const SOLUTION = 764;
export const RESIDUAL = 768;
export const DIRECTION = 772;
export const PRODUCT = 776;
/** f32 per particle: one over the diagonal. */
export const DIAGONAL = 780;
export const ALPHA = 784;
export const BETA = 788;
/** Constraints, PRESCRIPTION_STRIDE bytes each. */
export const CONSTRAINTS = 792;
/** f32: duration of the step [s]. */
export const STEP = 796;
/** f32: squared frequency of a particle over its bound, see assembly/embedding/forces.ts [1]. */
export const FREQUENCY_SHARE = 800;
/** f32: weight of the stabilisation [1]. */
export const STABILISATION = 804;
/** f32 per block: largest plastic strain since the last embedding [1]. */
export const BLOCK_STRAIN = 808;
/** f32x4: gravity [m/s2]. */
export const GRAVITY = 816;
/** f32 per block: largest rate of the viscous forces [1/s]. */
export const BLOCK_RATE = 832;
/** u32: particles in the world. */
export const COUNT = 836;
/** f32 per block: how many have flowed by more than FLOWED_BY since the last embedding. */
export const BLOCK_FLOWED = 840;
/** f32: [1]. */
export const FLOWED_BY = 844;
/** u32: grids of different sizes that neighbours are looked for in. */
export const LEVELS = 848;
/** u32: address of the context of solids, where particle i has the slot BODY_BEGIN + ID; 0 when nothing acts from there. */
export const SOLID_CONTEXT = 852;
export const CONTEXT_SIZE = 864;

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
/** f32x4: distance of the centre of the neighbourhood, in spacings [1]; eq. 3 before it is calibrated [m3]. */
export const SAMPLING_SKEW = 80;
export const SAMPLING_STRIDE = 96;
