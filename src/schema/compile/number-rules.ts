import type { TSchema } from "@sinclair/typebox";

import { asLeaf, type Rule } from "./leaf-check.js";

/**
 * Replaces the check of a fractional `multipleOf`: by the remainder in TypeBox's compiler, 19.99 is
 * not a multiple of 0.01.
 */
export function asCheckedNumber(schema: TSchema): TSchema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (multipleOf === undefined || Number.isInteger(multipleOf)) return schema;
  const constraints = [minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf];
  return asLeaf(schema, JSON.stringify(["number", ...constraints]), () => ({
    type: "number",
    rules: [
      ...bound("minimum", minimum, "at least", (value, limit) => value >= limit),
      ...bound("maximum", maximum, "at most", (value, limit) => value <= limit),
      ...bound("exclusiveMinimum", exclusiveMinimum, "more than", (value, limit) => value > limit),
      ...bound("exclusiveMaximum", exclusiveMaximum, "less than", (value, limit) => value < limit),
      ...bound("multipleOf", multipleOf, "a multiple of", isMultiple),
    ],
  }));
}

function bound(
  keyword: string,
  limit: number | undefined,
  words: string,
  holds: (value: number, limit: number) => boolean,
): readonly Rule[] {
  if (limit === undefined) return [];
  return [
    { holds: (value: number) => holds(value, limit), failure: { keyword, expected: `${words} ${limit}` } },
  ];
}

// Doubles have 15 decimal digits: at that precision the nearest multiple must equal the value. If
// the quotient is not a double, the exact remainder can still be zero.
const isMultiple = (value: number, of: number): boolean =>
  value % of === 0 || Number((Math.round(value / of) * of).toPrecision(15)) === Number(value.toPrecision(15));
