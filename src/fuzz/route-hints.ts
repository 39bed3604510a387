// Every third request of a route takes a hint: long texts of one unit, and constants that its schemas and steps
// have, in turns. The hint of an index does not depend on the seed, so that few requests try each once.

import type { FuzzedRoute } from "./fuzzed-route.js";
import { type Pump, pumped, pumpsOf } from "./pumped-texts.js";

export type HintedPlace = "body" | "head";

/** Values to put in the place of texts and numbers, for each of them by its position. */
export interface Hint {
  /** Candidates, the preferred one first. */
  readonly texts: (at: number, place: HintedPlace) => readonly string[];
  readonly numbers: (at: number) => readonly number[];
}

const EVERY = 3;

export class RouteHints {
  readonly #texts: readonly string[];
  readonly #numbers: readonly number[];
  readonly #pumps: readonly Pump[];

  constructor({ seen }: Pick<FuzzedRoute, "seen">) {
    this.#texts = seen.texts;
    this.#numbers = seen.numbers;
    this.#pumps = pumpsOf(seen.patterns);
  }

  /** Undefined for requests without a hint, the first one among them. */
  at(index: number): Hint | undefined {
    if (index % EVERY !== EVERY - 1) return undefined;
    const slot = Math.floor(index / EVERY);
    if (this.#texts.length + this.#numbers.length === 0) return this.#pump(slot);
    const turn = Math.floor(slot / 2);
    return slot % 2 === 1 ? this.#constants(turn) : this.#pump(turn);
  }

  /** Long ones in the first round over all pumps, short ones in the next. */
  #pump(turn: number): Hint {
    const pump = this.#pumps[turn % this.#pumps.length] as Pump;
    const isShort = Math.floor(turn / this.#pumps.length) % 2 === 1;
    return { texts: (_, place) => pumped(pump, place, isShort), numbers: () => [] };
  }

  /** The same constant everywhere in the first round, and different pairs in later ones. */
  #constants(turn: number): Hint {
    return { texts: turned(this.#texts, turn), numbers: turned(this.#numbers, turn) };
  }
}

const turned =
  <T>(values: readonly T[], turn: number) =>
  (at: number): readonly T[] => {
    if (values.length === 0) return [];
    const round = Math.floor(turn / values.length);
    return [values[(turn + at * round) % values.length] as T];
  };

const MAX_LEAVES = 50;

/** The value with hinted texts and numbers, each where the whole still fits its schema. */
export function withHint(
  value: unknown,
  hint: Hint,
  place: HintedPlace,
  fits: (value: unknown) => boolean,
): unknown {
  let whole = value;
  leavesOf(value).forEach(({ path, leaf }, at) => {
    const candidates = typeof leaf === "string" ? hint.texts(at, place) : hint.numbers(at);
    for (const candidate of candidates) {
      const next = replaced(whole, path, candidate);
      if (!fits(next)) continue;
      whole = next;
      break;
    }
  });
  return whole;
}

type Path = readonly (string | number)[];

interface Leaf {
  readonly path: Path;
  readonly leaf: string | number;
}

function leavesOf(value: unknown, path: Path = [], found: Leaf[] = []): readonly Leaf[] {
  if (typeof value === "string" || typeof value === "number") {
    if (found.length < MAX_LEAVES) found.push({ path, leaf: value });
  } else if (typeof value === "object" && value !== null) {
    const isList = Array.isArray(value);
    for (const [name, item] of Object.entries(value))
      leavesOf(item, [...path, isList ? Number(name) : name], found);
  }
  return found;
}

function replaced(value: unknown, [step, ...rest]: Path, by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.map((item, at) => (at === step ? replaced(item, rest, by) : item));
  const entries = Object.entries(value as object);
  return Object.fromEntries(
    entries.map(([name, item]) => [name, name === step ? replaced(item, rest, by) : item]),
  );
}
