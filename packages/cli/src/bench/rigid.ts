/**
 * Speed of rigid bodies: boxes of 8 cm fall into a heap, moved by Rapier here, by Rapier used directly, and by Hertz
 * contact between their particles; the same heap in water and on a soft bed. Times are processor times on one thread.
 */
import { createWorld, type Vec3, type World } from 'phyxel';

export interface RigidScene {
  readonly name: string;
  readonly engine: 'rapier' | 'hertz' | 'plain Rapier';
  readonly boxes: number;
  readonly frames: number;
  /** What the heap falls on or into. */
  readonly bed?: 'water' | 'foam';
  readonly full?: boolean;
}

export interface RigidResult {
  readonly scene: string;
  readonly engine: string;
  readonly boxes: number;
  readonly particles: number;
  readonly frames: number;
  /** Of a frame of 1/60 s: on average, and of the slowest [ms]. */
  readonly frameMs: number;
  readonly slowestMs: number;
}

const SIDE = 0.08;
const FRICTION = 0.5;
const DENSITY = 500;

export const RIGID_SCENES: readonly RigidScene[] = [
  { name: 'heap', engine: 'rapier', boxes: 1000, frames: 240 },
  { name: 'heap', engine: 'plain Rapier', boxes: 1000, frames: 240 },
  { name: 'heap', engine: 'rapier', boxes: 64, frames: 60 },
  { name: 'heap', engine: 'hertz', boxes: 64, frames: 60 },
  { name: 'heap', engine: 'hertz', boxes: 1000, frames: 60, full: true },
  { name: 'in water', engine: 'rapier', boxes: 64, frames: 60, bed: 'water' },
  { name: 'in water', engine: 'hertz', boxes: 64, frames: 60, bed: 'water', full: true },
  { name: 'on foam', engine: 'rapier', boxes: 64, frames: 60, bed: 'foam' },
  { name: 'on foam', engine: 'hertz', boxes: 64, frames: 60, bed: 'foam', full: true },
];

/** Boxes above each other in columns, turned about y, a little off. */
function positionOf(k: number, boxes: number): { position: Vec3; turn: number } {
  const across = Math.max(2, Math.round(Math.cbrt(boxes)));
  const [i, j, layer] = [k % across, Math.floor(k / across) % across, Math.floor(k / across ** 2)];
  const off = (n: number) => (((k * n) % 7) - 3) * 0.002;
  const at = (n: number) => (n - (across - 1) / 2) * 1.7 * SIDE;
  return { position: [at(i) + off(3), 0.3 + 1.7 * SIDE * layer, at(j) + off(5)], turn: (37 * k) % 90 };
}

const processor = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
};

async function buildWorld({ engine, boxes, bed }: RigidScene): Promise<World> {
  const world = await createWorld({ threads: 1, solver: { rigid: engine === 'hertz' ? 'hertz' : 'rapier' } });
  world.addObstacle({ name: 'floor', shape: { plane: {} }, friction: FRICTION });
  const width = 0.8;
  if (bed === 'water') {
    for (const [k, normal] of (
      [
        [1, 0, 0],
        [-1, 0, 0],
        [0, 0, 1],
        [0, 0, -1],
      ] as const
    ).entries()) {
      const position: Vec3 = [(-normal[0] * width) / 2, 0, (-normal[2] * width) / 2];
      world.addObstacle({ name: `wall${k}`, shape: { plane: { normal } }, position });
    }
    const shape = { box: { size: [width, 0.24, width] as Vec3 } };
    world.addBody({ name: 'water', kind: 'fluid', shape, position: [0, 0.12, 0], spacing: 0.04 });
  }
  if (bed === 'foam') {
    const shape = { box: { size: [width, 0.16, width] as Vec3 } };
    const material = { density: 100, youngsModulus: 3e4, damping: 0.1 };
    world.addBody({ name: 'foam', shape, position: [0, 0.08, 0], spacing: 0.04, material });
  }
  const material = { density: DENSITY, friction: FRICTION, youngsModulus: 1e7 };
  const body = { kind: 'rigid' as const, shape: { box: { size: [SIDE, SIDE, SIDE] as Vec3 } }, spacing: SIDE / 4 };
  for (let k = 0; k < boxes; k++) {
    const { position, turn } = positionOf(k, boxes);
    world.addBody({ name: `box${k}`, ...body, position, rotation: [0, turn, 0], material });
  }
  return world;
}

/** The same boxes by Rapier alone, with its own settings but for the size of things. */
async function plainRapier({ boxes, frames }: RigidScene): Promise<number[]> {
  const rapier = await import('@dimforge/rapier3d-deterministic-compat');
  await rapier.init();
  const world = new rapier.World({ x: 0, y: -9.81, z: 0 });
  world.lengthUnit = SIDE;
  const ground = world.createRigidBody(rapier.RigidBodyDesc.fixed());
  const floor = new rapier.ColliderDesc(new rapier.HalfSpace({ x: 0, y: 1, z: 0 }));
  world.createCollider(floor.setFriction(FRICTION), ground);
  for (let k = 0; k < boxes; k++) {
    const { position, turn } = positionOf(k, boxes);
    const half = (turn * Math.PI) / 360;
    const pose = rapier.RigidBodyDesc.dynamic().setTranslation(...position);
    const body = world.createRigidBody(pose.setRotation({ x: 0, y: Math.sin(half), z: 0, w: Math.cos(half) }));
    const shape = rapier.ColliderDesc.cuboid(SIDE / 2, SIDE / 2, SIDE / 2);
    world.createCollider(shape.setDensity(DENSITY).setFriction(FRICTION), body);
  }
  const times = Array.from({ length: frames }, () => {
    const start = processor();
    world.step();
    return processor() - start;
  });
  world.free();
  return times;
}

export async function measureRigid(scene: RigidScene): Promise<RigidResult> {
  const { name, engine, boxes, frames } = scene;
  const summary = (times: readonly number[], particles: number): RigidResult => ({
    scene: name,
    engine,
    boxes,
    particles,
    frames,
    frameMs: times.reduce((sum, time) => sum + time, 0) / times.length,
    slowestMs: Math.max(...times),
  });
  if (engine === 'plain Rapier') return summary(await plainRapier(scene), 0);
  const world = await buildWorld(scene);
  // Lays everything out.
  world.stepTo(1e-4);
  const times = Array.from({ length: frames }, (_, k) => {
    const start = processor();
    world.stepTo((k + 1) / 60);
    return processor() - start;
  });
  const particles = world.particleCount;
  await world.dispose();
  return summary(times, particles);
}
