/** How drawing shows itself: a bar on a terminal, lines of JSON everywhere else. */
import pc from 'picocolors';
import { formatDuration, makeBar } from '../progress.js';
import type { RenderEvent } from './pictures.js';

export interface RenderProgress {
  show(event: RenderEvent): void;
  /** A message beside the progress. */
  note(message: string): void;
  video(file: string): void;
  done(out: string, pictures: number): void;
  /** Leaves the line free. */
  close(): void;
}

export function renderProgress(stream: NodeJS.WriteStream, onTerminal: boolean): RenderProgress {
  return onTerminal ? barProgress(stream) : jsonProgress((line) => stream.write(line));
}

function jsonProgress(write: (line: string) => void): RenderProgress {
  const send = (value: object) => write(`${JSON.stringify(value)}\n`);
  return {
    show: send,
    note: (message) => process.stderr.write(`${message}\n`),
    video: (file) => send({ event: 'video', file }),
    done: (out, pictures) => send({ event: 'done', out, pictures }),
    close: () => {},
  };
}

function barProgress(stream: NodeJS.WriteStream): RenderProgress {
  const bar = makeBar(['{bar} picture {value}/{total}', 'frame {frame}', 'ETA {remaining}'], stream);
  let total = 0;
  let value = 0;
  let isRunning = false;
  let details: object = { frame: '-', remaining: '-' };
  const open = () => {
    bar.start(total, value, details);
    isRunning = true;
  };
  const close = () => {
    if (isRunning) bar.stop();
    isRunning = false;
  };
  const print = (line: string) => {
    const wasRunning = isRunning;
    close();
    stream.write(`${line}\n`);
    if (wasRunning) open();
  };
  return {
    show(event) {
      if (event.event === 'start') {
        stream.write(`${pc.bold(event.scene)}: ${event.pictures} pictures -> ${event.out}\n`);
        total = event.pictures;
        open();
        return;
      }
      if (event.event === 'estimate') {
        details = { ...details, remaining: formatDuration(event.seconds) };
        const each = formatDuration(event.seconds / event.pictures);
        print(`about ${formatDuration(event.seconds)}, ${each} for each picture`);
        return;
      }
      value = event.done;
      details = { frame: event.frame, remaining: formatDuration(event.eta) };
      if (isRunning) bar.update(value, details);
    },
    note: (message) => print(message),
    video: (file) => print(`${pc.green('video')} ${file}`),
    done(out, pictures) {
      close();
      stream.write(`${pc.green('done')} ${pictures} pictures -> ${out}\n`);
    },
    close,
  };
}
