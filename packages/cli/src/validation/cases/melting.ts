/** Matter that melts, flows and freezes. */
import { loadScene } from 'phyxel';
import { study, type ValidationCase } from '../case.js';
import { validationScene, withSpacing } from '../measure.js';

const SIDE = 0.08;
/** When the plate begins to sink, and the end [s]. */
const [SINKS, END] = [3, 10];

/** Heat that a block gives to a cold floor as it freezes, over what it took from a hot plate as it melted [1]. */
async function meltFlowFreeze(across: number): Promise<{ value: number; note: string }> {
  const world = await loadScene(withSpacing(validationScene('melt-flow-freeze'), SIDE / across), { threads: 1 });
  try {
    const molten = () => world.probe({ name: 'f', quantity: 'liquidFraction' })[0]!;
    const height = () => world.probe({ name: 'x', quantity: 'position' })[1]!;
    const particles = world.liquidCount;
    const start = height();
    let [given, taken, most] = [0, 0, 0];
    const frames = 10 * END;
    for (let k = 1; k <= frames; k++) {
      const supplied = world.stepTo((k * END) / frames).heat!.supplied;
      if (supplied > 0) given += supplied;
      else taken -= supplied;
      if (world.time <= SINKS) most = molten();
    }
    // Nothing would be shown if it had not melted and flowed.
    if (most < 0.9 || height() > 0.5 * start) throw new Error(`only ${most} melted, it is ${height()} m high`);
    if (world.liquidCount !== particles) throw new Error(`${world.liquidCount} of ${particles} particles are left`);
    return {
      value: taken / given,
      note: `${most.toFixed(2)} molten, ${molten().toFixed(2)} in the end; all ${particles} particles kept`,
    };
  } finally {
    await world.dispose();
  }
}

export const meltingCases: readonly ValidationCase[] = [
  {
    name: 'melt-flow-freeze',
    quantity: 'heat that melt gives to a cold floor as it freezes, over what it took from a hot plate [1]',
    source: 'conservation of energy: it ends as cold as it was',
    run: (full) =>
      study(
        {
          reference: 1,
          resolutions: [
            { across: 4, tolerance: 1e-3 },
            { across: 6, tolerance: 1e-3, full: true },
          ],
          measure: meltFlowFreeze,
        },
        full,
      ),
  },
];
