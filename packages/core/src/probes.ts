import { add, cross, dot, scale, transform } from './math/matrix3.js';
import { OptionError } from './options/errors.js';
import type { ProbeOptions, Vec3 } from './options/types.js';
import * as layout from './particles/layout.js';
import { particlesIn } from './solvers/constraints/constraints.js';
import { ownInertia } from './solvers/rigid/inertia.js';
import type { World } from './world.js';
import type { BodyRecord, WorldModel } from './world-model.js';

/** [J] */
export interface Energy {
  readonly kinetic: number;
  readonly elastic: number;
  readonly gravitational: number;
  readonly total: number;
}

/** Sums over the world, from the bodies' sums in their own frames. */
export function worldSums(model: WorldModel, gravity: Vec3): { energy: Energy; momentum: Vec3; angularMomentum: Vec3 } {
  const { store, elastic } = model;
  store.computeMeasures();
  store.run('computeBodySums', store.bodies, 1);
  const sums = store.engine.arena.f64(store.address(layout.BLOCK_SUMS), layout.SUMS * store.bodies);
  let kinetic = 0;
  let elasticEnergy = 0;
  let gravitational = 0;
  let momentum: Vec3 = [0, 0, 0];
  let angularMomentum: Vec3 = [0, 0, 0];
  for (const [b, { rotation, origin }] of elastic.frames.entries()) {
    const s = sums.subarray(layout.SUMS * b, layout.SUMS * (b + 1));
    const mass = s[0]!;
    const motion = elastic.rigid.motions[b];
    if (motion) {
      kinetic += motion.kineticEnergy;
      gravitational -= motion.properties.mass * dot(gravity, motion.position);
      momentum = add(momentum, motion.momentum);
      angularMomentum = add(angularMomentum, add(motion.angularMomentum, cross(motion.position, motion.momentum)));
      continue;
    }
    const p = transform(rotation, [s[4]!, s[5]!, s[6]!]);
    const moment = add(transform(rotation, [s[1]!, s[2]!, s[3]!]), scale(origin, mass));
    kinetic += s[10]!;
    elasticEnergy += s[20]!;
    gravitational -= gravity[0] * moment[0] + gravity[1] * moment[1] + gravity[2] * moment[2];
    momentum = add(momentum, p);
    angularMomentum = add(angularMomentum, add(transform(rotation, [s[7]!, s[8]!, s[9]!]), cross(origin, p)));
  }
  const energy = { kinetic, elastic: elasticEnergy, gravitational, total: kinetic + elasticEnergy + gravitational };
  return { energy, momentum, angularMomentum };
}

/** Measures a quantity over the particles that a probe selects; vectors and intensive ones are means by mass. */
export function measureProbe(
  world: World,
  model: WorldModel,
  bodies: readonly BodyRecord[],
  probe: ProbeOptions,
  selections: Map<string, Uint32Array>,
  where: string,
): number[] {
  const key = JSON.stringify([probe.body, probe.region]);
  let chosen = selections.get(key);
  if (!chosen) {
    const parts = bodies.flatMap((body, b) =>
      probe.body === undefined || body.options.name === probe.body
        ? [...particlesIn(model.store.vectors(layout.REST), model.ranges[b]!, body.initial, probe.region)]
        : [],
    );
    if (parts.length === 0)
      throw new OptionError([{ path: where, message: `of "${probe.name}" holds no particle at time 0` }]);
    chosen = Uint32Array.from(parts);
    selections.set(key, chosen);
  }
  const inverse = model.store.vectors(layout.GRADIENT_SUM);
  const bodyOf = model.store.integers(layout.BODY_OF, model.store.count);
  const masses = Array.from(chosen, (i) => 1 / inverse[4 * i + 3]!);
  const total = masses.reduce((sum, m) => sum + m, 0);
  const particles = chosen;
  const sumVector = (at: (i: number) => Vec3): Vec3 => {
    const sum: [number, number, number] = [0, 0, 0];
    particles.forEach((i, k) => {
      const v = at(i);
      for (let a = 0; a < 3; a++) sum[a]! += masses[k]! * v[a]!;
    });
    return sum;
  };
  const sumScalar = (at: (i: number, mass: number) => number): number =>
    particles.reduce((sum, i, k) => sum + at(i, masses[k]!), 0);
  const vectorOf =
    (data: Float32Array) =>
    (i: number): Vec3 => [data[4 * i]!, data[4 * i + 1]!, data[4 * i + 2]!];
  const position = () => vectorOf(world.positions());
  const velocity = () => vectorOf(world.velocities());

  /** Angular momentum of a particle's own cell, which matters where it turns as a whole: in rigid bodies. */
  const turning = (i: number): Vec3 => {
    const motion = model.elastic.rigid.motions[bodyOf[i]!];
    return motion ? scale(motion.spin, ownInertia(model.store, i)) : [0, 0, 0];
  };
  const kinetic = () => {
    const v = velocity();
    return sumScalar((i, m) => {
      const spin = model.elastic.rigid.motions[bodyOf[i]!]?.spin ?? [0, 0, 0];
      return (m / 2) * (v(i).reduce((s, x) => s + x * x, 0) + dot(spin, turning(i)));
    });
  };
  const stored = () => {
    const e = world.elasticEnergies();
    return sumScalar((i) => e[i]!);
  };
  const weight = () => {
    const x = sumVector(position());
    return -(world.gravity[0] * x[0] + world.gravity[1] * x[1] + world.gravity[2] * x[2]);
  };
  const volume = () => {
    const j = world.volumeRatios();
    const elastic = model.store.vectors(layout.ELASTIC);
    return sumScalar((i) => {
      const b = bodyOf[i]!;
      // What a clamp holds keeps its volume; the rest of a cell is all that is elastic.
      const whole = bodies[b]!.samples.volume[i - model.ranges[b]!.begin]!;
      return whole + elastic[4 * i + 3]! * (j[i]! - 1);
    });
  };
  switch (probe.quantity) {
    case 'position':
      return [...scale(sumVector(position()), 1 / total)];
    case 'displacement': {
      const x = position();
      const rest = vectorOf(model.store.vectors(layout.REST));
      const start = (i: number): Vec3 => {
        const { rotation, origin } = bodies[bodyOf[i]!]!.initial;
        return add(transform(rotation, rest(i)), origin);
      };
      return [
        ...scale(
          sumVector((i) => add(x(i), scale(start(i), -1))),
          1 / total,
        ),
      ];
    }
    case 'velocity':
      return [...scale(sumVector(velocity()), 1 / total)];
    case 'momentum':
      return [...sumVector(velocity())];
    case 'angularMomentum': {
      const x = position();
      const v = velocity();
      return [...sumVector((i) => add(cross(x(i), v(i)), turning(i)))];
    }
    case 'kineticEnergy':
      return [kinetic()];
    case 'elasticEnergy':
      return [stored()];
    case 'gravitationalEnergy':
      return [weight()];
    case 'energy':
      return [kinetic() + stored() + weight()];
    case 'volume':
      return [volume()];
    case 'density':
      return [total / volume()];
    case 'stress': {
      const s = world.stresses();
      return [sumScalar((i, m) => m * s[i]!) / total];
    }
    case 'maximumSpeed': {
      const v = velocity();
      return [
        Math.sqrt(
          particles.reduce(
            (largest, i) =>
              Math.max(
                largest,
                v(i).reduce((s, x) => s + x * x, 0),
              ),
            0,
          ),
        ),
      ];
    }
  }
}
