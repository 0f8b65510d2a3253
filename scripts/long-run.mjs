// A half-molten block at rest, for very many steps: says what became of its energy, heat and particles.
//   node scripts/long-run.mjs [steps = 100000]
import { createWorld } from 'phyxel';

const most = Number(process.argv[2] ?? 100_000);
const world = await createWorld({ threads: 1, temperature: 20 });
// Walls let no heat through, and it melts in a range: below it is liquid, above solid, and it stays so.
for (const [name, normal] of Object.entries({
  floor: [0, 1, 0],
  left: [1, 0, 0],
  right: [-1, 0, 0],
  front: [0, 0, 1],
  back: [0, 0, -1],
})) {
  world.addObstacle({ name, shape: { plane: { normal, offset: name === 'floor' ? 0 : -0.05 } } });
}
world.addBody({
  name: 'block',
  kind: 'fluid',
  shape: { box: { size: [0.1, 0.1, 0.1] } },
  position: [0, 0.05, 0],
  spacing: 0.02,
  material: {
    elastic: true,
    density: 900,
    youngsModulus: 1e5,
    damping: 0.1,
    viscosity: 1,
    heatCapacity: 2000,
    thermalConductivity: 1e-6,
    latentHeat: 2e4,
    meltingPoint: 60,
    meltingRange: 4,
  },
});
world.setTemperature('block', ([, y]) => (y < 0.05 ? 80 : 20));

const particles = world.liquidCount;
const heat = world.heat();
let steps = 0;
let settled;
let next = most / 10;
console.log(
  'steps  time [s]  energy [J]  kinetic [J]  fastest [m/s]  heat less that at the start [1]  molten  particles',
);
while (steps < most) {
  steps += world.step(0.01).steps;
  if (steps < next) continue;
  next += most / 10;
  const { total, kinetic } = world.energy();
  settled ??= total;
  const [fastest] = world.probe({ name: 'v', quantity: 'maximumSpeed' });
  const [molten] = world.probe({ name: 'm', quantity: 'liquidFraction' });
  const row = [steps, world.time.toFixed(2), total.toPrecision(8), kinetic.toExponential(1), fastest.toExponential(1)];
  console.log([...row, (world.heat() / heat - 1).toExponential(1), molten.toFixed(3), world.liquidCount].join('  '));
}
const drift = world.energy().total / settled - 1;
console.log(
  `energy since a tenth of the steps: ${drift.toExponential(1)}; ${world.liquidCount} of ${particles} particles`,
);
if (!(Math.abs(world.heat() / heat - 1) < 1e-6) || world.liquidCount !== particles || !(drift < 1e-3))
  process.exitCode = 1;
await world.dispose();
