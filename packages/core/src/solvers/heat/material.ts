import type { MaterialNumbers } from '../../options/material-parameters.js';
import type { TemperatureCurve } from '../../options/types.js';

/** What a material does with heat. */
type ThermalMaterial = Pick<
  MaterialNumbers,
  | 'thermalConductivity'
  | 'heatCapacity'
  | 'latentHeat'
  | 'meltingPoint'
  | 'meltingRange'
  | 'liquidConductivity'
  | 'liquidHeatCapacity'
>;

/** The enthalpy of a material as a function of its temperature: straight, and steep where it melts. */
export interface EnthalpyCurve {
  /** Specific heat of the solid and of the liquid [J/(kg K)]. */
  readonly solidCapacity: number;
  readonly liquidCapacity: number;
  /** [W/(m K)] */
  readonly solidConductivity: number;
  readonly liquidConductivity: number;
  /** Where melting begins and ends [degrees C], [J/kg]; infinite for what does not melt. */
  readonly solidus: number;
  readonly liquidus: number;
  readonly solidusEnthalpy: number;
  readonly liquidusEnthalpy: number;
  /** Molten share of what does not melt [1]. */
  readonly fraction: number;
}

/**
 * Enthalpies are zero for the solid at 0 degrees C. In the melting range the two heat capacities count half each
 * beside the latent heat. A liquid that never freezes has the liquid's values throughout.
 */
export function enthalpyCurve(material: ThermalMaterial, isLiquid: boolean): EnthalpyCurve {
  const { heatCapacity, thermalConductivity, latentHeat, meltingPoint, meltingRange } = material;
  const liquidCapacity = material.liquidHeatCapacity ?? heatCapacity;
  const liquidConductivity = material.liquidConductivity ?? thermalConductivity;
  if (meltingPoint === undefined) {
    const capacity = isLiquid ? liquidCapacity : heatCapacity;
    const conductivity = isLiquid ? liquidConductivity : thermalConductivity;
    const never = Number.POSITIVE_INFINITY;
    return {
      solidCapacity: capacity,
      liquidCapacity: capacity,
      solidConductivity: conductivity,
      liquidConductivity: conductivity,
      solidus: never,
      liquidus: never,
      solidusEnthalpy: never,
      liquidusEnthalpy: never,
      fraction: isLiquid ? 1 : 0,
    };
  }
  const solidus = meltingPoint - meltingRange / 2;
  const solidusEnthalpy = heatCapacity * solidus;
  return {
    solidCapacity: heatCapacity,
    liquidCapacity,
    solidConductivity: thermalConductivity,
    liquidConductivity,
    solidus,
    liquidus: meltingPoint + meltingRange / 2,
    solidusEnthalpy,
    liquidusEnthalpy: solidusEnthalpy + ((heatCapacity + liquidCapacity) / 2) * meltingRange + latentHeat,
    fraction: 0,
  };
}

/** Factor of a curve at a temperature [1]; 1 without a curve. */
export function factorAt(curve: TemperatureCurve | undefined, temperature: number): number {
  if (!curve) return 1;
  let before = curve[0]!;
  if (temperature <= before[0]) return before[1];
  for (const point of curve) {
    if (temperature < point[0]) {
      return before[1] + ((point[1] - before[1]) * (temperature - before[0])) / (point[0] - before[0]);
    }
    before = point;
  }
  return before[1];
}

/** Specific enthalpy at a temperature [J/kg]; at a melting point that of the liquid or of the solid. */
export function enthalpyAt(curve: EnthalpyCurve, temperature: number, isLiquid: boolean): number {
  const { solidus, liquidus, solidusEnthalpy: h1, liquidusEnthalpy: h2 } = curve;
  if (temperature < solidus || (temperature === solidus && !(isLiquid && solidus === liquidus))) {
    return curve.solidCapacity * temperature;
  }
  if (temperature >= liquidus) return h2 + curve.liquidCapacity * (temperature - liquidus);
  return h1 + ((h2 - h1) * (temperature - solidus)) / (liquidus - solidus);
}

/** Temperature [degrees C] and molten share [1] at a specific enthalpy. */
export function stateAt(curve: EnthalpyCurve, h: number): { temperature: number; fraction: number } {
  const { solidus, liquidus, solidusEnthalpy: h1, liquidusEnthalpy: h2 } = curve;
  if (h <= h1) return { temperature: h / curve.solidCapacity, fraction: curve.fraction };
  if (h >= h2) return { temperature: liquidus + (h - h2) / curve.liquidCapacity, fraction: 1 };
  const fraction = (h - h1) / (h2 - h1);
  return { temperature: solidus + (liquidus - solidus) * fraction, fraction };
}

/** Enthalpy under a new curve of what keeps its temperature, and its molten share where it melts at a point. */
export function carryOver(from: EnthalpyCurve, to: EnthalpyCurve, h: number): number {
  const { temperature, fraction } = stateAt(from, h);
  if (temperature === to.solidus && to.solidus === to.liquidus) {
    return to.solidusEnthalpy + fraction * (to.liquidusEnthalpy - to.solidusEnthalpy);
  }
  return enthalpyAt(to, temperature, fraction > 0.5);
}
