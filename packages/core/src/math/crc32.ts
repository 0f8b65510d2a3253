/** CRC-32 of IEEE 802.3, as in zip and PNG, eight bytes at a time. */
const TABLES = Array.from({ length: 8 }, () => new Int32Array(256));
for (let n = 0; n < 256; n++) {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  TABLES[0]![n] = c;
}
// What a byte makes of the sum when k zeros follow it.
for (let k = 1; k < 8; k++) {
  for (let n = 0; n < 256; n++) {
    const c = TABLES[k - 1]![n]!;
    TABLES[k]![n] = (c >>> 8) ^ TABLES[0]![c & 0xff]!;
  }
}
const [T0, T1, T2, T3, T4, T5, T6, T7] = TABLES as [
  ...[Int32Array, Int32Array, Int32Array, Int32Array],
  ...[Int32Array, Int32Array, Int32Array, Int32Array],
];

export function crc32(bytes: Uint8Array): number {
  let crc = -1;
  let i = 0;
  for (const last = bytes.length - 8; i <= last; i += 8) {
    crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    crc =
      T7[crc & 0xff]! ^
      T6[(crc >>> 8) & 0xff]! ^
      T5[(crc >>> 16) & 0xff]! ^
      T4[crc >>> 24]! ^
      T3[bytes[i + 4]!]! ^
      T2[bytes[i + 5]!]! ^
      T1[bytes[i + 6]!]! ^
      T0[bytes[i + 7]!]!;
  }
  for (; i < bytes.length; i++) crc = (crc >>> 8) ^ T0[(crc ^ bytes[i]!) & 0xff]!;
  return ~crc >>> 0;
}
