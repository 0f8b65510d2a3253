/** Speed of surfaces of points: surfels that solids carry along, and the surface that relaxes around a liquid. */
import { PointSurfacer, sampleShape, sampleSurfels, shapeMesh } from 'phyxel';

interface PointScene {
  readonly name: string;
  /** About; what there is follows from spacings. */
  readonly particles: number;
  readonly surfels: number;
  readonly threads: readonly number[];
  /** What a paper tells of the same sizes, per update or per iteration [ms]. */
  readonly other?: { readonly milliseconds: number; readonly source: string };
}

export interface PointResult {
  readonly scene: string;
  readonly particles: number;
  readonly surfels: number;
  readonly threads: number;
  /** Median and best of one update, or of one iteration of a surface that relaxes. */
  readonly milliseconds: number;
  readonly bestMilliseconds: number;
  /** Processor time of all threads. */
  readonly cpuMilliseconds: number;
  readonly nsPerSurfel: number;
  readonly comparison?: { readonly source: string; readonly milliseconds: number; readonly ratio: number };
}

const MAX_PLANCK = '[M04] table 1, with drawing';
const KEISER = '[K06] table 6.1';

export const CARRIED_SCENES: readonly PointScene[] = [
  { name: 'surfels on a ball', particles: 5000, surfels: 100_000, threads: [1, 2] },
  { name: 'Max, 10k', particles: 200, surfels: 10_000, threads: [1], other: { milliseconds: 22, source: MAX_PLANCK } },
  { name: 'Max, 20k', particles: 400, surfels: 20_000, threads: [1], other: { milliseconds: 50, source: MAX_PLANCK } },
];

export const RELAXED_SCENES: readonly PointScene[] = [
  { name: 'fluid', particles: 3000, surfels: 3400, threads: [1, 2], other: { milliseconds: 1300, source: KEISER } },
  {
    name: 'melting',
    particles: 3900,
    surfels: 56_000,
    threads: [1, 2],
    other: { milliseconds: 20_000, source: KEISER },
  },
];

const REPEATS = 21;
/** Area per surfel over the square of their distance: of a hexagonal pattern, and of a surface that has relaxed. */
const HEXAGON = 0.866;
const RELAXED = 1.04;

/** Particles of a ball of radius 1, and how far surfels are apart for there to be so many. */
function ball({ particles, surfels }: PointScene, cell: number) {
  const spacing = Math.cbrt((4 * Math.PI) / 3 / particles);
  const shape = { sphere: { radius: 1 } };
  const { positions } = sampleShape(shape, { spacing, lattice: 'cubic', jitter: 0.1, seed: 1 });
  return { shape, spacing, positions, distance: Math.sqrt((4 * Math.PI) / surfels / cell) };
}

export async function measureCarried(scene: PointScene): Promise<PointResult[]> {
  const { shape, positions, distance } = ball(scene, HEXAGON);
  const samples = sampleSurfels(shapeMesh(shape, 2 * distance), distance);
  const results: PointResult[] = [];
  for (const threads of scene.threads) {
    const surfacer = await PointSurfacer.create({ threads });
    const cloud = surfacer.surfels(positions, samples);
    const times: number[] = [];
    cloud.update(positions);
    const before = process.cpuUsage();
    for (let k = 0; k < REPEATS; k++) {
      const moved = positions.map((x, i) => x * (1 + 0.01 * ((k + i) % 3)));
      const started = performance.now();
      cloud.update(moved);
      times.push(performance.now() - started);
    }
    results.push(summarise(scene, positions.length / 3, cloud.count, threads, times, before));
    await surfacer.dispose();
  }
  return results;
}

/** A ball that swells and shrinks, so that all of its surface is looked at in every iteration. */
export async function measureRelaxed(scene: PointScene): Promise<PointResult[]> {
  const { positions, spacing, distance } = ball(scene, RELAXED);
  const results: PointResult[] = [];
  for (const threads of scene.threads) {
    const surfacer = await PointSurfacer.create({ threads });
    const surface = surfacer.points({ spacing, surfelSpacing: distance / spacing });
    surface.update({ positions });
    const times: number[] = [];
    const before = process.cpuUsage();
    for (let k = 0; k < 3; k++) {
      const moved = positions.map((x, i) => x * (i % 3 === k ? 1.05 : 1));
      const started = performance.now();
      const { iterations } = surface.update({ positions: moved });
      times.push((performance.now() - started) / Math.max(1, iterations));
    }
    results.push(summarise(scene, positions.length / 3, surface.count, threads, times, before));
    await surfacer.dispose();
  }
  return results;
}

function summarise(
  { name, other }: PointScene,
  particles: number,
  surfels: number,
  threads: number,
  times: number[],
  before: NodeJS.CpuUsage,
): PointResult {
  const { user, system } = process.cpuUsage(before);
  const sorted = times.toSorted((a, b) => a - b);
  const milliseconds = sorted[sorted.length >> 1]!;
  return {
    scene: name,
    particles,
    surfels,
    threads,
    milliseconds,
    bestMilliseconds: sorted[0]!,
    cpuMilliseconds: (user + system) / 1000 / times.length,
    nsPerSurfel: (1e6 * milliseconds) / surfels,
    ...(other && { comparison: { ...other, ratio: other.milliseconds / milliseconds } }),
  };
}
