import { createRequire } from "node:module";
import type { Static, TSchema } from "@sinclair/typebox";
import type * as Re2 from "re2js";
import { declaredOf } from "#core/bus/declared-response.js";
import { type Fault, type Pass, pass } from "#core/bus/outcome.js";
import { nodeCodes } from "#core/error-codes.js";
import { invalidOption } from "#core/invalid-option.js";
import { compileSchema, type Validator } from "#schema/compile/validator.js";
import { type NodeFault, nodeFault } from "../faults.js";

/** Input type of a validator of a `T`: the value itself, or an object with it under `Field`. */
type Checked<Field extends string, T> = [Field] extends [never] ? T : { readonly [K in Field]: T };

/** The own property `field`, or the input itself. Inherited properties are ignored. */
function checkedValue(input: unknown, field: string | undefined): unknown {
  if (field === undefined) return input;
  if (typeof input !== "object" || input === null || !Object.hasOwn(input, field)) return undefined;
  return (input as Readonly<Record<string, unknown>>)[field];
}

/** JSON Pointer (RFC 6901) to the property. */
const pointerTo = (field: string | undefined): string =>
  field === undefined ? "" : `/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`;

type Having<In, Field extends keyof In> = In & { readonly [K in Field]-?: NonNullable<In[K]> };

/** Passes an object with all these fields: own properties, neither undefined nor null. Narrows their types. */
export class RequiredNode<In extends object, const Field extends keyof In & string> {
  readonly name = "RequiredNode";
  readonly responses = declaredOf(nodeCodes, "FIELD_MISSING");
  readonly description: string;
  readonly #fields: readonly Field[];

  constructor(...fields: readonly Field[]) {
    if (fields.length === 0) throw invalidOption("RequiredNode()", "name at least one field");
    this.description = fields.join(", ");
    this.#fields = fields;
  }

  run(input: In): Having<In, Field> | Fault<NodeFault<"FIELD_MISSING">> {
    const missing = this.#fields.filter((field) => (checkedValue(input, field) ?? null) === null);
    if (missing.length === 0) return input as Having<In, Field>;
    const error = { keyword: "required", expected: "this property" };
    return nodeFault("FIELD_MISSING", {
      errors: missing.map((field) => ({ pointer: pointerTo(field), ...error })),
    });
  }
}

export interface RangeOptions<Field extends string> {
  /** Minimum. */
  readonly min?: number;
  /** Maximum. */
  readonly max?: number;
  /** The property that holds the number. Default: the input is the number. */
  readonly field?: Field;
}

/** Passes numbers from `min` to `max`, both included. */
export class RangeValidator<const Field extends string = never> {
  readonly name = "RangeValidator";
  readonly responses = declaredOf(nodeCodes, "RANGE_EXCEEDED");
  readonly description: string;
  readonly #field: Field | undefined;
  readonly #min: number;
  readonly #max: number;

  constructor({ min, max, field }: RangeOptions<Field>) {
    const bounds = [min, max].filter((bound) => bound !== undefined);
    const [least, most] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY];
    if (bounds.length === 0 || !bounds.every(Number.isFinite) || least > most) {
      throw invalidOption(
        `RangeValidator({ min: ${min}, max: ${max} })`,
        "give finite bounds, at least one, and min not above max",
      );
    }
    this.description = [field, min !== undefined && `from ${min}`, max !== undefined && `to ${max}`]
      .filter(Boolean)
      .join(" ");
    this.#field = field;
    this.#min = least;
    this.#max = most;
  }

  run(input: Checked<NoInfer<Field>, number>): Pass | Fault<NodeFault<"RANGE_EXCEEDED">> {
    const value = checkedValue(input, this.#field);
    if (typeof value !== "number" || Number.isNaN(value)) return this.#refuse("type", "a number");
    if (value < this.#min) return this.#refuse("minimum", `at least ${this.#min}`);
    if (value > this.#max) return this.#refuse("maximum", `at most ${this.#max}`);
    return pass(input);
  }

  #refuse(keyword: string, expected: string): Fault<NodeFault<"RANGE_EXCEEDED">> {
    return nodeFault("RANGE_EXCEEDED", { errors: [{ pointer: pointerTo(this.#field), keyword, expected }] });
  }
}

export interface PatternOptions<Field extends string> {
  /** The property that holds the text. Default: the input is the text. */
  readonly field?: Field;
  /** Longer texts are refused unread. In UTF-16 code units. Default 10 000. */
  readonly maxLength?: number;
  /** Default false. */
  readonly ignoreCase?: boolean;
}

/**
 * Passes texts that contain a match of the pattern: anchor it with `^` and `$` to match the whole
 * text. A regular expression in RE2's syntax: matching takes linear time for every pattern.
 * Look-around and backreferences are refused.
 */
export class PatternValidator<const Field extends string = never> {
  readonly name = "PatternValidator";
  readonly responses = declaredOf(nodeCodes, "PATTERN_MISMATCH");
  readonly description: string;
  readonly #field: Field | undefined;
  readonly #maxLength: number;
  readonly #pattern: string;
  readonly #compiled: Re2.RE2JS;

  constructor(pattern: string, options: PatternOptions<Field> = {}) {
    const { field, maxLength = 10_000, ignoreCase = false } = options;
    const call = `PatternValidator(${JSON.stringify(pattern)})`;
    if (!Number.isSafeInteger(maxLength) || maxLength < 1)
      throw invalidOption(call, `maxLength ${maxLength} must be a positive integer`);
    this.description = field === undefined ? pattern : `${field} ${pattern}`;
    this.#field = field;
    this.#maxLength = maxLength;
    this.#pattern = pattern;
    this.#compiled = compile(pattern, ignoreCase, call);
  }

  run(input: Checked<NoInfer<Field>, string>): Pass | Fault<NodeFault<"PATTERN_MISMATCH">> {
    const text = checkedValue(input, this.#field);
    if (typeof text !== "string") return this.#refuse("type", "a string");
    if (text.length > this.#maxLength)
      return this.#refuse("maxLength", `at most ${this.#maxLength} characters`);
    if (this.#compiled.test(text)) return pass(input);
    return this.#refuse("pattern", `a string that matches ${this.#pattern}`);
  }

  #refuse(keyword: string, expected: string): Fault<NodeFault<"PATTERN_MISMATCH">> {
    const pointer = pointerTo(this.#field);
    return nodeFault("PATTERN_MISMATCH", { errors: [{ pointer, keyword, expected }] });
  }
}

const require = createRequire(import.meta.url);

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

/** Passes values that match the schema, and narrows their type. For internal data: of a service, a file. */
export class SchemaValidator<const S extends TSchema> {
  readonly name = "SchemaValidator";
  readonly responses = declaredOf(nodeCodes, "SCHEMA_MISMATCH");
  readonly output: S;
  readonly #validator: Validator;

  /** Throws SCHEMA_INVALID or SCHEMA_UNSUPPORTED if the schema cannot be compiled. */
  constructor(schema: S) {
    this.output = schema;
    this.#validator = compileSchema(schema, { owner: "SchemaValidator", origin: "program" });
  }

  run(input: unknown): Static<S> | Fault<NodeFault<"SCHEMA_MISMATCH">> {
    if (this.#validator.check(input)) return input as Static<S>;
    return nodeFault("SCHEMA_MISMATCH", { errors: this.#validator.errors(input) });
  }
}
