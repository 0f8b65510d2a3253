/** What writers of glTF files share, a door of its own: pages fetch it when they write one. */
export { GltfBuffer, type GltfElements, padded, rowBounds } from './buffer.js';
export { type GltfMaterial, gltfExtensions, gltfMaterial } from './materials.js';
