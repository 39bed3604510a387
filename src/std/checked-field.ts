// What a validator looks at: its input, or one property of it.

/** The input of a validator of a `T`: the value itself, or an object with it under `Field`. */
export type Checked<Field extends string, T> = [Field] extends [never] ? T : { readonly [K in Field]: T };

/** The own property `field`, or the input itself. What is inherited is nobody's data. */
export function checkedValue(input: unknown, field: string | undefined): unknown {
  if (field === undefined) return input;
  if (typeof input !== "object" || input === null || !Object.hasOwn(input, field)) return undefined;
  return (input as Readonly<Record<string, unknown>>)[field];
}

/** JSON Pointer (RFC 6901) to the property. */
export const pointerTo = (field: string | undefined): string =>
  field === undefined ? "" : `/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`;
