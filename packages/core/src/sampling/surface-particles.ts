import { SamplingError } from './error.js';

/** Particles of one surface; beyond it the spacing is a mistake. */
const MAX_SURFACE_PARTICLES = 20_000_000;

/** Refuses a spacing [m] that makes more particles than memory can hold. */
export function checkCount(expected: number, spacing: number): void {
  if (expected <= MAX_SURFACE_PARTICLES) return;
  throw new SamplingError(
    `spacing must be larger: ${Number(spacing.toPrecision(6))} m makes ${Number(expected.toPrecision(6))} particles on a surface, at most ${MAX_SURFACE_PARTICLES} are possible`,
  );
}

/** Normals further apart than this do not see each other, 120 degrees: the cosine. */
const OPPOSED = -0.5;

/** Particles with normals on a surface, found by a grid of hashed cells. */
export class SurfaceParticles {
  count = 0;
  /** xyz of the position and of the normal. */
  private data: Float64Array;
  /** First particle of each bucket, and the next one of the same bucket; -1 ends. */
  private readonly first: Int32Array;
  private next: Int32Array;
  private readonly mask: number;
  private readonly inverseCell: number;

  /** Cells are twice the longest distance [m] that is asked for: most balls then touch eight of them. */
  constructor(reach: number, expected: number) {
    let buckets = 1024;
    while (buckets < 2 * expected && buckets < 2 ** 26) buckets *= 2;
    this.first = new Int32Array(buckets).fill(-1);
    this.mask = buckets - 1;
    this.inverseCell = 0.5 / reach;
    this.data = new Float64Array(6 * 1024);
    this.next = new Int32Array(1024);
  }

  /** xyz of each particle, in the order in which they came. */
  positions(): Float64Array {
    const result = new Float64Array(3 * this.count);
    for (let i = 0; i < this.count; i++) {
      for (let axis = 0; axis < 3; axis++) result[3 * i + axis] = this.data[6 * i + axis]!;
    }
    return result;
  }

  add(x: number, y: number, z: number, nx: number, ny: number, nz: number): void {
    if (this.count === this.next.length) {
      const data = new Float64Array(2 * this.data.length);
      data.set(this.data);
      this.data = data;
      const next = new Int32Array(2 * this.next.length);
      next.set(this.next);
      this.next = next;
    }
    const i = this.count++;
    const at = 6 * i;
    this.data[at] = x;
    this.data[at + 1] = y;
    this.data[at + 2] = z;
    this.data[at + 3] = nx;
    this.data[at + 4] = ny;
    this.data[at + 5] = nz;
    const bucket = this.bucket(this.cell(x), this.cell(y), this.cell(z));
    this.next[i] = this.first[bucket]!;
    this.first[bucket] = i;
  }

  /** Adds a particle where none of its side is nearer than `separation`. */
  addApart(x: number, y: number, z: number, nx: number, ny: number, nz: number, separation: number): void {
    if (this.look(x, y, z, nx, ny, nz, separation) === FREE) this.add(x, y, z, nx, ny, nz);
  }

  /**
   * What is around a point: FREE when nobody of its side is nearer than `separation`. COVERED when one particle
   * has all three `corners` within the distance `cover`, not more than `separation`.
   */
  look(
    x: number,
    y: number,
    z: number,
    nx: number,
    ny: number,
    nz: number,
    separation: number,
    corners?: Float64Array,
    cover = 0,
  ): number {
    const { data, next, first } = this;
    const separation2 = separation * separation;
    const cover2 = cover * cover;
    const x1 = this.cell(x + separation);
    const y1 = this.cell(y + separation);
    const z1 = this.cell(z + separation);
    let found = FREE;
    for (let cz = this.cell(z - separation); cz <= z1; cz++) {
      for (let cy = this.cell(y - separation); cy <= y1; cy++) {
        for (let cx = this.cell(x - separation); cx <= x1; cx++) {
          for (let i = first[this.bucket(cx, cy, cz)]!; i >= 0; i = next[i]!) {
            const at = 6 * i;
            const px = data[at]!;
            const py = data[at + 1]!;
            const pz = data[at + 2]!;
            const d2 = (px - x) * (px - x) + (py - y) * (py - y) + (pz - z) * (pz - z);
            if (d2 >= separation2) continue;
            if (data[at + 3]! * nx + data[at + 4]! * ny + data[at + 5]! * nz < OPPOSED) continue;
            if (corners === undefined) return TAKEN;
            found = TAKEN;
            if (d2 < cover2 && farthest2(corners, px, py, pz) <= cover2) return COVERED;
          }
        }
      }
    }
    return found;
  }

  private cell(x: number): number {
    return Math.floor(x * this.inverseCell);
  }

  /** Cells that share a bucket only cost time: distances are looked at anyway. Rows of cells stay together. */
  private bucket(x: number, y: number, z: number): number {
    return (x + Math.imul(y, 0x9e3779b1) + Math.imul(z, 0x85ebca77)) & this.mask;
  }
}

/** Nobody is near. */
export const FREE = 0;
/** Somebody is near. */
const TAKEN = 1;
/** Somebody has all of it within reach. */
export const COVERED = 2;

/** Squared distance of a point to the farthest of three corners. */
function farthest2(c: Float64Array, x: number, y: number, z: number): number {
  let most = 0;
  for (let k = 0; k < 9; k += 3) {
    const dx = c[k]! - x;
    const dy = c[k + 1]! - y;
    const dz = c[k + 2]! - z;
    most = Math.max(most, dx * dx + dy * dy + dz * dz);
  }
  return most;
}
