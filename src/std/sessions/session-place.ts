// Where the id of a session is in a request, and how the client is told it. Of a cookie that is there twice
// none counts: a page of a name below the same domain may have set one (cookie tossing).

import { hash } from "node:crypto";

import type { BusKey } from "#core/bus/bus-key.js";
import { header } from "#core/facts/ingress-facts.js";
import { type WrittenHeader, writtenHeader } from "#core/facts/response-facts.js";
import type { Credential } from "#core/flow/guard.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { mode } from "#core/mode.js";
import { SessionForgotten, SessionIssued } from "#core/ports/session.js";
import type { Secret } from "#core/secrets/secret.js";
import { isToken, settableHeader } from "#core/wire/header-syntax.js";

/** What a browser does with the id. */
export interface SessionCookieOptions {
  /** Begins with `__Host-`: browsers take it from the host itself alone, over TLS. Default `__Host-sid`; with `insecureCookie`, `sid`. */
  readonly name?: string;
  /** Whether it comes with navigations from other sites. Default "lax": it does. */
  readonly sameSite?: "lax" | "strict";
  /** Whether it outlives the browser's own session, as long as the session may live. Default false. */
  readonly persistent?: boolean;
}

export interface SessionPlaceOptions {
  readonly cookie?: SessionCookieOptions;
  /**
   * A cookie `sid` that is sent over plain http, for development: refused in production. Browsers
   * take a Secure one over http from localhost and 127.0.0.1 alone, and Chromium one whose name
   * begins with `__Host-` there in newer versions alone.
   */
  readonly insecureCookie?: boolean;
  /** A header in the place of the cookie, in requests and answers: for clients that are no browsers. */
  readonly header?: string;
}

/** The key of an id in the store, or why there is none. */
type Presented = { readonly kind: "key"; readonly key: string } | { readonly kind: "none" | "malformed" };

export interface SessionPlace {
  readonly description: string;
  readonly credential: Credential;
  /** The request's header that it is in. */
  readonly source: BusKey<string, `header:${string}`>;
  readonly presented: (value: string | undefined) => Presented;
  /** What SessionIssued holds; `ms` is how long the session may live. */
  readonly issued: (id: string, ms: number) => string;
  /** What SessionForgotten holds; undefined where the client forgets by itself. */
  readonly forgotten: string | undefined;
  /** What tells the client of what SessionIssued and SessionForgotten hold. */
  readonly issuing: readonly WrittenHeader[];
  readonly forgetting: readonly WrittenHeader[];
}

const ID = /^[\w-]{43}$/;

/** What the session of an id is kept under; undefined for what is no id. */
export const keyOfId = (id: string): string | undefined =>
  ID.test(id) ? hash("sha256", id, "base64url") : undefined;

const MALFORMED: Presented = { kind: "malformed" };

function presentedId(id: string | undefined): Presented {
  if (id === undefined) return { kind: "none" };
  const key = keyOfId(id);
  return key === undefined ? MALFORMED : { kind: "key", key };
}

/** Throws CONFIG_INVALID, and HEADER_INVALID for a header that is not a program's to set. */
export function sessionPlace({
  cookie,
  insecureCookie = false,
  header: name,
}: SessionPlaceOptions): SessionPlace {
  if (typeof insecureCookie !== "boolean") throw invalid("insecureCookie is true or false");
  if (name === undefined) return cookiePlace(cookie ?? {}, insecureCookie);
  if (cookie !== undefined || insecureCookie)
    throw invalid("an id is in a cookie or in a header: leave out 'header' or the others");
  return headerPlace(name);
}

const TAKEN: ReadonlySet<string> = new Set(["authorization", "cookie", "set-cookie", "cache-control"]);

function headerPlace(given: string): SessionPlace {
  const name = settableHeader(given, "guard");
  if (TAKEN.has(name)) throw invalid(`header '${name}' means something else: use one of your own`);
  return {
    description: `header ${name}`,
    credential: { in: "header", name },
    source: header(name),
    presented: presentedId,
    issued: (id) => id,
    forgotten: undefined,
    issuing: [writtenHeader(SessionIssued, name, revealed), ISSUED_ONCE],
    forgetting: [],
  };
}

function cookiePlace(options: SessionCookieOptions, insecure: boolean): SessionPlace {
  requireKnownOptions("Sessions({ cookie })", options, ["name", "sameSite", "persistent"]);
  const { name = insecure ? "sid" : "__Host-sid", sameSite = "lax", persistent = false } = options;
  if (insecure && mode.production)
    throw invalid("insecureCookie is for development: leave it out, and serve https");
  if (typeof name !== "string" || !isToken(name))
    throw invalid("a cookie's name is a token: letters, digits, '-' and '_'");
  if (!insecure && !name.startsWith("__Host-"))
    throw invalid(`the cookie's name begins with '__Host-', unlike '${name}'`);
  if (insecure && /^__(host|secure)-/i.test(name))
    throw invalid(`browsers take '${name}' over https alone: give it another name`);
  if (sameSite !== "lax" && sameSite !== "strict") throw invalid('sameSite is "lax" or "strict"');
  if (typeof persistent !== "boolean") throw invalid("persistent is true or false");
  const attributes = `; Path=/; HttpOnly${insecure ? "" : "; Secure"}; SameSite=${sameSite === "lax" ? "Lax" : "Strict"}`;
  return {
    description: `cookie ${name}`,
    credential: { in: "cookie", name },
    source: header("cookie"),
    presented: (value) => presentedCookie(value, name),
    issued: (id, ms) => `${name}=${id}${persistent ? `; Max-Age=${Math.floor(ms / 1000)}` : ""}${attributes}`,
    forgotten: `${name}=; Max-Age=0${attributes}`,
    issuing: [writtenHeader(SessionIssued, "set-cookie", revealed), ISSUED_ONCE],
    forgetting: [writtenHeader(SessionForgotten, "set-cookie", (line) => line), FORGOTTEN_ONCE],
  };
}

const revealed = (issued: Secret<string>): string => issued.reveal();

// A cache that keeps the answer would hand the session to others, or take theirs away.
const ISSUED_ONCE = writtenHeader(SessionIssued, "cache-control", () => "no-store");
const FORGOTTEN_ONCE = writtenHeader(SessionForgotten, "cache-control", () => "no-store");

/** The one cookie of this name in a Cookie header (RFC 6265, section 4.2.1). */
function presentedCookie(field: string | undefined, name: string): Presented {
  let value: string | undefined;
  for (const pair of field?.split(";") ?? []) {
    const end = pair.indexOf("=");
    if (end < 0 || stripped(pair.slice(0, end)) !== name) continue;
    if (value !== undefined) return MALFORMED;
    value = stripped(pair.slice(end + 1));
  }
  return presentedId(value);
}

// Spaces and tabs alone, where `trim` takes more: browsers keep a cookie called NBSP and `__Host-sid`
// without what the prefix promises. docs/sessions.md has what the engine does at the header's start.
function stripped(text: string): string {
  let [begin, end] = [0, text.length];
  while (begin < end && BLANKS.includes(text.charAt(begin))) begin += 1;
  while (end > begin && BLANKS.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(begin, end);
}

const BLANKS = " \t";

const invalid = (remedy: string) => invalidOption("Sessions", remedy);
