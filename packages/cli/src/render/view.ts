/** Everything about a picture but its geometry: plain numbers that can be sent to threads. */
import type { Vec3 } from 'phyxel';
import type { Color } from './geometry.js';

export interface Camera {
  readonly origin: Vec3;
  readonly forward: Vec3;
  readonly right: Vec3;
  readonly up: Vec3;
  /** Tangent of half the angle of view from top to bottom. */
  readonly tangent: number;
}

/** Radiances, relative to that of a white surface in full light. */
export interface Lighting {
  readonly zenith: Color;
  readonly horizon: Color;
  readonly nadir: Color;
  /** The key light: a bright disc in the sky. Unit vector to it, its angular radius [rad], irradiance over pi. */
  readonly keyDirection: Vec3;
  readonly keyRadius: number;
  readonly key: Color;
  /** What the camera sees behind everything, at the top of the sky and at the horizon. */
  readonly backdropTop: Color;
  readonly backdropHorizon: Color;
}

export interface Floor {
  readonly point: Vec3;
  readonly normal: Vec3;
}

export interface Ground {
  readonly floors: readonly Floor[];
  readonly color: Color;
  /** Distance of grid lines [m]; 0 for none. */
  readonly grid: number;
  /** Where the ground is whole, and how far from there it has faded into the backdrop [m]. */
  readonly center: Vec3;
  readonly fadeFrom: number;
  readonly fadeTo: number;
}

export interface View {
  readonly width: number;
  readonly height: number;
  /** Most rays per pixel. */
  readonly samples: number;
  /** Where brightness is as certain as this, a standard deviation, fewer do; 0 for all rays everywhere. */
  readonly noise: number;
  readonly camera: Camera;
  readonly lighting: Lighting;
  readonly ground: Ground;
  /** Rays start this far from a surface [m]. */
  readonly offset: number;
}

/** A soft key light from the upper left, in front, and a bright sky. */
export const STUDIO: Omit<Lighting, 'keyDirection'> = {
  zenith: [0.3, 0.35, 0.43],
  horizon: [0.4, 0.41, 0.42],
  nadir: [0.2, 0.19, 0.18],
  keyRadius: 0.11,
  key: [0.98, 0.93, 0.85],
  backdropTop: [0.3, 0.35, 0.42],
  backdropHorizon: [0.7, 0.71, 0.72],
};

/** The key light as seen from a camera: over its left shoulder, high up. */
export function keyDirection(camera: Pick<Camera, 'forward' | 'right'>): Vec3 {
  const { forward: f, right: r } = camera;
  const flat = Math.sqrt(f[0] * f[0] + f[2] * f[2]);
  // Seen from above there is no horizontal forward: up on the picture is.
  const back: Vec3 = flat > 1e-3 ? [-f[0] / flat, 0, -f[2] / flat] : [-r[2], 0, r[0]];
  const v: Vec3 = [-0.62 * r[0] + 0.38 * back[0], 1, -0.62 * r[2] + 0.38 * back[2]];
  const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  return [v[0] / length, v[1] / length, v[2] / length];
}
