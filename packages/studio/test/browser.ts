import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { serveStudio } from '../../cli/src/studio/server.js';
import type { App } from '../src/app.js';

/** The studio as it is built. */
export const site = fileURLToPath(new URL('../site', import.meta.url));

/** A scene that is quick: a cube falls on a floor. */
export function cubeScene({ height = 0.3, spacing = 0.1, more = '' } = {}): string {
  return `phyxel: 1
name: cube
duration: 2
frameRate: 30
bodies:
  - name: cube
    shape: { box: { size: [0.3, 0.3, 0.3] } }
    position: [0, ${height}, 0]
    spacing: ${spacing}
    ${more || 'material: { youngsModulus: 3.0e+4, damping: 0.1 }'}
obstacles: [{ name: floor, shape: { plane: {} } }]
`;
}

/** Opens the studio and waits until it shows a scene. */
export async function openStudio(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForFunction(() => (globalThis as { phyxelStudio?: App }).phyxelStudio?.frame !== undefined);
}

/** The studio's server, and a page in a browser of its own that has not been there yet. */
export async function serveToPage() {
  const server = await serveStudio(site, undefined, 0);
  const browser = await launch();
  return { server, browser, ...(await newPage(browser)) };
}

/** Chromium with WebGL in software. */
export async function launch(): Promise<Browser> {
  let executablePath: string;
  try {
    executablePath = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
  } catch {
    throw new Error('the browser tests need Chromium as "chromium" on the PATH: npm test installs it on Debian');
  }
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--headless=new',
      '--no-sandbox',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--ignore-gpu-blocklist',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  // As long as an `expect.poll` may take: what is slow on a busy machine does not fail.
  browser.on('context', (context) => context.setDefaultTimeout(300_000));
  return browser;
}

/** A page that notes everything it complains about. */
export async function newPage(browser: Browser): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1004, height: 440 } });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints };
}
