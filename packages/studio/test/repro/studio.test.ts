/** What people tripped over in the studio. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type StudioServer, serveStudio } from '../../../cli/src/studio/server.js';
import type { App } from '../../src/app.js';
import { cubeScene, newPage, openStudio, serveToPage, site } from '../browser.js';

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
beforeEach(() => open(cubeScene({ height: 0.5 })));
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const open = (text: string) =>
  page.evaluate(async (scene) => {
    await phyxelStudio.world.pause();
    await phyxelStudio.open({ text: scene, fileName: 'scene.yaml', files: {} });
    phyxelStudio.messages.clear();
  }, text);
const step = async (frames: number) => {
  for (let k = 0; k < frames; k++) await page.evaluate(() => phyxelStudio.world.step());
};
const edited = () => page.waitForFunction(() => !phyxelStudio.isEditing);
const panel = () => page.locator('.item-panel');
const shown = () =>
  page.evaluate(() => ({ frame: phyxelStudio.frame!.frame, lastFrame: phyxelStudio.frame!.lastFrame }));
/** A dozen: the worker looks up before each of them. */
const manyBodies = () => {
  const body = (_: unknown, k: number) =>
    `  - { name: b${k}, shape: { box: { size: [0.1, 0.1, 0.1] } }, position: [${0.2 * k}, 0.1, 0], spacing: 0.05 }`;
  const bodies = Array.from({ length: 12 }, body).join('\n');
  return `phyxel: 1\nbodies:\n${bodies}\nobstacles: [{ name: floor, shape: { plane: {} } }]\n`;
};
const alerts = () => page.getByRole('alert').allTextContents();

describe('what is added at a later frame', () => {
  const add = async (list: string) => {
    await page.getByRole('combobox', { name: 'Add to the scene' }).selectOption(list);
    await edited();
  };
  const count = (list: 'constraints' | 'bodies' | 'obstacles') =>
    page.evaluate((name) => phyxelStudio.document!.scene[name].length, list);

  test('a constraint holds what was the lowest part, where it was at time 0', async () => {
    await step(12);
    await add('constraints');
    expect(await alerts()).toEqual([]);
    expect(await count('constraints')).toBe(1);
    const region = await page.evaluate(() => phyxelStudio.document!.scene.constraints[0]!.region);
    // The cube begins at 0.35 m and has fallen to the floor meanwhile.
    expect('box' in region ? region.box.min[1] : undefined).toBeCloseTo(0.35 + 0.05 - 0.1 / 4, 2);
    await step(4);
    const { lowest } = await page.evaluate(() => ({
      lowest: Math.min(...[...phyxelStudio.frame!.particles].filter((_, k) => k % 4 === 1)),
    }));
    expect(lowest).toBeCloseTo(0.4, 2);
  });

  test('regions of other kinds begin around the body at time 0', async () => {
    await open(cubeScene({ height: 0.5, spacing: 0.06 }));
    await step(12);
    await add('constraints');
    for (const kind of ['sphere', 'box']) {
      await panel().getByRole('combobox', { name: 'Region', exact: true }).selectOption(kind);
      await edited();
      expect(await alerts()).toEqual([]);
      const region = await page.evaluate(() => phyxelStudio.document!.scene.constraints[0]!.region);
      expect(Object.keys(region)).toEqual([kind]);
    }
  });

  test('bodies and obstacles do not begin in one another', async () => {
    await step(12);
    for (const list of ['bodies', 'obstacles', 'bodies'] as const) await add(list);
    expect(await alerts()).toEqual([]);
    expect([await count('bodies'), await count('obstacles')]).toEqual([3, 2]);
  });
});

describe('names, colours and the duration', () => {
  test('change while the simulation stays', async () => {
    await open(
      cubeScene({ height: 0.5 }).replace(
        'obstacles:',
        'probes: [{ name: p, body: cube, quantity: energy }]\nobstacles:',
      ),
    );
    await step(6);
    const hash = await page.evaluate(() => phyxelStudio.world.hash());
    await page.locator('.item-panel summary').click();
    const name = panel().getByRole('textbox', { name: 'Name' });
    await name.fill('dice');
    await name.press('Enter');
    await expect.poll(() => page.locator('.tree').textContent()).toContain('dice');
    expect(await shown()).toEqual({ frame: 6, lastFrame: 6 });
    expect(await page.evaluate(() => phyxelStudio.world.hash())).toBe(hash);
    // What measures it follows.
    expect(await page.evaluate(() => phyxelStudio.document!.scene.probes[0]!.body)).toBe('dice');
    await page.evaluate(() => {
      const item = { ...phyxelStudio.document!.scene.bodies[0]!, color: '#ff0000' };
      return phyxelStudio.changeItem({ list: 'bodies', index: 0 }, item as never, 'colour');
    });
    expect(await page.evaluate(() => phyxelStudio.view!.bodyColor('dice')!.getHexString())).toBe('ff0000');
    await page.getByRole('button', { name: 'World' }).click();
    await panel().getByRole('spinbutton', { name: 'Duration' }).fill('5');
    await panel().getByRole('spinbutton', { name: 'Duration' }).press('Enter');
    await expect.poll(() => page.evaluate(() => phyxelStudio.description!.frames)).toBe(150);
    expect(await page.evaluate(() => phyxelStudio.world.hash())).toBe(hash);
    for (let k = 0; k < 3; k++) await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => page.locator('.tree').textContent()).toContain('cube');
    expect(await shown()).toEqual({ frame: 6, lastFrame: 6 });
    expect(await page.evaluate(() => phyxelStudio.world.hash())).toBe(hash);
  });

  test('a material that was changed before stays changed when an earlier frame is taken up', async () => {
    await step(2);
    await page.evaluate(() => phyxelStudio.setMaterial('cube', { damping: 0.4 }, 'damping'));
    await step(3);
    await page.evaluate(async () => {
      const item = { ...phyxelStudio.document!.scene.bodies[0]!, name: 'dice' };
      await phyxelStudio.changeItem({ list: 'bodies', index: 0 }, item as never, 'name');
      await phyxelStudio.world.seek(1);
    });
    await page.evaluate(() => phyxelStudio.step());
    await page.waitForFunction(() => phyxelStudio.frame!.frame === 2 && phyxelStudio.frame!.isLive);
    expect(await alerts()).toEqual([]);
    expect(await page.evaluate(() => phyxelStudio.document!.scene.bodies[0]!.material.damping)).toBe(0.4);
  });
});

describe('the range of colours', () => {
  test('is fixed by hand, reset to the frame, and logarithmic', async () => {
    await step(9);
    await page.getByRole('combobox', { name: 'Colour by' }).selectOption('speed');
    await page.waitForFunction(() => phyxelStudio.frame!.quantity === 'speed');
    const range = () => page.evaluate(() => phyxelStudio.view!.shownRange!);
    const [, fastest] = await range();
    // It falls onto the floor, faster than later.
    await step(25);
    expect((await range())[1]).toBeGreaterThanOrEqual(fastest);
    const high = page.getByRole('textbox', { name: 'Highest value of the colours' });
    await high.fill('0.25');
    await high.press('Enter');
    expect((await range())[1]).toBe(0.25);
    await step(1);
    expect((await range())[1]).toBe(0.25);
    expect(await high.inputValue()).toBe('0.25 m/s');
    await high.fill('0.1');
    await high.press('Escape');
    expect((await range())[1]).toBe(0.25);
    expect(await high.inputValue()).toBe('0.25 m/s');
    const low = page.getByRole('textbox', { name: 'Lowest value of the colours' });
    await low.fill('0.5');
    await low.press('Enter');
    // Above the highest: refused.
    expect((await range())[0]).toBeLessThan(0.25);
    await page.getByRole('button', { name: 'log', exact: true }).click();
    const [floor, top] = await range();
    expect(floor).toBeGreaterThan(0);
    expect(top).toBe(0.25);
    await page.getByRole('button', { name: 'log', exact: true }).click();
    await page.getByRole('button', { name: 'Range of this frame' }).click();
    expect(await range()).toEqual(await page.evaluate(() => phyxelStudio.frame!.range));
    expect((await range())[1]).toBeLessThan(fastest);
  });
});

describe('keys', () => {
  const toggled = async (use: () => Promise<unknown>) => {
    await page.evaluate(() => phyxelStudio.world.pause());
    await use();
    await page.keyboard.press('Space');
    await expect.poll(() => page.evaluate(() => phyxelStudio.playing)).toBe(true);
    await page.keyboard.press('Space');
    await expect.poll(() => page.evaluate(() => phyxelStudio.playing)).toBe(false);
  };

  test('act after a list, a slider and a button were used', async () => {
    await toggled(() => page.getByRole('combobox', { name: 'Show as' }).selectOption('particles'));
    await toggled(() => page.getByRole('combobox', { name: 'Colour by' }).selectOption('speed'));
    await toggled(() => page.getByRole('slider', { name: 'Damping' }).click());
    await toggled(() => page.getByRole('button', { name: 'Look at everything' }).click());
    await page.keyboard.press('m');
    expect(await page.evaluate(() => phyxelStudio.display)).toBe('mesh');
  });

  test('belong to a list that one came to by the keyboard, and to fields', async () => {
    await page.getByRole('combobox', { name: 'Colour by' }).focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    const before = await page.evaluate(() => phyxelStudio.tool);
    await page.keyboard.press('ArrowDown');
    expect([before, await page.evaluate(() => phyxelStudio.tool)]).toEqual(['grab', 'warm']);
    await page.evaluate(() => {
      phyxelStudio.tool = 'grab';
    });
    await page.getByRole('spinbutton', { name: /Damping/ }).focus();
    await page.keyboard.press('Space');
    expect(await page.evaluate(() => phyxelStudio.playing)).toBe(false);
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
  });
});

describe('the view', () => {
  /** Pixels of a point, as shares of the picture. */
  const seen = (point: [number, number, number]) =>
    page.evaluate((at) => {
      const { x, y } = phyxelStudio.viewport.project(at);
      const { width, height } = phyxelStudio.viewport.canvas.getBoundingClientRect();
      return [x / width, y / height];
    }, point);
  const inside = (share: number[]) => share.every((x) => x > 0.02 && x < 0.98);

  test('goes to what is selected, and follows it', async () => {
    await open(cubeScene({ height: 0.5 }).replace('spacing: 0.1', 'spacing: 0.1\n    velocity: [6, 2, 0]'));
    await step(15);
    const centre = () =>
      page.evaluate(() => {
        const box = phyxelStudio.view!.bodyBox(phyxelStudio.description!.bodies[0]!);
        return [0, 1, 2].map((k) => (box.min.toArray()[k]! + box.max.toArray()[k]!) / 2) as [number, number, number];
      });
    expect(inside(await seen(await centre()))).toBe(false);
    await page.keyboard.press('f');
    const [x, y] = await seen(await centre());
    expect(x).toBeCloseTo(0.5, 1);
    expect(y).toBeCloseTo(0.5, 1);
    await page.keyboard.press('v');
    await step(10);
    expect((await seen(await centre()))[0]).toBeCloseTo(0.5, 1);
    await page.keyboard.press('v');
    await page.keyboard.press('Home');
    expect(inside(await seen(await centre()))).toBe(true);
  });

  test('stays with what it went to while others are far away', async () => {
    await open(
      cubeScene({ height: 0.15 }).replace(
        'obstacles:',
        '  - { name: far, shape: { box: { size: [0.3, 0.3, 0.3] } }, position: [3, 0.15, 0], spacing: 0.1 }\nobstacles:',
      ),
    );
    const camera = () => page.evaluate(() => phyxelStudio.viewport.camera.position.toArray());
    await page.keyboard.press('f');
    const near = await camera();
    await page.keyboard.press('Space');
    await page.waitForFunction(() => phyxelStudio.frame!.frame > 5);
    await page.keyboard.press('Space');
    expect(await camera()).toEqual(near);
  });

  test('follows nothing of the scene before', async () => {
    await page.keyboard.press('v');
    expect(await page.evaluate(() => phyxelStudio.follows)).toBe(true);
    await open(cubeScene());
    expect(await page.evaluate(() => phyxelStudio.follows)).toBe(false);
  });

  test('has room for a jet that has not come out yet', async () => {
    await open(`phyxel: 1
emitters: [{ name: jet, position: [0, 0, 0], radius: 0.03, speed: 4, spacing: 0.02, maxParticles: 500 }]
obstacles: [{ name: block, shape: { box: { size: [0.2, 0.1, 0.2] } }, position: [0, -0.1, 0] }]
`);
    // v^2 / 2 g is 0.815 m.
    expect(inside(await seen([0, 0.8, 0]))).toBe(true);
  });

  test('shows the walls of a tank, the near ones by their outlines', async () => {
    const wall = (name: string, normal: string) =>
      `{ name: ${name}, shape: { plane: { normal: ${normal}, offset: -0.3 } } }`;
    await open(`phyxel: 1
bodies: [{ name: water, kind: fluid, shape: { box: { size: [0.2, 0.2, 0.2] } }, position: [-0.2, 0.1, 0], spacing: 0.05 }]
obstacles:
  - { name: floor, shape: { plane: {} } }
  - ${wall('left', '[1, 0, 0]')}
  - ${wall('right', '[-1, 0, 0]')}
  - ${wall('back', '[0, 0, 1]')}
  - ${wall('front', '[0, 0, -1]')}
`);
    await page.evaluate(() => phyxelStudio.viewport.drawNow());
    const walls = await page.evaluate(() =>
      phyxelStudio.viewport.walls.map((group) => group && [group.name, group.children[0]!.visible]),
    );
    expect(walls).toEqual([undefined, ['left', true], ['right', false], ['back', true], ['front', false]]);
    for (const x of [-0.3, 0.3]) for (const z of [-0.3, 0.3]) expect(inside(await seen([x, 0, z]))).toBe(true);
  });
});

describe('messages', () => {
  const cards = () => page.locator('.messages .message').allTextContents();

  test('that repeat are counted, more than three wait in the list, and notes go away', async () => {
    await page.evaluate(() => {
      for (let k = 0; k < 4; k++) phyxelStudio.messages.warn('the same again');
    });
    expect(await cards()).toEqual([expect.stringContaining('×4')]);
    await page.evaluate(() => {
      for (let k = 0; k < 7; k++) phyxelStudio.messages.warn(`note ${k}`);
    });
    expect(await cards()).toHaveLength(3);
    await page.keyboard.press('n');
    const list = page.getByRole('dialog', { name: 'Messages' });
    const text = await list.textContent();
    for (const said of ['the same again', 'note 0', 'note 6']) expect(text).toContain(said);
    await page.keyboard.press('Escape');
    await page.clock.install();
    await page.evaluate(() => phyxelStudio.messages.warn('a last word'));
    expect((await cards()).join()).toContain('a last word');
    await page.clock.runFor(11_000);
    expect((await cards()).join()).not.toContain('a last word');
    await page.clock.resume();
  });

  test('of a refused scene stay until they are dismissed', async () => {
    await open('phyxel: 1\nbodies: [{ name: a }]\n');
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.evaluate(() => phyxelStudio.open({ text: 'phyxel: 2', fileName: 'odd.yaml', files: {} }));
    await expect.poll(alerts).toHaveLength(1);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect(await alerts()).toEqual([]);
  });
});

describe('the scene list', () => {
  test('is whole in a window of 1280 x 720 with a dozen bodies', async () => {
    await open(manyBodies());
    const { all, room } = await page.evaluate(() => {
      const tree = document.querySelector('.tree')!;
      return { all: tree.scrollHeight, room: tree.clientHeight };
    });
    expect(all).toBeLessThanOrEqual(room);
    await expect.poll(() => page.locator('.tree .item').last().isVisible()).toBe(true);
  });
});

describe('the gallery', () => {
  test('has groups, costs, marks what is good to begin with, and is searched', async () => {
    await page.keyboard.press('g');
    const dialog = page.getByRole('dialog', { name: 'Examples' });
    expect(await dialog.locator('.example-group').count()).toBeGreaterThan(3);
    expect(await dialog.locator('.good-first').count()).toBeGreaterThan(3);
    const costs = await dialog.locator('.card-cost').allTextContents();
    expect(costs.length).toBeGreaterThan(30);
    for (const cost of costs) expect(cost).toMatch(/^[\d,]+ particles, about [\d.]+ (s|min)$/);
    await dialog.getByRole('searchbox').fill('honey plate');
    expect(await dialog.locator('.card:visible').count()).toBe(1);
    expect(await dialog.locator('.card:visible .card-title').textContent()).toBe('Honey coil');
    await dialog.getByRole('searchbox').fill('zebra');
    expect(await dialog.locator('.card:visible').count()).toBe(0);
    expect(await dialog.textContent()).toContain('No example');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
  });
});

describe('a scene that takes long to open', () => {
  test('tells its name, the step and how far it is, and can be cancelled', async () => {
    let release = () => {};
    await page.route('**/meshes/bunny.ply', async (route) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await route.continue().catch(() => {});
    });
    await page.keyboard.press('g');
    await page.locator('[data-example="bunny-drop"]').click();
    const card = page.getByRole('region', { name: 'Opening' });
    await expect.poll(() => card.isVisible()).toBe(true);
    expect(await card.textContent()).toMatch(/Opening Bunny drop.*Fetching bunny-drop\.yaml.*\d+ %/);
    await card.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => card.isVisible()).toBe(false);
    expect(await page.evaluate(() => phyxelStudio.description!.name)).toBe('cube');
    expect(await alerts()).toEqual([]);
    release();
    await page.unroute('**/meshes/bunny.ply');
    await step(1);
    expect(await shown()).toEqual({ frame: 1, lastFrame: 1 });
  });

  test('is begun once while a key is held, and once more by whoever resets twice', async () => {
    await step(2);
    await page.keyboard.down('r');
    for (let k = 0; k < 3; k++) await page.keyboard.down('r');
    await page.keyboard.up('r');
    await page.evaluate(() => {
      for (let k = 0; k < 3; k++) phyxelStudio.reset();
    });
    await expect.poll(shown).toEqual({ frame: 0, lastFrame: 0 });
    await expect.poll(() => page.evaluate(() => phyxelStudio.isOpening)).toBe(false);
    expect(await page.locator('.messages .message').allTextContents()).toEqual([]);
  });

  test('leaves the document as it was when undoing is cancelled', async () => {
    await open(manyBodies());
    for (let k = 0; k < 2; k++) await page.evaluate(() => phyxelStudio.addItem('bodies'));
    await page.evaluate(() => {
      for (let k = 0; k < 2; k++) phyxelStudio.undo();
      phyxelStudio.loadingCard.element.querySelector('button')!.click();
    });
    await expect.poll(() => page.evaluate(() => phyxelStudio.isOpening)).toBe(false);
    const bodies = await page.evaluate(() => [
      phyxelStudio.document!.scene.bodies.length,
      phyxelStudio.description!.bodies.length,
    ]);
    expect(bodies).toEqual([14, 14]);
    expect(await page.evaluate(() => phyxelStudio.document!.canRedo)).toBe(false);
    expect(await alerts()).toEqual([]);
  });

  test('gives way to another one without the gallery', async () => {
    const { page: other } = await newPage(browser);
    await other.route('**/examples/squash.yaml', () => {});
    await other.goto(`${server.url}?quality=plain&example=squash`);
    await other.waitForFunction(() => 'phyxelStudio' in globalThis);
    await other.evaluate((text) => phyxelStudio.open({ text, fileName: 'cube.yaml', files: {} }), cubeScene());
    await other.waitForFunction(() => !document.querySelector('.starting'));
    expect(
      await other.evaluate(() => [phyxelStudio.description!.name, document.querySelector('dialog[open]')]),
    ).toEqual(['cube', null]);
    await other.close();
  });

  test('says what its worker does', async () => {
    const steps = await page.evaluate(async () => {
      const list: string[] = [];
      const element = document.querySelector('.step')!;
      const observer = new MutationObserver(() => list.push(element.textContent!));
      observer.observe(element, { childList: true, characterData: true, subtree: true });
      const examples = (await (await fetch('examples/index.json')).json()) as { name: string }[];
      await phyxelStudio.openExample(examples.find(({ name }) => name === 'throw-at-mesh') as never);
      observer.disconnect();
      return list;
    });
    expect(steps.join('\n')).toMatch(/Fetching .*\n(.*\n)*Reading bunny\.ply\n(.*\n)*Filling ball with particles\n/);
  });
});

test('an address without anything opens what the studio was started with', async () => {
  const folder = new URL('../../../../examples', import.meta.url).pathname;
  const own = await serveStudio(site, { folder, scene: 'two-stiffnesses.yaml', files: [] }, 0);
  try {
    const bare = await fetch(new URL('/', own.url), { redirect: 'manual' });
    expect([bare.status, bare.headers.get('location')]).toEqual([302, '/?project']);
    const named = await fetch(new URL('/?example=squash', own.url), { redirect: 'manual' });
    expect(named.status).toBe(200);
    const other = await browser.newPage();
    await openStudio(other, new URL('/?quality=plain', own.url).href);
    await expect.poll(() => other.evaluate(() => phyxelStudio.description?.name)).toBe('two-stiffnesses');
    await other.close();
  } finally {
    await own.close();
  }
});

test('nothing complained', () => {
  expect(complaints.filter((text) => !/GPU stall|GL Driver Message/.test(text))).toEqual([]);
});
