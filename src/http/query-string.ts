import type { RawParameters } from "#schema/coercion.js";
import { Refusal } from "./refusal.js";

const MAX_KEYS = 1000;

const TOO_MANY = new Refusal("PARAMETER_INVALID", {
  detail: `The query has more than ${MAX_KEYS} parameters`,
});

/**
 * The decoded parameters of a query that the gate has let through: no prototype,
 * a list under a key that came more than once.
 */
export function parseQuery(query: string | undefined): RawParameters | Refusal {
  const parameters: Record<string, string | string[]> = Object.create(null);
  if (query === undefined || query === "") return parameters;
  const pairs = query.split("&");
  if (pairs.length > MAX_KEYS) return TOO_MANY;
  for (const pair of pairs) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const key = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : decode(pair.slice(equals + 1));
    const known = parameters[key];
    if (known === undefined) parameters[key] = value;
    else if (typeof known === "string") parameters[key] = [known, value];
    else known.push(value);
  }
  return parameters;
}

function decode(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return spaced.includes("%") ? decodeURIComponent(spaced) : spaced;
}
