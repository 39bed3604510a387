import type { Condition } from "./condition.js";

/** A condition as text, which is read as that condition again. */
export function printCondition(condition: Condition): string {
  switch (condition.kind) {
    case "comparison":
      return `${printPath(condition.path)} ${condition.operator} ${JSON.stringify(condition.value)}`;
    case "not":
      return condition.term.kind === "not"
        ? `!${printCondition(condition.term)}`
        : `!(${printCondition(condition.term)})`;
    case "and":
      return condition.terms.map((term) => printTerm(term, "and", "or")).join(" && ");
    case "or":
      return condition.terms.map((term) => printTerm(term, "or")).join(" || ");
  }
}

/** In parentheses where it is of one of these kinds: `a && (b && c)` keeps them. */
const printTerm = (term: Condition, ...kinds: Condition["kind"][]): string =>
  kinds.includes(term.kind) ? `(${printCondition(term)})` : printCondition(term);

const NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

export function printPath(path: readonly string[]): string {
  if (path.length === 0) return "$";
  return path.map(printPart).join("");
}

function printPart(name: string, at: number): string {
  if (INDEX.test(name)) return `[${name}]`;
  // A first `$` is the value itself.
  if (!NAME.test(name) || (at === 0 && name === "$")) return `[${JSON.stringify(name)}]`;
  return at === 0 ? name : `.${name}`;
}
