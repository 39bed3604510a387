/** One way in which a value is against its schema. Never holds the value. */
export interface SchemaError {
  /** JSON Pointer (RFC 6901) to the place; "" is the whole value. */
  readonly pointer: string;
  /** The JSON Schema keyword that failed: "type", "minLength", "required". */
  readonly keyword: string;
  /** What would have been right, in words. */
  readonly expected: string;
}

/** One line for a person; `whole` names a value that is wrong as a whole. */
export const schemaErrorText = ({ pointer, keyword, expected }: SchemaError, whole: string): string =>
  keyword === "required" ? `${pointer} is missing` : `${pointer || whole}: ${expected}`;
