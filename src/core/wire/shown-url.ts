import { REDACTED } from "../secrets/secret.js";

const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i;
const PARTS = /^([^?#]*)(\?[^#]*)?(#.*)?$/s;
const TELLING = /pass|pwd|secret|token|key|sig|auth/i;

/** A URL as it may be printed: without who logs in, its fragment, and query values that are named like secrets. */
export function shownUrl(url: string): string {
  const [, start = "", query = "", fragment] = PARTS.exec(url) ?? [];
  const bare = start.replace(USER_INFO, `$1${REDACTED}@`);
  // A '/', '?' or '#' in a password ends the authority early; what follows would show it.
  if (url.replace(USER_INFO, "").includes("@")) return REDACTED;
  const pairs = query.replace(/([^?&=]*)=([^&]*)/g, hideTelling);
  return bare + pairs + (fragment === undefined ? "" : `#${REDACTED}`);
}

// The whole pair is looked at: a ';' may separate more of them.
const hideTelling = (pair: string, name: string): string =>
  TELLING.test(pair) || name.includes("%") ? `${name}=${REDACTED}` : pair;
