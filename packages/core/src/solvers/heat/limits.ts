import { OptionError } from '../../options/errors.js';
import type { Material } from '../../options/types.js';

/**
 * Fastest that a particle may follow its surroundings [1/s]. Diamond does so at 1e9 / s in particles of a micrometre;
 * far beyond it the rounding of what flows in is larger than the temperatures.
 */
const FASTEST = 1e9;

/** Most that melting may take, in kelvins of warming: enthalpies beyond it leave no digits for temperatures [K]. */
const MOST_LATENT = 1e6;

/** Refuses materials that conduct so well, or hold so little heat, that temperatures are lost in rounding. */
export function refuseThermal(name: string, materials: Iterable<Material>, spacing: number): void {
  for (const material of new Set(materials)) {
    const { density, heatCapacity, thermalConductivity } = material;
    const conductivity = Math.max(thermalConductivity, material.liquidConductivity ?? 0);
    const capacity = Math.min(heatCapacity, material.liquidHeatCapacity ?? heatCapacity);
    if (material.meltingPoint !== undefined && material.latentHeat > MOST_LATENT * capacity) {
      const message =
        `takes as much heat to melt as ${(material.latentHeat / capacity).toPrecision(2)} K of warming, which must be ` +
        `<= ${MOST_LATENT}: lower latentHeat or raise heatCapacity; got ${material.latentHeat} and ${capacity}`;
      throw new OptionError([{ path: `${name}.material.latentHeat`, message }]);
    }
    const rate = conductivity / (density * capacity * spacing * spacing);
    if (rate <= FASTEST) continue;
    const message =
      `lets heat pass a spacing of ${Number(spacing.toPrecision(6))} m in ${(1 / rate).toPrecision(2)} s, which must be >= ${1 / FASTEST} s: ` +
      `lower thermalConductivity, or raise heatCapacity, density or spacing; ` +
      `got thermalConductivity ${conductivity}, heatCapacity ${capacity}, density ${density}`;
    throw new OptionError([{ path: `${name}.material`, message }]);
  }
}
