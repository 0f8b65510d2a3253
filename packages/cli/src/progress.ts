/** How a run shows itself: a bar on a terminal, lines of JSON everywhere else. */
import { SingleBar } from 'cli-progress';
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

export function barProgress(stream: NodeJS.WriteStream): Progress {
  const bar = new SingleBar({
    format: `{bar} frame {value}/{total} ${pc.dim('|')} ETA {remaining} ${pc.dim('|')} {particles} particles ${pc.dim('|')} step {step}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    // What is left on the screen is written in full lines; the bar leaves no trace among them.
    clearOnComplete: true,
    stream,
    fps: 10,
  });
  let isRunning = false;
  /** What the bar shows. */
  let total = 0;
  let value = 0;
  let details: object = {};
  const open = () => {
    bar.start(total, value, details);
    isRunning = true;
  };
  const close = () => {
    if (isRunning) bar.stop();
    isRunning = false;
  };
  return {
    show(event) {
      switch (event.event) {
        case 'start': {
          const { scene, resumed, frame, frames, particles, threads, out } = event;
          const from = resumed ? `, resumed at frame ${frame}` : '';
          stream.write(`${pc.bold(scene)}: ${particles} particles, ${threads} threads${from} -> ${out}\n`);
          total = frames;
          value = frame;
          details = { remaining: '-', particles, step: '-' };
          open();
          break;
        }
        case 'frame': {
          const { frame, eta, particles, timeStep, limitedBy } = event;
          const step = `${formatNumber(timeStep)} s (${limitedBy})`;
          value = frame;
          details = { remaining: formatDuration(eta), particles, step };
          if (isRunning) bar.update(value, details);
          break;
        }
        case 'warning': {
          const wasRunning = isRunning;
          close();
          stream.write(`${pc.yellow('warning')} ${event.message}\n`);
          if (wasRunning) open();
          break;
        }
        case 'done':
        case 'interrupted': {
          close();
          const { steps, wallSeconds, out, frame, frames } = event;
          const what = event.event === 'done' ? pc.green('done') : pc.yellow('interrupted');
          const cure = event.event === 'done' ? '' : ', go on with --resume';
          stream.write(
            `${what} frame ${frame}/${frames}, ${steps} steps in ${formatDuration(wallSeconds)} -> ${out}${cure}\n`,
          );
        }
      }
    },
    close,
  };
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
