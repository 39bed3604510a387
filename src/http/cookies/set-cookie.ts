import { createRequire } from "node:module";
import type * as Cookie from "cookie";

import { FrameworkError } from "#core/errors.js";
import { isToken } from "#core/header-syntax.js";
import type { SetCookie } from "#core/reply.js";

// Loaded at the first cookie that is written.
const require = createRequire(import.meta.url);

/** What a browser does with a cookie. The defaults are the safe ones. */
export interface CookieOptions {
  /** Seconds until it is forgotten. Default: until the browser ends its session. */
  readonly maxAge?: number;
  /** The host and those below it. Default: the host that answers, alone. */
  readonly domain?: string;
  /** Default "/". */
  readonly path?: string;
  /** Hidden from scripts. Default true. */
  readonly httpOnly?: boolean;
  /** Over TLS alone, or to localhost. Default true. */
  readonly secure?: boolean;
  /** Which requests from other sites carry it. Default "lax": navigations. */
  readonly sameSite?: "strict" | "lax" | "none";
  /** One for each site that embeds this one (CHIPS). */
  readonly partitioned?: boolean;
  /** Which goes first where a browser has too many. */
  readonly priority?: "low" | "medium" | "high";
}

// RFC 6265, section 6.1: what a browser keeps at least; most keep no more.
const MAX_COOKIE_BYTES = 4096;

/**
 * A cookie for `respond({ cookies: [...] })`: HttpOnly, Secure, SameSite=Lax, Path=/, where
 * the options say no other. The value is percent-encoded. Throws COOKIE_INVALID for what
 * browsers would ignore or cut.
 */
export function setCookie(name: string, value: string, options: CookieOptions = {}): SetCookie {
  const attributes = { httpOnly: true, secure: true, sameSite: "lax", path: "/", ...options } as const;
  assertCookieValue(name, value);
  const mistake = mistakeIn(name, attributes);
  if (mistake !== undefined) throw invalid(name, mistake);
  const line = written(name, value, attributes);
  if (line.length <= MAX_COOKIE_BYTES) return Object.freeze({ name, line });
  throw invalid(
    name,
    `it has ${line.length} bytes with its attributes, and browsers keep no more than ${MAX_COOKIE_BYTES}: keep the data on the server, and an id in the cookie`,
  );
}

/** Makes the browser forget a cookie that was set with the same name, domain and path. */
export const deleteCookie = (name: string, options: Omit<CookieOptions, "maxAge"> = {}): SetCookie =>
  setCookie(name, "", { ...options, maxAge: 0 });

/** Throws COOKIE_INVALID for what has no form in a cookie, and never shows it. */
export function assertCookieValue(name: string, value: string): void {
  if (typeof value !== "string") throw invalid(name, `its value is no text but ${typeof value}`);
  // encodeURIComponent would throw an error of its own.
  if (/\p{Surrogate}/u.test(value))
    throw invalid(name, "its value is no well-formed text: it holds half a character");
}

function mistakeIn(name: string, attributes: CookieOptions): string | undefined {
  const { secure, path = "", domain, sameSite, partitioned, maxAge } = attributes;
  if (!isToken(name)) return "its name is no token: use letters, digits and hyphens";
  if (!path.startsWith("/")) return "its path does not begin with '/': browsers would take another";
  if (maxAge !== undefined && !(Number.isSafeInteger(maxAge) && maxAge >= 0))
    return `maxAge is ${String(maxAge)}: use whole seconds from 0`;
  if (sameSite === "none" && !secure) return "sameSite 'none' needs secure";
  if (partitioned && !secure) return "partitioned needs secure";
  // Browsers compare the prefixes without regard to case, and drop a cookie that breaks its promise.
  const prefix = /^__(?:secure|host)-/i.exec(name)?.[0].toLowerCase();
  if (prefix !== undefined && !secure) return `the prefix of its name needs secure`;
  if (prefix === "__host-" && (path !== "/" || domain !== undefined))
    return "the prefix of its name needs path '/' and no domain";
  return undefined;
}

function written(name: string, value: string, attributes: CookieOptions): string {
  const { stringifySetCookie } = require("cookie") as typeof Cookie;
  try {
    return stringifySetCookie({ ...attributes, name, value });
  } catch (error) {
    throw invalid(name, (error as Error).message);
  }
}

const invalid = (name: string, what: string): FrameworkError =>
  new FrameworkError("COOKIE_INVALID", `Cookie ${JSON.stringify(name)}: ${what}`);
