/** A run folder from a stranger: nothing outside of it is read or served, whatever it says. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseScene, serializeScene } from 'phyxel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProject } from '../../src/commands/studio.js';
import { core } from '../../src/core.js';
import { openRun } from '../../src/render/run-source.js';
import { simulate } from '../../src/run/simulate.js';
import { digestFile } from '../../src/scene-file.js';
import { type Project, serveStudio } from '../../src/studio/server.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-stranger-'));
afterAll(() => rmSync(folder, { recursive: true }));
const home = join(folder, 'home');
const scenes = join(home, 'scenes');
const run = join(home, 'run');
const site = join(folder, 'site');

const TETRAHEDRON = `comment SECRET
v 0 0 0\nv 0.3 0 0\nv 0 0.3 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n`;
const SCENE = `phyxel: 1
duration: 0.04
frameRate: 25
bodies: [{ name: a, shape: { mesh: { file: meshes/a.obj } }, spacing: 0.05 }]
`;

beforeAll(async () => {
  mkdirSync(join(scenes, 'meshes'), { recursive: true });
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), 'the studio');
  writeFileSync(join(folder, 'secret.obj'), TETRAHEDRON);
  writeFileSync(join(scenes, 'meshes', 'a.obj'), `mtllib a.mtl\n${TETRAHEDRON.replace('SECRET', 'mine')}`);
  writeFileSync(join(scenes, 'meshes', 'a.mtl'), 'newmtl x\nKd 1 0 0\n');
  const { scene } = parseScene(SCENE, 'a.yaml');
  const sceneText = serializeScene(scene);
  const where = { sceneFile: join(scenes, 'a.yaml'), sceneFolder: scenes, out: run };
  const how = { frames: 1, threads: 1, resume: false, checkpointInterval: 60 };
  await simulate(
    { scene, sceneText, ...where, ...how },
    core,
    () => {},
    () => false,
  );
});

let count = 0;
/** A copy of the run with files replaced; `links` are symbolic links instead. */
function strangers(files: Record<string, string | Uint8Array>, links: Record<string, string> = {}): string {
  const copy = join(home, `stranger-${count++}`);
  cpSync(run, copy, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(copy, name), content);
  for (const [name, target] of Object.entries(links)) {
    rmSync(join(copy, name), { recursive: true, force: true });
    symlinkSync(target, join(copy, name));
  }
  return copy;
}
const document = (changes: object) =>
  JSON.stringify({ ...JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')), ...changes });
const sceneWith = (mesh: string) =>
  readFileSync(join(run, 'scene.json'), 'utf8').replace('meshes/a.obj', JSON.stringify(mesh).slice(1, -1));

/** What the server answers to a line as it is, not tidied up by a client. */
function ask(port: number, target: string, host = `127.0.0.1:${port}`): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    );
    let answer = '';
    socket.on('data', (part) => {
      answer += part.toString('latin1');
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}

async function serving<T>(project: Project, use: (port: number) => Promise<T>): Promise<T> {
  const server = await serveStudio(site, project, 0);
  try {
    return await use(Number(new URL(server.url).port));
  } finally {
    await server.close();
  }
}

const NAMES = ['secret.obj', 'home/scenes/meshes/a.obj', 'meshes/a.obj', 'scene.json', 'run.json', 'checkpoint'];
const UP = ['', '/', '../', '../../', '%2e%2e/', '%2E%2E%2F', '..%2f', '..%5c', '..\\', '%252e%252e%252f', './', '//'];
const PREFIXES = ['/', '/project/', '/project/frames/', '//host/', 'http://127.0.0.1/project/', '/project/inputs/'];

/** Everything that an attacker might ask for. */
function targets(): string[] {
  const paths = UP.flatMap((up) => [up, up + up, up + up + up]).flatMap((up) => NAMES.map((name) => up + name));
  const absolute = [folder, `file://${folder}`, encodeURIComponent(folder), `\\\\127.0.0.1${folder}`, `C:${folder}`];
  paths.push(...absolute.map((path) => `${path}/secret.obj`), 'secret.obj%00.obj', 'frames%2f..%2f..%2fsecret.obj');
  return [...new Set(PREFIXES.flatMap((prefix) => paths.map((path) => prefix + path)))];
}

describe('the run of a stranger', () => {
  it('is played from its own copies, without the scene', async () => {
    const moved = strangers({ 'run.json': document({ sceneFile: undefined }) });
    await serving(await openProject(moved), async (port) => {
      const list = JSON.parse(/\{.*\}/.exec(await ask(port, '/project/index.json'))![0]);
      expect(list.files).toEqual(['meshes/a.obj', 'meshes/a.mtl']);
      expect(await ask(port, '/project/meshes/a.obj')).toMatch(/^HTTP\/1.1 200[\s\S]*comment mine/);
      expect(await ask(port, '/project/meshes/a.mtl')).toMatch(/^HTTP\/1.1 200[\s\S]*newmtl x/);
      expect(await ask(port, '/project/meshes/../meshes/a.obj')).toMatch(/^HTTP\/1.1 (200|400)/);
    });
    const { scene, frames } = await openRun(moved, undefined);
    expect(frames).toEqual([0, 1]);
    const shape = scene.bodies[0]!.shape as unknown as { mesh: { data: { triangles: Uint32Array } } };
    expect(shape.mesh.data.triangles).toHaveLength(12);
  });

  it('makes the studio serve nothing from outside, whatever it says and whatever is asked for', {
    timeout: 300_000,
  }, async () => {
    const secret = readFileSync(join(folder, 'secret.obj'));
    const stolen = { 'secret.obj': digestFile(secret), '../../secret.obj': digestFile(secret), 'meshes/a.obj': '../x' };
    const folders = [
      strangers({ 'run.json': document({ sceneFile: '../../secret.yaml' }), 'scene.json': sceneWith('secret.obj') }),
      strangers({ 'run.json': document({ sceneFile: join(folder, 'x.yaml') }), 'scene.json': sceneWith('secret.obj') }),
      strangers({ 'run.json': document({ inputs: stolen }), 'scene.json': sceneWith('secret.obj') }),
      strangers(
        { 'run.json': document({ inputs: stolen }), 'scene.json': sceneWith('secret.obj') },
        { [`inputs/${digestFile(secret)}`]: join(folder, 'secret.obj') },
      ),
      strangers({}, { 'scene.json': join(folder, 'secret.obj') }),
      strangers({}, { 'run.json': join(folder, 'secret.obj') }),
      strangers({}, { 'frames/frame-000001.phx': join(folder, 'secret.obj') }),
      strangers({}, { frames: folder, inputs: folder }),
      strangers({ 'scene.json': sceneWith('../../secret.obj') }),
      strangers({ 'scene.json': sceneWith(join(folder, 'secret.obj')) }),
      strangers({ 'run.json': 'null' }),
      strangers({ 'run.json': document({ inputs: 7, bodies: 7, sceneFile: {} }) }),
    ];
    let served = 0;
    for (const path of folders) {
      const project = await openProject(path).catch((error: Error) => {
        expect(error.message).toMatch(/has no copy of|is no run folder|must be a path inside|1:1/);
        return undefined;
      });
      if (!project) continue;
      served++;
      await serving(project, async (port) => {
        const own = ['/project/frames/frame-000001.phx', ...project.files.map((file) => `/project/${file}`)];
        for (const target of served === 1 ? [...targets(), ...own] : own) {
          expect(await ask(port, target), target).not.toContain('SECRET');
        }
      });
    }
    expect(served).toBe(2);
  });

  it('makes pictures and exports read nothing from outside', async () => {
    const secret = readFileSync(join(folder, 'secret.obj'));
    const inputs = { 'secret.obj': digestFile(secret) };
    for (const path of [
      strangers({ 'run.json': document({ sceneFile: '../../x.yaml' }), 'scene.json': sceneWith('secret.obj') }),
      strangers({ 'run.json': document({ sceneFile: '../../x.yaml', inputs }), 'scene.json': sceneWith('secret.obj') }),
    ]) {
      await expect(openRun(path, undefined)).rejects.toThrow(/has no copy of secret\.obj; say with --meshes/);
    }
    const linked = strangers(
      { 'run.json': document({ inputs }), 'scene.json': sceneWith('secret.obj') },
      { [`inputs/${digestFile(secret)}`]: join(folder, 'secret.obj') },
    );
    await expect(openRun(linked, undefined)).rejects.toThrow('leads out of it');
    const damaged = strangers({ [`inputs/${digestFile(readFileSync(join(scenes, 'meshes/a.obj')))}`]: 'v 1 2 3' });
    await expect(openRun(damaged, undefined)).rejects.toThrow('is damaged; say with --meshes');
    // Where the user says is another matter.
    const without = strangers({ 'run.json': document({ inputs: {} }) });
    expect((await openRun(without, scenes)).frames).toEqual([0, 1]);
    expect((await openProject(without, scenes)).files).toEqual(['meshes/a.obj', 'meshes/a.mtl']);
  });
});

describe('the scene of a stranger', () => {
  it('names meshes that refer to files outside: they are not served', async () => {
    const buffers = ['../../../secret.obj', '..%2f..%2f..%2fsecret.obj', `${folder}/secret.obj`, 'link.bin', '%zz'];
    symlinkSync(join(folder, 'secret.obj'), join(scenes, 'meshes', 'link.bin'));
    const gltf = { asset: { version: '2.0' }, buffers: buffers.map((uri) => ({ byteLength: 4, uri })) };
    writeFileSync(join(scenes, 'meshes', 'b.gltf'), JSON.stringify(gltf));
    writeFileSync(join(scenes, 'meshes', 'c.obj'), `mtllib ../../../secret.obj\nmtllib link.bin\n${TETRAHEDRON}`);
    writeFileSync(
      join(scenes, 'b.yaml'),
      `phyxel: 1
bodies:
  - { name: a, shape: { mesh: { file: ./meshes/b.gltf } } }
  - { name: b, shape: { mesh: { file: meshes/../meshes/c.obj } }, position: [3, 0, 0] }
`,
    );
    const project = await openProject(join(scenes, 'b.yaml'));
    expect(project.files).toEqual(['./meshes/b.gltf', 'meshes/../meshes/c.obj']);
    await serving(project, async (port) => {
      for (const file of ['meshes/b.gltf', 'meshes/c.obj']) {
        expect(await ask(port, `/project/${file}`)).toMatch(/^HTTP\/1.1 200/);
      }
      expect(await ask(port, '/project/meshes/link.bin')).toMatch(/^HTTP\/1.1 404/);
    });
  });
});

describe('a body that the server refuses', () => {
  it.each([
    ['POST /index.html', 405],
    ['POST /report', 413],
    ['GET /', 200],
  ])('of %s is not read to its end', async (what, status) => {
    const server = await serveStudio(site, undefined, 0, () => {});
    try {
      const port = Number(new URL(server.url).port);
      for (const length of ['Content-Length: 200000000', 'Transfer-Encoding: chunked']) {
        const { answer, sent } = await new Promise<{ answer: string; sent: number }>((resolve) => {
          const socket = connect(port, '127.0.0.1');
          const body = Buffer.alloc(100_000, 'x');
          const chunk = length.startsWith('Content')
            ? body
            : Buffer.concat([Buffer.from('186a0\r\n'), body, Buffer.from('\r\n')]);
          let answer = '';
          let sent = 0;
          const send = () => {
            while (!socket.destroyed && sent < 200_000_000 && socket.write(chunk)) sent += body.length;
          };
          socket.write(`${what} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${length}\r\n\r\n`);
          send();
          socket.on('drain', send);
          socket.on('data', (part) => {
            answer += part;
          });
          socket.on('error', () => {});
          socket.on('close', () => resolve({ answer, sent }));
        });
        expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status}`));
        expect(sent).toBeLessThan(20_000_000);
      }
    } finally {
      await server.close();
    }
  });
});
