/** The elastica: a strip that a force at its end bends far beyond what is linear. */
import type { Scene, Vec3 } from 'phyxel';
import { study, type ValidationCase } from '../case.js';
import { type Discretisation, runSeries, slab, validationScene, withDiscretisation, withSpacing } from '../measure.js';

const STRIP = { youngsModulus: 1e7, thickness: 0.025, length: 1 };
/** P L^2 / (E I), and how far the loaded end then sinks, over the length. */
const LOAD = 3;
const SUNK = 0.60325;

/** The scene with so many particles across, and the distance from the clamp to the layer that the force acts on [m]. */
function strip(fit: Discretisation, across: number): { scene: Scene; length: number } {
  const { youngsModulus, thickness } = STRIP;
  const spacing = thickness / across;
  const length = STRIP.length - spacing / 2;
  const force: Vec3 = [0, (-LOAD * youngsModulus * thickness ** 4) / (12 * length ** 2), 0];
  const region = slab(0, STRIP.length - spacing, 2);
  const scene = withDiscretisation(withSpacing(validationScene('elastica'), spacing), fit);
  const constraints = scene.constraints.map((constraint, k) =>
    k === 0 ? constraint : { ...constraint, region, force },
  );
  return { scene: { ...scene, constraints, probes: scene.probes.map((probe) => ({ ...probe, region })) }, length };
}

const elastica = (fit: Discretisation, slow: boolean): ValidationCase => ({
  name: `elastica-${fit}`,
  quantity: 'how far the end of a cantilever sinks under P L^2 / (E I) = 3, over its length [1]',
  source: 'Mattiasson 1981, elliptic integrals: 0.60325; length/thickness 40',
  full: slow,
  run: (full) =>
    study(
      {
        reference: SUNK,
        resolutions: [{ across: 3 }, { across: 5, tolerance: 0.005 }],
        async measure(across) {
          const { scene, length } = strip(fit, across);
          const { probes } = await runSeries(scene);
          return -probes.end!.at(-1)![1]! / length;
        },
      },
      full,
    ),
});

export const elasticaCases: readonly ValidationCase[] = [elastica('linear', false), elastica('quadratic', true)];
