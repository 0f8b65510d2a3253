/** The run folder: which files it has, who may replace them, and in which order they are written. */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Scene } from 'phyxel';
import { CommandError, EXIT } from '../errors.js';
import { makeFolder, syncFile, syncFolder, TEMPORARY, withPath, writeAll, writeFileAtomic } from './atomic.js';
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint } from './checkpoint.js';
import { encodeFrame, type Frame } from './frame-file.js';
import { type FrameRecord, probesHeader, probesRow, RUN_FORMAT } from './records.js';

const FILES = ['checkpoint', 'run.json', 'scene.json', 'probes.csv', 'log.jsonl'];
const FRAME_FILE = /^frame-(\d{6,})\.phx$/;

export function frameFileName(frame: number): string {
  return `frame-${String(frame).padStart(6, '0')}.phx`;
}

export class RunFolder {
  #probes: number | undefined;
  #log: number | undefined;
  /** Frame files that may not be on the disk yet. */
  #unsynced: string[] = [];

  constructor(readonly path: string) {}

  file(name: string): string {
    return join(this.path, name);
  }

  frameFile(frame: number): string {
    return join(this.path, 'frames', frameFileName(frame));
  }

  /** Refuses folders that hold something else; changes nothing. */
  checkReplaceable(): void {
    const entries = this.#entries();
    if (entries.length === 0 || this.isRun()) return;
    throw new CommandError(
      `${this.path} is not empty and is no run folder, it stays as it is; choose another with --out`,
      EXIT.badInput,
    );
  }

  /** Whether this program made the folder: its run.json says so, or nothing but its own files is there. */
  isRun(): boolean {
    const entries = this.#entries();
    const own = new Set([...FILES, ...FILES.map((name) => name + TEMPORARY), 'frames']);
    if (entries.length > 0 && entries.every((entry) => own.has(entry))) return true;
    try {
      return JSON.parse(readFileSync(this.file('run.json'), 'utf8')).format === RUN_FORMAT;
    } catch {
      return false;
    }
  }

  /** The scene this folder was made for, if it got that far. */
  sceneText(): string | undefined {
    return existsSync(this.file('scene.json')) ? readFileSync(this.file('scene.json'), 'utf8') : undefined;
  }

  readCheckpoint(): Checkpoint | undefined {
    const path = this.file('checkpoint');
    return existsSync(path) ? decodeCheckpoint(readFileSync(path), path) : undefined;
  }

  /** An empty run; files of an earlier one go, the checkpoint first so that it cannot be mixed with the new one. */
  create(scene: Scene, sceneText: string, runText: string): void {
    makeFolder(join(this.path, 'frames'));
    for (const name of FILES) {
      rmSync(this.file(name), { force: true });
      rmSync(this.file(name) + TEMPORARY, { force: true });
    }
    this.#removeFramesAfter(-1);
    this.writeRun(runText);
    writeFileAtomic(this.file('scene.json'), sceneText, { durable: true });
    writeFileAtomic(this.file('probes.csv'), probesHeader(scene.probes), { durable: false });
    this.#openAppended();
  }

  /** Takes the folder back to its checkpoint; whatever was written after it goes. */
  rewind(scene: Scene, records: readonly FrameRecord[], logLength: number): { missingFrames: number } {
    makeFolder(join(this.path, 'frames'));
    for (const name of FILES) rmSync(this.file(name) + TEMPORARY, { force: true });
    this.#removeFramesAfter(records.at(-1)?.frame ?? -1);
    const rows = records.map(probesRow).join('');
    writeFileAtomic(this.file('probes.csv'), probesHeader(scene.probes) + rows, { durable: false });
    this.#openAppended();
    if (fstatSync(this.#log!).size > logLength) truncateSync(this.file('log.jsonl'), logLength);
    return { missingFrames: records.filter(({ frame }) => !existsSync(this.frameFile(frame))).length };
  }

  /** A frame: its file, then its row, then its line in the log. */
  writeFrame(frame: Frame, record: FrameRecord): void {
    const path = this.frameFile(frame.frame);
    writeFileAtomic(path, encodeFrame(frame), { durable: false });
    this.#unsynced.push(path);
    this.#append('probes.csv', this.#probes, probesRow(record));
    const { steps, timeStep, limitedBy, stateHash } = record;
    this.log({ event: 'frame', frame: frame.frame, steps, timeStep, limitedBy, stateHash });
  }

  log(entry: object): void {
    this.#append('log.jsonl', this.#log, `${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`);
  }

  get logLength(): number {
    return this.#log === undefined ? 0 : fstatSync(this.#log).size;
  }

  /** Everything that the checkpoint builds on is on the disk before it. */
  writeCheckpoint(checkpoint: Checkpoint): void {
    for (const path of this.#unsynced) syncFile(path);
    if (this.#unsynced.length > 0) syncFolder(join(this.path, 'frames'));
    this.#unsynced = [];
    writeFileAtomic(this.file('checkpoint'), encodeCheckpoint(checkpoint), { durable: true });
  }

  writeRun(text: string): void {
    writeFileAtomic(this.file('run.json'), text, { durable: false });
  }

  close(): void {
    if (this.#probes !== undefined) closeSync(this.#probes);
    if (this.#log !== undefined) closeSync(this.#log);
    this.#probes = undefined;
    this.#log = undefined;
  }

  #openAppended(): void {
    this.close();
    this.#probes = openSync(this.file('probes.csv'), 'a');
    this.#log = openSync(this.file('log.jsonl'), 'a');
  }

  #append(name: string, file: number | undefined, text: string): void {
    if (file === undefined) return;
    try {
      writeAll(file, Buffer.from(text));
    } catch (error) {
      throw withPath(error, this.file(name));
    }
  }

  #removeFramesAfter(frame: number): void {
    const folder = join(this.path, 'frames');
    for (const name of readdirSync(folder)) {
      const number = FRAME_FILE.exec(name.endsWith(TEMPORARY) ? name.slice(0, -TEMPORARY.length) : name)?.[1];
      if (number === undefined) continue;
      if (Number(number) > frame || name.endsWith(TEMPORARY)) rmSync(join(folder, name), { force: true });
    }
  }

  #entries(): string[] {
    try {
      return readdirSync(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}
