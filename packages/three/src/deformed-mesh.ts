/**
 * A mesh that the graphics card deforms: every vertex adds up the affine maps of the particles that it follows,
 * x = sum_j w_j A_j (m, 1), and turns its normal by the cofactors of their mean. The weights are those of `Skin`, so
 * this is the same surface that exports have.
 */
import type { BoundMesh, DisplayMesh } from 'phyxel/browser';
import {
  BufferAttribute,
  BufferGeometry,
  Material,
  Mesh,
  MeshDepthMaterial,
  MeshDistanceMaterial,
  RGBADepthPacking,
  Vector4,
  type WebGLProgramParametersWithUniforms,
} from 'three';
import {
  COLORING,
  COLORING_EMISSION,
  COLORING_FRAGMENT,
  COLORING_METALNESS,
  type ColoringUniforms,
} from './color-map.js';
import { DeformedShape, MOST_PLANES } from './deformed-shape.js';
import { FETCH, type ParticleTextures } from './particle-textures.js';

/** Particles that a vertex may follow. */
export const MOST_NEIGHBORS = 16;
const GROUPS = ['A', 'B', 'C', 'D'];

export interface DeformationUniforms extends ColoringUniforms {
  /** Unit normals, and how far planes are along them from the origin [m]: MOST_PLANES of them, and how many count. */
  readonly phyxelPlanes?: { value: Vector4[] };
  readonly phyxelPlaneCount?: { value: number };
  readonly phyxelParticles: { value: ParticleTextures['particles'] };
  readonly phyxelAffines: { value: ParticleTextures['affines'] };
}

/** Quantities of surfels have slopes; the number is how soon these end at the rim of the particles. */
const SLOPE = '#define PHYXEL_SLOPE\n#define PHYXEL_FLAT 1.35\n';
const VERTEX = /* glsl */ `
uniform highp sampler2D phyxelParticles;
uniform highp sampler2D phyxelAffines;
uniform int phyxelFirst;
uniform int phyxelFirstAffine;
uniform vec4 phyxelPlanes[${MOST_PLANES}];
uniform int phyxelPlaneCount;
uniform float phyxelDeepest;
${GROUPS.map((group) => `attribute vec4 phyxelIndex${group};\nattribute vec4 phyxelWeight${group};`).join('\n')}
varying float vPhyxelValue;
${FETCH}
vec4 phyxelRow0, phyxelRow1, phyxelRow2;
float phyxelValue;
#ifdef PHYXEL_SLOPE
uniform vec2 phyxelRange;
vec3 phyxelOrigin, phyxelAway, phyxelSlope;
mat3 phyxelSquares;
vec2 phyxelLimits;
#endif

void phyxelFollow(vec4 index, vec4 weight) {
  for (int k = 0; k < 4; k++) {
    if (weight[k] == 0.0) continue;
    int j = int(index[k]);
    int texel = 3 * (phyxelFirstAffine + j);
    phyxelRow0 += weight[k] * phyxelFetch(phyxelAffines, texel);
    phyxelRow1 += weight[k] * phyxelFetch(phyxelAffines, texel + 1);
    phyxelRow2 += weight[k] * phyxelFetch(phyxelAffines, texel + 2);
    vec4 particle = phyxelFetch(phyxelParticles, phyxelFirst + j);
    phyxelValue += weight[k] * particle.w;
#ifdef PHYXEL_SLOPE
    vec3 away = particle.xyz - phyxelOrigin;
    phyxelAway += weight[k] * away;
    phyxelSlope += weight[k] * particle.w * away;
    phyxelSquares += weight[k] * mat3(away.x * away, away.y * away, away.z * away);
    phyxelLimits = vec2(min(phyxelLimits.x, particle.w), max(phyxelLimits.y, particle.w));
#endif
  }
}

void phyxelGather() {
  phyxelRow0 = phyxelRow1 = phyxelRow2 = vec4(0.0);
  phyxelValue = 0.0;
#ifdef PHYXEL_SLOPE
  phyxelOrigin = phyxelFetch(phyxelParticles, phyxelFirst + int(phyxelIndexA.x)).xyz;
  phyxelAway = phyxelSlope = vec3(0.0);
  phyxelSquares = mat3(0.0);
  phyxelLimits = vec2(1e30, -1e30);
#endif
${GROUPS.map((group) => `  phyxelFollow(phyxelIndex${group}, phyxelWeight${group});`).join('\n')}
}

/** What is a little below a plane lies on it: contact acts at particles, and meshes reach farther. */
vec3 phyxelLay(vec3 place) {
  for (int k = 0; k < phyxelPlaneCount; k++) {
    float depth = phyxelPlanes[k].w - dot(phyxelPlanes[k].xyz, place);
    if (depth > 0.0 && depth < phyxelDeepest) place += depth * phyxelPlanes[k].xyz;
  }
  return place;
}

/** The normal by the cofactors of the gradient. */
vec3 phyxelTurn(vec3 n) {
  return normalize(vec3(
    dot(cross(phyxelRow1.xyz, phyxelRow2.xyz), n),
    dot(cross(phyxelRow2.xyz, phyxelRow0.xyz), n),
    dot(cross(phyxelRow0.xyz, phyxelRow1.xyz), n)
  ));
}
`;

const VERTEXs = /* glsl */ `
vec4 phyxelRest = vec4(position, 1.0);
vec3 transformed =
  phyxelLay(vec3(dot(phyxelRow0, phyxelRest), dot(phyxelRow1, phyxelRest), dot(phyxelRow2, phyxelRest)));
vPhyxelValue = phyxelValue;
`;

/** The corner of a surfel's square at rest. */
const SURFEL_VERTEX = /* glsl */ `
attribute vec3 phyxelCenter;
attribute vec3 phyxelCutA;
attribute vec3 phyxelCutB;
uniform float phyxelRadius;
varying vec2 vPhyxelDisc;
varying vec2 vPhyxelBeyond;
varying float vPhyxelDepth;

vec3 phyxelCorner(vec3 n) {
  vec3 across = abs(n.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0);
  vec3 a = normalize(cross(across, n));
  vec3 b = cross(n, a);
  vPhyxelDisc = position.xy;
  vPhyxelBeyond = vec2(dot(phyxelCutA.xy, position.xy) - phyxelCutA.z, dot(phyxelCutB.xy, position.xy) - phyxelCutB.z);
  return phyxelCenter + phyxelRadius * (position.x * a + position.y * b);
}
`;
const SURFEL_VERTEXs = VERTEXs.replace('vec4(position, 1.0)', 'vec4(phyxelCorner(normalize(normal)), 1.0)');
/**
 * A quantity changes across a disc as it does among the particles around: the slope of the plane that fits their
 * values best, within what they have.
 */
const SURFEL_VALUE = /* glsl */ `
#ifdef PHYXEL_SLOPE
if (phyxelRange.y > 0.0) {
  mat3 spread = phyxelSquares - outerProduct(phyxelAway, phyxelAway);
  float extent = spread[0][0] + spread[1][1] + spread[2][2];
  vec3 slope = inverse(spread + mat3(1e-3 * extent)) * (phyxelSlope - phyxelValue * phyxelAway);
  vec4 middle = vec4(phyxelCenter, 1.0);
  vec3 center = vec3(dot(phyxelRow0, middle), dot(phyxelRow1, middle), dot(phyxelRow2, middle));
  vec3 reach = transformed - center;
  // Beyond the outermost particles the blend of their values hardly changes any more.
  vec3 outward = center - phyxelOrigin - phyxelAway;
  vec3 upright = phyxelTurn(normal);
  outward -= dot(outward, upright) * upright;
  float beyond = length(outward);
  if (beyond > 0.0) {
    vec3 way = outward / beyond;
    reach -= min(1.0, PHYXEL_FLAT * beyond / sqrt(extent)) * dot(reach, way) * way;
  }
  vPhyxelValue = clamp(phyxelValue + dot(slope, reach), phyxelLimits.x, phyxelLimits.y);
}
#endif
`;
const SURFEL_CUT = /* glsl */ `
  float phyxelReach = dot(vPhyxelDisc, vPhyxelDisc);
  if (phyxelReach > 1.0 || vPhyxelBeyond.x > 0.0 || vPhyxelBeyond.y > 0.0) discard;
  // Rims lie a little deeper than middles: a place has the colour of the disc whose middle is nearest.
  gl_FragDepth = gl_FragCoord.z + vPhyxelDepth * phyxelReach;
`;
/** How much deeper a point is that lies a radius further away. */
const SURFEL_DEPTH = /* glsl */ `
#include <project_vertex>
vec4 phyxelFar = projectionMatrix * (mvPosition - vec4(0.0, 0.0, phyxelRadius, 0.0));
vPhyxelDepth = 0.25 * (phyxelFar.z / phyxelFar.w - gl_Position.z / gl_Position.w);
`;

export const noPlanes = () => Array.from({ length: MOST_PLANES }, () => new Vector4());

/** What materials did by themselves, before they were deformed. */
const originals = new WeakMap<Material, Pick<Material, 'onBeforeCompile' | 'customProgramCacheKey'>>();

/** A material knows which particles it follows: one that is given to several bodies is copied for each further one. */
function ownCopy<M extends Material>(material: M): M {
  const original = originals.get(material);
  return original ? Object.assign(material.clone() as M, original) : material;
}

/**
 * Lets a material of three.js be deformed; it keeps everything else that it does. Answers the material, or a copy of
 * one that is deformed already. With `surfelRadius` the geometry is that of surfels: squares of which a disc is left.
 * `reach` is that of the bound mesh.
 */
export function deformMaterial<M extends Material>(
  given: M,
  uniforms: DeformationUniforms,
  first: number,
  firstAffine: number,
  surfelRadius?: number,
  reach = 0,
): M {
  const material = ownCopy(given);
  const isSurfel = surfelRadius !== undefined;
  const colored = !(material instanceof MeshDepthMaterial || material instanceof MeshDistanceMaterial);
  const own = {
    phyxelFirst: { value: first },
    phyxelFirstAffine: { value: firstAffine },
    phyxelRadius: { value: surfelRadius ?? 0 },
    phyxelDeepest: { value: reach },
    // Where nobody tells of planes.
    phyxelPlanes: { value: noPlanes() },
    phyxelPlaneCount: { value: 0 },
  };
  const { onBeforeCompile: before, customProgramCacheKey } = material;
  originals.set(material, { onBeforeCompile: before, customProgramCacheKey });
  material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms, renderer) => {
    before.call(material, shader, renderer);
    Object.assign(shader.uniforms, own, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace(
        '#include <common>',
        `#include <common>\n${isSurfel && colored ? SLOPE : ''}${VERTEX}${isSurfel ? SURFEL_VERTEX : ''}`,
      )
      .replace('void main() {', 'void main() {\n  phyxelGather();')
      .replace(
        '#include <beginnormal_vertex>',
        '#include <beginnormal_vertex>\nobjectNormal = phyxelTurn(objectNormal);',
      )
      .replace('#include <begin_vertex>', isSurfel ? SURFEL_VERTEXs + SURFEL_VALUE : VERTEXs);
    if (isSurfel) {
      shader.vertexShader = shader.vertexShader.replace('#include <project_vertex>', SURFEL_DEPTH);
      shader.fragmentShader = shader.fragmentShader
        .replace(
          '#include <common>',
          '#include <common>\nvarying vec2 vPhyxelDisc;\nvarying vec2 vPhyxelBeyond;\nvarying float vPhyxelDepth;',
        )
        .replace('void main() {', `void main() {\n  ${SURFEL_CUT}`);
    }
    if (!colored) return;
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>\n${COLORING_FRAGMENT}`)
      .replace('#include <color_fragment>', `#include <color_fragment>\n${COLORING}`)
      .replace('#include <metalnessmap_fragment>', `#include <metalnessmap_fragment>\n${COLORING_METALNESS}`)
      .replace('#include <emissivemap_fragment>', `#include <emissivemap_fragment>\n${COLORING_EMISSION}`);
  };
  // Materials that users wrote themselves are told apart by what they do; the default of three.js asks the material.
  const key = () =>
    customProgramCacheKey === Material.prototype.customProgramCacheKey
      ? before.toString()
      : customProgramCacheKey.call(material);
  material.customProgramCacheKey = () => `${key()}|phyxel-${isSurfel ? 'surfels' : 'deformed'}`;
  return material;
}

/** Vertices and triangles with what they carry. */
export function geometryOf({ positions, normals, uvs, colors, indices }: DisplayMesh): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  if (uvs) geometry.setAttribute('uv', new BufferAttribute(uvs, 2));
  if (colors) geometry.setAttribute('color', new BufferAttribute(colors, 4));
  geometry.setIndex(new BufferAttribute(indices, 1));
  return geometry;
}

/** The geometry at rest, with what its vertices follow as attributes. */
export function boundGeometry(mesh: BoundMesh): BufferGeometry {
  const geometry = geometryOf(mesh);
  geometry.userData.bound = mesh;
  for (const [name, values] of boundAttributes(mesh)) geometry.setAttribute(name, new BufferAttribute(values, 4));
  return geometry;
}

/** The triangles of a part: the same vertices with indices of its own. */
export function partGeometry(whole: BufferGeometry, begin: number, end: number): BufferGeometry {
  const part = new BufferGeometry();
  part.userData = whole.userData;
  for (const [name, attribute] of Object.entries(whole.attributes)) part.setAttribute(name, attribute);
  part.setIndex(new BufferAttribute(whole.index!.array.subarray(begin, end), 1));
  return part;
}

/** What vertices follow, four particles to an attribute. */
export function boundAttributes({ neighbors, particles, weights, positions }: BoundMesh): [string, Float32Array][] {
  if (neighbors > MOST_NEIGHBORS) {
    throw new RangeError(`a vertex may follow ${MOST_NEIGHBORS} particles, not ${neighbors}`);
  }
  const vertices = positions.length / 3;
  return GROUPS.flatMap((group, g) => {
    const index = new Float32Array(4 * vertices);
    const weight = new Float32Array(4 * vertices);
    for (let v = 0; v < vertices; v++) {
      for (let k = 0; k < 4 && 4 * g + k < neighbors; k++) {
        index[4 * v + k] = particles[neighbors * v + 4 * g + k]!;
        weight[4 * v + k] = weights[neighbors * v + 4 * g + k]!;
      }
    }
    return [
      [`phyxelIndex${group}`, index],
      [`phyxelWeight${group}`, weight],
    ] as [string, Float32Array][];
  });
}

/**
 * A mesh of such a geometry: drawn, lit and met by rays as it is deformed. Parts of one body may share its `shape`.
 */
export function deformedMesh(
  geometry: BufferGeometry,
  material: Material,
  uniforms: DeformationUniforms,
  first: number,
  firstAffine: number,
  shape = new DeformedShape(geometry.userData.bound as BoundMesh, uniforms, firstAffine),
): Mesh {
  const { reach } = geometry.userData.bound as BoundMesh;
  const deform = <M extends Material>(own: M) => deformMaterial(own, uniforms, first, firstAffine, undefined, reach);
  const mesh = new Mesh(geometry, deform(material));
  mesh.customDepthMaterial = deform(new MeshDepthMaterial({ depthPacking: RGBADepthPacking }));
  mesh.customDistanceMaterial = deform(new MeshDistanceMaterial());
  // Where it is, only the graphics card knows.
  mesh.frustumCulled = false;
  mesh.raycast = (raycaster, intersections) => {
    if (mesh.visible) shape.raycast(mesh, geometry.index!, raycaster, intersections);
  };
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}
