import { describe, expect, test } from 'vitest';
import { LAYOUTS } from '../../src/particles/arrays/index.js';
import {
  array,
  arraysOf,
  block,
  bytesOf,
  derived,
  record,
  scalar,
  state,
  stateOf,
} from '../../src/particles/arrays/table.js';

describe('tables of arrays', () => {
  const first = block('FIRST_SIZE', {
    A: state('f32x4', ''),
    B: derived('u32', ''),
    C: scalar('f32x4', ''),
    D: array(''),
    E: scalar('f64', ''),
    F: state('f32x4[3]', '', { onDemand: true }),
    G: derived('f32', '', 'boundary'),
  });

  test('slots follow each other, each on a multiple of what its type needs', () => {
    expect(first.offsets).toEqual({ A: 0, B: 4, C: 16, D: 32, E: 40, F: 48, G: 52 });
    expect(first.size).toBe(64);
  });

  test('a block goes on where another one ends', () => {
    expect(block('SIZE', { H: scalar('u32', '') }, first).offsets).toEqual({ H: 64 });
  });

  test('rows of a table are a multiple of what their fields need', () => {
    const row = record('ROW', { A: scalar('u32', ''), B: scalar('f64', ''), C: scalar('u8[3]', '') });
    expect(row.offsets).toEqual({ A: 0, B: 8, C: 16 });
    expect(row.size).toBe(24);
  });

  test('allocation, saves and hashes are told which arrays there are, with the bytes of an element', () => {
    expect(arraysOf(first)).toEqual([
      { slot: 0, bytes: 16 },
      { slot: 4, bytes: 4 },
    ]);
    expect(arraysOf(first, 'boundary')).toEqual([{ slot: 52, bytes: 4 }]);
    expect(stateOf(first)).toEqual([
      { slot: 0, bytes: 16 },
      { slot: 48, bytes: 48 },
    ]);
    expect(bytesOf('f32x4[32]')).toBe(512);
  });

  test('no two names of a file are the same, and no two slots of a block overlap', () => {
    for (const parts of Object.values(LAYOUTS)) {
      const names = parts.flatMap((part) =>
        part.kind === 'constants'
          ? Object.keys(part.values)
          : [...Object.keys(part.slots).map((name) => part.prefix + name), part.sizeName],
      );
      expect(new Set(names).size).toBe(names.length);
      for (const part of parts) {
        if (part.kind === 'constants') continue;
        const positions = Object.entries(part.slots)
          .map(([name, { kind, type }]) => [part.offsets[name]!, kind === 'scalar' ? bytesOf(type!) : 4] as const)
          .sort(([a], [b]) => a - b);
        for (const [k, [at, bytes]] of positions.entries())
          expect(at + bytes).toBeLessThanOrEqual(positions[k + 1]?.[0] ?? part.size);
      }
    }
  });
});
