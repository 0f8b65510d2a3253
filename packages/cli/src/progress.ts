/** How a run shows itself: a bar on a terminal, lines of JSON everywhere else. */
import { SingleBar } from 'cli-progress';
import type { Substeps } from 'phyxel';
import pc from 'picocolors';
import type { RunEvent } from './run/simulate.js';

export interface Progress {
  show(event: RunEvent): void;
  /** Leaves the line free for a message. */
  close(): void;
}

export function jsonProgress(write: (line: string) => void): Progress {
  return { show: (event) => write(`${JSON.stringify(event)}\n`), close: () => {} };
}

const MOTION = ['{bar} frame {value}/{total}', 'ETA {remaining}', '{particles} particles', 'step {step}'];
/** How far a solution has come cannot be said, only for how long it has been sought. */
const EQUILIBRIUM = ['seeking equilibrium', '{duration_formatted}', '{particles} particles'];

export function barProgress(stream: NodeJS.WriteStream): Progress {
  const bar = new Bar(stream);
  return {
    show(event) {
      switch (event.event) {
        case 'start': {
          const { scene, resumed, frame, frames, particles, threads, out } = event;
          const from = resumed ? `, resumed${event.static ? '' : ` at frame ${frame}`}` : '';
          stream.write(`${pc.bold(scene)}: ${particles} particles, ${threads} threads${from} -> ${out}\n`);
          bar.begin(event.static ? EQUILIBRIUM : MOTION, frames, frame, { remaining: '-', particles, step: '-' });
          break;
        }
        case 'frame': {
          const { frame, eta, particles, pressureIterations } = event;
          const effort =
            pressureIterations === undefined ? '' : `, ${formatNumber(pressureIterations)} pressure iterations`;
          const step = `${describeSteps(event)}${effort}`;
          bar.update({ remaining: formatDuration(eta), particles, step }, frame);
          break;
        }
        case 'progress': {
          const { frame, share, steps, expectedSteps, body } = event;
          const far = `${Math.floor(100 * share)} % of frame ${frame}, ${steps} of about ${expectedSteps} steps`;
          bar.update({ step: `${describeSteps({ ...event, limitedByBody: body })}, ${far}` });
          break;
        }
        case 'warning':
          bar.print(`${pc.yellow('warning')} ${event.message}`);
          break;
        case 'done':
        case 'interrupted': {
          bar.close();
          const { steps, wallSeconds, out, frame, frames } = event;
          const because = event.reason === undefined ? '' : ` (${event.reason})`;
          const what = event.event === 'done' ? pc.green(`done${because}`) : pc.yellow('interrupted');
          const cure = event.event === 'done' ? '' : ', go on with --resume';
          const result = event.static
            ? `equilibrium, ${event.newtonIterations} Newton and ${event.iterations} conjugate gradient iterations`
            : `frame ${frame}/${frames}, ${steps} steps`;
          stream.write(`${what} ${result} in ${formatDuration(wallSeconds)} -> ${out}${cure}\n`);
        }
      }
    },
    close: () => bar.close(),
  };
}

/** `0.005 s (liquid speed), 150 substeps of 3e-5 s (elastic wave of ball)`. */
export function describeSteps(of: {
  readonly timeStep: number;
  readonly limitedBy: string;
  readonly limitedByBody?: string | undefined;
  readonly substeps?: Readonly<Substeps> | undefined;
}): string {
  const one = (timeStep: number, limitedBy: string, body: string | undefined) =>
    `${formatNumber(timeStep)} s (${limitedBy}${body === undefined ? '' : ` of ${body}`})`;
  const { timeStep, limitedBy, limitedByBody, substeps } = of;
  const inner = substeps
    ? `, ${substeps.steps} substeps of ${one(substeps.timeStep, substeps.limitedBy, substeps.body)}`
    : '';
  return `${one(timeStep, limitedBy, limitedByBody)}${inner}`;
}

/** A bar of several parts, which makes way for lines that stay on the screen. */
export class Bar {
  readonly #stream: NodeJS.WriteStream;
  #bar: SingleBar | undefined;
  #isRunning = false;
  #total = 0;
  #value = 0;
  #details: object = {};

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  begin(parts: readonly string[], total: number, value: number, details: object): void {
    this.#bar = new SingleBar({
      format: parts.join(` ${pc.dim('|')} `),
      barCompleteChar: '█',
      barIncompleteChar: '░',
      barsize: 24,
      hideCursor: true,
      // What is left on the screen is written in full lines; the bar leaves no trace among them.
      clearOnComplete: true,
      stream: this.#stream,
      fps: 10,
    });
    this.#total = total;
    this.#value = value;
    this.#details = details;
    this.#open();
  }

  #open(): void {
    this.#bar?.start(this.#total, this.#value, this.#details);
    this.#isRunning = true;
  }

  update(details: object, value = this.#value): void {
    this.#value = value;
    this.#details = { ...this.#details, ...details };
    if (this.#isRunning) this.#bar?.update(value, this.#details);
  }

  print(line: string): void {
    const wasRunning = this.#isRunning;
    this.close();
    this.#stream.write(`${line}\n`);
    if (wasRunning) this.#open();
  }

  close(): void {
    if (this.#isRunning) this.#bar?.stop();
    this.#isRunning = false;
  }
}

/** `3 h 12 min`, `4 min 5 s`, `8.2 s`. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '-';
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds - 60 * minutes)} s`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
}

/** Three digits, small and large numbers with an exponent. */
export function formatNumber(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  return Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5
    ? String(Number(value.toPrecision(3)))
    : value.toExponential(2);
}
