/**
 * Particles as balls: a square for each, on which the ray of every pixel is met with the ball. Round and lit at any
 * distance, with true depth, so balls meet each other and everything else without gaps.
 */
import {
  DoubleSide,
  InstancedBufferGeometry,
  type Intersection,
  type Material,
  Matrix4,
  Mesh,
  MeshDepthMaterial,
  type MeshStandardMaterial,
  PlaneGeometry,
  type Raycaster,
  RGBADepthPacking,
  ShaderChunk,
  Vector3,
  type WebGLProgramParametersWithUniforms,
} from 'three';
import { COLORING, COLORING_FRAGMENT } from './color-map.js';
import type { DeformationUniforms } from './deformed-mesh.js';
import { FETCH } from './particle-textures.js';
import { firstBall } from './picking.js';

/** Squares are larger than the balls, which perspective stretches. */
const MARGIN = '1.25';

const VERTEX = /* glsl */ `
uniform highp sampler2D phyxelParticles;
uniform int phyxelFirst;
uniform float phyxelRadius;
varying float vPhyxelValue;
varying vec3 vPhyxelCenter;
varying vec3 vPhyxelCorner;
${FETCH}
vec4 phyxelBall;
`;

const VERTEXs = /* glsl */ `
phyxelBall = phyxelFetch(phyxelParticles, phyxelFirst + gl_InstanceID);
vPhyxelValue = phyxelBall.w;
vec3 transformed = phyxelBall.xyz;
`;

const PROJECT = /* glsl */ `
vec4 mvPosition = modelViewMatrix * vec4(transformed, 1.0);
vPhyxelCenter = mvPosition.xyz;
mvPosition.xy += ${MARGIN} * phyxelRadius * position.xy;
// The square is in front of the ball, so that depth, which only grows on it, can be tested early.
mvPosition.z += phyxelRadius;
vPhyxelCorner = mvPosition.xyz;
gl_Position = projectionMatrix * mvPosition;
`;

const FRAGMENT = /* glsl */ `
uniform float phyxelRadius;
uniform mat4 projectionMatrix;
varying vec3 vPhyxelCenter;
varying vec3 vPhyxelCorner;
vec3 phyxelHit;

/** Where the ray of this pixel meets the ball, in the camera's coordinates. */
void phyxelMeet() {
  bool parallel = projectionMatrix[3][3] == 1.0;
  vec3 origin = parallel ? vec3(vPhyxelCorner.xy, 0.0) : vec3(0.0);
  vec3 way = parallel ? vec3(0.0, 0.0, -1.0) : normalize(vPhyxelCorner);
  vec3 to = vPhyxelCenter - origin;
  float along = dot(to, way);
  float rest = phyxelRadius * phyxelRadius - (dot(to, to) - along * along);
  if (rest < 0.0) discard;
  phyxelHit = origin + (along - sqrt(rest)) * way;
  vec4 clip = projectionMatrix * vec4(phyxelHit, 1.0);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
}
`;

const NORMAL = /* glsl */ `
vec3 normal = (phyxelHit - vPhyxelCenter) / phyxelRadius;
vec3 nonPerturbedNormal = normal;
float faceDirection = 1.0;
`;

function ballMaterial<M extends Material>(
  material: M,
  uniforms: DeformationUniforms,
  first: number,
  radius: number,
): M {
  const own = { phyxelFirst: { value: first }, phyxelRadius: { value: radius } };
  const isDepth = material instanceof MeshDepthMaterial;
  material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms) => {
    Object.assign(shader.uniforms, uniforms, own);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${VERTEX}`)
      .replace('#include <begin_vertex>', VERTEXs)
      .replace('#include <project_vertex>', PROJECT);
    let fragment = shader.fragmentShader
      .replace('#include <common>', `#include <common>\n${FRAGMENT}${isDepth ? '' : COLORING_FRAGMENT}`)
      .replace('void main() {', 'void main() {\n  phyxelMeet();')
      .replace('#include <color_fragment>', `#include <color_fragment>\n${COLORING}`)
      .replace('#include <normal_fragment_begin>', NORMAL)
      .replace(
        '#include <lights_fragment_begin>',
        ShaderChunk.lights_fragment_begin.replace('- vViewPosition', 'phyxelHit'),
      );
    if (isDepth) {
      // Depth of the ball, not of the square; and of its far side, because a ball asks at its centre whether it is lit.
      fragment = fragment
        .replace('along - sqrt(rest)', 'along + sqrt(rest)')
        .replace(/float fragCoordZ = [^;]*;/g, 'float fragCoordZ = gl_FragDepth;');
    }
    shader.fragmentShader = fragment;
  };
  material.customProgramCacheKey = () => 'phyxel-balls';
  return material;
}

/** The first ball that a ray meets: `instanceId` is its number among them. */
function meetBalls(
  object: Mesh,
  uniforms: DeformationUniforms,
  { first, count, radius }: { readonly first: number; readonly count: number; readonly radius: number },
  { ray: given, near, far }: Raycaster,
): Intersection | undefined {
  const { version, image } = uniforms.phyxelParticles.value;
  if (version === 0) return undefined;
  const ray = given.clone().applyMatrix4(new Matrix4().copy(object.matrixWorld).invert());
  const met = firstBall(ray, image.data as Float32Array, first, first + count, radius);
  if (!met) return undefined;
  const point = ray.at(met.distance, new Vector3());
  const normal = new Vector3()
    .fromArray(image.data as Float32Array, 4 * met.particle)
    .sub(point)
    .negate()
    .normalize();
  point.applyMatrix4(object.matrixWorld);
  const distance = given.origin.distanceTo(point);
  if (distance < near || distance > far) return undefined;
  return { distance, point, normal, object, instanceId: met.particle - first };
}

/** Balls for the particles [first, first + count). */
export function particleSpheres(
  material: MeshStandardMaterial,
  uniforms: DeformationUniforms,
  { first, count, radius }: { readonly first: number; readonly count: number; readonly radius: number },
): Mesh {
  const square = new PlaneGeometry(2, 2);
  const geometry = new InstancedBufferGeometry();
  geometry.index = square.index;
  for (const name of ['position', 'normal', 'uv']) geometry.setAttribute(name, square.getAttribute(name));
  geometry.instanceCount = count;
  // Squares face the light; three.js would draw their backs.
  material.shadowSide = DoubleSide;
  const mesh = new Mesh(geometry, ballMaterial(material, uniforms, first, radius));
  mesh.customDepthMaterial = ballMaterial(
    new MeshDepthMaterial({ depthPacking: RGBADepthPacking }),
    uniforms,
    first,
    radius,
  );
  mesh.frustumCulled = false;
  mesh.raycast = (raycaster, intersections) => {
    const hit = mesh.visible && meetBalls(mesh, uniforms, { first, count, radius }, raycaster);
    if (hit) intersections.push(hit);
  };
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}
