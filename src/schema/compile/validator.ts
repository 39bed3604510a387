// From a TypeBox schema to a check, and to a list of what is wrong. The one
// module that uses TypeBox's compiler.

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
  /** What is wrong with a value that failed `check`. At most 100, the first found. */
  readonly errors: (value: unknown) => readonly SchemaError[];
}

export interface CompileOptions {
  /** Whose schema it is, for messages: "Axon 'orders', input". */
  readonly owner: string;
  readonly origin: ValueOrigin;
  /** Default: whether this process allows `new Function`. */
  readonly generate?: boolean;
}

/** Throws SCHEMA_INVALID or SCHEMA_UNSUPPORTED where the schema cannot be checked. */
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
 * Whether a value fits, by TypeBox's own rules and without compiling. They differ from a compiled check in
 * what strings count as characters and in formats, which are unknown here: no value of one fits.
 */
export const fits = (schema: TSchema, value: unknown): boolean => Errors(schema, value).First() === undefined;

function withKeyPatterns(record: TSchema, pointer: string): TSchema {
  const parts = Object.entries(record["patternProperties"] as Record<string, TSchema>);
  const patternProperties = Object.fromEntries(
    parts.map(([pattern, part]) => [keyPattern(pattern, pointer), part]),
  );
  return define(record, "patternProperties", patternProperties);
}

// TypeBox has an interpreter that only checks, twice as fast as looking for the first
// error. Loading it would cost every program 10 ms for those few that cannot generate code.
function interpret(schema: TSchema): Validator["check"] {
  // For what it throws: the interpreter finds a reference to nothing when it meets it.
  TypeCompiler.Code(schema, { language: "javascript" });
  return (value) => Errors(schema, value).First() === undefined;
}

// TypeBox writes a kind's check as kind('name', instance, value): two look-ups at
// each call. Here each leaf gets a function in the code itself, which V8 can inline:
// a closure that several leaves share learns of all their rules and inlines none.
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

// TypeBox writes `value[key]` into functions of `key` and `value`, each in another. What has a
// name of its own is a function of its own.
function hoisted(part: TSchema): TSchema {
  if (typeof part["additionalProperties"] !== "object" || part.$id !== undefined) return part;
  hoistedParts += 1;
  return define(part, "$id", `framework:hoisted:${hoistedParts}`);
}
