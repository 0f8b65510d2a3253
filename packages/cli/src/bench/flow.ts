/** Speed of bodies that flow: the two scenes of [J14] table I that say how many particles and which step. */
import { type BodyInput, createWorld, type World } from 'phyxel';

export interface FlowScene {
  readonly name: string;
  readonly body: Partial<BodyInput>;
  /** [s] */
  readonly timeStep: number;
  /** When the timed part begins and ends, of simulated time [s]. */
  readonly from: number;
  readonly to: number;
  readonly threads: readonly number[];
  /** What [J14] table I gives for a frame on 12 cores [s]. */
  readonly paperSeconds: number;
}

export interface FlowResult {
  readonly scene: string;
  /** At the beginning and at the end. */
  readonly particles: number;
  readonly particlesAfter: number;
  readonly threads: number;
  readonly steps: number;
  readonly msPerStep: number;
  /** Of a frame at 30 a second; processor time of all threads too. */
  readonly secondsPerFrame: number;
  readonly cpuSecondsPerFrame: number;
  /** Shares of the time of all passes [1]: rest vectors and neighbours, and stresses. */
  readonly renewalShare: number;
  readonly stressShare: number;
  readonly stepsPerRenewal: number;
  /** Seconds of [J14] for a frame over ours. */
  readonly ratio: number;
}

export const PAPER = '[J14] table I, dual 2.8 GHz Xeon, 12 cores';

/** [J14] gives neither sizes nor materials; these flow as its figures do. */
const DOUGH = { density: 1000, youngsModulus: 1e5, poissonsRatio: 0.4, yieldStress: 60, creepRate: 150, friction: 0.3 };

export const FLOW_SCENES: readonly FlowScene[] = [
  {
    name: 'bar, fig. 5',
    body: { shape: { box: { size: [0.26, 0.64, 0.26] } }, position: [0, 0.33, 0], spacing: 0.02, material: DOUGH },
    timeStep: 1e-3,
    from: 0.3,
    to: 0.4,
    threads: [1, 2],
    paperSeconds: 1.2,
  },
  {
    name: 'uneven block, fig. 8',
    body: {
      shape: { box: { size: [0.4, 0.4, 0.4] } },
      position: [0, 0.21, 0],
      lattice: 'octree',
      // 10,464 particles.
      spacing: 0.4 / 38,
      material: { ...DOUGH, youngsModulus: 5e4 },
    },
    timeStep: 5e-3,
    from: 0.2,
    to: 0.3,
    threads: [1, 2],
    paperSeconds: 2.39,
  },
];

const RENEWAL = [
  'noteStretches',
  'noteOffsets',
  'takeShape',
  'computeRenewalCells',
  'sortByCell',
  'arrangeMembers',
  'gatherCandidates',
  'chooseNeighbors',
  'measureSampling',
  'keepNeighbors',
  'chooseOffsets',
  'placeNeighbors',
  'placeOffsets',
  'weighNeighbors',
  'fitRenewed',
  'keepStresses',
];
const STRESS = ['computeStresses'];

async function prepare({ body, timeStep }: FlowScene, threads: number): Promise<World> {
  const world = await createWorld({ threads, solver: { maxTimeStep: timeStep } });
  world.addObstacle({ name: 'floor', shape: { plane: { normal: [0, 1, 0], offset: 0 } }, friction: 0.3 });
  world.addBody({ name: 'body', discretisation: 'renewed', ...body } as BodyInput);
  return world;
}

export async function measureFlow(scene: FlowScene): Promise<FlowResult[]> {
  const results: FlowResult[] = [];
  for (const threads of scene.threads) {
    const world = await prepare(scene, threads);
    const present = () => world.particleCount - world.freeSlots;
    const particles = present();
    world.stepTo(scene.from);
    const before = milliseconds(world);
    const cpu = process.cpuUsage();
    const started = performance.now();
    const { steps, flow } = world.stepTo(scene.to);
    const seconds = (performance.now() - started) / 1000;
    const used = process.cpuUsage(cpu);
    const spent = milliseconds(world);
    for (const [pass, time] of before) spent.set(pass, spent.get(pass)! - time);
    const total = [...spent.values()].reduce((sum, time) => sum + time, 0);
    const share = (passes: readonly string[]) => passes.reduce((sum, pass) => sum + (spent.get(pass) ?? 0), 0) / total;
    const frames = (scene.to - scene.from) * 30;
    results.push({
      scene: scene.name,
      particles,
      particlesAfter: present(),
      threads,
      steps,
      msPerStep: (1000 * seconds) / steps,
      secondsPerFrame: seconds / frames,
      cpuSecondsPerFrame: (used.user + used.system) / 1e6 / frames,
      renewalShare: share(RENEWAL),
      stressShare: share(STRESS),
      stepsPerRenewal: steps / Math.max(1, flow!.renewals),
      ratio: scene.paperSeconds / (seconds / frames),
    });
    await world.dispose();
  }
  return results;
}

function milliseconds(world: World): Map<string, number> {
  return new Map(Object.entries(world.passTimings()).map(([pass, timing]) => [pass, timing.milliseconds]));
}
