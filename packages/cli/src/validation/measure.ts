import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import {
  type DescribedBody,
  loadScene,
  type Material,
  matterOf,
  parseScene,
  type Region,
  type Scene,
  type Vec3,
  type World,
} from 'phyxel';

const FOLDER = new URL('../../validation/', import.meta.url);

/** Rows of a run: the time of each frame and what the probes read, by probe name. */
export interface Series {
  readonly time: number[];
  readonly probes: Readonly<Record<string, number[][]>>;
}

export type Discretisation = 'linear' | 'quadratic';

/** Reads a scene of the validation folder. */
export function validationScene(name: string): Scene {
  const file = `${name}.yaml`;
  return parseScene(readFileSync(new URL(file, FOLDER), 'utf8'), file).scene;
}

/** Changes what a scene says of every body. */
export function withBodies(scene: Scene, change: (body: DescribedBody) => Partial<DescribedBody>): Scene {
  return { ...scene, bodies: scene.bodies.map((body) => ({ ...body, ...change(body) })) };
}

/** Gives every body of a scene another spacing. */
export function withSpacing(scene: Scene, spacing: number): Scene {
  return withBodies(scene, () => ({ spacing, particles: undefined }));
}

export function withMaterial(scene: Scene, set: Partial<Material>): Scene {
  return withBodies(scene, ({ material }) => ({ material: { ...material, ...set } }));
}

export function withDiscretisation(scene: Scene, discretisation: Discretisation): Scene {
  return { ...scene, solver: { ...scene.solver, solid: { ...scene.solver.solid, discretisation } } };
}

/**
 * A slice for plane strain: boxes as deep as some layers of particles, which are held along z by the scene.
 */
export function withLayers(scene: Scene, spacing: number, layers: number): Scene {
  return withBodies(scene, ({ shape }) => {
    if (!('box' in shape)) throw new Error('only boxes can be sliced');
    const [x, y] = shape.box.size;
    return { shape: { box: { size: [x, y, layers * spacing] as Vec3 } } };
  });
}

/** Everything between two planes across an axis. */
export function slab(axis: 0 | 1 | 2, from: number, to: number): Region {
  const min: [number, number, number] = [-10, -10, -10];
  const max: [number, number, number] = [10, 10, 10];
  min[axis] = from;
  max[axis] = to;
  return { box: { min, max } };
}

/** Adds probes of the mean position of regions. */
export function withPositions(scene: Scene, regions: Readonly<Record<string, Region>>): Scene {
  const probes = Object.entries(regions).map(([name, region]) => ({ name, region, quantity: 'position' as const }));
  return { ...scene, probes: [...scene.probes, ...probes] };
}

/** Runs a scene, or finds its equilibrium, and looks at its world at the start and after every frame. */
export async function watch(scene: Scene, look: (world: World) => void): Promise<void> {
  const world = await loadScene(scene, { readFile: (path) => readFile(new URL(path, FOLDER)) });
  try {
    look(world);
    if (scene.static) {
      world.solveStatic();
      look(world);
    } else {
      const frames = Math.round(scene.duration * scene.frameRate);
      for (let k = 0; k < frames; k++) {
        world.stepTo((k + 1) / scene.frameRate);
        look(world);
      }
    }
  } finally {
    await world.dispose();
  }
}

/** Runs a scene, or finds its equilibrium, and reads its probes at the start and after every frame. */
export async function runSeries(scene: Scene): Promise<Series> {
  const time: number[] = [];
  const probes: Record<string, number[][]> = {};
  await watch(scene, (world) => {
    time.push(world.time);
    for (const probe of scene.probes) {
      probes[probe.name] ??= [];
      probes[probe.name]!.push(world.probe(probe));
    }
  });
  return { time, probes };
}

/** Gives space a period along some axes, and every box of liquid that length. */
export function withPeriod(scene: Scene, lengths: Readonly<Partial<Record<0 | 1 | 2, number>>>): Scene {
  const along = (vector: Vec3): Vec3 => [lengths[0] ?? vector[0], lengths[1] ?? vector[1], lengths[2] ?? vector[2]];
  const { fluid } = scene.solver;
  const periodic = withBodies(scene, (body) =>
    matterOf(body).isFluid && 'box' in body.shape ? { shape: { box: { size: along(body.shape.box.size) } } } : {},
  );
  return { ...periodic, solver: { ...scene.solver, fluid: { ...fluid, period: along(fluid.period) } } };
}

/** Calls `visit` with the number and the position of every particle of a body that is in the world. */
export function forParticles(
  world: World,
  body: string,
  visit: (i: number, x: number, y: number, z: number) => void,
): void {
  const positions = world.positions();
  const { begin, end } = world.bodies.find(({ name }) => name === body)!;
  for (let i = begin; i < end; i++) {
    if (positions[4 * i + 3] === 1) visit(i, positions[4 * i]!, positions[4 * i + 1]!, positions[4 * i + 2]!);
  }
}

/** Of some numbers, that which is farthest from one. */
export function farthestFromOne(values: readonly number[]): number {
  return values.reduce((worst, x) => (Math.abs(x - 1) > Math.abs(worst - 1) ? x : worst), 1);
}

/** CPU seconds that a simulated second of a scene takes on one thread: the best of some short stretches. */
export async function costPerSecond(scene: Scene): Promise<number> {
  const world = await loadScene(scene, { threads: 1 });
  try {
    const cpuSeconds = (steps: number) => {
      const stretch = steps * world.stableTimeStep().timeStep;
      const before = process.cpuUsage();
      world.step(stretch);
      const { user, system } = process.cpuUsage(before);
      return { cpu: (user + system) / 1e6, perSecond: (user + system) / 1e6 / stretch };
    };
    // Stretches of about a fifth of a second: shorter ones drown in the clock's steps.
    const steps = Math.max(20, Math.ceil((20 * 0.2) / cpuSeconds(20).cpu));
    return Math.min(...Array.from({ length: 3 }, () => cpuSeconds(steps).perSecond));
  } finally {
    await world.dispose();
  }
}

/** How far a probe of positions has gone along an axis by the last frame [m]. */
export function travel(series: Series, probe: string, axis: 0 | 1 | 2): number {
  const rows = series.probes[probe]!;
  return rows.at(-1)![axis]! - rows[0]![axis]!;
}

/**
 * Displacement along `axis` at a position further along x than the two probes of positions, on the straight
 * line through them: ends of bodies lie half a spacing beyond their last particles.
 */
export function extrapolate(series: Series, [far, near]: readonly [string, string], x: number, axis: 0 | 1 | 2) {
  return series.time.map((_, k) => {
    const at = (name: string) => {
      const [start, now] = [series.probes[name]![0]!, series.probes[name]![k]!];
      return { x: start[0]!, u: now[axis]! - start[axis]! };
    };
    const [a, b] = [at(far), at(near)];
    return a.u + ((a.u - b.u) / (a.x - b.x)) * (x - a.x);
  });
}

/**
 * Period and mean of a swing that starts at rest from one end: the first minimum of the way gone, found
 * between samples by a parabola, ends the period.
 */
export function swing(time: readonly number[], value: readonly number[]): { period: number; mean: number } {
  const sign = Math.sign(value.reduce((sum, x) => sum + x, 0));
  let top = 1;
  while (top + 1 < value.length && sign * value[top + 1]! >= sign * value[top]!) top++;
  let end = top;
  while (end + 1 < value.length && sign * value[end + 1]! <= sign * value[end]!) end++;
  if (end + 1 >= value.length) throw new Error('the series is shorter than one swing');
  const [a, b, c] = [value[end - 1]!, value[end]!, value[end + 1]!];
  const offset = (a - c) / (2 * (a - 2 * b + c));
  const period = time[end]! + offset * (time[1]! - time[0]!);
  // Trapezium rule up to the end of the period.
  let sum = 0;
  for (let k = 0; k < end; k++) sum += ((value[k]! + value[k + 1]!) / 2) * (time[k + 1]! - time[k]!);
  return { period, mean: sum / time[end]! };
}

/** The frequency [1/s] near a guess whose sine wave, with a mean, fits a series best. */
export function fitFrequency(time: readonly number[], value: readonly number[], guess: number): number {
  return fitWave(time, value, guess, 0, 0.3).frequency;
}

/** As fitFrequency, of a wave that dies away at the best of some rates [1/s]; the guess may be off by a share. */
export function fitRinging(time: readonly number[], value: readonly number[], guess: number, reach: number) {
  let best = { ...fitWave(time, value, guess, 0, reach), decay: 0 };
  for (let k = 1; k <= 60; k++) {
    const decay = (k / 20) * guess;
    const fit = fitWave(time, value, guess, decay, reach);
    if (fit.misfit < best.misfit) best = { ...fit, decay };
  }
  return best;
}

function fitWave(time: readonly number[], value: readonly number[], guess: number, decay: number, reach: number) {
  const misfit = (frequency: number) => {
    // Normal equations of mean, cosine and sine.
    const m = [
      [0, 0, 0, 0],
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ];
    let square = 0;
    for (const [k, t] of time.entries()) {
      const phase = 2 * Math.PI * frequency * t;
      const left = Math.exp(-decay * t);
      const row = [1, left * Math.cos(phase), left * Math.sin(phase), value[k]!];
      for (let i = 0; i < 3; i++) for (let j = 0; j < 4; j++) m[i]![j]! += row[i]! * row[j]!;
      square += value[k]! ** 2;
    }
    const right = m.map((row) => row[3]!);
    const x = solve3(m);
    return square - x.reduce((sum, c, i) => sum + c * right[i]!, 0);
  };
  // The best of a scan, then golden section around it.
  let best = guess;
  const scan = Math.round(100 * reach);
  for (let k = -scan; k <= scan; k++) {
    const frequency = guess * (1 + k / 100);
    if (misfit(frequency) < misfit(best)) best = frequency;
  }
  let [low, high] = [best - guess / 100, best + guess / 100];
  for (let k = 0; k < 40; k++) {
    const third = (high - low) * 0.381966;
    if (misfit(low + third) < misfit(high - third)) high -= third;
    else low += third;
  }
  const frequency = (low + high) / 2;
  return { frequency, misfit: misfit(frequency) };
}

/** Solves three equations, each with its right side last. */
function solve3(rows: number[][]): number[] {
  const m = rows.map((row) => [...row]);
  for (let c = 0; c < 3; c++) {
    const p = [...m.keys()].slice(c).reduce((best, r) => (Math.abs(m[r]![c]!) > Math.abs(m[best]![c]!) ? r : best), c);
    [m[c], m[p]] = [m[p]!, m[c]!];
    for (let r = 0; r < 3; r++) {
      if (r === c) continue;
      const factor = m[r]![c]! / m[c]![c]!;
      for (let k = c; k < 4; k++) m[r]![k]! -= factor * m[c]![k]!;
    }
  }
  return m.map((row, r) => row[3]! / row[r]!);
}
