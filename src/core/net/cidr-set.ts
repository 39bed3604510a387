// Ranges of addresses, merged and sorted when the set is made. A look-up is a binary search over
// numbers: its cost hardly grows with the number of ranges.

import { FrameworkError } from "../errors.js";
import { parseIp, v4Word } from "./ip-address.js";

const WORDS = 4;

export class CidrSet {
  readonly #v4: Uint32Array;
  readonly #v6: Uint32Array;

  /**
   * Accepts addresses and ranges: "10.0.0.0/8", "::1", "2001:db8::/32". Bits beyond the prefix
   * are ignored. `::ffff:10.0.0.0/104` is 10.0.0.0/8. Shorter IPv6 prefixes contain no IPv4
   * address. Throws CONFIG_INVALID, which names each invalid range and the option with it.
   */
  constructor(ranges: readonly string[], option = "ranges") {
    const parsed = ranges.map((range) => parseRange(range));
    const wrong = ranges.filter((_, i) => parsed[i] === undefined).map((range) => `'${range}'`);
    if (wrong.length > 0) {
      throw new FrameworkError(
        "CONFIG_INVALID",
        `${option}: ${wrong.join(", ")}; use addresses and ranges such as 10.0.0.0/8 or 2001:db8::/32`,
      );
    }
    const known = parsed as readonly Range[];
    this.#v4 = joined(known.filter(({ first }) => first.length === 1));
    this.#v6 = joined(known.filter(({ first }) => first.length === WORDS));
  }

  get isEmpty(): boolean {
    return this.#v4.length + this.#v6.length === 0;
  }

  /** As `has`, for the text of an address; undefined if it is invalid. */
  hasText(text: string): boolean | undefined {
    const word = v4Word(text);
    if (word >= 0) return holdsWord(this.#v4, word);
    const address = parseIp(text);
    return address && this.has(address);
  }

  /** True if one of the ranges contains the address: 4 or 16 bytes, IPv4-mapped ones unmapped. */
  has(address: Uint8Array): boolean {
    if (address.length === 4) return holdsWord(this.#v4, wordAt(address, 0));
    return address.length === 16 && holds(this.#v6, address);
  }
}

/** Both ends are included. Words of 32 bits, the most significant first: one for IPv4. */
interface Range {
  readonly first: readonly number[];
  readonly last: readonly number[];
}

function parseRange(text: string): Range | undefined {
  const [, address = "", prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bytes = parseIp(address);
  if (bytes === undefined) return undefined;
  // A prefix counts the bits of the written address. A mapped address is written as IPv6.
  const written = address.includes(":") ? 128 : 32;
  const bits = prefix === undefined ? bytes.length * 8 : Number(prefix) - written + bytes.length * 8;
  if (bits < 0 || bits > bytes.length * 8) return undefined;
  const words = wordsOf(bytes);
  const masks = words.map((_, i) => maskOf(bits - 32 * i));
  return {
    first: words.map((word, i) => (word & (masks[i] as number)) >>> 0),
    last: words.map((word, i) => (word | ~(masks[i] as number)) >>> 0),
  };
}

const wordsOf = (bytes: Uint8Array): readonly number[] =>
  Array.from({ length: bytes.length / 4 }, (_, i) => wordAt(bytes, i));

/** Mask of a word with `bits` significant bits. */
const maskOf = (bits: number): number => (bits <= 0 ? 0 : bits >= 32 ? 0xffffffff : ~(0xffffffff >>> bits));

const wordAt = (bytes: Uint8Array, i: number): number =>
  (((bytes[4 * i] as number) << 24) |
    ((bytes[4 * i + 1] as number) << 16) |
    ((bytes[4 * i + 2] as number) << 8) |
    (bytes[4 * i + 3] as number)) >>>
  0;

/** The ranges in order, overlapping ones merged: first and last, word by word. */
function joined(ranges: readonly Range[]): Uint32Array {
  const kept: Range[] = [];
  for (const range of [...ranges].sort((a, b) => compareWords(a.first, b.first))) {
    const previous = kept.at(-1);
    if (previous === undefined || compareWords(previous.last, range.first) < 0) kept.push(range);
    else if (compareWords(previous.last, range.last) < 0)
      kept.splice(-1, 1, { first: previous.first, last: range.last });
  }
  return Uint32Array.from(kept.flatMap(({ first, last }) => [...first, ...last]));
}

function compareWords(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((word, i) => word !== b[i]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
}

/** Finds the last range that begins at or before the address, and checks its end. */
function holdsWord(table: Uint32Array, word: number): boolean {
  let low = 0;
  let high = table.length >>> 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((table[2 * middle] as number) <= word) low = middle + 1;
    else high = middle;
  }
  return low > 0 && (table[2 * low - 1] as number) >= word;
}

function holds(table: Uint32Array, address: Uint8Array): boolean {
  const size = 2 * WORDS;
  let low = 0;
  let high = table.length / size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareAt(table, middle * size, address) <= 0) low = middle + 1;
    else high = middle;
  }
  return low > 0 && compareAt(table, (low - 1) * size + WORDS, address) >= 0;
}

function compareAt(table: Uint32Array, offset: number, address: Uint8Array): number {
  for (let i = 0; i < WORDS; i += 1) {
    const difference = (table[offset + i] as number) - wordAt(address, i);
    if (difference !== 0) return difference;
  }
  return 0;
}
