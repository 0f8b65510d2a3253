/**
 * Two ways to the surface of a liquid, on the same particles: ours, and one after [K06] 4.6, through the Delaunay
 * tetrahedra of water and air particles. Writes docs/surfaces-compared.md.
 *
 *   node scripts/compare-surfaces.mjs [--run DIR] [--frame N] [--out FILE]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { delaunay } from './delaunay.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: {
    run: { type: 'string', default: join(root, 'runs/compare/dam-break-bunny') },
    frame: { type: 'string', default: '14' },
    out: { type: 'string', default: join(root, 'docs/surfaces-compared.md') },
  },
});
const load = (path) => import(pathToFileURL(join(root, 'packages', path)));
const { LiquidSurfacer, meshClosedness } = await load('core/dist/index.js');
const { decodeFrame } = await load('cli/dist/run/frame-file.js');

/** Lengths below are in spacings. */
const SUPPORT = 2;

/** Finds what is near a place. */
class Near {
  #points;
  #cells = new Map();
  constructor(points, cell) {
    this.#points = points;
    this.cell = cell;
    for (let i = 0; i < points.length / 3; i++) this.add(i, points);
  }
  add(i, points) {
    this.#points = points;
    const key = this.#key(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
    const list = this.#cells.get(key);
    if (list) list.push(i);
    else this.#cells.set(key, [i]);
  }
  #key(x, y, z) {
    const [i, j, k] = [x, y, z].map((c) => Math.floor(c / this.cell) + 512);
    return (i * 1024 + j) * 1024 + k;
  }
  /** Calls back with the number and the squared distance of all within a cell's side. */
  each(x, y, z, visit) {
    for (let a = -1; a <= 1; a++) {
      for (let b = -1; b <= 1; b++) {
        for (let c = -1; c <= 1; c++) {
          const list = this.#cells.get(this.#key(x + a * this.cell, y + b * this.cell, z + c * this.cell)) ?? [];
          for (const i of list) {
            const d2 =
              (this.#points[3 * i] - x) ** 2 + (this.#points[3 * i + 1] - y) ** 2 + (this.#points[3 * i + 2] - z) ** 2;
            if (d2 <= this.cell * this.cell) visit(i, d2);
          }
        }
      }
    }
  }
  nearest(x, y, z) {
    let least = Infinity;
    this.each(x, y, z, (_, d2) => {
      least = Math.min(least, d2);
    });
    return Math.sqrt(least);
  }
}

/** Air: as near to the water as water is to itself, in two layers, so that the surface is half way between. */
function airAround(water) {
  const near = new Near(water, 2.6);
  const step = 1 / 3;
  const seen = new Set();
  const candidates = [];
  for (let i = 0; i < water.length; i += 3) {
    // There is no air beside particles that have as many neighbours as those inside.
    let neighbors = 0;
    near.each(water[i], water[i + 1], water[i + 2], () => neighbors++);
    if (neighbors > 72) continue;
    for (let a = -7; a <= 7; a++) {
      for (let b = -7; b <= 7; b++) {
        for (let c = -7; c <= 7; c++) {
          const node = [a, b, c].map((n, k) => Math.round(water[i + k] / step) + n);
          const key = ((node[0] + 2048) * 4096 + node[1] + 2048) * 4096 + node[2] + 2048;
          if (seen.has(key)) continue;
          seen.add(key);
          const [x, y, z] = node.map(
            (n, k) => n * step + 0.05 * Math.sin(12.9898 * n + 78.233 * node[(k + 1) % 3] + k),
          );
          const away = near.nearest(x, y, z);
          if (away >= 0.97 && away <= 2.3) candidates.push([away, x, y, z]);
        }
      }
    }
  }
  candidates.sort((p, q) => p[0] - q[0] || p[1] - q[1] || p[2] - q[2] || p[3] - q[3]);
  const air = [];
  const taken = new Near([], 0.9);
  for (const [, x, y, z] of candidates) {
    if (taken.nearest(x, y, z) < 0.9) continue;
    air.push(x, y, z);
    taken.add(air.length / 3 - 1, air);
  }
  return air;
}

/** The surface through all edges between water and air, where the colour field is zero along them. */
function delaunaySurface(water) {
  const began = performance.now();
  const air = airAround(water);
  const withAir = performance.now();
  const wet = new Near(water, SUPPORT);
  const dry = new Near(air, SUPPORT);
  const isNear = (grid, x, y, z) => grid.nearest(x, y, z) < SUPPORT;
  const points = [];
  const isWater = [];
  for (let i = 0; i < water.length; i += 3) {
    if (!isNear(dry, water[i], water[i + 1], water[i + 2])) continue;
    // A trace of disorder, so that no five points are on a sphere.
    for (let k = 0; k < 3; k++) points.push(water[i + k] + 1e-4 * Math.sin(91.7 * i + 37.3 * k));
    isWater.push(true);
  }
  for (let i = 0; i < air.length; i += 3) {
    for (let k = 0; k < 3; k++) points.push(air[i + k] + 1e-4 * Math.sin(53.1 * i + 17.9 * k));
    isWater.push(false);
  }
  const tetrahedra = delaunay(points);
  const withTetrahedra = performance.now();
  const color = (x, y, z) => {
    let [sum, all] = [0, 0];
    const add = (sign) => (_, d2) => {
      const w = (1 - d2 / (SUPPORT * SUPPORT)) ** 3;
      sum += sign * w;
      all += w;
    };
    wet.each(x, y, z, add(1));
    dry.each(x, y, z, add(-1));
    return all > 0 ? sum / all : -1;
  };
  const crossing = (a, b) => {
    let [from, to] = [0, 1];
    const at = (t) => [0, 1, 2].map((k) => points[3 * a + k] + t * (points[3 * b + k] - points[3 * a + k]));
    for (let n = 0; n < 10; n++) {
      const t = (from + to) / 2;
      if (color(...at(t)) > 0) from = t;
      else to = t;
    }
    return at(Math.min(0.95, Math.max(0.05, (from + to) / 2)));
  };
  const positions = [];
  const indices = [];
  const known = new Map();
  const vertex = (a, b) => {
    const key = a * isWater.length + b;
    if (!known.has(key)) {
      known.set(key, positions.length / 3);
      positions.push(...crossing(a, b));
    }
    return known.get(key);
  };
  for (let t = 0; t < tetrahedra.length; t += 4) {
    const corners = [...tetrahedra.slice(t, t + 4)];
    const inside = corners.filter((v) => isWater[v]);
    const outside = corners.filter((v) => !isWater[v]);
    if (inside.length === 0 || outside.length === 0) continue;
    const loop =
      inside.length === 2
        ? [
            [0, 0],
            [0, 1],
            [1, 1],
            [1, 0],
          ].map(([a, b]) => vertex(inside[a], outside[b]))
        : inside.flatMap((a) => outside.map((b) => vertex(a, b)));
    // Outwards: away from a corner in the water.
    const faces =
      loop.length === 4
        ? [
            [loop[0], loop[1], loop[2]],
            [loop[0], loop[2], loop[3]],
          ]
        : [loop];
    for (const [a, b, c] of faces) {
      const at = (v) => [0, 1, 2].map((k) => positions[3 * v + k]);
      const [p, q, r] = [a, b, c].map(at);
      const w = [0, 1, 2].map((k) => points[3 * inside[0] + k]);
      const volume = triple(minus(q, p), minus(r, p), minus(w, p));
      indices.push(...(volume < 0 ? [a, b, c] : [a, c, b]));
    }
  }
  const done = performance.now();
  return {
    positions: Float32Array.from(positions),
    indices: Uint32Array.from(indices),
    milliseconds: { air: withAir - began, tetrahedra: withTetrahedra - withAir, triangles: done - withTetrahedra },
    air: air.length / 3,
  };
}

const minus = (a, b) => a.map((x, k) => x - b[k]);
const triple = (a, b, c) =>
  a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);

/** How bent a mesh is: mean angle between neighbouring triangles by length of edge, over the area [1/spacing]; shapes. */
function roughness({ positions: p, indices }) {
  const edges = new Map();
  const count = p.length / 3;
  const normals = [];
  let [area, thin] = [0, 0];
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => [0, 1, 2].map((x) => p[3 * indices[t + k] + x]));
    const [u, v] = [minus(b, a), minus(c, a)];
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...n);
    area += length / 2;
    normals.push(n.map((x) => x / (length || 1)));
    const sides = [u, v, minus(c, b)].reduce((sum, s) => sum + s[0] ** 2 + s[1] ** 2 + s[2] ** 2, 0);
    if ((2 * Math.sqrt(3) * length) / sides < 0.2) thin++;
    for (let k = 0; k < 3; k++) {
      const [i, j] = [indices[t + k], indices[t + ((k + 1) % 3)]];
      const key = Math.min(i, j) * count + Math.max(i, j);
      if (edges.has(key)) edges.get(key).push(t / 3);
      else edges.set(key, [t / 3]);
    }
  }
  let bent = 0;
  for (const [key, [s, t]] of edges) {
    if (t === undefined) continue;
    const [i, j] = [Math.floor(key / count), key % count];
    const length = Math.hypot(...[0, 1, 2].map((k) => p[3 * i + k] - p[3 * j + k]));
    const cosine = normals[s].reduce((sum, x, k) => sum + x * normals[t][k], 0);
    bent += length * Math.acos(Math.min(1, Math.max(-1, cosine)));
  }
  return { bending: bent / (2 * area), thin: thin / (indices.length / 3) };
}

function simulate() {
  const command = join(root, 'packages/cli/bin/phyxel.js');
  const scene = join(root, 'examples/dam-break-bunny.yaml');
  const args = ['run', scene, '--out', values.run, '--frames', values.frame, '--resume'];
  const { status, stderr } = spawnSync(process.execPath, [command, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(String(stderr));
}

const file = join(values.run, 'frames', `frame-${values.frame.padStart(6, '0')}.phx`);
if (!existsSync(file)) simulate();
const frame = decodeFrame(readFileSync(file), file);
const spacing = JSON.parse(readFileSync(join(values.run, 'run.json'), 'utf8')).bodies[0].spacing;
const { begin, end } = frame.bodies[0];
const splash = frame.arrays.find(({ name }) => name === 'position').values.subarray(3 * begin, 3 * end);

/** A ball of a lattice with some disorder: what its surface should be is known. */
function ballOf(radius) {
  const places = [];
  for (let i = -radius - 1; i <= radius + 1; i++) {
    for (let j = -radius - 1; j <= radius + 1; j++) {
      for (let k = -radius - 1; k <= radius + 1; k++) {
        if (Math.hypot(i, j, k) > radius) continue;
        places.push(...[i, j, k].map((n, a) => n + 0.1 * Math.sin(127.1 * i + 311.7 * j + 74.7 * k + a)));
      }
    }
  }
  return Float32Array.from(places);
}

const surfacer = await LiquidSurfacer.create({ threads: 1 });
surfacer.surface({ positions: ballOf(5), spacing: 1 });
const rows = [];
for (const [scene, places] of [
  [`dam-break-bunny, frame ${values.frame}`, splash.map((x) => x / spacing)],
  ['ball of radius 10', ballOf(10)],
]) {
  const volume = places.length / 3;
  const methods = [
    ...[1, 0.5].map((cell) => [
      `kernels, cells of ${cell}`,
      () => surfacer.surface({ positions: places, spacing: 1 }, { cell }),
    ]),
    [
      'kernels, cells of 0.5, tolerance 0.05',
      () => surfacer.surface({ positions: places, spacing: 1 }, { cell: 0.5, tolerance: 0.05 }),
    ],
    ['Delaunay, water and air', () => delaunaySurface(places)],
  ];
  for (const [method, make] of methods) {
    const began = performance.now();
    const mesh = make();
    const milliseconds = performance.now() - began;
    const facts = meshClosedness(mesh.positions, mesh.indices);
    const { bending, thin } = roughness(mesh);
    rows.push({
      scene,
      particles: volume,
      method,
      triangles: mesh.indices.length / 3,
      error: 100 * (facts.volume / volume - 1),
      faults: facts.openEdges + facts.nonManifoldEdges + facts.turnedEdges,
      pieces: facts.pieces,
      bending,
      thin: 100 * thin,
      milliseconds: mesh.milliseconds ? mesh.milliseconds.tetrahedra + mesh.milliseconds.triangles : milliseconds,
      parts: mesh.milliseconds,
    });
    console.log(JSON.stringify(rows.at(-1)));
  }
}
await surfacer.dispose();

const table = rows.map(
  (r) =>
    `| ${r.scene} | ${r.method} | ${r.triangles} | ${r.error.toFixed(2)} % | ${r.bending.toFixed(3)} | ${r.thin.toFixed(1)} % | ${r.pieces} | ${r.faults} | ${(r.milliseconds / 1000).toFixed(2)} s |`,
);
const [splashRow] = rows.filter(({ parts }) => parts);
const seconds = (name) => (splashRow.parts[name] / 1000).toFixed(1);
writeFileSync(
  values.out,
  `# Two surfaces compared

Ours is a level of ellipsoid kernels cut by marching cubes (ARCHITECTURE.md). [K06] 4.6 puts air particles around the water, takes the Delaunay tetrahedra of both near where they meet, and draws the surface through the edges between water and air, where the colour field of both is zero. Both on the same particles, one thread, by \`node scripts/compare-surfaces.mjs\`.

| scene | method | triangles | volume | bending | thin | pieces | faults | time |
| ----- | ------ | --------: | -----: | ------: | ---: | -----: | -----: | ---: |
${table.join('\n')}

- volume: that within the triangles over that of the particles, less one. What is thin is triangles whose shape is below 0.2 (1 has equal sides). Faults are edges without two triangles that run along them in opposite directions.
- bending: mean angle between neighbouring triangles, by the length of their edge, over the area [1/spacing]. A smooth ball of radius 10 has 0.1.
- The Delaunay surface is plain JavaScript where ours is WebAssembly. Its time is that of the tetrahedra (${seconds('tetrahedra')} s for the splash) and of the triangles with their places; finding air particles is not in it, since those of a simulation would be there.

The Delaunay surface follows single particles, so drops survive, and on a ball its volume is the better one. But each vertex is bound to an edge between two particles: their disorder is on the surface, which is a quarter to three quarters more bent for no more detail, and in a splash it loses three times as much volume, where water and air are not a spacing apart. It needs air on all sides, also behind walls, and is many times slower even if WebAssembly made it ten times as fast. We keep the kernels.
`,
);
