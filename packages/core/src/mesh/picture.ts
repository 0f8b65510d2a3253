import type { MeshTexture } from './types.js';

/** By how a file begins, whatever it is called. */
export function pictureType(bytes: Uint8Array): MeshTexture['type'] | undefined {
  if (bytes[0] === 0x89 && bytes[1] === 0x50 && bytes[2] === 0x4e && bytes[3] === 0x47) return 'image/png';
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? 'image/jpeg' : undefined;
}
