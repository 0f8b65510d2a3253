/** Phyxel worlds in three.js. */
export { type ColorScale, colorMapCss, colorMapTexture } from './color-map.js';
export { boundGeometry, deformedMesh, deformMaterial } from './deformed-mesh.js';
export { DeformedShape, deformVertices, framePlanes, moveVertex } from './deformed-shape.js';
export { FileMaterials } from './file-materials.js';
export { particleSpheres } from './particle-spheres.js';
export { ParticleTextures } from './particle-textures.js';
export { type Pick, pickParticle } from './picking.js';
export { sampleSurface, surfelMesh } from './surfels.js';
export { bodyColors, type Display, PhyxelView, type ViewOptions } from './view.js';
