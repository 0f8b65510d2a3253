// Written by scripts/build-layout.mjs from the tables in arrays/: change those.

export const IN_LIQUID = 0xfffffffe;
export const ABSENT = 0xffffffff;
/** f64 partial sums per block. */
export const SUMS = 4;

/** f32x4 per particle: position in the world [m], edge of the particle's cell [m]. */
export const POSITION = 48;
/** f32x4 per particle: positions when the pairs were last found [m]. */
export const POSITIONS_AT_SEARCH = 52;
/** u32 per particle: number of the body, or of the piece of it, within which heat flows by bonds at rest; IN_LIQUID, or ABSENT. */
export const NETWORK = 56;
/** u32 per particle: row of MATERIALS. */
export const MATERIAL_OF = 60;
/** f64 per particle: mass [kg]. */
export const MASS = 64;
/** f64 per particle: specific enthalpy, 0 for the solid at 0 degrees C [J/kg]. */
export const ENTHALPY = 68;
/** f64 per particle: temperature [degrees C]. */
export const TEMPERATURE = 72;
/** f64 per particle: edge over conductivity [m2 K/W]; the same towards what is hotter, and what is colder. */
export const RESISTANCE = 76;
export const HOT_RESISTANCE = 80;
export const COLD_RESISTANCE = 84;
/** f64 per particle: temperature per heat, 0 while it melts at a point [K/J]. */
export const SLOPE = 88;
/** u32[n + 1] and (u32 j, f32 G, f32 squared distance at rest, 0): bonds within a body. */
export const REST_BEGIN = 92;
export const REST_PAIRS = 96;
/** u32[n + 1] and PAIR_STRIDE bytes each: all pairs that exchange heat now. */
export const PAIR_BEGIN = 100;
export const PAIRS = 104;
export const COUNT = 108;
export const SOLID_COUNT = 112;
/** f32 per particle: area of a face of the particle's cell [m2]. */
export const AREA = 116;
/** f32 per particle: area that touches other bodies [m2], and the same over the sum of the weights of what it touches. */
export const TOUCHED = 120;
export const SHARE = 124;
/** f32x4[2] per particle: of a liquid particle, what makes its conduction the same in all directions. */
export const FIT = 128;
/** f32 per particle: free area of a particle of a body at rest, of a liquid particle now [m2]. */
export const FREE_AREA = 132;
/** f64 per particle: conductance to what is outside [W/K], and heat that comes from there at 0 degrees C [W]. */
export const CONDUCTANCE = 136;
export const SOURCE = 140;
/** f64 per particle: heat that is put in [W]. */
export const POWER = 144;
/** f64 per particle: temperature that the particle is held at [degrees C]; NaN when it is not. */
export const HELD = 148;
/** f64 per particle: heat that flows in [W]. */
export const FLUX = 152;
/** f64[SUMS] per block. */
export const BLOCK_SUMS = 156;
/** u32: contexts of solids and liquids; 0 for none. */
export const SOLID_CONTEXT = 160;
export const LIQUID_CONTEXT = 164;
/** Obstacles that have a temperature, PLATE_STRIDE bytes each, and how many. */
export const PLATES = 168;
export const PLATE_COUNT = 172;
/** Materials, MATERIAL_STRIDE bytes each. */
export const MATERIALS = 176;
/** f64: time step, of a stage of an implicit one [s]; temperature of the surroundings [degrees C]; one over the transfer to them [m2 K/W]. */
export const STEP = 184;
export const AMBIENT = 192;
export const AIR_RESISTANCE = 200;
/** f64: of the conjugate gradients. */
export const ALPHA = 208;
export const BETA = 216;
/** f64: range of all temperatures, which errors are measured by [K]. */
export const SPAN = 224;
/** f64: time for which the flux of the first stage goes on in the second [s]. */
export const CARRY = 232;
/** f32x4: length of a periodic axis [m]; 0 where space does not repeat. */
export const PERIOD = 240;
/** u32: temperatures that fluxes are computed from. */
export const READ = 256;
/** f32: support of the kernel of liquids [m]; one over its second moment on a lattice; its asymmetry at a flat surface. */
export const LIQUID_SUPPORT = 260;
export const LIQUID_SCALE = 264;
export const LIQUID_SURFACE = 268;
/** f32: farthest that particles of different bodies touch, over the mean of their edges [1]. */
export const REACH = 272;
/** f64 per particle: Enthalpy at the start of the step; what a stage starts from; flux at the end of the first stage. */
export const ORIGIN = 276;
export const START = 280;
export const FIRST_FLUX = 284;
/** f64 per particle: Temperature at the end of the step. */
export const TARGET = 288;
/** f64 per particle: Of the conjugate gradients: correction [K], residual [J], direction [K], product [J], diagonal [J/K]. */
export const CORRECTION = 292;
export const RESIDUAL = 296;
export const DIRECTION = 300;
export const PRODUCT = 304;
export const DIAGONAL = 308;
export const CONTEXT_SIZE = 320;

/** f64: Specific heat of the solid and of the liquid [J/(kg K)]. */
export const SOLID_CAPACITY = 0;
export const LIQUID_CAPACITY = 8;
/** f64: One over their conductivities [m K/W]. */
export const SOLID_RESISTIVITY = 16;
export const LIQUID_RESISTIVITY = 24;
/** f64: Temperatures and enthalpies where melting begins and ends; infinite for what does not melt. */
export const SOLIDUS = 32;
export const LIQUIDUS = 40;
export const SOLIDUS_ENTHALPY = 48;
export const LIQUIDUS_ENTHALPY = 56;
export const MATERIAL_STRIDE = 64;

/** u32: the other particle. */
export const PAIR_J = 0;
export const PAIR_G = 4;
export const PAIR_CONDUCTANCE = 8;
export const PAIR_STRIDE = 16;

/** u32: address of the obstacle. */
export const PLATE_OBSTACLE = 0;
/** f64: [degrees C]. */
export const PLATE_TEMPERATURE = 8;
/** f64: of the contact [m2 K/W]. */
export const PLATE_RESISTANCE = 16;
export const PLATE_STRIDE = 24;
