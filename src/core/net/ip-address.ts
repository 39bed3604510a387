// IP addresses as bytes: 4 of IPv4, 16 of IPv6. An IPv4-mapped IPv6 address equals the IPv4
// address: a socket that listens on both families reports the same client either way.

/** Maximum length of an address as text. */
const MAX_LENGTH = 45;

/** Reads an address; undefined if invalid. No zone or port, no leading zeros in IPv4 (octal to some parsers). */
export function parseIp(text: string): Uint8Array | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  return text.includes(":") ? parseV6(text) : parseV4(text);
}

/** The canonical text (RFC 5952). */
export const formatIp = (bytes: Uint8Array): string =>
  bytes.length === 4 ? formatV4(bytes) : formatV6(bytes);

/** Cached texts of recent IPv4 addresses, one for each last byte: most clients send several requests. */
const RECENT = 256;
const recentWords = new Int32Array(RECENT);
const recentTexts: string[] = new Array(RECENT).fill("0.0.0.0");

function formatV4(bytes: Uint8Array): string {
  // The last byte differs most often.
  const place = bytes[3] as number;
  const word =
    ((bytes[0] as number) << 24) | ((bytes[1] as number) << 16) | ((bytes[2] as number) << 8) | place;
  if (recentWords[place] !== word) {
    recentWords[place] = word;
    // Not Array.join, which takes ten times as long.
    recentTexts[place] = `${bytes[0]}.${bytes[1]}.${bytes[2]}.${place}`;
  }
  return recentTexts[place] as string;
}

/** The IPv4 address of an IPv4-mapped one. Other addresses are returned unchanged. */
export function unmapped(bytes: Uint8Array): Uint8Array {
  return isMapped(bytes) ? bytes.subarray(12) : bytes;
}

function isMapped(bytes: Uint8Array): boolean {
  if (bytes.length !== 16 || bytes[10] !== 0xff || bytes[11] !== 0xff) return false;
  for (let i = 0; i < 10; i += 1) if (bytes[i] !== 0) return false;
  return true;
}

const DOT = 0x2e;
const COLON = 0x3a;

/** The 32 bits of an IPv4 address; -1 if invalid. Reads characters: split and match take ten times as long. */
export function v4Word(text: string, from = 0): number {
  let word = 0;
  let at = from;
  for (let part = 0; part < 4; part += 1) {
    if (part > 0) {
      if (at >= text.length || text.charCodeAt(at) !== DOT) return -1;
      at += 1;
    }
    const begin = at;
    let value = 0;
    for (let digit = decimalAt(text, at); digit >= 0; digit = decimalAt(text, at)) {
      // hole: "010" is 8 for some readers: a filter could be passed
      if (at > begin && value === 0) return -1;
      value = value * 10 + digit;
      at += 1;
      if (value > 255) return -1;
    }
    if (at === begin) return -1;
    word = word * 256 + value;
  }
  return at === text.length ? word : -1;
}

function parseV4(text: string, from = 0): Uint8Array | undefined {
  const word = v4Word(text, from);
  if (word < 0) return undefined;
  return Uint8Array.of(word >>> 24, word >>> 16, word >>> 8, word);
}

function parseV6(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(16);
  let length = 0;
  let gap = text.startsWith("::") ? 0 : -1;
  let at = gap === 0 ? 2 : 0;
  while (at < text.length) {
    const begin = at;
    let group = 0;
    for (let digit = digitAt(text, at); digit >= 0 && at < begin + 4; digit = digitAt(text, at)) {
      group = (group << 4) | digit;
      at += 1;
    }
    if (text.charCodeAt(at) === DOT) {
      const v4 = length > 12 ? undefined : parseV4(text, begin);
      if (v4 === undefined) return undefined;
      bytes.set(v4, length);
      length += 4;
      break;
    }
    if (at === begin) return undefined;
    bytes[length] = group >> 8;
    bytes[length + 1] = group & 0xff;
    length += 2;
    if (at === text.length) break;
    if (text.charCodeAt(at) !== COLON) return undefined;
    at += 1;
    if (at === text.length) return undefined;
    if (text.charCodeAt(at) !== COLON) continue;
    if (gap >= 0) return undefined;
    gap = length;
    at += 1;
  }
  if (gap < 0) return length === 16 ? unmapped(bytes) : undefined;
  // "::" stands for at least one group.
  if (length > 14) return undefined;
  const behind = length - gap;
  bytes.copyWithin(16 - behind, gap, length);
  bytes.fill(0, gap, 16 - behind);
  return unmapped(bytes);
}

// The bound is checked first: V8 inlines an in-bounds access and calls a function for others.
function decimalAt(text: string, at: number): number {
  if (at >= text.length) return -1;
  const digit = text.charCodeAt(at) - 0x30;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

/** The hexadecimal digit at a position; -1 if there is none. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function formatV6(bytes: Uint8Array): string {
  const { at, length } = longestZeros(bytes);
  let text = "";
  for (let i = 0; i < 8; i += 1) {
    if (length > 1 && i >= at && i < at + length) {
      if (i === at) text += "::";
      continue;
    }
    const isFirst = i === 0 || (length > 1 && i === at + length);
    text += isFirst ? groupAt(bytes, i).toString(16) : `:${groupAt(bytes, i).toString(16)}`;
  }
  return text;
}

const groupAt = (bytes: Uint8Array, i: number): number =>
  ((bytes[2 * i] as number) << 8) | (bytes[2 * i + 1] as number);

/** The first of the longest runs of zero groups. */
function longestZeros(bytes: Uint8Array): { readonly at: number; readonly length: number } {
  let at = 0;
  let length = 0;
  for (let begin = 0, i = 0; i < 8; i += 1) {
    if (groupAt(bytes, i) !== 0) begin = i + 1;
    else if (i + 1 - begin > length) {
      at = begin;
      length = i + 1 - begin;
    }
  }
  return { at, length };
}
