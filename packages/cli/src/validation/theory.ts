/** Closed forms that results are compared with. SI units. */
import type { Vec3 } from 'phyxel';

export interface Lame {
  readonly lambda: number;
  readonly mu: number;
}

export function lame(youngsModulus: number, poissonsRatio: number): Lame {
  return {
    lambda: (youngsModulus * poissonsRatio) / ((1 + poissonsRatio) * (1 - 2 * poissonsRatio)),
    mu: youngsModulus / (2 * (1 + poissonsRatio)),
  };
}

export interface Beam {
  readonly youngsModulus: number;
  readonly poissonsRatio: number;
  readonly density: number;
  readonly gravity: number;
  readonly length: number;
  /** Side of the square section. */
  readonly thickness: number;
}

/** Tip deflection of a clamped beam under its own weight, Timoshenko with the shear coefficient of Cowper 1966. */
export function timoshenkoDeflection(beam: Beam): number {
  const { youngsModulus: e, poissonsRatio: nu, length: l, thickness: h } = beam;
  const q = beam.density * beam.gravity * h * h;
  const k = (10 * (1 + nu)) / (12 + 11 * nu);
  return (q * l ** 4) / (8 * e * (h ** 4 / 12)) + (q * l ** 2) / (2 * k * lame(e, nu).mu * h * h);
}

/**
 * First angular frequency of a clamped beam with shear and rotary inertia: the root b of the frequency
 * equation of Huang 1961 (clamped-free), b^2 = rho A L^4 omega^2 / (E I), by bisection.
 */
export function timoshenkoFrequency(beam: {
  /** E for a beam, E / (1 - nu^2) for a wide plate. */
  readonly modulus: number;
  readonly shearModulus: number;
  readonly shearCoefficient: number;
  readonly density: number;
  readonly length: number;
  readonly thickness: number;
}): number {
  const { modulus, shearModulus, shearCoefficient, density, length, thickness } = beam;
  const r2 = thickness ** 2 / 12 / length ** 2;
  const s2 = (r2 * modulus) / (shearCoefficient * shearModulus);
  const residual = (b: number) => {
    const root = Math.sqrt((r2 - s2) ** 2 + 4 / b ** 2);
    const alpha = b * Math.sqrt((root - r2 - s2) / 2);
    const beta = b * Math.sqrt((root + r2 + s2) / 2);
    return (
      2 +
      (b ** 2 * (r2 - s2) ** 2 + 2) * Math.cosh(alpha) * Math.cos(beta) -
      ((b * (r2 + s2)) / Math.sqrt(1 - b ** 2 * r2 * s2)) * Math.sinh(alpha) * Math.sin(beta)
    );
  };
  const b = bisect(residual, 1, 3.6);
  return b * Math.sqrt((modulus * thickness ** 2) / (12 * density * length ** 4));
}

/** First angular frequency of a clamped strip in thin-plate theory: bending in one direction, none in the other. */
export function thinPlateFrequency(strip: {
  readonly youngsModulus: number;
  readonly poissonsRatio: number;
  readonly density: number;
  readonly length: number;
  readonly thickness: number;
}): number {
  const { youngsModulus, poissonsRatio, density, length, thickness } = strip;
  return (
    (1.8751041 / length) ** 2 * Math.sqrt((youngsModulus * thickness ** 2) / (12 * density * (1 - poissonsRatio ** 2)))
  );
}

/** Torsion constant over the fourth power of the side of a square bar, Saint-Venant's series. */
export function squareTorsionConstant(): number {
  let sum = 0;
  for (let n = 1; n < 40; n += 2) sum += Math.tanh((n * Math.PI) / 2) / n ** 5;
  return 1 / 3 - (64 / Math.PI ** 5) * sum;
}

/**
 * A neo-Hookean bar pulled to a stretch: lateral stretch, force per area at rest and energy per volume of
 * psi = mu/2 (I - 3) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2, with the lateral faces free.
 */
export function uniaxialNeoHookean({ lambda, mu }: Lame, stretch: number) {
  const lateral = Math.sqrt((1 + (mu * (stretch - 1)) / ((lambda + mu) * stretch)) / stretch);
  const j = stretch * lateral ** 2;
  const force = mu * stretch - mu * lateral ** 2 + (lambda + mu) * (j - 1) * lateral ** 2;
  const energy = (mu / 2) * (stretch ** 2 + 2 * lateral ** 2 - 3) - mu * (j - 1) + ((lambda + mu) / 2) * (j - 1) ** 2;
  return { lateral, force, energy };
}

/**
 * Stresses beside a circular hole in a wide plate under unit tension along x (Kirsch 1898), at a radius in
 * units of the hole's and an angle from x; von Mises in plane strain.
 */
export function kirsch(radius: number, angle: number, poissonsRatio: number) {
  const a2 = 1 / radius ** 2;
  const a4 = a2 ** 2;
  const [c, s] = [Math.cos(2 * angle), Math.sin(2 * angle)];
  const radial = (1 - a2) / 2 + ((1 - 4 * a2 + 3 * a4) / 2) * c;
  const hoop = (1 + a2) / 2 - ((1 + 3 * a4) / 2) * c;
  const shear = -((1 + 2 * a2 - 3 * a4) / 2) * s;
  const axial = poissonsRatio * (radial + hoop);
  const vonMises = Math.sqrt(((radial - hoop) ** 2 + (hoop - axial) ** 2 + (axial - radial) ** 2) / 2 + 3 * shear ** 2);
  return { radial, hoop, shear, vonMises };
}

/** A liquid between two plates, y from the lower one. */
export interface Channel {
  readonly height: number;
  /** Kinematic viscosity [m2/s]. */
  readonly viscosity: number;
}

/** Speed at a time in plane Poiseuille flow that an acceleration drives from rest: its series. */
export function poiseuille({ height: h, viscosity: nu }: Channel, acceleration: number, y: number, time: number) {
  let speed = (acceleration / (2 * nu)) * y * (h - y);
  for (let n = 1; n < 100; n += 2) {
    const k = (n * Math.PI) / h;
    speed -= ((4 * acceleration) / (nu * h * k ** 3)) * Math.sin(k * y) * Math.exp(-nu * k * k * time);
  }
  return speed;
}

/** Speed at a time in plane Couette flow whose upper plate starts to move: its series. */
export function couette({ height: h, viscosity: nu }: Channel, lid: number, y: number, time: number): number {
  let speed = (lid * y) / h;
  for (let n = 1; n < 200; n++) {
    const k = (n * Math.PI) / h;
    speed += ((2 * lid * (n % 2 === 0 ? 1 : -1)) / (n * Math.PI)) * Math.sin(k * y) * Math.exp(-nu * k * k * time);
  }
  return speed;
}

/** Period of a drop that swings between long and flat: H. Lamb, Hydrodynamics, article 275, n = 2. */
export function dropPeriod(surfaceTension: number, density: number, radius: number): number {
  return 2 * Math.PI * Math.sqrt((density * radius ** 3) / (8 * surfaceTension));
}

/** Deflection of the middle of a wide plate, clamped at both ends of its span, under a pressure. */
export function clampedPlateDeflection(plate: {
  readonly youngsModulus: number;
  readonly poissonsRatio: number;
  readonly span: number;
  readonly thickness: number;
  readonly pressure: number;
}): number {
  const { youngsModulus, poissonsRatio, span, thickness, pressure } = plate;
  const stiffness = (youngsModulus * thickness ** 3) / (12 * (1 - poissonsRatio ** 2));
  return (pressure * span ** 4) / (384 * stiffness);
}

function bisect(f: (x: number) => number, low: number, high: number): number {
  const sign = Math.sign(f(low));
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (Math.sign(f(middle)) === sign) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** erf(x), by the midpoint rule on its integral: good to 1e-7. */
export function errorFunction(x: number): number {
  const end = Math.min(Math.abs(x), 6);
  const pieces = 1000;
  let sum = 0;
  for (let k = 0; k < pieces; k++) {
    const u = ((k + 0.5) / pieces) * end;
    sum += Math.exp(-u * u);
  }
  return (Math.sign(x) * 2 * sum * end) / (pieces * Math.sqrt(Math.PI));
}

/** lambda of a melting front at 2 lambda sqrt(alpha t), one-phase, for a Stefan number c dT / L: by bisection. */
export function stefanNumber(stefan: number): number {
  let [low, high] = [0, 5];
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (middle * Math.exp(middle * middle) * errorFunction(middle) < stefan / Math.sqrt(Math.PI)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

export interface TwoPhases {
  /** Conductivities [W/(m K)], heat capacity of both [J/(m3 K)], latent heat [J/m3]. */
  readonly solid: number;
  readonly liquid: number;
  readonly capacity: number;
  readonly latent: number;
  /** How much hotter the wall is, and colder the solid, than the melting point [K]. */
  readonly hot: number;
  readonly cold: number;
}

/** lambda of a melting front at 2 lambda sqrt(alpha t), alpha that of the liquid, after Neumann: by bisection. */
export function neumannNumber({ solid, liquid, capacity, latent, hot, cold }: TwoPhases): number {
  const [own, other] = [Math.sqrt(liquid / capacity), Math.sqrt(solid / capacity)];
  const heat = (lambda: number) => {
    const beyond = (lambda * own) / other;
    const comes = (liquid * hot * Math.exp(-lambda * lambda)) / (own * errorFunction(lambda));
    const goes = (solid * cold * Math.exp(-beyond * beyond)) / (other * (1 - errorFunction(beyond)));
    return (comes - goes) / Math.sqrt(Math.PI) - latent * lambda * own;
  };
  let [low, high] = [1e-6, 3];
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (heat(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Where unit vectors along the principal axes of a free body are after a time, from Euler's equations in its own axes,
 * by Runge and Kutta's rule in many steps. The axes are those of the world at the start.
 */
export function freeTop(inertia: Vec3, spin: Vec3, time: number, steps: number): readonly [Vec3, Vec3, Vec3] {
  const [a, b, c] = inertia;
  /** Of the spin and of the three axes, as columns of the rotation: each is turned by the spin in the body's own axes. */
  const rate = (y: readonly number[]): number[] => {
    const [p, q, r] = y as unknown as Vec3;
    const rates = [((b - c) * q * r) / a, ((c - a) * r * p) / b, ((a - b) * p * q) / c];
    for (let row = 3; row < 12; row += 3) {
      const [x, yy, z] = [y[row]!, y[row + 1]!, y[row + 2]!];
      rates.push(yy * r - z * q, z * p - x * r, x * q - yy * p);
    }
    return rates;
  };
  const h = time / steps;
  let y: number[] = [...spin, 1, 0, 0, 0, 1, 0, 0, 0, 1];
  const moved = (by: readonly number[], factor: number) => y.map((value, k) => value + factor * by[k]!);
  for (let n = 0; n < steps; n++) {
    const k1 = rate(y);
    const k2 = rate(moved(k1, h / 2));
    const k3 = rate(moved(k2, h / 2));
    const k4 = rate(moved(k3, h));
    y = y.map((value, k) => value + (h / 6) * (k1[k]! + 2 * k2[k]! + 2 * k3[k]! + k4[k]!));
  }
  return [0, 1, 2].map((axis) => [y[3 + axis]!, y[6 + axis]!, y[9 + axis]!]) as unknown as [Vec3, Vec3, Vec3];
}
