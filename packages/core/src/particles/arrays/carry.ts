/** The memory layout of points that particles carry along: slots of two kinds of context blocks, one for the particles of a body and one for a set of points. */
import { array, block, record, scalar } from './table.js';

export const FIELD = block('FIELD_CONTEXT_SIZE', {
  // Particles.
  REST: array('f32x4: position at rest, from the mean of all [m]'),
  POSITIONS: array('f32x4: position now, from the mean of all [m]; or velocity'),
  FIT_STARTS: array("u32[n + 1]: where each particle's neighbours begin"),
  FITS: array('f32x4 per pair: g_jk and the tagged index k; F_j = sum_k (x_k - x_j) g_jk^T'),
  POSES: array('4 x f32x4: columns of F_j, and x_j - F_j m_j'),
  FLATS: array('Particles whose neighbours do not span space, FLAT_STRIDE bytes each'),
  FOLLOWED: array('u32 each: particles whose poses are wanted; no list when those of all are'),
  AFFINES: array('Three rows of four f32: the pose as a map of rest positions, neither from a mean'),
  REST_CENTER: scalar('f64[3]', 'mean of all at rest and now [m]'),
  CENTER: scalar('f64[3]', ''),
});

export const FLAT = record('FLAT', {
  PARTICLE: scalar('u32', 'u32 particle, u32 rank; then the axes as three f32x4, the spanned ones last'),
  RANK: scalar('u32', ''),
  AXES: scalar('f32x4[3]', ''),
});

export const POINT = block('POINT_CONTEXT_SIZE', {
  // Points.
  POINT_POSES: array("The particles' poses (or their rates of change)"),
  POINT_REST: array('f32x4: position at rest, from the mean of the particles [m]'),
  NEAR_STARTS: array("u32[n + 1]: where each point's particles begin"),
  NEAR: array('f32 weight and u32 particle of each pair; weights add up to one'),
  POINT_POSITIONS: array('f32x4: position now, from the mean of the particles [m]; or velocity'),
  POINT_GRADIENTS: array('3 x f32x4: columns of the gradient at the point, and whether they are kept'),
  REST_NORMALS: array('f32x4: normal at rest, and now'),
  NORMALS: array(''),
  CHANNELS: scalar('u32', 'f32 per channel: values of particles and of points, and how many channels there are'),
  VALUES: array(''),
  POINT_VALUES: array(''),
  KEEPS_GRADIENTS: scalar('u32', ''),
});
