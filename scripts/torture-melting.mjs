// Random elastic liquids over their ranges, dropped on a hot plate and cooled again: they stay finite, keep all their
// particles, or stop with a reason. `node scripts/torture-melting.mjs [count] [seed]`; the core must be built.
import { createWorld, SimulationError } from '../packages/core/dist/index.js';

const count = Number(process.argv[2] ?? 1000);
let state = Number(process.argv[3] ?? 1) >>> 0;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const between = (low, high) => low * (high / low) ** random();

const tally = { fine: 0, refused: 0 };
for (let k = 0; k < count; k++) {
  const material = {
    elastic: true,
    density: between(100, 1e4),
    youngsModulus: between(1e2, 1e6),
    poissonsRatio: 0.45 * random(),
    damping: 0.2 * random(),
    viscosity: between(1e-3, 1e2),
    surfaceTension: random() < 0.5 ? 0 : 0.1 * random(),
    model: ['stVenantKirchhoff', 'neoHookean', 'corotational'][Math.floor(3 * random())],
    heatCapacity: between(200, 5000),
    thermalConductivity: between(1, 1e3),
    latentHeat: between(1e2, 1e5),
    meltingPoint: 60,
    meltingRange: 20 * random(),
    ...(random() < 0.3 && { yieldStress: between(1, 1e5), creepRate: between(1, 1e3) }),
  };
  const world = await createWorld({ threads: 1, temperature: 20 });
  world.addObstacle({ name: 'plate', shape: { plane: {} }, temperature: 200 });
  const box = { box: { size: [0.08, 0.08, 0.08] } };
  world.addBody({ name: 'block', kind: 'fluid', shape: box, position: [0, 0.05, 0], spacing: 0.02, material });
  try {
    for (let frame = 0; frame < 3; frame++) world.step(0.02);
    world.setTemperature('block', 100);
    world.step(0.02);
    world.setTemperature('block', 20);
    world.step(0.02);
    const { total } = world.energy();
    if (!Number.isFinite(total) || world.liquidCount !== 64)
      throw new Error(`energy ${total}, ${world.liquidCount} left`);
    tally.fine++;
  } catch (error) {
    if (!(error instanceof SimulationError)) throw new Error(`${k}: ${JSON.stringify(material)}`, { cause: error });
    tally.refused++;
    console.log(k, error.message, JSON.stringify(material));
  }
  await world.dispose();
}
console.log(tally);
