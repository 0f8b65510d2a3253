import type { Material } from '../../options/types.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import type { BodyRange } from './neighborhood.js';

export interface ElasticConstants {
  /** Lamé's first constant, less what the determinant term carries [Pa]. */
  readonly lambda: number;
  /** Shear modulus [Pa]. */
  readonly mu: number;
  /** Stiffness k_v of the determinant term, [M04] eq. 7 [Pa]. */
  readonly volumeStiffness: number;
}

/**
 * Constants of the isotropic solid. For small strains the determinant term acts like a Lamé constant
 * k_v, so that much is taken from lambda: Young's modulus and Poisson's ratio stay what the user said,
 * whatever the share. The share is one of the bulk modulus, so it also protects a material with nu = 0.
 */
export function elasticConstants(material: Material): ElasticConstants {
  const { youngsModulus: e, poissonsRatio: nu } = material;
  const lambda = (e * nu) / ((1 + nu) * (1 - 2 * nu));
  const mu = e / (2 * (1 + nu));
  const volumeStiffness = material.volumeStiffness * (lambda + (2 / 3) * mu);
  return { lambda: lambda - volumeStiffness, mu, volumeStiffness };
}

/**
 * Time constant tau of the viscous stress 2 mu tau dE/dt [s]: `damping` is the damping ratio of the
 * body's slowest longitudinal wave, of frequency pi c / L with c = sqrt(E / rho) and L the longest side
 * of its box. A bar that stretches and thins by nu dissipates 2 mu tau (1 + 2 nu^2) times the squared
 * rate of stretch, where E tau would give the ratio asked for: hence the last factor.
 */
export function viscousTime(material: Material, longestSide: number): number {
  const speed = Math.sqrt(material.youngsModulus / material.density);
  const { poissonsRatio: nu } = material;
  return (((2 * material.damping * longestSide) / (Math.PI * speed)) * (1 + nu)) / (1 + 2 * nu * nu);
}

/**
 * Writes a body's material into the particles' elastic constants and the body table. Returns the
 * largest P-wave modulus that a particle has [Pa].
 */
export function writeMaterial(
  store: ParticleStore,
  body: number,
  range: BodyRange,
  material: Material,
  longestSide: number,
): number {
  const { lambda, mu, volumeStiffness } = elasticConstants(material);
  const elastic = store.vectors(layout.ELASTIC);
  const deficient = store.integers(layout.DEFICIENT_OF, store.count);
  // A sheet has free faces: plane stress. A string has free sides: Young's modulus along it. Neither has
  // a determinant to speak of.
  const whole = lambda + volumeStiffness;
  const lambdaOfRank = [
    material.youngsModulus - 2 * mu,
    material.youngsModulus - 2 * mu,
    (2 * whole * mu) / (whole + 2 * mu),
  ];
  let largest = 0;
  for (let i = range.begin; i < range.end; i++) {
    const number = deficient[i]!;
    const rank = number === 0 ? 3 : store.floats(layout.PROJECTIONS, 12 * number)[12 * (number - 1) + 3]!;
    elastic[4 * i] = rank === 3 ? lambda : lambdaOfRank[rank]!;
    elastic[4 * i + 1] = mu;
    elastic[4 * i + 2] = rank === 3 ? volumeStiffness : 0;
    largest = Math.max(largest, elastic[4 * i]! + 2 * mu + elastic[4 * i + 2]!);
  }
  const floats = store.bodyFloats(body);
  const integers = store.bodyIntegers(body);
  const tau = viscousTime(material, longestSide);
  floats[layout.BODY_VISCOUS_TIME / 4] = tau;
  integers[layout.BODY_VISCOUS / 4] = tau > 0 ? 1 : 0;
  floats[layout.BODY_BOND_MODULUS / 4] = 2 * mu;
  floats[layout.BODY_FRICTION / 4] = material.friction;
  floats[layout.BODY_RESTITUTION / 4] = material.restitution;
  return largest;
}
