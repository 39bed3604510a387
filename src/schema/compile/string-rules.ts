// JSON Schema counts characters as code points. TypeBox's compiler counts UTF-16 units, compiles
// patterns without the `u` flag, and looks formats up in a global registry.

import type { TSchema } from "@sinclair/typebox";

import { FrameworkError } from "#core/errors.js";
import { visible } from "#core/wire/visible-text.js";
import { formats } from "../formats/formats.js";
import { checkedPattern } from "../formats/pattern.js";
import { asLeaf, type Rule } from "./leaf-check.js";

/** Replaces a String or RegExp by the kind that checks its constraints; unchanged without constraints. */
export function asCheckedString(schema: TSchema, pointer: string): TSchema {
  const { minLength, maxLength, pattern = schema["source"], flags, format } = schema;
  const constraints = [minLength, maxLength, pattern, flags, format];
  if (constraints.every((constraint) => constraint === undefined)) return schema;
  return asLeaf(schema, JSON.stringify(["string", ...constraints]), () => ({
    type: "string",
    rules: [
      ...(minLength === undefined ? [] : [atLeast(minLength)]),
      ...(maxLength === undefined ? [] : [atMost(maxLength)]),
      ...(pattern === undefined ? [] : [matching(pattern, pointer, { flags, maxLength })]),
      ...(format === undefined ? [] : [ofFormat(format, pointer)]),
    ],
  }));
}

// Code points are at least half the units: only a length between the bound and twice the bound
// needs counting.
const atLeast = (min: number): Rule => ({
  holds: (value: string) => value.length >= 2 * min || (value.length >= min && codePoints(value) >= min),
  failure: { keyword: "minLength", expected: `at least ${characters(min)}` },
});

const atMost = (max: number): Rule => ({
  holds: (value: string) => value.length <= max || (value.length <= 2 * max && codePoints(value) <= max),
  failure: { keyword: "maxLength", expected: `at most ${characters(max)}` },
});

function matching(pattern: string, pointer: string, bounds: Parameters<typeof checkedPattern>[2]): Rule {
  return {
    holds: checkedPattern(pattern, pointer, bounds),
    failure: { keyword: "pattern", expected: `a string that matches ${pattern}` },
  };
}

function ofFormat(format: string, pointer: string): Rule {
  const holds = formats.get(format);
  if (holds === undefined) {
    throw new FrameworkError(
      "SCHEMA_UNSUPPORTED",
      `Schema at '${pointer}': format '${visible(format)}' is unknown; use a pattern, or one of ${[...formats.keys()].join(", ")}`,
    );
  }
  return { holds, failure: { keyword: "format", expected: `a string of format ${format}` } };
}

const characters = (n: number): string => (n === 1 ? "1 character" : `${n} characters`);

// Texts rarely contain a character above U+FFFF. A regular expression detects that in 11 ns for a
// UUID; a loop over the units takes 43 ns.
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;
const PAIRS = new RegExp(PAIR, "g");

function codePoints(value: string): number {
  return PAIR.test(value) ? value.replace(PAIRS, "_").length : value.length;
}
