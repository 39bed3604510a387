/** One mismatch of a value with its schema. Never contains the value. */
export interface SchemaError {
  /** JSON Pointer (RFC 6901) to the mismatch; "" is the whole value. */
  readonly pointer: string;
  /** The JSON Schema keyword that failed: "type", "minLength", "required". */
  readonly keyword: string;
  /** The expected value, in words. */
  readonly expected: string;
}

/** One human-readable line; `whole` names the value if it is wrong as a whole. */
export const schemaErrorText = ({ pointer, keyword, expected }: SchemaError, whole: string): string =>
  keyword === "required" ? `${pointer} is missing` : `${pointer || whole}: ${expected}`;
