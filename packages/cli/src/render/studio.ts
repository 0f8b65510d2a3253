/** Light, ground and camera for a run. */
import { FLATTEST, obstaclePlane, type Scene, type Vec3 } from 'phyxel';
import { type CameraOptions, placeCamera } from './camera.js';
import { GROUND } from './colors.js';
import { type Floor, type Ground, keyDirection, STUDIO, type View } from './view.js';

export interface StudioOptions extends CameraOptions {
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  readonly noise: number;
  readonly ground: 'grid' | 'plain' | 'none';
}

/** What pictures have when nobody says: the angle of view and how far above the horizon the camera is [degrees]. */
export const DEFAULT_VIEW = { width: 1280, height: 720, fieldOfView: 30, elevation: 14 } as const;

/** The view at a time; `points` are what must be in the picture. */
export function arrangeView(options: StudioOptions, points: ArrayLike<number>): (scene: Scene, time: number) => View {
  const { width, height, samples, noise } = options;
  const camera = placeCamera(options, points, width / height);
  const { center, radius } = boundingBall(points);
  const lighting = { ...STUDIO, keyDirection: keyDirection(camera) };
  return (scene, time) => ({
    width,
    height,
    samples,
    noise,
    camera,
    lighting,
    ground: arrangeGround(options.ground, floorsOf(scene, time), center, radius),
    offset: 2e-6 * radius,
  });
}

function floorsOf(scene: Scene, time: number): Floor[] {
  return scene.obstacles.flatMap((obstacle) => {
    const plane = obstaclePlane(obstacle, time);
    return plane && plane.normal[1] > FLATTEST ? [plane] : [];
  });
}

function arrangeGround(kind: StudioOptions['ground'], floors: Floor[], center: Vec3, radius: number): Ground {
  return {
    floors: kind === 'none' ? [] : floors,
    color: GROUND,
    grid: kind === 'grid' ? roundDown(radius / 2) : 0,
    center,
    fadeFrom: 2.5 * radius,
    fadeTo: 9 * radius,
  };
}

/** The largest of 1, 2 and 5 times a power of ten that is not above a length. */
function roundDown(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const lead = length / power;
  return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

function boundingBall(points: ArrayLike<number>): { center: Vec3; radius: number } {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i++) {
    low[i % 3] = Math.min(low[i % 3]!, points[i]!);
    high[i % 3] = Math.max(high[i % 3]!, points[i]!);
  }
  if (points.length === 0) return { center: [0, 0, 0], radius: 1 };
  const center = low.map((l, k) => (l + high[k]!) / 2) as unknown as Vec3;
  const radius = Math.hypot(...high.map((h, k) => (h - low[k]!) / 2));
  return { center, radius: Math.max(radius, 1e-9) };
}
