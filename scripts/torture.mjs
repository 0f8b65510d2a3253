// Mistreats a body of some thousand particles over the range of materials: dropped from 2 m, thrown at a
// mesh, squashed flat between plates and released. It must stay finite and come back to its shape.
//   node scripts/torture.mjs [particles = 5000] [moduli = 1e4,1e5,1e6,1e7] [trials = drop,throw,squash]
import bunny from 'bunny';
import { createWorld } from 'phyxel';

const particles = Number(process.argv[2] ?? 5000);
const moduli = (process.argv[3] ?? '1e4,1e5,1e6,1e7').split(',').map(Number);
const chosen = (process.argv[4] ?? 'drop,throw,squash').split(',');
const mesh = {
  positions: Float64Array.from(bunny.positions.flat()),
  triangles: Uint32Array.from(bunny.cells.flat()),
};
const materials = [];
for (const youngsModulus of moduli) {
  for (const poissonsRatio of [0, 0.3, 0.45, 0.49])
    materials.push({ density: 1000, youngsModulus, poissonsRatio, damping: 0.1 });
}
const size = 0.1;
const trials = {
  drop: {
    duration: 1.5,
    body: { position: [0, 2, 0] },
    obstacles: [{ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } } }],
  },
  throw: {
    duration: 0.6,
    body: { position: [-0.8, 0.25, 0], velocity: [10, 1, 0], angularVelocity: [0, 0, -10] },
    obstacles: [
      { name: 'bunny', shape: { mesh: { data: mesh, size: 0.5 } }, position: [0, 0, 0] },
      { name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: -0.2 } } },
    ],
  },
  squash: {
    duration: 1,
    gravity: [0, 0, 0],
    body: { position: [0, size / 2, 0] },
    obstacles: [
      { name: 'below', shape: { box: { size: [2, 0.1, 2] } }, position: [0, -0.05, 0] },
      {
        name: 'above',
        shape: { box: { size: [2, 0.1, 2] } },
        position: [0, size + 0.05, 0],
        keyframes: [
          { time: 0 },
          { time: 0.2, position: [0, -0.75 * size, 0] },
          { time: 0.25, position: [0, -0.75 * size, 0] },
          { time: 0.3, position: [0, size, 0] },
        ],
      },
    ],
  },
};

/** Largest change of distance between far particles, over the body's size. */
function distortion(world, before) {
  const now = world.positions();
  const n = world.particleCount;
  let worst = 0;
  for (let k = 0; k < 5000; k++) {
    const i = (k * 7919) % n;
    const j = (k * 104729 + 13) % n;
    const distance = (x) => Math.hypot(x[4 * i] - x[4 * j], x[4 * i + 1] - x[4 * j + 1], x[4 * i + 2] - x[4 * j + 2]);
    worst = Math.max(worst, Math.abs(distance(now) - distance(before)));
  }
  return worst / size;
}

let failures = 0;
for (const [name, { duration, gravity = [0, -9.81, 0], body, obstacles }] of Object.entries(trials)) {
  if (!chosen.includes(name)) continue;
  for (const material of materials) {
    const world = await createWorld({ gravity });
    world.addBody({ name: 'body', shape: { box: { size: [size, size, size] } }, particles, material, ...body });
    for (const obstacle of obstacles) world.addObstacle(obstacle);
    const before = world.positions();
    const started = performance.now();
    let result;
    try {
      let steps = 0;
      for (let t = 0; t < duration * 60; t++) steps += world.step(1 / 60).steps;
      // Left alone to ring out, by taking the motion away: what remains is what it cannot undo.
      const left = distortion(world, before);
      const folded = world.volumeRatios().reduce((count, j) => count + (j < 0.3 ? 1 : 0), 0);
      const swing =
        Math.sqrt((2 * world.energy().elastic) / world.mass) / Math.sqrt(material.youngsModulus / material.density);
      const good = folded === 0 && left < 0.02 + 4 * swing;
      if (!good) failures++;
      result = `${good ? 'ok  ' : 'BAD '} ${steps} steps, distortion ${(100 * left).toFixed(2)} %, folded ${folded}, mean strain ${(100 * swing).toFixed(2)} %`;
    } catch (error) {
      failures++;
      result = `FAILED ${error.message}`;
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `${name.padEnd(7)} E ${material.youngsModulus.toExponential(0)} nu ${material.poissonsRatio}: ${result}, ${seconds} s`,
    );
    await world.dispose();
  }
}
console.log(failures === 0 ? 'all trials survived' : `${failures} trials went wrong`);
process.exitCode = failures === 0 ? 0 : 1;
