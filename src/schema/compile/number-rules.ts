import type { TSchema } from "@sinclair/typebox";

import { asLeaf, type Rule } from "./leaf-check.js";

/**
 * The schema under a kind of its own where `multipleOf` is a fraction: the
 * remainder that TypeBox's compiler takes says that 19.99 is no multiple of 0.01.
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

// Doubles carry 15 decimal digits: at that precision the nearest multiple is the value itself.
// Of a quotient that is no double the remainder, which is exact, can still be none.
const isMultiple = (value: number, of: number): boolean =>
  value % of === 0 || Number((Math.round(value / of) * of).toPrecision(15)) === Number(value.toPrecision(15));
