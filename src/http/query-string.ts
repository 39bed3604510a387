import type { RawParameters } from "#schema/coercion.js";
import { namesPrototype } from "./form-fields.js";
import { Refusal } from "./refusal.js";

const MAX_KEYS = 1000;

const TOO_MANY = new Refusal("PARAMETER_INVALID", {
  detail: `The query has more than ${MAX_KEYS} parameters`,
});

const PROTOTYPE_KEY = new Refusal("PARAMETER_INVALID", {
  detail: "The query has a parameter '__proto__'",
});

/** `tags[]=a`, `tags[0]=a`: as many clients write what is one of a list. */
const LISTED = /^([^[\]]+)\[\d{0,9}\]$/;

/**
 * The decoded parameters of a query that the gate has let through: no prototype,
 * a list under a key that came more than once, or as one of a list.
 */
export function parseQuery(query: string | undefined): RawParameters | Refusal {
  const parameters: Record<string, string | string[]> = Object.create(null);
  if (query === undefined || query === "") return parameters;
  const pairs = query.split("&");
  if (pairs.length > MAX_KEYS) return TOO_MANY;
  for (const pair of pairs) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (namesPrototype(name)) return PROTOTYPE_KEY;
    const listed = name.endsWith("]") ? LISTED.exec(name)?.[1] : undefined;
    const key = listed ?? name;
    const value = equals < 0 ? "" : decode(pair.slice(equals + 1));
    const known = parameters[key];
    if (known === undefined) parameters[key] = listed === undefined ? value : [value];
    else if (typeof known === "string") parameters[key] = [known, value];
    else known.push(value);
  }
  return parameters;
}

function decode(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return spaced.includes("%") ? decodeURIComponent(spaced) : spaced;
}
