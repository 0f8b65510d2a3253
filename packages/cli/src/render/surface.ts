/** Where a ray goes, and the surface it meets. */
import { type Geometry, MATERIAL_STRIDE, MATERIAL_TEXTURE } from './geometry.js';
import type { Rays } from './rays.js';
import { sampleTexture } from './texture.js';
import type { View } from './view.js';

/** How dark grid lines are, and their width over their distance. */
const LINE_SHADE = 0.16;
const LINE_WIDTH = 0.012;

/** Origin and unit direction. */
export class Ray {
  ox = 0;
  oy = 0;
  oz = 0;
  dx = 0;
  dy = 0;
  dz = 0;
}

/** One point of a surface, as the ray sees it. */
export class Surface {
  /** Place [m]. */
  x = 0;
  y = 0;
  z = 0;
  /** Normal of the face, and of shading; both towards the ray. */
  gx = 0;
  gy = 0;
  gz = 0;
  nx = 0;
  ny = 0;
  nz = 0;
  /** Own colour. */
  r = 0;
  g = 0;
  b = 0;
  /** Does the ray come from outside? */
  outside = true;
  /** How far from the surface reflected rays start [m]. */
  lift = 0;
  /** Share of the backdrop in the ground here. */
  fade = 0;

  /** Grid lines are for the camera's eye only: `straight` tells its own rays. */
  standOnFloor(view: View, floor: number, ray: Ray, distance: number, straight: boolean, travelled: number): void {
    const { ground, camera, height } = view;
    const n = ground.floors[floor]!.normal;
    const x = ray.ox + distance * ray.dx;
    const y = ray.oy + distance * ray.dy;
    const z = ray.oz + distance * ray.dz;
    this.x = x;
    this.y = y;
    this.z = z;
    this.gx = this.nx = n[0];
    this.gy = this.ny = n[1];
    this.gz = this.nz = n[2];
    this.outside = true;
    this.lift = view.offset;
    const cx = x - ground.center[0];
    const cy = y - ground.center[1];
    const cz = z - ground.center[2];
    const away = Math.sqrt(cx * cx + cy * cy + cz * cz);
    this.fade = smoothStep((away - ground.fadeFrom) / (ground.fadeTo - ground.fadeFrom));
    let shade = 1;
    if (ground.grid > 0 && straight) {
      const cosine = Math.max(0.02, Math.abs(ray.dx * n[0] + ray.dy * n[1] + ray.dz * n[2]));
      // How much of the ground a pixel covers: lines get as wide and as much fainter.
      const footprint = (travelled * 2 * camera.tangent) / (height * cosine);
      const [u, v] = Math.abs(n[1]) > 0.5 ? [x, z] : [z, y];
      shade = 1 - LINE_SHADE * Math.max(line(u, ground.grid, footprint), line(v, ground.grid, footprint));
    }
    this.r = ground.color[0] * shade;
    this.g = ground.color[1] * shade;
    this.b = ground.color[2] * shade;
  }

  readonly #texel = new Float64Array(3);

  #applyTexture({ materials, materialOf, textures, uvs }: Geometry, primitive: number, u: number, v: number): void {
    const texture = textures[materials[MATERIAL_STRIDE * materialOf[primitive]! + MATERIAL_TEXTURE]!];
    if (!texture) return;
    const at = 6 * primitive;
    const w = 1 - u - v;
    const s = w * uvs[at]! + u * uvs[at + 2]! + v * uvs[at + 4]!;
    const t = w * uvs[at + 1]! + u * uvs[at + 3]! + v * uvs[at + 5]!;
    const texel = this.#texel;
    sampleTexture(texture, s, t, texel);
    this.r *= texel[0]!;
    this.g *= texel[1]!;
    this.b *= texel[2]!;
  }

  standOnPrimitive(view: View, geometry: Geometry, rays: Rays, ray: Ray): void {
    const { triangleCount, triangles, normals, colors, balls, ballColors } = geometry;
    const { primitive, distance, u, v } = rays;
    const { dx, dy, dz } = ray;
    const x = ray.ox + distance * dx;
    const y = ray.oy + distance * dy;
    const z = ray.oz + distance * dz;
    this.lift = view.offset;
    if (primitive >= triangleCount) {
      const b = primitive - triangleCount;
      const inverse = 1 / balls[4 * b + 3]!;
      this.gx = (x - balls[4 * b]!) * inverse;
      this.gy = (y - balls[4 * b + 1]!) * inverse;
      this.gz = (z - balls[4 * b + 2]!) * inverse;
      this.nx = this.gx;
      this.ny = this.gy;
      this.nz = this.gz;
      this.r = ballColors[3 * b]!;
      this.g = ballColors[3 * b + 1]!;
      this.b = ballColors[3 * b + 2]!;
    } else {
      const at = 9 * primitive;
      const w = 1 - u - v;
      let gx = triangles[at + 4]! * triangles[at + 8]! - triangles[at + 5]! * triangles[at + 7]!;
      let gy = triangles[at + 5]! * triangles[at + 6]! - triangles[at + 3]! * triangles[at + 8]!;
      let gz = triangles[at + 3]! * triangles[at + 7]! - triangles[at + 4]! * triangles[at + 6]!;
      let scale = 1 / Math.sqrt(gx * gx + gy * gy + gz * gz);
      gx *= scale;
      gy *= scale;
      gz *= scale;
      let nx = w * normals[at]! + u * normals[at + 3]! + v * normals[at + 6]!;
      let ny = w * normals[at + 1]! + u * normals[at + 4]! + v * normals[at + 7]!;
      let nz = w * normals[at + 2]! + u * normals[at + 5]! + v * normals[at + 8]!;
      scale = 1 / Math.sqrt(nx * nx + ny * ny + nz * nz);
      if (!(scale < Infinity)) {
        nx = gx;
        ny = gy;
        nz = gz;
        scale = 1;
      }
      nx *= scale;
      ny *= scale;
      nz *= scale;
      // The side of the triangle is told by its normals: an inverted triangle is not seen from behind.
      if (nx * gx + ny * gy + nz * gz < 0) {
        gx = -gx;
        gy = -gy;
        gz = -gz;
      }
      this.gx = gx;
      this.gy = gy;
      this.gz = gz;
      this.nx = nx;
      this.ny = ny;
      this.nz = nz;
      this.r = w * colors[at]! + u * colors[at + 3]! + v * colors[at + 6]!;
      this.g = w * colors[at + 1]! + u * colors[at + 4]! + v * colors[at + 7]!;
      this.b = w * colors[at + 2]! + u * colors[at + 5]! + v * colors[at + 8]!;
      if (geometry.textures.length > 0) this.#applyTexture(geometry, primitive, u, v);
    }
    this.outside = this.gx * dx + this.gy * dy + this.gz * dz < 0;
    if (!this.outside) {
      this.gx = -this.gx;
      this.gy = -this.gy;
      this.gz = -this.gz;
      this.nx = -this.nx;
      this.ny = -this.ny;
      this.nz = -this.nz;
    } else if (primitive < triangleCount) {
      // Shadows begin on the rounded surface that the normals stand for, not in its flat triangle.
      this.lift += liftOverTriangle(geometry, rays, x, y, z);
    }
    // A shading normal that looks away from the ray would mirror it into the surface.
    const facing = this.nx * dx + this.ny * dy + this.nz * dz;
    if (facing > -0.02) {
      this.nx -= (facing + 0.02) * dx;
      this.ny -= (facing + 0.02) * dy;
      this.nz -= (facing + 0.02) * dz;
      const scale = 1 / Math.sqrt(this.nx * this.nx + this.ny * this.ny + this.nz * this.nz);
      this.nx *= scale;
      this.ny *= scale;
      this.nz *= scale;
    }
    this.x = x;
    this.y = y;
    this.z = z;
  }
}

/** How far the tangent planes at the corners are above a point of the triangle, along the normal [m]. */
function liftOverTriangle(geometry: Geometry, rays: Rays, x: number, y: number, z: number): number {
  const { triangles, normals } = geometry;
  const { primitive, u, v } = rays;
  const at = 9 * primitive;
  let lift = 0;
  for (let corner = 0; corner < 3; corner++) {
    const weight = corner === 0 ? 1 - u - v : corner === 1 ? u : v;
    const edge = at + 3 * corner;
    const ex = corner === 0 ? 0 : triangles[edge]!;
    const ey = corner === 0 ? 0 : triangles[edge + 1]!;
    const ez = corner === 0 ? 0 : triangles[edge + 2]!;
    const n = at + 3 * corner;
    const below =
      (triangles[at]! + ex - x) * normals[n]! +
      (triangles[at + 1]! + ey - y) * normals[n + 1]! +
      (triangles[at + 2]! + ez - z) * normals[n + 2]!;
    if (below > 0) lift += weight * below;
  }
  return lift;
}

export function smoothStep(t: number): number {
  if (!(t > 0)) return 0;
  return t >= 1 ? 1 : t * t * (3 - 2 * t);
}

/** How much of a pixel a grid line covers. */
function line(x: number, spacing: number, footprint: number): number {
  const width = LINE_WIDTH * spacing;
  const soft = Math.max(width, 1.5 * footprint);
  const away = Math.abs(x / spacing - Math.round(x / spacing)) * spacing;
  const cover = Math.max(0, 1 - away / soft);
  // Lines nearer than pixels are a tint, not a pattern.
  return cover * (width / soft) * (1 - smoothStep(footprint / (0.25 * spacing)));
}
