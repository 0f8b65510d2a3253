import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StudioServer } from '../../cli/src/studio/server.js';
import type { App } from '../src/app.js';
import { openStudio, serveToPage } from './browser.js';

declare const phyxelStudio: App;

interface Linked {
  /** Both sources of every program that was linked, in their order. */
  readonly programs: string[];
}

/** Notes what is linked from the first script on. */
function noteLinks(): void {
  const note: Linked = { programs: [] };
  Object.assign(globalThis, { linked: note });
  const { linkProgram } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.linkProgram = function (program: WebGLProgram) {
    const sources = this.getAttachedShaders(program)!.map((shader) => this.getShaderSource(shader));
    note.programs.push(sources.join('\n'));
    linkProgram.call(this, program);
  };
}

describe('the start of the studio', () => {
  let server: StudioServer;
  let browser: Browser;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    ({ server, browser, page, complaints } = await serveToPage());
    await page.addInitScript(noteLinks);
    await openStudio(page, server.url);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  test('plays by itself, with its panels', async () => {
    await page.waitForFunction(() => phyxelStudio.frame!.frame > 0);
    expect(await page.getByRole('button', { name: 'Examples' }).isVisible()).toBe(true);
    expect(await page.locator('canvas.view').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('links every program once', async () => {
    const programs = await page.evaluate(() => (globalThis as unknown as { linked: Linked }).linked.programs);
    expect(programs.length).toBeGreaterThan(2);
    expect(new Set(programs).size).toBe(programs.length);
  });
});
