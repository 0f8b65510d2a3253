/** What all solvers ask of materials. */

import type { Vec3 } from '../math/matrix3.js';
import { checkedField } from '../options/field-values.js';
import { type MaterialNumber, materialParameters, NEVER } from '../options/material-parameters.js';
import type { Matter } from '../options/phase.js';
import type { FieldNumber, Material, MaterialRegion, RegionalChange } from '../options/types.js';
import type { Frame } from '../particles/frame.js';
import * as layout from '../particles/layout.js';
import { particlesIn, placeAtRest } from './constraints/constraints.js';

export interface ElasticConstants {
  /** Lamé's first constant, less what the determinant term carries [Pa]. */
  readonly lambda: number;
  /** Shear modulus [Pa]. */
  readonly mu: number;
  /** Stiffness k of the determinant term k (det J - 1)^2 / 2 [Pa]. */
  readonly volumeStiffness: number;
}

/**
 * Constants of the isotropic laws. For small strains the determinant term acts like a Lamé constant k, so
 * that much is taken from lambda: Young's modulus and Poisson's ratio stay what the user said, whatever
 * the share. The share is one of the bulk modulus, so it also protects a material with nu = 0. The
 * neo-Hookean law has no other term for the volume, and its shear term acts like a Lamé constant -mu.
 */
export function elasticConstants(material: Material): ElasticConstants {
  const { youngsModulus: e, poissonsRatio: nu } = material;
  const lambda = (e * nu) / ((1 + nu) * (1 - 2 * nu));
  const mu = e / (2 * (1 + nu));
  const volumeStiffness =
    material.model === 'neoHookean' ? lambda + mu : material.volumeStiffness * (lambda + (2 / 3) * mu);
  return { lambda: lambda - volumeStiffness, mu, volumeStiffness };
}

/**
 * Time constant tau of the viscous stress 2 mu tau dE/dt [s]: `damping` is the damping ratio of the
 * body's slowest longitudinal wave, of frequency pi c / L with c = sqrt(E / rho) and L the longest side
 * of its box. A bar that stretches and thins by nu dissipates 2 mu tau (1 + 2 nu^2) times the squared
 * rate of stretch, where E tau would give the ratio asked for: hence the last factor.
 */
export function viscousTime(material: Material, longestSide: number): number {
  const { orthotropic } = material;
  const modulus = orthotropic ? Math.max(...orthotropic.youngsModuli) : material.youngsModulus;
  const speed = Math.sqrt(modulus / material.density);
  const { poissonsRatio: nu } = material;
  return (((2 * material.damping * longestSide) / (Math.PI * speed)) * (1 + nu)) / (1 + 2 * nu * nu);
}

/** May a body of some materials break? */
export function mayBreak({ tensileStrength = NEVER }: { readonly tensileStrength?: FieldNumber }): boolean {
  return typeof tensileStrength === 'string' || tensileStrength < NEVER;
}

/** The material of every particle of a body: that of the body, changed in regions. */
export function materialsOf(body: {
  readonly material: Material;
  readonly options: { readonly name?: string; readonly regions: readonly MaterialRegion[] };
  readonly samples: { readonly rest: Float32Array; readonly count: number };
  readonly initial: Frame;
}): Material[] {
  const { material, options, samples, initial } = body;
  const result = new Array<Material>(samples.count).fill(material);
  for (const [r, { region, set }] of options.regions.entries()) {
    const change = changeAt(set, `${options.name ?? 'body'}.regions[${r}].set`);
    // One object for every combination, so that equal materials are the same one.
    const changed = new Map<Material, Map<string, Material>>();
    for (const i of particlesIn(samples.rest, { begin: 0, end: samples.count }, initial, region)) {
      const before = result[i]!;
      const known = changed.get(before) ?? new Map<string, Material>();
      changed.set(before, known);
      const { key, values } = change(() => placeAtRest(samples.rest, i, initial));
      let after = known.get(key);
      if (!after) {
        after = { ...before, ...values } as Material;
        known.set(key, after);
      }
      result[i] = after;
    }
  }
  return result;
}

/** The values of a change at a position, and a text that equal ones have in common. */
function changeAt(set: RegionalChange, path: string) {
  const entries = Object.entries(set) as [MaterialNumber, FieldNumber][];
  const formulas = entries.filter(([, value]) => typeof value === 'string');
  if (formulas.length === 0) return () => ({ key: '', values: set });
  const fields = formulas.map(
    ([key, value]) => [key, checkedField(value, materialParameters[key], `${path}.${key}`)] as const,
  );
  return (positionOf: () => Vec3) => {
    const [x, y, z] = positionOf();
    const given = fields.map(([key, evaluate]) => [key, evaluate(x, y, z, 0)] as const);
    return { key: given.map(([, value]) => value).join(), values: { ...set, ...Object.fromEntries(given) } };
  };
}

/** Equivalent strain at which a material begins to flow [1]. */
export function yieldStrainOf(material: Material): number {
  return material.yieldStress / (3 * shearModulus(material));
}

/** Does a material flow for good at some stress? */
export function mayFlow({ yieldStress = NEVER }: { readonly yieldStress?: FieldNumber }): boolean {
  return typeof yieldStress === 'string' || yieldStress < NEVER;
}

/** Writes parameters of a material into a row that passes read; `offsets` as of BODY_PARAMETERS. */
export function writeParameters(
  row: Float32Array,
  offsets: Partial<Readonly<Record<MaterialNumber, number>>>,
  material: Material,
): void {
  for (const key of Object.keys(offsets) as MaterialNumber[]) row[offsets[key]! / 4] = material[key] ?? 0;
}

/** Shear modulus that the stabilisation and the viscosity of a material go by [Pa]. */
export function shearModulus({ orthotropic, youngsModulus, poissonsRatio }: Material): number {
  if (!orthotropic) return youngsModulus / (2 * (1 + poissonsRatio));
  const [a, b, c] = orthotropic.shearModuli;
  return (a + b + c) / 3;
}

/** Of a liquid of which nothing is said: that of water [Pa s]. */
const WATER = 1e-3;

/** Dynamic viscosity of what is liquid [Pa s]. */
export function liquidViscosity({ viscosity = WATER }: Material): number {
  return viscosity;
}

/**
 * The same of a solid of some material. What melts keeps it for its liquid, as long as it does not flow before; damping of what
 * flows is viscosity.
 */
export function solidViscosity(
  { matter, longestSide }: { readonly matter: Matter; readonly longestSide: number },
  material: Material,
): number {
  const { viscosity = 0 } = material;
  if (matter.isViscoplastic) return viscosity + shearModulus(material) * viscousTime(material, longestSide);
  return matter.isSolid && material.meltingPoint === undefined ? viscosity : 0;
}

export const MODELS = {
  stVenantKirchhoff: layout.MODEL_ST_VENANT_KIRCHHOFF,
  neoHookean: layout.MODEL_NEO_HOOKEAN,
  corotational: layout.MODEL_COROTATIONAL,
} as const;
