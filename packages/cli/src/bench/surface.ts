/** Speed of the triangle surface of liquids: a crown splash, made up of a pool, a thin wall of water and drops. */
import { LiquidSurfacer } from 'phyxel';

export interface SurfaceScene {
  readonly name: string;
  readonly particles: number;
  /** Distance of the grid's nodes in spacings. */
  readonly cell: number;
  readonly threads: readonly number[];
  /** Only with --full. */
  readonly full?: boolean;
}

export interface SurfaceResult {
  readonly scene: string;
  readonly particles: number;
  readonly cell: number;
  readonly threads: number;
  readonly triangles: number;
  /** Median and best of a few surfaces. */
  readonly milliseconds: number;
  readonly bestMilliseconds: number;
  /** Processor time of all threads. */
  readonly cpuMilliseconds: number;
  readonly nsPerParticle: number;
  readonly nsPerTriangle: number;
  readonly bytesPerParticle: number;
  readonly bytesPerTriangle: number;
  readonly speedupOverOneThread: number | null;
}

const SIZES = [
  { particles: 12_500, full: false },
  { particles: 100_000, full: false },
  { particles: 800_000, full: true },
];

export const SURFACE_SCENES: readonly SurfaceScene[] = SIZES.flatMap(({ particles, full }) =>
  [1, 0.5].map((cell) => ({ name: 'crown splash', particles, cell, threads: [1, 2], ...(full ? { full } : {}) })),
);

const REPEATS = 5;

/** Particles of a splash at a spacing of 1: three quarters in a pool, the rest in a wall two thick and in drops. */
export function splash(particles: number): Float32Array {
  const positions = new Float32Array(3 * particles);
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const place = (i: number, x: number, y: number, z: number) => {
    const shake = () => 0.2 * (random() - 0.5);
    positions.set([x + shake(), y + shake(), z + shake()], 3 * i);
  };
  const pool = Math.floor(0.75 * particles);
  const side = Math.floor(Math.cbrt(4 * pool));
  for (let i = 0; i < pool; i++) {
    place(i, (i % side) - side / 2, Math.floor(i / (side * side)), (Math.floor(i / side) % side) - side / 2);
  }
  const surface = pool / (side * side);
  const wall = Math.floor(0.2 * particles);
  const radius = side / 4;
  const around = Math.floor(2 * Math.PI * radius);
  for (let i = 0; i < wall; i++) {
    const height = Math.floor(i / (2 * around));
    // The wall leans outwards.
    const r = radius + (i % 2) + 0.02 * height * height * (40 / side);
    const turn = (2 * Math.PI * Math.floor(i / 2)) / around;
    place(pool + i, r * Math.cos(turn), surface + height, r * Math.sin(turn));
  }
  for (let i = pool + wall; i < particles; i++) {
    place(i, side * (random() - 0.5), surface + side * (0.2 + 0.6 * random()), side * (random() - 0.5));
  }
  return positions;
}

export async function measureSurface(scene: SurfaceScene): Promise<SurfaceResult[]> {
  const positions = splash(scene.particles);
  const results: SurfaceResult[] = [];
  for (const threads of scene.threads) {
    const surfacer = await LiquidSurfacer.create({ threads });
    const velocity = { components: 3, values: positions };
    const make = () => surfacer.surface({ positions, spacing: 1, attributes: { velocity } }, { cell: scene.cell });
    const triangles = make().indices.length / 3;
    const times: number[] = [];
    const before = process.cpuUsage();
    for (let k = 0; k < REPEATS; k++) {
      const started = performance.now();
      make();
      times.push(performance.now() - started);
    }
    const { user, system } = process.cpuUsage(before);
    times.sort((a, b) => a - b);
    const milliseconds = times[REPEATS >> 1]!;
    const single = results.find((result) => result.threads === 1);
    results.push({
      scene: scene.name,
      particles: scene.particles,
      cell: scene.cell,
      threads,
      triangles,
      milliseconds,
      bestMilliseconds: times[0]!,
      cpuMilliseconds: (user + system) / 1000 / REPEATS,
      nsPerParticle: (1e6 * milliseconds) / scene.particles,
      nsPerTriangle: (1e6 * milliseconds) / triangles,
      bytesPerParticle: surfacer.memoryBytes / scene.particles,
      bytesPerTriangle: surfacer.memoryBytes / triangles,
      speedupOverOneThread: single && threads > 1 ? single.milliseconds / milliseconds : null,
    });
    await surfacer.dispose();
  }
  return results;
}
