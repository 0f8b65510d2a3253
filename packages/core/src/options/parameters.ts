/**
 * Every parameter of a world, declared once: unit, range, default and one line of text. The input
 * types, the checks and their messages, the JSON Schema, docs/scene.md and sliders come from here.
 */
import * as z from 'zod';
import {
  choice,
  color,
  type Defaulted,
  flag,
  LARGEST,
  list,
  type NumberDeclaration,
  name,
  number,
  object,
  oneOf,
  vector,
} from './declare.js';
import { describeValue } from './errors.js';
import {
  contactConductance,
  heatSchema as heatSchemaIn,
  heatTransfer,
  temperature,
  temperatureCurves,
  thermalChanges,
  thermalFields,
  worldTemperature,
} from './heat.js';
import { MATERIAL_PRESETS, type MaterialPreset } from './presets.js';
import { jointSchema, rigidProblems } from './rigid.js';
import type {
  Axis,
  BodyOptions,
  ConstraintOptions,
  EmitterOptions,
  EventOptions,
  HeatOptions,
  Keyframe,
  Material,
  MaterialChange,
  MaterialModel,
  ObstacleOptions,
  ObstacleShape,
  Orthotropic,
  ProbeOptions,
  ProbeQuantity,
  Region,
  Shape,
  SolverOptions,
  ThermalMaterial,
  TriangleMesh,
  WorldOptions,
} from './types.js';

const AXES = ['x', 'y', 'z'] as const;

/** Material parameters that are numbers; friction and restitution are shared with obstacles. */
/** A yield stress that nothing reaches [Pa]. */
export const NEVER = 1e18;

export const materialParameters = {
  density: {
    unit: 'kg/m3',
    above: 0,
    atMost: LARGEST,
    default: 1000,
    slider: { from: 10, to: 10_000, scale: 'logarithmic' },
    text: 'Mass per volume at rest.',
  },
  youngsModulus: {
    unit: 'Pa',
    above: 0,
    atMost: 1e18,
    default: 1e5,
    slider: { from: 1e3, to: 1e8, scale: 'logarithmic' },
    text: "Young's modulus: the stiffness in tension.",
  },
  poissonsRatio: {
    unit: '1',
    above: -1,
    below: 0.5,
    default: 0.3,
    slider: { from: 0, to: 0.49, scale: 'linear' },
    text: "Poisson's ratio: how much a stretched piece gets thinner; near 0.5 the volume hardly changes.",
  },
  damping: {
    unit: '1',
    atLeast: 0,
    atMost: LARGEST,
    default: 0,
    slider: { from: 0, to: 1, scale: 'linear' },
    text: "Damping ratio of the body's slowest wave; rigid motion is not damped.",
  },
  volumeStiffness: {
    unit: '1',
    atLeast: 0,
    atMost: 1,
    default: 1,
    slider: { from: 0, to: 1, scale: 'linear' },
    text: 'Share of the bulk response carried by the determinant term, which keeps pieces from turning inside out.',
  },
  yieldStress: {
    unit: 'Pa',
    atLeast: 0,
    atMost: NEVER,
    default: NEVER,
    slider: { from: 1e2, to: 1e9, scale: 'logarithmic' },
    text: 'Von Mises stress at which it begins to flow for good; with the default it never does.',
  },
  hardening: {
    unit: 'Pa',
    atLeast: -NEVER,
    atMost: NEVER,
    default: 0,
    slider: { from: 0, to: 1e8, scale: 'linear' },
    text: 'How much the yield stress grows per plastic strain; below zero it softens.',
  },
  creepRate: {
    unit: '1/s',
    atLeast: 0,
    atMost: LARGEST,
    default: LARGEST,
    slider: { from: 0.01, to: 1e4, scale: 'logarithmic' },
    text: 'Rate at which stress beyond the yield stress relaxes, one over the relaxation time; with the default at once.',
  },
  plasticLimit: {
    unit: '1',
    atLeast: 0,
    atMost: LARGEST,
    default: LARGEST,
    slider: { from: 0, to: 5, scale: 'linear' },
    text: 'Plastic strain, accumulated, at which it stops flowing and is elastic again.',
  },
  plasticVolume: {
    unit: '1',
    atLeast: 0,
    atMost: 1,
    default: 0,
    slider: { from: 0, to: 1, scale: 'linear' },
    text: 'Share of the change of volume that flows as shear does: 0 for metals and clay, 1 for what can be crushed.',
  },
  friction: {
    unit: '1',
    atLeast: 0,
    atMost: LARGEST,
    default: 0.5,
    slider: { from: 0, to: 1.5, scale: 'linear' },
    text: 'Coulomb friction coefficient.',
  },
  restitution: {
    unit: '1',
    atLeast: 0,
    atMost: 1,
    default: 0,
    slider: { from: 0, to: 1, scale: 'linear' },
    text: 'Coefficient of restitution: the share of the approach speed that a bounce gives back.',
  },
  viscosity: {
    unit: 'Pa s',
    atLeast: 0,
    atMost: LARGEST,
    default: 1e-3,
    slider: { from: 1e-4, to: 1e3, scale: 'logarithmic' },
    text: 'Dynamic viscosity of a liquid: water 0.001, olive oil 0.08, honey 10.',
  },
  surfaceTension: {
    unit: 'N/m',
    atLeast: 0,
    atMost: LARGEST,
    default: 0,
    slider: { from: 0, to: 1, scale: 'linear' },
    text: 'Surface tension of a liquid; water has 0.0728.',
  },
  cohesion: {
    unit: 'Pa',
    atLeast: 0,
    atMost: LARGEST,
    default: 0,
    slider: { from: 0, to: 1e4, scale: 'linear' },
    text: 'Pull that a liquid bears before it comes apart: a jet that falls gets thinner instead of parting into discs; next to nothing beside surfaceTension, whose surface lacks density. With wcsph the pressure by which it holds together at rest density. Not for elastic ones.',
  },
} as const satisfies Record<
  Exclude<keyof Material, 'model' | 'orthotropic' | 'byTemperature' | 'elastic' | keyof ThermalMaterial>,
  NumberDeclaration
>;

type MaterialNumber = keyof typeof materialParameters;

/** The schema of each number of a material. */
function materialNumbers<S>(
  schemaOf: (declaration: NumberDeclaration & { default: number }) => S,
): Record<MaterialNumber, S> {
  const entries = Object.entries(materialParameters).map(([key, declaration]) => [key, schemaOf(declaration)]);
  return Object.fromEntries(entries) as Record<MaterialNumber, S>;
}

const MODEL = {
  values: ['stVenantKirchhoff', 'neoHookean', 'corotational'],
  text: 'Law of the stored energy: stVenantKirchhoff is that of the papers, neoHookean (in its stable form) survives inversion and strong compression, corotational is linear in the rotated frame.',
} as const;

const ORTHOTROPIC_TEXT = 'Stiffness that differs along three perpendicular axes of the material.';
const moduli = (text: string) => vector({ unit: 'Pa', above: 0, magnitude: 1e18, text });
const orthotropicSchema = object(
  {
    youngsModuli: moduli("Young's moduli along the material's x, y and z."),
    shearModuli: moduli('Shear moduli in the planes yz, xz and xy.'),
    poissonsRatios: vector({
      unit: '1',
      text: "Poisson's ratios yz, xz and xy: ij is the contraction along j under tension along i.",
    }),
    rotation: vector({
      unit: 'degrees',
      default: [0, 0, 0],
      text: "Turn of the material's axes relative to the body's, about the x, then y, then z axis.",
    }),
  },
  { text: ORTHOTROPIC_TEXT },
)
  .superRefine((orthotropic, context) => {
    const problem = indefiniteness(orthotropic);
    if (problem)
      context.addIssue({ code: 'custom', path: ['poissonsRatios', ...problem.path], message: problem.message });
  })
  .meta({ id: 'Orthotropic', description: ORTHOTROPIC_TEXT });

/** Which bound on Poisson's ratios is broken, so that some deformation would give energy away. */
function indefiniteness({
  youngsModuli: E,
  poissonsRatios: nu,
}: Orthotropic): { readonly path: number[]; readonly message: string } | undefined {
  for (const [k, [i, j]] of PLANES.entries()) {
    const limit = Math.sqrt(E[i]! / E[j]!);
    if (Math.abs(nu[k]!) < limit) continue;
    const [a, b] = [AXES[i], AXES[j]];
    return {
      path: [k],
      message: `must have nu_${a}${b}^2 < E_${a}/E_${b}, so be > -${digits(limit)} and < ${digits(limit)}, got ${nu[k]}`,
    };
  }
  const [yz, xz, xy] = nu;
  const [zy, zx, yx] = [(yz * E[2]) / E[1], (xz * E[2]) / E[0], (xy * E[1]) / E[0]];
  const determinant = 1 - xy * yx - yz * zy - xz * zx - 2 * xy * yz * zx;
  // Below this it is the rounding of the terms.
  if (determinant > 1e-12) return undefined;
  return {
    path: [],
    message: `must be smaller together: 1 - nu_xy nu_yx - nu_yz nu_zy - nu_xz nu_zx - 2 nu_xy nu_yz nu_zx must be > 0, got ${digits(determinant)}`,
  };
}

/** Axes of the planes yz, xz, xy. */
const PLANES = [
  [1, 2],
  [0, 2],
  [0, 1],
] as const;

function digits(x: number): number {
  return Number(x.toPrecision(3));
}

const PRESET_NAMES = Object.keys(MATERIAL_PRESETS) as MaterialPreset[];

/** The parameters of a material, for sliders: `declarationOf(materialFields.density)`. */
export const materialFields = {
  ...materialNumbers<Defaulted<number>>(number),
  ...thermalFields,
  byTemperature: temperatureCurves.optional(),
  elastic: flag({
    default: false,
    text: 'For fluid bodies and emitters: elastic as far as it is not molten, with youngsModulus, poissonsRatio and the rest of a solid; what has no meltingPoint always is, and is viscoelastic with a yieldStress or creepRate. See docs/melting.md.',
  }),
  model: choice<MaterialModel>({ ...MODEL, default: 'stVenantKirchhoff' }),
  orthotropic: orthotropicSchema.optional(),
  preset: choice<MaterialPreset>({
    values: PRESET_NAMES,
    text: 'Real material to start from; the other keys override its values, see docs/materials.md.',
  }).exactOptional(),
};

const MATERIAL_TEXT = 'How a body answers to deformation, contact and heat.';
const writtenMaterial = object(materialFields, { text: MATERIAL_TEXT })
  .superRefine(({ orthotropic, model, yieldStress, elastic }, context) => {
    if (orthotropic && elastic) {
      const message = 'must be false with orthotropic: what melts has no axes';
      context.addIssue({ code: 'custom', path: ['elastic'], message });
    }
    if (orthotropic && yieldStress < NEVER) {
      const message = 'has no effect with orthotropic, which does not yield';
      context.addIssue({ code: 'custom', path: ['yieldStress'], message });
    }
    if (!orthotropic || model === 'stVenantKirchhoff') return;
    const message = `must be stVenantKirchhoff with orthotropic, got ${describeValue(model)}`;
    context.addIssue({ code: 'custom', path: ['model'], message });
  })
  .meta({ id: 'Material', description: MATERIAL_TEXT });

/** What a preset says comes first, what is written beside it wins. */
export const materialSchema = z.preprocess((input, context) => {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'preset')) return input;
  const { preset, ...given } = input as Record<string, unknown>;
  if (preset === undefined) return given;
  if (!isPreset(preset)) return input;
  const base: Partial<Material> = MATERIAL_PRESETS[preset];
  const written = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  for (const key of ['youngsModulus', 'poissonsRatio']) {
    if (!base.orthotropic || !(key in written)) continue;
    const message = `has no effect on the preset ${preset}, which is orthotropic`;
    context.addIssue({ code: 'custom', path: [key], message });
  }
  return { ...base, ...written };
}, writtenMaterial) as unknown as z.ZodType<Material, z.input<typeof writtenMaterial>>;

export function isPreset(name: unknown): name is MaterialPreset {
  return typeof name === 'string' && Object.hasOwn(MATERIAL_PRESETS, name);
}

const without = ({ default: _, ...declaration }: NumberDeclaration) => number(declaration).exactOptional();
const {
  density,
  youngsModulus,
  poissonsRatio,
  volumeStiffness,
  yieldStress,
  hardening,
  creepRate,
  plasticLimit,
  ...ofWholeBodies
} = materialNumbers(without);
const ofParticles = {
  density,
  youngsModulus,
  poissonsRatio,
  volumeStiffness,
  yieldStress,
  hardening,
  creepRate,
  plasticLimit,
  ...thermalChanges,
};

/** Parameters to change; no defaults. */
function materialChange<S extends z.core.$ZodLooseShape>(
  shape: S,
  { id, text, refused }: { readonly id: string; readonly text: string; readonly refused: Record<string, string> },
) {
  return object(shape, { text, refused })
    .refine((set) => Object.values(set).some((value) => value !== undefined), {
      error: 'must change at least one material parameter',
    })
    .meta({ id, description: text });
}

const materialChangeSchema = materialChange(
  { ...ofParticles, ...ofWholeBodies, model: choice<MaterialModel>(MODEL).exactOptional() },
  {
    id: 'MaterialChange',
    text: 'Material parameters and their new values.',
    refused: {
      orthotropic: 'cannot be changed by an event',
      byTemperature: 'cannot be changed by an event',
      elastic: 'cannot be changed by an event',
      preset: 'cannot be given to an event, name the values',
    },
  },
);

const PER_BODY = 'cannot differ by region, it belongs to the whole body';
const regionalChangeSchema = materialChange(ofParticles, {
  id: 'RegionalChange',
  text: 'Material parameters and their values in the region.',
  refused: {
    ...Object.fromEntries(
      [...Object.keys(ofWholeBodies), 'model', 'orthotropic', 'byTemperature', 'elastic'].map((key) => [key, PER_BODY]),
    ),
    preset: 'cannot be given to a region, name the values',
  },
});

const length = (text: string) => number({ unit: 'm', above: 0, atMost: LARGEST, text });
const position = vector({ unit: 'm', default: [0, 0, 0], text: 'Where the origin of the shape is put.' });
const rotation = vector({ unit: 'degrees', default: [0, 0, 0], text: 'Turn about the x, then y, then z axis.' });

/** Says why a mesh path leaves the scene's folder, or nothing when it stays inside. */
export function meshPathProblem(file: string): string | undefined {
  if (file.trim() === '') return 'must not be empty';
  if (/[\p{Cc}\p{Cs}]/u.test(file)) return 'must not contain control characters';
  if (file.length > 1000) return 'must have at most 1000 characters';
  const rule = "must be a path inside the scene's folder";
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(file)) return `${rule}, not an address or drive, got ${describeValue(file)}`;
  if (/^[/\\~]/.test(file)) return `${rule}, not an absolute one, got ${describeValue(file)}`;
  let depth = 0;
  const parts = file.split(/[/\\]/);
  for (const part of parts) {
    if (part === '..') depth--;
    else if (part !== '.' && part !== '') depth++;
    if (depth < 0) return `${rule}, it must not leave it with "..", got ${describeValue(file)}`;
  }
  if (depth === 0) return `must name a file, got ${describeValue(file)}`;
  return undefined;
}

const meshFile = z
  .string({
    error: (issue) =>
      issue.input === undefined ? 'is missing: the mesh file' : `must be a path, got ${describeValue(issue.input)}`,
  })
  .superRefine((file, context) => {
    const problem = meshPathProblem(file);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ description: "Closed triangle mesh, a path relative to the scene's folder and inside it." });

const meshSize = length(
  'Length of the longest side of its bounding box; the size in the file when left out.',
).optional();

/** Meshes in scene files. */
const fileMeshSchema = object(
  { file: meshFile, size: meshSize },
  { id: 'Mesh', text: 'A closed triangle mesh with the origin of its file.' },
);

const meshData = z.custom<TriangleMesh>(
  (value) => {
    const mesh = value as Partial<TriangleMesh> | null;
    return (
      typeof mesh === 'object' &&
      mesh !== null &&
      ArrayBuffer.isView(mesh.positions) &&
      ArrayBuffer.isView(mesh.triangles) &&
      mesh.positions instanceof Float64Array &&
      mesh.triangles instanceof Uint32Array
    );
  },
  { error: 'must have positions (Float64Array) and triangles (Uint32Array)' },
);

/** Meshes from programs: the triangles themselves, or a file that `loadScene` reads. */
const programMeshSchema = object(
  { file: meshFile.optional(), data: meshData.optional(), size: meshSize },
  { text: 'A closed triangle mesh.' },
).refine((mesh) => mesh.file !== undefined || mesh.data !== undefined, { error: 'must have file or data' });

const primitives = {
  box: object(
    { size: vector({ unit: 'm', above: 0, text: 'Lengths of the sides along x, y and z.' }) },
    { id: 'Box', text: 'A box centred on its origin.' },
  ),
  sphere: object({ radius: length('Radius.') }, { id: 'Sphere', text: 'A ball centred on its origin.' }),
  cylinder: object(
    { radius: length('Radius.'), length: length('Length along y.') },
    { id: 'Cylinder', text: 'A cylinder along y.' },
  ),
  capsule: object(
    {
      radius: length('Radius of the section and of the ends.'),
      length: length('Length of the straight part, along y.'),
    },
    { id: 'Capsule', text: 'A cylinder along y with round ends.' },
  ),
  torus: object(
    { radius: length('Radius of the ring.'), tube: length('Radius of the section; less than that of the ring.') },
    { text: 'A ring around y.' },
  )
    .refine((torus) => torus.tube < torus.radius, { error: 'must have a tube smaller than its radius' })
    .meta({ id: 'Torus', description: 'A ring around y.' }),
};

const plane = object(
  {
    normal: vector({ unit: '1', default: [0, 1, 0], text: 'Direction away from the solid side; any length but zero.' }),
    offset: number({
      unit: 'm',
      atLeast: -LARGEST,
      atMost: LARGEST,
      default: 0,
      text: 'Distance from the origin along the normal.',
    }),
  },
  { text: 'Everything below a plane.' },
)
  .refine((value) => Math.hypot(...value.normal) > 1e-12, { error: 'must have a normal that is not zero' })
  .meta({ id: 'Plane', description: 'Everything below a plane.' });

const SHAPE_TEXT = 'The shape of a body.';
const OBSTACLE_SHAPE_TEXT = 'The shape of an obstacle.';
const shapes = {
  file: oneOf({ ...primitives, mesh: fileMeshSchema }, { id: 'Shape', text: SHAPE_TEXT }),
  program: oneOf({ ...primitives, mesh: programMeshSchema }, { id: 'ProgramShape', text: SHAPE_TEXT }),
};
const obstacleShapes = {
  file: oneOf({ ...primitives, mesh: fileMeshSchema, plane }, { id: 'ObstacleShape', text: OBSTACLE_SHAPE_TEXT }),
  program: oneOf(
    { ...primitives, mesh: programMeshSchema, plane },
    { id: 'ProgramObstacleShape', text: OBSTACLE_SHAPE_TEXT },
  ),
};

const time = number({ unit: 's', atLeast: 0, atMost: LARGEST, text: 'Time.' });

const keyframeSchema = object(
  {
    time,
    position: vector({ unit: 'm', default: [0, 0, 0], text: 'Displacement.' }),
    rotation: vector({ unit: 'degrees', default: [0, 0, 0], text: 'Turn about the x, then y, then z axis.' }),
  },
  {
    id: 'Keyframe',
    text: 'A pose at a time; between two of them positions go straight and rotations along the shortest arc.',
  },
);

function keyframes(
  text: string,
): z.ZodDefault<z.ZodType<readonly Keyframe[], readonly z.input<typeof keyframeSchema>[]>> {
  return list(keyframeSchema, text).superRefine((frames, context) => {
    for (let i = 1; i < frames.length; i++) {
      const [before, frame] = [frames[i - 1]!, frames[i]!];
      if (!(frame.time > before.time)) {
        const message = `must be greater than the time before it, ${before.time} s, got ${frame.time}`;
        context.addIssue({ code: 'custom', path: [i, 'time'], message });
      }
      for (let axis = 0; axis < 3; axis++) {
        const turn = frame.rotation[axis]! - before.rotation[axis]!;
        if (Math.abs(turn) < 180) continue;
        // The shorter arc would go the other way round, or nowhere.
        const message = `must turn by less than 180 degrees from the keyframe before it, got ${turn}: put keyframes in between`;
        context.addIssue({ code: 'custom', path: [i, 'rotation', axis], message });
      }
    }
  }) as never;
}

const regionSchema = oneOf(
  {
    all: z
      .literal(true, { error: (issue) => `must be true, got ${describeValue(issue.input)}` })
      .meta({ description: 'The whole body, or all bodies.' }),
    box: object(
      { min: vector({ unit: 'm', text: 'Lowest corner.' }), max: vector({ unit: 'm', text: 'Highest corner.' }) },
      { text: 'All particles in an upright box.' },
    )
      .superRefine(({ min, max }, context) => {
        for (const [i, axis] of AXES.entries()) {
          if (min[i]! <= max[i]!) continue;
          const message = `must be >= min along ${axis}, ${min[i]} m, got ${max[i]}`;
          context.addIssue({ code: 'custom', path: ['max', i], message });
        }
      })
      .meta({ id: 'RegionBox', description: 'All particles in an upright box.' }),
    sphere: object(
      { center: vector({ unit: 'm', text: 'Centre.' }), radius: length('Radius.') },
      { id: 'RegionSphere', text: 'All particles in a ball.' },
    ),
  },
  { id: 'Region', text: 'Selects particles by their positions in the world at time 0.' },
);
const region: z.ZodDefault<z.ZodType<Region, z.input<typeof regionSchema>>> = regionSchema.default({ all: true });

const fix = z
  .union(
    [
      z.boolean(),
      z.array(z.enum(AXES, { error: (issue) => `must be "x", "y" or "z", got ${describeValue(issue.input)}` })),
    ],
    { error: (issue) => `must be true or a list of axes like ["x", "z"], got ${describeValue(issue.input)}` },
  )
  .transform((value): readonly Axis[] => {
    if (typeof value === 'boolean') return value ? [...AXES] : [];
    return AXES.filter((axis) => value.includes(axis));
  })
  .meta({ description: 'World axes that are held: true for all three, or a list like ["x", "z"].' })
  .default([]) as unknown as z.ZodDefault<z.ZodType<readonly Axis[], boolean | readonly Axis[]>>;

const regionsText = 'Parts with another material; where they overlap the last one counts.';
const materialRegionSchema = object(
  { region: regionSchema, set: regionalChangeSchema },
  { id: 'MaterialRegion', text: 'Another material in a part of a body.' },
);

const discretisation = {
  values: ['linear', 'quadratic'],
  text: 'Order of the moving least squares fit: linear is the fastest, quadratic needs fewer particles.',
} as const;

/** How it is shown in pictures; nothing of it changes what happens. */
const appearance = {
  color: color('Colour in pictures, like "#3b82f6"; chosen when left out.').optional(),
  look: choice({
    values: ['matte', 'glossy', 'glass'],
    text: 'Surface in pictures: matte, glossy, or glass, which is clear and tinted by color; chosen when left out.',
  }).optional(),
};

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
  velocity: vector({ unit: 'm/s', default: [0, 0, 0], text: 'Velocity at the start.' }),
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
  spacing: number({
    unit: 'm',
    above: 0,
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
    values: [...discretisation.values, 'embedded'],
    text: 'Order of the moving least squares fit of this body, that of solver.solid when left out; embedded is for bodies that flow far: a linear fit whose neighbours change, see docs/flow.md.',
  }).optional(),
  joint: jointSchema.optional(),
  temperature: temperature('Temperature at the start; that of the scene when left out.'),
  ...appearance,
});
const BODY = { text: 'A deformable or rigid body.' };

const oneResolution = (
  body: { spacing?: number | undefined; particles?: number | undefined },
  context: z.core.$RefinementCtx,
) => {
  if (body.spacing === undefined || body.particles === undefined) return;
  context.addIssue({ code: 'custom', message: 'has both spacing and particles, give at most one of them' });
};

const fitsItsKind = (body: Parameters<typeof rigidProblems>[0], context: z.core.$RefinementCtx) => {
  for (const { path, message } of rigidProblems(body)) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
};

/** Keys of a change that say nothing to an orthotropic material, each with what is wrong about it. */
export function ineffectiveKeys(material: Material, set: MaterialChange): { key: string; message: string }[] {
  if (!material.orthotropic) return [];
  const message = 'has no effect on an orthotropic material';
  const keys = (['youngsModulus', 'poissonsRatio'] as const).filter((key) => set[key] !== undefined);
  const problems = keys.map((key) => ({ key: key as string, message }));
  if (set.model !== undefined && set.model !== 'stVenantKirchhoff') {
    problems.push({ key: 'model', message: 'must be stVenantKirchhoff for an orthotropic material' });
  }
  return problems;
}

/** Particles of a body that gives neither `spacing` nor `particles`. */
export const DEFAULT_PARTICLES = 2000;

const namedMaterial = z
  .union([z.string(), materialSchema], {
    error: (issue) => `must be the name of a material or an object, got ${describeValue(issue.input)}`,
  })
  .prefault({})
  .meta({ description: 'The name of a material in materials or of a preset, or the parameters themselves.' });

/** A body in a scene file: its material may be the name of one in `materials`. */
export const sceneBodySchema = object(bodyShape(shapes.file, namedMaterial), BODY)
  .superRefine(oneResolution)
  .superRefine(fitsItsKind)
  .meta({ id: 'Body', description: BODY.text });

export const bodySchema = object(bodyShape(shapes.program, materialSchema.prefault({})), BODY)
  .superRefine(oneResolution)
  .superRefine(fitsItsKind)
  .superRefine(({ material, regions }, context) => {
    for (const [i, { set }] of regions.entries()) {
      for (const { key, message } of ineffectiveKeys(material, set)) {
        context.addIssue({ code: 'custom', path: ['regions', i, 'set', key], message });
      }
    }
  });

const obstacleShape = <S extends z.ZodType>(shape: S) => ({
  name: name('Name, unique among obstacles; obstacle1, obstacle2, ... when left out.').optional(),
  shape,
  position,
  rotation,
  friction: number(materialParameters.friction),
  restitution: number(materialParameters.restitution),
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
    text: "Share of a liquid's attraction to itself that it has; with surface tension the contact angle has the cosine 2 adhesion - 1.",
  }),
  keyframes: keyframes('Poses relative to position and rotation; it stands still without.'),
  temperature: temperature(
    'Temperature that it is held at: a hot plate, or a cold one; it takes no heat when left out.',
  ),
  contactConductance,
  ...appearance,
});
const OBSTACLE = { text: 'Something solid that bodies bump into and that is not moved by them.' };

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

export const sceneObstacleSchema = object(obstacleShape(obstacleShapes.file), { ...OBSTACLE, id: 'Obstacle' });
export const obstacleSchema = object(obstacleShape(obstacleShapes.program), OBSTACLE);

const CONSTRAINT_TEXT = 'Holds, moves or pulls the particles of a region.';
export const constraintSchema = object(
  {
    body: name('The body it acts on.'),
    region,
    fix,
    move: keyframes("Poses relative to the start, turning about the region's centre of mass."),
    force: vector({
      unit: 'N',
      default: [0, 0, 0],
      magnitude: 1e18,
      text: 'Total force, spread over the region in proportion to mass.',
    }),
    start: number({ unit: 's', atLeast: 0, atMost: LARGEST, default: 0, text: 'When it begins to act.' }),
    end: number({
      unit: 's',
      above: 0,
      default: Infinity,
      unlimited: true,
      text: 'When it lets go; never when left out.',
    }),
  },
  { text: CONSTRAINT_TEXT },
)
  .refine((constraint) => constraint.start < constraint.end, { error: 'must be > start', path: ['end'] })
  .refine(({ fix, move, start }) => start === 0 || fix.length + move.length === 0, {
    error: 'must be 0 s with fix or move, which hold particles by their places at time 0',
    path: ['start'],
  })
  .refine(({ fix, move, force }) => fix.length + move.length > 0 || force.some((f) => f !== 0), {
    error: 'does nothing: give it fix, move or force',
  })
  .meta({ id: 'Constraint', description: CONSTRAINT_TEXT });

export const heatSchema = heatSchemaIn(region as never) as unknown as z.ZodType<HeatOptions, HeatInput>;

export const eventSchema = object(
  {
    time: number({ unit: 's', atLeast: 0, atMost: LARGEST, text: 'When it happens.' }),
    body: name('The body whose material changes.'),
    set: materialChangeSchema,
  },
  { id: 'Event', text: 'A change of material at a time.' },
);

/** Probe quantities with their unit; vectors give three columns. */
export const probeQuantities = {
  position: { unit: 'm', components: 3, text: 'centre of mass' },
  displacement: { unit: 'm', components: 3, text: 'mean displacement since time 0' },
  velocity: { unit: 'm/s', components: 3, text: 'mean velocity' },
  energy: { unit: 'J', components: 1, text: 'kinetic + elastic + gravitational energy' },
  kineticEnergy: { unit: 'J', components: 1, text: 'kinetic energy' },
  elasticEnergy: { unit: 'J', components: 1, text: 'elastic energy' },
  gravitationalEnergy: { unit: 'J', components: 1, text: 'gravitational energy' },
  momentum: { unit: 'kg m/s', components: 3, text: 'momentum' },
  angularMomentum: { unit: 'kg m2/s', components: 3, text: 'angular momentum about the origin' },
  volume: { unit: 'm3', components: 1, text: 'volume' },
  density: { unit: 'kg/m3', components: 1, text: 'mean density' },
  stress: { unit: 'Pa', components: 1, text: 'mean von Mises stress' },
  plasticStrain: { unit: '1', components: 1, text: 'mean accumulated plastic strain' },
  pressure: { unit: 'Pa', components: 1, text: 'mean pressure of liquids' },
  maximumSpeed: { unit: 'm/s', components: 1, text: 'speed of the fastest particle' },
  temperature: { unit: 'degrees C', components: 1, text: 'mean temperature' },
  heat: { unit: 'J', components: 1, text: 'heat, latent heat included; zero for solid matter at 0 degrees C' },
  liquidFraction: { unit: '1', components: 1, text: 'share of the mass that is molten' },
} as const satisfies Record<ProbeQuantity, { unit: string; components: 1 | 3; text: string }>;

export const probeSchema = object(
  {
    name: name('Name of its column; vectors get name.x, name.y and name.z.'),
    body: name('The body it measures; all bodies when left out.').optional(),
    region,
    quantity: choice({
      values: Object.keys(probeQuantities) as ProbeQuantity[],
      text: 'What is measured.',
    }),
  },
  { id: 'Probe', text: 'A measurement, written to probes.csv for every frame.' },
);

/** Columns of a probe in probes.csv. */
export function probeColumns(probe: Pick<ProbeOptions, 'name' | 'quantity'>): string[] {
  if (probeQuantities[probe.quantity].components === 1) return [probe.name];
  return AXES.map((axis) => `${probe.name}.${axis}`);
}

const solidSolverSchema = object(
  {
    discretisation: choice({ ...discretisation, default: 'linear' }),
    integrator: choice({
      values: ['explicit', 'verlet', 'implicit', 'midpoint'],
      default: 'explicit',
      text: 'Time integration: leapfrog (explicit) or its position form (verlet); implicit is backward Euler, stable at any step, which damps; midpoint is implicit too, of second order, and keeps energy better.',
    }),
    support: number({
      unit: '1',
      atLeast: 1.5,
      atMost: 4,
      slider: { from: 1.5, to: 4, scale: 'linear' },
      text: 'Support radius in units of the particle spacing; when left out 2.1 for linear and 2.4 for quadratic, 2.6 where particles are irregular.',
    }).exactOptional(),
    stabilisation: number({
      unit: '1',
      atLeast: 0,
      atMost: 2,
      slider: { from: 0, to: 2, scale: 'linear' },
      text: 'Weight of the penalty on displacements that the fit cannot see; 0 as in the papers. When left out 0.75 for linear (calibrated on beams) and 0.1 for quadratic, 1 where particles are irregular.',
    }).exactOptional(),
    tolerance: number({
      unit: '1',
      above: 0,
      atMost: 0.1,
      default: 1e-3,
      slider: { from: 1e-6, to: 0.1, scale: 'logarithmic' },
      text: 'Largest residual force of an implicit or static solution, relative to the forces that act.',
    }),
    maxIterations: number({
      unit: '1',
      integer: true,
      atLeast: 1,
      atMost: 100_000,
      default: 1000,
      slider: { from: 10, to: 100_000, scale: 'logarithmic' },
      text: 'Conjugate gradient iterations in one solve before the step is tried again with half the length.',
    }),
  },
  { id: 'SolidSolver', text: 'How solids are solved.' },
);

const fluidSolverSchema = object(
  {
    pressure: choice({
      values: ['dfsph', 'wcsph'],
      default: 'dfsph',
      text: 'How pressure is found: divergence-free SPH, which hardly compresses and takes long steps, or the weakly compressible SPH of the papers.',
    }),
    densityError: number({
      unit: '1',
      above: 0,
      atMost: 0.1,
      default: 5e-4,
      slider: { from: 1e-5, to: 0.01, scale: 'logarithmic' },
      text: 'Mean compression that dfsph puts up with.',
    }),
    tolerance: number({
      unit: '1',
      above: 0,
      atMost: 0.5,
      default: 0.1,
      slider: { from: 1e-4, to: 0.5, scale: 'logarithmic' },
      text: 'Compression by the velocities that the pressure of dfsph may leave, relative to what it undoes.',
    }),
    maxIterations: number({
      unit: '1',
      integer: true,
      atLeast: 1,
      atMost: 100_000,
      default: 200,
      slider: { from: 10, to: 1000, scale: 'logarithmic' },
      text: 'Iterations of a pressure solution, times the root of the ratio of densities where liquids differ; the report says when they were not enough.',
    }),
    cfl: number({
      unit: '1',
      above: 0,
      atMost: 1,
      default: 0.4,
      slider: { from: 0.1, to: 1, scale: 'linear' },
      text: 'Share of its spacing that a liquid particle may go in a step.',
    }),
    maxTimeStep: number({
      unit: 's',
      above: 0,
      atMost: LARGEST,
      default: 0.005,
      text: "Upper bound of the liquid's time step.",
    }),
    stiffness: number({
      unit: 'Pa',
      above: 0,
      atMost: 1e18,
      default: 5e4,
      slider: { from: 1e2, to: 1e7, scale: 'logarithmic' },
      text: 'Stiffness k of the equation of state of wcsph, p = k ((density/rest density)^exponent - 1).',
    }),
    exponent: number({
      unit: '1',
      integer: true,
      atLeast: 1,
      atMost: 16,
      default: 7,
      text: 'Exponent of the equation of state of wcsph.',
    }),
    eddyViscosity: number({
      unit: '1',
      atLeast: 0,
      atMost: 10,
      default: 0.3,
      slider: { from: 0, to: 1, scale: 'linear' },
      text: "Viscosity of eddies too small to be seen, over spacing times the difference of neighbours' velocities: it damps noise and dies out with it.",
    }),
    xsph: number({
      unit: '1',
      atLeast: 0,
      atMost: 1,
      default: 0,
      slider: { from: 0, to: 1, scale: 'linear' },
      text: "Share of the neighbours' velocities that a liquid particle takes on per step: artificial smoothness.",
    }),
    period: vector({
      unit: 'm',
      default: [0, 0, 0],
      atLeast: 0,
      text: 'Lengths after which space repeats for liquids, along x, y and z, centred on the origin; 0 where it does not.',
    }),
  },
  { id: 'FluidSolver', text: 'How liquids are solved.' },
);

const embeddingSolverSchema = object(
  {
    updateStrain: number({
      unit: '1',
      above: 0,
      atMost: 1,
      default: 0.05,
      slider: { from: 0.001, to: 0.2, scale: 'logarithmic' },
      text: 'Plastic strain of one particle in two hundred, or four times that of any, after which embedded places, sampling and neighbours are found anew.',
    }),
    neighborUpdates: flag({ default: true, text: 'Neighbours change as the body flows.' }),
    resampling: flag({ default: true, text: 'Particles split and merge where flow has made them sparse or dense.' }),
    viscosity: choice({
      values: ['implicit', 'explicit'],
      default: 'implicit',
      text: 'How viscosity and damping are integrated: implicit is stable at any step, explicit shortens it.',
    }),
    tolerance: number({
      unit: '1',
      above: 0,
      atMost: 0.5,
      default: 0.01,
      slider: { from: 1e-4, to: 0.5, scale: 'logarithmic' },
      text: 'Residual of the embedding, relative to what it began with.',
    }),
    maxIterations: number({
      unit: '1',
      integer: true,
      atLeast: 1,
      atMost: 100_000,
      default: 50,
      slider: { from: 5, to: 500, scale: 'logarithmic' },
      text: 'Conjugate gradient iterations of an embedding; the next one goes on from there.',
    }),
  },
  { id: 'EmbeddingSolver', text: 'How bodies with discretisation embedded are solved.' },
);

const contactSchema = object(
  {
    bodies: flag({ default: true, text: 'Contact between different bodies.' }),
    self: flag({ default: true, text: 'Contact between far parts of one body.' }),
  },
  { id: 'Contact', text: 'Which particles bump into each other.' },
);

export const solverSchema = object(
  {
    solid: solidSolverSchema.prefault({}),
    fluid: fluidSolverSchema.prefault({}),
    embedding: embeddingSolverSchema.prefault({}),
    contact: contactSchema.prefault({}),
    maxTimeStep: number({
      unit: 's',
      above: 0,
      unlimited: true,
      default: Infinity,
      text: 'Upper bound of the time step; left to stability when left out.',
    }),
    safety: number({
      unit: '1',
      above: 0,
      atMost: 1,
      default: 0.8,
      slider: { from: 0.1, to: 1, scale: 'linear' },
      text: 'Share of the stable time step that is used.',
    }),
  },
  { id: 'Solver', text: 'How the motion is computed.' },
);

export const gravity = vector({ unit: 'm/s2', default: [0, -9.81, 0], text: 'Gravitational acceleration.' });
export const seed = number({
  unit: '1',
  integer: true,
  atLeast: 0,
  atMost: 2 ** 32 - 1,
  default: 1,
  text: 'Start of the random numbers that jitter draws.',
});

const threads = z
  .custom<'auto' | number>(
    (value) => value === 'auto' || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1024),
    { error: (issue) => `must be "auto" or a whole number from 1 to 1024, got ${describeValue(issue.input)}` },
  )
  .default('auto');

export const isStatic = flag({ default: false, text: 'Solve for the equilibrium instead of the motion.' });

export const worldSchema = object({
  gravity,
  static: isStatic,
  solver: solverSchema.prefault({}),
  seed,
  threads,
  temperature: worldTemperature,
  heatTransfer,
});

export type MaterialInput = z.input<typeof materialSchema>;
export type BodyInput = z.input<typeof bodySchema>;
export type ObstacleInput = z.input<typeof obstacleSchema>;
export type EmitterInput = z.input<typeof emitterSchema>;
export type ConstraintInput = z.input<typeof constraintSchema>;
export type EventInput = z.input<typeof eventSchema>;
export type HeatInput = Pick<HeatOptions, 'body'> & { readonly region?: z.input<typeof regionSchema> | undefined } & {
  readonly [Key in Exclude<keyof HeatOptions, 'body' | 'region'>]?: HeatOptions[Key] | undefined;
};
export type ProbeInput = z.input<typeof probeSchema>;
export type SolverInput = z.input<typeof solverSchema>;
export type WorldInput = z.input<typeof worldSchema>;

/** What the schemas give must be what the world takes; the compiler checks it here. */
type Gives<Schema extends z.ZodType, Options> = z.output<Schema> extends Options ? true : never;
export type DeclarationsFitTypes = [
  Gives<typeof materialSchema, Material>,
  Gives<typeof bodySchema, Omit<BodyOptions, 'name'>>,
  Gives<typeof obstacleSchema, Omit<ObstacleOptions, 'name'>>,
  Gives<typeof constraintSchema, ConstraintOptions>,
  Gives<typeof eventSchema, EventOptions>,
  Gives<typeof probeSchema, ProbeOptions>,
  Gives<typeof solverSchema, SolverOptions>,
  Gives<typeof worldSchema, WorldOptions>,
  Gives<typeof shapes.program, Shape>,
  Gives<typeof obstacleShapes.program, ObstacleShape>,
];
