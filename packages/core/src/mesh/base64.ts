const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const VALUES = new Int16Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

/** The bytes of base64 text from `start` on, or undefined where it is malformed. */
export function decodeBase64(text: string, start: number): Uint8Array | undefined {
  let end = text.length;
  while (end > start && text[end - 1] === '=') end--;
  const bytes = new Uint8Array(Math.floor(((end - start) * 3) / 4));
  let pending = 0;
  let bits = 0;
  let out = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    const value = code < 128 ? VALUES[code]! : -1;
    if (value < 0) return undefined;
    pending = ((pending << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[out++] = (pending >> bits) & 0xff;
    }
  }
  return bytes;
}
