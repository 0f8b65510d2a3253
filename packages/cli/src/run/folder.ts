/** The run folder: which files it has, who may replace them, and in which order they are written. */
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Scene } from 'phyxel';
import { CommandError, EXIT } from '../errors.js';
import { makeFolder, syncFile, syncFolder, TEMPORARY, withPath, writeAll, writeFileAtomic } from './atomic.js';
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint, isCheckpoint } from './checkpoint.js';
import { decodeFrame, encodeFrame, type Frame } from './frame-file.js';
import { isLockFile, lockFolder } from './lock.js';
import { askersOf, effortOf, type FrameRecord, probesHeader, probesRow, RUN_FORMAT } from './records.js';

const FILES = ['checkpoint', 'run.json', 'scene.json', 'probes.csv', 'log.jsonl'];
const FRAME_FILE = /^frame-(\d{6,})\.phx$/;
const SURFACE_FILE = /^surface-(\d{6,})\.phs$/;
/** Files for each frame, and the folders they are in. */
const NUMBERED = [
  { folder: 'frames', file: FRAME_FILE },
  { folder: 'surfaces', file: SURFACE_FILE },
] as const;
/** Copies of the files that a run was made of, by the SHA-256 of their content. */
const INPUTS = 'inputs';
const INPUT_FILE = /^[0-9a-f]{64}$/;
/** More damaged frames than this are counted, not listed. */
const LISTED_FRAMES = 50;

export function frameFileName(frame: number): string {
  return `frame-${String(frame).padStart(6, '0')}.phx`;
}

/** Contents of files by their digests. */
export type Inputs = ReadonlyMap<string, Uint8Array>;

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

  surfaceFile(frame: number): string {
    return join(this.path, 'surfaces', `surface-${String(frame).padStart(6, '0')}.phs`);
  }

  /** Refuses folders that hold something else; changes nothing. */
  checkOwn(): void {
    const entries = this.#entries();
    if (entries.length === 0 || this.isRun()) return;
    throw new CommandError(
      `${this.path} is not empty and is no run folder, it stays as it is; choose another with --out`,
      EXIT.badInput,
    );
  }

  /** Refuses to replace a run that has got anywhere, and says how to go on with it or to replace it. */
  checkReplaceable({ sceneText, frames, resume }: { sceneText: string; frames: number; resume: boolean }): void {
    const last = lastOf(this.file('frames'));
    const hasCheckpoint = existsSync(this.file('checkpoint'));
    const { status, framesDone, within } = this.#document();
    // Without a checkpoint, frames are those of an older run that was being replaced, unless run.json counts them.
    const isWithinFirst = last === 0 && hasCheckpoint && Number(within) > 0;
    if (!isWithinFirst && (last === 0 || !(hasCheckpoint || Number(framesDone) > 0))) return;
    const isFinished = status === 'finished';
    const canGoOn = hasCheckpoint && this.sceneText() === sceneText && !(isFinished && last >= frames);
    const cures = [
      ...(canGoOn ? ['--resume goes on with it'] : []),
      `--force ${resume ? 'instead of --resume ' : ''}replaces it`,
      '--out names another folder',
    ];
    throw new CommandError(
      `${this.path} holds ${isFinished ? 'a finished' : 'an unfinished'} run ` +
        `${isWithinFirst ? 'within its first frame' : `of ${last} ${last === 1 ? 'frame' : 'frames'}`}` +
        `${resume ? ' and no checkpoint to resume it from' : ''}: ${cures.join(', ')}`,
      EXIT.badInput,
    );
  }

  /**
   * Makes the folder this process's alone to write, before anything in it is looked at or changed. Returns what
   * releases it; a folder that is still empty then goes too, if it was made here.
   */
  lock(): () => void {
    this.checkOwn();
    const isNew = !existsSync(this.path);
    makeFolder(this.path);
    const unlock = lockFolder(this.path);
    return () => {
      unlock();
      if (isNew && this.#entries().length === 0) rmdirSync(this.path);
    };
  }

  /** What run.json says; nothing when it is missing, or cut off by a power failure. */
  #document(): Readonly<Record<string, unknown>> {
    try {
      const document: unknown = JSON.parse(readFileSync(this.file('run.json'), 'utf8'));
      return typeof document === 'object' && document !== null ? { ...document } : {};
    } catch {
      return {};
    }
  }

  /**
   * Whether this program made the folder: its run.json or its checkpoint says so, or nothing is there but
   * what a run leaves that was killed before its first file. Names alone prove nothing: a user's scene may
   * be called scene.json too.
   */
  isRun(): boolean {
    if (this.#document().format === RUN_FORMAT) return true;
    if (isCheckpoint(this.file('checkpoint'))) return true;
    const leftovers = new Set(FILES.map((name) => name + TEMPORARY));
    const entries = this.#entries();
    return (
      entries.length > 0 &&
      entries.every(
        (name) =>
          leftovers.has(name) || isLockFile(name) || (name === 'frames' && entriesOf(this.file(name)).length === 0),
      )
    );
  }

  /**
   * Refuses inputs that are files of this folder which a run replaces or removes. A run that goes on from
   * a checkpoint leaves scene.json alone.
   */
  checkInputs(inputs: readonly string[], { sceneStays }: { readonly sceneStays: boolean }): void {
    const numbered = [...NUMBERED, { folder: INPUTS, file: INPUT_FILE }].flatMap(({ folder, file }) =>
      entriesOf(this.file(folder))
        .filter((name) => file.test(withoutTemporary(name)))
        .map((name) => join(folder, name)),
    );
    const own = [
      ...FILES.filter((name) => !(sceneStays && name === 'scene.json')),
      ...FILES.map((name) => name + TEMPORARY),
      ...numbered,
    ];
    const taken = new Set(own.flatMap((name) => identities(this.file(name))));
    for (const input of inputs) {
      if (!identities(input).some((path) => taken.has(path))) continue;
      throw new CommandError(
        `${input} is an input of the run, which would replace it in ${this.path}; choose another folder with --out`,
        EXIT.badInput,
      );
    }
  }

  /** Refuses to go on when frames that were written are not what they were. */
  checkFrames(records: readonly FrameRecord[]): void {
    const problems = records.flatMap((record) => this.#frameProblem(record) ?? []);
    if (problems.length === 0) return;
    const lines = problems.slice(0, LISTED_FRAMES);
    if (problems.length > LISTED_FRAMES) lines.push(`... and ${problems.length - LISTED_FRAMES} more`);
    const what = problems.length === 1 ? 'a frame file is' : `${problems.length} frame files are`;
    lines.push(`cannot resume: ${what} damaged or missing; --force instead of --resume starts again`);
    throw new CommandError(lines.join('\n'), EXIT.badInput);
  }

  #frameProblem(record: FrameRecord): string | undefined {
    const path = this.frameFile(record.frame);
    if (!existsSync(path)) return `${path}: is missing`;
    try {
      const { frame, stateHash } = decodeFrame(readFileSync(path), path);
      if (frame !== record.frame) return `${path}: holds frame ${frame}`;
      if (stateHash !== record.stateHash) {
        return `${path}: is of another run, its state is ${stateHash} instead of ${record.stateHash}`;
      }
      return undefined;
    } catch (error) {
      const { message } = error as Error;
      return message.startsWith(path) ? message : `${path}: cannot be read: ${message}`;
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

  /**
   * An empty run; files of an earlier one go, the checkpoint first so that it cannot be mixed with the new
   * one. At every instant there is a run.json that tells whose folder this is, unless there is nothing else.
   */
  create(scene: Scene, sceneText: string, runText: string, inputs: Inputs): void {
    makeFolder(join(this.path, 'frames'));
    writeFileAtomic(this.file('run.json'), runText, { durable: true });
    for (const name of FILES) {
      if (name !== 'run.json') rmSync(this.file(name), { force: true });
      rmSync(this.file(name) + TEMPORARY, { force: true });
    }
    this.#removeFramesAfter(-1);
    for (const name of entriesOf(this.file(INPUTS))) {
      if (INPUT_FILE.test(withoutTemporary(name)) && !inputs.has(name)) rmSync(join(this.file(INPUTS), name));
    }
    this.keepInputs(inputs);
    writeFileAtomic(this.file('scene.json'), sceneText, { durable: true });
    writeFileAtomic(this.file('probes.csv'), probesHeader(scene.probes), { durable: false });
    this.#openAppended();
  }

  /** Copies what the run is made of, so that the folder can be drawn and played without anything outside of it. */
  keepInputs(inputs: Inputs): void {
    if (inputs.size > 0) makeFolder(this.file(INPUTS));
    for (const [digest, bytes] of inputs) {
      if (!existsSync(this.inputFile(digest))) writeFileAtomic(this.inputFile(digest), bytes, { durable: true });
    }
  }

  /** Where the copy of a file with this digest is, if there is one. */
  inputFile(digest: string): string {
    return join(this.file(INPUTS), digest);
  }

  /** Takes the folder back to its checkpoint; whatever was written after it goes. */
  rewind(scene: Scene, records: readonly FrameRecord[], logLength: number): void {
    makeFolder(join(this.path, 'frames'));
    for (const name of FILES) rmSync(this.file(name) + TEMPORARY, { force: true });
    this.#removeFramesAfter(records.at(-1)?.frame ?? -1);
    const rows = records.map(probesRow).join('');
    writeFileAtomic(this.file('probes.csv'), probesHeader(scene.probes) + rows, { durable: false });
    this.#openAppended();
    if (fstatSync(this.#log!).size > logLength) truncateSync(this.file('log.jsonl'), logLength);
  }

  /** A frame: its file, then its row, then its line in the log. */
  writeFrame(frame: Frame, record: FrameRecord): void {
    const path = this.frameFile(frame.frame);
    writeFileAtomic(path, encodeFrame(frame), { durable: false });
    this.#unsynced.push(path);
    this.#append('probes.csv', this.#probes, probesRow(record));
    const { steps, timeStep, limitedBy, stateHash } = record;
    this.log({
      event: 'frame',
      frame: frame.frame,
      steps,
      timeStep,
      limitedBy,
      ...askersOf(record),
      ...effortOf(record),
      stateHash,
    });
  }

  /** The surfaces of a frame that is there. They can be made again, so nothing waits for them. */
  writeSurfaces(frame: number, bytes: Uint8Array): void {
    makeFolder(join(this.path, 'surfaces'));
    writeFileAtomic(this.surfaceFile(frame), bytes, { durable: false });
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
    for (const { folder, file } of NUMBERED) {
      for (const name of entriesOf(this.file(folder))) {
        const number = file.exec(withoutTemporary(name))?.[1];
        if (number === undefined) continue;
        if (Number(number) > frame || name.endsWith(TEMPORARY)) rmSync(join(this.file(folder), name), { force: true });
      }
    }
  }

  #entries(): string[] {
    return entriesOf(this.path);
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The last frame that is there, 0 when none is. */
function lastOf(frames: string): number {
  return entriesOf(frames).reduce((last, name) => Math.max(last, Number(FRAME_FILE.exec(name)?.[1] ?? 0)), 0);
}

function withoutTemporary(name: string): string {
  return name.endsWith(TEMPORARY) ? name.slice(0, -TEMPORARY.length) : name;
}

/** What a path names, as real paths: the entry in its folder and, through links, the file; none when not there. */
function identities(path: string): string[] {
  try {
    return [realpathSync.native(path), join(realpathSync.native(dirname(path)), basename(path))];
  } catch {
    return [];
  }
}
