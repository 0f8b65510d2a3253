/**
 * The memory layout of heat, as layout.ts is for solids: slots of its own context block. Its particles are
 * those of all solids and rigid bodies in their order, then the places of all liquid particles by ID, so
 * numbers do not change when liquids are sorted. Plain constants only, so that both compilers read this file.
 *
 * The slots of the hash grid, POINTS to CELL_KEYS, are where layout.ts has them.
 */

// Particles. Sizes in bytes per particle behind each.
/** f32x4: position in the world [m], edge of the particle's cell [m]. 16 */
export const POSITION = 0;
/** f32x4: positions when the pairs were last found [m]. 16 */
export const PLACED = 4;
/** u32: number of the body within which heat flows by bonds at rest; IN_LIQUID, or ABSENT. 4 */
export const NETWORK = 8;
export const IN_LIQUID = 0xfffffffe;
export const ABSENT = 0xffffffff;
/** u32: row of MATERIALS. 4 */
export const MATERIAL_OF = 12;
/** f64: mass [kg]. 8 */
export const MASS = 16;
/** f64: specific enthalpy, 0 for the solid at 0 degrees C [J/kg]. 8 */
export const ENTHALPY = 20;
/** f64: temperature [degrees C]. 8 */
export const TEMPERATURE = 24;
/** f64: edge over conductivity [m2 K/W]. 8 */
export const RESISTANCE = 28;
/** f64: temperature per heat, 0 while it melts at a point [K/J]. 8 */
export const SLOPE = 32;
/** u32[n + 1] and (u32 j, f32 G, f32 squared distance at rest, 0): bonds within a body. */
export const REST_BEGIN = 36;
export const REST_PAIRS = 40;
/** u32[n + 1] and PAIR_STRIDE bytes each: all pairs that exchange heat now. */
export const PAIR_BEGIN = 44;
export const PAIRS = 48;
export const COUNT = 52;
export const SOLID_COUNT = 56;
/** f32: area of a face of the particle's cell [m2]. 4 */
export const AREA = 60;
/** f32: area that touches other bodies [m2], and the same over the sum of the weights of what it touches. 4 */
export const TOUCHED = 64;
export const SHARE = 68;
/** 2 x f32x4: of a liquid particle, what makes its conduction the same in all directions. 32 */
export const FIT = 72;
/** f32: free area of a particle of a body at rest, of a liquid particle now [m2]. 4 */
export const FREE_AREA = 76;
/** f64: conductance to what is outside [W/K], and heat that comes from there at 0 degrees C [W]. 8 */
export const CONDUCTANCE = 80;
export const SOURCE = 84;
/** f64: heat that is put in [W]. 8 */
export const POWER = 88;
/** f64: temperature that the particle is held at [degrees C]; NaN when it is not. 8 */
export const HELD = 92;
/** f64: heat that flows in [W]. 8 */
export const FLUX = 96;
/** f64[SUMS] per block. */
export const BLOCK_SUMS = 100;
/** u32: contexts of solids and liquids; 0 for none. */
export const SOLID_CONTEXT = 104;
export const LIQUID_CONTEXT = 108;
/** Obstacles that have a temperature, PLATE_STRIDE bytes each, and how many. */
export const PLATES = 112;
export const PLATE_COUNT = 116;
/** Materials, MATERIAL_STRIDE bytes each. */
export const MATERIALS = 156;

// Scalars.
/** f64: time step, of a stage of an implicit one [s]; temperature of the surroundings [degrees C]; one over the transfer to them [m2 K/W]. */
export const STEP = 160;
export const AMBIENT = 168;
export const AIR_RESISTANCE = 176;
/** f64: of the conjugate gradients. */
export const ALPHA = 184;
export const BETA = 192;
/** f64: range of all temperatures, which errors are measured by [K]. */
export const SPAN = 200;
/** f64: time for which the flux of the first stage goes on in the second [s]. */
export const CARRY = 280;
/** f32x4: length of a periodic axis [m]; 0 where space does not repeat. */
export const PERIOD = 208;
/** u32: temperatures that fluxes are computed from. */
export const READ = 224;
/** f32: support of the kernel of liquids [m]; one over its second moment on a lattice; its asymmetry at a flat surface. */
export const LIQUID_SUPPORT = 228;
export const LIQUID_SCALE = 232;
export const LIQUID_SURFACE = 236;
/** f32: farthest that particles of different bodies touch, over the mean of their edges [1]. */
export const REACH = 240;

// Implicit steps: f64 per particle.
/** Enthalpy at the start of the step; what a stage starts from; flux at the end of the first stage. */
export const ORIGIN = 276;
export const START = 244;
export const FIRST_FLUX = 248;
/** Temperature at the end of the step. */
export const TARGET = 252;
/** Of the conjugate gradients: correction [K], residual [J], direction [K], product [J], diagonal [J/K]. */
export const CORRECTION = 256;
export const RESIDUAL = 260;
export const DIRECTION = 264;
export const PRODUCT = 268;
export const DIAGONAL = 272;
export const CONTEXT_SIZE = 320;

// A pair: u32 j, f32 G, f64 conductance [W/K]. G over the sum of the two resistances is the conductance.
export const PAIR_G = 4;
export const PAIR_CONDUCTANCE = 8;
export const PAIR_STRIDE = 16;

// A material: f64 each.
/** Specific heat of the solid and of the liquid [J/(kg K)]. */
export const SOLID_CAPACITY = 0;
export const LIQUID_CAPACITY = 8;
/** One over their conductivities [m K/W]. */
export const SOLID_RESISTIVITY = 16;
export const LIQUID_RESISTIVITY = 24;
/** Temperatures and enthalpies where melting begins and ends; infinite for what does not melt. */
export const SOLIDUS = 32;
export const LIQUIDUS = 40;
export const SOLIDUS_ENTHALPY = 48;
export const LIQUIDUS_ENTHALPY = 56;
export const MATERIAL_STRIDE = 64;

// A plate: u32 address of the obstacle, f64 temperature [degrees C], f64 resistance of the contact [m2 K/W].
export const PLATE_OBSTACLE = 0;
export const PLATE_TEMPERATURE = 8;
export const PLATE_RESISTANCE = 16;
export const PLATE_STRIDE = 24;

/** f64 partial sums per block. */
export const SUMS = 4;
