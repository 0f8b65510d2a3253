/** What a frame costs in Chromium: simulation and upload, without drawing. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { siteFolder } from '../commands/studio.js';
import { CommandError, EXIT } from '../errors.js';
import { serveStudio } from '../studio/server.js';

export interface BrowserResult {
  readonly case: string;
  readonly particles: number;
  readonly surfels: number;
  readonly threads: number;
  /** Medians of a frame of 1/60 s [ms]. */
  readonly stepMs: number;
  readonly packMs: number;
  readonly uploadMs: number;
  readonly frameMs: number;
  readonly budgetMs: number;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
/** Seconds after which a browser that says nothing is given up. */
const PATIENCE = 300;

function findBrowser(): string {
  const found = NAMES.find((name) => spawnSync('which', [name], { stdio: 'ignore' }).status === 0);
  if (!found) throw new CommandError(`needs a browser: none of ${NAMES.join(', ')} is on the PATH`, EXIT.failed);
  return found;
}

export async function measureBrowser(): Promise<BrowserResult[]> {
  const browser = findBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'phyxel-browser-'));
  let tell: (report: string) => void = () => {};
  const told = new Promise<string>((resolve, reject) => {
    tell = resolve;
    setTimeout(() => reject(new CommandError(`the browser said nothing for ${PATIENCE} s`)), 1000 * PATIENCE).unref();
  });
  const server = await serveStudio(siteFolder(), undefined, 0, tell);
  const child = spawn(
    browser,
    [
      '--headless=new',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      `--user-data-dir=${folder}`,
      new URL('bench.html?report', server.url).href,
    ],
    { stdio: 'ignore' },
  );
  try {
    const report = JSON.parse(await told) as { results?: BrowserResult[]; error?: string };
    if (!report.results) throw new CommandError(`the browser failed: ${report.error}`);
    return report.results;
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.kill()) await gone;
    await server.close();
    // What the browser still writes while it ends must not cost the result.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}
