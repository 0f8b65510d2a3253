/** What a frame costs in Chromium, simulation and upload without drawing, and how long the studio takes to start. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
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
  /** What the best tenth of the frames stays below: a machine that does other things too tells little by medians. */
  readonly bestMs: number;
  readonly budgetMs: number;
}

export interface StartResult {
  /** From the address to the first picture of a scene that can be grabbed, with nothing cached: a median [ms]. */
  readonly startMs: number;
  readonly bestMs: number;
  readonly budgetMs: number;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
/** Seconds after which a browser that says nothing is given up. */
const PATIENCE = 300;
/** Cold starts that are measured, and what one may take [ms]. */
const STARTS = 3;
const START_BUDGET = 3000;

function findBrowser(): string {
  const found = NAMES.find((name) => spawnSync('which', [name], { stdio: 'ignore' }).status === 0);
  if (!found) throw new CommandError(`needs a browser: none of ${NAMES.join(', ')} is on the PATH`, EXIT.failed);
  return found;
}

export async function measureFrames(): Promise<BrowserResult[]> {
  return (await ask<{ results: BrowserResult[] }>('bench.html?report')).results;
}

export async function measureStart(): Promise<StartResult> {
  const times: number[] = [];
  for (let k = 0; k < STARTS; k++) times.push((await ask<{ startMs: number }>('?report')).startMs);
  times.sort((a, b) => a - b);
  return { startMs: times[(STARTS - 1) / 2]!, bestMs: times[0]!, budgetMs: START_BUDGET };
}

/** Opens a page in a browser that has nothing cached, and waits for what the page reports. */
async function ask<T>(page: string): Promise<T> {
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
      '--window-size=1280,800',
      `--user-data-dir=${folder}`,
      new URL(page, server.url).href,
    ],
    { stdio: 'ignore' },
  );
  try {
    const report = JSON.parse(await told) as T & { error?: string };
    if (report.error !== undefined) throw new CommandError(`the browser failed: ${report.error}`);
    return report;
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.kill()) await gone;
    await server.close();
    // What the browser still writes while it ends must not cost the result.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }).catch(() => undefined);
  }
}
