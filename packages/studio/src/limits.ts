/** What a page may take of the machine. */

/** All cores but one, which the page and its pictures need. */
export function threadsFor(): number {
  return Math.max(1, Math.min(8, navigator.hardwareConcurrency - 1));
}

/**
 * A quarter of what the browser says the machine has, at most 1.5 GB: the frames that are kept and the graphics card
 * want as much again [bytes].
 */
export function comfortableMemory(): number {
  const { deviceMemory = 4 } = navigator as { deviceMemory?: number };
  return Math.min(1.5e9, (deviceMemory * 1e9) / 4);
}
