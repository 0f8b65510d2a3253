/** The memory layout of heat, as layout.ts is for solids: slots of its own context block. Its particles are those of all solids and rigid bodies in their order, then the positions of all liquid particles by ID, so numbers do not change when liquids are sorted.  The slots of the hash grid, POINTS to CELL_KEYS, are where layout.ts has them. */
import { CONTEXT as GRID } from './grid.js';
import { array, block, constants, derived, record, scalar, state } from './table.js';

export const CONSTANTS = constants({
  IN_LIQUID: [0xfffffffe, ''],
  ABSENT: [0xffffffff, ''],
  SUMS: [4, 'f64 partial sums per block'],
});

export const CONTEXT = block(
  'CONTEXT_SIZE',
  {
    // Particles.
    POSITION: derived('f32x4', "position in the world [m], edge of the particle's cell [m]"),
    POSITIONS_AT_SEARCH: derived('f32x4', 'positions when the pairs were last found [m]'),
    NETWORK: derived(
      'u32',
      'number of the body, or of the piece of it, within which heat flows by bonds at rest; IN_LIQUID, or ABSENT',
    ),
    MATERIAL_OF: derived('u32', 'row of MATERIALS'),
    MASS: derived('f64', 'mass [kg]'),
    ENTHALPY: state('f64', 'specific enthalpy, 0 for the solid at 0 degrees C [J/kg]'),
    TEMPERATURE: derived('f64', 'temperature [degrees C]'),
    RESISTANCE: derived('f64', 'edge over conductivity [m2 K/W]; the same towards what is hotter, and what is colder'),
    HOT_RESISTANCE: derived('f64', ''),
    COLD_RESISTANCE: derived('f64', ''),
    SLOPE: derived('f64', 'temperature per heat, 0 while it melts at a point [K/J]'),
    REST_BEGIN: array('u32[n + 1] and (u32 j, f32 G, f32 squared distance at rest, 0): bonds within a body'),
    REST_PAIRS: array(''),
    PAIR_BEGIN: array('u32[n + 1] and PAIR_STRIDE bytes each: all pairs that exchange heat now'),
    PAIRS: array(''),
    COUNT: scalar('u32', ''),
    SOLID_COUNT: scalar('u32', ''),
    AREA: derived('f32', "area of a face of the particle's cell [m2]"),
    TOUCHED: derived(
      'f32',
      'area that touches other bodies [m2], and the same over the sum of the weights of what it touches',
    ),
    SHARE: derived('f32', ''),
    FIT: derived('f32x4[2]', 'of a liquid particle, what makes its conduction the same in all directions'),
    FREE_AREA: derived('f32', 'free area of a particle of a body at rest, of a liquid particle now [m2]'),
    CONDUCTANCE: derived(
      'f64',
      'conductance to what is outside [W/K], and heat that comes from there at 0 degrees C [W]',
    ),
    SOURCE: derived('f64', ''),
    POWER: derived('f64', 'heat that is put in [W]'),
    HELD: derived('f64', 'temperature that the particle is held at [degrees C]; NaN when it is not'),
    FLUX: derived('f64', 'heat that flows in [W]'),
    BLOCK_SUMS: array('f64[SUMS] per block'),
    SOLID_CONTEXT: scalar('u32', 'contexts of solids and liquids; 0 for none'),
    LIQUID_CONTEXT: scalar('u32', ''),
    PLATES: array('Obstacles that have a temperature, PLATE_STRIDE bytes each, and how many'),
    PLATE_COUNT: scalar('u32', ''),
    MATERIALS: array('Materials, MATERIAL_STRIDE bytes each'),
    // Scalars.
    STEP: scalar(
      'f64',
      'time step, of a stage of an implicit one [s]; temperature of the surroundings [degrees C]; one over the transfer to them [m2 K/W]',
    ),
    AMBIENT: scalar('f64', ''),
    AIR_RESISTANCE: scalar('f64', ''),
    ALPHA: scalar('f64', 'of the conjugate gradients'),
    BETA: scalar('f64', ''),
    SPAN: scalar('f64', 'range of all temperatures, which errors are measured by [K]'),
    CARRY: scalar('f64', 'time for which the flux of the first stage goes on in the second [s]'),
    PERIOD: scalar('f32x4', 'length of a periodic axis [m]; 0 where space does not repeat'),
    READ: scalar('u32', 'temperatures that fluxes are computed from'),
    LIQUID_SUPPORT: scalar(
      'f32',
      'support of the kernel of liquids [m]; one over its second moment on a lattice; its asymmetry at a flat surface',
    ),
    LIQUID_SCALE: scalar('f32', ''),
    LIQUID_SURFACE: scalar('f32', ''),
    REACH: scalar('f32', 'farthest that particles of different bodies touch, over the mean of their edges [1]'),
    // Implicit steps.
    ORIGIN: derived(
      'f64',
      'Enthalpy at the start of the step; what a stage starts from; flux at the end of the first stage',
    ),
    START: derived('f64', ''),
    FIRST_FLUX: derived('f64', ''),
    TARGET: derived('f64', 'Temperature at the end of the step'),
    CORRECTION: derived(
      'f64',
      'Of the conjugate gradients: correction [K], residual [J], direction [K], product [J], diagonal [J/K]',
    ),
    RESIDUAL: derived('f64', ''),
    DIRECTION: derived('f64', ''),
    PRODUCT: derived('f64', ''),
    DIAGONAL: derived('f64', ''),
  },
  GRID,
);

/** A pair: u32 j, f32 G, f64 conductance [W/K]. G over the sum of the two resistances is the conductance. */
export const PAIR = record('PAIR', {
  J: scalar('u32', 'the other particle'),
  G: scalar('f32', ''),
  CONDUCTANCE: scalar('f64', ''),
});

/** A material: f64 each. */
export const MATERIAL = record(
  'MATERIAL',
  {
    SOLID_CAPACITY: scalar('f64', 'Specific heat of the solid and of the liquid [J/(kg K)]'),
    LIQUID_CAPACITY: scalar('f64', ''),
    SOLID_RESISTIVITY: scalar('f64', 'One over their conductivities [m K/W]'),
    LIQUID_RESISTIVITY: scalar('f64', ''),
    SOLIDUS: scalar(
      'f64',
      'Temperatures and enthalpies where melting begins and ends; infinite for what does not melt',
    ),
    LIQUIDUS: scalar('f64', ''),
    SOLIDUS_ENTHALPY: scalar('f64', ''),
    LIQUIDUS_ENTHALPY: scalar('f64', ''),
  },
  '',
);

/** A plate: u32 address of the obstacle, f64 temperature [degrees C], f64 resistance of the contact [m2 K/W]. */
export const PLATE = record('PLATE', {
  OBSTACLE: scalar('u32', 'address of the obstacle'),
  TEMPERATURE: scalar('f64', '[degrees C]'),
  RESISTANCE: scalar('f64', 'of the contact [m2 K/W]'),
});
