// Written by scripts/build-layout.mjs from the tables in arrays/: change those.

/** f32x4 per point: position [m]. */
export const POINTS = 0;
export const POINT_COUNT = 4;
/** f32 per point: support radius [m]; rest-space lists only. */
export const SUPPORTS = 8;
/** f32: edge of a grid cell [m]. */
export const CELL_SIZE = 12;
/** u32: number of buckets less one; the number is a power of two. */
export const BUCKET_MASK = 16;
/** u32[buckets + 1]: where each bucket begins in SORTED. */
export const BUCKET_BEGIN = 20;
/** u32: points by bucket. */
export const SORTED = 24;
/** u64 per point: its cell's coordinates, packed. */
export const CELL_KEYS = 28;
/** u8 per point: split axis of the kd-tree node at this position of SORTED. */
export const TREE_AXIS = 32;
/** f32 per point: result of the nearest-neighbour pass. */
export const NEAREST_DISTANCE = 36;
export const NEAREST_COUNT = 40;
/** u32: number of the first particle of the set being searched; lists hold numbers of the whole world. */
export const FIRST_INDEX = 44;
export const GRID_CONTEXT_SIZE = 48;

/** u32: particle range. */
export const BODY_BEGIN = 0;
export const BODY_END = 4;
/** f32: Viscous relaxation time [s]. */
export const BODY_VISCOUS_TIME = 8;
/** f32: Modulus of the stabilisation [Pa]. */
export const BODY_BOND_MODULUS = 12;
/** f32x4[3]: Rows of the rotation from body to world axes, lane 3 is the origin: x_world = R (m + u) + c. */
export const BODY_FRAME = 16;
/** f32x4: Gravity in body axes. */
export const BODY_GRAVITY = 64;
/** f32x4[3]: Rows of (dR - I) and lane 3 the shift, for the change of frame. */
export const BODY_REFRAME = 80;
/** f32: Largest P-wave modulus of a particle over the squared highest frequency of the body at rest [Pa s2]. */
export const BODY_STEP_MODULUS = 128;
/** u32: 1 when the strain rate is needed. */
export const BODY_VISCOUS = 132;
/** u32: bits: 1 touches other bodies, 2 touches itself. */
export const BODY_CONTACT = 136;
/** f32: Support radius of the body's coarsest particle [m]. */
export const BODY_SUPPORT = 140;
/** u32: the material law, MODEL_.... */
export const BODY_MODEL = 144;
/** u32: the fit of the displacements, FIT_.... */
export const BODY_FIT = 148;
/** f32x4: corners of the box around the body when contact candidates are searched [m]. */
export const BODY_BOX_LOW = 160;
export const BODY_BOX_HIGH = 176;
/** u32: number of the particle that the quadratic arrays begin with: bodies with a linear fit have no place in them. */
export const BODY_QUADRATIC_SHIFT = 192;
/** f32x4[3]: rows of the orthotropic stiffness of normal strains, lane 3 twice the shear moduli yz, xz, xy [Pa]. */
export const BODY_STIFFNESS = 208;
/** f32x4[3]: rows of the rotation from the material's axes to the body's. */
export const BODY_AXES = 256;
/** u32: number of the first particle less its number among the rigid particles. */
export const BODY_RIGID_SHIFT = 304;
/** f32: One over the mass of a rigid body [1/kg]. */
export const BODY_INVERSE_MASS = 308;
/** f32: E / (1 - nu^2) of a rigid body [Pa]. */
export const BODY_CONTACT_MODULUS = 312;
/** f32: How strongly an impact is damped, [1]; see solvers/contact/restitution.ts. */
export const BODY_IMPACT_DAMPING = 316;
/** f32: How strongly an impact of a solid as a whole is damped, 0 for not at all [1]; see solvers/contact/restitution.ts. */
export const BODY_REBOUND_DAMPING = 320;
/** f32: Largest speed of approach since a solid last began to near what it touches, negative while it departs [m/s]. */
export const BODY_IMPACT_SPEED = 324;
/** f32x4: velocity of the origin of a rigid body's frame and angular velocity, in body axes [m/s], [rad/s]. */
export const BODY_RIGID_VELOCITY = 336;
export const BODY_RIGID_SPIN = 352;
/** f32x4: angular velocity in world axes [rad/s]; 0 for bodies that are not rigid. */
export const BODY_TURN = 368;
/** f32x4: centre of mass of a rigid body in its frame [m]. */
export const BODY_CENTRE = 384;
/** f32: How many contacts a rigid body had, or nearly so, at the last evaluation; about how many particles are on a side. */
export const BODY_TOUCHING = 400;
export const BODY_SIDE = 404;
/** f32: How deep the particles on a side of a rigid body sink in under its weight [m]. */
export const BODY_SAG = 408;
/** u32: 1 when something of it may flow for good. */
export const BODY_PLASTIC = 412;
/** f32: Fastest that viscosity alone slows a motion of the body at rest [1/s]. */
export const BODY_STEP_VISCOSITY = 416;
/** f32: Share of PENETRATION that obstacles still allow [1]. */
export const BODY_PENETRATION = 420;
/** f32: Factor of the exposed areas of a body that flows [1]. */
export const BODY_AREA_FACTOR = 424;
/** f32: Of a viscoplastic body: eigenvalue of [J14] eq. 13 times the squared spacing where particles are well spaced [1]; below what share of it they split. */
export const BODY_EVEN_SAMPLING = 428;
export const BODY_SPARSE = 432;
/** f32x4: what the search direction of an implicit step does to a rigid body: shift of its centre of mass [m], turn [rad], in world axes; where the centre is [m]. */
export const BODY_DIRECTION_SHIFT = 448;
export const BODY_DIRECTION_TURN = 464;
export const BODY_POSITION = 480;
/** u32: one more than the number of its body when that can break, else 0. */
export const BODY_BREAKS = 496;
/** u32: 1 when particles of other rows are between its own; which those are is in ROW_PARTICLES; 2 when these are only slots that no particle has. */
export const BODY_SCATTERED = 500;
export const BODY_LIST_BEGIN = 504;
export const BODY_LIST_END = 508;
/** u32: 1 when its neighbours are renewed as it flows. */
export const BODY_RENEWS = 512;
/** u32: 1 when it has viscosity. */
export const BODY_DASHPOTS = 516;
/** u32: numbers of its surface particles. */
export const BODY_SURFACE_BEGIN = 520;
export const BODY_SURFACE_END = 524;
/** f32x4: of a body that touches another: centre of mass in body axes [m]. */
export const BODY_TOUCH_CENTRE = 528;
/** f32x4: its angular velocity in world axes [rad/s]. */
export const BODY_TOUCH_SPIN = 544;
/** f32x4[2]: inverse of its inertia in body axes (xx, yy, zz, 0; yz, xz, xy, 0) [1/(kg m2)]. */
export const BODY_TOUCH_INERTIA = 560;
/** f32: of such a body: how stiff its stiffest fit was at the start, see renewal.ts [1/(m2 kg) m3]. */
export const BODY_STIFFEST_FIT = 592;
/** f32x4[6]: The same as FRAME in f64, for contact with rigid bodies in implicit steps. */
export const BODY_EXACT_FRAME = 608;
/** f32: Share of the change of volume that flows as shear does: 0 for metals and clay, 1 for what can be crushed [1]. */
export const BODY_PLASTIC_VOLUME = 704;
/** f32: Coulomb friction coefficient [1]. */
export const BODY_FRICTION = 708;
/** f32: Coefficient of restitution: the share of the approach speed that a bounce gives back. When left out, solids give back what their elasticity does, and rigid bodies nothing [1]. */
export const BODY_RESTITUTION = 712;
export const BODY_STRIDE = 720;

/** u32: First node and number of nodes. */
export const COARSE_FIRST = 0;
export const COARSE_NODES = 4;
/** u32: Entries of a row of the factor, the diagonal included; a multiple of 4. */
export const COARSE_BAND = 8;
/** u32: Address of the factor: by rows, the diagonal last and inverted. */
export const COARSE_FACTOR = 12;
export const COARSE_STRIDE = 16;

/** Particles per block of a deterministic reduction; chunks of a pass are whole blocks. */
export const BLOCK = 256;
/** A neighbour's index sits in the fourth float lane as 2^23 + j: a normal float, never a denormal. */
export const INDEX_TAG = 0x4b000000;
export const INDEX_MASK = 0x7fffff;
export const EXACT_FLUX_STRIDE = 240;
export const EXACT_SCRATCH_STRIDE = 2048;
/** Marks contact particles inside their body. */
export const INNER = 0x800000;
export const SCRATCH_STRIDE = 4096;
export const RIGID_SUM_COUNT = 17;
/** Largest damping of a contact of rigid bodies, and the damping of its friction, as a share of critical [1]. */
export const RIGID_DAMPING = 1;
export const FREE = 0;
export const SLIDING = 1;
export const STICKING = 2;
/** f64 partial sums per block: see computeBodySums. */
export const SUMS = 32;
export const FIT_LINEAR = 0;
export const FIT_QUADRATIC = 1;
/** Rigid bodies, and slots that no particle has. */
export const FIT_NONE = 2;
/** Row of slots that no particle has: the one before the table of bodies. */
export const ABSENT = 0xffffffff;
export const MODEL_ST_VENANT_KIRCHHOFF = 0;
export const MODEL_NEO_HOOKEAN = 1;
export const MODEL_COROTATIONAL = 2;
export const MODEL_ORTHOTROPIC = 3;
export const KIND_PLANE = 0;
export const KIND_BOX = 1;
export const KIND_SPHERE = 2;
export const KIND_CAPSULE = 3;
export const KIND_CYLINDER = 4;
export const KIND_TORUS = 5;
export const KIND_GRID = 6;

/** u32: bits 1, 2, 4: axes x, y, z are prescribed. */
export const CONSTRAINT_MASK = 0;
/** u32: 1 when its particles mirror free ones. */
export const CONSTRAINT_GHOST = 4;
/** u32: bits of those axes that are held from where they were when the constraint began: the velocity is prescribed there. */
export const CONSTRAINT_LATE = 8;
/** f32x4[3]: rows of the map to the prescribed displacement, lane 3 the constant. */
export const CONSTRAINT_TARGET = 16;
/** f32x4[3]: rows of the map to the prescribed velocity, lane 3 the constant. */
export const CONSTRAINT_RATE = 64;
/** f32x4[3]: rows of the map from the position to the prescribed velocity along those, lane 3 the constant. */
export const CONSTRAINT_LATE_RATE = 112;
/** f32x4: acceleration in body axes [m/s2]. */
export const CONSTRAINT_ACCELERATION = 160;
export const CONSTRAINT_STRIDE = 176;

/** f32x4 per particle: rest position in the body frame [m], contact radius [m]. */
export const REST = 48;
/** f32x4 per particle: displacement from the rest position in the body frame [m]. */
export const DISPLACEMENT = 52;
/** f32x4 per particle: velocity in the axes of the body frame [m/s]. */
export const VELOCITY = 56;
/** f32x4 per particle: acceleration in the axes of the body frame [m/s2]. */
export const ACCELERATION = 60;
/** f32x4[3] per particle: rows of the inverse moment matrix [1/m2]; lane 3 of row 0 is twice the stabilisation weight, of row 1 the same before anything flowed. */
export const MOMENT_INVERSE = 64;
/** f32x4[3] per particle: rows of Q = V P M^-1. */
export const FLUX = 68;
/** f32x4 per particle: lambda, mu, volume stiffness [Pa], rest volume [m3]. */
export const ELASTIC = 72;
/** f32x4 per particle: sum of g_ij over the neighbours, inverse mass [1/kg]. */
export const GRADIENT_SUM = 76;
/** f32x4[2] per particle: Green strain of the last step (xx, yy, zz, 0; yz, xz, xy, 0), for the strain rate. */
export const STRAIN = 80;
/** u32[n + 1]: where each particle's neighbours begin. */
export const NEIGHBOR_BEGIN = 84;
/** u32 per pair: the neighbour j. */
export const NEIGHBORS = 88;
/** f32x4 per pair: g_ij; b_ij, the stabilisation weight of the pair, [1/m2] times volume. */
export const PAIRS = 92;
/** u32 per particle: number of the particle's body. */
export const BODY_OF = 96;
/** u32 per particle: number of the particle's part within its body: air separates them. */
export const PART_OF = 100;
/** u32 per particle: number of the particle's constraint set, 0 for none. */
export const CONSTRAINT_OF = 104;
/** u32 per particle: one more than the number in the list of rank-deficient particles, 0 for full rank. */
export const DEFICIENT_OF = 108;
/** 3 x f32x4 per deficient particle: projection onto the directions its neighbours span; lane 3 of row 0 is the rank. */
export const PROJECTIONS = 112;
/** u32 per particle: one more than its number among the surface particles, 0 for interior ones. */
export const SURFACE_OF = 116;
/** u32: particle of each surface number; INNER is set for those that no part of their own body touches. */
export const SURFACE_PARTICLE = 120;
/** f32x4 per surface particle: position in the world [m], contact radius [m]. */
export const SURFACE_POSITION = 124;
/** f32x4 per surface particle: velocity in the world [m/s], contact stiffness [N/m]. */
export const SURFACE_VELOCITY = 128;
/** f32x4 per surface particle: contact force, in the axes of the body frame [N]; on rigid bodies in world axes, and its stiffness [N/m]. */
export const CONTACT_FORCE = 132;
/** u32: number of candidates of each surface particle. */
export const CANDIDATE_COUNT = 136;
/** u32[CANDIDATE_ROOM] per surface particle: its candidates, by rising surface number. */
export const CANDIDATES = 140;
/** f32 per block of surface particles: largest sum of contact stiffness over mass [1/s2]. */
export const CONTACT_RATE = 144;
/** Bodies, BODY_STRIDE bytes each. */
export const BODIES = 148;
/** Obstacles, OBSTACLE_STRIDE bytes each. */
export const OBSTACLES = 152;
/** Constraint sets, CONSTRAINT_STRIDE bytes each. */
export const CONSTRAINTS = 156;
/** f32x4 per particle: displacement at the end of an implicit step of what is held along LATE axes [m]; no address where there is none. */
export const LATE_TARGET = 160;
/** f32 per block: largest squared speed. */
export const BLOCK_SPEED = 164;
/** f32 per block: largest squared frequency that the time step has to resolve [1/s2]. */
export const BLOCK_FREQUENCY = 168;
/** f64[SUMS] per block: partial sums of the diagnostics. */
export const BLOCK_SUMS = 172;
/** f32: reach of a contact candidate search beyond touching [m]. */
export const SKIN = 176;
/** f32: duration of the velocity kick [s]. */
export const KICK = 180;
/** f32: duration of the drift [s]. */
export const DRIFT = 184;
/** f32: second kick, applied with the new forces [s]. */
export const LATE_KICK = 188;
/** f32: one over the time since the stored strains [1/s], 0 when there are none. */
export const STRAIN_RATE = 192;
export const OBSTACLE_COUNT = 196;
/** u32: 1 when contact forces are to be added. */
export const CONTACT_ACTIVE = 200;
/** f32: contact damping, as a share of critical. */
export const CONTACT_DAMPING = 204;
/** f32: far parts of a body touch when their rest distance is more than this many supports. */
export const SELF_CONTACT = 208;
/** u32: positions for the candidates of a surface particle. */
export const CANDIDATE_CAPACITY = 212;
/** 2 x f32x4 per bucket of the grid: lowest and highest rest position in it, where the search for contacts may go by it; lane 3 of the first is their body, or -1 when there are several. */
export const BUCKET_BOXES = 216;
/** f32x4 per surface particle: m + u when the candidates were last found [m]. */
export const SURFACE_REFERENCE = 220;
/** f32 per block of surface particles: largest squared change of m + u since then [m2]. */
export const SURFACE_TRAVEL = 224;
/** 9 x 3 x f32x4 per particle: rows of the inverse moment matrix of the quadratic fit, in groups of three. */
export const QUADRATIC_INVERSE = 228;
/** 9 x f32x4 per particle: rows of the flux of the quadratic fit, in groups of three. */
export const QUADRATIC_FLUX = 232;
/** f32 per pair: one over the weight of the pair. */
export const INVERSE_WEIGHTS = 236;
/** 2 x f32x4 per particle: second moments of the cell about its centroid along the axes over its volume [m2]; from the particle to the centroid [m]. */
export const CELL_MOMENT = 240;
/** SCRATCH_STRIDE bytes per block, for set-up passes. */
export const SCRATCH = 244;
/** u32: number of bodies. */
export const BODY_COUNT = 248;
/** Displacement at the start of the step, in the frame of that time [m]. */
export const START = 252;
/** First guess of the displacement: where inertia and gravity take it [m]. */
export const GUESS = 256;
/** Change of displacement since the guess [m]. */
export const CHANGE = 260;
/** Velocity at the start of the step, in the axes of the frame at the guess [m/s]. */
export const STEP_VELOCITY = 264;
/** Force that is not balanced yet [N]. */
export const RESIDUAL = 268;
/** The preconditioned residual [m]. */
export const PRECONDITIONED = 272;
/** Search direction of the conjugate gradients [m]. */
export const DIRECTION = 276;
/** The system matrix times the direction [N]. */
export const PRODUCT = 280;
/** Change of displacement that is being solved for [m]. */
export const CORRECTION = 284;
/** 2 x f32x4: diagonal block of the stiffness matrix (xx, yy, zz, 0; yz, xz, xy, 0) [N/m]. */
export const STIFFNESS_DIAGONAL = 288;
/** 2 x f32x4: inverse diagonal block of the system matrix, the same six numbers [m/N]. */
export const DIAGONAL_INVERSE = 292;
/** 6 x f32x4: rows of the gradient and of the stress S at the state that the tangent is taken at. */
export const LINEARISED = 296;
/** Rotation of the corotational law at that state, a quaternion x, y, z, w [1]. */
export const ROTATION = 300;
/** f32: mass is divided by the square of the step in the system matrix [1/s2]; 0 for equilibrium. */
export const INERTIA = 304;
/** f32: length of the step along the direction. */
export const ALPHA = 308;
/** f32: share of the last direction in the next. */
export const BETA = 312;
/** u32: 1 when a coarse correction is to be added to the preconditioned residual. */
export const COARSE_ACTIVE = 316;
/** u32: 1 when stress passes keep the strains for the rate of the next step. */
export const KEEP_STRAIN = 320;
/** Normal of the obstacle that the particle touches, in body axes; lane 3 is FREE, SLIDING or STICKING. */
export const OBSTACLE_CONTACT = 324;
/** Friction of a sliding particle, in body axes [N], and its stiffness [N/m]; see assembly/solid/implicit.ts. */
export const OBSTACLE_FRICTION_FORCE = 328;
/** Velocity at the start of the step, in the frame of that time [m/s]. */
export const START_VELOCITY = 332;
/** f32: duration over which displacements since START make the velocity [s]. */
export const ELAPSED = 336;
/** f32x4 per surface particle: change of the contact force along the direction, in body axes [N]. */
export const CONTACT_CHANGE = 340;
/** u32: which round of an implicit solution obstacles look at particles in. */
export const CONTACT_ROUND = 344;
/** u32: 1 when forces are those of double precision: the sums are in EXACT_FORCE. */
export const EXACT = 348;
/** What float32 has rounded off CHANGE [m]. */
export const CHANGE_REST = 352;
/** f64[4] per particle: displacement [m]. */
export const EXACT_DISPLACEMENT = 356;
/** f64[30] per particle: what is conjugate to the fit, nine per component; force of the bonds [N]. */
export const EXACT_FLUX = 360;
/** Elastic force and bonds [N]. */
export const EXACT_FORCE = 364;
/** EXACT_SCRATCH_STRIDE bytes per block: matrices. */
export const EXACT_SCRATCH = 368;
/** 8 x (u32 node, f32 weight) per particle: the nodes of its cell. */
export const COARSE_WEIGHTS = 372;
/** u32[nodes + 1]: where the particles of a node begin in COARSE_LIST. */
export const COARSE_BEGIN = 376;
/** (u32 particle, f32 weight) by node. */
export const COARSE_LIST = 380;
/** f32x4 per node: restricted residual, then the correction. */
export const COARSE_VECTOR = 384;
/** Coarse systems, COARSE_STRIDE bytes per body. */
export const COARSE_SYSTEMS = 388;
/** u32: 1 when bodies of both discretisations are in the world. */
export const MIXED = 392;
/** 12 x f32x4: gradient at the centroid, second derivatives and stress S at that state, for the quadratic fit. */
export const QUADRATIC_LINEARISED = 396;
/** (u32 particle, u32 ghostSource, f32 ratio, 0) each. */
export const GHOSTS = 400;
/** (u32 ghostSource, u32 begin, u32 end, 0) each: its position in GHOST_SOURCE_LIST. */
export const GHOST_SOURCES = 404;
/** (u32 particle, f32 ratio) by ghostSource. */
export const GHOST_SOURCE_LIST = 408;
/** The vectors that ghost ones are carried over in: an array of f32x4 per particle. */
export const REFLECTED = 412;
/** f32 per particle: distance from obstacles at which a solid touches them [m]. */
export const CONTACT_RADIUS = 416;
/** u8 per particle: 1 where an obstacle may be touched or a constraint holds in this step. */
export const CONFINED = 420;
/** u32: 1 for the midpoint rule. */
export const DOUBLED = 424;
/** f32: 1 when the guess of an implicit step has gone the way of gravity, 0 when it stands still. */
export const GUESSED = 428;
/** f32x4[3] per particle: rows of B = F_p^-1 - I; lanes 3 are the accumulated plastic strain [1], the share of the stabilisation that is left [1], and the work done on plastic flow [J/m3]; 0 when nothing is plastic. */
export const PLASTIC = 432;
/** f32x4 per particle: yield stress, hardening [Pa], rate of creep [1/s], largest plastic strain [1]. */
export const PLASTIC_LAW = 436;
/** f32 per particle: how far it began inside an obstacle [m], for bodies with a BODY_PENETRATION; of bodies that flow by the particle of the start that each came from. */
export const PENETRATION = 440;
/** f32x4 per particle: force from outside, in world axes [N]; 0 as long as nobody has asked for it. */
export const EXTERNAL_FORCE = 444;
/** u32: particle of each; not there where no force acts. */
export const FORCED = 448;
/** u32[n + 1]: where the pairs of each begin. */
export const FORCED_BEGIN = 452;
/** (u32 particle, f32 weight [m]) per pair: the area is the sum of weight (x_i - x_j). */
export const FORCED_PAIRS = 456;
/** f32x4: position in the world [m], one over the mass [1/kg]. */
export const FORCED_POSITION = 460;
/** f32x4: velocity in the world [m/s]. */
export const FORCED_VELOCITY = 464;
/** f32x4: exposed area in world axes [m2], cross-section of what is on its own [m2]; of bodies that flow, for all particles. */
export const FORCED_AREA = 468;
/** u32[n + 1]: where the bonds of each particle begin, whole and broken ones. */
export const BOND_BEGIN = 472;
/** u32 per bond: the neighbour j. */
export const BOND_NEIGHBORS = 476;
/** u32 per bond: the bond of j with this particle. */
export const BOND_BACK = 480;
/** f32 per bond: w_ij of the whole body. */
export const BOND_WEIGHTS = 484;
/** f32 per bond: share of the weight that is left [1]; of a broken one less how far apart its ends have been since [m], or 0. */
export const BONDS_LEFT = 488;
/** f32x4 per particle: as ELASTIC, before anything broke. */
export const ELASTIC_WHOLE = 492;
/** f32x4 per particle: Young's modulus [Pa], strain at the tensile strength [1], fracture energy [J/m2] or -1 for none, plastic strain at which no strength is left [1]. */
export const FRACTURE_LAW = 496;
/** f32 per bond: share of its strength and fracture energy that a score leaves [1]. */
export const BOND_SCORES = 500;
/** f32 per particle: the least of its bonds [1]. */
export const LEAST_SCORE = 504;
/** f32x4 per particle: least strains at which one of its bonds may break, without scores: by the strength, and at a crack by the energy [1]; largest factor of strains, see noteLimits [1]. */
export const BOND_LIMITS = 508;
/** u8 per bond: not 0 when it may be beyond its strength. */
export const BOND_STRAINED = 512;
/** u32 per particle, bits: bonds of it are marked 1 by itself, 2 by their other ends. */
export const STRAINED = 516;
/** f32x4 per particle: direction of the largest principal stress; that stress over Young's modulus [1], 0 where it is far below the strength. */
export const OVERSTRESS = 520;
/** f32x4 per particle, of the stress along that direction, over Young's modulus: for a strain along it; of the stabilisation; mean strain across it; what that adds [1]. */
export const CONSTRAINED = 524;
/** f32x4 per particle: direction of the bond that is nearest to breaking, and its strain over its strength; of particles that STRAINED tells of. */
export const WEAKEST = 528;
/** f32x4 per particle: to which side bonds are lost, 1 for a whole side; damage: share of the weights that is lost [1]. */
export const LOST = 532;
/** f32[2] per particle: how stiff the stiffest fit of its body was, see fitStiffness [1/m2], and twice the stabilisation weight before anything broke. */
export const FIT_STIFFNESS = 536;
/** u32 per particle: 1 when its bonds have changed. */
export const REFIT = 540;
/** u32 per block, bits: 1 something may break, 2 bonds have changed, 4 some have broken. */
export const BLOCK_BREAKING = 544;
/** u32 per particle: number of the piece of its body that it is in. */
export const PIECE = 548;
/** u32: particles of the rows that are scattered, one row after the other. */
export const ROW_PARTICLES = 552;
/** f32 per particle: plastic strain when its neighbours were last found [1]. */
export const RENEWED_AT = 556;
/** u32: particle of each rigid particle. */
export const RIGID_PARTICLE = 560;
/** f32x4: force on it in world axes [N]. */
export const RIGID_FORCE = 564;
/** f32x4: moment of that force about the particle's centre, in world axes [N m]. */
export const RIGID_MOMENT = 568;
/** f32x4: stiffness [N/m] and damping [kg/s] of its contacts as the stable step goes by them; their number, those about to be included; how deep it is in an obstacle, in radii. */
export const RIGID_STIFFNESS = 572;
/** u32[RIGID_ROOM] each: one more than the particles of other rigid bodies that it touches, by rising number; then 0. */
export const RIGID_PARTNERS = 576;
/** f32x4 for each partner: stretch of the friction's spring in world axes [m]; speed at first touch [m/s]. */
export const RIGID_SPRINGS = 580;
/** The same two at the last evaluation. */
export const RIGID_LAST_PARTNERS = 584;
export const RIGID_LAST_SPRINGS = 588;
/** f32x4 per obstacle each: the same for obstacles; all zero where nothing touches. */
export const RIGID_WALL_SPRINGS = 592;
/** The same at the last evaluation. */
export const RIGID_LAST_WALL_SPRINGS = 596;
/** 3 x f32x4 for each partner: stiffness of the contact in world axes (xx, yy, zz, 0; yz, xz, xy, 0) [N/m], its point [m]; for implicit steps only. */
export const RIGID_TANGENTS = 600;
/** 3 x f32x4 per obstacle each: the same for obstacles. */
export const RIGID_WALL_TANGENTS = 604;
/** f32: time since the last evaluation [s]. */
export const RIGID_STEP = 608;
/** u32: 1 when contacts among rigid bodies and with obstacles are found by their shapes. */
export const RIGID_EXACT = 612;
/** f32 per block of rigid particles: one over the longest step before some contact gets too deep [1/s]. */
export const RIGID_RATE = 616;
/** f32 per block of rigid particles: most partners that one of them has. */
export const RIGID_MOST = 620;
/** u32: slots for the partners of a rigid particle. */
export const RIGID_CAPACITY = 624;
/** f64[RIGID_SUM_COUNT] per body: see computeRigidSums. */
export const RIGID_SUMS = 628;
/** f32x4 per surface particle: moment of the contact force about the centre of a rigid particle, in world axes [N m]. */
export const CONTACT_MOMENT = 632;
/** f32x4[3] per particle near obstacles, where a solid has a restitution: their impulse on it in this step in world axes [N s], lane 3 the sum of the normal ones; the normal part, lane 3 its product with their velocity [J]; lane 0 the normal ones times their damping. */
export const WALL_IMPULSE = 636;
/** f32x4 per particle of each obstacle: what the obstacle has given it since this was cleared, in world axes [N s]. */
export const OBSTACLE_IMPULSE = 640;
/** u32: bytes from one obstacle to the next. */
export const OBSTACLE_IMPULSE_STRIDE = 644;
/** f32x4 per particle: what has held or moved it has given it since this was cleared, in world axes [N s]. */
export const HOLD_IMPULSE = 648;
/** f32: for how long the forces of this pass act [s]. */
export const METERED = 652;
/** f32x4 for each of the CANDIDATES: force from it, in world axes [N]. */
export const PAIR_FORCE = 656;
/** f32x4 for each of the RIGID_PARTNERS: force from it, in world axes [N]. */
export const RIGID_PAIR_FORCE = 660;
/** f32x4 per obstacle of each rigid particle: force from it, in world axes [N]. */
export const RIGID_WALL_FORCE = 664;
/** f32: gap at which surfaces are looked at [m]; 0 where solids touch by the forces of particles, as in implicit steps. */
export const REACH_BY_SURFACE = 668;
/** f32x4: outward normal at rest, in body axes, and distance of the surface [m]; 0 for those at edges, -1 within the body. */
export const SURFACE_OUTWARD = 672;
/** f32: the largest distance of a surface or half of a cell [m]. */
export const SURFACE_LARGEST = 676;
/** u32x4: three particles near it, with which it shows how the body is turned and strained there, and 1; or 0 for none. */
export const SURFACE_PARTNERS = 680;
/** f32x4: outward normal in world axes, distance of the surface or 0 [m]. */
export const TOUCH_NORMAL = 684;
/** f32x4: velocity in world axes before contact [m/s], one over the mass or 0 when held [1/kg]. */
export const TOUCH_VELOCITY = 688;
/** f32x4: direction in which the particle is pushed off the surface that it faces, and the distance along it at which they touch [m]. */
export const TOUCH_AXIS = 692;
/** f32x4: one over the sum of its weights [1]; one over the mass times the shares that it has in contacts, the same of its own contact with the surface [1/kg]; what takes back its penetration [kg m]. */
export const TOUCH_SHARES = 696;
/** f32x4: impulse of its own contact in world axes, and its change in the last round [N s]. */
export const TOUCH_CONTACT = 700;
export const TOUCH_CHANGE = 704;
/** f32x4: impulse of all contacts in world axes [N s], and their moment about the particle [N m s]. */
export const TOUCH_IMPULSE = 708;
export const TOUCH_COUPLE = 712;
/** u32: where the pairs of each begin, and how many there are. */
export const TOUCH_BEGIN = 716;
export const TOUCH_COUNT = 720;
/** Per pair u32: the other one; f32: weight [1], share of the way to it where they touch [1]; 0. */
export const TOUCH_PAIRS = 724;
/** f32x4 per pair: impulse from it in this step, in world axes [N s]; not there unless somebody asks. */
export const TOUCH_PAIR_IMPULSE = 728;
/** f32 per block: largest squared way that penetrations were taken back by [m2]. */
export const TOUCH_SHIFT = 732;
/** f32: factor of the changes in a round [1]. */
export const TOUCH_RELAXATION = 736;
/** u32: 1 for velocities at the end of a step: only what touches. */
export const TOUCH_SETTLES = 740;
/** f32x4 per pair: o_ij, with o_ji = -o_ij [m]. */
export const OFFSETS = 744;
/** f32x4[3] per particle: rows of what the sums of a fit begin with, -sum o_ij (g_ij, b_ij)^T. */
export const FIRST_MOMENT = 748;
/** f32 per particle: half of what the dashpots of a unit of volume have in common, 15 times the dynamic viscosity, less in sheets and strings [Pa s]. */
export const VISCOSITIES = 752;
/** f32x4 per particle: position between which the dashpots act, in body axes [m]; its part in the strength of each, over |g_ij| [Pa s]. */
export const DASHPOTS = 756;
/** f32x4 per particle: velocity that the dashpots resist, in body axes [m/s]; sum of their strengths [kg/s]. */
export const FLOW = 760;
/** f32x4 per particle: change of that velocity that is solved for [m/s]. */
export const FLOW_CHANGE = 764;
/** f32x4 per particle: the obstacle that keeps that from changing, see assembly/solid/viscous-contact.ts; no address where there are none. */
export const FLOW_CONTACT = 768;
/** f32x4 per particle: friction of what slides on it, in body axes [N s]. */
export const FLOW_FRICTION = 772;
/** f32: for how long they act [s]. */
export const FLOW_TIME = 776;
/** f32: how long ago their positions are those of [s]. */
export const FLOW_LAG = 780;
export const CONTEXT_SIZE = 784;

export const OBSTACLE_KIND = 0;
export const OBSTACLE_FRICTION = 4;
export const OBSTACLE_RESTITUTION = 8;
export const OBSTACLE_CELL = 12;
/** f32x4[3]: Rows of the rotation from obstacle to world axes, lane 3 the origin. */
export const OBSTACLE_POSE = 16;
/** f32[3]: half size, or radius and half length. */
export const OBSTACLE_SHAPE = 64;
/** f32: Fastest that a point of it moves, without bound when it turns [m/s]. */
export const OBSTACLE_SPEED = 76;
/** f32x4: velocity of the origin [m/s]. */
export const OBSTACLE_VELOCITY = 80;
/** f32x4: angular velocity [rad/s]. */
export const OBSTACLE_SPIN = 96;
/** f32x4: corner of the distance grid. */
export const OBSTACLE_GRID_ORIGIN = 112;
/** u32: address and sizes of the distance grid. */
export const OBSTACLE_GRID = 128;
export const OBSTACLE_GRID_X = 132;
export const OBSTACLE_GRID_Y = 136;
export const OBSTACLE_GRID_Z = 140;
/** f32: How strongly an impact of a rigid body is damped, [1]; see solvers/contact/restitution.ts. */
export const OBSTACLE_IMPACT_DAMPING = 144;
/** f32: How strongly an impact of a solid as a whole is damped, [1]; see solvers/contact/restitution.ts. */
export const OBSTACLE_REBOUND_DAMPING = 148;
/** f32: Share of a liquid's viscosity that acts on it: 1 holds the liquid, 0 lets it slip [1]. */
export const OBSTACLE_NO_SLIP = 152;
/** f32: Share of a liquid's attraction to itself that it has [1]. */
export const OBSTACLE_ADHESION = 156;
export const OBSTACLE_STRIDE = 160;
