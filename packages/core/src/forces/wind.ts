import { length } from '../math/matrix3.js';
import { sineCosine } from '../math/trigonometry.js';
import { LARGEST, number, object, vector } from '../options/declare.js';
import type { Force } from './force.js';

const schema = object(
  {
    velocity: vector({
      unit: 'm/s',
      default: [0, 0, 0],
      magnitude: 1e6,
      text: 'Velocity of the air; still air when left out.',
    }),
    density: number({
      unit: 'kg/m3',
      above: 0,
      atMost: LARGEST,
      default: 1.2,
      slider: { from: 0.1, to: 10, scale: 'logarithmic' },
      text: 'Density of the air.',
    }),
    drag: number({
      unit: '1',
      atLeast: 0,
      atMost: 1e6,
      default: 1,
      slider: { from: 0, to: 2, scale: 'linear' },
      text: 'Drag coefficient: a ball has about 0.5, a plate across the wind 1.2.',
    }),
    gusts: object(
      {
        strength: number({
          unit: '1',
          atLeast: 0,
          atMost: 1,
          default: 0.5,
          slider: { from: 0, to: 1, scale: 'linear' },
          text: 'Largest change of the speed, as a share of it.',
        }),
        period: number({
          unit: 's',
          above: 0,
          smallest: 1e-3,
          atMost: 1e6,
          default: 2,
          slider: { from: 0.1, to: 10, scale: 'logarithmic' },
          text: 'Time from one gust to the next.',
        }),
      },
      { id: 'Gusts', text: 'The speed of the wind rises and falls as a sine, and gusts travel with the wind.' },
    ).optional(),
  },
  { id: 'Wind', text: 'Air that drags everything that moves: 1/2 density drag v^2 for each area across it.' },
);

/**
 * Drag of the air, 1/2 rho C |r| r on every windward area across r, the velocity of the air relative to the particle.
 * The areas of a convex body add up to its cross-section, so its drag is 1/2 rho C A |r|^2 at any resolution.
 *
 * A particle on its own that is dragged so follows r(t) = r / (1 + k |r| t / m), k = 1/2 rho C A. The force is the mean of
 * that over the step, (r - r(dt)) m / dt = k |r| r / (1 + k |r| dt / m): however light the particle, r keeps its sign.
 */
export const wind: Force<typeof schema> = {
  schema,
  reach: 'surface',
  act({ count, positions, velocities, areas, forces }, { velocity, density, drag, gusts }, time, dt) {
    const half = 0.5 * density * drag;
    const speed = length(velocity);
    // Gusts travel with the wind: what is downwind meets them later.
    const perTime = gusts && speed > 0 ? (2 * Math.PI) / gusts.period : 0;
    const later = speed > 0 ? perTime / (speed * speed) : 0;
    const [wx, wy, wz] = velocity;
    for (let i = 0; i < 4 * count; i += 4) {
      const ax = areas[i]!;
      const ay = areas[i + 1]!;
      const az = areas[i + 2]!;
      const alone = areas[i + 3]!;
      if (alone === 0 && ax === 0 && ay === 0 && az === 0) continue;
      let share = 1;
      if (gusts && perTime > 0) {
        const along = positions[i]! * wx + positions[i + 1]! * wy + positions[i + 2]! * wz;
        share += gusts.strength * sineCosine(perTime * time - later * along).sine;
      }
      const rx = share * wx - velocities[i]!;
      const ry = share * wy - velocities[i + 1]!;
      const rz = share * wz - velocities[i + 2]!;
      // Windward: the surface looks against r. Area across r, times |r|.
      const windward = Math.max(0, -(ax * rx + ay * ry + az * rz));
      const across = windward + alone * Math.sqrt(rx * rx + ry * ry + rz * rz);
      const rate = half * across;
      // Nothing limits the first step of what is at rest in still air: it may be endless.
      if (rate === 0) continue;
      const force = rate / (1 + rate * dt * positions[i + 3]!);
      forces[i]! += force * rx;
      forces[i + 1]! += force * ry;
      forces[i + 2]! += force * rz;
    }
  },
};
