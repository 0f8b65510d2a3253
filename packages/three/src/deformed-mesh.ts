/**
 * A mesh that the graphics card deforms: every vertex adds up the affine maps of the particles that it follows,
 * x = sum_j w_j A_j (m, 1), and turns its normal by the cofactors of their mean. The weights are those of `Skin`, so
 * this is the same surface that exports have.
 */
import type { BoundMesh } from 'phyxel/browser';
import {
  BufferAttribute,
  BufferGeometry,
  type Material,
  Mesh,
  MeshDepthMaterial,
  MeshDistanceMaterial,
  RGBADepthPacking,
  type WebGLProgramParametersWithUniforms,
} from 'three';
import { COLORING, COLORING_FRAGMENT, type ColoringUniforms } from './color-map.js';
import { FETCH, type ParticleTextures } from './particle-textures.js';

/** Particles that a vertex may follow. */
export const MOST_NEIGHBORS = 16;
const GROUPS = ['A', 'B', 'C', 'D'];

export interface DeformationUniforms extends ColoringUniforms {
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

/** The normal by the cofactors of the gradient. */
vec3 phyxelTurn(vec3 n) {
  return normalize(vec3(
    dot(cross(phyxelRow1.xyz, phyxelRow2.xyz), n),
    dot(cross(phyxelRow2.xyz, phyxelRow0.xyz), n),
    dot(cross(phyxelRow0.xyz, phyxelRow1.xyz), n)
  ));
}
`;

const PLACE = /* glsl */ `
vec4 phyxelRest = vec4(position, 1.0);
vec3 transformed = vec3(dot(phyxelRow0, phyxelRest), dot(phyxelRow1, phyxelRest), dot(phyxelRow2, phyxelRest));
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
const SURFEL_PLACE = PLACE.replace('vec4(position, 1.0)', 'vec4(phyxelCorner(normalize(normal)), 1.0)');
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

/**
 * Lets a material of three.js be deformed; it keeps everything else that it does. With `surfelRadius` the geometry is
 * that of surfels: squares of which a disc is left.
 */
export function deformMaterial<M extends Material>(
  material: M,
  uniforms: DeformationUniforms,
  first: number,
  firstAffine: number,
  surfelRadius?: number,
): M {
  const isSurfel = surfelRadius !== undefined;
  const colored = !(material instanceof MeshDepthMaterial || material instanceof MeshDistanceMaterial);
  const own = {
    phyxelFirst: { value: first },
    phyxelFirstAffine: { value: firstAffine },
    phyxelRadius: { value: surfelRadius ?? 0 },
  };
  const before = material.onBeforeCompile;
  material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms, renderer) => {
    before.call(material, shader, renderer);
    Object.assign(shader.uniforms, uniforms, own);
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
      .replace('#include <begin_vertex>', isSurfel ? SURFEL_PLACE + SURFEL_VALUE : PLACE);
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
      .replace('#include <color_fragment>', `#include <color_fragment>\n${COLORING}`);
  };
  const key = material.customProgramCacheKey.bind(material);
  material.customProgramCacheKey = () => `${key()}|phyxel-${isSurfel ? 'surfels' : 'deformed'}`;
  return material;
}

/** The geometry at rest, with what its vertices follow as attributes. */
export function boundGeometry(mesh: BoundMesh): BufferGeometry {
  const { positions, normals, uvs, indices } = mesh;
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  if (uvs) geometry.setAttribute('uv', new BufferAttribute(uvs, 2));
  geometry.setIndex(new BufferAttribute(indices, 1));
  for (const [name, values] of boundAttributes(mesh)) geometry.setAttribute(name, new BufferAttribute(values, 4));
  return geometry;
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

export function deformedMesh(
  geometry: BufferGeometry,
  material: Material,
  uniforms: DeformationUniforms,
  first: number,
  firstAffine: number,
): Mesh {
  const mesh = new Mesh(geometry, deformMaterial(material, uniforms, first, firstAffine));
  const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
  mesh.customDepthMaterial = deformMaterial(depth, uniforms, first, firstAffine);
  mesh.customDistanceMaterial = deformMaterial(new MeshDistanceMaterial(), uniforms, first, firstAffine);
  // Where it is, only the graphics card knows.
  mesh.frustumCulled = false;
  mesh.raycast = () => {};
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}
