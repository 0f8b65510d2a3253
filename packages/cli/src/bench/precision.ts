/** Accuracy against cost: clamped beams of several resolutions, their sag and what their motion takes. */
import { createWorld, type World } from 'phyxel';

export interface PrecisionPoint {
  readonly scheme: string;
  /** Particles through the thickness. */
  readonly across: number;
  readonly particles: number;
  /** Of the tip's deflection in equilibrium [1]. */
  readonly error: number;
  /** Stable explicit step [s]. */
  readonly timeStep: number;
  readonly msPerStep: number;
  /** CPU seconds for a simulated second of explicit motion, one thread. */
  readonly cost: number;
  /** Smaller than the error of a finer beam: two errors that happen to cancel. Left out of comparisons. */
  readonly byAccident: boolean;
}

/** What two schemes cost for the same error. */
export interface CostRatio {
  readonly scheme: string;
  readonly other: string;
  readonly error: number;
  /** Cost of the other over that of the scheme. */
  readonly ratio: number;
  /** The other was not run to that error; its curve is taken on from its last two points. */
  readonly extrapolated: boolean;
  /** The same ratio with the finest beam of the other, which is not as accurate: measured, and too low. */
  readonly atLeast: number;
}

interface Scheme {
  readonly name: string;
  readonly discretisation: 'linear' | 'quadratic';
  readonly stabilisation?: number;
  readonly across: readonly number[];
}

const SCHEMES: readonly Scheme[] = [
  { name: 'linear', discretisation: 'linear', across: [3, 5, 9, 13] },
  { name: 'linear, as in the papers', discretisation: 'linear', stabilisation: 0, across: [3, 5, 9, 13] },
  { name: 'quadratic', discretisation: 'quadratic', across: [3, 5, 9] },
];

const [LENGTH, THICKNESS, DENSITY, YOUNGS_MODULUS, POISSONS_RATIO] = [1, 0.1, 1000, 1e6, 0.3];
/** Low, so that the beam stays in the range of small deflections, but well above the rounding of float32 [m/s2]. */
const GRAVITY = 0.1;
/** The clamp holds the section's contraction too, which Timoshenko's theory leaves free: a 3D solution is this much stiffer. */
const CLAMP_CORRECTION = -0.0087;
/** The reference is not known better: smaller errors count as this. */
const KNOWN_TO = 1e-3;
/** The clamp is a plane with so many layers of particles behind it. */
const LAYERS_BEHIND = 3;

/** Of the equilibrium. */
const TOLERANCE = 5e-4;

const ROUNDS = 10;
const BATCH_MILLISECONDS = 80;
const MOST_STEPS = 2000;

/** Timoshenko's deflection under the beam's own weight, at a distance from the clamp [m]. */
function deflection(x: number): number {
  const [l, h] = [LENGTH, THICKNESS];
  const q = DENSITY * GRAVITY * h * h;
  const shear = YOUNGS_MODULUS / (2 * (1 + POISSONS_RATIO));
  const k = (10 * (1 + POISSONS_RATIO)) / (12 + 11 * POISSONS_RATIO);
  const bending = (q * x ** 2 * (x ** 2 - 4 * l * x + 6 * l ** 2)) / (2 * YOUNGS_MODULUS * h ** 4);
  return bending + (q * (l * x - x ** 2 / 2)) / (k * shear * h * h);
}

interface Beam {
  readonly scheme: Scheme;
  readonly across: number;
  readonly world: World;
  /** [s] */
  readonly timeStep: number;
  /** Best so far [ms]. */
  msPerStep: number;
}

export async function measurePrecision(): Promise<PrecisionPoint[]> {
  const beams: Beam[] = [];
  for (const scheme of SCHEMES) for (const across of scheme.across) beams.push(await prepare(scheme, across));
  // In turns, so that a busy moment of the machine falls on all of them; the first round is warm-up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const beam of beams) {
      const milliseconds = measureSteps(beam);
      if (round > 0) beam.msPerStep = Math.min(beam.msPerStep, milliseconds);
    }
  }
  const points: PrecisionPoint[] = [];
  // From the finest, so that errors that are small by accident are seen as such.
  for (const beam of beams.reverse()) {
    const { scheme, across, world, timeStep, msPerStep } = beam;
    const error = sagError(world, across);
    const finer = points.filter((point) => point.scheme === scheme.name);
    points.unshift({
      scheme: scheme.name,
      across,
      particles: world.particleCount,
      error,
      timeStep,
      msPerStep,
      cost: msPerStep / 1000 / timeStep,
      byAccident: finer.some((point) => Math.abs(point.error) > Math.max(KNOWN_TO, Math.abs(error))),
    });
    await world.dispose();
  }
  return points;
}

async function prepare(scheme: Scheme, across: number): Promise<Beam> {
  const { discretisation, stabilisation } = scheme;
  const spacing = THICKNESS / across;
  const behind = LAYERS_BEHIND * spacing;
  const world = await createWorld({
    threads: 1,
    gravity: [0, -GRAVITY, 0],
    solver: {
      solid: { discretisation, tolerance: TOLERANCE, ...(stabilisation === undefined ? {} : { stabilisation }) },
      contact: { self: false, bodies: false },
    },
  });
  world.addBody({
    name: 'beam',
    shape: { box: { size: [LENGTH + behind, THICKNESS, THICKNESS] } },
    position: [(LENGTH - behind) / 2, 0, 0],
    spacing,
    material: { density: DENSITY, youngsModulus: YOUNGS_MODULUS, poissonsRatio: POISSONS_RATIO },
  });
  world.addConstraint({ body: 'beam', region: { box: { min: [-1, -1, -1], max: [0, 1, 1] } }, fix: true });
  return { scheme, across, world, timeStep: world.stableTimeStep().timeStep, msPerStep: Number.POSITIVE_INFINITY };
}

/** CPU milliseconds of an explicit step, over a batch of them. */
function measureSteps({ world, timeStep, msPerStep }: Beam): number {
  const steps = Math.max(4, Math.ceil(BATCH_MILLISECONDS / Math.max(msPerStep, 1e-3)));
  const before = process.cpuUsage();
  const report = world.step(Math.min(steps, MOST_STEPS) * timeStep * 0.999);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / report.steps;
}

/** Relative error of the deflection in equilibrium. */
function sagError(world: World, across: number): number {
  world.solveStatic();
  // Seen at the last layer of particles, half a spacing before the end.
  const spacing = THICKNESS / across;
  const region = { box: { min: [LENGTH - 0.75 * spacing, -1, -1], max: [LENGTH + 1, 1, 1] } } as const;
  const tip = world.probe({ name: 'tip', body: 'beam', region, quantity: 'displacement' })[1]!;
  return -tip / (deflection(LENGTH - spacing / 2) * (1 + CLAMP_CORRECTION)) - 1;
}

/** What the linear schemes would cost to be as accurate as the quadratic ones. */
export function costRatios(points: readonly PrecisionPoint[]): CostRatio[] {
  const schemes = [...new Set(points.map(({ scheme }) => scheme))];
  const curve = (scheme: string) => points.filter((point) => point.scheme === scheme && !point.byAccident);
  const [best, ...others] = schemes.reverse();
  const ratios: CostRatio[] = [];
  for (const point of curve(best ?? '')) {
    const error = Math.abs(point.error);
    if (error < KNOWN_TO) continue;
    for (const other of others) {
      const found = costAt(curve(other), error);
      if (!found) continue;
      const scheme = `${best}, ${point.across} across`;
      const ratio = found.cost / point.cost;
      const atLeast = Math.min(ratio, curve(other).at(-1)!.cost / point.cost);
      ratios.push({ scheme, other, error, ratio, extrapolated: found.extrapolated, atLeast });
    }
  }
  return ratios;
}

/**
 * Cost at an error: on straight lines between the points in logarithms. Beyond the finest the error goes on
 * falling at the order of the last two, and the cost grows with the fourth power of the resolution: particles
 * times steps.
 */
export function costAt(
  points: readonly Pick<PrecisionPoint, 'across' | 'error' | 'cost'>[],
  error: number,
): { cost: number; extrapolated: boolean } | undefined {
  const curve = points
    .map((point) => ({ n: Math.log(point.across), x: Math.log(Math.abs(point.error)), y: Math.log(point.cost) }))
    .sort((a, b) => b.x - a.x);
  const x = Math.log(error);
  const finer = curve.findIndex((point) => point.x <= x);
  if (curve.length < 2 || finer === 0) return undefined;
  const [a, b] = finer < 0 ? [curve.at(-2)!, curve.at(-1)!] : [curve[finer - 1]!, curve[finer]!];
  const growth = finer < 0 ? (4 * (b.n - a.n)) / (b.x - a.x) : (b.y - a.y) / (b.x - a.x);
  return { cost: Math.exp(b.y + (x - b.x) * growth), extrapolated: finer < 0 };
}
