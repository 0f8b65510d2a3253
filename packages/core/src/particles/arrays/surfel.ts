/** The memory layout of surfels on solids: slots of a context block. */
import { array, block, scalar } from './table.js';

export const CONTEXT = block('CONTEXT_SIZE', {
  CENTERS: array("The block of the points that the surfels' centres are (carry-layout.ts), with gradients"),
  REST_AXES: array('2 x f32x4: half axes of the cell at rest [m]'),
  AXES: array('2 x f32x4: half axes of the cell now [m]'),
  FACING: array('f32x4: unit normal, and the square of how far the cell reaches [m2]'),
  RECTANGLES: scalar('u32', 'Are cells rectangles (1) or discs (0)?'),
});
