import { readdirSync, readFileSync } from 'node:fs';
import * as P from 'phyxel';
import { estimateCrumbs, estimateMemory, loadScene, parseScene } from 'phyxel';

const ex = '/work/trial/walk/examples/';
for (const f of readdirSync(ex).filter((f) => f.endsWith('.yaml'))) {
  try {
    const { scene } = parseScene(readFileSync(ex + f, 'utf8'), f);
    const readFile = async (f) => new Uint8Array(readFileSync(ex + f));
    const readMesh = async (f) => P.readMesh(await readFile(f), f);
    const est = await estimateMemory(scene, readMesh),
      crumbs = await estimateCrumbs(scene, readMesh);
    const w = await loadScene(scene, { threads: 1, readFile });
    const start = w.memoryBytes;
    const t0 = performance.now();
    if (!scene.static)
      while (performance.now() - t0 < 2500 && w.time < scene.duration - 1e-9) w.stepTo(w.time + 1 / 240);
    else w.solveStatic?.();
    const r = est / w.memoryBytes;
    console.log(
      r < 0.8 || r > 1.2 ? '!!' : '  ',
      f.padEnd(28),
      (est / 1e6).toFixed(2),
      (start / 1e6).toFixed(2),
      (w.memoryBytes / 1e6).toFixed(2),
      r.toFixed(2),
      't',
      w.time.toFixed(2),
      crumbs ? 'crumbs ' + (crumbs / 1e6).toFixed(2) : '',
      w.liquidCount,
    );
    await w.dispose();
  } catch (e) {
    console.log('ERR', f, e.message);
  }
}
