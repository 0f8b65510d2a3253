/** The frames that were simulated, and states to go on from. Both are bounded; the oldest states are thinned first. */

import type { Snapshot } from '../world/save.js';
import type { Recorded } from './packer.js';
import type { FrameStatistics } from './protocol.js';

/** Bytes of frames and of states that are kept at the most. */
const MOST_FRAME_BYTES = 400e6;
const MOST_STATE_BYTES = 200e6;
/** Frames between states, while nobody interferes. */
const STATE_INTERVAL = 15;

export interface CachedFrame {
  readonly frame: number;
  readonly time: number;
  readonly recorded: Recorded;
  readonly statistics: FrameStatistics;
}

interface State {
  readonly frame: number;
  readonly snapshot: Snapshot;
}

export class History {
  #frames: CachedFrame[] = [];
  #states: State[] = [];
  /** Frames during which somebody interfered: they cannot be computed again. */
  readonly #touched = new Set<number>();

  get lastFrame(): number {
    return this.#frames.at(-1)?.frame ?? 0;
  }

  get firstFrame(): number {
    return this.#frames[0]?.frame ?? 0;
  }

  get last(): CachedFrame | undefined {
    return this.#frames.at(-1);
  }

  clear(): void {
    this.#frames = [];
    this.#states = [];
    this.#touched.clear();
  }

  /** The cached frame nearest to a number. */
  at(frame: number): CachedFrame | undefined {
    const index = Math.round(frame) - this.firstFrame;
    return this.#frames[Math.min(this.#frames.length - 1, Math.max(0, index))];
  }

  add(cached: CachedFrame): void {
    this.#frames.push(cached);
    const size = bytesOf(cached);
    while (this.#frames.length > 2 && size * this.#frames.length > MOST_FRAME_BYTES) this.#frames.shift();
  }

  /** The last frame was changed from outside. */
  replaceLast(cached: CachedFrame, state: Snapshot): void {
    this.#frames[this.#frames.length - 1] = cached;
    this.#states = this.#states.filter(({ frame }) => frame !== cached.frame);
    this.addState(cached.frame, state);
  }

  /** The frame that is being computed is not what the scene alone gives. */
  touch(frame: number): void {
    this.#touched.add(frame);
  }

  wantsState(frame: number): boolean {
    const last = this.#states.at(-1);
    return last === undefined || frame - last.frame >= STATE_INTERVAL || this.#touched.has(frame);
  }

  addState(frame: number, snapshot: Snapshot): void {
    this.#states.push({ frame, snapshot });
    let total = this.#states.reduce((sum, state) => sum + state.snapshot.ownBytes, 0);
    // Every second one of the older half goes; the first stays.
    while (total > MOST_STATE_BYTES && this.#states.length > 3) {
      const [gone] = this.#states.splice(1 + (this.#states.length % 2 === 0 ? 0 : 1), 1);
      total -= gone!.snapshot.ownBytes;
    }
  }

  /**
   * A state at or before a frame, and the frame to go on to from there by computing: the frame itself, unless
   * somebody interfered in between.
   */
  stateBefore(frame: number): { readonly state: State; readonly target: number } | undefined {
    const state = this.#states.findLast((candidate) => candidate.frame <= frame);
    if (!state) return undefined;
    let target = state.frame;
    while (target < frame && !this.#touched.has(target + 1)) target++;
    return { state, target };
  }

  /** Forgets what comes after a frame. */
  truncate(frame: number): void {
    this.#frames = this.#frames.filter((cached) => cached.frame <= frame);
    this.#states = this.#states.filter((state) => state.frame <= frame);
    for (const touched of this.#touched) if (touched > frame) this.#touched.delete(touched);
  }
}

function bytesOf({ recorded }: CachedFrame): number {
  return recorded.positions.byteLength * (1 + recorded.quantities.size / 3);
}
