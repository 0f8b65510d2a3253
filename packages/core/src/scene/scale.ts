/** A scene at another resolution: the same bodies of fewer or more particles. */
import { OptionError } from '../options/errors.js';
import type { Scene } from '../options/types.js';

/** Most particles that one body, or one source, may ask for. */
const MOST_PARTICLES = 1e9;
const MOST_EMITTED = 8_388_607;

/**
 * Spacings are divided by the factor, and numbers of particles multiplied by its cube: 0.5 has an eighth of the
 * particles, and as steps are longer too, runs in about a sixteenth of the time. 1 gives the scene itself.
 */
export function scaleScene(scene: Scene, factor: number): Scene {
  if (!(factor > 0 && factor < Infinity)) {
    throw new OptionError([{ path: 'scale', message: `must be > 0, got ${factor}` }]);
  }
  if (factor === 1) return scene;
  const count = (particles: number, most: number) => Math.min(most, Math.max(1, Math.round(particles * factor ** 3)));
  return {
    ...scene,
    bodies: scene.bodies.map(({ spacing, particles, ...body }) => ({
      ...body,
      ...(spacing === undefined ? {} : { spacing: spacing / factor }),
      ...(particles === undefined ? {} : { particles: count(particles, MOST_PARTICLES) }),
    })),
    emitters: scene.emitters.map((emitter) => ({
      ...emitter,
      spacing: emitter.spacing / factor,
      maxParticles: count(emitter.maxParticles, MOST_EMITTED),
    })),
  };
}
