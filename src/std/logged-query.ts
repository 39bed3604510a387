import { REDACTED } from "#core/secret.js";
import { isSensitiveName } from "#core/sensitive-names.js";

/** Which parameters of a query are logged. */
export type LoggedParameters = "none" | "all" | ReadonlySet<string>;

/** More are not looked at. */
const MAX_PARAMETERS = 100;

/** A query with the parameters that are logged, as they came; "" for none. Secrets have their names alone. */
export function loggedQuery(query: string, parameters: LoggedParameters): string {
  if (parameters === "none") return "";
  const kept: string[] = [];
  for (const pair of query.split("&", MAX_PARAMETERS)) {
    const equals = pair.indexOf("=");
    const rawName = equals < 0 ? pair : pair.slice(0, equals);
    const name = decoded(rawName);
    if (parameters !== "all" && !parameters.has(name)) continue;
    kept.push(equals >= 0 && isSecret(name) ? `${rawName}=${REDACTED}` : pair);
  }
  return kept.join("&");
}

/** In a URL these are codes and keys of a single use. */
const isSecret = (name: string): boolean =>
  isSensitiveName(name) || /^(?:code|ticket|key)$|[._[-]key\]?$/i.test(name);

function decoded(name: string): string {
  const spaced = name.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
