// What a path is in. Clear things may overlap a little, so that no film of air is between them where they touch: of
// those that a point is in, the one with the highest rank is there, and surfaces of others are not seen.

/** Materials by their address; AIR stands for none. */
export const AIR: usize = 0;
const INDEX: usize = 16;
const RANK: usize = 56;
const ITEMS: usize = 8;
/** More are not kept: no ray is in so many things. */
const MOST: i32 = 250;

// @ts-ignore: decorator
@inline
export function clearMedia(media: usize): void {
  store<i32>(media, 0);
  store<u32>(media, <u32>AIR, 4);
}

export function copyMedia(to: usize, from: usize): void {
  memory.copy(to, from, ITEMS + 4 * load<i32>(from));
}

// @ts-ignore: decorator
@inline
export function currentMedium(media: usize): usize {
  return load<u32>(media, 4);
}

/** What is beyond a surface of a material; the same as before where the surface is not seen. */
export function mediumBeyond(media: usize, material: usize, enters: bool): usize {
  if (enters) return isAbove(material, currentMedium(media)) ? material : currentMedium(media);
  return highest(media, material);
}

/** Goes through a surface. */
export function crossMedia(media: usize, material: usize, enters: bool): void {
  const count = load<i32>(media);
  if (enters) {
    if (count == MOST) return;
    store<u32>(media + ITEMS + 4 * count, <u32>material);
    store<i32>(media, count + 1);
    if (isAbove(material, currentMedium(media))) store<u32>(media, <u32>material, 4);
    return;
  }
  for (let i = 0; i < count; i++) {
    if (load<u32>(media + ITEMS + 4 * i) != <u32>material) continue;
    memory.copy(media + ITEMS + 4 * i, media + ITEMS + 4 * i + 4, 4 * (count - 1 - i));
    store<i32>(media, count - 1);
    break;
  }
  store<u32>(media, <u32>highest(media, AIR), 4);
}

/** Refractive index; 1 of air. */
export function indexOf(material: usize): f64 {
  return material == AIR ? 1 : load<f64>(material, INDEX);
}

/** Which is there when one of a material is left; of all for AIR. */
function highest(media: usize, left: usize): usize {
  const count = load<i32>(media);
  let found = AIR;
  let isLeft = left != AIR;
  for (let i = 0; i < count; i++) {
    const material: usize = load<u32>(media + ITEMS + 4 * i);
    if (isLeft && material == left) isLeft = false;
    else if (isAbove(material, found)) found = material;
  }
  return found;
}

// @ts-ignore: decorator
@inline
function isAbove(material: usize, other: usize): bool {
  return other == AIR || load<f64>(material, RANK) > load<f64>(other, RANK);
}
