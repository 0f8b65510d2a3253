/**
 * The block through which threads share out a pass: 4-byte words in the shared memory, at its start.
 * Plain JavaScript, because worker threads load it without a compile step.
 *
 * Every thread has chunks of its own, the same part of all passes, so that what it wrote in one pass is in its own
 * cache in the next; when they are done it helps with those of others. Its word from CLAIMS on holds the pass's turn
 * in the upper and its next free chunk in the lower 16 bits. A chunk is claimed by compare-and-exchange, so a thread
 * that wakes late cannot touch a later pass, and nobody waits for a thread that was given no time: the caller waits
 * for chunks, not for threads.
 */
export const TURN = 0;
export const CHUNKS = 1;
export const CHUNKS_DONE = 2;
export const PASS = 3;
export const CONTEXT = 4;
export const COUNT = 5;
export const CHUNK = 6;
export const SLEEPERS = 7;
export const STOP = 8;
export const FAILED = 9;
/** 1 while the caller sleeps until chunks are done. */
export const CALLER_SLEEPS = 10;
/** Claims begin here, each on a cache line of its own. */
const CLAIMS = 16;
const CLAIM_STRIDE = 16;
/** The chunk number of a turn that is not open yet. */
export const CLOSED = 0xffff;

/** Loads of a word before a thread goes to sleep: about a tenth of a millisecond. */
const SPINS = 20_000;
/** A caller that sleeps looks after its threads so often [ms]. */
const NAP = 100;

/**
 * Bytes kept free at the start of the memory for this block.
 * @param {number} threads
 */
export function controlSize(threads) {
  return 4 * (CLAIMS + CLAIM_STRIDE * threads);
}

/**
 * The block as words.
 * @param {WebAssembly.Memory} memory
 * @param {number} threads
 */
export function controlWords(memory, threads) {
  return new Int32Array(memory.buffer, 0, controlSize(threads) / 4);
}

/** @param {Int32Array} control */
function threadsOf(control) {
  return (control.length - CLAIMS) / CLAIM_STRIDE;
}

/**
 * The first chunk of a thread's part.
 * @param {number} thread
 * @param {number} threads
 * @param {number} chunks
 */
function partBegin(thread, threads, chunks) {
  return Math.ceil((thread * chunks) / threads);
}

/**
 * Lets threads work on a pass.
 * @param {Int32Array} control
 * @param {number} turn
 * @param {{ pass: number, context: number, count: number, size: number, chunks: number }} work
 */
export function openTurn(control, turn, { pass, context, count, size, chunks }) {
  const threads = threadsOf(control);
  const tag = (turn & 0xffff) << 16;
  // Close the claims of the last turn before its description is changed.
  for (let t = 0; t < threads; t++) Atomics.store(control, CLAIMS + CLAIM_STRIDE * t, tag | CLOSED);
  control[PASS] = pass;
  control[CONTEXT] = context;
  control[COUNT] = count;
  control[CHUNK] = size;
  control[CHUNKS] = chunks;
  Atomics.store(control, CHUNKS_DONE, 0);
  for (let t = 0; t < threads; t++) {
    Atomics.store(control, CLAIMS + CLAIM_STRIDE * t, tag | partBegin(t, threads, chunks));
  }
  Atomics.store(control, TURN, turn);
  if (Atomics.load(control, SLEEPERS) > 0) Atomics.notify(control, TURN);
}

/**
 * Runs chunks of a turn until none is left, those of this thread's part first.
 * @param {Int32Array} control
 * @param {Function[]} passes
 * @param {number} turn
 * @param {number} thread
 */
export function runChunks(control, passes, turn, thread) {
  const threads = threadsOf(control);
  for (let k = 0; k < threads; k++) runPart(control, passes, turn, (thread + k) % threads, threads);
}

/**
 * @param {Int32Array} control
 * @param {Function[]} passes
 * @param {number} turn
 * @param {number} part
 * @param {number} threads
 */
function runPart(control, passes, turn, part, threads) {
  const tag = turn & 0xffff;
  const word = CLAIMS + CLAIM_STRIDE * part;
  for (;;) {
    const claim = Atomics.load(control, word);
    if (claim >>> 16 !== tag) return;
    const chunk = claim & 0xffff;
    if (chunk === CLOSED) return;
    const chunks = /** @type {number} */ (control[CHUNKS]);
    if (chunk >= partBegin(part + 1, threads, chunks)) return;
    const size = /** @type {number} */ (control[CHUNK]);
    const count = /** @type {number} */ (control[COUNT]);
    const pass = /** @type {Function} */ (passes[/** @type {number} */ (control[PASS])]);
    const context = /** @type {number} */ (control[CONTEXT]);
    if (Atomics.compareExchange(control, word, claim, claim + 1) !== claim) continue;
    const begin = chunk * size;
    pass(begin, Math.min(begin + size, count), context);
    Atomics.add(control, CHUNKS_DONE, 1);
    if (Atomics.load(control, CALLER_SLEEPS) !== 0) Atomics.notify(control, CHUNKS_DONE);
  }
}

/**
 * Waits until so many chunks are done; false when a thread has failed. A thread that the machine has put aside in the
 * middle of a chunk gets the caller's core: one that spins would keep it from going on. The main thread of a page may
 * not sleep.
 * @param {Int32Array} control
 * @param {number} chunks
 * @param {boolean} maySleep
 */
export function awaitChunks(control, chunks, maySleep) {
  for (let spin = 0; ; spin++) {
    const done = Atomics.load(control, CHUNKS_DONE);
    if (done >= chunks) return true;
    if (Atomics.load(control, FAILED) !== 0) return false;
    if (!maySleep || spin < SPINS) continue;
    Atomics.store(control, CALLER_SLEEPS, 1);
    Atomics.wait(control, CHUNKS_DONE, done, NAP);
    Atomics.store(control, CALLER_SLEEPS, 0);
  }
}

/**
 * A worker thread's life: wait for a turn (spin, then sleep), help with it, until told to stop.
 * @param {Int32Array} control
 * @param {Function[]} passes
 * @param {number} thread
 * @returns {void}
 */
export function serve(control, passes, thread) {
  let seen = 0;
  for (;;) {
    let turn = Atomics.load(control, TURN);
    for (let spin = 0; turn === seen && spin < SPINS; spin++) turn = Atomics.load(control, TURN);
    if (turn === seen) {
      Atomics.add(control, SLEEPERS, 1);
      Atomics.wait(control, TURN, seen);
      Atomics.sub(control, SLEEPERS, 1);
      turn = Atomics.load(control, TURN);
    }
    if (Atomics.load(control, STOP) !== 0) return;
    seen = turn;
    try {
      runChunks(control, passes, turn, thread);
    } catch {
      Atomics.store(control, FAILED, 1);
      Atomics.notify(control, CHUNKS_DONE);
      return;
    }
  }
}
