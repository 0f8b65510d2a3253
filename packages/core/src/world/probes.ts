import {
  add,
  cross,
  dot,
  type Matrix3,
  multiply,
  rotationVector,
  scale,
  subtract,
  transform,
  transpose,
} from '../math/matrix3.js';
import { OptionError } from '../options/errors.js';
import { probeQuantities } from '../options/parameters.js';
import { parsePieceName } from '../options/piece-name.js';
import type { ProbeOptions, Region, Vec3 } from '../options/types.js';
import { isRenewed } from '../particles/body-range.js';
import * as fluidLayout from '../particles/fluid-layout.js';
import type { FluidStore } from '../particles/fluid-store.js';
import { nearestRotation } from '../particles/frame.js';
import * as layout from '../particles/layout.js';
import { isInside, particlesIn } from '../solvers/constraints/constraints.js';
import { inverseOf, ownInertia } from '../solvers/rigid/inertia.js';
import { measureGauge, measureSection } from './gauges.js';
import type { BodyRecord, WorldModel } from './model.js';
import { MATRIX, principalValues, SYMMETRIC } from './tensors.js';

/** [J] */
export interface Energy {
  readonly kinetic: number;
  readonly elastic: number;
  readonly gravitational: number;
  readonly total: number;
}

export interface WorldSums {
  readonly energy: Energy;
  /** [kg m/s] */
  readonly momentum: Vec3;
  /** About the origin [kg m2/s]. */
  readonly angularMomentum: Vec3;
}

/** Sums over the world, from the bodies' sums in their own frames. */
export function worldSums(model: WorldModel, gravity: Vec3): WorldSums {
  const { store, elastic, fluid } = model;
  if (store.count > 0) {
    store.computeMeasures();
    store.run('computeBodySums', store.rows, 1);
  }
  const sums = store.engine.arena.f64(store.address(layout.BLOCK_SUMS), layout.SUMS * store.rows);
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
  if (fluid) {
    const liquid = sumsOf(fluid.store);
    kinetic += liquid.kinetic;
    if (fluid.elastic) elasticEnergy += fluid.elastic.energy();
    gravitational -= gravity[0] * liquid.moment[0] + gravity[1] * liquid.moment[1] + gravity[2] * liquid.moment[2];
    momentum = add(momentum, liquid.momentum);
    angularMomentum = add(angularMomentum, liquid.angularMomentum);
  }
  const energy = { kinetic, elastic: elasticEnergy, gravitational, total: kinetic + elasticEnergy + gravitational };
  return { energy, momentum, angularMomentum };
}

/** Kinetic energy, first moment of mass and momenta of particles that have world positions, in double precision. */
function sumsOf(store: FluidStore): { kinetic: number; moment: Vec3; momentum: Vec3; angularMomentum: Vec3 } {
  const x = store.floats(fluidLayout.POSITION, 4 * store.count);
  const v = store.floats(fluidLayout.VELOCITY, 4 * store.count);
  let kinetic = 0;
  let [mx, my, mz] = [0, 0, 0];
  let [px, py, pz] = [0, 0, 0];
  let [lx, ly, lz] = [0, 0, 0];
  for (let i = 0; i < x.length; i += 4) {
    const mass = 1 / x[i + 3]!;
    const qx = mass * v[i]!;
    const qy = mass * v[i + 1]!;
    const qz = mass * v[i + 2]!;
    kinetic += 0.5 * (qx * v[i]! + qy * v[i + 1]! + qz * v[i + 2]!);
    px += qx;
    py += qy;
    pz += qz;
    mx += mass * x[i]!;
    my += mass * x[i + 1]!;
    mz += mass * x[i + 2]!;
    lx += x[i + 1]! * qz - x[i + 2]! * qy;
    ly += x[i + 2]! * qx - x[i]! * qz;
    lz += x[i]! * qy - x[i + 1]! * qx;
  }
  return { kinetic, moment: [mx, my, mz], momentum: [px, py, pz], angularMomentum: [lx, ly, lz] };
}

/** What probes read of a world: a value for every particle. */
type Probed = { readonly gravity: Vec3 } & Record<
  | 'masses'
  | 'positions'
  | 'velocities'
  | 'elasticEnergies'
  | 'volumeRatios'
  | 'densities'
  | 'stresses'
  | 'stressTensors'
  | 'strainTensors'
  | 'velocityGradients'
  | 'plasticStrains'
  | 'damages'
  | 'pieces'
  | 'pressures'
  | 'temperatures'
  | 'heats'
  | 'liquidFractions',
  () => ArrayLike<number>
>;

/** Measures a quantity over the particles that a probe selects; vectors and intensive ones are means by mass. */
export function measureProbe(
  world: Probed,
  model: WorldModel,
  bodies: readonly BodyRecord[],
  probe: ProbeOptions,
  selections: Map<string, Uint32Array>,
  where: string,
): number[] {
  const { at } = probe;
  if (at) return measureGauge(world, model, bodies, { ...probe, at });
  if (probe.along || probe.through) return measureSection(world, model, bodies, probe);
  const named = probe.body === undefined ? undefined : parsePieceName(probe.body);
  const body = named?.body ?? probe.body;
  const isNow = probe.regionTime === 'now';
  // Of all that there is, now and at time 0.
  const region: Region = isNow ? { all: true } : probe.region;
  const key = JSON.stringify([body, region]);
  let chosen = selections.get(key);
  if (!chosen) {
    const parts = bodies.flatMap(({ options, samples, initial }, b) =>
      body === undefined || options.name === body
        ? [...particlesIn(samples.rest, { begin: 0, end: samples.count }, initial, region)].map(
            (i) => i + model.locations[b]!.begin,
          )
        : [],
    );
    if (parts.length === 0)
      throw new OptionError([{ path: where, message: `of "${probe.name}" holds no particle at time 0` }]);
    chosen = Uint32Array.from(parts);
    selections.set(key, chosen);
  }
  const everyMass = world.masses();
  // Positions that no particle has taken weigh nothing and count for nothing.
  let particles = chosen.filter((i) => everyMass[i]! > 0);
  if (named) {
    const labels = world.pieces();
    particles = particles.filter((i) => labels[i] === named.piece);
  }
  if (isNow) {
    const x = world.positions();
    particles = particles.filter((i) => isInside(probe.region, [x[4 * i]!, x[4 * i + 1]!, x[4 * i + 2]!]));
  }
  // A piece that has not broken off yet, or what is not in a region now, is nowhere.
  if ((named || isNow) && particles.length === 0) {
    return new Array<number>(probeQuantities[probe.quantity].components).fill(Number.NaN);
  }
  const masses = Array.from(particles, (i) => everyMass[i]!);
  const total = Math.max(
    masses.reduce((sum, m) => sum + m, 0),
    Number.MIN_VALUE,
  );
  const bodyOf = (i: number) => model.locations.findIndex(({ end }) => i < end);
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
    (data: ArrayLike<number>) =>
    (i: number): Vec3 => [data[4 * i]!, data[4 * i + 1]!, data[4 * i + 2]!];
  const position = () => vectorOf(world.positions());
  const velocity = () => vectorOf(world.velocities());

  /** Angular momentum of a particle's own cell, which matters where it turns as a whole: in rigid bodies. */
  const turning = (i: number): Vec3 => {
    const { liquid, index, begin } = model.locations[bodyOf(i)]!;
    const motion = liquid ? undefined : model.elastic.rigid.motions[index];
    return motion ? scale(motion.spin, ownInertia(model.store, i - begin + model.ranges[index]!.begin)) : [0, 0, 0];
  };
  const spinOf = (i: number): Vec3 => {
    const { liquid, index } = model.locations[bodyOf(i)]!;
    return (liquid ? undefined : model.elastic.rigid.motions[index]?.spin) ?? [0, 0, 0];
  };
  const kinetic = () => {
    const v = velocity();
    return sumScalar((i, m) => (m / 2) * (v(i).reduce((s, x) => s + x * x, 0) + dot(spinOf(i), turning(i))));
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
      const b = bodyOf(i);
      const { liquid, index, begin } = model.locations[b]!;
      if (!liquid && isRenewed(model.store, index))
        return elastic[4 * (i - begin + model.ranges[index]!.begin) + 3]! * j[i]!;
      const whole = bodies[b]!.samples.volume[i - begin]!;
      if (liquid) return whole * j[i]!;
      // What a clamp holds keeps its volume; the rest of a cell is all that is elastic.
      return whole + elastic[4 * (i - begin + model.ranges[index]!.begin) + 3]! * (j[i]! - 1);
    });
  };
  /** Where particles began. */
  const startOf = () => {
    const ancestors = model.elastic.renewal?.ancestors();
    return (i: number): Vec3 => {
      const b = bodyOf(i);
      const { samples, initial } = bodies[b]!;
      const { liquid, index, begin } = model.locations[b]!;
      const first = liquid ? 0 : model.ranges[index]!.begin;
      // What has split off began where it split off from.
      const from = (liquid ? undefined : ancestors?.get(first + i - begin)) ?? first + i - begin;
      return add(transform(initial.rotation, vectorOf(samples.rest)(from - first)), initial.origin);
    };
  };
  /** The rigid body that all chosen particles belong to. */
  const rigidBody = () => {
    const b = bodyOf(particles[0] ?? 0);
    const { liquid, index, end } = model.locations[b]!;
    const motion = liquid || (particles.at(-1) ?? 0) >= end ? undefined : model.elastic.rigid.motions[index];
    return motion && { motion, initial: bodies[b]!.initial };
  };
  /** Arms from the centre of mass of positions of the particles. */
  const armsOf = (position: (i: number) => Vec3): ((i: number) => Vec3) => {
    const centre = scale(sumVector(position), 1 / total);
    return (i) => subtract(position(i), centre);
  };
  const orientation = (): Vec3 => {
    const rigid = rigidBody();
    if (rigid) return rotationVector(multiply(rigid.motion.frame.rotation, transpose(rigid.initial.rotation)));
    const [now, before] = [armsOf(position()), armsOf(startOf())];
    const moments = new Array<number>(9).fill(0);
    particles.forEach((i, k) => {
      const [a, b] = [now(i), before(i)];
      for (let e = 0; e < 9; e++) moments[e]! += masses[k]! * a[Math.floor(e / 3)]! * b[e % 3]!;
    });
    return rotationVector(nearestRotation(moments as unknown as Matrix3));
  };
  const angularVelocity = (): Vec3 => {
    const rigid = rigidBody();
    if (rigid) return rigid.motion.spin;
    const [arm, v] = [armsOf(position()), velocity()];
    const inertia = new Array<number>(9).fill(0);
    particles.forEach((i, k) => {
      const r = arm(i);
      for (let e = 0; e < 9; e++) {
        const [a, b] = [Math.floor(e / 3), e % 3];
        inertia[e]! += masses[k]! * ((a === b ? dot(r, r) : 0) - r[a]! * r[b]!);
      }
    });
    return transform(
      inverseOf(inertia as unknown as Matrix3),
      sumVector((i) => cross(arm(i), v(i))),
    );
  };
  const mean = (data: ArrayLike<number>, components: number) =>
    Array.from({ length: components }, (_, c) => sumScalar((i, m) => m * data[components * i + c]!) / total);
  const density = (mass: number, space: number) => (space > 0 ? mass / space : 0);
  switch (probe.quantity) {
    case 'position':
      return [...scale(sumVector(position()), 1 / total)];
    case 'displacement': {
      const x = position();
      const start = startOf();
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
    case 'orientation':
      return [...orientation()];
    case 'angularVelocity':
      return [...angularVelocity()];
    case 'massFlow':
    case 'volumeFlow':
    case 'contactForce':
    case 'reaction':
    case 'height':
      throw new OptionError([{ path: where, message: 'is missing: height is measured above a point' }]);
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
      return [density(total, volume())];
    case 'stress': {
      const s = world.stresses();
      return [sumScalar((i, m) => m * s[i]!) / total];
    }
    case 'stressTensor':
      return mean(world.stressTensors(), SYMMETRIC);
    case 'principalStress':
      return principalValues(mean(world.stressTensors(), SYMMETRIC));
    case 'strainTensor':
      return mean(world.strainTensors(), SYMMETRIC);
    case 'principalStrain':
      return principalValues(mean(world.strainTensors(), SYMMETRIC));
    case 'velocityGradient':
      return mean(world.velocityGradients(), MATRIX);
    case 'plasticStrain': {
      const s = world.plasticStrains();
      return [sumScalar((i, m) => m * s[i]!) / total];
    }
    case 'damage': {
      const d = world.damages();
      return [sumScalar((i, m) => m * d[i]!) / total];
    }
    case 'pieces': {
      const labels = world.pieces();
      return [new Set(Array.from(particles, (i) => `${bodyOf(i)} ${labels[i]}`)).size];
    }
    case 'pressure': {
      const p = world.pressures();
      return [sumScalar((i, m) => m * p[i]!) / total];
    }
    case 'temperature': {
      const t = world.temperatures();
      return [sumScalar((i, m) => m * t[i]!) / total];
    }
    case 'heat': {
      const h = world.heats();
      return [sumScalar((i) => h[i]!)];
    }
    case 'liquidFraction': {
      const f = world.liquidFractions();
      return [sumScalar((i, m) => m * f[i]!) / total];
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
