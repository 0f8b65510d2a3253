/** Measures a surface of points in ways that its own passes do not use. */

/** What a surface shows. */
export interface Points {
  readonly count: number;
  readonly radius: number;
  positions(): Float32Array;
  normals(): Float32Array;
}

/**
 * Cells of a grid that lie within the surface. Heights are the mean of those over the planes of the surfels around and
 * over their common plane: either alone is off by the curvature, the one as much too high as the other is too low.
 */
export function voxels(surface: Points, cell: number) {
  const [p, n] = [surface.positions(), surface.normals()];
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < p.length; k++) {
    low[k % 3] = Math.min(low[k % 3]!, p[k]!);
    high[k % 3] = Math.max(high[k % 3]!, p[k]!);
  }
  const size = [0, 1, 2].map((a) => Math.ceil((high[a]! - low[a]!) / cell) + 4) as [number, number, number];
  const [nx, ny, nz] = size;
  // Weight, height over single planes, mean position and normal.
  const sums = new Float64Array(8 * nx * ny * nz);
  const at = (x: number, a: number) => low[a]! + (x - 1.5) * cell;
  const support = 2 * surface.radius;
  const reach = Math.ceil(support / cell);
  for (let i = 0; i < surface.count; i++) {
    const c = [0, 1, 2].map((a) => Math.round((p[3 * i + a]! - low[a]!) / cell + 1.5)) as [number, number, number];
    for (let z = Math.max(0, c[2] - reach); z <= Math.min(nz - 1, c[2] + reach); z++) {
      for (let y = Math.max(0, c[1] - reach); y <= Math.min(ny - 1, c[1] + reach); y++) {
        for (let x = Math.max(0, c[0] - reach); x <= Math.min(nx - 1, c[0] + reach); x++) {
          const d = [at(x, 0) - p[3 * i]!, at(y, 1) - p[3 * i + 1]!, at(z, 2) - p[3 * i + 2]!];
          const rest = 1 - (d[0]! ** 2 + d[1]! ** 2 + d[2]! ** 2) / support ** 2;
          if (rest <= 0) continue;
          const w = rest ** 6;
          const k = 8 * ((z * ny + y) * nx + x);
          sums[k]! += w;
          for (let a = 0; a < 3; a++) {
            sums[k + 1]! += w * d[a]! * n[3 * i + a]!;
            sums[k + 2 + a]! += w * d[a]!;
            sums[k + 5 + a]! += w * n[3 * i + a]!;
          }
        }
      }
    }
  }
  const inside = new Uint8Array(nx * ny * nz);
  for (let k = 0; k < inside.length; k++) {
    const s = sums.subarray(8 * k, 8 * k + 8);
    if (s[0] === 0) {
      // Far from all surfels: as the cell before, which is known by then.
      inside[k] = k % nx > 0 ? inside[k - 1]! : 0;
      continue;
    }
    const length = Math.hypot(s[5]!, s[6]!, s[7]!) || 1;
    const common = (s[2]! * s[5]! + s[3]! * s[6]! + s[4]! * s[7]!) / length;
    inside[k] = s[1]! + common < 0 ? 1 : 0;
  }
  return { inside, size, cell };
}

export type Voxels = ReturnType<typeof voxels>;

export function voxelVolume({ inside, cell }: Voxels): number {
  return inside.reduce((sum, x) => sum + x, 0) * cell ** 3;
}

/** Of the surface of the cells: twice that of the closed cells, corners less edges plus faces less cells. */
export function eulerCharacteristic({ inside, size }: Voxels): number {
  const [nx, ny, nz] = size;
  const full = (x: number, y: number, z: number) =>
    x >= 0 && y >= 0 && z >= 0 && x < nx && y < ny && z < nz && inside[(z * ny + y) * nx + x] === 1;
  let sum = 0;
  for (let z = 0; z <= nz; z++) {
    for (let y = 0; y <= ny; y++) {
      for (let x = 0; x <= nx; x++) {
        // The corner, three edges, three faces and the cell that begin here.
        for (let kind = 0; kind < 8; kind++) {
          const [ex, ey, ez] = [kind & 1, (kind >> 1) & 1, kind >> 2];
          let any = false;
          for (let dx = ex; dx <= 1 && !any; dx++) {
            for (let dy = ey; dy <= 1 && !any; dy++) {
              for (let dz = ez; dz <= 1 && !any; dz++) any = full(x - 1 + dx, y - 1 + dy, z - 1 + dz);
            }
          }
          if (any) sum += (ex + ey + ez) % 2 === 0 ? 1 : -1;
        }
      }
    }
  }
  return 2 * sum;
}

/** Rays from a point, evenly in all directions, that no disc stops. */
export function openRays(surface: Points, from: readonly number[], rays: number): number {
  const [p, n] = [surface.positions(), surface.normals()];
  const { count, radius } = surface;
  let open = 0;
  for (let r = 0; r < rays; r++) {
    const dz = 1 - (2 * r + 1) / rays;
    const turn = r * 2.399963229728653;
    const ring = Math.sqrt(1 - dz * dz);
    const [dx, dy] = [ring * Math.cos(turn), ring * Math.sin(turn)];
    let stopped = false;
    for (let i = 0; i < count && !stopped; i++) {
      const [x, y, z] = [p[3 * i]! - from[0]!, p[3 * i + 1]! - from[1]!, p[3 * i + 2]! - from[2]!];
      const along = x * dx + y * dy + z * dz;
      if (along < 0 || x * x + y * y + z * z - along * along > radius * radius) continue;
      const [nx, ny, nz] = [n[3 * i]!, n[3 * i + 1]!, n[3 * i + 2]!];
      const t = (x * nx + y * ny + z * nz) / (dx * nx + dy * ny + dz * nz);
      const miss = (t * dx - x) ** 2 + (t * dy - y) ** 2 + (t * dz - z) ** 2;
      stopped = t > 0 && miss <= radius * radius;
    }
    if (!stopped) open++;
  }
  return open;
}
