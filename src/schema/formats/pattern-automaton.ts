// Glushkov automaton of a pattern, with the number of ways in which a backtracking matcher gets from
// each character to the next. Repetitions are copied; only a long one whose body is never empty is a
// loop, which has at least as many ways: the length of the text tells the iterations apart. As in
// ECMAScript, an optional iteration that takes no character fails.

import { createRequire } from "node:module";
import type * as Refa from "refa";

const require = createRequire(import.meta.url);

export type Alternatives = readonly Refa.NoParent<Refa.Concatenation>[];
type Element = Refa.NoParent<Refa.Element>;

/** Bounds of the characters of a repetition that is copied, and of the automaton. */
const MAX_COPIES = 256;
const MAX_POSITIONS = 1500;
const MAX_EDGES = 20_000;
/** Larger numbers count as this one. */
const VERY_MANY = 1e15;

/** Ways through a part without a character, and what all of them cost. */
export interface Ways {
  readonly ways: number;
  readonly cost: number;
}

const ONE: Ways = { ways: 1, cost: 0 };
const NONE: Ways = { ways: 0, cost: 0 };

type WaysTo = ReadonlyMap<number, Ways>;

/** Positions where the matches of a part begin and end; the ways to match the empty text. */
interface Part {
  readonly first: WaysTo;
  readonly last: WaysTo;
  readonly empty: Ways;
}

const NOTHING: Part = { first: new Map(), last: new Map(), empty: ONE };

/** Thrown for a pattern with too many positions. */
export class TooLarge extends Error {}

export class Automaton {
  /** By position. */
  readonly characters: Refa.CharSet[] = [];
  readonly next: Map<number, Ways>[] = [];
  readonly whole: Part;
  #edges = 0;
  readonly #any: Refa.CharSet;
  readonly #isBackwards: boolean;
  readonly #lookAround: (assertion: Refa.NoParent<Refa.Assertion>) => number;

  /**
   * `isBackwards` for a look-behind, which is matched from its end; `lookAround` returns the cost of
   * trying one once.
   */
  constructor(
    alternatives: Alternatives,
    maxCharacter: Refa.Char,
    isBackwards: boolean,
    lookAround: (assertion: Refa.NoParent<Refa.Assertion>) => number,
  ) {
    const { CharSet } = require("refa") as typeof Refa;
    this.#any = CharSet.all(maxCharacter);
    this.#isBackwards = isBackwards;
    this.#lookAround = lookAround;
    this.whole = this.#choice(alternatives);
  }

  #choice(alternatives: Alternatives): Part {
    const parts = alternatives.map(({ elements }) =>
      this.#sequence(
        (this.#isBackwards ? elements.toReversed() : elements).map((one) => () => this.#element(one)),
      ),
    );
    const empty = parts.reduce((all, part) => sum(all, part.empty), NONE);
    return {
      first: union(parts.map((part) => part.first)),
      last: union(parts.map((part) => part.last)),
      empty: isBoundary(alternatives) ? { ...empty, ways: Math.min(empty.ways, 1) } : empty,
    };
  }

  #sequence(makers: readonly (() => Part)[]): Part {
    return makers.reduce<Part>((before, make) => {
      const after = make();
      this.#connect(before.last, after.first);
      return {
        first: union([before.first, times(after.first, before.empty)]),
        last: union([after.last, times(before.last, after.empty)]),
        empty: product(before.empty, after.empty),
      };
    }, NOTHING);
  }

  #element(element: Element): Part {
    switch (element.type) {
      case "CharacterClass":
        return this.#position(element.characters);
      case "Alternation":
        return this.#choice(element.alternatives);
      case "Quantifier":
        return this.#repetition(element);
      case "Assertion":
        return { ...NOTHING, empty: { ways: 1, cost: this.#lookAround(element) } };
      case "Unknown":
        // A backreference takes any number of characters.
        return this.#endless(() => this.#position(this.#any));
    }
  }

  #position(characters: Refa.CharSet): Part {
    if (this.next.length >= MAX_POSITIONS) throw new TooLarge();
    const position = this.characters.push(characters) - 1;
    this.next.push(new Map());
    const here = new Map([[position, ONE]]);
    return { first: here, last: here, empty: NONE };
  }

  #repetition({ min, max, alternatives }: Refa.NoParent<Refa.Quantifier>): Part {
    const once = (): Part => this.#choice(alternatives);
    const copies = (n: number): (() => Part)[] => Array.from({ length: n }, () => once);
    const canBeEmpty = isEmptiable(alternatives);
    if (max * charactersOf(alternatives) <= MAX_COPIES) {
      // x{1,3} is x(x(x)?)?: built from the innermost, so that each way counts once.
      const rest = Array.from({ length: max - min }).reduce<() => Part>(
        (inner) => () => optional(this.#sequence([() => failingEmpty(once()), inner])),
        () => NOTHING,
      );
      return this.#sequence([...copies(min), rest]);
    }
    if (canBeEmpty && min > MAX_COPIES) throw new TooLarge();
    if (canBeEmpty)
      return this.#sequence([...copies(min), () => (max > min ? this.#endless(once) : NOTHING)]);
    const loop = this.#loop(once);
    return min === 0 ? optional(loop) : loop;
  }

  #endless(once: () => Part): Part {
    return optional(this.#loop(once));
  }

  #loop(once: () => Part): Part {
    const body = failingEmpty(once());
    const last = times(body.last, { ways: 1, cost: body.empty.cost });
    this.#connect(last, body.first);
    return { ...body, last };
  }

  #connect(from: WaysTo, to: WaysTo): void {
    for (const [start, ways] of from) {
      const edges = this.next[start] as Map<number, Ways>;
      for (const [end, more] of to) edges.set(end, sum(edges.get(end) ?? NONE, product(ways, more)));
      this.#edges += to.size;
      if (this.#edges > MAX_EDGES) throw new TooLarge();
    }
  }
}

/** The ways of an iteration without a character lead nowhere. */
const failingEmpty = (part: Part): Part => ({
  ...part,
  empty: { ways: 0, cost: part.empty.ways + part.empty.cost },
});

const optional = (part: Part): Part => ({ ...part, empty: sum(ONE, part.empty) });

/** Of a look-around of one character. */
const charactersIn = ({ alternatives: [only] }: Refa.NoParent<Refa.Assertion>): string | undefined =>
  only?.elements[0]?.type === "CharacterClass" ? only.elements[0].characters.toRangesString() : undefined;

/** True for `\b` and `\B`, whose two alternatives never hold together. */
function isBoundary([one, other, another]: Alternatives): boolean {
  const [first, second] = [one?.elements[0], other?.elements[0]];
  return (
    another === undefined &&
    first?.type === "Assertion" &&
    second?.type === "Assertion" &&
    first.kind === second.kind &&
    first.negate !== second.negate &&
    charactersIn(first) === charactersIn(second)
  );
}

const isEmptiable = (alternatives: Alternatives): boolean =>
  alternatives.some(({ elements }) =>
    elements.every((element) => {
      if (element.type === "CharacterClass") return false;
      if (element.type === "Assertion" || element.type === "Unknown") return true;
      return (element.type === "Quantifier" && element.min === 0) || isEmptiable(element.alternatives);
    }),
  );

/** Number of characters of a part, with those of its copies; of what is empty 1. */
function charactersOf(alternatives: Alternatives): number {
  const all = alternatives
    .flatMap(({ elements }) => elements)
    .map((element) => {
      if (element.type === "CharacterClass" || element.type === "Unknown") return 1;
      if (element.type === "Assertion") return 0;
      const inner = charactersOf(element.alternatives);
      if (element.type === "Alternation") return inner;
      return inner * element.max <= MAX_COPIES ? inner * element.max : inner * Math.max(1, element.min);
    });
  return Math.max(
    1,
    all.reduce((one, other) => one + other, 0),
  );
}

const bounded = (n: number): number => Math.min(n, VERY_MANY);

const sum = (one: Ways, other: Ways): Ways => ({
  ways: bounded(one.ways + other.ways),
  cost: bounded(one.cost + other.cost),
});

/** Each way of one is followed by each of the other. */
const product = (one: Ways, other: Ways): Ways => ({
  ways: bounded(one.ways * other.ways),
  cost: bounded(one.cost * Math.max(1, other.ways) + one.ways * other.cost),
});

function union(maps: readonly WaysTo[]): WaysTo {
  const all = new Map<number, Ways>();
  for (const map of maps) for (const [key, ways] of map) all.set(key, sum(all.get(key) ?? NONE, ways));
  return all;
}

function times(map: WaysTo, ways: Ways): WaysTo {
  return ways.ways === 0 ? new Map() : new Map([...map].map(([key, before]) => [key, product(before, ways)]));
}
