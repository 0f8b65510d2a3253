import { OptionError } from '../../options/errors.js';
import type { Material, TemperatureCurve } from '../../options/types.js';

/** Shorter steps than this are a failure: they do not move float32 positions any more [s]. */
export const SHORTEST = 1e-7;

/** Also of what is not a number. */
export function isShort({ timeStep }: { readonly timeStep: number }): boolean {
  return !(timeStep >= SHORTEST);
}

/** Capillary waves: share of sqrt(density * spacing^3 / (2 pi tension)), J. U. Brackbill 1992. */
const CAPILLARY = 0.25;

/** Capillary waves of an elastic liquid may need steps this much longer than the shortest [1]. */
const ELASTIC = 30;

/** Largest factor of a curve of temperature [1]. */
export function largestFactor(curve: TemperatureCurve | undefined): number {
  return curve ? curve.reduce((most, [, factor]) => Math.max(most, factor), 0) : 1;
}

/** Density of a liquid where it is lightest [kg/m3]. */
export function lightestOf({ density, byTemperature }: Material): number {
  const curve = byTemperature?.density;
  return density * (curve ? curve.reduce((least, [, factor]) => Math.min(least, factor), Infinity) : 1);
}

/** [N/m] */
export function largestTension({ surfaceTension, byTemperature }: Material): number {
  return surfaceTension * largestFactor(byTemperature?.surfaceTension);
}

/** Longest step with a tension per density [m3/s2]. */
export function capillaryStep(tension: number, spacing: number): number {
  return CAPILLARY * Math.sqrt((spacing * spacing * spacing) / (2 * Math.PI * tension));
}

/** Refuses liquids whose capillary waves would take steps that are too short. */
export function refuseTense(
  liquids: readonly { readonly name: string; readonly material: Material }[],
  spacing: number,
): void {
  for (const { name, material } of liquids) {
    const step = capillaryStep(largestTension(material) / lightestOf(material), spacing);
    // What is elastic is torn, and the faster the stiffer it gets.
    const shortest = material.elastic ? ELASTIC * SHORTEST : SHORTEST;
    if (step >= shortest) continue;
    const message =
      `pulls so hard that capillary waves need steps of ${step.toPrecision(2)} s at a spacing of ` +
      `${Number(spacing.toPrecision(6))} m; steps must be >= ${shortest} s: lower surfaceTension, ` +
      `or raise density or spacing; got surfaceTension ${material.surfaceTension}, density ${material.density}`;
    throw new OptionError([{ path: `${name}.material`, message }]);
  }
}
