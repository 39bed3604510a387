// Generates texts for a regular expression by walking through it. Look-arounds, anchors and
// backreferences are skipped: the caller checks the result.

import { createRequire } from "node:module";
import type * as Refa from "refa";

import { amount, type Choice, oneOf } from "./choice.js";

// Loaded at the first pattern: it takes 30 ms.
const require = createRequire(import.meta.url);

/** Longer texts are given up: nested repetitions can require any length. */
const MAX_LENGTH = 10_000;

type Alternatives = readonly Refa.NoParent<Refa.Concatenation>[];

/** Generates texts of about `length` characters if the pattern allows it. */
export function patternText(pattern: string, flags = ""): (choice: Choice, length: number) => string {
  const { JS } = require("refa") as typeof Refa;
  const parsed = parse(JS, pattern, flags);
  return (choice, length) => {
    const walk = new Walk(choice, length);
    walk.choice(parsed);
    return walk.text;
  };
}

/** With `u` if the pattern is valid with it, as in pattern.ts. */
function parse({ Parser }: typeof Refa.JS, source: string, given: string): Alternatives {
  const flags = given.replace(/[gy]/g, "");
  const options = { assertions: "ignore", backreferences: "unknown", simplify: false } as const;
  try {
    if (given === "")
      return Parser.fromLiteral({ source, flags: "u" }).parse(options).expression.alternatives;
  } catch {
    // Invalid with `u`, which forbids needless escapes.
  }
  return Parser.fromLiteral({ source, flags }).parse(options).expression.alternatives;
}

class Walk {
  text = "";
  readonly #choose: Choice;
  readonly #length: number;

  constructor(choose: Choice, length: number) {
    this.#choose = choose;
    this.#length = length;
  }

  choice(alternatives: Alternatives): void {
    if (alternatives.length === 0) return;
    for (const element of oneOf(this.#choose, alternatives).elements) this.#element(element);
  }

  #element(element: Refa.NoParent<Refa.Element>): void {
    if (this.text.length > MAX_LENGTH) return;
    switch (element.type) {
      case "CharacterClass":
        this.text += this.#character(element.characters);
        return;
      case "Alternation":
        this.choice(element.alternatives);
        return;
      case "Quantifier":
        for (let left = this.#times(element); left > 0; left -= 1) this.choice(element.alternatives);
        return;
      case "Assertion":
      case "Unknown":
    }
  }

  /** The number of repetitions that fills the text to its length, if allowed. */
  #times({ min, max }: Refa.NoParent<Refa.Quantifier>): number {
    const missing = this.#length - this.text.length;
    const least = Math.max(min, Math.min(max, this.#choose.isPlain ? missing : missing >> 1));
    return amount(this.#choose, least, Math.min(max, Math.max(least, missing)));
  }

  /** A letter or digit if possible, else a visible character, else any. */
  #character({ ranges }: Refa.CharSet): string {
    const visible = within(ranges, [LETTERS, CAPITALS, DIGITS]);
    const candidates = visible.length > 0 ? visible : within(ranges, [PRINTED]);
    const from = candidates.length > 0 ? candidates : ranges.map(({ min, max }) => ({ min, max }));
    if (from.length === 0) return "";
    const { min, max } = oneOf(this.#choose, from);
    return String.fromCodePoint(min + this.#choose.below(max - min + 1));
  }
}

interface Range {
  readonly min: number;
  readonly max: number;
}

const rangeOf = (from: string, to: string): Range => ({ min: from.charCodeAt(0), max: to.charCodeAt(0) });
const LETTERS = rangeOf("a", "z");
const CAPITALS = rangeOf("A", "Z");
const DIGITS = rangeOf("0", "9");
const PRINTED = rangeOf(" ", "~");

const within = (ranges: readonly Range[], wanted: readonly Range[]): readonly Range[] =>
  wanted.flatMap((one) =>
    ranges
      .map(({ min, max }) => ({ min: Math.max(min, one.min), max: Math.min(max, one.max) }))
      .filter(({ min, max }) => min <= max),
  );
