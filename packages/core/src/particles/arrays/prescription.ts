/** Constraints on particles whose positions are in world axes: liquids, melts and viscoplastic bodies. */
import { record, scalar } from './table.js';

/** What one constraint does in a step. */
export const PRESCRIPTION = record('PRESCRIPTION', {
  AXES: scalar('u32', 'bits 1, 2, 4: the velocity along x, y, z is prescribed'),
  TURN: scalar('f32x4[3]', 'rows of the rotation of the step less the identity'),
  PIVOT: scalar('f32x4', 'its pivot [m]'),
  SHIFT: scalar('f32x4', 'translation of the step [m]'),
  ACCELERATION: scalar('f32x4', 'acceleration by its force [m/s2]'),
});
