import type { SetCookie } from "#core/bus/reply.js";
import { FrameworkError } from "#core/errors.js";
import { isToken } from "#core/wire/header-syntax.js";
import { cookiePackage } from "../../refusal/cookie-package.js";

/** Attributes of a cookie, with safe defaults. */
export interface CookieOptions {
  /** Seconds until it expires. Default: the browser's session. */
  readonly maxAge?: number;
  /** A host; the cookie is sent to it and its subdomains. Default: the responding host only. */
  readonly domain?: string;
  /** Default "/". */
  readonly path?: string;
  /** Hidden from scripts. Default true. */
  readonly httpOnly?: boolean;
  /** Sent over TLS or to localhost only. Default true. */
  readonly secure?: boolean;
  /** Requests from other sites that carry the cookie. Default "lax": navigations. */
  readonly sameSite?: "strict" | "lax" | "none";
  /** Stored separately per embedding site (CHIPS). Default false. */
  readonly partitioned?: boolean;
  /** Eviction order in a browser. */
  readonly priority?: "low" | "medium" | "high";
}

// RFC 6265, section 6.1.
const MAX_COOKIE_BYTES = 4096;

/**
 * A cookie for `respond({ cookies: [...] })`: HttpOnly, Secure, SameSite=Lax, Path=/ by default.
 * The value is percent-encoded. Throws COOKIE_INVALID for a cookie that browsers would ignore or truncate.
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

/** A cookie that makes the browser delete the cookie of the same name, domain and path. */
export const deleteCookie = (name: string, options: Omit<CookieOptions, "maxAge"> = {}): SetCookie =>
  setCookie(name, "", { ...options, maxAge: 0 });

/** Throws COOKIE_INVALID; the message does not show the value. */
export function assertCookieValue(name: string, value: string): void {
  if (typeof value !== "string") throw invalid(name, `its value is no text but ${typeof value}`);
  // encodeURIComponent would throw a URIError.
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
  // Browsers ignore the case of prefixes.
  const prefix = /^__(?:secure|host)-/i.exec(name)?.[0].toLowerCase();
  if (prefix !== undefined && !secure) return `the prefix of its name needs secure`;
  if (prefix === "__host-" && (path !== "/" || domain !== undefined))
    return "the prefix of its name needs path '/' and no domain";
  return undefined;
}

function written(name: string, value: string, attributes: CookieOptions): string {
  const { stringifySetCookie } = cookiePackage();
  try {
    return stringifySetCookie({ ...attributes, name, value });
  } catch (error) {
    throw invalid(name, (error as Error).message);
  }
}

const invalid = (name: string, what: string): FrameworkError =>
  new FrameworkError("COOKIE_INVALID", `Cookie ${JSON.stringify(name)}: ${what}`);
