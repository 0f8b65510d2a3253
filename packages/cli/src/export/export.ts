/** Writes the frames of a run in the formats that are asked for. */
import { join } from 'node:path';
import { LiquidSurfacer } from 'phyxel';
import { CommandError, EXIT } from '../errors.js';
import { makeFolder, writeFileAtomic } from '../run/atomic.js';
import type { GltfEncoder } from './compact-buffer.js';
import { type ExportFrame, type ExportMesh, type ExportView, MaterialList } from './geometry.js';
import { GlbWriter } from './glb.js';
import { encodeMtl, encodeObj } from './obj.js';
import { encodePly } from './ply.js';
import { RunSource } from './source.js';
import { UsdaWriter } from './usda.js';
import { encodePvd, encodeVtp } from './vtp.js';

export const FORMATS = ['glb', 'ply', 'obj', 'vtp', 'usda'] as const;
export type Format = (typeof FORMATS)[number];

export interface ExportJob {
  readonly run: string;
  /** Folder of the run's scene, when it has moved. */
  readonly meshes?: string | undefined;
  /** Longest edge of mesh files of solids, in spacings; as they are without. */
  readonly refine?: number | undefined;
  readonly out: string;
  readonly formats: readonly Format[];
  /** First and last frame, and how many frames on the next one is. */
  readonly first: number;
  readonly last: number;
  readonly every: number;
  /** Size of the cells of liquid surfaces, in spacings; as the run has kept them, or 0.5, when left out. */
  readonly cell?: number | undefined;
  /** How far they may be off where they have fewer triangles, in spacings; as they are without. */
  readonly tolerance?: number | undefined;
  readonly threads: 'auto' | number;
  /** Compress GLB with meshoptimizer. */
  readonly compress: boolean;
  /** Leave out obstacles, camera and lights. */
  readonly bodiesOnly?: boolean | undefined;
}

export type ExportEvent =
  | { readonly event: 'start'; readonly run: string; readonly out: string; readonly frames: number }
  | {
      readonly event: 'frame';
      readonly frame: number;
      /** Frames written, this one included. */
      readonly done: number;
      readonly frames: number;
      readonly triangles: number;
      readonly particles: number;
    }
  | { readonly event: 'done'; readonly out: string; readonly frames: number; readonly files: number };

/** What takes frames and turns them into files. */
interface Exporter {
  add(frame: ExportFrame): void;
  finish(): void;
}

type Write = (name: string, data: Uint8Array | string) => void;

export async function exportRun(job: ExportJob, report: (event: ExportEvent) => void): Promise<void> {
  const source = await RunSource.open(job.run, job);
  const frames = source.frames.filter((n) => n >= job.first && n <= job.last && (n - job.first) % job.every === 0);
  if (frames.length === 0) {
    const [first, last] = [source.frames[0], source.frames.at(-1)];
    throw new CommandError(
      `none of the frames asked for is there: ${job.run} has frames ${first} to ${last}`,
      EXIT.badInput,
    );
  }
  makeFolder(job.out);
  let files = 0;
  const write: Write = (name, data) => {
    writeFileAtomic(join(job.out, name), data, { durable: false });
    files++;
  };
  const encoder = job.compress ? await gltfEncoder() : undefined;
  const stage = job.bodiesOnly ? undefined : source.stage(frames);
  const exporters = job.formats.map((format) => EXPORTERS[format]({ source, write, encoder, view: stage?.view }));
  const surfacer = await LiquidSurfacer.create({ threads: job.threads });
  try {
    report({ event: 'start', run: job.run, out: job.out, frames: frames.length });
    for (const [k, number] of frames.entries()) {
      const bodies = source.frame(number, surfacer, job);
      const frame = { ...bodies, obstacles: stage?.obstacles(bodies.time) ?? [] };
      for (const exporter of exporters) exporter.add(frame);
      report({
        event: 'frame',
        frame: number,
        done: k + 1,
        frames: frames.length,
        triangles: [...frame.meshes, ...frame.obstacles].reduce((sum, { indices }) => sum + indices.length / 3, 0),
        particles: frame.points.positions.length / 3,
      });
    }
    for (const exporter of exporters) exporter.finish();
    report({ event: 'done', out: job.out, frames: frames.length, files });
  } finally {
    await surfacer.dispose();
    await source.dispose();
  }
}

/** Loaded only when it is asked for. */
async function gltfEncoder(): Promise<GltfEncoder> {
  const { MeshoptEncoder } = await import('meshoptimizer');
  await MeshoptEncoder.ready;
  return MeshoptEncoder;
}

/** Names of bodies as parts of file names, no two alike. */
class FileNames {
  readonly #names = new Map<string, string>();

  /** Things of different kinds may be called the same. */
  of(body: string, kind = 'body'): string {
    const key = `${kind} ${body}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const plain = body.replace(/[^\p{L}\p{N}_-]/gu, '_');
    const taken = new Set(['particles', 'meshes', ...this.#names.values()]);
    let name = plain;
    for (let k = 2; taken.has(name); k++) name = `${plain}_${k}`;
    this.#names.set(key, name);
    return name;
  }
}

const numbered = (name: string, frame: number, ending: string) => `${name}-${String(frame).padStart(6, '0')}.${ending}`;

const OBJ_MATERIALS = 'meshes.mtl';

/** Pictures as files beside the others. */
function writeTextures(materials: MaterialList, write: Write): void {
  for (const texture of materials.textures) write(materials.textureFile(texture), texture.bytes);
}

/** What exporters are made with. */
interface Making {
  readonly source: RunSource;
  readonly write: Write;
  readonly encoder: GltfEncoder | undefined;
  readonly view: ExportView | undefined;
}

/** Files of the meshes of frames, one each; what stands still has one for all. Answers the names of a frame's. */
function meshWriter(write: Write, ending: string, encode: (mesh: ExportMesh) => Uint8Array | string) {
  const names = new FileNames();
  const still = new Map<string, string>();
  return ({ frame, meshes, obstacles = [] }: ExportFrame): string[] => {
    const moving = (name: string, mesh: ExportMesh) => {
      const file = numbered(name, frame, ending);
      write(file, encode(mesh));
      return file;
    };
    return [
      ...meshes.map((mesh) => moving(names.of(mesh.name), mesh)),
      ...obstacles.map((mesh) => {
        // They may have the names of bodies.
        const name = names.of(mesh.name, 'obstacle');
        if (!mesh.motion?.isStill) return moving(name, mesh);
        if (!still.has(name)) {
          still.set(name, `${name}.${ending}`);
          write(still.get(name)!, encode(mesh));
        }
        return still.get(name)!;
      }),
    ];
  };
}

const EXPORTERS: Readonly<Record<Format, (making: Making) => Exporter>> = {
  ply: ({ write }) => {
    const writeMeshes = meshWriter(write, 'ply', encodePly);
    return {
      add(frame) {
        writeMeshes(frame);
        write(numbered('particles', frame.frame, 'ply'), encodePly(frame.points));
      },
      finish: () => {},
    };
  },
  obj: ({ write }) => {
    const materials = new MaterialList(true);
    return {
      add({ frame, meshes, obstacles = [] }) {
        write(numbered('meshes', frame, 'obj'), encodeObj([...meshes, ...obstacles], materials, OBJ_MATERIALS));
      },
      finish() {
        write(OBJ_MATERIALS, encodeMtl(materials));
        writeTextures(materials, write);
      },
    };
  },
  vtp: ({ write }) => {
    const writeMeshes = meshWriter(write, 'vtp', encodeVtp);
    const meshFiles: { time: number; part: number; file: string }[] = [];
    const pointFiles: { time: number; part: number; file: string }[] = [];
    return {
      add(whole) {
        const { frame, time, points } = whole;
        for (const [part, file] of writeMeshes(whole).entries()) meshFiles.push({ time, part, file });
        const file = numbered('particles', frame, 'vtp');
        write(file, encodeVtp(points));
        pointFiles.push({ time, part: 0, file });
      },
      finish() {
        if (meshFiles.length > 0) write('meshes.pvd', encodePvd(meshFiles));
        write('particles.pvd', encodePvd(pointFiles));
      },
    };
  },
  usda: ({ source, write, view }) => {
    const writer = new UsdaWriter(source.name, source.frameRate, view);
    return {
      add: (frame) => writer.add(frame, source.spacing),
      finish() {
        write('scene.usda', writer.text());
        writeTextures(writer.materials, write);
      },
    };
  },
  glb: ({ source, write, encoder, view }) => {
    const writer = new GlbWriter(source.name, source.frameRate, encoder, view);
    return { add: (frame) => writer.add(frame), finish: () => write('scene.glb', writer.bytes()) };
  },
};
