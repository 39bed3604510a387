import type { TSchema } from "@sinclair/typebox";

import { checkedPattern } from "../formats/pattern.js";
import { amount, type Choice } from "./choice.js";
import { formatTexts } from "./format-text.js";
import { patternText } from "./pattern-text.js";
import { words } from "./words.js";

/** Default length of a text without bounds. */
const USUAL_LENGTH = 24;

type Maker = (choice: Choice, length: number) => string;

/** Number of tries for a pattern with skipped parts, such as a look-ahead. */
const TRIES = 50;

const makers = new WeakMap<TSchema, Maker>();

/** A text of a String, RegExp or TemplateLiteral schema; not always valid. */
export function text(schema: TSchema, choice: Choice): string {
  const { minLength = 0, maxLength = Math.max(USUAL_LENGTH, minLength) } = schema;
  const least = choice.isPlain ? minLength : Math.max(minLength, Math.min(4, maxLength));
  const make = makers.get(schema) ?? makerOf(schema);
  makers.set(schema, make);
  return make(choice, amount(choice, least, maxLength));
}

function makerOf(schema: TSchema): Maker {
  const { pattern = schema["source"], flags, format } = schema;
  const formatted = formatTexts.get(format);
  if (formatted !== undefined) return formatted;
  if (pattern === undefined || pattern === "^(.*)$") return words;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const matches = checkedPattern(pattern, "", { flags, maxLength });
  return fitting(patternText(pattern, flags), (made) => {
    const length = [...made].length;
    return matches(made) && length >= minLength && length <= maxLength;
  });
}

/** The first of several texts that fits, else the last. */
const fitting =
  (make: Maker, fits: (made: string) => boolean): Maker =>
  (choice, length) => {
    let made = make(choice, length);
    for (let tries = 1; tries < TRIES && !choice.isPlain && !fits(made); tries += 1)
      made = make(choice, length);
    return made;
  };
