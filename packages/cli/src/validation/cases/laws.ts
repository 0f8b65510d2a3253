/** Elastic constants under simple loads: twist, pressure from all sides, large stretch. */
import type { Region, Scene, Vec3 } from 'phyxel';
import { type Resolution, single, study, type ValidationCase } from '../case.js';
import {
  type Discretisation,
  runSeries,
  slab,
  travel,
  validationScene,
  withDiscretisation,
  withPositions,
  withSpacing,
} from '../measure.js';
import { lame, squareTorsionConstant, uniaxialNeoHookean } from '../theory.js';

/** Cuts two slabs at once. */
function both(a: Region, b: Region): Region {
  if (!('box' in a && 'box' in b)) throw new Error('only boxes can be cut');
  const pick = (choose: (...x: number[]) => number, p: Vec3, q: Vec3): Vec3 => [
    choose(p[0], q[0]),
    choose(p[1], q[1]),
    choose(p[2], q[2]),
  ];
  return { box: { min: pick(Math.max, a.box.min, b.box.min), max: pick(Math.min, a.box.max, b.box.max) } };
}

function torsion(discretisation: Discretisation, resolutions: readonly Resolution[]): ValidationCase {
  const [side, force] = [0.1, 0.1];
  const { mu } = lame(1e6, 0.3);
  return {
    name: `torsion-${discretisation}`,
    quantity: 'torsion constant of a square bar over its side^4 [1]',
    source: 'Saint-Venant: 0.1406, from the twist between two sections under a known moment',
    curve: { figure: 'others', panel: 'torsion', series: discretisation },
    run: (full) =>
      study(
        {
          reference: squareTorsionConstant(),
          resolutions,
          async measure(across) {
            const spacing = side / across;
            const scene = withDiscretisation(withSpacing(validationScene('torsion'), spacing), discretisation);
            const [low, high] = [slab(1, -side, -side / 2 + spacing), slab(1, side / 2 - spacing, side)];
            const [back, front] = [slab(2, -side, -side / 2 + spacing), slab(2, side / 2 - spacing, side)];
            const end = slab(0, 0.5, 1);
            const pushed = [high, low, front, back].map((edge) => both(edge, end));
            const sections = { a: slab(0, 0.25 - spacing, 0.25), b: slab(0, 0.35 - spacing, 0.35) };
            const probed = withPositions(
              {
                ...scene,
                constraints: scene.constraints.map((constraint, k) =>
                  k === 0 ? constraint : { ...constraint, region: pushed[k - 1]! },
                ),
              },
              {
                aHigh: both(sections.a, high),
                aLow: both(sections.a, low),
                bHigh: both(sections.b, high),
                bLow: both(sections.b, low),
                aWhole: sections.a,
                bWhole: sections.b,
              },
            );
            const series = await runSeries(probed);
            const turn = (section: string) =>
              (travel(series, `${section}High`, 2) - travel(series, `${section}Low`, 2)) / (side - spacing);
            const distance = series.probes.bWhole![0]![0]! - series.probes.aWhole![0]![0]!;
            const twist = (turn('b') - turn('a')) / distance;
            // Four edges push with the lever of their particles.
            const moment = (4 * force * (side - spacing)) / 2;
            return moment / Math.abs(twist) / mu / side ** 4;
          },
        },
        full,
      ),
  };
}

function pressure(discretisation: Discretisation): ValidationCase {
  const [e, nu, side, force, across] = [1e5, 0.4, 0.1, 2, 10];
  return {
    name: `pressure-${discretisation}`,
    quantity: 'bulk modulus of a cube pressed from all sides [Pa]',
    source: 'E / (3 (1 - 2 nu)); mean stress by the virial theorem, from forces half a spacing inside the faces',
    run: () =>
      single(e / (3 * (1 - 2 * nu)), 0.01, across, async () => {
        const { probes } = await runSeries(withDiscretisation(validationScene('pressure'), discretisation));
        const [before, after] = [probes.cube![0]![0]!, probes.cube!.at(-1)![0]!];
        const meanPressure = (force / side ** 2) * (1 - 1 / across);
        return meanPressure / (1 - after / before);
      }),
  };
}

function stretch(discretisation: Discretisation): ValidationCase {
  const goal = 3;
  const side = 0.1;
  const { force, lateral } = uniaxialNeoHookean(lame(1e5, 0.4), goal);
  return {
    name: `stretch-${discretisation}`,
    quantity: 'stretch of a neo-Hookean bar under the force that belongs to 3 [1]',
    source: 'psi = mu/2 (I - 3) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2 with free sides, in closed form',
    run: () =>
      single(goal, 0.01, 5, async () => {
        const scene = withDiscretisation(validationScene('stretch'), discretisation);
        const pulled: Scene = {
          ...scene,
          constraints: scene.constraints.map((constraint, k) =>
            k === 0 ? constraint : { ...constraint, force: [force * side * side, 0, 0] },
          ),
        };
        const series = await runSeries(pulled);
        const ratio = (a: string, b: string, axis: 0 | 1) => {
          const distance = (k: number) => series.probes[a]!.at(k)![axis]! - series.probes[b]!.at(k)![axis]!;
          return distance(-1) / distance(0);
        };
        const sideways = ratio('high', 'low', 1);
        const error = ((100 * (sideways - lateral)) / lateral).toFixed(2);
        return { value: ratio('right', 'left', 0), note: `lateral stretch ${sideways.toFixed(4)}, ${error} %` };
      }),
  };
}

export const torsionCases: readonly ValidationCase[] = [
  torsion('quadratic', [{ across: 5 }, { across: 9, tolerance: 0.03 }, { across: 13, tolerance: 0.03, full: true }]),
  torsion('linear', [{ across: 5 }, { across: 9, tolerance: 0.05 }, { across: 13, tolerance: 0.05, full: true }]),
];
export const pressureCases: readonly ValidationCase[] = [pressure('quadratic'), pressure('linear')];
export const stretchCases: readonly ValidationCase[] = [stretch('quadratic'), stretch('linear')];
