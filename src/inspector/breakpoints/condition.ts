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
  /** To be more or less than a text or a number is all that can be asked. */
  readonly value: Scalar;
}

export type Condition =
  | Comparison
  | { readonly kind: "not"; readonly term: Condition }
  /** Two terms or more. */
  | { readonly kind: "and" | "or"; readonly terms: readonly Condition[] };

/** A condition in UTF-16 units: who writes a longer one wants a program. */
export const MAX_CONDITION_LENGTH = 1000;
/** Parentheses and negations inside one another. */
export const MAX_NESTING = 50;
/** Properties of one path. */
export const MAX_PATH_LENGTH = 32;
