/** How drawing shows itself: a bar on a terminal, lines of JSON everywhere else. */
import pc from 'picocolors';
import { Bar, formatDuration } from '../progress.js';
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

const PARTS = ['{bar} picture {value}/{total}', 'frame {frame}', 'ETA {remaining}'];

function barProgress(stream: NodeJS.WriteStream): RenderProgress {
  const bar = new Bar(stream);
  return {
    show(event) {
      if (event.event === 'start') {
        stream.write(`${pc.bold(event.scene)}: ${event.pictures} pictures -> ${event.out}\n`);
        bar.begin(PARTS, event.pictures, 0, { frame: '-', remaining: '-' });
        return;
      }
      if (event.event === 'warning') {
        bar.print(`${pc.yellow('warning')} ${event.message}`);
        return;
      }
      if (event.event === 'estimate') {
        bar.update({ remaining: formatDuration(event.seconds) });
        const each = formatDuration(event.seconds / event.pictures);
        bar.print(`about ${formatDuration(event.seconds)}, ${each} for each picture`);
        return;
      }
      bar.update({ frame: event.frame, remaining: formatDuration(event.eta) }, event.done);
    },
    note: (message) => bar.print(message),
    video: (file) => bar.print(`${pc.green('video')} ${file}`),
    done(out, pictures) {
      bar.close();
      stream.write(`${pc.green('done')} ${pictures} pictures -> ${out}\n`);
    },
    close: () => bar.close(),
  };
}
