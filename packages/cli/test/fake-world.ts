/** A world of numbers that only looks like one: cheap, exact to save, and it fails when told to. */
import { createHash } from 'node:crypto';
import { matterOf, type ProbeOptions, type Vec3 } from 'phyxel';
import type { Core, SimulationWorld } from '../src/core.js';

const PARTICLES = 60;

export class FakeWorld implements SimulationWorld {
  time = 0;
  stepCount = 0;
  readonly particleCount = PARTICLES;
  readonly liquidCount = 0;
  readonly freeSlots = 0;
  readonly pairCount = 30 * PARTICLES;
  readonly threads = 1;
  readonly mass = 2;
  readonly memoryBytes = 1000;
  readonly bodies = [
    {
      name: 'cube',
      kind: 'solid' as const,
      matter: matterOf({ kind: 'solid', material: { elastic: false } }),
      begin: 0,
      end: PARTICLES,
      spacing: 0.1,
      mass: 2,
      warnings: ['is thin'],
    },
  ];
  readonly warnings = ['cube: is thin'];
  /** xyz and padding of every particle. */
  state = new Float32Array(4 * PARTICLES);

  constructor(
    readonly failAt = Number.POSITIVE_INFINITY,
    /** What a step that ends at a time warns of. */
    readonly warn: (time: number) => string[] = () => [],
  ) {}

  step(dt: number) {
    this.time += dt;
    this.stepCount += 10;
    for (let i = 0; i < this.state.length; i++) this.state[i] = this.state[i]! * 0.75 + i + this.time;
    if (this.time > this.failAt) {
      const details = { name: 'SimulationError', particle: 3, pass: 'stress', time: this.time };
      throw Object.assign(new Error('a position is not finite'), details);
    }
    return {
      steps: 10,
      timeStep: dt / 10,
      limitedBy: 'wave speed',
      maximumSpeed: 1,
      newtonIterations: 0,
      iterations: 0,
      retries: 0,
      warnings: this.warn(this.time),
    };
  }
  openFrame = undefined;
  // biome-ignore lint/correctness/useYield: one step makes the whole frame
  *stepsTo(time: number) {
    return this.stepTo(time);
  }
  stepTo(time: number) {
    const report = this.step(time - this.time);
    this.time = time;
    return report;
  }
  solveStatic() {
    return { ...this.step(0), steps: 1, timeStep: 0, limitedBy: 'balance', residual: 1e-4 };
  }
  stableSubstep() {
    return undefined;
  }
  stableTimeStep() {
    return { timeStep: 1e-3, limitedBy: 'wave speed' };
  }
  stateHash() {
    return createHash('sha256').update(this.save()).digest('hex').slice(0, 16);
  }
  save() {
    const clock = new Float64Array([this.time, this.stepCount]);
    return new Uint8Array(Buffer.concat([Buffer.from(clock.buffer), Buffer.from(this.state.buffer)]));
  }
  static load(bytes: Uint8Array, failAt?: number, warn?: (time: number) => string[]): FakeWorld {
    const world = new FakeWorld(failAt, warn);
    const buffer = bytes.slice().buffer;
    [world.time, world.stepCount] = new Float64Array(buffer, 0, 2) as unknown as [number, number];
    world.state = new Float32Array(buffer.slice(16));
    return world;
  }
  energy() {
    return { kinetic: this.state[0]!, elastic: 1, gravitational: 2, total: this.state[0]! + 3 };
  }
  momentum(): Vec3 {
    return [this.state[1]!, 0, 0];
  }
  angularMomentum(): Vec3 {
    return [0, this.state[2]!, 0];
  }
  probe({ quantity }: ProbeOptions) {
    return quantity === 'position' ? [this.state[4]!, this.state[5]!, this.state[6]!] : [this.state[7]!];
  }
  positions() {
    return this.state;
  }
  velocities() {
    return this.state;
  }
  stresses() {
    return this.state.slice(0, PARTICLES);
  }

  stressTensors(): Float32Array {
    return new Float32Array(6 * this.particleCount);
  }

  strainTensors(): Float32Array {
    return new Float32Array(6 * this.particleCount);
  }

  velocityGradients(): Float32Array {
    return new Float32Array(9 * this.particleCount);
  }
  pressures() {
    return new Float32Array(PARTICLES);
  }

  densities() {
    return new Float32Array(PARTICLES);
  }
  readonly isPlastic = false;
  plasticStrains() {
    return new Float32Array(PARTICLES);
  }
  readonly isBreakable = false;
  damages() {
    return new Float32Array(PARTICLES);
  }
  pieces() {
    return new Uint32Array(PARTICLES);
  }
  readonly isThermal = false;
  temperatures() {
    return new Float32Array(PARTICLES);
  }
  liquidFractions() {
    return new Float32Array(PARTICLES);
  }
  passTimings() {
    return { stress: { calls: this.stepCount, milliseconds: 1 } };
  }
  async dispose() {}
}

/** A core whose worlds fail after `failAt` seconds and warn of what `warn` says. */
export function fakeCore(failAt?: number, warn?: (time: number) => string[]): Core {
  return {
    async loadScene(scene, { readFile }) {
      for (const { shape } of scene.bodies) if ('mesh' in shape) await readFile(shape.mesh.file!);
      return new FakeWorld(failAt, warn);
    },
    async loadCheckpoint(state) {
      return FakeWorld.load(state, failAt, warn);
    },
  };
}
