// Bounds the steps of a backtracking matcher for every text of a length. A step is a character
// reached by one of the ways through the pattern. Texts are extended by one character at a time, all
// at once: a count of the ways to each position stands for all texts that have no more of them.
// Where there are too many counts, several are replaced by their maximum: the bound only grows.

import { createRequire } from "node:module";
import type * as Refa from "refa";
import { type Alternatives, Automaton, TooLarge, type Ways } from "./pattern-automaton.js";
import { isAnything } from "./printed-pattern.js";

// Loaded at the first pattern with several repetitions or a repeated group: it takes 30 ms.
const require = createRequire(import.meta.url);

/** Limit of steps for one text: about 5 ms. */
const MAX_STEPS = 1_000_000;
/** A character that is tried and differs, in steps. */
const FAILED_TRY = 1 / 8;
/** More counts are joined. */
const MAX_COUNTS = 24;
/** Bound of the time that examining a part of a pattern takes: about 20 ms. */
const MAX_COMPARISONS = 300_000;

/** Syntax of loops, of choices and of repeated groups. */
const LOOPS = /[*+]|\{\d*,\d*\}|\{\d\d+\}|\\[1-9k]/g;
const CHOICES = /[?|]/g;
const REPEATED_GROUP = /\)[*+{]/;

/** True unless every text of this length is known to take fewer steps than the limit. */
export const isCostly = (pattern: RegExp, maxLength: number): boolean =>
  !isPlain(pattern, maxLength) && mostSteps(pattern, maxLength) > MAX_STEPS;

/** True for a pattern whose repetitions and choices alone tell that it is fast. */
export function isPlain({ source, multiline }: RegExp, maxLength: number): boolean {
  const isAnchored = source.startsWith("^") && !multiline && !source.includes("|");
  const loops = (source.match(LOOPS)?.length ?? 0) + (isAnchored ? 0 : 1);
  const ways = 2 ** (source.match(CHOICES)?.length ?? 0);
  return !REPEATED_GROUP.test(source) && ways * steps(loops, maxLength) <= MAX_STEPS;
}

/** n consecutive loops share a text in as many ways as n - 1 borders can be placed in it. */
function steps(loops: number, length: number): number {
  let all = 1;
  for (let loop = 1; loop <= loops; loop += 1) all *= (length + loop) / loop;
  return all;
}

/** At least the steps for any text of this length; Infinity if they exceed the limit or are unknown. */
export function mostSteps({ source, flags }: RegExp, length: number): number {
  const parsed = parse(source, flags);
  if (parsed === undefined) return Number.POSITIVE_INFINITY;
  const { expression, maxCharacter } = parsed;
  const isAnchored = expression.alternatives.every(({ elements: [first] }) => isStart(first));
  try {
    return new Bound(maxCharacter, length).of(expression.alternatives, isAnchored, false);
  } catch (cause) {
    if (cause instanceof TooLarge) return Number.POSITIVE_INFINITY;
    throw cause;
  }
}

/** Undefined for a pattern of too many nodes, and for syntax that only the engine knows. */
function parse(source: string, flags: string): Refa.JS.ParseResult | undefined {
  const { JS } = require("refa") as typeof Refa;
  try {
    // Not simplified: the engine also tries branches that never match.
    return JS.Parser.fromLiteral({ source, flags }).parse({
      assertions: "parse",
      backreferences: "unknown",
      simplify: false,
    });
  } catch {
    return undefined;
  }
}

/** True for `^`, which the parser represents as a negative look-behind of any character. */
const isStart = (element: Refa.NoParent<Refa.Element> | undefined): boolean =>
  element?.type === "Assertion" &&
  element.kind === "behind" &&
  element.negate &&
  isAnything(element.alternatives);

class Bound {
  readonly #maxCharacter: Refa.Char;
  readonly #length: number;
  readonly #lookArounds = new Map<Alternatives, number>();

  constructor(maxCharacter: Refa.Char, length: number) {
    this.#maxCharacter = maxCharacter;
    this.#length = length;
  }

  of(alternatives: Alternatives, isAnchored: boolean, isBackwards: boolean): number {
    const automaton = new Automaton(alternatives, this.#maxCharacter, isBackwards, (assertion) => {
      const { alternatives: inner, kind } = assertion;
      const cost = this.#lookArounds.get(inner) ?? this.of(inner, true, kind === "behind");
      this.#lookArounds.set(inner, cost);
      return cost;
    });
    return new Texts(automaton, isAnchored).steps(this.#length);
  }
}

/** By position, the number of ways that lead to it. */
type Count = ReadonlyMap<number, number>;

/** Position before the first character. */
const START = -1;

class Texts {
  readonly #automaton: Automaton;
  readonly #isAnchored: boolean;
  /** What each way that leads to a position costs there. */
  readonly #costs = new Map<number, number>();
  /** Sets of positions that one character reaches, without those that are part of another set. */
  readonly #letters: readonly ReadonlySet<number>[];
  #comparisons = 0;

  constructor(automaton: Automaton, isAnchored: boolean) {
    const { next, whole, characters } = automaton;
    this.#automaton = automaton;
    this.#isAnchored = isAnchored;
    this.#costs.set(START, 1 + costOf([...whole.first.values(), whole.empty]));
    for (const [at, edges] of next.entries()) {
      const end = whole.last.get(at);
      this.#costs.set(at, 1 + costOf([...edges.values(), ...(end === undefined ? [] : [end])]));
    }
    this.#letters = letters(characters);
  }

  steps(length: number): number {
    let counts: readonly Count[] = [new Map([[START, 1]])];
    // Once no text has more ways than one of fewer characters, none ever has. Tested behind the
    // longest text without a loop: only loops go on from there.
    let [earlier, from, most] = [counts, 0, this.#costliest(counts)];
    let all = most;
    for (let at = 1; at <= length && all <= MAX_STEPS; at += 1) {
      counts = this.#extended(counts);
      if (counts.length === 0) return all;
      if (this.#comparisons > MAX_COMPARISONS) return Number.POSITIVE_INFINITY;
      const cost = this.#costliest(counts);
      if (
        at > this.#automaton.next.length &&
        counts.every((one) => earlier.some((other) => this.#isWithin(one, other)))
      ) {
        all += (length - at + 1) * Math.max(most, cost);
        break;
      }
      all += cost;
      most = Math.max(most, cost);
      if (at >= 2 * from) [earlier, from, most] = [counts, at, cost];
    }
    return all <= MAX_STEPS ? all : Number.POSITIVE_INFINITY;
  }

  #costliest(counts: readonly Count[]): number {
    return Math.max(
      ...counts.map((count) => {
        let all = 0;
        for (const [at, ways] of count) all += ways * (this.#costs.get(at) as number);
        return all;
      }),
    );
  }

  /** For texts with one more character. */
  #extended(counts: readonly Count[]): readonly Count[] {
    const found: Count[] = [];
    for (const count of counts) {
      const reached = this.#reached(count);
      for (const letter of this.#letters) {
        const longer = new Map([...reached].filter(([at]) => letter.has(at)));
        if (!this.#isAnchored) longer.set(START, 1);
        if (longer.size > 0) this.#add(found, longer);
      }
    }
    return found.length > MAX_COUNTS ? joined(found) : found;
  }

  #reached(count: Count): Count {
    const reached = new Map<number, number>();
    for (const [at, ways] of count) {
      const edges =
        at === START ? this.#automaton.whole.first : (this.#automaton.next[at] as Map<number, Ways>);
      for (const [to, more] of edges) reached.set(to, (reached.get(to) ?? 0) + ways * more.ways);
    }
    return reached;
  }

  /** Adds a count unless another is at least as large, and removes those that are not larger. */
  #add(counts: Count[], added: Count): void {
    for (let i = counts.length - 1; i >= 0; i -= 1) {
      if (this.#isWithin(added, counts[i] as Count)) return;
      if (this.#isWithin(counts[i] as Count, added)) counts.splice(i, 1);
    }
    counts.push(added);
  }

  #isWithin(one: Count, other: Count): boolean {
    if (one.size > other.size) return false;
    for (const [at, ways] of one) {
      this.#comparisons += 1;
      if (ways > (other.get(at) ?? 0)) return false;
    }
    return true;
  }
}

const costOf = (ways: readonly Ways[]): number =>
  ways.reduce((all, each) => all + each.ways * FAILED_TRY + each.cost, 0);

/** The maximum of those that lead to the same positions. */
function joined(counts: readonly Count[]): Count[] {
  const byPositions = new Map<string, Map<number, number>>();
  for (const count of counts) {
    const positions = [...count.keys()].toSorted().join();
    const most = byPositions.get(positions) ?? new Map<number, number>();
    for (const [at, ways] of count) most.set(at, Math.max(most.get(at) ?? 0, ways));
    byPositions.set(positions, most);
  }
  return [...byPositions.values()];
}

function letters(characters: readonly Refa.CharSet[]): readonly ReadonlySet<number>[] {
  const borders = new Set(
    characters.flatMap(({ ranges }) => ranges.flatMap(({ min, max }) => [min, max + 1])),
  );
  const byText = new Map([["", new Set<number>()]]);
  for (const border of borders) {
    const positions = [...characters.keys()].filter((at) => characters[at]?.has(border));
    byText.set(positions.join(), new Set(positions));
  }
  const all = [...byText.values()].toSorted((one, other) => other.size - one.size);
  return all.filter((one, i) => all.slice(0, i).every((other) => ![...one].every((at) => other.has(at))));
}
