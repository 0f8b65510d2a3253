import { describe, expect, it } from 'vitest';
import { barProgress, jsonProgress } from '../src/progress.js';

/** A terminal that knows the few commands that the bar uses. */
function terminal() {
  const lines = [''];
  let row = 0;
  let column = 0;
  let saved: readonly [number, number] = [0, 0];
  const put = (text: string) => {
    const line = (lines[row] ?? '').padEnd(column);
    lines[row] = line.slice(0, column) + text + line.slice(column + text.length);
    column += text.length;
  };
  const obey = (code: string) => {
    if (code === '7') saved = [row, column];
    else if (code === '8') [row, column] = saved;
    else if (/^\[\d*G$/.test(code)) column = Number(code.slice(1, -1) || 1) - 1;
    else if (code === '[2K') lines[row] = '';
    else if (code === '[0K' || code === '[K') lines[row] = lines[row]!.slice(0, column);
    else if (!/^\[(\?(7|25)[hl]|\d+m)$/.test(code)) throw new Error(`unknown command ${JSON.stringify(code)}`);
  };
  const stream = {
    isTTY: true,
    columns: 200,
    write(text: string) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is told things by them.
      for (const [part] of text.matchAll(/\x1b(?:\[[?\d;]*[A-Za-z]|\d)|\n|\r|[^\x1b\n\r]+/g)) {
        if (part.startsWith('\x1b')) obey(part.slice(1));
        else if (part === '\r') column = 0;
        else if (part === '\n') {
          row++;
          column = 0;
          lines[row] ??= '';
        } else put(part);
      }
      return true;
    },
  };
  const screen = () => lines.map((line) => line.trimEnd()).filter((line) => line !== '');
  return { stream: stream as unknown as NodeJS.WriteStream, screen };
}

const start = {
  event: 'start',
  scene: 'drop',
  out: 'runs/drop',
  particles: 60,
  threads: 1,
  frame: 0,
  frames: 10,
  resumed: false,
} as const;
const frame = (number: number) =>
  ({
    event: 'frame',
    frame: number,
    frames: 10,
    time: 0,
    steps: 1,
    timeStep: 1e-3,
    limitedBy: 'contact',
    particles: 60,
    stateHash: '',
    eta: 3,
  }) as const;
const warning = (message: string) => ({ event: 'warning', message }) as const;

describe('the bar', () => {
  it('shows warnings in lines of their own and goes on below them', () => {
    const { stream, screen } = terminal();
    const progress = barProgress(stream);
    progress.show(start);
    progress.show(warning('the body is thin'));
    progress.show(frame(4));
    progress.show(warning('contacts found no room'));
    const lines = screen();
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe('drop: 60 particles, 1 threads -> runs/drop');
    expect(lines[1]).toBe('warning the body is thin');
    expect(lines[2]).toBe('warning contacts found no room');
    expect(lines[3]).toMatch(/^█+░+ frame 4\/10 \| ETA 3\.0 s \| 60 particles \| step 0\.001 s \(contact\)$/);
    progress.show({
      event: 'done',
      out: 'runs/drop',
      frame: 10,
      frames: 10,
      steps: 10,
      wallSeconds: 2,
      stateHash: '',
    });
    expect(screen()).toEqual([...lines.slice(0, 3), 'done frame 10/10, 10 steps in 2.0 s -> runs/drop']);
  });

  it('shows what the pressure of liquids took', () => {
    const { stream, screen } = terminal();
    const progress = barProgress(stream);
    progress.show(start);
    progress.show({ ...frame(4), limitedBy: 'liquid speed', pressureIterations: 6.25 });
    progress.show(warning('late'));
    expect(screen().at(-1)).toMatch(/step 0\.001 s \(liquid speed\), 6\.25 pressure iterations$/);
    progress.close();
  });

  it('seeks an equilibrium instead of counting seconds', () => {
    const { stream, screen } = terminal();
    const progress = barProgress(stream);
    progress.show({ ...start, static: true, frames: 1 });
    expect(screen()[1]).toMatch(/^seeking equilibrium \| 0s \| 60 particles$/);
    const effort = { newtonIterations: 3, iterations: 40, retries: 0, residual: 1e-4 };
    progress.show({ ...frame(1), frames: 1, limitedBy: 'balance', timeStep: 0, ...effort });
    progress.show({
      event: 'done',
      static: true,
      out: 'runs/drop',
      frame: 1,
      frames: 1,
      steps: 1,
      wallSeconds: 2,
      stateHash: '',
      ...effort,
    });
    expect(screen().slice(1)).toEqual([
      'done equilibrium, 3 Newton and 40 conjugate gradient iterations in 2.0 s -> runs/drop',
    ]);
  });

  it('stays away after it was closed', () => {
    const { stream, screen } = terminal();
    const progress = barProgress(stream);
    progress.show(start);
    progress.close();
    progress.show(frame(5));
    progress.show(warning('late'));
    progress.close();
    expect(screen()).toEqual(['drop: 60 particles, 1 threads -> runs/drop', 'warning late']);
  });
});

describe('lines of JSON', () => {
  it('are the events', () => {
    let text = '';
    const progress = jsonProgress((line) => {
      text += line;
    });
    for (const event of [start, frame(1), warning('a "b"')]) progress.show(event);
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([start, frame(1), warning('a "b"')]);
  });
});
