/** What is in a world: bodies, obstacles, emitters and sinks. */
import type * as z from 'zod';
import { choice, color, fieldVector, LARGEST, list, name, number, object, SHORTEST_LENGTH, vector } from './declare.js';
import { contactConductance, startTemperature, temperature } from './heat.js';
import { ineffectiveKeys, materialSchema, namedMaterial, regionalChangeSchema } from './material.js';
import { materialParameters, NEVER } from './material-parameters.js';
import { parsePieceName } from './piece-name.js';
import { jointSchema, rigidProblems } from './rigid.js';
import { scoreSchema } from './scores.js';
import { keyframes, length, motionSchema, obstacleShapes, position, regionSchema, rotation, shapes } from './shapes.js';
import { discretisation } from './solver.js';
import type { EmitterOptions } from './types.js';

/** How it is shown in pictures; nothing of it changes what happens. */
const appearance = {
  color: color('Colour in pictures, like "#3b82f6"; chosen when left out.').optional(),
  look: choice({
    values: ['matte', 'glossy', 'glass'],
    text: 'Surface in pictures: matte, glossy, or glass, which is clear and tinted by color; chosen when left out.',
  }).optional(),
};

const regionsText = 'Parts with another material; where they overlap the last one counts.';
const materialRegionSchema = object(
  { region: regionSchema, set: regionalChangeSchema },
  { id: 'MaterialRegion', text: 'Another material in a part of a body.' },
);

/** What a state at the start may depend on. */
const START = ['x', 'y', 'z'] as const;

const bodyShape = <S extends z.ZodType, M extends z.ZodType>(shape: S, material: M) => ({
  name: name('Name, unique among bodies; body1, body2, ... when left out.').optional(),
  kind: choice({
    values: ['solid', 'fluid', 'rigid'],
    default: 'solid',
    text: 'What the body is made as: a solid deforms, a fluid is a liquid, a rigid body keeps its shape; its youngsModulus is that of its contacts, and 1e7 to 1e8 Pa are hard enough for most.',
  }),
  shape,
  position,
  rotation,
  velocity: fieldVector({
    unit: 'm/s',
    default: [0, 0, 0],
    variables: START,
    text: 'Velocity at the start; formulas of the positions at time 0 on all but rigid bodies.',
  }),
  displacement: fieldVector({
    unit: 'm',
    default: [0, 0, 0],
    variables: START,
    text: 'Displacement of a solid from its shape at rest at the start, by the positions at rest.',
  }),
  angularVelocity: vector({
    unit: 'rad/s',
    default: [0, 0, 0],
    text: 'Angular velocity at the start, about the centre of mass.',
  }),
  twist: vector({
    unit: 'rad/s',
    default: [0, 0, 0],
    text: 'Angular velocity on top at the start, which grows along its own direction as a quarter of a sine, from 0 at the lowest point of the body to all of it at the highest.',
  }),
  material,
  regions: list(materialRegionSchema, regionsText),
  scores: list(scoreSchema, 'Patterns that it breaks along, where its material has a tensileStrength.'),
  spacing: number({
    unit: 'm',
    above: 0,
    smallest: SHORTEST_LENGTH,
    atMost: LARGEST,
    text: 'Distance of neighbouring particles; give this or particles.',
  }).optional(),
  particles: number({
    unit: '1',
    integer: true,
    atLeast: 1,
    atMost: 1e9,
    text: 'About how many particles; 2000 when neither this nor spacing is given.',
    slider: { from: 100, to: 100_000, scale: 'logarithmic' },
  }).optional(),
  lattice: choice({
    values: ['cubic', 'bcc', 'hcp', 'octree'],
    default: 'cubic',
    text: 'How particles are laid out at the start.',
  }),
  jitter: number({
    unit: '1',
    atLeast: 0,
    atMost: 0.45,
    default: 0,
    slider: { from: 0, to: 0.45, scale: 'linear' },
    text: 'Random displacement of the particles at the start: up to this share of the spacing along each axis, within their cells and the shape.',
  }),
  discretisation: choice({
    values: [...discretisation.values, 'renewed', 'embedded'],
    text: 'Order of the moving least squares fit of this body, that of solver.solid when left out; renewed is for bodies that flow far: a linear fit whose neighbours change, of particles that split and merge, see docs/flow.md; embedded means the same.',
  }).optional(),
  joint: jointSchema.optional(),
  temperature: startTemperature(
    'Temperature at the start, by the positions at time 0; that of the scene when left out.',
  ),
  ...appearance,
  insideColor: color('Colour in pictures of faces where the body breaks; a lighter one when left out.').optional(),
  crackRoughness: number({
    unit: '1',
    atLeast: 0,
    atMost: 0.4,
    text: 'How far these faces are off smooth ones, as a share of the spacing; 0.12 when left out.',
  }).optional(),
});
const BODY = { text: 'A deformable or rigid body.' };

const oneResolution = (
  body: { spacing?: number | undefined; particles?: number | undefined },
  context: z.core.$RefinementCtx,
) => {
  if (body.spacing === undefined || body.particles === undefined) return;
  context.addIssue({ code: 'custom', message: 'has both spacing and particles, give at most one of them' });
};

const fitsItsKind = (
  body: Parameters<typeof rigidProblems>[0] & { readonly name?: string | undefined },
  context: z.core.$RefinementCtx,
) => {
  if (body.name !== undefined && parsePieceName(body.name)) {
    const message = `must not end in # and a number, as pieces of broken bodies do, got "${body.name}"`;
    context.addIssue({ code: 'custom', path: ['name'], message });
  }
  for (const { path, message } of rigidProblems(body)) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
};

/** What is wrong with the patterns of a body that are to be broken along. */
export function scoreProblems(body: {
  readonly material: { readonly tensileStrength: number | string };
  readonly regions: readonly { readonly set: { readonly tensileStrength?: number | string | undefined } }[];
  readonly scores: readonly unknown[];
}): string[] {
  const strengths = [body.material.tensileStrength, ...body.regions.map(({ set }) => set.tensileStrength ?? NEVER)];
  if (body.scores.length === 0 || strengths.some((strength) => typeof strength === 'string' || strength < NEVER))
    return [];
  return ['have no effect: the material cannot break. Give it a tensileStrength'];
}

/** Particles of a body that gives neither `spacing` nor `particles`. */
export const DEFAULT_PARTICLES = 2000;

/** A body in a scene file: its material may be the name of one in `materials`. */
export const sceneBodySchema = object(bodyShape(shapes.file, namedMaterial), BODY)
  .superRefine(oneResolution)
  .superRefine(fitsItsKind)
  .meta({ id: 'Body', description: BODY.text });

export const bodySchema = object(bodyShape(shapes.program, materialSchema.prefault({})), BODY)
  .superRefine(oneResolution)
  .superRefine(fitsItsKind)
  .superRefine(({ material, regions, scores }, context) => {
    for (const [i, { set }] of regions.entries()) {
      for (const { key, message } of ineffectiveKeys(material, set)) {
        context.addIssue({ code: 'custom', path: ['regions', i, 'set', key], message });
      }
    }
    for (const message of scoreProblems({ material, regions, scores })) {
      context.addIssue({ code: 'custom', path: ['scores'], message });
    }
  });

const obstacleShape = <S extends z.ZodType>(shape: S) => ({
  name: name('Name, unique among obstacles; obstacle1, obstacle2, ... when left out.').optional(),
  shape,
  position,
  rotation,
  friction: number(materialParameters.friction),
  restitution: number({
    ...materialParameters.restitution,
    default: 0,
    text: 'Coefficient of restitution: the share of the approach speed that a bounce gives back. The larger one of body and obstacle counts; that of solids when they have one.',
  }),
  slip: number({
    unit: '1',
    atLeast: 0,
    atMost: 1,
    default: 0,
    slider: { from: 0, to: 1, scale: 'linear' },
    text: 'How freely liquids move along it: 0 sticks, 1 slips.',
  }),
  adhesion: number({
    unit: '1',
    atLeast: 0,
    atMost: 1,
    default: 0.5,
    slider: { from: 0, to: 1, scale: 'linear' },
    text: "Share of a liquid's attraction to itself that it has; with surface tension the contact angle has about the cosine 2 adhesion - 1.",
  }),
  keyframes: keyframes('Poses relative to position and rotation; it stands still without.'),
  motion: motionSchema.optional(),
  temperature: temperature(
    'Temperature that it is held at: a hot plate, or a cold one; it takes no heat when left out.',
  ),
  contactConductance,
  ...appearance,
});
const OBSTACLE = { text: 'Something solid that bodies bump into and that is not moved by them.' };

const oneMotion = (
  { keyframes, motion }: { keyframes: readonly unknown[]; motion?: unknown },
  context: z.core.$RefinementCtx,
) => {
  if (keyframes.length === 0 || motion === undefined) return;
  context.addIssue({
    code: 'custom',
    path: ['motion'],
    message: 'must be left out beside keyframes: give one of them',
  });
};

export const sceneObstacleSchema = object(obstacleShape(obstacleShapes.file), OBSTACLE)
  .superRefine(oneMotion)
  .meta({ id: 'Obstacle', description: OBSTACLE.text });
export const obstacleSchema = object(obstacleShape(obstacleShapes.program), OBSTACLE).superRefine(oneMotion);

const emitterShape = <M extends z.ZodType>(material: M) => ({
  name: name('Name of the liquid, unique among bodies; emitter1, emitter2, ... when left out.').optional(),
  position,
  rotation: vector({
    unit: 'degrees',
    default: [0, 0, 0],
    text: 'Turn about the x, then y, then z axis; the liquid comes out along the y axis.',
  }),
  radius: length('Radius of the opening.'),
  speed: number({
    unit: 'm/s',
    above: 0,
    atMost: LARGEST,
    text: 'Speed of the liquid that comes out; give this or rate.',
  }).optional(),
  rate: number({
    unit: 'm3/s',
    above: 0,
    atMost: LARGEST,
    text: 'Volume that comes out per second; give this or speed.',
  }).optional(),
  start: number({ unit: 's', atLeast: 0, atMost: LARGEST, default: 0, text: 'When it begins.' }),
  stop: number({ unit: 's', above: 0, default: Infinity, unlimited: true, text: 'When it ends; never when left out.' }),
  maxParticles: number({
    unit: '1',
    integer: true,
    atLeast: 1,
    atMost: 8_388_607,
    default: 20_000,
    text: 'Particles of it that may be in the world at a time; a report says when they are all in use.',
  }),
  spacing: length('Distance of neighbouring particles, the same for all liquids.'),
  material,
  temperature: temperature('Temperature of the liquid that comes out; that of the scene when left out.'),
  ...appearance,
});
const EMITTER_TEXT = 'A round opening that liquid comes out of.';

/** Particles that one layer of a source may have. */
const LARGEST_LAYER = 1e6;

const oneFlow = (
  emitter: Pick<EmitterOptions, 'speed' | 'rate' | 'start' | 'stop' | 'radius' | 'spacing'>,
  context: z.core.$RefinementCtx,
) => {
  if ((emitter.speed === undefined) === (emitter.rate === undefined)) {
    const got = emitter.speed === undefined ? 'neither' : 'both';
    context.addIssue({ code: 'custom', message: `must have either speed or rate, got ${got}` });
  }
  const layer = (Math.PI * emitter.radius * emitter.radius) / (emitter.spacing * emitter.spacing);
  if (layer > LARGEST_LAYER) {
    const message = `is too large for the spacing: a layer of the opening would have ${layer.toExponential(1)} particles, at most ${LARGEST_LAYER} are possible`;
    context.addIssue({ code: 'custom', path: ['radius'], message });
  }
  if (!(emitter.start < emitter.stop)) {
    const message = `must be > start, ${emitter.start} s, got ${emitter.stop}`;
    context.addIssue({ code: 'custom', path: ['stop'], message });
  }
};

export const sceneEmitterSchema = object(emitterShape(namedMaterial), { text: EMITTER_TEXT })
  .superRefine(oneFlow)
  .meta({ id: 'Emitter', description: EMITTER_TEXT });
export const emitterSchema = object(emitterShape(materialSchema.prefault({})), { text: EMITTER_TEXT }).superRefine(
  oneFlow,
);

/** Where particles of liquids leave the world; everywhere would leave none. */
export const sinkSchema = regionSchema.refine((region) => !('all' in region), { error: 'must be a box or a sphere' });
