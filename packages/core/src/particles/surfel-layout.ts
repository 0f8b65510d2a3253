/**
 * The memory layout of surfels on solids: slots of a context block. Plain constants only, so that both compilers read
 * this file. Sizes in bytes per surfel behind each.
 */

/** The block of the points that the surfels' centres are (carry-layout.ts), with gradients. */
export const CENTERS = 0;
/** 2 x f32x4: half axes of the cell at rest [m]. 32 */
export const REST_AXES = 4;
/** 2 x f32x4: half axes of the cell now [m]. 32 */
export const AXES = 8;
/** f32x4: unit normal, and the square of how far the cell reaches [m2]. 16 */
export const FACING = 12;
/** Are cells rectangles (1) or discs (0)? */
export const RECTANGLES = 16;
export const CONTEXT_SIZE = 20;
