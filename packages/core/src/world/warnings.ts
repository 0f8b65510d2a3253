/** What is worth knowing about a world as it is set up. */
import { length } from '../math/matrix3.js';
import type { SolverOptions } from '../options/types.js';
import { mayBreak } from '../solvers/material.js';
import type { Body } from './bodies.js';
import { meltSpacing, obstacleToMelting } from './melting.js';
import type { BodyRecord, WorldModel } from './model.js';

/** Contact and obstacles see float32 positions in the world: their rounding may be this share of a spacing. */
const FAR_AWAY = 0.01;

/** A rigid body that sinks in by more than this share of its particles' radius under its weight is soft. */
const SOFT = 0.1;

/** A body whose particles are this much coarser than a liquid's lets it through. */
const COARSE = 2;

/** Liquids fill what is left of a vessel. Of one that loses more than this share the shape or its position may be wrong. */
const LEFT_OUT = 0.5;

/** All that melts has one spacing: that of what is first among the bodies that may. */
function spacingOfFirst(records: readonly BodyRecord[], hottest: number): number | undefined {
  const first = records.find(({ matter, material }) => matter.isSolid && material.meltingPoint! < hottest);
  return first && meltSpacing(first);
}

/** `hottest` is the highest temperature that something in the world is given [degrees C]. */
export function setupWarnings(
  model: WorldModel,
  records: readonly BodyRecord[],
  bodies: readonly Body[],
  hottest: number,
  solver: SolverOptions,
): string[] {
  const { ranks, fluid, elastic, solids } = model;
  const liquids = records.filter(({ matter }) => matter.isFluid);
  const { isolated, lines, sheets } = ranks;
  const list = records.flatMap(({ options, warnings }) => warnings.map((text) => `${options.name}: ${text}`));
  for (const [b, body] of bodies.entries()) {
    const { origin } = records[b]!.initial;
    if (length(origin) * 2 ** -23 > FAR_AWAY * body.spacing) {
      list.push(
        `${body.name}: is so far from the origin that float32 rounds its places by more than ${100 * FAR_AWAY} % of a spacing`,
      );
    }
  }
  for (const { options, penetration } of records) {
    if (!penetration) continue;
    const { obstacle, deepest, duration } = penetration;
    list.push(
      `${options.name}: begins ${deepest.toPrecision(2)} m inside the obstacle "${obstacle}", which pushes it out in the first ${duration.toPrecision(2)} s`,
    );
  }
  for (const record of records) {
    const { options, material, matter } = record;
    if (!matter.isSolid || !(material.meltingPoint! < hottest)) continue;
    const reason = obstacleToMelting(record, liquids, fluid?.spacing ?? spacingOfFirst(records, hottest), solver);
    if (!reason) continue;
    list.push(
      `${options.name}: may reach its meltingPoint, ${material.meltingPoint} degrees C, but stays solid then: ${reason}`,
    );
  }
  for (const { options, material, matter, melted } of records) {
    if (matter.phase === 'solid' || melted || ![material, ...options.regions.map(({ set }) => set)].some(mayBreak))
      continue;
    list.push(`${options.name}: has a tensileStrength without effect: what breaks is of kind solid, with linear fits`);
  }
  for (const [k, buried] of (fluid?.buried ?? []).entries()) {
    const { options, samples } = liquids[k]!;
    if (buried <= LEFT_OUT * samples.count) continue;
    list.push(`${options.name}: ${buried} of ${samples.count} particles are left out where something else is already`);
  }
  for (const body of fluid ? bodies : []) {
    if (body.matter.isFluid || body.spacing <= COARSE * fluid!.spacing) continue;
    list.push(
      `${body.name}: its particles are more than ${COARSE} spacings of the liquid apart, which flows through it`,
    );
  }
  for (const b of elastic.rigid.softBodies(SOFT)) {
    list.push(
      `${solids[b]!.options.name}: sinks into what it rests on by more than ${100 * SOFT} % of a particle; a rigid body needs a larger youngsModulus`,
    );
  }
  if (isolated > 0)
    list.push(`${isolated} particles have no neighbours and feel no elastic force; use a smaller spacing`);
  if (lines > 0) list.push(`${lines} particles have all their neighbours on a line and resist only along it`);
  if (sheets > 0) list.push(`${sheets} particles have all their neighbours in a plane and resist only within it`);
  return list;
}
