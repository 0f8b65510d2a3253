/** What rigid bodies take, and what is refused on them. */

import * as z from 'zod';
import { cross, length } from '../math/matrix3.js';
import { number, object, oneOf, vector } from './declare.js';
import { describeValue } from './errors.js';
import { isConstant } from './field.js';
import { THERMAL_KEYS } from './heat.js';
import { type MaterialNumber, MODEL_ACTS, materialParameters } from './material-parameters.js';
import { type Phase, phaseOf } from './phase.js';
import type {
  BodyOptions,
  ConstraintOptions,
  FieldVector,
  MaterialChange,
  RegionalChange,
  Vec2,
  Vec3,
} from './types.js';

const axis = (text: string) =>
  vector({ unit: '1', text }).refine((value) => length(value) > 1e-12, { error: 'must not be zero' });

const MOST = 1e12;
/** Farthest that a hinge with limits may turn [degrees]: the same angle from the other side is another one. */
const MOST_TURN = 179;

const limits = (unit: string, most: number, text: string) => {
  const bound = number({ unit, atLeast: -most, atMost: most, text: 'Bound.' });
  return z
    .tuple([bound, bound], { error: (issue) => `must be two numbers [${unit}], got ${describeValue(issue.input)}` })
    .refine(([low, high]) => low <= 0 && high >= 0, { error: 'must hold 0, where the body begins' })
    .meta({ description: `${text} [${unit}]`, 'x-unit': unit, 'x-type': 'Vec2', examples: [[0, 0]] })
    .optional() as unknown as z.ZodOptional<z.ZodType<Vec2, Vec2>>;
};

const motor = (id: string, speed: string, key: 'torque' | 'force', unit: string) =>
  object(
    {
      speed: number({ unit: speed, atLeast: -MOST, atMost: MOST, text: 'What it goes for, along the axis.' }),
      [key]: number({ unit, above: 0, atMost: MOST, text: 'The most that it gives.' }),
    } as Record<'speed' | typeof key, z.ZodType<number, number>>,
    { id, text: 'Drives a body towards a speed along or about the axis of its joint.' },
  ).optional();

export const jointSchema = oneOf(
  {
    hinge: object(
      {
        point: vector({ unit: 'm', text: 'A point on the axis, in the world at time 0.' }),
        axis: axis('Direction of the axis; any length but zero.'),
        limits: limits('degrees', MOST_TURN, 'How far it may turn back and forth about the axis, from where it begins'),
        motor: motor('HingeMotor', 'rad/s', 'torque', 'N m'),
      },
      { id: 'Hinge', text: 'Lets the body turn about an axis.' },
    ),
    slider: object(
      {
        axis: axis('Direction of the way; any length but zero.'),
        limits: limits('m', MOST, 'How far it may go back and forth along the axis, from where it begins'),
        motor: motor('SliderMotor', 'm/s', 'force', 'N'),
      },
      { id: 'Slider', text: 'Lets the body move along a line without turning.' },
    ),
  },
  { id: 'Joint', text: 'What ties a rigid body to the world.' },
);

export interface RigidProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type Checked = Pick<
  BodyOptions,
  | 'kind'
  | 'joint'
  | 'twist'
  | 'discretisation'
  | 'velocity'
  | 'displacement'
  | 'angularVelocity'
  | 'lattice'
  | 'temperature'
> & {
  readonly regions: readonly { readonly set: RegionalChange }[];
  /** May be a name, or not checked yet. */
  readonly material?: unknown;
};

const isZero = (v: FieldVector) => v.every((x) => x === 0);
/** Parallel as well as numbers that people write are. */
const isParallel = (a: Vec3, b: Vec3) => length(cross(a, b)) <= 1e-6 * length(a) * length(b);

/** What a body says that its kind does not have. */
export function rigidProblems(body: Checked): RigidProblem[] {
  if (body.kind === 'fluid') return liquidProblems(body);
  if (body.kind !== 'rigid') {
    if (body.joint === undefined) return [];
    return [
      { path: ['joint'], message: 'is for rigid bodies only: add kind: rigid, or hold a region by a constraint' },
    ];
  }
  const problems: RigidProblem[] = [];
  if (!isZero(body.twist)) problems.push({ path: ['twist'], message: 'must be 0 rad/s for a rigid body' });
  if (body.discretisation !== undefined)
    problems.push({ path: ['discretisation'], message: 'has no meaning for a rigid body' });
  if (!isZero(body.displacement))
    problems.push({ path: ['displacement'], message: 'must be 0 m for a rigid body: it has a position' });
  if (!isConstant(body.velocity)) {
    const message = 'must be three numbers for a rigid body, whose particles move together; see angularVelocity';
    return [...problems, { path: ['velocity'], message }];
  }
  for (const [i, { set }] of body.regions.entries()) {
    for (const key of Object.keys(set)) {
      if (key === 'density' || THERMAL_KEYS.includes(key)) continue;
      if (set[key as keyof RegionalChange] === undefined) continue;
      const message = 'cannot differ by region in a rigid body, only the density and what concerns heat can';
      problems.push({ path: ['regions', i, 'set', key], message });
    }
  }
  return [...problems, ...jointProblems(body)];
}

const isElastic = (material: unknown) =>
  typeof material === 'object' && material !== null && 'elastic' in material && material.elastic === true;

/** A liquid has no parts and no rest shape, and its particles are all alike. */
function liquidProblems(body: Checked): RigidProblem[] {
  const problems: RigidProblem[] = [];
  const refuse = (key: string, message: string) => problems.push({ path: [key], message });
  if (body.joint !== undefined) refuse('joint', 'is for rigid bodies only');
  if (!isZero(body.twist)) refuse('twist', 'must be 0 rad/s for a liquid');
  if (!isZero(body.displacement)) refuse('displacement', 'must be 0 m for a liquid: it has no shape at rest');
  if (body.discretisation !== undefined) refuse('discretisation', 'has no meaning for a liquid');
  if (body.regions.length > 0 && !isElastic(body.material)) {
    refuse('regions', 'have no meaning in a liquid without elastic: true: it mixes; make each part a body');
  }
  if (body.lattice === 'octree') refuse('lattice', 'must be cubic, bcc or hcp for a liquid, got "octree"');
  return problems;
}

/** A body, or what comes out of a source. */
type Changed = Pick<BodyOptions, 'material'> & Partial<Pick<BodyOptions, 'kind' | 'discretisation'>>;

/** Phases of a body that a change may act on: what can melt is a liquid then. */
function phasesOf(body: Changed): Phase[] {
  const phase = phaseOf(body);
  return phase === 'solid' && body.material.meltingPoint !== undefined ? [phase, 'melt'] : [phase];
}

const CALLED: Readonly<Record<Phase, string>> = {
  solid: 'a solid',
  viscoplastic: 'a viscoplastic body',
  rigid: 'a rigid body',
  liquid: 'a liquid',
  melt: 'a liquid',
};

/** Keys of a change that say nothing to a body of this phase. */
export function changeProblems(body: Changed, set: MaterialChange): RigidProblem[] {
  const phases = phasesOf(body);
  return Object.keys(set).flatMap((key) => {
    if (set[key as keyof MaterialChange] === undefined) return [];
    const acts = key === 'model' ? MODEL_ACTS : materialParameters[key as MaterialNumber].acts;
    if (phases.some((phase) => acts.includes(phase as never))) return [];
    const onlyLiquids = acts.every((phase) => phase !== 'solid' && phase !== 'rigid');
    const message = onlyLiquids ? 'has an effect on liquids only' : `has no effect on ${CALLED[phases[0]!]}`;
    return [{ path: ['set', key], message }];
  });
}

function jointProblems({ joint, velocity, angularVelocity }: Checked): RigidProblem[] {
  if (!joint) return [];
  if ('hinge' in joint) {
    const problems: RigidProblem[] = [];
    if (!isZero(velocity)) {
      problems.push({ path: ['velocity'], message: 'must be 0 m/s on a hinge: angularVelocity says how it turns' });
    }
    if (!isZero(angularVelocity) && !isParallel(angularVelocity, joint.hinge.axis)) {
      problems.push({ path: ['angularVelocity'], message: 'must be along the axis of the hinge' });
    }
    return problems;
  }
  const problems: RigidProblem[] = [];
  if (!isZero(angularVelocity)) problems.push({ path: ['angularVelocity'], message: 'must be 0 rad/s on a slider' });
  if (isConstant(velocity) && !isZero(velocity) && !isParallel(velocity, joint.slider.axis)) {
    problems.push({ path: ['velocity'], message: 'must be along the axis of the slider' });
  }
  return problems;
}

/** What a constraint asks of a rigid body that it cannot do. */
export function rigidConstraintProblems({
  fix,
  move,
  displacement,
}: Pick<ConstraintOptions, 'fix' | 'move' | 'displacement'>): RigidProblem[] {
  const message = 'cannot hold a region of a rigid body: use a joint, or an obstacle instead of the body';
  return [
    ...(fix.length > 0 ? [{ path: ['fix'], message }] : []),
    ...(move.length > 0 ? [{ path: ['move'], message }] : []),
    ...(displacement ? [{ path: ['displacement'], message }] : []),
  ];
}

export const RIGID_STATIC = 'cannot be solved for with rigid bodies: let them come to rest, or make them obstacles';
