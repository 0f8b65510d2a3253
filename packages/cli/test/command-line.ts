import { vi } from 'vitest';
import { main } from '../src/main.js';

/** Runs the command in this process; what it prints is kept. */
export async function phyxel(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += text;
    return true;
  });
  const code = await main(['node', 'phyxel', ...args]);
  vi.restoreAllMocks();
  return { code, out, err };
}
