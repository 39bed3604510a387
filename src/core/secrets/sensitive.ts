import type { TSchema } from "@sinclair/typebox";

/** The keyword that says so in JSON Schema. */
export const SENSITIVE = "x-sensitive";

/**
 * The same schema, with a mark: what stands there is masked as `[redacted]` wherever it
 * is shown to somebody who was not meant, in captured payloads, errors of validation and
 * fields of the log. Checks, types and answers are unchanged. In JSON Schema `"x-sensitive": true`.
 */
export function Sensitive<const S extends TSchema>(schema: S): S {
  // With its symbols: TypeBox keeps kinds and optionality there. No import of TypeBox itself: core has none.
  const marked = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema)) as S;
  return Object.defineProperty(marked, SENSITIVE, { value: true, enumerable: true, configurable: true });
}

/** Whether a schema has the mark. One that is there and odd counts: what was meant to be hidden is. */
export const isSensitive = (schema: object): boolean => {
  const mark: unknown = (schema as { readonly [SENSITIVE]?: unknown })[SENSITIVE];
  return mark !== undefined && mark !== false;
};
