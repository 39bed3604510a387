// From a condition to a function: of closures, as a condition comes from outside. It runs no
// code of the value (no getter, nothing inherited) and never throws: a Proxy that throws does
// not fulfil the condition, with or without a `!`.

import type { Comparison, Condition, Operator, Scalar } from "./condition.js";

export type Predicate = (value: unknown) => boolean;

export function compileCondition(condition: Condition): Predicate {
  const test = testOf(condition);
  return (value) => {
    try {
      return test(value);
    } catch {
      return false;
    }
  };
}

function testOf(condition: Condition): Predicate {
  switch (condition.kind) {
    case "comparison":
      return comparing(condition);
    case "not": {
      const term = testOf(condition.term);
      return (value) => !term(value);
    }
    case "and":
    case "or": {
      const terms = condition.terms.map(testOf);
      return condition.kind === "and"
        ? (value) => terms.every((term) => term(value))
        : (value) => terms.some((term) => term(value));
    }
  }
}

function comparing({ path, operator, value: wanted }: Comparison): Predicate {
  const compare = comparisons[operator];
  return (value) => compare(readPath(value, path), wanted);
}

type Compare = (found: unknown, wanted: Scalar) => boolean;

// Only values of one type have an order: "10" is neither less nor more than 9.
const ordered =
  (holds: (found: string | number, wanted: string | number) => boolean): Compare =>
  (found, wanted) =>
    typeof found === typeof wanted &&
    (typeof found === "string" || typeof found === "number") &&
    holds(found, wanted as string | number);

const comparisons: Readonly<Record<Operator, Compare>> = {
  "==": (found, wanted) => found === wanted,
  "!=": (found, wanted) => found !== wanted,
  "<": ordered((found, wanted) => found < wanted),
  "<=": ordered((found, wanted) => found <= wanted),
  ">": ordered((found, wanted) => found > wanted),
  ">=": ordered((found, wanted) => found >= wanted),
};

/** The value at a path; null if there is none. */
function readPath(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== "object" || found === null) return null;
    found = Object.getOwnPropertyDescriptor(found, name)?.value;
  }
  return found ?? null;
}
