/**
 * Exports a small run and reads every file back with programs that are not ours: three's loaders, Khronos' glTF
 * validator, tinyusdz, and where they are installed VTK's Python (python3-vtk9), MeshLab and Blender. What is not there is
 * said and left out. Ends with 1 when something is read that was not written.
 *
 *   node scripts/check-exports.mjs [--keep DIR]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({ options: { keep: { type: 'string' } } });
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'phyxel-exports-'));
mkdirSync(folder, { recursive: true });
const load = (path) => import(pathToFileURL(join(root, 'packages', path)));
const { LiquidSurfacer, meshClosedness } = await load('core/dist/index.js');
const { RunSource } = await load('cli/dist/export/source.js');
const { encodePng } = await load('cli/dist/render/png.js');

const FPS = 20;
const FRAMES = 3;
const SCENE = `phyxel: 1
name: all kinds
frameRate: ${FPS}
duration: ${FRAMES / FPS}
temperature: 20
bodies:
  - { name: water, kind: fluid, shape: { box: { size: [0.16, 0.2, 0.16] } }, position: [0, 0.11, 0], spacing: 0.02 }
  - { name: jelly, shape: { torus: { radius: 0.1, tube: 0.04 } }, position: [0.5, 0.06, 0], velocity: [0, -1, 0], twist: [0, 20, 0], spacing: 0.02 }
  - { name: tent, kind: rigid, shape: { mesh: { file: tent.gltf, size: 0.3 } }, position: [1, 0.3, 0], angularVelocity: [2, 3, 0], spacing: 0.04 }
obstacles:
  - { name: floor, shape: { plane: {} } }
  - { name: plate, shape: { box: { size: [0.3, 0.02, 0.3] } }, position: [0, 0.5, 0], look: glass }
  - { name: paddle, shape: { cylinder: { radius: 0.05, length: 0.2 } }, position: [0.5, 0.5, 0], keyframes: [{ time: 0 }, { time: 0.2, position: [0, 0.1, 0] }] }
`;

/** A tetrahedron with a picture on it. */
function tent() {
  const corners = [
    [-1, -1, -1],
    [1, -1, 1],
    [-1, 1, 1],
    [1, 1, -1],
  ];
  const faces = [
    [0, 1, 2],
    [0, 3, 1],
    [0, 2, 3],
    [1, 3, 2],
  ];
  const positions = Float32Array.from(faces.flatMap((face) => face.flatMap((v) => corners[v])));
  const uvs = Float32Array.from(faces.flatMap(() => [0, 0, 1, 0, 0.5, 1]));
  const picture = encodePng({ width: 4, height: 2, pixels: Uint8Array.from({ length: 24 }, (_, k) => 10 * k) });
  const uri = (bytes, type = 'application/octet-stream') =>
    `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  const arrays = [positions, uvs].map(({ buffer }) => new Uint8Array(buffer));
  return JSON.stringify({
    asset: { version: '2.0' },
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, material: 0 }] }],
    materials: [{ name: 'canvas', pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0 } }],
    textures: [{ source: 0 }],
    images: [{ uri: uri(picture, 'image/png') }],
    accessors: [
      { bufferView: 0, componentType: 5126, type: 'VEC3', count: 12, min: [-1, -1, -1], max: [1, 1, 1] },
      { bufferView: 1, componentType: 5126, type: 'VEC2', count: 12 },
    ],
    bufferViews: arrays.map(({ length }, buffer) => ({ buffer, byteLength: length })),
    buffers: arrays.map((bytes) => ({ byteLength: bytes.length, uri: uri(bytes) })),
  });
}

function phyxel(...args) {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'packages/cli/bin/phyxel.js'), ...args]);
  if (status !== 0) throw new Error(`phyxel ${args.join(' ')} ended with ${status}:\n${stderr}`);
}

const [scene, run, out] = ['scene.yaml', 'run', 'export'].map((name) => join(folder, name));
writeFileSync(scene, SCENE);
writeFileSync(join(folder, 'tent.gltf'), tent());
phyxel('run', scene, '--out', run);
phyxel('export', run, '--format', 'glb,ply,obj,vtp,usda', '--out', out);
phyxel('export', run, '--format', 'glb', '--compress', '--out', join(folder, 'compressed'));

const source = await RunSource.open(run);
const surfacer = await LiquidSurfacer.create({ threads: 1 });
const frames = source.frames.map((number) => source.frame(number, surfacer, {}));
await surfacer.dispose();
const last = frames.at(-1);
const numbered = (name, ending) => join(out, `${name}-${String(last.frame).padStart(6, '0')}.${ending}`);

let wrong = 0;
const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance;
function check(what, is) {
  if (is) return;
  wrong++;
  console.log(`  WRONG: ${what}`);
}
function boundsOf(positions) {
  const [low, high] = [Infinity, -Infinity].map((x) => [x, x, x]);
  for (let k = 0; k < positions.length; k++) {
    low[k % 3] = Math.min(low[k % 3], positions[k]);
    high[k % 3] = Math.max(high[k % 3], positions[k]);
  }
  return { low, high };
}
/** Does what was read fill the same box, with as many triangles? */
function compare(what, read, mesh, tolerance) {
  const { low, high } = boundsOf(mesh.positions);
  check(
    `${what}: ${read.triangles} triangles instead of ${mesh.indices.length / 3}`,
    read.triangles === mesh.indices.length / 3,
  );
  for (let k = 0; k < 3; k++) {
    const found = `${read.low[k]} to ${read.high[k]} along ${'xyz'[k]} instead of ${low[k]} to ${high[k]}`;
    check(`${what}: ${found}`, near(read.low[k], low[k], tolerance) && near(read.high[k], high[k], tolerance));
  }
}

await withValidator();
await withThree();
withUsd();
withVtk();
withMeshLab();
withBlender();
if (values.keep === undefined) rmSync(folder, { recursive: true });
console.log(wrong === 0 ? 'all that was read is what was written' : `${wrong} differences`);
process.exit(wrong === 0 ? 0 : 1);

async function withThree() {
  const loader = async (name) => (await import(`three/examples/jsm/loaders/${name}.js`))[name];
  const { Mesh } = await import('three');
  const bytes = (path) => Uint8Array.from(readFileSync(path)).buffer;
  const facts = (geometry) => {
    const { array } = geometry.getAttribute('position');
    return { ...boundsOf(array), triangles: (geometry.getIndex()?.count ?? array.length / 3) / 3 };
  };
  const ply = new (await loader('PLYLoader'))();
  for (const mesh of last.meshes) {
    compare(`PLY of ${mesh.name}`, facts(ply.parse(bytes(numbered(mesh.name, 'ply')))), mesh, 1e-6);
  }
  const particles = ply.parse(bytes(numbered('particles', 'ply'))).getAttribute('position').count;
  check(`PLY: ${particles} particles`, particles === last.points.positions.length / 3);
  const objects = new (await loader('OBJLoader'))().parse(readFileSync(numbered('meshes', 'obj'), 'utf8')).children;
  for (const [k, mesh] of last.meshes.entries()) compare(`OBJ of ${mesh.name}`, facts(objects[k].geometry), mesh, 1e-6);
  // Pictures need a page to be drawn on; here it is enough that they are asked for.
  globalThis.document ??= { createElementNS: () => ({ addEventListener() {}, removeEventListener() {} }) };
  const usd = new (await loader('USDLoader'))().parse(readFileSync(join(out, 'scene.usda'), 'utf8'));
  const seen = [];
  usd.traverse((part) => part instanceof Mesh && seen.push(part.name));
  check(
    `USDA: meshes ${seen}`,
    last.meshes.every(({ name }) => seen.includes(name)),
  );
  console.log(
    `three: PLY and OBJ of ${last.meshes.length} meshes, ${particles} particles, USDA with ${seen.join(', ')}`,
  );
}

/** The first of the time samples: it knows no others. */
function withUsd() {
  const args = [join(root, 'scripts/readers/read_usd.mjs'), join(out, 'scene.usda')];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  check(`tinyusdz: ${stderr.slice(-500)}`, status === 0);
  const read = stdout.split('\n').filter((line) => line.startsWith('{"file"'));
  const meshes = read.map((line) => JSON.parse(line));
  for (const mesh of frames[0].meshes) {
    const facts = meshes.find(({ name }) => name === mesh.name);
    check(`USDA by tinyusdz: no ${mesh.name}`, facts !== undefined);
    if (!facts) continue;
    // Rigid bodies stay as they are, and are moved by a matrix.
    const still = mesh.motion ? { ...facts, ...boundsOf(mesh.positions) } : facts;
    compare(`USDA of ${mesh.name} by tinyusdz`, still, mesh, 1e-5);
  }
  console.log(`tinyusdz: USDA with ${meshes.map(({ name, triangles }) => `${name} (${triangles})`).join(', ')}`);
}

async function withValidator() {
  const { default: validator } = await import('gltf-validator');
  for (const file of [join(out, 'scene.glb'), join(folder, 'compressed/scene.glb')]) {
    const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(file)));
    // Extensions that it does not know it says so of; coordinates of a picture that is not there are no harm.
    const told = issues.messages.filter(({ severity, code }) => severity < 2 && code !== 'UNSUPPORTED_EXTENSION');
    for (const { code, message, pointer } of told) check(`${file}: ${code} ${message} at ${pointer}`, false);
    console.log(
      `glTF validator ${issues.validatorVersion ?? ''}: ${file.slice(folder.length + 1)}, ${info.totalTriangleCount} triangles, ${issues.numErrors} errors, ${issues.numWarnings} warnings`,
    );
  }
}

function tool(name, args, package_) {
  const { status, error, stdout, stderr } = spawnSync(name, args, {
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (error?.code === 'ENOENT') {
    console.log(`${name} is not installed (Debian: ${package_}): left out`);
    return undefined;
  }
  return { status, stdout, stderr };
}

function withVtk() {
  const files = readdirSync(out).filter((name) => name.endsWith('.vtp'));
  const script = join(root, 'scripts/readers/read_vtk.py');
  // The system's own Python has Debian's packages, whatever else is in the path.
  const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';
  const result = tool(python, [script, ...files.map((name) => join(out, name))], 'python3-vtk9');
  if (!result) return;
  if (/No module named .?vtk/.test(result.stderr)) {
    console.log('VTK for Python is not installed (Debian: python3-vtk9): left out');
    return;
  }
  check(`VTK: ${result.stderr}`, result.status === 0 && result.stderr === '');
  const read = new Map(
    result.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map((facts) => [facts.file, facts]),
  );
  check(`VTK: ${read.size} of ${files.length} files`, read.size === files.length);
  const rangeOf = ({ components, values: v }) => {
    let [low, high] = [Infinity, -Infinity];
    for (let k = 0; k < v.length; k += components) {
      const length = components === 1 ? v[k] : Math.hypot(...v.slice(k, k + components));
      low = Math.min(low, length);
      high = Math.max(high, length);
    }
    return [low, high];
  };
  for (const part of [...last.meshes, { ...last.points, name: 'particles' }]) {
    const facts = read.get(numbered(part.name, 'vtp'));
    const [x0, x1, y0, y1, z0, z1] = facts.bounds;
    const what = `VTP of ${part.name}`;
    const mesh = { indices: [], ...part };
    compare(what, { triangles: facts.triangles, low: [x0, y0, z0], high: [x1, y1, z1] }, mesh, 1e-6);
    for (const [name, attribute] of Object.entries(part.attributes)) {
      const [low, high] = rangeOf(attribute);
      const there = facts.arrays[name];
      const fits =
        there &&
        near(there.range[0], low, 1e-5 * (1 + Math.abs(low))) &&
        near(there.range[1], high, 1e-5 * (1 + Math.abs(high)));
      check(`${what}: ${name} from ${there?.range} instead of ${low} to ${high}`, fits);
    }
    if (part.indices === undefined) continue;
    check(`${what}: ${facts.openEdges} open edges`, facts.openEdges === 0);
    const { area, volume } = meshClosedness(part.positions, part.indices);
    check(`${what}: area ${facts.area} instead of ${area}`, near(facts.area, area, 1e-4 * area));
    check(`${what}: volume ${facts.volume} instead of ${volume}`, near(facts.volume, volume, 1e-2 * volume));
  }
  for (const name of ['meshes.pvd', 'particles.pvd']) {
    const listed = [...readFileSync(join(out, name), 'utf8').matchAll(/file="([^"]+)"/g)].map(([, file]) => file);
    check(`${name}: files that are not there`, listed.length > 0 && listed.every((file) => files.includes(file)));
  }
  const arrays = Object.keys(read.get(numbered('jelly', 'vtp')).arrays);
  console.log(`VTK: ${read.size} VTP files, closed, with areas, volumes and bounds; on bodies ${arrays.join(', ')}`);
}

/** PLY only: of every OBJ, whoever wrote it, Debian's MeshLab of 2020 says that an assertion fails. */
function withMeshLab() {
  const again = join(folder, 'meshlab.ply');
  const needs = 'meshlab xvfb xauth libgl1-mesa-dri';
  for (const { name, indices } of last.meshes) {
    // It wants OpenGL even where it shows nothing.
    const result = tool('xvfb-run', ['-a', 'meshlabserver', '-i', numbered(name, 'ply'), '-o', again], needs);
    if (!result) return;
    if (/not found|GLEW initialization failed/.test(result.stdout + result.stderr)) {
      console.log(`MeshLab is not installed, or finds no OpenGL (Debian: ${needs}): left out`);
      return;
    }
    const header = existsSync(again) ? readFileSync(again).toString('latin1', 0, 2000) : '';
    const faces = Number(/element face (\d+)/.exec(header)?.[1]);
    check(`MeshLab: ${faces} triangles of ${name} instead of ${indices.length / 3}`, faces === indices.length / 3);
    rmSync(again, { force: true });
  }
  console.log(`MeshLab: PLY of ${last.meshes.length} meshes`);
}

function withBlender() {
  const jobs = [
    { file: numbered('water', 'ply') },
    { file: numbered('meshes', 'obj') },
    { file: join(out, 'scene.glb'), fps: FPS, frames: source.frames },
  ];
  const script = join(root, 'scripts/readers/read_blender.py');
  const result = tool(
    'blender',
    ['-b', '--python-exit-code', '1', '--python', script, '--', JSON.stringify(jobs)],
    'blender',
  );
  if (!result) return;
  check(`Blender: ${result.stderr.slice(-500)}`, result.status === 0);
  const read = result.stdout
    .split('\n')
    .filter((line) => line.startsWith('FACTS '))
    .map((line) => JSON.parse(line.slice(6)));
  // Blender's z is up: x, -z, y of ours. Its PLY reader leaves axes as they are.
  const turned = ({ low, high, ...rest }) => ({
    ...rest,
    low: [low[0], low[2], -high[1]],
    high: [high[0], high[2], -low[1]],
  });
  const [ply, obj, glb] = jobs.map(({ file }) => read.filter((facts) => facts.file === file));
  compare('PLY by Blender', ply[0] ?? { triangles: 0, low: [], high: [] }, last.meshes[0], 1e-5);
  for (const mesh of last.meshes) {
    const facts = obj.find(({ name }) => name === mesh.name);
    check(`OBJ by Blender: no ${mesh.name}`, facts !== undefined);
    if (facts) compare(`OBJ of ${mesh.name} by Blender`, turned(facts), mesh, 1e-5);
  }
  let shown = 0;
  for (const { frame, meshes } of frames) {
    for (const mesh of meshes) {
      const { low, high } = boundsOf(mesh.positions);
      const size = Math.max(...high.map((h, k) => h - low[k]));
      const wanted = mesh.motion ? mesh.name : `${mesh.name} ${frame}`;
      const facts = glb.find((candidate) => candidate.frame === frame && candidate.name.startsWith(wanted));
      check(`GLB by Blender: no ${wanted} in frame ${frame}`, facts !== undefined);
      if (!facts) continue;
      compare(`GLB of ${mesh.name} in frame ${frame} by Blender`, turned(facts), mesh, 2e-3 * size);
      shown++;
    }
  }
  const pictures = [...obj, ...glb].filter(({ name, pictures: p }) => name.startsWith('tent') && p.length > 0);
  check('Blender: no picture on the tent', pictures.length > 0);
  console.log(
    `Blender: PLY, OBJ with ${obj.length} objects, GLB with ${shown} meshes over ${frames.length} frames, picture ${pictures[0]?.pictures[0]?.join(' x ')}`,
  );
}
