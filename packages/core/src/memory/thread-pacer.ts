/**
 * How many threads take part in the passes, by what the machine gives.
 *
 * Where another process has a core, a thread that is put aside in the middle of a chunk holds up all others at the end
 * of the pass, and more threads can be slower than fewer. Nothing tells so but the time: from time to time a few
 * milliseconds of passes are run with one thread more or less, and the number that was faster stays. Costs are compared
 * pass by pass, per item, so that it does not matter which passes fell into which window. Results do not depend on the
 * number of threads, so time may decide here.
 */

/** A number of threads is judged by windows of so much time in passes [ms]: a few time slices of the scheduler. */
const WINDOW = 12;
/** Time in passes between two trials of another number [ms]: short after a change, then longer and longer. */
const SHORTEST_INTERVAL = 60;
const LONGEST_INTERVAL = 2000;
/** Another number must be faster by so much to be taken. */
const GAIN = 0.96;
/**
 * The machine may have changed when a window in use takes so much longer, or one on trial so much less, than before, and
 * this is so many times what windows differ by anyway: beside busy processes they always do.
 */
const SURPRISE = 0.3;
const SURPRISE_OVER_SCATTER = 3;
/** Weight of the newest window in the cost of a pass, and in the scatter of windows. */
const NEWEST = 0.5;
const NEWEST_SCATTER = 0.1;

export class ThreadPacer {
  readonly #threads: number;
  /** Mean cost of an item by number of threads and pass [ms]; 0 where unknown. */
  readonly #costs: Float64Array[];
  /** Items and time of each pass in this window, and which passes there were. */
  readonly #items: Float64Array;
  readonly #times: Float64Array;
  readonly #seen: number[] = [];
  /** Items of each pass in the last window with the number of threads in use: what costs are compared on. */
  readonly #mix: Float64Array;
  /** The number in use, the one on trial or the same, and where the next trial goes. */
  #chosen: number;
  #active: number;
  #direction = -1;
  #spent = 0;
  #sinceTrial = 0;
  #interval = SHORTEST_INTERVAL;
  /** Mean difference of a window's time from what those before let expect, as a share of it. */
  #scatter = 0;

  constructor(threads: number, passes: number) {
    this.#threads = threads;
    this.#chosen = threads;
    this.#active = threads;
    this.#costs = Array.from({ length: threads + 1 }, () => new Float64Array(passes));
    this.#items = new Float64Array(passes);
    this.#times = new Float64Array(passes);
    this.#mix = new Float64Array(passes);
  }

  /** Threads that take part in the next pass, the caller's included. */
  get active(): number {
    return this.#active;
  }

  /** Notes what a pass on so many items has taken [ms] with the active threads. */
  note(pass: number, items: number, milliseconds: number): void {
    if (this.#items[pass] === 0) this.#seen.push(pass);
    this.#items[pass]! += items;
    this.#times[pass]! += milliseconds;
    this.#spent += milliseconds;
    if (this.#spent >= WINDOW) this.#endWindow();
  }

  #endWindow(): void {
    const onTrial = this.#active !== this.#chosen;
    const slowdown = this.#takeCosts(onTrial);
    const surprise = 1 + Math.max(SURPRISE, SURPRISE_OVER_SCATTER * this.#scatter);
    if (onTrial) this.#judge(slowdown < 1 / surprise);
    else if (this.#threads > 1) this.#perhapsTry(slowdown > surprise);
    if (!onTrial) this.#scatter += NEWEST_SCATTER * (Math.abs(slowdown - 1) - this.#scatter);
    this.#spent = 0;
  }

  /** Blends the window into the costs; returns its time over that of windows before. */
  #takeCosts(onTrial: boolean): number {
    const costs = this.#costs[this.#active]!;
    let expected = 0;
    let taken = 0;
    if (!onTrial) this.#mix.fill(0);
    for (const pass of this.#seen) {
      const items = this.#items[pass]!;
      const time = this.#times[pass]!;
      const before = costs[pass]!;
      if (before > 0) {
        expected += items * before;
        taken += time;
      }
      costs[pass] = before > 0 ? before + NEWEST * (time / items - before) : time / items;
      if (!onTrial) this.#mix[pass] = items;
      this.#items[pass] = 0;
      this.#times[pass] = 0;
    }
    this.#seen.length = 0;
    return expected > 0 ? taken / expected : 1;
  }

  /** After a trial: keeps the number that costs less, and goes on that way or turns round, unless it is in doubt. */
  #judge(inDoubt: boolean): void {
    if (this.#costRatio(this.#active, this.#chosen) < GAIN) {
      this.#chosen = this.#active;
      this.#interval = SHORTEST_INTERVAL;
    } else {
      this.#active = this.#chosen;
      if (!inDoubt) this.#direction = -this.#direction;
      this.#interval = inDoubt ? SHORTEST_INTERVAL : Math.min(2 * this.#interval, LONGEST_INTERVAL);
    }
    this.#sinceTrial = 0;
  }

  #perhapsTry(inDoubt: boolean): void {
    this.#sinceTrial += this.#spent;
    if (inDoubt) this.#interval = SHORTEST_INTERVAL;
    if (this.#sinceTrial < this.#interval) return;
    const next = this.#chosen + this.#direction;
    if (next < 1 || next > this.#threads) this.#direction = -this.#direction;
    this.#active = this.#chosen + this.#direction;
  }

  /** Cost of the last window's passes with one number of threads over that with another, where both are known. */
  #costRatio(number: number, other: number): number {
    const costs = this.#costs[number]!;
    const others = this.#costs[other]!;
    let sum = 0;
    let otherSum = 0;
    for (let pass = 0; pass < costs.length; pass++) {
      if (costs[pass] === 0 || others[pass] === 0) continue;
      sum += this.#mix[pass]! * costs[pass]!;
      otherSum += this.#mix[pass]! * others[pass]!;
    }
    return otherSum > 0 ? sum / otherSum : 1;
  }
}
