/**
 * The block through which threads share out a pass: 4-byte words in the shared memory, at its start.
 * Plain JavaScript, because worker threads load it without a compile step.
 *
 * CLAIM holds the pass's turn in the upper and the next free chunk in the lower 16 bits. A thread
 * claims a chunk by compare-and-exchange, so one that wakes late cannot touch a later pass, and
 * nobody waits for a thread that was given no time: the caller waits for chunks, not for threads.
 */
export const TURN = 0;
export const CLAIM = 1;
export const CHUNKS_DONE = 2;
export const PASS = 3;
export const CONTEXT = 4;
export const COUNT = 5;
export const CHUNK = 6;
export const SLEEPERS = 7;
export const STOP = 8;
export const FAILED = 9;
/** The chunk number of a turn that is not open yet. */
export const CLOSED = 0xffff;
/** Bytes kept free at the start of the memory for this block, on cache lines of its own. */
export const CONTROL_SIZE = 128;

/** Loads of the turn before a thread goes to sleep: about a tenth of a millisecond. */
const SPINS = 20_000;

/**
 * Runs chunks of the current turn until none is left.
 * @param {Int32Array} control
 * @param {Function[]} passes
 * @param {number} turn
 */
export function runChunks(control, passes, turn) {
  const tag = turn & 0xffff;
  for (;;) {
    const claim = Atomics.load(control, CLAIM);
    if (claim >>> 16 !== tag) return;
    const chunk = claim & 0xffff;
    if (chunk === CLOSED) return;
    const size = /** @type {number} */ (control[CHUNK]);
    const count = /** @type {number} */ (control[COUNT]);
    const begin = chunk * size;
    if (begin >= count) return;
    const pass = /** @type {Function} */ (passes[/** @type {number} */ (control[PASS])]);
    const context = /** @type {number} */ (control[CONTEXT]);
    if (Atomics.compareExchange(control, CLAIM, claim, claim + 1) !== claim) continue;
    pass(begin, Math.min(begin + size, count), context);
    Atomics.add(control, CHUNKS_DONE, 1);
  }
}

/**
 * A worker thread's life: wait for a turn (spin, then sleep), help with it, until told to stop.
 * @param {Int32Array} control
 * @param {Function[]} passes
 * @returns {void}
 */
export function serve(control, passes) {
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
      runChunks(control, passes, turn);
    } catch {
      Atomics.store(control, FAILED, 1);
      return;
    }
  }
}
