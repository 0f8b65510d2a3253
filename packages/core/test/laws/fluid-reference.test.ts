import { describe, expect, it } from 'vitest';
import { type BoundaryState, type FluidState, ReferenceFluid } from '../../reference/fluid.js';
import { cubicSpline } from '../../reference/kernels.js';
import { randomNumbers } from './support.js';

const SPACING = 0.1;
const H = 0.2;

type Triple = [number, number, number];

/** Particles of an irregular lattice for which `keep` holds. */
function lattice(sides: number, jitter: number, keep: (x: Triple) => boolean, seed = 1): Triple[] {
  const random = randomNumbers(seed);
  const points: Triple[] = [];
  const middle = (sides - 1) / 2;
  for (let k = 0; k < sides; k++) {
    for (let j = 0; j < sides; j++) {
      for (let i = 0; i < sides; i++) {
        const x = [i, j, k].map((n) => SPACING * (n - middle + 2 * jitter * (random() - 0.5))) as Triple;
        if (keep(x)) points.push(x);
      }
    }
  }
  return points;
}

/** Two phases of different masses, volumes and velocities that have no order, above a wall. */
function splash(): FluidState & { boundary: BoundaryState } {
  const random = randomNumbers(5);
  const points = lattice(6, 0.3, (x) => x[1] > -0.15);
  const walls = lattice(6, 0.1, (x) => x[1] < -0.15, 9);
  const noise = (count: number, least: number, most: number) =>
    Float64Array.from({ length: count }, () => least + (most - least) * random());
  return {
    positions: Float64Array.from(points.flat()),
    velocities: noise(3 * points.length, -1, 1),
    volumes: noise(points.length, 0.7e-3, 1.2e-3),
    masses: noise(points.length, 0.5, 2),
    phases: points.map((x) => (x[0] > 0.02 ? 1 : 0)),
    boundary: {
      positions: Float64Array.from(walls.flat()),
      velocities: noise(3 * walls.length, -1, 1),
      volumes: noise(walls.length, 0.5e-3, 1.5e-3),
      adhesions: noise(walls.length, 0, 1),
    },
    support: H,
  };
}

const state = splash();
const fluid = new ReferenceFluid(state);
const random = randomNumbers(11);
const noise = (least: number, most: number) =>
  Float64Array.from({ length: fluid.count }, () => least + (most - least) * random());
const pressures = noise(-100, 300);
const viscosities = noise(0.1, 3);
/** Strength of the attraction within each phase [N]. */
const strengths = [0.7, 1.9];

function sum(vectors: Float64Array): Triple {
  const total: Triple = [0, 0, 0];
  vectors.forEach((x, k) => {
    total[k % 3]! += x;
  });
  return total;
}

function torque(positions: Float64Array, forces: Float64Array): Triple {
  const total: Triple = [0, 0, 0];
  for (let i = 0; i < positions.length; i += 3) {
    for (let a = 0; a < 3; a++) {
      const b = (a + 1) % 3;
      const c = (a + 2) % 3;
      total[a]! += positions[i + b]! * forces[i + c]! - positions[i + c]! * forces[i + b]!;
    }
  }
  return total;
}

function largest(values: Iterable<number>): number {
  let most = 0;
  for (const x of values) most = Math.max(most, Math.abs(x));
  return most;
}

/** The same state with positions moved along the velocities for a time [s]. */
function moved(time: number): ReferenceFluid {
  const drift = (x: Float64Array, v: Float64Array) => x.map((value, k) => value + time * v[k]!);
  return new ReferenceFluid({
    ...state,
    positions: drift(state.positions, state.velocities),
    boundary: { ...state.boundary, positions: drift(state.boundary.positions, state.boundary.velocities) },
  });
}

it('the density ratio is the sum of the kernel over all particles', () => {
  const s = fluid.densityRatios();
  for (const i of [0, 40, 99]) {
    let direct = 0;
    for (const { positions, volumes } of [state, state.boundary]) {
      for (let j = 0; j < volumes.length; j++) {
        const r = Math.hypot(...[0, 1, 2].map((a) => state.positions[3 * i + a]! - positions[3 * j + a]!));
        direct += volumes[j]! * cubicSpline.value(r, H);
      }
    }
    expect(s[i]).toBeCloseTo(direct, 12);
  }
});

it('the density changes as its rate says', () => {
  const e = 1e-5;
  const before = moved(-e).densityRatios();
  const after = moved(e).densityRatios();
  // Central differences over 2e-5 s of rates of some 10 / s.
  fluid.densityRates().forEach((rate, i) => {
    expect(Math.abs((after[i]! - before[i]!) / (2 * e) - rate)).toBeLessThan(1e-5);
  });
});

it('the density changes in second order as moving straight on says', () => {
  const { boundary: _, ...open } = state;
  const at = (time: number) =>
    new ReferenceFluid({
      ...open,
      positions: open.positions.map((x, k) => x + time * open.velocities[k]!),
    }).densityRatios();
  // Third derivatives jump at the knot of the spline and at its end, so central differences are off by some 1e-4 / 0.1 of 100 / s2.
  const t = 1e-4;
  const [before, now, after] = [at(-t), at(0), at(t)];
  const second = now.map((s, i) => (before[i]! + after[i]! - 2 * s) / (2 * t * t));
  const foreseen = fluid.straightCompressions();
  const scale = largest(second);
  expect(scale).toBeGreaterThan(20);
  expect(largest(foreseen.map((e, i) => e - second[i]!)) / scale).toBeLessThan(2e-3);
});

it('the pressure factor is what the pressure of one particle does to its own density', () => {
  const alpha = fluid.pressureFactors();
  for (const i of [3, 17, 60, 101]) {
    const single = new Float64Array(fluid.count);
    single[i] = 250;
    const { fluid: forces } = fluid.pressureForces(single);
    const accelerated = new ReferenceFluid({
      ...state,
      velocities: forces.map((f, k) => f / state.masses[Math.floor(k / 3)]!),
      boundary: { ...state.boundary, velocities: state.boundary.velocities.map(() => 0) },
    });
    expect((accelerated.densityRates()[i]! * alpha[i]!) / -250).toBeCloseTo(1, 12);
  }
});

describe.each([
  ['pressure', () => fluid.pressureForces(pressures)],
  ['viscosity', () => fluid.viscousForces(viscosities)],
])('forces of %s', (_, evaluate) => {
  const forces = evaluate();
  const scale = largest(forces.fluid);

  it('keep momentum: fluid and walls sum to zero', () => {
    const total = sum(forces.fluid).map((f, a) => f + sum(forces.boundary)[a]!);
    expect(scale).toBeGreaterThan(0);
    // Rounding of some 5,000 pairs.
    expect(largest(total) / scale).toBeLessThan(1e-12);
  });

  it('keep angular momentum: they are central', () => {
    const wall = torque(state.boundary.positions, forces.boundary);
    const total = torque(state.positions, forces.fluid).map((t, a) => t + wall[a]!);
    expect(largest(total) / scale).toBeLessThan(1e-12);
  });
});

it('viscosity takes energy, and none from a rigid motion', () => {
  const still = {
    ...state,
    boundary: { ...state.boundary, velocities: state.boundary.velocities.map(() => 0) },
  };
  const { fluid: forces } = new ReferenceFluid(still).viscousForces(viscosities);
  expect(forces.reduce((power, f, k) => power + f * state.velocities[k]!, 0)).toBeLessThan(0);
  const rigid = (x: Float64Array) =>
    x.map((_, k) => {
      const i = k - (k % 3);
      return [0.3 - 2 * x[i + 1]!, 0.1 + 2 * x[i]! - x[i + 2]!, x[i + 1]!][k % 3]!;
    });
  const turning = new ReferenceFluid({
    ...state,
    velocities: rigid(state.positions),
    boundary: { ...state.boundary, velocities: rigid(state.boundary.positions) },
  });
  expect(largest(turning.viscousForces(viscosities).fluid)).toBeLessThan(1e-12);
});

describe('the energy of the surface', () => {
  const forces = fluid.surfaceForces(strengths, 0.5 / H);
  const scale = largest(forces);

  it('has the forces of its finite differences', () => {
    const e = 1e-6;
    for (const k of [0, 47, 100, 151, 290]) {
      const energy = (shift: number) => {
        const positions = state.positions.slice();
        positions[k]! += shift;
        return new ReferenceFluid({ ...state, positions }).surfaceEnergy(strengths, 0.5 / H);
      };
      expect(Math.abs(forces[k]! + (energy(e) - energy(-e)) / (2 * e)) / scale).toBeLessThan(1e-6);
    }
  });

  it('exerts no force and no torque on the whole', () => {
    expect(largest(sum(forces)) / scale).toBeLessThan(1e-12);
    expect(largest(torque(state.positions, forces)) / scale).toBeLessThan(1e-12);
  });
});

describe('the energy of cohesion', () => {
  const forces = fluid.cohesionForces(strengths);
  const scale = largest(forces.fluid);

  it('has the forces of its finite differences', () => {
    const e = 1e-6;
    for (const k of [0, 47, 100, 151, 290]) {
      const energy = (shift: number) => {
        const positions = state.positions.slice();
        positions[k]! += shift;
        return new ReferenceFluid({ ...state, positions }).cohesionEnergy(strengths);
      };
      expect(Math.abs(forces.fluid[k]! + (energy(e) - energy(-e)) / (2 * e)) / scale).toBeLessThan(1e-7);
    }
  });

  it('exerts no force and no torque on liquid and walls together', () => {
    const wall = torque(state.boundary.positions, forces.boundary);
    expect(largest(sum(forces.fluid).map((f, a) => f + sum(forces.boundary)[a]!)) / scale).toBeLessThan(1e-12);
    expect(largest(torque(state.positions, forces.fluid).map((t, a) => t + wall[a]!)) / scale).toBeLessThan(1e-12);
  });

  it('makes a cigar rounder', () => {
    const points = lattice(11, 0, ([x, y, z]) => (x / 0.52) ** 2 + (y / 0.27) ** 2 + (z / 0.27) ** 2 < 1);
    const cigar = new ReferenceFluid({
      positions: Float64Array.from(points.flat()),
      velocities: new Float64Array(3 * points.length),
      volumes: new Float64Array(points.length).fill(SPACING ** 3),
      masses: new Float64Array(points.length).fill(1),
      phases: points.map(() => 0),
      support: H,
    });
    const { fluid: pull } = cigar.cohesionForces([1]);
    // Power in the flow (-x, y/2, z/2), which shortens it and keeps volumes.
    const power = pull.reduce((total, f, k) => total + f * points.flat()[k]! * [-1, 0.5, 0.5][k % 3]!, 0);
    expect(power).toBeGreaterThan(0);
  });

  it('of a flat surface is the tension that R. H. Fowler finds in a continuum, twice over where a block is cut', () => {
    // Parting a fine lattice (h = 8 spacings) takes the energy of the pairs across the cut, 2 sigma per area.
    const n = 8;
    let across = 0;
    for (let x = -n; x <= n; x++) {
      for (let y = -n; y <= n; y++) {
        for (let z = 1; z <= n; z++) {
          // z pairs of layers are z apart across the cut.
          const pair = new ReferenceFluid({
            positions: Float64Array.of(0, 0, 0, x, y, z),
            velocities: new Float64Array(6),
            volumes: Float64Array.of(1, 1),
            masses: Float64Array.of(1, 1),
            phases: [0, 0],
            support: n,
          });
          across -= z * pair.cohesionEnergy([1]);
        }
      }
    }
    // pi/8 n^2 A integral of c(r/h) r^4 dr = pi/8 h^5 8/165. Sums over layers lack about 1 / n^2 of integrals.
    expect(Math.abs(across / 2 / ((Math.PI / 165) * n ** 5) - 1)).toBeLessThan(1 / n ** 2);
  });
});

describe('weakly compressible, [K06] section 4.3', () => {
  it('pressure and viscous forces keep momentum', () => {
    const p = fluid.gasPressures(1200, 400, 7);
    for (const forces of [fluid.gasForces(p), fluid.laplacianForces(2)]) {
      expect(largest(sum(forces)) / largest(forces)).toBeLessThan(1e-12);
    }
    expect(largest(torque(state.positions, fluid.gasForces(p))) / largest(fluid.gasForces(p))).toBeLessThan(1e-12);
  });

  it('compressed fluid expands, and the same density everywhere at rest gives no pressure', () => {
    const rho = fluid.densities();
    const p = fluid.gasPressures(rho[5]!, 400, 7);
    expect(p[5]).toBe(0);
    rho.forEach((value, i) => {
      expect(Math.sign(p[i]!)).toBe(Math.sign(value - rho[5]!));
    });
    // An expansion takes power from pressure: F . x is positive for p > 0.
    const push = fluid.gasForces(new Float64Array(fluid.count).fill(100));
    expect(push.reduce((total, f, k) => total + f * state.positions[k]!, 0)).toBeGreaterThan(0);
  });

  it('viscosity takes energy and leaves translation alone', () => {
    const forces = fluid.laplacianForces(2);
    expect(forces.reduce((power, f, k) => power + f * state.velocities[k]!, 0)).toBeLessThan(0);
    const together = new ReferenceFluid({ ...state, velocities: state.velocities.map((_, k) => [1, -2, 3][k % 3]!) });
    expect(largest(together.laplacianForces(2))).toBe(0);
  });
});
