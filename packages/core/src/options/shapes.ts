/** Shapes, positions, motions and regions. */
import * as z from 'zod';
import { extrusion, fill, heightfield, partOf, parts } from './composites.js';
import { fieldVector, LARGEST, list, number, object, oneOf, SHORTEST_LENGTH, vector } from './declare.js';
import { describeValue } from './errors.js';
import { meshPathProblem } from './mesh-path.js';
import type { CompositeShape, Keyframe, Region, TriangleMesh } from './types.js';

export const AXES = ['x', 'y', 'z'] as const;

export const length = (text: string) =>
  number({ unit: 'm', above: 0, smallest: SHORTEST_LENGTH, atMost: LARGEST, text });
export const position = vector({ unit: 'm', default: [0, 0, 0], text: 'Where the origin of the shape is put.' });
export const rotation = vector({ unit: 'degrees', default: [0, 0, 0], text: 'Turn about the x, then y, then z axis.' });

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

const meshData = z
  .custom<TriangleMesh>(
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
  )
  .meta({ description: 'The triangles themselves; give this or file.', 'x-type': 'TriangleMesh' });

/** Meshes from programs: the triangles themselves, or a file that `loadScene` reads. */
const programMeshSchema = object(
  { file: meshFile.optional(), data: meshData.optional(), size: meshSize },
  { text: 'A closed triangle mesh.' },
)
  .refine((mesh) => mesh.file !== undefined || mesh.data !== undefined, { error: 'must have file or data' })
  .meta({ id: 'ProgramMesh', description: 'A closed triangle mesh.' });

const primitives = {
  box: object(
    {
      size: vector({ unit: 'm', above: 0, smallest: SHORTEST_LENGTH, text: 'Lengths of the sides along x, y and z.' }),
    },
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

/** The kinds of shapes of bodies and obstacles, in files or programs; shapes within others are of the same kinds. */
function shapesWith<M extends z.ZodType>(mesh: M, prefix: string) {
  // Types of what refers to itself cannot be found out.
  const whole: z.ZodType<CompositeShape, CompositeShape> = z.lazy(() => solid) as never;
  const part = partOf(whole, `${prefix}Part`);
  const solids = {
    ...primitives,
    mesh,
    extrusion,
    heightfield,
    union: parts(part, 'All that is in one of its parts.'),
    difference: parts(part, 'What is in the first part and in none of the others.'),
    intersection: parts(part, 'What is in all of its parts.'),
  };
  const solid = oneOf(solids, { id: `${prefix}Solid`, text: 'A shape with a volume.' });
  return {
    body: oneOf({ ...solids, fill }, { id: `${prefix}Shape`, text: 'The shape of a body.' }),
    obstacle: oneOf({ ...solids, plane }, { id: `${prefix}ObstacleShape`, text: 'The shape of an obstacle.' }),
  };
}

const files = shapesWith(fileMeshSchema, '');
const programs = shapesWith(programMeshSchema, 'Program');
export const shapes = { file: files.body, program: programs.body };
export const obstacleShapes = { file: files.obstacle, program: programs.obstacle };

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

export function keyframes(
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

/** A motion by formulas of the time. */
export const motionSchema = object(
  {
    position: fieldVector({ unit: 'm', default: [0, 0, 0], variables: ['t'], text: 'Displacement.' }),
    rotation: fieldVector({
      unit: 'degrees',
      default: [0, 0, 0],
      variables: ['t'],
      text: 'Turn about the x, then y, then z axis; by any angle.',
    }),
  },
  { id: 'Motion', text: 'Pose as a function of time, relative to position and rotation: in place of keyframes.' },
);

export const regionSchema = oneOf(
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
export const region: z.ZodDefault<z.ZodType<Region, z.input<typeof regionSchema>>> = regionSchema.default({
  all: true,
});
