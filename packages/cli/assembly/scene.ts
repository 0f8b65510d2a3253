// The picture's view and its primitives, as src/render/tracer.ts lays them out.

/** Numbers of a material: look, roughness, index, absorption [1/m] of red, green and blue, texture, rank. */
const MATERIAL: usize = 64;
export const GLOSSY: f64 = 1;
export const GLASS: f64 = 2;

export let triangleCount: i32 = 0;
/** Bytes: the material of every primitive. */
let materialNumbers: usize = 0;
let materials: usize = 0;
/** Unit normals and colours at the corners of triangles, nine numbers each; of balls one colour. */
export let normals: usize = 0;
export let colors: usize = 0;
export let ballColors: usize = 0;
/** Texture coordinates at the corners, six numbers per triangle; 0 where no material has a texture. */
export let uvs: usize = 0;
/** Width, height, address of the bytes, and how they repeat in both directions. */
export let textures: usize = 0;

export function setPrimitives(
  triangleCount_: i32,
  materialNumbers_: usize,
  materials_: usize,
  normals_: usize,
  colors_: usize,
  ballColors_: usize,
  uvs_: usize,
  textures_: usize,
): void {
  triangleCount = triangleCount_;
  materialNumbers = materialNumbers_;
  materials = materials_;
  normals = normals_;
  colors = colors_;
  ballColors = ballColors_;
  uvs = uvs_;
  textures = textures_;
}

/** Address of a primitive's material. */
// @ts-ignore: decorator
@inline
export function materialOf(primitive: i32): usize {
  return materials + MATERIAL * load<u8>(materialNumbers + primitive);
}

export let width: f64 = 0;
export let height: f64 = 0;
/** Tangent of half the angle of view from top to bottom. */
export let tangent: f64 = 0;
/** Rays start this far from a surface [m]. */
export let offset: f64 = 0;
/** Axes of the camera: position, forward, right, up. */
export let camera: usize = 0;
/** Colours of the sky: zenith, horizon, nadir, top and horizon of the backdrop. */
export let sky: usize = 0;
/** The key light: direction, two axes across, irradiance over pi, radiance. */
export let key: usize = 0;
export let keyCosine: f64 = 1;
export let hasKey: bool = false;
/** The ground's colour and centre. */
export let ground: usize = 0;
export let grid: f64 = 0;
export let fadeFrom: f64 = 0;
export let fadeTo: f64 = 1;
/** A point and the normal of each. */
export let floors: usize = 0;
export let floorCount: i32 = 0;

/** `view` is a list of 64-bit numbers in this order. */
export function setView(view: usize): void {
  width = load<f64>(view);
  height = load<f64>(view, 8);
  tangent = load<f64>(view, 16);
  offset = load<f64>(view, 24);
  keyCosine = load<f64>(view, 32);
  hasKey = load<f64>(view, 40) != 0;
  grid = load<f64>(view, 48);
  fadeFrom = load<f64>(view, 56);
  fadeTo = load<f64>(view, 64);
  floorCount = <i32>load<f64>(view, 72);
  camera = view + 80;
  sky = camera + 96;
  key = sky + 120;
  ground = key + 120;
  floors = ground + 48;
}
