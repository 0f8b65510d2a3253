/**
 * What a path is in. Clear things may overlap a little, so that no film of air is between them where they touch: of those
 * that a point is in, the one with the highest rank is there, and surfaces of others are not seen.
 */
import { MATERIAL_RANK } from './geometry.js';

/** Materials by their place in the table; AIR stands for none. */
export const AIR = -1;
const INDEX = 2;

export class Media {
  readonly #materials: Float64Array;
  /** Those that the path is in, in no order; one that was entered twice is there twice. */
  #inside: number[] = [];
  /** The one that is there. */
  current = AIR;

  constructor(materials: Float64Array) {
    this.#materials = materials;
  }

  clear(): void {
    this.#inside.length = 0;
    this.current = AIR;
  }

  copy(other: Media): void {
    this.#inside.length = 0;
    for (const material of other.#inside) this.#inside.push(material);
    this.current = other.current;
  }

  /** What is beyond a surface of a material; the same as before where the surface is not seen. */
  beyond(material: number, enters: boolean): number {
    if (enters) return this.#isAbove(material, this.current) ? material : this.current;
    return this.#highest(material);
  }

  /** Goes through a surface. */
  cross(material: number, enters: boolean): void {
    if (enters) {
      this.#inside.push(material);
      if (this.#isAbove(material, this.current)) this.current = material;
      return;
    }
    const at = this.#inside.indexOf(material);
    if (at >= 0) this.#inside.splice(at, 1);
    this.current = this.#highest(AIR);
  }

  /** Refractive index; 1 of air. */
  indexOf(material: number): number {
    return material === AIR ? 1 : this.#materials[material + INDEX]!;
  }

  /** Which is there when one of a material is left; of all for AIR. */
  #highest(left: number): number {
    let highest = AIR;
    let isLeft = left !== AIR;
    for (const material of this.#inside) {
      if (isLeft && material === left) isLeft = false;
      else if (this.#isAbove(material, highest)) highest = material;
    }
    return highest;
  }

  #isAbove(material: number, other: number): boolean {
    return other === AIR || this.#rank(material) > this.#rank(other);
  }

  #rank(material: number): number {
    return this.#materials[material + MATERIAL_RANK]!;
  }
}
