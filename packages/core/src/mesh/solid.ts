import type { Vec3 } from '../math/matrix3.js';
import { Bvh } from './bvh.js';
import { cleanMesh } from './clean.js';
import { DisjointSets, findEdges, headOf } from './edges.js';
import { MeshError } from './error.js';
import { triangleNormal } from './triangle.js';
import type { TriangleMesh } from './types.js';

/** A hole is closed when its cover is smaller than this share of the shell's area; a larger one is meant. */
const COVER_SHARE = 0.25;

/** Open shells smaller than this share of the whole area are crumbs of a careless cut, and left out. */
const CRUMB_SHARE = 1e-3;

/** Shells with more than this share of their area turned over say nothing by their orientation. */
const UNCLEAR_SHARE = 0.2;

/** Direction of the lines that test which shell lies in which: no plane of an ordinary model contains it. */
const PROBE_DIRECTION: Vec3 = [0.5773160184, 0.2113248654, 0.7886751346];

/**
 * A mesh made ready for the question "inside or outside": vertices welded, copies dropped, small holes
 * covered, triangles sorted into shells. A point is inside when the polarities of the shells around it
 * sum to more than zero; whether a shell is around it is a matter of parity, so that turned triangles
 * do not matter. Shells with large openings are taken together as one (`OPEN_SHELL`).
 */
export interface MeshSolid {
  readonly mesh: TriangleMesh;
  readonly bvh: Bvh;
  /** Shell of each triangle. */
  readonly shellOf: Int32Array;
  /** +1 for a body, -1 for a cavity in one. */
  readonly polarity: Int8Array;
  /** Whether each shell bounds a volume; false only for OPEN_SHELL. */
  readonly closed: readonly boolean[];
  readonly low: Vec3;
  readonly high: Vec3;
  /** Whether the divergence theorem may be trusted: all shells closed and orientable. */
  readonly oriented: boolean;
  readonly report: SolidReport;
}

export interface SolidReport {
  /** Edges with one triangle, before covers. */
  readonly openEdges: number;
  /** Edges with more than two triangles. */
  readonly nonManifoldEdges: number;
  /** Edges whose two triangles disagree on which side is out. */
  readonly inconsistentEdges: number;
  readonly shells: number;
  readonly cavities: number;
  /** Shells inside of others that change nothing and were left out. */
  readonly redundantShells: number;
  readonly coveredHoles: number;
  /** Share of the area that belongs to shells with large openings [1]. */
  readonly openAreaShare: number;
}

/** Index of the shell that collects all open ones. */
const OPEN_SHELL = 0;

export function prepareSolid(mesh: TriangleMesh, name = 'mesh'): MeshSolid {
  const clean = cleanMesh(mesh);
  const count = clean.triangles.length / 3;
  if (count === 0) throw new MeshError(name, '', 'has no triangle with an area');
  const edges = findEdges(clean.triangles, clean.positions.length / 3);
  const shells = findShells(clean);
  const orientation = orientTriangles(clean, edges.opposite, shells);
  const covers = coverHoles(clean, edges.boundary, shells);

  const positions = new Float64Array(clean.positions.length + covers.positions.length);
  positions.set(clean.positions);
  positions.set(covers.positions, clean.positions.length);
  const triangles = new Uint32Array(clean.triangles.length + covers.triangles.length);
  triangles.set(orientation.triangles);
  orientCovers(covers, orientation.triangles, edges.boundary, clean.triangles);
  triangles.set(covers.triangles, clean.triangles.length);

  // Shell 0 collects the open ones; closed shells follow in the order of their first triangle.
  const number = new Int32Array(shells.count);
  let next = OPEN_SHELL + 1;
  let totalArea = 0;
  for (const area of shells.area) totalArea += area;
  let openArea = 0;
  for (let s = 0; s < shells.count; s++) if (covers.open[s] === 1) openArea += shells.area[s]!;
  const crumbs = openArea < CRUMB_SHARE * totalArea;
  if (crumbs) openArea = 0;
  for (let s = 0; s < shells.count; s++) {
    number[s] = covers.open[s] === 1 ? OPEN_SHELL : next++;
  }
  const shellOf = new Int32Array(triangles.length / 3);
  for (let t = 0; t < count; t++) shellOf[t] = number[shells.of[t]!]!;
  for (let t = 0; t < covers.shells.length; t++) shellOf[count + t] = number[covers.shells[t]!]!;
  const clear = new Uint8Array(next).fill(1);
  for (let s = 0; s < shells.count; s++) if (orientation.unclear[s] === 1) clear[number[s]!] = 0;

  const nesting = nestShells({ positions, triangles }, shellOf, next, clear);
  if (crumbs) nesting.polarity[OPEN_SHELL] = 0;
  const kept = keepTriangles(triangles, shellOf, nesting.polarity);
  const used = { positions, triangles: kept.triangles };
  const closed = Array.from({ length: next }, (_, s) => s !== OPEN_SHELL);
  let bvh: Bvh | undefined;
  return {
    mesh: used,
    // Rows find out most without it.
    get bvh() {
      bvh ??= new Bvh(used);
      return bvh;
    },
    shellOf: kept.shellOf,
    polarity: nesting.polarity,
    closed,
    ...boundsOf(used),
    oriented: openArea === 0 && orientation.orientable,
    report: {
      openEdges: edges.openEdges,
      nonManifoldEdges: edges.nonManifoldEdges,
      inconsistentEdges: edges.inconsistentEdges,
      shells: shells.count,
      cavities: nesting.cavities,
      redundantShells: nesting.redundant,
      coveredHoles: covers.holes,
      openAreaShare: totalArea > 0 ? openArea / totalArea : 1,
    },
  };
}

interface Shells {
  readonly count: number;
  readonly of: Int32Array;
  /** [m2] */
  readonly area: Float64Array;
}

/** Triangles that share a vertex belong to the same shell. */
function findShells({ positions, triangles }: TriangleMesh): Shells {
  const sets = new DisjointSets(positions.length / 3);
  for (let t = 0; t < triangles.length; t += 3) {
    sets.join(triangles[t]!, triangles[t + 1]!);
    sets.join(triangles[t]!, triangles[t + 2]!);
  }
  const number = new Int32Array(positions.length / 3).fill(-1);
  const of = new Int32Array(triangles.length / 3);
  let count = 0;
  for (let t = 0; t < of.length; t++) {
    const root = sets.find(triangles[3 * t]!);
    if (number[root]! < 0) number[root] = count++;
    of[t] = number[root]!;
  }
  const area = new Float64Array(count);
  for (let t = 0; t < of.length; t++) area[of[t]!]! += triangleArea(positions, triangles, t);
  return { count, of, area };
}

/** Turns triangles so that neighbours agree; the larger part of each patch keeps its orientation. */
function orientTriangles(mesh: TriangleMesh, opposite: Int32Array, shells: Shells) {
  const { positions } = mesh;
  const triangles = mesh.triangles.slice();
  const count = triangles.length / 3;
  const turned = new Int8Array(count); // 0 unknown, 1 as it is, -1 turned over
  const turnedArea = new Float64Array(shells.count);
  let orientable = true;
  const patch: number[] = [];
  for (let seed = 0; seed < count; seed++) {
    if (turned[seed] !== 0) continue;
    patch.length = 0;
    patch.push(seed);
    turned[seed] = 1;
    let keptArea = 0;
    let flippedArea = 0;
    for (let i = 0; i < patch.length; i++) {
      const t = patch[i]!;
      if (turned[t] === 1) keptArea += triangleArea(positions, mesh.triangles, t);
      else flippedArea += triangleArea(positions, mesh.triangles, t);
      for (let e = 3 * t; e < 3 * t + 3; e++) {
        const other = opposite[e]!;
        if (other < 0) continue;
        const u = Math.floor(other / 3);
        const wanted = mesh.triangles[e] === mesh.triangles[other] ? -turned[t]! : turned[t]!;
        if (turned[u] === 0) {
          turned[u] = wanted;
          patch.push(u);
        } else if (turned[u] !== wanted) orientable = false;
      }
    }
    const turn = flippedArea > keptArea ? 1 : -1;
    turnedArea[shells.of[seed]!]! += Math.min(flippedArea, keptArea);
    for (const t of patch) {
      if (turned[t] !== turn) continue;
      const b = triangles[3 * t + 1]!;
      triangles[3 * t + 1] = triangles[3 * t + 2]!;
      triangles[3 * t + 2] = b;
    }
  }
  const unclear = new Uint8Array(shells.count);
  for (let s = 0; s < shells.count; s++) unclear[s] = turnedArea[s]! > UNCLEAR_SHARE * shells.area[s]! ? 1 : 0;
  return { triangles, orientable, unclear };
}

interface Covers {
  /** Centres of the covered holes. */
  readonly positions: Float64Array;
  readonly triangles: Uint32Array;
  /** Shell and boundary entry of each cover triangle. */
  readonly shells: Int32Array;
  readonly entries: Int32Array;
  /** 1 for shells with an opening too large to cover. */
  readonly open: Uint8Array;
  readonly holes: number;
}

/**
 * Closes holes by fans around the middle of their rims. The rim is counted modulo 2, so that a wall
 * across the inside of a shell, whose edges have three triangles each, gets a second copy, and
 * parity no longer sees it.
 */
function coverHoles({ positions, triangles }: TriangleMesh, boundary: Uint32Array, shells: Shells): Covers {
  const sets = new DisjointSets(positions.length / 3);
  for (const e of boundary) sets.join(triangles[e]!, headOf(triangles, e));
  const hole = new Map<number, { shell: number; sum: [number, number, number]; weight: number; area: number }>();
  for (const e of boundary) {
    const a = 3 * triangles[e]!;
    const b = 3 * headOf(triangles, e);
    const root = sets.find(triangles[e]!);
    let h = hole.get(root);
    if (!h) {
      h = { shell: shells.of[Math.floor(e / 3)]!, sum: [0, 0, 0], weight: 0, area: 0 };
      hole.set(root, h);
    }
    const dx = positions[b]! - positions[a]!;
    const dy = positions[b + 1]! - positions[a + 1]!;
    const dz = positions[b + 2]! - positions[a + 2]!;
    const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
    for (let c = 0; c < 3; c++) h.sum[c]! += (length * (positions[a + c]! + positions[b + c]!)) / 2;
    h.weight += length;
  }
  const centres: number[] = [];
  const centreOf = new Map<number, number>();
  for (const [root, h] of hole) {
    centreOf.set(root, positions.length / 3 + centres.length / 3);
    for (const s of h.sum) centres.push(s / h.weight);
  }
  const coverArea = (e: number) => {
    const h = centreOf.get(sets.find(triangles[e]!))! - positions.length / 3;
    const a = 3 * triangles[e]!;
    const b = 3 * headOf(triangles, e);
    const ux = positions[a]! - centres[3 * h]!;
    const uy = positions[a + 1]! - centres[3 * h + 1]!;
    const uz = positions[a + 2]! - centres[3 * h + 2]!;
    const vx = positions[b]! - centres[3 * h]!;
    const vy = positions[b + 1]! - centres[3 * h + 1]!;
    const vz = positions[b + 2]! - centres[3 * h + 2]!;
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    return Math.sqrt(nx * nx + ny * ny + nz * nz) / 2;
  };
  for (const e of boundary) hole.get(sets.find(triangles[e]!))!.area += coverArea(e);
  const open = new Uint8Array(shells.count);
  for (const h of hole.values()) if (h.area > COVER_SHARE * shells.area[h.shell]!) open[h.shell] = 1;
  const coverTriangles: number[] = [];
  const coverShells: number[] = [];
  const entries: number[] = [];
  boundary.forEach((e, entry) => {
    const shell = shells.of[Math.floor(e / 3)]!;
    if (open[shell] === 1) return;
    coverTriangles.push(headOf(triangles, e), triangles[e]!, centreOf.get(sets.find(triangles[e]!))!);
    coverShells.push(shell);
    entries.push(entry);
  });
  let holes = 0;
  for (const h of hole.values()) if (open[h.shell] === 0) holes++;
  return {
    positions: Float64Array.from(centres),
    triangles: Uint32Array.from(coverTriangles),
    shells: Int32Array.from(coverShells),
    entries: Int32Array.from(entries),
    open,
    holes,
  };
}

/** Turns covers that border on a triangle which was turned over. */
function orientCovers(covers: Covers, oriented: Uint32Array, boundary: Uint32Array, original: Uint32Array): void {
  covers.entries.forEach((entry, t) => {
    const e = boundary[entry]!;
    const first = 3 * Math.floor(e / 3);
    if (oriented[first + 1] === original[first + 1]) return;
    const a = covers.triangles[3 * t]!;
    covers.triangles[3 * t] = covers.triangles[3 * t + 1]!;
    covers.triangles[3 * t + 1] = a;
  });
}

/**
 * Decides which closed shells are cavities. A shell that lies wholly in others is one when it is
 * oriented against the outermost of them; where orientation says nothing, cavities and bodies
 * alternate with depth. Bodies in bodies and cavities in cavities change nothing and get polarity 0.
 */
function nestShells(mesh: TriangleMesh, shellOf: Int32Array, shellCount: number, clear: Uint8Array) {
  const polarity = new Int8Array(shellCount).fill(1);
  if (shellCount <= OPEN_SHELL + 2) return { polarity, cavities: 0, redundant: 0 };
  const bvh = new Bvh(mesh);
  const volume = signedVolumes(mesh, shellOf, shellCount);
  const around = Array.from({ length: shellCount }, () => new Map<number, number>());
  const probesPerShell = shellCount > 100 ? 3 : 12;
  const members = Array.from({ length: shellCount }, () => [] as number[]);
  for (let t = 0; t < shellOf.length; t++) members[shellOf[t]!]!.push(t);
  const probes = new Int32Array(shellCount);
  for (let s = OPEN_SHELL + 1; s < shellCount; s++) {
    const own = members[s]!;
    const n = Math.min(probesPerShell, own.length);
    probes[s] = n;
    for (let i = 0; i < n; i++) {
      const parity = new Map<number, number>();
      bvh.crossings(centroid(mesh, own[Math.floor((i * own.length) / n)]!), PROBE_DIRECTION, (t, at) => {
        const other = shellOf[t]!;
        if (at > 0 && other !== s && other !== OPEN_SHELL) parity.set(other, (parity.get(other) ?? 0) ^ 1);
      });
      for (const [other, odd] of parity) if (odd) around[s]!.set(other, (around[s]!.get(other) ?? 0) + 1);
    }
  }
  const containers = around.map((counts, s) => [...counts].filter(([, n]) => n === probes[s]).map(([other]) => other));
  const byDepth = Array.from({ length: shellCount - 1 }, (_, i) => i + 1).sort(
    (a, b) => containers[a]!.length - containers[b]!.length || a - b,
  );
  let cavities = 0;
  let redundant = 0;
  for (const s of byDepth) {
    const parents = containers[s]!;
    if (parents.length === 0) continue;
    let root = parents[0]!;
    for (const p of parents) if (containers[p]!.length < containers[root]!.length) root = p;
    const body = clear[s] && clear[root] ? volume[s]! > 0 === volume[root]! > 0 : parents.length % 2 === 0;
    let level = 0;
    for (const p of parents) level += polarity[p]!;
    if (body === level > 0) {
      polarity[s] = 0;
      redundant++;
    } else if (!body) {
      polarity[s] = -1;
      cavities++;
    }
  }
  return { polarity, cavities, redundant };
}

/** Volume of each shell by the divergence theorem [m3]; negative when it is turned inside out. */
export function signedVolumes(
  { positions, triangles }: TriangleMesh,
  shellOf: Int32Array,
  shellCount: number,
): Float64Array {
  const volumes = new Float64Array(shellCount);
  const [ox, oy, oz] = [positions[0] ?? 0, positions[1] ?? 0, positions[2] ?? 0];
  for (let t = 0; t < shellOf.length; t++) {
    const a = 3 * triangles[3 * t]!;
    const b = 3 * triangles[3 * t + 1]!;
    const c = 3 * triangles[3 * t + 2]!;
    const ax = positions[a]! - ox;
    const ay = positions[a + 1]! - oy;
    const az = positions[a + 2]! - oz;
    const bx = positions[b]! - ox;
    const by = positions[b + 1]! - oy;
    const bz = positions[b + 2]! - oz;
    const cx = positions[c]! - ox;
    const cy = positions[c + 1]! - oy;
    const cz = positions[c + 2]! - oz;
    volumes[shellOf[t]!]! += (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 6;
  }
  return volumes;
}

function keepTriangles(triangles: Uint32Array, shellOf: Int32Array, polarity: Int8Array) {
  if (!polarity.includes(0)) return { triangles, shellOf };
  const kept: number[] = [];
  const shells: number[] = [];
  for (let t = 0; t < shellOf.length; t++) {
    if (polarity[shellOf[t]!] === 0) continue;
    kept.push(triangles[3 * t]!, triangles[3 * t + 1]!, triangles[3 * t + 2]!);
    shells.push(shellOf[t]!);
  }
  return { triangles: Uint32Array.from(kept), shellOf: Int32Array.from(shells) };
}

function centroid({ positions, triangles }: TriangleMesh, t: number): Vec3 {
  const at = (axis: number) =>
    (positions[3 * triangles[3 * t]! + axis]! +
      positions[3 * triangles[3 * t + 1]! + axis]! +
      positions[3 * triangles[3 * t + 2]! + axis]!) /
    3;
  return [at(0), at(1), at(2)];
}

const scratch = new Float64Array(3);

/** [m2] */
export function triangleArea(positions: Float64Array, triangles: Uint32Array, t: number): number {
  return triangleNormal(positions, triangles[3 * t]!, triangles[3 * t + 1]!, triangles[3 * t + 2]!, scratch) / 2;
}

/** Of the triangles: vertices that none has do not count. */
export function boundsOf({ positions, triangles }: TriangleMesh): { low: Vec3; high: Vec3 } {
  let [lowX, lowY, lowZ] = [Infinity, Infinity, Infinity];
  let [highX, highY, highZ] = [-Infinity, -Infinity, -Infinity];
  for (let c = 0; c < triangles.length; c++) {
    const at = 3 * triangles[c]!;
    const x = positions[at]!;
    const y = positions[at + 1]!;
    const z = positions[at + 2]!;
    lowX = Math.min(lowX, x);
    lowY = Math.min(lowY, y);
    lowZ = Math.min(lowZ, z);
    highX = Math.max(highX, x);
    highY = Math.max(highY, y);
    highZ = Math.max(highZ, z);
  }
  return { low: [lowX, lowY, lowZ], high: [highX, highY, highZ] };
}
