import type { AnswerRecord } from "#core/answer-observer.js";
import type { BusKey } from "#core/bus-key.js";
import { isToken } from "#core/header-syntax.js";
import { header } from "#core/ingress-facts.js";
import { jsonText } from "#core/json-text.js";
import { offersProtocols, shownProtocols } from "#core/offered-protocols.js";
import { REDACTED } from "#core/secret.js";
import { isSensitiveName } from "#core/sensitive-names.js";
import { cutText } from "./cut-text.js";
import { invalidOption } from "./invalid-option.js";
import { textList } from "./text-list.js";

const MAX_VALUE = 256;

interface Logged {
  readonly key: BusKey<string, `header:${string}`>;
  /** `"name":`, as JSON has it. */
  readonly member: string;
  readonly shown: (value: string) => string;
}

/** The request headers that a line has, under `headers`. */
export class LoggedHeaders {
  readonly keys: readonly BusKey<string, `header:${string}`>[];
  readonly #logged: readonly Logged[];

  /** Throws CONFIG_INVALID for what is no name of a header. */
  constructor(names: readonly string[], call: string) {
    const all = new Set(textList(call, "headers", names).map((name) => lowerCase(name, call)));
    this.#logged = [...all].map((name) => ({
      key: header(name),
      member: `${jsonText(name)}:`,
      shown: shownAs(name),
    }));
    this.keys = this.#logged.map(({ key }) => key);
  }

  /** Those that the request has, as a member behind a comma; "" for none. */
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

/** Headers that hold an address have paths and queries in it, which are not for the log. */
const ADDRESS = /^referer$|ur[il]$|location$/;

function shownAs(name: string): Logged["shown"] {
  if (isSensitiveName(name)) return () => REDACTED;
  if (offersProtocols(name)) return (value) => cutText(shownProtocols(value), MAX_VALUE);
  return ADDRESS.test(name) ? originOf : (value) => cutText(value, MAX_VALUE);
}

function originOf(value: string): string {
  const origin = URL.canParse(value) ? new URL(value).origin : "null";
  return origin === "null" ? REDACTED : cutText(origin, MAX_VALUE);
}
