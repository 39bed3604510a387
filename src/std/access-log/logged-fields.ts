import type { BusKey } from "#core/bus/bus-key.js";
import { header } from "#core/facts/ingress-facts.js";
import { invalidOption } from "#core/invalid-option.js";
import type { AnswerRecord } from "#core/ports/answer-observer.js";
import { REDACTED } from "#core/secrets/secret.js";
import { isHiddenName } from "#core/secrets/sensitive-names.js";
import { isToken } from "#core/wire/header-syntax.js";
import { jsonText } from "#core/wire/json-text.js";
import { offersProtocols, shownProtocols } from "#core/wire/offered-protocols.js";
import { cutText } from "../cut-text.js";
import { textList } from "../text-list.js";

const MAX_VALUE = 256;

interface Logged {
  readonly key: BusKey<string, `header:${string}`>;
  /** `"name":`, as JSON. */
  readonly member: string;
  readonly shown: (value: string) => string;
}

/** The request headers that are logged under `headers`. */
export class LoggedHeaders {
  readonly keys: readonly BusKey<string, `header:${string}`>[];
  readonly #logged: readonly Logged[];

  /** Throws CONFIG_INVALID for an invalid header name. */
  constructor(names: readonly string[], call: string) {
    const all = new Set(textList(call, "headers", names).map((name) => lowerCase(name, call)));
    this.#logged = [...all].map((name) => ({
      key: header(name),
      member: `${jsonText(name)}:`,
      shown: shownAs(name),
    }));
    this.keys = this.#logged.map(({ key }) => key);
  }

  /** The headers that the request has, as a member after a comma; "" if none. */
  of({ find }: AnswerRecord): string {
    let members = "";
    for (const { key, member, shown } of this.#logged) {
      const value = find(key);
      if (value !== undefined) members += `,${member}${JSON.stringify(shown(value))}`;
    }
    return members === "" ? "" : `,"headers":{${members.slice(1)}}`;
  }
}

function lowerCase(name: string, call: string): string {
  if (typeof name === "string" && isToken(name)) return name.toLowerCase();
  throw invalidOption(call, `${JSON.stringify(name)} is no name of a header: use names as "accept-language"`);
}

/** Headers with an address. Its path and query are not logged. */
const ADDRESS = /^referer$|ur[il]$|location$/;

function shownAs(name: string): Logged["shown"] {
  const shown = offersProtocols(name)
    ? shownProtocols
    : ADDRESS.test(name)
      ? originOf
      : (value: string) => value;
  // The schemas that may mark it are mounted later.
  return (value) => (isHiddenName(name) ? REDACTED : cutText(shown(value), MAX_VALUE));
}

function originOf(value: string): string {
  const origin = URL.canParse(value) ? new URL(value).origin : "null";
  return origin === "null" ? REDACTED : origin;
}

/** Which parameters of a query are logged. */
export type LoggedParameters = "none" | "all" | ReadonlySet<string>;

/** Further parameters are ignored. */
const MAX_PARAMETERS = 100;

/** A query with its logged parameters, unchanged; "" if none. A secret is logged by its name only. */
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

/** In URLs these are one-time codes and keys. */
const isSecret = (name: string): boolean =>
  isHiddenName(name) || /^(?:code|ticket|key)$|[._[-]key\]?$/i.test(name);

function decoded(name: string): string {
  const spaced = name.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
