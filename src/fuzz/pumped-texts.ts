// Long texts of one repeated unit at which a slow regular expression backtracks: those that the patterns of the
// route's steps repeat, and usual ones.

import { seeded } from "#schema/sample/choice.js";
import { patternText } from "#schema/sample/pattern-text.js";
import type { SeenConstants } from "./seen-constants.js";

export interface Pump {
  readonly prefix: string;
  readonly unit: string;
}

const USUAL: readonly Pump[] = [
  "a",
  "1",
  " ",
  "a ",
  ".",
  "A",
  "a.",
  "-",
  "a,",
  "/",
  "_",
  "(",
  '"',
  "=",
  "\\",
  "\t",
  "<",
  "\u00e9",
].map((unit) => ({ prefix: "", unit }));
const MAX_UNITS = 12;
const MAX_UNIT = 16;
const DRAWS = 4;

/** The seen ones first. */
export function pumpsOf(patterns: SeenConstants["patterns"]): readonly Pump[] {
  const seen = new Map<string, Pump>();
  for (const { source, flags } of patterns)
    for (const { before, body } of repeatedIn(source)) {
      const [prefix = ""] = drawn(before, flags);
      for (const unit of drawn(body, flags))
        if (unit !== "" && unit.length <= MAX_UNIT && seen.size < MAX_UNITS)
          seen.set(`${prefix} ${unit}`, { prefix, unit });
    }
  return [...seen.values(), ...USUAL];
}

/** Texts of a part of a pattern; empty if it is no pattern by itself. */
function drawn(source: string, flags: string): readonly string[] {
  if (source === "") return [""];
  try {
    const text = patternText(source, flags);
    return [...new Set(Array.from({ length: DRAWS }, (_, seed) => text(seeded(seed), 2)))];
  } catch {
    return [];
  }
}

interface Repeated {
  readonly before: string;
  readonly body: string;
}

/** Groups with a quantifier, with what stands before them. */
function repeatedIn(source: string): readonly Repeated[] {
  const found: Repeated[] = [];
  const open: number[] = [];
  let isClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at];
    if (character === "\\") at += 1;
    else if (isClass) isClass = character !== "]";
    else if (character === "[") isClass = true;
    else if (character === "(") open.push(at);
    else if (character === ")") {
      const begin = open.pop() ?? 0;
      const body = source.slice(begin + 1, at).replace(/^\?(?::|<\w+>)/, "");
      // Within an open group what stands before is no pattern: the outer group has its own text.
      const before = open.length > 0 ? source.slice(0, open[0]) : source.slice(0, begin);
      if (/[*+{]/.test(source[at + 1] ?? "")) found.push({ before, body });
    }
  }
  return found;
}

/** Lengths to try, the longest that the schema allows. */
const LENGTHS = [20_000, 10_000, 5000, 2500, 1250, 625, 300, 200, 150, 100, 75, 50, 40, 30];
/** Of a text in a head, whose size is limited. */
const MAX_IN_HEAD = 1500;
const SHORT = 75;

/** The texts of a pump, the longest first. Short ones pass checks of a step that come before its pattern. */
export function pumped({ prefix, unit }: Pump, place: "body" | "head", isShort: boolean): readonly string[] {
  const most = isShort ? SHORT : place === "body" ? Number.POSITIVE_INFINITY : MAX_IN_HEAD;
  const end = "!";
  return LENGTHS.filter((length) => length <= most).map((length) => {
    const times = Math.max(1, Math.floor((length - prefix.length - end.length) / unit.length));
    return prefix + unit.repeat(times) + end;
  });
}
