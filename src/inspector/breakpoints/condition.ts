// The language of conditions on what a node gets, as data.
//
//   condition  = and *( "||" and )
//   and        = term *( "&&" term )
//   term       = "!" term / "(" condition ")" / path op value
//   op         = "==" / "!=" / "<" / "<=" / ">" / ">="
//   path       = ( "$" / name / index ) *( "." ( name / number ) / index )
//   index      = "[" ( number / text ) "]"
//   value      = text / number / "true" / "false" / "null"

export const operators = ["==", "!=", "<=", ">=", "<", ">"] as const;

export type Operator = (typeof operators)[number];
export type Scalar = string | number | boolean | null;

export interface Comparison {
  readonly kind: "comparison";
  /** Names of own properties, from the value itself on; none is the value. */
  readonly path: readonly string[];
  readonly operator: Operator;
  /** A text or a number for an operator other than == and !=. */
  readonly value: Scalar;
}

export type Condition =
  | Comparison
  | { readonly kind: "not"; readonly term: Condition }
  /** Two terms or more. */
  | { readonly kind: "and" | "or"; readonly terms: readonly Condition[] };

/** In UTF-16 units. */
export const MAX_CONDITION_LENGTH = 1000;
/** Parentheses and negations inside one another. */
export const MAX_NESTING = 50;
/** Properties of one path. */
export const MAX_PATH_LENGTH = 32;

/** A condition that does not parse: where, and what would have been right there. */
export class ConditionError extends Error {
  override readonly name = "ConditionError";
  readonly code = "CONDITION_INVALID";
  /** From 0 to the text's length, in UTF-16 units. */
  readonly position: number;
  /** In words: "a value: a text in quotes, a number, true, false or null". */
  readonly expected: string;

  constructor(position: number, expected: string, found: string) {
    super(`At position ${position}: expected ${expected}, found ${found}`);
    this.position = position;
    this.expected = expected;
  }
}
