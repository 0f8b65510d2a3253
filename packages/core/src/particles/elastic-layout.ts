/**
 * The memory layout of what is elastic in liquids: slots of a context block of its own. Arrays are by the ID of a
 * liquid particle, which stays when particles are sorted. Plain constants only, so that both compilers read this file.
 */

/** u32: context of the liquids, and how many IDs there are. */
export const LIQUID_CONTEXT = 0;
export const CAPACITY = 4;

// By ID; sizes in bytes behind each.
/** u32: where the particle stands among the sorted ones; ABSENT when it is not in the world. 4 */
export const PLACE = 8;
export const ABSENT = 0xffffffff;
/** u32: what it is, see below. 4 */
export const SOLID = 12;
export const NEXT = 16;
/** f32: share of its stiffness that it has now [1]. 4 */
export const STRENGTH = 20;
/** f32x4: lambda, mu, stiffness of the determinant term now [Pa], volume [m3]. 16 */
export const CONSTANTS = 24;
/** f32x4: yield stress, hardening [Pa], rate of creep [1/s] and largest plastic strain. 16 */
export const LAW = 28;
/** As PLASTIC of layout.ts: rows of F_p^-1 - I, and in lanes 3 the plastic strain, that at the last renewal, the work. 48 */
export const STATE = 32;
/** As STRAIN of layout.ts, the strain of the dashpot of elastic-stress.ts. 32 */
export const STRAIN = 36;
/** Rows of the inverse moment matrix; in lanes 3: 3 V / trace with the volume that is held, the rank of the neighbours, the stiffness of waves over the modulus [1/(s2 Pa)]. 48 */
export const INVERSE = 40;
/** Rows of the projection on what the neighbours span, where that is not all of space. 48 */
export const PROJECTION = 44;
/** Rows of F - I. 48 */
export const GRADIENT = 48;
/** Columns of Q, and in lane 3 of the first the weight alpha of the stabilisation [N/m]. 48 */
export const FLUX = 52;
/** f32: share of its strain that has flowed since bonds last followed, see elastic-relax.ts [1]. 4 */
export const RELAXED = 84;
/** u32: number of bonds, and BOND_ROOM places of 16 bytes: r_ij [m] and the tagged ID of j. */
export const BOND_COUNT = 56;
export const BONDS = 60;
export const BOND_ROOM = 64;
/** f32x4: place and one over mass, velocity at the start of the step; way within the step. 16 each */
export const POSITION = 68;
export const VELOCITY = 72;
export const SHIFT = 76;
/** f32x4: way in the step less that with the velocity at its end [m]. 16 */
export const WAY = 88;
/** f32x4: what obstacles are in the gradient of the density of what is solid [1/m], and in its rate [1/s]; 16. f32: sum of |g|^2 / m of its pairs [1/(m2 kg)]; 4 */
export const WALL = 116;
export const SQUARES = 80;
/** u32: number of the liquid. 4 */
export const LIQUID_OF = 92;

// Per block of IDs.
/** f32: largest squared frequency [1/s2]. 4 */
export const BLOCK_FREQUENCY = 96;
/** f64[SUMS]. */
export const BLOCK_SUMS = 100;
/** Room for an eigenproblem, SCRATCH_SIZE bytes. */
export const SCRATCH = 104;
/** Liquids, rows as of bodies in layout.ts; what decides their law, and below. */
export const LIQUIDS = 108;
/** u32 in such a row: 1 when it may flow for good, so that neighbours follow the flow. */
export const ROW_FLOWS = 0;
/** u32: 1 when it is elastic at all. */
export const ROW_ELASTIC = 4;
/** f32: time in which its viscous stress relaxes, see elastic-stress.ts [s]. */
export const ROW_RELAXATION = 12;

/** Bulk modulus of what flows while it is pulled apart, in shear moduli; see elastic-stress.ts [1]. */
export const PULL = 1;

// Scalars.
/** f32: elastic time step within that of the liquid [s]. */
export const STEP = 112;
/** f32: time since the last stresses, in which things flow; 0 for none [s]. */
export const ELAPSED = 120;
/** f32: support of the fit [m]. */
export const SUPPORT = 124;
/** u32: 1 when the neighbours of what flows are found anew in this step. */
export const RENEW = 128;
/** f32: weight of the stabilisation [1]. */
export const STABILISATION = 132;
/** f32: time since the start of the liquid's step [s]; nearest that a solid particle comes to an obstacle [m]. */
export const PASSED = 136;
export const RADIUS = 140;
/** f32x4: gravity [m/s2]. */
export const GRAVITY = 144;
/** u32: 1 when bonds are turned before they relax. */
export const TURN = 160;
/** Per block a hash table of the bonds of one particle, LOOKUP_SIZE entries of 4 bytes, see elastic-lookup.ts. */
export const LOOKUP = 164;
export const LOOKUP_SIZE = 168;
// By the sorted order.
/** f32 each: density over rest density at the start of the liquid's step, and the mean of the pressures in it. 4 */
export const FIRST_RATIO = 172;
export const MEAN_PRESSURE = 176;
/** f32: one over the number of elastic steps. */
export const PER_STEPS = 180;
// Of every bond, in the order of BONDS and made when bonds have changed.
/** g_ij = w_ij r_ij [m] and the tagged ID of j, 16; f32: w_ij, 4. */
export const BOND_GRADIENT = 184;
export const BOND_WEIGHT = 188;
// By ID: what the places at the start of the liquid's step give, to which ways within it are added.
/** Rows of sum_j (d_ij - r_ij) g_ij^T. 48 */
export const FIRST_MOMENT = 192;
/** f32x4: force of the stabilisation [N]. 16 */
export const FIRST_FORCE = 196;
/** f32: volume that is strained as its neighbours say [m3]. 4 */
export const HELD_VOLUME = 200;
/** f32: logarithm of the volume over that at rest, of the shapes that what flows has had before this one [1]. 4 */
export const SWELL = 204;
export const CONTEXT_SIZE = 208;

export const SUMS = 4;
export const SCRATCH_SIZE = 128;

/** Bonds go below the first and come above the second share of the stiffness [1]. */
export const MOLTEN = 0.02;
export const FROZEN = 0.05;

// What a particle is.
/** Liquid; solid; freezing in this step; solid from its start, in this step; about to get new neighbours; not in the world. */
export const IS_LIQUID = 0;
export const IS_SOLID = 1;
export const IS_FREEZING = 2;
export const IS_BORN = 3;
export const IS_RENEWED = 4;
export const IS_ABSENT = 5;
