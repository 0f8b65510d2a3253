/** What the compiler must accept and refuse of the options; `npm run check` compiles it, nothing runs it. */
import {
  type BodyInput,
  createWorld,
  type MaterialInput,
  type ObstacleInput,
  resolveScene,
  type SceneInput,
  type World,
} from 'phyxel';
import type { RemoteWorld } from 'phyxel/browser';

declare const world: World;
declare const remote: RemoteWorld;

// What is right.
void createWorld({ gravity: [0, -9.81, 0], threads: 2 });
world.addBody({ shape: { sphere: { radius: 0.1 } }, material: { preset: 'rubber', damping: 0.1 }, spacing: 0.02 });
world.addObstacle({ name: 'floor', shape: { plane: {} }, friction: 0.5 });
world.setMaterial('ball', { youngsModulus: 1e5 });
void remote.setMaterial('ball', { youngsModulus: 1e5, model: 'neoHookean' });
const scene: SceneInput = {
  phyxel: 1,
  materials: {
    jelly: {
      youngsModulus: 5e4,
      byTemperature: {
        density: [
          [20, 1],
          [80, 0.9],
        ],
      },
    },
  },
  bodies: [{ name: 'cube', shape: { box: { size: [0.2, 0.2, 0.2] } }, material: 'jelly', particles: 2000 }],
  constraints: [{ body: 'cube', region: { all: true }, fix: ['x', 'z'] }],
};
void remote.open({ scene, files: {} });
void remote.open({ scene: { phyxel: 1, bodies: [{ shape: { mesh: { file: 'duck.ply', size: 0.3 } } }] } });
void remote.open({ text: 'phyxel: 1', fileName: 'a.yaml' });
// A resolved scene is a scene.
resolveScene(resolveScene(scene));

// A shape without its size, of two kinds, of an unknown kind, of none; one that only obstacles have.
// @ts-expect-error
export const noSize: BodyInput = { shape: { box: {} } };
// @ts-expect-error
export const twoShapes: BodyInput = { shape: { box: { size: [1, 1, 1] }, sphere: { radius: 1 } } };
// @ts-expect-error
export const unknownShape: BodyInput = { shape: { cone: { radius: 1 } } };
// @ts-expect-error
export const noShape: BodyInput = { shape: {} };
// @ts-expect-error
export const planeBody: BodyInput = { shape: { plane: {} } };
// @ts-expect-error
export const twoNumbers: ObstacleInput = { shape: { box: { size: [1, 1] } } };
// @ts-expect-error
export const noBodyShape: BodyInput = { name: 'nothing' };

// Keys and words that do not exist.
// @ts-expect-error
export const unknownKey: BodyInput = { shape: { sphere: { radius: 1 } }, colour: '#ffffff' };
// @ts-expect-error
export const unknownMaterialKey: MaterialInput = { youngModulus: 1e5 };
// @ts-expect-error
export const unknownKind: BodyInput = { shape: { sphere: { radius: 1 } }, kind: 'gas' };
// @ts-expect-error
export const unknownPreset: MaterialInput = { preset: 'adamantium' };
// @ts-expect-error
void createWorld({ gravity: -9.81 });
// @ts-expect-error
export const wrongVersion: SceneInput = { phyxel: 2 };
// @ts-expect-error
export const twoRegions: SceneInput = { phyxel: 1, sinks: [{ all: true, sphere: { center: [0, 0, 0], radius: 1 } }] };
// @ts-expect-error
void remote.open({ scene: { phyxel: 1, bodies: [{ shape: { box: { length: 1 } } }] } });
// @ts-expect-error
void remote.setMaterial('ball', { youngsModulus: undefined });
// @ts-expect-error
void remote.setMaterial('ball', { stiffness: 1 });
