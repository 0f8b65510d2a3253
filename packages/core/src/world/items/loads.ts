/** Loads on surfaces. */
import { subtract } from '../../math/matrix3.js';
import { prepareSolid } from '../../mesh/solid.js';
import { OptionError } from '../../options/errors.js';
import { LOAD_FLOWS, loadSchema } from '../../options/loads.js';
import { matterOf } from '../../options/phase.js';
import { resolve } from '../../options/resolve.js';
import type { BodyOptions, LoadOptions, TriangleMesh, Vec3 } from '../../options/types.js';
import { isInside, placeAtRest } from '../../solvers/constraints/constraints.js';
import type { LoadedSurface, LoadRecord } from '../../solvers/forces/loads.js';
import { refineMesh } from '../../surface/refine.js';
import { shapeMesh } from '../../surface/shape-mesh.js';
import type { WorldContents } from '../contents.js';
import type { BodyRecord } from '../model.js';
import type { SceneItem } from './item.js';
import { nextOf } from './next-of.js';

/** Triangles of a loaded surface are this small, in spacings: its edges follow the particles, and regions are cut finely. */
const EDGE = 0.5;

const recordsOf = (world: WorldContents) => world.listOf<LoadRecord>('loads');
const flows = (body: Pick<BodyOptions, 'kind' | 'material' | 'discretisation'>) => matterOf(body).flows;

export const loads: SceneItem<typeof loadSchema> = {
  schema: loadSchema,
  text: 'Pressure, traction and forces on surfaces.',
  bodyOf: ({ body }) => body,
  check({ body: name }, { bodies, emitters }, report) {
    const body = bodies.find((candidate) => candidate.name === name);
    if (body ? flows(body) : emitters.some((emitter) => emitter.name === name)) report(['body'], LOAD_FLOWS);
  },
  list: recordsOf,
  add: addLoad,
  nextTime: (world) =>
    nextOf(
      recordsOf(world).flatMap(({ options: { start, end } }) => [start, end]),
      world.time,
    ),
};

function addLoad(world: WorldContents, input: unknown): void {
  const options: LoadOptions = resolve(loadSchema, input, 'load');
  const body = world.requireBody(options.body);
  const records = recordsOf(world);
  const path = `loads[${records.length}]`;
  if (body.matter.flows) throw new OptionError([{ path: `${path}.body`, message: LOAD_FLOWS }]);
  const surface = surfaceIn(body, options, path);
  world.change();
  records.push({ options, surface });
}

/** The part of a body's surface that a load acts on, in the body's axes at rest. */
function surfaceIn(
  { options, samples, initial, quality }: BodyRecord,
  { region }: LoadOptions,
  path: string,
): LoadedSurface {
  const refuse = (key: string, message: string): never => {
    throw new OptionError([{ path: `${path}.${key}`, message }]);
  };
  if (!quality || ('mesh' in options.shape && !options.shape.mesh.data)) {
    refuse(
      'body',
      `has no surface: "${options.name}" is made of particles that a program gave, or was loaded from a save`,
    );
  }
  const spacing = samples.rest[3]!;
  const whole = refineMesh(outward(shapeMesh(options.shape, EDGE * spacing)), EDGE * spacing);
  const vertices = whole.positions.length / 3;
  const numbers = new Int32Array(vertices).fill(-1);
  const positions: number[] = [];
  const triangles: number[] = [];
  const own = Float32Array.from({ length: 4 }, () => 0);
  const at = (v: number): Vec3 => subtract(whole.positions.subarray(3 * v, 3 * v + 3) as never, samples.center);
  for (let t = 0; t < whole.triangles.length; t += 3) {
    const corners = [0, 1, 2].map((c) => at(whole.triangles[t + c]!));
    for (let a = 0; a < 3; a++) own[a] = (corners[0]![a]! + corners[1]![a]! + corners[2]![a]!) / 3;
    if (!isInside(region, placeAtRest(own, 0, initial))) continue;
    for (let c = 0; c < 3; c++) {
      const v = whole.triangles[t + c]!;
      if (numbers[v]! < 0) {
        numbers[v] = positions.length / 3;
        positions.push(...corners[c]!);
      }
      triangles.push(numbers[v]!);
    }
  }
  if (triangles.length === 0) {
    const size = Number((EDGE * spacing).toPrecision(2));
    refuse(
      'region',
      `holds no part of the surface of "${options.name}" at time 0: it must reach to the surface, and be larger than its triangles of ${size} m`,
    );
  }
  return { positions, triangles };
}

/** Triangles anticlockwise as seen from outside; holes in files are closed. */
function outward(given: TriangleMesh): TriangleMesh {
  const { mesh } = prepareSolid(given);
  const { positions: p, triangles } = mesh;
  let volume = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t]!, 3 * triangles[t + 1]!, 3 * triangles[t + 2]!];
    volume += p[a]! * (p[b + 1]! * p[c + 2]! - p[b + 2]! * p[c + 1]!);
    volume += p[a + 1]! * (p[b + 2]! * p[c]! - p[b]! * p[c + 2]!);
    volume += p[a + 2]! * (p[b]! * p[c + 1]! - p[b + 1]! * p[c]!);
  }
  if (volume > 0) return { positions: p, triangles };
  const turned = triangles.slice();
  for (let t = 0; t < turned.length; t += 3) [turned[t + 1], turned[t + 2]] = [triangles[t + 2]!, triangles[t + 1]!];
  return { positions: p, triangles: turned };
}
