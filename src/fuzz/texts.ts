// Texts as parameters, headers and fields carry them.

import { type Choice, chance, oneOf } from "#schema/sample/choice.js";
import { word } from "#schema/sample/words.js";

/** Values that programs often mishandle: no number, not plain, not short, another script. */
const ODD = [
  "",
  "0",
  "-1",
  "1e999",
  "NaN",
  "null",
  "a b",
  "a/b",
  "..",
  "%",
  "%00",
  "\u00e9",
  "\u{1f600}",
  "\u202eabc",
  "'\"<>&",
  "__proto__",
  "constructor",
  "x".repeat(300),
] as const;

export const oddText = (choice: Choice): string => (chance(choice, 30) ? word(choice) : oneOf(choice, ODD));

/** From a small set: requests find what others have written. */
export const plainText = (choice: Choice): string =>
  chance(choice, 25) ? oneOf(choice, ODD) : chance(choice, 30) ? String(choice.below(10)) : word(choice);

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");

/** Values by name, a list as a repeated name. */
export const textsOf = (fields: object): Record<string, string | readonly string[]> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(textOf) : textOf(value),
    ]),
  );

/** RFC 9110, section 5.6.1: a list has commas. */
export const headerText = (text: string | readonly string[]): string => [text].flat().join(", ");

/** Fields of a form. A nested member has its name in brackets. */
export function fieldsOf(value: unknown): Record<string, string | readonly string[]> {
  const fields: Record<string, string | readonly string[]> = {};
  const add = (name: string, inner: unknown): void => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner))
      Object.assign(fields, textsOf({ [name]: inner }));
    else for (const [key, each] of Object.entries(inner)) add(name === "" ? key : `${name}[${key}]`, each);
  };
  if (typeof value === "object" && value !== null && !Array.isArray(value)) add("", value);
  return fields;
}
