// Byte sequences of Markus Kuhn's "UTF-8 decoder capability and stress test", as Autobahn's
// group 6 sends them, with its numbers.

type Sequence = readonly [number: string, what: string, bytes: Buffer];

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

/** Numbered from 1 below a group, each shown by its bytes. */
const group = (number: string, what: string, all: readonly string[], first = 1): readonly Sequence[] =>
  all.map((bytes, i) => [`${number}.${first + i}`, `${what}: ${bytes}`, hex(bytes)]);

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
const hexOf = (byte: number): string => byte.toString(16).padStart(2, "0");
/** Each of these bytes before a space, as one sequence. */
const eachBeforeSpace = (from: number, to: number): string =>
  range(from, to)
    .map((byte) => `${hexOf(byte)} 20`)
    .join(" ");

/** Of the characters U+1FFFE to U+10FFFF, two of each plane. */
const lastOfPlanes = range(1, 16).flatMap((plane) =>
  [0xfffe, 0xffff].map((low) => Buffer.from(String.fromCodePoint(plane * 0x10000 + low)).toString("hex")),
);

const KOSME = "cebae1bdb9cf83cebcceb5";
const prefixes = range(1, KOSME.length / 2).map((bytes) => KOSME.slice(0, bytes * 2));
const endsWithin = ([, , bytes]: Sequence): boolean => !WHOLE_PREFIXES.has(bytes.length);
const WHOLE_PREFIXES = new Set([2, 5, 7, 9, 11]);
const PREFIXES = group("6.6", "the beginning of a text", prefixes);

const NO_LAST_BYTE = [
  "c0",
  "e0 80",
  "f0 80 80",
  "f8 80 80 80",
  "fc 80 80 80 80",
  "df",
  "ef bf",
  "f7 bf bf",
  "fb bf bf bf",
  "fd bf bf bf bf",
];
const SURROGATES = ["ed a0 80", "ed ad bf", "ed ae 80", "ed af bf", "ed b0 80", "ed be 80", "ed bf bf"];
const PAIRS = [
  "ed a0 80 ed b0 80",
  "ed a0 80 ed bf bf",
  "ed ad bf ed b0 80",
  "ed ad bf ed bf bf",
  "ed ae 80 ed b0 80",
  "ed ae 80 ed bf bf",
  "ed af bf ed b0 80",
  "ed af bf ed bf bf",
];

export const UTF8: readonly Sequence[] = [
  ...group("6.5", "a character between two words", [
    "68656c6c6f 24 776f726c64",
    "68656c6c6f c2a2 776f726c64",
    "68656c6c6f e282ac 776f726c64",
    "68656c6c6f f0a4ada2 776f726c64",
    KOSME,
  ]),
  ...PREFIXES.filter((each) => !endsWithin(each)),
  ...group("6.7", "the first character of a length", ["00", "c2 80", "e0 a0 80", "f0 90 80 80"]),
  ...group("6.9", "the last character of a length", ["7f", "df bf", "ef bf bf", "f4 8f bf bf"]),
  ...group("6.11", "a character at a boundary", ["ed 9f bf", "ee 80 80", "ef bf bd", "f4 8f bf bf"]),
  ...group("6.22", "a character that is none", ["ef bf be", "ef bf bf", ...lastOfPlanes]),
  ...group("6.23", "a character with a meaning of its own", [
    "ef bf b9",
    "ef bf ba",
    "ef bf bb",
    "ef bf bc",
    "ef bf bd",
    "ef bf be",
    "ef bf bf",
  ]),
];

export const NOT_UTF8: readonly Sequence[] = [
  ...PREFIXES.filter(endsWithin),
  ...group("6.8", "the first sequence of five and six bytes", ["f8 88 80 80 80", "fc 84 80 80 80 80"]),
  ...group("6.10", "the last sequence of four, five and six bytes", [
    "f7 bf bf bf",
    "fb bf bf bf bf",
    "fd bf bf bf bf bf",
  ]),
  ...group("6.11", "the first beyond the last character", ["f4 90 80 80"], 5),
  ...group("6.12", "continuation bytes alone", [
    "80",
    "bf",
    ...range(2, 7).map((count) => "80 bf 80 bf 80 bf 80".slice(0, count * 3 - 1)),
    range(0x80, 0xbf).map(hexOf).join(" "),
  ]),
  ...group("6.13", "first bytes alone", [
    eachBeforeSpace(0xc0, 0xdf),
    eachBeforeSpace(0xe0, 0xef),
    eachBeforeSpace(0xf0, 0xf7),
    eachBeforeSpace(0xf8, 0xfb),
    eachBeforeSpace(0xfc, 0xfd),
  ]),
  ...group("6.14", "a sequence without its last byte", NO_LAST_BYTE),
  ...group("6.15", "all of those in a row", [NO_LAST_BYTE.join(" ")]),
  ...group("6.16", "bytes that never are", ["fe", "ff", "fe fe ff ff"]),
  ...group("6.17", "a slash in too many bytes", [
    "c0 af",
    "e0 80 af",
    "f0 80 80 af",
    "f8 80 80 80 af",
    "fc 80 80 80 80 af",
  ]),
  ...group("6.18", "the last of what are too many bytes", [
    "c1 bf",
    "e0 9f bf",
    "f0 8f bf bf",
    "f8 87 bf bf bf",
    "fc 83 bf bf bf bf",
  ]),
  ...group("6.19", "a NUL in too many bytes", [
    "c0 80",
    "e0 80 80",
    "f0 80 80 80",
    "f8 80 80 80 80",
    "fc 80 80 80 80 80",
  ]),
  ...group("6.20", "a surrogate", SURROGATES),
  ...group("6.21", "a pair of surrogates", PAIRS),
];
