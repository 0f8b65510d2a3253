/** How far the opening of a scene is, from its first byte to its first frame. */
export interface LoadingState {
  /** What is opened. */
  readonly title: string;
  readonly step: string;
  /** 0 to 1. */
  readonly share: number;
}

/** Share of the way that fetching takes; the worker has the rest. */
const FETCHED = 0.15;

export class Loading {
  readonly #abort = new AbortController();
  #state: LoadingState;
  /** Called with every change. */
  onChange: ((state: LoadingState) => void) | undefined;

  constructor(title: string) {
    this.#state = { title, step: 'Starting', share: 0 };
  }

  get state(): LoadingState {
    return this.#state;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  cancel(): void {
    this.#abort.abort();
  }

  /** Another name, once it is known. */
  set title(title: string) {
    this.#set({ title });
  }

  /** So many bytes of all have come. */
  fetched(file: string, bytes: number, total: number): void {
    const share = total > 0 ? FETCHED * Math.min(1, bytes / total) : 0;
    this.#set({ step: `Fetching ${file.replace(/^.*\//, '')}, ${(bytes / 1e6).toFixed(1)} MB`, share });
  }

  /** What the worker does, and its share of its own work. */
  opening(step: string, share: number): void {
    this.#set({ step, share: FETCHED + (1 - FETCHED) * share });
  }

  #set(change: Partial<LoadingState>): void {
    this.#state = { ...this.#state, ...change };
    this.onChange?.(this.#state);
  }
}
