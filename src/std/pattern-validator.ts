import { createRequire } from "node:module";
import type * as Re2 from "re2js";

import { type Fault, type Pass, pass } from "#core/outcome.js";
import { type Checked, checkedValue, pointerTo } from "./checked-field.js";
import { invalidOption } from "./invalid-option.js";
import { type NodeFault, nodeFault } from "./node-fault.js";

// Loaded at the first pattern.
const require = createRequire(import.meta.url);

export interface PatternOptions<Field extends string> {
  /** The property that holds the text. Default: the input is the text. */
  readonly field?: Field;
  /** Longer texts are refused unread. In UTF-16 code units. Default 10 000. */
  readonly maxLength?: number;
  /** Default false. */
  readonly ignoreCase?: boolean;
}

/**
 * Lets texts pass in which the pattern is found: anchor it with `^` and `$` to match the
 * whole. A regular expression in RE2's syntax, so in time linear in the text whatever the
 * pattern; look-around and backreferences, which could not be, are refused.
 */
export class PatternValidator<const Field extends string = never> {
  readonly name = "PatternValidator";
  readonly description: string;
  readonly #field: Field | undefined;
  readonly #maxLength: number;
  readonly #pattern: string;
  readonly #compiled: Re2.RE2JS;

  constructor(pattern: string, options: PatternOptions<Field> = {}) {
    const { field, maxLength = 10_000, ignoreCase = false } = options;
    const call = `PatternValidator(${JSON.stringify(pattern)})`;
    if (!Number.isSafeInteger(maxLength) || maxLength < 1) {
      throw invalidOption(call, `maxLength ${maxLength} must be a positive integer`);
    }
    this.description = field === undefined ? pattern : `${field} ${pattern}`;
    this.#field = field;
    this.#maxLength = maxLength;
    this.#pattern = pattern;
    this.#compiled = compile(pattern, ignoreCase, call);
  }

  run(input: Checked<NoInfer<Field>, string>): Pass | Fault<NodeFault<"PATTERN_MISMATCH">> {
    const text = checkedValue(input, this.#field);
    if (typeof text !== "string") return this.#refuse("type", "a string");
    if (text.length > this.#maxLength) {
      return this.#refuse("maxLength", `at most ${this.#maxLength} characters`);
    }
    return this.#compiled.test(text)
      ? pass(input)
      : this.#refuse("pattern", `a string that matches ${this.#pattern}`);
  }

  #refuse(keyword: string, expected: string): Fault<NodeFault<"PATTERN_MISMATCH">> {
    return nodeFault("PATTERN_MISMATCH", {
      errors: [{ pointer: pointerTo(this.#field), keyword, expected }],
    });
  }
}

function compile(pattern: string, ignoreCase: boolean, call: string): Re2.RE2JS {
  const { RE2JS } = require("re2js") as typeof Re2;
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (cause) {
    throw invalidOption(
      call,
      `no regular expression in RE2's syntax, which has neither look-around nor backreferences: ${(cause as Error).message}`,
      cause,
    );
  }
}
