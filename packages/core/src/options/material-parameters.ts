/**
 * Every parameter of a material that is a number, declared once. From this table follow the type `Material`, its checks and
 * messages, the JSON Schema, docs/scene.md, hover texts, sliders, saves, which bodies and regions it can be changed for, and
 * the fields of rows that passes read. docs/guides/add-a-material-parameter.md shows how to add one.
 */
import { LARGEST, type NumberDeclaration } from './declare.js';
import type { Phase } from './phase.js';

/** A yield stress that nothing reaches [Pa]. */
export const NEVER = 1e18;
/** Absolute zero [degrees C]. */
export const COLDEST = -273.15;

export interface MaterialDeclaration extends NumberDeclaration {
  /** What it has an effect on; changes by events are refused on everything else. */
  readonly acts: readonly Phase[];
  /** Where panels show it: in the first section that its body has. */
  readonly subject: readonly string[];
  /** May it differ from particle to particle in one body? */
  readonly byRegion?: boolean;
  /** It may depend on the temperature, by a factor that is above zero or also zero. */
  readonly curve?: { readonly text: string; readonly least?: 'zero' };
  /** Tables in whose rows passes read it, as `BODY_FRICTION`. */
  readonly rows?: readonly ('BODY' | 'LIQUID')[];
}

const SOLID = ['solid', 'viscoplastic'] as const;
const FLUID = ['liquid', 'melt'] as const;
const ALL = [...SOLID, 'rigid', ...FLUID] as const;

/** What the law of the stored energy has an effect on. */
export const MODEL_ACTS = SOLID;

export const materialParameters = {
  density: {
    unit: 'kg/m3',
    above: 0,
    atMost: LARGEST,
    default: 1000,
    slider: { from: 10, to: 10_000, scale: 'logarithmic' },
    text: 'Mass per volume at rest.',
    acts: ALL,
    subject: ['Elasticity', 'Liquid'],
    byRegion: true,
    curve: { text: 'Factor of the density of a liquid, by which warm liquid rises.' },
  },
  youngsModulus: {
    unit: 'Pa',
    above: 0,
    atMost: 1e18,
    default: 1e5,
    slider: { from: 1e3, to: 1e8, scale: 'logarithmic' },
    text: "Young's modulus: the stiffness in tension.",
    acts: [...SOLID, 'rigid', 'melt'],
    subject: ['Elasticity'],
    byRegion: true,
    curve: {
      text: 'Factor of the stiffness of an elastic liquid, on top of what melting takes; where it is 0 it is liquid.',
      least: 'zero',
    },
  },
  poissonsRatio: {
    unit: '1',
    above: -1,
    below: 0.5,
    default: 0.3,
    slider: { from: 0, to: 0.49, scale: 'linear' },
    text: "Poisson's ratio: how much a stretched piece gets thinner; near 0.5 the volume hardly changes.",
    acts: [...SOLID, 'rigid', 'melt'],
    subject: ['Elasticity'],
    byRegion: true,
  },
  damping: {
    unit: '1',
    atLeast: 0,
    atMost: LARGEST,
    default: 0,
    slider: { from: 0, to: 1, scale: 'linear' },
    text: "Damping ratio of the body's slowest wave; rigid motion is not damped.",
    acts: [...SOLID, 'melt'],
    subject: ['Elasticity'],
  },
  volumeStiffness: {
    unit: '1',
    atLeast: 0,
    atMost: 1,
    default: 1,
    slider: { from: 0, to: 1, scale: 'linear' },
    text: 'Share of the bulk response carried by the determinant term, which keeps pieces from turning inside out.',
    acts: SOLID,
    subject: ['More'],
    byRegion: true,
  },
  yieldStress: {
    unit: 'Pa',
    atLeast: 0,
    atMost: NEVER,
    default: NEVER,
    slider: { from: 1e2, to: 1e9, scale: 'logarithmic' },
    text: 'Von Mises stress at which it begins to flow for good; with the default it never does.',
    acts: [...SOLID, 'melt'],
    subject: ['Plasticity'],
    byRegion: true,
    curve: {
      text: 'Factor of the yield stress of a solid or an elastic liquid; of what melts on top of its stiffness.',
      least: 'zero',
    },
  },
  hardening: {
    unit: 'Pa',
    atLeast: -NEVER,
    atMost: NEVER,
    default: 0,
    slider: { from: 0, to: 1e8, scale: 'linear' },
    text: 'How much the yield stress grows per plastic strain; below zero it softens.',
    acts: [...SOLID, 'melt'],
    subject: ['Plasticity'],
    byRegion: true,
  },
  creepRate: {
    unit: '1/s',
    atLeast: 0,
    atMost: LARGEST,
    default: LARGEST,
    slider: { from: 0.01, to: 1e4, scale: 'logarithmic' },
    text: 'Rate at which stress beyond the yield stress relaxes, one over the relaxation time; with the default at once.',
    acts: [...SOLID, 'melt'],
    subject: ['Plasticity'],
    byRegion: true,
  },
  plasticLimit: {
    unit: '1',
    atLeast: 0,
    atMost: LARGEST,
    default: LARGEST,
    slider: { from: 0, to: 5, scale: 'linear' },
    text: 'Plastic strain, accumulated, at which it stops flowing and is elastic again.',
    acts: [...SOLID, 'melt'],
    subject: ['Plasticity'],
    byRegion: true,
  },
  plasticVolume: {
    unit: '1',
    atLeast: 0,
    atMost: 1,
    default: 0,
    slider: { from: 0, to: 1, scale: 'linear' },
    text: 'Share of the change of volume that flows as shear does: 0 for metals and clay, 1 for what can be crushed.',
    acts: [...SOLID, 'melt'],
    subject: ['Plasticity'],
    rows: ['BODY'],
  },
  tensileStrength: {
    unit: 'Pa',
    above: 0,
    atMost: NEVER,
    default: NEVER,
    slider: { from: 1e3, to: 1e9, scale: 'logarithmic' },
    text: 'Largest principal stress that it bears before it breaks; with the default it never does.',
    curve: { text: 'Factor of the tensile strength of a solid.', least: 'zero' },
    acts: ['solid'],
    subject: ['Fracture'],
    byRegion: true,
  },
  fractureEnergy: {
    unit: 'J/m2',
    atLeast: 0,
    atMost: 1e18,
    slider: { from: 1, to: 1e5, scale: 'logarithmic' },
    text: 'Energy that a crack takes by area; it breaks at once when neither this nor toughness is given.',
    acts: ['solid'],
    subject: ['Fracture'],
    byRegion: true,
  },
  toughness: {
    unit: 'Pa sqrt(m)',
    atLeast: 0,
    atMost: 1e18,
    slider: { from: 1e4, to: 1e8, scale: 'logarithmic' },
    text: 'Fracture toughness K_Ic in place of fractureEnergy, which is K_Ic^2 (1 - nu^2) / E.',
    acts: ['solid'],
    subject: ['Fracture'],
    byRegion: true,
  },
  strengthVariation: {
    unit: '1',
    atLeast: 0,
    atMost: 0.9,
    default: 0,
    slider: { from: 0, to: 0.5, scale: 'linear' },
    text: 'How far tensileStrength of a particle may be from that of the material, drawn with the seed: 0.1 is up to 10 % more or less.',
    acts: ['solid'],
    subject: ['Fracture'],
    byRegion: true,
  },
  failureStrain: {
    unit: '1',
    above: 0,
    atMost: LARGEST,
    default: LARGEST,
    slider: { from: 0.01, to: 5, scale: 'logarithmic' },
    text: 'Plastic strain at which no strength is left; before that it falls in proportion. With the default it stays.',
    acts: ['solid'],
    subject: ['Fracture'],
    byRegion: true,
  },
  friction: {
    unit: '1',
    atLeast: 0,
    atMost: LARGEST,
    default: 0.5,
    slider: { from: 0, to: 1.5, scale: 'linear' },
    text: 'Coulomb friction coefficient.',
    acts: [...SOLID, 'rigid', 'melt'],
    subject: ['Contact'],
    rows: ['BODY'],
  },
  restitution: {
    unit: '1',
    atLeast: 0,
    atMost: 1,
    slider: { from: 0, to: 1, scale: 'linear' },
    text: 'Coefficient of restitution: the share of the approach speed that a bounce gives back. When left out, solids give back what their elasticity does, and rigid bodies nothing.',
    acts: [...SOLID, 'rigid'],
    subject: ['Contact'],
    rows: ['BODY'],
  },
  viscosity: {
    unit: 'Pa s',
    atLeast: 0,
    atMost: LARGEST,
    slider: { from: 1e-4, to: 1e3, scale: 'logarithmic' },
    text: 'Dynamic viscosity: water 0.001, olive oil 0.08, honey 10. When left out, liquids have 0.001 and solids none. It brakes all change of shape of a solid; that of one with a meltingPoint is of its liquid alone, unless its neighbours are renewed.',
    acts: [...SOLID, ...FLUID],
    subject: ['Elasticity', 'Liquid'],
    curve: { text: 'Factor of the viscosity of a liquid.' },
  },
  surfaceTension: {
    unit: 'N/m',
    atLeast: 0,
    atMost: LARGEST,
    default: 0,
    slider: { from: 0, to: 1, scale: 'linear' },
    text: 'Surface tension of a liquid; water has 0.0728.',
    acts: FLUID,
    subject: ['Liquid'],
    curve: {
      text: 'Factor of the surface tension of a liquid; where it differs along a surface, that flows to where it is larger.',
      least: 'zero',
    },
  },
  cohesion: {
    unit: 'Pa',
    atLeast: 0,
    atMost: LARGEST,
    default: 0,
    slider: { from: 0, to: 1e4, scale: 'linear' },
    text: 'Pull that a liquid bears before it comes apart: a jet that falls gets thinner instead of parting into discs; next to nothing beside surfaceTension, whose surface lacks density. With wcsph the pressure by which it holds together at rest density. Not for elastic ones.',
    acts: FLUID,
    subject: ['Liquid'],
    rows: ['LIQUID'],
    curve: { text: 'Factor of the cohesion of a liquid.', least: 'zero' },
  },
  thermalConductivity: {
    unit: 'W/(m K)',
    atLeast: 0,
    atMost: LARGEST,
    default: 0,
    slider: { from: 0.01, to: 400, scale: 'logarithmic' },
    text: 'How well it conducts heat; 0 keeps heat where it is.',
    acts: ALL,
    subject: ['Heat'],
    byRegion: true,
  },
  heatCapacity: {
    unit: 'J/(kg K)',
    above: 0,
    atMost: LARGEST,
    default: 1000,
    slider: { from: 100, to: 5000, scale: 'logarithmic' },
    text: 'Heat that warms a kilogram by a kelvin.',
    acts: ALL,
    subject: ['Heat'],
    byRegion: true,
  },
  latentHeat: {
    unit: 'J/kg',
    atLeast: 0,
    atMost: LARGEST,
    default: 0,
    slider: { from: 0, to: 5e5, scale: 'linear' },
    text: 'Heat that melts a kilogram, on top of what warms it; ice takes 334000.',
    acts: ALL,
    subject: ['Heat'],
    byRegion: true,
  },
  meltingPoint: {
    unit: 'degrees C',
    atLeast: COLDEST,
    atMost: 1e6,
    slider: { from: -50, to: 2000, scale: 'linear' },
    text: 'Temperature at which it melts and freezes; neither when left out.',
    acts: ALL,
    subject: ['Heat'],
    byRegion: true,
  },
  meltingRange: {
    unit: 'K',
    atLeast: 0,
    atMost: 1e6,
    default: 0,
    slider: { from: 0, to: 100, scale: 'linear' },
    text: 'Width of the range around meltingPoint in which it is partly liquid.',
    acts: ALL,
    subject: ['Heat'],
    byRegion: true,
  },
  liquidConductivity: {
    unit: 'W/(m K)',
    atLeast: 0,
    atMost: LARGEST,
    slider: { from: 0.01, to: 400, scale: 'logarithmic' },
    text: 'thermalConductivity when it is liquid; the same when left out.',
    acts: ALL,
    subject: ['Heat'],
    byRegion: true,
  },
  liquidHeatCapacity: {
    unit: 'J/(kg K)',
    above: 0,
    atMost: LARGEST,
    slider: { from: 100, to: 5000, scale: 'logarithmic' },
    text: 'heatCapacity when it is liquid; the same when left out.',
    acts: ALL,
    subject: ['Heat'],
    byRegion: true,
  },
} as const satisfies Record<string, MaterialDeclaration>;

type Parameters = typeof materialParameters;
/** Name of a parameter. */
export type MaterialNumber = keyof Parameters;
type Keys<Field extends string, Value = unknown> = {
  [K in MaterialNumber]: Parameters[K] extends Readonly<Record<Field, Value>> ? K : never;
}[MaterialNumber];

/** The numbers of a material; those that have no default may be left out. */
export type MaterialNumbers = { readonly [K in Keys<'default'>]: number } & {
  readonly [K in Exclude<MaterialNumber, Keys<'default'>>]?: number;
};
/** Those that may differ by region, and those that may depend on the temperature. */
export type RegionalNumber = Keys<'byRegion', true>;
export type CurvedNumber = Keys<'curve'>;

/** Declarations by name, as those see them that read all of them. */
export const materialDeclarations = Object.entries(materialParameters) as [MaterialNumber, MaterialDeclaration][];
