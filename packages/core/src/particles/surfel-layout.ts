// Written by scripts/build-layout.mjs from the tables in arrays/: change those.

/** The block of the points that the surfels' centres are (carry-layout.ts), with gradients. */
export const CENTERS = 0;
/** 2 x f32x4: half axes of the cell at rest [m]. */
export const REST_AXES = 4;
/** 2 x f32x4: half axes of the cell now [m]. */
export const AXES = 8;
/** f32x4: unit normal, and the square of how far the cell reaches [m2]. */
export const FACING = 12;
/** u32: Are cells rectangles (1) or discs (0)?. */
export const RECTANGLES = 16;
export const CONTEXT_SIZE = 32;
