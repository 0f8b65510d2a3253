/** Whether a scene fits the machine, known before anything is allocated. */
import { totalmem } from 'node:os';
import { checkMemory as check, type ReadMesh, type Scene } from 'phyxel';

export {
  bytesPerParticle,
  estimateCrumbs,
  estimateMelted,
  estimateParticles,
  formatBytes,
  iterationBytes,
  type ReadMesh,
} from 'phyxel';

/** Refuses a scene that cannot fit, with the cure, before anything is sampled. */
export async function checkMemory(scene: Scene, readMesh: ReadMesh, available = availableMemory()): Promise<void> {
  await check(scene, readMesh, available);
}

/** What this process may use: the machine's memory, or less inside a container. */
function availableMemory(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
