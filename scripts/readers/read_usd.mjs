/**
 * Reads USD files with tinyusdz and prints a line of JSON for each of their meshes: file, name, triangles, low, high.
 * Its build is meant for pages: it is told that this is one.
 *
 *   node read_usd.mjs FILE...
 */
import { readFileSync } from 'node:fs';

process.type = 'renderer';
globalThis.window = globalThis;
const wasmBinary = readFileSync(new URL(import.meta.resolve('tinyusdz/tinyusdz.wasm')));
const { default: open } = await import('tinyusdz');
const usd = await open({ wasmBinary });

for (const file of process.argv.slice(2)) {
  const loader = new usd.TinyUSDZLoaderNative();
  if (!loader.loadFromBinary(new Uint8Array(readFileSync(file)), file)) {
    console.error(`${file}: ${loader.error()}`);
    process.exit(1);
  }
  for (let k = 0; k < loader.numMeshes(); k++) {
    const { primName, points, faceVertexIndices, faceVertexCounts } = loader.getMesh(k);
    const [low, high] = [Infinity, -Infinity].map((x) => [x, x, x]);
    for (const i of faceVertexIndices) {
      for (let a = 0; a < 3; a++) {
        low[a] = Math.min(low[a], points[3 * i + a]);
        high[a] = Math.max(high[a], points[3 * i + a]);
      }
    }
    const triangles = faceVertexCounts.every((count) => count === 3) ? faceVertexCounts.length : undefined;
    console.log(JSON.stringify({ file, name: primName, triangles, low, high }));
  }
}
