/** A command loads what it needs: `phyxel --version` took 0.7 s, for modules of all commands. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const command = fileURLToPath(new URL('../../bin/phyxel.js', import.meta.url));
const HOOK = 'export async function load(url, context, next) { process._rawDebug(url); return next(url, context); }';
const REGISTER = `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${HOOK}`)});`;

/** The modules that are loaded, and what is printed. */
function loaded(...args: string[]) {
  const hooks = ['--import', `data:text/javascript,${REGISTER}`];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...hooks, command, ...args], { encoding: 'utf8' });
  return { out: stdout, status, urls: stderr.split('\n').filter((line) => line.startsWith('file:')) };
}

describe('what the command loads', () => {
  it('for its version is nearly nothing', () => {
    const { out, status, urls } = loaded('--version');
    expect(status).toBe(0);
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(urls.length).toBeLessThan(10);
    expect(urls.join('\n')).not.toMatch(/packages\/core|commands\//);
  });

  it('for one command is not that of the others', () => {
    const { status, urls } = loaded('check', '--help');
    expect(status).toBe(0);
    expect(urls.join('\n')).toMatch(/commands\/check\.js/);
    expect(urls.join('\n')).not.toMatch(/dist\/(export|render|bench|validation|studio)\//);
  });

  it('for the help, and for a word it does not know, is all', () => {
    expect(loaded('--help').out).toMatch(/run [\s\S]*check [\s\S]*studio [\s\S]*validate /);
    expect(loaded('chekc').status).toBe(2);
  });
});
