import { add, cross, dot, length, type Matrix3, scale, transform } from '../../math/matrix3.js';
import { sineCosine } from '../../math/trigonometry.js';
import { checkedVector } from '../../options/field-values.js';
import type { BodyOptions, Vec3 } from '../../options/types.js';
import type { BodySamples } from '../../particles/samples.js';

/** World velocity of a particle at the start; `at` is its position from the centre of mass in world axes. */
export function startVelocities(
  { rest, count }: BodySamples,
  { name, velocity, angularVelocity, twist }: Pick<BodyOptions, 'name' | 'velocity' | 'angularVelocity' | 'twist'>,
  rotation: Matrix3,
  origin: Vec3,
): Vec3[] {
  const velocityAt = checkedVector(velocity, `${name}.velocity`);
  const positions = Array.from({ length: count }, (_, i) =>
    transform(rotation, [rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!]),
  );
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [i, position] of positions.entries()) {
    const edge = 0.5 * rest[4 * i + 3]! * length(twist);
    low = Math.min(low, dot(twist, position) - edge);
    high = Math.max(high, dot(twist, position) + edge);
  }
  return positions.map((position) => {
    const share = high > low ? sineCosine((Math.PI / 2) * ((dot(twist, position) - low) / (high - low))).sine : 0;
    const spin = add(angularVelocity, scale(twist, share));
    return add(velocityAt(add(position, origin)), cross(spin, position));
  });
}
