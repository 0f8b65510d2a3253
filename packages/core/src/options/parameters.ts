/**
 * Every parameter of a world, declared once: unit, range, default and one line of text. The input
 * types, the checks and their messages, the JSON Schema, docs/scene.md and sliders come from here.
 */
import * as z from 'zod';
import { choice, flag, LARGEST, list, type NumberDeclaration, name, number, object, oneOf, vector } from './declare.js';
import { describeValue } from './errors.js';
import type {
  Axis,
  BodyOptions,
  ConstraintOptions,
  EventOptions,
  Keyframe,
  Material,
  ObstacleOptions,
  ObstacleShape,
  ProbeOptions,
  ProbeQuantity,
  Region,
  Shape,
  SolverOptions,
  TriangleMesh,
  WorldOptions,
} from './types.js';

const AXES = ['x', 'y', 'z'] as const;

/** Material parameters; friction and restitution are shared with obstacles. */
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
} as const satisfies Record<keyof Material, NumberDeclaration>;

/** Words that belong to liquids and heat. */
const FUTURE_MATERIAL_KEYS = [
  'viscosity',
  'surfaceTension',
  'thermalConductivity',
  'heatCapacity',
  'latentHeat',
  'meltingPoint',
  'temperature',
];

export const materialSchema = object(
  {
    density: number(materialParameters.density),
    youngsModulus: number(materialParameters.youngsModulus),
    poissonsRatio: number(materialParameters.poissonsRatio),
    damping: number(materialParameters.damping),
    volumeStiffness: number(materialParameters.volumeStiffness),
    friction: number(materialParameters.friction),
    restitution: number(materialParameters.restitution),
  },
  { id: 'Material', text: 'How a body answers to deformation and contact.', future: FUTURE_MATERIAL_KEYS },
);

const without = ({ default: _, ...declaration }: NumberDeclaration) => number(declaration).exactOptional();

/** The parameters that an event changes; no defaults. */
const materialChangeSchema = object(
  {
    density: without(materialParameters.density),
    youngsModulus: without(materialParameters.youngsModulus),
    poissonsRatio: without(materialParameters.poissonsRatio),
    damping: without(materialParameters.damping),
    volumeStiffness: without(materialParameters.volumeStiffness),
    friction: without(materialParameters.friction),
    restitution: without(materialParameters.restitution),
  },
  { text: 'Material parameters and their new values.', future: FUTURE_MATERIAL_KEYS },
)
  .refine((set) => Object.values(set).some((value) => value !== undefined), {
    error: 'must change at least one material parameter',
  })
  .meta({ id: 'MaterialChange', description: 'Material parameters and their new values.' });

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

const bodyShape = <S extends z.ZodType, M extends z.ZodType>(shape: S, material: M) => ({
  name: name('Name, unique among bodies; body1, body2, ... when left out.').optional(),
  kind: choice({ values: ['solid'], default: 'solid', future: ['fluid', 'rigid'], text: 'What the body is made as.' }),
  shape,
  position,
  rotation,
  velocity: vector({ unit: 'm/s', default: [0, 0, 0], text: 'Velocity at the start.' }),
  angularVelocity: vector({
    unit: 'rad/s',
    default: [0, 0, 0],
    text: 'Angular velocity at the start, about the centre of mass.',
  }),
  material,
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
});
const BODY = { text: 'A deformable body.', future: ['temperature'] };

const oneResolution = (
  body: { spacing?: number | undefined; particles?: number | undefined },
  context: z.core.$RefinementCtx,
) => {
  if (body.spacing === undefined || body.particles === undefined) return;
  context.addIssue({ code: 'custom', message: 'has both spacing and particles, give at most one of them' });
};

/** Particles of a body that gives neither `spacing` nor `particles`. */
export const DEFAULT_PARTICLES = 2000;

const namedMaterial = z
  .union([z.string(), materialSchema], {
    error: (issue) => `must be the name of a material or an object, got ${describeValue(issue.input)}`,
  })
  .prefault({})
  .meta({ description: 'The name of a material in materials, or the parameters themselves.' });

/** A body in a scene file: its material may be the name of one in `materials`. */
export const sceneBodySchema = object(bodyShape(shapes.file, namedMaterial), BODY)
  .superRefine(oneResolution)
  .meta({ id: 'Body', description: BODY.text });

export const bodySchema = object(bodyShape(shapes.program, materialSchema.prefault({})), BODY).superRefine(
  oneResolution,
);

const obstacleShape = <S extends z.ZodType>(shape: S) => ({
  name: name('Name, unique among obstacles; obstacle1, obstacle2, ... when left out.').optional(),
  shape,
  position,
  rotation,
  friction: number(materialParameters.friction),
  restitution: number(materialParameters.restitution),
  keyframes: keyframes('Poses relative to position and rotation; it stands still without.'),
});
const OBSTACLE = {
  text: 'Something solid that bodies bump into and that is not moved by them.',
  future: ['temperature'],
};

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
  maximumSpeed: { unit: 'm/s', components: 1, text: 'speed of the fastest particle' },
} as const satisfies Record<ProbeQuantity, { unit: string; components: 1 | 3; text: string }>;

export const probeSchema = object(
  {
    name: name('Name of its column; vectors get name.x, name.y and name.z.'),
    body: name('The body it measures; all bodies when left out.').optional(),
    region,
    quantity: choice({
      values: Object.keys(probeQuantities) as ProbeQuantity[],
      future: ['temperature'],
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
    discretisation: choice({
      values: ['linear', 'quadratic'],
      default: 'linear',
      text: 'Order of the moving least squares fit: linear is the fastest, quadratic needs fewer particles.',
    }),
    integrator: choice({
      values: ['explicit', 'verlet'],
      default: 'explicit',
      text: 'Time integration: leapfrog (explicit) or its position form (verlet).',
    }),
    support: number({
      unit: '1',
      atLeast: 1.5,
      atMost: 4,
      slider: { from: 1.5, to: 4, scale: 'linear' },
      text: 'Support radius in units of the particle spacing; 2.1 for linear and 2.4 for quadratic when left out.',
    }).exactOptional(),
    stabilisation: number({
      unit: '1',
      atLeast: 0,
      atMost: 2,
      default: 0.1,
      slider: { from: 0, to: 2, scale: 'linear' },
      text: 'Weight of the penalty on displacements that the fit cannot see; 0 as in the papers.',
    }),
  },
  { id: 'SolidSolver', text: 'How solids are solved.' },
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
  { id: 'Solver', text: 'How the motion is computed.', future: ['fluid', 'heat'] },
);

export const gravity = vector({ unit: 'm/s2', default: [0, -9.81, 0], text: 'Gravitational acceleration.' });
export const seed = number({
  unit: '1',
  integer: true,
  atLeast: 0,
  atMost: 2 ** 32 - 1,
  default: 1,
  text: 'Start of random numbers; nothing draws any yet.',
});

const threads = z
  .custom<'auto' | number>(
    (value) => value === 'auto' || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1024),
    { error: (issue) => `must be "auto" or a whole number from 1 to 1024, got ${describeValue(issue.input)}` },
  )
  .default('auto');

export const worldSchema = object(
  { gravity, solver: solverSchema.prefault({}), seed, threads },
  { future: ['static'] },
);

export type MaterialInput = z.input<typeof materialSchema>;
export type BodyInput = z.input<typeof bodySchema>;
export type ObstacleInput = z.input<typeof obstacleSchema>;
export type ConstraintInput = z.input<typeof constraintSchema>;
export type EventInput = z.input<typeof eventSchema>;
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
