// Finds patterns with exponential time: those with a loop that can match one text in two ways, such
// as (a+)+ or (\w|\d)*. One request could block the server forever. Patterns of polynomial time
// pass: the bound of the input (pattern.ts) limits them. An application must not accept patterns
// from clients.

import { createRequire } from "node:module";
import type * as Refa from "refa";

import { components } from "../tree/strong-components.js";

// Loaded at the first pattern with a repeated group: it takes 30 ms.
const require = createRequire(import.meta.url);

/** Only a repeated group can take exponential time. */
const REPEATED_GROUP = /\)[*+{]/;

/**
 * A variable repetition counts as a loop from LOOP_FROM on, and from LOOP_OF_VARIABLES_FROM on if
 * its body varies too.
 */
const LOOP_FROM = 10;
const LOOP_OF_VARIABLES_FROM = 5;

/**
 * Accepted number of ways through repetitions that are not loops. A repetition without a bound
 * counts as UNBOUNDED_COUNTS.
 */
const MAX_WAYS = 100_000;
const UNBOUNDED_COUNTS = 4;

/** Beyond this number of positions, repetitions are not expanded, and a loop is not examined. */
const MAX_POSITIONS = 2000;
const MAX_LOOP = 300;

/** The reason why the pattern is dangerous; undefined if it is not. */
export function danger({ source, flags }: RegExp): string | undefined {
  if (!REPEATED_GROUP.test(source)) return undefined;
  const { JS } = require("refa") as typeof Refa;
  const parser = JS.Parser.fromLiteral({ source, flags });
  // Not simplified: the engine also tries branches that never match.
  const { expression, maxCharacter } = parser.parse({
    assertions: "parse",
    backreferences: "unknown",
    simplify: false,
  });
  const unseen: Alternatives[] = [expression.alternatives];
  for (let part = unseen.pop(); part !== undefined; part = unseen.pop()) {
    // A look-around is not re-entered after its match, so it does not multiply the ways around it.
    const automaton = new Automaton(maxCharacter);
    automaton.choice(part);
    const why = automaton.ambiguousLoop();
    if (why !== undefined) return why;
    if (waysInARow(part, maxCharacter) > MAX_WAYS) return "its repetitions have too many ways together";
    unseen.push(...automaton.lookArounds);
  }
  return undefined;
}

export type Alternatives = readonly Refa.NoParent<Refa.Concatenation>[];

/**
 * A part of the pattern: the positions where its matches begin and end, with the number of ways,
 * and the ways to match the empty text.
 */
interface Part {
  readonly first: ReadonlyMap<number, number>;
  readonly last: ReadonlyMap<number, number>;
  readonly empty: number;
}

const NOTHING: Part = { first: new Map(), last: new Map(), empty: 1 };

/** Glushkov automaton: one position per character class, an edge between consecutive positions of a match. */
export class Automaton {
  /** Contents of look-arounds, which are not part of this automaton. */
  readonly lookArounds = new Set<Alternatives>();
  readonly #characters: Refa.CharSet[] = [];
  /** By position: the next positions, with the number of ways. */
  readonly #next: Map<number, number>[] = [];
  readonly #any: Refa.CharSet;

  constructor(maxCharacter: Refa.Char) {
    const { CharSet } = require("refa") as typeof Refa;
    this.#any = CharSet.all(maxCharacter);
  }

  choice(alternatives: Alternatives): Part {
    const parts = alternatives.map(({ elements }) =>
      this.#sequence(elements.map((e) => () => this.#element(e))),
    );
    return {
      first: sum(parts.map((part) => part.first)),
      last: sum(parts.map((part) => part.last)),
      empty: parts.reduce((ways, part) => ways + part.empty, 0),
    };
  }

  loop(alternatives: Alternatives): Part {
    const body = this.choice(alternatives);
    this.#connect(body.last, body.first);
    return body;
  }

  /** Allows a match to begin anywhere. */
  skipTo(part: Part): void {
    const before = this.#position(this.#any);
    this.#connect(before.last, before.first);
    this.#connect(before.last, part.first);
  }

  get positions(): readonly number[] {
    return [...this.#next.keys()];
  }

  /** The next positions. */
  from(at: number): readonly number[] {
    return [...this.#edges(at).keys()];
  }

  /** True if one character matches all three positions. */
  meet(one: number, other: number, third: number): boolean {
    const charactersOf = (at: number): Refa.CharSet => this.#characters[at] as Refa.CharSet;
    return !charactersOf(one).intersect(charactersOf(other)).isDisjointWith(charactersOf(third));
  }

  #sequence(makers: readonly (() => Part)[]): Part {
    return makers.reduce<Part>((before, make) => {
      const after = make();
      this.#connect(before.last, after.first);
      return {
        first: sum([before.first, times(after.first, before.empty)]),
        last: sum([after.last, times(before.last, after.empty)]),
        empty: before.empty * after.empty,
      };
    }, NOTHING);
  }

  #element(element: Refa.NoParent<Refa.Element>): Part {
    switch (element.type) {
      case "CharacterClass":
        return this.#position(element.characters);
      case "Alternation":
        return this.choice(element.alternatives);
      case "Quantifier":
        return this.#repetition(element);
      case "Assertion":
        this.lookArounds.add(element.alternatives);
        return NOTHING;
      case "Unknown":
        return { ...this.#position(this.#any), empty: 1 };
    }
  }

  #position(characters: Refa.CharSet): Part {
    const position = this.#characters.push(characters) - 1;
    this.#next.push(new Map());
    const here = new Map([[position, 1]]);
    return { first: here, last: here, empty: 0 };
  }

  #repetition(quantifier: Refa.NoParent<Refa.Quantifier>): Part {
    const { min, max, alternatives } = quantifier;
    if (max === 0) return NOTHING;
    if (countsAsLoop(quantifier) || this.#next.length * max > MAX_POSITIONS) {
      const body = this.loop(alternatives);
      return { ...body, empty: min === 0 ? 1 : body.empty };
    }
    const once = (): Part => this.choice(alternatives);
    // x{1,3} is x(x(x)?)?: built from the innermost, so that each way counts once.
    const optional = Array.from({ length: max - min }).reduce<() => Part>(
      (inner) => () => ({ ...this.#sequence([once, inner]), empty: 1 }),
      () => NOTHING,
    );
    return this.#sequence([...Array.from({ length: min }, () => once), optional]);
  }

  #connect(from: Part["last"], to: Part["first"]): void {
    for (const [start, ways] of from) {
      const edges = this.#next[start] as Map<number, number>;
      for (const [end, more] of to) edges.set(end, (edges.get(end) ?? 0) + ways * more);
    }
  }

  /** Description of a loop with two ways for one text; undefined if there is none. */
  ambiguousLoop(): string | undefined {
    for (const loop of components([...this.#next.keys()], (at) => [...this.#edges(at).keys()])) {
      if (loop.length > MAX_LOOP) return "one of its loops is too large to be examined";
      const within = new Set(loop);
      for (const at of loop) {
        for (const [to, ways] of this.#edges(at)) {
          if (ways > 1 && within.has(to)) return "repetitions are nested and share characters";
        }
      }
      if (this.#partsAndMeets(loop, within)) return "one text can go through a repetition in two ways";
    }
    return undefined;
  }

  #partsAndMeets(loop: readonly number[], within: ReadonlySet<number>): boolean {
    const size = this.#next.length;
    const followers = (pair: number): number[] => {
      const [one, other] = [Math.floor(pair / size), pair % size];
      const right = [...this.#edges(other).keys()].filter((to) => within.has(to));
      return [...this.#edges(one).keys()]
        .filter((to) => within.has(to))
        .flatMap((left) => right.filter((to) => this.#share(left, to)).map((to) => left * size + to));
    };
    const together = loop.map((at) => at * size + at);
    return components(together, followers).some((pairs) => {
      const apart = pairs.filter((pair) => Math.floor(pair / size) !== pair % size);
      return apart.length > 0 && apart.length < pairs.length;
    });
  }

  #share(one: number, other: number): boolean {
    if (one === other) return true;
    const characters = this.#characters[one] as Refa.CharSet;
    return !characters.isDisjointWith(this.#characters[other] as Refa.CharSet);
  }

  #edges(at: number): ReadonlyMap<number, number> {
    return this.#next[at] as Map<number, number>;
  }
}

function countsAsLoop({ min, max, alternatives }: Refa.NoParent<Refa.Quantifier>): boolean {
  if (max === Number.POSITIVE_INFINITY || (max >= LOOP_FROM && max !== min)) return true;
  return max >= LOOP_OF_VARIABLES_FROM && alternatives.some(varies);
}

/** Maximum number of ways through an element if all characters were equal. Infinity for very many. */
function waysThrough(element: Refa.NoParent<Refa.Element>): number {
  if (element.type === "CharacterClass" || element.type === "Unknown" || element.type === "Assertion")
    return 1;
  const once = element.alternatives.reduce(
    (ways, { elements }) => ways + elements.reduce((product, inner) => product * waysThrough(inner), 1),
    0,
  );
  if (element.type === "Alternation") return once;
  const { min, max } = element;
  const most = Math.min(max, min + (max === Number.POSITIVE_INFINITY ? UNBOUNDED_COUNTS : LOOP_FROM));
  let ways = 0;
  for (let times = min; times <= most && ways <= MAX_WAYS; times += 1) ways += once ** times;
  return ways;
}

/** Maximum number of ways through consecutive repeated groups with several ways for one text. */
function waysInARow(alternatives: Alternatives, maxCharacter: Refa.Char): number {
  const ofElement = (element: Refa.NoParent<Refa.Element>): number => {
    if (element.type !== "Quantifier" && element.type !== "Alternation") return 1;
    if (element.type === "Alternation" || element.max <= 1) {
      return waysInARow(element.alternatives, maxCharacter);
    }
    const ways = countsAsLoop(element) ? 1 : waysThrough(element);
    if (ways === 1) return 1;
    const automaton = new Automaton(maxCharacter);
    automaton.loop(element.alternatives);
    return automaton.ambiguousLoop() === undefined ? 1 : ways;
  };
  return Math.max(
    1,
    ...alternatives.map(({ elements }) => elements.reduce((ways, element) => ways * ofElement(element), 1)),
  );
}

function varies({ elements }: Refa.NoParent<Refa.Concatenation>): boolean {
  return elements.some((element) => {
    if (element.type === "CharacterClass" || element.type === "Unknown") return false;
    if (element.type === "Quantifier" && element.max !== element.min) return true;
    return element.alternatives.some(varies);
  });
}

function sum(maps: readonly ReadonlyMap<number, number>[]): ReadonlyMap<number, number> {
  const all = new Map<number, number>();
  for (const map of maps) for (const [key, ways] of map) all.set(key, (all.get(key) ?? 0) + ways);
  return all;
}

function times(map: ReadonlyMap<number, number>, ways: number): ReadonlyMap<number, number> {
  if (ways === 0) return new Map();
  // Capped at 2, which suffices and bounds the numbers.
  return new Map([...map].map(([key, before]) => [key, Math.min(before * ways, 2)]));
}
