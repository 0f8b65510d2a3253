const PAGE = 65_536;
const MAX_PAGES = 65_536;

/** Thrown when a world does not fit; the message names the size and the cure. */
export class MemoryError extends Error {
  override name = 'MemoryError';
}

/**
 * Owns the WASM memory and hands out aligned pieces of it, front to back. What was allocated after a
 * mark is given back by release. Views are taken fresh on every call, because growing plain memory
 * detaches the old buffer.
 */
export class Arena {
  readonly memory: WebAssembly.Memory;
  readonly #bottom: number;
  #top: number;
  #peak: number;
  #epoch = 0;

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
    const at = Math.ceil(this.#top / 64) * 64;
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
    this.#top = end;
    this.#peak = Math.max(this.#peak, end);
    new Uint8Array(this.memory.buffer, at, end - at).fill(0);
    return at;
  }

  mark(): number {
    return this.#top;
  }

  release(mark: number): void {
    this.#top = mark;
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
