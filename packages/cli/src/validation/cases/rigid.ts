/** Rigid bodies: a pendulum, a tower, a box that tumbles, and what rolls. */
import { single, type ValidationCase } from '../case.js';
import { runSeries, validationScene } from '../measure.js';
import { freeTop } from '../theory.js';

const PENDULUM = { length: 0.5, thickness: 0.05, rate: 0.3 };

/** Of small swings, and the first term of what larger ones add: 1/16 of the squared amplitude [s]. */
function pendulumPeriod({ length, thickness, rate }: typeof PENDULUM): number {
  const inertia = (length ** 2 + thickness ** 2) / 12 + length ** 2 / 4;
  const pull = (9.81 * length) / 2;
  return 2 * Math.PI * Math.sqrt(inertia / pull) * (1 + (rate ** 2 * inertia) / pull / 16);
}

const TOWER = { boxes: 10, side: 0.1, across: 5, density: 1000, youngsModulus: 3e7, poissonsRatio: 0.3 };

/** Centre of the uppermost box when each contact of balls of half a spacing carries its share of what is above [m]. */
function towerHeight({ boxes, side, across, density, youngsModulus, poissonsRatio }: typeof TOWER): number {
  const radius = side / across / 2;
  const modulus = youngsModulus / (1 - poissonsRatio ** 2);
  const weight = density * side ** 3 * 9.81;
  let height = (boxes - 0.5) * side;
  for (let above = 1; above <= boxes; above++) {
    const onFloor = above === boxes;
    const k = (4 / 3) * (onFloor ? modulus * Math.sqrt(radius) : (modulus / 2) * Math.sqrt(radius / 2));
    height -= ((above * weight) / across ** 2 / k) ** (2 / 3);
  }
  return height;
}

const TUMBLING = { size: [0.4, 0.2, 0.1], spin: [1, 20, 2], time: 5 } as const;

/** Angle between the axes of the box and those of Euler's equations [rad]. */
async function tumblingError({ size: [a, b, c], spin, time }: typeof TUMBLING): Promise<number> {
  const axes = freeTop([b * b + c * c, a * a + c * c, a * a + b * b], spin, time, 100_000);
  const { probes } = await runSeries(validationScene('tumbling'));
  const errors = [probes.x!, probes.y!, probes.z!].map((rows, k) => {
    const arm = rows.at(-1)!;
    const length = Math.hypot(...arm);
    return Math.hypot(...arm.map((x, row) => x / length - axes[k]![row]!));
  });
  return Math.max(...errors);
}

/** Acceleration of what rolls down an incline of 20 degrees, with a share of that of what slides without friction. */
function rollingCase(name: 'ball' | 'cylinder', share: number, source: string): ValidationCase {
  return {
    name: `rolling-${name}`,
    quantity: `acceleration of a ${name} that rolls down 20 degrees, solver.rigid rapier [m/s2]`,
    source,
    run: () =>
      single(share * 9.81 * Math.sin(Math.PI / 9), 0.02, 16, async () => {
        const { time, probes } = await runSeries(validationScene('rolling'));
        const [start, end] = [probes[name]![0]!, probes[name]!.at(-1)!];
        return (2 * Math.hypot(...end.map((x, a) => x - start[a]!))) / time.at(-1)! ** 2;
      }),
  };
}

export const rigidCases: readonly ValidationCase[] = [
  {
    name: 'pendulum',
    quantity: 'period of a rigid bar on a hinge [s]',
    source: 'physical pendulum, 2 pi sqrt(J / (m g l)), with the first term of its amplitude',
    run: () =>
      single(pendulumPeriod(PENDULUM), 1e-3, 2, async () => {
        const { time, probes } = await runSeries(validationScene('pendulum'));
        const side = probes.centre!.map((row) => row[0]!);
        const crossings: number[] = [];
        for (let k = 1; k < side.length; k++) {
          const [before, now] = [side[k - 1]!, side[k]!];
          if (before < 0 && now >= 0) crossings.push(time[k]! - ((time[k]! - time[k - 1]!) * now) / (now - before));
        }
        return (crossings.at(-1)! - crossings[0]!) / (crossings.length - 1);
      }),
  },
  {
    name: 'tower',
    quantity: 'height of a tower of ten rigid boxes after 10 s, less the farthest that a box has moved since 1 s [m]',
    source: 'Hertz, sum of (n m g / (N k))^(2/3) over the contacts; it stands still',
    run: () =>
      // A thousandth of a box's side.
      single(towerHeight(TOWER), (1e-3 * TOWER.side) / towerHeight(TOWER), TOWER.across, async () => {
        const { time, probes } = await runSeries(validationScene('tower'));
        const from = time.findIndex((t) => t >= 1 - 1e-9);
        let moved = 0;
        for (const [name, rows] of Object.entries(probes)) {
          if (!name.startsWith('box')) continue;
          const start = rows[from]!;
          for (const row of rows.slice(from)) moved = Math.max(moved, Math.hypot(...row.map((x, a) => x - start[a]!)));
        }
        return {
          value: probes.box9!.at(-1)![1]! - moved,
          note: `moved by ${(1e6 * moved).toPrecision(2)} um, fastest at the end ${probes.fastest!.at(-1)![0]!.toPrecision(2)} m/s`,
        };
      }),
  },
  {
    name: 'tumbling',
    quantity: '1 less the angle [rad] that the axes of a free box are off after 5 s, 20 rad/s about its middle axis',
    source: "Euler's equations of the free top, integrated in steps of 0.05 ms",
    // 0.1 degrees.
    run: () => single(1, Math.PI / 1800, 2, async () => 1 - (await tumblingError(TUMBLING))),
  },
  rollingCase('ball', 5 / 7, 'Galilei, g sin / (1 + J / (m r^2)) with J = 2/5 m r^2'),
  rollingCase('cylinder', 2 / 3, 'the same with J = m r^2 / 2'),
];
