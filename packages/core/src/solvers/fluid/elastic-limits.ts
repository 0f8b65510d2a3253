import { OptionError } from '../../options/errors.js';
import type { Material, SolidSolverOptions, SolverOptions } from '../../options/types.js';
import { PULL } from '../../particles/elastic-layout.js';
import { elasticConstants, mayFlow, viscousTime } from '../material.js';
import { largestFactor, lightestOf, SHORTEST } from './limits.js';

/** Highest frequency of a lattice, in speeds of its waves per spacing [1]: 2.5 to 3 were found. */
const LATTICE = 3;
/** Deformation may shorten steps by this [1]. */
const MARGIN = 4;

/** lambda, mu and the stiffness of the determinant term [Pa]. */
export function liquidConstants(material: Material, flows = mayFlow(material)): readonly [number, number, number] {
  const { lambda, mu, volumeStiffness } = elasticConstants(material);
  if (!flows) return [lambda, mu, volumeStiffness];
  // The volume of what flows is the pressure's affair, unless it is pulled apart: see assembly/fluid/elastic-stress.ts.
  return material.model === 'neoHookean' ? [0, mu, mu / 3] : [-(2 / 3) * mu, mu, 0];
}

/** Squared speed of its waves [m2/s2], and share of their modulus that is damped [1]. */
export interface Waves {
  readonly speed2: number;
  readonly share: number;
}

/** What flows is stiffer while it is pulled apart. */
export function wavesOf(constants: ArrayLike<number>, density: number, flows: boolean): Waves {
  const [lambda, mu, k] = [constants[0]!, constants[1]!, constants[2]!];
  const modulus = lambda + 2 * mu + k + (flows ? PULL * mu : 0);
  return { speed2: modulus / density, share: (2 * mu) / modulus };
}

/** How its viscous stress 2 mu tau dE/dt comes and goes: tau and the time in which it relaxes [s]. */
export interface Damping {
  readonly time: number;
  readonly relaxation: number;
}

/** The slowest wave goes this part of a radian in the time in which viscous stress relaxes [1]. */
const SLOW = 0.1;

/**
 * The slowest wave has the damping ratio that the material asks for; its spring makes it faster, by SLOW times that
 * ratio. A time of 0.2 would make steps a fifth longer, and the slowest wave faster by twice as much.
 */
export function liquidDamping(material: Material, longestSide: number): Damping {
  const { damping, youngsModulus, density } = material;
  if (damping === 0) return { time: 0, relaxation: 0 };
  const relaxation = (SLOW * longestSide * Math.sqrt(density / youngsModulus)) / Math.PI;
  return { time: (1 + SLOW * SLOW) * viscousTime(material, longestSide), relaxation };
}

/** Highest frequency of a lattice that is damped [1/s]; as in assembly/fluid/elastic-stress.ts. */
export function latticeFrequency({ speed2, share }: Waves, spacing: number, damping: Damping): number {
  const frequency = (LATTICE * Math.sqrt(speed2)) / spacing;
  if (damping.time === 0) return frequency;
  const ratio = 0.5 * damping.time * share * frequency;
  const spring = (share * damping.time) / damping.relaxation;
  return frequency * Math.min(Math.sqrt(1 + ratio * ratio) + ratio, Math.sqrt(1 + spring));
}

/** A liquid that is elastic, as the limits see it. */
export interface StiffLiquid {
  readonly name: string;
  readonly material: Material;
  readonly longestSide: number;
}

/** Are elastic steps implicit? */
export function isImplicit({ integrator }: SolidSolverOptions): boolean {
  return integrator === 'implicit' || integrator === 'midpoint';
}

/** Least strain at which what is stiff may begin to flow in implicit steps [1]: float32 positions tell no smaller ones. */
const LEAST_YIELD_STRAIN = 1e-6;

/** Refuses what would take steps that are too short, or would flow at strains that cannot be told. */
export function refuseStiff(
  liquids: readonly StiffLiquid[],
  spacing: number,
  { safety, solid }: Pick<SolverOptions, 'safety' | 'solid'>,
): void {
  for (const { name, material, longestSide } of liquids) {
    const { byTemperature, youngsModulus, poissonsRatio, damping, yieldStress } = material;
    const isTold = !mayFlow(material) || yieldStress >= LEAST_YIELD_STRAIN * youngsModulus;
    if (!material.elastic || (isImplicit(solid) && isTold)) continue;
    const density = lightestOf(material);
    const stiffening = largestFactor(byTemperature?.youngsModulus);
    const waves = wavesOf(
      liquidConstants(material).map((constant) => stiffening * constant),
      density,
      mayFlow(material),
    );
    const step = (2 * safety) / latticeFrequency(waves, spacing, liquidDamping(material, longestSide));
    if (step >= MARGIN * SHORTEST) continue;
    if (isImplicit(solid)) {
      const strain = (yieldStress / youngsModulus).toPrecision(2);
      const message =
        `flows at a strain of ${strain}, and what is as stiff must stand strains of ${LEAST_YIELD_STRAIN}, the least that ` +
        `float32 positions tell: raise yieldStress, lower youngsModulus, or make it a liquid without elasticity; got youngsModulus ${youngsModulus}, yieldStress ${yieldStress}`;
      throw new OptionError([{ path: `${name}.material`, message }]);
    }
    const speed = Math.sqrt(waves.speed2).toPrecision(3);
    const damped = damping > 0 ? ` and damping ${damping}` : '';
    const message =
      `makes waves of ${speed} m/s, which need steps of ${step.toPrecision(2)} s at a spacing of ${Number(spacing.toPrecision(6))} m; ` +
      `steps must be >= ${MARGIN * SHORTEST} s: lower youngsModulus${damping > 0 ? ' or damping' : ''}, ` +
      `raise density or spacing, or take implicit steps (solver.solid.integrator); got youngsModulus ${youngsModulus}, poissonsRatio ${poissonsRatio}, density ${material.density}${damped}`;
    throw new OptionError([{ path: `${name}.material`, message }]);
  }
}
