/** A hash grid and a kd-tree over a set of points: rest positions while lists are built, positions later. Blocks that are searched begin with it. */
import { array, block, scalar } from './table.js';

export const CONTEXT = block('GRID_CONTEXT_SIZE', {
  POINTS: array('f32x4 per point: position [m]'),
  POINT_COUNT: scalar('u32', ''),
  SUPPORTS: array('f32 per point: support radius [m]; rest-space lists only'),
  CELL_SIZE: scalar('f32', 'edge of a grid cell [m]'),
  BUCKET_MASK: scalar('u32', 'number of buckets less one; the number is a power of two'),
  BUCKET_BEGIN: array('u32[buckets + 1]: where each bucket begins in SORTED'),
  SORTED: array('u32: points by bucket'),
  CELL_KEYS: array("u64 per point: its cell's coordinates, packed"),
  TREE_AXIS: array('u8 per point: split axis of the kd-tree node at this position of SORTED'),
  NEAREST_DISTANCE: array('f32 per point: result of the nearest-neighbour pass'),
  NEAREST_COUNT: scalar('u32', ''),
  FIRST_INDEX: scalar(
    'u32',
    'number of the first particle of the set being searched; lists hold numbers of the whole world',
  ),
});
