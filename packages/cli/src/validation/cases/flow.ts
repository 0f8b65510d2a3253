/** Solids that flow far, with neighbours that change ([J14]). */
import { createWorld, type World } from 'phyxel';
import { type Reading, study, type ValidationCase } from '../case.js';

const SIDE = 0.1;
/** Height at the end over that at the start, from the lowest particles to the highest: its faces are four times as large then. */
const SQUASHED = 0.25;
/** [s] */
const DURATION = 0.5;

/** Determinant of the second moments of mass: an affine map multiplies it by the square of its own. */
function spread(world: World): number {
  const [positions, masses] = [world.positions(), world.masses()];
  const mean = [0, 0, 0];
  let total = 0;
  for (const [i, m] of masses.entries()) {
    total += m;
    for (let a = 0; a < 3; a++) mean[a]! += m * positions[4 * i + a]!;
  }
  const moments = new Float64Array(9);
  for (const [i, m] of masses.entries()) {
    if (m === 0) continue;
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) {
        moments[3 * a + b]! +=
          (m / total) * (positions[4 * i + a]! - mean[a]! / total) * (positions[4 * i + b]! - mean[b]! / total);
      }
    }
  }
  const [xx, xy, xz, , yy, yz, , , zz] = moments as unknown as number[];
  return xx! * (yy! * zz! - yz! * yz!) - xy! * (xy! * zz! - yz! * xz!) + xz! * (xy! * yz! - yy! * xz!);
}

/** Squashes a block between plates without friction; the volume at the end over that at the start. */
async function squash(across: number): Promise<Reading> {
  const world = await createWorld({ gravity: [0, 0, 0], threads: 'auto' });
  // Plates hold the centres of particles half a spacing away.
  const displacement = (1 - SQUASHED) * (SIDE - SIDE / across);
  try {
    const plate = { friction: 0 };
    world.addObstacle({ ...plate, name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } } });
    world.addObstacle({
      ...plate,
      name: 'press',
      shape: { plane: { normal: [0, -1, 0], offset: -SIDE } },
      keyframes: [{ time: 0 }, { time: DURATION, position: [0, -displacement, 0] }],
    });
    world.addBody({
      name: 'block',
      shape: { box: { size: [SIDE, SIDE, SIDE] } },
      position: [0, SIDE / 2, 0],
      spacing: SIDE / across,
      discretisation: 'renewed',
      // Hard and viscous enough to flow evenly: without that it gives way where the press is.
      material: {
        density: 1000,
        youngsModulus: 1e5,
        poissonsRatio: 0.4,
        yieldStress: 500,
        hardening: 500,
        viscosity: 30,
        friction: 0,
      },
    });
    const start = spread(world);
    const { splits, merges } = world.step(DURATION).flow!;
    const strains = world.plasticStrains().filter((_, i) => world.masses()[i]! > 0);
    const mean = strains.reduce((sum, x) => sum + x, 0) / strains.length;
    return {
      value: Math.sqrt(spread(world) / start),
      note: `plastic strain ${mean.toFixed(2)} on average; ${splits} particles split, ${merges} merged`,
    };
  } finally {
    await world.dispose();
  }
}

export const flowCases: readonly ValidationCase[] = [
  {
    name: 'volume-flow',
    quantity:
      'volume of a block squashed to a quarter of its height, by the places of its particles, over that at the start [1]',
    source: '[J14] fig. 9: plastic flow keeps the volume; measured by the second moments of mass',
    run: (full) =>
      study(
        {
          reference: 1,
          resolutions: [
            { across: 8, tolerance: 0.02 },
            { across: 12, tolerance: 0.02, full: true },
          ],
          measure: squash,
        },
        full,
      ),
  },
];
