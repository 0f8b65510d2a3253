/** An elastic plate that carries water. */
import { study, type ValidationCase } from '../case.js';
import { runSeries, slab, validationScene, withBodies, withPeriod } from '../measure.js';
import { clampedPlateDeflection } from '../theory.js';

const PLATE = { youngsModulus: 67.5e9, poissonsRatio: 0.3, span: 1, thickness: 0.05 };
const GRAVITY = 9.81;
const DEFLECTION = clampedPlateDeflection({
  ...PLATE,
  pressure: GRAVITY * (1000 * 2 + 2700 * PLATE.thickness),
});
/** Depth of the slice in spacings of the water. */
const SLICE = 7;

/** Mean deflection of the middle over the second half of the run [m]; `across` is the span over the water's spacing. */
async function deflection(across: number): Promise<number> {
  const spacing = PLATE.span / across;
  // Three particles across the plate at the least, and no coarser than the water.
  const layers = Math.max(3, Math.round(PLATE.thickness / spacing));
  const depth = SLICE * spacing;
  const fine = PLATE.thickness / layers;
  const sliced = withBodies(validationScene('water-plate'), ({ name, shape }) => {
    if (name !== 'plate' || !('box' in shape)) return { spacing };
    return { spacing: fine, shape: { box: { size: [shape.box.size[0], PLATE.thickness, depth] } } };
  });
  const scene = withPeriod(sliced, { 2: depth });
  const middle = slab(0, -fine, fine);
  const { time, probes } = await runSeries({
    ...scene,
    probes: scene.probes.map((probe) => ({ ...probe, region: middle })),
  });
  const late = probes.middle!.filter((_, k) => time[k]! > scene.duration / 2);
  return -late.reduce((sum, row) => sum + row[1]!, 0) / late.length;
}

export const fluidPlateCases: readonly ValidationCase[] = [
  {
    name: 'water-plate',
    quantity: 'deflection of the middle of a plate under 2 m of water [m]',
    source: 'thin plate clamped at both ends, q L^4 / (384 D)',
    full: true,
    run: (full) =>
      study(
        {
          reference: DEFLECTION,
          resolutions: [{ across: 10 }, { across: 20, tolerance: 0.1 }],
          measure: deflection,
        },
        full,
      ),
  },
];
