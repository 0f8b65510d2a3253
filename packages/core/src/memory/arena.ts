const PAGE = 65_536;
const MAX_PAGES = 65_536;

/** The next multiple of 64, the size of a cache line. */
function aligned(at: number): number {
  return Math.ceil(at / 64) * 64;
}

/** Thrown when a world does not fit; the message names the size and the cure. */
export class MemoryError extends Error {
  override name = 'MemoryError';
}

/**
 * Owns the WASM memory and hands out aligned pieces of it, front to back. What was allocated after a
 * mark is given back by release. Lists that outgrow their capacity give back their piece alone, and only such lists
 * are put into the gaps. Views are taken fresh on every call, because growing plain memory detaches the old buffer.
 */
export class Arena {
  readonly memory: WebAssembly.Memory;
  readonly #bottom: number;
  #top: number;
  #peak: number;
  #epoch = 0;
  /** End of each piece in use, by its address. */
  readonly #ends = new Map<number, number>();
  /** Free stretches below the top by rising address; no two of them touch. */
  #gaps: { begin: number; end: number }[] = [];

  constructor(shared: boolean, reserved: number) {
    this.memory = new WebAssembly.Memory({ initial: 16, maximum: MAX_PAGES, shared });
    this.#bottom = reserved;
    this.#top = reserved;
    this.#peak = reserved;
  }

  /** Bytes in use at the most so far. */
  get bytes(): number {
    return this.#peak;
  }

  /** Address of `bytes` fresh bytes on a multiple of 64 (a cache line), set to zero. */
  allocate(bytes: number): number {
    return this.#occupy(aligned(this.#top), bytes);
  }

  /** As `allocate`, in the tightest gap that is large enough, for what stays until it is given back. */
  allocateInGap(bytes: number): number {
    let tightest: { begin: number; end: number } | undefined;
    for (const gap of this.#gaps) {
      const space = gap.end - aligned(gap.begin);
      if (space >= bytes && (!tightest || space < tightest.end - aligned(tightest.begin))) tightest = gap;
    }
    if (!tightest) return this.allocate(bytes);
    const at = this.#occupy(aligned(tightest.begin), bytes);
    tightest.begin = this.#ends.get(at)!;
    return at;
  }

  /** Gives back one piece. */
  giveBack(at: number): void {
    const end = this.#ends.get(at);
    if (end === undefined) return;
    this.#ends.delete(at);
    // What is left of a cache line goes with the piece before it.
    const merged: { begin: number; end: number }[] = [];
    for (const gap of [...this.#gaps, { begin: at, end }].sort((a, b) => a.begin - b.begin)) {
      const last = merged.at(-1);
      if (last && gap.begin <= aligned(last.end)) last.end = Math.max(last.end, gap.end);
      else merged.push({ ...gap });
    }
    if (merged.at(-1)!.end === this.#top) this.#top = merged.pop()!.begin;
    this.#gaps = merged;
  }

  #occupy(at: number, bytes: number): number {
    const end = at + Math.ceil(bytes / 16) * 16;
    const size = this.memory.buffer.byteLength;
    if (end > size) {
      const pages = Math.ceil((end - size) / PAGE);
      try {
        if (end > PAGE * MAX_PAGES) throw new RangeError('beyond 4 GiB');
        this.memory.grow(pages);
      } catch {
        const mebibytes = Math.ceil(end / 2 ** 20);
        throw new MemoryError(`${mebibytes} MiB of memory are not to be had; use a larger spacing or fewer particles`);
      }
    }
    this.#top = Math.max(this.#top, end);
    this.#peak = Math.max(this.#peak, end);
    this.#ends.set(at, end);
    new Uint8Array(this.memory.buffer, at, end - at).fill(0);
    return at;
  }

  mark(): number {
    return this.#top;
  }

  release(mark: number): void {
    this.#top = mark;
    for (const at of this.#ends.keys()) if (at >= mark) this.#ends.delete(at);
    this.#gaps = this.#gaps.flatMap(({ begin, end }) => (begin < mark ? { begin, end: Math.min(end, mark) } : []));
    if (mark <= this.#bottom) this.#epoch++;
  }

  /** Changes when everything is given back: what is to outlive that must be written anew. */
  get epoch(): number {
    return this.#epoch;
  }

  f32(at: number, length: number): Float32Array {
    return new Float32Array(this.memory.buffer, at, length);
  }

  f64(at: number, length: number): Float64Array {
    return new Float64Array(this.memory.buffer, at, length);
  }

  u32(at: number, length: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, at, length);
  }
}
