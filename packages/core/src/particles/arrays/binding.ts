/** The memory layout of what is found once at rest of points that follow particles: slots of a context block. Places are looked at in portions; everything is f64, because it is the same as surface/neighborhoods.ts finds. */
import { array, block, scalar } from './table.js';

export const CONTEXT = block('BINDING_CONTEXT_SIZE', {
  POINTS: array('f64[3] per particle: place at rest [m]'),
  POINT_COUNT: scalar('u32', ''),
  CELL_BEGIN: array(
    "u32[cells + 1] where each cell's particles begin, and u32 per particle: their numbers cell by cell",
  ),
  MEMBERS: array(''),
  CELLS: scalar('u32[3]', 'cells along it'),
  CELL: scalar('f64', 'edge of a cell, and lowest corner of all [m]'),
  LOW: scalar('f64[3]', ''),
  POSITIONS: array('f64[3] per place of the portion [m]'),
  WANTED: scalar(
    'u32',
    'Particles that a position looks for, one more than it follows: the last one is where weights end',
  ),
  OWN: scalar(
    'u32',
    '1 when the positions are the particles themselves, from number FIRST on, which do not follow themselves',
  ),
  FIRST: scalar('u32', ''),
  NORMALISED: scalar('u32', '1 when the weights of a position are to add up to one'),
  COUNTS: array('u32 per place: how many particles it follows'),
  INDICES: array('u32 and f64 per place and particle, WANTED of each'),
  WEIGHTS: array(''),
  VECTORS: array('f64[3] the same: vectors g_jk that give F_j = sum_k (x_k - x_j) g_jk^T'),
  RANKS: array('u32 per place: directions that its particles span; f64[9] unit axes by rows, the spanned ones last'),
  AXES: array(''),
  MOMENTS: array('f64[9] per place, to compute in'),
  POSITION_COUNT: scalar('u32', 'positions in the portion, and pairs after `listFollowed`'),
  PAIR_COUNT: scalar('u32', ''),
  FITTED: scalar('u32', '1 when there are vectors beside the weights'),
});
