// Estimates how a pattern's time grows with the length of the text. Consecutive loops that can
// share a text, as in .*a.*a, are tried at each end of the first. The degree is that of the
// polynomial (Weber and Seidl, "On the degree of ambiguity of finite automata"). Exponential
// patterns were rejected before (dangerous-pattern.ts).

import { createRequire } from "node:module";
import type * as Refa from "refa";
import { components } from "../tree/strong-components.js";
import { type Alternatives, Automaton } from "./dangerous-pattern.js";

const require = createRequire(import.meta.url);

/** Limit of steps for one text: about 5 ms. */
const MAX_STEPS = 1_000_000;
/** Longer walks are not examined and count as found. */
const MAX_WALK = 50_000;

/** Syntax of a possible loop. */
const LOOPS = /[*+]|\{\d*,\d*\}|\{\d\d+\}/g;

/** True if a text of this length can exceed the limit of steps. */
export function isCostly({ source, flags }: RegExp, maxLength: number): boolean {
  const most = (source.match(LOOPS)?.length ?? 0) + (source.startsWith("^") ? 0 : 1);
  if (steps(most, maxLength) <= MAX_STEPS) return false;
  const { JS } = require("refa") as typeof Refa;
  const { expression, maxCharacter } = JS.Parser.fromLiteral({ source, flags }).parse({
    assertions: "parse",
    backreferences: "unknown",
    simplify: false,
  });
  return steps(degree(expression.alternatives, maxCharacter), maxLength) > MAX_STEPS;
}

/** n consecutive loops share a text in as many ways as n - 1 borders can be placed in it. */
function steps(loops: number, length: number): number {
  let all = 1;
  for (let loop = 1; loop <= loops; loop += 1) all *= (length + loop) / loop;
  return all;
}

function degree(alternatives: Alternatives, maxCharacter: Refa.Char): number {
  const automaton = new Automaton(maxCharacter);
  const part = automaton.choice(alternatives);
  const isAnchored = alternatives.every(({ elements: [first] }) => isStart(first));
  if (!isAnchored) automaton.skipTo(part);
  const once = new Set(isAnchored ? alternatives.flatMap(leading) : []);
  const around = [...automaton.lookArounds].map((each) => [each, degreeWithin(each, maxCharacter)] as const);
  const own = longestChain(automaton);
  return Math.max(own, ...around.map(([each, of]) => (once.has(each) ? of : own + of)));
}

/** A look-around begins at its own position. */
function degreeWithin(alternatives: Alternatives, maxCharacter: Refa.Char): number {
  const automaton = new Automaton(maxCharacter);
  automaton.choice(alternatives);
  const around = [...automaton.lookArounds].map((each) => degreeWithin(each, maxCharacter));
  return longestChain(automaton) + Math.max(0, ...around);
}

/** True for `^`, which the parser represents as a negative look-behind. */
const isStart = (element: Refa.NoParent<Refa.Element> | undefined): boolean =>
  element?.type === "Assertion" && element.kind === "behind" && element.negate;

/** The look-arounds at the beginning; after `^` they are tried only once. */
function leading({ elements }: Alternatives[number]): readonly Alternatives[] {
  const end = elements.findIndex(({ type }) => type !== "Assertion");
  return elements
    .slice(0, end < 0 ? elements.length : end)
    .flatMap((element) => (element.type === "Assertion" ? [element.alternatives] : []));
}

/** Maximum number of consecutive loops of which each and the next can match one text. */
function longestChain(automaton: Automaton): number {
  // Components in topological order, those without successors first.
  const parts = components(automaton.positions, (at) => automaton.from(at));
  const partOf = new Map(parts.flatMap((part, n) => part.map((at) => [at, n] as const)));
  const isLoop = parts.map((part) => part.some((at) => automaton.from(at).some((to) => part.includes(to))));
  const reached: Set<number>[] = [];
  const longest: number[] = [];
  for (const [n, part] of parts.entries()) {
    const next = new Set(part.flatMap((at) => automaton.from(at)).map((to) => partOf.get(to) as number));
    next.delete(n);
    const all = new Set([...next].flatMap((to) => [to, ...(reached[to] as Set<number>)]));
    reached.push(all);
    longest.push(
      Math.max(
        isLoop[n] ? 1 : 0,
        ...[...all].map((to) => {
          const more = isLoop[n] && isLoop[to] && sharesText(automaton, part, parts[to] as number[]);
          return (longest[to] as number) + (more ? 1 : 0);
        }),
      ),
    );
  }
  return Math.max(0, ...longest);
}

/** True if some text leads around one loop, on to the other, and around that one. */
function sharesText(automaton: Automaton, one: readonly number[], other: readonly number[]): boolean {
  const [first, last] = [new Set(one), new Set(other)];
  return one.some((start) =>
    other.some((end) => {
      const seen = new Set<string>();
      const open: (readonly [number, number, number])[] = [[start, start, end]];
      for (let walk = open.pop(); walk !== undefined; walk = open.pop()) {
        const [left, middle, right] = walk;
        for (const l of automaton.from(left)) {
          if (!first.has(l)) continue;
          for (const r of automaton.from(right)) {
            if (!last.has(r)) continue;
            for (const m of automaton.from(middle)) {
              if (!automaton.meet(l, m, r)) continue;
              if (l === start && m === end && r === end) return true;
              const key = `${l} ${m} ${r}`;
              if (seen.has(key)) continue;
              if (seen.size >= MAX_WALK) return true;
              seen.add(key);
              open.push([l, m, r]);
            }
          }
        }
      }
      return false;
    }),
  );
}
