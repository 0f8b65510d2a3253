/**
 * Surfels: discs that cover a surface and deform with it, each by the affine map of its position, so that a stretched one
 * becomes an ellipse. Enough of them overlap to leave no holes.
 */
import type { BoundMesh, DisplayMesh } from 'phyxel/browser';
import {
  DoubleSide,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  type Material,
  Mesh,
  MeshDepthMaterial,
  type MeshStandardMaterial,
  PlaneGeometry,
  RGBADepthPacking,
} from 'three';
import { boundAttributes, type DeformationUniforms, deformMaterial } from './deformed-mesh.js';
import { DiscCutter } from './disc-cutter.js';

/** Radius of a disc in distances of neighbouring ones: a position is covered more than five times. */
const RADIUS = 1.35;
/** Fractions of the plastic number: points of this sequence keep away from each other. */
const STEP_A = 0.7548776662466927;
const STEP_B = 0.5698402909980532;

/** Points on a surface, and where discs around them end. */
export interface SurfacePoints extends DisplayMesh {
  /** Two lines per point that its disc does not cross: outward direction in the disc, distance in radii. */
  readonly cuts: Float32Array;
}

/** Points on a mesh about a distance apart [m], with normals; as many on every piece as its area asks for. */
export function sampleSurface(mesh: DisplayMesh, distance: number): SurfacePoints {
  const { positions, normals, uvs, colors, indices } = mesh;
  const points: number[] = [];
  const directions: number[] = [];
  const coordinates: number[] = [];
  const shades: number[] = [];
  const cuts: number[] = [];
  const cut = new DiscCutter(mesh, RADIUS * distance);
  let due = 0.5;
  let made = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [indices[t]!, indices[t + 1]!, indices[t + 2]!];
    due += areaOf(positions, 3 * a, 3 * b, 3 * c) / (distance * distance);
    for (; due >= 1; due--) {
      made++;
      let u = (made * STEP_A) % 1;
      let v = (made * STEP_B) % 1;
      if (u + v > 1) [u, v] = [1 - u, 1 - v];
      const mix = (of: Float32Array, width: number, out: number[]) => {
        for (let k = 0; k < width; k++) {
          const from = of[width * a + k]!;
          out.push(from + u * (of[width * b + k]! - from) + v * (of[width * c + k]! - from));
        }
      };
      mix(positions, 3, points);
      mix(normals, 3, directions);
      if (uvs) mix(uvs, 2, coordinates);
      if (colors) mix(colors, 4, shades);
      cuts.push(...cut.linesFor(t, points.slice(-3), directions.slice(-3)));
    }
  }
  return {
    positions: Float32Array.from(points),
    normals: Float32Array.from(directions),
    uvs: uvs && Float32Array.from(coordinates),
    colors: colors && Float32Array.from(shades),
    indices: new Uint32Array(),
    cuts: Float32Array.from(cuts),
  };
}

function areaOf(p: Float32Array, a: number, b: number, c: number): number {
  const [ux, uy, uz] = [p[b]! - p[a]!, p[b + 1]! - p[a + 1]!, p[b + 2]! - p[a + 2]!];
  const [vx, vy, vz] = [p[c]! - p[a]!, p[c + 1]! - p[a + 1]!, p[c + 2]! - p[a + 2]!];
  return Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx) / 2;
}

/** Discs at points that were sampled `distance` apart and bound to a body; `cuts` as `sampleSurface` found them. */
export function surfelMesh(
  points: BoundMesh,
  cuts: Float32Array,
  material: MeshStandardMaterial,
  uniforms: DeformationUniforms,
  range: { readonly first: number; readonly firstAffine: number; readonly distance: number },
): Mesh {
  const square = new PlaneGeometry(2, 2);
  const geometry = new InstancedBufferGeometry();
  geometry.index = square.index;
  geometry.setAttribute('position', square.getAttribute('position'));
  geometry.setAttribute('phyxelCenter', new InstancedBufferAttribute(points.positions, 3));
  geometry.setAttribute('normal', new InstancedBufferAttribute(points.normals, 3));
  // A disc has the colour of its middle.
  if (points.uvs) geometry.setAttribute('uv', new InstancedBufferAttribute(points.uvs, 2));
  if (points.colors) geometry.setAttribute('color', new InstancedBufferAttribute(points.colors, 4));
  for (const [name, values] of boundAttributes(points)) {
    geometry.setAttribute(name, new InstancedBufferAttribute(values, 4));
  }
  const lines = new InstancedInterleavedBuffer(cuts, 6);
  geometry.setAttribute('phyxelCutA', new InterleavedBufferAttribute(lines, 3, 0));
  geometry.setAttribute('phyxelCutB', new InterleavedBufferAttribute(lines, 3, 3));
  geometry.instanceCount = points.positions.length / 3;
  const radius = RADIUS * range.distance;
  material.side = material.shadowSide = DoubleSide;
  const deform = <M extends Material>(own: M) =>
    deformMaterial(own, uniforms, range.first, range.firstAffine, radius, points.reach);
  const mesh = new Mesh(geometry, deform(material));
  mesh.customDepthMaterial = deform(new MeshDepthMaterial({ depthPacking: RGBADepthPacking }));
  mesh.frustumCulled = false;
  // Who knows the surface that the discs are on can answer rays.
  mesh.raycast = () => {};
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}
