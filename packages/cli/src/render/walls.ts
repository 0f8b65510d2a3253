/** Steep planes as panels, the same as in the studio. */
export { boundsOf, FLATTEST, isWall, planeMesh, type WallBounds, type WallMesh, wallMesh } from 'phyxel';
