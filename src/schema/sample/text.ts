import type { TSchema } from "@sinclair/typebox";

import { amount, type Choice } from "./choice.js";
import { formatTexts } from "./format-text.js";
import { patternText } from "./pattern-text.js";
import { words } from "./words.js";

/** Where nothing says how long a text may be. */
const USUAL_LENGTH = 24;

type Maker = (choice: Choice, length: number) => string;

const makers = new WeakMap<TSchema, Maker>();

/** A text of a String, RegExp or TemplateLiteral schema, as far as can be seen from its parts. */
export function text(schema: TSchema, choice: Choice): string {
  const { minLength = 0, maxLength = Math.max(USUAL_LENGTH, minLength) } = schema;
  const length = amount(
    choice,
    choice.isPlain ? minLength : Math.max(minLength, Math.min(4, maxLength)),
    maxLength,
  );
  const made = makers.get(schema) ?? makerOf(schema);
  makers.set(schema, made);
  return made(choice, length);
}

function makerOf(schema: TSchema): Maker {
  const { pattern = schema["source"], flags, format } = schema;
  const formatted = formatTexts.get(format);
  if (formatted !== undefined) return formatted;
  if (pattern !== undefined && pattern !== "^(.*)$") return patternText(pattern, flags);
  return words;
}
