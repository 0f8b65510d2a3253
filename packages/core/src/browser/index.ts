/** Phyxel for pages: a world in a worker. Small: the engine itself is in the worker only. */

export type * from '../options/inputs.js';
export { type Phase, phaseOf } from '../options/phase.js';
export type { BodyOptions, DescribedBody, MeshMaterial, MeshTexture, Scene, TextureWrap } from '../options/types.js';
export { serializeScene } from '../scene/serialize.js';
export { type LinearColor, mapColor } from '../surface/color-map.js';
export { isWall, type WallMesh, wallMesh } from '../surface/walls.js';
export type { Contact } from '../world/pushes.js';
export { physicsOf, renameBody } from './labels.js';
export * from './protocol.js';
export { type ConnectOptions, connectWorld, RemoteError, type RemoteGrab, RemoteWorld } from './remote-world.js';
