import { determinant, type Matrix3, rotationFromDegrees } from '../../math/matrix3.js';
import type { Material, Orthotropic, Vec3 } from '../../options/types.js';
import { BODY_PARAMETERS } from '../../particles/array-places.js';
import { type BodyRange, isRenewed } from '../../particles/body-range.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import { reboundDamping } from '../contact/restitution.js';
import { elasticConstants, MODELS, shearModulus, viscousTime, writeParameters } from '../material.js';

/** The 3x3 stiffness of normal strains of an orthotropic material, the inverse of its compliance [Pa]. */
function normalStiffness({ youngsModuli: [ex, ey, ez], poissonsRatios: [yz, xz, xy] }: Orthotropic): Matrix3 {
  const [a, b, c] = [-xy / ex, -xz / ex, -yz / ey];
  const s: Matrix3 = [1 / ex, a, b, a, 1 / ey, c, b, c, 1 / ez];
  const d = determinant(s);
  const cofactor = (p: number, q: number, r: number, t: number) => (s[p]! * s[q]! - s[r]! * s[t]!) / d;
  const [xxyy, xxzz, yyzz] = [cofactor(2, 5, 1, 8), cofactor(1, 5, 2, 4), cofactor(1, 2, 0, 5)];
  return [cofactor(4, 8, 5, 5), xxyy, xxzz, xxyy, cofactor(0, 8, 2, 2), yyzz, xxzz, yyzz, cofactor(0, 4, 1, 1)];
}

/** One over the sum of the compliances: the pressure of a unit loss of volume under equal pressure from all sides. */
function bulkModulus({ youngsModuli: [ex, ey, ez], poissonsRatios: [yz, xz, xy] }: Orthotropic): number {
  return 1 / (1 / ex + 1 / ey + 1 / ez - 2 * (xy / ex + xz / ex + yz / ey));
}

/** An isotropic material of the same mean stiffness: sheets and strings have no law for three axes. */
function meanIsotropic({ youngsModuli, poissonsRatios }: Orthotropic, { orthotropic: _, ...rest }: Material): Material {
  const [a, b, c] = youngsModuli;
  const mean = poissonsRatios.reduce((sum, nu) => sum + nu, 0) / 3;
  return { ...rest, youngsModulus: Math.cbrt(a * b * c), poissonsRatio: Math.max(-0.9, Math.min(0.49, mean)) };
}

/** lambda, mu and k of one particle, whose neighbours span `rank` directions. */
function particleConstants(material: Material, rank: number): Vec3 {
  if (material.orthotropic && rank < 3) return particleConstants(meanIsotropic(material.orthotropic, material), rank);
  if (material.orthotropic) {
    // The law itself is in the body table; here is what bounds it.
    const stiffness = normalStiffness(material.orthotropic);
    const volumeStiffness = material.volumeStiffness * bulkModulus(material.orthotropic);
    const mu = shearModulus(material);
    const largest = Math.max(
      ...[0, 3, 6].map(
        (row) => Math.abs(stiffness[row]!) + Math.abs(stiffness[row + 1]!) + Math.abs(stiffness[row + 2]!),
      ),
      ...material.orthotropic.shearModuli.map((g) => 2 * g),
    );
    return [largest - 2 * mu - volumeStiffness, mu, volumeStiffness];
  }
  const { lambda, mu, volumeStiffness } = elasticConstants(material);
  if (rank === 3) return [lambda, mu, volumeStiffness];
  // A sheet has free faces: plane stress. A string has free sides: Young's modulus along it. Neither has a
  // determinant to speak of.
  const whole = lambda + volumeStiffness;
  if (rank === 2) return [(2 * whole * mu) / (whole + 2 * mu), mu, 0];
  return [material.youngsModulus - 2 * mu, mu, 0];
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
  materials: readonly Material[],
  longestSide: number,
  plastic: boolean,
): number {
  const elastic = store.vectors(layout.ELASTIC);
  const deficient = store.integers(layout.DEFICIENT_OF, store.count);
  const known = new Map<Material, Vec3[]>();
  let largest = 0;
  for (let i = range.begin; i < range.end; i++) {
    const number = deficient[i]!;
    const rank = number === 0 ? 3 : store.floats(layout.PROJECTIONS, 12 * number)[12 * (number - 1) + 3]!;
    const own = materials[i - range.begin]!;
    let constants = known.get(own);
    if (!constants) {
      constants = [0, 1, 2, 3].map((r) => particleConstants(own, r));
      known.set(own, constants);
    }
    const [lambda, mu, volumeStiffness] = constants[rank]!;
    elastic[4 * i] = lambda;
    elastic[4 * i + 1] = mu;
    elastic[4 * i + 2] = volumeStiffness;
    largest = Math.max(largest, lambda + 2 * mu + volumeStiffness);
  }
  const floats = store.bodyFloats(body);
  const integers = store.bodyIntegers(body);
  if (plastic) {
    const laws = store.vectors(layout.PLASTIC_LAW);
    for (const [k, { yieldStress, hardening, creepRate, plasticLimit }] of materials.entries()) {
      laws.set([yieldStress, hardening, creepRate, plasticLimit], 4 * (range.begin + k));
    }
  }
  integers[layout.BODY_PLASTIC / 4] = plastic ? 1 : 0;
  integers[layout.BODY_MODEL / 4] = material.orthotropic ? layout.MODEL_ORTHOTROPIC : MODELS[material.model];
  if (material.orthotropic) {
    const { shearModuli, rotation } = material.orthotropic;
    const stiffness = normalStiffness(material.orthotropic);
    const share = material.volumeStiffness * bulkModulus(material.orthotropic);
    const axes = rotationFromDegrees(rotation);
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) {
        floats[layout.BODY_STIFFNESS / 4 + 4 * r + c] = stiffness[3 * r + c]! - share;
        floats[layout.BODY_AXES / 4 + 4 * r + c] = axes[3 * r + c]!;
      }
      floats[layout.BODY_STIFFNESS / 4 + 4 * r + 3] = 2 * shearModuli[r]!;
    }
  }
  // Damping of viscoplastic bodies is viscosity of all change of shape, see solidViscosity.
  const tau = isRenewed(store, body) ? 0 : viscousTime(material, longestSide);
  floats[layout.BODY_VISCOUS_TIME / 4] = tau;
  integers[layout.BODY_VISCOUS / 4] = tau > 0 ? 1 : 0;
  floats[layout.BODY_BOND_MODULUS / 4] = 2 * shearModulus(material);
  writeParameters(floats, BODY_PARAMETERS, material);
  const rebounds = material.restitution !== undefined && integers[layout.BODY_BREAKS / 4] === 0;
  floats[layout.BODY_REBOUND_DAMPING / 4] = rebounds ? reboundDamping(material.restitution!) : 0;
  return largest;
}
