/** The scene file: its keys, and the rules between its parts. */
import * as z from 'zod';
import { FORCE_NAMES, forceFields, STATIC_FORCE } from '../forces/index.js';
import { list, name, number, object, toJsonSchema } from '../options/declare.js';
import { describeValue, formatPath, type Path, type Problem, SceneError, suggest } from '../options/errors.js';
import { heatTransfer, worldTemperature } from '../options/heat.js';
import type { SceneInput } from '../options/inputs.js';
import {
  bodySchema,
  constraintSchema,
  EMITTED_AT_REST,
  emitterSchema,
  eventSchema,
  gravity,
  heatSchema,
  ineffectiveKeys,
  isPreset,
  isStatic,
  materialSchema,
  obstacleSchema,
  probeColumns,
  probeSchema,
  sceneBodySchema,
  sceneEmitterSchema,
  sceneObstacleSchema,
  seed,
  sinkSchema,
  solverSchema,
  worldSchema,
} from '../options/parameters.js';
import { MATERIAL_PRESETS } from '../options/presets.js';
import { completeBody, freeze, type RawProblem, resolveMaterial, validate } from '../options/resolve.js';
import { changeProblems, RIGID_STATIC, rigidConstraintProblems } from '../options/rigid.js';
import type { BodyOptions, Material, Scene } from '../options/types.js';

const sceneSchema = object(
  {
    phyxel: z
      .literal(1, {
        error: (issue) =>
          issue.input === undefined
            ? 'is missing: the version of the scene format, phyxel: 1'
            : `must be 1, the version of the scene format, got ${describeValue(issue.input)}`,
      })
      .meta({ description: 'Version of the scene format.' }),
    name: name('Name of the scene; that of its file when left out.').optional(),
    gravity,
    static: isStatic,
    duration: number({
      unit: 's',
      above: 0,
      atMost: 1e9,
      default: 2,
      text: 'How long to simulate: to the first frame at or after it.',
    }),
    frameRate: number({
      unit: '1/s',
      above: 0,
      atMost: 1e6,
      default: 30,
      text: 'Frames for each second of simulated time. A frame is at most as long as the duration.',
    }),
    seed,
    materials: z
      .record(name('Name of the material.'), materialSchema, {
        error: (issue) => `must be an object of named materials, got ${describeValue(issue.input)}`,
      })
      .meta({ description: 'Materials by name.' })
      .prefault({}),
    bodies: list(sceneBodySchema, 'What is simulated; at least one.'),
    emitters: list(sceneEmitterSchema, 'Where liquid comes into the world.'),
    sinks: list(sinkSchema, 'Regions where liquid leaves the world.'),
    obstacles: list(sceneObstacleSchema, 'What bodies bump into.'),
    constraints: list(constraintSchema, 'What holds, moves or pulls bodies.'),
    events: list(eventSchema, 'Changes at given times.'),
    probes: list(probeSchema, 'What is measured.'),
    solver: solverSchema.prefault({}).meta({ description: 'How the motion is computed.' }),
    temperature: worldTemperature,
    heatTransfer,
    heat: list(heatSchema, 'What heats and cools bodies.'),
    ...forceFields,
  },
  { id: 'Scene', text: 'A Phyxel scene.' },
);

/** What the type of scenes allows must be what the schema takes; the compiler checks it here. */
export type SceneFitsDeclarations = SceneInput extends z.input<typeof sceneSchema> ? true : never;
type CheckedScene = z.output<typeof sceneSchema>;

/** The JSON Schema of scene files. */
export function sceneJsonSchema(): Record<string, unknown> {
  return toJsonSchema(sceneSchema);
}

/** The JSON Schema of all that a program may give, of which scripts/build-types.mjs makes types. */
export function inputJsonSchema(): Record<string, unknown> {
  const all = { scene: sceneSchema, world: worldSchema, body: bodySchema, obstacle: obstacleSchema };
  return toJsonSchema(object({ ...all, emitter: emitterSchema }), { marked: true });
}

/** Reads a scene that is already an object, like one made by a program or by `JSON.parse`. */
export function resolveScene(input: SceneInput | Scene): Scene {
  const result = readScene(input, 'scene');
  if ('scene' in result) return result.scene;
  throw new SceneError(result.problems.map(withPathText));
}

function withPathText(problem: RawProblem): Problem {
  return { path: formatPath(problem.path), message: problem.message };
}

/** The scene with every default filled in and materials in place, or everything that is wrong with it. */
export function readScene(value: unknown, fallbackName: string): { scene: Scene } | { problems: RawProblem[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return {
      problems: [
        { path: [], message: `a scene must be an object that begins with phyxel: 1, got ${describeValue(value)}` },
      ],
    };
  }
  const result = validate(sceneSchema, value);
  if ('problems' in result) return result;
  const problems: RawProblem[] = [];
  const scene = assemble(result.value, fallbackName, problems);
  const long = longFrameProblem(result.value);
  // Told where it was written: one of the two may be left out.
  if (long !== undefined) problems.push({ path: ['frameRate' in value ? 'frameRate' : 'duration'], message: long });
  return problems.length > 0 ? { problems } : { scene: freeze(scene) };
}

/** A scene is simulated in whole frames, so a frame longer than its duration would be more than was asked for. */
function longFrameProblem({ static: isStatic, duration, frameRate }: CheckedScene): string | undefined {
  // Rounding of, say, 0.1 * 10 must not count.
  if (isStatic || duration * frameRate >= 1 - 1e-6) return undefined;
  return `makes frames of ${Number((1 / frameRate).toPrecision(6))} s, longer than the duration of ${duration} s: raise one of them`;
}

/** Puts materials and names in place and checks that everything that is named exists. */
function assemble(input: CheckedScene, fallbackName: string, problems: RawProblem[]): Scene {
  const report = (path: Path, message: string) => problems.push({ path, message });
  if (input.bodies.length + input.emitters.length === 0) report(['bodies'], 'must list at least one body');

  const materialNames = Object.keys(input.materials);
  const presetNames = Object.keys(MATERIAL_PRESETS);
  const findMaterial = (material: string | Material, path: Path): Material => {
    if (typeof material !== 'string') return material;
    if (Object.hasOwn(input.materials, material)) return input.materials[material]!;
    if (isPreset(material)) return resolveMaterial({ preset: material });
    const known = `is no material of this scene${listed(materialNames)} and no preset${listed(presetNames)}`;
    report(path, `${known}, got ${describeValue(material)}${suggest(material, [...materialNames, ...presetNames])}`);
    return {} as Material;
  };

  const bodies: BodyOptions[] = input.bodies.map((body, i) => ({
    ...completeBody(body, `body${i + 1}`),
    material: findMaterial(body.material, ['bodies', i, 'material']),
  }));
  for (const [i, { material, regions }] of bodies.entries()) {
    for (const [j, { set }] of regions.entries()) {
      for (const { key, message } of ineffectiveKeys(material, set)) {
        report(['bodies', i, 'regions', j, 'set', key], message);
      }
    }
  }
  const emitters = input.emitters.map((emitter, i) => ({
    ...emitter,
    name: emitter.name ?? `emitter${i + 1}`,
    material: findMaterial(emitter.material, ['emitters', i, 'material']),
  }));
  const obstacles = input.obstacles.map((obstacle, i) => ({ ...obstacle, name: obstacle.name ?? `obstacle${i + 1}` }));
  checkUnique(bodies, 'bodies', report);
  checkUnique(emitters, 'emitters', report);
  checkUnique(obstacles, 'obstacles', report);
  for (const [i, { name }] of emitters.entries()) {
    if (bodies.some((body) => body.name === name))
      report(['emitters', i, 'name'], `${describeValue(name)} is the name of a body`);
  }

  const bodyNames = [...bodies, ...emitters].map((body) => body.name);
  const known = new Set(bodyNames);
  const checkBody = (body: string, path: Path) => {
    if (known.has(body)) return;
    report(path, `is no body of this scene, got ${describeValue(body)}${suggest(body, bodyNames)}`);
  };
  for (const [i, constraint] of input.constraints.entries()) {
    checkBody(constraint.body, ['constraints', i, 'body']);
    const kind = bodies.find(({ name }) => name === constraint.body)?.kind;
    if (constraint.regionTime === 'rest' && emitters.some(({ name }) => name === constraint.body)) {
      report(['constraints', i, 'regionTime'], EMITTED_AT_REST);
    }
    if (kind !== 'rigid') continue;
    for (const { path, message } of rigidConstraintProblems(constraint)) report(['constraints', i, ...path], message);
  }
  for (const [i, { body }] of input.heat.entries()) checkBody(body, ['heat', i, 'body']);
  if (input.static && bodies.some(({ kind }) => kind === 'rigid')) report(['static'], RIGID_STATIC);
  if (input.static && bodies.some(({ kind }) => kind === 'fluid'))
    report(['static'], 'is for solids: liquids come to rest in time only');
  for (const name of FORCE_NAMES) if (input.static && input[name]) report([name], STATIC_FORCE);
  for (const [i, { body: name, set }] of input.events.entries()) {
    checkBody(name, ['events', i, 'body']);
    const body = [...bodies, ...emitters].find((candidate) => candidate.name === name);
    if (!body) continue;
    for (const { path, message } of changeProblems('kind' in body ? body : { ...body, kind: 'fluid' }, set))
      report(['events', i, ...path], message);
    for (const { key, message } of ineffectiveKeys(body.material, set)) report(['events', i, 'set', key], message);
  }
  for (const [i, probe] of input.probes.entries()) {
    if (probe.body !== undefined) checkBody(probe.body, ['probes', i, 'body']);
  }

  checkUnique(input.probes, 'probes', report);
  const columns = new Map<string, string>([['time', 'the time']]);
  for (const [i, probe] of input.probes.entries()) {
    for (const column of probeColumns(probe)) {
      const taken = columns.get(column);
      if (taken !== undefined && taken !== probe.name) {
        report(
          ['probes', i, 'name'],
          `gives a column ${describeValue(column)} that ${describeValue(taken)} has already`,
        );
      }
      columns.set(column, probe.name);
    }
  }
  return { ...input, name: input.name ?? fallbackName, bodies, emitters, obstacles };
}

/** ` (jelly, stone)`, the first few. */
function listed(names: readonly string[]): string {
  if (names.length === 0) return '';
  return ` (${names.slice(0, LISTED_NAMES).join(', ')}${names.length > LISTED_NAMES ? ', ...' : ''})`;
}

const LISTED_NAMES = 10;

function checkUnique(
  items: readonly { readonly name: string }[],
  key: string,
  report: (path: Path, message: string) => void,
): void {
  const first = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const earlier = first.get(item.name);
    if (earlier === undefined) first.set(item.name, i);
    else report([key, i, 'name'], `must be unique, ${describeValue(item.name)} is also ${key}[${earlier}]`);
  }
}
