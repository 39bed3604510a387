// Prints a pattern for another engine with the same meaning: for RE2, whose time is linear in the
// text, and for TypeBox, which compiles record keys without the flag `u`.

import { createRequire } from "node:module";
import type * as Refa from "refa";
import type { Alternatives } from "./pattern-automaton.js";

const require = createRequire(import.meta.url);

/** Syntax that differs between engines. Undefined: not supported. */
interface Dialect {
  readonly characters: (set: Refa.CharSet) => string;
  readonly start: string;
  readonly end: string;
  readonly around: ((kind: "ahead" | "behind", negate: boolean, inner: string) => string) | undefined;
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");

const RE2: Dialect = {
  characters: ({ ranges }) =>
    // RE2 has no empty class.
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

/** Prints for RE2; undefined if RE2 cannot express it. */
export const forRe2 = (pattern: RegExp): string | undefined => printed(pattern, RE2);

/** Prints without the flag `u`: a character becomes one or two units. */
export function withoutFlag(pattern: RegExp): string {
  const text = printed(pattern, UNITS);
  try {
    // Most patterns have the same meaning with and without the flag.
    if (printed(new RegExp(pattern.source), UNITS) === text) return pattern.source;
  } catch {
    // Invalid without the flag.
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

/** True for a look-around of any character: the text does not begin or end there. */
export function isAnything(alternatives: Alternatives): boolean {
  const [first, another] = alternatives[0]?.elements ?? [];
  const isAlone = alternatives.length === 1 && another === undefined;
  return isAlone && first?.type === "CharacterClass" && first.characters.isAll;
}

const rangesOf = (ranges: readonly Refa.CharRange[], write: (code: number) => string): string =>
  ranges.map(({ min, max }) => (min === max ? write(min) : `${write(min)}-${write(max)}`)).join("");

const unit = (code: number): string => `\\u${hex(code, 4)}`;
const HIGH = [0xd800, 0xdbff] as const;
const LOW = [0xdc00, 0xdfff] as const;

/** Characters above U+FFFF become two units; a surrogate stands alone unless it is part of such a pair. */
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

/** Pairs of units for a range of characters: of its first high unit, of those between, of its last. */
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
