export interface IsotropicMaterial {
  /** [kg/m3] */
  readonly density: number;
  /** [Pa] */
  readonly youngsModulus: number;
  /** [1] */
  readonly poissonsRatio: number;
  /** Share of the bulk response carried by the determinant term [1]. */
  readonly volumeStiffness: number;
  /** Damping ratio of the slowest longitudinal wave [1]. */
  readonly damping: number;
}

/** Constants of the energy density 1/2 lambda tr(E)^2 + mu E:E + 1/2 k_v (det J - 1)^2, all [Pa]. */
export interface EnergyConstants {
  readonly lambda: number;
  readonly mu: number;
  readonly volumeStiffness: number;
}

/** Small strains see lambda + k_v, so Young's modulus and Poisson's ratio hold for every share. */
export function bulkConstants(material: IsotropicMaterial): EnergyConstants {
  const { youngsModulus: e, poissonsRatio: nu } = material;
  const lambda = (e * nu) / ((1 + nu) * (1 - 2 * nu));
  const mu = e / (2 * (1 + nu));
  const volumeStiffness = material.volumeStiffness * (lambda + (2 / 3) * mu);
  return { lambda: lambda - volumeStiffness, mu, volumeStiffness };
}

/** A sheet has free faces: plane stress, and no determinant. */
export function sheetConstants(material: IsotropicMaterial): EnergyConstants {
  const { lambda, mu, volumeStiffness } = bulkConstants(material);
  const whole = lambda + volumeStiffness;
  return { lambda: (2 * whole * mu) / (whole + 2 * mu), mu, volumeStiffness: 0 };
}

/** A string has free sides all around: the stress along it is Young's modulus times the strain. */
export function stringConstants(material: IsotropicMaterial): EnergyConstants {
  const { mu } = bulkConstants(material);
  return { lambda: material.youngsModulus - 2 * mu, mu, volumeStiffness: 0 };
}

/**
 * Time constant tau of S = lambda tr(E) I + 2 mu (E + tau dE/dt) from the damping ratio of the wave of
 * frequency pi c / L [s]. A bar that stretches and thins by nu dissipates 2 mu tau (1 + 2 nu^2) times the
 * squared rate of stretch, where the damping ratio of a bar asks for E times the first factor below.
 */
export function viscousTime(material: IsotropicMaterial, longestSide: number): number {
  const { density, youngsModulus: e, poissonsRatio: nu } = material;
  const forYoungsModulus = (2 * material.damping * longestSide) / (Math.PI * Math.sqrt(e / density));
  return (forYoungsModulus * (1 + nu)) / (1 + 2 * nu * nu);
}
