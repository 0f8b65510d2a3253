import type { Shape, TriangleMesh } from '../options/types.js';
import { scaleMesh } from './solid-shape.js';

/** Surface of a shape [m2]; nothing for a mesh without data. */
export function surfaceArea(shape: Shape): number | undefined {
  if ('box' in shape) {
    const [a, b, c] = shape.box.size;
    return 2 * (a * b + b * c + c * a);
  }
  if ('sphere' in shape) return 4 * Math.PI * shape.sphere.radius * shape.sphere.radius;
  if ('cylinder' in shape) {
    const { radius, length } = shape.cylinder;
    return 2 * Math.PI * radius * (radius + length);
  }
  if ('capsule' in shape) {
    const { radius, length } = shape.capsule;
    return 2 * Math.PI * radius * (2 * radius + length);
  }
  if ('torus' in shape) return 4 * Math.PI * Math.PI * shape.torus.radius * shape.torus.tube;
  const { data, size } = shape.mesh;
  return data && meshArea(size === undefined ? data : scaleMesh(data, size));
}

function meshArea({ positions, triangles }: TriangleMesh): number {
  let area = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const corner = (k: number, a: number) => positions[3 * triangles[t + k]! + a]!;
    const side = (k: number, a: number) => corner(k, a) - corner(0, a);
    const x = side(1, 1) * side(2, 2) - side(1, 2) * side(2, 1);
    const y = side(1, 2) * side(2, 0) - side(1, 0) * side(2, 2);
    const z = side(1, 0) * side(2, 1) - side(1, 1) * side(2, 0);
    area += Math.sqrt(x * x + y * y + z * z) / 2;
  }
  return area;
}
