// Written by scripts/build-layout.mjs from the tables in arrays/: change those.

export const HERE = 0;
/** No particle near, or within the matter, or facing the wrong way. */
export const LOST = 1;
/** On a boundary. */
export const TOUCHING = 2;
/** Radius of the guiding surface around a mean of particles: that of a ball with a particle's volume. */
export const RADIUS = 0.62;
/** Particles within this reach decide where the surface is. */
export const REACH = 2.2;
/** Surfels within this many of their distances are smoothed together, and decide about cells. */
export const SURFEL_REACH = 2;
/** Surfels repel each other below this many of their distances. */
export const REPEL_REACH = 1.2;
/** Directions of a particle that are probed: corners and faces of a cube, then the walls around. */
export const PROBES = 17;
export const FREE_PROBES = 14;
/** Points per piece of room, and its bytes: neighbours (16 each), two polygons (8 per corner), walls. */
export const GRAIN = 64;
export const MOST_NEAR = 480;
export const MOST_CORNERS = 32;
export const WALL_CAPACITY = 8192;
export const SCRATCH_BYTES = 8320;

/** Grids over the particles now and before. */
export const PARTICLE_GRID = 0;
export const BEFORE_GRID = 4;
/** f32x4: position now, radius of the surface around it. */
export const PARTICLES = 8;
/** f32x4: position before. */
export const BEFORE = 12;
/** u32: component now, and before. */
export const LABELS = 16;
export const LABELS_BEFORE = 20;
/** f32: has it moved (1), and how liquid is it (0 to 1). */
export const AWAKE = 24;
export const LIQUID = 28;
/** Grid over the surfels. */
export const SURFEL_GRID = 32;
/** f32x4: position and unit normal; the fourth number of the position is the height over the guiding surface. */
export const POSITIONS = 36;
export const NORMALS = 40;
/** The same after the pass. */
export const NEXT_POSITIONS = 44;
export const NEXT_NORMALS = 48;
/** u32: component. */
export const SURFEL_LABELS = 52;
/** u32: numbers of the surfels that a pass works on. */
export const ACTIVE = 56;
/** f32: way in the last pass; share of liquid around it. */
export const MOVED = 60;
export const SHARE = 64;
/** f32x4: farthest corner of its cell and how far that is. */
export const CORNERS = 68;
/** f32: area of its cell, and distance of the nearest surfel with a lower number. */
export const AREAS = 72;
export const GAPS = 76;
/** u32: what became of it, one of the states below. */
export const STATES = 80;
/** f32x4: positions that particles want covered, PROBES for each; w is 1 where nothing covers them, 2 on boundaryPoints. */
export const PROBED = 84;
/** Room for the neighbours of a point and for polygons, ROOM_BYTES per GRAIN points. */
export const SCRATCH = 88;
/** Grid over the points of boundaryPoints, their normals (f32x4, towards the free side), planes (f32x4) and how many. */
export const BOUNDARY_POINT_GRID = 92;
export const BOUNDARY_POINT_NORMALS = 96;
export const PLANES = 100;
export const PLANE_COUNT = 104;
/** Grid over these points, f32x4 values of them and of the surfels. */
export const VALUE_GRID = 108;
export const POINT_VALUES = 112;
export const VALUES = 116;
export const VALUE_LABELS = 120;
/** f32 per surfel: 1 when it is to be looked at again. */
export const STAYS = 124;
/** f32: Distance of surfels. */
export const SPACING = 128;
export const GUIDE = 132;
export const ATTRACT = 136;
export const SMOOTH = 140;
export const REPEL = 144;
/** f32: Length of a step, 0 to 1. */
export const STEP = 148;
/** f32: Ways shorter than this do not count. */
export const TOLERANCE = 152;
/** f32: Nearer to a boundary than this, surfels lie on it. */
export const CONTACT = 156;
/** Positions that want a surfel: f32x4 place and height over the guiding surface, u32 component; and what comes of them: f32x4 normal and 1, or 0 where there is no room. A normal with 2 tells that the position is on a boundary. */
export const PROPOSALS = 160;
export const PROPOSAL_LABELS = 164;
export const PROPOSAL_NORMALS = 168;
/** f32: distance of the points of boundaryPoints. */
export const BOUNDARY_POINT_SPACING = 172;
/** Grid over few of the boundaryPoints' points, for walls that are seen from afar, and their normals (f32x4). */
export const COARSE_GRID = 176;
export const COARSE_NORMALS = 180;
/** f32x4: normals of what PROBED has on boundaryPoints. */
export const PROBED_NORMALS = 184;
/** u32: STATES after a step. */
export const NEXT_STATES = 188;
export const CONTEXT_SIZE = 192;

/** f32x4 per point: place; not a number for points that are not there. */
export const GRID_POINTS = 0;
export const GRID_COUNT = 4;
/** f32: cells per unit of length. */
export const GRID_CELLS = 8;
/** u32: Buckets are a power of two; this is one less. */
export const GRID_MASK = 12;
/** u32[buckets + 1]: where the points of each bucket begin. */
export const GRID_STARTS = 16;
/** f32x4 per point: place and tagged index, by buckets, then by index. */
export const GRID_SORTED = 20;
/** u32 per point: its bucket. */
export const GRID_BUCKETS = 24;
export const GRID_SIZE = 32;
