// Whether a parameter's text can be rejected: by its type's format, and then by its schema. The
// counterpart of coercion.ts, for documentation.

import type { TSchema } from "@sinclair/typebox";

import { kindOf, partsOf } from "../tree/schema-tree.js";

/** True if a text may not be in the type's format. */
export function mayBeUnreadable(schema: TSchema): boolean {
  switch (kindOf(schema)) {
    case "Number":
    case "Integer":
    case "Boolean":
    case "Null":
      return true;
    case "Literal":
      return typeof schema["const"] !== "string";
    case "Array":
      return mayBeUnreadable(schema["items"]);
    case "Union":
      return schema["anyOf"].every(mayBeUnreadable);
    default:
      return false;
  }
}

const OF_ARRAYS = ["minItems", "maxItems", "uniqueItems", "contains"];
const OF_OBJECTS = ["minProperties", "maxProperties"];
const OF_STRINGS = ["minLength", "maxLength", "pattern", "format"];
const OF_NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

const hasOneOf = (schema: TSchema, keywords: readonly string[]): boolean =>
  keywords.some((keyword) => schema[keyword] !== undefined);

/**
 * True if a value that was read may violate the schema. `takesOthers`: it accepts properties
 * without a schema.
 */
export function mayBeAgainst(schema: TSchema, takesOthers = true): boolean {
  switch (kindOf(schema)) {
    case "Any":
    case "Unknown":
    case "Boolean":
    case "Null":
      return false;
    case "String":
      return hasOneOf(schema, OF_STRINGS);
    case "Number":
      return hasOneOf(schema, OF_NUMBERS);
    case "Array":
      return hasOneOf(schema, OF_ARRAYS) || mayBeAgainst(schema["items"]);
    case "Union":
      return schema["anyOf"].every((variant: TSchema) => mayBeAgainst(variant));
    case "Object": {
      const closed = takesOthers && (schema["additionalProperties"] ?? true) !== true;
      return closed || hasOneOf(schema, OF_OBJECTS) || partsOf(schema).some(([, part]) => mayBeAgainst(part));
    }
    default:
      return true;
  }
}
