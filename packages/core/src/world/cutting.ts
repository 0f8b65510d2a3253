/** What severs bodies: surfaces of triangles at a moment, and edges that sweep them. */
import { CrossingTest } from '../mesh/crossing.js';
import { OptionError } from '../options/errors.js';
import type { WorldContents } from './contents.js';
import type { BodyRecord } from './model.js';

/** A surface that is cut along, in the world. */
export interface CuttingSurface {
  /** xyz [m], now. */
  readonly positions: ArrayLike<number>;
  readonly triangles: ArrayLike<number>;
  /**
   * How long ago each vertex was there [s]; now when left out. A pair of particles meets the surface where that has been
   * relative to the two, which have moved on since with their mean velocity.
   */
  readonly ages?: ArrayLike<number> | undefined;
}

/** Bodies that a blade cuts: the one that is named, or all solids that bend. They can break from now on. */
export function makeCuttable(world: WorldContents, body: string | undefined, where: string): BodyRecord[] {
  const chosen = world.bodies.filter(({ options, matter }) =>
    body === undefined ? matter.phase === 'solid' && options.discretisation !== 'quadratic' : options.name === body,
  );
  for (const { options, matter } of chosen) {
    if (matter.phase === 'solid') continue;
    const message = `must be a solid that bends, and "${options.name}" is none: only bonds between its particles can be cut`;
    throw new OptionError([{ path: where, message }]);
  }
  if (chosen.some(({ breaks }) => !breaks)) {
    for (const record of chosen) record.breaks = true;
    world.change();
  }
  return chosen;
}

/** Severs the bonds that cross a surface, and finds the pieces; answers how many bonds. */
export function cutAlong(world: WorldContents, surface: CuttingSurface, bodies: readonly BodyRecord[]): number {
  const { positions: vertices, triangles, ages } = surface;
  if (triangles.length === 0 || bodies.length === 0) return 0;
  const { elastic, solids, ranges, locations: positions } = world.ready();
  if (!elastic.fracture) return 0;
  const { read } = world;
  const x = read.positions();
  const v = ages && read.velocities();
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < vertices.length; k++) {
    low[k % 3] = Math.min(low[k % 3]!, vertices[k]!);
    high[k % 3] = Math.max(high[k % 3]!, vertices[k]!);
  }
  const oldest = ages ? Math.max(...Array.from(ages)) : 0;
  let count = 0;
  for (const record of bodies) {
    const b = solids.indexOf(record);
    const { begin } = positions[world.bodies.indexOf(record)]!;
    // From numbers in memory to those of readings.
    const shift = begin - ranges[b]!.begin;
    // As far as bonds reach, and as particles have come since.
    const support = REACH * record.samples.rest[3]! + oldest * elastic.maximumSpeed;
    const size = Math.max(...[0, 1, 2].map((k) => high[k]! - low[k]!));
    const test = new CrossingTest(vertices, triangles, size + 2 * support);
    const isNear = (i: number) =>
      [0, 1, 2].every((k) => x[4 * i + k]! > low[k]! - support && x[4 * i + k]! < high[k]! + support);
    const near = new Uint8Array(record.samples.count);
    for (let i = 0; i < near.length; i++) near[i] = isNear(begin + i) ? 1 : 0;
    count += elastic.fracture.sever(
      (m, n) => {
        const [i, j] = [m + shift, n + shift];
        if (near[i - begin] === 0 || near[j - begin] === 0) return false;
        for (let p = 0; ages && p < ages.length; p++) {
          const age = ages[p]! / 2;
          test.move(
            p,
            vertices[3 * p]! + age * (v![4 * i]! + v![4 * j]!),
            vertices[3 * p + 1]! + age * (v![4 * i + 1]! + v![4 * j + 1]!),
            vertices[3 * p + 2]! + age * (v![4 * i + 2]! + v![4 * j + 2]!),
          );
        }
        return test.crosses(x[4 * i]!, x[4 * i + 1]!, x[4 * i + 2]!, x[4 * j]!, x[4 * j + 1]!, x[4 * j + 2]!);
      },
      (own) => own === b,
    );
  }
  if (count === 0) return 0;
  elastic.fracture.findPieces(elastic.time);
  elastic.writeFrames();
  elastic.evaluateForces();
  return count;
}

/** Bonds are shorter than this [spacings], with some strain. */
const REACH = 6;
