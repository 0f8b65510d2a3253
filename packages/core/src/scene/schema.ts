/** The scene file: its keys, and the rules between its parts. */
import * as z from 'zod';
import { FORCE_NAMES, forceFields, STATIC_FORCE } from '../forces/index.js';
import { choice, list, name, number, object, toJsonSchema } from '../options/declare.js';
import { describeValue, formatPath, type Path, type Problem, SceneError, suggest } from '../options/errors.js';
import { heatTransfer, worldTemperature } from '../options/heat.js';
import type { SceneInput } from '../options/inputs.js';
import {
  bodySchema,
  emitterSchema,
  gravity,
  isPreset,
  isStatic,
  materialSchema,
  obstacleSchema,
  seed,
  solverSchema,
  worldSchema,
} from '../options/parameters.js';
import { matterOf } from '../options/phase.js';
import { MATERIAL_PRESETS } from '../options/presets.js';
import { freeze, type RawProblem, resolveMaterial, validate } from '../options/resolve.js';
import { RIGID_STATIC } from '../options/rigid.js';
import type { Material, Scene } from '../options/types.js';
import { checkUntil, untilSchema } from '../options/until.js';
import { itemFields, items } from '../world/items/index.js';

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
    until: untilSchema.optional(),
    arrays: list(
      choice({
        values: ['stressTensor', 'strainTensor', 'velocityGradient'],
        text: 'A tensor.',
      }),
      'Tensors of every particle that frames of a run hold as well, for exports and colours: see docs/measuring.md.',
    ),
    seed,
    materials: z
      .record(name('Name of the material.'), materialSchema, {
        error: (issue) => `must be an object of named materials, got ${describeValue(issue.input)}`,
      })
      .meta({ description: 'Materials by name.' })
      .prefault({}),
    ...itemFields,
    solver: solverSchema.prefault({}).meta({ description: 'How the motion is computed.' }),
    temperature: worldTemperature,
    heatTransfer,
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

  const lists: Record<string, unknown[]> = {};
  for (const [key, item] of items()) {
    lists[key] = input[key].map((entry, i) => {
      const materialOf = (material: string | Material) => findMaterial(material, [key, i, 'material']);
      return item.complete ? item.complete(entry, i, materialOf) : entry;
    });
  }
  const scene = { ...input, ...lists, name: input.name ?? fallbackName } as Scene;

  const bodyNames = [...scene.bodies, ...scene.emitters].map((body) => body.name);
  for (const [key, item] of items()) {
    const entries = lists[key]!;
    if (item.isNamed) checkUnique(entries as { name: string }[], key, report);
    for (const [i, entry] of entries.entries()) {
      const body = item.bodyOf?.(entry);
      if (body !== undefined && !bodyNames.includes(body)) {
        const message = `is no body of this scene, got ${describeValue(body)}${suggest(body, bodyNames)}`;
        report([key, i, 'body'], message);
      }
      item.check?.(entry, scene, (path, message) => report([key, i, ...path], message));
    }
  }
  checkUntil(scene, (path, message) => report(['until', ...path], message));
  const matter = input.static ? scene.bodies.map(matterOf) : [];
  if (matter.some(({ isRigid }) => isRigid)) report(['static'], RIGID_STATIC);
  if (matter.some(({ isFluid }) => isFluid) || (input.static && scene.emitters.length > 0))
    report(['static'], 'is for solids: liquids come to rest in time only');
  checkSpacings(scene, report);
  for (const name of FORCE_NAMES) if (input.static && input[name]) report([name], STATIC_FORCE);
  return scene;
}

/** All liquids have one spacing. Of those that say how many particles they have it is known when they have them. */
function checkSpacings({ bodies, emitters }: Scene, report: (path: Path, message: string) => void): void {
  const liquids = [
    ...bodies.flatMap((body, k) => (matterOf(body).isFluid ? [{ ...body, path: ['bodies', k, 'spacing'] }] : [])),
    ...emitters.map((emitter, k) => ({ ...emitter, path: ['emitters', k, 'spacing'] })),
  ];
  const first = liquids.find(({ spacing }) => spacing !== undefined);
  for (const { spacing, path } of liquids) {
    if (!first?.spacing || !spacing || Math.abs(spacing - first.spacing) <= 1e-5 * first.spacing) continue;
    const rule = `must be that of "${first.name}", ${first.spacing} m: all liquids of a world have one spacing`;
    report(path, `${rule}; got ${spacing}`);
  }
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
