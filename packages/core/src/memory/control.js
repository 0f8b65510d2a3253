/**
 * The block through which threads share out a pass: 4-byte words in the shared memory, at its start.
 * Plain JavaScript, because worker threads load it without a compile step.
 *
 * Every thread has chunks of its own, the same part of all passes, so that what it wrote in one pass is in its own
 * cache in the next; when they are done it helps with those of others. Its word from CLAIMS on holds the pass's turn
 * in the upper and its next free chunk in the lower 16 bits. A chunk is claimed by compare-and-exchange, so a thread
 * that wakes late cannot touch a later pass, and nobody waits for a thread that was given no time: the caller waits
 * for chunks, not for threads.
 *
 * A wave is two passes at once, of which the second needs what the first has made up to some way around: each chunk of the
 * second comes as soon as the first has got past it, and finds what both read still in the cache. Every chunk has a word
 * for either pass from WAVE on, with the turn in the upper bits and below whether it is free, taken or done. Who takes a
 * chunk of the second pass sees to those of the first around it: takes what is free, then waits for what is taken.
 */
const TURN = 0;
const CHUNKS = 1;
const CHUNKS_DONE = 2;
const PASS = 3;
const CONTEXT = 4;
const COUNT = 5;
const CHUNK = 6;
const SLEEPERS = 7;
const STOP = 8;
export const FAILED = 9;
/** 1 while the caller sleeps until chunks are done. */
const CALLER_SLEEPS = 10;
/** The second pass of a wave, or NONE, and how many chunks of the first it needs to either side. */
const SECOND = 11;
const AROUND = 12;
/** Threads that sleep until a chunk of a wave is done. */
const WAVE_SLEEPERS = 13;
/** Threads that take part, the caller's included; the others sleep until there are more. */
const ACTIVE = 14;
const NONE = -1;
/** Words of a wave begin here: one for each chunk of the first pass, then those of the second. */
const WAVE = 16;
/** A wave is never cut into more chunks than this. */
export const WAVE_CHUNKS = 64;
const FREE = 0;
const TAKEN = 1;
const DONE = 2;
/** Claims begin here, each on a cache line of its own. */
const CLAIMS = WAVE + 2 * WAVE_CHUNKS;
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
 * Lets threads work on a pass: all, or the first so many.
 * @param {Int32Array} control
 * @param {number} turn
 * @param {{ pass: number, context: number, count: number, size: number, chunks: number }} work
 * @param {number} active
 */
export function openTurn(control, turn, work, active = threadsOf(control)) {
  const tag = (turn & 0xffff) << 16;
  describe(control, turn, work, active, NONE, 0);
  for (let t = 0; t < active; t++) {
    Atomics.store(control, CLAIMS + CLAIM_STRIDE * t, tag | partBegin(t, active, work.chunks));
  }
  publish(control, turn);
}

/**
 * Lets threads work on a wave: `pass`, and a `second` one that needs so many chunks of it `around` its own.
 * @param {Int32Array} control
 * @param {number} turn
 * @param {{ pass: number, second: number, around: number, context: number, count: number, size: number, chunks: number }} work
 * @param {number} active
 */
export function openWave(control, turn, work, active = threadsOf(control)) {
  describe(control, turn, work, active, work.second, work.around);
  // Plain words, before the turn is published; nobody takes one of another turn.
  for (let k = 0; k < work.chunks; k++) {
    control[WAVE + k] = mark(turn, FREE);
    control[WAVE + WAVE_CHUNKS + k] = mark(turn, FREE);
  }
  publish(control, turn);
}

/**
 * @param {Int32Array} control
 * @param {number} turn
 * @param {{ pass: number, context: number, count: number, size: number, chunks: number }} work
 * @param {number} active
 * @param {number} second
 * @param {number} around
 */
function describe(control, turn, { pass, context, count, size, chunks }, active, second, around) {
  const threads = threadsOf(control);
  const tag = (turn & 0xffff) << 16;
  // Close the claims of the last turn before its description is changed; those of a wave are all taken.
  for (let t = 0; t < threads; t++) Atomics.store(control, CLAIMS + CLAIM_STRIDE * t, tag | CLOSED);
  control[PASS] = pass;
  control[SECOND] = second;
  control[AROUND] = around;
  control[CONTEXT] = context;
  control[COUNT] = count;
  control[CHUNK] = size;
  // Who sees this sees the claims closed.
  Atomics.store(control, CHUNKS, chunks);
  Atomics.store(control, CHUNKS_DONE, 0);
  const before = Atomics.exchange(control, ACTIVE, active);
  if (active > before) Atomics.notify(control, ACTIVE);
}

/**
 * @param {Int32Array} control
 * @param {number} turn
 */
function publish(control, turn) {
  Atomics.store(control, TURN, turn);
  if (Atomics.load(control, SLEEPERS) > 0) Atomics.notify(control, TURN);
}

/**
 * Ends the threads' lives, whatever they wait for.
 * @param {Int32Array} control
 * @param {number} turn
 */
export function closeTurns(control, turn) {
  Atomics.store(control, STOP, 1);
  Atomics.store(control, ACTIVE, 0);
  Atomics.notify(control, ACTIVE);
  Atomics.store(control, TURN, turn);
  Atomics.notify(control, TURN);
}

/**
 * The word of a wave's chunk.
 * @param {number} turn
 * @param {number} state
 */
function mark(turn, state) {
  return (turn << 2) | state;
}

/**
 * Runs chunks of a turn until none is left, those of this thread's part first.
 * @param {Int32Array} control
 * @param {Function[]} passes
 * @param {number} turn
 * @param {number} thread
 * @param {boolean} maySleep
 */
export function runChunks(control, passes, turn, thread, maySleep = true) {
  const threads = Atomics.load(control, ACTIVE);
  const wave = control[SECOND] !== NONE;
  for (let k = 0; k < threads; k++) {
    const part = (thread + k) % threads;
    if (wave) runWavePart(control, passes, turn, part, threads, maySleep);
    else runPart(control, passes, turn, part, threads);
  }
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
    if (chunk >= partBegin(part + 1, threads, Atomics.load(control, CHUNKS))) return;
    if (Atomics.compareExchange(control, word, claim, claim + 1) !== claim) continue;
    runChunk(control, passes, /** @type {number} */ (control[PASS]), chunk);
    countDone(control);
  }
}

/** @param {Int32Array} control */
function countDone(control) {
  Atomics.add(control, CHUNKS_DONE, 1);
  if (Atomics.load(control, CALLER_SLEEPS) !== 0) Atomics.notify(control, CHUNKS_DONE);
}

/**
 * @param {Int32Array} control
 * @param {Function[]} passes
 * @param {number} turn
 * @param {number} part
 * @param {number} threads
 * @param {boolean} maySleep
 */
function runWavePart(control, passes, turn, part, threads, maySleep) {
  // One that comes late may find another turn's, of which it gets nothing.
  const chunks = Math.min(Atomics.load(control, CHUNKS), WAVE_CHUNKS);
  const begin = partBegin(part, threads, chunks);
  const end = partBegin(part + 1, threads, chunks);
  const free = mark(turn, FREE);
  for (let chunk = begin; chunk < end; chunk++) {
    const word = WAVE + WAVE_CHUNKS + chunk;
    if (Atomics.compareExchange(control, word, free, mark(turn, TAKEN)) !== free) continue;
    const around = /** @type {number} */ (control[AROUND]);
    const first = Math.max(0, chunk - around);
    const last = Math.min(chunk + around, chunks - 1);
    // All that is free before the first wait: or threads that need the same would do it one after the other.
    for (let other = first; other <= last; other++) runFree(control, passes, turn, other);
    for (let other = first; other <= last; other++) awaitTaken(control, turn, other, maySleep);
    runChunk(control, passes, /** @type {number} */ (control[SECOND]), chunk);
    countDone(control);
  }
}

/**
 * Runs a chunk of a wave's first pass that nobody has taken.
 * @param {Int32Array} control
 * @param {Function[]} passes
 * @param {number} turn
 * @param {number} chunk
 */
function runFree(control, passes, turn, chunk) {
  const word = WAVE + chunk;
  const free = mark(turn, FREE);
  if (Atomics.load(control, word) !== free) return;
  if (Atomics.compareExchange(control, word, free, mark(turn, TAKEN)) !== free) return;
  runChunk(control, passes, /** @type {number} */ (control[PASS]), chunk);
  Atomics.store(control, word, mark(turn, DONE));
  if (Atomics.load(control, WAVE_SLEEPERS) > 0) Atomics.notify(control, word);
}

/**
 * Waits for the thread that has taken a chunk of a wave's first pass.
 * @param {Int32Array} control
 * @param {number} turn
 * @param {number} chunk
 * @param {boolean} maySleep
 */
function awaitTaken(control, turn, chunk, maySleep) {
  const word = WAVE + chunk;
  const taken = mark(turn, TAKEN);
  for (let spin = 0; Atomics.load(control, word) === taken; spin++) {
    if (Atomics.load(control, FAILED) !== 0) throw new Error('another thread has failed');
    if (!maySleep || spin < SPINS) continue;
    Atomics.add(control, WAVE_SLEEPERS, 1);
    Atomics.wait(control, word, taken, NAP);
    Atomics.sub(control, WAVE_SLEEPERS, 1);
  }
}

/**
 * Runs a pass on a chunk that this thread has claimed: the turn is not over before it is done, so its description stays.
 * @param {Int32Array} control
 * @param {Function[]} passes
 * @param {number} index
 * @param {number} chunk
 */
function runChunk(control, passes, index, chunk) {
  const size = /** @type {number} */ (control[CHUNK]);
  const begin = chunk * size;
  const pass = /** @type {Function} */ (passes[index]);
  pass(begin, Math.min(begin + size, /** @type {number} */ (control[COUNT])), control[CONTEXT]);
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
 * A worker thread's life: wait for a turn (spin, then sleep), help with it if it takes part, until told to stop.
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
    const active = Atomics.load(control, ACTIVE);
    if (thread >= active && Atomics.load(control, STOP) === 0) {
      Atomics.wait(control, ACTIVE, active);
      continue;
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
