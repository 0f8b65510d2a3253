import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import validator from 'gltf-validator';
import { MeshoptDecoder } from 'meshoptimizer';
import { LiquidSurfacer, parseScene, serializeScene } from 'phyxel';
import { AnimationMixer, type Mesh, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { OBJLoader } from 'three/examples/jsm/loaders/OBJLoader.js';
import { PLYLoader } from 'three/examples/jsm/loaders/PLYLoader.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { core } from '../src/core.js';
import { type ExportEvent, type ExportJob, exportRun } from '../src/export/export.js';
import type { ExportFrame } from '../src/export/geometry.js';
import { RunSource } from '../src/export/source.js';
import { main } from '../src/main.js';
import { simulate } from '../src/run/simulate.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-export-'));
const run = join(folder, 'run');
const out = join(folder, 'out');
afterAll(() => rmSync(folder, { recursive: true }));

/** A falling drop, a source that begins later, and a block. */
const SCENE = `phyxel: 1
name: drops
frameRate: 50
duration: 0.1
materials: { water: { density: 1000 }, wood: { density: 500, youngsModulus: 1e6 } }
bodies:
  - { name: big drop, kind: fluid, shape: { sphere: { radius: 0.06 } }, position: [0, 0.2, 0], material: water, spacing: 0.02 }
  - { name: block, kind: rigid, shape: { box: { size: [0.08, 0.06, 0.08] } }, position: [0.3, 0.05, 0], material: wood, spacing: 0.02 }
emitters:
  - { name: jet, position: [-0.3, 0.2, 0], radius: 0.03, speed: 1, start: 0.02, spacing: 0.02, maxParticles: 60, material: water }
obstacles:
  - { name: floor, shape: { plane: {} } }
`;

const job: ExportJob = {
  run,
  out,
  formats: [],
  first: 0,
  last: Infinity,
  every: 1,
  cell: 0.5,
  threads: 1,
  compress: false,
};
const frames: ExportFrame[] = [];
const events: ExportEvent[] = [];

/** Runs the scene, as far as the frame `stopAt`. */
async function runScene(target: string, stopAt = 5): Promise<void> {
  const { scene } = parseScene(SCENE, 'drops.yaml');
  let frame = -1;
  await simulate(
    {
      scene,
      sceneFile: 'drops.yaml',
      sceneText: serializeScene(scene),
      sceneFolder: folder,
      out: target,
      frames: 5,
      threads: 1,
      resume: false,
      checkpointInterval: 0,
    },
    core,
    (event) => {
      if (event.event === 'frame') frame = event.frame;
    },
    () => frame === stopAt,
  );
}

beforeAll(async () => {
  await runScene(run);
  const source = await RunSource.open(run);
  const surfacer = await LiquidSurfacer.create({ threads: 1 });
  for (const number of source.frames) frames.push(source.frame(number, surfacer, { cell: 0.5 }));
  await surfacer.dispose();
  await exportRun({ ...job, formats: ['glb', 'ply', 'obj', 'vtp', 'usda'] }, (event) => events.push(event));
});

const bytesOf = (name: string) => {
  const { buffer, byteOffset, byteLength } = readFileSync(join(out, name));
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
};
const textOf = (name: string) => readFileSync(join(out, name), 'utf8');
const meshOf = (frame: number, name: string) => frames[frame]!.meshes.find((mesh) => mesh.name === name)!;

describe('what is exported', () => {
  it('are the surfaces of liquids, bodies and the particles that are in the world', () => {
    expect(frames.map(({ frame }) => frame)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(frames[5]!.time).toBeCloseTo(0.1, 9);
    expect(frames[0]!.meshes.map(({ name }) => name)).toEqual(['big drop', 'jet', 'block']);
    expect(meshOf(0, 'jet').indices).toHaveLength(0);
    expect(meshOf(5, 'jet').indices.length).toBeGreaterThan(100);
    const counts = frames.map(({ points }) => points.positions.length / 3);
    expect(counts[5]).toBeGreaterThan(counts[0]!);
    expect(Object.keys(frames[0]!.points.attributes)).toEqual([
      'velocity',
      'stress',
      'pressure',
      'density',
      'speed',
      'body',
    ]);
    expect(new Set(frames[5]!.points.attributes.body!.values)).toEqual(new Set([0, 1, 2]));
  });

  it('is told as it goes', () => {
    expect(events[0]).toEqual({ event: 'start', run, out, frames: 6 });
    expect(events[6]).toMatchObject({ event: 'frame', frame: 5, done: 6, frames: 6 });
    expect(events[7]).toEqual({ event: 'done', out, frames: 6, files: readdirSync(out).length });
  });
});

describe('files are read by others', () => {
  it('PLY by three', () => {
    const loader = new PLYLoader();
    loader.setCustomPropertyNameMapping({ velocity: ['velocity_x', 'velocity_y', 'velocity_z'] });
    const mesh = loader.parse(bytesOf('big_drop-000005.ply'));
    const { positions, normals, indices, attributes } = meshOf(5, 'big drop');
    expect(mesh.getAttribute('position').array).toEqual(positions);
    expect(mesh.getAttribute('normal').array).toEqual(normals);
    expect(Uint32Array.from(mesh.getIndex()!.array)).toEqual(indices);
    expect(mesh.getAttribute('velocity').array).toEqual(attributes.velocity!.values);
    const stress = new PLYLoader();
    stress.setCustomPropertyNameMapping({ speed: ['speed'], body: ['body'] });
    const points = stress.parse(bytesOf('particles-000005.ply'));
    expect(points.getAttribute('position').array).toEqual(frames[5]!.points.positions);
    expect(points.getAttribute('speed').array).toEqual(frames[5]!.points.attributes.speed!.values);
    expect(points.getIndex()).toBeNull();
  });

  it('OBJ by three', () => {
    const [drop, jet] = new OBJLoader().parse(textOf('meshes-000005.obj')).children as [Mesh, Mesh];
    expect([drop.name, jet.name]).toEqual(['big_drop', 'jet']);
    for (const [object, name] of [
      [drop, 'big drop'],
      [jet, 'jet'],
    ] as const) {
      const { positions, indices } = meshOf(5, name);
      // Every corner is a vertex of its own there.
      const expected = Float32Array.from([...indices].flatMap((i) => [...positions.subarray(3 * i, 3 * i + 3)]));
      expect(object.geometry.getAttribute('position').array).toEqual(expected);
    }
  });

  it('GLB by the validator and by three, one frame at a time', async () => {
    const bytes = bytesOf('scene.glb');
    const { issues, info } = await validator.validateBytes(new Uint8Array(bytes));
    expect(issues.messages).toEqual([]);
    expect(info).toMatchObject({ animationCount: 1, materialCount: 4 });
    const { scene, animations } = await new GLTFLoader().parseAsync(bytes, '');
    expect(scene.children.map(({ name }) => name).slice(0, 2)).toEqual(['big_drop_0', 'big_drop_1']);
    const mixer = new AnimationMixer(scene);
    mixer.clipAction(animations[0]!).play();
    for (const [frame, { time }] of frames.entries()) {
      mixer.setTime(time + 0.001);
      const shown = scene.children.filter(({ name, scale }) => / \d$|_\d$/.test(name) && scale.x === 1);
      const expected = frames[frame]!.meshes.filter(({ motion, indices }) => !motion && indices.length > 0);
      expect(shown.map(({ name }) => name)).toEqual(expected.map(({ name }) => `${name.replace(' ', '_')}_${frame}`));
    }
    scene.updateMatrixWorld(true);
    const last = scene.getObjectByName('big_drop_5')!.children[0] as Mesh;
    const { positions, indices } = meshOf(5, 'big drop');
    expect(last.geometry.getIndex()!.count).toBe(indices.length);
    const position = new Vector3();
    for (let i = 0; i < positions.length / 3; i++) {
      position.fromBufferAttribute(last.geometry.getAttribute('position'), i).applyMatrix4(last.matrixWorld);
      const far = position.distanceTo(new Vector3().fromArray(positions, 3 * i));
      // Half a unit of 16 bits along each axis, of a mesh of about 0.14 m.
      expect(far).toBeLessThan(3e-6);
    }
  });

  it('compressed GLB by three', async () => {
    const small = join(folder, 'small');
    await exportRun({ ...job, out: small, formats: ['glb'], compress: true }, () => {});
    const file = Uint8Array.from(readFileSync(join(small, 'scene.glb')));
    expect(file.length).toBeLessThan(0.6 * bytesOf('scene.glb').byteLength);
    const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
    const { scene } = await loader.parseAsync(file.buffer, '');
    scene.updateMatrixWorld(true);
    const last = scene.getObjectByName('big_drop_5')!.children[0] as Mesh;
    const { positions, indices, attributes } = meshOf(5, 'big drop');
    const index = last.geometry.getIndex()!;
    expect(index.count).toBe(indices.length);
    // Vertices have another order: each position is one of those that were written, with the velocity of it.
    const key = (position: Vector3) =>
      position
        .toArray()
        .map((x) => Math.round(x / 2e-5))
        .join();
    const velocityAt = new Map<string, number>();
    for (let i = 0; i < positions.length / 3; i++) {
      for (let corner = 0; corner < 27; corner++) {
        // Rounding may take a position across a border.
        const moved = new Vector3(corner % 3, Math.floor(corner / 3) % 3, Math.floor(corner / 9)).subScalar(1);
        const position = new Vector3().fromArray(positions, 3 * i).addScaledVector(moved, 1e-6);
        velocityAt.set(key(position), attributes.velocity!.values[3 * i + 1]!);
      }
    }
    scene.getObjectByName('big_drop_5')!.scale.setScalar(1);
    scene.updateMatrixWorld(true);
    const position = new Vector3();
    for (let i = 0; i < positions.length / 3; i++) {
      position.fromBufferAttribute(last.geometry.getAttribute('position'), i).applyMatrix4(last.matrixWorld);
      expect(velocityAt.get(key(position))).toBe(last.geometry.getAttribute('_velocity').getY(i));
    }
  });

  it('VTP and PVD as VTK describes them', () => {
    const decode = (text: string, name: string) => {
      const [, type, data] = new RegExp(`<DataArray type="(\\w+)" Name="${name}"[^>]*format="binary">([^<]*)<`).exec(
        text,
      )!;
      const raw = Buffer.from(data!, 'base64');
      expect(raw.readUInt32LE(0)).toBe(raw.length - 4);
      const body = Uint8Array.from(raw.subarray(4)).buffer;
      return type === 'Float32' ? new Float32Array(body) : new Uint32Array(body);
    };
    const text = textOf('big_drop-000005.vtp');
    const { positions, indices, normals } = meshOf(5, 'big drop');
    expect(text).toContain(`NumberOfPoints="${positions.length / 3}"`);
    expect(text).toContain(`NumberOfPolys="${indices.length / 3}"`);
    expect(decode(text, 'Points')).toEqual(positions);
    expect(decode(text, 'Normals')).toEqual(normals);
    expect(decode(text, 'connectivity')).toEqual(indices);
    expect([...decode(text, 'offsets').slice(0, 3)]).toEqual([3, 6, 9]);
    const particles = textOf('particles-000005.vtp');
    expect(decode(particles, 'stress')).toEqual(frames[5]!.points.attributes.stress!.values);
    const listed = [...textOf('particles.pvd').matchAll(/timestep="([^"]*)" group="" part="0" file="([^"]*)"/g)];
    expect(listed.map(([, time]) => Number(time))).toEqual(frames.map(({ time }) => time));
    for (const [, , file] of listed) expect(textOf(file!)).toContain('type="PolyData"');
    expect([...textOf('meshes.pvd').matchAll(/<DataSet /g)]).toHaveLength(24);
  });

  it('USDA with a sample of every frame', () => {
    const text = textOf('scene.usda');
    expect(text).toMatch(/^#usda 1\.0\n/);
    expect(text).toContain('upAxis = "Y"');
    expect(text).toContain('endTimeCode = 5\n');
    expect(text).toContain('timeCodesPerSecond = 50\n');
    const [, drop] = /def Mesh "big_drop" \([^)]*\)\s*\{([\s\S]*?)\n {4}\}/.exec(text)!;
    const [, samples] = /point3f\[\] points\.timeSamples = \{([\s\S]*?)\n {8}\}/.exec(drop!)!;
    const rows = [...samples!.matchAll(/(\d+): \[(.*)\],/g)];
    expect(rows.map(([, frame]) => Number(frame))).toEqual([0, 1, 2, 3, 4, 5]);
    const numbers = Float32Array.from(rows[5]![2]!.replace(/[()]/g, '').split(','), Number);
    expect(numbers).toEqual(meshOf(5, 'big drop').positions);
    // Brackets of all kinds are closed, which is what a parser asks for first.
    for (const [open, close] of ['()', '[]', '{}']) {
      expect(text.split(open!).length).toBe(text.split(close!).length);
    }
  });
});

describe('phyxel export', () => {
  async function command(...args: string[]) {
    const written: string[] = [];
    const [stdout, stderr] = [process.stdout.write, process.stderr.write];
    process.stdout.write = ((text: string) => Boolean(written.push(text))) as typeof process.stdout.write;
    process.stderr.write = process.stdout.write;
    try {
      const code = await main(['node', 'phyxel', 'export', ...args]);
      return { code, text: written.join('') };
    } finally {
      process.stdout.write = stdout;
      process.stderr.write = stderr;
    }
  }

  it('writes some of the frames', async () => {
    const part = join(folder, 'part');
    const { code, text } = await command(
      run,
      '--format',
      'obj',
      '--frames',
      '1-4',
      '--every',
      '2',
      '--out',
      part,
      '--threads',
      '1',
    );
    expect(code).toBe(0);
    expect(JSON.parse(text.split('\n')[0]!)).toMatchObject({ event: 'start', frames: 2 });
    expect(readdirSync(part)).toEqual(['meshes-000001.obj', 'meshes-000003.obj', 'meshes.mtl']);
  });

  it('writes what an interrupted run has', async () => {
    const [stopped, part] = [join(folder, 'stopped'), join(folder, 'stopped-out')];
    await runScene(stopped, 2);
    // A frame that was being written when the power went.
    writeFileSync(join(stopped, 'frames', 'frame-000003.phx.part'), 'PHYX');
    expect(await command(stopped, '--format', 'ply', '--out', part)).toMatchObject({ code: 0 });
    const names = readdirSync(part).filter((name) => name.startsWith('particles'));
    expect(names).toEqual(['particles-000000.ply', 'particles-000001.ply', 'particles-000002.ply']);
    for (const name of readdirSync(part)) {
      // The floor is shown as far as the run has come.
      if (name !== 'floor.ply') expect(readFileSync(join(part, name))).toEqual(readFileSync(join(out, name)));
    }
  });

  it('says what is wrong', async () => {
    expect(await command(join(folder, 'nowhere'), '--format', 'ply')).toMatchObject({
      code: 2,
      text: expect.stringContaining('there is no such run folder'),
    });
    expect(await command(out, '--format', 'ply')).toMatchObject({
      code: 2,
      text: expect.stringContaining('is no run folder'),
    });
    expect(await command(run, '--format', 'fbx')).toMatchObject({
      code: 2,
      text: expect.stringContaining('"fbx" is not one of glb, ply, obj, vtp, usda'),
    });
    expect(await command(run, '--format', 'ply', '--frames', '9-')).toMatchObject({
      code: 2,
      text: expect.stringContaining('has frames 0 to 5'),
    });
    const damaged = join(run, 'frames', 'frame-000003.phx');
    const whole = readFileSync(damaged);
    writeFileSync(damaged, whole.subarray(0, 200));
    const failed = await command(run, '--format', 'obj', '--frames', '3', '--out', join(folder, 'bad'));
    writeFileSync(damaged, whole);
    expect(failed).toMatchObject({ code: 2, text: expect.stringContaining('frame-000003.phx: is cut off') });
  });
});
