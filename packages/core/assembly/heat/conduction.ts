import {
  ABSENT,
  AIR_RESISTANCE,
  AMBIENT,
  AREA,
  BLOCK_SUMS,
  COLD_RESISTANCE,
  CONDUCTANCE,
  DIAGONAL,
  ENTHALPY,
  FLUX,
  FREE_AREA,
  HELD,
  HOT_RESISTANCE,
  LIQUID_CAPACITY,
  LIQUID_RESISTIVITY,
  LIQUIDUS,
  LIQUIDUS_ENTHALPY,
  MASS,
  MATERIAL_OF,
  MATERIAL_STRIDE,
  MATERIALS,
  NETWORK,
  PAIR_BEGIN,
  PAIR_CONDUCTANCE,
  PAIR_G,
  PAIR_STRIDE,
  PAIRS,
  PLATE_COUNT,
  PLATE_OBSTACLE,
  PLATE_RESISTANCE,
  PLATE_STRIDE,
  PLATE_TEMPERATURE,
  PLATES,
  POSITION,
  POWER,
  READ,
  RESISTANCE,
  SLOPE,
  SOLID_CAPACITY,
  SOLID_RESISTIVITY,
  SOLIDUS,
  SOLIDUS_ENTHALPY,
  SOURCE,
  STEP,
  SUMS,
  TEMPERATURE,
  TOUCHED,
} from '../../src/particles/heat-layout';
import { BLOCK } from '../../src/particles/layout';
import { obstacleDistance } from '../contact/obstacles';
import { w } from '../math/simd';

/** Conduction: H_i' = sum_j c_ij (T_j - T_i) + what comes from outside, with T a function of the enthalpy H. */

/** Plates touch particles up to this distance, in edges of their cell, and less and less from the first on. */
const PLATE_NEAR: f32 = 0.8;
const PLATE_FAR: f32 = 1;
/** Particles pressed into a plate count as this far from it, in edges. */
const PLATE_DEPTH: f32 = 0.25;

/** Temperature of a material at an enthalpy. */
// @ts-ignore: decorator
@inline
export function temperatureAt(material: usize, h: f64): f64 {
  const h1 = load<f64>(material + SOLIDUS_ENTHALPY);
  if (h <= h1) return h / load<f64>(material + SOLID_CAPACITY);
  const h2 = load<f64>(material + LIQUIDUS_ENTHALPY);
  const t2 = load<f64>(material + LIQUIDUS);
  if (h >= h2) return t2 + (h - h2) / load<f64>(material + LIQUID_CAPACITY);
  const t1 = load<f64>(material + SOLIDUS);
  return t1 + ((t2 - t1) * (h - h1)) / (h2 - h1);
}

/** Change of temperature with specific enthalpy. */
// @ts-ignore: decorator
@inline
export function slopeAt(material: usize, h: f64): f64 {
  const h1 = load<f64>(material + SOLIDUS_ENTHALPY);
  const h2 = load<f64>(material + LIQUIDUS_ENTHALPY);
  if (h <= h1) return 1 / load<f64>(material + SOLID_CAPACITY);
  if (h >= h2) return 1 / load<f64>(material + LIQUID_CAPACITY);
  return (load<f64>(material + LIQUIDUS) - load<f64>(material + SOLIDUS)) / (h2 - h1);
}

/** Molten share. */
// @ts-ignore: decorator
@inline
function fractionAt(material: usize, h: f64): f64 {
  const h1 = load<f64>(material + SOLIDUS_ENTHALPY);
  if (h <= h1) return 0;
  const h2 = load<f64>(material + LIQUIDUS_ENTHALPY);
  return h >= h2 ? 1 : (h - h1) / (h2 - h1);
}

/**
 * Temperatures, and how they change with heat, from the enthalpies; resistances by the molten share. In a particle that
 * melts the front lies between the molten half and the other: heat comes through the one and goes through the other.
 */
export function readTemperatures(begin: u32, end: u32, context: usize): void {
  const enthalpies = <usize>load<u32>(context + ENTHALPY);
  const temperatures = <usize>load<u32>(context + TEMPERATURE);
  const resistances = <usize>load<u32>(context + RESISTANCE);
  const hot = <usize>load<u32>(context + HOT_RESISTANCE);
  const cold = <usize>load<u32>(context + COLD_RESISTANCE);
  const slopes = <usize>load<u32>(context + SLOPE);
  const masses = <usize>load<u32>(context + MASS);
  const positions = <usize>load<u32>(context + POSITION);
  const materialOf = <usize>load<u32>(context + MATERIAL_OF);
  const materials = <usize>load<u32>(context + MATERIALS);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const material = materials + <usize>load<u32>(materialOf + (i << 2)) * MATERIAL_STRIDE;
    const h = load<f64>(enthalpies + (i << 3));
    store<f64>(temperatures + (i << 3), temperatureAt(material, h));
    store<f64>(slopes + (i << 3), slopeAt(material, h) / load<f64>(masses + (i << 3)));
    const f = fractionAt(material, h);
    const edge = <f64>load<f32>(positions + (i << 4), 12);
    const solid = load<f64>(material + SOLID_RESISTIVITY);
    const liquid = load<f64>(material + LIQUID_RESISTIVITY);
    // Side by side: the conductivities add up by their shares.
    const resistivity = f == 0 ? solid : f == 1 ? liquid : 1 / ((1 - f) / solid + f / liquid);
    store<f64>(resistances + (i << 3), edge * resistivity);
    // What melts does so on its hot side.
    store<f64>(hot + (i << 3), edge * (f == 0 ? solid : liquid));
    store<f64>(cold + (i << 3), edge * (f == 1 ? liquid : solid));
  }
}

/** Conductances to plates and to the surroundings, and what comes from there and from sources. */
export function computeHeatExchange(begin: u32, end: u32, context: usize): void {
  const positions = <usize>load<u32>(context + POSITION);
  const networks = <usize>load<u32>(context + NETWORK);
  const hot = <usize>load<u32>(context + HOT_RESISTANCE);
  const cold = <usize>load<u32>(context + COLD_RESISTANCE);
  const temperatures = <usize>load<u32>(context + TEMPERATURE);
  const areas = <usize>load<u32>(context + AREA);
  const freeAreas = <usize>load<u32>(context + FREE_AREA);
  const touched = <usize>load<u32>(context + TOUCHED);
  const conductances = <usize>load<u32>(context + CONDUCTANCE);
  const sources = <usize>load<u32>(context + SOURCE);
  const powers = <usize>load<u32>(context + POWER);
  const plates = <usize>load<u32>(context + PLATES);
  const plateEnd = plates + <usize>load<u32>(context + PLATE_COUNT) * PLATE_STRIDE;
  const ambient = load<f64>(context + AMBIENT);
  const air = load<f64>(context + AIR_RESISTANCE);
  for (let i = <usize>begin; i < <usize>end; i++) {
    let conductance: f64 = 0;
    let source = load<f64>(powers + (i << 3));
    if (load<u32>(networks + (i << 2)) != ABSENT) {
      const position = v128.load(positions + (i << 4));
      const edge = w(position);
      const temperature = load<f64>(temperatures + (i << 3));
      let free = load<f32>(freeAreas + (i << 2)) - load<f32>(touched + (i << 2));
      for (let plate = plates; plate < plateEnd; plate += PLATE_STRIDE) {
        const distance = w(obstacleDistance(<usize>load<u32>(plate + PLATE_OBSTACLE), position));
        const near = min((PLATE_FAR * edge - distance) / ((PLATE_FAR - PLATE_NEAR) * edge), <f32>1);
        if (!(near > 0)) continue;
        const area = near * load<f32>(areas + (i << 2));
        const depth = <f64>max(distance / edge, PLATE_DEPTH);
        const outside = load<f64>(plate + PLATE_TEMPERATURE);
        const resistance = load<f64>((outside > temperature ? hot : cold) + (i << 3));
        const c = <f64>area / (depth * resistance + load<f64>(plate + PLATE_RESISTANCE));
        conductance += c;
        source += c * outside;
        free -= area;
      }
      if (free > 0) {
        const resistance = load<f64>((ambient > temperature ? hot : cold) + (i << 3));
        const c = <f64>free / (air + 0.5 * resistance);
        conductance += c;
        source += c * ambient;
      }
    }
    store<f64>(conductances + (i << 3), conductance);
    store<f64>(sources + (i << 3), source);
  }
}

/**
 * Conductances of the pairs, and their sums with those to the outside; the first sum of a block is the fastest
 * rate at which a temperature can follow its surroundings [1/s].
 */
export function computeHeatCoefficients(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const pairs = <usize>load<u32>(context + PAIRS);
  const resistances = <usize>load<u32>(context + RESISTANCE);
  const hot = <usize>load<u32>(context + HOT_RESISTANCE);
  const cold = <usize>load<u32>(context + COLD_RESISTANCE);
  const temperatures = <usize>load<u32>(context + TEMPERATURE);
  const conductances = <usize>load<u32>(context + CONDUCTANCE);
  const diagonals = <usize>load<u32>(context + DIAGONAL);
  const masses = <usize>load<u32>(context + MASS);
  const materialOf = <usize>load<u32>(context + MATERIAL_OF);
  const materials = <usize>load<u32>(context + MATERIALS);
  const sums = <usize>load<u32>(context + BLOCK_SUMS);
  for (let first = <usize>begin; first < <usize>end; first += BLOCK) {
    const last = min(first + BLOCK, <usize>end);
    let fastest: f64 = 0;
    for (let i = first; i < last; i++) {
      const temperature = load<f64>(temperatures + (i << 3));
      const mixes = load<f64>(hot + (i << 3)) != load<f64>(cold + (i << 3));
      let sum = load<f64>(conductances + (i << 3));
      let pair = pairs + <usize>load<u32>(begins + (i << 2)) * PAIR_STRIDE;
      const pairEnd = pairs + <usize>load<u32>(begins + (i << 2), 4) * PAIR_STRIDE;
      for (; pair < pairEnd; pair += PAIR_STRIDE) {
        const j = <usize>load<u32>(pair) << 3;
        // Where both melt, or are as warm, there is no side.
        const outside = load<f64>(temperatures + j);
        const mixed = outside == temperature || (mixes && load<f64>(hot + j) != load<f64>(cold + j));
        const isHotter = outside > temperature;
        const own = load<f64>((mixed ? resistances : isHotter ? hot : cold) + (i << 3));
        const other = load<f64>((mixed ? resistances : isHotter ? cold : hot) + j);
        const c = <f64>load<f32>(pair + PAIR_G) / (own + other);
        store<f64>(pair + PAIR_CONDUCTANCE, c);
        sum += c;
      }
      store<f64>(diagonals + (i << 3), sum);
      const material = materials + <usize>load<u32>(materialOf + (i << 2)) * MATERIAL_STRIDE;
      const capacity = min(load<f64>(material + SOLID_CAPACITY), load<f64>(material + LIQUID_CAPACITY));
      const rate = sum / (load<f64>(masses + (i << 3)) * capacity);
      if (!(rate <= fastest)) fastest = rate;
    }
    store<f64>(sums + (first / BLOCK) * (SUMS << 3), fastest);
  }
}

/** Heat that flows into each particle, from the temperatures behind READ. */
export function computeHeatFlux(begin: u32, end: u32, context: usize): void {
  const begins = <usize>load<u32>(context + PAIR_BEGIN);
  const pairs = <usize>load<u32>(context + PAIRS);
  const temperatures = <usize>load<u32>(context + READ);
  const conductances = <usize>load<u32>(context + CONDUCTANCE);
  const sources = <usize>load<u32>(context + SOURCE);
  const fluxes = <usize>load<u32>(context + FLUX);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const own = load<f64>(temperatures + (i << 3));
    let flux = load<f64>(sources + (i << 3)) - load<f64>(conductances + (i << 3)) * own;
    let pair = pairs + <usize>load<u32>(begins + (i << 2)) * PAIR_STRIDE;
    const pairEnd = pairs + <usize>load<u32>(begins + (i << 2), 4) * PAIR_STRIDE;
    for (; pair < pairEnd; pair += PAIR_STRIDE) {
      flux += load<f64>(pair + PAIR_CONDUCTANCE) * (load<f64>(temperatures + (<usize>load<u32>(pair) << 3)) - own);
    }
    store<f64>(fluxes + (i << 3), flux);
  }
}

/** An explicit step; the first sum of a block is the heat that came from outside [J]. */
export function advanceHeat(begin: u32, end: u32, context: usize): void {
  const enthalpies = <usize>load<u32>(context + ENTHALPY);
  const temperatures = <usize>load<u32>(context + TEMPERATURE);
  const masses = <usize>load<u32>(context + MASS);
  const conductances = <usize>load<u32>(context + CONDUCTANCE);
  const sources = <usize>load<u32>(context + SOURCE);
  const helds = <usize>load<u32>(context + HELD);
  const fluxes = <usize>load<u32>(context + FLUX);
  const sums = <usize>load<u32>(context + BLOCK_SUMS);
  const dt = load<f64>(context + STEP);
  for (let first = <usize>begin; first < <usize>end; first += BLOCK) {
    const last = min(first + BLOCK, <usize>end);
    let supplied: f64 = 0;
    for (let i = first; i < last; i++) {
      const flux = load<f64>(fluxes + (i << 3));
      const held = load<f64>(helds + (i << 3));
      supplied += load<f64>(sources + (i << 3)) - load<f64>(conductances + (i << 3)) * load<f64>(temperatures + (i << 3));
      if (held == held) {
        // What flows in is taken away.
        supplied -= flux;
        continue;
      }
      const at = enthalpies + (i << 3);
      store<f64>(at, load<f64>(at) + (dt * flux) / load<f64>(masses + (i << 3)));
    }
    store<f64>(sums + (first / BLOCK) * (SUMS << 3), dt * supplied);
  }
}
