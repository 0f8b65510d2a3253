import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, newPage } from '../../studio/test/browser.js';
import type { Page } from './page/main.js';
import { texturedCube } from './textured-cube.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const engine = join(here, '..', '..', 'core', 'web');
const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', wasm: 'application/wasm' };

const CUBE = [...texturedCube(0.3)];
/** One body of the file, which falls and is squashed, and a ball of a colour. */
const SCENE = `
phyxel: 1
bodies:
  - { name: cube, shape: { mesh: { file: cube.glb } }, position: [0, 0.3, 0], spacing: 0.06, material: { youngsModulus: 2.0e+3, damping: 0.2 } }
  - { name: ball, shape: { sphere: { radius: 0.1 } }, position: [0.6, 0.3, 0], spacing: 0.05, color: "#20d0a0" }
obstacles:
  - { name: floor, shape: { plane: {} } }
  - { name: plate, shape: { box: { size: [0.2, 0.05, 0.2] } }, position: [-0.6, 0.2, 0], keyframes: [{ time: 0, position: [0, 0, 0] }, { time: 0.1, position: [0, 0.2, 0] }] }
`;

let server: Server;
let browser: Browser;
let tab: Tab;
let complaints: string[];

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [join(here, 'page', 'main.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    define: { 'import.meta.url': '""' },
  });
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost');
    if (pathname === '/')
      response
        .setHeader('Content-Type', 'text/html')
        .end('<!doctype html><script type="module" src="/main.js"></script>');
    else if (pathname === '/main.js')
      response.setHeader('Content-Type', 'text/javascript').end(outputFiles[0]!.contents);
    else if (/^\/engine\/[\w.-]+$/.test(pathname)) {
      response.setHeader('Content-Type', TYPES[pathname.split('.').at(-1)!] ?? 'application/octet-stream');
      response.end(readFileSync(join(engine, pathname.slice('/engine/'.length))));
    } else response.writeHead(pathname === '/favicon.ico' ? 204 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await launch();
  ({ page: tab, complaints } = await newPage(browser));
  await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await tab.waitForFunction(() => 'page' in globalThis);
});

afterAll(async () => {
  await browser?.close();
  server?.close();
});

/** Calls a function of the page. */
function call<K extends keyof Page>(name: K, ...given: Parameters<Page[K]>): Promise<Awaited<ReturnType<Page[K]>>> {
  return tab.evaluate(
    ([key, list]) =>
      (globalThis as unknown as { page: Record<string, (...all: unknown[]) => unknown> }).page[key]!(...list),
    [name, given] as [string, unknown[]],
  ) as Promise<Awaited<ReturnType<Page[K]>>>;
}

/** Share of the pixels of two pictures that differ by more than rounding and edges do. */
function difference(a: readonly number[], b: readonly number[]): number {
  let count = 0;
  for (let i = 0; i < a.length; i += 4) {
    if ([0, 1, 2].some((k) => Math.abs(a[i + k]! - b[i + k]!) > 12)) count++;
  }
  return count / (a.length / 4);
}

const VIEWS = [
  [0.3, 0.5, 1],
  [0.9, 0.9, 0.3],
  [-0.5, 0.1, -0.9],
].map((from) => [from, [0, 0.3, 0]] as const);

test('a mesh of a GLB file looks as three.js shows the file', async () => {
  await call('open', SCENE.replace(/ {2}- { name: ball.*\n/, '').replace(/ {2}- { name: plate.*\n/, ''), CUBE);
  await call('ready');
  for (const [from, to] of VIEWS) {
    const own = await call('picture', [...from], [...to]);
    const reference = await call('reference', CUBE, [0, 0.3, 0], [...from], [...to]);
    const hues = new Set(reference.filter((_, k) => k % 4 !== 3).map((c) => c >> 4));
    expect(hues.size).toBeGreaterThan(8);
    // Edges of the silhouette, where the two put vertices some millionths apart.
    expect(difference(own, reference)).toBeLessThan(0.004);
  }
});

test('what has molten has the paint of the mesh, which stays where the body is solid', async () => {
  const material = '{ youngsModulus: 1.0e+4, viscosity: 5, thermalConductivity: 0, meltingPoint: 60 }';
  const body = `{ name: cube, shape: { mesh: { file: cube.glb } }, position: [0, 0.3, 0], spacing: 0.03, material: ${material} }`;
  const heat = '{ body: cube, region: { box: { min: [-1, 0.3, -1], max: [1, 1, 1] } }, temperature: 90 }';
  await call('open', `phyxel: 1\ngravity: [0, 0, 0]\ntemperature: 20\nbodies: [${body}]\nheat: [${heat}]`, CUBE);
  await call('ready');
  const view = [VIEWS[0]![0], VIEWS[0]![1]] as const;
  const before = await call('picture', [...view[0]], [...view[1]]);
  await call('step', 2);
  const { left, all, colors } = await call('molten');
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(all);
  // Of its sides, among others red, green, blue and yellow.
  const strongest = new Set<number>();
  for (let v = 0; v < colors.length; v += 3)
    strongest.add(colors.slice(v, v + 3).indexOf(Math.max(...colors.slice(v, v + 3))));
  expect([...strongest].sort()).toEqual([0, 1, 2]);
  // It looks much as it did, since it has not moved.
  expect(difference(await call('picture', [...view[0]], [...view[1]]), before)).toBeLessThan(0.25);
});

test('rays meet a body where it is seen, also after it was deformed', async () => {
  await call('open', SCENE, CUBE);
  const before = await call('ray', [0.02, 2, 0.03], [0, -1, 0]);
  expect(before[0]).toMatchObject({ name: 'cube', faceNormal: [0, 1, 0] });
  expect(before[0]!.point[1]).toBeCloseTo(0.45, 4);
  await call('step', 12);
  const particles = await call('particles');
  const top = Math.max(...particles.slice(0, 4 * 125).filter((_, k) => k % 4 === 1));
  const [hit] = await call('ray', [0.02, 2, 0.03], [0, -1, 0]);
  expect(hit!.name).toBe('cube');
  // It fell, and is lower by more than it fell: squashed.
  expect(top).toBeLessThan(0.3);
  expect(Math.abs(hit!.point[1]! - top)).toBeLessThan(0.06);
  expect(hit!.distance).toBeCloseTo(2 - hit!.point[1]!, 5);
  expect(hit!.faceNormal![1]).toBeGreaterThan(0.9);
  expect(hit!.normal![1]).toBeGreaterThan(0.9);
  // The middle of the picture on its top, and nothing where it was.
  expect(hit!.uv!.every((x) => Math.abs(x - 0.5) < 0.15)).toBe(true);
  expect((await call('ray', [-1, 0.44, 0], [1, 0, 0])).filter(({ name }) => name === 'cube')).toEqual([]);
  // What lies on the floor is met there from below.
  const [under] = await call('ray', [0.02, -1, 0.03], [0, 1, 0]);
  expect(under!.name).toBe('cube');
  expect(under!.point[1]).toBeGreaterThan(-1e-5);
  // A ball keeps out of its way, and an obstacle has moved.
  expect((await call('ray', [0.6, 2, 0], [0, -1, 0]))[0]).toMatchObject({ name: 'ball' });
  const plate = await call('ray', [-0.6, 2, 0], [0, -1, 0]);
  expect(plate[0]).toMatchObject({ name: 'plate' });
  expect(plate[0]!.point[1]).toBeCloseTo(0.425, 4);
});

test('events of the pointer find what is under it, wherever the view stands', async () => {
  const middle = await call('pointer', 0, -0.2);
  expect(middle[0]!.name).toBe('cube');
  expect(await call('pointer', 0.9, 0.9)).toEqual([]);
  await call('move', 0.4, 0, 0, 0.5);
  expect((await call('pointer', 0, -0.2)).map(({ name }) => name)).not.toContain('cube');
  const moved = await call('pointer', 0.8, -0.3);
  expect(moved[0]!.name).toBe('cube');
  // The front of a body of half the size.
  expect(moved[0]!.distance).toBeGreaterThan(4.85);
  await call('move', 0, 0, 0, 1);
});

test('discs and balls are met by rays as well, and what is hidden is not', async () => {
  const mesh = (await call('ray', [0.02, 2, 0.03], [0, -1, 0])).filter(({ name }) => name === 'cube');
  await call('show', 'surfels');
  await call('ready');
  const surfels = (await call('ray', [0.02, 2, 0.03], [0, -1, 0])).filter(({ name }) => name === 'cube');
  expect(surfels.map(({ point }) => point)).toEqual(mesh.map(({ point }) => point));
  await call('show', 'particles');
  const [ball, ...others] = (await call('ray', [0.02, 2, 0.03], [0, -1, 0])).filter(({ name }) => name === 'cube');
  expect(others).toEqual([]);
  const particles = await call('particles');
  const centre = particles.slice(4 * ball!.instanceId!, 4 * ball!.instanceId! + 3);
  expect(Math.hypot(...centre.map((x, k) => x - ball!.point[k]!))).toBeCloseTo(0.62 * 0.06, 5);
  await call('show', 'mesh');
});

test('one material may be given to all bodies', async () => {
  await call('open', SCENE, CUBE, true);
  const picture = await call('picture', [0.3, 0.5, 2], [0.3, 0.3, 0]);
  const isPink = (at: number) => picture[at]! > 1.5 * picture[at + 1]! && picture[at]! > picture[at + 2]!;
  const half = { left: 0, right: 0 };
  for (let i = 0; i < picture.length; i += 4) {
    if (isPink(i)) half[(i / 4) % 160 < 80 ? 'left' : 'right']++;
  }
  // Both the cube, on the left, and the ball.
  expect(half.left).toBeGreaterThan(100);
  expect(half.right).toBeGreaterThan(100);
});

test('liquids are met by rays on their surface of now', async () => {
  const water = `
phyxel: 1
bodies: [{ name: water, kind: fluid, shape: { box: { size: [0.4, 0.4, 0.4] } }, position: [0, 0.6, 0], spacing: 0.05 }]
obstacles: [{ name: floor, shape: { plane: {} } }]
`;
  await call('open', water, CUBE);
  const [before] = await call('ray', [0, 2, 0], [0, -1, 0]);
  expect(before!.point[1]).toBeGreaterThan(0.75);
  await call('step', 10);
  const [now] = await call('ray', [0, 2, 0], [0, -1, 0]);
  expect(now).toMatchObject({ name: 'water' });
  expect(now!.point[1]).toBeLessThan(0.7);
});

test('the page never complained', () => {
  expect(complaints.filter((text) => !/GPU stall|GL Driver Message/.test(text))).toEqual([]);
});

test('a broken body is shown in pieces, with faces inside where it broke', async () => {
  const material = '{ density: 1000, youngsModulus: 1.0e+6, damping: 0.3, tensileStrength: 3.0e+4 }';
  const weak = '{ region: { box: { min: [-0.03, -1, -1], max: [0.03, 1, 1] } }, set: { tensileStrength: 1.0e+4 } }';
  const move =
    'move: [{ time: 0, position: [0, 0, 0] }, { time: 0.1, position: [0.02, 0, 0] }, { time: 0.2, position: [0.1, 0, 0] }]';
  const bar = `
phyxel: 1
gravity: [0, 0, 0]
frameRate: 50
bodies: [{ name: bar, shape: { box: { size: [0.4, 0.1, 0.1] } }, spacing: 0.025, color: "#2040ff", insideColor: "#ff8000", material: ${material}, regions: [${weak}] }]
constraints:
  - { body: bar, region: { box: { min: [-1, -1, -1], max: [-0.14, 1, 1] } }, fix: true }
  - { body: bar, region: { box: { min: [0.14, -1, -1], max: [1, 1, 1] } }, ${move} }
`;
  await call('open', bar, CUBE);
  const gap = [
    [0.02, 2, 0],
    [0, -1, 0],
  ] as const;
  expect(await call('ray', [...gap[0]], [...gap[1]])).not.toEqual([]);
  const inside = async () => {
    const pixels = await call('picture', [0.35, 0.3, 0.5], [0.05, 0, 0]);
    let count = 0;
    for (let i = 0; i < pixels.length; i += 4) if (pixels[i]! > 1.5 * pixels[i + 2]!) count++;
    return count;
  };
  expect(await inside()).toBe(0);
  await call('step', 10);
  expect(await inside()).toBeGreaterThan(50);
  // The gap is 10 cm wide, and open.
  let open = 0;
  for (let x = -0.19; x < 0.29; x += 0.01) {
    const [hit] = await call('ray', [x, 2, 0.01], [0, -1, 0]);
    if (!hit) open++;
    else expect(hit.point[1]).toBeCloseTo(0.05, 2);
  }
  expect(open / 100).toBeGreaterThan(0.07);
  expect(open / 100).toBeLessThan(0.12);
});
