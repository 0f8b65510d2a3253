// Written by scripts/build-layout.mjs from the tables in arrays/: change those.

/** Bit of RENEWAL_ORIGIN: the particle has split or merged, so that its rest vectors are made anew. */
export const CHANGED = 0x80000000;
/** Neighbours of a particle, at the most ([J14] 3.6). */
export const RENEWAL_ROOM = 32;

/** u32: context of the solids. */
export const SOLIDS = 48;
/** u32 per particle: particle of each member; POINTS of the grid are their positions. */
export const MEMBERS = 52;
/** f32x4 per particle: new rest position in the body frame and support [m]; in the order of the grid. */
export const RENEWAL_PLACES = 56;
/** f32x4 per member; in the memory of RENEWAL_OFFSETS. */
export const RENEWAL_ARRANGED = 60;
/** u32[64] per particle: RENEWAL_ROOM candidates: squared distance (f32) and particle. */
export const RENEWAL_LISTS = 64;
/** u32 per particle: how many. */
export const RENEWAL_COUNT = 68;
/** f32x4[32] per particle: offsets of the rest vectors of the chosen neighbours, see OFFSETS [m]. */
export const RENEWAL_OFFSETS = 72;
/** f32 per particle: squared distance that neighbours must be nearer than: there were too many [m2]. */
export const RENEWAL_CUT = 76;
/** f32 per particle: weight of the stabilisation, times its shear modulus over that of its body [1]. */
export const RENEWAL_BONDS = 80;
/** f32 per particle: volume [m3]; ELASTIC has the share of it that has stress. */
export const RENEWAL_VOLUME = 84;
/** f32 per particle: edge of the cell at the start, which resampling keeps to [m]. */
export const RENEWAL_SPACING = 88;
/** SAMPLING_STRIDE bytes per member: what resampling goes by, see assembly/solid/sampling.ts; in the memory of RENEWAL_OFFSETS. */
export const SAMPLING = 92;
/** u32 per particle of the solids: the particle that its neighbours were those of before resampling, with CHANGED. */
export const RENEWAL_ORIGIN = 96;
/** f32x4 per member: position in the world [m], one over the mass [1/kg]. */
export const MEMBER_POSITION = 100;
/** f32x4 per member: velocity in the world [m/s]. */
export const MEMBER_VELOCITY = 104;
/** f32x4 per member: exposed area in world axes [m2], cross-section of what is on its own [m2]. */
export const MEMBER_AREA = 108;
/** u32: grids of different sizes that neighbours are looked for in. */
export const RENEWAL_LEVELS = 112;
/** f32: strain that counts as having flowed [1]. */
export const RENEWAL_FLOWED_BY = 116;
/** f32 per block of members: largest plastic strain since the last renewal [1]. */
export const BLOCK_STRAIN = 120;
/** f32 per block of members: how many have flowed by more than RENEWAL_FLOWED_BY since then. */
export const BLOCK_FLOWED = 124;
/** f64[SUMS] per block of members. */
export const BLOCK_SCRATCH = 128;
export const RENEWAL_CONTEXT_SIZE = 144;

/** f32: smallest and largest eigenvalue of [J14] eq. 13 over that of even sampling [1]. */
export const SAMPLING_LOW = 0;
export const SAMPLING_HIGH = 4;
/** u32: nearest neighbour. */
export const SAMPLING_NEAREST = 8;
/** u32: 1 when it should split. */
export const SAMPLING_SPLITS = 12;
/** f32x4: from it to one of the halves in body axes [m], and how much faster that is [m/s]. */
export const SAMPLING_WAY = 16;
export const SAMPLING_VELOCITY = 32;
/** f32: distance of the centre of the neighbourhood, in spacings [1]. */
export const SAMPLING_SKEW = 48;
export const SAMPLING_STRIDE = 64;
