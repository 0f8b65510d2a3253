// Written by scripts/build-layout.mjs from the tables in arrays/: change those.

/** i32: its position in the grid of blocks. */
export const BLOCK_X = 0;
export const BLOCK_Y = 4;
export const BLOCK_Z = 8;
/** u32: Its particles. */
export const BLOCK_BEGIN = 12;
export const BLOCK_END = 16;
/** u32: Where it is: one of ANYWHERE, WELL_INSIDE and WELL_OUTSIDE. */
export const BLOCK_WHERE = 20;
/** u32: Its number among the stored blocks, or NONE. */
export const BLOCK_STORED = 24;
/** u32: 27 bits: which parts, a third of a side each, have particles. */
export const BLOCK_PARTS = 28;
/** u32: 27 bits: which of the blocks around are reached by kernels of its particles. */
export const BLOCK_REACHED = 32;
/** u32: Its vertices and triangles: how many, and after summing up the first. */
export const BLOCK_VERTICES = 36;
export const BLOCK_TRIANGLES = 40;
/** u32: Whose particles it has: OWN_ONES, OTHERS, or both. */
export const BLOCK_MEMBERS = 44;
/** u32: 1 where several liquids reach, one of them the own. */
export const BLOCK_MIXED = 48;
/** u32[27]: 27 blocks around, or NONE; x runs first. */
export const BLOCK_AROUND = 52;
export const BLOCK_STRIDE = 160;

export const FORMS = 4;
/** Only blocks that may be anywhere need values at their nodes. */
export const ANYWHERE = 0;
export const WELL_INSIDE = 1;
export const WELL_OUTSIDE = 2;
export const OWN_ONES = 1;
export const OTHERS = 2;
export const NONE = 0xffffffff;
export const HASH_STRIDE = 16;
/** Number of the 27 that is the block itself. */
export const SELF = 13;
/** Bytes of a pattern: most of the triangles of a cell are eight. */
export const PATTERN_STRIDE = 32;
/** How far weights of neighbours reach. */
export const SUPPORT = 2.5;
/** Extents of kernels: along a sheet, inside the liquid, and of one that is alone. */
export const WIDEST = 2.75;
export const INSIDE = 1.8;
export const NARROWEST = 1;
/** Farthest that a kernel is moved from its particle. */
export const FARTHEST = 0.25;
/** Particles whose ways to the mean of all around them differ by this much are of different layers. */
export const LAYER = 0.35;
/** Kernels follow from the mean covariance of neighbours whose sums of weights, over that inside, differ by less than this. */
export const SIMILAR = 0.3;
/** Share of its layer's mean shift that a particle does not take part in: with this balls of all sizes keep their volume. */
export const RESTORED = 0.75;
/** Particles that are less clustered than the first are of the surface and moved so, those beyond the second not at all. */
export const OUTER = 0.75;
export const INNER = 0.95;
/** Kernels are moved along axes of the covariance that are narrower than the first, over that inside, and not along those beyond the second. */
export const OPEN = 0.5;
export const FILLED = 0.95;
/** A particle whose neighbours are this far to one side is not yet theirs, and from the first distance on more and more. */
export const NEAR_SIDE = 0.9;
export const FAR_SIDE = 1.3;
/** Vertices keep this share of an edge away from its ends. */
export const NEAR_NODE = 0.001;
/** Farthest that a particle has a say in the field: WIDEST + FARTHEST. */
export const REACH = 3;
/** Normals follow from kernels that are wider by this much, but none of them wider than the second. */
export const WIDER = 1.6;
export const WIDEST_OF_ALL = 3.75;
/** Farthest that a particle has a say in normals: WIDEST_OF_ALL + FARTHEST. */
export const NORMAL_REACH = 4;
/** Cosines between the field's slope and that of wider kernels: below the first the surface is too narrow for these. */
export const ASTRAY = 0.3;
export const ALIKE = 0.7;
/** Walls that a ghost may have been mirrored in, one after the other, and bits for the number of one. */
export const MOST_MIRRORS = 3;
export const WALL_BITS = 10;
export const MOST_WALLS = 1023;
/** Nodes nearer to a wall than this are behind it. */
export const WALL_MARGIN = 0.0001;

/** f32x4: position as given; lane 3 the number of the liquid. */
export const GIVEN = 0;
/** u64: cell of the particle, packed; and room to sort. */
export const KEYS = 4;
export const KEYS_ALTERNATE = 8;
/** u32: number of the particle as given, in the order of the cells; and room to sort. */
export const ORDER = 12;
export const ORDER_ALTERNATE = 16;
/** u32: block that the particle is in. */
export const HOME = 20;
/** f32: coordinates by axis, in the order of the cells, padded by four. */
export const X = 24;
export const Y = 28;
export const Z = 32;
/** f32: sum of weights around the particle over that inside the liquid. */
export const CLUSTERING = 36;
/** f32: from the particle to the mean of all around it, by axis. */
export const LEAN_X = 40;
export const LEAN_Y = 44;
export const LEAN_Z = 48;
/** f32: from the particle to the mean of its layer, by axis. */
export const SHIFT_X = 52;
export const SHIFT_Y = 56;
export const SHIFT_Z = 60;
/** f32: number of the particle's liquid. */
export const LIQUID = 64;
/** 2 x f32x4: covariance of the neighbours: xx, yy, zz, 0; yz, xz, xy, 0. */
export const COVARIANCE = 68;
/** The kernels, KERNEL_STRIDE each. */
export const KERNELS = 72;
/** f32: what is interpolated, CHANNELS of them per particle as given. */
export const VALUES = 76;
/** BLOCK_STRIDE each; those that hold particles first. */
export const BLOCKS = 80;
/** u64 key and u32 block, HASH_STRIDE each; a block of NONE is a free slot. */
export const HASH = 84;
/** u32: positions of the hash table less one. */
export const HASH_MASK = 88;
/** u32: blocks with nodes. */
export const STORED = 92;
/** f32 per node of a stored block. */
export const NODES = 96;
/** u32 per node of a stored block: crossed edges x, y, z as bits, above them the number of the first. */
export const CROSSINGS = 100;
/** Room of a piece of work, SCRATCH_STRIDE bytes each. */
export const SCRATCH = 104;
export const SCRATCH_STRIDE = 108;
/** u32: how many stored blocks or particles are one piece of work. */
export const GRAIN = 112;
/** The triangles of each pattern of corners, PATTERN_STRIDE bytes each: how many, then three edges each. */
export const PATTERNS = 116;
/** f32[3] per vertex: place, and direction outwards. */
export const VERTICES = 120;
export const NORMALS = 124;
/** f32[CHANNELS] per vertex. */
export const VERTEX_VALUES = 128;
/** u32[3] per triangle. */
export const TRIANGLES = 132;
export const COUNT = 136;
export const CHANNELS = 140;
/** u32: blocks with particles, all blocks, and those with nodes. */
export const HOME_COUNT = 144;
export const BLOCK_COUNT = 148;
export const STORED_COUNT = 152;
export const VERTEX_COUNT = 156;
export const TRIANGLE_COUNT = 160;
/** u32: nodes along the edge of a block, a multiple of 4. */
export const SIDE = 164;
/** f32: distance of nodes. */
export const CELL = 168;
/** f32: value of the field at the surface. */
export const LEVEL = 172;
/** f32: sum of weights and variance per axis inside the liquid, over the square of the reach of weights. */
export const BULK_WEIGHT = 176;
export const BULK_VARIANCE = 180;
/** f32[4]: how clustered it is around particles of each form, then by how much higher their kernels are; see calibration.ts. */
export const FORM_CLUSTERING = 184;
export const FORM_FACTOR = 200;
/** u32: 1 where there are several liquids. */
export const SHARED = 216;
/** f32: the liquid whose surface is made; u32: its first particle, as given. */
export const OWN = 220;
export const FIRST = 224;
/** f32: how much the colour of liquids with lower numbers counts against the own. */
export const YIELDING = 228;
/** f32x4: unit normal out of the wall, and the height of the plane along it. */
export const WALLS = 232;
export const WALL_COUNT = 236;
/** u32: particles that are not ghosts. As given, ghosts come behind all of them. */
export const REAL_COUNT = 240;
/** u32 per ghost: its particle, as given; and the walls that it was mirrored in, one after the other, WALL_BITS each, plus one. */
export const SOURCES = 244;
export const MIRRORS = 248;
/** u32: number of a particle, as given, in the order of the cells. */
export const RANK = 252;
/** u32 per vertex: the wall that it lies on, plus one; 0 of those on the free surface. */
export const VERTEX_WALL = 256;
/** u32[2] per vertex: surfaces of lower numbers that begin next to it, as VERTEX_WALL, plus one; 0 for none. */
export const CREASES = 260;
export const CONTEXT_SIZE = 272;

/** f32x4: Centre; lane 3 the height of its top. */
export const KERNEL_CENTRE = 0;
/** f32x4: Form whose value at r is the square of the distance over the kernel's extent there: xx, yy, zz, and yz, xz, xy. The last lane is the kernel's side: 1 of the liquid whose surface is made, negative of others. */
export const KERNEL_DIAGONAL = 16;
export const KERNEL_MIXED = 32;
/** f32x4: Half the sides of the box around it; lane 3 is the square of its extent over that of the wider one that normals follow from. */
export const KERNEL_REACH = 48;
export const KERNEL_STRIDE = 64;
