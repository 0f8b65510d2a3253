// Written by scripts/build-layout.mjs from the tables in arrays/: change those.

/** f32x4: position at rest, from the mean of all [m]. */
export const REST = 0;
/** f32x4: position now, from the mean of all [m]; or velocity. */
export const POSITIONS = 4;
/** u32[n + 1]: where each particle's neighbours begin. */
export const FIT_STARTS = 8;
/** f32x4 per pair: g_jk and the tagged index k; F_j = sum_k (x_k - x_j) g_jk^T. */
export const FITS = 12;
/** 4 x f32x4: columns of F_j, and x_j - F_j m_j. */
export const POSES = 16;
/** Particles whose neighbours do not span space, FLAT_STRIDE bytes each. */
export const FLATS = 20;
/** u32 each: particles whose poses are wanted; no list when those of all are. */
export const FOLLOWED = 24;
/** Three rows of four f32: the pose as a map of rest positions, neither from a mean. */
export const AFFINES = 28;
/** f64[3]: mean of all at rest and now [m]. */
export const REST_CENTER = 32;
export const CENTER = 56;
export const FIELD_CONTEXT_SIZE = 80;

/** u32: u32 particle, u32 rank; then the axes as three f32x4, the spanned ones last. */
export const FLAT_PARTICLE = 0;
export const FLAT_RANK = 4;
export const FLAT_AXES = 16;
export const FLAT_STRIDE = 64;

/** The particles' poses (or their rates of change). */
export const POINT_POSES = 0;
/** f32x4: position at rest, from the mean of the particles [m]. */
export const POINT_REST = 4;
/** u32[n + 1]: where each point's particles begin. */
export const NEAR_STARTS = 8;
/** f32 weight and u32 particle of each pair; weights add up to one. */
export const NEAR = 12;
/** f32x4: position now, from the mean of the particles [m]; or velocity. */
export const POINT_POSITIONS = 16;
/** 3 x f32x4: columns of the gradient at the point, and whether they are kept. */
export const POINT_GRADIENTS = 20;
/** f32x4: normal at rest, and now. */
export const REST_NORMALS = 24;
export const NORMALS = 28;
/** u32: f32 per channel: values of particles and of points, and how many channels there are. */
export const CHANNELS = 32;
export const VALUES = 36;
export const POINT_VALUES = 40;
export const KEEPS_GRADIENTS = 44;
export const POINT_CONTEXT_SIZE = 48;
