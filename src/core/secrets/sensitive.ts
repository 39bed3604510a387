import type { TSchema } from "@sinclair/typebox";

/** The keyword in JSON Schema. */
export const SENSITIVE = "x-sensitive";

/**
 * Returns a copy of the schema with a mark: its values are masked as `[redacted]` in captured
 * payloads, validation errors and log fields. Checks, types and responses are unchanged. In
 * JSON Schema: `"x-sensitive": true`.
 */
export function Sensitive<const S extends TSchema>(schema: S): S {
  // Copies symbols: TypeBox keeps kinds and optionality there. Core does not import TypeBox.
  const marked = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema)) as S;
  return Object.defineProperty(marked, SENSITIVE, { value: true, enumerable: true, configurable: true });
}

/** True if a schema has the mark. A mark with an unexpected value counts: it masks too much rather than too little. */
export const isSensitive = (schema: object): boolean => {
  const mark: unknown = (schema as { readonly [SENSITIVE]?: unknown })[SENSITIVE];
  return mark !== undefined && mark !== false;
};
