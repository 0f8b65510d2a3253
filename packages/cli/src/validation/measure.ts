import { readFileSync } from 'node:fs';
import { loadScene, type ProbeOptions, parseScene, type Scene } from 'phyxel';

/** Rows of a run: the time of each frame and what the probes read, by probe name. */
export interface Series {
  readonly time: number[];
  readonly probes: Readonly<Record<string, number[][]>>;
}

export type SceneChange = (scene: Scene) => Scene;

/** Reads a scene of the validation folder. */
export function validationScene(name: string): Scene {
  const file = `${name}.yaml`;
  return parseScene(readFileSync(new URL(`../../validation/${file}`, import.meta.url), 'utf8'), file).scene;
}

/** Gives every body of a scene another spacing. */
export function withSpacing(scene: Scene, spacing: number): Scene {
  return { ...scene, bodies: scene.bodies.map((body) => ({ ...body, spacing, particles: undefined })) };
}

/** Runs a scene and reads its probes at time 0 and after every frame. */
export async function runSeries(scene: Scene): Promise<Series> {
  const world = await loadScene(scene);
  try {
    const time: number[] = [];
    const probes: Record<string, number[][]> = {};
    const read = () => {
      time.push(world.time);
      for (const probe of scene.probes as ProbeOptions[]) {
        probes[probe.name] ??= [];
        probes[probe.name]!.push(world.probe(probe));
      }
    };
    read();
    const frames = Math.round(scene.duration * scene.frameRate);
    for (let k = 0; k < frames; k++) {
      world.step(1 / scene.frameRate);
      read();
    }
    return { time, probes };
  } finally {
    await world.dispose();
  }
}

/**
 * Period and mean of a swing that starts at rest from one end: the first maximum of the way gone, found
 * between samples by a parabola, is half a period away.
 */
export function swing(time: readonly number[], value: readonly number[]): { period: number; mean: number } {
  const sign = Math.sign(value.reduce((sum, x) => sum + x, 0));
  // The first minimum after the first maximum ends the period.
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

/** Order p of an error that falls as h^p, from two resolutions. */
export function orderOf(coarse: { h: number; error: number }, fine: { h: number; error: number }): number {
  return Math.log(Math.abs(coarse.error / fine.error)) / Math.log(coarse.h / fine.h);
}
