/** What is done to bodies and read from them: constraints, heat, events and probes. */
import * as z from 'zod';
import { choice, field, LARGEST, name, number, object, vector } from './declare.js';
import { describeValue } from './errors.js';
import { heatSchema as heatSchemaIn } from './heat.js';
import type { HeatInput } from './inputs.js';
import { materialChangeSchema } from './material.js';
import { parsePieceName } from './piece-name.js';
import { AXES, keyframes, region } from './shapes.js';
import type { Axis, FieldNumber, HeatOptions, ProbeOptions, ProbeQuantity } from './types.js';

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

/** Of a constraint on what comes out of a source. */
export const EMITTED_AT_REST = 'must be "start" for what comes out of a source: it has no positions at time 0';

/** Of a displacement that is prescribed by positions at time 0. */
export const DISPLACEMENT_FLOWS = 'is for solids: what flows has no positions at rest; use move';

const CONSTRAINT_TEXT = 'Holds, moves or pulls the particles of a region.';
export const constraintSchema = object(
  {
    name: name(
      'Name that probes of its reaction know it by; constraints may share one, which adds them up.',
    ).optional(),
    body: name('The body it acts on.'),
    region,
    regionTime: choice({
      values: ['rest', 'start'],
      default: 'rest',
      text: 'Which positions decide who is in the region: "rest" those at time 0, "start" those when it begins to act.',
    }),
    fix,
    move: keyframes(
      "Poses relative to that at the start, turning about the region's centre of mass. What is held from a later start on is held where it is then.",
    ),
    displacement: object(
      Object.fromEntries(
        AXES.map((axis) => [
          axis,
          field({ unit: 'm', atLeast: -LARGEST, atMost: LARGEST, text: `Along ${axis}.` }).optional(),
        ]),
      ) as Record<Axis, z.ZodOptional<z.ZodType<FieldNumber, FieldNumber>>>,
      { text: 'Displacements that are prescribed.' },
    )
      .refine((value) => AXES.some((axis) => value[axis] !== undefined), { error: 'must name at least one of x, y, z' })
      .meta({
        id: 'PrescribedDisplacement',
        description:
          'Displacement of every particle of the region along the axes that are named, as numbers or formulas of its position at time 0 and the time; 0 along others in fix. For solids.',
      })
      .optional(),
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
  .refine(
    ({ fix, move, force, displacement }) =>
      fix.length + move.length > 0 || displacement !== undefined || force.some((f) => f !== 0),
    { error: 'does nothing: give it fix, move, displacement or force' },
  )
  .refine(({ move, displacement }) => move.length === 0 || displacement === undefined, {
    error: 'must be left out beside move: give one of them',
    path: ['displacement'],
  })
  .refine(
    ({ start, regionTime, displacement }) => displacement === undefined || (start === 0 && regionTime === 'rest'),
    {
      error:
        'needs start: 0 and regionTime: rest, as it counts from the positions at time 0; let the formula wait, as by ramp(t, 1, 2)',
      path: ['displacement'],
    },
  )
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
  orientation: { unit: 'rad', components: 3, text: 'rotation since time 0: its axis times its angle, at most pi' },
  angularVelocity: { unit: 'rad/s', components: 3, text: 'mean angular velocity about the centre of mass' },
  volume: { unit: 'm3', components: 1, text: 'volume' },
  density: { unit: 'kg/m3', components: 1, text: 'mean density' },
  stress: { unit: 'Pa', components: 1, text: 'mean von Mises stress' },
  stressTensor: {
    unit: 'Pa',
    components: 6,
    text: 'mean Cauchy stress, tension positive; of liquids minus pressure, and viscous stress',
  },
  principalStress: { unit: 'Pa', components: 3, text: 'principal values of the mean stress, the largest first' },
  strainTensor: {
    unit: '1',
    components: 6,
    text: 'mean logarithmic strain of solids since rest, in present axes; the elastic part where neighbours are renewed',
  },
  principalStrain: { unit: '1', components: 3, text: 'principal values of the mean strain, the largest first' },
  velocityGradient: { unit: '1/s', components: 9, text: 'mean velocity gradient, dv_x/dx, dv_x/dy, ...' },
  plasticStrain: { unit: '1', components: 1, text: 'mean accumulated plastic strain' },
  damage: { unit: '1', components: 1, text: 'mean damage: share of bonds that is lost' },
  pieces: { unit: '1', components: 1, text: 'number of pieces; 1 for each body that is whole' },
  pressure: { unit: 'Pa', components: 1, text: 'mean pressure of liquids' },
  maximumSpeed: { unit: 'm/s', components: 1, text: 'speed of the fastest particle' },
  temperature: { unit: 'degrees C', components: 1, text: 'mean temperature' },
  heat: { unit: 'J', components: 1, text: 'heat, latent heat included; zero for solid matter at 0 degrees C' },
  liquidFraction: { unit: '1', components: 1, text: 'share of the mass that is molten' },
  height: {
    unit: 'm',
    components: 1,
    text: 'height of the surface of liquid above the point `at`; 0 where there is none',
  },
  massFlow: { unit: 'kg/s', components: 1, text: 'mass that flows through a disc, along its normal' },
  volumeFlow: { unit: 'm3/s', components: 1, text: 'volume that flows through a disc, along its normal' },
  contactForce: {
    unit: 'N',
    components: 3,
    text: 'force of all that touches the body, or of what `from` names; or the force on an `obstacle`. Mean over the frame',
  },
  reaction: {
    unit: 'N',
    components: 3,
    text: 'force of constraints on what they hold or move, of one by its name in `constraint`. Mean over the frame',
  },
} as const satisfies Record<ProbeQuantity, { unit: string; components: 1 | 3 | 6 | 9; text: string }>;

/** What columns of a quantity are called, by how many there are. */
const SUFFIXES = {
  3: AXES,
  6: ['xx', 'yy', 'zz', 'xy', 'yz', 'xz'],
  9: ['xx', 'xy', 'xz', 'yx', 'yy', 'yz', 'zx', 'zy', 'zz'],
} as const;
/** Of principal values. */
const PRINCIPAL = ['1', '2', '3'] as const;

/** What a gauge at a point reads. */
const GAUGED: readonly ProbeQuantity[] = ['pressure', 'velocity', 'temperature', 'height'];

/** What gauges read: at a point, the mean over a line, and over or through a disc. */
const GAUGES = {
  at: GAUGED,
  along: GAUGED.filter((quantity) => quantity !== 'height'),
  through: [...GAUGED.filter((quantity) => quantity !== 'height'), 'massFlow', 'volumeFlow'],
} as const satisfies Record<string, readonly ProbeQuantity[]>;

/** What is wrong with a gauge. */
function gaugeProblems(
  probe: Omit<ProbeOptions, 'region'> & { readonly region: unknown },
  context: z.RefinementCtx,
): void {
  const { quantity, body, region, regionTime } = probe;
  const report = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  const given = (Object.keys(GAUGES) as (keyof typeof GAUGES)[]).filter((key) => probe[key] !== undefined);
  const [gauge, other] = given;
  if ((quantity === 'massFlow' || quantity === 'volumeFlow') && probe.through === undefined) {
    report('through', `is missing: ${quantity} is measured through a disc`);
  }
  if (regionTime === 'now' && (gauge !== undefined || 'all' in (region as object))) {
    report('regionTime', 'has no effect without a region');
  }
  if (regionTime === 'now' && quantity === 'displacement') report('regionTime', 'must be "rest" for displacement');
  if (gauge === undefined) return;
  if (other !== undefined) report(other, `has no effect with ${gauge}: give one of them`);
  const read: readonly ProbeQuantity[] = GAUGES[gauge];
  if (!read.includes(quantity)) report('quantity', `must be one of ${read.join(', ')} with ${gauge}`);
  if (body !== undefined && parsePieceName(body)) {
    report('body', `names a piece, which has no effect with ${gauge}: name the body`);
  }
  if (!('all' in (region as object))) report('region', `has no effect with ${gauge}: give one of them`);
}

/** What is wrong with a probe of forces. */
function forceProblems(
  { quantity, body, obstacle, from, constraint, region }: Omit<ProbeOptions, 'region'> & { readonly region: unknown },
  context: z.RefinementCtx,
): void {
  const report = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  const isForce = quantity === 'contactForce';
  if (isForce && (body === undefined) === (obstacle === undefined)) {
    report(
      'body',
      body === undefined ? 'is missing: give contactForce a body, or an obstacle' : 'is one too many beside obstacle',
    );
  }
  if (!isForce && obstacle !== undefined) report('obstacle', `has no effect on ${quantity}: it is for contactForce`);
  if (!isForce && from !== undefined) report('from', `has no effect on ${quantity}: it is for contactForce`);
  if (quantity !== 'reaction' && constraint !== undefined) {
    report('constraint', `has no effect on ${quantity}: it is for reaction`);
  }
  if ((isForce || quantity === 'reaction') && !('all' in (region as object))) {
    report('region', `has no effect on ${quantity}: forces are those on the whole body, obstacle or constraint`);
  }
}

const PROBE_TEXT = 'A measurement, written to probes.csv for every frame.';
export const probeSchema = object(
  {
    name: name(
      'Name of its column; vectors get name.x, name.y and name.z, tensors name.xx, ..., principal values name.1, name.2 and name.3.',
    ),
    body: name(
      'The body it measures, or a piece of it, as pane#3, which gives NaN until it has broken off; all bodies when left out.',
    ).optional(),
    region,
    at: vector({
      unit: 'm',
      text: 'A point of space: a gauge that stays there and reads pressure, velocity or temperature of what is around it, NaN where there is nothing, or the height of liquid above it.',
    }).optional(),
    along: object(
      {
        from: vector({ unit: 'm', text: 'One end.' }),
        to: vector({ unit: 'm', text: 'The other end.' }),
      },
      { id: 'Line', text: 'A line in space: pressure, velocity or temperature are means over what is there of it.' },
    ).optional(),
    through: object(
      {
        center: vector({ unit: 'm', text: 'Its centre.' }),
        normal: vector({ unit: '1', text: 'What goes this way counts positive; of any length but 0.' }),
        radius: number({ unit: 'm', above: 0, atMost: LARGEST, text: 'Its radius.' }),
      },
      {
        id: 'Disc',
        text: 'A disc in space: massFlow or volumeFlow through it, or means of pressure, velocity or temperature over what is there of it, as on a patch of a wall.',
      },
    )
      .refine(({ normal }) => normal.some((x) => x !== 0), { error: 'must not be 0', path: ['normal'] })
      .optional(),
    regionTime: choice({
      values: ['rest', 'now'],
      default: 'rest',
      text: 'Which particles are in the region: those that were in it at time 0, or those that are in it now, NaN while there are none.',
    }),
    obstacle: name('The obstacle that the contactForce acts on.').optional(),
    from: name('The body or obstacle that the contactForce comes from; all when left out.').optional(),
    constraint: name('Name of the constraint whose reaction it is; all of the body when left out.').optional(),
    quantity: choice({
      values: Object.keys(probeQuantities) as ProbeQuantity[],
      text: 'What is measured.',
    }),
  },
  { text: PROBE_TEXT },
)
  .superRefine(forceProblems)
  .superRefine(gaugeProblems)
  .refine(({ at, quantity }) => at !== undefined || quantity !== 'height', {
    error: 'is missing: height is measured above a point',
    path: ['at'],
  })
  .meta({ id: 'Probe', description: PROBE_TEXT });

/** What the components of tensors are called, by how many there are. */
export function tensorColumns(components: number): readonly string[] | undefined {
  return components === 6 || components === 9 ? SUFFIXES[components] : undefined;
}

/** Columns of a probe in probes.csv. */
export function probeColumns(probe: Pick<ProbeOptions, 'name' | 'quantity'>): string[] {
  const { components } = probeQuantities[probe.quantity];
  if (components === 1) return [probe.name];
  const isPrincipal = probe.quantity === 'principalStress' || probe.quantity === 'principalStrain';
  return (isPrincipal ? PRINCIPAL : SUFFIXES[components]).map((suffix) => `${probe.name}.${suffix}`);
}
