// Written by scripts/build-layout.mjs from the tables in arrays/: change those.

/** Neighbours of a particle, at the most ([J14] 3.6). */
export const RENEWAL_ROOM = 32;

/** u32: context of the solids. */
export const SOLIDS = 48;
/** u32 per particle: particle of each member; POINTS of the grid are their positions. */
export const MEMBERS = 52;
/** f32x4 per particle: new rest position in the body frame and support [m]; in the order of the grid. */
export const RENEWAL_PLACES = 56;
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
/** u32: grids of different sizes that neighbours are looked for in. */
export const RENEWAL_LEVELS = 88;
/** f32: strain that counts as having flowed [1]. */
export const RENEWAL_FLOWED_BY = 92;
/** f32 per block of members: largest plastic strain since the last renewal [1]. */
export const BLOCK_STRAIN = 96;
/** f32 per block of members: how many have flowed by more than RENEWAL_FLOWED_BY since then. */
export const BLOCK_FLOWED = 100;
/** f64[SUMS] per block of members. */
export const BLOCK_SCRATCH = 104;
export const RENEWAL_CONTEXT_SIZE = 112;
