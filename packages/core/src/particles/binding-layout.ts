// Written by scripts/build-layout.mjs from the tables in arrays/: change those.

/** f64[3] per particle: place at rest [m]. */
export const POINTS = 0;
export const POINT_COUNT = 4;
/** u32[cells + 1] where each cell's particles begin, and u32 per particle: their numbers cell by cell. */
export const CELL_BEGIN = 8;
export const MEMBERS = 12;
/** u32[3]: cells along it. */
export const CELLS = 16;
/** f64: edge of a cell, and lowest corner of all [m]. */
export const CELL = 32;
export const LOW = 40;
/** f64[3] per place of the portion [m]. */
export const POSITIONS = 64;
/** u32: Particles that a position looks for, one more than it follows: the last one is where weights end. */
export const WANTED = 68;
/** u32: 1 when the positions are the particles themselves, from number FIRST on, which do not follow themselves. */
export const OWN = 72;
export const FIRST = 76;
/** u32: 1 when the weights of a position are to add up to one. */
export const NORMALISED = 80;
/** u32 per place: how many particles it follows. */
export const COUNTS = 84;
/** u32 and f64 per place and particle, WANTED of each. */
export const INDICES = 88;
export const WEIGHTS = 92;
/** f64[3] the same: vectors g_jk that give F_j = sum_k (x_k - x_j) g_jk^T. */
export const VECTORS = 96;
/** u32 per place: directions that its particles span; f64[9] unit axes by rows, the spanned ones last. */
export const RANKS = 100;
export const AXES = 104;
/** f64[9] per place, to compute in. */
export const MOMENTS = 108;
/** u32: positions in the portion, and pairs after `listFollowed`. */
export const POSITION_COUNT = 112;
export const PAIR_COUNT = 116;
/** u32: 1 when there are vectors beside the weights. */
export const FITTED = 120;
export const BINDING_CONTEXT_SIZE = 128;
