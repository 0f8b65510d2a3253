/** Particles at another resolution: as many more as space has room for, but one, and no more than there may be. */
export function scaledCount(particles: number, factor: number, most: number): number {
  return Math.min(most, Math.max(1, Math.round(particles * factor ** 3)));
}
