// A pattern written out for another engine, with the characters that it means: for RE2,
// whose time grows with the length of the text alone, and for a regular expression without
// the flag `u`, which TypeBox makes of the key of a record.

import { createRequire } from "node:module";
import type * as Refa from "refa";

const require = createRequire(import.meta.url);

/** How an engine writes what they write differently. Undefined: it has no such thing. */
interface Dialect {
  readonly characters: (set: Refa.CharSet) => string;
  readonly start: string;
  readonly end: string;
  readonly around: ((kind: "ahead" | "behind", negate: boolean, inner: string) => string) | undefined;
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");

const RE2: Dialect = {
  characters: ({ ranges }) =>
    // RE2 has no class of nothing.
    ranges.length === 0 ? "[^\\x{0}-\\x{10ffff}]" : `[${rangesOf(ranges, (code) => `\\x{${hex(code, 1)}}`)}]`,
  start: "\\A",
  end: "\\z",
  around: undefined,
};

const UNITS: Dialect = {
  characters: inUnits,
  start: "^",
  end: "$",
  around: (kind, negate, inner) => `(?${kind === "behind" ? "<" : ""}${negate ? "!" : "="}${inner})`,
};

/** The same for RE2; undefined where that cannot express it. */
export const forRe2 = (pattern: RegExp): string | undefined => printed(pattern, RE2);

/** The same without the flag `u`: what was one character is one unit or two. */
export function withoutFlag(pattern: RegExp): string {
  const text = printed(pattern, UNITS);
  try {
    // As most do: it means the same with and without.
    if (printed(new RegExp(pattern.source), UNITS) === text) return pattern.source;
  } catch {
    // Not valid without it.
  }
  return text ?? pattern.source;
}

function printed({ source, flags }: RegExp, dialect: Dialect): string | undefined {
  const { JS } = require("refa") as typeof Refa;
  try {
    const options = { assertions: "parse", backreferences: "throw", simplify: false } as const;
    return choice(JS.Parser.fromLiteral({ source, flags }).parse(options).expression.alternatives, dialect);
  } catch {
    return undefined;
  }
}

type Alternatives = readonly Refa.NoParent<Refa.Concatenation>[];

const choice = (alternatives: Alternatives, dialect: Dialect): string =>
  alternatives.map(({ elements }) => elements.map((one) => element(one, dialect)).join("")).join("|");

function element(one: Refa.NoParent<Refa.Element>, dialect: Dialect): string {
  switch (one.type) {
    case "CharacterClass":
      return dialect.characters(one.characters);
    case "Alternation":
      return `(?:${choice(one.alternatives, dialect)})`;
    case "Quantifier": {
      const { min, max } = one;
      return `(?:${choice(one.alternatives, dialect)}){${min},${max === Number.POSITIVE_INFINITY ? "" : max}}`;
    }
    case "Assertion": {
      const { kind, negate, alternatives } = one;
      if (negate && isAnything(alternatives)) return kind === "behind" ? dialect.start : dialect.end;
      if (dialect.around === undefined) throw new Error("It has no look-arounds");
      return dialect.around(kind, negate, choice(alternatives, dialect));
    }
    case "Unknown":
      throw new Error("It has no backreferences");
  }
}

/** Where any character is, the text does not begin or end. */
function isAnything(alternatives: Alternatives): boolean {
  const [first, another] = alternatives[0]?.elements ?? [];
  const isAlone = alternatives.length === 1 && another === undefined;
  return isAlone && first?.type === "CharacterClass" && first.characters.isAll;
}

const rangesOf = (ranges: readonly Refa.CharRange[], write: (code: number) => string): string =>
  ranges.map(({ min, max }) => (min === max ? write(min) : `${write(min)}-${write(max)}`)).join("");

const unit = (code: number): string => `\\u${hex(code, 4)}`;
const HIGH = [0xd800, 0xdbff] as const;
const LOW = [0xdc00, 0xdfff] as const;

/** Characters above U+FFFF are two units, and a surrogate is one where it is no part of such two. */
function inUnits({ ranges }: Refa.CharSet): string {
  const within = (from: number, to: number): readonly Refa.CharRange[] =>
    ranges
      .filter(({ min, max }) => min <= to && max >= from)
      .map(({ min, max }) => ({ min: Math.max(min, from), max: Math.min(max, to) }));
  const [high, low] = [within(...HIGH), within(...LOW)];
  const single = [...within(0, HIGH[0] - 1), ...within(LOW[1] + 1, 0xffff)];
  const forms = [
    ...(single.length > 0 ? [`[${rangesOf(single, unit)}]`] : []),
    ...(high.length > 0 ? [`[${rangesOf(high, unit)}](?![\\udc00-\\udfff])`] : []),
    ...(low.length > 0 ? [`(?<![\\ud800-\\udbff])[${rangesOf(low, unit)}]`] : []),
    ...within(0x10000, 0x10ffff).flatMap(({ min, max }) => pairs(min, max)),
  ];
  const [only = "[]", another] = forms;
  return another === undefined ? only : `(?:${forms.join("|")})`;
}

/** The pairs of units from one character to another: those of the first high unit, of those between, of the last. */
function pairs(min: number, max: number): readonly string[] {
  const [highMin, lowMin] = unitsOf(min);
  const [highMax, lowMax] = unitsOf(max);
  const form = (from: number, to: number, low: number, high: number): string =>
    `[${rangesOf([{ min: from, max: to }], unit)}][${rangesOf([{ min: low, max: high }], unit)}]`;
  if (highMin === highMax) return [form(highMin, highMin, lowMin, lowMax)];
  return [
    form(highMin, highMin, lowMin, LOW[1]),
    ...(highMax - highMin > 1 ? [form(highMin + 1, highMax - 1, ...LOW)] : []),
    form(highMax, highMax, LOW[0], lowMax),
  ];
}

const unitsOf = (code: number): readonly [number, number] => [
  HIGH[0] + ((code - 0x10000) >> 10),
  LOW[0] + ((code - 0x10000) & 0x3ff),
];
