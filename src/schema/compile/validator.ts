// Compiles a TypeBox schema to a check and a list of errors. The only module that uses TypeBox's
// compiler.

import type { TSchema } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Errors } from "@sinclair/typebox/errors";

import type { SchemaError } from "#core/bus/schema-error.js";
import { keyPattern } from "../formats/pattern.js";
import { type MarkedPlaces, markedPlaces } from "../redaction/marked-places.js";
import { define, kindOf, mapSchema } from "../tree/schema-tree.js";
import { asCheckedArray } from "./array-rules.js";
import { canGenerateCode } from "./code-generation.js";
import { withErrorOwner } from "./error-owner.js";
import { leafCall, leafRules, type Rule } from "./leaf-check.js";
import { asCheckedNumber } from "./number-rules.js";
import { asCheckedIntersection, asCheckedObject } from "./object-rules.js";
import { recursionCall, recursionCheck, withRemembered } from "./recursion.js";
import { schemaErrors } from "./schema-errors.js";
import { asCheckedString } from "./string-rules.js";
import { requireSupported, type ValueOrigin } from "./support.js";

export interface Validator {
  readonly check: (value: unknown) => boolean;
  /** Errors of a value that failed `check`: the first 100. */
  readonly errors: (value: unknown) => readonly SchemaError[];
}

export interface CompileOptions {
  /** The owner of the schema, for messages: "Axon 'orders', input". */
  readonly owner: string;
  readonly origin: ValueOrigin;
  /** Default: true if this process allows `new Function`. */
  readonly generate?: boolean;
}

/** Throws SCHEMA_INVALID or SCHEMA_UNSUPPORTED for a schema that cannot be checked. */
export function compileSchema(schema: TSchema, options: CompileOptions): Validator {
  return withErrorOwner(options.owner, () => compile(schema, options));
}

function compile(schema: TSchema, options: CompileOptions): Validator {
  requireSupported(schema, options.origin);
  const checked = mapSchema(schema, (part, pointer) => {
    switch (kindOf(part)) {
      case "String":
      case "RegExp":
      case "TemplateLiteral":
        return asCheckedString(part, pointer);
      case "Number":
        return asCheckedNumber(part);
      case "Record":
        return withKeyPatterns(part, pointer);
      case "Array":
        return asCheckedArray(part);
      case "Object":
        return asCheckedObject(part);
      case "Intersect":
        return asCheckedIntersection(part, pointer);
      default:
        return part;
    }
  });
  const checkOf = (options.generate ?? canGenerateCode) ? generate : interpret;
  const remembered = withRemembered(checked, checkOf);
  const check = checkOf(remembered);
  let marked: { readonly places: MarkedPlaces | undefined } | undefined;
  const errors = (value: unknown): readonly SchemaError[] => {
    marked ??= { places: markedPlaces(schema) };
    return schemaErrors(remembered, value, marked.places);
  };
  return { check, errors };
}

/**
 * Checks a value by TypeBox's own rules without compiling. They differ from a compiled check in the
 * count of characters, and in formats, which are unknown here: a value with a format never fits.
 */
export const fits = (schema: TSchema, value: unknown): boolean => Errors(schema, value).First() === undefined;

function withKeyPatterns(record: TSchema, pointer: string): TSchema {
  const parts = Object.entries(record["patternProperties"] as Record<string, TSchema>);
  const patternProperties = Object.fromEntries(
    parts.map(([pattern, part]) => [keyPattern(pattern, pointer), part]),
  );
  return define(record, "patternProperties", patternProperties);
}

// TypeBox's interpreter only checks, and is twice as fast as a search for the first error. But
// importing it would cost every program 10 ms, and few cannot generate code.
function interpret(schema: TSchema): Validator["check"] {
  // Called for its exceptions: the interpreter finds a dangling reference only when it reaches one.
  TypeCompiler.Code(schema, { language: "javascript" });
  return (value) => Errors(schema, value).First() === undefined;
}

// TypeBox generates kind('name', instance, value) for a kind: two look-ups at each call. Here each
// leaf gets its own function, which V8 can inline. A shared closure would see the rules of all
// leaves and could not be inlined.
function generate(given: TSchema): Validator["check"] {
  const schema = mapSchema(given, hoisted);
  const functions = new Map<string, string>();
  const rules = new Map<string, Rule["holds"]>();
  const recursions = new Map<string, Validator["check"]>();
  const plain = TypeCompiler.Code(schema, { language: "javascript" }).replace(
    recursionCall,
    (_, number: string) => {
      recursions.set(`recursion_${number}`, recursionCheck(Number(number)));
      return `recursion_${number}(`;
    },
  );
  const code = plain.replace(leafCall, (_, number: string) => {
    const leaf = leafRules(Number(number));
    const calls = leaf.rules.map(({ holds }, i) => {
      rules.set(`rule_${number}_${i}`, holds);
      return `rule_${number}_${i}(value)`;
    });
    const tests = [...(leaf.type === undefined ? [] : [TYPE_TESTS[leaf.type]]), ...calls];
    functions.set(`leaf_${number}`, `const leaf_${number} = (value) => ${tests.join(" && ")};\n`);
    return `leaf_${number}(`;
  });
  const named = new Map<string, unknown>([...rules, ...recursions]);
  return new Function(...named.keys(), [...functions.values(), code].join(""))(...named.values());
}

const TYPE_TESTS = { string: 'typeof value === "string"', number: "Number.isFinite(value)" };

let hoistedParts = 0;

// TypeBox generates `value[key]` in nested functions of `key` and `value`. A schema with a name
// becomes a function of its own.
function hoisted(part: TSchema): TSchema {
  if (typeof part["additionalProperties"] !== "object" || part.$id !== undefined) return part;
  hoistedParts += 1;
  return define(part, "$id", `framework:hoisted:${hoistedParts}`);
}
