/** What changes in a world while it moves: materials, by a program or by events, and temperatures. */
import { add, transform } from '../math/matrix3.js';
import { THERMAL_KEYS } from '../options/heat.js';
import { type MaterialChangeInput, resolveHeat, resolveMaterial } from '../options/index.js';
import type { EventOptions, Region, Vec3 } from '../options/types.js';
import { emptyRegion, particlesIn } from '../solvers/constraints/constraints.js';
import { materialsOf, mayBreak, mayFlow } from '../solvers/material.js';
import type { WorldContents } from './contents.js';
import { type BodyRecord, rewriteMaterials } from './model.js';
import { refuseIneffective } from './refusals.js';

export function setMaterial(world: WorldContents, body: string, set: MaterialChangeInput): void {
  const record = world.requireBody(body);
  // What has melted may have changes to come that were meant for a solid.
  if (!record.melted) refuseIneffective(record, set);
  // Density decides the masses, which are laid down with the particles.
  const material = resolveMaterial({ ...record.material, ...set });
  const density = material.density !== record.material.density;
  const heavier = material.density / record.material.density;
  for (const constraint of world.constraints) {
    if (constraint.options.body !== body || !constraint.hold) continue;
    constraint.hold = { ...constraint.hold, mass: heavier * constraint.hold.mass };
  }
  record.material = material;
  changeThermal(world, record, set);
  if (world.model && Object.keys(set).every((key) => THERMAL_KEYS.includes(key))) return;
  // So are the shares of the regions in the stabilisation.
  if (record.matter.isSolid && mayFlow(material)) record.plastic = true;
  if (record.matter.isSolid && mayBreak(material)) record.breaks = true;
  // Where the stabilisation has faded, frequencies at rest can only be found by a new layout, as a load does.
  const faded = !record.matter.isFluid && world.bodies.some(({ plastic, matter }) => plastic || matter.isViscoplastic);
  const broken = !record.matter.isFluid && world.bodies.some(({ breaks }) => breaks);
  const viscous = !record.matter.isFluid && set.viscosity !== undefined;
  const laidOut = density || faded || broken || viscous || record.options.regions.length > 0;
  if (laidOut || !world.model) world.change();
  else {
    const model = world.model;
    if (record.matter.isFluid) {
      const liquids = world.bodies.filter(({ matter }) => matter.isFluid);
      model.fluid!.writeMaterials(liquids.map((liquid) => liquid.material));
      model.heat?.applyCurves();
    } else {
      rewriteMaterials(model);
      model.elastic.evaluateForces();
    }
  }
}

/** Lets heat follow a new material; temperatures stay. */
function changeThermal(world: WorldContents, record: BodyRecord, set: EventOptions['set']): void {
  if (!Object.keys(set).some((key) => THERMAL_KEYS.includes(key))) return;
  // What waits for a new layout is converted in the old one.
  if (!world.model && world.pending) world.ready();
  const heat = world.model?.heat;
  if (!heat) return;
  const { liquid, index } = world.model!.locations[world.bodies.indexOf(record)]!;
  heat.changeMaterials(heat.beginOf(liquid, index), materialsOf(record), liquid);
}

export function setTemperature(
  world: WorldContents,
  body: string,
  temperature: number | ((position: Vec3) => number),
  region: Region,
): void {
  const record = world.requireBody(body);
  const { samples, initial } = record;
  const chosen = particlesIn(samples.rest, { begin: 0, end: samples.count }, initial, region);
  if (chosen.length === 0) throw emptyRegion('region', body);
  const temperatures = Array.from(chosen, (i) => {
    if (typeof temperature === 'number') return temperature;
    const at: Vec3 = [samples.rest[4 * i]!, samples.rest[4 * i + 1]!, samples.rest[4 * i + 2]!];
    return temperature(add(transform(initial.rotation, at), initial.origin));
  });
  // The rules are those of a body's temperature.
  for (const value of new Set(temperatures)) resolveHeat({ body, temperature: value }, 'setTemperature');
  if (!world.isThermal) {
    world.change();
    world.heated = true;
  }
  const { heat, locations } = world.ready();
  const { liquid, index } = locations[world.bodies.indexOf(record)]!;
  const first = heat!.beginOf(liquid, index);
  heat!.setTemperature(
    Array.from(chosen, (i) => first + i),
    temperatures,
  );
}
