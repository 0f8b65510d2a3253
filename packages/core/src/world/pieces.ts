/** The pieces of bodies that break, as users see them. */
import { pieceName } from '../options/piece-name.js';
import type { Vec3 } from '../options/types.js';
import type { WorldContents } from './contents.js';
import type { PieceBirth } from './reports.js';

/** A piece of a broken body. */
export interface BrokenPiece {
  /** `pane#3`: the same from its birth on; what is left of a body is `pane#0`. */
  readonly name: string;
  readonly body: string;
  readonly number: number;
  /** How it broke off; undefined of the first piece of a body. */
  readonly birth: PieceBirth | undefined;
  readonly particles: number;
  /** [kg] */
  readonly mass: number;
  /** Centre of mass [m], and its velocity [m/s]. */
  readonly position: Vec3;
  readonly velocity: Vec3;
}

/** What has broken off from a time [s] on, in the order in which it did. */
export function birthsSince(world: WorldContents, time: number): PieceBirth[] {
  const { elastic, solids } = world.ready();
  const births = elastic.fracture?.births ?? [];
  return births
    .filter((birth) => birth.time >= time)
    .map(({ body, piece, from, time }) => {
      const { name } = solids[body]!.options;
      return { name: pieceName(name, piece), from: pieceName(name, from), time };
    });
}

/** The pieces of all bodies that have broken, or of one; none of what is whole. */
export function piecesOf(world: WorldContents, body?: string): BrokenPiece[] {
  if (body !== undefined) world.requireBody(body);
  const births = new Map(birthsSince(world, Number.NEGATIVE_INFINITY).map((birth) => [birth.name, birth]));
  if (births.size === 0) return [];
  const { read } = world;
  const [labels, masses, x, v] = [read.pieces(), read.masses(), read.positions(), read.velocities()];
  return world.described.flatMap(({ name, begin, end }) => {
    if (body !== undefined && name !== body) return [];
    // Particles, mass, and sums of mass times position and velocity.
    const sums = new Map<number, number[]>();
    for (let i = begin; i < end; i++) {
      const sum = sums.get(labels[i]!) ?? new Array<number>(8).fill(0);
      sums.set(labels[i]!, sum);
      sum[0]! += 1;
      sum[1]! += masses[i]!;
      for (let k = 0; k < 3; k++) {
        sum[2 + k]! += masses[i]! * x[4 * i + k]!;
        sum[5 + k]! += masses[i]! * v[4 * i + k]!;
      }
    }
    if (sums.size < 2) return [];
    return [...sums]
      .sort(([a], [b]) => a - b)
      .map(([number, sum]) => {
        const [particles, mass] = [sum[0]!, sum[1]!];
        const mean = (first: number): Vec3 => [sum[first]! / mass, sum[first + 1]! / mass, sum[first + 2]! / mass];
        const own = pieceName(name, number);
        return {
          name: own,
          body: name,
          number,
          birth: births.get(own),
          particles,
          mass,
          position: mean(2),
          velocity: mean(5),
        };
      });
  });
}
