/**
 * The memory layout of liquids, as layout.ts is for solids: slots of their own context block. Liquid
 * particles stand in the order of the grid's cells and are sorted anew in every step; ID tells which is
 * which. Plain constants only, so that both compilers read this file.
 */

// Liquid particles: what is sorted along with them. Sizes in bytes per particle behind each.
/** f32x4: position in the world [m], one over the mass [1/kg]. 16 */
export const POSITION = 0;
/** f32x4: velocity [m/s], viscosity [Pa s]. 16 */
export const VELOCITY = 4;
/** u32: number among all liquid particles, the same for all time. 4 */
export const ID = 8;
/** u32: number of the liquid, which decides its row in LIQUIDS. 4 */
export const LIQUID_OF = 12;
/** f32: pressure [Pa]. 4 */
export const PRESSURE = 16;
/** f32: share of its density that it lacks because it is at the surface, see assembly/fluid/skin.ts [1]; -1 if not known yet. 4 */
export const VACANCY = 20;
/** f32: time until which the particle is led by its source [s]. 4 */
export const LED_UNTIL = 24;
/** The other half of the double buffers: ALTERNATE above the slot of each array that is sorted. */
export const ALTERNATE = 28;

// Liquid particles: made anew in every step.
/** f32: coordinates by axis, padded by four. 4 each */
export const X = 56;
export const Y = 60;
export const Z = 64;
/** u32: cell of the particle. 4 */
export const CELL_OF = 68;
/** u32: where the particle stood before it was sorted. 4 */
export const ORIGIN = 72;
/** u32: boundary neighbours, BOUNDARY_ROOM of them. */
export const BOUNDARY_FOUND = 80;
/** u32: how many. 4 */
export const BOUNDARY_FOUND_COUNT = 88;
/**
 * Pairs of liquid particles: those of a block of particles one after the other, each particle's filled up to a multiple
 * of four with pairs of itself, so that they can be read four at a time. u32: the first of each particle's, and how many
 * there are without the filling. 4 each
 */
export const PAIR_BEGIN = 92;
export const PAIR_COUNT = 84;
/** u32 per pair: 16 j, where the neighbour stands in an array of 16 bytes each. */
export const NEIGHBORS = 76;
/** f32 per pair: c_ij = V W'/r, the same from both sides, with g_ij = V grad W_ij = c_ij (x_i - x_j) [1/m2]; 0 in the filling. */
export const COEFFICIENTS = 96;
/** f32: density over rest density. 4 */
export const RATIO = 100;
/** f32: squared gradient of the colour of liquid and walls together [1/m2]. 4 */
export const OPENING = 528;
/** u32: 1 when there are liquids of several densities, and while pressures are those of assembly/fluid/layers.ts. */
export const MIXED = 540;
export const WEIGHED = 576;
/** f32: OPENING that disorder has within a liquid, and its share of that at a flat surface. */
export const INNER_OPENING = 536;
export const INNER = 0.25;
/** u32: 1 while liquids that bear a pull are solved for. */
export const PULLS = 548;
/** f32: lowest pressure that a particle may have, 0 or the pull that it bears [Pa]. 4 */
export const LOWEST = 544;
/** f32: share of the density that is missing at a surface, per OPENING [m2]. */
export const SKIN = 532;
/** f32x4: G, see assembly/fluid/pairs.ts [1/m]; the part of walls in the rate of compression [1/s]. 16 */
export const GRADIENT = 104;
/** f32: what moves particles back to their density, as a pressure [Pa]. 4 */
export const CORRECTION = 108;
/** f32: DFSPH factor: pressure per rate of compression [Pa s2]. 4 */
export const FACTOR = 112;
/** f32: rate of compression that the pressures are to undo [1/s2]. 4 */
export const SOURCE = 116;
/**
 * f32: what the pressures of the velocities leave of it, of all particles; before these are solved for, where FORESEEN, how
 * moving straight on compresses in second order, see assembly/fluid/pairs.ts [1/s2]. 4
 */
export const LEFT = 580;
/** u32: 1 in lively water, whose velocities are solved for once in a step, with the second order of compression in LEFT. */
export const FORESEEN = 572;
/** u32: 1 when the velocities are still those that LEFT was found with. */
export const FOLLOWS = 584;
/** f32x4: acceleration [m/s2]; when particles move that which corrects their places. 16 */
export const ACCELERATION = 120;
/** f32x4: gradient of the liquid's colour over its length, and how much the particle attracts, see assembly/fluid/tension.ts [1]. 16 */
export const NORMAL = 472;
/** Gradients of the colour below this over the support are noise. */
export const FAINT = 0.3;
/** How much a particle attracts others, see assembly/fluid/tension.ts. */
export const BOND_SKIN = 0.36;
export const BOND_EDGE = 0.26;
export const BOND_ALONE = 1.28;
export const BOND_FULL = 0.75;
export const BOND_RISE = 0.25;
/** f32: what is measured on a particle. 4 */
export const MEASURE = 124;

// Boundary particles: of obstacles first, then of rigid and elastic bodies.
/** f32x4: position [m], weight of its kernel [m3]. 16 */
export const BOUNDARY_POSITION = 128;
/** f32x4: velocity [m/s], share of the liquid's viscosity that acts on it [1]. 16 */
export const BOUNDARY_VELOCITY = 132;
/** As they were given, before they were sorted; BOUNDARY_ORIGIN tells which is which. */
export const BOUNDARY_INPUT_POSITION = 140;
export const BOUNDARY_INPUT_VELOCITY = 144;
export const BOUNDARY_INPUT_TRAITS = 432;
/** Share of the liquid's attraction that it has [1], volume that drags and attracts [m3], u32: address of its kernel table: two f32 per entry at distances from 0 to h, k [1/m3] and 1/r dk/dr [1/m5]. 16 */
export const BOUNDARY_TRAITS = 436;
export const BOUNDARY_ORIGIN = 148;
export const BOUNDARY_X = 152;
export const BOUNDARY_Y = 156;
export const BOUNDARY_Z = 160;
export const BOUNDARY_CELL_OF = 164;
export const BOUNDARY_COUNT = 168;
/** f32x4 per boundary particle of an obstacle: position in its axes [m], number of the obstacle (u32). */
export const BOUNDARY_LOCAL = 184;
/** u32: number of the first boundary particle of a body; u32 each: particles of the solid store. */
export const BOUNDARY_SOLID_BEGIN = 188;
export const BOUNDARY_SOLID = 396;
/** u32: context of the solids, see layout.ts. */
export const SOLID_CONTEXT = 412;
/** u32: what boundary particles find around them, REACTION_ROOM of them. */
export const REACTION_FOUND = 416;
export const REACTION_ROOM = 420;

// Tables.
/** u32[cells + 2]: where the particles of a cell begin; the last cell holds what leaves the world. */
export const CELL_BEGIN = 172;
export const BOUNDARY_CELL_BEGIN = 176;
/** Liquids, LIQUID_STRIDE bytes each. */
export const LIQUIDS = 180;
/** f32x4 per entry of the half-space table: density share, its derivative [1/m], viscous terms along and across [1/m2]. */
export const HALF_SPACE = 192;
/** f32 per entry: pull of a half-space over the strength of the attraction, at distances from 0 to h. */
export const ATTRACTION = 440;
/** f64[SUMS] per block. */
export const BLOCK_SUMS = 196;
/** f32 per block: largest squared speed [m2/s2]. */
export const BLOCK_SPEED = 200;
/** The obstacles of the world, see layout.ts. */
export const OBSTACLES = 204;
export const OBSTACLE_COUNT = 208;
/** Regions where particles leave the world, SINK_STRIDE bytes each, and how many. */
export const SINKS = 212;
export const SINK_COUNT = 216;

// Scalars.
/** u32: liquid particles in the world. */
export const COUNT = 220;
/** u32: pairs that a block of particles has place for. */
export const PAIR_ROOM = 224;
export const BOUNDARY_ROOM = 228;
/** f32x4: corner of the grid [m]. */
export const GRID_ORIGIN = 240;
/** f32x4: one over the edge of a cell [1/m]. */
export const GRID_SCALE = 256;
/** i32: cells along the axes, in the order in which particles are sorted: along the first they stand side by side. */
export const GRID_FIRST = 272;
export const GRID_SECOND = 276;
export const GRID_THIRD = 280;
/** u32: 1 when some particles are outside the grid. */
export const GRID_CUT = 284;
/** f32x4: length of a periodic axis [m]; 0 where space does not repeat. */
export const PERIOD = 288;
/** f32: support of the kernels [m]. */
export const SUPPORT = 304;
/** f32: particle volume in sums over particles [m3]. */
export const VOLUME = 308;
/** f32: volume of a particle at rest [m3]. */
export const REST_VOLUME = 408;
/** f32: normalisation of W and of W'/r, for lanes.ts; of W'/r of the cubic spline, and of the viscosity kernel. */
export const KERNEL = 312;
export const KERNEL_GRADIENT = 316;
export const SPLINE_GRADIENT = 424;
export const VISCOSITY_KERNEL = 428;
/** f32: time step [s]. */
export const STEP = 320;
/** f32: time at the end of the step [s]. */
export const TIME = 324;
/** f32x4: gravity [m/s2]. */
export const GRAVITY = 336;
/** u32: address of the pressures that are being solved for: PRESSURE or CORRECTION. */
export const SOLVED = 352;
/** f32x4: acceleration by the direction of the conjugate gradients. 16 */
export const DIRECTION_ACCELERATION = 448;
/** u32: 1 where pressures around have been cut off, and accelerations or residuals do not follow. 4 each */
export const TOUCHED = 560;
export const STALE = 564;
/** f32x4: position [m], and there the direction of the conjugate gradients [Pa], so that both are read at once. 16 */
export const DIRECTION_PLACE = 568;
/** f32: residual [1/s2], direction [Pa] and product [1/s2] of the conjugate gradients. 4 each */
export const PRESSURE_RESIDUAL = 452;
export const PRESSURE_DIRECTION = 456;
export const PRESSURE_PRODUCT = 460;
/** u32: 1 when places are solved for, 0 for velocities. */
export const SOLVING_PLACES = 356;
/** u32: 1 when pressures begin at zero. */
export const FROM_NOTHING = 552;
/** f32: one over the mass that all particles have where places are corrected [1/kg]; 0 for their own. */
export const PLACE_PER_MASS = 512;
/** f32: nearest that a particle may come to an obstacle [m]. */
export const GAP = 360;
/** f32: stiffness k [Pa] and u32: exponent gamma of the equation of state; f32: share of XSPH. */
export const STIFFNESS = 364;
export const EXPONENT = 368;
export const XSPH = 372;
/** f32: viscosity of small eddies, in spacings times the difference of velocities [1]. */
export const EDDY = 464;
/** u32: 1 when the viscosity of the liquid itself is explicit. */
export const EXPLICIT = 468;
/** f32: share of a small lack of density that closes in a step [1]. */
export const CLOSING = 508;
/** f32: share of a slight compression that velocities undo in a step [1]. */
export const OPENING_UP = 588;
/** u32: 1 for the kernels of [K06]. */
export const KEISER = 376;
// The implicit viscosity: f32x4 per particle.
export const DIRECTION = 380;
export const RESIDUAL = 384;
export const PRODUCT = 388;
export const PRECONDITIONER = 392;
export const ALPHA = 400;
export const BETA = 404;
/** f32 by ID: factors of tension and cohesion at the particle's temperature [1]; no address where they are alike. 4 each */
export const TENSION_FACTOR = 516;
export const COHESION_FACTOR = 520;
/** u8[16] for each choice of four numbers, by bits: where the bytes of those chosen come from, to stand first. */
export const ORDERS = 524;
/** u8[16]: where the bytes of a cell's coordinates come from, to stand in the order of the grid's axes. */
export const GRID_ORDER = 592;
export const CONTEXT_SIZE = 608;

// A liquid: f32 unless said otherwise.
/** 1 where its free surface is loose, 0 where it is a crust, see assembly/fluid/skin.ts. */
export const LIQUID_LOOSE = 0;
/** T of the energy of its surface [N/m]. */
export const LIQUID_TENSION = 4;
/** A of its attraction, to itself and to walls [N]. */
export const LIQUID_ATTRACTION = 12;
/** Cohesion of [K06] eq. 4.15 [Pa]. */
export const LIQUID_COHESION = 8;
/** f32x4: velocity with which its source leads it [m/s]. */
export const LIQUID_SOURCE_VELOCITY = 16;
export const LIQUID_STRIDE = 32;

/** What the search for neighbours takes of a block's COEFFICIENTS, which are made after it. */
export const CANDIDATE_BYTES = 20880;

/** Entries of a boundary kernel. */
export const BOUNDARY_KERNEL_ENTRIES = 257;

/** Entries of the half-space table: distances from -h to h. */
export const HALF_SPACE_ENTRIES = 129;

// A sink: u32 kind (0 box, 1 ball), then f32x4 low corner or centre and radius, f32x4 high corner.
export const SINK_KIND = 0;
export const SINK_LOW = 16;
export const SINK_HIGH = 32;
export const SINK_STRIDE = 48;

/** f64 partial sums per block. */
export const SUMS = 8;
