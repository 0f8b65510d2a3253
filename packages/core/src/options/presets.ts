/**
 * Real materials to start from. Elastic moduli and thermal values come from the sources named here; damping, friction and
 * restitution are our choice. docs/materials.md says which of the rest is.
 */
import type { Material, Orthotropic } from './types.js';

type Always = 'model' | 'density' | 'damping' | 'friction' | 'thermalConductivity' | 'heatCapacity';
type Preset = Pick<Material, Always> &
  Partial<Material> &
  (Pick<Material, 'youngsModulus' | 'poissonsRatio'> | { readonly orthotropic: Orthotropic });

export const MATERIAL_PRESETS = {
  // Vulcanised natural rubber: shear modulus 0.39 MPa of Treloar, Trans. Faraday Soc. 40:59, 1944.
  // Heat: gum vulcanisate, Brandrup, Immergut and Grulke, Polymer Handbook, 4th edition.
  rubber: {
    model: 'neoHookean',
    density: 930,
    youngsModulus: 1.16e6,
    poissonsRatio: 0.49,
    damping: 0.05,
    friction: 0.9,
    restitution: 0.5,
    thermalConductivity: 0.153,
    heatCapacity: 1828,
  },
  // Structural steel: EN 1993-1-1, 3.2.6, yield stress of S235; density after EN 1991-1-1, table A.4.
  // Heat: EN 1993-1-2, 3.4.1, at 20 degrees C; melts between 1493 and 1525 degrees C (0.2 % carbon), heat of
  // fusion that of iron, CRC Handbook.
  steel: {
    model: 'stVenantKirchhoff',
    density: 7850,
    youngsModulus: 2.1e11,
    poissonsRatio: 0.3,
    yieldStress: 2.35e8,
    damping: 0.001,
    friction: 0.5,
    restitution: 0.5,
    thermalConductivity: 53.3,
    heatCapacity: 440,
    latentHeat: 2.47e5,
    meltingPoint: 1509,
    meltingRange: 32,
  },
  // Ten parts of water to one of gelatin, on the power law of Bonavia, arXiv:2512.20502, 2025.
  // Heat: water and protein, Choi and Okos, Food Engineering and Process Applications 1:93, 1986.
  jelly: {
    model: 'neoHookean',
    density: 1020,
    youngsModulus: 1.5e4,
    poissonsRatio: 0.48,
    damping: 0.1,
    friction: 0.3,
    thermalConductivity: 0.575,
    heatCapacity: 3980,
  },
  // Soft saturated clay: US Army Corps of Engineers, EM 1110-1-1904.
  // Heat: clay saturated with water, VDI 4640-1.
  clay: {
    model: 'stVenantKirchhoff',
    density: 1800,
    youngsModulus: 5e6,
    poissonsRatio: 0.45,
    yieldStress: 4e4,
    damping: 0.3,
    friction: 0.6,
    thermalConductivity: 1.8,
    heatCapacity: 1330,
  },
  // Sitka spruce at 12 % moisture: Wood Handbook FPL-GTR-282, tables 5-1 to 5-3; x along the grain, y
  // radial, z tangential to the rings.
  // Heat: the same, equations 4-15 to 4-17, across the grain.
  wood: {
    model: 'stVenantKirchhoff',
    density: 450,
    orthotropic: {
      youngsModuli: [11.9e9, 0.93e9, 0.51e9],
      shearModuli: [0.036e9, 0.73e9, 0.76e9],
      poissonsRatios: [0.435, 0.467, 0.372],
      rotation: [0, 0, 0],
    },
    damping: 0.01,
    friction: 0.4,
    restitution: 0.3,
    thermalConductivity: 0.116,
    heatCapacity: 1620,
  },
  // Human femur, cortical: Ashman et al., J. Biomech. 17:349, 1984; x along the bone, y radial, z around it.
  // Heat: IT'IS Foundation, tissue properties database 4.1.
  bone: {
    model: 'stVenantKirchhoff',
    density: 1900,
    orthotropic: {
      youngsModuli: [20e9, 12e9, 13.4e9],
      shearModuli: [4.53e9, 6.23e9, 5.61e9],
      poissonsRatios: [0.376, 0.35, 0.371],
      rotation: [0, 0, 0],
    },
    damping: 0.02,
    friction: 0.4,
    restitution: 0.3,
    thermalConductivity: 0.32,
    heatCapacity: 1313,
  },
} as const satisfies Record<string, Preset>;

/** Name of a preset. */
export type MaterialPreset = keyof typeof MATERIAL_PRESETS;
