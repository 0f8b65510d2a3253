// Written by scripts/build-layout.mjs from the tables in arrays/: change those.

export const INNER = 0.25;
/** Gradients of the colour below this over the support are noise. */
export const FAINT = 0.3;
/** How much a particle attracts others, see assembly/fluid/tension.ts. */
export const BOND_SKIN = 0.36;
export const BOND_EDGE = 0.26;
export const BOND_ALONE = 1.28;
export const BOND_FULL = 0.75;
export const BOND_RISE = 0.25;
/** What the search for neighbours takes of a block's COEFFICIENTS, which are made after it. */
export const CANDIDATE_BYTES = 20880;
/** Entries of a boundary kernel. */
export const BOUNDARY_KERNEL_ENTRIES = 257;
/** Entries of the half-space table: distances from -h to h. */
export const HALF_SPACE_ENTRIES = 129;
/** f64 partial sums per block. */
export const SUMS = 8;

/** f32x4 per particle: position in the world [m], one over the mass [1/kg]. */
export const POSITION = 0;
/** f32x4 per particle: velocity [m/s], viscosity [Pa s]. */
export const VELOCITY = 4;
/** u32 per particle: number among all liquid particles, the same for all time. */
export const ID = 8;
/** u32 per particle: number of the liquid, which decides its row in LIQUIDS. */
export const LIQUID_OF = 12;
/** f32 per particle: pressure [Pa]. */
export const PRESSURE = 16;
/** f32 per particle: time until which the particle is led by its source [s]. */
export const PRESCRIBED_UNTIL = 20;
/** u32 per particle: constraints that act on it, a bit each. */
export const CONSTRAINED = 24;
/** f32 per particle: share of its density that it lacks because it is at the surface, see assembly/fluid/skin.ts [1]; -1 if not known yet. */
export const VACANCY = 28;
/** u32[8]: the other halves of the double buffers of the state: each array has its own so much above its slot. */
export const ALTERNATE = 32;
/** f32 per particle: coordinates by axis, padded by four. */
export const X = 64;
export const Y = 68;
export const Z = 72;
/** u32 per particle: bits 1, 2, 4: its velocity along x, y, z is prescribed in this step, by its source or a constraint; 8: a constraint holds all of them. */
export const FIXED = 76;
/** u32 per particle: cell of the particle. */
export const CELL_OF = 80;
/** u32 per particle: where the particle stood before it was sorted. */
export const ORIGIN = 84;
/** u32: boundary neighbours, BOUNDARY_ROOM of them. */
export const BOUNDARY_FOUND = 88;
/** u32 per particle: how many. */
export const BOUNDARY_FOUND_COUNT = 92;
/** u32 per particle: Pairs of liquid particles: those of a block of particles one after the other, each particle's filled up to a multiple of four with pairs of itself, so that they can be read four at a time. u32: the first of each particle's, and how many there are without the filling. */
export const PAIR_BEGIN = 96;
export const PAIR_COUNT = 100;
/** u32 per pair: 16 j, where the neighbour stands in an array of 16 bytes each. */
export const NEIGHBORS = 104;
/** f32 per pair: c_ij = V W'/r, the same from both sides, with g_ij = V grad W_ij = c_ij (x_i - x_j) [1/m2]; 0 in the filling. */
export const COEFFICIENTS = 108;
/** f32 per particle: density over rest density. */
export const RATIO = 112;
/** f32 per particle: squared gradient of the colour of liquid and walls together [1/m2]. */
export const OPENING = 116;
/** f32x4 per particle: what the stress of the particles lacks to that of a liquid, see assembly/fluid/structure.ts [Pa]: xx, yy, zz and how much it counts [1]; yz, zx, xy. Not there unless it is taken away. */
export const ANISOTROPY = 120;
export const ANISOTROPY_ACROSS = 124;
/** The same, smoothed over the neighbours. */
export const STRUCTURE = 128;
export const STRUCTURE_ACROSS = 132;
/** f32: share of it that is taken away [1]. */
export const ISOTROPY = 136;
/** u32: 1 when there are liquids of several densities, and while pressures are those of assembly/fluid/layers.ts. */
export const MIXED = 140;
export const WEIGHED = 144;
/** f32: OPENING that disorder has within a liquid, and its share of that at a flat surface. */
export const INNER_OPENING = 148;
/** u32: 1 while liquids that bear a pull are solved for. */
export const PULLS = 152;
/** f32 per particle: lowest pressure that a particle may have, 0 or the pull that it bears [Pa]. */
export const LOWEST = 156;
/** f32: share of the density that is missing at a surface, over OPENING [m2]. */
export const SKIN = 160;
/** f32x4 per particle: G, see assembly/fluid/pairs.ts [1/m]; the part of walls in the rate of compression [1/s]. */
export const GRADIENT = 164;
/** f32 per particle: what moves particles back to their density, as a pressure [Pa]. */
export const CORRECTION = 168;
/** f32 per particle: DFSPH factor: pressure per rate of compression [Pa s2]. */
export const FACTOR = 172;
/** f32 per particle: rate of compression that the pressures are to undo [1/s2]. */
export const SOURCE = 176;
/** f32 per particle: what the pressures of the velocities leave of it, of all particles; before these are solved for, where FORESEEN, how moving straight on compresses in second order, see assembly/fluid/pairs.ts [1/s2]. */
export const LEFT = 180;
/** u32: 1 in energetic flow, whose velocities are solved for once in a step, with the second order of compression in LEFT. */
export const FORESEEN = 184;
/** u32: 1 when the velocities are still those that LEFT was found with. */
export const FOLLOWS = 188;
/** f32x4 per particle: acceleration [m/s2]; when particles move that which corrects their positions. */
export const ACCELERATION = 192;
/** f32x4 per particle: gradient of the liquid's colour over its length, and how much the particle attracts, see assembly/fluid/tension.ts [1]. */
export const NORMAL = 196;
/** f32x4 per particle: exposed area, cross-section of what is on its own [m2]; not there where no force acts, see assembly/forces/exposure.ts. */
export const EXPOSED_AREA = 200;
/** f32 per particle: what is measured on a particle. */
export const MEASURE = 204;
/** f32x4 per particle of each obstacle: its force on the particle [N]; not there unless somebody asks, see solvers/meter.ts. */
export const WALL_FORCE = 208;
/** f32x4 per particle: drag of all walls per volume [N/m3]; not there unless somebody asks. */
export const WALL_DRAG = 212;
/** u32: bytes from one obstacle to the next. */
export const WALL_FORCE_STRIDE = 216;
/** f32x4 per boundary particle: position [m], weight of its kernel [m3]. */
export const BOUNDARY_POSITION = 220;
/** f32x4 per boundary particle: velocity [m/s], share of the liquid's viscosity that acts on it [1]. */
export const BOUNDARY_VELOCITY = 224;
/** f32x4 per boundary particle: As they were given, before they were sorted; BOUNDARY_ORIGIN tells which is which. */
export const BOUNDARY_INPUT_POSITION = 228;
export const BOUNDARY_INPUT_VELOCITY = 232;
export const BOUNDARY_INPUT_TRAITS = 236;
/** f32x4 per boundary particle: Share of the liquid's attraction that it has [1], volume that drags and attracts [m3], u32: address of its kernel table: two f32 per entry at distances from 0 to h, k [1/m3] and 1/r dk/dr [1/m5]. */
export const BOUNDARY_TRAITS = 240;
export const BOUNDARY_ORIGIN = 244;
export const BOUNDARY_X = 248;
export const BOUNDARY_Y = 252;
export const BOUNDARY_Z = 256;
export const BOUNDARY_CELL_OF = 260;
export const BOUNDARY_COUNT = 264;
/** f32x4 per boundary particle of an obstacle: position in its axes [m], number of the obstacle (u32). */
export const BOUNDARY_LOCAL = 268;
/** u32: number of the first boundary particle of a body. */
export const BOUNDARY_SOLID_BEGIN = 272;
/** u32 per boundary particle of a body: particle of the solid store. */
export const BOUNDARY_SOLID = 276;
/** u32: context of the solids, see layout.ts. */
export const SOLID_CONTEXT = 280;
/** u32: what boundary particles find around them, REACTION_ROOM of them. */
export const REACTION_FOUND = 284;
export const REACTION_CAPACITY = 288;
/** u32[cells + 2]: where the particles of a cell begin; the last cell holds what leaves the world. */
export const CELL_BEGIN = 292;
export const BOUNDARY_CELL_BEGIN = 296;
/** Liquids, LIQUID_STRIDE bytes each. */
export const LIQUIDS = 300;
/** f32x4 per entry of the half-space table: density share, its derivative [1/m], viscous terms along and across [1/m2]. */
export const HALF_SPACE = 304;
/** f32 per entry: pull of a half-space over the strength of the attraction, at distances from 0 to h. */
export const ATTRACTION = 308;
/** f64[SUMS] per block. */
export const BLOCK_SUMS = 312;
/** f32 per block: largest squared speed [m2/s2]. */
export const BLOCK_SPEED = 316;
/** The obstacles of the world, see layout.ts. */
export const OBSTACLES = 320;
export const OBSTACLE_COUNT = 324;
/** Regions where particles leave the world, SINK_STRIDE bytes each, and how many. */
export const SINKS = 328;
export const SINK_COUNT = 332;
/** Constraints, PRESCRIPTION_STRIDE bytes each. */
export const CONSTRAINTS = 336;
/** u32: liquid particles in the world. */
export const COUNT = 340;
/** u32: pairs that a block of particles has place for. */
export const PAIR_CAPACITY = 344;
export const BOUNDARY_CAPACITY = 348;
/** f32x4: corner of the grid [m]. */
export const GRID_ORIGIN = 352;
/** f32x4: one over the edge of a cell [1/m]. */
export const GRID_SCALE = 368;
/** i32: cells along the axes, in the order in which particles are sorted: along the first they stand side by side. */
export const GRID_FIRST = 384;
export const GRID_SECOND = 388;
export const GRID_THIRD = 392;
/** u32: 1 when some particles are outside the grid. */
export const GRID_CUT = 396;
/** f32x4: length of a periodic axis [m]; 0 where space does not repeat. */
export const PERIOD = 400;
/** f32: support of the kernels [m]. */
export const SUPPORT = 416;
/** f32: particle volume in sums over particles [m3]. */
export const VOLUME = 420;
/** f32: volume of a particle at rest [m3]. */
export const REST_VOLUME = 424;
/** f32: normalisation of W and of W'/r, for lanes.ts; of W'/r of the cubic spline, and of the viscosity kernel. */
export const KERNEL = 428;
export const KERNEL_GRADIENT = 432;
export const SPLINE_GRADIENT = 436;
export const VISCOSITY_KERNEL = 440;
/** f32: time step [s]. */
export const STEP = 444;
/** f32: time at the end of the step [s]. */
export const TIME = 448;
/** f32x4: gravity [m/s2]. */
export const GRAVITY = 464;
/** u32: address of the pressures that are being solved for: PRESSURE or CORRECTION. */
export const SOLVED = 480;
/** f32x4 per particle: acceleration by the direction of the conjugate gradients. */
export const DIRECTION_ACCELERATION = 484;
/** u32 per particle: 1 where pressures around have been cut off, and accelerations or residuals do not follow. */
export const TOUCHED = 488;
export const STALE = 492;
/** f32x4 per particle: position [m], and there the direction of the conjugate gradients [Pa], so that both are read at once. */
export const DIRECTION_POSITION = 496;
/** f32 per particle: residual [1/s2], direction [Pa] and product [1/s2] of the conjugate gradients. */
export const PRESSURE_RESIDUAL = 500;
export const PRESSURE_DIRECTION = 504;
export const PRESSURE_PRODUCT = 508;
/** u32: 1 when positions are solved for, 0 for velocities. */
export const CONSTANT_DENSITY = 512;
/** u32: 1 when pressures begin at zero. */
export const FROM_NOTHING = 516;
/** f32: one over the mass that all particles have where positions are corrected [1/kg]; 0 for their own. */
export const CORRECTION_PER_MASS = 520;
/** f32: nearest that a particle may come to an obstacle [m]. */
export const GAP = 524;
/** f32: stiffness k of the equation of state [Pa]. */
export const STIFFNESS = 528;
/** u32: its exponent gamma. */
export const EXPONENT = 532;
/** f32: share of XSPH [1]. */
export const XSPH = 536;
/** f32: viscosity of small eddies, in spacings times the difference of velocities [1]. */
export const EDDY = 540;
/** u32: 1 when the viscosity of the liquid itself is explicit. */
export const EXPLICIT = 544;
/** f32: share of a small lack of density that closes in a step [1]. */
export const CLOSING = 548;
/** f32: share of a slight compression that velocities undo in a step [1]. */
export const OPENING_UP = 552;
/** u32: 1 for the kernels of [K06]. */
export const KEISER = 556;
/** f32x4 per particle. */
export const DIRECTION = 560;
/** f32x4 per particle. */
export const RESIDUAL = 564;
/** f32x4 per particle. */
export const PRODUCT = 568;
/** f32x4 per particle. */
export const PRECONDITIONER = 572;
/** f32: of the conjugate gradients. */
export const ALPHA = 576;
export const BETA = 580;
/** f32 by ID: factors of tension and cohesion at the particle's temperature [1]; no address where they are alike. */
export const TENSION_FACTOR = 584;
export const COHESION_FACTOR = 588;
/** u8[16] for each choice of four numbers, by bits: where the bytes of those chosen come from, to stand first. */
export const ORDERS = 592;
/** u8[16]: where the bytes of a cell's coordinates come from, to stand in the order of the grid's axes. */
export const GRID_ORDER = 596;
export const CONTEXT_SIZE = 624;

/** f32: 1 where its free surface is loose, 0 where it is a crust, see assembly/fluid/skin.ts. */
export const LIQUID_LOOSE = 0;
/** f32: T of the energy of its surface [N/m]. */
export const LIQUID_TENSION = 4;
/** f32: A of its attraction, to itself and to walls [N]. */
export const LIQUID_ATTRACTION = 8;
/** f32: Pull that a liquid bears before it comes apart: a jet that falls gets thinner instead of parting into discs; next to nothing beside surfaceTension, whose surface lacks density. With wcsph the pressure by which it holds together at rest density. Not for elastic ones [Pa]. */
export const LIQUID_COHESION = 12;
/** f32x4: velocity with which its source leads it [m/s]. */
export const LIQUID_SOURCE_VELOCITY = 16;
export const LIQUID_STRIDE = 32;

/** u32: 0 box, 1 ball. */
export const SINK_KIND = 0;
/** f32x4: low corner, or centre and radius [m]. */
export const SINK_LOW = 16;
/** f32x4: high corner [m]. */
export const SINK_HIGH = 32;
export const SINK_STRIDE = 48;
