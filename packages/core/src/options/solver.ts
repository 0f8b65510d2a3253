/** How the motion is computed. */
import { choice, flag, LARGEST, number, object, vector } from './declare.js';

export const discretisation = {
  values: ['linear', 'quadratic'],
  text: 'Order of the moving least squares fit: linear is the fastest, quadratic needs fewer particles.',
} as const;

const solidSolverSchema = object(
  {
    discretisation: choice({ ...discretisation, default: 'linear' }),
    integrator: choice({
      values: ['explicit', 'verlet', 'implicit', 'midpoint'],
      default: 'explicit',
      text: 'Time integration: leapfrog (explicit) or its position form (verlet); implicit is backward Euler, stable at any step, which damps; midpoint is implicit too, of second order, and keeps energy better. Melts take backward Euler steps with both.',
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
    isotropy: number({
      unit: '1',
      atLeast: 0,
      atMost: 1,
      default: 0,
      slider: { from: 0, to: 1, scale: 'linear' },
      text: 'Share of the shear stress of the packed particles that is taken away. Packed particles under pressure resist slow shear a little, as a soft solid: with 0, waves are 8 % too fast; with 1 their period is right, and water at rest keeps moving by 2 % of sqrt(gravity * depth). Of dfsph with liquids of one density that cannot be solid.',
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
      text: 'Lengths after which space repeats for liquids, along x, y and z, centred on the origin; 0 where it does not. At least six spacings. An obstacle that is longer acts once.',
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
      text: 'Plastic strain of one particle in two hundred, or four times that of any, after which sampling and neighbours are found anew; rest vectors take over the flow four times as often.',
    }),
    neighborUpdates: flag({ default: true, text: 'Neighbours change as the body flows.' }),
    resampling: flag({ default: true, text: 'Particles split and merge where flow has made them sparse or dense.' }),
    viscosity: choice({
      values: ['implicit', 'explicit'],
      default: 'implicit',
      text: 'How viscosity of solids is integrated in explicit steps: implicit is stable at any step, explicit shortens it.',
    }),
  },
  {
    id: 'EmbeddingSolver',
    text: 'How bodies with discretisation renewed follow their flow; viscosity is for all solids.',
  },
);

const contactSchema = object(
  {
    bodies: flag({ default: true, text: 'Contact between different bodies.' }),
    self: flag({ default: true, text: 'Contact between far parts of one body.' }),
    surfaces: flag({
      default: false,
      text: 'Elastic solids touch each other and themselves by their surfaces, with impulses, instead of by balls around their particles, with springs; explicit steps only.',
    }),
  },
  { id: 'Contact', text: 'Which particles bump into each other.' },
);

export const solverSchema = object(
  {
    solid: solidSolverSchema.prefault({}),
    fluid: fluidSolverSchema.prefault({}),
    embedding: embeddingSolverSchema.prefault({}),
    contact: contactSchema.prefault({}),
    rigid: choice({
      values: ['hertz', 'rapier'],
      default: 'hertz',
      text: 'Contact of rigid bodies with each other and with obstacles: hertz between their particles, rapier between their exact shapes by the engine Rapier, for rolling and for many bodies.',
    }),
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
