/** The memory layout of point surfaces: slots of context blocks. Lengths are in spacings of the particles, from a corner of their own. */
import { array, block, constants, scalar } from './table.js';

/** A hash grid over points: a block of its own. */
export const GRID = block('GRID_SIZE', {
  GRID_POINTS: array('f32x4 per point: place; not a number for points that are not there'),
  GRID_COUNT: scalar('u32', ''),
  GRID_CELLS: scalar('f32', 'cells per unit of length'),
  GRID_MASK: scalar('u32', 'Buckets are a power of two; this is one less'),
  GRID_STARTS: array('u32[buckets + 1]: where the points of each bucket begin'),
  GRID_SORTED: array('f32x4 per point: place and tagged index, by buckets, then by index'),
  GRID_BUCKETS: array('u32 per point: its bucket'),
});

export const CONTEXT = block('CONTEXT_SIZE', {
  // Particles.
  PARTICLE_GRID: array('Grids over the particles now and before'),
  BEFORE_GRID: array(''),
  PARTICLES: array('f32x4: position now, radius of the surface around it'),
  BEFORE: array('f32x4: position before'),
  LABELS: array('u32: component now, and before'),
  LABELS_BEFORE: array(''),
  AWAKE: array('f32: has it moved (1), and how liquid is it (0 to 1)'),
  LIQUID: array(''),
  // Surfels.
  SURFEL_GRID: array('Grid over the surfels'),
  POSITIONS: array(
    'f32x4: position and unit normal; the fourth number of the position is the height over the guiding surface',
  ),
  NORMALS: array(''),
  NEXT_POSITIONS: array('The same after the pass'),
  NEXT_NORMALS: array(''),
  SURFEL_LABELS: array('u32: component'),
  ACTIVE: array('u32: numbers of the surfels that a pass works on'),
  MOVED: array('f32: way in the last pass; share of liquid around it'),
  SHARE: array(''),
  CORNERS: array('f32x4: farthest corner of its cell and how far that is'),
  AREAS: array('f32: area of its cell, and distance of the nearest surfel with a lower number'),
  GAPS: array(''),
  STATES: array('u32: what became of it, one of the states below'),
  PROBED: array(
    'f32x4: positions that particles want covered, PROBES for each; w is 1 where nothing covers them, 2 on boundaryPoints',
  ),
  SCRATCH: array('Room for the neighbours of a point and for polygons, ROOM_BYTES per GRAIN points'),
  // BoundaryPoints.
  BOUNDARY_POINT_GRID: array(
    'Grid over the points of boundaryPoints, their normals (f32x4, towards the free side), planes (f32x4) and how many',
  ),
  BOUNDARY_POINT_NORMALS: array(''),
  PLANES: array(''),
  PLANE_COUNT: scalar('u32', ''),
  // Values of other points, taken over by surfels.
  VALUE_GRID: array('Grid over these points, f32x4 values of them and of the surfels'),
  POINT_VALUES: array(''),
  VALUES: array(''),
  VALUE_LABELS: array(''),
  STAYS: array('f32 per surfel: 1 when it is to be looked at again'),
  // Scalars, f32.
  SPACING: scalar('f32', 'Distance of surfels'),
  GUIDE: scalar('f32', ''),
  ATTRACT: scalar('f32', ''),
  SMOOTH: scalar('f32', ''),
  REPEL: scalar('f32', ''),
  STEP: scalar('f32', 'Length of a step, 0 to 1'),
  TOLERANCE: scalar('f32', 'Ways shorter than this do not count'),
  CONTACT: scalar('f32', 'Nearer to a boundary than this, surfels lie on it'),
  PROPOSALS: array(
    'Positions that want a surfel: f32x4 place and height over the guiding surface, u32 component; and what comes of them: f32x4 normal and 1, or 0 where there is no room. A normal with 2 tells that the position is on a boundary',
  ),
  PROPOSAL_LABELS: array(''),
  PROPOSAL_NORMALS: array(''),
  BOUNDARY_POINT_SPACING: scalar('f32', 'distance of the points of boundaryPoints'),
  COARSE_GRID: array(
    "Grid over few of the boundaryPoints' points, for walls that are seen from afar, and their normals (f32x4)",
  ),
  COARSE_NORMALS: array(''),
  PROBED_NORMALS: array('f32x4: normals of what PROBED has on boundaryPoints'),
  NEXT_STATES: array('u32: STATES after a step'),
});

export const CONSTANTS = constants({
  // States of surfels.
  HERE: [0, ''],
  LOST: [1, 'No particle near, or within the matter, or facing the wrong way'],
  TOUCHING: [2, 'On a boundary'],
  RADIUS: [0.62, "Radius of the guiding surface around a mean of particles: that of a ball with a particle's volume"],
  REACH: [2.2, 'Particles within this reach decide where the surface is'],
  SURFEL_REACH: [2, 'Surfels within this many of their distances are smoothed together, and decide about cells'],
  REPEL_REACH: [1.2, 'Surfels repel each other below this many of their distances'],
  PROBES: [17, 'Directions of a particle that are probed: corners and faces of a cube, then the walls around'],
  FREE_PROBES: [14, ''],
  GRAIN: [64, 'Points per piece of room, and its bytes: neighbours (16 each), two polygons (8 per corner), walls'],
  MOST_NEAR: [480, ''],
  MOST_CORNERS: [32, ''],
  WALL_CAPACITY: [8192, ''],
  SCRATCH_BYTES: [8320, ''],
});
