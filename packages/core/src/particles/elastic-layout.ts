// Written by scripts/build-layout.mjs from the tables in arrays/: change those.

/** u32: 1 when it may flow for good, so that neighbours follow the flow. */
export const ROW_FLOWS = 0;
/** u32: 1 when pressure holds its volume: it may flow, and steps are explicit. */
export const ROW_PRESSED = 304;
/** u32: 1 when it is elastic at all. */
export const ROW_ELASTIC = 4;
/** u32: 1 when it grows together with other bodies. */
export const ROW_WELDS = 148;
/** f32: time in which its viscous stress relaxes, see elastic-stress.ts [s]. */
export const ROW_RELAXATION = 12;
export const ABSENT = 0xffffffff;
/** Bulk modulus of what flows while it is pulled apart, in shear moduli; see elastic-stress.ts [1]. */
export const PULL = 1;
export const SUMS = 4;
export const SCRATCH_SIZE = 128;
/** Bonds go below the first and come above the second share of the stiffness [1]. */
export const MOLTEN = 0.02;
export const FROZEN = 0.05;
/** Liquid; solid; freezing in this step; solid from its start, in this step; about to get new neighbours; not in the world. */
export const IS_LIQUID = 0;
export const IS_SOLID = 1;
export const IS_FREEZING = 2;
export const IS_BORN = 3;
export const IS_RENEWED = 4;
export const IS_ABSENT = 5;

/** u32: context of the liquids, and how many IDs there are. */
export const LIQUID_CONTEXT = 0;
export const CAPACITY = 4;
/** u32 per particle: where the particle stands among the sorted ones; ABSENT when it is not in the world. */
export const SORTED_INDEX = 8;
/** u32 per particle: what it is, see below. */
export const SOLID = 12;
/** u32 per particle: number of bonds, and BOND_ROOM positions of 16 bytes: r_ij [m] and the tagged ID of j. */
export const BOND_COUNT = 16;
export const NEXT = 20;
/** f32 per particle: share of its stiffness that it has now [1]. */
export const STRENGTH = 24;
/** f32x4 per particle: lambda, mu, stiffness of the determinant term now [Pa], volume [m3]. */
export const CONSTANTS = 28;
/** f32x4 per particle: yield stress, hardening [Pa], rate of creep [1/s] and largest plastic strain. */
export const LAW = 32;
/** f32x4[3] per particle: As PLASTIC of layout.ts: rows of F_p^-1 - I, and in lanes 3 the plastic strain, that at the last renewal, the work. */
export const STATE = 36;
/** f32x4[2] per particle: As STRAIN of layout.ts, the strain of the dashpot of elastic-stress.ts. */
export const STRAIN = 40;
/** f32x4[3] per particle: Rows of the inverse moment matrix; in lanes 3: 3 V / trace with the volume that is held, the rank of the neighbours, the stiffness of waves over the modulus [1/(s2 Pa)]. */
export const INVERSE = 44;
/** f32x4[3] per particle: Rows of the projection on what the neighbours span, where that is not all of space. */
export const PROJECTION = 48;
/** f32x4[3] per particle: Rows of F - I. */
export const GRADIENT = 52;
/** f32x4[3] per particle: Columns of Q, and in lane 3 of the first the weight alpha of the stabilisation [N/m]. */
export const FLUX = 56;
/** f32 per particle: share of its strain that has flowed since bonds last followed, see elastic-relax.ts [1]. */
export const RELAXED = 60;
export const BONDS = 64;
export const BOND_CAPACITY = 68;
/** f32x4 per particle: place and one over mass, velocity at the start of the step; way within the step. */
export const POSITION = 72;
export const VELOCITY = 76;
export const SHIFT = 80;
/** f32x4 per particle: way in the step less that with the velocity at its end [m]. */
export const STEP_DISPLACEMENT = 84;
/** f32x4 per particle: what obstacles are in the gradient of the density of what is solid [1/m], and in its rate [1/s]; 16. f32: sum of |g|^2 / m of its pairs [1/(m2 kg)];. */
export const WALL = 88;
export const SQUARES = 92;
/** u32 per particle: number of the liquid. */
export const LIQUID_OF = 96;
/** f32: largest squared frequency [1/s2]. */
export const BLOCK_FREQUENCY = 100;
/** f64[SUMS]. */
export const BLOCK_SUMS = 104;
/** Room for an eigenproblem, SCRATCH_SIZE bytes. */
export const SCRATCH = 108;
/** Liquids, rows as of bodies in layout.ts; what decides their law, and below. */
export const LIQUIDS = 112;
/** f32: elastic time step within that of the liquid [s]. */
export const STEP = 116;
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
/** f32 per particle: density over rest density at the start of the liquid's step, and the mean of the pressures in it. */
export const FIRST_RATIO = 172;
export const MEAN_PRESSURE = 176;
/** f32: one over the number of elastic steps. */
export const PER_STEPS = 180;
/** G_ij = w_ij r_ij [m] and the tagged ID of j, 16; f32: w_ij, 4. */
export const BOND_GRADIENT = 184;
export const BOND_WEIGHT = 188;
/** f32x4[3] per particle: Rows of sum_j (d_ij - r_ij) g_ij^T. */
export const FIRST_MOMENT = 192;
/** f32x4 per particle: force of the stabilisation [N]. */
export const FIRST_FORCE = 196;
/** f32 per particle: volume that is strained as its neighbours say [m3]. */
export const HELD_VOLUME = 200;
/** f32 per particle: logarithm of the volume over that at rest, of the shapes that what flows has had before this one [1]. */
export const LOG_VOLUME = 204;
/** f32x4: way at the start of the step [m]; lane 3: distance from where the nearest obstacle presses back, at the guess [m]. */
export const START = 208;
/** f32x4: way since the guess, which is in SHIFT [m]; lane 3 is 0. */
export const CHANGE = 212;
/** f32x4: unbalanced force [N], without what is held. */
export const RESIDUAL = 216;
/** f32x4: all of the unbalanced force [N]; the system matrix times the direction. */
export const PRODUCT = 220;
/** f32x4. */
export const DIRECTION = 224;
/** f32x4. */
export const CORRECTION = 228;
/** f32x4[2]: inverse diagonal block: xx, yy, zz, then yz, xz, xy [m/N]; lane 3 of the first: trace of the stiffness [N/m]. */
export const DIAGONAL_INVERSE = 232;
/** f32x4[8]: rows of F_e - I, of the stress S, the rotation; scale of lengths, stiffness of the determinant term, viscous time over the step. */
export const LINEARISED = 236;
/** u32: bits of the axes along which velocities are prescribed. */
export const HELD_AXES = 240;
/** f32x4: normal of the obstacle that is nearest; lane 3: secant of friction [N/m]. */
export const CONTACT = 244;
/** f32x4: way of the guess along that obstacle [m]; lane 3: coefficient of friction. */
export const SLIP = 248;
/** f32: stiffness with which it presses back where it is touched, else 0 [N/m]. */
export const CONTACT_STIFFNESS = 252;
/** f32: one over the squared step [1/s2]. */
export const INERTIA = 256;
export const ALPHA = 260;
export const BETA = 264;
/** u32: number of the Newton iteration. */
export const ROUND = 268;
export const CONTEXT_SIZE = 272;
