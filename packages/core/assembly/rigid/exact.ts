import { BODY_EXACT_FRAME } from '../../src/particles/layout';
import { x, y, z } from '../math/simd';

/**
 * Positions in f64. Contacts of rigid bodies are so stiff that the last digit of a float32 position is a large part of
 * their force: the Newton iteration of an implicit step would have nothing to converge to.
 */
export let exactX: f64 = 0;
export let exactY: f64 = 0;
export let exactZ: f64 = 0;

/** R (m + u) + c, left in the three. */
export function findExactPosition(body: usize, m: v128, u: v128): void {
  const frame = body + BODY_EXACT_FRAME;
  const a = <f64>x(m) + <f64>x(u);
  const b = <f64>y(m) + <f64>y(u);
  const c = <f64>z(m) + <f64>z(u);
  exactX = load<f64>(frame) * a + load<f64>(frame, 8) * b + load<f64>(frame, 16) * c + load<f64>(frame, 24);
  exactY = load<f64>(frame, 32) * a + load<f64>(frame, 40) * b + load<f64>(frame, 48) * c + load<f64>(frame, 56);
  exactZ = load<f64>(frame, 64) * a + load<f64>(frame, 72) * b + load<f64>(frame, 80) * c + load<f64>(frame, 88);
}
