/** Runs of bodies that break, with pieces and motions that a test chooses. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseScene, serializeScene } from 'phyxel';
import { core } from '../src/core.js';
import { RunFolder } from '../src/run/folder.js';
import { decodeFrame, encodeFrame, type Frame } from '../src/run/frame-file.js';
import { simulate } from '../src/run/simulate.js';

/** Runs a scene for some frames, beside the meshes that it names. */
export async function runScene(text: string, out: string, frames: number, meshes: readonly string[] = []) {
  const folder = join(out, '..', `${basename(out)}-scene`);
  mkdirSync(folder, { recursive: true });
  for (const mesh of meshes) copyFileSync(mesh, join(folder, basename(mesh)));
  const { scene } = parseScene(text, 'scene.yaml');
  const job = { scene, sceneFile: join(folder, 'scene.yaml'), sceneText: serializeScene(scene), sceneFolder: folder };
  await simulate(
    { ...job, out, frames, threads: 1, resume: false, checkpointInterval: 0 },
    core,
    () => {},
    () => false,
  );
}

/** What happens to a body by a frame: the piece of every particle, and where its pieces are moved. */
export interface Breaking {
  readonly labels: ArrayLike<number>;
  /** From positions at rest, xyz. */
  readonly move: (position: readonly [number, number, number], label: number) => readonly [number, number, number];
}

/** Particles of a body at rest, xyz. */
export function restOf(run: string, body: string): Float32Array {
  const frame = decodeFrame(readFileSync(new RunFolder(run).frameFile(0)));
  const { begin, end } = frame.bodies.find(({ name }) => name === body)!;
  return frame.arrays.find(({ name }) => name === 'position')!.values.slice(3 * begin, 3 * end);
}

/** Writes the frames of a run again with a body broken; undefined leaves a frame as it is. */
export function breakRun(run: string, body: string, at: (frame: number) => Breaking | undefined): void {
  const rest = restOf(run, body);
  const folder = new RunFolder(run);
  for (let n = 0; ; n++) {
    let frame: Frame;
    try {
      frame = decodeFrame(readFileSync(folder.frameFile(n)));
    } catch {
      return;
    }
    const breaking = at(n);
    if (!breaking) continue;
    const { begin, end } = frame.bodies.find(({ name }) => name === body)!;
    const known = frame.arrays.find(({ name }) => name === 'piece');
    const piece = known?.values ?? new Float32Array(frame.particles);
    const positions = frame.arrays.find(({ name }) => name === 'position')!.values;
    for (let i = 0; i < end - begin; i++) {
      piece[begin + i] = breaking.labels[i]!;
      const position = [rest[3 * i]!, rest[3 * i + 1]!, rest[3 * i + 2]!] as const;
      positions.set(breaking.move(position, breaking.labels[i]!), 3 * (begin + i));
    }
    const arrays = known ? frame.arrays : [...frame.arrays, { name: 'piece', components: 1, values: piece }];
    writeFileSync(folder.frameFile(n), encodeFrame({ ...frame, arrays }));
  }
}
