const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The CRC-32 of ISO 3309, bit by bit: another way than the one that is tested. */
function crc32(text: string): number {
  let rest = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return (rest ^ 0xffffffff) >>> 0;
}

/** A key whose checksum is right, whatever else is not. */
export function sealedKey(unchecked: string): string {
  let digits = "";
  for (let rest = crc32(unchecked); digits.length < 6; rest = Math.floor(rest / 62))
    digits = DIGITS.charAt(rest % 62) + digits;
  return unchecked + digits;
}

/** The key with other characters at a place, and the checksum of that. */
export const alteredKey = (key: string, at: number, characters: string): string =>
  sealedKey(key.slice(0, at) + characters + key.slice(at + characters.length, -6));
