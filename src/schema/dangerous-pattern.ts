// Finds the usual patterns that can take exponential time: a repetition inside a
// repetition that share characters, (a+)+, and a repeated choice whose alternatives
// overlap, (\w|\d)*. One request could hold the server for good. It is no proof: a
// choice nested deeper, (a(b|b))*, bounded repetitions of bounded ones and patterns of
// polynomial time pass; an application must not take patterns from strangers.

import { createRequire } from "node:module";
import type * as Regexpp from "@eslint-community/regexpp";
import type { AST } from "@eslint-community/regexpp";
import type * as Refa from "refa";
import type * as Scslre from "scslre";

// Loaded at the first pattern with a repeated group: 30 ms that others do not pay.
const require = createRequire(import.meta.url);

/** Only a repeated group can be exponential. */
const REPEATED_GROUP = /\)[*+{]/;

/** A few repetitions of an ambiguous choice are harmless. */
const MANY = 10;

/** Why the pattern is dangerous, in words, or undefined. */
export function danger(pattern: RegExp): string | undefined {
  if (!REPEATED_GROUP.test(pattern.source)) return undefined;
  return nestedRepetition(pattern) ?? ambiguousChoice(pattern);
}

function nestedRepetition({ source, flags }: RegExp): string | undefined {
  const { analyse } = require("scslre") as typeof Scslre;
  const { reports } = analyse({ source, flags }, { reportTypes: { Move: false } });
  return reports.some((report) => report.exponential)
    ? "repetitions are nested and share characters"
    : undefined;
}

/** A repeated choice is ambiguous where a text can be taken apart in two ways that begin with different alternatives. */
function ambiguousChoice({ source, flags }: RegExp): string | undefined {
  const { JS, isDisjointWith } = require("refa") as typeof Refa;
  const parser = JS.Parser.fromLiteral({ source, flags });
  for (const group of repeatedChoices(parser.ast.pattern)) {
    const automata = automataOf(group, parser);
    const overlap = automata.some((one, i) =>
      automata.slice(i + 1).some((other) => !isDisjointWith(one, other)),
    );
    if (overlap) return `the alternatives of ${group.raw} overlap`;
  }
  return undefined;
}

function repeatedChoices(pattern: AST.Pattern): readonly (AST.Group | AST.CapturingGroup)[] {
  const { visitRegExpAST } = require("@eslint-community/regexpp") as typeof Regexpp;
  const groups: (AST.Group | AST.CapturingGroup)[] = [];
  visitRegExpAST(pattern, {
    onQuantifierEnter({ max, element }) {
      const isGroup = element.type === "Group" || element.type === "CapturingGroup";
      if (isGroup && max >= MANY && element.alternatives.length > 1) groups.push(element);
    },
  });
  return groups;
}

/** For each alternative what it and any repetition of the group after it match. */
function automataOf(group: AST.Group | AST.CapturingGroup, parser: Refa.JS.Parser): readonly Refa.NFA[] {
  const { NFA } = require("refa") as typeof Refa;
  const parsed = group.alternatives.map((alternative) =>
    parser.parseElement(alternative, { assertions: "disable", backreferences: "disable" }),
  );
  const any: Refa.NoParent<Refa.Quantifier> = {
    type: "Quantifier",
    min: 0,
    max: Number.POSITIVE_INFINITY,
    lazy: false,
    alternatives: parsed.flatMap(({ expression }) => expression.alternatives),
  };
  return parsed.map(({ expression, maxCharacter }) => {
    const alternatives = expression.alternatives.map((alternative) => ({
      ...alternative,
      elements: [...alternative.elements, any],
    }));
    return NFA.fromRegex({ type: "Expression", alternatives }, { maxCharacter });
  });
}
