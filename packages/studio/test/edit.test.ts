/** The scene is changed in the panels: added to, moved, taken from, and back. */
import { parseScene } from 'phyxel';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { StudioServer } from '../../cli/src/studio/server.js';
import type { App } from '../src/app.js';
import type { ListName } from '../src/items.js';
import { cubeScene, openStudio, serveToPage } from './browser.js';

const SCENE = cubeScene({ height: 0.5 });

declare const phyxelStudio: App;

let browser: Browser;
let server: StudioServer;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  ({ server, browser, page, complaints } = await serveToPage());
  await page.setViewportSize({ width: 1280, height: 720 });
  await openStudio(page, `${server.url}?quality=plain&example=two-stiffnesses`);
});
beforeEach(async () => {
  await page.evaluate(async (text) => {
    await phyxelStudio.world.pause();
    await phyxelStudio.open({ text, fileName: 'cube.yaml', files: {} });
  }, SCENE);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const count = (list: ListName) => page.evaluate((name) => phyxelStudio.document!.scene[name].length, list);
const add = async (list: ListName, label = 'Add to the scene') => {
  const before = await count(list);
  await page.getByRole('combobox', { name: label }).selectOption(list);
  await expect.poll(() => count(list)).toBe(before + 1);
};
const panel = () => page.locator('.item-panel');
const step = async (frames: number) => {
  for (let k = 0; k < frames; k++) await page.evaluate(() => phyxelStudio.world.step());
};
/** Mean height of the cube. */
const height = () =>
  page.evaluate(() => {
    const { begin, end } = phyxelStudio.description!.bodies[0]!;
    const { particles } = phyxelStudio.frame!;
    let sum = 0;
    for (let i = begin; i < end; i++) sum += particles[4 * i + 1]! / (end - begin);
    return sum;
  });
const fill = async (name: string, value: string) => {
  const input = panel().getByRole('spinbutton', { name, exact: true });
  await input.fill(value);
  await input.press('Enter');
  await page.waitForFunction(() => !phyxelStudio.isEditing);
};

test('an obstacle is added, moved under the cube, which stays on it, and removed; undo and redo follow', async () => {
  await add('obstacles');
  expect(await panel().textContent()).toContain('block 2');
  for (const axis of ['x', 'y', 'z']) await fill(`Size ${axis}`, axis === 'y' ? '0.1' : '1');
  for (const [axis, value] of [
    ['x', '0'],
    ['y', '0.29'],
    ['z', '0'],
  ] as const)
    await fill(`Position ${axis}`, value);
  await expect
    .poll(() => page.evaluate(() => phyxelStudio.document!.scene.obstacles[1]!.position))
    .toEqual([0, 0.29, 0]);
  await step(12);
  // On top of it at 0.34 m the middle of the cube is at 0.49 m; on the floor at 0.15 m.
  expect(await height()).toBeGreaterThan(0.4);
  await page.getByRole('button', { name: 'Remove block 2' }).click();
  await expect.poll(() => count('obstacles')).toBe(1);
  await step(12);
  expect(await height()).toBeLessThan(0.3);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => count('obstacles')).toBe(2);
  await page.getByRole('button', { name: 'Redo' }).click();
  await expect.poll(() => count('obstacles')).toBe(1);
});

test('a constraint holds the cube until it ends', async () => {
  await add('constraints');
  await panel().getByRole('combobox', { name: 'Region', exact: true }).selectOption('all');
  await expect
    .poll(() => page.evaluate(() => phyxelStudio.document!.scene.constraints[0]!.region))
    .toEqual({ all: true });
  await step(8);
  expect(await height()).toBeCloseTo(0.5, 3);
  await panel().getByRole('combobox', { name: 'Add a property' }).selectOption('end');
  await fill('End', '0.1');
  await expect.poll(() => page.evaluate(() => phyxelStudio.document!.scene.constraints[0]!.end)).toBe(0.1);
  await step(8);
  // Falls from 0.1 s on: g t^2 / 2 of 0.167 s is 0.136 m.
  expect(await height()).toBeCloseTo(0.5 - 0.136, 2);
});

test('an event changes the material at its time', async () => {
  await add('events');
  await fill('Time', '0.05');
  await fill("Young's modulus", '1234');
  await expect
    .poll(() => page.evaluate(() => phyxelStudio.document!.scene.events[0]))
    .toMatchObject({ time: 0.05, body: 'cube', set: { youngsModulus: 1234 } });
  await panel().getByRole('combobox', { name: 'Add a property' }).selectOption('damping');
  await expect.poll(() => page.evaluate(() => phyxelStudio.document!.scene.events[0]!.set.damping)).toBeDefined();
  await panel().getByRole('button', { name: 'Remove damping' }).click();
  await expect
    .poll(() => page.evaluate(() => phyxelStudio.document!.scene.events[0]!.set))
    .toEqual({ youngsModulus: 1234 });
});

test('a source gives liquid, and heat warms', async () => {
  await add('emitters');
  const before = await page.evaluate(() => phyxelStudio.frame!.present);
  await step(3);
  expect(await page.evaluate(() => phyxelStudio.frame!.present)).toBeGreaterThan(before);
  await page.locator('.tree .item', { hasText: 'cube' }).first().click();
  await add('heat');
  await step(1);
  expect(await page.evaluate(() => phyxelStudio.frame!.statistics.temperature)).toBeGreaterThan(20);
});

test('a body is moved, another one added, and the world has another gravity', async () => {
  await page.locator('.item-panel summary').click();
  await fill('Position y', '0.9');
  await expect.poll(height).toBeCloseTo(0.9, 3);
  await add('bodies');
  await expect.poll(() => page.evaluate(() => phyxelStudio.selected)).toBe('ball 2');
  await page.getByRole('button', { name: 'World' }).click();
  await fill('Gravity y', '0');
  await expect.poll(() => page.evaluate(() => phyxelStudio.document!.scene.gravity)).toEqual([0, 0, 0]);
  await step(4);
  expect(await height()).toBeCloseTo(0.9, 3);
});

test.each(['union', 'difference', 'extrusion', 'heightfield'])('an obstacle is made a %s', async (kind) => {
  await add('obstacles');
  await panel().getByRole('combobox', { name: 'Shape', exact: true }).selectOption(kind);
  await expect
    .poll(() => page.evaluate(() => Object.keys(phyxelStudio.document!.scene.obstacles[1]!.shape)))
    .toEqual([kind]);
  const triangles = () => page.evaluate(() => phyxelStudio.description!.obstacles[1]!.mesh?.indices.length ?? 0);
  await expect.poll(triangles).toBeGreaterThan(0);
  if (kind !== 'extrusion') return;
  const input = panel().getByRole('textbox', { name: 'Polygon', exact: true });
  await input.fill('[[0, 0], [1, 0], [1, 1], [0, 1]]');
  await input.press('Enter');
  await expect.poll(triangles).toBe(36);
});

test('an obstacle is given keyframes, and moves', async () => {
  await add('obstacles');
  await panel().locator('[id$="-keyframes"]').click();
  await expect.poll(() => page.evaluate(() => phyxelStudio.document!.scene.obstacles[1]!.keyframes.length)).toBe(1);
  await panel().locator('[id$="-keyframes"]').click();
  await expect
    .poll(() => page.evaluate(() => phyxelStudio.document!.scene.obstacles[1]!.keyframes.map(({ time }) => time)))
    .toEqual([0, 1]);
  await panel().locator('[id$="-keyframes-1-position"]').fill('0.3');
  await panel().locator('[id$="-keyframes-1-position"]').press('Enter');
  await expect
    .poll(() => page.evaluate(() => phyxelStudio.document!.scene.obstacles[1]!.keyframes[1]!.position[0]))
    .toBe(0.3);
  const place = () => page.evaluate(() => phyxelStudio.frame!.obstacles[12 + 3]!);
  await step(10);
  expect(await place()).toBeCloseTo(0.1, 5);
});

test('what is not allowed is told, and the scene stays as it was', async () => {
  await add('obstacles');
  await panel().getByRole('textbox', { name: 'Name' }).fill('floor');
  await panel().getByRole('textbox', { name: 'Name' }).press('Enter');
  await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/Not possible.*name/s);
  expect(await page.evaluate(() => phyxelStudio.document!.scene.obstacles[1]!.name)).toBe('block 2');
  await expect.poll(() => panel().getByRole('textbox', { name: 'Name' }).inputValue()).toBe('block 2');
  await page.getByRole('button', { name: 'Dismiss' }).first().click();
  // A field does not even take what is out of its range.
  await fill('Restitution', '2');
  expect(await page.evaluate(() => phyxelStudio.document!.scene.obstacles[1]!.restitution)).toBe(0);
});

test('the scene that was put together opens in the command', async () => {
  for (const list of ['obstacles', 'constraints', 'events', 'heat', 'bodies', 'emitters', 'sinks'] as const)
    await add(list);
  const text = await page.evaluate(() => phyxelStudio.document!.text);
  const { scene } = parseScene(text, 'cube.json');
  expect([scene.obstacles.length, scene.bodies.length, scene.sinks.length, scene.heat.length]).toEqual([2, 2, 1, 1]);
});

test('nothing complained', () => {
  expect(complaints.filter((text) => !/GPU stall|GL Driver Message/.test(text))).toEqual([]);
});
