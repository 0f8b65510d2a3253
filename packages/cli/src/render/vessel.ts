/** What liquid touches: bumps of particles along glass would be seen as patches of air, and those along bodies as gaps. */
import { Bvh, type Pose, type TriangleMesh, vertexNormals } from 'phyxel';
import { localTo } from '../export/geometry.js';
import type { LiquidSurface } from './liquid.js';
import { roundedNormal } from './on-triangle.js';

/** Surfaces nearer than this lie along it; up to twice as far they are drawn towards it [spacings]. */
const TOUCHING = 0.5;
/** How far surfaces lie in the glass, so that there is no film of air between, and in what cannot be seen through [spacings]. */
const SUNK = 0.04;
const HIDDEN = 0.1;
/** Normals that point into it by more than this are its own. */
const FACING = 0.3;

export class Vessel {
  readonly #mesh: TriangleMesh;
  readonly #tree: Bvh;
  readonly #normals: ArrayLike<number>;

  /** A mesh in its own coordinates. */
  constructor(
    mesh: TriangleMesh,
    readonly isClear = true,
  ) {
    this.#mesh = mesh;
    this.#tree = new Bvh(mesh);
    this.#normals = vertexNormals(mesh.positions, mesh.triangles);
  }

  /** Lays a surface along it where it is now. What is clear is followed by both sides of a film, so that its own is even. */
  lay(surface: LiquidSurface, pose: Pose, spacing: number): LiquidSurface {
    const positions = surface.positions.slice();
    const normals = surface.normals.slice();
    const local = localTo(pose, positions, true);
    const touching = TOUCHING * spacing;
    const r = pose.rotation;
    for (let i = 0; i < positions.length; i += 3) {
      const near = this.#tree.closestPoint([local[i]!, local[i + 1]!, local[i + 2]!], 2 * touching);
      if (!near) continue;
      const own = roundedNormal(this.#mesh, this.#normals, near.triangle, near.point);
      const n = [0, 1, 2].map((k) => r[3 * k]! * own[0] + r[3 * k + 1]! * own[1] + r[3 * k + 2]! * own[2]) as Vector;
      const side = [0, 1, 2].reduce((sum, k) => sum + (local[i + k]! - near.point[k]!) * own[k]!, 0);
      const away = side < 0 ? -near.distance : near.distance;
      const facing = normals[i]! * n[0] + normals[i + 1]! * n[1] + normals[i + 2]! * n[2];
      const share = this.isClear ? 1 : Math.min(1, Math.max(0, 0.5 - facing));
      const to = Math.max(-(this.isClear ? SUNK : HIDDEN) * spacing, 2 * (away - touching));
      for (let k = 0; k < 3; k++) positions[i + k]! += share * (to - away) * n[k]!;
      if (away < touching && facing < -FACING) for (let k = 0; k < 3; k++) normals[i + k] = -n[k]!;
    }
    return { ...surface, positions, normals };
  }
}

type Vector = [number, number, number];
