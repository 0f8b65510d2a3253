/** Whether a scene fits the machine, known before anything is allocated. */
import { totalmem } from 'node:os';
import type { Scene, Shape } from 'phyxel';
import { CommandError, EXIT } from './errors.js';

/** State, neighbour lists and rest shapes of one particle with the default support [bytes]. */
const BYTES_PER_PARTICLE = 900;

/** What 32-bit WebAssembly can address [bytes]. */
const ADDRESSABLE = 2 ** 32;

/** About how many particles a scene will have; meshes sampled by spacing are not counted. */
export function estimateParticles(scene: Scene): number {
  let sum = 0;
  for (const { shape, spacing, particles, lattice } of scene.bodies) {
    if (particles !== undefined) sum += particles;
    else if (spacing !== undefined) sum += volume(shape) / (spacing ** 3 * CELL_SHARE[lattice]);
  }
  return Math.ceil(sum);
}

/** Volume of a particle's cell, in cubes of the spacing. */
const CELL_SHARE = { cubic: 1, bcc: 4 / (3 * Math.sqrt(3)), hcp: Math.SQRT1_2, octree: 1 } as const;

function volume(shape: Shape): number {
  if ('box' in shape) return shape.box.size[0] * shape.box.size[1] * shape.box.size[2];
  if ('sphere' in shape) return (4 / 3) * Math.PI * shape.sphere.radius ** 3;
  if ('cylinder' in shape) return Math.PI * shape.cylinder.radius ** 2 * shape.cylinder.length;
  if ('capsule' in shape) {
    const { radius, length } = shape.capsule;
    return Math.PI * radius ** 2 * (length + (4 / 3) * radius);
  }
  if ('torus' in shape) return 2 * Math.PI ** 2 * shape.torus.radius * shape.torus.tube ** 2;
  return 0;
}

/** Refuses a scene that cannot fit, with the cure. */
export function checkMemory(scene: Scene, available = availableMemory()): void {
  const particles = estimateParticles(scene);
  const needed = particles * BYTES_PER_PARTICLE;
  const limit = Math.min(available, ADDRESSABLE);
  if (needed <= limit) return;
  throw new CommandError(
    `the scene needs about ${formatBytes(needed)} for ${particles} particles, at most ${formatBytes(limit)} can be used here; use a larger spacing or fewer particles`,
    EXIT.badInput,
  );
}

/** What this process may use: the machine's memory, or less inside a container. */
function availableMemory(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value >= 100 || power === 0 ? value.toFixed(0) : value.toPrecision(3)} ${units[power]}`;
}
