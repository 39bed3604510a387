// Where a request has the id of its session, and how the client receives it. A cookie that occurs
// twice is ignored: a page of a name below the same domain may have set one (cookie tossing).

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

/** How a browser stores the id. */
export interface SessionCookieOptions {
  /** Begins with `__Host-`: browsers accept it only from the host itself, over TLS. Default `__Host-sid`; with `insecureCookie`, `sid`. */
  readonly name?: string;
  /** Whether navigations from other sites send it. Default "lax": they do. */
  readonly sameSite?: "lax" | "strict";
  /** Whether it survives the browser's session, for the lifetime of the session. Default false. */
  readonly persistent?: boolean;
}

export interface SessionPlaceOptions {
  readonly cookie?: SessionCookieOptions;
  /**
   * A cookie `sid` sent over plain http, for development: refused in production. Browsers accept a
   * Secure cookie over http from localhost and 127.0.0.1 only, and only newer versions of Chromium
   * accept a name that begins with `__Host-` there.
   */
  readonly insecureCookie?: boolean;
  /** A header instead of the cookie, in requests and responses: for clients that are no browsers. */
  readonly header?: string;
}

/** The key of an id in the store, or the reason for its absence. */
type Presented = { readonly kind: "key"; readonly key: string } | { readonly kind: "none" | "malformed" };

export interface SessionPlace {
  readonly description: string;
  readonly credential: Credential;
  /** The request header that contains it. */
  readonly source: BusKey<string, `header:${string}`>;
  readonly presented: (value: string | undefined) => Presented;
  /** Value of SessionIssued; `ms` is the maximum lifetime of the session. */
  readonly issued: (id: string, ms: number) => string;
  /** Value of SessionForgotten; undefined if the client needs none. */
  readonly forgotten: string | undefined;
  /** Response headers for SessionIssued and SessionForgotten. */
  readonly issuing: readonly WrittenHeader[];
  readonly forgetting: readonly WrittenHeader[];
}

const ID = /^[\w-]{43}$/;

/** The store's key for an id; undefined if the id is malformed. */
export const keyOfId = (id: string): string | undefined =>
  ID.test(id) ? hash("sha256", id, "base64url") : undefined;

const MALFORMED: Presented = { kind: "malformed" };

function presentedId(id: string | undefined): Presented {
  if (id === undefined) return { kind: "none" };
  const key = keyOfId(id);
  return key === undefined ? MALFORMED : { kind: "key", key };
}

/** Throws CONFIG_INVALID, and HEADER_INVALID for a reserved header. */
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

// A cache that keeps the response would give the session to others, or delete theirs.
const ISSUED_ONCE = writtenHeader(SessionIssued, "cache-control", () => "no-store");
const FORGOTTEN_ONCE = writtenHeader(SessionForgotten, "cache-control", () => "no-store");

/** The one cookie of this name in a Cookie header (RFC 6265, section 4.2.1). */
function presentedCookie(field: string | undefined, name: string): Presented {
  let value: string | undefined;
  for (const pair of field?.split(";") ?? []) {
    const end = pair.indexOf("=");
    if (end < 0 || stripped(pair.slice(0, end)) !== name) continue;
    // hole: a sibling domain could plant a session
    if (value !== undefined) return MALFORMED;
    value = stripped(pair.slice(end + 1));
  }
  return presentedId(value);
}

// Strips spaces and tabs only. `trim` also strips NBSP: browsers keep a cookie named NBSP and
// `__Host-sid` without the guarantees of the prefix. docs/sessions.md describes the start of the header.
function stripped(text: string): string {
  let [begin, end] = [0, text.length];
  while (begin < end && BLANKS.includes(text.charAt(begin))) begin += 1;
  while (end > begin && BLANKS.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(begin, end);
}

const BLANKS = " \t";

const invalid = (remedy: string) => invalidOption("Sessions", remedy);
