import { bulkConstants, type IsotropicMaterial } from './constants.js';
import { eigenSymmetric } from './moments.js';

/**
 * The material laws once more, in plain double precision: energy per volume W, first Piola-Kirchhoff stress
 * P = dW/dJ and its change dP along a change of the gradient. Matrices are nine numbers by rows; J = I + G
 * is the deformation gradient, E = (J^T J - I) / 2 the Green strain, cof J = dJ det(J).
 *
 *   St. Venant-Kirchhoff  lambda tr(E)^2 / 2 + mu E : E + k (det J - 1)^2 / 2                 [M04] eq. 3-7
 *   orthotropic           E' : C : E' / 2 + k (det J - 1)^2 / 2,  E' = A^T E A                [K06] 5.9.1
 *   neo-Hookean           mu (tr(J^T J) - 3) / 2 - mu (det J - 1) + k (det J - 1)^2 / 2
 *   corotational          mu |J - R|^2 + lambda tr(R^T J - I)^2 / 2 + k (det J - 1)^2 / 2,  J = R S
 */

/** Nine numbers by rows. */
export type Matrix = readonly number[];

/** Stiffness along three perpendicular axes of a material. */
export interface OrthotropicConstants {
  /** Along x, y and z of the material [Pa]. */
  readonly youngsModuli: readonly [number, number, number];
  /** In the planes yz, xz and xy [Pa]. */
  readonly shearModuli: readonly [number, number, number];
  /** yz, xz and xy: ij is the contraction along j under tension along i [1]. */
  readonly poissonsRatios: readonly [number, number, number];
  /** From the material's axes to those of the body. */
  readonly axes: Matrix;
}

export interface LawOptions extends Pick<IsotropicMaterial, 'youngsModulus' | 'poissonsRatio' | 'volumeStiffness'> {
  readonly model: 'stVenantKirchhoff' | 'neoHookean' | 'corotational';
  /** Replaces `youngsModulus` and `poissonsRatio`. */
  readonly orthotropic?: OrthotropicConstants | undefined;
}

/** A law with its constants in place. */
export interface MaterialLaw {
  /** W(G) [J/m3]. */
  energy(g: Matrix): number;
  /** P(G) [Pa]. */
  stress(g: Matrix): number[];
  /** dP at G along d [Pa]. */
  stressChange(g: Matrix, d: Matrix): number[];
}

/** The law of a material. */
export function materialLaw(options: LawOptions): MaterialLaw {
  if (options.orthotropic) return greenLaw(orthotropicHooke(options.orthotropic, options.volumeStiffness));
  const constants = bulkConstants({ ...options, density: 1, damping: 0 });
  if (options.model === 'neoHookean') return neoHookean(options);
  if (options.model === 'corotational') return corotational(constants);
  const { lambda, mu, volumeStiffness } = constants;
  const hooke = (e: Matrix) => add(scale(2 * mu, e), scale(lambda * trace(e), IDENTITY));
  return greenLaw({ hooke, volumeStiffness });
}

/** The rotation R that maximises tr(R^T J): the polar one, and for a J that reflects the nearest proper one. */
function rotationOf(j: Matrix): number[] {
  const { values, vectors } = eigenSymmetric(Float64Array.from(multiply(transpose(j), j)));
  const smallest = values.indexOf(Math.min(...values));
  const inverse = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let k = 0; k < 3; k++) {
    const sign = k === smallest && determinant(j) < 0 ? -1 : 1;
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) {
        inverse[3 * a + b]! += (sign / Math.sqrt(values[k]!)) * vectors[3 * a + k]! * vectors[3 * b + k]!;
      }
    }
  }
  return multiply(j, inverse);
}

interface Hooke {
  /** Second Piola-Kirchhoff stress of a Green strain, a linear map. */
  readonly hooke: (e: Matrix) => number[];
  readonly volumeStiffness: number;
}

/** Energy quadratic in the Green strain, and the determinant term. */
function greenLaw({ hooke, volumeStiffness }: Hooke): MaterialLaw {
  const strain = (g: Matrix) => scale(0.5, add(add(g, transpose(g)), multiply(transpose(g), g)));
  return withDeterminant(volumeStiffness, {
    energy: (g) => 0.5 * inner(hooke(strain(g)), strain(g)),
    stress: (g) => multiply(add(IDENTITY, g), hooke(strain(g))),
    stressChange: (g, d) => {
      const j = add(IDENTITY, g);
      const strainChange = symmetric(multiply(transpose(j), d));
      return add(multiply(d, hooke(strain(g))), multiply(j, hooke(strainChange)));
    },
  });
}

/** The compliance of Hooke's law with three planes of symmetry, inverted; small strains see it whatever the share. */
function orthotropicHooke(constants: OrthotropicConstants, share: number): Hooke {
  const { youngsModuli: e, shearModuli, poissonsRatios: nu, axes } = constants;
  const [yz, xz, xy] = [-nu[0] / e[1], -nu[1] / e[0], -nu[2] / e[0]];
  const compliance = [1 / e[0], xy, xz, xy, 1 / e[1], yz, xz, yz, 1 / e[2]];
  const normal = scale(1 / determinant(compliance), transpose(cofactor(compliance)));
  // Pressure over the loss of volume that it makes.
  const volumeStiffness = share / compliance.reduce((sum, s) => sum + s, 0);
  const hooke = (strain: Matrix) => {
    const m = multiply(transpose(axes), multiply(strain, axes));
    const diagonal = [m[0]!, m[4]!, m[8]!];
    const s = [0, 1, 2].map((a) =>
      diagonal.reduce((sum, value, b) => sum + (normal[3 * a + b]! - volumeStiffness) * value, 0),
    );
    const [sYZ, sXZ, sXY] = [2 * shearModuli[0] * m[5]!, 2 * shearModuli[1] * m[2]!, 2 * shearModuli[2] * m[1]!];
    const inAxes = [s[0]!, sXY, sXZ, sXY, s[1]!, sYZ, sXZ, sYZ, s[2]!];
    return multiply(axes, multiply(inAxes, transpose(axes)));
  };
  return { hooke, volumeStiffness };
}

/** Its determinant terms act like Lamé's constant k - mu for small strains, so k = lambda + mu. */
function neoHookean({ youngsModulus: e, poissonsRatio: nu }: LawOptions): MaterialLaw {
  const mu = e / (2 * (1 + nu));
  const lambda = (e * nu) / ((1 + nu) * (1 - 2 * nu));
  return withDeterminant(lambda + mu, {
    energy: (g) => {
      const j = add(IDENTITY, g);
      return 0.5 * mu * (inner(j, j) - 3) - mu * (determinant(j) - 1);
    },
    stress: (g) => {
      const j = add(IDENTITY, g);
      return scale(mu, add(j, scale(-1, cofactor(j))));
    },
    stressChange: (g, d) => scale(mu, add(d, scale(-1, cofactorChange(add(IDENTITY, g), d)))),
  });
}

function corotational(constants: { lambda: number; mu: number; volumeStiffness: number }): MaterialLaw {
  const { lambda, mu } = constants;
  return withDeterminant(constants.volumeStiffness, {
    energy: (g) => {
      const j = add(IDENTITY, g);
      const r = rotationOf(j);
      const away = add(j, scale(-1, r));
      return mu * inner(away, away) + 0.5 * lambda * inner(r, away) ** 2;
    },
    stress: (g) => {
      const j = add(IDENTITY, g);
      const r = rotationOf(j);
      const away = add(j, scale(-1, r));
      return add(scale(2 * mu, away), scale(lambda * inner(r, away), r));
    },
    stressChange: (g, d) => {
      const j = add(IDENTITY, g);
      const r = rotationOf(j);
      const s = multiply(transpose(r), j);
      // dR = R [w] with (tr(S) I - S) w the axial vector of R^T dJ - (R^T dJ)^T.
      const a = multiply(transpose(r), d);
      const axial = [a[7]! - a[5]!, a[2]! - a[6]!, a[3]! - a[1]!];
      const h = add(scale(trace(s), IDENTITY), scale(-1, s));
      const inverse = scale(1 / determinant(h), transpose(cofactor(h)));
      const w = [0, 1, 2].map((k) => axial.reduce((sum, x, b) => sum + inverse[3 * k + b]! * x, 0));
      const turn = multiply(r, [0, -w[2]!, w[1]!, w[2]!, 0, -w[0]!, -w[1]!, w[0]!, 0]);
      const stretched = scale(lambda * inner(r, d), r);
      return add(add(scale(2 * mu, add(d, scale(-1, turn))), stretched), scale(lambda * (trace(s) - 3), turn));
    },
  });
}

/** Adds k (det J - 1)^2 / 2, [M04] eq. 7. */
function withDeterminant(k: number, law: MaterialLaw): MaterialLaw {
  return {
    energy: (g) => law.energy(g) + 0.5 * k * (determinant(add(IDENTITY, g)) - 1) ** 2,
    stress: (g) => {
      const j = add(IDENTITY, g);
      return add(law.stress(g), scale(k * (determinant(j) - 1), cofactor(j)));
    },
    stressChange: (g, d) => {
      const j = add(IDENTITY, g);
      const c = cofactor(j);
      const own = add(scale(k * inner(c, d), c), scale(k * (determinant(j) - 1), cofactorChange(j, d)));
      return add(law.stressChange(g, d), own);
    },
  };
}

const IDENTITY: Matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1];

function add(a: Matrix, b: Matrix): number[] {
  return a.map((x, k) => x + b[k]!);
}

function scale(s: number, a: Matrix): number[] {
  return a.map((x) => s * x);
}

function inner(a: Matrix, b: Matrix): number {
  return a.reduce((sum, x, k) => sum + x * b[k]!, 0);
}

function trace(a: Matrix): number {
  return a[0]! + a[4]! + a[8]!;
}

function transpose(a: Matrix): number[] {
  return a.map((_, k) => a[3 * (k % 3) + Math.floor(k / 3)]!);
}

function symmetric(a: Matrix): number[] {
  return scale(0.5, add(a, transpose(a)));
}

function multiply(a: Matrix, b: Matrix): number[] {
  return a.map((_, k) => {
    const row = 3 * Math.floor(k / 3);
    const column = k % 3;
    return a[row]! * b[column]! + a[row + 1]! * b[3 + column]! + a[row + 2]! * b[6 + column]!;
  });
}

/** Minors of the rows and columns that follow, cyclically: the mixed product of `a` and `b`, halved when they are one. */
function mixedCofactor(a: Matrix, b: Matrix): number[] {
  return a.map((_, k) => {
    const [r, c] = [Math.floor(k / 3), k % 3];
    const [p, q, s, t] = [3 * ((r + 1) % 3), 3 * ((r + 2) % 3), (c + 1) % 3, (c + 2) % 3];
    return a[p + s]! * b[q + t]! - a[p + t]! * b[q + s]! + (b[p + s]! * a[q + t]! - b[p + t]! * a[q + s]!);
  });
}

function cofactor(a: Matrix): number[] {
  return scale(0.5, mixedCofactor(a, a));
}

/** Change of the cofactor of j along d; the cofactor is quadratic. */
function cofactorChange(j: Matrix, d: Matrix): number[] {
  return mixedCofactor(j, d);
}

function determinant(a: Matrix): number {
  return inner(a, cofactor(a)) / 3;
}
